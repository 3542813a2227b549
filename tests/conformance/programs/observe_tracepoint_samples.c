// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tracepoints as perf events: the raw data in their samples, and their periods.
 */
#include <signal.h>
#include <sys/wait.h>

#include "tracepoint_actions.h"

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

/* A field to show: a number of SIZE bytes, or with size 0 a string. */
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

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = handle, .sa_flags = SA_RESTART };

	if (argc > 1 && !strcmp(argv[1], "end"))
		return 0;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	settle_task();
	sigaction(SIGUSR1, &action, NULL);
	need_tracefs();
	sampling();
	periods();
	return 0;
}
