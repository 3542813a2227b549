/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address space numbers: the tag by which translations of several spaces are in a CPU's buffers together, so
 * that a switch does not cost all of them.
 *
 * Each CPU gives out its numbers by itself, 1 to the console's greatest, to the spaces it loads. When there is
 * none left it forgets all translations of programs and begins a new generation, in which every space needs a new
 * number. Where the console says 0, as the emulator's does, there is but one number, and each change of the space
 * is a new generation: exactly the forgetting that is needed without tags.
 *
 * A number says nothing about whether the translations under it are still right: whose tables lose something gives
 * back all its numbers (asn_give_back), and the translations are never found again.
 *
 * Number 0 is also the kernel's own, which has no translations of programs.
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 3.9 "Address space numbers".
 */
#ifndef ASN_H
#define ASN_H

#include <stdbool.h>
#include <stdint.h>

/* In a space, for each CPU: its number there in the low bits, the generation above them; 0: none. */
typedef _Atomic uint64_t asn_tag;

/* Numbers have at most so many bits (the architecture allows 16; the 21264 has 8). */
#define ASN_BITS 16

/* What a CPU remembers: the tag it gave out last. Zeroed memory is a CPU that has given out none, and
 * remembers translations of nobody. */
struct asn_processor {
	uint64_t last;
};

/* The number under which PROCESSOR, which has numbers up to GREATEST, loads the space with TAG. *FORGET: it must
 * forget all translations of programs before. Interrupts off, on that CPU. */
uint32_t asn_take(struct asn_processor *processor, asn_tag *tag, uint32_t greatest, bool *forget);

/* What CPUs remember of a space with TAGS, one of each of COUNT CPUs, is no longer right: where the space is
 * not loaded, it is loaded under another number. Any context; before it is looked at where the space is loaded. */
void asn_give_back(asn_tag tags[], unsigned int count);

#endif
