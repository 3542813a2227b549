/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of a sampling event, for the observing programs. */
#ifndef TESTS_SAMPLING_H
#define TESTS_SAMPLING_H

#include "observe.h"

/* User instructions of this task, disabled, with a sample every PERIOD. */
static inline void attr_sampling(union attr *attr, uint64_t period, uint64_t sample_type)
{
	attr_instructions(attr);
	attr->fields.sample_period = period;
	attr->fields.sample_type = sample_type;
}

#endif
