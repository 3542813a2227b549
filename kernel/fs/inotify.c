/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inotify(7): instances, which are files; watches, each of one instance on one inode; and events, which wait
 * in an instance's queue to be read. The calls are in inotify_calls.c.
 *
 * A watch keeps its inode. It ends by inotify_rm_watch, or with its instance, its inode or its file system; a
 * watch for one event ends with that event. All but the end of the instance leave IN_IGNORED in the queue.
 *
 * An event that equals the last one in the queue is not queued again. An event without room in the queue is
 * lost, and IN_Q_OVERFLOW reports the loss. Each user has limits: of instances, of watches, and of events in
 * all queues together. The last limit is not Linux's (a memory cgroup pays there): unread events are memory
 * that cannot be reclaimed.
 *
 * Locks: watch_lock (W), a spin lock, for everything. dentry_name_lock comes before it, the queues of waiters
 * and the task table's lock after it. An inode's reference is dropped without it.
 */
#include "inotify.h"

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/signal.h>
#include <uapi/linux/termios.h>

/* Linux's limits of each user. The limit of watches is a share of memory, with WATCH_COST_BYTES for each
 * watch. */
#define INSTANCES_DEFAULT    128
#define EVENTS_DEFAULT	     16384
#define WATCHES_LEAST	     8192
#define WATCHES_MOST	     1048576
#define WATCH_COST_BYTES     1280
/* Unread events of one user, in all instances, as a multiple of the default limit of one instance. */
#define EVENTS_OF_USER_TIMES 4

struct event {
	TAILQ_ENTRY(event) link; /* W */
	int wd;
	uint32_t mask, cookie;
	size_t name_size; /* without the terminator */
	char name[];
};

struct inotify_watch {
	LIST_ENTRY(inotify_watch) of_inode;	 /* W */
	LIST_ENTRY(inotify_watch) of_superblock; /* W */
	RB_ENTRY(inotify_watch) node;		 /* W: of its instance, by wd */
	LIST_ENTRY(inotify_watch) dead;		 /* of the list of watches to free */
	struct inotify *instance;
	struct inode *inode; /* referenced */
	int wd;
	uint32_t mask; /* W: events; and IN_EXCL_UNLINK, IN_ONESHOT */
};

LIST_HEAD(watch_list, inotify_watch);
RB_HEAD(watch_tree, inotify_watch);

struct inotify {
	struct file *file;
	struct user_account *account; /* referenced */
	struct wait_queue changed;
	struct watch_tree watches;	      /* W */
	int last_wd;			      /* W */
	TAILQ_HEAD(event_list, event) events; /* W */
	unsigned int count, count_max;	      /* W: of events */
	size_t bytes;			      /* W: of all events, as a program reads them */
	bool overflowed;		      /* W: overflow is in the queue */
	struct event overflow;
};

static struct spinlock watch_lock = SPINLOCK_INITIALIZER;

bool inotify_has_watches;	 /* W */
static unsigned int watch_count; /* W */
_Atomic int inotify_instances_max = INSTANCES_DEFAULT, inotify_watches_max = WATCHES_LEAST,
	    inotify_events_max = EVENTS_DEFAULT;

/* The newest first, the order of /proc/PID/fdinfo. */
static int compare_watches(const struct inotify_watch *a, const struct inotify_watch *b)
{
	return a->wd > b->wd ? -1 : a->wd < b->wd;
}

RB_GENERATE_STATIC(watch_tree, inotify_watch, node, compare_watches)

void inotify_init(void)
{
	uint64_t watches = (uint64_t)page_total_count() * PAGE_SIZE / 100 / WATCH_COST_BYTES;

	inotify_watches_max = watches < WATCHES_LEAST ? WATCHES_LEAST :
			      watches > WATCHES_MOST  ? WATCHES_MOST :
							(int)watches;
}

uint32_t inotify_next_cookie(void)
{
	static _Atomic uint32_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

/* --- the queue --- */

/* Returns the bytes of a name of NAME_SIZE as a program reads it: with its terminator, padded to a
 * multiple of the structure. */
static size_t padded(size_t name_size)
{
	const size_t step = sizeof(struct kernel_inotify_event);

	return name_size ? (name_size + step) / step * step : 0;
}

static size_t size_of(const struct event *event)
{
	return sizeof(struct kernel_inotify_event) + padded(event->name_size);
}

/* watch_lock held. */
static void append(struct inotify *instance, struct event *event)
{
	TAILQ_INSERT_TAIL(&instance->events, event, link);
	instance->count++;
	instance->bytes += size_of(event);
	wait_queue_wake_events(&instance->changed, POLLIN | POLLRDNORM);
	file_notify(instance->file, POLL_IN);
}

static void overflow(struct inotify *instance)
{
	if (instance->overflowed)
		return;
	instance->overflowed = true;
	append(instance, &instance->overflow);
}

/* True if the last event in the queue equals this one. watch_lock held. */
static bool is_repeated(const struct inotify *instance, int wd, uint32_t mask, const char *name,
			size_t name_size)
{
	const struct event *last = TAILQ_LAST(&instance->events, event_list);

	return last && last != &instance->overflow && !(last->mask & IN_IGNORED) &&
	       last->mask == mask && last->wd == wd && last->name_size == name_size &&
	       memcmp(last->name, name, name_size) == 0;
}

/* watch_lock held. */
static void queue_event(struct inotify *instance, int wd, uint32_t mask, uint32_t cookie,
			const char *name, size_t name_size)
{
	const unsigned int user_max = EVENTS_DEFAULT * EVENTS_OF_USER_TIMES;

	if (instance->count < instance->count_max &&
	    is_repeated(instance, wd, mask, name, name_size))
		return;
	struct event *event = NULL;

	if (instance->count < instance->count_max && instance->account->inotify_events < user_max)
		event = kzalloc(sizeof(*event) + name_size);
	if (!event) {
		overflow(instance);
		return;
	}
	atomic_fetch_add(&instance->account->inotify_events, 1);
	event->wd = wd;
	event->mask = mask;
	event->cookie = cookie;
	event->name_size = name_size;
	memcpy(event->name, name, name_size);
	append(instance, event);
}

/* Takes the first event out of the queue if it has at most SIZE bytes; NULL: the queue is empty, or the
 * event is larger (*LARGE). */
static struct event *take_event(struct inotify *instance, size_t size, bool *large)
{
	spin_lock(&watch_lock);
	struct event *event = TAILQ_FIRST(&instance->events);

	*large = event && size_of(event) > size;
	if (*large)
		event = NULL;
	if (event) {
		TAILQ_REMOVE(&instance->events, event, link);
		instance->count--;
		instance->bytes -= size_of(event);
		if (event == &instance->overflow)
			instance->overflowed = false;
	}
	spin_unlock(&watch_lock);
	return event;
}

static void free_event(struct inotify *instance, struct event *event)
{
	if (event == &instance->overflow)
		return;
	atomic_fetch_sub(&instance->account->inotify_events, 1);
	kfree(event);
}

/* --- watches --- */

/* Ends WATCH and puts it on DEAD, for free_watches. IGNORED: queues IN_IGNORED. watch_lock held. */
static void end_watch(struct inotify_watch *watch, bool ignored, struct watch_list *dead)
{
	struct inotify *instance = watch->instance;

	LIST_REMOVE(watch, of_inode);
	LIST_REMOVE(watch, of_superblock);
	RB_REMOVE(watch_tree, &instance->watches, watch);
	LIST_INSERT_HEAD(dead, watch, dead);
	atomic_fetch_sub(&instance->account->inotify_watches, 1);
	inotify_has_watches = --watch_count != 0;
	if (ignored)
		queue_event(instance, watch->wd, IN_IGNORED, 0, "", 0);
}

/* Frees the watches in DEAD. No lock held. */
static void free_watches(struct watch_list *dead)
{
	struct inotify_watch *watch;

	while ((watch = LIST_FIRST(dead))) {
		LIST_REMOVE(watch, dead);
		inode_put(watch->inode);
		kfree(watch);
	}
}

/* Queues EVENT, which includes IN_ISDIR for a directory, for the watches of INODE. UNLINKED: through a
 * name that has been removed. */
static void queue_to_watchers(struct inode *inode, uint32_t event, uint32_t cookie,
			      const char *name, size_t name_size, bool unlinked)
{
	struct watch_list dead = LIST_HEAD_INITIALIZER(dead);
	struct inotify_watch *watch, *next;

	if (!__atomic_load_n(&inode->watches.lh_first, __ATOMIC_RELAXED))
		return;
	spin_lock(&watch_lock);
	for (watch = LIST_FIRST(&inode->watches); watch; watch = next) {
		next = LIST_NEXT(watch, of_inode);
		if (!((watch->mask | IN_UNMOUNT) & event & ~IN_ISDIR) ||
		    (unlinked && (watch->mask & IN_EXCL_UNLINK)))
			continue;
		queue_event(watch->instance, watch->wd, event, cookie, name, name_size);
		if (watch->mask & IN_ONESHOT)
			end_watch(watch, true, &dead);
	}
	spin_unlock(&watch_lock);
	free_watches(&dead);
}

static uint32_t directory_bit(const struct inode *inode)
{
	return inode_type(inode) == S_IFDIR ? IN_ISDIR : 0;
}

void inotify_report_dentry(struct dentry *dentry, uint32_t event)
{
	event |= directory_bit(dentry->inode);
	spin_lock(&dentry_name_lock);
	if (dentry->parent != dentry)
		queue_to_watchers(dentry->parent->inode, event, 0, dentry->name, dentry->name_size,
				  !dentry->linked);
	spin_unlock(&dentry_name_lock);
	queue_to_watchers(dentry->inode, event, 0, "", 0, false);
}

void inotify_report_inode(struct inode *inode, uint32_t event)
{
	/* As Linux, IN_MOVE_SELF and IN_DELETE_SELF come without IN_ISDIR. */
	if (!(event & (IN_MOVE_SELF | IN_DELETE_SELF)))
		event |= directory_bit(inode);
	queue_to_watchers(inode, event, 0, "", 0, false);
}

void inotify_report_entry(struct inode *directory, const char *name, size_t name_size,
			  uint32_t event, const struct inode *inode, uint32_t cookie)
{
	queue_to_watchers(directory, event | directory_bit(inode), cookie, name, name_size, false);
}

void inotify_report_end(struct inode *inode)
{
	struct watch_list dead = LIST_HEAD_INITIALIZER(dead);
	struct inotify_watch *watch;

	inotify_report_inode(inode, IN_DELETE_SELF);
	spin_lock(&watch_lock);
	while ((watch = LIST_FIRST(&inode->watches)))
		end_watch(watch, true, &dead);
	spin_unlock(&watch_lock);
	free_watches(&dead);
}

void inotify_report_unmount(struct superblock *superblock)
{
	struct inotify_watch *watch;

	/* One at a time: there may be many. */
	do {
		struct watch_list dead = LIST_HEAD_INITIALIZER(dead);

		spin_lock(&watch_lock);
		watch = LIST_FIRST(&superblock->watches);
		if (watch) {
			queue_event(watch->instance, watch->wd,
				    IN_UNMOUNT | directory_bit(watch->inode), 0, "", 0);
			end_watch(watch, true, &dead);
		}
		spin_unlock(&watch_lock);
		free_watches(&dead);
	} while (watch);
}

/* Returns INSTANCE's watch on INODE, or NULL. watch_lock held. */
static struct inotify_watch *find_watch(const struct inotify *instance, struct inode *inode)
{
	struct inotify_watch *watch;

	LIST_FOREACH(watch, &inode->watches, of_inode)
		if (watch->instance == instance)
			return watch;
	return NULL;
}

/* Changes the mask of INSTANCE's watch on INODE as inotify_add_watch does. Returns the watch's number,
 * -EEXIST, or -ENOENT without such a watch. watch_lock held. */
static int change_watch(struct inotify *instance, struct inode *inode, uint32_t mask)
{
	const uint32_t kept = IN_ALL_EVENTS | IN_EXCL_UNLINK | IN_ONESHOT;
	struct inotify_watch *watch = find_watch(instance, inode);

	if (!watch)
		return -ENOENT;
	if (mask & IN_MASK_CREATE)
		return -EEXIST;
	watch->mask = (mask & kept) | (mask & IN_MASK_ADD ? watch->mask : 0);
	return watch->wd;
}

/* Returns the next number that no watch of INSTANCE has. watch_lock held. */
static int next_wd(struct inotify *instance)
{
	struct inotify_watch key;

	do {
		instance->last_wd = instance->last_wd == INT32_MAX ? 1 : instance->last_wd + 1;
		key.wd = instance->last_wd;
	} while (RB_FIND(watch_tree, &instance->watches, &key));
	return key.wd;
}

/* Adds 1 to *COUNT if the result is at most MAX; false otherwise. */
static bool charge(_Atomic unsigned int *count, int max)
{
	if (max > 0 && atomic_fetch_add(count, 1) < (unsigned int)max)
		return true;
	if (max > 0)
		atomic_fetch_sub(count, 1);
	return false;
}

int inotify_watch(struct inotify *instance, struct inode *inode, uint32_t mask)
{
	struct inotify_watch *watch = kzalloc(sizeof(*watch));
	int result = -ENOMEM;

	spin_lock(&watch_lock);
	if (watch)
		result = change_watch(instance, inode, mask);
	/* As on Linux, a refused watch uses up a number, too. */
	int wd = result == -ENOENT ? next_wd(instance) : 0;

	if (result == -ENOENT && !charge(&instance->account->inotify_watches, inotify_watches_max))
		result = -ENOSPC;
	if (result == -ENOENT) {
		inode_get(inode);
		watch->instance = instance;
		watch->inode = inode;
		watch->wd = result = wd;
		watch->mask = mask & (IN_ALL_EVENTS | IN_EXCL_UNLINK | IN_ONESHOT);
		LIST_INSERT_HEAD(&inode->watches, watch, of_inode);
		LIST_INSERT_HEAD(&inode->superblock->watches, watch, of_superblock);
		RB_INSERT(watch_tree, &instance->watches, watch);
		watch_count++;
		inotify_has_watches = true;
		watch = NULL;
	}
	spin_unlock(&watch_lock);
	kfree(watch);
	return result;
}

int inotify_unwatch(struct inotify *instance, int wd)
{
	struct watch_list dead = LIST_HEAD_INITIALIZER(dead);
	struct inotify_watch key = { .wd = wd };

	spin_lock(&watch_lock);
	struct inotify_watch *watch = RB_FIND(watch_tree, &instance->watches, &key);

	if (watch)
		end_watch(watch, true, &dead);
	spin_unlock(&watch_lock);
	free_watches(&dead);
	return watch ? 0 : -EINVAL;
}

/* --- the file --- */

/* Copies EVENT to USER memory: its bytes, or -EFAULT. */
static ssize_t put_event(const struct event *event, char *user)
{
	size_t name_bytes = padded(event->name_size);
	const struct kernel_inotify_event head = { event->wd, event->mask, event->cookie,
						   (uint32_t)name_bytes };

	if (copy_to_user(user, &head, sizeof(head)) ||
	    copy_to_user(user + sizeof(head), event->name, event->name_size) ||
	    clear_user(user + sizeof(head) + event->name_size, name_bytes - event->name_size))
		return -EFAULT;
	return (ssize_t)(sizeof(head) + name_bytes);
}

static ssize_t read_events(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	struct inotify *instance = file->private;
	struct wait_entry entry;
	size_t done = 0;
	ssize_t result = 0;
	bool large;

	wait_queue_add(&instance->changed, &entry);
	while (!result) {
		struct event *event = take_event(instance, size - done, &large);

		if (event) {
			ssize_t bytes = put_event(event, (char *)user_buffer + done);

			free_event(instance, event);
			if (bytes < 0)
				result = bytes;
			else
				done += (size_t)bytes;
		} else if (large) {
			result = -EINVAL;
		} else if (done || (file->flags & O_NONBLOCK)) {
			result = -EAGAIN;
		} else {
			result = wait_sleep(UINT64_MAX);
		}
	}
	wait_queue_remove(&instance->changed, &entry);
	return done && result != -EFAULT ? (ssize_t)done : result;
}

static unsigned int poll_events(struct file *file, struct poll_table *table)
{
	struct inotify *instance = file->private;

	poll_wait(table, &instance->changed);
	spin_lock(&watch_lock);
	unsigned int count = instance->count;

	spin_unlock(&watch_lock);
	return count ? POLLIN | POLLRDNORM : 0;
}

static long control(struct file *file, unsigned int command, unsigned long argument)
{
	struct inotify *instance = file->private;

	if (command != FIONREAD)
		return -ENOTTY;
	spin_lock(&watch_lock);
	int bytes = (int)instance->bytes;

	spin_unlock(&watch_lock);
	return copy_to_user((void *)argument, &bytes, sizeof(bytes));
}

/* Writes the watches to /proc/PID/fdinfo, one at a time: there may be many. */
static void show_watches(struct file *file, struct text *text)
{
	struct inotify *instance = file->private;
	struct inotify_watch key = { .wd = INT32_MAX };

	for (;; key.wd--) {
		unsigned long number = 0, device = 0;
		uint32_t mask = 0;

		spin_lock(&watch_lock);
		const struct inotify_watch *watch = RB_NFIND(watch_tree, &instance->watches, &key);

		if (watch) {
			key.wd = watch->wd;
			number = watch->inode->number;
			device = watch->inode->superblock->device;
			mask = watch->mask;
		}
		spin_unlock(&watch_lock);
		if (!watch)
			return;
		text_print(text, "inotify wd:%x ino:%lx sdev:%lx mask:%x ignored_mask:0\n",
			   (unsigned int)key.wd, number, device, mask);
	}
}

static void release(struct file *file)
{
	struct inotify *instance = file->private;
	struct inotify_watch *watch;
	struct event *event;
	bool large;

	do {
		struct watch_list dead = LIST_HEAD_INITIALIZER(dead);

		spin_lock(&watch_lock);
		watch = RB_MIN(watch_tree, &instance->watches);
		if (watch)
			end_watch(watch, false, &dead);
		spin_unlock(&watch_lock);
		free_watches(&dead);
	} while (watch);
	while ((event = take_event(instance, SIZE_MAX, &large)))
		free_event(instance, event);
	atomic_fetch_sub(&instance->account->inotify_instances, 1);
	user_account_put(instance->account);
	kfree(instance);
}

static const struct file_ops inotify_ops = {
	.name = "inotify",
	.seek_ignored = true,
	.notifies = true,
	.read = read_events,
	.poll = poll_events,
	.ioctl = control,
	.show_info = show_watches,
	.release = release,
};

struct inotify *inotify_of(const struct file *file)
{
	return file->ops == &inotify_ops ? file->private : NULL;
}

int inotify_create(unsigned int flags, struct file **result)
{
	struct user_account *account = credentials_current()->account;
	struct inotify *instance;

	if (!charge(&account->inotify_instances, inotify_instances_max))
		return -EMFILE;
	instance = kzalloc(sizeof(*instance));
	*result = instance ? file_create(&inotify_ops, instance, O_RDONLY | flags) : NULL;
	if (!*result) {
		atomic_fetch_sub(&account->inotify_instances, 1);
		kfree(instance);
		return file_create_error();
	}
	instance->file = *result;
	user_account_get(account);
	instance->account = account;
	wait_queue_init(&instance->changed);
	TAILQ_INIT(&instance->events);
	RB_INIT(&instance->watches);
	instance->count_max = (unsigned int)inotify_events_max;
	instance->overflow = (struct event){ .wd = -1, .mask = IN_Q_OVERFLOW };
	return 0;
}
