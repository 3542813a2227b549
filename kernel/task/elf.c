/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF64 loader: an executable's segments become areas of a new address space.
 *
 * Nothing in the file is trusted. Files that Linux 6.12 (fs/binfmt_elf.c) refuses are refused with its
 * error. Two kinds of damage kill the program in Linux and are refused here with ENOEXEC: segments
 * that end after the file, and segments that overlap.
 *
 * The addresses are the address space's layout (kernel/mm/place.c), random or not.
 */
#include <string.h>

#include <arch/exec.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/task/process.h>
#include <uapi/linux/elf.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "exec.h"

/* Longest table of program headers. Linux: 64 KiB. */
#define HEADERS_MAX (65536 / sizeof(Elf64_Phdr))

/* An ELF file being loaded. */
struct elf_file {
	struct file *file;
	Elf64_Ehdr header;
	Elf64_Phdr *segments; /* allocated; header.e_phnum of them */
	uintptr_t bias;	      /* added to each address in the file */
	const char *reason;
};

static int refuse(struct elf_file *elf, int error, const char *reason)
{
	elf->reason = reason;
	return error;
}

/* Reads SIZE bytes at OFFSET of the file; returns whether all of them could be read. */
static bool read_part(const struct elf_file *elf, void *buffer, size_t size, uint64_t offset)
{
	return file_read_for_kernel(elf->file, buffer, size, offset) == (ssize_t)size;
}

/* Reads and checks the header, in Linux's order. */
static int read_header(struct elf_file *elf)
{
	Elf64_Ehdr *header = &elf->header;

	if (!read_part(elf, header, sizeof(*header), 0))
		return refuse(elf, -ENOEXEC, "too short for an ELF header");
	if (memcmp(header->e_ident, "\177ELF", 4) != 0)
		return refuse(elf, -ENOEXEC, "not an ELF file");
	if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse(elf, -ENOEXEC, "not a 64-bit little-endian ELF file");
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return refuse(elf, -ENOEXEC, "an ELF file, but not an executable");
	if (header->e_machine != ARCH_ELF_MACHINE)
		return refuse(elf, -ENOEXEC, "an executable for another architecture");
	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 ||
	    header->e_phnum > HEADERS_MAX)
		return refuse(elf, -ENOEXEC, "program headers of impossible size or number");
	return 0;
}

static int read_segments(struct elf_file *elf)
{
	size_t size = elf->header.e_phnum * sizeof(Elf64_Phdr);

	elf->segments = kzalloc(size);
	if (!elf->segments)
		return refuse(elf, -ENOMEM, "not enough memory");
	if (!read_part(elf, elf->segments, size, elf->header.e_phoff))
		return refuse(elf, -ENOEXEC, "truncated: program headers end after the file");
	return 0;
}

static bool overlap(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	return a->p_vaddr < b->p_vaddr + b->p_memsz && b->p_vaddr < a->p_vaddr + a->p_memsz;
}

/* Checks the loadable segments and finds their range of addresses, [*LOW, *HIGH). */
static int check_segments(struct elf_file *elf, uintptr_t *low, uintptr_t *high)
{
	*low = UINTPTR_MAX;
	*high = 0;
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];
		uint64_t size = file_inode(elf->file)->size;

		if (segment->p_type != PT_LOAD)
			continue;
		if (segment->p_filesz > segment->p_memsz)
			return refuse(elf, -EINVAL, "a segment larger in the file than in memory");
		if (segment->p_vaddr >= USER_END || segment->p_memsz > USER_END - segment->p_vaddr)
			return refuse(elf, -EINVAL, "a segment outside of user space");
		if (elf->header.e_type == ET_EXEC && segment->p_vaddr < USER_START)
			return refuse(elf, -EPERM, "a segment below the lowest address allowed");
		if ((segment->p_vaddr - segment->p_offset) % PAGE_SIZE)
			return refuse(elf, -EINVAL,
				      "a segment whose address and offset do not match");
		if (segment->p_offset > size || segment->p_filesz > size - segment->p_offset)
			return refuse(elf, -ENOEXEC, "truncated: a segment ends after the file");
		for (size_t j = 0; j < i; j++)
			if (elf->segments[j].p_type == PT_LOAD &&
			    overlap(segment, &elf->segments[j]))
				return refuse(elf, -ENOEXEC, "segments overlap");
		if (segment->p_vaddr < *low)
			*low = segment->p_vaddr & PAGE_MASK;
		if (segment->p_vaddr + segment->p_memsz > *high)
			*high = segment->p_vaddr + segment->p_memsz;
	}
	return *low < *high ? 0 : refuse(elf, -ENOEXEC, "no loadable segment");
}

static unsigned int prot_of(uint32_t flags)
{
	return (flags & PF_R ? VM_READ : 0) | (flags & PF_W ? VM_WRITE : 0) |
	       (flags & PF_X ? VM_EXEC : 0);
}

/* Clears from the end of the file's part of a segment to the end of its page: programs rely on the zeros if
 * p_memsz is larger. A segment that is not writable keeps the file's bytes there, as in Linux. */
static int clear_rest(struct vm_space *space, uintptr_t from, uintptr_t to)
{
	/* Not constant: the image has no bytes of it then. */
	static char zeros[PAGE_SIZE];
	int error = to > from ? vm_write(space, from, zeros, to - from) : 0;

	return error == -EFAULT ? 0 : error;
}

/* Maps one segment: pages of the file, then zeros. */
static int map_segment(struct elf_file *elf, struct vm_space *space, const Elf64_Phdr *segment)
{
	uintptr_t start = (elf->bias + segment->p_vaddr) & PAGE_MASK;
	uintptr_t file_end = elf->bias + segment->p_vaddr + segment->p_filesz;
	uintptr_t end = elf->bias + segment->p_vaddr + segment->p_memsz;
	uintptr_t zeros = segment->p_filesz ? (file_end + PAGE_SIZE - 1) & PAGE_MASK : start;
	struct vm_request request = { .prot = prot_of(segment->p_flags), .fixed = true };
	long result = 0;

	if (segment->p_filesz) {
		request.address = start;
		request.size = file_end - start;
		request.file = elf->file;
		request.offset = segment->p_offset - (segment->p_vaddr & ~PAGE_MASK);
		result = vm_map(space, &request);
		if (result >= 0 && segment->p_memsz > segment->p_filesz)
			result = clear_rest(space, file_end, zeros);
	}
	if (result >= 0 && end > zeros) {
		request.address = zeros;
		request.size = end - zeros;
		request.file = NULL;
		request.offset = 0;
		result = vm_map(space, &request);
	}
	return result < 0 ? refuse(elf, (int)result, "its segments do not fit into memory") : 0;
}

/* Returns the address at which the program headers are mapped, or 0. */
static uintptr_t headers_address(const struct elf_file *elf)
{
	uint64_t offset = elf->header.e_phoff;

	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];

		if (segment->p_type == PT_LOAD && segment->p_offset <= offset &&
		    offset < segment->p_offset + segment->p_filesz)
			return elf->bias + segment->p_vaddr + (offset - segment->p_offset);
	}
	return 0;
}

/* Copies the interpreter's path into PATH of PATH_SIZE bytes; empty: none. */
static int find_interpreter(struct elf_file *elf, char *path)
{
	path[0] = '\0';
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *segment = &elf->segments[i];

		if (segment->p_type != PT_INTERP)
			continue;
		if (segment->p_filesz < 2 || segment->p_filesz > PATH_SIZE)
			return refuse(elf, -ENOEXEC, "an interpreter's name of impossible length");
		if (!read_part(elf, path, segment->p_filesz, segment->p_offset) ||
		    path[segment->p_filesz - 1] != '\0')
			return refuse(elf, -ENOEXEC, "an interpreter's name without its end");
		break;
	}
	return 0;
}

/* Returns the stack's protection: that of the last PT_GNU_STACK, or the architecture's default for data. */
static unsigned int find_stack_prot(const struct elf_file *elf)
{
	bool executable = DATA_IS_EXECUTABLE;

	for (size_t i = 0; i < elf->header.e_phnum; i++)
		if (elf->segments[i].p_type == PT_GNU_STACK)
			executable = elf->segments[i].p_flags & PF_X;
	return VM_READ | VM_WRITE | (executable ? VM_EXEC : 0);
}

/* Maps the file: an ET_DYN one at BASE or, if that is 0, at any free place. */
static int map_file(struct elf_file *elf, struct vm_space *space, uintptr_t base, uintptr_t *end)
{
	uintptr_t low, high;
	int error = read_header(elf);

	if (!error)
		error = read_segments(elf);
	if (!error)
		error = check_segments(elf, &low, &high);
	if (error)
		return error;
	if (elf->header.e_type == ET_DYN) {
		if (!base) {
			/* A probe of the right size finds a place. */
			struct vm_request probe = { .size = high - low, .no_reserve = true };
			long found = vm_map(space, &probe);

			if (found < 0)
				return refuse(elf, (int)found, "no room for it");
			vm_unmap(space,
				 user_range_pages(user_range_clip((uintptr_t)found, high - low)));
			base = (uintptr_t)found;
		}
		elf->bias = base - low;
		if (base > USER_END || high - low > USER_END - base)
			return refuse(elf, -ENOMEM, "no room for it");
	}
	for (size_t i = 0; i < elf->header.e_phnum && !error; i++)
		if (elf->segments[i].p_type == PT_LOAD && elf->segments[i].p_memsz)
			error = map_segment(elf, space, &elf->segments[i]);
	*end = elf->bias + high;
	return error;
}

static int load_interpreter(const char *path, struct exec_image *image, const char **reason)
{
	struct elf_file elf = { 0 };
	struct dentry *start = process_get_directory(), *dentry;
	uintptr_t end;
	const struct exec_request request = { .start = start, .path = path, .follow = true };
	int error = exec_open(&request, &dentry, &elf.file, reason);

	dentry_put(start);
	if (error) {
		*reason = "its dynamic loader does not exist (link it statically)";
		return error;
	}
	if (inode_permission(dentry->inode, R_OK) < 0)
		image->dumpable = false;
	error = map_file(&elf, image->space, 0, &end);
	if (error) {
		*reason = elf.reason;
	} else {
		image->interpreter_base = elf.bias;
		image->entry = elf.bias + elf.header.e_entry;
	}
	kfree(elf.segments);
	file_put(elf.file);
	executable_put(dentry);
	return error;
}

int elf_load(struct file *file, struct exec_image *image, const char **reason)
{
	struct elf_file elf = { .file = file };
	char *interpreter = kzalloc(PATH_SIZE);
	uintptr_t end;
	int error = interpreter ?
			    map_file(&elf, image->space, vm_dynamic_base(image->space), &end) :
			    refuse(&elf, -ENOMEM, "not enough memory");

	if (!error)
		error = find_interpreter(&elf, interpreter);
	*reason = elf.reason;
	if (!error) {
		vm_set_brk_start(image->space, end);
		image->stack_prot = find_stack_prot(&elf);
		image->program_headers = headers_address(&elf);
		image->program_header_count = elf.header.e_phnum;
		image->program_entry = image->entry = elf.bias + elf.header.e_entry;
		if (interpreter[0])
			error = load_interpreter(interpreter, image, reason);
	}
	kfree(interpreter);
	kfree(elf.segments);
	return error;
}
