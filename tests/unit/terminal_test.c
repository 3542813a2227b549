/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of the screen's terminal emulator, drivers/ansi.c: what bytes leave on the screen and where
 * the cursor then is. The source is included here.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "../../drivers/ansi.c"

enum { ROWS = 6, COLUMNS = 20 };

static struct ansi ansi;
static ansi_cell cells[ROWS * COLUMNS];

static void show(const char *text)
{
	ansi_put(&ansi, text, strlen(text));
}

static void begin(const char *text)
{
	ansi_init(&ansi, cells, ROWS, COLUMNS);
	show(text);
}

/* A row's characters without the spaces at its end. */
static const char *row(unsigned int number)
{
	static char text[COLUMNS + 1];
	int end = COLUMNS;

	for (int i = 0; i < COLUMNS; i++)
		text[i] = (char)cells[number * COLUMNS + (unsigned int)i];
	while (end > 0 && text[end - 1] == ' ')
		end--;
	text[end] = '\0';
	return text;
}

static unsigned int look(unsigned int number, unsigned int column)
{
	return cells[number * COLUMNS + column] >> 8;
}

#define EXPECT_CURSOR(row_number, column_number)                \
	do {                                                    \
		EXPECT_EQ(ansi.cursor.row, (row_number));       \
		EXPECT_EQ(ansi.cursor.column, (column_number)); \
	} while (0)

static void check_text(void)
{
	begin("ab\r\nc\bd\te");
	EXPECT_STR(row(0), "ab");
	EXPECT_STR(row(1), "d       e");
	EXPECT_CURSOR(1, 9);
	begin("12345678901234567890");
	EXPECT_CURSOR(0, 19);
	show("x");
	EXPECT_STR(row(1), "x");
	begin("12345678901234567890\rA");
	EXPECT_STR(row(0), "A2345678901234567890");
	begin("\033[?7l12345678901234567890xyz");
	EXPECT_STR(row(0), "1234567890123456789z");
}

static void check_utf8(void)
{
	begin("a\xc3\xa4z\xe2\x94\x80\xe2\x94\x82\xe2\x94\x8c\xff.");
	EXPECT_STR(row(0), "a?z-|+?.");
	begin("\xe2\x94"
	      "a");
	EXPECT_STR(row(0), "a");
}

static void check_scrolling(void)
{
	begin("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7");
	EXPECT_STR(row(0), "2");
	EXPECT_STR(row(5), "7");
	begin("1\r\n2\r\n3\r\n4\033[2;3r\033[3;1H\n");
	EXPECT_STR(row(0), "1");
	EXPECT_STR(row(1), "3");
	EXPECT_STR(row(2), "");
	EXPECT_STR(row(3), "4");
	show("\033[2;1H\033M");
	EXPECT_STR(row(1), "");
	EXPECT_STR(row(2), "3");
	EXPECT_STR(row(3), "4");
	show("\033[r\033[2S");
	EXPECT_STR(row(0), "3");
	show("\033[99T");
	EXPECT_STR(row(0), "");
	EXPECT_STR(row(5), "");
}

static void check_cursor(void)
{
	begin("\033[3;5H");
	EXPECT_CURSOR(2, 4);
	show("\033[A\033[2C");
	EXPECT_CURSOR(1, 6);
	show("\033[9999B\033[9999D");
	EXPECT_CURSOR(5, 0);
	show("\033[99999999999;99999999999H");
	EXPECT_CURSOR(ROWS - 1, COLUMNS - 1);
	show("\033[H\033[3d\033[4G");
	EXPECT_CURSOR(2, 3);
	show("\0337\033[H\0338");
	EXPECT_CURSOR(2, 3);
	show("\033[s\033[H\033[u");
	EXPECT_CURSOR(2, 3);
	show("\033[2;4r\033[?6h\033[9;1H");
	EXPECT_CURSOR(3, 0);
	show("\033[6n");
	EXPECT_STR(ansi.reply, "\033[3;1R");
	show("\033[5n");
	EXPECT_STR(ansi.reply, "\033[0n");
}

static void check_erasing(void)
{
	begin("abcdef\033[3D\033[K");
	EXPECT_STR(row(0), "abc");
	show("\033[1K");
	EXPECT_STR(row(0), "");
	begin("abcdef\033[1;3H\033[2X");
	EXPECT_STR(row(0), "ab  ef");
	begin("1\r\n2\r\n3\033[2;1H\033[J");
	EXPECT_STR(row(0), "1");
	EXPECT_STR(row(1), "");
	EXPECT_STR(row(2), "");
	begin("1\r\n2\r\n3\033[2;1H\033[1J");
	EXPECT_STR(row(0), "");
	EXPECT_STR(row(2), "3");
	show("\033[2J");
	EXPECT_STR(row(2), "");
}

static void check_inserting(void)
{
	begin("abcdef\033[1;3H\033[2@");
	EXPECT_STR(row(0), "ab  cdef");
	show("\033[3P");
	EXPECT_STR(row(0), "abdef");
	show("\033[4hXY\033[4l");
	EXPECT_STR(row(0), "abXYdef");
	show("\033[99@\033[99P");
	EXPECT_STR(row(0), "abXY");
	begin("1\r\n2\r\n3\033[2;1H\033[L");
	EXPECT_STR(row(1), "");
	EXPECT_STR(row(2), "2");
	show("\033[2M");
	EXPECT_STR(row(1), "3");
}

static void check_looks(void)
{
	begin("a\033[31mb\033[1mc\033[7md\033[0me\033[44;93mf\033[38;5;9mg\033[39;49mh");
	EXPECT_EQ(look(0, 0), 0x07);
	EXPECT_EQ(look(0, 1), 0x04);
	EXPECT_EQ(look(0, 2), 0x0c);
	EXPECT_EQ(look(0, 3), 0x40);
	EXPECT_EQ(look(0, 4), 0x07);
	EXPECT_EQ(look(0, 5), 0x1e);
	EXPECT_EQ(look(0, 6), 0x1e);
	EXPECT_EQ(look(0, 7), 0x07);
	begin("\033[41m\033[K");
	EXPECT_EQ(look(0, 19), 0x47);
}

static void check_sequences(void)
{
	begin("\033]0;a title\007b");
	EXPECT_STR(row(0), "b");
	begin("\033]0;a title\033\\c\033(Bd\033[?1049he\033[>0qf");
	EXPECT_STR(row(0), "cdef");
	begin("\033[1\n;3Hx");
	EXPECT_STR(row(0), "  x");
	begin("\033[3\030x");
	EXPECT_STR(row(0), "x");
	begin("\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18mx");
	EXPECT_STR(row(0), "x");
	begin("ab\033cx");
	EXPECT_STR(row(0), "x");
	begin("\t\033[H\033[3g\033[1;5H\033H\033[H\tx");
	EXPECT_STR(row(0), "    x");
}

/* Bytes without sense neither crash nor leave the cells: the sanitizers watch. */
static void check_noise(void)
{
	static const char letters[] =
		"\033[;?0123456789ABCDEFGHJKLMPSTXadefghlmnrsu@`\n\r\t\b\xc3x78c";

	srand(1);
	begin("");
	for (int i = 0; i < 200000; i++) {
		char byte = letters[(unsigned int)rand() % (sizeof(letters) - 1)];

		ansi_put(&ansi, &byte, 1);
		EXPECT_EQ(ansi.cursor.row < ROWS && ansi.cursor.column < COLUMNS, 1);
		EXPECT_EQ(ansi.top < ansi.bottom && ansi.bottom <= ROWS, 1);
	}
}

static const struct tap_rule rules[] = {
	{ "text, control characters, wrapping", check_text },
	{ "bytes of UTF-8 make characters", check_utf8 },
	{ "lines scroll, in a region too", check_scrolling },
	{ "the cursor moves, is saved and reported", check_cursor },
	{ "parts of lines and of the screen are erased", check_erasing },
	{ "characters and lines are inserted and deleted", check_inserting },
	{ "colours and looks", check_looks },
	{ "sequences without meaning here are skipped", check_sequences },
	{ "noise stays within the screen", check_noise },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
