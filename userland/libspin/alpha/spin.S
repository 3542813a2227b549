/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.S - known work. Each function is short enough to be counted by eye; the counts are in
 * works.c. $16 is n, $17 the memory; only registers that a call may change are used.
 *
 * Every instruction has a number, and after each function stands its path: the addresses in the
 * order in which they retire, before the loop (head), in each pass of it (body) and after it (tail).
 * That is how a sampled address is derived.
 *
 * A system call changes v0 and a3 ($0, $19) and nothing else, so that n survives it.
 */
#include <asm/unistd.h>

#include "path.h"
#include "symbols.h"

#define PAL_CALLSYS 0x83

	.section .note.GNU-stack, "", @progbits
	.set	noreorder
	.set	nomacro
	.arch	ev67
	.text

begin	spin_nothing
10:	ret	$31, ($26), 1
end	spin_nothing
	path	spin_nothing
	head
	body
	tail
	.quad	10b
	out

begin	spin_loop
10:	subq	$16, 1, $16
11:	bne	$16, 10b
12:	ret	$31, ($26), 1
end	spin_loop
	path	spin_loop
	head
	body
	.quad	10b, 11b
	tail
	.quad	12b
	out

begin	spin_straight
10:	.rept	100
	bis	$31, $31, $31		/* nop: four bytes each */
	.endr
11:	subq	$16, 1, $16
12:	bne	$16, 10b
13:	ret	$31, ($26), 1
end	spin_straight
	path	spin_straight
	head
	body
	.equ	offset, 0
	.rept	100
	.quad	10b + offset
	.equ	offset, offset + 4
	.endr
	.quad	11b, 12b
	tail
	.quad	13b
	out

begin	spin_branches
10:	cmpeq	$16, $16, $1
11:	beq	$1, 13f			/* never taken */
12:	bne	$1, 13f			/* always taken */
	bis	$31, $31, $31		/* never executed */
13:	br	$31, 14f
	bis	$31, $31, $31		/* never executed */
14:	subq	$16, 1, $16
15:	bne	$16, 10b
16:	ret	$31, ($26), 1
end	spin_branches
	path	spin_branches
	head
	body
	.quad	10b, 11b, 12b, 13b, 14b, 15b
	tail
	.quad	16b
	out

/* Called with its return address in $27. */
begin	spin_leaf
	ret	$31, ($27), 1
end	spin_leaf

begin	spin_calls
10:	bsr	$27, spin_leaf
11:	subq	$16, 1, $16
12:	bne	$16, 10b
13:	ret	$31, ($26), 1
end	spin_calls
	path	spin_calls
	head
	body
	.quad	10b, spin_leaf, 11b, 12b
	tail
	.quad	13b
	out

begin	spin_stores
10:	stq	$16, 0($17)
11:	ldq	$1, 0($17)
12:	subq	$16, 1, $16
13:	bne	$16, 10b
14:	ret	$31, ($26), 1
end	spin_stores
	path	spin_stores
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_copies
10:	bis	$17, $17, $1
11:	lda	$2, 8192($17)
12:	lda	$3, 512($31)
13:	ldq	$4, 0($1)
14:	stq	$4, 0($2)
15:	lda	$1, 8($1)
16:	lda	$2, 8($2)
17:	subq	$3, 1, $3
18:	bne	$3, 13b
19:	subq	$16, 1, $16
20:	bne	$16, 10b
21:	ret	$31, ($26), 1
end	spin_copies
	path	spin_copies
	head
	body
	.quad	10b, 11b, 12b
	.rept	512
	.quad	13b, 14b, 15b, 16b, 17b, 18b
	.endr
	.quad	19b, 20b
	tail
	.quad	21b
	out

begin	spin_touches
10:	stq	$16, 0($17)
11:	lda	$17, 8192($17)
12:	subq	$16, 1, $16
13:	bne	$16, 10b
14:	ret	$31, ($26), 1
end	spin_touches
	path	spin_touches
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_syscalls
10:	lda	$0, __NR_getppid($31)
11:	call_pal PAL_CALLSYS
12:	subq	$16, 1, $16
13:	bne	$16, 10b
14:	ret	$31, ($26), 1
end	spin_syscalls
	path	spin_syscalls
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out

begin	spin_yields
10:	lda	$0, __NR_sched_yield($31)
11:	call_pal PAL_CALLSYS
12:	subq	$16, 1, $16
13:	bne	$16, 10b
14:	ret	$31, ($26), 1
end	spin_yields
	path	spin_yields
	head
	body
	.quad	10b, 11b, 12b, 13b
	tail
	.quad	14b
	out
