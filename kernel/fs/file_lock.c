/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advisory locks, see <kernel/fs/file_lock.h>.
 *
 * An inode has a list of its locks. fcntl's locks cover ranges: setting one removes its owner's other locks
 * from the range, and cuts those that reach beyond it. A list of waiters, each with the owner that it waits
 * for, lets fcntl refuse a wait that would never finish (EDEADLK).
 *
 * Lock: locks_mutex (L), for everything; innermost but for kmalloc. All waiters share one queue: locks are
 * rare and held long.
 */
#include <kernel/fs/file_lock.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/flock.h>

#define RANGE_END INT64_MAX
/* Longest chain of waiters that the search for a deadlock follows: as in Linux. */
#define CHAIN_MAX 10

enum lock_kind { LOCK_TABLE, LOCK_OPEN_FILE, LOCK_WHOLE }; /* fcntl's, fcntl's OFD, flock's */

struct file_lock {
	LIST_ENTRY(file_lock) link; /* L: of its inode */
	enum lock_kind kind;
	const void *owner; /* a struct file_table or struct file */
	pid_t pid;	   /* the process that set it */
	bool exclusive;
	int64_t start, end; /* first and last byte */
};

struct waiter {
	LIST_ENTRY(waiter) link; /* L */
	const void *owner, *waits_for;
};

static struct mutex locks_mutex;
static struct wait_queue locks_changed;
static LIST_HEAD(, waiter) waiters = LIST_HEAD_INITIALIZER(waiters); /* L */

void file_lock_init(void)
{
	mutex_init(&locks_mutex);
	wait_queue_init(&locks_changed);
}

static bool overlap(const struct file_lock *a, const struct file_lock *b)
{
	return a->start <= b->end && b->start <= a->end;
}

/* True if A and B can conflict at all: flock's locks and fcntl's ignore each other. */
static bool may_conflict(const struct file_lock *a, const struct file_lock *b)
{
	return (a->kind == LOCK_WHOLE) == (b->kind == LOCK_WHOLE);
}

/* Returns a lock that conflicts with REQUEST, or NULL. locks_mutex held. */
static struct file_lock *find_conflict(struct inode *inode, const struct file_lock *request)
{
	struct file_lock *lock;

	LIST_FOREACH(lock, &inode->locks, link)
		if (may_conflict(lock, request) && lock->owner != request->owner &&
		    overlap(lock, request) && (lock->exclusive || request->exclusive))
			return lock;
	return NULL;
}

/* True if OWNER would wait for itself by waiting for HOLDER. locks_mutex held. */
static bool would_deadlock(const void *owner, const void *holder)
{
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		struct waiter *waiter;

		if (holder == owner)
			return true;
		LIST_FOREACH(waiter, &waiters, link)
			if (waiter->owner == holder)
				break;
		if (!waiter)
			return false;
		holder = waiter->waits_for;
	}
	return false;
}

/* Removes the locks of REQUEST's owner from REQUEST's range. A lock that reaches beyond both ends becomes
 * two, the second in *SPARE. locks_mutex held. */
static void clear_range(struct inode *inode, const struct file_lock *request,
			struct file_lock **spare)
{
	struct file_lock *lock, *next;

	for (lock = LIST_FIRST(&inode->locks); lock; lock = next) {
		next = LIST_NEXT(lock, link);
		if (lock->owner != request->owner || lock->kind != request->kind ||
		    !overlap(lock, request))
			continue;
		bool before = lock->start<request->start, after = lock->end> request->end;

		if (before && after) {
			**spare = *lock;
			(*spare)->start = request->end + 1;
			LIST_INSERT_AFTER(lock, *spare, link);
			*spare = NULL;
		}
		if (before) {
			lock->end = request->start - 1;
		} else if (after) {
			lock->start = request->end + 1;
		} else {
			LIST_REMOVE(lock, link);
			kfree(lock);
		}
	}
}

/* Inserts LOCK, merged with equal locks of its owner that touch it. locks_mutex held. */
static void insert(struct inode *inode, struct file_lock *lock)
{
	struct file_lock *other, *next;

	for (other = LIST_FIRST(&inode->locks); other; other = next) {
		next = LIST_NEXT(other, link);
		/* Each start is above 0 when 1 is subtracted: the other lock ends before it. */
		bool touches = (other->end < lock->start && lock->start - 1 == other->end) ||
			       (lock->end < other->start && other->start - 1 == lock->end);

		if (other->owner != lock->owner || other->kind != lock->kind ||
		    other->exclusive != lock->exclusive || !touches)
			continue;
		if (other->start < lock->start)
			lock->start = other->start;
		else
			lock->end = other->end;
		LIST_REMOVE(other, link);
		kfree(other);
	}
	LIST_INSERT_HEAD(&inode->locks, lock, link);
}

/* Waits until locks change; releases locks_mutex meanwhile. 0, -EINTR, -EDEADLK. */
static int wait_for(const struct file_lock *request, const struct file_lock *holder)
{
	struct waiter waiter = { .owner = request->owner, .waits_for = holder->owner };
	struct wait_entry entry;

	if (request->kind == LOCK_TABLE && would_deadlock(request->owner, holder->owner))
		return -EDEADLK;
	LIST_INSERT_HEAD(&waiters, &waiter, link);
	wait_queue_add(&locks_changed, &entry);
	mutex_unlock(&locks_mutex);
	int error = wait_sleep(UINT64_MAX);

	wait_queue_remove(&locks_changed, &entry);
	mutex_lock(&locks_mutex);
	LIST_REMOVE(&waiter, link);
	return error;
}

/* Sets REQUEST, or with UNLOCK removes its owner's locks in the range. */
static int set_lock(struct inode *inode, const struct file_lock *request, bool unlock, bool wait)
{
	struct file_lock *lock = kzalloc(sizeof(*lock)), *spare = kzalloc(sizeof(*spare)), *holder;
	int error = 0;

	if (!lock || !spare) {
		kfree(lock);
		kfree(spare);
		return -ENOLCK;
	}
	mutex_lock(&locks_mutex);
	while (!unlock && !error && (holder = find_conflict(inode, request)))
		error = wait ? wait_for(request, holder) : -EAGAIN;
	if (!error) {
		clear_range(inode, request, &spare);
		if (!unlock) {
			*lock = *request;
			insert(inode, lock);
			lock = NULL;
		}
	}
	mutex_unlock(&locks_mutex);
	wait_queue_wake(&locks_changed);
	kfree(lock);
	kfree(spare);
	return error;
}

/* --- fcntl --- */

/* Puts the range of FLOCK, as offsets from the beginning of the file, into LOCK. */
static int get_range(const struct file *file, const struct kernel_flock *flock,
		     struct file_lock *lock)
{
	int64_t base;

	switch (flock->l_whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = (int64_t)file->position;
		break;
	case SEEK_END:
		base = (int64_t)file_inode(file)->size;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, flock->l_start, &lock->start))
		return -EOVERFLOW;
	if (lock->start < 0)
		return -EINVAL;
	lock->end = RANGE_END;
	if (flock->l_len > 0 && __builtin_add_overflow(lock->start, flock->l_len - 1, &lock->end))
		return -EOVERFLOW;
	if (flock->l_len < 0) {
		if (lock->start + flock->l_len < 0)
			return -EINVAL;
		lock->end = lock->start - 1;
		lock->start += flock->l_len;
	}
	return 0;
}

static long get_lock(struct inode *inode, const struct file_lock *request,
		     struct kernel_flock *flock)
{
	mutex_lock(&locks_mutex);
	const struct file_lock *holder = find_conflict(inode, request);

	if (!holder) {
		flock->l_type = F_UNLCK;
	} else {
		flock->l_type = holder->exclusive ? F_WRLCK : F_RDLCK;
		flock->l_whence = SEEK_SET;
		flock->l_start = holder->start;
		flock->l_len = holder->end == RANGE_END ? 0 : holder->end - holder->start + 1;
		flock->l_pid = holder->kind == LOCK_OPEN_FILE ? -1 : holder->pid;
	}
	mutex_unlock(&locks_mutex);
	return 0;
}

long file_lock_control(struct file *file, unsigned int command, unsigned long argument)
{
	bool open_file = command == F_OFD_GETLK || command == F_OFD_SETLK ||
			 command == F_OFD_SETLKW;
	bool get = command == F_GETLK || command == F_OFD_GETLK;
	unsigned int access = file->flags & O_ACCMODE;
	struct kernel_flock flock;
	struct file_lock request = { .kind = open_file ? LOCK_OPEN_FILE : LOCK_TABLE,
				     .owner = open_file ? (const void *)file :
							  (const void *)task_current()->files,
				     .pid = task_current()->tgid };

	if (!file_inode(file))
		return -EINVAL;
	if (copy_from_user(&flock, (const void *)argument, sizeof(flock)))
		return -EFAULT;
	if (get && flock.l_type != F_RDLCK && flock.l_type != F_WRLCK)
		return -EINVAL;
	int error = get_range(file, &flock, &request);

	if (error)
		return error;
	if (open_file && flock.l_pid)
		return -EINVAL;
	request.exclusive = flock.l_type == F_WRLCK;
	if (get) {
		get_lock(file_inode(file), &request, &flock);
		return copy_to_user((void *)argument, &flock, sizeof(flock));
	}
	switch (flock.l_type) {
	case F_RDLCK:
		if (access == O_WRONLY)
			return -EBADF;
		break;
	case F_WRLCK:
		if (access == O_RDONLY)
			return -EBADF;
		break;
	case F_UNLCK:
		break;
	default:
		return -EINVAL;
	}
	error = set_lock(file_inode(file), &request, flock.l_type == F_UNLCK,
			 command == F_SETLKW || command == F_OFD_SETLKW);
	return error;
}

/* --- flock --- */

#define FLOCK_SHARED	1
#define FLOCK_EXCLUSIVE 2
#define FLOCK_NONBLOCK	4
#define FLOCK_UNLOCK	8
/* A mandatory lock, which Linux no longer has: it accepts the flag and does nothing. */
#define FLOCK_MANDATORY 32

long sys_flock(const unsigned long arg[6])
{
	unsigned int operation = (unsigned int)arg[1] & ~(unsigned int)FLOCK_NONBLOCK;
	struct file *file = fd_get_file((int)arg[0]);
	long result = -EINVAL;

	if (!file)
		return -EBADF;
	const struct file_lock request = { .kind = LOCK_WHOLE,
					   .owner = file,
					   .pid = task_current()->tgid,
					   .exclusive = operation == FLOCK_EXCLUSIVE,
					   .end = RANGE_END };

	if (arg[1] & FLOCK_MANDATORY)
		result = 0;
	else if (file->flags & O_PATH)
		result = -EBADF;
	else if (file_inode(file) && (operation == FLOCK_SHARED || operation == FLOCK_EXCLUSIVE ||
				      operation == FLOCK_UNLOCK))
		result = set_lock(file_inode(file), &request, operation == FLOCK_UNLOCK,
				  !(arg[1] & FLOCK_NONBLOCK));
	file_put(file);
	return result;
}

/* --- close and release --- */

/* Removes every lock of OWNER on INODE. */
static void remove_locks_of(struct inode *inode, const void *owner)
{
	struct file_lock *lock, *next;
	bool any = false;

	mutex_lock(&locks_mutex);
	for (lock = LIST_FIRST(&inode->locks); lock; lock = next) {
		next = LIST_NEXT(lock, link);
		if (lock->owner != owner)
			continue;
		LIST_REMOVE(lock, link);
		kfree(lock);
		any = true;
	}
	mutex_unlock(&locks_mutex);
	if (any)
		wait_queue_wake(&locks_changed);
}

/* Read without locks_mutex: a closing task knows of every lock that it set. */
void file_lock_close(struct file *file, struct file_table *table)
{
	struct inode *inode = file_inode(file);

	if (inode && !LIST_EMPTY(&inode->locks))
		remove_locks_of(inode, table);
}

void file_lock_release(struct file *file)
{
	struct inode *inode = file_inode(file);

	if (inode && !LIST_EMPTY(&inode->locks))
		remove_locks_of(inode, file);
}
