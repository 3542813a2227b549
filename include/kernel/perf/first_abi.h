/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first ABI of events, as the earliest text about them prints it (docs/first-abi.md): its layouts, and the
 * points where the core asks about an event of that ABI. Programs see the layouts in
 * <uapi/tally/perf_first.h>, under the text's names, which <uapi/linux/perf_event.h> uses for others.
 */
#ifndef KERNEL_PERF_FIRST_ABI_H
#define KERNEL_PERF_FIRST_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/perf/event.h>

struct file_ops;
struct perf_mapping;
struct perf_moment;
struct task;

/* The flag of perf_event_open that chooses this ABI; alone, because the text has no flags. */
#define PERF_FLAG_FIRST_ABI (1UL << 63)

/* struct perf_event_attr of the text. */
struct perf_first_attr {
	uint64_t config; /* RAW, or a type and an event_id */
	uint64_t irq_period;
	uint32_t record_type;
	uint32_t read_format;
	uint64_t disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, munmap : 1,
		comm : 1, reserved_1 : 52; /* bit 63 has no name, so no program can set it */
	uint32_t extra_config_len;
	uint32_t wakeup_events;
	uint64_t reserved_2;
	uint64_t reserved_3;
};

/* config */
#define PERF_FIRST_RAW		    (1ULL << 63)
#define PERF_FIRST_TYPE_SHIFT	    56
#define PERF_FIRST_TYPE_MASK	    0x7f
#define PERF_FIRST_ID_MASK	    ((1ULL << PERF_FIRST_TYPE_SHIFT) - 1)

/* record_type: what is in an overflow's record, and the type in its header. */
#define PERF_FIRST_RECORD_IP	    (1U << 0)
#define PERF_FIRST_RECORD_TID	    (1U << 1)
#define PERF_FIRST_RECORD_TIME	    (1U << 2)
#define PERF_FIRST_RECORD_ADDR	    (1U << 3)
#define PERF_FIRST_RECORD_GROUP	    (1U << 4)
#define PERF_FIRST_RECORD_CALLCHAIN (1U << 5)
#define PERF_FIRST_RECORD_ALL	    ((1U << 6) - 1)

/* The other types in headers. MMAP and COMM have the same numbers and layouts in both ABIs. */
#define PERF_FIRST_RECORD_MUNMAP    2

/* misc in headers. KERNEL and USER are the same bits in both ABIs. */
#define PERF_FIRST_MISC_OVERFLOW    (1 << 2)
#define PERF_FIRST_MISC_ALL	    7

/* struct perf_event_mmap_page of the text. The four bytes after data_head are padding, and the kernel writes
 * the upper half of the ring's 64-bit head there. */
struct perf_first_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;
	uint32_t index;
	int64_t offset;
	uint32_t data_head;
};

/* Bits of attr.sample_type above those of perf_event_open(2), so that a test which a perf_event path makes
 * anyway finds an event of the first ABI. */
#define PERF_SAMPLE_FIRST_ABI	 (1ULL << 63)
#define PERF_SAMPLE_FIRST_MUNMAP (1ULL << 62) /* MUNMAP records */
#define PERF_SAMPLE_FIRST_GROUP	 (1ULL << 61) /* PERF_RECORD_GROUP */

/* Whether EVENT belongs to the first ABI. Any context. */
static inline bool perf_event_is_first_abi(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_FIRST_ABI;
}

/* Translates FIRST into ATTR: 0, or -EINVAL for a value that the text does not have. Any context. */
int perf_first_translate(const struct perf_first_attr *first, struct perf_event_attr *attr);

/* Returns the config that perf_first_translate has translated into ATTR. Any context. */
uint64_t perf_first_config(const struct perf_event_attr *attr);

/* sys_perf_event_open of the text. Task context; errors negative: those of perf_event_open, but -EINVAL for an
 * event that the CPU cannot count. */
long perf_first_open(const void *user_attr, pid_t pid, int cpu, int group_fd);

/* The file operations of an event of the first ABI. They keep it out of groups and rings of the other ABI. */
extern const struct file_ops perf_first_file_ops;

/* Writes the record of an overflow. MOMENT as in sample.c; its user registers are not known yet. Interrupts
 * off; NMI included. */
void perf_first_record_sample(struct perf_event *event, struct perf_moment *moment);

/* Returns the misc of a record about tasks or mappings that EVENT gets, from MISC of perf_event_open(2). Any
 * context. */
static inline uint16_t perf_first_misc(const struct perf_event *event, uint16_t misc)
{
	return perf_event_is_first_abi(event) ? misc & PERF_FIRST_MISC_ALL : misc;
}

/* Writes the COMM record of CHILD, which the running task has created. Task context. */
void perf_first_task_created(const struct task *child);

/* Writes the MUNMAP records of MAPPING, which the running task has removed. Task context. */
void perf_first_unmapped(const struct perf_mapping *mapping);

/* prctl(PR_TASK_PERF_EVENTS_ENABLE / DISABLE) of the text: for the events that count the current task, whichever
 * task opened them. Task context. */
void perf_first_events_set(bool enable);

#endif
