// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the entry into the kernel and the exit path: what a program's registers hold afterwards,
 * which signal each exception becomes, and that no register a program can set makes the return to it
 * fail.
 *
 * The same executable has to pass on Linux/x86-64.
 *
 * SSE and stack-segment exceptions are missing, because QEMU does not raise them.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <asm/unistd.h>

#include "../unit/tap.h"
#include "registers.h"

#define PAGE 4096

/* Linux's asm-generic/siginfo.h, where the C library has none of them. */
#ifndef TRAP_TRACE
#define TRAP_BRKPT 1
#define TRAP_TRACE 2
#endif
#ifndef FPE_FLTDIV
#define FPE_INTDIV 1
#define FPE_FLTDIV 3
#endif
#ifndef ILL_ILLOPN
#define ILL_ILLOPN 2
#endif

static void check_syscall(void)
{
	struct registers in = pattern(1), out;

	in.value[RAX] = __NR_getpid;
	registers_syscall(&in, &out);
	in.value[RAX] = (uint64_t)getpid();
	in.value[RCX] = (uintptr_t)registers_after_syscall;
	in.value[R11] = in.value[RFLAGS];
	expect_same(&out, &in);
}

static void check_page_fault(void)
{
	struct registers in = pattern(2), out;
	unsigned char *page =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(page != MAP_FAILED);
	in.value[RBX] = (uintptr_t)page;
	registers_touch(&in, &out);
	in.value[RAX] &= ~(uint64_t)0xff;
	expect_same(&out, &in);
	munmap(page, PAGE);
}

/* Vector registers of one task: 16 of 16 bytes, MXCSR, x87's control word. */
struct vectors {
	uint64_t xmm[32];
	uint32_t mxcsr;
	uint16_t control;
} __attribute__((aligned(16)));

static void load_vectors(const struct vectors *v)
{
	__asm__ volatile(
		"movdqa (%0), %%xmm0; movdqa 16(%0), %%xmm1; movdqa 32(%0), %%xmm2;"
		"movdqa 48(%0), %%xmm3; movdqa 64(%0), %%xmm4; movdqa 80(%0), %%xmm5;"
		"movdqa 96(%0), %%xmm6; movdqa 112(%0), %%xmm7; movdqa 128(%0), %%xmm8;"
		"movdqa 144(%0), %%xmm9; movdqa 160(%0), %%xmm10; movdqa 176(%0), %%xmm11;"
		"movdqa 192(%0), %%xmm12; movdqa 208(%0), %%xmm13; movdqa 224(%0), %%xmm14;"
		"movdqa 240(%0), %%xmm15; ldmxcsr 256(%0); fldcw 260(%0)"
		:
		: "r"(v)
		: "memory");
}

static void store_vectors(struct vectors *v)
{
	__asm__ volatile(
		"movdqa %%xmm0, (%0); movdqa %%xmm1, 16(%0); movdqa %%xmm2, 32(%0);"
		"movdqa %%xmm3, 48(%0); movdqa %%xmm4, 64(%0); movdqa %%xmm5, 80(%0);"
		"movdqa %%xmm6, 96(%0); movdqa %%xmm7, 112(%0); movdqa %%xmm8, 128(%0);"
		"movdqa %%xmm9, 144(%0); movdqa %%xmm10, 160(%0); movdqa %%xmm11, 176(%0);"
		"movdqa %%xmm12, 192(%0); movdqa %%xmm13, 208(%0); movdqa %%xmm14, 224(%0);"
		"movdqa %%xmm15, 240(%0); stmxcsr 256(%0); fnstcw 260(%0)"
		:
		: "r"(v)
		: "memory");
}

static struct vectors vector_pattern(uint64_t seed)
{
	struct vectors v = { .mxcsr = 0x1f80 | (uint32_t)(seed & 3) << 13, /* rounding */
			     .control = (uint16_t)(0x37f | (seed & 3) << 10) };

	for (int i = 0; i < 32; i++)
		v.xmm[i] = (seed + 1) * 0xd1342543de82ef95 + (uint64_t)i;
	return v;
}

/* Holds registers of its own while the parent and three more children do the same on too few CPUs. */
#define TASKS	4
#define SPIN_NS 20000000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* STOP becomes nonzero when the time is over. */
static void hold_registers(uint64_t seed, const volatile unsigned char *stop)
{
	struct registers in = pattern(seed + 10), out;
	struct vectors held = vector_pattern(seed), found;

	in.value[RBX] = (uintptr_t)stop;
	load_vectors(&held);
	registers_spin(&in, &out);
	store_vectors(&found);
	load_vectors(&(const struct vectors){ .mxcsr = 0x1f80, .control = 0x37f });

	/* The comparison that ended the loop has made the arithmetic flags. */
	in.value[RFLAGS] &= ~(uint64_t)FLAGS_ARITHMETIC;
	out.value[RFLAGS] &= ~(uint64_t)FLAGS_ARITHMETIC;
	expect_same(&out, &in);
	EXPECT(memcmp(found.xmm, held.xmm, sizeof(held.xmm)) == 0);
	EXPECT_EQ(found.mxcsr & ~0x3fu, held.mxcsr);
	EXPECT_EQ(found.control, held.control);
}

static void check_preemption(void)
{
	volatile unsigned char *stop =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t children[TASKS];

	EXPECT(stop != MAP_FAILED);
	fflush(stdout);
	for (unsigned int i = 0; i < TASKS; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			hold_registers(i, stop);
			_exit(tap_failed);
		}
	}

	uint64_t end = now_ns() + SPIN_NS;

	while (now_ns() < end)
		sched_yield();
	*stop = 1;
	for (unsigned int i = 0; i < TASKS; i++) {
		int status = -1;

		EXPECT_EQ(waitpid(children[i], &status, 0), children[i]);
		EXPECT_EQ_AT(status, 0, "task %u", i);
	}
	munmap((void *)stop, PAGE);
}

static void check_fork(void)
{
	struct vectors held = vector_pattern(2), found;
	pid_t pid;
	int status = -1;

	fflush(stdout);
	load_vectors(&held);
	/* By hand: the library might use the registers. */
	__asm__ volatile("syscall" : "=a"(pid) : "a"(__NR_fork) : "rcx", "r11", "memory");
	store_vectors(&found);
	load_vectors(&(const struct vectors){ .mxcsr = 0x1f80, .control = 0x37f });
	bool same = memcmp(&found, &held, sizeof(held.xmm) + 6) == 0;
	if (pid == 0)
		_exit(!same);
	EXPECT(same);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/* The upper halves of the vector registers, which only XSAVE saves: two tasks, one CPU, and the file
 * system's and the scheduler's code in between. The emulated CPU model has AVX. */
static void yield_with_upper_halves(uint64_t seed)
{
	uint64_t held[16] __attribute__((aligned(32))), found[16] __attribute__((aligned(32)));

	for (unsigned int i = 0; i < 16; i++)
		held[i] = seed << 32 | i;
	for (unsigned int i = 0; i < 100; i++) {
		long result;

		__asm__ volatile("vmovdqa (%1), %%ymm0; vmovdqa 32(%1), %%ymm5;"
				 "vmovdqa 64(%1), %%ymm10; vmovdqa 96(%1), %%ymm15;"
				 "syscall;"
				 "vmovdqa %%ymm0, (%2); vmovdqa %%ymm5, 32(%2);"
				 "vmovdqa %%ymm10, 64(%2); vmovdqa %%ymm15, 96(%2); vzeroupper"
				 : "=a"(result)
				 : "r"(held), "r"(found), "0"((long)__NR_sched_yield)
				 : "rcx", "r11", "memory", "xmm0", "xmm5", "xmm10", "xmm15");
		EXPECT_EQ(result, 0);
		for (unsigned int k = 0; k < 16; k++)
			EXPECT_EQ_AT(found[k], held[k], "word %u, pass %u", k, i);
	}
}

static void check_upper_halves(void)
{
	cpu_set_t here;
	int status = -1;

	CPU_ZERO(&here);
	CPU_SET(0, &here);
	EXPECT_EQ(sched_setaffinity(0, sizeof(here), &here), 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		yield_with_upper_halves(1);
		_exit(tap_failed);
	}
	yield_with_upper_halves(2);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
}

/*
 * Exceptions and signals.
 */
#define ARCH_SET_GS    0x1001
#define ARCH_SET_FS    0x1002
#define ARCH_GET_FS    0x1003
#define ARCH_GET_GS    0x1004

/* Offsets in the third argument of a handler: Linux's struct ucontext, x86-64. */
#define CONTEXT_R8     40
#define CONTEXT_RSP    (CONTEXT_R8 + 15 * 8)
#define CONTEXT_RIP    (CONTEXT_R8 + 16 * 8)
#define CONTEXT_RFLAGS (CONTEXT_R8 + 17 * 8)

static uint64_t *context_word(void *context, unsigned int offset)
{
	return (uint64_t *)((char *)context + offset);
}

static volatile struct {
	int signal, code;
	uintptr_t address;
} caught;
static uintptr_t resume_at;

static void on_exception(int signal, siginfo_t *info, void *context)
{
	caught.signal = signal;
	caught.code = info->si_code;
	caught.address = (uintptr_t)info->si_addr;
	*context_word(context, CONTEXT_RIP) = resume_at;
	*context_word(context, CONTEXT_RFLAGS) &= ~(uint64_t)0x40100; /* AC, TF */
}

static void catch_all(void (*handler)(int, siginfo_t *, void *))
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = handler;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i],
			  handler ? &action : &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

/* The exception happens at NAME_at; NAME_end is where to go on. Flags and x87 are set right
 * afterwards. */
#define RAISER(name, before, instruction)                                                         \
	void name(void);                                                                          \
	extern const char name##_at[], name##_end[];                                              \
	__asm__(".text\n" #name ":\n" before "\n" #name "_at:\n" instruction "\n" #name "_end:\n" \
		"fninit; ret\n")

RAISER(raise_divide, "xorl %ecx, %ecx; xorl %edx, %edx; movl $1, %eax", "divl %ecx");
RAISER(raise_divide_overflow, "movl $1, %ecx; movl $1, %edx; xorl %eax, %eax", "divl %ecx");
RAISER(raise_invalid, "", "ud2");
RAISER(raise_breakpoint, "", "int3");
RAISER(raise_int1, "", ".byte 0xf1");
RAISER(raise_halt, "", "hlt");
RAISER(raise_interrupts_off, "", "cli");
RAISER(raise_port, "", "inb $0x60, %al");
RAISER(raise_msr, "movl $0x10, %ecx", "rdmsr");
RAISER(raise_control, "", "movq %cr0, %rax");
RAISER(raise_software_interrupt, "", "int $0xe0");
RAISER(raise_selector, "movl $0x7f, %eax", "movl %eax, %es");
RAISER(raise_unmapped, "movl $16, %eax", "movb (%rax), %al");
RAISER(raise_kernel_read, "movabsq $0xffffffff80100000, %rax", "movb (%rax), %al");
RAISER(raise_kernel_write, "movabsq $0xffff800000001000, %rax", "movb %al, (%rax)");
RAISER(raise_no_address, "movabsq $0x8000000000000000, %rax", "movb (%rax), %al");
RAISER(raise_x87, "fninit; pushq $0x37b; fldcw (%rsp); popq %rax; fld1; fldz; fdivrp", "fwait");

static const struct {
	void (*raise)(void);
	const char *name, *at, *end;
	int signal, code;
	enum { NONE, AT, NEXT, EXACT } address; /* what si_addr is */
	uintptr_t exact;
} exceptions[] = {
#define RAISED(name, ...)                                       \
	{                                                       \
		name, #name, name##_at, name##_end, __VA_ARGS__ \
	}
	RAISED(raise_divide, SIGFPE, FPE_INTDIV, AT, 0),
	RAISED(raise_divide_overflow, SIGFPE, FPE_INTDIV, AT, 0),
	RAISED(raise_invalid, SIGILL, ILL_ILLOPN, AT, 0),
	RAISED(raise_breakpoint, SIGTRAP, SI_KERNEL, NONE, 0),
	RAISED(raise_int1, SIGTRAP, TRAP_BRKPT, NEXT, 0),
	RAISED(raise_halt, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_interrupts_off, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_port, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_msr, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_control, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_software_interrupt, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_selector, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_unmapped, SIGSEGV, SEGV_MAPERR, EXACT, 16),
	RAISED(raise_kernel_read, SIGSEGV, SEGV_MAPERR, EXACT, 0xffffffff80100000),
	RAISED(raise_kernel_write, SIGSEGV, SEGV_MAPERR, EXACT, 0xffff800000001000),
	RAISED(raise_no_address, SIGSEGV, SI_KERNEL, NONE, 0),
	RAISED(raise_x87, SIGFPE, FPE_FLTDIV, AT, 0),
};

static void check_exceptions(void)
{
	catch_all(on_exception);
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++) {
		uintptr_t address = exceptions[i].address == AT	  ? (uintptr_t)exceptions[i].at :
				    exceptions[i].address == NEXT ? (uintptr_t)exceptions[i].end :
								    exceptions[i].exact;

		caught.signal = 0;
		resume_at = (uintptr_t)exceptions[i].end;
		exceptions[i].raise();
		EXPECT_EQ_AT(caught.signal, exceptions[i].signal, "%s", exceptions[i].name);
		EXPECT_EQ_AT(caught.code, exceptions[i].code, "%s", exceptions[i].name);
		EXPECT_EQ_AT(caught.address, address, "%s", exceptions[i].name);
	}
	catch_all(NULL);
}

/* A single step: the exception comes after the instruction that follows POPF. */
void step(void);
extern const char step_end[];
__asm__(".text\nstep:\npushfq; orq $0x100, (%rsp); popfq; nop\nstep_end:\nnop; ret\n");

static void check_single_step(void)
{
	catch_all(on_exception);
	caught.signal = 0;
	resume_at = (uintptr_t)step_end;
	step();
	EXPECT_EQ(caught.signal, SIGTRAP);
	EXPECT_EQ(caught.code, TRAP_TRACE);
	EXPECT_EQ(caught.address, (uintptr_t)step_end);
	catch_all(NULL);
}

/* Single steps through system calls: none in the kernel, whose flags are its own, and the instruction
 * after the call is executed before the next exception. */
static volatile unsigned int steps;
static volatile uintptr_t lowest_step, highest_step;

static void on_step(int signal __attribute__((unused)), siginfo_t *info __attribute__((unused)),
		    void *context)
{
	uintptr_t rip = *context_word(context, CONTEXT_RIP);

	steps++;
	if (rip < lowest_step)
		lowest_step = rip;
	if (rip > highest_step)
		highest_step = rip;
}

void step_syscalls(void);
extern const char step_syscalls_end[];
__asm__(".text\nstep_syscalls:\n"
	"pushfq; orq $0x100, (%rsp); popfq\n"
	"movl $39, %eax\n"	    /* a step */
	"syscall; movl $39, %eax\n" /* one */
	"syscall; pushfq\n"	    /* one */
	"andq $~0x100, (%rsp)\n"    /* one */
	"popfq\n"		    /* and the last, because TF was set when it began */
	"step_syscalls_end:\nret\n");

static void check_step_syscalls(void)
{
	catch_all(on_step);
	steps = 0;
	lowest_step = UINTPTR_MAX;
	highest_step = 0;
	step_syscalls();
	EXPECT_EQ(steps, 5);
	EXPECT(lowest_step > (uintptr_t)step_syscalls);
	EXPECT_EQ(highest_step, (uintptr_t)step_syscalls_end);
	catch_all(NULL);
}

/*
 * Registers that a program gives itself by returning from a signal handler.
 */
static const struct {
	const char *name;
	unsigned int offset;
	uint64_t value;
	int signal; /* that ends the child; 0: none, status 7 */
} contexts[] = {
	{ "rip not canonical", CONTEXT_RIP, 0x0000800000000000, SIGSEGV },
	{ "rip just below that", CONTEXT_RIP, 0x00007ffffffffff0, SIGSEGV },
	{ "rip at the end of user space", CONTEXT_RIP, 0x00007ffffffff000, SIGSEGV },
	{ "rip in the kernel", CONTEXT_RIP, 0xffffffff80101000, SIGSEGV },
	{ "rip in the other half, not canonical", CONTEXT_RIP, 0xffff7fffffffffff, SIGSEGV },
	{ "rsp not canonical", CONTEXT_RSP, 0x8000000000000000, 0 },
	{ "rsp in the kernel", CONTEXT_RSP, 0xffffc00000008000, 0 },
	{ "interrupts off, I/O privilege 3, virtual-8086 mode", CONTEXT_RFLAGS, 0x23000, 0 },
	{ "nested task", CONTEXT_RFLAGS, 0x4202, 0 },
	{ "every flag that a program may set but TF", CONTEXT_RFLAGS, 0x254ed5 & ~0x100, 0 },
};

static unsigned int context_index;

static void on_user_signal(int signal __attribute__((unused)),
			   siginfo_t *info __attribute__((unused)), void *context)
{
	*context_word(context, contexts[context_index].offset) = contexts[context_index].value;
}

static void check_contexts(void)
{
	for (context_index = 0; context_index < sizeof(contexts) / sizeof(*contexts);
	     context_index++) {
		const char *name = contexts[context_index].name;
		int status = -1;

		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0) {
			struct sigaction action = { .sa_flags = SA_SIGINFO };

			action.sa_sigaction = on_user_signal;
			sigaction(SIGUSR1, &action, NULL);
			/* By hand, without a stack. */
			__asm__ volatile("syscall; cld;"
					 "movl %[exit], %%eax; movl $7, %%edi; syscall"
					 :
					 : "a"(__NR_kill), "D"(getpid()),
					   "S"(SIGUSR1), [exit] "i"(__NR_exit_group)
					 : "rcx", "r11", "memory");
		}
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		if (contexts[context_index].signal)
			EXPECT_EQ_AT(status, contexts[context_index].signal, "%s", name);
		else
			EXPECT_EQ_AT(status, 7 << 8, "%s", name);
	}
}

/*
 * Segment bases.
 */
static long arch_prctl(int code, uintptr_t address)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(__NR_arch_prctl), "D"(code), "S"(address)
			 : "rcx", "r11", "memory");
	return result;
}

/* Thread-local variables lie at FS; the first word there is the base itself, by the ABI, in a
 * program that has any. */
static __thread int thread_local = 1;

static uint64_t base_of_fs(void)
{
	uint64_t base;

	thread_local++;
	__asm__ volatile("movq %%fs:0, %0" : "=r"(base));
	return base;
}

static void check_bases(void)
{
	static uint64_t words[2] = { 0x1122334455667788, 42 };
	uint64_t fs, gs, read;

	EXPECT_EQ(arch_prctl(ARCH_GET_FS, (uintptr_t)&fs), 0);
	EXPECT_EQ(fs, base_of_fs());
	EXPECT_EQ(arch_prctl(ARCH_SET_GS, (uintptr_t)words), 0);
	for (int i = 0; i < 100; i++) {
		sched_yield();
		__asm__ volatile("movq %%gs:8, %0" : "=r"(read));
		EXPECT_EQ(read, 42);
	}
	EXPECT_EQ(arch_prctl(ARCH_GET_GS, (uintptr_t)&gs), 0);
	EXPECT_EQ(gs, (uintptr_t)words);
	/* EPERM, EFAULT, EINVAL. */
	EXPECT_EQ(arch_prctl(ARCH_SET_GS, 0x8000000000000000), -1);
	EXPECT_EQ(arch_prctl(ARCH_SET_FS, 0xffff800000000000), -1);
	EXPECT_EQ(arch_prctl(ARCH_GET_GS, 0xffff800000000000), -14);
	EXPECT_EQ(arch_prctl(ARCH_GET_FS, 16), -14);
	EXPECT_EQ(arch_prctl(0x7777, 0), -22);
	EXPECT_EQ(arch_prctl(ARCH_SET_GS, 0), 0);
}

/* The carry and the direction, which INC leaves alone: bits 0 and 10 of RFLAGS. */
#define CF_AND_DF 0x401

/* With a thread for each CPU, QEMU stops all other CPUs for this, unless there is one only, and leaves the block by another path. */
static void check_two_pages(void)
{
	for (int i = 0; i < 100; i++) {
		unsigned char *pages = mmap(NULL, (size_t)(2 * PAGE), PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint64_t flags;

		EXPECT(pages != MAP_FAILED);
		pages[0] = 1; /* the second page is not there */
		__asm__ volatile("stc\n\t"
				 "std\n\t"
				 "lock incl %1\n\t"
				 "pushfq\n\t"
				 "popq %0\n\t"
				 "cld"
				 : "=&r"(flags), "+m"(*(uint32_t *)(pages + PAGE - 2))
				 :
				 : "cc");
		EXPECT_EQ(flags & CF_AND_DF, CF_AND_DF);
		EXPECT_EQ(pages[PAGE - 2], 1);
		EXPECT_EQ(munmap(pages, (size_t)(2 * PAGE)), 0);
	}
}

static const struct tap_rule rules[] = {
	{ "a system call changes rax, rcx and r11, and these as the manual says", check_syscall },
	{ "a page fault changes no register", check_page_fault },
	{ "a page fault in an atomic operation on two pages keeps the carry and the direction",
	  check_two_pages },
	{ "preemption changes no register, general or vector", check_preemption },
	{ "the upper halves of vector registers are the task's own", check_upper_halves },
	{ "a forked child has its parent's vector registers", check_fork },
	{ "each exception is Linux's signal, code and address", check_exceptions },
	{ "a single step is SIGTRAP after the instruction", check_single_step },
	{ "single steps go over system calls", check_step_syscalls },
	{ "no registers from a signal frame confuse the kernel", check_contexts },
	{ "FS and GS bases are the task's own", check_bases },
};

TAP_MAIN(rules)
