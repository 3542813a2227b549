/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.h - what the registers of the first CPU held before the report wrote any. */
#ifndef REPORT_REGISTERS_H
#define REPORT_REGISTERS_H

#include <stdint.h>

struct start_values {
	uint64_t selects, counters; /* a bit for each general counter whose register is not zero */
	uint64_t select, counter;   /* the first such value */
	uint64_t fixed_control;
	uint64_t general_bits; /* of the announced counters */
	uint64_t global_ctrl, global_status;
};

extern struct start_values start_values;

/* Reads them; a register that faults counts as zero. Before any rule. */
void registers_note_start(void);

#endif /* REPORT_REGISTERS_H */
