/*
 * x86: the search for the next block at an indirect branch
 *
 * Finds the block that helper_lookup_tb_ptr() finds in the usual case, for 64-bit code on
 * an x86-64 host. Each block that ends in an indirect branch has a copy of the search, so
 * that the host predicts each of its jumps by itself. A block without an entry is found by
 * the helper, whose call needs no registers saved: translated code has none to keep here.
 * See exec/known-blocks.h.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/helper-proto.h"
#include "exec/known-blocks.h"
#include "tcg/tcg.h"
#include "tcg/helper-tcg.h"

#ifdef HAS_GOTO_KNOWN_BLOCK

/* Operands of 0(%rbp). */
#define ENV(field) (offsetof(CPUX86State, field))
#define NEG(field) ((long)offsetof(ArchCPU, parent_obj.neg.field) - \
                    (long)offsetof(ArchCPU, env))

extern const uint8_t x86_known_block_begin[], x86_known_block_end[];

/*
 * Runs with env in rbp and a stack as for a call. Blocks copy the part from begin to end; a
 * copy that finds no entry goes on at end. The flags are
 * cpu_get_tb_cpu_state()'s; those of 64-bit code are never 0, so that an entry without a
 * block has others.
 */
static void __attribute__((naked, used)) go_to_known_block(void)
{
    asm volatile("x86_known_block_begin:\n\t"
                 "movq %c[eip](%%rbp), %%rax\n\t"
                 "imulq %[factor], %%rax, %%rdx\n\t"
                 "shrq %[shift], %%rdx\n\t"
                 "andl %[mask], %%edx\n\t"
                 "addq %c[table](%%rbp), %%rdx\n\t"
                 "cmpq %%rax, %c[pc](%%rdx)\n\t"
                 "jne 1f\n\t"
                 "movl %c[eflags](%%rbp), %%eax\n\t"
                 "andl %[flags], %%eax\n\t"
                 "orl %c[hflags](%%rbp), %%eax\n\t"
                 "cmpl %%eax, %c[their_flags](%%rdx)\n\t"
                 "jne 1f\n\t"
                 "movq %c[generation](%%rbp), %%rax\n\t"
                 "cmpq %%rax, %c[their_generation](%%rdx)\n\t"
                 "jne 1f\n\t"
                 "jmpq *%c[code](%%rdx)\n"
                 "1:\n"
                 "x86_known_block_end:\n\t"
                 "movq %%rbp, %%rdi\n\t"
                 "call helper_lookup_tb_ptr\n\t"
                 "jmpq *%%rax"
                 : : [eip] "i" (ENV(eip)), [eflags] "i" (ENV(eflags)),
                     [hflags] "i" (ENV(hflags)),
                     [table] "i" (NEG(known_blocks)),
                     [generation] "i" (NEG(known_generation)),
                     [factor] "i" (KNOWN_BLOCKS_FACTOR),
                     [shift] "i" (KNOWN_BLOCKS_SHIFT), [mask] "i" (KNOWN_BLOCKS_MASK),
                     [flags] "i" (IOPL_MASK | TF_MASK | RF_MASK | VM_MASK | AC_MASK),
                     [pc] "i" (offsetof(KnownBlock, pc)),
                     [their_flags] "i" (offsetof(KnownBlock, flags)),
                     [their_generation] "i" (offsetof(KnownBlock, generation)),
                     [code] "i" (offsetof(KnownBlock, code)));
}

const TCGCode x86_goto_known_block = {
    .begin = x86_known_block_begin,
    .end = x86_known_block_end,
};

#endif
