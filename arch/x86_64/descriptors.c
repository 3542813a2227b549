/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptor tables: segments, task states, the interrupt table.
 *
 * Each CPU has its own segments and task state, because the CPU marks a task state as busy in the table
 * that holds its descriptor. All CPUs share the interrupt table.
 *
 * Invariant that entry.S relies on: the word just above the first byte that an interrupt stack of the
 * IST uses is the address of the CPU's struct cpu_local.
 *
 * Sources: SDM vol. 3A 3.4.5 "Segment Descriptors", 6.11 "IDT Descriptors", 7.7 "Task Management in
 * 64-bit Mode".
 */
#include <machine/trap.h>

#include <arch/mmu.h>
#include <kernel/base/cpu.h>
#include <kernel/mm/kernel_stacks.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <uapi/linux/errno.h>

#include "features.h"

enum interrupt_stack { STACK_NMI, STACK_DOUBLE_FAULT, STACK_MACHINE_CHECK, STACK_DEBUG, STACKS };

struct task_state {
	uint32_t reserved0;
	uint64_t rsp[3];
	uint64_t reserved1;
	uint64_t ist[7];
	uint64_t reserved2;
	uint16_t reserved3;
	uint16_t io_map;
} __attribute__((packed));

/* Number of descriptors. An index is the selector of <machine/task.h> without its privilege bits,
 * divided by 8. The task state's descriptor takes two. */
#define SEGMENTS 10

struct cpu_tables {
	uint64_t segments[SEGMENTS];
	struct task_state task_state;
} CACHE_ALIGNED;

static PERCPU(struct cpu_tables, tables);

struct gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t stack;
	uint8_t type;
	uint16_t offset_middle;
	uint32_t offset_high;
	uint32_t reserved;
};

static struct gate gates[256];

struct table_pointer {
	uint16_t limit;
	uint64_t base;
} __attribute__((packed));

/* The boot CPU's interrupt stacks until there is an allocator, one after another. */
#define EARLY_STACK_SIZE 4096
static uint8_t early_stacks[STACKS][EARLY_STACK_SIZE] __attribute__((aligned(16)));

/* Descriptor bits: type, S, DPL, P in 40 … 47; L in 53. */
#define DESCRIPTOR_KERNEL_CODE 0x00af9b000000ffff
#define DESCRIPTOR_KERNEL_DATA 0x00cf93000000ffff
#define DESCRIPTOR_USER_DATA   0x00cff3000000ffff
#define DESCRIPTOR_USER_CODE   0x00affb000000ffff
#define DESCRIPTOR_TASK_STATE  0x0000890000000000

#define GATE_INTERRUPT	       0x8e
#define GATE_INTERRUPT_USER    0xee /* a program may raise it by INT n */

static const struct {
	uint8_t vector;
	enum interrupt_stack stack;
} vector_stacks[] = {
	{ VECTOR_NMI, STACK_NMI },
	{ VECTOR_DOUBLE_FAULT, STACK_DOUBLE_FAULT },
	{ VECTOR_MACHINE_CHECK, STACK_MACHINE_CHECK },
	{ VECTOR_DEBUG, STACK_DEBUG },
};

extern const char trap_stubs[];

void descriptors_init(void)
{
	for (unsigned int vector = 0; vector < 256; vector++) {
		uintptr_t stub = (uintptr_t)trap_stubs + vector * TRAP_STUB_SIZE;

		gates[vector] = (struct gate){
			.offset_low = (uint16_t)stub,
			.offset_middle = (uint16_t)(stub >> 16),
			.offset_high = (uint32_t)(stub >> 32),
			.selector = SELECTOR_KERNEL_CODE,
			.type = GATE_INTERRUPT,
		};
	}
	gates[VECTOR_BREAKPOINT].type = GATE_INTERRUPT_USER;
	gates[VECTOR_OVERFLOW].type = GATE_INTERRUPT_USER;
	for (size_t i = 0; i < sizeof vector_stacks / sizeof *vector_stacks; i++)
		gates[vector_stacks[i].vector].stack = (uint8_t)(vector_stacks[i].stack + 1);
}

static void set_interrupt_stack(unsigned int cpu, enum interrupt_stack which, void *base,
				size_t size)
{
	/* 16 bytes for one word: the CPU aligns the stack to 16. */
	uintptr_t top = (uintptr_t)base + size - 16;

	*(struct cpu_local **)top = &cpu_locals[cpu];
	tables[cpu].task_state.ist[which] = top;
}

int descriptors_alloc_stacks(unsigned int cpu)
{
	for (enum interrupt_stack i = 0; i < STACKS; i++) {
		void *base = kernel_stack_alloc();

		if (!base)
			return -ENOMEM;
		set_interrupt_stack(cpu, i, base, KERNEL_STACK_SIZE);
	}
	return 0;
}

void descriptors_load(unsigned int cpu)
{
	struct cpu_tables *own = &tables[cpu];
	uint64_t state = (uintptr_t)&own->task_state;
	uint64_t *segments = own->segments;

	if (cpu == 0)
		for (enum interrupt_stack i = 0; i < STACKS; i++)
			set_interrupt_stack(cpu, i, early_stacks[i], EARLY_STACK_SIZE);

	segments[SELECTOR_KERNEL_CODE / 8] = DESCRIPTOR_KERNEL_CODE;
	segments[SELECTOR_KERNEL_DATA / 8] = DESCRIPTOR_KERNEL_DATA;
	segments[SELECTOR_USER_DATA / 8] = DESCRIPTOR_USER_DATA;
	segments[SELECTOR_USER_CODE / 8] = DESCRIPTOR_USER_CODE;
	segments[SELECTOR_TSS / 8] = DESCRIPTOR_TASK_STATE | (sizeof own->task_state - 1) |
				     (state & 0xffffff) << 16 | (state & 0xff000000) << 32;
	segments[SELECTOR_TSS / 8 + 1] = state >> 32;
	own->task_state.io_map = sizeof own->task_state;

	struct table_pointer gdt = { sizeof own->segments - 1, (uintptr_t)segments };
	struct table_pointer idt = { sizeof gates - 1, (uintptr_t)gates };

	/* The boot code's selectors have the same numbers: the code segment need not be loaded again. */
	__asm__ volatile("lgdt %0" : : "m"(gdt));
	__asm__ volatile("lidt %0" : : "m"(idt));
	/* A CPU starts with a local table of 64 KiB at address 0. Load the null selector: there is no
	 * local table. */
	__asm__ volatile("lldt %w0" : : "r"(0));
	__asm__ volatile("movl %0, %%ss" : : "r"(SELECTOR_KERNEL_DATA));
	__asm__ volatile("movl %0, %%ds; movl %0, %%es; movl %0, %%fs; movl %0, %%gs" : : "r"(0));
	__asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS));
	msr_write(MSR_GS_BASE, (uintptr_t)&cpu_locals[cpu]);
	msr_write(MSR_KERNEL_GS_BASE, 0);
	/* RDTSCP gives programs this number: CPU, of node 0. */
	if (cpu_features.rdtscp)
		msr_write(MSR_TSC_AUX, cpu);
}

static bool overlap(uintptr_t first, uintptr_t last, uintptr_t start, size_t size)
{
	return first < start + size && last >= start;
}

bool descriptors_overlap(uintptr_t first, uintptr_t last)
{
	if (overlap(first, last, (uintptr_t)gates, sizeof(gates)) ||
	    overlap(first, last, (uintptr_t)tables, sizeof(tables)) ||
	    overlap(first, last, (uintptr_t)early_stacks, sizeof(early_stacks)))
		return true;
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		for (enum interrupt_stack i = 0; i < STACKS; i++) {
			uintptr_t top = tables[cpu].task_state.ist[i] + 16;

			if (overlap(first, last, top - KERNEL_STACK_SIZE, KERNEL_STACK_SIZE))
				return true;
		}
	return false;
}

void descriptors_set_kernel_stack(uintptr_t top)
{
	struct cpu_local *local = &cpu_locals[cpu_id()];

	local->kernel_stack = top;
	tables[local->id].task_state.rsp[0] = top;
}

bool descriptors_on_nmi_stack(uintptr_t address)
{
	uintptr_t top = tables[arch_cpu_id()].task_state.ist[STACK_NMI];

	return address <= top && top - address < KERNEL_STACK_SIZE;
}
