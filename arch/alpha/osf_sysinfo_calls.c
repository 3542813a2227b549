/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OSF/1's getsysinfo and setsysinfo: floating-point control, handling of unaligned accesses (also by
 * prctl), and the console's facts about the machine. Like Linux, an operation that is not in the tables
 * is EOPNOTSUPP, even if OSF/1 has it.
 *
 * Sources: Linux's uapi/asm/sysinfo.h for Alpha (the numbers) and arch/alpha/kernel/osf_sys.c as seen
 * from user space.
 */
#include <machine/calls.h>

#include <stddef.h>
#include <stdint.h>

#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <machine/cpu.h>
#include <machine/hwrpb.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "floating_control.h"
#include "switch.h"

/* --- floating-point control --- */

/* Shifts of the exceptions that have happened, and of the same six as enabled traps. */
#define HAPPENED_SHIFT 17
#define ENABLED_SHIFT  1
#define EXCEPTIONS     0x3fu

/* SIGFPE's code for each exception, the gravest last. */
static const struct {
	unsigned int bit; /* of EXCEPTIONS */
	int code;
} exception_codes[] = {
	{ 5, FPE_FLTUND }, { 4, FPE_FLTRES }, { 3, FPE_FLTUND },
	{ 2, FPE_FLTOVF }, { 1, FPE_FLTDIV }, { 0, FPE_FLTINV },
};

static uint64_t read_control(void)
{
	struct floating_state state;
	unsigned long interrupts = arch_irq_save();

	fpu_save(&state);
	arch_irq_restore(interrupts);
	return floating_control_of(state.control);
}

static void write_control(uint64_t control)
{
	struct floating_state state;
	unsigned long interrupts = arch_irq_save();

	fpu_save(&state);
	state.control = floating_control_set(state.control, control);
	fpu_load(&state);
	arch_irq_restore(interrupts);
}

/* Records EXCEPTIONS (bits shifted by HAPPENED_SHIFT) as happened, and sends a signal, which may be
 * blocked, for those whose trap is enabled. */
static void raise_exceptions(uint64_t exceptions)
{
	uint64_t control = read_control();
	uint64_t trapping = exceptions >> HAPPENED_SHIFT & control >> ENABLED_SHIFT & EXCEPTIONS;
	struct kernel_siginfo info = { .si_signo = SIGFPE };

	write_control(control | (exceptions & EXCEPTIONS << HAPPENED_SHIFT));
	for (size_t i = 0; i < sizeof(exception_codes) / sizeof(exception_codes[0]); i++)
		if (trapping >> exception_codes[i].bit & 1)
			info.si_code = exception_codes[i].code;
	if (trapping)
		signal_send(task_current(), &info);
}

static long get_control(unsigned long user_buffer, unsigned long size)
{
	uint64_t control = read_control();

	return copy_to_user((void *)user_buffer, &control, sizeof(control));
}

static long set_control(unsigned long user_buffer, unsigned long size)
{
	uint64_t control;

	if (copy_from_user(&control, (const void *)user_buffer, sizeof(control)))
		return -EFAULT;
	write_control(control);
	return 0;
}

static long raise(unsigned long user_buffer, unsigned long size)
{
	uint64_t exceptions;

	if (copy_from_user(&exceptions, (const void *)user_buffer, sizeof(exceptions)))
		return -EFAULT;
	raise_exceptions(exceptions);
	return 0;
}

/* --- unaligned accesses --- */

/* The one name that setsysinfo's pairs of name and value know. */
#define NAME_UNALIGNED 6

static long get_unaligned(unsigned long user_buffer, unsigned long size)
{
	uint32_t control = task_current()->arch.unaligned_control;

	if (size < sizeof(control))
		return -EINVAL;
	return copy_to_user((void *)user_buffer, &control, sizeof(control)) ? -EFAULT : 1;
}

/* SIZE is the number of pairs. The pairs before a wrong one take effect. */
static long set_pairs(unsigned long user_buffer, unsigned long size)
{
	struct {
		uint32_t name, value;
	} pair;

	for (unsigned int i = 0; i < size; i++) {
		if (copy_from_user(&pair, (const void *)(user_buffer + i * sizeof(pair)),
				   sizeof(pair)))
			return -EFAULT;
		if (pair.name != NAME_UNALIGNED)
			return -EOPNOTSUPP;
		task_current()->arch.unaligned_control = pair.value & UNALIGNED_CONTROL;
	}
	return 0;
}

/* --- the machine --- */

static long get_cpu_type(unsigned long user_buffer, unsigned long size)
{
	const struct hwrpb_slot *slot =
		(const struct hwrpb_slot *)((const char *)hwrpb + hwrpb->slots);

	if (size < sizeof(slot->type))
		return -EINVAL;
	return copy_to_user((void *)user_buffer, &slot->type, sizeof(slot->type)) ? -EFAULT : 1;
}

static long get_hwrpb(unsigned long user_buffer, unsigned long size)
{
	if (size > sizeof(*hwrpb))
		return -EINVAL;
	return copy_to_user((void *)user_buffer, hwrpb, size) ? -EFAULT : 1;
}

/* OSF/1's licences of software. Neither Tally nor Linux has any: setting one succeeds. */
static long set_licence(unsigned long user_buffer, unsigned long size)
{
	return 0;
}

/* --- the calls --- */

struct operation {
	unsigned long number;
	long (*perform)(unsigned long user_buffer, unsigned long size);
};

static const struct operation getting[] = {
	{ 8, get_unaligned },
	{ 45, get_control },
	{ 60, get_cpu_type },
	{ 101, get_hwrpb },
};

static const struct operation setting[] = {
	{ 1, set_pairs },
	{ 7, set_licence },
	{ 14, set_control },
	{ 1001, raise }, /* Linux's own */
};

static long perform(const struct operation *operations, size_t count, const unsigned long arg[6])
{
	for (size_t i = 0; i < count; i++)
		if (operations[i].number == arg[0])
			return operations[i].perform(arg[1], arg[2]);
	return -EOPNOTSUPP;
}

long alpha_osf_getsysinfo(const unsigned long arg[6])
{
	return perform(getting, sizeof(getting) / sizeof(getting[0]), arg);
}

long alpha_osf_setsysinfo(const unsigned long arg[6])
{
	return perform(setting, sizeof(setting) / sizeof(setting[0]), arg);
}
