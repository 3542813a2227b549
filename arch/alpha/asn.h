/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address space numbers: tags that let a CPU's buffers hold translations of several spaces at once, so
 * that a context switch need not flush all of them.
 *
 * Each CPU allocates its own numbers, 1 to the console's greatest, to the spaces it loads. When it runs
 * out of numbers it flushes all translations of programs and starts a new generation, in which every
 * space needs a new number. If the console's greatest number is 0, as the emulator's is, there is only
 * one number, and each change of the space is a new generation: exactly the flush that a CPU without
 * tags needs.
 *
 * A number does not say that the translations under it are still right. A space that removes
 * translations gives back all its numbers (asn_give_back), and no CPU finds the old translations again.
 *
 * Number 0 is also the kernel's own, which has no translations of programs.
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 3.9 "Address space numbers".
 */
#ifndef ASN_H
#define ASN_H

#include <stdbool.h>
#include <stdint.h>

/* In a space, for each CPU: the space's number there in the low bits, the generation above them; 0:
 * none. */
typedef _Atomic uint64_t asn_tag;

/* Width of a number, at most (the architecture allows 16; the 21264 has 8). */
#define ASN_BITS 16

/* A CPU's last allocated tag. Zeroed memory: the CPU has allocated none, and has no translations of
 * programs. */
struct asn_cpu {
	uint64_t last;
};

/* Returns the number under which PROCESSOR, which has numbers up to GREATEST, loads the space with TAG.
 * *FORGET: the CPU must first flush all translations of programs. Interrupts off, on that CPU. */
uint32_t asn_take(struct asn_cpu *own, asn_tag *tag, uint32_t greatest, bool *forget);

/* Invalidates the translations of the space with TAGS, one for each of COUNT CPUs: each CPU that has
 * not loaded the space will load it under another number. Any context; call this before testing which
 * CPUs have the space loaded. */
void asn_give_back(asn_tag tags[], unsigned int count);

#endif
