/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux/alpha has no vDSO: the object is empty; see <arch/vdso.h>. */
	.section .rodata
	.globl	arch_vdso_start, arch_vdso_end
arch_vdso_start:
arch_vdso_end:

	.section .note.GNU-stack, "", @progbits
