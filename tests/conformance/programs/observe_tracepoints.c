// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints as perf events: who may open them, and which tasks and modes they count. Filters are in
 * observe_filters.c, the files of tracefs in observe_tracefs.c.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tracepoint_actions.h"

/* --- opening --- */

static void see_open(const union attr *attr, pid_t pid, int cpu, const char *what)
{
	long fd = open_event(attr, pid, cpu, -1, 0);

	show(outcome(fd), "open: %s", what);
	if (fd >= 0)
		close((int)fd);
}

static void opening(void)
{
	static const uint64_t ids[] = { 0, 1, 5, 0xffff, 0x10000, UINT64_MAX };
	union attr attr;
	char name[64];

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		attr_tracepoint(&attr, "sched/sched_switch");
		attr.fields.config = ids[i];
		snprintf(name, sizeof(name), "id 0x%llx", (unsigned long long)ids[i]);
		see_open(&attr, 0, -1, name);
	}
	attr_tracepoint(&attr, "sched/sched_switch");
	see_open(&attr, 0, -1, "this task");
	see_open(&attr, 0, 0, "this task on CPU 0");
	see_open(&attr, -1, 0, "CPU 0");
	see_open(&attr, -1, -1, "nothing");
	attr.fields.config |= 1ull << 32;
	see_open(&attr, 0, -1, "upper half of config");
	attr_tracepoint(&attr, "sched/sched_switch");
	attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.fields.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	see_open(&attr, 0, -1, "branch stack");
	attr.fields.branch_sample_type = 0;
	attr.fields.sample_type = PERF_SAMPLE_RAW;
	see_open(&attr, 0, -1, "raw samples");
	attr.fields.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER;
	attr.fields.sample_regs_user = 1;
	see_open(&attr, 0, -1, "raw samples with everything");
	attr.fields.freq = 1;
	attr.fields.sample_freq = 100;
	see_open(&attr, 0, -1, "by frequency");
	attr.fields.freq = 0;
	attr.fields.precise_ip = 2;
	see_open(&attr, 0, -1, "precise");
	attr.fields.precise_ip = 0;
	attr.fields.config1 = 1;
	attr.fields.config2 = 1;
	see_open(&attr, 0, -1, "config1 and config2");
	attr_tracepoint(&attr, "ftrace/print");
	see_open(&attr, 0, -1, "ftrace:print");
}

/* --- counting --- */

static void exclusions(void)
{
	static const char *const names[] = { "nothing", "user", "kernel", "hv",
					     "idle",	"host", "guest" };
	union attr attr;

	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[64];

		attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
		attr.fields.exclude_user = i == 1;
		attr.fields.exclude_kernel = i == 2;
		attr.fields.exclude_hv = i == 3;
		attr.fields.exclude_idle = i == 4;
		attr.fields.exclude_host = i == 5;
		attr.fields.exclude_guest = i == 6;
		int fd = must_open(&attr, -1);

		call_getppid(7);
		snprintf(name, sizeof(name), "seven calls without %s", names[i]);
		see_count(fd, name);
	}
}

static void switching(void)
{
	int fd = open_tracepoint("syscalls/sys_exit_getppid");

	call_getppid(3);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	call_getppid(3);
	show_number(count_of(fd), "switched off", "count");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	call_getppid(2);
	show_number(count_of(fd), "switched on again", "count");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	call_getppid(1);
	see_count(fd, "after a reset");
}

static void inheriting(void)
{
	union attr attr;

	attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
	int fd = must_open(&attr, -1);

	run_child(five_calls);
	see_count(fd, "a child's calls, not inherited");
	attr.fields.inherit = 1;
	fd = must_open(&attr, -1);
	run_child(five_calls);
	call_getppid(1);
	see_count(fd, "a child's calls, inherited");
	fd = must_open(&attr, -1);
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "common_pid != 0 && nr == 1")),
	     "a filter with a field that is not there");
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "__syscall_nr == 1")),
	     "a filter of an inherited event");
	run_child(five_calls);
	call_getppid(1);
	see_count(fd, "a child's calls, filtered by the parent");
}

/* --- permission --- */

static void set_paranoid(int level)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY);

	dprintf(fd, "%d\n", level);
	close(fd);
}

static int level;

static void as_another_user(void)
{
	static const struct {
		const char *what, *event;
		bool raw, excludes_kernel, whole_cpu;
	} cases[] = {
		{ "calls, counting", "raw_syscalls/sys_enter", false, false, false },
		{ "calls, raw", "raw_syscalls/sys_enter", true, false, false },
		{ "calls of one kind, raw", "syscalls/sys_exit_read", true, false, false },
		{ "calls without the kernel, raw", "raw_syscalls/sys_enter", true, true, false },
		{ "calls of a CPU, raw", "raw_syscalls/sys_enter", true, true, true },
		{ "switches, counting", "sched/sched_switch", false, false, false },
		{ "switches without the kernel", "sched/sched_switch", false, true, false },
		{ "switches, raw", "sched/sched_switch", true, false, false },
		{ "switches without the kernel, raw", "sched/sched_switch", true, true, false },
		{ "switches of a CPU", "sched/sched_switch", false, true, true },
		{ "switches of a CPU, raw", "sched/sched_switch", true, true, true },
	};
	union attr attrs[sizeof(cases) / sizeof(cases[0])];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		attr_tracepoint(&attrs[i], cases[i].event);
		attrs[i].fields.sample_period = 1;
		attrs[i].fields.exclude_kernel = cases[i].excludes_kernel;
		attrs[i].fields.sample_type = cases[i].raw ? PERF_SAMPLE_RAW : 0;
	}
	if (setresuid(65534, 65534, 65534))
		_exit(1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[96];

		snprintf(name, sizeof(name), "as another user at level %d: %s", level,
			 cases[i].what);
		see_open(&attrs[i], cases[i].whole_cpu ? -1 : 0, cases[i].whole_cpu ? 0 : -1, name);
	}
	show(access(ROOT "events", F_OK) ? error_name(errno) : "ok", "tracefs as another user (%d)",
	     level);
	fflush(stdout);
}

static void permissions(void)
{
	for (level = -1; level <= 2; level++) {
		set_paranoid(level);
		fflush(stdout);
		run_child(as_another_user);
	}
}

/* PERF_EVENT_IOC_QUERY_BPF: which programs an event has; none has any. */
static void query_programs(int fd, const char *whose)
{
	static const uint32_t sizes[] = { 0, 1, 64, 65, UINT32_MAX };
	struct {
		uint32_t ids_len, prog_cnt, ids[64];
	} query;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(&query, 0xaa, sizeof(query));
		query.ids_len = sizes[i];
		show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, &query)),
		     "programs %s, room for %d", whose, (int)sizes[i]);
		show(query.prog_cnt == 0	  ? "none" :
		     query.prog_cnt == 0xaaaaaaaa ? "untouched" :
						    "some",
		     "programs %s, room for %d: number", whose, (int)sizes[i]);
		show(query.ids[0] == 0		? "0" :
		     query.ids[0] == 0xaaaaaaaa ? "untouched" :
						  "something",
		     "programs %s, room for %d: the first", whose, (int)sizes[i]);
		show(query.ids[63] == 0		 ? "0" :
		     query.ids[63] == 0xaaaaaaaa ? "untouched" :
						   "something",
		     "programs %s, room for %d: the last", whose, (int)sizes[i]);
	}
	uint32_t *edge = (uint32_t *)(page_before_a_hole() + PAGE_BYTES);
	edge[-1] = edge[-2] = 0;
	show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, edge - 2)),
	     "programs %s, a query at the edge", whose);
	show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, edge - 1)), "programs %s, half a query",
	     whose);
	edge[-2] = 1;
	show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, edge - 2)),
	     "programs %s, no memory for numbers", whose);
	edge[-2] = 65;
	show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, edge - 2)), "programs %s, too many",
	     whose);
	show(outcome(ioctl(fd, PERF_EVENT_IOC_QUERY_BPF, NULL)), "programs %s, no query", whose);
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_BPF, 0)), "programs %s, one that is no program",
	     whose);
}

static void queries(void)
{
	union attr attr;
	int status;

	attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
	int tracepoint = must_open(&attr, -1);
	attr_dummy(&attr);
	int dummy = must_open(&attr, -1);

	query_programs(tracepoint, "of a tracepoint");
	query_programs(dummy, "of another event");
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		if (setresuid(65534, 65534, 65534))
			_exit(1);
		query_programs(tracepoint, "of a tracepoint, by another user");
		query_programs(dummy, "of another event, by another user");
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, &status, 0);
	close(tracepoint);
	close(dummy);
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
	opening();
	exclusions();
	switching();
	inheriting();
	permissions();
	queries();
	return 0;
}
