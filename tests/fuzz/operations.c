// SPDX-License-Identifier: BSD-2-Clause
/*
 * How a worker chooses: one random operation after the other, on descriptors, mappings and tasks that it or its
 * parent made, or that are none. And what operations have in common: numbers, addresses, memory, children.
 *
 * No operation waits for long: a timer interrupts each thread, and children are killed. Mappings are at
 * addresses that the kernel never chooses, so that a write to one that is gone finds nothing, and
 * is caught.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARENA	0x100000000000UL
/* No call waits for longer. */
#define WAIT_NS 20000000

volatile uint32_t fuzz_watched;

__attribute__((noinline)) void fuzz_work(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		fuzz_watched += i;
}

/* --- intended faults --- */

static _Thread_local sigjmp_buf *volatile on_fault;

static void catch_fault(int signal)
{
	(void)signal;
	if (on_fault)
		siglongjmp(*on_fault, 1);
	_exit(3);
}

static void ignore(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	leak_check_frame(info, context);
}

static void install_handlers(void)
{
	static const int ignored[] = { SIGIO, SIGTRAP, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ };
	struct sigaction interrupt = { .sa_sigaction = ignore, .sa_flags = SA_SIGINFO };
	struct sigaction fault = { .sa_handler = catch_fault, .sa_flags = SA_NODEFER };
	struct sigaction nothing = { .sa_sigaction = ignore, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	sigaction(SIGALRM, &interrupt, NULL);
	for (size_t i = 0; i < COUNT(ignored); i++)
		sigaction(ignored[i], &nothing, NULL);
}

/* Descriptors may come to block: random requests of ioctl and fcntl. */
void fuzz_interrupt_waits(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM };
	struct itimerspec often = { { 0, WAIT_NS }, { 0, WAIT_NS } };
	int id;

	event._sigev_un._tid = gettid();
	if (syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &id) == 0)
		syscall(SYS_timer_settime, id, 0, &often, NULL);
}

void fuzz_try(void (*function)(void *argument), void *argument)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 1) == 0) {
		on_fault = &here;
		function(argument);
	}
	on_fault = NULL;
}

/* --- choosing --- */

int fuzz_any_fd(struct fuzzer *fuzzer)
{
	if (pick(fuzzer, 20) == 0)
		return (int)random_number(&fuzzer->random);
	return fuzzer->fds[pick(fuzzer, DESCRIPTORS)];
}

void *fuzz_slot_address(unsigned int slot)
{
	return (void *)(ARENA + slot * SLOT_SIZE);
}

uint64_t *fuzz_good_memory(void)
{
	static _Thread_local uint64_t good[PAGE / 8] __attribute__((aligned(PAGE)));

	return good;
}

uint64_t fuzz_edge(struct fuzzer *fuzzer)
{
	static const uint64_t edges[] = {
		0,
		0x10000,
		ARENA,
		ARENA + SLOT_SIZE,
		0x7ffffffff000, /* the end of user space */
		0x800000000000, /* the hole */
		0xffff800000000000,
		0xffffc00000000000,
		0xffffffff80000000,
		0xffffffffff600000,
		0,
	};
	static const int64_t offsets[] = { 0, 0, 1, -1, PAGE, -PAGE, 8, -8, 4, 2L * PAGE };

	return PICK(fuzzer, edges) + (uint64_t)PICK(fuzzer, offsets);
}

void *fuzz_any_pointer(struct fuzzer *fuzzer)
{
	switch (pick(fuzzer, 8)) {
	case 0:
		return fuzz_slot_address(pick(fuzzer, SLOTS));
	case 1:
		return (void *)random_number(&fuzzer->random);
	case 2:
		return (void *)fuzz_edge(fuzzer);
	default:
		return fuzz_good_memory();
	}
}

void fuzz_remember(struct fuzzer *fuzzer, int fd)
{
	unsigned int place = pick(fuzzer, DESCRIPTORS);

	if (fd < 0)
		return;
	if (fuzzer->fds[place] >= 0)
		close(fuzzer->fds[place]);
	fuzzer->fds[place] = fd;
}

/* --- children --- */

pid_t fuzz_fork(struct fuzzer *fuzzer)
{
	struct random random = random_split(&fuzzer->random);
	pid_t parent = getpid(), child = fork();

	if (child != 0)
		return child;
	fuzzer->random = random;
	fuzzer->depth++;
	fuzzer->parent = parent;
	fuzzer->is_thread = fuzzer->has_thread = false;
	fuzzer->digest = 0;
	memset(fuzzer->children, 0, sizeof(fuzzer->children));
	memset(fuzzer->mapped, 0, sizeof(fuzzer->mapped));
	fuzz_interrupt_waits();
	return 0;
}

int fuzz_reap(pid_t pid, unsigned int ms)
{
	struct timespec moment = { 0, 1000000 };
	int status = 0;
	pid_t got = 0;

	while (ms-- > 0 && (got = waitpid(pid, &status, WNOHANG | __WALL)) == 0)
		nanosleep(&moment, NULL);
	if (got == pid && (WIFEXITED(status) || WIFSIGNALED(status)))
		return status;
	kill(pid, SIGKILL);
	/* A tracer of the child may get its stop first. */
	while ((got = waitpid(pid, &status, __WALL)) == pid ? WIFSTOPPED(status) : errno == EINTR)
		;
	return status;
}

/* --- the loop --- */

static const struct operation *const tables[] = {
	fuzz_event_operations,	fuzz_process_operations, fuzz_attack_operations,
	fuzz_call_operations,	fuzz_program_operations, fuzz_signal_operations,
	fuzz_file_operations,	fuzz_time_operations,	 fuzz_futex_operations,
	fuzz_socket_operations, fuzz_perfctr_operations, fuzz_cpu_operations,
	fuzz_dsa_operations,	fuzz_device_operations,
};

static const struct operation *choose(struct fuzzer *fuzzer)
{
	unsigned int total = 0;

	for (size_t i = 0; i < COUNT(tables); i++)
		for (const struct operation *each = tables[i]; each->name; each++)
			total += each->weight;
	unsigned int at = pick(fuzzer, total);

	for (size_t i = 0;; i++)
		for (const struct operation *each = tables[i]; each->name; each++) {
			if (at < each->weight)
				return each;
			at -= each->weight;
		}
}

static uint64_t hash(const char *name)
{
	uint64_t sum = 0;

	while (*name)
		sum = sum * 31 + (unsigned char)*name++;
	return sum;
}

void fuzz_finish(struct fuzzer *fuzzer)
{
	atomic_fetch_add(&fuzz_shared->digest, fuzzer->digest);
	fuzzer->digest = 0;
}

void fuzz_operate(struct fuzzer *fuzzer, unsigned int operations)
{
	while (operations-- > 0 && !atomic_load(&fuzz_shared->found)) {
		const struct operation *operation = choose(fuzzer);

		errno = 0;
		long result = operation->function(fuzzer);

		fuzzer->digest = fuzzer->digest * 31 + hash(operation->name) +
				 (uint64_t)(result < 0 ? -errno : result);
		atomic_fetch_add(&fuzz_shared->operations, 1);
		count_calls(1);
		leak_check(fuzz_good_memory(), PAGE, operation->name);
		if (geteuid() == 0 || getuid() == 0)
			fuzz_finding("%s: a worker is root", operation->name);
	}
	/* A thread's descriptors are also its process's. */
	if (fuzzer->is_thread)
		fuzz_finish(fuzzer);
}

void fuzz_prepare(void)
{
	install_handlers();
	fuzz_interrupt_waits();
}

void fuzz_run(struct random random, unsigned int operations, unsigned int depth)
{
	struct fuzzer fuzzer = { .random = random, .depth = depth };

	fuzz_prepare();
	for (int i = 0; i < DESCRIPTORS; i++)
		fuzzer.fds[i] = fcntl(3 + i, F_GETFD) < 0 ? -1 : 3 + i;
	fuzz_operate(&fuzzer, operations);
	for (unsigned int i = 0; i < CHILDREN; i++)
		if (fuzzer.children[i])
			fuzz_reap(fuzzer.children[i], 0);
	fuzz_finish(&fuzzer);
}
