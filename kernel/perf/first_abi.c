/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first ABI: the layouts of the earliest text about events, translated to and from the core's.
 *
 * An event of this ABI is an event like any other, with bits in attr.sample_type that no program of
 * perf_event_open(2) can set. The core counts, schedules and inherits it as it does all events. This file has
 * everything that differs: the attribute, the operations of the file, the record of an overflow, the COMM record
 * of a new process, MUNMAP records, the tasks that prctl concerns. docs/first-abi.md has the choices where the
 * text is silent or contradicts itself.
 *
 * The mapped page has no place for a reader's position, so a ring is always in overwrite mode, and no record
 * reports losses, throttling, forks or exits.
 *
 * perf_first_record_sample runs in the PMI: takes no lock, allocates nothing.
 *
 * Locks: a context's mutex, its lock through perf_call_run.
 */
#include <kernel/perf/first_abi.h>

#include <string.h>

#include <arch/sample.h>
#include <arch/task.h>
#include <kernel/base/bits.h>
#include <kernel/fs/file.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/call.h>
#include <kernel/perf/callchain.h>
#include <kernel/perf/clone_context.h>
#include <kernel/perf/context.h>
#include <kernel/perf/control.h>
#include <kernel/perf/file.h>
#include <kernel/perf/mmap_record.h>
#include <kernel/perf/open.h>
#include <kernel/perf/read.h>
#include <kernel/perf/record_field.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/ring_mapping.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/sideband.h>
#include <kernel/perf/wakeup.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/mman.h>

_Static_assert(sizeof(struct perf_first_attr) == 56, "the attribute is the text's");
_Static_assert(offsetof(struct perf_first_page, data_head) == 24, "the page is the text's");
_Static_assert(offsetof(struct perf_first_page, offset) ==
		       offsetof(struct perf_event_mmap_page, offset),
	       "userpage.c writes index and offset for both");

/* Set by the first event of this ABI, and never cleared. */
static _Atomic bool in_use;

/* --- the attribute --- */

/* The greatest event_id of each type that the text lists. */
static const uint64_t last_ids[] = {
	[PERF_TYPE_HARDWARE] = PERF_COUNT_HW_REF_CPU_CYCLES,
	[PERF_TYPE_SOFTWARE] = PERF_COUNT_SW_EMULATION_FAULTS,
	[PERF_TYPE_TRACEPOINT] = PERF_FIRST_ID_MASK,
};

static int translate_config(uint64_t config, struct perf_event_attr *attr)
{
	if (config & PERF_FIRST_RAW) {
		attr->type = PERF_TYPE_RAW;
		attr->config = config & ~PERF_FIRST_RAW;
		return 0;
	}
	attr->type = config >> PERF_FIRST_TYPE_SHIFT & PERF_FIRST_TYPE_MASK;
	attr->config = config & PERF_FIRST_ID_MASK;
	if (attr->type >= sizeof(last_ids) / sizeof(last_ids[0]))
		return -EINVAL;
	return attr->config > last_ids[attr->type] ? -EINVAL : 0;
}

uint64_t perf_first_config(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_RAW)
		return PERF_FIRST_RAW | attr->config;
	return (uint64_t)attr->type << PERF_FIRST_TYPE_SHIFT | attr->config;
}

static const struct {
	uint32_t record;
	uint64_t sample;
} record_types[] = {
	{ PERF_FIRST_RECORD_IP, PERF_SAMPLE_IP },
	{ PERF_FIRST_RECORD_TID, PERF_SAMPLE_TID },
	{ PERF_FIRST_RECORD_TIME, PERF_SAMPLE_TIME },
	{ PERF_FIRST_RECORD_ADDR, PERF_SAMPLE_ADDR },
	{ PERF_FIRST_RECORD_GROUP, PERF_SAMPLE_FIRST_GROUP },
	{ PERF_FIRST_RECORD_CALLCHAIN, PERF_SAMPLE_CALLCHAIN },
};

static uint64_t sample_type_of(const struct perf_first_attr *first)
{
	uint64_t sample_type = PERF_SAMPLE_FIRST_ABI;

	for (size_t i = 0; i < sizeof(record_types) / sizeof(record_types[0]); i++)
		if (first->record_type & record_types[i].record)
			sample_type |= record_types[i].sample;
	if (first->munmap)
		sample_type |= PERF_SAMPLE_FIRST_MUNMAP;
	return sample_type;
}

static uint32_t record_type_of(uint64_t sample_type)
{
	uint32_t record_type = 0;

	for (size_t i = 0; i < sizeof(record_types) / sizeof(record_types[0]); i++)
		if (sample_type & record_types[i].sample)
			record_type |= record_types[i].record;
	return record_type;
}

int perf_first_translate(const struct perf_first_attr *first, struct perf_event_attr *attr)
{
	if (first->reserved_1 || first->reserved_2 || first->reserved_3 || first->extra_config_len)
		return -EINVAL;
	if (first->record_type & ~PERF_FIRST_RECORD_ALL)
		return -EINVAL;
	if (first->read_format &
	    ~(uint32_t)(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING))
		return -EINVAL;
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr),
		.sample_period = first->irq_period,
		.sample_type = sample_type_of(first),
		.read_format = first->read_format,
		.disabled = first->disabled,
		.inherit = first->inherit,
		.pinned = first->pinned,
		.exclusive = first->exclusive,
		.exclude_user = first->exclude_user,
		.exclude_kernel = first->exclude_kernel,
		.exclude_hv = first->exclude_hv,
		.exclude_idle = first->exclude_idle,
		.mmap = first->mmap,
		.comm = first->comm,
		.wakeup_events = first->wakeup_events,
		.sample_max_stack = (uint16_t)perf_stack_depth_max,
	};
	return translate_config(first->config, attr);
}

/* --- opening --- */

long perf_first_open(const void *user_attr, pid_t pid, int cpu, int group_fd)
{
	struct perf_first_attr first;
	struct perf_event_attr attr;
	long result = perf_allow_open();

	if (!result && copy_from_user(&first, user_attr, sizeof(first)))
		result = -EFAULT;
	if (!result)
		result = perf_first_translate(&first, &attr);
	if (!result) {
		atomic_store(&in_use, true);
		/* Any negative pid stands for all tasks. */
		result = perf_event_open_as(&attr, &perf_first_file_ops, pid < 0 ? -1 : pid, cpu,
					    group_fd, 0);
	}
	/* "If a CPU is not able to count the selected event": one errno for every reason. */
	return result == -ENOENT || result == -EOPNOTSUPP ? -EINVAL : result;
}

/* --- the file --- */

static long first_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case PERF_EVENT_IOC_ENABLE:
	case PERF_EVENT_IOC_DISABLE:
	case PERF_EVENT_IOC_REFRESH:
		return perf_file_ioctl(file, command, argument);
	default:
		return -ENOTTY;
	}
}

static int first_mmap(struct file *file, struct vm_area *area)
{
	return area->offset ? -EINVAL : perf_ring_mapping_make(file->private, area);
}

const struct file_ops perf_first_file_ops = {
	.name = "[perf_event]",
	.read = perf_file_read,
	.ioctl = first_ioctl,
	.poll = perf_file_poll,
	.notifies = true,
	.mmap = first_mmap,
	.release = perf_file_release,
};

/* --- the record of an overflow --- */

struct group_value {
	uint64_t config, value;
};

/* The first word of a call chain, which then has COUNT addresses: the kernel's and the user's. */
struct chain_head {
	uint16_t count, hypervisor, kernel, user;
};

/* A PERF_CONTEXT_* mark, and no address. */
static bool is_mark(uint64_t entry)
{
	return entry >= (uint64_t)PERF_CONTEXT_MAX;
}

static struct chain_head count_chain(const struct perf_callchain *chain)
{
	struct chain_head head = { 0 };
	uint64_t mark = PERF_CONTEXT_USER;

	for (uint64_t i = 0; i < chain->count; i++) {
		if (is_mark(chain->entries[i])) {
			mark = chain->entries[i];
			continue;
		}
		head.count++;
		if (mark == (uint64_t)PERF_CONTEXT_KERNEL)
			head.kernel++;
		else
			head.user++;
	}
	return head;
}

static void write_chain(struct perf_output *output, const struct perf_callchain *chain,
			const struct chain_head *head)
{
	perf_ring_write(output, head, sizeof(*head));
	for (uint64_t i = 0; i < chain->count; i++)
		if (!is_mark(chain->entries[i]))
			perf_record_write_word(output, chain->entries[i]);
}

/* The driver has just updated EVENT. */
static void write_member(struct perf_output *output, struct perf_event *member,
			 const struct perf_event *event)
{
	if (member != event && member->state == EVENT_ACTIVE)
		member->pmu->read(member);

	const struct group_value value = { perf_first_config(&member->attr),
					   perf_event_count(member) };
	perf_ring_write(output, &value, sizeof(value));
}

/* Writes the first COUNT members of EVENT's group, its leader first. */
static void write_group(struct perf_output *output, struct perf_event *event, uint64_t count)
{
	struct perf_event *leader = event->leader, *sibling;

	perf_record_write_word(output, count);
	write_member(output, leader, event);
	TAILQ_FOREACH(sibling, &leader->siblings, sibling_link) {
		if (--count == 0)
			return;
		write_member(output, sibling, event);
	}
}

/* Returns how many members of EVENT's group a record has room for that has SIZE bytes without them. */
static uint64_t group_room(const struct perf_event *event, size_t size)
{
	uint64_t room = (UINT16_MAX - size) / sizeof(struct group_value);
	uint64_t members = 1 + event->leader->sibling_count;

	return members < room ? members : room;
}

#define WORDS (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)

static void write_words(struct perf_output *output, uint64_t sample_type,
			const struct perf_moment *moment)
{
	if (sample_type & PERF_SAMPLE_IP)
		perf_record_write_word(output, perf_moment_ip(moment));
	if (sample_type & PERF_SAMPLE_TID)
		perf_record_write_word(output, perf_moment_process(moment));
	if (sample_type & PERF_SAMPLE_TIME)
		perf_record_write_word(output, perf_moment_time(moment));
	if (sample_type & PERF_SAMPLE_ADDR)
		perf_record_write_word(output, moment->address);
}

void perf_first_record_sample(struct perf_event *event, struct perf_moment *moment)
{
	uint64_t sample_type = event->attr.sample_type, members = 0;
	const struct perf_callchain *chain = NULL;
	struct chain_head chain_head = { 0 };
	bool user = moment->frame && arch_frame_is_user(moment->frame);
	struct perf_event_header header = {
		.type = record_type_of(sample_type),
		.misc = PERF_FIRST_MISC_OVERFLOW |
			(user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL),
	};
	size_t size = sizeof(header) + sizeof(uint64_t) * bits_count(sample_type & WORDS);
	struct perf_output output;

	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		if (moment->frame)
			moment->user = arch_sample_user_frame(moment->frame);
		chain = perf_callchain_take(event, moment->frame, moment->user,
					    (UINT16_MAX - size) / sizeof(uint64_t) - 4);
		chain_head = count_chain(chain);
		size += sizeof(chain_head) + sizeof(uint64_t) * chain_head.count;
	}
	if (sample_type & PERF_SAMPLE_FIRST_GROUP) {
		size += sizeof(uint64_t);
		members = group_room(event, size);
		size += sizeof(struct group_value) * members;
	}
	header.size = (uint16_t)size;
	if (perf_ring_begin(&output, event, PERF_RECORD_SAMPLE, size) == 0) {
		perf_ring_write(&output, &header, sizeof(header));
		write_words(&output, sample_type, moment);
		if (sample_type & PERF_SAMPLE_FIRST_GROUP)
			write_group(&output, event, members);
		if (chain)
			write_chain(&output, chain, &chain_head);
		perf_ring_end(&output);
	}
	if (chain)
		perf_callchain_done();
}

/* --- records about tasks and mappings --- */

static bool requests_comm(const struct perf_event *event)
{
	return perf_event_is_first_abi(event) && event->attr.comm;
}

static bool requests_munmap(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_FIRST_MUNMAP;
}

void perf_first_task_created(const struct task *child)
{
	const uint32_t body[] = { (uint32_t)child->tgid, (uint32_t)child->tid };
	const struct perf_notice notice = { .type = PERF_RECORD_COMM,
					    .matches = requests_comm,
					    .body = body,
					    .body_size = sizeof(body),
					    .text = child->comm };

	if (atomic_load_explicit(&in_use, memory_order_relaxed))
		perf_sideband_write(&notice);
}

void perf_first_unmapped(const struct perf_mapping *mapping)
{
	const struct task *self = task_current();
	const struct {
		uint32_t pid, tid;
		uint64_t start, length, offset;
	} body = { (uint32_t)self->tgid, (uint32_t)self->tid, mapping->start, mapping->length,
		   mapping->offset };
	const struct perf_notice notice = { .type = PERF_FIRST_RECORD_MUNMAP,
					    .misc = PERF_RECORD_MISC_USER,
					    .matches = requests_munmap,
					    .body = &body,
					    .body_size = sizeof(body),
					    .text = mapping->name };

	if (mapping->prot & PROT_EXEC)
		perf_sideband_write(&notice);
}

/* --- prctl --- */

struct setting {
	struct perf_call call;
	bool enable;
};

static void set_locked(struct perf_cpu *cpu, struct perf_call *call, uint64_t now_ns)
{
	const struct setting *setting = __containerof(call, struct setting, call);
	struct perf_event *event;

	TAILQ_FOREACH(event, &call->context->members, member_link) {
		if (!perf_event_is_first_abi(event) || event->leader != event)
			continue;
		if (setting->enable)
			perf_event_enable_locked(cpu, event, now_ns);
		else
			perf_event_disable_locked(cpu, event, now_ns);
	}
}

void perf_first_events_set(bool enable)
{
	struct task *self = task_current();
	struct perf_context *context;

	if (!atomic_load(&in_use))
		return;
	while ((context = perf_context_get_of_task(self))) {
		mutex_lock(&context->mutex);
		/* False: swapped during the wait. */
		bool own = perf_context_claim(context, self);

		if (own) {
			struct setting setting = { { .context = context }, enable };

			perf_call_run(&setting.call, PERF_CALL_CHANGE, set_locked);
		}
		mutex_unlock(&context->mutex);
		perf_context_put(context);
		if (own)
			return;
	}
}
