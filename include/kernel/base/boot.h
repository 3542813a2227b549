/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The boot loader's data, in one form for every boot protocol, and the free memory.
 *
 * boot/ARCH/ fills this in before kernel_main. From then on it is constant, except that
 * boot_memory_take() shortens ranges until page_init() takes the rest.
 */
#ifndef KERNEL_BOOT_H
#define KERNEL_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/physical.h>

#define BOOT_RANGES_MAX	       128
#define BOOT_MODULES_MAX       8
#define BOOT_COMMAND_LINE_SIZE 2048

/* The place of a colour in a pixel, whose lowest bit is bit 0. */
struct boot_colour {
	uint8_t position, size; /* bits; a size is 1 to 8 */
};

/* A screen whose pixels are in memory. */
struct boot_framebuffer {
	paddr_t address; /* of the pixel at the top left; not in RAM */
	uint32_t pitch;	 /* bytes from a row to the next */
	uint32_t width, height;
	uint32_t depth; /* bits of a pixel: 15, 16, 24 or 32 */
	struct boot_colour red, green, blue;
};

enum boot_screen {
	BOOT_SCREEN_TEXT,   /* VGA text, or the loader reported nothing: there may be one */
	BOOT_SCREEN_PIXELS, /* boot_info.framebuffer */
	BOOT_SCREEN_UNUSABLE,
};

struct boot_info {
	/* Words after the name of the kernel file, terminated. */
	char command_line[BOOT_COMMAND_LINE_SIZE];

	/* All RAM, sorted, without overlap or adjacency: the direct map must cover it, up to
	 * USED_MEMORY_END. */
	struct page_range ram[BOOT_RANGES_MAX];
	size_t ram_count;

	/* The part of it that is not in use: whole pages, sorted; without the kernel, the modules, the
	 * loader's data and the first MiB. */
	struct page_range free[BOOT_RANGES_MAX];
	size_t free_count;

	/* Modules in the loader's order; the first is the initramfs. */
	struct page_range modules[BOOT_MODULES_MAX];
	size_t module_count;

	/* The screen as the loader leaves it. */
	enum boot_screen screen;
	struct boot_framebuffer framebuffer;

	/* Physical address of ACPI's root pointer, 0: not found. */
	paddr_t acpi_rsdp;
};

extern struct boot_info boot_info;

/* Copies the value of the first word NAME=value before "--" of the command line into VALUE of SIZE
 * bytes, terminated; false: no such word. A value that does not fit is a boot failure. After boot_info
 * is filled in. */
bool boot_option(const char *name, char *value, size_t size);
/* The same for word number INDEX (0 …) of those with NAME. */
bool boot_option_at(const char *name, unsigned int index, char *value, size_t size);
/* Returns whether the command line has the word NAME before any "--". Any context. */
bool boot_word(const char *name);

/* Takes SIZE bytes (whole pages) of free memory permanently, zeroed: for page tables and the like
 * before page_init(). Returns their physical address; does not return without enough memory. Boot CPU,
 * start. */
paddr_t boot_memory_take(size_t size);

#endif
