/*
 * x86: the search for a block that the CPU's table has not
 *
 * 64-bit code on an x86-64 host goes on here. The helper finds the block, and its call
 * needs no registers saved: translated code has none to keep at the end of a block.
 * See exec/known-blocks.h.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "tcg/helper-tcg.h"

#ifdef HAS_GOTO_KNOWN_BLOCK

/* Runs with env in rbp and a stack as for a call. */
void __attribute__((naked)) x86_find_block(void)
{
    asm volatile("movq %rbp, %rdi\n\t"
                 "call helper_lookup_tb_ptr\n\t"
                 "jmpq *%rax");
}

#endif
