/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen adapter for a VGA in text mode, as the firmware leaves it.
 *
 * A cell of the terminal is a cell of the VGA; the driver never reads those. A graphics mode has no
 * text memory: then there is no such adapter.
 *
 * Source: IBM VGA Technical Reference (1992), sections "CRT Controller" and "Graphics Controller".
 */
#include "adapter.h"

#include <arch/mmu.h>
#include <arch/port.h>

#define ROWS		  25
#define COLUMNS		  80
#define TEXT_MEMORY	  0xb8000

#define CRTC_INDEX	  0x3d4
#define CRTC_DATA	  0x3d5
#define GRAPHICS_INDEX	  0x3ce
#define GRAPHICS_DATA	  0x3cf
#define CRTC_CURSOR_START 0x0a
#define CRTC_CURSOR_HIGH  0x0e
#define CRTC_CURSOR_LOW	  0x0f
#define CURSOR_OFF	  0x20 /* in CRTC_CURSOR_START */
#define CURSOR_SHAPE	  0x0d
#define GRAPHICS_MISC	  0x06
#define MISC_GRAPHICS	  0x01

static volatile ansi_cell *memory;

static uint8_t read_crtc(uint8_t number)
{
	arch_port_write8(CRTC_INDEX, number);
	return arch_port_read8(CRTC_DATA);
}

static void write_crtc(uint8_t number, uint8_t value)
{
	arch_port_write8(CRTC_INDEX, number);
	arch_port_write8(CRTC_DATA, value);
}

/* A register that keeps a written value distinguishes a VGA from empty ports. */
static bool probe(void)
{
	static const uint8_t patterns[] = { 0x5a, 0xa5 };

	for (size_t i = 0; i < sizeof patterns; i++) {
		write_crtc(CRTC_CURSOR_LOW, patterns[i]);
		if (read_crtc(CRTC_CURSOR_LOW) != patterns[i])
			return false;
	}
	arch_port_write8(GRAPHICS_INDEX, GRAPHICS_MISC);
	return !(arch_port_read8(GRAPHICS_DATA) & MISC_GRAPHICS);
}

static void draw_row(unsigned int row, const ansi_cell *cells)
{
	for (unsigned int i = 0; i < COLUMNS; i++)
		memory[row * COLUMNS + i] = cells[i];
}

static void show_cursor(unsigned int row, unsigned int column, bool visible)
{
	unsigned int at = row * COLUMNS + column;

	write_crtc(CRTC_CURSOR_START, visible ? CURSOR_SHAPE : CURSOR_OFF);
	write_crtc(CRTC_CURSOR_HIGH, (uint8_t)(at >> 8));
	write_crtc(CRTC_CURSOR_LOW, (uint8_t)at);
}

static const struct screen_adapter adapter = {
	.name = "VGA text",
	.rows = ROWS,
	.columns = COLUMNS,
	.draw_row = draw_row,
	.show_cursor = show_cursor,
};

const struct screen_adapter *vga_text_find(void)
{
	if (!probe())
		return NULL;
	memory = arch_device_map(TEXT_MEMORY, ROWS * COLUMNS * sizeof(*memory));
	return memory ? &adapter : NULL;
}
