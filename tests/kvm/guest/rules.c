// SPDX-License-Identifier: BSD-2-Clause
/*
 * rules.c: a guest that prints what AMD's counters do, a line "RULE: NUMBER" for each rule of docs/kvm.md.
 *
 * It judges nothing: tests/kvm/rules.t runs it on the emulated CPU and as a guest of KVM there, and compares both
 * with the document. It takes AMD's PMU of any generation, and one CPU or two. It is the machine of tests/qemu/guest with other work. A count is what remains above that of an empty
 * function, unless the rule says otherwise.
 */
#include "guest.h"

/* APM vol. 2, 13.2.1: the registers of the core performance extensions, the legacy ones, and those of PerfMonV2. */
#define PERF_CTL(i)	(has_core ? 0xc0010200 + 2 * (i) : 0xc0010000 + (i))
#define PERF_CTR(i)	(has_core ? 0xc0010201 + 2 * (i) : 0xc0010004 + (i))
#define GLOBAL_STATUS	0xc0000300
#define GLOBAL_CTL	0xc0000301
#define STATUS_CLEAR	0xc0000302
#define STATUS_SET	0xc0000303
#define STATUS_FREEZE	(1ull << 59)
#define DEBUG_CTL	0x1d9
#define DEBUG_FREEZE	(1ull << 12)
#define LEAF_FEATURES	0x1
#define LEAF_EXTENDED	0x80000000
#define LEAF_AMD	0x80000001
#define LEAF_PERFMON	0x80000022
#define AMD_CORE	(1u << 23) /* of ECX */
#define SEVERAL_CPUS	(1u << 28) /* of EDX */
#define CTL_RINGS	(3ull << 16)
#define CTL_USER	(1ull << 16)
#define CTL_EDGE	(1ull << 18)
#define CTL_INT		(1ull << 20)
#define CTL_ENABLE	(1ull << 22)
#define CTL_INVERT	(1ull << 23)
#define CTL_CMASK(n)	((uint64_t)(n) << 24)
#define CTL_GUEST_ONLY	(1ull << 40)
#define CTL_HOST_ONLY	(1ull << 41)
#define CTL_RESERVED	(1ull << 19)
#define CTL_RESERVED_HI (1ull << 42)
#define INSTRUCTIONS	0xc0
#define BRANCHES	0xc2
#define CYCLES		0x76
#define INTERRUPTS	(has_core ? 0x2c : 0xcf)
#define WIDTH_MASK	((1ull << 48) - 1)
#define MSR_MPERF	0xe7
#define MSR_IRPERF	0xc00000e9
#define EXIT_PORT	0xf4
#define COM2		0x2f8
#define ENDED		0x20 /* what Tally's kernel writes to the exit device */
#define PMI_NOPS	1000
#define PMI_CPUIDS	50

/* Memory that nothing has touched, in which each page is a fault of the nested tables. */
#define FRESH		0x2000000

struct config config;

/* Six counters or more, with registers of their own; global registers. */
static bool has_core, has_global;

/* A function of REPEAT times TEXT and a RET. */
#define WORK(name, repeat, text)                                          \
	extern char name[];                                               \
	__asm__(".pushsection .text\n" #name ": .rept " #repeat "\n" text \
		"\n.endr\nret\n.popsection")

WORK(empty, 0, "nop");
WORK(nops, 2000, "nop");
WORK(branches, 100, "jmp 1f\n1:");
WORK(cpuids, 100, "cpuid");
WORK(rdpmcs, 100, "xorl %ecx, %ecx\nrdpmc");
WORK(rdmsrs, 100, "movl $0xc0010005, %ecx\nrdmsr");
WORK(wrmsrs, 100, "movl $0xc0010005, %ecx\nwrmsr");
WORK(free_wrmsrs, 100, "movl $0x174, %ecx\nmovl $0x10, %eax\nxorl %edx, %edx\nwrmsr");
WORK(rdtscs, 100, "rdtsc");
WORK(pauses, 100, "pause");
WORK(outs, 100, "outb %al, $0x80");
WORK(ins, 100, "inb $0x80, %al");
WORK(apic_reads, 100, "movl 0x7fc00030, %eax");
WORK(fresh_pages, 64, "movl %eax, (%rdi)\naddq $4096, %rdi");
WORK(string_out, 1, "movl $0x80, %edx\nmovl $100, %ecx\ncld\nrep outsb");
WORK(wbinvds, 10, "wbinvd");
WORK(cr0_writes, 100, "movq %cr0, %rax\nmovq %rax, %cr0");
WORK(cr3_writes, 100, "movq %cr3, %rax\nmovq %rax, %cr3");
WORK(breakpoints, 100, "movq %rax, %dr0");
WORK(self_interrupts, 10, "movl $0x40030, 0x7fc00300\nsti\nnop\nnop\ncli");
WORK(pmi_cpuids, 100, "cpuid");
WORK(user_nops, 1, ".rept 100\nnop\n.endr\nint $0x40");

static void *fresh_from = (void *)FRESH;

void console_put(char c)
{
	uint8_t status;

	do
		__asm__ volatile("inb %1, %0" : "=a"(status) : "Nd"((uint16_t)(COM1 + COM_STATUS)));
	while (!(status & COM_CAN_SEND));
	__asm__ volatile("outb %0, %1" ::"a"(c), "Nd"((uint16_t)COM1));
}

_Noreturn void power_off(enum outcome outcome)
{
	const char *line = outcome == OUTCOME_PASSED ? "tally: exit status 0\n" :
						       "tally: exit status 1\n";

	for (; *line; line++)
		__asm__ volatile("outb %0, %1" ::"a"(*line), "Nd"((uint16_t)COM2));
	for (;;)
		__asm__ volatile("outl %0, %1" ::"a"(ENDED), "Nd"((uint16_t)EXIT_PORT));
}

/* The register whose write begins and ends a count: PERF_CTL0, or GLOBAL_CTL. */
static uint32_t switch_register;

/* The count of the selection CTL while WORK runs, from FIRST on. */
static uint64_t count_from(uint64_t first, uint64_t ctl, const char *work)
{
	measure_switch = switch_register;
	global_enable = switch_register == GLOBAL_CTL ? 1 : ctl | CTL_ENABLE;
	global_disable = 0;
	wrmsr(PERF_CTL(0), 0);
	wrmsr(PERF_CTR(0), first);
	if (switch_register == GLOBAL_CTL) {
		wrmsr(GLOBAL_CTL, 0);
		wrmsr(PERF_CTL(0), ctl | CTL_ENABLE);
	}
	measure((void (*)(void *))(uintptr_t)work, fresh_from);
	return rdmsr(PERF_CTR(0));
}

static uint64_t count(uint64_t ctl, const char *work)
{
	return count_from(0, ctl, work);
}

static void say(const char *rule, uint64_t number)
{
	print("%s: %u\n", rule, number);
}

static const struct {
	const char *rule;
	const char *work;
} works[] = {
	{ "2,000 NOP", nops },
	{ "100 JMP", branches },
	{ "100 CPUID", cpuids },
	{ "100 RDTSC", rdtscs },
	{ "100 PAUSE", pauses },
	{ "100 RDPMC, each after a XOR", rdpmcs },
	{ "100 RDMSR of a counter, each after a MOV", rdmsrs },
	{ "100 WRMSR to a counter, each after a MOV", wrmsrs },
	{ "100 WRMSR to SYSENTER_CS, each after 3 others", free_wrmsrs },
	{ "100 OUT", outs },
	{ "100 IN", ins },
	{ "REP OUTSB of 100 bytes, after 3 others", string_out },
	{ "100 loads from the local APIC", apic_reads },
	{ "64 stores to untouched pages, each with an ADD", fresh_pages },
	{ "10 WBINVD", wbinvds },
	{ "100 writes of CR0, each after a read", cr0_writes },
	{ "100 writes of CR3, each after a read", cr3_writes },
	{ "100 writes of DR0", breakpoints },
};

static void say_works(void)
{
	/* Branches: the first works are enough, since the others have none. */
	static const struct {
		const char *name;
		uint64_t event;
		unsigned int works;
	} events[] = {
		{ "instructions", INSTRUCTIONS, ARRAY_SIZE(works) },
		{ "branches", BRANCHES, 3 },
		{ "cycles", CYCLES, ARRAY_SIZE(works) },
	};

	for (unsigned int e = 0; e < ARRAY_SIZE(events); e++) {
		uint64_t ctl = events[e].event | CTL_RINGS;
		uint64_t base = count(ctl, empty);

		print("%s, an empty function between the two WRMSR, all in all: %u\n",
		      events[e].name, base);
		for (unsigned int i = 0; i < events[e].works; i++) {
			print("%s, %s: %u\n", events[e].name, works[i].rule,
			      count(ctl, works[i].work) - base);
			fresh_from = (char *)fresh_from + 64 * 4096;
		}
	}
}

/* The PMI's handler notes where it came. */
static uint64_t pmi_times, pmi_rip;

static void on_pmi(struct frame *f)
{
	if (!pmi_times++)
		pmi_rip = f->rip;
	wrmsr(PERF_CTL(0), 0);
}

/* The instruction of WORK, of BYTES each, before which the PMI came that N events ask for. */
static uint64_t pmi_place(uint64_t n, const char *work, unsigned int bytes)
{
	pmi_times = 0;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	on_trap(VECTOR_NMI, on_pmi);
	count_from(-n & WIDTH_MASK, INSTRUCTIONS | CTL_RINGS | CTL_INT, work);
	return pmi_times == 1 ? (pmi_rip - (uint64_t)work) / bytes : 1000000 + pmi_times;
}

/* The number of NOPs of user mode before the PMI that N instructions of user mode ask for. */
static uint64_t pmi_place_in_user_mode(uint64_t n)
{
	pmi_times = 0;
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	on_trap(VECTOR_NMI, on_pmi);
	set_gate(VECTOR_LEAVE, leave_user, 3);
	measure_switch = PERF_CTL(0);
	global_enable = INSTRUCTIONS | CTL_USER | CTL_INT | CTL_ENABLE;
	global_disable = 0;
	wrmsr(PERF_CTL(0), 0);
	wrmsr(PERF_CTR(0), -n & WIDTH_MASK);
	measure_user((void (*)(void *))(uintptr_t)user_nops, NULL, 2);
	return pmi_times == 1 ? pmi_rip - (uint64_t)user_nops : 1000000 + pmi_times;
}

static void say_user_mode(void)
{
	static const uint64_t periods[] = { 1, 2, 3, 50 };

	for (unsigned int i = 0; i < ARRAY_SIZE(periods); i++)
		print("NOPs of user mode before the PMI, counter %u before its overflow: %u\n",
		      periods[i], pmi_place_in_user_mode(periods[i]));
}

static void say_interrupts(void)
{
	say("the PMI after 1,000 instructions, NOPs before it", pmi_place(PMI_NOPS, nops, 1));
	say("the LVT entry's mask bit after the PMI",
	    !!(*apic_register(APIC_LVT_PMI) & APIC_LVT_MASKED));
	say("the PMI after 50 instructions, CPUIDs before it",
	    pmi_place(PMI_CPUIDS, pmi_cpuids, 2));
	set_gate(VECTOR_TIMER, exact_tick, 0);
	say("interrupts taken, of 10 that the CPU sends itself",
	    count(INTERRUPTS | CTL_RINGS, self_interrupts));
	say("instructions, 10 interrupts that the CPU sends itself, with their handler",
	    count(INSTRUCTIONS | CTL_RINGS, self_interrupts) -
		    count(INSTRUCTIONS | CTL_RINGS, empty));
}

/* 0: REGISTER keeps VALUE; 1: the write faults; 2: the register drops it. */
static uint64_t read_back(uint32_t reg, uint64_t value)
{
	if (wrmsr_faults(reg, value))
		return 1;
	return rdmsr(reg) == value ? 0 : 2;
}

static void say_registers(void)
{
	uint64_t value, bits;

	wrmsr(PERF_CTR(1), ~0ull >> 1);
	value = rdmsr(PERF_CTR(1));
	for (bits = 0; value & 1; value >>= 1)
		bits++;
	say("bits of a counter", bits);
	say("RDPMC of index 5 faults", rdpmc_faults(5, &value));
	say("RDPMC of index 6 faults", rdpmc_faults(6, &value));
	say("a write of PERF_CTL bit 19: 0 kept, 1 faults, 2 dropped",
	    read_back(PERF_CTL(1), CTL_RESERVED));
	say("a write of PERF_CTL bit 42: 0 kept, 1 faults, 2 dropped",
	    read_back(PERF_CTL(1), CTL_RESERVED_HI));
	say("a write of GuestOnly: 0 kept, 1 faults, 2 dropped",
	    read_back(PERF_CTL(1), CTL_GUEST_ONLY));
	say("a write of HostOnly: 0 kept, 1 faults, 2 dropped",
	    read_back(PERF_CTL(1), CTL_HOST_ONLY));
	wrmsr(PERF_CTL(1), 0);
	say("instructions with GuestOnly, 2,000 NOP, all in all",
	    count(INSTRUCTIONS | CTL_RINGS | CTL_GUEST_ONLY, nops));
	say("RDMSR of MPERF faults", rdmsr_faults(MSR_MPERF, &value));
	say("RDMSR of IRPERF faults", rdmsr_faults(MSR_IRPERF, &value));
}

static void say_conditions(void)
{
	say("instructions with CMASK 1, 100 JMP, all in all",
	    count(INSTRUCTIONS | CTL_RINGS | CTL_CMASK(1), branches));
	say("instructions with CMASK 1 and INV, 100 JMP, all in all",
	    count(INSTRUCTIONS | CTL_RINGS | CTL_CMASK(1) | CTL_INVERT, branches));
	say("instructions with CMASK 1, INV and EDGE, 100 JMP, all in all",
	    count(INSTRUCTIONS | CTL_RINGS | CTL_CMASK(1) | CTL_INVERT | CTL_EDGE, branches));
	say("instructions with CMASK 2, 100 CPUID, all in all",
	    count(INSTRUCTIONS | CTL_RINGS | CTL_CMASK(2), cpuids));
}

static void say_global(void)
{
	uint32_t regs[4];
	uint64_t base;

	cpuid(LEAF_PERFMON, regs);
	say("CPUID 8000_0022, EAX", regs[0]);
	say("CPUID 8000_0022, counters", regs[1] & 0xf);
	say("PerfCntrGlobalCtl at the start", rdmsr(GLOBAL_CTL));
	wrmsr(STATUS_CLEAR, ~0ull);
	say("a write of PerfCntrGlobalCtl bit 63: 0 kept, 1 faults, 2 dropped",
	    read_back(GLOBAL_CTL, 1ull << 63));
	say("a write of PerfCntrGlobalStatus bit 0: 0 kept, 1 faults, 2 dropped",
	    read_back(GLOBAL_STATUS, 1));
	wrmsr(STATUS_SET, 5);
	say("PerfCntrGlobalStatus after a write of 5 to its Set", rdmsr(GLOBAL_STATUS));
	wrmsr(STATUS_CLEAR, 4);
	say("PerfCntrGlobalStatus after a write of 4 to its Clr", rdmsr(GLOBAL_STATUS));
	wrmsr(STATUS_CLEAR, ~0ull);
	wrmsr(STATUS_SET, STATUS_FREEZE);
	say("PerfCntrGlobalStatus bit 59 after its Set", rdmsr(GLOBAL_STATUS) >> 59);
	wrmsr(STATUS_CLEAR, ~0ull);
	say("a write of DebugCtl bit 12: 0 kept, 1 faults, 2 dropped",
	    read_back(DEBUG_CTL, DEBUG_FREEZE));
	wrmsr_faults(DEBUG_CTL, 0);

	switch_register = GLOBAL_CTL;
	base = count(INSTRUCTIONS | CTL_RINGS, empty);
	say("instructions by PerfCntrGlobalCtl, an empty function, all in all", base);
	say("instructions by PerfCntrGlobalCtl, 100 CPUID",
	    count(INSTRUCTIONS | CTL_RINGS, cpuids) - base);
	say("cycles by PerfCntrGlobalCtl, an empty function, all in all",
	    count(CYCLES | CTL_RINGS, empty));
	say("PerfCntrGlobalStatus after these", rdmsr(GLOBAL_STATUS));
	say("the PMI after 1,000 instructions by PerfCntrGlobalCtl, NOPs before it",
	    pmi_place(PMI_NOPS, nops, 1));
	say("PerfCntrGlobalStatus after the PMI", rdmsr(GLOBAL_STATUS));
	wrmsr(STATUS_CLEAR, ~0ull);
	pmi_times = 0;
	count_from(-(uint64_t)PMI_CPUIDS & WIDTH_MASK, INSTRUCTIONS | CTL_RINGS, cpuids);
	say("PerfCntrGlobalStatus after an overflow at a CPUID without INT", rdmsr(GLOBAL_STATUS));
	say("PMIs of it", pmi_times);
}

/* On the last CPU: all but user mode, which has the first CPU's stack. */
static void say_on_last_cpu(unsigned int cpu)
{
	(void)cpu;
	say_works();
	say_interrupts();
	say_registers();
	say_conditions();
	if (has_global)
		say_global();
}

static void look_at_cpu(void)
{
	uint32_t regs[4];

	cpuid(LEAF_AMD, regs);
	has_core = regs[2] & AMD_CORE;
	cpuid(LEAF_EXTENDED, regs);
	if (regs[0] >= LEAF_PERFMON) {
		cpuid(LEAF_PERFMON, regs);
		has_global = regs[0] & 1;
	}
	cpuid(LEAF_FEATURES, regs);
	config.cpus = regs[3] & SEVERAL_CPUS ? regs[1] >> 16 & 0xff : 1;
	switch_register = PERF_CTL(0);
}

void guest_main(void);
void guest_main(void)
{
	look_at_cpu();
	machine_init();
	say_user_mode();
	if (!run_on_others(say_on_last_cpu))
		say_on_last_cpu(0);
	power_off(OUTCOME_PASSED);
}
