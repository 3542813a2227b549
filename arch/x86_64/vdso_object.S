/* SPDX-License-Identifier: BSD-2-Clause */
/* The vDSO's shared object, which the makefile builds from vdso/. */
	.section .rodata
	.global	arch_vdso_start, arch_vdso_end
arch_vdso_start:
	.incbin	VDSO_OBJECT
arch_vdso_end:

	.section .note.GNU-stack, "", @progbits
