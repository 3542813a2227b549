/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.S - runs the profiled steps between two ioctls, with known instructions around them.
 *
 * Counting starts in the kernel, so the first instruction counted is the one after the first
 * syscall; it stops there too, so the last is the second syscall. In the margin: the counts that
 * trace.h names.
 */
#include <asm/unistd.h>
#include <symbols.h>

#include "../trace.h"

/* Linux, include/uapi/linux/perf_event.h: _IO('$', 0) and _IO('$', 1); enums keep it from here. */
#define IOC_ENABLE  0x2400
#define IOC_DISABLE 0x2401

	.section .note.GNU-stack, "", @progbits
	.text

begin	profile_run
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	movl	%edi, %r12d
	movq	%rsi, %rbx
	movq	%rdx, %rbp

	movl	$__NR_ioctl, %eax
	movl	$IOC_ENABLE, %esi
	xorl	%edx, %edx
	syscall
10:	testq	%rax, %rax			/* DRIVER_FIRST: 1 */
11:	jnz	25f				/* 2 */

12:	movq	STEP_N(%rbx), %rdi		/* DRIVER_BEFORE: 1 */
13:	movq	STEP_MEMORY(%rbx), %rsi		/* 2 */
14:	call	*STEP_RUN(%rbx)			/* 3 */
15:	addq	$STEP_BYTES, %rbx		/* DRIVER_AFTER: 1 */
16:	cmpq	%rbp, %rbx			/* 2 */
17:	jb	12b				/* 3 */

18:	movl	$__NR_ioctl, %eax		/* DRIVER_LAST: 1 */
19:	movl	%r12d, %edi			/* 2 */
20:	movl	$IOC_DISABLE, %esi		/* 3 */
21:	xorl	%edx, %edx			/* 4 */
22:	syscall					/* 5 */

25:	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
end	profile_run

	.section .rodata
	.balign	8
	.globl	profile_run_addresses
profile_run_addresses:
	.quad	10b, 11b			/* DRIVER_FIRST */
	.quad	12b, 13b, 14b			/* DRIVER_BEFORE */
	.quad	15b, 16b, 17b			/* DRIVER_AFTER */
	.quad	18b, 19b, 20b, 21b, 22b		/* DRIVER_LAST */
