/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of boot/: what becomes of what a boot loader says, true or false, in both forms of
 * multiboot and in PVH.
 *
 * The sources are included here, with 4 MiB of the test's own as the machine's memory from physical
 * address 0. The kernel's image takes 1 MiB to 2 MiB of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

#define MIB	    0x100000ull
#define MEMORY_SIZE (4 * MIB)

static unsigned char memory[MEMORY_SIZE] __attribute__((aligned(4096)));
const char __image_end[1];

#define DIRECT_MAP_BASE	    ((uintptr_t)memory)
#define KERNEL_IMAGE_BASE   ((uintptr_t)__image_end - 2 * MIB)
#define KERNEL_LOAD_ADDRESS 0x100000
#define EARLY_MEMORY_END    0x100000000ull
#define USED_MEMORY_END	    0x2000000000ull

#include "../../boot/command_line.c"
#include "../../boot/info.c"
#include "../../boot/memory.c"
#include "../../boot/x86_64/acpi_root.c"
#include "../../boot/x86_64/framebuffer.c"
#include "../../boot/x86_64/low_memory.c"
#include "../../boot/x86_64/multiboot.c"
#undef MEMORY_AVAILABLE
#include "../../boot/x86_64/loader.c"
#include "../../boot/x86_64/pvh.c"

/* The last line of log and the reason of the last boot failure. */
static char last_log[256], last_failure[256];
static jmp_buf failed;

void log_write(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_log, sizeof(last_log), format, args);
	va_end(args);
}

void log_init(void)
{
}

void syscall_trace_init(void)
{
}

void boot_failure(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_failure, sizeof(last_failure), format, args);
	va_end(args);
	longjmp(failed, 1);
}

void panic(const char *format, ...)
{
	snprintf(last_failure, sizeof(last_failure), "panic: %s", format);
	longjmp(failed, 1);
}

/* Reads what lies at INFO; returns the reason of the failure, or "". */
static const char *boot(uint32_t magic, paddr_t info)
{
	last_failure[0] = '\0';
	if (setjmp(failed) == 0)
		boot_info_read(magic, info);
	return last_failure;
}

static void forget(void)
{
	memset(memory, 0, sizeof(memory));
	memset(&boot_info, 0, sizeof(boot_info));
	memset(kept, 0, sizeof(kept));
	has_screen = false;
	last_log[0] = '\0';
}

/*
 * A loader that says anything. Its data are below 1 MiB.
 */
#define INFO_AT	   0x10000
#define MAP_AT	   0x11000
#define MODULES_AT 0x12004 /* aligned to 4 bytes, as all of it may be */
#define TEXT_AT	   0x13000

struct piece {
	uint64_t start, length;
	uint32_t type;
};

struct story {
	struct piece pieces[8]; /* up to the first of length 0 */
	struct page_range modules[10];
	unsigned int module_count;
	const char *words;
};

static void describe_multiboot1(const struct story *story)
{
	struct multiboot1_info *info = (void *)(memory + INFO_AT);
	struct multiboot1_memory *map = (void *)(memory + MAP_AT);
	struct multiboot1_module *modules = (void *)(memory + MODULES_AT);
	unsigned int count = 0;

	for (; story->pieces[count].length; count++)
		map[count] = (struct multiboot1_memory){ 20, story->pieces[count].start,
							 story->pieces[count].length,
							 story->pieces[count].type };
	for (unsigned int i = 0; i < story->module_count; i++)
		modules[i] = (struct multiboot1_module){ (uint32_t)story->modules[i].start,
							 (uint32_t)story->modules[i].end, 0, 0 };
	strcpy((char *)memory + TEXT_AT, story->words);
	*info = (struct multiboot1_info){ .flags = MB1_COMMAND_LINE | MB1_MODULES | MB1_MEMORY_MAP,
					  .command_line = TEXT_AT,
					  .module_count = story->module_count,
					  .modules = MODULES_AT,
					  .map_size = count * (uint32_t)sizeof(*map),
					  .map = MAP_AT };
}

/* Appends a tag of TYPE with SIZE bytes of CONTENTS; returns where they are. */
static void *add_tag(uint32_t type, const void *contents, size_t size)
{
	uint32_t *total = (void *)(memory + INFO_AT);
	struct multiboot2_tag *tag = (void *)(memory + INFO_AT + *total);

	tag->type = type;
	tag->size = (uint32_t)(sizeof(*tag) + size);
	memcpy(tag + 1, contents, size);
	*total += (tag->size + 7) & ~7u;
	return tag + 1;
}

static void describe_multiboot2(const struct story *story)
{
	struct {
		uint32_t entry_size, entry_version;
		struct multiboot2_memory entries[8];
	} map = { .entry_size = sizeof(struct multiboot2_memory) };
	uint32_t count = 0;

	*(uint32_t *)(memory + INFO_AT) = 8;
	for (; story->pieces[count].length; count++)
		map.entries[count] = (struct multiboot2_memory){ story->pieces[count].start,
								 story->pieces[count].length,
								 story->pieces[count].type, 0 };
	add_tag(MB2_COMMAND_LINE, story->words, strlen(story->words) + 1);
	for (unsigned int i = 0; i < story->module_count; i++)
		add_tag(MB2_MODULE,
			(uint32_t[]){ (uint32_t)story->modules[i].start,
				      (uint32_t)story->modules[i].end, 0 },
			12);
	add_tag(MB2_MEMORY_MAP, &map, 8 + count * sizeof(*map.entries));
	add_tag(MB2_END, "", 0);
}

static void describe_pvh(const struct story *story)
{
	struct start_info *info = (void *)(memory + INFO_AT);
	struct memory *map = (void *)(memory + MAP_AT);
	struct module *modules = (void *)(memory + MODULES_AT);
	uint32_t count = 0;

	for (; story->pieces[count].length; count++)
		map[count] = (struct memory){ story->pieces[count].start,
					      story->pieces[count].length,
					      story->pieces[count].type, 0 };
	for (unsigned int i = 0; i < story->module_count; i++)
		modules[i] = (struct module){ story->modules[i].start,
					      story->modules[i].end - story->modules[i].start, 0,
					      0 };
	strcpy((char *)memory + TEXT_AT, story->words);
	*info = (struct start_info){ .magic = PVH_MAGIC,
				     .version = 1,
				     .module_count = story->module_count,
				     .modules = MODULES_AT,
				     .command_line = TEXT_AT,
				     .map = MAP_AT,
				     .map_count = count };
}

static const struct protocol {
	const char *name;
	uint32_t magic;
	void (*tell)(const struct story *story);
} protocols[] = {
	{ "multiboot 1", MULTIBOOT1_LOADED, describe_multiboot1 },
	{ "multiboot 2", MULTIBOOT2_LOADED, describe_multiboot2 },
	{ "PVH", PVH_MAGIC, describe_pvh },
};

#define FOR_EACH_PROTOCOL(p)  for (const struct protocol *p = protocols; p < protocols + 3; p++)
/* Those that describe a screen. */
#define FOR_EACH_MULTIBOOT(p) for (const struct protocol *p = protocols; p < protocols + 2; p++)

static const char *boot_by(const struct protocol *protocol, const struct story *story)
{
	forget();
	protocol->tell(story);
	return boot(protocol->magic, INFO_AT);
}

#define RAM	 1
#define RESERVED 2

/* A PC of 4 MiB, with an initramfs of a page and a half at 3 MiB. */
static const struct story usual = {
	.pieces = { { 0, 0x9fc00, RAM }, { 0x9fc00, 0x60400, RESERVED }, { MIB, 3 * MIB, RAM } },
	.modules = { { 3 * MIB, 3 * MIB + 0x1800 } },
	.module_count = 1,
	.words = "tally.elf log=com2 loglevel=3 console=raw -- log=none",
};

static void check_usual(void)
{
	static const struct page_range ram[] = { { 0, 0x9f000 }, { MIB, 4 * MIB } };
	static const struct page_range free[] = { { 2 * MIB, 3 * MIB },
						  { 3 * MIB + 0x2000, 4 * MIB } };

	FOR_EACH_PROTOCOL(p)
	{
		EXPECT_STR(boot_by(p, &usual), "");
		EXPECT_STR(boot_info.command_line, usual.words);
		EXPECT_EQ_AT(boot_info.module_count, 1, "%s", p->name);
		EXPECT_EQ_AT(boot_info.modules[0].start, 3 * MIB, "%s", p->name);
		EXPECT_EQ_AT(boot_info.modules[0].end, 3 * MIB + 0x1800, "%s", p->name);
		EXPECT_EQ_AT(boot_info.ram_count, 2, "%s", p->name);
		EXPECT_EQ_AT(boot_info.free_count, 2, "%s", p->name);
		EXPECT_AT(memcmp(boot_info.ram, ram, sizeof(ram)) == 0, "%s", p->name);
		EXPECT_AT(memcmp(boot_info.free, free, sizeof(free)) == 0, "%s", p->name);
	}
}

static void check_memory_map(void)
{
	/* Out of order, overlapping, adjacent, not whole pages, smaller than a page, at the top. */
	static const struct story odd = {
		.pieces = { { 3 * MIB, MIB, RAM },
			    { 2 * MIB, MIB, RAM },
			    { MIB, MIB + 0x8000, RAM },
			    { 0x1001, 0x2fff, RAM },
			    { 0x8100, 0xe00, RAM },
			    { 0xfffffffffffff801, 0x10000, RAM },
			    { 8 * MIB, MIB, RESERVED } },
		.words = "",
	};
	static const struct page_range ram[] = { { 0x2000, 0x4000 }, { MIB, 4 * MIB } };

	FOR_EACH_PROTOCOL(p)
	{
		EXPECT_STR(boot_by(p, &odd), "");
		EXPECT_EQ_AT(boot_info.ram_count, 2, "%s", p->name);
		EXPECT_AT(memcmp(boot_info.ram, ram, 2 * sizeof(*ram)) == 0, "%s", p->name);
	}

	forget();
	for (unsigned int i = 0; i <= BOOT_RANGES_MAX; i++)
		boot_memory_add(i * 2 * PAGE_SIZE, PAGE_SIZE);
	EXPECT_EQ(boot_info.ram_count, BOOT_RANGES_MAX);
	EXPECT_STR(last_log, "memory: more than 128 pieces: 0x100000 to 0x101000 stays unused");
}

/* Pieces whose descriptors cost more than they bring, or that are out of reach. */
static void check_high_memory(void)
{
	static const struct {
		struct piece high;
		uint64_t used_end; /* 0: not used */
		uint64_t unused_mib;
	} cases[] = {
		{ { 0x100000000, 0x100000000, RAM }, 0x200000000, 0 },
		{ { 0x1000000000, 0x40000000, RAM }, 0x1040000000, 0 },
		{ { 0x1000000000, 0x20000000, RAM }, 0, 512 },
		{ { 0x100000000, 0x10000000000, RAM }, 0x2000000000, 0xe1000 },
		{ { 0x10000000000, 0x10000000000, RAM }, 0, 0x100000 },
		{ { 0xfffff00000000, 0xffffffffffffffff, RAM }, 0, 4096 },
	};

	FOR_EACH_PROTOCOL(p)
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct story story = usual;
		char line[100] = "";

		story.pieces[3] = cases[i].high;
		if (cases[i].unused_mib)
			snprintf(line, sizeof(line),
				 "memory: %" PRIu64
				 " MiB stay unused, at addresses that are too high",
				 cases[i].unused_mib);
		EXPECT_STR(boot_by(p, &story), "");
		EXPECT_STR(last_log, line);
		EXPECT_EQ_AT(boot_info.ram_count, 3, "%s, case %zu", p->name, i);
		EXPECT_EQ_AT(boot_info.free_count, cases[i].used_end ? 3 : 2, "%s, case %zu",
			     p->name, i);
		if (cases[i].used_end)
			EXPECT_EQ_AT(boot_info.free[2].end, cases[i].used_end, "%s, case %zu",
				     p->name, i);
	}
}

static void check_bad_modules(void)
{
	static const struct {
		struct page_range module;
		const char *reason;
	} cases[] = {
		{ { 3 * MIB, 3 * MIB - 1 }, "module 1 ends before it begins (0x2fffff, 0x300000)" },
		{ { MIB, MIB + 1 },
		  "module 1 (the initramfs is 1) lies over the kernel, at 0x100000 "
		  "to 0x100001; load it elsewhere" },
		{ { 2 * MIB - 1, 3 * MIB },
		  "module 1 (the initramfs is 1) lies over the kernel, at "
		  "0x1fffff to 0x300000; load it elsewhere" },
		{ { 0xff000, 3 * MIB },
		  "module 1 (the initramfs is 1) lies over the kernel, at "
		  "0xff000 to 0x300000; load it elsewhere" },
		{ { 2 * MIB, 4 * MIB + 1 },
		  "module 1 (the initramfs is 1) of 2048 KiB does not fit "
		  "into memory, at 0x200000 to 0x400001; give the machine "
		  "more memory" },
		{ { 0x9e000, 0xa0000 },
		  "module 1 (the initramfs is 1) of 8 KiB does not fit into "
		  "memory, at 0x9e000 to 0xa0000; give the machine more memory" },
		{ { 2 * MIB, 4 * MIB }, "" },
		{ { 3 * MIB, 3 * MIB }, "" },
	};

	FOR_EACH_PROTOCOL(p)
	{
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
			struct story story = usual;

			story.modules[0] = cases[i].module;
			EXPECT_STR(boot_by(p, &story), cases[i].reason);
		}

		struct story many = usual;

		many.module_count = BOOT_MODULES_MAX + 1;
		EXPECT_STR(boot_by(p, &many), "more than 8 modules; one, the initramfs, is enough");
	}
}

static void check_long_words(void)
{
	static char words[BOOT_COMMAND_LINE_SIZE + 1];

	FOR_EACH_PROTOCOL(p)
	{
		struct story story = usual;

		story.words = words;
		memset(words, 'x', BOOT_COMMAND_LINE_SIZE - 1);
		words[BOOT_COMMAND_LINE_SIZE - 1] = '\0';
		EXPECT_STR(boot_by(p, &story), "");
		words[BOOT_COMMAND_LINE_SIZE - 1] = 'x';
		EXPECT_STR(boot_by(p, &story), "the command line is longer than 2047 characters; "
					       "shorten it");
	}
}

/* A word of a loader's data that is wrong by itself, and the reason of the failure. */
static void check_far_data(void)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *reason;
	} cases[] = {
		/* Each object begins below 4 GiB and ends above. */
		{ offsetof(struct start_info, map), 0xffffffc0,
		  "the loader's data lies above 4 GiB: 72 bytes at 0xffffffc0" },
		{ offsetof(struct start_info, modules), 0xffffffe4,
		  "the loader's data lies above 4 GiB: 32 bytes at 0xffffffe4" },
		{ offsetof(struct start_info, command_line), 0xfffff801,
		  "the loader's data lies above 4 GiB: 2048 bytes at 0xfffff801" },
		{ offsetof(struct start_info, acpi_rsdp), 0xffffffe0,
		  "the loader's data lies above 4 GiB: 36 bytes at 0xffffffe0" },
		{ offsetof(struct start_info, map), UINT64_MAX,
		  "the loader's data lies above 4 GiB: 72 bytes at 0xffffffffffffffff" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		forget();
		describe_pvh(&usual);
		memcpy(memory + INFO_AT + cases[i].offset, &cases[i].value, sizeof(cases[i].value));
		EXPECT_STR(boot(PVH_MAGIC, INFO_AT), cases[i].reason);
	}
	EXPECT_STR(boot(PVH_MAGIC, 0xfffffff0),
		   "the loader's data lies above 4 GiB: 56 bytes at 0xfffffff0");
	EXPECT_STR(boot(MULTIBOOT2_LOADED, 0xfffffffe),
		   "the loader's data lies above 4 GiB: 4 bytes at 0xfffffffe");
}

/* A number of entries, or the size of one, that is wrong costs no time. */
static void check_endless_maps(void)
{
	forget();
	describe_pvh(&usual);
	((struct start_info *)(memory + INFO_AT))->map_count = 65537;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT),
		   "the hypervisor's memory map has 65537 entries, more than 65536");
	((struct start_info *)(memory + INFO_AT))->map_count = UINT32_MAX;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT),
		   "the hypervisor's memory map has 4294967295 entries, more than 65536");
	((struct start_info *)(memory + INFO_AT))->map_count = 65536;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT), "");

	/* With its size's own 4 bytes the first entry has 2^32: it is the last one. */
	forget();
	describe_multiboot1(&usual);
	*(uint32_t *)(memory + MAP_AT) = 0xfffffffc;
	EXPECT_STR(boot(MULTIBOOT1_LOADED, INFO_AT),
		   "module 1 (the initramfs is 1) of 6 KiB does not fit into memory, "
		   "at 0x300000 to 0x301800; give the machine more memory");
	EXPECT_EQ(boot_info.ram_count, 1);
}

static void check_bad_loaders(void)
{
	forget();
	EXPECT_STR(boot(0x12345678, INFO_AT),
		   "started by something that is no multiboot loader (0x12345678); use QEMU's "
		   "-kernel or GRUB's multiboot2");
	EXPECT_STR(boot(MULTIBOOT1_LOADED, 0x100000000),
		   "the loader's data lies above 4 GiB: 116 bytes at 0x100000000");
	EXPECT_STR(boot(MULTIBOOT1_LOADED, INFO_AT),
		   "the boot loader gave no memory map; use one that does (QEMU, GRUB)");

	forget();
	describe_pvh(&usual);
	((struct start_info *)(memory + INFO_AT))->magic = 1;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT), "the start information of PVH begins with 0x1");
	describe_pvh(&usual);
	((struct start_info *)(memory + INFO_AT))->version = 0;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT), "the hypervisor gave no memory map; use one whose "
					     "PVH has version 1");
	describe_pvh(&usual);
	((struct start_info *)(memory + INFO_AT))->modules = 0x100000000;
	EXPECT_STR(boot(PVH_MAGIC, INFO_AT),
		   "the loader's data lies above 4 GiB: 32 bytes at 0x100000000");

	/* Tags that end after the whole, or never: the tags before count. */
	forget();
	describe_multiboot2(&usual);
	((struct multiboot2_tag *)(memory + INFO_AT + 8))->size = 0;
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT), "");
	EXPECT_STR(boot_info.command_line, "");
	forget();
	describe_multiboot2(&usual);
	((struct multiboot2_tag *)(memory + INFO_AT + 8))->size = 0xfffffff8;
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.ram_count, 0);

	forget();
	*(uint32_t *)(memory + INFO_AT) = 8;
	add_tag(MB2_MEMORY_MAP, (uint32_t[]){ 16, 0, 0, 0 }, 16);
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT),
		   "the boot loader's memory map has entries of 16 bytes");
}

/* A loader's screen, and the reason for leaving it dark. */
#define PIXELS_AT 0xfd000000

struct screen_case {
	struct loader_screen said;
	uint8_t colours[6];
	const char *fault;
};

#define COLOURS_888               \
	{                         \
		16, 8, 8, 8, 0, 8 \
	}
#define COLOURS_565               \
	{                         \
		11, 5, 5, 6, 0, 5 \
	}

static const struct screen_case screen_cases[] = {
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR }, COLOURS_888, NULL },
	{ { PIXELS_AT, 2400, 800, 600, 24, DIRECT_COLOUR }, COLOURS_888, NULL },
	{ { PIXELS_AT, 2048, 1024, 768, 16, DIRECT_COLOUR }, COLOURS_565, NULL },
	{ { PIXELS_AT, 2048, 1024, 768, 15, DIRECT_COLOUR }, { 10, 5, 5, 5, 0, 5 }, NULL },
	{ { 4 * MIB, 4, 1, 1, 32, DIRECT_COLOUR }, { 0, 1, 1, 1, 31, 1 }, NULL },
	{ { PIXELS_AT, 1280, 1280, 800, 8, PALETTE }, COLOURS_888, "a palette" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, 3 }, COLOURS_888, "an unknown type" },
	{ { PIXELS_AT, 5120, 1280, 800, 8, DIRECT_COLOUR }, COLOURS_888, "a depth that is none" },
	{ { PIXELS_AT, 10240, 1280, 800, 64, DIRECT_COLOUR }, COLOURS_888, "a depth that is none" },
	{ { PIXELS_AT, 5120, 0, 800, 32, DIRECT_COLOUR }, COLOURS_888, "no pixels" },
	{ { PIXELS_AT, 5120, 1280, 0, 32, DIRECT_COLOUR }, COLOURS_888, "no pixels" },
	{ { PIXELS_AT, 5119, 1280, 800, 32, DIRECT_COLOUR },
	  COLOURS_888,
	  "rows longer than their distance" },
	{ { PIXELS_AT, 0xffffffff, 0x40000000, 1, 32, DIRECT_COLOUR },
	  COLOURS_888,
	  "rows longer than their distance" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  { 16, 0, 8, 8, 0, 8 },
	  "colours outside of a pixel" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  { 16, 8, 8, 9, 0, 8 },
	  "colours outside of a pixel" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  { 16, 8, 9, 8, 0, 8 },
	  "colours outside of a pixel" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  { 25, 8, 8, 8, 0, 8 },
	  "colours outside of a pixel" },
	{ { PIXELS_AT, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  { 255, 8, 8, 8, 0, 8 },
	  "colours outside of a pixel" },
	{ { 0, 5120, 1280, 800, 32, DIRECT_COLOUR }, COLOURS_888, "no such address" },
	{ { UINT64_MAX - 5120 * 800 + 1, 5120, 1280, 800, 32, DIRECT_COLOUR },
	  COLOURS_888,
	  "no such address" },
	{ { 4 * MIB - 1, 5120, 1280, 800, 32, DIRECT_COLOUR }, COLOURS_888, "RAM in its place" },
	{ { 0x9f000 - 1, 5120, 1280, 800, 32, DIRECT_COLOUR }, COLOURS_888, "RAM in its place" },
};

static void describe_screen(const struct protocol *protocol, const struct screen_case *screen)
{
	struct multiboot2_framebuffer tag = { .screen = screen->said };

	forget();
	protocol->tell(&usual);
	if (protocol->magic == MULTIBOOT1_LOADED) {
		struct multiboot1_info *info = (void *)(memory + INFO_AT);

		info->flags |= MB1_FRAMEBUFFER;
		info->screen = screen->said;
		memcpy(info->colours, screen->colours, sizeof(info->colours));
		return;
	}
	memcpy(tag.colours, screen->colours, sizeof(tag.colours));
	*(uint32_t *)(memory + INFO_AT) -= 8; /* over the end's tag */
	add_tag(MB2_FRAMEBUFFER, &tag.screen,
		sizeof(tag) - offsetof(struct multiboot2_framebuffer, screen));
	add_tag(MB2_END, "", 0);
}

static void check_screens(void)
{
	char line[256];

	FOR_EACH_MULTIBOOT(p)
	{
		EXPECT_STR(boot_by(p, &usual), "");
		EXPECT_EQ(boot_info.screen, BOOT_SCREEN_TEXT);

		struct screen_case text = { { 0xb8000, 160, 80, 25, 16, EGA_TEXT }, { 0 }, NULL };

		describe_screen(p, &text);
		EXPECT_STR(boot(p->magic, INFO_AT), "");
		EXPECT_EQ(boot_info.screen, BOOT_SCREEN_TEXT);

		for (size_t i = 0; i < sizeof(screen_cases) / sizeof(*screen_cases); i++) {
			const struct screen_case *c = &screen_cases[i];
			const struct boot_framebuffer *got = &boot_info.framebuffer;

			describe_screen(p, c);
			EXPECT_STR(boot(p->magic, INFO_AT), "");
			if (c->fault) {
				EXPECT_EQ_AT(boot_info.screen, BOOT_SCREEN_UNUSABLE, "%zu", i);
				snprintf(line, sizeof(line),
					 "screen: none: the boot loader's has %s (%u by %u, %u "
					 "bits, rows of %u bytes at 0x%lx)",
					 c->fault, c->said.width, c->said.height, c->said.depth,
					 c->said.pitch, (unsigned long)c->said.address);
				EXPECT_STR(last_log, line);
				continue;
			}
			EXPECT_EQ_AT(boot_info.screen, BOOT_SCREEN_PIXELS, "%zu", i);
			EXPECT_STR(last_log, "");
			EXPECT_EQ(got->address, c->said.address);
			EXPECT_EQ(got->pitch, c->said.pitch);
			EXPECT_EQ(got->width, c->said.width);
			EXPECT_EQ(got->height, c->said.height);
			EXPECT_EQ(got->depth, c->said.depth);
			EXPECT_AT(memcmp(&got->red, c->colours, 2) == 0, "%zu", i);
			EXPECT_AT(memcmp(&got->green, c->colours + 2, 2) == 0, "%zu", i);
			EXPECT_AT(memcmp(&got->blue, c->colours + 4, 2) == 0, "%zu", i);
		}
	}

	/* A tag that ends before the type; a tag that ends before the colours. */
	forget();
	*(uint32_t *)(memory + INFO_AT) = 8;
	add_tag(MB2_FRAMEBUFFER, &screen_cases[0].said, sizeof(struct loader_screen) - 1);
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.screen, BOOT_SCREEN_TEXT);
	forget();
	*(uint32_t *)(memory + INFO_AT) = 8;
	add_tag(MB2_FRAMEBUFFER, &screen_cases[0].said, sizeof(struct loader_screen));
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.screen, BOOT_SCREEN_UNUSABLE);
}

static void check_take(void)
{
	boot_by(protocols, &usual);
	memset(memory + MIB, 0xff, 3 * MIB);
	EXPECT_EQ(boot_memory_take(2 * PAGE_SIZE), 4 * MIB - 2 * PAGE_SIZE);
	EXPECT_EQ(memory[4 * MIB - 2 * PAGE_SIZE - 1], 0xff);
	for (size_t i = 4 * MIB - 2 * PAGE_SIZE; i < 4 * MIB; i++)
		EXPECT_EQ_AT(memory[i], 0, "byte 0x%zx", i);
	EXPECT_EQ(boot_info.free[1].end, 4 * MIB - 2 * PAGE_SIZE);

	/* The rest there is too small for this one. */
	EXPECT_EQ(boot_memory_take(MIB), 2 * MIB);
	EXPECT_EQ(boot_info.free[0].start, boot_info.free[0].end);
	last_failure[0] = '\0';
	if (setjmp(failed) == 0)
		boot_memory_take(MIB);
	EXPECT_STR(last_failure, "not enough memory to start; give the machine more");

	/* Memory above 4 GiB is not reached yet: it stays free. */
	forget();
	boot_info.free_count = 1;
	boot_info.free[0] = (struct page_range){ 2 * MIB, 4 * MIB };
	boot_info.free[boot_info.free_count++] = (struct page_range){ 0x100000000, 0x140000000 };
	EXPECT_EQ(boot_memory_take(PAGE_SIZE), 4 * MIB - PAGE_SIZE);
	EXPECT_EQ(boot_info.free[1].end, 0x140000000);
}

static void check_unknown_words(void)
{
	static const struct {
		const char *line;
		const char *warning; /* the last; "" for none */
	} cases[] = {
		{ "", "" },
		{ "build/tally.elf log=com2 console=raw loglevel=1 panic=here -- what ever", "" },
		{ "log=com1", "" },
		{ "tally.elf quiet",
		  "command line: \"quiet\" means nothing to the kernel; a program's "
		  "words come after --" },
		{ "loglevle=3 log=none",
		  "command line: \"loglevle=3\" means nothing to the kernel; "
		  "a program's words come after --" },
		{ "k log",
		  "command line: \"log\" means nothing to the kernel; a program's words come "
		  "after --" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct story story = usual;

		story.words = cases[i].line;
		EXPECT_STR(boot_by(protocols, &story), "");
		EXPECT_STR(last_log, cases[i].warning);
	}
}

static void check_low_page(void)
{
	boot_by(protocols, &usual);
	EXPECT_EQ(boot_memory_find_low(), 0x1000);

	/* A module in the way; RAM that ends before it; RAM that begins above. */
	struct story story = usual;

	story.modules[0] = (struct page_range){ 0x800, 0x4001 };
	EXPECT_STR(boot_by(protocols, &story), "");
	EXPECT_EQ(boot_memory_find_low(), 0x5000);
	story.pieces[0].length = 0x5fff;
	EXPECT_STR(boot_by(protocols, &story), "");
	EXPECT_EQ(boot_memory_find_low(), 0);
	story = usual;
	story.pieces[0].start = 0x98000;
	story.pieces[0].length = 0x7c00;
	EXPECT_STR(boot_by(protocols, &story), "");
	EXPECT_EQ(boot_memory_find_low(), 0x98000);
}

static void check_options(void)
{
	static const struct {
		const char *line, *name, *value; /* NULL: none */
	} cases[] = {
		{ "", "log", NULL },
		{ "log=com2", "log", "com2" },
		{ "loglevel=3 log=both", "log", "both" },
		{ "  kernel   log=  loglevel=1", "log", "" },
		{ "log=com1 log=com2", "log", "com1" },
		{ "log -- log=com2", "log", NULL },
		{ "--log=x log=y", "log", "y" },
		{ "log=a=b", "log", "a=b" },
		{ "xlog=1 lo=2", "log", NULL },
		{ "log=1234567", "log", "1234567" },
	};
	char value[8];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		strcpy(boot_info.command_line, cases[i].line);
		bool found = boot_option(cases[i].name, value, sizeof(value));
		EXPECT_EQ_AT(found, cases[i].value != NULL, "\"%s\"", cases[i].line);
		if (found && cases[i].value)
			EXPECT_STR(value, cases[i].value);
	}
	last_failure[0] = '\0';
	strcpy(boot_info.command_line, "log=12345678");
	if (setjmp(failed) == 0)
		boot_option("log", value, sizeof(value));
	EXPECT_STR(last_failure, "log=: value of 8 characters is too long (7)");

	/* A name that is in no list would be a word that means nothing to the check. */
	last_failure[0] = '\0';
	if (setjmp(failed) == 0)
		boot_option("unlisted", value, sizeof(value));
	EXPECT_STR(last_failure, "panic: %s:%d: assertion failed: %s");
	last_failure[0] = '\0';
	if (setjmp(failed) == 0)
		boot_word("unlisted");
	EXPECT_STR(last_failure, "panic: %s:%d: assertion failed: %s");
}

/* A root pointer of the first revision whose bytes add up to 0. */
static void put_root_pointer(unsigned char *at)
{
	unsigned char sum = 0;

	memcpy(at, "RSD PTR ", 8);
	at[8] = 0;
	for (int i = 0; i < RSDP_SIZE_V1; i++)
		sum += at[i];
	at[8] = (unsigned char)-sum;
}

static void check_acpi(void)
{
	boot_by(protocols, &usual);
	EXPECT_EQ(boot_info.acpi_rsdp, 0);

	/* The last place where one can be; one with a wrong sum before it does not count. */
	forget();
	describe_multiboot1(&usual);
	put_root_pointer(memory + 0xfffe0);
	put_root_pointer(memory + 0xe0010);
	memory[0xe0010 + 8]++;
	EXPECT_STR(boot(MULTIBOOT1_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.acpi_rsdp, 0xfffe0);

	/* The extended BIOS data area comes first. */
	forget();
	describe_multiboot1(&usual);
	put_root_pointer(memory + 0xfffe0);
	put_root_pointer(memory + 0x9fc20);
	*(uint16_t *)(memory + 0x40e) = 0x9fc0;
	EXPECT_STR(boot(MULTIBOOT1_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.acpi_rsdp, 0x9fc20);

	/* A loader's copy, kept where the loader's data is not needed. */
	forget();
	*(uint32_t *)(memory + INFO_AT) = 8;
	put_root_pointer(add_tag(MB2_ACPI_OLD, kept, RSDP_SIZE_V1));
	EXPECT_STR(boot(MULTIBOOT2_LOADED, INFO_AT), "");
	EXPECT_EQ(boot_info.acpi_rsdp, (uintptr_t)kept - KERNEL_IMAGE_BASE);
	EXPECT(memcmp(kept, "RSD PTR ", 8) == 0);
}

static const struct tap_rule rules[] = {
	{ "both forms of multiboot and PVH describe the same machine", check_usual },
	{ "any memory map becomes whole pages in order", check_memory_map },
	{ "memory that is too high for its size stays unused", check_high_memory },
	{ "an initramfs over the kernel or outside of memory is refused", check_bad_modules },
	{ "a command line that is too long is refused, one that just fits is not",
	  check_long_words },
	{ "wrong statements of a loader do no harm", check_bad_loaders },
	{ "data that ends above 4 GiB is refused", check_far_data },
	{ "a map that is too long costs no time", check_endless_maps },
	{ "a screen is used when all that is said of it makes sense", check_screens },
	{ "memory taken early is zeroed, and missing afterwards", check_take },
	{ "CPUs start in a free page", check_low_page },
	{ "unknown words are reported", check_unknown_words },
	{ "words of the command line are found up to --", check_options },
	{ "ACPI's root pointer is found by its sum", check_acpi },
};

TAP_MAIN(rules)
