/* SPDX-License-Identifier: BSD-2-Clause */
/* cycles.h - what the rules about cycles found out for later ones. */
#ifndef REPORT_CYCLES_H
#define REPORT_CYCLES_H

#include "measure.h"

/* Cycles are instructions plus branches, as the emulator counts them. Set by cycles.are_counted. */
extern bool cycles_are_derived;

#endif /* REPORT_CYCLES_H */
