// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints as perf events: how often each one is hit by a known action, by a child and in a group.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tracepoint_actions.h"

/* --- counting --- */

static void exec_once(void)
{
	execl("/proc/self/exe", "observe_tracepoints", "end", NULL);
}

static void signal_ignored(void)
{
	kill(getpid(), SIGCHLD);
}

static void wait_without_child(void)
{
	waitpid(-1, NULL, WNOHANG);
	waitpid(getppid(), NULL, WNOHANG);
}

/* Events that happen exactly so often, whatever else the machine does. */
static const struct {
	const char *event, *filter;
	void (*function)(void);
} happenings[] = {
	{ "task/task_rename", NULL, set_a_name },
	{ "task/task_rename", "newcomm == \"another\"", set_a_name },
	{ "task/task_rename", "oldcomm ~ \"ano*\"", set_a_name },
	{ "task/task_newtask", NULL, fork_once },
	{ "task/task_newtask", "clone_flags & 0x1000000", fork_once },
	{ "task/task_newtask", "clone_flags & 0x100", fork_once },
	{ "sched/sched_process_fork", NULL, fork_once },
	{ "sched/sched_process_wait", NULL, wait_without_child },
	{ "sched/sched_process_wait", "pid > 0", wait_without_child },
	{ "sched/sched_wakeup_new", NULL, fork_once },
	{ "signal/signal_generate", "sig == 10", signal_once },
	{ "signal/signal_generate", "sig == 10 && group == 1 && result == 0", signal_once },
	{ "signal/signal_generate", "sig == 17 && result == 1", signal_ignored },
	{ "signal/signal_deliver", "sig == 10", signal_once },
	{ "signal/signal_deliver", "sig == 10 && sa_handler > 1", signal_once },
	{ "signal/signal_deliver", "sig == 17", signal_ignored },
	{ "timer/itimer_state", NULL, set_itimer },
	{ "timer/itimer_state", "value_sec == 100 && value_nsec == 5000", set_itimer },
	{ "timer/itimer_state", "interval_nsec == 7000", set_itimer },
	{ "timer/itimer_state", "expires != 0", set_itimer },
	{ "exceptions/page_fault_user", "error_code == 6", touch_pages },
	{ "raw_syscalls/sys_enter", "id == 110", five_calls },
	{ "raw_syscalls/sys_exit", "id == 110", five_calls },
	{ "raw_syscalls/sys_exit", "id == 110 && ret < 0", five_calls },
	{ "syscalls/sys_enter_wait4", NULL, wait_without_child },
	{ "syscalls/sys_enter_wait4", "options == 1", wait_without_child },
	{ "syscalls/sys_enter_wait4", "upid < 0", wait_without_child },
	{ "syscalls/sys_enter_wait4", "upid == 0xffffffff", wait_without_child },
	{ "syscalls/sys_exit_wait4", "ret == -10", wait_without_child },
};

static void happening(void)
{
	for (size_t i = 0; i < sizeof(happenings) / sizeof(happenings[0]); i++) {
		int fd = open_tracepoint(happenings[i].event);
		char name[128];

		if (happenings[i].filter &&
		    ioctl(fd, PERF_EVENT_IOC_SET_FILTER, HERE(happenings[i].filter)) < 0)
			show(error_name(errno), "filter: %s", happenings[i].filter);
		happenings[i].function();
		snprintf(name, sizeof(name), "%s if %s (%zu)", happenings[i].event,
			 happenings[i].filter ? happenings[i].filter : "anything", i);
		see_count(fd, name);
	}
}

static void die_by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void die_by_term(void)
{
	kill(getpid(), SIGTERM);
}

static void die_by_abort(void)
{
	kill(getpid(), SIGABRT);
}

static void of_a_child(void)
{
	static const char *const events[] = {
		"sched/sched_process_exec",
		"sched/sched_process_exit",
		"task/task_rename",
		"syscalls/sys_enter_execve",
		"syscalls/sys_exit_execve",
		"syscalls/sys_exit_exit_group",
		"syscalls/sys_enter_exit_group",
		"syscalls/sys_exit_fork",
		"raw_syscalls/sys_exit",
	};
	union attr attr;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		attr_tracepoint(&attr, events[i]);
		attr.fields.inherit = 1;
		if (!strncmp(events[i], "raw", 3))
			attr.fields.enable_on_exec = attr.fields.disabled = 1;
		int fd = must_open(&attr, -1);

		if (attr.fields.disabled)
			ioctl(fd, PERF_EVENT_IOC_SET_FILTER, HERE("id == 59"));
		run_child(exec_once);
		see_count(fd, events[i]);
	}
	attr_tracepoint(&attr, "signal/signal_deliver");
	attr.fields.inherit = 1;
	int killed = must_open(&attr, -1);

	ioctl(killed, PERF_EVENT_IOC_SET_FILTER, "sig == 9 || sig == 15");
	run_child(die_by_kill);
	see_count(killed, "a child that is killed");
	killed = must_open(&attr, -1);
	ioctl(killed, PERF_EVENT_IOC_SET_FILTER, "sig == 15 && sa_handler == 0");
	run_child(die_by_term);
	see_count(killed, "a child that ends by another signal");
	killed = must_open(&attr, -1);
	ioctl(killed, PERF_EVENT_IOC_SET_FILTER, "sig == 9");
	run_child(die_by_term);
	see_count(killed, "a child that ends by another signal, as by SIGKILL");
	killed = must_open(&attr, -1);
	ioctl(killed, PERF_EVENT_IOC_SET_FILTER, "sig == 6 && sa_handler == 0");
	run_child(die_by_abort);
	see_count(killed, "a child that would leave a core");
	/* The child, too, reports the exit of the call that created it. */
	attr_tracepoint(&attr, "raw_syscalls/sys_exit");
	attr.fields.inherit = 1;
	int fd = must_open(&attr, -1);

	ioctl(fd, PERF_EVENT_IOC_SET_FILTER, HERE("id == 57 || id == 56"));
	run_child(nothing_to_do);
	see_count(fd, "ends of fork");
}

static void grouping(void)
{
	uint64_t values[4] = { 0 };
	union attr attr;

	attr_instructions(&attr);
	attr.fields.read_format = PERF_FORMAT_GROUP;
	int leader = must_open(&attr, -1);

	attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
	attr.fields.read_format = PERF_FORMAT_GROUP;
	int sibling = must_open(&attr, leader);

	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	call_getppid(4);
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	SEE(read(leader, values, sizeof(values)));
	show_number((long long)values[2], "group led by instructions", "calls");
	close(sibling);
	close(leader);
	/* An event of a CPU counts the calls of all tasks: the filter keeps ours. */
	attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
	long fd = open_event(&attr, -1, 0, -1, 0);
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	SEE(ioctl((int)fd, PERF_EVENT_IOC_SET_FILTER, filter));
	call_getppid(6);
	see_count((int)fd, "on CPU 0");
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	settle_task();
	sigaction(SIGUSR1, &action, NULL);
	need_tracefs();
	happening();
	of_a_child();
	grouping();
	return 0;
}
