/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries into the kernel and the exit path: PALcode's six entries.
 *
 * PALcode has switched to the kernel's stack and mode, has pushed the upper part of struct trap_frame,
 * and has loaded GP. Every entry saves the rest. From user mode the frame lies at the very top of the
 * task's kernel stack (arch_task_user_frame), because PALcode starts pushing there.
 *
 * PALcode keeps the user's stack pointer. While the kernel runs, the frame holds it, for signals and
 * samples; the exit path gives it back.
 *
 * user_mode.c stops counters that count user mode only on entry and starts them on the exit path. It
 * knows how many instructions of both paths they still count. So the code between an entry and that
 * place is a straight line, the same for every mode, and so is the code after the other place.
 *
 * Source: Alpha Architecture Handbook version 4, II-B chapter 5 "Exceptions and interrupts".
 */
#include <machine/cpu.h>
#include <machine/pal.h>
#include <machine/perfmon.h>
#include <machine/task.h>

#include "user_mode.h"

/* struct trap_frame, checked in trap.c. */
#define FRAME_R19	128
#define FRAME_SP	208
#define FRAME_ENTRY	216
#define FRAME_CAUSE	224
#define FRAME_PS	256
#define FRAME_R16	280
#define FRAME_SIZE	304
#define FRAME_SAVED	256	/* the part that PALcode has not pushed */

/* struct cpu_local, checked in user_mode.c. */
#define CPU_USER_COUNTING 36
#define CPU_USER_COUNTERS 40

	.set	noat
	.set	noreorder
	.set	nomacro
	.text

	.globl	entry_code_start
entry_code_start:

	.macro SAVE_REGISTERS entry
	lda	$30, -FRAME_SAVED($30)
	stq	$0, 0($30)
	stq	$1, 8($30)
	stq	$2, 16($30)
	stq	$3, 24($30)
	stq	$4, 32($30)
	stq	$5, 40($30)
	stq	$6, 48($30)
	stq	$7, 56($30)
	stq	$8, 64($30)
	stq	$9, 72($30)
	stq	$10, 80($30)
	stq	$11, 88($30)
	stq	$12, 96($30)
	stq	$13, 104($30)
	stq	$14, 112($30)
	stq	$15, 120($30)
	stq	$19, FRAME_R19($30)
	stq	$20, FRAME_R19 + 8($30)
	stq	$21, FRAME_R19 + 16($30)
	stq	$22, FRAME_R19 + 24($30)
	stq	$23, FRAME_R19 + 32($30)
	stq	$24, FRAME_R19 + 40($30)
	stq	$25, FRAME_R19 + 48($30)
	stq	$26, FRAME_R19 + 56($30)
	stq	$27, FRAME_R19 + 64($30)
	stq	$28, FRAME_R19 + 72($30)
	lda	$1, \entry($31)
	stq	$1, FRAME_ENTRY($30)
	.endm

	/* For entry NAME, whose frame is complete, BEFORE instructions after its start. */
	.macro LEAVE_USER_MODE name, before
	.if	(. - \name) / 4 != \before
	.error	"user_mode.h has another length of \name"
	.endif
	call_pal PAL_RDVAL
	ldl	$1, CPU_USER_COUNTING($0)
	beq	$1, .Lcounted_\name
	/* No interrupt may come between the stop of the counters and its bookkeeping. */
	lda	$16, LEVEL_OFF($31)
	call_pal PAL_SWPIPL
	call_pal PAL_RDVAL
	ldl	$17, CPU_USER_COUNTING($0)
	lda	$16, PERFMON_DISABLE($31)
	call_pal PAL_WRPERFMON
	mov	$30, $16
	bsr	$26, user_mode_left	!samegp
.Lcounted_\name:
	.endm

	/* All entries but the system call's. */
	.macro ENTRY name, entry
	.globl	\name
	.ent	\name
	.align	4
\name:
	.frame	$30, FRAME_SIZE, $26
	.prologue 0
	SAVE_REGISTERS \entry
	stq	$16, FRAME_CAUSE($30)
	stq	$17, FRAME_CAUSE + 8($30)
	stq	$18, FRAME_CAUSE + 16($30)
	/* From the kernel, save the interrupted stack pointer; from user mode, end backtraces here. */
	call_pal PAL_RDUSP
	ldq	$2, FRAME_PS($30)
	lda	$1, FRAME_SIZE($30)
	and	$2, PS_USER, $2
	cmoveq	$2, $1, $0
	cmovne	$2, $31, $15
	stq	$0, FRAME_SP($30)
	LEAVE_USER_MODE \name, USER_MODE_ENTRY
	br	$31, trap_entry
	.end	\name
	.endm

	ENTRY	entry_interrupt, ENTRY_INTERRUPT
	ENTRY	entry_arithmetic, ENTRY_ARITHMETIC
	ENTRY	entry_memory, ENTRY_MEMORY
	ENTRY	entry_instruction, ENTRY_INSTRUCTION
	ENTRY	entry_unaligned, ENTRY_UNALIGNED

	.ent	trap_entry
trap_entry:
	.frame	$30, FRAME_SIZE, $26
	.prologue 0
	mov	$30, $16
	bsr	$26, trap_handle	!samegp
	/* To user mode: interrupts are off and stay off. This place has no symbol of its own: call
	 * chains would show that name for the caller. */
.Ltrap_return:
	ldq	$2, FRAME_PS($30)
	and	$2, PS_USER, $2
	beq	$2, 2f
	call_pal PAL_RDVAL
	ldl	$1, CPU_USER_COUNTERS($0)
	beq	$1, 1f
	bsr	$26, user_mode_begins	!samegp
	beq	$0, 1f
	mov	$0, $17
	lda	$16, PERFMON_ENABLE_WRITE($31)
	call_pal PAL_WRPERFMON
	/* user_mode.c's exit path starts here. */
1:	ldq	$16, FRAME_SP($30)
	call_pal PAL_WRUSP
2:	ldq	$0, 0($30)
	ldq	$1, 8($30)
	ldq	$2, 16($30)
	ldq	$3, 24($30)
	ldq	$4, 32($30)
	ldq	$5, 40($30)
	ldq	$6, 48($30)
	ldq	$7, 56($30)
	ldq	$8, 64($30)
	ldq	$9, 72($30)
	ldq	$10, 80($30)
	ldq	$11, 88($30)
	ldq	$12, 96($30)
	ldq	$13, 104($30)
	ldq	$14, 112($30)
	ldq	$15, 120($30)
	ldq	$19, FRAME_R19($30)
	ldq	$20, FRAME_R19 + 8($30)
	ldq	$21, FRAME_R19 + 16($30)
	ldq	$22, FRAME_R19 + 24($30)
	ldq	$23, FRAME_R19 + 32($30)
	ldq	$24, FRAME_R19 + 40($30)
	ldq	$25, FRAME_R19 + 48($30)
	ldq	$26, FRAME_R19 + 56($30)
	ldq	$27, FRAME_R19 + 64($30)
	ldq	$28, FRAME_R19 + 72($30)
	lda	$30, FRAME_SAVED($30)
	call_pal PAL_RTI
	.end	trap_entry

	.globl	trap_return
	.ent	trap_return
trap_return:
	.frame	$30, FRAME_SIZE, $26
	.prologue 0
	br	$31, .Ltrap_return
	.end	trap_return

/* CALLSYS, from user mode only: PALcode leaves a0 … a2 in their registers. */
	.globl	entry_call
	.ent	entry_call
	.align	4
entry_call:
	.frame	$30, FRAME_SIZE, $26
	.prologue 0
	SAVE_REGISTERS ENTRY_CALL
	stq	$16, FRAME_R16($30)
	stq	$17, FRAME_R16 + 8($30)
	stq	$18, FRAME_R16 + 16($30)
	stq	$0, FRAME_CAUSE($30)
	stq	$19, FRAME_CAUSE + 8($30)
	call_pal PAL_RDUSP
	stq	$0, FRAME_SP($30)
	mov	$31, $15
	LEAVE_USER_MODE entry_call, USER_MODE_CALL
	mov	$30, $16
	bsr	$26, syscall_handle	!samegp
	br	$31, .Ltrap_return
	.end	entry_call

	.globl	entry_code_end
entry_code_end:

	.section .note.GNU-stack, "", @progbits
