/* SPDX-License-Identifier: BSD-2-Clause */
/* See number.h. */
#include "number.h"

#include <uapi/linux/errno.h>

static unsigned int value_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

int trace_parse_number(const char *text, uint64_t *number)
{
	unsigned int base = 10;
	uint64_t value = 0;

	if (*text == '+')
		text++;
	if (text[0] == '0' && (text[1] | 0x20) == 'x' && value_of(text[2]) < 16) {
		base = 16;
		text += 2;
	} else if (text[0] == '0') {
		base = 8;
	}
	if (!*text)
		return -EINVAL;
	for (; *text; text++) {
		unsigned int digit = value_of(*text);

		if (digit >= base)
			return -EINVAL;
		if (value > (UINT64_MAX - digit) / base)
			return -ERANGE;
		value = value * base + digit;
	}
	*number = value;
	return 0;
}
