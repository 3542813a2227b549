/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two words in which floating-point control is told: the CPU's register FPCR, and the software's, which
 * programs and handlers know (OSF/1's IEEE_FP_CONTROL). They say the same of traps and of what has happened.
 */
#ifndef FLOATING_CONTROL_H
#define FLOATING_CONTROL_H

#include <stdint.h>

/* FPCR as the software's word, and the other way; what is no control of traps, denormals or what has happened
 * is kept from OLD. Any context. */
uint64_t floating_control_of(uint64_t fpcr);
uint64_t floating_control_set(uint64_t old, uint64_t control);

#endif
