/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the programs that write wrong values, too, to the files of a DSA and of dmatest: the values, and how they are shown. */
#ifndef TESTS_WRITTEN_VALUES_H
#define TESTS_WRITTEN_VALUES_H

#include "observe.h"

/* Numbers, and texts that are none or too much. */
static const char *const numbers[] = { "",
				       "\n",
				       " ",
				       "x",
				       "1x",
				       "1 2",
				       "0x1",
				       "010",
				       "+1",
				       "-1",
				       "-2",
				       " 1",
				       "1 ",
				       "1\n",
				       "2",
				       "3",
				       "4",
				       "99999",
				       "4294967296",
				       "18446744073709551615",
				       "18446744073709551616",
				       "-9223372036854775809",
				       "0",
				       NULL };

/* VALUE with its spaces and ends of lines visible, and short. */
static inline const char *visible(const char *value)
{
	static char texts[2][64];
	static unsigned int turn;
	char *text = texts[turn++ % 2];
	size_t size = 0;

	if (strlen(value) > 40) {
		snprintf(text, sizeof(texts[0]), "%zu characters", strlen(value));
		return text;
	}
	text[size++] = '"';
	for (; *value; value++) {
		if (*value == '\n')
			text[size++] = '\\';
		text[size++] = *value == '\n' ? 'n' : *value;
	}
	text[size++] = '"';
	text[size] = '\0';
	return text;
}

#endif
