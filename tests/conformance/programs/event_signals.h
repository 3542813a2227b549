/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals that events send.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_EVENT_SIGNALS_H
#define TESTS_EVENT_SIGNALS_H

#include <signal.h>

#include "buffer.h"
#include "sampling.h"

enum { SEEN_MAX = 64, PERIOD = 10000 };

/* By ISA: the place where a signal came, and the loop that is counted. */
#ifdef __alpha__
#define FRAME_IP(context) ((uint64_t)((ucontext_t *)(context))->uc_mcontext.sc_pc)
#define WORK_LOOP	  "	subq $16, 1, $16\n\tbne $16, work\n"
#define WORK_RETURN	  "	ret $31, ($26), 1\n"
#else
#define FRAME_IP(context) ((uint64_t)((ucontext_t *)(context))->uc_mcontext.gregs[REG_RIP])
#define WORK_LOOP	  "	dec %rdi\n\tjnz work\n"
#define WORK_RETURN	  "	ret\n"
#endif

/* The siginfo that a handler got, and the thread that ran the handler. */
static struct seen {
	siginfo_t info;
	pid_t tid;
	uint64_t ip;
} seen[SEEN_MAX];

static volatile unsigned int seen_count;

/* The event that the handler disables after so many signals; 0: never. */
static volatile int stop_fd = -1;

static volatile unsigned int stop_after;

static void note(int signal, siginfo_t *info, void *context)
{
	unsigned int number = __atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED);

	(void)signal;
	if (number < SEEN_MAX) {
		seen[number].info = *info;
		seen[number].tid = (pid_t)syscall(SYS_gettid);
		seen[number].ip = FRAME_IP(context);
	}
	if (stop_after && number + 1 == stop_after)
		ioctl(stop_fd, PERF_EVENT_IOC_DISABLE, 0);
}

static void handle(int signal)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

static void forget(int fd, unsigned int most)
{
	seen_count = 0;
	stop_fd = fd;
	stop_after = most;
}

/* COUNT loops of two instructions each. */
extern const char work_start[], work_end[];

void work(uint64_t count);

__asm__(".text\n"
	".globl work, work_start, work_end\n"
	"work:\n"
	"work_start:\n" WORK_LOOP "work_end:\n" WORK_RETURN);

#endif
