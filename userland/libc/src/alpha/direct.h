/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct.h - the function of a system call that takes the C function's own arguments.
 *
 * A C function's arguments are already in the kernel's registers, a0 to a5. The number is in v0; the
 * kernel leaves the result there and 0 in a3 ($19), or an error's number there and 1 in a3 (Linux's
 * arch/alpha/kernel/entry.S). The functions use no gp, so they set none.
 */

/* PALcode's entry into the kernel: Alpha Architecture Handbook, OSF/1 PALcode, CALLSYS. */
#define PAL_CALLSYS    0x83

/* clang-format off */
	.macro	direct name, number
	.weak	\name
	.type	\name, @function
	.balign	16
\name:
	lda	$0, \number($31)
	call_pal PAL_CALLSYS
	bne	$19, __syscall_error
	ret
	.size	\name, . - \name
	.endm
/* clang-format on */

/* The calls whose structure is struct stat64. */
#define NUMBER_FSTAT   __NR_fstat64
#define NUMBER_FSTATAT __NR_fstatat64
#define NUMBER_LSTAT   __NR_lstat64
#define NUMBER_STAT    __NR_stat64
