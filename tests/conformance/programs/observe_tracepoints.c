// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints as perf events: who may open them, what they count, what their samples tell. Which filters let
 * what through is in observe_filters.c, the files of tracefs in observe_tracefs.c.
 */
#include "tracepoint.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

/* Filters name calls and signals by their numbers on x86_64; on Alpha they have others. */
#ifdef __alpha__
static const char *HERE(const char *filter)
{
	static const char *const numbers[][2] = {
		{ "id == 110", "id == 532" }, { "id == 121", "id == 233" },
		{ "id == 59", "id == 59" },   { "id == 57 || id == 56", "id == 2 || id == 312" },
		{ "sig == 10", "sig == 30" }, { "sig == 17", "sig == 20" },
	};
	static char text[256];

	snprintf(text, sizeof(text), "%s", filter);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (char *at = text; (at = strstr(at, numbers[i][0]));
		     at += strlen(numbers[i][1])) {
			char rest[256];

			snprintf(rest, sizeof(rest), "%s", at + strlen(numbers[i][0]));
			snprintf(at, sizeof(text) - (size_t)(at - text), "%s%s", numbers[i][1],
				 rest);
		}
	return text;
}
#else
#define HERE(filter) (filter)
#endif

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
	see_open(&attr, 0, 0, "this task on processor 0");
	see_open(&attr, -1, 0, "processor 0");
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

static void run_child(void (*function)(void))
{
	pid_t child = fork();

	if (child == 0) {
		function();
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void five_calls(void)
{
	call_getppid(5);
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

static void nothing_to_do(void)
{
}

static void set_a_name(void)
{
	prctl(PR_SET_NAME, "another");
	prctl(PR_SET_NAME, "observe");
}

static void fork_once(void)
{
	run_child(nothing_to_do);
}

static void exec_once(void)
{
	execl("/proc/self/exe", "observe_tracepoints", "end", NULL);
}

static void handle(int signal)
{
	(void)signal;
}

static void signal_once(void)
{
	kill(getpid(), SIGUSR1);
}

static void signal_ignored(void)
{
	kill(getpid(), SIGCHLD);
}

static void set_itimer(void)
{
	struct itimerval value = { .it_value = { 100, 5 }, .it_interval = { 1, 7 } };

	setitimer(ITIMER_REAL, &value, NULL);
	value = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &value, NULL);
}

static void touch_pages(void)
{
	char *memory = mmap(NULL, 16 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, 16 * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (int i = 0; i < 16; i++)
		memory[i * PAGE_BYTES] = 1;
	munmap(memory, 16 * PAGE_BYTES);
}

static void wait_for_nobody(void)
{
	waitpid(-1, NULL, WNOHANG);
	waitpid(getppid(), NULL, WNOHANG);
}

/* What happens exactly so often, whatever else the machine does. */
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
	{ "sched/sched_process_wait", NULL, wait_for_nobody },
	{ "sched/sched_process_wait", "pid > 0", wait_for_nobody },
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
	{ "syscalls/sys_enter_wait4", NULL, wait_for_nobody },
	{ "syscalls/sys_enter_wait4", "options == 1", wait_for_nobody },
	{ "syscalls/sys_enter_wait4", "upid < 0", wait_for_nobody },
	{ "syscalls/sys_enter_wait4", "upid == 0xffffffff", wait_for_nobody },
	{ "syscalls/sys_exit_wait4", "ret == -10", wait_for_nobody },
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
	/* The end of the call that made it is told by the child too. */
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
	/* On a processor everybody's calls count: filtered to ours. */
	attr_tracepoint(&attr, "syscalls/sys_enter_getppid");
	long fd = open_event(&attr, -1, 0, -1, 0);
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", getpid());
	SEE(ioctl((int)fd, PERF_EVENT_IOC_SET_FILTER, filter));
	call_getppid(6);
	see_count((int)fd, "on processor 0");
}

/* --- samples --- */

struct sample {
	struct perf_event_header header;
	uint32_t size;
	unsigned char raw[512];
};

static int open_sampling(const char *event, uint64_t period, const char *filter)
{
	union attr attr;

	attr_tracepoint(&attr, event);
	attr.fields.sample_period = period;
	attr.fields.sample_type = PERF_SAMPLE_RAW;
	attr.fields.disabled = 1;
	int fd = must_open(&attr, -1);

	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, HERE(filter)) < 0)
		show(error_name(errno), "filter: %s", filter);
	return fd;
}

static const void *bytes_at(const struct sample *sample, size_t offset)
{
	return sample->raw + offset;
}

static long long number_at(const struct sample *sample, size_t offset, size_t size)
{
	int64_t value = 0;

	memcpy(&value, bytes_at(sample, offset), size);
	return size == 4 ? (int32_t)value : value;
}

/* What there is of a field to show: numbers of SIZE bytes, or with size 0 a string. */
struct part {
	const char *name;
	size_t offset, size;
};

static void see_samples(const char *event, const char *filter, void (*function)(void),
			const struct part *parts)
{
	int fd = open_sampling(event, 1, filter);
	struct buffer buffer = map_buffer(fd, 4, PROT_READ | PROT_WRITE);
	struct sample sample;
	unsigned int number = 0;
	uint64_t id = id_of(event);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	function();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	for (; next_record(&buffer, &sample); number++) {
		char when[96];

		snprintf(when, sizeof(when), "%s sample %u", event, number);
		show_number(sample.header.type, when, "type");
		show_number(sample.header.misc & 7, when, "mode");
		show_number(sample.header.size, when, "bytes");
		show_number(sample.size, when, "raw bytes");
		show_number(number_at(&sample, 0, 2) == (long long)id, when, "common_type");
		show_number(number_at(&sample, 4, 4) == getpid(), when, "common_pid is ours");
		for (const struct part *part = parts; part->name; part++) {
			if (part->size)
				show_number(number_at(&sample, part->offset, part->size), when,
					    part->name);
			else
				show((const char *)bytes_at(&sample, part->offset), "%s: %s", when,
				     part->name);
		}
	}
	show_number(number, event, "samples");
	unmap_buffer(&buffer);
	close(fd);
}

static void two_calls(void)
{
	syscall(SYS_getppid, 1, 2, 3, 4, 5, 6);
	syscall(SYS_getpgid, -1);
}

static void wait_for_itself(void)
{
	waitpid(1000000, NULL, WNOHANG);
}

static void sampling(void)
{
	see_samples("task/task_rename", NULL, set_a_name,
		    (struct part[]){ { "oldcomm", 12, 0 },
				     { "newcomm", 28, 0 },
				     { "oom_score_adj", 44, 2 },
				     { 0 } });
	see_samples("raw_syscalls/sys_enter", "id == 110 || id == 121", two_calls,
		    (struct part[]){ { "id", 8, 8 }, { "first argument", 16, 8 }, { 0 } });
	see_samples("raw_syscalls/sys_exit", "id == 121", two_calls,
		    (struct part[]){ { "id", 8, 8 }, { "ret", 16, 8 }, { 0 } });
	see_samples("syscalls/sys_enter_getppid", NULL, two_calls,
		    (struct part[]){ { "__syscall_nr", 8, 4 }, { 0 } });
	see_samples("syscalls/sys_enter_getpgid", NULL, two_calls,
		    (struct part[]){ { "__syscall_nr", 8, 4 }, { "pid", 16, 8 }, { 0 } });
	see_samples("syscalls/sys_exit_getpgid", NULL, two_calls,
		    (struct part[]){ { "__syscall_nr", 8, 4 }, { "ret", 16, 8 }, { 0 } });
	see_samples("sched/sched_process_fork", NULL, fork_once,
		    (struct part[]){ { "parent_comm", 8, 0 }, { "child_comm", 28, 0 }, { 0 } });
	see_samples(
		"sched/sched_process_wait", NULL, wait_for_itself,
		(struct part[]){ { "comm", 8, 0 }, { "pid", 24, 4 }, { "prio", 28, 4 }, { 0 } });
	see_samples("sched/sched_wakeup_new", NULL, fork_once,
		    (struct part[]){ { "comm", 8, 0 }, { "prio", 28, 4 }, { 0 } });
	see_samples("task/task_newtask", NULL, fork_once,
		    (struct part[]){ { "comm", 12, 0 },
				     { "clone_flags", 32, 8 },
				     { "oom_score_adj", 40, 2 },
				     { 0 } });
	see_samples("signal/signal_generate", "sig == 10", signal_once,
		    (struct part[]){ { "sig", 8, 4 },
				     { "errno", 12, 4 },
				     { "code", 16, 4 },
				     { "comm", 20, 0 },
				     { "group", 40, 4 },
				     { "result", 44, 4 },
				     { 0 } });
	see_samples("signal/signal_deliver", "sig == 10", signal_once,
		    (struct part[]){ { "sig", 8, 4 },
				     { "errno", 12, 4 },
				     { "code", 16, 4 },
				     { "sa_flags", 32, 8 },
				     { 0 } });
	see_samples("timer/itimer_state", NULL, set_itimer,
		    (struct part[]){ { "which", 8, 4 },
				     { "expires", 16, 8 },
				     { "value_sec", 24, 8 },
				     { "value_nsec", 32, 8 },
				     { "interval_sec", 40, 8 },
				     { "interval_nsec", 48, 8 },
				     { 0 } });
	see_samples("exceptions/page_fault_user", "error_code == 6", touch_pages,
		    (struct part[]){ { "error_code", 24, 8 }, { 0 } });
}

static void periods(void)
{
	struct sample sample;
	unsigned int number = 0;
	int fd = open_sampling("syscalls/sys_enter_getppid", 3, NULL);
	struct buffer buffer = map_buffer(fd, 4, PROT_READ | PROT_WRITE);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	call_getppid(10);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_record(&buffer, &sample))
		number++;
	show_number(number, "ten calls, every third", "samples");
	ioctl(fd, PERF_EVENT_IOC_REFRESH, 2);
	call_getppid(20);
	show_number(count_of(fd), "two more samples", "count");
	unmap_buffer(&buffer);
	close(fd);
}

/* --- permission --- */

static void set_paranoid(int level)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY);

	dprintf(fd, "%d\n", level);
	close(fd);
}

static int level;

static void as_nobody(void)
{
	static const struct {
		const char *what, *event;
		bool raw, excludes_kernel, processor;
	} cases[] = {
		{ "calls, counting", "raw_syscalls/sys_enter", false, false, false },
		{ "calls, raw", "raw_syscalls/sys_enter", true, false, false },
		{ "calls of one kind, raw", "syscalls/sys_exit_read", true, false, false },
		{ "calls without the kernel, raw", "raw_syscalls/sys_enter", true, true, false },
		{ "calls of a processor, raw", "raw_syscalls/sys_enter", true, true, true },
		{ "switches, counting", "sched/sched_switch", false, false, false },
		{ "switches without the kernel", "sched/sched_switch", false, true, false },
		{ "switches, raw", "sched/sched_switch", true, false, false },
		{ "switches without the kernel, raw", "sched/sched_switch", true, true, false },
		{ "switches of a processor", "sched/sched_switch", false, true, true },
		{ "switches of a processor, raw", "sched/sched_switch", true, true, true },
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

		snprintf(name, sizeof(name), "as nobody at level %d: %s", level, cases[i].what);
		see_open(&attrs[i], cases[i].processor ? -1 : 0, cases[i].processor ? 0 : -1, name);
	}
	show(access(ROOT "events", F_OK) ? error_name(errno) : "ok", "tracefs as nobody (%d)",
	     level);
	fflush(stdout);
}

static void permissions(void)
{
	for (level = -1; level <= 2; level++) {
		set_paranoid(level);
		fflush(stdout);
		run_child(as_nobody);
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
		query_programs(tracepoint, "of a tracepoint, by nobody");
		query_programs(dummy, "of another event, by nobody");
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
	happening();
	of_a_child();
	grouping();
	sampling();
	periods();
	permissions();
	queries();
	return 0;
}
