/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * path.h - the macros by which spin.S says in which order a function's instructions retire.
 */
#ifndef SPIN_PATH_H
#define SPIN_PATH_H

/* clang-format off */
/*
 * struct spin_path of spin.h, and the lists it points to: "path NAME", then "head", "body" and "tail",
 * each followed by its addresses, and "out". The four are macros that path defines, because their
 * labels need NAME, and out takes away.
 */
	.macro	path name
	.pushsection .rodata
	.balign	8
	.globl	\name\()_path
\name\()_path:
	.quad	.Lhead_\name, .Lbody_\name, .Ltail_\name
	.long	(.Lbody_\name - .Lhead_\name) / 8, (.Ltail_\name - .Lbody_\name) / 8
	.long	(.Lout_\name - .Ltail_\name) / 8, 0
	.macro	head
.Lhead_\name:
	.endm
	.macro	body
.Lbody_\name:
	.endm
	.macro	tail
.Ltail_\name:
	.endm
	.macro	out
.Lout_\name:
	.popsection
	.purgem	head
	.purgem	body
	.purgem	tail
	.purgem	out
	.endm
	.endm
/* clang-format on */

#endif /* SPIN_PATH_H */
