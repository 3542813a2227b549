/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * driver.S - runs the profiled steps between two ioctls, with known instructions around them, on Alpha.
 *
 * Counting starts in the kernel, so the first instruction counted is the one after the first
 * call_pal; it stops there too, so the last is the second call_pal. In the margin: the counts that
 * trace.h names.
 */
#include <asm/unistd.h>
#include <symbols.h>

#include "../trace.h"

#define PAL_CALLSYS 0x83
/* Linux, include/uapi/linux/perf_event.h: _IO('$', 0) and _IO('$', 1) of Alpha; enums keep it from here. The upper halves
 * for LDAH, the lower for LDA. */
#define IOC_ENABLE_HIGH	 0x2000
#define IOC_ENABLE_LOW	 0x2400
#define IOC_DISABLE_HIGH 0x2000
#define IOC_DISABLE_LOW	 0x2401

	.section .note.GNU-stack, "", @progbits
	.set	noreorder
	.set	nomacro
	.arch	ev67
	.text

begin	profile_run
	lda	$30, -32($30)
	stq	$26, 0($30)
	stq	$9, 8($30)
	stq	$10, 16($30)
	stq	$11, 24($30)
	bis	$16, $16, $11
	bis	$17, $17, $9
	bis	$18, $18, $10

	lda	$0, __NR_ioctl($31)
	ldah	$17, IOC_ENABLE_HIGH($31)
	lda	$17, IOC_ENABLE_LOW($17)
	bis	$31, $31, $18
	call_pal PAL_CALLSYS
10:	bne	$19, 25f			/* DRIVER_FIRST: 1 */

12:	ldq	$16, STEP_N($9)			/* DRIVER_BEFORE: 1 */
13:	ldq	$17, STEP_MEMORY($9)		/* 2 */
14:	ldq	$27, STEP_RUN($9)		/* 3 */
15:	jsr	$26, ($27)			/* 4 */
16:	lda	$9, STEP_BYTES($9)		/* DRIVER_AFTER: 1 */
17:	cmpult	$9, $10, $1			/* 2 */
18:	bne	$1, 12b				/* 3 */

19:	lda	$0, __NR_ioctl($31)		/* DRIVER_LAST: 1 */
20:	bis	$11, $11, $16			/* 2 */
21:	ldah	$17, IOC_DISABLE_HIGH($31)	/* 3 */
22:	lda	$17, IOC_DISABLE_LOW($17)	/* 4 */
23:	bis	$31, $31, $18			/* 5 */
24:	call_pal PAL_CALLSYS			/* 6 */

25:	ldq	$26, 0($30)
	ldq	$9, 8($30)
	ldq	$10, 16($30)
	ldq	$11, 24($30)
	lda	$30, 32($30)
	ret	$31, ($26), 1
end	profile_run

	.section .rodata
	.align	3
	.globl	profile_run_addresses
profile_run_addresses:
	.quad	10b				/* DRIVER_FIRST */
	.quad	12b, 13b, 14b, 15b		/* DRIVER_BEFORE */
	.quad	16b, 17b, 18b			/* DRIVER_AFTER */
	.quad	19b, 20b, 21b, 22b, 23b, 24b	/* DRIVER_LAST */
