/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the data of a multiboot loader, in its two forms, into struct boot_info.
 *
 * Everything is copied: afterwards the loader's memory is free. A text has an end, and a tag lies inside
 * the whole; loader.c checks the rest.
 *
 * Sources: Multiboot Specification 0.6.96, section 3.3; Multiboot2 Specification 2.0, section 3.6.
 */
#include "loader.h"

#include <kernel/base/log.h>

/* The memory map's type of available RAM, the same in both protocols. */
#define MEMORY_AVAILABLE 1

/*
 * Multiboot 1.
 */
enum multiboot1_flag {
	MB1_COMMAND_LINE = 1 << 2,
	MB1_MODULES = 1 << 3,
	MB1_MEMORY_MAP = 1 << 6,
	MB1_FRAMEBUFFER = 1 << 12
};

struct multiboot1_info {
	uint32_t flags;
	uint32_t memory_lower, memory_upper;
	uint32_t boot_device;
	uint32_t command_line;
	uint32_t module_count, modules;
	uint32_t symbols[4];
	uint32_t map_size, map;
	uint32_t of_no_use[9]; /* drives, APM, VBE */
	struct loader_screen screen;
	uint8_t colours[6];
} __attribute__((packed, aligned(4)));

_Static_assert(offsetof(struct multiboot1_info, screen) == 88, "section 3.3");

struct multiboot1_module {
	uint32_t start, end, text, reserved;
};

/* SIZE does not count itself. */
struct multiboot1_memory {
	uint32_t size;
	uint64_t start, length;
	uint32_t type;
} __attribute__((packed));

void boot_multiboot1_read(paddr_t start)
{
	const struct multiboot1_info *info = boot_physical(start, sizeof(*info));

	if (!(info->flags & MB1_MEMORY_MAP))
		boot_failure("the boot loader gave no memory map; use one that does (QEMU, GRUB)");
	for (uint64_t offset = 0; offset + sizeof(struct multiboot1_memory) <= info->map_size;) {
		const struct multiboot1_memory *entry =
			boot_physical(info->map + offset, sizeof(*entry));

		if (entry->type == MEMORY_AVAILABLE)
			boot_memory_add(entry->start, entry->length);
		offset += entry->size + sizeof(entry->size);
	}
	if (info->flags & MB1_COMMAND_LINE)
		boot_command_line_set(boot_physical(info->command_line, BOOT_COMMAND_LINE_SIZE));
	if (info->flags & MB1_FRAMEBUFFER)
		boot_screen_keep(&info->screen, info->colours);
	if (info->flags & MB1_MODULES) {
		for (uint32_t i = 0; i < info->module_count; i++) {
			const struct multiboot1_module *module = boot_physical(
				info->modules + (paddr_t)i * sizeof(*module), sizeof(*module));

			boot_module_add(module->start, module->end);
		}
	}
}

/*
 * Multiboot 2.
 */
enum multiboot2_tag_type {
	MB2_END = 0,
	MB2_COMMAND_LINE = 1,
	MB2_MODULE = 3,
	MB2_MEMORY_MAP = 6,
	MB2_FRAMEBUFFER = 8,
	MB2_ACPI_OLD = 14,
	MB2_ACPI_NEW = 15
};

/* A tag's size includes its head; the next tag starts at the following multiple of 8. */
struct multiboot2_tag {
	uint32_t type, size;
};

struct multiboot2_module {
	struct multiboot2_tag tag;
	uint32_t start, end;
};

struct multiboot2_map {
	struct multiboot2_tag tag;
	uint32_t entry_size, entry_version;
	uint8_t entries[];
};

struct multiboot2_memory {
	uint64_t start, length;
	uint32_t type, reserved;
};

/* The specification's text has one reserved byte, its header file and GRUB have two. */
struct multiboot2_framebuffer {
	struct multiboot2_tag tag;
	struct loader_screen screen;
	uint16_t reserved;
	uint8_t colours[6];
} __attribute__((packed, aligned(4)));

/* A text screen may lack the colours. */
static void read_framebuffer(const struct multiboot2_framebuffer *framebuffer)
{
	static const uint8_t no_colours[sizeof(framebuffer->colours)];
	bool has_colours =
		framebuffer->tag.size >=
		offsetof(struct multiboot2_framebuffer, colours) + sizeof(framebuffer->colours);

	if (framebuffer->tag.size >= offsetof(struct multiboot2_framebuffer, reserved))
		boot_screen_keep(&framebuffer->screen,
				 has_colours ? framebuffer->colours : no_colours);
}

static void read_memory_map(const struct multiboot2_map *map)
{
	uint32_t size = map->tag.size - (uint32_t)sizeof *map;

	if (map->entry_size < sizeof(struct multiboot2_memory))
		boot_failure("the boot loader's memory map has entries of %u bytes",
			     map->entry_size);
	for (uint32_t offset = 0; offset + map->entry_size <= size; offset += map->entry_size) {
		const void *entry = map->entries + offset;
		const struct multiboot2_memory *memory = entry;

		if (memory->type == MEMORY_AVAILABLE)
			boot_memory_add(memory->start, memory->length);
	}
}

void boot_multiboot2_read(paddr_t start)
{
	const uint32_t *total_size = boot_physical(start, sizeof(*total_size));
	paddr_t end = start + *total_size;

	for (paddr_t at = start + 8; at + sizeof(struct multiboot2_tag) <= end;) {
		const struct multiboot2_tag *tag = boot_physical(at, sizeof(*tag));

		if (tag->type == MB2_END || tag->size < sizeof *tag || at + tag->size > end)
			break;
		tag = boot_physical(at, tag->size);
		switch (tag->type) {
		case MB2_COMMAND_LINE:
			boot_command_line_set((const char *)(tag + 1));
			break;
		case MB2_MODULE: {
			const struct multiboot2_module *module = (const void *)tag;

			boot_module_add(module->start, module->end);
			break;
		}
		case MB2_MEMORY_MAP:
			read_memory_map((const void *)tag);
			break;
		case MB2_FRAMEBUFFER:
			read_framebuffer((const void *)tag);
			break;
		case MB2_ACPI_OLD:
		case MB2_ACPI_NEW:
			/* A copy of the root pointer; the tag's memory will be reused. */
			boot_acpi_keep(tag + 1, tag->size - sizeof *tag);
			break;
		default:
			break;
		}
		at += (tag->size + 7) & ~7u;
	}
}
