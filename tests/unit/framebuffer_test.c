/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of drivers/framebuffer.c: which bytes of a framebuffer change, and what they become, with a
 * font and a framebuffer of the test's own. The source is included here.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* The test's own memory is where the loader says that the pixels are. */
#define ARCH_MMU_H
void *arch_framebuffer_map(uint64_t paddr, size_t size);

#include "../../drivers/framebuffer.c"

#define NOWHERE	  0xdead000
#define UNTOUCHED 0xee

const uint8_t font_glyphs[FONT_LAST - FONT_FIRST + 1][FONT_HEIGHT] = {
	['A' - FONT_FIRST] = { 0x80, 0x01, [15] = 0xa5 },
	['?' - FONT_FIRST] = { [7] = 0x3c },
};

struct boot_info boot_info;

static uint8_t *pixels;
static size_t pixels_size;
static char last_log[256];

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_log, sizeof(last_log), format, args);
	va_end(args);
}

/* Exactly as large as it is said to be, so that the sanitizer sees what goes beyond. */
void *arch_framebuffer_map(uint64_t paddr, size_t size)
{
	if (paddr == NOWHERE)
		return NULL;
	free(pixels);
	pixels = malloc(size);
	pixels_size = size;
	memset(pixels, UNTOUCHED, size);
	return pixels;
}

static const struct boot_colour colours_888[3] = { { 16, 8 }, { 8, 8 }, { 0, 8 } };
static const struct boot_colour colours_bgr[3] = { { 0, 8 }, { 8, 8 }, { 16, 8 } };
static const struct boot_colour colours_565[3] = { { 11, 5 }, { 5, 6 }, { 0, 5 } };
static const struct boot_colour colours_555[3] = { { 10, 5 }, { 5, 5 }, { 0, 5 } };

/* A screen with GAP bytes between its rows. */
static const struct screen_adapter *begin(uint32_t width, uint32_t height, uint32_t depth,
					  const struct boot_colour *colours, uint32_t gap)
{
	cursor_drawn = false;
	boot_info.framebuffer = (struct boot_framebuffer){
		0xfd000000, width * ((depth + 7) / 8) + gap,
		width,	    height,
		depth,	    colours[0],
		colours[1], colours[2],
	};
	return framebuffer_find();
}

static uint32_t pixel(unsigned int x, unsigned int y)
{
	uint32_t value = 0;

	memcpy(&value, pixels + y * boot_info.framebuffer.pitch + x * pixel_bytes, pixel_bytes);
	return value;
}

static void check_size(void)
{
	static const struct {
		uint32_t width, height;
		unsigned int columns, rows, scale;
	} cases[] = {
		{ 8, 16, 1, 1, 1 },	    { 15, 31, 1, 1, 1 },	{ 640, 480, 80, 30, 1 },
		{ 1920, 1080, 240, 67, 1 }, { 1928, 1080, 120, 33, 2 }, { 1280, 1296, 80, 40, 2 },
		{ 3840, 2160, 240, 67, 2 }, { 5760, 1080, 240, 22, 3 }, { 16384, 16, 240, 1, 1 },
		{ 16384, 128, 240, 1, 8 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct screen_adapter *found =
			begin(cases[i].width, cases[i].height, 16, colours_565, 0);

		EXPECT_EQ_AT(scale, cases[i].scale, "%zu", i);
		EXPECT_EQ_AT(adapter.columns, cases[i].columns, "%zu", i);
		EXPECT_EQ_AT(adapter.rows, cases[i].rows, "%zu", i);
		EXPECT_AT((found != NULL) == (cases[i].rows > 0), "%zu", i);
	}
	EXPECT(!begin(7, 16, 32, colours_888, 0));
	EXPECT_STR(last_log, "screen: none: 7 by 16 pixels are less than a character");
	EXPECT(!begin(8, 15, 32, colours_888, 0));
	boot_info.framebuffer.height = 16;
	boot_info.framebuffer.address = NOWHERE;
	EXPECT(!framebuffer_find());
	EXPECT_STR(last_log, "screen: none: the framebuffer at 0xdead000 cannot be mapped");
}

static void check_black(void)
{
	begin(20, 40, 24, colours_888, 5);
	for (unsigned int y = 0; y < 40; y++) {
		for (unsigned int i = 0; i < 60; i++)
			EXPECT_EQ_AT(pixels[y * 65 + i], 0, "row %u, byte %u", y, i);
		for (unsigned int i = 60; i < 65; i++)
			EXPECT_EQ_AT(pixels[y * 65 + i], UNTOUCHED, "row %u, byte %u", y, i);
	}
}

/* Light red on blue, in each kind of pixel. */
static void check_colours(void)
{
	static const struct {
		uint32_t depth;
		const struct boot_colour *colours;
		uint32_t front, back;
	} cases[] = {
		{ 32, colours_888, 0xff5555, 0x0000aa },
		{ 32, colours_bgr, 0x5555ff, 0xaa0000 },
		{ 24, colours_888, 0xff5555, 0x0000aa },
		{ 16, colours_565, 0x1f << 11 | 0x15 << 5 | 0x0a, 0x15 },
		{ 15, colours_555, 0x1f << 10 | 0x0a << 5 | 0x0a, 0x15 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ansi_cell cell = 0x1c << 8 | 'A';

		begin(8, 16, cases[i].depth, cases[i].colours, 3)->draw_row(0, &cell);
		for (unsigned int y = 0; y < 16; y++)
			for (unsigned int x = 0; x < 8; x++) {
				bool set = font_glyphs['A' - FONT_FIRST][y] >> (7 - x) & 1;

				EXPECT_EQ_AT(pixel(x, y), set ? cases[i].front : cases[i].back,
					     "case %zu, pixel %u, %u", i, x, y);
			}
	}
}

/* In the middle of what is left over, each pixel of the font four of the screen's. */
static void check_place(void)
{
	static ansi_cell row[120];

	for (unsigned int i = 0; i < 120; i++)
		row[i] = 0x07 << 8 | ' ';
	row[1] = 0x07 << 8 | 'A';
	begin(1934, 1081, 32, colours_888, 0)->draw_row(1, row);
	EXPECT_EQ(scale, 2);
	/* 7 by 12 pixels above and left: (1934 - 120 * 16) / 2, (1081 - 33 * 32) / 2. */
	for (unsigned int y = 0; y < 1081; y++)
		for (unsigned int x = 0; x < 1934; x++) {
			unsigned int u = (x - 7 - 16) / 2, v = (y - 12 - 32) / 2;
			bool set = x >= 7 + 16 && y >= 12 + 32 && u < 8 && v < 16 &&
				   font_glyphs['A' - FONT_FIRST][v] >> (7 - u) & 1;

			if (pixel(x, y) != (set ? 0xaaaaaa : 0))
				EXPECT_EQ_AT(pixel(x, y), set ? 0xaaaaaa : 0, "pixel %u, %u", x, y);
		}
}

static void check_unknown(void)
{
	static const uint8_t odd[] = { 0, 0x1f, 0x7f, 0x80, 0xff };

	for (size_t i = 0; i < sizeof(odd); i++) {
		ansi_cell cell = (ansi_cell)(0x0f << 8 | odd[i]);

		begin(8, 16, 32, colours_888, 0)->draw_row(0, &cell);
		for (unsigned int x = 0; x < 8; x++)
			EXPECT_EQ_AT(pixel(x, 7), 0x3c >> (7 - x) & 1 ? 0xffffff : 0, "0x%x",
				     odd[i]);
	}
}

static void check_cursor(void)
{
	const struct screen_adapter *screen = begin(16, 16, 32, colours_888, 0);
	ansi_cell cells[2] = { 0x07 << 8 | 'A', 0x02 << 8 | ' ' };

	screen->draw_row(0, cells);
	screen->show_cursor(0, 1, true);
	for (unsigned int y = 0; y < 16; y++)
		EXPECT_EQ_AT(pixel(8, y), y == 13 || y == 14 ? 0x00aa00 : 0, "row %u", y);
	EXPECT_EQ(pixel(0, 0), 0xaaaaaa);

	/* It moves: both cells look right. */
	screen->show_cursor(0, 0, true);
	EXPECT_EQ(pixel(8, 13), 0);
	EXPECT_EQ(pixel(0, 13), 0xaaaaaa);
	EXPECT_EQ(pixel(0, 0), 0xaaaaaa);
	/* It stays where the text changes. */
	cells[0] = 0x04 << 8 | ' ';
	screen->draw_row(0, cells);
	screen->show_cursor(0, 0, true);
	EXPECT_EQ(pixel(0, 0), 0);
	EXPECT_EQ(pixel(0, 13), 0xaa0000);
	screen->show_cursor(0, 0, false);
	EXPECT_EQ(pixel(0, 13), 0);
}

/* A cell that is right already is not drawn. */
static void check_unchanged(void)
{
	const struct screen_adapter *screen = begin(16, 16, 32, colours_888, 0);
	ansi_cell cells[2] = { 0x07 << 8 | 'A', 0x07 << 8 | 'A' };

	screen->draw_row(0, cells);
	memset(pixels, UNTOUCHED, pixels_size);
	cells[1] = 0x07 << 8 | ' ';
	screen->draw_row(0, cells);
	EXPECT_EQ(pixel(0, 0), 0xeeeeeeee);
	EXPECT_EQ(pixel(8, 0), 0);
}

static const struct tap_rule rules[] = {
	{ "cells become larger before they become too many", check_size },
	{ "the screen is black, and the bytes between its rows are not touched", check_black },
	{ "every kind of pixel has its colours", check_colours },
	{ "cells are in the middle, at their scale", check_place },
	{ "a character without a glyph is a question mark", check_unknown },
	{ "the cursor is a bar, and leaves no trace when it moves", check_cursor },
	{ "a cell that looks right is not drawn", check_unchanged },
};

TAP_MAIN(rules)
