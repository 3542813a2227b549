// SPDX-License-Identifier: BSD-2-Clause
/*
 * The floating-point state in a signal frame: the handler's values, the changes that it may make, and small
 * signal stacks.
 */
#include <cpuid.h>
#include <signal.h>
#include <sys/wait.h>

#include "fpu.h"

#define FEATURE_X87 1ull
#define FEATURE_SSE 2ull
#define FEATURE_AVX 4ull

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
	/* The size that the CPU reports for the enabled features. */
	__cpuid_count(0xd, 0, a, b, c, d);
	show(yes(b == size), "the state has the size that CPUID reports");
	show(hex(word_at(FEATURES_AT)), "features that the frame has");
	show(yes(word_at(FEATURES_AT) == enabled), "they are those in XCR0");
	for (size_t at = RESERVED_AT; at < HEADER_AT; at += 4)
		reserved |= half_at(at);
	show(yes(reserved == 0), "the rest of the software's bytes is 0");
	show(yes((word_at(HEADER_AT) & ~enabled) == 0), "the header has no others");
	show(yes((word_at(HEADER_AT) & 3) == 3), "the header has x87 and SSE");
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

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned int a, b, c, d;

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
	try_stack(8 * PAGE_BYTES, "32 KiB");
	try_stack(2 * PAGE_BYTES, "8 KiB");
	return 0;
}
