// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals from events: SIGIO and its kin to who owns an event's descriptor (F_SETOWN, F_SETSIG, O_ASYNC), and
 * SIGTRAP to the task that is counted (attr.sigtrap).
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "buffer.h"

#define FLAG_REMOVE_ON_EXEC (1ull << 36)
#define FLAG_SIGTRAP	    (1ull << 37)
#define WORD_SIG_DATA	    15
#define TRAP_PERF_CODE	    6
#define SIG_DATA	    0x1122334455667788

enum { SEEN_MAX = 64, PERIOD = 10000 };

/* What depends on the ISA: where a signal came, and the loop that is counted. */
#ifdef __alpha__
#define FRAME_IP(context) ((uint64_t)((ucontext_t *)(context))->uc_mcontext.sc_pc)
#define WORK_LOOP	  "	subq $16, 1, $16\n\tbne $16, work\n"
#define WORK_RETURN	  "	ret $31, ($26), 1\n"
#else
#define FRAME_IP(context) ((uint64_t)((ucontext_t *)(context))->uc_mcontext.gregs[REG_RIP])
#define WORK_LOOP	  "	dec %rdi\n\tjnz work\n"
#define WORK_RETURN	  "	ret\n"
#endif

/* What a handler saw: the siginfo, and who it was. */
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

static const char *poll_name(int code)
{
	switch (code) {
	case POLL_IN:
		return "POLL_IN";
	case POLL_HUP:
		return "POLL_HUP";
	case SI_KERNEL:
		return "SI_KERNEL";
	default:
		return "another";
	}
}

/* --- to the owner --- */

static void show_owner_signals(const char *when, int fd)
{
	show_number(seen_count, when, "signals");
	for (unsigned int i = 0; i < seen_count && i < SEEN_MAX; i++) {
		const siginfo_t *info = &seen[i].info;
		char text[128];

		snprintf(text, sizeof(text), "%s %s fd %s band %lx",
			 info->si_signo == SIGIO    ? "SIGIO" :
			 info->si_signo == SIGRTMIN ? "SIGRTMIN" :
						      "another",
			 poll_name(info->si_code),
			 info->si_fd == fd ? "its own" :
			 info->si_fd	   ? "another" :
					     "0",
			 info->si_band);
		show(text, "%s: signal %u", when, i + 1);
	}
}

struct owner_case {
	const char *name;
	int signal; /* F_SETSIG; -1: not called */
	bool owned, async, mapped;
	unsigned int wakeup_events;
	int refresh;
	uint64_t loops;
};

static void observe_owner(const struct owner_case *row)
{
	union attr attr;
	struct buffer buffer;

	attr_instructions(&attr);
	attr.fields.sample_period = PERIOD;
	attr.fields.wakeup_events = row->wakeup_events;
	int fd = must_open(&attr, -1);

	if (row->mapped)
		buffer = map_buffer(fd, 4, PROT_READ | PROT_WRITE);
	if (row->owned)
		show(outcome(fcntl(fd, F_SETOWN, getpid())), "%s: F_SETOWN", row->name);
	if (row->signal >= 0)
		show(outcome(fcntl(fd, F_SETSIG, row->signal)), "%s: F_SETSIG", row->name);
	if (row->async)
		show(outcome(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC)), "%s: F_SETFL",
		     row->name);
	show(fcntl(fd, F_GETFL) & O_ASYNC ? "on" : "off", "%s: O_ASYNC", row->name);
	forget(fd, 0);
	if (ioctl(fd, PERF_EVENT_IOC_REFRESH, row->refresh) < 0)
		show(error_name(errno), "%s: refresh", row->name);
	work(row->loops);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_owner_signals(row->name, fd);
	if (row->mapped)
		unmap_buffer(&buffer);
	close(fd);
}

static void observe_owners(void)
{
	static const struct owner_case rows[] = {
		{ "one overflow", -1, true, true, true, 0, 1, PERIOD },
		{ "one overflow, SIGIO asked for", SIGIO, true, true, true, 0, 1, PERIOD },
		{ "one overflow, 0 asked for", 0, true, true, true, 0, 1, PERIOD },
		{ "one overflow, queued signal", 64, true, true, true, 0, 1, PERIOD },
		{ "three overflows", 64, true, true, true, 0, 3, 5 * PERIOD },
		{ "three overflows, no buffer", 64, true, true, false, 0, 3, 5 * PERIOD },
		{ "three overflows, wake-up after two", 64, true, true, true, 2, 3, 5 * PERIOD },
		{ "three overflows, wake-up after each", 64, true, true, true, 1, 3, 5 * PERIOD },
		{ "no overflow", 64, true, true, true, 0, 3, 1000 },
		{ "nobody owns it", 64, false, true, true, 0, 3, 5 * PERIOD },
		{ "not asynchronous", 64, true, false, true, 0, 3, 5 * PERIOD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct owner_case row = rows[i];

		if (row.signal == 64)
			row.signal = SIGRTMIN;
		observe_owner(&row);
	}
}

/* What fcntl answers on an event. */
static void observe_calls(void)
{
	struct f_owner_ex owner = { F_OWNER_TID, getpid() };
	union attr attr;

	attr_dummy(&attr);
	int fd = must_open(&attr, -1);

	SEE(fcntl(fd, F_GETOWN));
	SEE(fcntl(fd, F_GETSIG));
	SEE(fcntl(fd, F_SETSIG, 65));
	SEE(fcntl(fd, F_SETSIG, -1));
	SEE(fcntl(fd, F_SETOWN, 0x3ffffff));
	SEE(fcntl(fd, F_SETOWN_EX, &owner));
	show(fcntl(fd, F_GETOWN) == getpid() ? "yes" : "no", "owned by its thread");
	SEE(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	show(outcome_value(fcntl(fd, F_GETFL)), "flags that were set");
	SEE(fcntl(fd, F_SETFL, 0));
	show(outcome_value(fcntl(fd, F_GETFL)), "flags that were cleared");
	close(fd);
}

/* A thread that is told of its own event. */
static void *own_thread(void *unused)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	union attr attr;

	attr_instructions(&attr);
	attr.fields.sample_period = PERIOD;
	int fd = must_open(&attr, -1);

	fcntl(fd, F_SETOWN_EX, &owner);
	fcntl(fd, F_SETSIG, SIGRTMIN);
	fcntl(fd, F_SETFL, O_ASYNC);
	forget(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	work(3 * PERIOD);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_owner_signals("a thread's own", fd);
	for (unsigned int i = 0; i < seen_count; i++)
		show(seen[i].tid == owner.pid ? "this" : "another",
		     "a thread's own: thread of signal %u", i + 1);
	close(fd);
	return unused;
}

/* The event of a child, whose end its owner hears of by other means. */
static void observe_child(void)
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
		if (read(go[0], &byte, 1) != 0)
			_exit(1);
		work(3 * PERIOD);
		_exit(0);
	}
	attr_instructions(&attr);
	attr.fields.sample_period = PERIOD;
	int fd = (int)open_event(&attr, child, -1, -1, 0);

	close(go[0]);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGRTMIN);
	fcntl(fd, F_SETFL, O_ASYNC);
	forget(fd, 0);
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	close(go[1]);
	while (waitpid(child, &status, 0) < 0)
		;
	show_number(status, "a child's", "status");
	show_owner_signals("a child's", fd);
	struct pollfd pollfd = { fd, POLLIN, 0 };

	poll(&pollfd, 1, 0);
	show_number(pollfd.revents, "a child's", "poll after its end");
	close(fd);
}

/* --- to the task --- */

static void attr_trap(union attr *attr)
{
	attr_instructions(attr);
	attr->fields.sample_period = PERIOD;
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
	show(outcome(open_event(&attr, -1, 0, -1, 0)), "trap of a processor");
	show(outcome(open_event(&attr, 0, 0, -1, 0)), "trap of a task on a processor");
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

/* Who does not expect it dies of it. */
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
	pthread_t thread;

	handle(SIGIO);
	handle(SIGRTMIN);
	handle(SIGTRAP);
	observe_calls();
	observe_owners();
	pthread_create(&thread, NULL, own_thread, NULL);
	pthread_join(thread, NULL);
	observe_child();
	observe_trap_refusals();
	observe_traps();
	observe_fault_traps();
	observe_inherited_traps();
	observe_death();
	observe_other();
	return 0;
}
