/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to addresses that are not multiples of their size: the CPU traps, and the kernel does them
 * byte by byte, unless the program has chosen otherwise (osf_sysinfo_calls.c). Each access of a program
 * counts as an alignment fault.
 *
 * PALcode reports the address, the instruction's opcode, and its register; the frame's PC is after the
 * instruction.
 *
 * Source: Alpha Architecture Handbook version 4, II-B section 5.2.5 "Unaligned access faults", I
 * chapter 4.
 */
#include "unaligned.h"

#include <string.h>

#include <arch/mmu.h>
#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/calls.h>
#include <machine/cpu.h>
#include <uapi/linux/perf_event.h>
#include <uapi/linux/prctl.h>
#include <uapi/linux/signal.h>

#include "switch.h"
#include "trap.h"

/* The instructions. F and G format have no rows, because no program of Linux/alpha uses them. */
static const struct access {
	uint8_t opcode, size;
	bool store, floating, single; /* single: S format, in memory 4 bytes */
} accesses[] = {
	{ 0x0c, 2, false, false, false }, /* LDWU */
	{ 0x0d, 2, true, false, false },  /* STW */
	{ 0x22, 4, false, true, true },	  /* LDS */
	{ 0x23, 8, false, true, false },  /* LDT */
	{ 0x26, 4, true, true, true },	  /* STS */
	{ 0x27, 8, true, true, false },	  /* STT */
	{ 0x28, 4, false, false, false }, /* LDL */
	{ 0x29, 8, false, false, false }, /* LDQ */
	{ 0x2c, 4, true, false, false },  /* STL */
	{ 0x2d, 8, true, false, false },  /* STQ */
};

static const struct access *find_access(uint64_t opcode)
{
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++)
		if (accesses[i].opcode == opcode)
			return &accesses[i];
	return NULL;
}

uint64_t *frame_register(struct trap_frame *frame, uint64_t number)
{
	if (number < 16)
		return &frame->r0 + number;
	if (number < 19)
		return &frame->r16 + (number - 16);
	if (number < 29)
		return &frame->r19 + (number - 19);
	return number == 29 ? &frame->r29 : number == 30 ? &frame->sp : NULL;
}

/* Converts S format in memory to a register's value (section 2.2.6.1): widens the exponent. */
static uint64_t widen(uint32_t memory)
{
	uint64_t exponent = memory >> 23 & 0xff, wide;

	if (exponent == 0)
		wide = 0;
	else if (exponent == 0xff)
		wide = 0x7ff;
	else
		wide = exponent - 0x7f + 0x3ff;
	return (uint64_t)(memory >> 31) << 63 | wide << 52 | (uint64_t)(memory & 0x7fffff) << 29;
}

static uint32_t narrow(uint64_t value)
{
	return (uint32_t)(value >> 62 << 30 | (value >> 29 & 0x3fffffff));
}

/* Returns the value to store, from the task's saved floating-point registers or from the frame. */
static uint64_t read_register(struct trap_frame *frame, const struct access *access,
			      uint64_t number)
{
	struct floating_state *fpu = task_current()->arch.fpu;
	const uint64_t *at;

	if (access->floating) {
		uint64_t value = number < 31 ? fpu->f[number] : 0;

		return access->single ? narrow(value) : value;
	}
	at = frame_register(frame, number);
	return at ? *at : 0;
}

static void write_register(struct trap_frame *frame, const struct access *access, uint64_t number,
			   uint64_t value)
{
	struct floating_state *fpu = task_current()->arch.fpu;
	uint64_t *at;

	if (access->floating) {
		if (number < 31)
			fpu->f[number] = access->single ? widen((uint32_t)value) : value;
		return;
	}
	at = frame_register(frame, number);
	if (at)
		*at = access->opcode == 0x28 ? (uint64_t)(int64_t)(int32_t)value : value;
}

/* While interrupts are on, the CPU's floating-point registers may change: work on saved ones. */
static void save_floating(void)
{
	unsigned long state = arch_irq_save();

	fpu_save(task_current()->arch.fpu);
	arch_irq_restore(state);
}

static void load_floating(void)
{
	unsigned long state = arch_irq_save();

	fpu_load(task_current()->arch.fpu);
	arch_irq_restore(state);
}

static void handle_user(struct trap_frame *frame, const struct access *access)
{
	uintptr_t address = frame->cause[0];
	unsigned int control = task_current()->arch.unaligned_control;
	uint64_t value = 0;

	arch_irq_enable();
	hook_unaligned(frame, address);
	if (control & UNALIGNED_SIGBUS) {
		frame->pc -= 4;
		user_exception(frame, SIGBUS, BUS_ADRALN, address);
		return;
	}
	if (control & UNALIGNED_SKIP)
		return;
	if (access->floating)
		save_floating();
	if (access->store)
		value = read_register(frame, access, frame->cause[2]);
	if (access->store ? copy_to_user((void *)address, &value, access->size) :
			    copy_from_user(&value, (const void *)address, access->size)) {
		frame->pc -= 4;
		user_exception(frame, SIGSEGV, SEGV_MAPERR, address);
		return;
	}
	if (access->store)
		return;
	write_register(frame, access, frame->cause[2], value);
	if (access->floating)
		load_floating();
}

/* An access of the kernel, to a structure that others have laid out. */
static void handle_kernel(struct trap_frame *frame, const struct access *access)
{
	void *address = (void *)frame->cause[0];
	uint64_t value = 0;

	if (!arch_kernel_readable(frame->cause[0]) || access->floating)
		panic_at(frame, "unaligned access to 0x%lx in the kernel", frame->cause[0]);
	if (access->store) {
		value = read_register(frame, access, frame->cause[2]);
		memcpy(address, &value, access->size);
	} else {
		memcpy(&value, address, access->size);
		write_register(frame, access, frame->cause[2], value);
	}
}

void unaligned_handle(struct trap_frame *frame)
{
	const struct access *access = find_access(frame->cause[1]);
	bool user = arch_frame_is_user(frame);

	if (!access && !user)
		panic_at(frame, "unaligned access to 0x%lx in the kernel, opcode 0x%lx",
			 frame->cause[0], frame->cause[1]);
	if (!access) {
		/* The instruction is a load-locked or store-conditional, whose address must be aligned. */
		frame->pc -= 4;
		arch_irq_enable();
		user_exception(frame, SIGBUS, BUS_ADRALN, frame->cause[0]);
	} else if (user) {
		handle_user(frame, access);
	} else {
		handle_kernel(frame, access);
	}
}

/* --- prctl --- */

/* prctl's numbers for the controls: the third is Alpha's own. */
#define PR_UNALIGN_SKIP 4

static const struct {
	uint8_t option, control;
} unalign_bits[] = {
	{ PR_UNALIGN_NOPRINT, UNALIGNED_QUIET },
	{ PR_UNALIGN_SIGBUS, UNALIGNED_SIGBUS },
	{ PR_UNALIGN_SKIP, UNALIGNED_SKIP },
};

/* Returns the chosen options. Linux always returns 0, because it masks the result. */
long alpha_get_unalign(const unsigned long arg[4])
{
	int32_t chosen = 0;

	for (size_t i = 0; i < sizeof(unalign_bits) / sizeof(unalign_bits[0]); i++)
		if (task_current()->arch.unaligned_control & unalign_bits[i].control)
			chosen |= unalign_bits[i].option;
	return copy_to_user((void *)arg[0], &chosen, sizeof(chosen));
}

long alpha_set_unalign(const unsigned long arg[4])
{
	uint8_t control = 0;

	for (size_t i = 0; i < sizeof(unalign_bits) / sizeof(unalign_bits[0]); i++)
		if (arg[0] & unalign_bits[i].option)
			control |= unalign_bits[i].control;
	task_current()->arch.unaligned_control = control;
	return 0;
}
