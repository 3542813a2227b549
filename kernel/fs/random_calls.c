/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom(2), /dev/random and /dev/urandom, which are the same: the generator is seeded before the
 * first program runs, so no caller ever waits for it. Behaviour and errors: random(4), random(7).
 */
#include <string.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/user_range.h>
#include <kernel/mm/usercopy.h>
#include <kernel/random/random.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/random.h>

#define PIECE_SIZE   256
/* Bytes that are delivered between two checks for signals. */
#define SIGNAL_SPAN  4096
/* The key's bits: the result of RNDGETENTCNT. */
#define ENTROPY_BITS 256

static ssize_t give(void *user_buffer, size_t size)
{
	char bytes[PIECE_SIZE];
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < sizeof(bytes) ? size - done : sizeof(bytes);

		random_bytes(bytes, part);
		if (copy_to_user((char *)user_buffer + done, bytes, part)) {
			explicit_bzero(bytes, sizeof(bytes));
			return done ? (ssize_t)done : -EFAULT;
		}
		done += part;
		if (done < size && done % SIGNAL_SPAN == 0 && signal_is_pending(task_current()))
			break;
	}
	explicit_bzero(bytes, sizeof(bytes));
	return (ssize_t)done;
}

long sys_getrandom(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[2];

	if (flags & ~(unsigned int)(GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	if ((flags & (GRND_RANDOM | GRND_INSECURE)) == (GRND_RANDOM | GRND_INSECURE))
		return -EINVAL;
	size_t size = arg[1] < INT32_MAX ? arg[1] : INT32_MAX;
	struct user_range range;

	if (!user_range_make(arg[0], size, &range))
		return -EFAULT;
	return give((void *)arg[0], size);
}

static ssize_t read_random(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return give(user_buffer, size);
}

static ssize_t read_random_for_kernel(struct file *file, void *buffer, size_t size,
				      uint64_t position)
{
	random_bytes(buffer, size);
	return (ssize_t)size;
}

/* Mixes the program's bytes in. */
static ssize_t take(const char *user_buffer, size_t size)
{
	char bytes[PIECE_SIZE];
	size_t done = 0;

	while (done < size) {
		size_t part = size - done < sizeof(bytes) ? size - done : sizeof(bytes);

		if (copy_from_user(bytes, user_buffer + done, part))
			return done ? (ssize_t)done : -EFAULT;
		random_add(bytes, part);
		done += part;
		if (done < size && done % SIGNAL_SPAN == 0 && signal_is_pending(task_current()))
			break;
	}
	return (ssize_t)done;
}

static ssize_t write_random(struct file *file, const void *user_buffer, size_t size,
			    uint64_t *position)
{
	return take(user_buffer, size);
}

/* struct rand_pool_info: the number of bits of entropy in the bytes that follow. */
static long add_entropy(const char *user_info)
{
	struct {
		int32_t bits, size;
	} info;

	if (copy_from_user(&info, user_info, sizeof(info)))
		return -EFAULT;
	if (info.bits < 0)
		return -EINVAL;
	if (info.size < 0)
		return -EFAULT;
	ssize_t taken = take(user_info + sizeof(info), (size_t)info.size);

	if (taken < 0)
		return taken;
	return taken == info.size ? 0 : -EFAULT;
}

static long control_random(struct file *file, unsigned int command, unsigned long argument)
{
	int32_t number = ENTROPY_BITS;

	if (command == RNDGETENTCNT)
		return copy_to_user((void *)argument, &number, sizeof(number));
	if (command != RNDADDTOENTCNT && command != RNDADDENTROPY && command != RNDZAPENTCNT &&
	    command != RNDCLEARPOOL && command != RNDRESEEDCRNG)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	switch (command) {
	case RNDADDENTROPY:
		return add_entropy((const char *)argument);
	case RNDADDTOENTCNT:
		if (copy_from_user(&number, (const void *)argument, sizeof(number)))
			return -EFAULT;
		return number < 0 ? -EINVAL : 0;
	case RNDRESEEDCRNG:
		random_reseed();
		return 0;
	default:
		/* There is no count to clear. */
		return 0;
	}
}

/* As in Linux, poll never reports /dev/random as writable, unlike /dev/urandom. */
static unsigned int poll_random(struct file *file, struct poll_table *table)
{
	return POLLIN | POLLRDNORM;
}

static const struct file_ops urandom_ops = { .read = read_random,
					     .read_for_kernel = read_random_for_kernel,
					     .write = write_random,
					     .ioctl = control_random,
					     .seek_ignored = true };

static const struct file_ops random_ops = { .read = read_random,
					    .read_for_kernel = read_random_for_kernel,
					    .write = write_random,
					    .ioctl = control_random,
					    .poll = poll_random,
					    .seek_ignored = true };

int random_open(struct inode *inode, struct file *file)
{
	file->ops = &random_ops;
	return 0;
}

int urandom_open(struct inode *inode, struct file *file)
{
	file->ops = &urandom_ops;
	return 0;
}
