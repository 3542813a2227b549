/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_self.h - a thread counts its own events and reads the counts without entering the kernel.
 *
 * An event opened here has its metadata page mapped. Reading is: find the hardware counter in the
 * page, read it with the CPU's own instruction, add what the kernel keeps in the page, and
 * start again if the kernel changed the page meanwhile. Where that is not possible (the event is on
 * no counter just now, the kernel does not allow it, the ISA has no such instruction) the same
 * functions read by system call; the caller need not care.
 *
 * Not for events of other tasks: what the counter shows is what the calling CPU counts. Not
 * async-signal-safe between perf_self_open() and its return. See perf_self(3).
 */
#ifndef PERF_SELF_H
#define PERF_SELF_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct perf_self {
	int fd;				   /* of the event */
	struct perf_event_mmap_page *page; /* NULL: it could not be mapped, and read() serves */
};

/* A count and the times it belongs to, in nanoseconds since the event was first enabled. */
struct perf_self_count {
	uint64_t value;
	uint64_t time_enabled_ns;
	uint64_t time_running_ns; /* less than enabled: the event shared its counter */
};

/*
 * Open the event that @attr describes on the calling thread, on whichever CPU it runs, as a
 * sibling of @leader (NULL: alone, or a leader itself). @attr->size and @attr->read_format are
 * set here. Returns 0, or -1 with errno as from perf_event_open(2).
 */
int perf_self_open(struct perf_self *self, struct perf_event_attr *attr,
		   const struct perf_self *leader);

/* Close the event and unmap its page. @self may be opened again. */
void perf_self_close(struct perf_self *self);

/*
 * Start, stop or zero @self and, if it is a group leader, its siblings. Returns 0, or -1 with
 * errno as from ioctl(2).
 */
int perf_self_enable(const struct perf_self *self);
int perf_self_disable(const struct perf_self *self);
int perf_self_reset(const struct perf_self *self);

/* Does the page say, at this moment, that the value can be read without the kernel? */
bool perf_self_reads_directly(const struct perf_self *self);

/*
 * The event's present value in @value: no system call if perf_self_reads_directly(). Only the
 * thread that opened the event may call it. Returns 0, or -1 with errno as from read(2).
 */
int perf_self_read_value(const struct perf_self *self, uint64_t *value);

/* The same with the times. Without cap_user_time in the page it is a system call. */
int perf_self_read(const struct perf_self *self, struct perf_self_count *count);

/*
 * The value the event would have had if it had been on a counter all the time it was enabled:
 * value * enabled / running, rounded down; 0 if it never ran. Any context.
 */
uint64_t perf_self_scale(const struct perf_self_count *count);

#endif /* PERF_SELF_H */
