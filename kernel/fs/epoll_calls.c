/* SPDX-License-Identifier: BSD-2-Clause */
/* epoll_create, epoll_create1, epoll_ctl, and the calls that wait; epoll.c does the work. */
#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "epoll.h"
#include "wait_arguments.h"

/* Most events that one call can request: Linux's EP_MAX_EVENTS. */
#define EVENTS_MAX (0x7fffffffu / sizeof(struct kernel_epoll_event))
/* Events and flags that an exclusive item may request: Linux's EPOLLEXCLUSIVE_OK_BITS. */
#define EXCLUSIVE_BITS \
	(EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET | EPOLLEXCLUSIVE)

static long create(unsigned int flags)
{
	if (flags & ~(unsigned int)EPOLL_CLOEXEC)
		return -EINVAL;
	struct file *file = epoll_file_create();

	if (!file)
		return file_create_error();
	return fd_install_or_put(file, flags & EPOLL_CLOEXEC);
}

/* The size was a hint once, and must still be more than 0. */
long sys_epoll_create(const unsigned long arg[6])
{
	return (int)arg[0] > 0 ? create(0) : -EINVAL;
}

long sys_epoll_create1(const unsigned long arg[6])
{
	return create((unsigned int)arg[0]);
}

static int check_exclusive(int operation, const struct file *target, uint32_t events)
{
	if (!(events & EPOLLEXCLUSIVE))
		return 0;
	if (operation == EPOLL_CTL_MOD)
		return -EINVAL;
	if (operation == EPOLL_CTL_ADD && (epoll_of_file(target) || (events & ~EXCLUSIVE_BITS)))
		return -EINVAL;
	return 0;
}

static long control(struct file *file, int operation, struct file *target, int fd,
		    const struct kernel_epoll_event *event)
{
	struct epoll *epoll = epoll_of_file(file);

	if (!target->ops->poll)
		return -EPERM;
	if (!epoll || file == target)
		return -EINVAL;
	int error = check_exclusive(operation, target, event->events);

	if (error)
		return error;
	switch (operation) {
	case EPOLL_CTL_ADD:
		return epoll_add(epoll, target, fd, event);
	case EPOLL_CTL_MOD:
		return epoll_modify(epoll, target, fd, event);
	case EPOLL_CTL_DEL:
		return epoll_remove(epoll, target, fd);
	default:
		return -EINVAL;
	}
}

long sys_epoll_ctl(const unsigned long arg[6])
{
	struct kernel_epoll_event event = { 0 };
	int operation = (int)arg[1], fd = (int)arg[2];
	long result = -EBADF;

	if (operation != EPOLL_CTL_DEL &&
	    copy_from_user(&event, (const void *)arg[3], sizeof(event)))
		return -EFAULT;
	struct file *file = fd_get_file((int)arg[0]);
	struct file *target = fd_get_file(fd);

	if (file && target && !((file->flags | target->flags) & O_PATH))
		result = control(file, operation, target, fd, &event);
	if (file)
		file_put(file);
	if (target)
		file_put(target);
	return result;
}

static long wait_for_events(const unsigned long arg[6], uint64_t deadline_ns)
{
	unsigned int max = (unsigned int)arg[2];
	uintptr_t user_events = arg[1];
	struct user_range range;
	long result = -EINVAL;

	if (max == 0 || max > EVENTS_MAX)
		return -EINVAL;
	if (!user_range_make(user_events, max * sizeof(struct kernel_epoll_event), &range))
		return -EFAULT;
	struct file *file = fd_get_file((int)arg[0]);

	if (!file || (file->flags & O_PATH))
		result = -EBADF;
	else if (epoll_of_file(file))
		result = epoll_wait_user(epoll_of_file(file), user_events, max, deadline_ns);
	if (file)
		file_put(file);
	return result;
}

long sys_epoll_wait(const unsigned long arg[6])
{
	return wait_for_events(arg, wait_deadline_of_ms((int)arg[3]));
}

/* The fifth and sixth argument: a signal mask and its size. */
static long wait_masked(const unsigned long arg[6], uint64_t deadline_ns)
{
	long result = wait_mask_begin(arg[4], arg[5]);

	if (result)
		return result;
	result = wait_for_events(arg, deadline_ns);
	wait_mask_end(arg[4], result);
	return result;
}

long sys_epoll_pwait(const unsigned long arg[6])
{
	return wait_masked(arg, wait_deadline_of_ms((int)arg[3]));
}

long sys_epoll_pwait2(const unsigned long arg[6])
{
	uint64_t deadline_ns, timeout_ns;
	int error = wait_time_get(arg[3], &deadline_ns, &timeout_ns);

	return error ? error : wait_masked(arg, deadline_ns);
}
