// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of libspin, on which every exact count rests: that its functions execute what their tables say. Checked without
 * the PMU, by the CPU's single-step trap: after every instruction a signal handler notes the address of the next.
 *
 * The system calls among the works are left out: how a trap flag passes a system call is another subject.
 */
#include <signal.h>
#include <spin.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <symbols.h>

#include "../unit/tap.h"

/* Linux, arch/x86/include/uapi/asm/sigcontext.h: the signal context's RIP, after uc_flags, uc_link and uc_stack. */
#define CONTEXT_RIP 168
#define STEPS_MAX   20000

static uintptr_t steps[STEPS_MAX];
static volatile size_t steps_taken;

static void note_step(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (steps_taken < STEPS_MAX)
		memcpy(&steps[steps_taken], (char *)context + CONTEXT_RIP, sizeof(uintptr_t));
	steps_taken++;
}

/* Calls WORK with the trap flag set. The 128 bytes below the stack pointer are the compiler's. */
static void step_through(const struct spin_work *work, uint64_t n, void *memory)
{
	steps_taken = 0;
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "call *%%rbx\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "leaq 128(%%rsp), %%rsp"
			 : "+D"(n), "+S"(memory)
			 : "b"(work->run)
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* A rep instruction traps after each of its passes; what stays at the same address is one instruction. */
static size_t merge_repeats(void)
{
	size_t kept = 0, taken = steps_taken < STEPS_MAX ? steps_taken : STEPS_MAX;

	for (size_t i = 0; i < taken; i++)
		if (kept == 0 || steps[i] != steps[kept - 1])
			steps[kept++] = steps[i];
	return kept;
}

static bool makes_system_calls(const struct spin_work *work)
{
	return work->run == spin_syscalls || work->run == spin_yields;
}

static void check_steps(void)
{
	struct sigaction action = { .sa_sigaction = note_step, .sa_flags = SA_SIGINFO };

	EXPECT_EQ(sigaction(SIGTRAP, &action, NULL), 0);
	for (size_t w = 0; w < spin_works_count; w++) {
		const struct spin_work *work = &spin_works[w];

		if (makes_system_calls(work))
			continue;
		for (uint64_t n = 1; n <= 3; n++) {
			size_t bytes = spin_memory_bytes(work, n);
			void *memory = bytes == 0 ? NULL :
						    mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			step_through(work, n, memory);
			EXPECT_AT(steps_taken <= STEPS_MAX, "%s: %zu steps", work->name,
				  steps_taken);
			/* The first address is the function's; after its last instruction the caller's follow. */
			size_t taken = merge_repeats(), length = spin_path_length(work->path, n);
			EXPECT_AT(taken > length, "%s: %zu steps", work->name, taken);
			for (size_t i = 0; i < length; i++)
				EXPECT_AT(steps[i] == spin_path_address(work->path, n, i),
					  "%s of %" PRIu64 ": instruction %zu is at %#" PRIxPTR,
					  work->name, n, i, steps[i]);
			EXPECT_AT(symbol_find(steps[length]) == NULL,
				  "%s of %" PRIu64 " goes on after its path", work->name, n);
			if (bytes != 0)
				munmap(memory, bytes);
		}
	}
}

static void check_lengths(void)
{
	for (size_t w = 0; w < spin_works_count; w++)
		for (uint64_t n = 1; n <= 1000; n++)
			EXPECT_EQ_AT(spin_derive(spin_works[w].instructions, n),
				     spin_path_length(spin_works[w].path, n), "%s of %" PRIu64,
				     spin_works[w].name, n);
}

static void check_symbols(void)
{
	for (size_t w = 0; w < spin_works_count; w++) {
		const struct symbol *symbol = symbol_find((uintptr_t)spin_works[w].run);
		char name[32];

		snprintf(name, sizeof(name), "spin_%s", spin_works[w].name);
		EXPECT(symbol != NULL);
		EXPECT_STR(symbol != NULL ? symbol->name : "", name);
		EXPECT(spin_find_work(spin_works[w].name) == &spin_works[w]);
	}
	EXPECT(symbol_find((uintptr_t)check_symbols) == NULL);
	EXPECT(symbol_find(0) == NULL);
	EXPECT(spin_find_work("rest") == NULL);
}

static const struct tap_rule rules[] = {
	{ "every work executes the addresses of its path, one by one", check_steps },
	{ "a path has as many instructions as the table counts", check_lengths },
	{ "the linker's table names every function", check_symbols },
};

TAP_MAIN(rules)
