// SPDX-License-Identifier: BSD-2-Clause
/*
 * Signals of events to the owner of the file: SIGIO, F_SETSIG and F_SETOWN.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "event_signals.h"

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

	attr_sampling(&attr, PERIOD, 0);
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
		{ "one overflow, SIGIO requested", SIGIO, true, true, true, 0, 1, PERIOD },
		{ "one overflow, 0 requested", 0, true, true, true, 0, 1, PERIOD },
		{ "one overflow, queued signal", 64, true, true, true, 0, 1, PERIOD },
		{ "three overflows", 64, true, true, true, 0, 3, 5 * PERIOD },
		{ "three overflows, no buffer", 64, true, true, false, 0, 3, 5 * PERIOD },
		{ "three overflows, wake-up after two", 64, true, true, true, 2, 3, 5 * PERIOD },
		{ "three overflows, wake-up after each", 64, true, true, true, 1, 3, 5 * PERIOD },
		{ "no overflow", 64, true, true, true, 0, 3, 1000 },
		{ "without an owner", 64, false, true, true, 0, 3, 5 * PERIOD },
		{ "not asynchronous", 64, true, false, true, 0, 3, 5 * PERIOD },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct owner_case row = rows[i];

		if (row.signal == 64)
			row.signal = SIGRTMIN;
		observe_owner(&row);
	}
}

/* The results of fcntl on an event. */
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

/* A thread that owns its event, and gets the signals. */
static void *own_thread(void *unused)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	union attr attr;

	attr_sampling(&attr, PERIOD, 0);
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
	attr_sampling(&attr, PERIOD, 0);
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

int main(void)
{
	pthread_t thread;

	handle(SIGIO);
	handle(SIGRTMIN);
	observe_calls();
	observe_owners();
	pthread_create(&thread, NULL, own_thread, NULL);
	pthread_join(thread, NULL);
	observe_child();
	return 0;
}
