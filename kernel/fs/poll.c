/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll, ppoll, select and pselect6: waiting for one of several files.
 *
 * The first look at each file also puts the task on the file's wait queues, until something is found ready;
 * then it sleeps and looks again, at the files that its descriptors name then. Files stay referenced while
 * the task is on their queues. epoll (epoll.c) serves many files over a long time.
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/process.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/time.h>

#include "wait_arguments.h"

/* Queue entries on the stack, and queue entries in an allocated chunk. */
#define PLACES_NEAR  6
#define PLACES_CHUNK 64
/* Descriptors on the stack. */
#define POLLED_NEAR  8

/* The task's entry on one wait queue. */
struct place {
	struct wait_entry entry;
	struct wait_queue *queue;
};

struct chunk {
	struct chunk *next;
	unsigned int count;
	struct place places[PLACES_CHUNK];
};

/* All wait queues of one call. */
struct poller {
	struct poll_table table;
	unsigned int near_count;
	struct place near[PLACES_NEAR];
	struct chunk *chunks; /* the first may have room */
};

struct polled {
	struct kernel_pollfd user;
	struct file *file; /* NULL: ignored or bad */
};

static struct place *new_place(struct poller *poller)
{
	struct chunk *chunk = poller->chunks;

	if (poller->near_count < PLACES_NEAR)
		return &poller->near[poller->near_count++];
	if (!chunk || chunk->count == PLACES_CHUNK) {
		chunk = kzalloc(sizeof(*chunk));
		if (!chunk)
			return NULL;
		chunk->next = poller->chunks;
		poller->chunks = chunk;
	}
	return &chunk->places[chunk->count++];
}

static void add_place(struct poll_table *table, struct wait_queue *queue)
{
	struct poller *poller = (struct poller *)table;
	struct place *place = new_place(poller);

	if (!place) {
		table->failed = true;
		return;
	}
	place->queue = queue;
	wait_queue_add(queue, &place->entry);
}

/* Leaves the entries as they are: new_place's callers fill them in. */
static void begin(struct poller *poller)
{
	poller->table = (struct poll_table){ .add = add_place };
	poller->near_count = 0;
	poller->chunks = NULL;
}

/* Removes the task from all queues. */
static void leave_queues(struct poller *poller)
{
	struct chunk *chunk;

	for (unsigned int i = 0; i < poller->near_count; i++)
		wait_queue_remove(poller->near[i].queue, &poller->near[i].entry);
	while ((chunk = poller->chunks)) {
		for (unsigned int i = 0; i < chunk->count; i++)
			wait_queue_remove(chunk->places[i].queue, &chunk->places[i].entry);
		poller->chunks = chunk->next;
		kfree(chunk);
	}
}

/* Returns the file at FD with a reference; NULL: none, or one opened with O_PATH. */
static struct file *get_file(int fd)
{
	struct file *file = fd_get_file(fd);

	if (file && (file->flags & O_PATH)) {
		file_put(file);
		return NULL;
	}
	return file;
}

/* Returns the events of FILE that hold now and that ONE requests. TABLE as for poll_wait. */
static int16_t poll_file(const struct polled *one, struct file *file, struct poll_table *table)
{
	unsigned int requested = (uint16_t)one->user.events | POLLERR | POLLHUP | POLLNVAL;
	unsigned int ready = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;

	if (!file)
		return POLLNVAL;
	if (file->ops->poll)
		ready = file->ops->poll(file, table);
	return (int16_t)(ready & requested);
}

static int16_t poll_one(const struct polled *one, struct poll_table *table)
{
	return one->user.fd < 0 ? 0 : poll_file(one, one->file, table);
}

/* The same after a sleep: another thread may have closed the descriptor, or reused it for another file. */
static int16_t poll_again(const struct polled *one)
{
	struct file *file;
	int16_t ready;

	if (one->user.fd < 0)
		return 0;
	file = get_file(one->user.fd);
	ready = poll_file(one, file, NULL);
	if (file)
		file_put(file);
	return ready;
}

/* Looks until a file is ready, DEADLINE_NS, or a signal: returns the number of ready files, or -EINTR,
 * -ENOMEM. */
static long poll_until(struct poller *poller, struct polled *polled, size_t count,
		       uint64_t deadline_ns)
{
	/* After the first ready file the call will not sleep, and needs no more queue entries. */
	struct poll_table *table = deadline_ns ? &poller->table : NULL;

	for (bool again = false;; again = true) {
		long ready = 0;

		for (size_t i = 0; i < count; i++) {
			struct polled *one = &polled[i];

			one->user.revents = again ? poll_again(one) :
						    poll_one(one, ready ? NULL : table);
			ready += one->user.revents != 0;
			if (poller->table.failed)
				return -ENOMEM;
		}
		if (ready || deadline_ns == 0)
			return ready;
		int error = wait_sleep(deadline_ns);

		if (error == -ETIMEDOUT)
			deadline_ns = 0;
		else if (error)
			return error;
	}
}

static long wait_for_any(struct polled *polled, size_t count, uint64_t deadline_ns)
{
	struct poller poller;

	begin(&poller);
	long result = poll_until(&poller, polled, count, deadline_ns);

	leave_queues(&poller);
	return result;
}

/* Drops the references to the files. */
static void finish(struct polled *polled, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (polled[i].file)
			file_put(polled[i].file);
}

static long poll_user(unsigned long user_fds, size_t count, uint64_t deadline_ns)
{
	struct kernel_pollfd *user = (struct kernel_pollfd *)user_fds;
	struct polled near[POLLED_NEAR], *polled = near;
	size_t known;
	long result = 0;

	if (count > task_current()->process->limits[RLIMIT_NOFILE].rlim_cur)
		return -EINVAL;
	if (count > POLLED_NEAR) {
		polled = kzalloc(count * sizeof(*polled));
		if (!polled)
			return -ENOMEM;
	}
	for (known = 0; known < count && !result; known++) {
		struct polled *one = &polled[known];

		result = copy_from_user(&one->user, &user[known], sizeof(*user));
		one->file = result ? NULL : get_file(one->user.fd);
	}
	if (!result)
		result = wait_for_any(polled, count, deadline_ns);
	finish(polled, known);
	/* After a signal, too: then no file is ready. */
	for (size_t i = 0; i < count && (result >= 0 || result == -EINTR); i++)
		if (copy_to_user(USER_MEMBER(&user[i], struct kernel_pollfd, revents),
				 &polled[i].user.revents, sizeof(polled[i].user.revents)))
			result = -EFAULT;
	if (polled != near)
		kfree(polled);
	return result;
}

long sys_poll(const unsigned long arg[6])
{
	uint64_t deadline_ns = signal_call_deadline(wait_deadline_of_ms((int)arg[2]));

	return signal_call_ended(poll_user(arg[0], (unsigned int)arg[1], deadline_ns));
}

long sys_ppoll(const unsigned long arg[6])
{
	uint64_t began_ns = clock_ns(), deadline_ns, timeout_ns = 0;
	long result = wait_time_get(arg[2], &deadline_ns, &timeout_ns);

	if (!result)
		result = wait_mask_begin(arg[3], arg[4]);
	if (result)
		return result;
	result = poll_user(arg[0], (unsigned int)arg[1], deadline_ns);
	wait_mask_end(arg[3], result);
	wait_time_put(arg[2], wait_time_left(began_ns, timeout_ns));
	return result;
}

/* --- select --- */

/* Descriptors per word of a set. */
#define SET_BITS 64

/* Events that each of the three sets requests, and events that put a descriptor into it: Linux's
 * POLLIN_SET and so on. */
static const struct {
	uint16_t requests, takes;
} sets[3] = {
	{ POLLIN | POLLRDNORM, POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR | POLLNVAL },
	{ POLLOUT | POLLWRNORM, POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR | POLLNVAL },
	{ POLLPRI, POLLPRI | POLLNVAL },
};

/* Reads the sets, and makes an entry of POLLED for each descriptor in one of them. Returns their number,
 * or -EBADF, -EFAULT. WORDS has room for all three sets. */
static long read_sets(const unsigned long user_sets[3], unsigned int count, uint64_t *words,
		      struct polled *polled)
{
	size_t set_words = (count + SET_BITS - 1) / SET_BITS;
	long used = 0;

	for (int set = 0; set < 3; set++)
		if (user_sets[set] &&
		    copy_from_user(words + (size_t)set * set_words, (const void *)user_sets[set],
				   set_words * sizeof(*words)))
			return -EFAULT;
	for (unsigned int fd = 0; fd < count; fd++) {
		unsigned int events = 0;

		for (int set = 0; set < 3; set++)
			if (words[(size_t)set * set_words + fd / SET_BITS] >> fd % SET_BITS & 1)
				events |= sets[set].requests;
		if (!events)
			continue;
		struct polled *one = &polled[used++];

		one->user.fd = (int)fd;
		one->user.events = (int16_t)events;
		one->file = get_file((int)fd);
		if (!one->file)
			return -EBADF;
	}
	return used;
}

/* Writes the sets of ready descriptors; returns the number of set bits, or -EFAULT. */
static long write_sets(const unsigned long user_sets[3], unsigned int count, uint64_t *words,
		       const struct polled *polled, long used)
{
	size_t set_words = (count + SET_BITS - 1) / SET_BITS;
	long ready = 0;

	memset(words, 0, 3 * set_words * sizeof(*words));
	for (long i = 0; i < used; i++) {
		unsigned int fd = (unsigned int)polled[i].user.fd;

		for (int set = 0; set < 3; set++) {
			/* Report only requested events, and errors. */
			if (!((uint16_t)polled[i].user.revents & sets[set].takes) ||
			    !((uint16_t)polled[i].user.events & sets[set].requests))
				continue;
			words[(size_t)set * set_words + fd / SET_BITS] |= (uint64_t)1
									  << fd % SET_BITS;
			ready++;
		}
	}
	for (int set = 0; set < 3; set++)
		if (user_sets[set] &&
		    copy_to_user((void *)user_sets[set], words + (size_t)set * set_words,
				 set_words * sizeof(*words)))
			return -EFAULT;
	return ready;
}

long select_until(int count, const unsigned long user_sets[3], uint64_t deadline_ns)
{
	uint64_t limit = fd_capacity();

	if (count < 0)
		return -EINVAL;
	/* Numbers beyond the table's room cannot be open. */
	unsigned int number = (uint64_t)count < limit ? (unsigned int)count : (unsigned int)limit;
	size_t set_words = (number + SET_BITS - 1) / SET_BITS;
	uint64_t *words = kzalloc(3 * set_words * sizeof(*words) + 1);
	struct polled *polled = kzalloc((number + 1) * sizeof(*polled));
	long result = -ENOMEM;

	if (words && polled) {
		long used = read_sets(user_sets, number, words, polled);

		result = used < 0 ? used : wait_for_any(polled, (size_t)used, deadline_ns);
		finish(polled, number);
		if (result >= 0)
			result = write_sets(user_sets, number, words, polled, used);
	}
	kfree(words);
	kfree(polled);
	return result;
}

long sys_select(const unsigned long arg[6])
{
	const unsigned long user_sets[3] = { arg[1], arg[2], arg[3] };
	uint64_t began_ns = clock_ns(), deadline_ns = UINT64_MAX, timeout_ns = 0;
	struct kernel_timeval timeout;

	if (arg[4]) {
		if (copy_from_user(&timeout, (const void *)arg[4], sizeof(timeout)))
			return -EFAULT;
		/* Microseconds from a second on are carried over; negative numbers are errors. */
		if (timeout.tv_sec < 0 || timeout.tv_usec < 0)
			return -EINVAL;
		const struct kernel_timespec whole = {
			.tv_sec = timeout.tv_sec + timeout.tv_usec / 1000000,
			.tv_nsec = timeout.tv_usec % 1000000 * 1000
		};

		timeout_ns = timespec_to_ns(&whole);
		deadline_ns = timeout_ns ? clock_deadline(timeout_ns) : 0;
	}
	long result = select_until((int)arg[0], user_sets, deadline_ns);

	if (arg[4]) {
		uint64_t left = wait_time_left(began_ns, timeout_ns);

		timeout.tv_sec = (int64_t)(left / NSEC_PER_SEC);
		timeout.tv_usec = (int64_t)(left % NSEC_PER_SEC / 1000);
		if (copy_to_user((void *)arg[4], &timeout, sizeof(timeout)))
			return result;
	}
	return result;
}

long sys_pselect6(const unsigned long arg[6])
{
	const unsigned long user_sets[3] = { arg[1], arg[2], arg[3] };
	uint64_t began_ns = clock_ns(), deadline_ns, timeout_ns = 0;
	/* The sixth argument points to the mask's address and size. */
	unsigned long mask[2] = { 0 };
	long result = 0;

	if (arg[5] && copy_from_user(mask, (const void *)arg[5], sizeof(mask)))
		return -EFAULT;
	result = wait_time_get(arg[4], &deadline_ns, &timeout_ns);
	if (!result)
		result = wait_mask_begin(mask[0], mask[1]);
	if (result)
		return result;
	result = select_until((int)arg[0], user_sets, deadline_ns);
	wait_mask_end(mask[0], result);
	wait_time_put(arg[4], wait_time_left(began_ns, timeout_ns));
	return result;
}
