/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminal emulator: the parts of ECMA-48 and of DEC's VT102 that TERM=linux and TERM=vt100 use.
 *
 * An unknown sequence is read to its end and does nothing. Characters are UTF-8. A character that is
 * not in code page 437's lower half appears as a question mark, line drawing as plus, minus and bar.
 *
 * Sources: ECMA-48 (5th edition), section 8.3; VT102 User Guide (DEC, 1982), chapter 5;
 * console_codes(4).
 */
#include "ansi.h"

#include <string.h>

#define ESCAPE	       0x1b
#define BELL	       0x07
#define DELETE	       0x7f
#define TAB_WIDTH      8
#define WHITE_ON_BLACK 0x07
#define BRIGHT	       0x08
/* A parameter's greatest value; greater ones are reduced to it. */
#define PARAMETER_MAX  9999
#define REPLACEMENT    '?'

/* ---- cells ---- */

static void touch(struct ansi *ansi, unsigned int row)
{
	ansi->dirty[row / 64] |= (uint64_t)1 << row % 64;
}

static ansi_cell *cell(struct ansi *ansi, unsigned int row, unsigned int column)
{
	return &ansi->cells[row * ansi->columns + column];
}

static uint8_t attribute(const struct ansi *ansi)
{
	uint8_t front = ansi->colours & 0x0f, back = ansi->colours >> 4 & 0x07;

	if (ansi->bright)
		front |= BRIGHT;
	return ansi->reverse ? (uint8_t)((front & 0x07) << 4 | back) : (uint8_t)(back << 4 | front);
}

/* An empty cell has the colours, but is never reversed. */
static ansi_cell blank(const struct ansi *ansi)
{
	return (ansi_cell)((ansi->colours & 0x77) << 8 | ' ');
}

/* Erases columns [FROM, TO) of ROW. */
static void erase(struct ansi *ansi, unsigned int row, unsigned int from, unsigned int to)
{
	for (unsigned int column = from; column < to; column++)
		*cell(ansi, row, column) = blank(ansi);
	touch(ansi, row);
}

static void copy_row(struct ansi *ansi, unsigned int to, unsigned int from)
{
	memcpy(cell(ansi, to, 0), cell(ansi, from, 0), ansi->columns * sizeof(ansi_cell));
	touch(ansi, to);
}

/* Moves rows [TOP, bottom of the region) up by COUNT; the rows that come in are empty. */
static void scroll_up(struct ansi *ansi, unsigned int top, unsigned int count)
{
	unsigned int bottom = ansi->bottom;

	if (count > bottom - top)
		count = bottom - top;
	for (unsigned int row = top; row + count < bottom; row++)
		copy_row(ansi, row, row + count);
	for (unsigned int row = bottom - count; row < bottom; row++)
		erase(ansi, row, 0, ansi->columns);
}

static void scroll_down(struct ansi *ansi, unsigned int top, unsigned int count)
{
	unsigned int bottom = ansi->bottom;

	if (count > bottom - top)
		count = bottom - top;
	for (unsigned int row = bottom; row-- > top + count;)
		copy_row(ansi, row, row - count);
	for (unsigned int row = top; row < top + count; row++)
		erase(ansi, row, 0, ansi->columns);
}

/* ---- the cursor ---- */

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static void move_to(struct ansi *ansi, unsigned int row, unsigned int column)
{
	unsigned int limit = ansi->rows;

	if (ansi->origin) {
		row += ansi->top;
		limit = ansi->bottom;
	}
	ansi->cursor = (struct ansi_place){ least(row, limit - 1), least(column, ansi->columns - 1),
					    false };
}

static void move_up(struct ansi *ansi, unsigned int count)
{
	unsigned int top = ansi->cursor.row >= ansi->top ? ansi->top : 0;

	ansi->cursor.row -= least(count, ansi->cursor.row - top);
	ansi->cursor.wrap = false;
}

static void move_down(struct ansi *ansi, unsigned int count)
{
	unsigned int bottom = ansi->cursor.row < ansi->bottom ? ansi->bottom : ansi->rows;

	ansi->cursor.row += least(count, bottom - 1 - ansi->cursor.row);
	ansi->cursor.wrap = false;
}

static void move_right(struct ansi *ansi, unsigned int count)
{
	ansi->cursor.column = least(ansi->cursor.column + count, ansi->columns - 1);
	ansi->cursor.wrap = false;
}

static void move_left(struct ansi *ansi, unsigned int count)
{
	ansi->cursor.column -= least(count, ansi->cursor.column);
	ansi->cursor.wrap = false;
}

static void line_feed(struct ansi *ansi)
{
	ansi->cursor.wrap = false;
	if (ansi->cursor.row + 1 == ansi->bottom)
		scroll_up(ansi, ansi->top, 1);
	else if (ansi->cursor.row + 1 < ansi->rows)
		ansi->cursor.row++;
}

static void reverse_line_feed(struct ansi *ansi)
{
	ansi->cursor.wrap = false;
	if (ansi->cursor.row == ansi->top)
		scroll_down(ansi, ansi->top, 1);
	else if (ansi->cursor.row > 0)
		ansi->cursor.row--;
}

static void tab(struct ansi *ansi)
{
	unsigned int column = ansi->cursor.column + 1;

	while (column < ansi->columns - 1 && !(ansi->tabs[column / 8] >> column % 8 & 1))
		column++;
	ansi->cursor.column = least(column, ansi->columns - 1);
	ansi->cursor.wrap = false;
}

/* ---- characters ---- */

static void insert_cells(struct ansi *ansi, unsigned int count)
{
	struct ansi_place at = ansi->cursor;
	unsigned int room = ansi->columns - at.column;

	count = least(count, room);
	memmove(cell(ansi, at.row, at.column + count), cell(ansi, at.row, at.column),
		(room - count) * sizeof(ansi_cell));
	erase(ansi, at.row, at.column, at.column + count);
}

static void delete_cells(struct ansi *ansi, unsigned int count)
{
	struct ansi_place at = ansi->cursor;
	unsigned int room = ansi->columns - at.column;

	count = least(count, room);
	memmove(cell(ansi, at.row, at.column), cell(ansi, at.row, at.column + count),
		(room - count) * sizeof(ansi_cell));
	erase(ansi, at.row, ansi->columns - count, ansi->columns);
}

static void put_character(struct ansi *ansi, uint8_t character)
{
	if (ansi->cursor.wrap && !ansi->no_wrap) {
		ansi->cursor.column = 0;
		line_feed(ansi);
	}
	if (ansi->insert)
		insert_cells(ansi, 1);
	*cell(ansi, ansi->cursor.row, ansi->cursor.column) =
		(ansi_cell)(attribute(ansi) << 8 | character);
	touch(ansi, ansi->cursor.row);
	if (ansi->cursor.column + 1 < ansi->columns)
		ansi->cursor.column++;
	else
		ansi->cursor.wrap = true;
}

/* Returns an ASCII look-alike of a box-drawing character, U+2500 and on. */
static uint8_t shown_as(uint32_t code)
{
	if (code < 0x7f)
		return (uint8_t)code;
	if (code == 0xa0)
		return ' ';
	if (code == 0x2500 || code == 0x2550)
		return '-';
	if (code == 0x2502 || code == 0x2551)
		return '|';
	if (code > 0x2502 && code < 0x2580)
		return '+';
	return REPLACEMENT;
}

/* Takes one byte of text; collects UTF-8 sequences. */
static void put_text(struct ansi *ansi, uint8_t byte)
{
	if ((byte & 0xc0) == 0x80 && ansi->continuations) {
		ansi->code = ansi->code << 6 | (byte & 0x3f);
		if (--ansi->continuations == 0)
			put_character(ansi, shown_as(ansi->code));
		return;
	}
	ansi->continuations = 0;
	if (byte < 0x80) {
		put_character(ansi, byte);
	} else if ((byte & 0xe0) == 0xc0) {
		ansi->code = byte & 0x1f;
		ansi->continuations = 1;
	} else if ((byte & 0xf0) == 0xe0) {
		ansi->code = byte & 0x0f;
		ansi->continuations = 2;
	} else if ((byte & 0xf8) == 0xf0) {
		ansi->code = byte & 0x07;
		ansi->continuations = 3;
	} else {
		put_character(ansi, REPLACEMENT);
	}
}

/* ---- sequences ---- */

static void reset(struct ansi *ansi)
{
	ansi->cursor = ansi->saved = (struct ansi_place){ 0, 0, false };
	ansi->top = 0;
	ansi->bottom = ansi->rows;
	ansi->origin = ansi->no_wrap = ansi->insert = false;
	ansi->bright = ansi->reverse = ansi->cursor_hidden = false;
	ansi->colours = WHITE_ON_BLACK;
	ansi->state = ANSI_TEXT;
	ansi->continuations = 0;
	memset(ansi->tabs, 0x01, sizeof(ansi->tabs));
	_Static_assert(TAB_WIDTH == 8, "one bit of each byte");
	for (unsigned int row = 0; row < ansi->rows; row++)
		erase(ansi, row, 0, ansi->columns);
}

void ansi_init(struct ansi *ansi, ansi_cell *cells, unsigned int rows, unsigned int columns)
{
	memset(ansi, 0, sizeof(*ansi));
	ansi->cells = cells;
	ansi->rows = least(rows, ANSI_ROWS);
	ansi->columns = least(columns, ANSI_COLUMNS);
	reset(ansi);
}

/* Returns parameter INDEX, or PRESET if it is absent or 0. */
static unsigned int parameter(const struct ansi *ansi, unsigned int index, unsigned int preset)
{
	unsigned int value = index < ansi->parameter_count ? ansi->parameters[index] : 0;

	return value ? value : preset;
}

/* ED and EL: 0 erases from the cursor on, 1 up to the cursor, 2 all. */
static void erase_line(struct ansi *ansi, unsigned int what)
{
	struct ansi_place at = ansi->cursor;

	if (what <= 2)
		erase(ansi, at.row, what == 0 ? at.column : 0,
		      what == 1 ? at.column + 1 : ansi->columns);
}

static void erase_display(struct ansi *ansi, unsigned int what)
{
	unsigned int first = what == 0 ? ansi->cursor.row + 1 : 0;
	unsigned int end = what == 1 ? ansi->cursor.row : ansi->rows;

	if (what > 3)
		return;
	for (unsigned int row = first; row < end; row++)
		erase(ansi, row, 0, ansi->columns);
	if (what < 2)
		erase_line(ansi, what);
}

/* ANSI's order of colours is red, green, blue in bits 0, 1, 2; VGA's is the reverse. */
static uint8_t vga_colour(unsigned int colour)
{
	return (uint8_t)((colour & 1) << 2 | (colour & 2) | (colour & 4) >> 2);
}

static void set_front(struct ansi *ansi, uint8_t colour)
{
	ansi->colours = (uint8_t)((ansi->colours & 0xf0) | colour);
}

static void set_back(struct ansi *ansi, uint8_t colour)
{
	ansi->colours = (uint8_t)((ansi->colours & 0x0f) | colour << 4);
}

/* SGR: colours and other attributes. */
static void set_look(struct ansi *ansi, unsigned int look)
{
	if (look == 0) {
		ansi->colours = WHITE_ON_BLACK;
		ansi->bright = ansi->reverse = false;
	} else if (look == 1) {
		ansi->bright = true;
	} else if (look == 2 || look == 22) {
		ansi->bright = false;
	} else if (look == 7 || look == 27) {
		ansi->reverse = look == 7;
	} else if (look >= 30 && look <= 37) {
		set_front(ansi, vga_colour(look - 30));
	} else if (look == 39) {
		set_front(ansi, WHITE_ON_BLACK & 0x0f);
	} else if (look >= 40 && look <= 47) {
		set_back(ansi, vga_colour(look - 40));
	} else if (look == 49) {
		set_back(ansi, WHITE_ON_BLACK >> 4);
	} else if (look >= 90 && look <= 97) {
		set_front(ansi, vga_colour(look - 90) | BRIGHT);
	} else if (look >= 100 && look <= 107) {
		set_back(ansi, vga_colour(look - 100));
	}
}

static void set_looks(struct ansi *ansi)
{
	if (!ansi->parameter_count)
		set_look(ansi, 0);
	for (unsigned int i = 0; i < ansi->parameter_count; i++) {
		/* 38 and 48 select colours of a palette that does not exist here: skip their
		 * parameters. */
		if (ansi->parameters[i] == 38 || ansi->parameters[i] == 48)
			i += parameter(ansi, i + 1, 0) == 2 ? 4 : 2;
		else
			set_look(ansi, ansi->parameters[i]);
	}
}

static void set_mode(struct ansi *ansi, unsigned int mode, bool on)
{
	if (!ansi->private) {
		if (mode == 4)
			ansi->insert = on;
		return;
	}
	switch (mode) {
	case 6:
		ansi->origin = on;
		move_to(ansi, 0, 0);
		break;
	case 7:
		ansi->no_wrap = !on;
		break;
	case 25:
		ansi->cursor_hidden = !on;
		break;
	}
}

static void set_region(struct ansi *ansi)
{
	unsigned int top = parameter(ansi, 0, 1), bottom = parameter(ansi, 1, ansi->rows);

	if (bottom > ansi->rows || top >= bottom)
		return;
	ansi->top = top - 1;
	ansi->bottom = bottom;
	move_to(ansi, 0, 0);
}

/* Writes VALUE in decimal to TEXT; returns its end. */
static char *put_number(char *text, unsigned int value)
{
	if (value >= 10)
		text = put_number(text, value / 10);
	*text = (char)('0' + value % 10);
	return text + 1;
}

static void report(struct ansi *ansi, unsigned int what)
{
	char *end;

	if (what == 5) {
		memcpy(ansi->reply, "\033[0n", sizeof("\033[0n"));
	} else if (what == 6) {
		memcpy(ansi->reply, "\033[", 2);
		end = put_number(ansi->reply + 2,
				 ansi->cursor.row + 1 - (ansi->origin ? ansi->top : 0));
		*end++ = ';';
		end = put_number(end, ansi->cursor.column + 1);
		*end++ = 'R';
		*end = '\0';
	}
}

static void insert_lines(struct ansi *ansi, unsigned int count, bool delete)
{
	unsigned int row = ansi->cursor.row;

	if (row < ansi->top || row >= ansi->bottom)
		return;
	if (delete)
		scroll_up(ansi, row, count);
	else
		scroll_down(ansi, row, count);
	ansi->cursor.column = 0;
	ansi->cursor.wrap = false;
}

static void clear_tabs(struct ansi *ansi, unsigned int what)
{
	unsigned int column = ansi->cursor.column;

	if (what == 3)
		memset(ansi->tabs, 0, sizeof(ansi->tabs));
	else if (what == 0)
		ansi->tabs[column / 8] &= (uint8_t) ~(1 << column % 8);
}

/* Performs a sequence ESC [ ... at its final byte. */
static void finish_sequence(struct ansi *ansi, uint8_t final)
{
	unsigned int count = parameter(ansi, 0, 1), what = parameter(ansi, 0, 0);
	unsigned int row = ansi->cursor.row, column = ansi->cursor.column;
	unsigned int base = ansi->origin ? ansi->top : 0;

	switch (final) {
	case '@':
		insert_cells(ansi, count);
		break;
	case 'A':
		move_up(ansi, count);
		break;
	case 'B':
	case 'e':
		move_down(ansi, count);
		break;
	case 'C':
	case 'a':
		move_right(ansi, count);
		break;
	case 'D':
		move_left(ansi, count);
		break;
	case 'E':
		move_down(ansi, count);
		ansi->cursor.column = 0;
		break;
	case 'F':
		move_up(ansi, count);
		ansi->cursor.column = 0;
		break;
	case 'G':
	case '`':
		move_to(ansi, row - base, count - 1);
		break;
	case 'H':
	case 'f':
		move_to(ansi, count - 1, parameter(ansi, 1, 1) - 1);
		break;
	case 'J':
		erase_display(ansi, what);
		break;
	case 'K':
		erase_line(ansi, what);
		break;
	case 'L':
	case 'M':
		insert_lines(ansi, count, final == 'M');
		break;
	case 'P':
		delete_cells(ansi, count);
		break;
	case 'S':
		scroll_up(ansi, ansi->top, count);
		break;
	case 'T':
		scroll_down(ansi, ansi->top, count);
		break;
	case 'X':
		erase(ansi, row, column, least(column + count, ansi->columns));
		break;
	case 'd':
		move_to(ansi, count - 1, column);
		break;
	case 'g':
		clear_tabs(ansi, what);
		break;
	case 'h':
	case 'l':
		for (unsigned int i = 0; i < ansi->parameter_count; i++)
			set_mode(ansi, ansi->parameters[i], final == 'h');
		break;
	case 'm':
		set_looks(ansi);
		break;
	case 'n':
		report(ansi, what);
		break;
	case 'r':
		set_region(ansi);
		break;
	case 's':
		ansi->saved = ansi->cursor;
		break;
	case 'u':
		ansi->cursor = ansi->saved;
		break;
	}
}

static void begin_sequence(struct ansi *ansi)
{
	ansi->state = ANSI_SEQUENCE;
	ansi->private = false;
	ansi->parameter_count = 0;
	memset(ansi->parameters, 0, sizeof(ansi->parameters));
}

static void read_sequence(struct ansi *ansi, uint8_t byte)
{
	if (byte >= '0' && byte <= '9') {
		if (ansi->parameter_count == 0)
			ansi->parameter_count = 1;
		unsigned int *value = &ansi->parameters[ansi->parameter_count - 1];

		*value = least(*value * 10 + (byte - '0'), PARAMETER_MAX);
	} else if (byte == ';') {
		if (ansi->parameter_count == 0)
			ansi->parameter_count = 1;
		if (ansi->parameter_count < ANSI_PARAMETERS)
			ansi->parameter_count++;
	} else if (byte == '?') {
		ansi->private = true;
	} else if (byte >= 0x40 && byte < DELETE) {
		ansi->state = ANSI_TEXT;
		finish_sequence(ansi, byte);
	}
}

/* Takes the byte after ESC. */
static void read_escape(struct ansi *ansi, uint8_t byte)
{
	ansi->state = ANSI_TEXT;
	switch (byte) {
	case '[':
		begin_sequence(ansi);
		break;
	case ']':
	case 'P':
	case '^':
	case '_':
		ansi->state = ANSI_STRING;
		break;
	case '(':
	case ')':
	case '#':
	case '%':
		ansi->state = ANSI_SKIP;
		break;
	case '7':
		ansi->saved = ansi->cursor;
		break;
	case '8':
		ansi->cursor = ansi->saved;
		break;
	case 'D':
		line_feed(ansi);
		break;
	case 'E':
		ansi->cursor.column = 0;
		line_feed(ansi);
		break;
	case 'H':
		ansi->tabs[ansi->cursor.column / 8] |= (uint8_t)(1 << ansi->cursor.column % 8);
		break;
	case 'M':
		reverse_line_feed(ansi);
		break;
	case 'c':
		reset(ansi);
		break;
	}
}

/* Performs a control character, also inside of sequences. False: BYTE is none. */
static bool control(struct ansi *ansi, uint8_t byte)
{
	if (byte >= ' ' && byte != DELETE)
		return false;
	switch (byte) {
	case '\b':
		move_left(ansi, 1);
		break;
	case '\t':
		tab(ansi);
		break;
	case '\n':
	case '\v':
	case '\f':
		line_feed(ansi);
		break;
	case '\r':
		ansi->cursor.column = 0;
		ansi->cursor.wrap = false;
		break;
	case 0x18:
	case 0x1a:
		ansi->state = ANSI_TEXT;
		break;
	case ESCAPE:
		ansi->state = ANSI_ESCAPE;
		ansi->continuations = 0;
		break;
	}
	return true;
}

static void put_byte(struct ansi *ansi, uint8_t byte)
{
	if (ansi->state == ANSI_STRING) {
		if (byte == BELL)
			ansi->state = ANSI_TEXT;
		else if (byte == ESCAPE)
			ansi->state = ANSI_STRING_ESCAPE;
		return;
	}
	if (ansi->state == ANSI_STRING_ESCAPE) {
		ansi->state = byte == '\\' ? ANSI_TEXT : ANSI_STRING;
		return;
	}
	if (control(ansi, byte))
		return;
	switch (ansi->state) {
	case ANSI_ESCAPE:
		read_escape(ansi, byte);
		break;
	case ANSI_SEQUENCE:
		read_sequence(ansi, byte);
		break;
	case ANSI_SKIP:
		ansi->state = ANSI_TEXT;
		break;
	default:
		put_text(ansi, byte);
	}
}

void ansi_put(struct ansi *ansi, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put_byte(ansi, (uint8_t)bytes[i]);
}
