/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adapters, which show the cells of the screen's terminal. screen.c knows the contents; vga_text.c and
 * framebuffer.c know one device each.
 */
#ifndef DRIVERS_ADAPTER_H
#define DRIVERS_ADAPTER_H

#include <stdbool.h>

#include "ansi.h"

/* The functions are called one at a time, in any context, and do not wait. */
struct screen_adapter {
	const char *name;
	unsigned int rows, columns; /* up to ANSI_ROWS, ANSI_COLUMNS */
	/* Shows CELLS in ROW, one for each column. */
	void (*draw_row)(unsigned int row, const ansi_cell *cells);
	/* Moves the cursor, or hides it. Called after the changed rows are drawn. */
	void (*show_cursor)(unsigned int row, unsigned int column, bool visible);
};

/* Look for a device and prepare it; it is constant from then on. NULL: no device, or an unusable one.
 * Once, at start, after arch_init. */
const struct screen_adapter *vga_text_find(void);
const struct screen_adapter *framebuffer_find(void);

#endif
