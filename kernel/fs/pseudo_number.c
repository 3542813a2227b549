/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that are written to files of /sys. See <kernel/fs/pseudo_number.h>. */
#include <kernel/fs/pseudo_number.h>

#include <string.h>

#include <uapi/linux/errno.h>

/* Not a digit in any base. */
#define NO_DIGIT 16

static unsigned int digit_of(char character)
{
	if (character >= '0' && character <= '9')
		return (unsigned int)(character - '0');
	character |= 0x20;
	return character >= 'a' && character <= 'f' ? (unsigned int)(character - 'a') + 10 :
						      NO_DIGIT;
}

/* Parses digits and the newline after them. A number that is too great is that, whatever comes after it. */
static int parse_digits(const char *text, unsigned int base, uint64_t *number)
{
	uint64_t value = 0;

	if (!base) {
		base = text[0] == '0' ? 8 : 10;
		if (text[0] == '0' && (text[1] | 0x20) == 'x' && digit_of(text[2]) < 16) {
			base = 16;
			text += 2;
		}
	}
	if (digit_of(*text) >= base)
		return -EINVAL;
	for (; digit_of(*text) < base; text++)
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_of(*text), &value))
			return -ERANGE;
	text += *text == '\n';
	*number = value;
	return *text ? -EINVAL : 0;
}

int pseudo_parse_unsigned(const char *text, unsigned int base, uint64_t most, uint64_t *number)
{
	uint64_t value;
	int error = parse_digits(text + (*text == '+'), base, &value);

	if (!error && value > most)
		error = -ERANGE;
	if (!error)
		*number = value;
	return error;
}

int pseudo_parse_signed(const char *text, unsigned int base, int64_t least, int64_t most,
			int64_t *number)
{
	bool negative = *text == '-';
	uint64_t value;
	int error = parse_digits(text + (negative || *text == '+'), base, &value);

	if (!error && value > (uint64_t)INT64_MAX + negative)
		error = -ERANGE;
	if (error)
		return error;
	int64_t with_sign = (int64_t)(negative ? -value : value);
	if (with_sign < least || with_sign > most)
		return -ERANGE;
	*number = with_sign;
	return 0;
}

int pseudo_parse_boolean(const char *text, bool *value)
{
	bool letter_o = (text[0] | 0x20) == 'o';
	bool yes = *text && (strchr("yYtT1", *text) || (letter_o && (text[1] | 0x20) == 'n'));
	bool no = *text && (strchr("nNfF0", *text) || (letter_o && (text[1] | 0x20) == 'f'));

	if (!yes && !no)
		return -EINVAL;
	*value = yes;
	return 0;
}
