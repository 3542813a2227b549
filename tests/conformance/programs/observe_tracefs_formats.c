// SPDX-License-Identifier: BSD-2-Clause
/*
 * How the events of tracefs describe themselves: formats and ids.
 */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "tracefs.h"

/* --- what events say of themselves --- */

static const char *const events[] = {
	"sched/sched_switch",
	"sched/sched_waking",
	"sched/sched_wakeup",
	"sched/sched_wakeup_new",
	"sched/sched_migrate_task",
	"sched/sched_process_fork",
	"sched/sched_process_exec",
	"sched/sched_process_exit",
	"sched/sched_process_free",
	"sched/sched_process_wait",
	"sched/sched_stat_runtime",
	"sched/sched_stat_wait",
	"sched/sched_stat_sleep",
	"sched/sched_stat_blocked",
	"sched/sched_stat_iowait",
	"raw_syscalls/sys_enter",
	"raw_syscalls/sys_exit",
	"task/task_newtask",
	"task/task_rename",
	"signal/signal_generate",
	"signal/signal_deliver",
	"exceptions/page_fault_user",
	"exceptions/page_fault_kernel",
	"lock/contention_begin",
	"lock/contention_end",
	"kmem/kmalloc",
	"kmem/kfree",
	"kmem/kmem_cache_alloc",
	"kmem/kmem_cache_free",
	"kmem/mm_page_alloc",
	"kmem/mm_page_free",
	"kmem/rss_stat",
	"irq/irq_handler_entry",
	"irq/irq_handler_exit",
	"irq_vectors/local_timer_entry",
	"irq_vectors/local_timer_exit",
	"irq_vectors/reschedule_entry",
	"irq_vectors/reschedule_exit",
	"irq_vectors/call_function_entry",
	"irq_vectors/call_function_exit",
	"irq_vectors/irq_work_entry",
	"irq_vectors/irq_work_exit",
	"irq_vectors/spurious_apic_entry",
	"irq_vectors/spurious_apic_exit",
	"timer/hrtimer_init",
	"timer/hrtimer_start",
	"timer/hrtimer_cancel",
	"timer/hrtimer_expire_entry",
	"timer/hrtimer_expire_exit",
	"timer/itimer_state",
	"timer/itimer_expire",
	"ftrace/print",
};

/* The line with the event's number, which every kernel gives anew, is left out. */
static void see_format(const char *event)
{
	char path[128];
	unsigned int number = 0;

	snprintf(path, sizeof(path), "events/%s/format", event);
	if (read_file(path, contents, sizeof(contents)) < 0) {
		show(error_name(errno), "%s", path);
		return;
	}
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n"), number++)
		if (strncmp(line, "ID:", 3) != 0)
			show(line, "%s line %u", event, number);
}

/* FNV-1a of the format without its number. */
static void see_format_sum(const char *event)
{
	char path[128], text[32];
	uint64_t sum = 0xcbf29ce484222325;

	snprintf(path, sizeof(path), "events/syscalls/%s/format", event);
	if (read_file(path, contents, sizeof(contents)) < 0) {
		show(error_name(errno), "%s", path);
		return;
	}
	for (char *line = strtok(contents, "\n"); line; line = strtok(NULL, "\n"))
		for (; strncmp(line, "ID:", 3) != 0 && *line; line++)
			sum = (sum ^ (unsigned char)*line) * 0x100000001b3;
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
	show(text, "the format of syscalls:%s", event);
}

static const char *const calls[] = {
	"read",
	"write",
	"open",
	"close",
	"newstat",
	"newfstat",
	"poll",
	"lseek",
	"mmap",
	"mprotect",
	"munmap",
	"brk",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"ioctl",
	"pread64",
	"writev",
	"access",
	"pipe",
	"select",
	"sched_yield",
	"mremap",
	"madvise",
	"dup",
	"pause",
	"nanosleep",
	"getpid",
	"sendfile64",
	"socket",
	"connect",
	"accept",
	"sendto",
	"recvmsg",
	"clone",
	"fork",
	"vfork",
	"execve",
	"exit",
	"wait4",
	"kill",
	"newuname",
	"fcntl",
	"getdents64",
	"getcwd",
	"chdir",
	"rename",
	"mkdir",
	"ptrace",
	"prctl",
	"arch_prctl",
	"mount",
	"umount",
	"gettid",
	"futex",
	"sched_setaffinity",
	"epoll_wait",
	"epoll_ctl",
	"clock_gettime",
	"clock_nanosleep",
	"exit_group",
	"openat",
	"newfstatat",
	"ppoll",
	"splice",
	"pipe2",
	"perf_event_open",
	"prlimit64",
	"getrandom",
	"execveat",
	"statx",
	"clone3",
	"rseq",
	"io_uring_setup",
	"bpf",
	"mseal",
};

static void see_formats(void)
{
	char name[64];

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		see_format(events[i]);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		snprintf(name, sizeof(name), "sys_enter_%s", calls[i]);
		see_format_sum(name);
	}
	see_format_sum("sys_exit_read");
	see_format_sum("sys_exit_nothing");
	see_format("syscalls/sys_enter_openat");
	see_format("syscalls/sys_exit_openat");
	see_format("syscalls/sys_enter_fork");
}

static void see_ids(void)
{
	unsigned int seen[65536 / 32] = { 0 };
	bool twice = false;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "events/%s/id", events[i]);
		unsigned int id = read_file(path, contents, 64) > 0 ? (unsigned int)atoi(contents) :
								      0;

		twice |= id == 0 || id > 65535 || (seen[id / 32 & 2047] >> id % 32 & 1);
		seen[id / 32 & 2047] |= 1u << id % 32;
	}
	show(twice ? "not" : "positive, in 16 bits and each another", "the ids");
	see_file("events/ftrace/print/id", "fixed");
	see_file("events/header_page", "fixed");
	see_file("events/header_event", "fixed");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!have_tracefs())
		return 1;
	see_formats();
	see_ids();
	return 0;
}
