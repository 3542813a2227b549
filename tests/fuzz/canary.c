// SPDX-License-Identifier: BSD-2-Clause
/*
 * Canaries: processes that workers have no right to touch: one of another user, one of the workers' own
 * that is not dumpable. Each fills memory, registers and its other resources with values, and checks
 * them again and again.
 *
 * A worker whose attack on one succeeds reports it itself (attack.c); canaries notice damage without a
 * call that succeeded.
 */
#define _GNU_SOURCE
#include "fuzz.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS (8 * PAGE / 8)

static struct {
	pid_t pid;
	int request, answer;
} canaries[CANARIES];

static uint64_t in_data[WORDS];

static uint64_t value_of(const uint64_t *word)
{
	return (uintptr_t)word * 0x9e3779b97f4a7c15 ^ 0x123456789abcdef;
}

static void fill(uint64_t *memory)
{
	for (unsigned int i = 0; i < WORDS; i++)
		memory[i] = value_of(&memory[i]);
}

static bool is_whole(const uint64_t *memory, const char *what)
{
	for (unsigned int i = 0; i < WORDS; i++)
		if (memory[i] != value_of(&memory[i])) {
			fuzz_finding("a canary's %s changed, at %p: %llx", what,
				     (const void *)&memory[i], (unsigned long long)memory[i]);
			return false;
		}
	return true;
}

/* Waits for a byte at FD, some ms, with values in all registers that a system call keeps. Returns
 * what poll did, and 1000 if a register changed. */
static long wait_with_registers(struct pollfd *entry, long ms)
{
	static const uint64_t value = 0x5a17c0de5a17c0de;
	register long timeout __asm__("rdx") = ms;
	long result = SYS_poll;

	__asm__ volatile(
		"mov %[value], %%rbx; mov %%rbx, %%r8; mov %%rbx, %%r9; mov %%rbx, %%r10\n\t"
		"mov %%rbx, %%r12; mov %%rbx, %%r13; mov %%rbx, %%r14; mov %%rbx, %%r15\n\t"
		"movq %%rbx, %%xmm0; movq %%rbx, %%xmm7; movq %%rbx, %%xmm15\n\t"
		"syscall\n\t"
		"cmp %[value], %%rbx; jne 1f; cmp %%rbx, %%r8; jne 1f; cmp %%rbx, %%r9; jne 1f\n\t"
		"cmp %%rbx, %%r10; jne 1f; cmp %%rbx, %%r12; jne 1f; cmp %%rbx, %%r13; jne 1f\n\t"
		"cmp %%rbx, %%r14; jne 1f; cmp %%rbx, %%r15; jne 1f\n\t"
		"movq %%xmm0, %%r8; cmp %%rbx, %%r8; jne 1f\n\t"
		"movq %%xmm7, %%r8; cmp %%rbx, %%r8; jne 1f\n\t"
		"movq %%xmm15, %%r8; cmp %%rbx, %%r8; je 2f\n\t"
		"1: mov $1000, %%eax\n\t"
		"2:"
		: "+a"(result)
		: "D"(entry), "S"(1L), "r"(timeout), [value] "m"(value)
		: "rbx", "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
		  "xmm7", "xmm15", "memory", "cc");
	return result;
}

struct self {
	uid_t uids[3];
	cpu_set_t cpus;
	struct rlimit stack, files;
	int nice, policy, dumpable;
	char cwd[64];
};

static void look_at_self(struct self *self)
{
	memset(self, 0, sizeof(*self));
	getresuid(&self->uids[0], &self->uids[1], &self->uids[2]);
	sched_getaffinity(0, sizeof(self->cpus), &self->cpus);
	getrlimit(RLIMIT_STACK, &self->stack);
	getrlimit(RLIMIT_NOFILE, &self->files);
	self->nice = getpriority(PRIO_PROCESS, 0);
	self->policy = sched_getscheduler(0);
	self->dumpable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
	if (!getcwd(self->cwd, sizeof(self->cwd)))
		self->cwd[0] = '?';
}

static void is_attacked(int signal)
{
	fuzz_finding("a canary got signal %d", signal);
}

/* A worker may send signals to processes of its own user. */
static void catch_signals(void)
{
	for (int signal = 1; signal < 32; signal++)
		if (signal != SIGKILL && signal != SIGSTOP && signal != SIGCHLD &&
		    signal != SIGCONT)
			sigaction(signal, &(struct sigaction){ .sa_handler = is_attacked }, NULL);
}

_Noreturn static void be_canary(bool foreign, int request, int answer)
{
	uint64_t on_stack[WORDS];
	uint64_t *mapped = mmap(NULL, sizeof(on_stack), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *shared = mmap(NULL, sizeof(on_stack), PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pollfd entry = { request, POLLIN, 0 };
	struct self before, now;
	char byte;

	tree_become_user(foreign ? CANARY_UID : WORKER_UID);
	if (chdir("/") < 0)
		_exit(5);
	catch_signals();
	prctl(PR_SET_DUMPABLE, foreign, 0, 0, 0);
	fill(on_stack);
	fill(mapped);
	fill(shared);
	fill(in_data);
	look_at_self(&before);
	state_own_memory();
	for (;;) {
		long got = wait_with_registers(&entry, 100);

		if (got == 1000)
			fuzz_finding("a register of a canary changed");
		look_at_self(&now);
		/* CPUs that are off line are not shown. All are on line when the canary is asked. */
		if (got != 1)
			now.cpus = before.cpus;
		if (memcmp(&before, &now, sizeof(now)) != 0)
			fuzz_finding("a canary's credentials, limits or settings changed");
		bool whole = is_whole(on_stack, "stack") && is_whole(mapped, "private memory") &&
			     is_whole(shared, "shared memory") && is_whole(in_data, "data");

		if (got != 1)
			continue;
		if (read(request, &byte, 1) != 1)
			_exit(0);
		byte = whole ? 'y' : 'n';
		if (write(answer, &byte, 1) != 1)
			_exit(0);
	}
}

void canary_start(void)
{
	for (int i = 0; i < CANARIES; i++) {
		int requests[2], answers[2];

		if (pipe2(requests, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0)
			return;
		canaries[i].pid = fork();
		if (canaries[i].pid == 0) {
			close(requests[1]);
			close(answers[0]);
			be_canary(i == 0, requests[0], answers[1]);
		}
		close(requests[0]);
		close(answers[1]);
		canaries[i].request = requests[1];
		canaries[i].answer = answers[0];
		fuzz_shared->canaries[i] = canaries[i].pid;
	}
}

bool canary_check(void)
{
	for (int i = 0; i < CANARIES; i++) {
		char byte = '?';

		if (write(canaries[i].request, &byte, 1) != 1 ||
		    read(canaries[i].answer, &byte, 1) != 1 || byte != 'y') {
			fuzz_finding("canary %d: %s", i, byte == 'n' ? "changed" : "gone");
			return false;
		}
	}
	return !atomic_load(&fuzz_shared->found);
}

void canary_end(void)
{
	for (int i = 0; i < CANARIES; i++) {
		close(canaries[i].request);
		close(canaries[i].answer);
		kill(canaries[i].pid, SIGKILL);
		while (waitpid(canaries[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		fuzz_shared->canaries[i] = 0;
	}
}
