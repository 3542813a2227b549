/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eventfd(2): a number as a file. Writing adds to it, reading takes all of it, or 1 with EFD_SEMAPHORE.
 *
 * Lock: counter->lock, a spin lock; user memory is touched without it.
 */
#include <kernel/base/spinlock.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#define EFD_SEMAPHORE 1u
/* The largest count; the next number stands for an overflow, which Tally never causes. */
#define COUNT_MAX     (UINT64_MAX - 1)

struct counter {
	struct spinlock lock;
	uint64_t count; /* L: lock */
	bool semaphore;
	struct wait_queue changed;
};

/* Takes from the counter and returns how much; 0: it is empty. */
static uint64_t take(struct counter *counter)
{
	spin_lock(&counter->lock);
	uint64_t taken = counter->semaphore && counter->count ? 1 : counter->count;

	counter->count -= taken;
	spin_unlock(&counter->lock);
	return taken;
}

/* Adds to the counter if there is room. */
static bool add(struct counter *counter, uint64_t number)
{
	spin_lock(&counter->lock);
	bool fits = number <= COUNT_MAX - counter->count;

	if (fits)
		counter->count += number;
	spin_unlock(&counter->lock);
	return fits;
}

static ssize_t read_counter(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct counter *counter = file->private;
	struct wait_entry entry;
	uint64_t taken;
	int error = 0;

	if (size < sizeof(taken))
		return -EINVAL;
	wait_queue_add(&counter->changed, &entry);
	while (!(taken = take(counter)) && !error)
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
	wait_queue_remove(&counter->changed, &entry);
	if (!taken)
		return error;
	wait_queue_wake_events(&counter->changed, POLLOUT | POLLWRNORM);
	return copy_to_user(user_buffer, &taken, sizeof(taken)) ? -EFAULT : (ssize_t)sizeof(taken);
}

static ssize_t write_counter(struct file *file, const void *user_buffer, size_t size,
			     uint64_t *position)
{
	struct counter *counter = file->private;
	struct wait_entry entry;
	uint64_t number;
	bool added;
	int error = 0;

	if (size < sizeof(number))
		return -EINVAL;
	if (copy_from_user(&number, user_buffer, sizeof(number)))
		return -EFAULT;
	if (number == UINT64_MAX)
		return -EINVAL;
	wait_queue_add(&counter->changed, &entry);
	while (!(added = add(counter, number)) && !error)
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
	wait_queue_remove(&counter->changed, &entry);
	if (!added)
		return error;
	wait_queue_wake_events(&counter->changed, POLLIN | POLLRDNORM);
	return (ssize_t)sizeof(number);
}

static unsigned int poll_counter(struct file *file, struct poll_table *table)
{
	struct counter *counter = file->private;

	poll_wait(table, &counter->changed);
	spin_lock(&counter->lock);
	uint64_t count = counter->count;

	spin_unlock(&counter->lock);
	return (count ? POLLIN | POLLRDNORM : 0) | (count < COUNT_MAX ? POLLOUT | POLLWRNORM : 0);
}

static void release_counter(struct file *file)
{
	kfree(file->private);
}

static const struct file_ops counter_ops = {
	.name = "[eventfd]",
	.seek_ignored = true,
	.read = read_counter,
	.write = write_counter,
	.poll = poll_counter,
	.release = release_counter,
};

static long create(unsigned int count, unsigned int flags)
{
	if (flags & ~(unsigned int)(EFD_SEMAPHORE | O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	struct counter *counter = kzalloc(sizeof(*counter));

	if (!counter)
		return -ENOMEM;
	counter->count = count;
	counter->semaphore = flags & EFD_SEMAPHORE;
	spin_init(&counter->lock);
	wait_queue_init(&counter->changed);
	struct file *file = file_create(&counter_ops, counter, O_RDWR | (flags & O_NONBLOCK));

	if (!file) {
		kfree(counter);
		return file_create_error();
	}
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

long sys_eventfd(const unsigned long arg[6])
{
	return create((unsigned int)arg[0], 0);
}

long sys_eventfd2(const unsigned long arg[6])
{
	return create((unsigned int)arg[0], (unsigned int)arg[1]);
}
