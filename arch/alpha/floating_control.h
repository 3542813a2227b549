/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two words of floating-point control: the CPU's register FPCR, and the software's word, which
 * programs and handlers use (OSF/1's IEEE_FP_CONTROL). Both hold the same enabled traps and the same
 * exceptions that have happened.
 */
#ifndef FLOATING_CONTROL_H
#define FLOATING_CONTROL_H

#include <stdint.h>

/* Convert FPCR to the software's word, and back. The bits of FPCR other than traps, denormals and
 * exceptions that have happened come from OLD. Any context. */
uint64_t floating_control_of(uint64_t fpcr);
uint64_t floating_control_set(uint64_t old, uint64_t control);

#endif
