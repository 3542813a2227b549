/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the loader's description of the screen. A screen of pixels is used if every field is valid and
 * none of its bytes is RAM. The VGA driver looks for a text screen by itself. For any other screen the
 * log says why it stays dark.
 *
 * Sources: Multiboot Specification 0.6.96, section 3.3; Multiboot2 Specification 2.0, section 3.6.12
 * "Framebuffer info".
 */
#include "loader.h"

#include <kernel/base/log.h>

/* Types of screen in a loader's description. */
enum { PALETTE = 0, DIRECT_COLOUR = 1, EGA_TEXT = 2 };

static struct loader_screen description;
static struct boot_colour screen_colours[3];
static bool has_screen;

void boot_screen_keep(const struct loader_screen *said, const uint8_t *colours)
{
	description = *said;
	for (unsigned int i = 0; i < 3; i++)
		screen_colours[i] = (struct boot_colour){ colours[2 * i], colours[2 * i + 1] };
	has_screen = true;
}

static bool is_depth(unsigned int depth)
{
	return depth == 15 || depth == 16 || depth == 24 || depth == 32;
}

/* Returns whether the three colours lie inside a pixel, in different bits. */
static bool are_colours(void)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < 3; i++) {
		struct boot_colour colour = screen_colours[i];

		if (colour.size < 1 || colour.size > 8 || colour.position > description.depth ||
		    colour.position + colour.size > description.depth)
			return false;

		uint64_t mask = ((1ull << colour.size) - 1) << colour.position;

		if (bits & mask)
			return false;
		bits |= mask;
	}
	return true;
}

/* Returns the reason against using a screen of pixels, or NULL. */
static const char *find_fault(void)
{
	uint64_t size = (uint64_t)description.pitch * description.height;

	if (!is_depth(description.depth))
		return "a depth that is none";
	if (!description.width || !description.height)
		return "no pixels";
	if (description.pitch < (uint64_t)description.width * ((description.depth + 7) / 8))
		return "rows longer than their distance";
	if (!are_colours())
		return "colours outside of a pixel";
	if (!description.address || size > UINT64_MAX - description.address)
		return "no such address";
	if (boot_range_overlaps_ram(
		    (struct page_range){ description.address, description.address + size }))
		return "RAM in its place";
	return NULL;
}

void boot_screen_check(void)
{
	const char *fault;

	if (!has_screen || description.type == EGA_TEXT)
		return;
	fault = description.type == DIRECT_COLOUR ? find_fault() :
		description.type == PALETTE	  ? "a palette" :
						    "an unknown type";
	if (fault) {
		boot_info.screen = BOOT_SCREEN_UNUSABLE;
		log_warning("screen: none: the boot loader's has %s (%u by %u, %u bits, rows of %u "
			    "bytes at 0x%lx)",
			    fault, description.width, description.height, description.depth,
			    description.pitch, description.address);
		return;
	}
	boot_info.screen = BOOT_SCREEN_PIXELS;
	boot_info.framebuffer = (struct boot_framebuffer){ description.address, description.pitch,
							   description.width,	description.height,
							   description.depth,	screen_colours[0],
							   screen_colours[1],	screen_colours[2] };
}
