// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-svm.c: AMD's counters and guests of SVM: what counts inside and outside, and where the PMI comes.
 *
 * The rules: VMRUN retires in the host, also if it refuses the guest's state; the instruction that a host
 * intercepts does not retire; #VMEXIT is nothing.
 */

#include "pmu.h"
#include "svm.h"

#define MSR_VM_HSAVE   0xc0010117
#define MAX_CPUS       4
#define PAGE	       4096
#define RFLAGS_IF      0x202
#define RFLAGS_NONE    2
#define DR6_RESET      0xffff0ff0
#define DR7_RESET      0x400

/* The control block (APM vol. 2, appendix B): offsets. */
#define INTERCEPT_1    0x00c
#define INTERCEPT_2    0x010
#define IOPM_BASE      0x040
#define MSRPM_BASE     0x048
#define VIRTUAL_INTR   0x060
#define EVENT_INJECTED 0x0a8
#define SAVE_ES	       0x400
#define SAVE_CS	       0x410
#define SAVE_SS	       0x420
#define SAVE_DS	       0x430
#define SAVE_GDTR      0x460
#define SAVE_IDTR      0x480
#define SAVE_EFER      0x4d0
#define SAVE_CR4       0x548
#define SAVE_CR0       0x558
#define SAVE_DR7       0x560
#define SAVE_DR6       0x568
#define SAVE_RFLAGS    0x570
#define SAVE_RSP       0x5d8

#define ON_INTR	       (1u << 0) /* of INTERCEPT_1 */
#define ON_NMI	       (1u << 1)
#define ON_RDPMC       (1u << 15)
#define ON_CPUID       (1u << 18)
#define ON_SWINT       (1u << 21)
#define ON_MSR	       (1u << 28)
#define ON_VMRUN       (1u << 0) /* of INTERCEPT_2 */
#define ON_VMMCALL     (1u << 1)

#define VIRTUAL_IRQ    (1u << 8) /* of VIRTUAL_INTR */

#define INJECT_VALID   (1u << 31) /* of EVENT_INJECTED; type 0: an interrupt */
#define INJECT_VECTOR  0x50

#define EXIT_INTR      0x60
#define EXIT_NMI       0x61
#define EXIT_RDPMC     0x6f
#define EXIT_CPUID     0x72
#define EXIT_SWINT     0x75
#define EXIT_MSR       0x7c
#define EXIT_INVALID   (~0ull)

/* The host's code: svm_round, and measure around it. */
#define ROUND_INSNS    6
#define ROUND_BRANCHES 1
#define HOST_INSNS     (ROUND_INSNS + MEASURE_INSNS)
#define HOST_BRANCHES  (ROUND_BRANCHES + MEASURE_BRANCHES)

void svm_through(void *), svm_closed(void *);
extern char svm_open[], svm_call[], svm_leave[], svm_user_loop[], svm_straight[];
extern char svm_intercepted[], svm_long_loop[], svm_reopened[];
extern uint32_t svm_msr;

static uint8_t vmcbs[MAX_CPUS][PAGE] __attribute__((aligned(PAGE)));
static uint8_t host_saves[MAX_CPUS][PAGE] __attribute__((aligned(PAGE)));
static uint8_t stacks[MAX_CPUS][PAGE] __attribute__((aligned(PAGE)));
static uint8_t msr_permissions[3 * PAGE] __attribute__((aligned(PAGE)));
static uint8_t io_permissions[3 * PAGE] __attribute__((aligned(PAGE)));

static void set_segment(uint8_t *vmcb, unsigned int offset, uint16_t selector)
{
	uint64_t descriptor = gdt[selector / 8];

	*at16(vmcb, offset) = selector;
	*at16(vmcb, offset + 2) = (descriptor >> 40 & 0xff) | (descriptor >> 44 & 0xf00);
	*at32(vmcb, offset + 4) = 0xffffffff;
	*at64(vmcb, offset + 8) = 0;
}

static void set_table(uint8_t *vmcb, unsigned int offset, const uint8_t pointer[10])
{
	*at32(vmcb, offset + 4) = *(const uint16_t *)(const void *)pointer;
	*at64(vmcb, offset + 8) = *(const uint64_t *)(const void *)(pointer + 2);
}

#define READ_CR(n)                                                     \
	({                                                             \
		uint64_t value;                                        \
		__asm__ volatile("movq %%cr" #n ", %0" : "=r"(value)); \
		value;                                                 \
	})

struct svm new_guest(unsigned int cpu, const void *rip, bool user)
{
	uint8_t *vmcb = vmcbs[cpu], pointer[10];

	for (unsigned int i = 0; i < PAGE; i++)
		vmcb[i] = 0;
	*at32(vmcb, INTERCEPT_2) = ON_VMRUN | ON_VMMCALL;
	*at64(vmcb, IOPM_BASE) = (uintptr_t)io_permissions;
	*at64(vmcb, MSRPM_BASE) = (uintptr_t)msr_permissions;
	*at32(vmcb, ASID) = 1;
	set_segment(vmcb, SAVE_CS, user ? USER_CODE : CODE64);
	set_segment(vmcb, SAVE_SS, user ? USER_DATA : DATA);
	set_segment(vmcb, SAVE_DS, user ? USER_DATA : DATA);
	set_segment(vmcb, SAVE_ES, user ? USER_DATA : DATA);
	__asm__ volatile("sgdt %0" : "=m"(pointer));
	set_table(vmcb, SAVE_GDTR, pointer);
	__asm__ volatile("sidt %0" : "=m"(pointer));
	set_table(vmcb, SAVE_IDTR, pointer);
	*at64(vmcb, SAVE_EFER) = rdmsr(MSR_EFER) | EFER_SVME;
	*at64(vmcb, SAVE_CR0) = READ_CR(0);
	*at64(vmcb, SAVE_CR3) = READ_CR(3);
	*at64(vmcb, SAVE_CR4) = READ_CR(4);
	*at64(vmcb, SAVE_DR6) = DR6_RESET;
	*at64(vmcb, SAVE_DR7) = DR7_RESET;
	*at64(vmcb, SAVE_RFLAGS) = RFLAGS_NONE;
	*at64(vmcb, SAVE_RIP) = (uintptr_t)rip;
	*at64(vmcb, SAVE_RSP) = (uintptr_t)(stacks[cpu] + PAGE);
	wrmsr(MSR_VM_HSAVE, (uintptr_t)host_saves[cpu]);
	/* Without global registers the switch turns SVM on. */
	if (has_global())
		wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
	return (struct svm){ vmcb, NULL, scratch };
}

static uint64_t exit_code(const struct svm *guest)
{
	return *at64(guest->vmcb, EXIT_CODE);
}

/* Programs counters 0 to 2 for the host, the guest, and both; 3, with global registers, regardless. */
static void program_sides(uint64_t event, uint64_t rings)
{
	static const uint64_t sides[] = { EVTSEL_HOST_ONLY, EVTSEL_GUEST_ONLY,
					  EVTSEL_HOST_ONLY | EVTSEL_GUEST_ONLY, 0 };

	pmu_clear();
	for (unsigned int i = 0; i < ARRAY_SIZE(sides); i++) {
		if (sides[i] || has_global())
			wrmsr(MSR_EVTSEL(i), event | sides[i] | rings | EVTSEL_EN);
	}
	pmu_enable(0xf);
}

static void check_sides(uint64_t host, uint64_t guest, const char *what, const char *name)
{
	tap_equal(rdpmc(0), host, "%s of the host: %s", what, name);
	tap_equal(rdpmc(1), guest, "%s of the guest: %s", what, name);
	tap_equal(rdpmc(2), host + guest, "%s of both: %s", what, name);
	if (has_global())
		tap_equal(rdpmc(3), host + guest, "%s regardless of sides: %s", what, name);
}

/* The kernel's sequences, inside of a guest: with its CALL, and the exceptions that the guest handles. */
static void test_sequences(void)
{
	for (const struct sequence *s = kernel_sequences; s->name; s++) {
		for (unsigned int branches = 0; branches < 2; branches++) {
			struct svm guest = new_guest(0, svm_call, false);

			guest.fn = s->fn;
			program_sides(branches ? EVENT_BRANCHES : EVENT_INSNS,
				      EVTSEL_OS | EVTSEL_USR);
			exact_gates(true);
			measure(svm_round, &guest);
			exact_gates(false);
			if (exit_code(&guest) != EXIT_VMMCALL)
				tap_equal(exit_code(&guest), EXIT_VMMCALL, "exit: %s", s->name);
			if (branches)
				check_sides(HOST_BRANCHES, 1 + s->branches + s->exceptions,
					    "branches", s->name);
			else
				check_sides(HOST_INSNS, 1 + s->insns, "instructions", s->name);
		}
	}
}

/* A guest's user mode is apart from its kernel. */
static void test_user_mode(void)
{
	static const struct {
		uint64_t rings, host, guest;
		const char *name;
	} cases[] = {
		{ EVTSEL_USR, 0, 2001, "user mode only" },
		{ EVTSEL_OS, HOST_INSNS, 0, "the kernel only" },
		{ EVTSEL_OS | EVTSEL_USR, HOST_INSNS, 2001, "both rings" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct svm guest = new_guest(0, svm_user_loop, true);

		program_sides(EVENT_INSNS, cases[i].rings);
		measure(svm_round, &guest);
		tap_equal(exit_code(&guest), EXIT_VMMCALL, "a guest in user mode exits");
		check_sides(cases[i].host, cases[i].guest, "instructions", cases[i].name);
	}
}

static void test_entry_and_exit(void)
{
	struct svm guest = new_guest(0, svm_leave, false);

	program_sides(EVENT_INSNS, EVTSEL_OS);
	measure(svm_round, &guest);
	tap_equal(exit_code(&guest), EXIT_VMMCALL, "a guest that exits at once");
	check_sides(HOST_INSNS, 0, "instructions", "a guest that exits at once");
	program_sides(EVENT_CYCLES, EVTSEL_OS);
	measure(svm_round, &guest);
	check_sides(HOST_INSNS + HOST_BRANCHES, 0, "cycles", "a guest that exits at once");

	*at32(guest.vmcb, ASID) = 0;
	program_sides(EVENT_INSNS, EVTSEL_OS);
	measure(svm_round, &guest);
	tap_equal(exit_code(&guest), EXIT_INVALID, "a guest whose ASID is 0 is refused");
	check_sides(HOST_INSNS, 0, "instructions", "VMRUN that refuses its guest");

	guest = new_guest(0, svm_leave, false);
	*at64(guest.vmcb, SAVE_DR7) = ~0ull;
	program_sides(EVENT_INSNS, EVTSEL_OS);
	measure(svm_round, &guest);
	tap_equal(exit_code(&guest), EXIT_INVALID, "a guest whose DR7 is impossible is refused");
	check_sides(HOST_INSNS, 0, "instructions", "VMRUN that refuses its guest late");
}

/* Lets the guest read MSR `index` only by its host, or freely. */
static void intercept_msr(uint32_t index, bool set)
{
	unsigned int bit = (0x4000 + (index & 0x1fff)) * 2;

	if (set)
		msr_permissions[bit / 8] |= 1 << bit % 8;
	else
		msr_permissions[bit / 8] &= ~(1 << bit % 8);
}

/* Runs the guest to its end; skips what it was intercepted at. Returns the exits before the last. */
static unsigned int run_all(struct svm *guest, uint64_t codes[], unsigned int most)
{
	unsigned int n = 0;

	for (;;) {
		measure(svm_round, guest);
		if (exit_code(guest) == EXIT_VMMCALL || n == most)
			return n;
		codes[n++] = exit_code(guest);
		*at64(guest->vmcb, SAVE_RIP) += 2;
	}
}

static void test_intercepts(void)
{
	static const uint64_t expected[] = { EXIT_RDPMC, EXIT_MSR, EXIT_CPUID, EXIT_SWINT };
	static const char *const names[] = { "RDPMC", "RDMSR", "CPUID", "INT n" };
	struct svm guest = new_guest(0, svm_intercepted, false);
	uint64_t codes[ARRAY_SIZE(expected)] = { 0 };

	exact_gates(true);
	svm_msr = MSR_AMD_LEGACY_CTR(0);
	program_sides(EVENT_INSNS, EVTSEL_OS);
	tap_equal(run_all(&guest, codes, ARRAY_SIZE(codes)), 0, "a guest that is not intercepted");
	check_sides(HOST_INSNS, 12, "instructions", "nothing is intercepted");

	for (unsigned int branches = 0; branches < 2; branches++) {
		guest = new_guest(0, svm_intercepted, false);
		*at32(guest.vmcb, INTERCEPT_1) = ON_RDPMC | ON_CPUID | ON_SWINT | ON_MSR;
		intercept_msr(svm_msr, true);
		program_sides(branches ? EVENT_FAR : EVENT_INSNS, EVTSEL_OS);
		tap_equal(run_all(&guest, codes, ARRAY_SIZE(codes)), ARRAY_SIZE(codes),
			  "exits of a guest");
		for (unsigned int i = 0; i < ARRAY_SIZE(expected); i++)
			tap_equal(codes[i], expected[i], "exit at %s", names[i]);
		if (branches)
			check_sides(0, 0, "far transfers", "an intercepted INT n is none");
		else
			check_sides(5 * HOST_INSNS, 7, "instructions",
				    "what is intercepted does not retire");
	}

	guest = new_guest(0, svm_intercepted, false);
	*at32(guest.vmcb, INTERCEPT_1) = ON_MSR;
	intercept_msr(svm_msr, false);
	program_sides(EVENT_INSNS, EVTSEL_OS);
	tap_equal(run_all(&guest, codes, ARRAY_SIZE(codes)), 0, "the map permits the counter");
	check_sides(HOST_INSNS, 12, "instructions", "the map permits the counter");
	exact_gates(false);
}

static struct {
	unsigned int times;
	uint64_t rip;
} pmi;

static void pmi_handler(struct frame *f)
{
	pmi.times++;
	pmi.rip = f->rip;
}

/* A counter of the guest overflows after each number of its instructions. */
static void test_pmi_intercepted(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 1; n + config.skid <= 64; n++) {
		struct svm guest = new_guest(0, svm_straight, false);

		*at32(guest.vmcb, INTERCEPT_1) = ON_NMI;
		program_sides(EVENT_INSNS, EVTSEL_OS);
		wrmsr(MSR_EVTSEL(1),
		      EVENT_INSNS | EVTSEL_GUEST_ONLY | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
		wrmsr(MSR_A_PMC(1), width_mask() + 1 - n);
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		pmi.times = 0;
		measure(svm_round, &guest);
		if (exit_code(&guest) != EXIT_NMI ||
		    *at64(guest.vmcb, SAVE_RIP) != (uintptr_t)svm_straight + n + config.skid ||
		    pmi.times != 1 || pmi.rip != (uintptr_t)svm_open)
			wrong++;
	}
	tap_equal(
		wrong, 0,
		"wrong exits by a PMI on each instruction of the guest; the host has it after STGI");
}

static void test_pmi_in_guest(void)
{
	unsigned int wrong = 0;

	for (unsigned int n = 1; n + config.skid <= 64; n++) {
		struct svm guest = new_guest(0, svm_straight, false);

		program_sides(EVENT_INSNS, EVTSEL_OS);
		wrmsr(MSR_EVTSEL(1),
		      EVENT_INSNS | EVTSEL_GUEST_ONLY | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
		wrmsr(MSR_A_PMC(1), width_mask() + 1 - n);
		*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
		pmi.times = 0;
		measure(svm_round, &guest);
		if (exit_code(&guest) != EXIT_VMMCALL || pmi.times != 1 ||
		    pmi.rip != (uintptr_t)svm_straight + n + config.skid)
			wrong++;
	}
	tap_equal(wrong, 0, "wrong PMIs of a guest that has its NMIs itself");
}

/* VMRUN is the fifth after the switch: CALL, three MOVs, VMRUN. */
static void test_pmi_at_vmrun(void)
{
	struct svm guest = new_guest(0, svm_straight, false);

	*at32(guest.vmcb, INTERCEPT_1) = ON_NMI;
	program_sides(EVENT_INSNS, EVTSEL_OS);
	wrmsr(MSR_EVTSEL(0), EVENT_INSNS | EVTSEL_HOST_ONLY | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - 5);
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	pmi.times = 0;
	measure(svm_round, &guest);
	tap_equal(exit_code(&guest), EXIT_NMI,
		  "VMRUN overflows a counter of the host: the guest exits");
	tap_equal(*at64(guest.vmcb, SAVE_RIP), (uintptr_t)svm_straight,
		  "before its first instruction");
	tap_equal(rdpmc(1), 0, "which the guest's counter confirms");
	tap_equal(pmi.times, 1, "and the host has the PMI");
}

/* While GIF is clear, the PMI waits. */
static void test_gif(void)
{
	program_sides(EVENT_INSNS, EVTSEL_OS);
	wrmsr(MSR_EVTSEL(0), EVENT_INSNS | EVTSEL_HOST_ONLY | EVTSEL_OS | EVTSEL_EN | EVTSEL_INT);
	wrmsr(MSR_A_PMC(0), width_mask() + 1 - 3);
	*apic_register(APIC_LVT_PMI) = APIC_LVT_NMI;
	pmi.times = 0;
	measure(svm_closed, NULL);
	tap_equal(pmi.times, 1, "a PMI while GIF is clear comes");
	tap_equal(pmi.rip, (uintptr_t)svm_reopened, "after STGI");
}

static void tick(struct frame *f)
{
	(void)f;
	ticks++;
	*apic_register(APIC_EOI) = 0;
}

/* A timer makes the guest exit, wherever it is; what the guest counts does not notice. On a busy host the timer, in
 * real time, hardly comes more often than the emulator gets to run: the guest begins anew until it came often. */
static void test_interrupted(void)
{
	uint64_t runs = 0;

	on_trap(VECTOR_TIMER, tick);
	ticks = 0;
	program_sides(EVENT_INSNS, EVTSEL_OS);
	wrmsr(MSR_EVTSEL(2), EVENT_BRANCHES | EVTSEL_GUEST_ONLY | EVTSEL_OS | EVTSEL_EN);
	*apic_register(APIC_TIMER_DIVIDE) = 0xb;
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER | APIC_TIMER_PERIODIC;
	*apic_register(APIC_TIMER_INITIAL) = 20000;
	for (; ticks <= 10; runs++) {
		struct svm guest = new_guest(0, svm_long_loop, false);

		*at32(guest.vmcb, INTERCEPT_1) = ON_INTR;
		*at64(guest.vmcb, SAVE_RFLAGS) = RFLAGS_IF;
		measure(svm_through, &guest);
	}
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	*apic_register(APIC_TIMER_INITIAL) = 0;
	__asm__ volatile("sti; nop; cli");
	on_trap(VECTOR_TIMER, NULL);
	tap_ok(ticks > 10, "a timer interrupts the guest: %u times", (uint64_t)ticks);
	tap_equal(rdpmc(1), runs * 30000001, "instructions of the interrupted guest");
	tap_equal(rdpmc(2), runs * 15000000, "branches of the interrupted guest");
}

static unsigned int injected;

static void count_injected(struct frame *f)
{
	(void)f;
	injected++;
}

/* VMRUN injects an interrupt, whatever the guest's IF. A timer that the guest holds back stops the emulator's
 * loop afterwards, and must not bring the injected one again. */
static void test_injected(void)
{
	struct svm guest = new_guest(0, svm_long_loop, false);

	on_trap(VECTOR_TIMER, tick);
	on_trap(INJECT_VECTOR, count_injected);
	ticks = 0;
	injected = 0;
	*at32(guest.vmcb, EVENT_INJECTED) = INJECT_VALID | INJECT_VECTOR;
	*apic_register(APIC_TIMER_DIVIDE) = 0xb;
	*apic_register(APIC_LVT_TIMER) = VECTOR_TIMER;
	*apic_register(APIC_TIMER_INITIAL) = 20000;
	measure(svm_round, &guest);
	tap_equal(injected, 1, "deliveries of the interrupt that VMRUN injects");
	tap_equal(ticks, 0, "interrupts that the guest takes with IF clear");
	__asm__ volatile("sti; nop; cli");
	tap_equal(ticks, 1, "interrupts that the guest left pending");
	*apic_register(APIC_LVT_TIMER) = APIC_LVT_MASKED;
	on_trap(VECTOR_TIMER, NULL);
	on_trap(INJECT_VECTOR, NULL);
}

#define ROUNDS 200

static unsigned int rounds_wrong[MAX_CPUS];

/* Each CPU has a guest, all at the same time. */
static void run_on_cpu(unsigned int cpu)
{
	const struct sequence *loop = &kernel_sequences[4];

	rounds_wrong[cpu] = 0;
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct svm guest = new_guest(cpu, svm_call, false);

		guest.fn = loop->fn;
		program_sides(EVENT_INSNS, EVTSEL_OS);
		measure(svm_round, &guest);
		if (exit_code(&guest) != EXIT_VMMCALL || rdpmc(0) != HOST_INSNS ||
		    rdpmc(1) != 1 + loop->insns || rdpmc(2) != rdpmc(0) + rdpmc(1))
			rounds_wrong[cpu]++;
	}
}

static void test_cpus(void)
{
	run_on_all(run_on_cpu);
	for (unsigned int cpu = 0; cpu < config.cpus; cpu++)
		tap_equal(rounds_wrong[cpu], 0, "wrong counts of guests, CPU %u, of %u",
			  (uint64_t)cpu, (uint64_t)ROUNDS);
}

/* --- an interrupt that another CPU sends to one that enters a guest --- */

#define ENTRIES	 100000
#define SENT_IPI 0x52
#define PACE	 1000 /* passes between two of them: some entries */

static unsigned int received, forgotten;
static volatile bool all_entered;

static void count_received(struct frame *f)
{
	(void)f;
	received++;
	*apic_register(APIC_EOI) = 0;
}

/* CPU 1 sends, CPU 0 enters guests that a virtual interrupt waits for; QEMU keeps both in one word. An
 * interrupt that the APIC has as requested comes when CPU 0 lets it in, not only with the next request. */
static void interrupts_beside_virtual_ones(unsigned int cpu)
{
	volatile uint32_t *requested = apic_register(APIC_IRR + SENT_IPI / 32 * 0x10);
	struct svm guest;

	while (cpu == 1 && !all_entered) {
		*apic_register(APIC_ICR + 0x10) = 0;
		*apic_register(APIC_ICR) = SENT_IPI;
		for (volatile unsigned int i = 0; i < PACE; i++)
			;
	}
	if (cpu != 0)
		return;
	guest = new_guest(0, svm_leave, false);
	*at32(guest.vmcb, INTERCEPT_1) = ON_INTR;
	*at32(guest.vmcb, VIRTUAL_INTR) = VIRTUAL_IRQ;
	for (unsigned int i = 0; i < ENTRIES; i++) {
		unsigned int before = received;
		bool due;

		svm_round(&guest);
		due = *requested & 1u << SENT_IPI % 32;
		__asm__ volatile("sti; nop; cli" ::: "memory");
		forgotten += due && received == before;
	}
	all_entered = true;
}

static void test_virtual_interrupts(void)
{
	received = forgotten = 0;
	all_entered = false;
	on_trap(SENT_IPI, count_received);
	run_on_all(interrupts_beside_virtual_ones);
	__asm__ volatile("sti; nop; cli");
	on_trap(SENT_IPI, NULL);
	tap_equal(forgotten, 0, "interrupts of another CPU that are forgotten at %u entries",
		  (uint64_t)ENTRIES);
}

void test_svm(void)
{
	on_trap(VECTOR_NMI, pmi_handler);
	if (config.skid == 0) {
		test_sequences();
		test_user_mode();
		test_entry_and_exit();
		test_intercepts();
		test_pmi_at_vmrun();
		test_gif();
		test_interrupted();
		test_injected();
		test_cpus();
		test_svm_sides();
		if (config.cpus > 1)
			test_virtual_interrupts();
	}
	test_pmi_intercepted();
	test_pmi_in_guest();
}
