/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracer's view of a stopped task's registers, in Linux's layouts: user_regs_struct, the FXSAVE area,
 * the XSAVE area, and struct user around the first; and single-stepping by the trap flag. See
 * <arch/ptrace.h>. Sources: Linux's asm/user_64.h; SDM vol. 1 chapter 13 for XSAVE areas.
 *
 * Unlike in Linux, all programs have the same selectors: writing another value is EIO. Debug registers
 * are in ptrace_debug.c.
 */
#include <arch/ptrace.h>

#include <string.h>

#include <arch/task.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/cpu.h>
#include <machine/mmu.h>
#include <machine/msr.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>

#include "features.h"
#include "fpu.h"
#include "ptrace_debug.h"

/* Bits of RFLAGS that a tracer may change: CF PF AF ZF SF TF DF OF NT RF AC. */
#define FLAGS_OF_TRACER 0x54dd5
/* The requested privilege level of user selectors. */
#define RPL_USER	3

/* Words of user_regs_struct. */
enum user_register {
	USER_ORIG_RAX = 15,
	USER_RIP,
	USER_CS,
	USER_RFLAGS,
	USER_RSP,
	USER_SS,
	USER_FS_BASE,
	USER_GS_BASE,
	USER_DS,
	USER_ES,
	USER_FS,
	USER_GS,
	USER_REGISTERS
};

/* Linux's struct user: the registers, other fields, eight debug registers, two more words. */
#define USER_SIZE	 928
#define USER_DEBUG	 848
#define USER_DEBUG_END	 912

/* Offsets in the XSAVE area: SDM vol. 1, 10.5.1 and 13.4. */
#define AREA_MXCSR	 24
#define AREA_MXCSR_MASK	 28
#define AREA_X87	 32  /* eight registers of 16 bytes */
#define AREA_XMM	 160 /* sixteen */
#define AREA_SOFTWARE	 464
#define AREA_HEADER	 512
#define AREA_HEADER_SIZE 64
#define LEGACY_SIZE	 512
#define MXCSR_MASK_OLD	 0xffbf
#define STATE_X87	 0x1 /* bits of XCR0 */
#define STATE_SSE	 0x2
#define STATES		 63
#define CPUID_XSAVE	 0xd

_Static_assert(offsetof(struct trap_frame, r15) == 0 && offsetof(struct trap_frame, rdi) == 14 * 8,
	       "the first 15 words are the same in user_regs_struct");

static bool is_plain(unsigned int word)
{
	return word < USER_ORIG_RAX || word == USER_RSP || word == USER_RIP;
}

static uint64_t *plain_register(struct trap_frame *frame, unsigned int word)
{
	if (word == USER_RIP)
		return &frame->rip;
	return word == USER_RSP ? &frame->rsp : (uint64_t *)frame + word;
}

bool arch_ptrace_call_begins_with_result(void)
{
	return true;
}

bool arch_ptrace_stops_at_handler(void)
{
	return true;
}

long arch_ptrace_call(const struct trap_frame *frame)
{
	return frame->vector == VECTOR_SYSCALL ? (long)frame->error : -1;
}

uint32_t arch_ptrace_isa(void)
{
	return AUDIT_ARCH_X86_64;
}

static uint64_t get_register(struct task *task, unsigned int word)
{
	struct trap_frame *frame = arch_task_user_frame(task);

	if (is_plain(word))
		return *plain_register(frame, word);
	switch (word) {
	case USER_ORIG_RAX:
		return (uint64_t)arch_ptrace_call(frame);
	case USER_RFLAGS:
		return task->arch.stepped ? frame->rflags & ~X86_FLAGS_TRAP : frame->rflags;
	case USER_CS:
		return SELECTOR_USER_CODE;
	case USER_SS:
		return SELECTOR_USER_DATA;
	case USER_FS_BASE:
		return task->arch.fs_base;
	case USER_GS_BASE:
		return task->arch.gs_base;
	default:
		return 0;
	}
}

static void set_call(struct trap_frame *frame, uint64_t number)
{
	if (frame->vector != VECTOR_SYSCALL && number == (uint64_t)-1)
		return;
	frame->vector = VECTOR_SYSCALL;
	frame->error = number;
}

static void set_flags(struct task *task, struct trap_frame *frame, uint64_t flags)
{
	/* A trap flag that the program set itself survives the end of stepping. */
	if (flags & X86_FLAGS_TRAP)
		task->arch.stepped = false;
	else if (task->arch.stepped)
		flags |= X86_FLAGS_TRAP;
	frame->rflags = (frame->rflags & ~(uint64_t)FLAGS_OF_TRACER) | (flags & FLAGS_OF_TRACER);
}

static int set_register(struct task *task, unsigned int word, uint64_t value)
{
	struct trap_frame *frame = arch_task_user_frame(task);

	if (is_plain(word)) {
		*plain_register(frame, word) = value;
		return 0;
	}
	switch (word) {
	case USER_ORIG_RAX:
		set_call(frame, value);
		return 0;
	case USER_RFLAGS:
		set_flags(task, frame, value);
		return 0;
	case USER_FS_BASE:
	case USER_GS_BASE:
		if (value >= USER_END)
			return -EIO;
		*(word == USER_FS_BASE ? &task->arch.fs_base : &task->arch.gs_base) = value;
		return 0;
	default:
		return (uint16_t)value == get_register(task, word) ? 0 : -EIO;
	}
}

int arch_ptrace_peek_user(struct task *task, unsigned long offset, unsigned long *value)
{
	if (offset % sizeof(uint64_t) || offset >= USER_SIZE)
		return -EIO;
	unsigned long word = offset / sizeof(uint64_t);

	if (word < USER_REGISTERS)
		*value = get_register(task, (unsigned int)word);
	else if (offset >= USER_DEBUG && offset < USER_DEBUG_END)
		*value = ptrace_debug_get(task, (unsigned int)((offset - USER_DEBUG) / 8));
	else
		*value = 0;
	return 0;
}

int arch_ptrace_poke_user(struct task *task, unsigned long offset, unsigned long value)
{
	if (offset % sizeof(uint64_t) || offset >= USER_SIZE)
		return -EIO;
	if (offset < USER_REGISTERS * sizeof(uint64_t))
		return set_register(task, (unsigned int)(offset / sizeof(uint64_t)), value);
	if (offset < USER_DEBUG || offset >= USER_DEBUG_END)
		return -EIO;
	return ptrace_debug_set(task, (unsigned int)((offset - USER_DEBUG) / 8), value);
}

long arch_ptrace_give_word(unsigned long word, unsigned long data)
{
	return copy_to_user((void *)data, &word, sizeof(word));
}

static size_t registers_size(void)
{
	return USER_REGISTERS * sizeof(uint64_t);
}

static void get_registers(struct task *task, void *buffer)
{
	uint64_t *words = buffer;

	for (unsigned int i = 0; i < USER_REGISTERS; i++)
		words[i] = get_register(task, i);
}

static int set_registers(struct task *task, void *buffer, size_t size)
{
	const uint64_t *words = buffer;
	int error = 0;

	for (unsigned int i = 0; i < size / sizeof(uint64_t) && !error; i++)
		error = set_register(task, i, words[i]);
	return error;
}

static uint64_t states_in_use(const unsigned char *area)
{
	uint64_t states = STATE_X87 | STATE_SSE;

	if (cpu_features.xsave)
		memcpy(&states, area + AREA_HEADER, sizeof(states));
	return states;
}

/* Writes the initial value of each state that AREA does not hold. */
static void fill_initial(unsigned char *area)
{
	uint64_t missing = ~states_in_use(area);

	if (missing & STATE_X87) {
		uint32_t mxcsr[2];

		memcpy(mxcsr, area + AREA_MXCSR, sizeof(mxcsr));
		fpu_init_legacy(area);
		memcpy(area + AREA_MXCSR, mxcsr, sizeof(mxcsr));
		memset(area + AREA_X87, 0, AREA_XMM - AREA_X87);
	}
	if (missing & STATE_SSE)
		memset(area + AREA_XMM, 0, AREA_SOFTWARE - AREA_XMM);
	for (unsigned int i = 2; i < STATES && cpu_features.xsave; i++) {
		if (!(cpu_features.xsave_mask & missing & (uint64_t)1 << i))
			continue;
		/* The state's size is in eax, its offset in ebx: SDM vol. 2A, CPUID. */
		struct cpuid state = cpuid_read(CPUID_XSAVE, i);

		memset(area + state.ebx, 0, state.eax);
	}
}

static size_t legacy_size(void)
{
	return LEGACY_SIZE;
}

static void get_state(struct task *task, void *buffer)
{
	memcpy(buffer, task->arch.fpu, fpu_size());
	fill_initial(buffer);
	memset((char *)buffer + AREA_SOFTWARE, 0, AREA_HEADER - AREA_SOFTWARE);
	/* Debuggers look here for the list of states. */
	memcpy((char *)buffer + AREA_SOFTWARE, &cpu_features.xsave_mask,
	       sizeof(cpu_features.xsave_mask));
}

static void get_legacy(struct task *task, void *buffer)
{
	unsigned char *area = task->arch.fpu;

	/* The task is stopped: its own saved area may be completed in place. */
	fill_initial(area);
	memcpy(buffer, area, AREA_SOFTWARE);
}

/* Returns whether the CPU can load AREA's MXCSR. */
static bool is_mxcsr_valid(const struct task *task, const unsigned char *area)
{
	uint32_t mxcsr, mask;

	memcpy(&mask, (const char *)task->arch.fpu + AREA_MXCSR_MASK, sizeof(mask));
	memcpy(&mxcsr, area + AREA_MXCSR, sizeof(mxcsr));
	return !(mxcsr & ~(mask ? mask : MXCSR_MASK_OLD));
}

static int set_legacy(struct task *task, void *buffer, size_t size)
{
	unsigned char *area = task->arch.fpu;
	uint64_t states = states_in_use(area) | STATE_X87 | STATE_SSE;
	uint32_t mask;

	if (size != LEGACY_SIZE || !is_mxcsr_valid(task, buffer))
		return -EINVAL;
	memcpy(&mask, area + AREA_MXCSR_MASK, sizeof(mask));
	memcpy(area, buffer, AREA_SOFTWARE);
	memcpy(area + AREA_MXCSR_MASK, &mask, sizeof(mask));
	if (cpu_features.xsave)
		memcpy(area + AREA_HEADER, &states, sizeof(states));
	return 0;
}

static int set_state(struct task *task, void *buffer, size_t size)
{
	unsigned char *new = buffer;
	uint32_t mask;

	if (size != fpu_size())
		return -EFAULT;
	if ((states_in_use(new) & ~cpu_features.xsave_mask) || !is_mxcsr_valid(task, new))
		return -EINVAL;
	for (size_t i = sizeof(uint64_t); i < AREA_HEADER_SIZE; i++)
		if (new[AREA_HEADER + i])
			return -EINVAL;
	memcpy(&mask, (char *)task->arch.fpu + AREA_MXCSR_MASK, sizeof(mask));
	memset(new + AREA_SOFTWARE, 0, AREA_HEADER - AREA_SOFTWARE);
	memcpy(new + AREA_MXCSR_MASK, &mask, sizeof(mask));
	memcpy(task->arch.fpu, new, size);
	return 0;
}

static const struct register_set sets[] = {
	{ NT_PRSTATUS, registers_size, get_registers, set_registers },
	{ NT_PRFPREG, legacy_size, get_legacy, set_legacy },
	{ NT_X86_XSTATE, fpu_size, get_state, set_state },
};

const struct register_set *arch_register_set(unsigned int type)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
		if (sets[i].type == type && (type != NT_X86_XSTATE || cpu_features.xsave))
			return &sets[i];
	return NULL;
}

void arch_ptrace_set_step(struct task *task, bool on)
{
	struct trap_frame *frame = arch_task_user_frame(task);

	if (on && !(frame->rflags & X86_FLAGS_TRAP)) {
		frame->rflags |= X86_FLAGS_TRAP;
		task->arch.stepped = true;
	} else if (!on && task->arch.stepped) {
		frame->rflags &= ~X86_FLAGS_TRAP;
		task->arch.stepped = false;
	}
}
