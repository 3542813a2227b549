// SPDX-License-Identifier: BSD-2-Clause
/*
 * SIGTRAP of events with sigtrap, to the task that they count.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "event_signals.h"

#define FLAG_REMOVE_ON_EXEC (1ull << 36)
#define FLAG_SIGTRAP	    (1ull << 37)
#define WORD_SIG_DATA	    15
#define TRAP_PERF_CODE	    6
#define SIG_DATA	    0x1122334455667788

/* --- to the task --- */

static void attr_trap(union attr *attr)
{
	attr_sampling(attr, PERIOD, 0);
	attr->words[WORD_FLAGS] |= FLAG_REMOVE_ON_EXEC | FLAG_SIGTRAP;
	attr->words[WORD_SIG_DATA] = SIG_DATA;
}

static void show_traps(const char *when, const void *address)
{
	show_number(seen_count, when, "signals");
	for (unsigned int i = 0; i < seen_count && i < SEEN_MAX; i++) {
		const siginfo_t *info = &seen[i].info;
		uint64_t data;
		uint32_t type, flags;
		char text[160];

		memcpy(&data, (const char *)info + 24, sizeof(data));
		memcpy(&type, (const char *)info + 32, sizeof(type));
		memcpy(&flags, (const char *)info + 36, sizeof(flags));
		snprintf(text, sizeof(text),
			 "signal %d code %s errno %d address %s data %llx type %u flags %x at %s",
			 info->si_signo, info->si_code == TRAP_PERF_CODE ? "TRAP_PERF" : "another",
			 info->si_errno,
			 !info->si_addr		  ? "0" :
			 info->si_addr == address ? "the one" :
						    "another",
			 (unsigned long long)data, type, flags,
			 seen[i].ip >= (uint64_t)work_start && seen[i].ip < (uint64_t)work_end ?
				 "work" :
				 "elsewhere");
		show(text, "%s: signal %u", when, i + 1);
	}
}

static void observe_trap_refusals(void)
{
	union attr attr;

	attr_trap(&attr);
	attr.words[WORD_FLAGS] &= ~FLAG_REMOVE_ON_EXEC;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "trap that survives exec");
	attr_trap(&attr);
	show(outcome(open_event(&attr, -1, 0, -1, 0)), "trap of a CPU");
	show(outcome(open_event(&attr, 0, 0, -1, 0)), "trap of a task on a CPU");
	attr.fields.inherit = 1;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "trap, inherited");
	attr_trap(&attr);
	attr.fields.sample_period = 0;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "trap without a period");
	attr_trap(&attr);
	attr.fields.enable_on_exec = 1;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "trap, enabled on exec");
	attr_dummy(&attr);
	attr.words[WORD_SIG_DATA] = SIG_DATA;
	show(outcome(open_event(&attr, 0, -1, -1, 0)), "data without a trap");
}

static void observe_traps(void)
{
	union attr attr;
	sigset_t set;

	attr_trap(&attr);
	int fd = must_open(&attr, -1);

	forget(fd, 3);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	work(100 * PERIOD);
	show_traps("trap", NULL);

	forget(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	work(100 * PERIOD);
	show_number(seen_count, "trap with a limit", "signals");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);

	/* Put off while it is blocked; then there is one, and it says so. */
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	forget(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	work(100 * PERIOD);
	show_number(seen_count, "trap, blocked", "signals");
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	show_traps("trap, unblocked", NULL);

	signal(SIGTRAP, SIG_IGN);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 3);
	work(100 * PERIOD);
	show("yes", "trap, ignored: goes on");
	handle(SIGTRAP);
	close(fd);
}

/* A software event knows an address. */
static void observe_fault_traps(void)
{
	unsigned char *page = mmap(NULL, 4 * PAGE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union attr attr;

	attr_trap(&attr);
	attr.fields.type = PERF_TYPE_SOFTWARE;
	attr.fields.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.fields.sample_period = 1;
	int fd = must_open(&attr, -1);

	forget(fd, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	*(volatile unsigned char *)(page + 2 * PAGE_BYTES + 5) = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_traps("trap at a fault", page + 2 * PAGE_BYTES + 5);
	close(fd);

	attr.fields.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.fields.sample_period = 1000000;
	fd = must_open(&attr, -1);
	forget(fd, 2);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (seen_count < 2)
		work(PERIOD);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_number(seen_count, "trap by a clock", "signals");
	close(fd);
}

static void *trapped_thread(void *unused)
{
	work(5 * PERIOD);
	return unused;
}

/* Each thread gets its own. */
static void observe_inherited_traps(void)
{
	pthread_t thread;
	union attr attr;
	unsigned int others = 0;

	attr_trap(&attr);
	attr.fields.inherit = 1;
	attr.words[WORD_FLAGS] |= 1ull << 35; /* inherit_thread */
	attr.fields.sample_period = 4 * PERIOD;
	int fd = must_open(&attr, -1);

	forget(fd, 1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	pthread_create(&thread, NULL, trapped_thread, NULL);
	pthread_join(thread, NULL);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (unsigned int i = 0; i < seen_count && i < SEEN_MAX; i++)
		others += seen[i].tid != getpid();
	show(others ? "yes" : "no", "inherited trap: the other thread got one");
	close(fd);
}

/* The trap ends a process without a handler. */
static void observe_death(void)
{
	int status;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		union attr attr;

		signal(SIGTRAP, SIG_DFL);
		attr_trap(&attr);
		int fd = must_open(&attr, -1);

		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(100 * PERIOD);
		_exit(0);
	}
	waitpid(child, &status, 0);
	show_number(WTERMSIG(status), "trap without a handler", "ended by signal");
}

/* To another process, which its opener may signal. */
static void observe_other(void)
{
	union attr attr;
	int go[2], status;

	fflush(stdout);
	if (pipe(go) < 0)
		exit(1);
	pid_t child = fork();

	if (child == 0) {
		char byte;

		close(go[1]);
		forget(-1, 0);
		if (read(go[0], &byte, 1) != 0)
			_exit(100);
		work(100 * PERIOD);
		_exit((int)seen_count);
	}
	attr_trap(&attr);
	int fd = (int)open_event(&attr, child, -1, -1, 0);

	close(go[0]);
	forget(-1, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	close(go[1]);
	waitpid(child, &status, 0);
	show_number(WEXITSTATUS(status), "trap of another process", "signals there");
	show_number(seen_count, "trap of another process", "signals here");
	close(fd);
}

int main(void)
{
	handle(SIGTRAP);
	observe_trap_refusals();
	observe_traps();
	observe_fault_traps();
	observe_inherited_traps();
	observe_death();
	observe_other();
	return 0;
}
