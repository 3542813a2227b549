// SPDX-License-Identifier: BSD-2-Clause
/*
 * tls.c - where the first thread's thread-local storage lies on Alpha, and how the CPU finds it.
 */
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* Two words at the thread pointer are the C library's. */
#define HEAD_SIZE 16

/*
 * Variant I of "ELF Handling For Thread-Local Storage", section 3.4: the variables begin after the words
 * at the thread pointer, at the segment's alignment. PALcode keeps the pointer (WRUNIQUE).
 */
void __setup_tls(const Elf64_Phdr *tls)
{
	uintptr_t align = tls->p_align > HEAD_SIZE ? tls->p_align : HEAD_SIZE;
	size_t length = align + tls->p_memsz;
	char *block = mmap(NULL, length + align, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		_exit(127);

	char *pointer = (char *)(((uintptr_t)block + align - 1) & ~(align - 1));
	memcpy(pointer + align, (const void *)tls->p_vaddr, tls->p_filesz);
	__builtin_set_thread_pointer(pointer);
}
