/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll and ppoll: waiting for one of several files.
 *
 * The first look at each file also puts the task on the file's wait queues; then it sleeps and
 * looks again until something is ready. Files stay referenced while the task is on their queues.
 */
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
	for (size_t i = 0; i < count; i++) {
		struct polled *one = &polled[i];

		for (unsigned int q = 0; q < one->table.count; q++)
			wait_queue_remove(one->table.queues[q], &one->table.entries[q]);
		if (one->file)
			file_put(one->file);
		if (result >= 0 &&
		    copy_to_user(&user[i].revents, &one->user.revents, sizeof(one->user.revents)))
			result = -EFAULT;
	}
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

long sys_ppoll(const unsigned long arg[6])
{
	struct task *self = task_current();
	uint64_t deadline_ns = UINT64_MAX, mask;
	struct kernel_timespec timeout;

	if (arg[2]) {
		if (copy_from_user(&timeout, (const void *)arg[2], sizeof(timeout)))
			return -EFAULT;
		if (!timespec_is_valid(&timeout))
			return -EINVAL;
		uint64_t timeout_ns = timespec_to_ns(&timeout);

		deadline_ns = timeout_ns ? clock_deadline(timeout_ns) : 0;
	}
	if (arg[3]) {
		if (arg[4] != sizeof(mask))
			return -EINVAL;
		if (copy_from_user(&mask, (const void *)arg[3], sizeof(mask)))
			return -EFAULT;
		self->signals.saved_mask = self->signals.mask;
		signal_set_mask(mask);
	}
	uint64_t began_ns = clock_ns();
	long result = poll_user(arg[0], (unsigned int)arg[1], deadline_ns);

	if (arg[3]) {
		/* Interrupted: the signal is taken with the new mask, and the handler's end
		 * brings the old one back. */
		if (result == -EINTR)
			self->signals.restore_mask = true;
		else
			signal_set_mask(self->signals.saved_mask);
	}
	if (arg[2]) {
		/* Linux writes back what is left; that it could not is no error. */
		uint64_t spent = clock_ns() - began_ns, all = timespec_to_ns(&timeout);

		timeout = timespec_from_ns(spent < all ? all - spent : 0);
		if (copy_to_user((void *)arg[2], &timeout, sizeof(timeout)))
			return result;
	}
	return result;
}
