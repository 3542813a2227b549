// SPDX-License-Identifier: BSD-2-Clause
/* test-rings.c: the work of user mode and of the kernel counts in its own ring. */

#include "pmu.h"

static void count_sequences(const struct sequence *s)
{
	for (; s->name; s++) {
		counts_prepare(FIXED_USR);
		measure_user(s->fn, scratch, 2);
		counts_check(counts_read(), s->insns, s->branches, 0, " of user mode", s->name);
		counts_prepare(FIXED_OS);
		measure_user(s->fn, scratch, 2);
		counts_check(counts_read(), s->kernel_insns, s->kernel_branches, s->exceptions,
			     " of the kernel", s->name);
		counts_prepare(FIXED_OS | FIXED_USR);
		measure_user(s->fn, scratch, 2);
		counts_check(counts_read(), s->insns + s->kernel_insns,
			     s->branches + s->kernel_branches, s->exceptions, " of both", s->name);
	}
}

void test_rings(void)
{
	set_gate(0, exact_skip2, 0);
	set_gate(6, exact_skip2, 0);
	set_gate(13, exact_skip2_error, 0);
	set_gate(14, exact_mend, 0);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	set_gate(VECTOR_KERNEL_ONLY, exact_return, 0);
	set_gate(VECTOR_RETURN, exact_return, 3);
	count_sequences(user_sequences);
	count_sequences(config.amd ? sysenter_amd : sysenter_intel);
}
