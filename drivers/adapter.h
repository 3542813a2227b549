/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What shows the cells of the screen's terminal: between screen.c, which knows what is to be seen, and
 * vga_text.c and framebuffer.c, which know a device each.
 */
#ifndef DRIVERS_ADAPTER_H
#define DRIVERS_ADAPTER_H

#include <stdbool.h>

#include "ansi.h"

/* The functions are called one at a time, in any context, and do not wait. */
struct screen_adapter {
	const char *name;
	unsigned int rows, columns; /* up to ANSI_ROWS, ANSI_COLUMNS */
	/* Shows CELLS, as many as there are columns, in ROW. */
	void (*draw_row)(unsigned int row, const ansi_cell *cells);
	/* The cursor is there, or nowhere. After the rows that changed. */
	void (*show_cursor)(unsigned int row, unsigned int column, bool visible);
};

/* Look for a device and make it ready: constant from then on; NULL: there is none, or it cannot be
 * used. Once, at start, after arch_init. */
const struct screen_adapter *vga_text_find(void);
const struct screen_adapter *framebuffer_find(void);

#endif
