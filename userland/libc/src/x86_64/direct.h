/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct.h - the function of a system call that takes the C function's own arguments.
 *
 * A C function's first three arguments are already in the kernel's registers; the fourth moves
 * from %rcx, which the syscall instruction overwrites, to %r10 (System V x86-64 ABI, A.2.1). A
 * result from -4095 to -1 becomes errno and -1.
 */

/* clang-format off */
	.macro	direct name, number
	.weak	\name
	.type	\name, @function
	.balign	16
\name:
	movl	$\number, %eax
	movq	%rcx, %r10
	syscall
	cmpq	$-4095, %rax
	jae	__syscall_error
	ret
	.size	\name, . - \name
	.endm
/* clang-format on */

#define NUMBER_FSTAT   __NR_fstat
#define NUMBER_FSTATAT __NR_newfstatat
#define NUMBER_LSTAT   __NR_lstat
#define NUMBER_STAT    __NR_stat
