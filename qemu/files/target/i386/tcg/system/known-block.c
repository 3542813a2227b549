/*
 * x86: the way to the next block at an indirect branch
 *
 * What helper_lookup_tb_ptr() finds first, for 64-bit code on a host that is an x86 too:
 * a jump instead of a call, because translated code has saved all registers here anyway.
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
#include "tcg/helper-tcg.h"

#ifdef HAS_GOTO_KNOWN_BLOCK

/* Operands of 0(%rbp). */
#define ENV(field) (offsetof(CPUX86State, field))
#define NEG(field) ((long)offsetof(ArchCPU, parent_obj.neg.field) - \
                    (long)offsetof(ArchCPU, env))

/*
 * Translated code jumps here with env in rbp, its stack as for a call, and nothing
 * to keep in the other registers. The flags are cpu_get_tb_cpu_state()'s; those of
 * 64-bit code are never 0, so that an entry without a block has others.
 */
void __attribute__((naked, aligned(16))) x86_goto_known_block(void)
{
    asm volatile("movq %c[eip](%%rbp), %%rax\n\t"
                 "movq %%rax, %%rdx\n\t"
                 "movq %%rax, %%rcx\n\t"
                 "shlq %[bits], %%rdx\n\t"
                 "shrq %[fold], %%rcx\n\t"
                 "xorl %%ecx, %%edx\n\t"
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
                 "1:\tmovq %%rbp, %%rdi\n\t"
                 "call helper_lookup_tb_ptr\n\t"
                 "jmpq *%%rax"
                 : : [eip] "i" (ENV(eip)), [eflags] "i" (ENV(eflags)),
                     [hflags] "i" (ENV(hflags)),
                     [table] "i" (NEG(known_blocks)),
                     [generation] "i" (NEG(known_generation)),
                     [bits] "i" (KNOWN_BLOCK_BITS), [fold] "i" (KNOWN_BLOCKS_FOLD),
                     [mask] "i" (KNOWN_BLOCKS_MASK),
                     [flags] "i" (IOPL_MASK | TF_MASK | RF_MASK | VM_MASK | AC_MASK),
                     [pc] "i" (offsetof(KnownBlock, pc)),
                     [their_flags] "i" (offsetof(KnownBlock, flags)),
                     [their_generation] "i" (offsetof(KnownBlock, generation)),
                     [code] "i" (offsetof(KnownBlock, code)));
}

#endif
