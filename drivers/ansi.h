/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A text terminal's screen as data: bytes with ANSI escape sequences in, character cells out.
 *
 * It uses no device and no lock, so that tests/unit/ runs it on a host; drivers/screen.c shows the
 * cells.
 */
#ifndef DRIVERS_ANSI_H
#define DRIVERS_ANSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSI_ROWS	80 /* most */
#define ANSI_COLUMNS	240
#define ANSI_PARAMETERS 16
#define ANSI_REPLY_SIZE 24

/* A cell: the character in the low byte (code page 437), VGA's attribute in the high one. */
typedef uint16_t ansi_cell;

struct ansi_place {
	unsigned int row, column; /* from 0 */
	bool wrap;		  /* the last column is written: the next character starts a line */
};

struct ansi {
	unsigned int rows, columns;
	ansi_cell *cells; /* rows * columns */
	uint64_t dirty[(ANSI_ROWS + 63) /
		       64]; /* bit: a row that changed; the function that shows it clears the bit */

	struct ansi_place cursor, saved;
	bool cursor_hidden;
	unsigned int top, bottom; /* of the scrolling region: rows [top, bottom) */
	bool origin;		  /* rows count from top */
	bool no_wrap;
	bool insert;
	uint8_t colours; /* foreground in bits 0 to 3, background in 4 to 7 */
	bool bright, reverse;
	uint8_t tabs[(ANSI_COLUMNS + 7) / 8]; /* bit: a tab stop */

	/* The escape sequence being read. */
	enum ansi_state {
		ANSI_TEXT,
		ANSI_ESCAPE,   /* after ESC */
		ANSI_SEQUENCE, /* after ESC [ */
		ANSI_STRING,   /* after ESC ] and the like: until BEL or ESC \ */
		ANSI_STRING_ESCAPE,
		ANSI_SKIP, /* one more byte, without meaning here */
	} state;
	unsigned int parameters[ANSI_PARAMETERS], parameter_count;
	bool private;		    /* ESC [ ? */
	uint32_t code;		    /* UTF-8: the character so far */
	unsigned int continuations; /* UTF-8: number of bytes to come */

	/* The terminal's reports, for the caller to send as input; terminated. */
	char reply[ANSI_REPLY_SIZE];
};

/* Makes an empty screen of ROWS and COLUMNS with its cells at CELLS. */
void ansi_init(struct ansi *ansi, ansi_cell *cells, unsigned int rows, unsigned int columns);

/* Processes BYTES. Sets ansi->reply if they request a report; the caller empties it. */
void ansi_put(struct ansi *ansi, const char *bytes, size_t size);

#endif
