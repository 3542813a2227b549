// SPDX-License-Identifier: BSD-2-Clause
/*
 * tls.c - where the first thread's thread-local storage lies on x86-64, and how the CPU finds it.
 */
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define ARCH_SET_FS 0x1002 /* Linux, arch/x86/include/uapi/asm/prctl.h */

/*
 * Variant II of "ELF Handling For Thread-Local Storage", section 3.4.6: the variables end at the
 * thread pointer, their size rounded up to the segment's alignment, and the word at the thread
 * pointer points to itself.
 */
void __setup_tls(const Elf64_Phdr *tls)
{
	uintptr_t align = tls->p_align > 1 ? tls->p_align : 1;
	size_t below = (tls->p_memsz + align - 1) & ~(align - 1);
	if (align < sizeof(uintptr_t))
		align = sizeof(uintptr_t);
	size_t length = below + align + sizeof(uintptr_t);
	char *block =
		mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		_exit(127);

	uintptr_t pointer = ((uintptr_t)block + below + align - 1) & ~(align - 1);
	memcpy((char *)pointer - below, (const void *)tls->p_vaddr, tls->p_filesz);
	*(uintptr_t *)pointer = pointer;
	if (syscall(__NR_arch_prctl, ARCH_SET_FS, pointer) != 0)
		_exit(127);
}
