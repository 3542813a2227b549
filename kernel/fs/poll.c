/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll, ppoll, select and pselect6: waiting for one of several files.
 *
 * The first look at each file also puts the task on the file's wait queues; then it sleeps and
 * looks again until something is ready. Files stay referenced while the task is on their queues.
 */
#include <string.h>

#include <kernel/file.h>
#include <kernel/kmalloc.h>
#include <kernel/process.h>
#include <kernel/syscall.h>
#include <kernel/task.h>
#include <kernel/time.h>
#include <kernel/usercopy.h>
#include <kernel/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/time.h>

/* Queues that one file may put a poller on. */
#define QUEUES_PER_FILE 2

struct poll_table {
	struct wait_entry entries[QUEUES_PER_FILE];
	struct wait_queue *queues[QUEUES_PER_FILE];
	unsigned int count;
	bool failed; /* a file had more queues */
};

struct polled {
	struct kernel_pollfd user;
	struct file *file; /* NULL: ignored or bad */
	struct poll_table table;
};

void poll_wait(struct poll_table *table, struct wait_queue *queue)
{
	if (!table)
		return;
	if (table->count == QUEUES_PER_FILE) {
		table->failed = true;
		return;
	}
	table->queues[table->count] = queue;
	wait_queue_add(queue, &table->entries[table->count]);
	table->count++;
}

/* What holds of ONE now, of what was asked for. TABLE as for poll_wait. */
static int16_t look(struct polled *one, struct poll_table *table)
{
	unsigned int wanted = (uint16_t)one->user.events | POLLERR | POLLHUP | POLLNVAL;
	unsigned int ready = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;

	if (one->user.fd < 0)
		return 0;
	if (!one->file)
		return POLLNVAL;
	if (one->file->ops->poll)
		ready = one->file->ops->poll(one->file, table);
	return (int16_t)(ready & wanted);
}

/* Polls until something is ready, DEADLINE_NS, or a signal: how many are ready, or -EINTR. */
static long wait_for_any(struct polled *polled, size_t count, uint64_t deadline_ns)
{
	bool first = true;

	for (;;) {
		long ready = 0;

		for (size_t i = 0; i < count; i++) {
			struct polled *one = &polled[i];

			one->user.revents = look(one, first ? &one->table : NULL);
			ready += one->user.revents != 0;
			if (one->table.failed)
				return -ENOMEM;
		}
		if (ready || deadline_ns == 0)
			return ready;
		first = false;
		int error = wait_sleep(deadline_ns);

		if (error == -ETIMEDOUT)
			deadline_ns = 0;
		else if (error)
			return error;
	}
}

/* Takes the task off all queues again, and gives the files back. */
static void finish(struct polled *polled, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct polled *one = &polled[i];

		for (unsigned int q = 0; q < one->table.count; q++)
			wait_queue_remove(one->table.queues[q], &one->table.entries[q]);
		if (one->file)
			file_put(one->file);
	}
}

static long poll_user(unsigned long user_fds, size_t count, uint64_t deadline_ns)
{
	struct kernel_pollfd *user = (struct kernel_pollfd *)user_fds;
	struct polled *polled = NULL;
	long result = 0;

	if (count > task_current()->process->limits[RLIMIT_NOFILE].rlim_cur)
		return -EINVAL;
	if (count) {
		polled = kzalloc(count * sizeof(*polled));
		if (!polled)
			return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		if (copy_from_user(&polled[i].user, &user[i], sizeof(*user))) {
			result = -EFAULT;
			break;
		}
		polled[i].file = fd_get_file(polled[i].user.fd);
	}
	if (!result)
		result = wait_for_any(polled, count, deadline_ns);
	finish(polled, count);
	for (size_t i = 0; i < count && result >= 0; i++)
		if (copy_to_user(&user[i].revents, &polled[i].user.revents,
				 sizeof(polled[i].user.revents)))
			result = -EFAULT;
	kfree(polled);
	return result;
}

long sys_poll(const unsigned long arg[6])
{
	int timeout_ms = (int)arg[2];
	uint64_t deadline_ns = timeout_ms < 0  ? UINT64_MAX :
			       timeout_ms == 0 ? 0 :
						 clock_ns() + (uint64_t)timeout_ms * NSEC_PER_MSEC;

	return poll_user(arg[0], (unsigned int)arg[1], deadline_ns);
}

/* The mask at USER_MASK, of SIZE bytes, is the task's until end_mask. 0, -EINVAL, -EFAULT. */
static int begin_mask(unsigned long user_mask, unsigned long size)
{
	struct task *self = task_current();
	uint64_t mask;

	if (!user_mask)
		return 0;
	if (size != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, (const void *)user_mask, sizeof(mask)))
		return -EFAULT;
	self->signals.saved_mask = self->signals.mask;
	signal_set_mask(mask);
	return 0;
}

static void end_mask(unsigned long user_mask, long result)
{
	struct task *self = task_current();

	/* Interrupted: the signal is taken with the new mask, and the handler's end brings the old
	 * one back. */
	if (user_mask && result == -EINTR)
		self->signals.restore_mask = true;
	else if (user_mask)
		signal_set_mask(self->signals.saved_mask);
}

/* The time-out at USER_TIMEOUT, a struct timespec: *DEADLINE_NS as wait_for_any wants it, and all of
 * it in *TIMEOUT_NS. 0, -EFAULT, -EINVAL. */
static int get_timeout(unsigned long user_timeout, uint64_t *deadline_ns, uint64_t *timeout_ns)
{
	struct kernel_timespec timeout;

	*deadline_ns = UINT64_MAX;
	if (!user_timeout)
		return 0;
	if (copy_from_user(&timeout, (const void *)user_timeout, sizeof(timeout)))
		return -EFAULT;
	if (!timespec_is_valid(&timeout))
		return -EINVAL;
	*timeout_ns = timespec_to_ns(&timeout);
	*deadline_ns = *timeout_ns ? clock_deadline(*timeout_ns) : 0;
	return 0;
}

/* Nanoseconds that are left of TIMEOUT_NS, which began at BEGAN_NS. */
static uint64_t time_left(uint64_t began_ns, uint64_t timeout_ns)
{
	uint64_t spent = clock_ns() - began_ns;

	return spent < timeout_ns ? timeout_ns - spent : 0;
}

/* Linux writes back what is left; that it could not is no error. */
static void put_time_left(unsigned long user_timeout, uint64_t left_ns)
{
	const struct kernel_timespec left = timespec_from_ns(left_ns);

	if (user_timeout && copy_to_user((void *)user_timeout, &left, sizeof(left)))
		return;
}

long sys_ppoll(const unsigned long arg[6])
{
	uint64_t began_ns = clock_ns(), deadline_ns, timeout_ns = 0;
	long result = get_timeout(arg[2], &deadline_ns, &timeout_ns);

	if (!result)
		result = begin_mask(arg[3], arg[4]);
	if (result)
		return result;
	result = poll_user(arg[0], (unsigned int)arg[1], deadline_ns);
	end_mask(arg[3], result);
	put_time_left(arg[2], time_left(began_ns, timeout_ns));
	return result;
}

/* --- select --- */

/* Descriptors in a word of a set. */
#define SET_BITS 64

/* What each of the three sets asks for, and which answers it takes: Linux's POLLIN_SET and so on. */
static const struct {
	uint16_t asks, takes;
} sets[3] = {
	{ POLLIN | POLLRDNORM, POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR },
	{ POLLOUT | POLLWRNORM, POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR },
	{ POLLPRI, POLLPRI },
};

/* Reads the sets: an entry of POLLED for each descriptor that is in one. How many, or -EBADF, -EFAULT.
 * WORDS has room for all three sets. */
static long read_sets(const unsigned long user_sets[3], unsigned int count, uint64_t *words,
		      struct polled *polled)
{
	size_t set_words = (count + SET_BITS - 1) / SET_BITS;
	long used = 0;

	for (int set = 0; set < 3; set++)
		if (user_sets[set] && copy_from_user(words + (size_t)set * set_words,
						     (const void *)user_sets[set],
						     set_words * sizeof(*words)))
			return -EFAULT;
	for (unsigned int fd = 0; fd < count; fd++) {
		unsigned int events = 0;

		for (int set = 0; set < 3; set++)
			if (words[(size_t)set * set_words + fd / SET_BITS] >> fd % SET_BITS & 1)
				events |= sets[set].asks;
		if (!events)
			continue;
		struct polled *one = &polled[used++];

		one->user.fd = (int)fd;
		one->user.events = (int16_t)events;
		one->file = fd_get_file((int)fd);
		if (!one->file)
			return -EBADF;
	}
	return used;
}

/* Writes the sets of what is ready; how many bits are set, or -EFAULT. */
static long write_sets(const unsigned long user_sets[3], unsigned int count, uint64_t *words,
		       const struct polled *polled, long used)
{
	size_t set_words = (count + SET_BITS - 1) / SET_BITS;
	long ready = 0;

	memset(words, 0, 3 * set_words * sizeof(*words));
	for (long i = 0; i < used; i++) {
		unsigned int fd = (unsigned int)polled[i].user.fd;

		for (int set = 0; set < 3; set++) {
			/* What was not asked for is no answer, but for errors. */
			if (!((uint16_t)polled[i].user.revents & sets[set].takes) ||
			    !((uint16_t)polled[i].user.events & sets[set].asks))
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

static long select_user(int count, const unsigned long user_sets[3], uint64_t deadline_ns)
{
	uint64_t limit = task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;

	if (count < 0)
		return -EINVAL;
	/* Descriptors that there cannot be are not looked at. */
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
		/* More than a second of microseconds is carried over; less than none is wrong. */
		if (timeout.tv_sec < 0 || timeout.tv_usec < 0)
			return -EINVAL;
		const struct kernel_timespec whole = {
			.tv_sec = timeout.tv_sec + timeout.tv_usec / 1000000,
			.tv_nsec = timeout.tv_usec % 1000000 * 1000
		};

		timeout_ns = timespec_to_ns(&whole);
		deadline_ns = timeout_ns ? clock_deadline(timeout_ns) : 0;
	}
	long result = select_user((int)arg[0], user_sets, deadline_ns);

	if (arg[4]) {
		uint64_t left = time_left(began_ns, timeout_ns);

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
	/* The sixth argument: where the mask is, and how large. */
	unsigned long mask[2] = { 0 };
	long result = 0;

	if (arg[5] && copy_from_user(mask, (const void *)arg[5], sizeof(mask)))
		return -EFAULT;
	result = get_timeout(arg[4], &deadline_ns, &timeout_ns);
	if (!result)
		result = begin_mask(mask[0], mask[1]);
	if (result)
		return result;
	result = select_user((int)arg[0], user_sets, deadline_ns);
	end_mask(mask[0], result);
	put_time_left(arg[4], time_left(began_ns, timeout_ns));
	return result;
}
