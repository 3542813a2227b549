/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moving bytes between files without a program's memory: splice, tee, vmsplice, sendfile, copy_file_range.
 *
 * From a pipe to another kind of file, pipe_pour moves the bytes; those that the file refuses stay in the
 * pipe. All other bytes go through a buffer of the kernel, a piece at a time, after a check that a target
 * pipe has room. Records (of perf's rings) move whole, and leave their ring in the moment in which they are
 * in the pipe.
 */
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/pipe.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Linux's uapi/linux/splice.h. */
#define SPLICE_F_NONBLOCK 2
#define SPLICE_F_ALL	  15
/* Most bytes that one call moves: Linux's MAX_RW_COUNT. */
#define TRANSFER_MAX	  (0x7fffffffUL & ~4095UL)

/* One end of a transfer. */
struct end {
	struct file *file;
	uint64_t *position; /* of a file other than a pipe */
	bool nonblock;
};

static bool may_read(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_WRONLY && !(file->flags & O_PATH);
}

static bool may_write(const struct file *file)
{
	return (file->flags & O_ACCMODE) != O_RDONLY && !(file->flags & O_PATH);
}

/* True if FILE has positions: taken bytes are still there. */
static bool has_places(const struct file *file)
{
	return file->ops->seekable || file->ops->seek || file->ops->seek_ignored;
}

static bool is_regular(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	return inode && inode_type(inode) == S_IFREG;
}

static ssize_t take(const struct end *from, void *buffer, size_t size)
{
	if (file_is_pipe(from->file))
		return pipe_read_for_kernel(from->file, buffer, size, false, from->nonblock);
	if (!from->file->ops->read_for_kernel)
		return -EINVAL;
	ssize_t done = from->file->ops->read_for_kernel(from->file, buffer, size, *from->position);

	if (done > 0)
		*from->position += (uint64_t)done;
	return done;
}

/* Steps FROM back by the last SIZE bytes, which found no room; a file still has them. */
static void put_back(const struct end *from, size_t size)
{
	if (!file_is_pipe(from->file))
		*from->position -= size;
}

static ssize_t give(const struct end *to, const void *buffer, size_t size)
{
	if (file_is_pipe(to->file))
		return pipe_write_from_kernel(to->file, buffer, size, to->nonblock);
	if (!to->file->ops->write_from_kernel)
		return -EINVAL;
	return to->file->ops->write_from_kernel(to->file, buffer, size, to->position);
}

static ssize_t give_all(void *context, const void *bytes, size_t size)
{
	return give(context, bytes, size);
}

/* Waits until TO can take a byte: bytes taken from a pipe must have a destination. */
static int wait_for_room(const struct end *to)
{
	return file_is_pipe(to->file) ? pipe_wait_writable(to->file, to->nonblock) : 0;
}

/* Returns the number of bytes that may be taken for TO at once. */
static size_t room_of(const struct end *to, size_t size)
{
	if (!file_is_pipe(to->file))
		return size;
	size_t room = (size_t)pipe_get_size(to->file) - pipe_filled(to->file);

	return room && room < size ? room : room ? size : 1;
}

/* Moves up to SIZE bytes; with ALL until they are moved or the source ends, else until the bytes that are
 * there now are moved. */
static ssize_t move(const struct end *from, const struct end *to, size_t size, bool all)
{
	char *buffer = page_alloc(0);
	size_t done = 0;
	ssize_t result = 0;

	if (!buffer)
		return -ENOMEM;
	while (done < size) {
		size_t part = size - done < PAGE_SIZE ? size - done : PAGE_SIZE;

		result = wait_for_room(to);
		if (result)
			break;
		result = take(from, buffer, room_of(to, part));
		if (result <= 0)
			break;
		size_t left = part = (size_t)result;

		while (left && result > 0) {
			result = give(to, buffer + part - left, left);
			if (result > 0)
				left -= (size_t)result;
		}
		done += part - left;
		if (left) {
			put_back(from, left);
			break;
		}
		/* Reading on from other files might sleep. */
		if (!all && !is_regular(from->file) &&
		    !(file_is_pipe(from->file) && pipe_filled(from->file)))
			break;
		if (!all && file_is_pipe(to->file) &&
		    pipe_filled(to->file) >= (size_t)pipe_get_size(to->file))
			break;
		if (signal_is_fatal_pending(task_current()))
			break;
		sched_relax();
	}
	page_put(buffer);
	return done ? (ssize_t)done : result;
}

/* --- records --- */

#define RECORDS_ORDER 4 /* of the buffer: for the largest record, which is less than 64 KiB */

struct record_source {
	struct file *file;
	char *buffer;
	size_t left; /* of the requested size */
};

static ssize_t take_records(void *context, size_t room, const void **bytes)
{
	struct record_source *source = context;
	size_t size = room < source->left ? room : source->left;

	if (size > PAGE_SIZE << RECORDS_ORDER)
		size = PAGE_SIZE << RECORDS_ORDER;
	*bytes = source->buffer;
	return source->file->ops->take_records(source->file, source->buffer, size);
}

/* Moves whole records of at most SIZE bytes together: those in the ring, or the next that comes. -ENOSPC:
 * it is larger. */
static ssize_t move_records(const struct end *from, const struct end *to, size_t size)
{
	struct record_source source = { from->file, page_alloc(RECORDS_ORDER), size };
	size_t done = 0;
	ssize_t result;

	if (!source.buffer)
		return -ENOMEM;
	do {
		ssize_t next = from->file->ops->next_record(from->file, done || from->nonblock);

		if (next <= 0) {
			result = next;
			break;
		}
		if ((size_t)next > source.left)
			result = -ENOSPC;
		else
			result = pipe_fill(to->file, (size_t)next, done || to->nonblock,
					   take_records, &source);
		if (result > 0) {
			done += (size_t)result;
			source.left -= (size_t)result;
		}
	} while (result >= 0 && source.left && !signal_is_fatal_pending(task_current()));
	page_put(source.buffer);
	if (!done && result == -EPIPE)
		task_signal(task_current(), SIGPIPE);
	return done ? (ssize_t)done : result;
}

/* --- splice, tee --- */

/* Gets the two files of a call, each with a reference. */
static int get_files(int in_fd, int out_fd, struct file **in, struct file **out)
{
	*in = fd_get_file(in_fd);
	if (!*in)
		return -EBADF;
	*out = fd_get_file(out_fd);
	if (*out)
		return 0;
	file_put(*in);
	return -EBADF;
}

/* Gets the position that a program gave, or the file's own. */
static int get_position(struct file *file, unsigned long user_position, uint64_t *given,
			uint64_t **position)
{
	*position = user_position ? given : &file->position;
	if (!user_position)
		return 0;
	if (file_is_pipe(file))
		return -ESPIPE;
	if (!has_places(file))
		return -EINVAL;
	if (copy_from_user(given, (const void *)user_position, sizeof(*given)))
		return -EFAULT;
	return (int64_t)*given < 0 ? -EINVAL : 0;
}

static ssize_t splice(struct file *in, unsigned long user_in, struct file *out,
		      unsigned long user_out, size_t size, unsigned int flags)
{
	bool nonblock = flags & SPLICE_F_NONBLOCK;
	struct end from = { .file = in, .nonblock = nonblock || (in->flags & O_NONBLOCK) };
	struct end to = { .file = out, .nonblock = nonblock || (out->flags & O_NONBLOCK) };
	uint64_t in_position = 0, out_position = 0;

	if (!may_read(in) || !may_write(out))
		return -EBADF;
	if (!file_is_pipe(in) && !file_is_pipe(out))
		return -EINVAL;
	if (file_is_pipe(in) && file_is_pipe(out) && pipe_is_same(in, out))
		return -EINVAL;
	if (!file_is_pipe(out) && (out->flags & O_APPEND))
		return -EINVAL;
	int error = get_position(in, user_in, &in_position, &from.position);

	if (!error)
		error = get_position(out, user_out, &out_position, &to.position);
	if (error)
		return error;
	if (!file_is_pipe(out) && !out->ops->write_from_kernel)
		return -EINVAL;
	ssize_t result;

	if (in->ops->next_record)
		result = move_records(&from, &to, size);
	else if (file_is_pipe(out))
		result = move(&from, &to, size, false);
	else
		result = pipe_pour(in, size, from.nonblock, give_all, &to);
	if (result > 0) {
		inotify_file(out, IN_MODIFY);
		inotify_file(in, IN_ACCESS);
	}
	if (result > 0 && user_in &&
	    copy_to_user((void *)user_in, &in_position, sizeof(in_position)))
		result = -EFAULT;
	if (result > 0 && user_out &&
	    copy_to_user((void *)user_out, &out_position, sizeof(out_position)))
		result = -EFAULT;
	return result;
}

long sys_splice(const unsigned long arg[6])
{
	size_t size = arg[4] < TRANSFER_MAX ? arg[4] : TRANSFER_MAX;
	unsigned int flags = (unsigned int)arg[5];
	struct file *in, *out;

	if (!arg[4])
		return 0;
	if (flags & ~(unsigned int)SPLICE_F_ALL)
		return -EINVAL;
	int error = get_files((int)arg[0], (int)arg[2], &in, &out);

	if (error)
		return error;
	ssize_t result = splice(in, arg[1], out, arg[3], size, flags);

	file_put(in);
	file_put(out);
	return result;
}

static ssize_t tee(struct file *in, struct file *out, size_t size, unsigned int flags)
{
	bool nonblock = flags & SPLICE_F_NONBLOCK;

	if (!may_read(in) || !may_write(out))
		return -EBADF;
	if (!file_is_pipe(in) || !file_is_pipe(out) || pipe_is_same(in, out))
		return -EINVAL;
	int error = pipe_wait_readable(in, nonblock || (in->flags & O_NONBLOCK));

	if (!error)
		error = pipe_wait_writable(out, nonblock || (out->flags & O_NONBLOCK));
	if (error)
		return error;
	unsigned int order = 0;

	while (PAGE_SIZE << order < (size_t)pipe_get_size(in))
		order++;
	char *buffer = page_alloc(order);

	if (!buffer)
		return -ENOMEM;
	if (size > PAGE_SIZE << order)
		size = PAGE_SIZE << order;
	const struct end to = { .file = out };
	ssize_t result = pipe_read_for_kernel(in, buffer, room_of(&to, size), true, true);

	if (result > 0)
		result = pipe_write_from_kernel(out, buffer, (size_t)result, nonblock);
	if (result > 0) {
		inotify_file(in, IN_ACCESS);
		inotify_file(out, IN_MODIFY);
	}
	page_put(buffer);
	return result == -EAGAIN ? 0 : result;
}

long sys_tee(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];
	struct file *in, *out;

	if (flags & ~(unsigned int)SPLICE_F_ALL)
		return -EINVAL;
	if (!arg[2])
		return 0;
	int error = get_files((int)arg[0], (int)arg[1], &in, &out);

	if (error)
		return error;
	ssize_t result = tee(in, out, arg[2], flags);

	file_put(in);
	file_put(out);
	return result;
}

/* Writes memory of the program to a pipe's end, or reads into it. */
long sys_vmsplice(const unsigned long arg[6])
{
	unsigned int flags = (unsigned int)arg[3];
	struct file *file;

	if (flags & ~(unsigned int)SPLICE_F_ALL)
		return -EINVAL;
	file = fd_get_file((int)arg[0]);
	if (!file)
		return -EBADF;
	bool is_pipe = file_is_pipe(file), writes = may_write(file);
	bool nonblock = file->flags & O_NONBLOCK;

	/* Sets the flag only for this call; other users of the file see it meanwhile. */
	if (is_pipe && (flags & SPLICE_F_NONBLOCK) && !nonblock)
		atomic_fetch_or(&file->flags, O_NONBLOCK);
	long result = -EBADF;

	if (is_pipe)
		result = writes ? sys_writev(arg) : sys_readv(arg);
	if (is_pipe && (flags & SPLICE_F_NONBLOCK) && !nonblock)
		atomic_fetch_and(&file->flags, ~(unsigned int)O_NONBLOCK);
	file_put(file);
	return result;
}

/* --- sendfile, copy_file_range --- */

static ssize_t send_file(struct file *out, struct file *in, unsigned long user_position,
			 size_t size)
{
	struct end from = { .file = in };
	struct end to = { .file = out,
			  .position = &out->position,
			  .nonblock = out->flags & O_NONBLOCK };
	uint64_t position = 0;

	if (!may_read(in) || !may_write(out))
		return -EBADF;
	int error = get_position(in, user_position, &position, &from.position);

	if (error)
		return error;
	if (!has_places(in) || !in->ops->read_for_kernel)
		return -EINVAL;
	if (out->flags & O_APPEND)
		return -EINVAL;
	ssize_t result = move(&from, &to, size, true);

	if (result > 0) {
		inotify_file(in, IN_ACCESS);
		inotify_file(out, IN_MODIFY);
	}
	if (result > 0 && user_position &&
	    copy_to_user((void *)user_position, &position, sizeof(position)))
		result = -EFAULT;
	return result;
}

long sys_sendfile(const unsigned long arg[6])
{
	size_t size = arg[3] < TRANSFER_MAX ? arg[3] : TRANSFER_MAX;
	struct file *in, *out;
	int error = get_files((int)arg[1], (int)arg[0], &in, &out);

	if (error)
		return error;
	ssize_t result = send_file(out, in, arg[2], size);

	file_put(in);
	file_put(out);
	return result;
}

static int check_regular(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (inode && inode_type(inode) == S_IFDIR)
		return -EISDIR;
	return inode && inode_type(inode) == S_IFREG ? 0 : -EINVAL;
}

static ssize_t copy_range(struct file *in, unsigned long user_in, struct file *out,
			  unsigned long user_out, size_t size)
{
	uint64_t in_position = in->position, out_position = out->position;
	struct end from = { .file = in, .position = &in_position };
	struct end to = { .file = out, .position = &out_position };
	int error = check_regular(in);

	if (!error)
		error = check_regular(out);
	if (error)
		return error;
	if (!may_read(in) || !may_write(out) || (out->flags & O_APPEND))
		return -EBADF;
	if (file_inode(in)->superblock != file_inode(out)->superblock)
		return -EXDEV;
	if ((user_in && copy_from_user(&in_position, (const void *)user_in, 8)) ||
	    (user_out && copy_from_user(&out_position, (const void *)user_out, 8)))
		return -EFAULT;
	if ((int64_t)in_position < 0 || (int64_t)out_position < 0)
		return -EINVAL;
	if ((int64_t)(in_position + size) < 0 || (int64_t)(out_position + size) < 0)
		return -EOVERFLOW;
	uint64_t end = file_inode(in)->size;
	uint64_t left = in_position < end ? end - in_position : 0;

	if (size > left)
		size = left;
	if (file_inode(in) == file_inode(out) && in_position < out_position + size &&
	    out_position < in_position + size)
		return -EINVAL;
	if (!in->ops->read_for_kernel || !out->ops->write_from_kernel)
		return -EXDEV;
	ssize_t result = move(&from, &to, size, true);

	if (result <= 0)
		return result;
	inotify_file(in, IN_ACCESS);
	inotify_file(out, IN_MODIFY);
	if (!user_in)
		in->position = in_position;
	else if (copy_to_user((void *)user_in, &in_position, 8))
		result = -EFAULT;
	if (!user_out)
		out->position = out_position;
	else if (copy_to_user((void *)user_out, &out_position, 8))
		result = -EFAULT;
	return result;
}

long sys_copy_file_range(const unsigned long arg[6])
{
	size_t size = arg[4] < TRANSFER_MAX ? arg[4] : TRANSFER_MAX;
	struct file *in, *out;

	if ((unsigned int)arg[5])
		return -EINVAL;
	int error = get_files((int)arg[0], (int)arg[2], &in, &out);

	if (error)
		return error;
	ssize_t result = copy_range(in, arg[1], out, arg[3], size);

	file_put(in);
	file_put(out);
	return result;
}
