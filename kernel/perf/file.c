/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An event as a file: read, ioctl, poll, mmap, and the last close.
 *
 * A mapping holds the file, so an event is closed only when it has no descriptor and no mapping. The close
 * can come under the mutex of an address space: so nothing here holds a lock of the core while it touches
 * user memory.
 */
#include <kernel/perf/file.h>

#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/perf/attr.h>
#include <kernel/perf/context.h>
#include <kernel/perf/control.h>
#include <kernel/perf/event.h>
#include <kernel/perf/inherit.h>
#include <kernel/perf/membership.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ownership.h>
#include <kernel/perf/read.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/ring_mapping.h>
#include <kernel/perf/splice.h>
#include <kernel/perf/wakeup.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

/* Most programs that a query has room for: Linux's BPF_TRACE_MAX_PROGS. */
#define PROGRAMS_MAX 64
/* Longest text of a filter, with its terminator: Linux's limit. */
#define FILTER_SIZE  PAGE_SIZE

ssize_t perf_file_read(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return perf_event_read_user(file->private, user_buffer, size);
}

static long set_period(struct perf_event *event, unsigned long argument)
{
	uint64_t period;

	if (copy_from_user(&period, (const void *)argument, sizeof(period)))
		return -EFAULT;
	return perf_event_change_period(event, period);
}

static long get_id(struct perf_event *event, unsigned long argument)
{
	return copy_to_user((void *)argument, &event->id, sizeof(event->id)) ? -EFAULT : 0;
}

static long set_output(struct perf_event *event, unsigned long argument)
{
	if (argument == -1UL)
		return perf_output_set(event, NULL);

	struct file *file = fd_get_file((int)argument);
	if (!file)
		return -EBADF;
	long result = -EBADF;
	if (file->ops == &perf_file_ops)
		result = perf_output_set(event, file->private);
	file_put(file);
	return result;
}

static long modify_attributes(struct perf_event *event, unsigned long argument)
{
	struct perf_event_attr attr;
	int error = perf_attr_copy(&attr, (void *)argument);

	if (error)
		return error;
	if (attr.type != event->attr.type)
		return -EINVAL;
	return event->pmu->modify ? event->pmu->modify(event, &attr) : -EOPNOTSUPP;
}

/* Tracepoints have filters, and no PMU has them for addresses; the text is copied first, as on Linux. */
static long set_filter(struct perf_event *event, unsigned long argument)
{
	char *text = kzalloc(FILTER_SIZE);
	long result = -ENOMEM;

	if (text)
		result = copy_string_from_user(text, (const char *)argument, FILTER_SIZE);
	if (result >= 0)
		result = event->pmu->set_filter ? event->pmu->set_filter(event, text) : -EINVAL;
	kfree(text);
	return result == -ENAMETOOLONG ? -EINVAL : result;
}

/* Nothing is a BPF program: EINVAL for any descriptor. */
static long set_program(unsigned long argument)
{
	struct file *file = fd_get_file((int)argument);

	if (!file)
		return -EBADF;
	file_put(file);
	return -EINVAL;
}

/* Reports the BPF programs of a tracepoint: none. */
static long query_programs(struct perf_event *event, struct perf_event_query_bpf *user_query)
{
	struct perf_event_query_bpf query;

	if (!capable_perfmon())
		return -EPERM;
	if (event->pmu->type != PERF_TYPE_TRACEPOINT)
		return -EINVAL;
	if (copy_from_user(&query, user_query, sizeof(query)))
		return -EFAULT;
	if (query.ids_len > PROGRAMS_MAX)
		return -E2BIG;
	query.prog_cnt = 0;
	if (copy_to_user(&user_query->prog_cnt, &query.prog_cnt, sizeof(query.prog_cnt)) ||
	    clear_user(user_query->ids, query.ids_len * sizeof(query.ids[0])))
		return -EFAULT;
	return 0;
}

long perf_file_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct perf_event *event = file->private;
	bool group = argument & PERF_IOC_FLAG_GROUP;

	switch (command) {
	case PERF_EVENT_IOC_ENABLE:
		perf_event_enable(event, group);
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		perf_event_disable(event, group);
		return 0;
	case PERF_EVENT_IOC_RESET:
		perf_event_reset(event, group);
		return 0;
	case PERF_EVENT_IOC_REFRESH:
		return perf_event_refresh(event, (int)argument);
	case PERF_EVENT_IOC_PERIOD:
		return set_period(event, argument);
	case PERF_EVENT_IOC_ID:
		return get_id(event, argument);
	case PERF_EVENT_IOC_SET_OUTPUT:
		return set_output(event, argument);
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		return perf_output_pause(event, argument != 0);
	case PERF_EVENT_IOC_MODIFY_ATTRIBUTES:
		return modify_attributes(event, argument);
	case PERF_EVENT_IOC_SET_FILTER:
		return set_filter(event, argument);
	case PERF_EVENT_IOC_SET_BPF:
		return set_program(argument);
	case PERF_EVENT_IOC_QUERY_BPF:
		return query_programs(event, (struct perf_event_query_bpf *)argument);
	default:
		return -ENOTTY;
	}
}

unsigned int perf_file_poll(struct file *file, struct poll_table *table)
{
	struct perf_event *event = file->private;

	poll_wait(table, &event->waiters);
	return perf_output_poll(event);
}

static int perf_mmap(struct file *file, struct vm_area *area)
{
	return perf_ring_mapping_make(file->private, area);
}

void perf_event_close(struct perf_event *event)
{
	perf_event_disown(event);
	perf_event_end_children(event);
	perf_event_detach(event);
	perf_output_release(event);
	perf_event_put(event);
}

void perf_file_release(struct file *file)
{
	perf_event_close(file->private);
}

const struct file_ops perf_file_ops = {
	.name = "[perf_event]",
	.read = perf_file_read,
	.ioctl = perf_file_ioctl,
	.poll = perf_file_poll,
	.next_record = perf_splice_next_record,
	.take_records = perf_splice_take_records,
	.notifies = true,
	.mmap = perf_mmap,
	.release = perf_file_release,
};
