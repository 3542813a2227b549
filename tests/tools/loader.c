// SPDX-License-Identifier: BSD-2-Clause
/*
 * A boot loader that lies: starts the real kernel with a wrong multiboot 1 description. The word
 * "lie=NAME" of the command line selects the fault.
 *
 * It is a 32-bit multiboot guest itself, linked at 64 MiB, out of the kernel's way. Its one module is
 * the size of the kernel's ELF file in 8 bytes, that file, and the initramfs (bad-loader.t packs it). It
 * loads the segments where they belong, changes the description that QEMU made, and jumps to the entry.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOADED = 0x2badb002, PT_LOAD = 1 };
enum { MODULES = 1 << 3, MEMORY_MAP = 1 << 6 };
enum { LIES_MODULES = 1000, TEXT_BYTES = 4096 };

/* Multiboot Specification 0.6.96, section 3.3. */
struct info {
	uint32_t flags, memory_lower, memory_upper, boot_device, command_line;
	uint32_t module_count, modules;
	uint32_t symbols[4];
	uint32_t map_size, map;
};

struct module {
	uint32_t start, end, text, reserved;
};

/* ELF-64 Object File Format, version 1.5; addresses of a kernel below 4 GiB, in 32-bit halves. */
struct elf_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version, entry, entry_high, phoff, phoff_high, shoff[2], flags;
	uint16_t ehsize, phentsize, phnum;
};

struct elf_segment {
	uint32_t type, flags, offset, offset_high, vaddr[2], paddr, paddr_high;
	uint32_t filesz, filesz_high, memsz, memsz_high;
};

static struct module modules[LIES_MODULES];
static char endless_text[TEXT_BYTES];

static void copy(uint32_t to, uint32_t from, uint32_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void fill(uint32_t to, uint8_t value, uint32_t size)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
}

static bool asked_for(const char *line, const char *lie)
{
	for (; *line; line++) {
		size_t i = 0;

		while (lie[i] && line[i] == lie[i])
			i++;
		if (!lie[i] && (line[i] == ' ' || !line[i]))
			return true;
	}
	return false;
}

static uint32_t load(uint32_t file)
{
	const struct elf_header *header = (const void *)file;
	const struct elf_segment *segment = (const void *)(file + header->phoff);

	for (unsigned int i = 0; i < header->phnum; i++) {
		const struct elf_segment *this =
			(const void *)((uint32_t)segment + i * header->phentsize);

		if (this->type != PT_LOAD)
			continue;
		copy(this->paddr, file + this->offset, this->filesz);
		fill(this->paddr + this->filesz, 0, this->memsz - this->filesz);
	}
	return header->entry;
}

__attribute__((used)) static void loader_main(struct info *info)
{
	const struct module *module = (const void *)info->modules;
	const char *line = (const char *)info->command_line;
	uint32_t kernel_size = *(const uint32_t *)module->start;
	uint32_t entry = load(module->start + 8);
	uint32_t magic = LOADED;

	for (unsigned int i = 0; i < LIES_MODULES; i++)
		modules[i] = (struct module){ .start = module->start + 8 + kernel_size,
					      .end = module->end };
	info->modules = (uint32_t)modules;

	if (asked_for(line, "lie=over-kernel"))
		modules[0] = (struct module){ .start = 0x101000, .end = 0x102000 };
	if (asked_for(line, "lie=around-kernel"))
		modules[0].start = 0x1000;
	if (asked_for(line, "lie=reversed"))
		modules[0] = (struct module){ .start = module->end, .end = module->start };
	if (asked_for(line, "lie=beyond-memory"))
		modules[0] = (struct module){ .start = 0xa0000000, .end = 0xa0100000 };
	if (asked_for(line, "lie=half-beyond-memory"))
		modules[0].end = 0xb0000000;
	if (asked_for(line, "lie=in-a-device"))
		modules[0] = (struct module){ .start = 0xfee00000, .end = 0xfee01000 };
	if (asked_for(line, "lie=top-of-space"))
		modules[0] = (struct module){ .start = 0xfffff000, .end = 0xffffffff };
	if (asked_for(line, "lie=empty-module"))
		modules[0].end = modules[0].start;
	if (asked_for(line, "lie=no-module"))
		info->flags &= ~MODULES;
	if (asked_for(line, "lie=no-modules"))
		info->module_count = 0;
	if (asked_for(line, "lie=many-modules"))
		info->module_count = LIES_MODULES;
	if (asked_for(line, "lie=no-map"))
		info->flags &= ~MEMORY_MAP;
	if (asked_for(line, "lie=empty-map"))
		info->map_size = 0;
	if (asked_for(line, "lie=map-in-nothing"))
		info->map = 0xc0000000;
	if (asked_for(line, "lie=no-magic"))
		magic = 0x12345678;
	if (asked_for(line, "lie=endless-line")) {
		fill((uint32_t)endless_text, 'x', sizeof(endless_text));
		info->command_line = (uint32_t)endless_text;
	}

	__asm__ volatile("jmp *%2" : : "a"(magic), "b"(info), "r"(entry));
	__builtin_unreachable();
}

__asm__(".pushsection .multiboot, \"a\"\n"
	".balign 4\n"
	".long 0x1badb002, 2, -(0x1badb002 + 2)\n"
	".section .text\n"
	".globl _start\n"
	"_start: lea stack_end, %esp\n"
	"push %ebx\n"
	"call loader_main\n"
	".section .bss\n"
	".skip 4096\n"
	"stack_end:\n"
	".popsection\n");
