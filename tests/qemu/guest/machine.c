// SPDX-License-Identifier: BSD-2-Clause
/* machine.c: traps, the local APIC, and the other CPUs. */

#include "guest.h"

#define NR_VECTORS	 256
#define TRAP_ENTRY_SIZE	 16
#define GATE_INTERRUPT	 0x8e00
#define TSS_AVAILABLE	 0x89
#define MSR_SYSENTER_CS	 0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_STAR	 0xc0000081
#define MSR_LSTAR	 0xc0000082
#define MSR_FMASK	 0xc0000084
#define APIC_SPURIOUS	 0xf0
#define APIC_ENABLE	 0x1ff
#define ICR_INIT	 0x4500
#define ICR_STARTUP	 (0x4600 | TRAMPOLINE >> 12)
#define AP_STACK_SIZE	 8192
#define MAX_CPUS	 64

struct gate {
	uint16_t offset_low, selector, type, offset_middle;
	uint32_t offset_high, zero;
};

static struct gate idt[NR_VECTORS];
static void (*handlers[NR_VECTORS])(struct frame *);
static struct {
	uint32_t reserved;
	uint64_t rsp[3], reserved2, ist[7];
	uint64_t reserved3;
	uint16_t reserved4, iomap;
} __attribute__((packed)) tss;

extern char trap_entries[], kernel_stack_top[], trampoline[], trampoline_end[];
extern uint64_t gdt[];

/* Messages to and from the other CPUs. */
static uint8_t ap_stacks[MAX_CPUS][AP_STACK_SIZE] __attribute__((aligned(16)));
uint32_t ap_stack;
static volatile unsigned int cpus_here = 1;
static void (*volatile work)(unsigned int cpu);
static volatile unsigned int work_round, work_done, work_only;

#define ALL_CPUS 0

static void load_idt(void)
{
	struct {
		uint16_t limit;
		uint64_t base;
	} __attribute__((packed)) pointer = { sizeof(idt) - 1, (uintptr_t)idt };

	__asm__ volatile("lidt %0" ::"m"(pointer));
}

void set_gate(unsigned int vector, void (*entry)(void), unsigned int dpl)
{
	uintptr_t to = (uintptr_t)entry;

	if (!entry)
		to = (uintptr_t)trap_entries + (uintptr_t)vector * TRAP_ENTRY_SIZE;
	idt[vector] = (struct gate){ (uint16_t)to,
				     CODE64,
				     (uint16_t)(GATE_INTERRUPT | dpl << 13),
				     (uint16_t)(to >> 16),
				     (uint32_t)(to >> 32),
				     0 };
}

void on_trap(unsigned int vector, void (*handler)(struct frame *))
{
	handlers[vector] = handler;
}

void exact_gates(bool set)
{
	set_gate(VECTOR_DE, set ? exact_skip2 : NULL, 0);
	set_gate(VECTOR_DB, set ? exact_return : NULL, 0);
	set_gate(VECTOR_UD, set ? exact_skip2 : NULL, 0);
	set_gate(VECTOR_GP, set ? exact_skip2_error : NULL, 0);
	set_gate(VECTOR_PF, set ? exact_mend : NULL, 0);
	if (!set)
		return;
	set_gate(VECTOR_BP, exact_return, 3);
	set_gate(VECTOR_TIMER, exact_tick, 0);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	set_gate(VECTOR_KERNEL_ONLY, exact_return, 0);
	set_gate(VECTOR_RETURN, exact_return, 3);
}

void trap(struct frame *f);
void trap(struct frame *f)
{
	if (!handlers[f->vector])
		fatal("unexpected trap %u, error %x, at %x, cs %x", f->vector, f->error, f->rip,
		      f->cs);
	handlers[f->vector](f);
}

/* The attempts to use a register: 2 bytes are skipped if they fault. */
static volatile bool faulted;

static void skip(struct frame *f)
{
	faulted = true;
	f->rip += 2;
}

static bool attempt_end(void)
{
	bool result = faulted;

	on_trap(VECTOR_GP, NULL);
	faulted = false;
	return result;
}

bool wrmsr_faults(uint32_t index, uint64_t value)
{
	on_trap(VECTOR_GP, skip);
	wrmsr(index, value);
	return attempt_end();
}

bool rdmsr_faults(uint32_t index, uint64_t *value)
{
	on_trap(VECTOR_GP, skip);
	*value = rdmsr(index);
	return attempt_end();
}

bool rdpmc_faults(uint32_t index, uint64_t *value)
{
	on_trap(VECTOR_GP, skip);
	*value = rdpmc(index);
	return attempt_end();
}

void guest_ap_main(void);
void guest_ap_main(void)
{
	unsigned int cpu = cpus_here;
	unsigned int seen = work_round;

	load_idt();
	*apic_register(APIC_SPURIOUS) = APIC_ENABLE;
	cpus_here = cpu + 1;
	/* The next one may come: CPUs start one after another, because they share ap_stack. */
	for (;;) {
		while (work_round == seen)
			__asm__ volatile("pause");
		seen = work_round;
		if (work_only == ALL_CPUS || work_only == cpu) {
			work(cpu);
			__atomic_fetch_add(&work_done, 1, __ATOMIC_SEQ_CST);
		}
	}
}

/* Sends INIT and STARTUP to a CPU, by its APIC number, which is its number on this machine. */
static void start_cpu(unsigned int cpu)
{
	cpus_here = cpu;
	ap_stack = (uint32_t)(uintptr_t)ap_stacks[cpu] + AP_STACK_SIZE;
	*apic_register(APIC_ICR + 0x10) = cpu << 24;
	*apic_register(APIC_ICR) = ICR_INIT;
	*apic_register(APIC_ICR + 0x10) = cpu << 24;
	*apic_register(APIC_ICR) = ICR_STARTUP;
	while (cpus_here == cpu)
		__asm__ volatile("pause");
}

static void start_others(void)
{
	for (char *from = trampoline, *to = (char *)TRAMPOLINE; from < trampoline_end;)
		*to++ = *from++;
	for (unsigned int cpu = 1; cpu < config.cpus; cpu++)
		start_cpu(cpu);
}

void restart_last_cpu(void)
{
	start_cpu((unsigned int)config.cpus - 1);
}

static void start_work(void (*fn)(unsigned int cpu), unsigned int only)
{
	work = fn;
	work_only = only;
	work_done = 0;
	work_round++;
}

unsigned int run_on_others(void (*fn)(unsigned int cpu))
{
	for (unsigned int cpu = 1; cpu < config.cpus; cpu++) {
		start_work(fn, cpu);
		while (!work_done)
			__asm__ volatile("pause");
	}
	return config.cpus - 1;
}

void run_on_all(void (*fn)(unsigned int cpu))
{
	start_work(fn, ALL_CPUS);
	fn(0);
	while (work_done < config.cpus - 1)
		__asm__ volatile("pause");
}

void machine_init(void)
{
	uintptr_t base = (uintptr_t)&tss;

	for (unsigned int i = 0; i < NR_VECTORS; i++)
		set_gate(i, NULL, 0);
	load_idt();
	tss.rsp[0] = (uintptr_t)kernel_stack_top;
	gdt[TSS / 8] = (sizeof(tss) - 1) | (base & 0xffffff) << 16 | (uint64_t)TSS_AVAILABLE << 40 |
		       (base >> 24 & 0xff) << 56;
	gdt[TSS / 8 + 1] = base >> 32;
	__asm__ volatile("ltr %w0" ::"r"(TSS));
	wrmsr(MSR_SYSENTER_CS, CODE64);
	wrmsr(MSR_SYSENTER_ESP, (uintptr_t)kernel_stack_top);
	wrmsr(MSR_SYSENTER_EIP, (uintptr_t)exact_sysexit);
	wrmsr(MSR_STAR, (uint64_t)USER_BASE << 48 | (uint64_t)CODE64 << 32);
	wrmsr(MSR_LSTAR, (uintptr_t)exact_sysret);
	wrmsr(MSR_FMASK, 0x200);
	/* No legacy interrupts. */
	__asm__ volatile("outb %0, $0x21\n\toutb %0, $0xa1" ::"a"((uint8_t)0xff));
	*apic_register(APIC_SPURIOUS) = APIC_ENABLE;
	start_others();
}
