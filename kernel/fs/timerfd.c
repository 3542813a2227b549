/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timerfd: an interval timer as a file. A read returns the number of expirations since the last read.
 *
 * A timer that is set to a time of the real-time clock with TFD_TIMER_CANCEL_ON_SET becomes readable when
 * that clock is set, and the read returns ECANCELED.
 *
 * Lock: the interval's, see <kernel/task/interval.h>; ticks is a word of its own.
 */
#include <stdatomic.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/wait.h>
#include <kernel/task/clock.h>
#include <kernel/task/interval.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

#define TFD_TIMER_ABSTIME	1ul
#define TFD_TIMER_CANCEL_ON_SET 2ul

struct timer_file {
	struct interval interval;
	struct clock clock;
	_Atomic uint64_t ticks;
	/* The real-time clock's origin when the timer was set; 0: not watched. */
	_Atomic uint64_t epoch_ns;
	struct wait_queue expired;
};

static void file_expired(struct interval *interval)
{
	struct timer_file *timer = __containerof(interval, struct timer_file, interval);

	timer->ticks++;
	wait_queue_wake(&timer->expired);
}

/* True if the clock was set after TIMER, which has TFD_TIMER_CANCEL_ON_SET. */
static bool is_cancelled(const struct timer_file *timer)
{
	uint64_t epoch_ns = timer->epoch_ns;

	return epoch_ns && epoch_ns != clock_epoch_ns();
}

/* Takes the expirations, 0 if there are none; or sets *ERROR, once. */
static uint64_t take(struct timer_file *timer, int *error)
{
	if (!is_cancelled(timer))
		return atomic_exchange(&timer->ticks, 0);
	timer->epoch_ns = clock_epoch_ns();
	timer->ticks = 0;
	*error = -ECANCELED;
	return 0;
}

static ssize_t read_timer(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct timer_file *timer = file->private;
	struct wait_entry entry, set_entry;
	uint64_t ticks;
	int error = 0;

	if (size < sizeof(ticks))
		return -EINVAL;
	wait_queue_add(&timer->expired, &entry);
	wait_queue_add(&clock_was_set, &set_entry);
	while (!(ticks = take(timer, &error)) && !error)
		error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
	wait_queue_remove(&clock_was_set, &set_entry);
	wait_queue_remove(&timer->expired, &entry);
	if (!ticks)
		return error;
	ticks += interval_restart(&timer->interval);
	return copy_to_user(user_buffer, &ticks, sizeof(ticks)) ? -EFAULT : (ssize_t)sizeof(ticks);
}

static unsigned int poll_timer(struct file *file, struct poll_table *table)
{
	struct timer_file *timer = file->private;

	poll_wait(table, &timer->expired);
	poll_wait(table, &clock_was_set);
	return timer->ticks || is_cancelled(timer) ? POLLIN | POLLRDNORM : 0;
}

static void release_timer(struct file *file)
{
	struct timer_file *timer = file->private;

	interval_end(&timer->interval);
	kfree(timer);
}

static const struct file_ops timer_ops = {
	.name = "[timerfd]",
	.seek_ignored = true,
	.read = read_timer,
	.poll = poll_timer,
	.release = release_timer,
};

long sys_timerfd_create(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[1];
	struct clock clock;
	int id = (int)arg[0];

	if (flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	if ((id != CLOCK_REALTIME && id != CLOCK_MONOTONIC && id != CLOCK_BOOTTIME &&
	     id != CLOCK_REALTIME_ALARM && id != CLOCK_BOOTTIME_ALARM) ||
	    clock_find(id, &clock))
		return -EINVAL;
	int error = clock_check_alarm(id);

	if (error)
		return error;
	struct timer_file *timer = kzalloc(sizeof(*timer));

	if (!timer)
		return -ENOMEM;
	timer->clock = clock;
	wait_queue_init(&timer->expired);
	interval_init(&timer->interval, INTERVAL_WALL, NULL, file_expired);
	struct file *file = file_create(&timer_ops, timer, O_RDWR | (flags & O_NONBLOCK));

	if (!file) {
		kfree(timer);
		return file_create_error();
	}
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

/* Finds the timer of descriptor FD; *FILE gets a reference. */
static int find_timer(int fd, struct file **file, struct timer_file **timer)
{
	*file = fd_get_opened(fd);
	if (!*file)
		return -EBADF;
	if ((*file)->ops != &timer_ops) {
		file_put(*file);
		return -EINVAL;
	}
	*timer = (*file)->private;
	return 0;
}

static struct kernel_itimerspec setting_of(struct timer_file *timer)
{
	uint64_t left, interval;

	interval_get(&timer->interval, &left, &interval);
	return (struct kernel_itimerspec){ timespec_from_ns(interval), timespec_from_ns(left) };
}

/* Sets TIMER as timerfd_settime requests. */
static void set_timer(struct timer_file *timer, const struct kernel_itimerspec *new,
		      unsigned long flags)
{
	uint64_t value_ns = timespec_to_ns(&new->it_value);
	bool real = (flags & TFD_TIMER_ABSTIME) && timer->clock.origin == ORIGIN_EPOCH;

	interval_set(&timer->interval, 0, 0);
	timer->ticks = 0;
	timer->epoch_ns = real && (flags & TFD_TIMER_CANCEL_ON_SET) ? clock_epoch_ns() : 0;
	if (value_ns && !(flags & TFD_TIMER_ABSTIME))
		value_ns = clock_deadline(value_ns);
	interval_set_on(&timer->interval, real ? INTERVAL_REAL : INTERVAL_WALL, value_ns,
			timespec_to_ns(&new->it_interval));
}

long sys_timerfd_settime(const unsigned long arg[6])
{
	struct kernel_itimerspec new, old;
	struct timer_file *timer;
	struct file *file;

	if (copy_from_user(&new, (const void *)arg[2], sizeof(new)))
		return -EFAULT;
	if (((unsigned int)arg[1] & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)) ||
	    !timespec_is_valid(&new.it_value) || !timespec_is_valid(&new.it_interval))
		return -EINVAL;
	int error = find_timer((int)arg[0], &file, &timer);

	if (error)
		return error;
	old = setting_of(timer);
	set_timer(timer, &new, arg[1]);
	file_put(file);
	return arg[3] ? copy_to_user((void *)arg[3], &old, sizeof(old)) : 0;
}

long sys_timerfd_gettime(const unsigned long arg[6])
{
	struct timer_file *timer;
	struct file *file;
	int error = find_timer((int)arg[0], &file, &timer);

	if (error)
		return error;
	/* An expiration during the call counts for the next read, too. */
	struct kernel_itimerspec setting = setting_of(timer);

	file_put(file);
	return copy_to_user((void *)arg[1], &setting, sizeof(setting));
}
