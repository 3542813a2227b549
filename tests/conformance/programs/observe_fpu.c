// SPDX-License-Identifier: BSD-2-Clause
/*
 * Floating-point and vector registers: what a signal's frame says of them, what a handler begins with,
 * what its return brings back, and that no other task, child or program sees them.
 *
 * Both kernels run under the same emulated processor; all of the state that it has is looked at by its
 * number in CPUID (leaf 0xd), AVX's by what is in it.
 */
#include "observe.h"

#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

/* Offsets in the area: Intel SDM vol. 1, 13.4; the software's bytes: Linux's asm/sigcontext.h. */
enum {
	CONTROL_AT = 0,
	MXCSR_AT = 24,
	X87_AT = 32,
	XMM_AT = 160,
	MAGIC1_AT = 464,
	EXTENDED_SIZE_AT = 468,
	FEATURES_AT = 472,
	STATE_SIZE_AT = 480,
	RESERVED_AT = 484,
	HEADER_AT = 512,
	HEADER_BYTES = 64,
	REGISTERS = 16
};

#define FEATURE_X87   1ull
#define FEATURE_SSE   2ull
#define FEATURE_AVX   4ull
#define CONTROL_START 0x37f
#define MXCSR_START   0x1f80
/* Round down: not what any program begins with. */
#define CONTROL_OTHER 0x77f
#define MXCSR_OTHER   0x3f80

/* All registers of AVX, each 32 bytes. */
struct vectors {
	unsigned char bytes[REGISTERS][32];
};

static bool has_avx;
static unsigned int avx_at;

static void load_vectors(const struct vectors *from)
{
#define LOAD(n)	    "vmovdqu " #n "*32(%0), %%ymm" #n "\n\t"
#define LOAD_LOW(n) "movdqu " #n "*32(%0), %%xmm" #n "\n\t"
#define ALL(x)	    x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7) x(8) x(9) x(10) x(11) x(12) x(13) x(14) x(15)
	if (has_avx)
		__asm__ volatile(ALL(LOAD) : : "r"(from) : "memory");
	else
		__asm__ volatile(ALL(LOAD_LOW) : : "r"(from) : "memory");
}

static void store_vectors(struct vectors *to)
{
#define STORE(n)     "vmovdqu %%ymm" #n ", " #n "*32(%0)\n\t"
#define STORE_LOW(n) "movdqu %%xmm" #n ", " #n "*32(%0)\n\t"
	if (has_avx)
		__asm__ volatile(ALL(STORE) : : "r"(to) : "memory");
	else
		__asm__ volatile(ALL(STORE_LOW) : : "r"(to) : "memory");
}

static void fill(struct vectors *vectors, unsigned char seed)
{
	memset(vectors, 0, sizeof(*vectors));
	for (int i = 0; i < REGISTERS; i++)
		for (int j = 0; j < (has_avx ? 32 : 16); j++)
			vectors->bytes[i][j] = (unsigned char)(seed + i * 7 + j);
}

static void set_control(uint16_t control, uint32_t mxcsr)
{
	__asm__ volatile("fldcw %0; ldmxcsr %1" : : "m"(control), "m"(mxcsr));
}

static void get_control(uint16_t *control, uint32_t *mxcsr)
{
	__asm__ volatile("fnstcw %0; stmxcsr %1" : "=m"(*control), "=m"(*mxcsr));
}

/* A system call without the C library, which may use the registers: what lies between is the kernel's. */
static inline long call(long number, long a, long b)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b)
			 : "rcx", "r11", "memory");
	return result;
}

static const char *yes(bool value)
{
	return value ? "yes" : "no";
}

static const char *hex(uint64_t value)
{
	static char text[4][24];
	static int next;
	char *to = text[next++ % 4];

	snprintf(to, sizeof(text[0]), "%#llx", (unsigned long long)value);
	return to;
}

/* What the last handler found. */
static struct {
	struct vectors vectors;
	uint16_t control;
	uint32_t mxcsr;
	unsigned char state[8192];
	size_t size;
} found;

static void (*change)(unsigned char *state);

__attribute__((noinline)) static void note(ucontext_t *context)
{
	unsigned char *state = (unsigned char *)context->uc_mcontext.fpregs;
	uint32_t size;

	memcpy(&size, state + EXTENDED_SIZE_AT, sizeof(size));
	found.size = size < sizeof(found.state) ? size : sizeof(found.state);
	memcpy(found.state, state, found.size);
	if (change)
		change(state);
}

/* First of all the registers, before anything is called that may use them. */
static void handler(int signal, siginfo_t *told, void *context)
{
	static struct vectors spoiled;

	(void)signal;
	(void)told;
	store_vectors(&found.vectors);
	get_control(&found.control, &found.mxcsr);
	note(context);
	fill(&spoiled, 0x99);
	load_vectors(&spoiled);
	set_control(CONTROL_OTHER | 0x800, MXCSR_OTHER | 0x4000);
}

static struct vectors before, after;
static uint16_t control_after;
static uint32_t mxcsr_after;

/* Raises a signal with known registers, whose handler does CHANGES to its frame. */
static void raise_with(void (*changes)(unsigned char *state))
{
	long self = getpid();

	change = changes;
	fill(&before, 1);
	set_control(CONTROL_OTHER, MXCSR_OTHER);
	load_vectors(&before);
	call(SYS_kill, self, SIGUSR1);
	store_vectors(&after);
	get_control(&control_after, &mxcsr_after);
	set_control(CONTROL_START, MXCSR_START);
}

static uint64_t word_at(size_t offset)
{
	uint64_t word;

	memcpy(&word, found.state + offset, sizeof(word));
	return word;
}

static uint32_t half_at(size_t offset)
{
	return (uint32_t)word_at(offset);
}

/* Whether the first or the second half of each register is what BEFORE has, or is 0. */
static bool is_kept(const struct vectors *vectors, int half)
{
	for (int i = 0; i < REGISTERS; i++)
		if (memcmp(vectors->bytes[i] + 16 * half, before.bytes[i] + 16 * half, 16) != 0)
			return false;
	return true;
}

static bool is_zero(const struct vectors *vectors, int half)
{
	static const unsigned char zero[16];

	for (int i = 0; i < REGISTERS; i++)
		if (memcmp(vectors->bytes[i] + 16 * half, zero, 16) != 0)
			return false;
	return true;
}

static const char *halves(const struct vectors *vectors)
{
	static char text[64];
	const char *state[2];

	for (int half = 0; half < 2; half++)
		state[half] = is_kept(vectors, half) ? "kept" :
			      is_zero(vectors, half) ? "zero" :
						       "changed";
	snprintf(text, sizeof(text), "low halves %s, high halves %s", state[0], state[1]);
	return text;
}

static void see_frame(void)
{
	unsigned int a, b, c, d, size;
	uint64_t enabled, reserved = 0;
	bool same = true;

	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	enabled = a | (uint64_t)d << 32;
	raise_with(NULL);
	show(yes(half_at(MAGIC1_AT) == 0x46505853), "the frame has the first magic word");
	size = half_at(STATE_SIZE_AT);
	show(yes(half_at(EXTENDED_SIZE_AT) == size + 4), "the whole is 4 more than the state");
	show(yes(half_at(size) == 0x46505845), "the last magic word follows the state");
	/* The size that the processor tells for what is enabled. */
	__cpuid_count(0xd, 0, a, b, c, d);
	show(yes(b == size), "the state has the size that CPUID tells");
	show(hex(word_at(FEATURES_AT)), "features that the frame has");
	show(yes(word_at(FEATURES_AT) == enabled), "they are those in XCR0");
	for (size_t at = RESERVED_AT; at < HEADER_AT; at += 4)
		reserved |= half_at(at);
	show(yes(reserved == 0), "the rest of the software's bytes is 0");
	show(yes((word_at(HEADER_AT) & ~enabled) == 0), "the header tells of no others");
	show(yes((word_at(HEADER_AT) & 3) == 3), "the header tells of x87 and SSE");
	for (size_t at = HEADER_AT + 8; at < HEADER_AT + HEADER_BYTES; at += 8)
		reserved |= word_at(at);
	show(yes(reserved == 0), "the rest of the header is 0");
	show(hex(half_at(CONTROL_AT) & 0xffff), "x87's control word in the frame");
	show(hex(half_at(MXCSR_AT)), "MXCSR in the frame");
	for (int i = 0; i < REGISTERS; i++)
		same &= memcmp(found.state + XMM_AT + 16 * i, before.bytes[i], 16) == 0;
	show(yes(same), "the low halves are in the frame");
	same = has_avx;
	for (int i = 0; i < REGISTERS && same; i++)
		same &= memcmp(found.state + avx_at + 16 * i, before.bytes[i] + 16, 16) == 0;
	show(yes(same), "the high halves are in the frame");
}

static void see_handler(void)
{
	raise_with(NULL);
	show(halves(&found.vectors), "vectors when a handler begins");
	show(hex(found.control), "x87's control word when a handler begins");
	show(hex(found.mxcsr), "MXCSR when a handler begins");
	show(halves(&after), "vectors after a handler that changed them");
	show(hex(control_after), "x87's control word after it");
	show(hex(mxcsr_after), "MXCSR after it");
}

static void put(unsigned char *state, size_t at, uint64_t word)
{
	memcpy(state + at, &word, sizeof(word));
}

static void no_magic(unsigned char *state)
{
	memset(state + MAGIC1_AT, 0, 4);
}

static void no_end(unsigned char *state)
{
	uint32_t size;

	memcpy(&size, state + STATE_SIZE_AT, sizeof(size));
	memset(state + size, 0, 4);
}

static void only_sse(unsigned char *state)
{
	put(state, FEATURES_AT, FEATURE_X87 | FEATURE_SSE);
}

static void only_avx(unsigned char *state)
{
	put(state, FEATURES_AT, FEATURE_AVX);
}

static void no_state_features(unsigned char *state)
{
	put(state, FEATURES_AT, 0);
}

static void avx_unused(unsigned char *state)
{
	put(state, HEADER_AT, FEATURE_X87 | FEATURE_SSE);
}

static void sse_unused(unsigned char *state)
{
	put(state, HEADER_AT, FEATURE_X87 | FEATURE_AVX);
}

static void all_unused(unsigned char *state)
{
	put(state, HEADER_AT, 0);
}

static void small_size(unsigned char *state)
{
	uint32_t size = 512;

	memcpy(state + STATE_SIZE_AT, &size, sizeof(size));
}

static void state_larger_than_whole(unsigned char *state)
{
	uint32_t size = 16;

	memcpy(state + EXTENDED_SIZE_AT, &size, sizeof(size));
}

static void other_control(unsigned char *state)
{
	uint16_t control = 0xf7f;

	memcpy(state + CONTROL_AT, &control, sizeof(control));
}

static void other_mxcsr(unsigned char *state)
{
	uint32_t mxcsr = 0x5f80;

	memcpy(state + MXCSR_AT, &mxcsr, sizeof(mxcsr));
}

static void see_changes(void)
{
	static const struct {
		void (*body)(unsigned char *state);
		const char *name;
	} all[] = {
		{ no_magic, "no first magic word" },
		{ no_end, "no last magic word" },
		{ only_sse, "features x87 and SSE" },
		{ only_avx, "features AVX" },
		{ no_state_features, "no features" },
		{ avx_unused, "AVX unused" },
		{ sse_unused, "SSE unused" },
		{ all_unused, "nothing used" },
		{ small_size, "a state of 512 bytes" },
		{ state_larger_than_whole, "a state larger than the whole" },
		{ other_control, "another x87 control word" },
		{ other_mxcsr, "another MXCSR" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		raise_with(all[i].body);
		show(halves(&after), "vectors after a frame with %s", all[i].name);
		show(hex(control_after), "x87's control word after a frame with %s", all[i].name);
		show(hex(mxcsr_after), "MXCSR after a frame with %s", all[i].name);
	}
}

/* Two processes on one CPU, each with registers of its own, take turns. */
static void see_switches(void)
{
	int failures = 0, status = 1;
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	sched_setaffinity(0, sizeof(cpu), &cpu);
	pid_t child = fork();

	fill(&before, child ? 0x20 : 0x50);
	for (int i = 0; i < 300; i++) {
		load_vectors(&before);
		call(SYS_sched_yield, 0, 0);
		store_vectors(&after);
		failures += !is_kept(&after, 0) || !is_kept(&after, 1);
	}
	if (child == 0)
		_exit(failures != 0);
	waitpid(child, &status, 0);
	show(outcome_value(failures), "turns after which a vector was another, here");
	show(yes(status == 0), "and none in the other process");
}

static void see_fork(void)
{
	int status;

	fill(&before, 0x70);
	set_control(CONTROL_OTHER, MXCSR_OTHER);
	load_vectors(&before);
	long child = call(SYS_fork, 0, 0);

	if (child == 0) {
		store_vectors(&after);
		get_control(&control_after, &mxcsr_after);
		_exit((is_kept(&after, 0) && is_kept(&after, 1) ? 0 : 1) |
		      (control_after == CONTROL_OTHER ? 0 : 2) |
		      (mxcsr_after == MXCSR_OTHER ? 0 : 4));
	}
	set_control(CONTROL_START, MXCSR_START);
	waitpid((pid_t)child, &status, 0);
	show(outcome_value(WEXITSTATUS(status)), "what a forked child has differently");
}

/* As a new program: what the kernel gave it, as far as the C library's start leaves it. */
static int begin(void)
{
	uint16_t control;
	uint32_t mxcsr;

	get_control(&control, &mxcsr);
	return (control == CONTROL_START ? 0 : 1) | (mxcsr == MXCSR_START ? 0 : 2);
}

static void see_exec(const char *program)
{
	char *const words[] = { (char *)program, "begin", NULL };
	int status;
	pid_t child = fork();

	if (child == 0) {
		set_control(CONTROL_OTHER, MXCSR_OTHER);
		execv(program, words);
		_exit(99);
	}
	waitpid(child, &status, 0);
	show(outcome_value(WEXITSTATUS(status)),
	     "what a new program's control words have differently");
}

static void *thread_body(void *unused)
{
	(void)unused;
	get_control(&control_after, &mxcsr_after);
	return NULL;
}

static void see_thread(void)
{
	pthread_t thread;

	set_control(CONTROL_OTHER, MXCSR_OTHER);
	int error = pthread_create(&thread, NULL, thread_body, NULL);

	set_control(CONTROL_START, MXCSR_START);
	if (error || pthread_join(thread, NULL))
		exit(1);
	show(hex(control_after), "x87's control word of a new thread");
	show(hex(mxcsr_after), "MXCSR of a new thread");
}

/* The frame on a handler's stack of so many bytes, with a page that is not there below. */
static void try_stack(size_t size, const char *name)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		char *pages =
			mmap(NULL, 16 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		stack_t stack = { .ss_sp = pages + 8 * PAGE_BYTES, .ss_size = size };
		struct sigaction action = { .sa_sigaction = handler,
					    .sa_flags = SA_SIGINFO | SA_ONSTACK };

		mprotect(stack.ss_sp, 8 * PAGE_BYTES, PROT_READ | PROT_WRITE);
		sigaltstack(&stack, NULL);
		sigaction(SIGUSR1, &action, NULL);
		raise(SIGUSR1);
		_exit(0);
	}
	waitpid(child, &status, 0);
	show(WIFSIGNALED(status) ? "killed" : "handled", "a handler's stack of %s", name);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned int a, b, c, d;

	if (argc == 2)
		return begin();
	__cpuid(1, a, b, c, d);
	has_avx = c >> 28 & 1;
	show(yes(has_avx), "AVX");
	if (has_avx) {
		__cpuid_count(0xd, 2, a, b, c, d);
		avx_at = b;
	}
	sigaction(SIGUSR1, &action, NULL);
	see_frame();
	see_handler();
	see_changes();
	see_switches();
	see_fork();
	see_exec(argv[0]);
	see_thread();
	try_stack(8 * PAGE_BYTES, "32 KiB");
	try_stack(2 * PAGE_BYTES, "8 KiB");
	return 0;
}
