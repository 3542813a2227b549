/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.S - the measuring window on Alpha, instruction by instruction.
 *
 * The numbers in the margin count the user instructions from the first read() on; "b" marks a branch, which
 * a PALcall is not. The kernel reads a counter after the call_pal that asked has retired in user mode: the
 * first read() sees nothing of what is numbered, the second all of it. The work runs between 4 and 5.
 */
#include <asm/unistd.h>

#include "../window.h"

#define PAL_CALLSYS 0x83

	.section .note.GNU-stack, "", @progbits
	.set	noreorder
	.set	nomacro
	.arch	ev67
	.text

	.globl	window_run
	.type	window_run, @function
window_run:
	lda	$30, -16($30)
	stq	$26, 0($30)
	stq	$9, 8($30)
	bis	$16, $16, $9

	lda	$0, __NR_read($31)
	ldq	$16, WINDOW_FD($9)
	lda	$17, WINDOW_CALL($9)
	lda	$18, WINDOW_CALL_BYTES($31)
	call_pal PAL_CALLSYS
	stq	$0, WINDOW_GOT($9)		/*  0 */

	ldq	$16, WINDOW_N($9)		/*  1 */
	ldq	$17, WINDOW_MEMORY($9)		/*  2 */
	ldq	$27, WINDOW_RUN($9)		/*  3 */
	jsr	$26, ($27)			/*  4 b */

	lda	$0, __NR_read($31)		/*  5 */
	ldq	$16, WINDOW_FD($9)		/*  6 */
	lda	$17, WINDOW_CALL + WINDOW_CALL_BYTES($9)	/*  7 */
	lda	$18, WINDOW_CALL_BYTES($31)	/*  8 */
	call_pal PAL_CALLSYS			/*  9 */
	stq	$0, WINDOW_GOT + 8($9)

	lda	$0, WINDOW_DONE($31)
	ldq	$26, 0($30)
	ldq	$9, 8($30)
	lda	$30, 16($30)
	ret	$31, ($26), 1
	.size	window_run, . - window_run
