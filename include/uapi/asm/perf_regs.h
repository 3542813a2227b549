/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers of a sample, on ISAs that have them in samples: Linux has none for Alpha. */
#ifdef __x86_64__
#include "../asm-x86_64/perf_regs.h"
#endif
