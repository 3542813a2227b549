/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A screen adapter for pixels in memory, in the mode that the boot loader has set.
 *
 * The cells are centred. If more of them would fit than the terminal can have, each pixel of the font
 * becomes a square. The driver never reads the memory, and draws a cell only when its look changes:
 * across a bus both would be slow.
 *
 * No locks: the adapter's callers come one at a time.
 */
#include "adapter.h"

#include <string.h>

#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>

#include "font.h"

/* Width and height of a font's pixel, in pixels. */
#define SCALE_MAX	8
#define PIXEL_BYTES_MAX 4
/* The cursor is a bar over these rows of a glyph. */
#define CURSOR_TOP	13
#define CURSOR_BOTTOM	15
#define UNKNOWN		'?'
/* A value that no cell has, because its colours do not exist. */
#define NOTHING_SHOWN	0xffff

/* A VGA's 16 colours as 0xRRGGBB; the attribute's lowest bit is blue. */
static const uint32_t palette[16] = {
	0x000000, 0x0000aa, 0x00aa00, 0x00aaaa, 0xaa0000, 0xaa00aa, 0xaa5500, 0xaaaaaa,
	0x555555, 0x5555ff, 0x55ff55, 0x55ffff, 0xff5555, 0xff55ff, 0xffff55, 0xffffff,
};

static uint8_t *memory;
static unsigned int pixel_bytes, scale = 1;
static size_t origin;				  /* bytes from memory to the first cell */
static uint32_t colours[16];			  /* the palette as pixels */
static ansi_cell shown[ANSI_ROWS * ANSI_COLUMNS]; /* the look of each cell */
static unsigned int cursor_row, cursor_column;	  /* position of the drawn cursor */
static bool cursor_drawn;

static struct screen_adapter adapter;

static uint32_t field(uint32_t value, struct boot_colour colour)
{
	return value >> (8 - colour.size) << colour.position;
}

static uint32_t pixel_of(uint32_t rgb)
{
	const struct boot_framebuffer *frame = &boot_info.framebuffer;

	return field(rgb >> 16, frame->red) | field(rgb >> 8 & 0xff, frame->green) |
	       field(rgb & 0xff, frame->blue);
}

/* Draws the glyph of CELL, and the cursor over it if WITH_CURSOR. */
static void draw(unsigned int row, unsigned int column, ansi_cell cell, bool with_cursor)
{
	const struct boot_framebuffer *frame = &boot_info.framebuffer;
	unsigned int character = cell & 0xff, line_bytes = FONT_WIDTH * scale * pixel_bytes;
	uint32_t front = colours[cell >> 8 & 0x0f], back = colours[cell >> 12 & 0x07];
	uint8_t *to = memory + origin + (size_t)row * FONT_HEIGHT * scale * frame->pitch +
		      column * line_bytes;
	uint8_t line[FONT_WIDTH * SCALE_MAX * PIXEL_BYTES_MAX];

	if (character < FONT_FIRST || character > FONT_LAST)
		character = UNKNOWN;
	for (unsigned int y = 0; y < FONT_HEIGHT; y++) {
		uint8_t bits = font_glyphs[character - FONT_FIRST][y];

		if (with_cursor && y >= CURSOR_TOP && y < CURSOR_BOTTOM)
			bits = 0xff;
		for (unsigned int x = 0; x < FONT_WIDTH * scale; x++) {
			/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): scale is at least 1 */
			uint32_t pixel = bits >> (FONT_WIDTH - 1 - x / scale) & 1 ? front : back;

			for (unsigned int i = 0; i < pixel_bytes; i++)
				line[x * pixel_bytes + i] = (uint8_t)(pixel >> 8 * i);
		}
		for (unsigned int i = 0; i < scale; i++, to += frame->pitch)
			memcpy(to, line, line_bytes);
	}
}

static void draw_row(unsigned int row, const ansi_cell *cells)
{
	ansi_cell *old = shown + (size_t)row * adapter.columns;

	for (unsigned int column = 0; column < adapter.columns; column++) {
		if (old[column] == cells[column])
			continue;
		old[column] = cells[column];
		draw(row, column, cells[column], false);
	}
}

static void show_cursor(unsigned int row, unsigned int column, bool visible)
{
	if (cursor_drawn)
		draw(cursor_row, cursor_column,
		     shown[(size_t)cursor_row * adapter.columns + cursor_column], false);
	if (visible)
		draw(row, column, shown[(size_t)row * adapter.columns + column], true);
	cursor_row = row;
	cursor_column = column;
	cursor_drawn = visible;
}

static struct screen_adapter adapter = {
	.name = "framebuffer",
	.draw_row = draw_row,
	.show_cursor = show_cursor,
};

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Chooses the smallest cells whose number the terminal can have, as many as fit. */
static void lay_out(const struct boot_framebuffer *frame)
{
	unsigned int columns = frame->width / FONT_WIDTH, rows = frame->height / FONT_HEIGHT;

	for (scale = 1; scale < least(SCALE_MAX, rows); scale++)
		if (columns / scale <= ANSI_COLUMNS && rows / scale <= ANSI_ROWS)
			break;
	adapter.columns = least(columns / scale, ANSI_COLUMNS);
	adapter.rows = least(rows / scale, ANSI_ROWS);
	pixel_bytes = (frame->depth + 7) / 8;
	origin = (size_t)(frame->height - adapter.rows * FONT_HEIGHT * scale) / 2 * frame->pitch +
		 (size_t)(frame->width - adapter.columns * FONT_WIDTH * scale) / 2 * pixel_bytes;
}

const struct screen_adapter *framebuffer_find(void)
{
	const struct boot_framebuffer *frame = &boot_info.framebuffer;

	lay_out(frame);
	if (!adapter.rows || !adapter.columns) {
		log_warning("screen: none: %u by %u pixels are less than a character", frame->width,
			    frame->height);
		return NULL;
	}
	memory = arch_framebuffer_map(frame->address, (size_t)frame->pitch * frame->height);
	if (!memory) {
		log_warning("screen: none: the framebuffer at 0x%lx cannot be mapped",
			    frame->address);
		return NULL;
	}
	for (unsigned int i = 0; i < 16; i++)
		colours[i] = pixel_of(palette[i]);
	memset(shown, 0xff, sizeof(shown));
	_Static_assert(NOTHING_SHOWN == 0xffff, "two bytes of 0xff");
	for (unsigned int y = 0; y < frame->height; y++)
		memset(memory + (size_t)y * frame->pitch, 0, (size_t)frame->width * pixel_bytes);
	log_info("screen: %u by %u pixels of %u bits at 0x%lx, rows of %u bytes", frame->width,
		 frame->height, frame->depth, frame->address, frame->pitch);
	return &adapter;
}
