/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The font of a screen of pixels: ASCII's printable characters, made from a console font of the build
 * host's by tools/font.
 */
#ifndef DRIVERS_FONT_H
#define DRIVERS_FONT_H

#include <stdint.h>

#define FONT_WIDTH  8
#define FONT_HEIGHT 16
#define FONT_FIRST  ' '
#define FONT_LAST   '~'

/* A byte is a row of a glyph from the top, its highest bit the pixel at the left. */
extern const uint8_t font_glyphs[FONT_LAST - FONT_FIRST + 1][FONT_HEIGHT];

#endif
