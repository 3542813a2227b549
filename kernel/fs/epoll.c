/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll: lasting watches of files, and a list of the files that may be ready.
 *
 * An item is one descriptor that an instance watches. It has an entry on each wait queue of its file; a
 * wake-up of such a queue, on any CPU and in any context, puts the item on the instance's ready list. Being
 * on the list is only a hint: epoll_wait polls the file again, and an item that is not ready leaves the list.
 * After delivery a level-triggered item goes back to the list's end; an edge-triggered one waits for its next
 * wake-up. The ready list is a queue, which makes it fair.
 *
 * An item holds no reference to its file: a reference would keep the file open. So the release of a file
 * first takes its items out of all instances, and the release of an instance takes its items off all files.
 *
 * Instances may watch instances (epoll_nesting.c): a wake-up travels outwards through them, a poll inwards.
 *
 * Locks: epoll_watching_mutex (release of files and instances, nesting) > epoll->mutex, outer instances'
 * before inner ones' > the locks of poll operations > wait_queue->lock > epoll->lock. An item's wake-up runs
 * with its file's queue locked and then wakes the instance's own queues, without epoll->lock: a queue's lock
 * is taken inside another's only outwards. epoll_watchers_lock is innermost. User memory is not touched under
 * any of them: a fault may need the space's mutex, under which a file may be released.
 */
#include "epoll.h"

#include <stdatomic.h>

#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Flags of an item that are no events. */
#define PRIVATE_BITS	 (EPOLLWAKEUP | EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE)
/* Events that are collected on the stack. */
#define FOUND_NEAR	 8
/* Items may take 1/25 of the memory, all users together; Linux's share, per user. */
#define ITEM_MEMORY_PART 25

/* An item's entry on one wait queue of its file. */
struct place {
	struct wait_entry entry; /* first member: the queue knows only it */
	struct wait_queue *queue;
	struct epoll_item *item;
	struct place *next;
};

/* An event to deliver, and its item. */
struct found {
	struct kernel_epoll_event event;
	struct file *file;
	int fd;
	uint32_t requested; /* the events that the item requests */
};

struct mutex epoll_watching_mutex = MUTEX_INITIALIZER(epoll_watching_mutex);
struct spinlock epoll_watchers_lock = SPINLOCK_INITIALIZER;
static _Atomic size_t total_items;

int epoll_compare_items(const struct epoll_item *a, const struct epoll_item *b)
{
	if (a->file != b->file)
		return (uintptr_t)a->file < (uintptr_t)b->file ? -1 : 1;
	return (a->fd > b->fd) - (a->fd < b->fd);
}

RB_GENERATE(epoll_item_tree, epoll_item, node, epoll_compare_items)

static struct epoll_item *find(struct epoll *epoll, struct file *file, int fd)
{
	struct epoll_item key = { .file = file, .fd = fd };

	return RB_FIND(epoll_item_tree, &epoll->items, &key);
}

/* --- being ready --- */

/* Puts ITEM at the end of the ready list unless it is on it. epoll->lock held. */
static void make_ready(struct epoll_item *item)
{
	if (item->ready)
		return;
	item->ready = true;
	TAILQ_INSERT_TAIL(&item->epoll->ready, item, ready_link);
}

/* Wakes the waiters and pollers of EPOLL; true if a task was woken. */
static bool wake_users(struct epoll *epoll)
{
	bool woken = wait_queue_wake_events(&epoll->waiters, 0);

	wait_queue_wake_events(&epoll->pollers, EPOLLIN | EPOLLRDNORM);
	return woken;
}

/* Handles a wake-up of an item's file: a wait_function. */
static bool item_woken(struct wait_entry *entry, unsigned int events)
{
	struct epoll_item *item = ((struct place *)entry)->item;
	struct epoll *epoll = item->epoll;

	spin_lock(&epoll->lock);
	uint32_t requested = item->event.events;
	bool matches = (requested & ~PRIVATE_BITS) && (!events || (events & requested));

	if (matches)
		make_ready(item);
	spin_unlock(&epoll->lock);
	return matches && wake_users(epoll);
}

/* Polls ITEM's file: the requested events that it has now. epoll->mutex held. */
static uint32_t poll_item(struct epoll_item *item, struct poll_table *table)
{
	return item->file->ops->poll(item->file, table) & item->event.events;
}

/* Puts ITEM, just added or changed, on the ready list if its file is ready. epoll->mutex held. */
static void poll_changed(struct epoll_item *item, struct poll_table *table)
{
	struct epoll *epoll = item->epoll;

	if (!poll_item(item, table))
		return;
	unsigned long state = spin_lock_irqsave(&epoll->lock);

	make_ready(item);
	spin_unlock_irqrestore(&epoll->lock, state);
	wake_users(epoll);
}

static bool may_be_ready(struct epoll *epoll)
{
	unsigned long state = spin_lock_irqsave(&epoll->lock);
	bool any = epoll->collecting || !TAILQ_EMPTY(&epoll->ready);

	spin_unlock_irqrestore(&epoll->lock, state);
	return any;
}

/* Takes the first item off LIST, the instance's or collect's; NULL: there is none. epoll->mutex held. */
static struct epoll_item *take_first(struct epoll *epoll, struct epoll_ready_list *list)
{
	unsigned long state = spin_lock_irqsave(&epoll->lock);
	struct epoll_item *item = TAILQ_FIRST(list);

	if (item) {
		TAILQ_REMOVE(list, item, ready_link);
		item->ready = false;
	}
	spin_unlock_irqrestore(&epoll->lock, state);
	return item;
}

/* After delivery: disables a one-shot ITEM, requeues a level-triggered one. epoll->mutex held. */
static void finish_delivery(struct epoll_item *item)
{
	unsigned long state = spin_lock_irqsave(&item->epoll->lock);

	if (item->event.events & EPOLLONESHOT)
		item->event.events &= PRIVATE_BITS;
	else if (!(item->event.events & EPOLLET))
		make_ready(item);
	spin_unlock_irqrestore(&item->epoll->lock, state);
}

/* Collects up to MAX events of ready items. Items that became ready meanwhile come after those. */
static size_t collect(struct epoll *epoll, struct found *found, size_t max)
{
	struct epoll_ready_list list = TAILQ_HEAD_INITIALIZER(list);
	struct epoll_item *item;
	size_t count = 0;

	mutex_lock(&epoll->mutex);
	unsigned long state = spin_lock_irqsave(&epoll->lock);

	TAILQ_CONCAT(&list, &epoll->ready, ready_link);
	epoll->collecting = true;
	spin_unlock_irqrestore(&epoll->lock, state);
	while (count < max && (item = take_first(epoll, &list))) {
		uint32_t requested = item->event.events;
		uint32_t events = poll_item(item, NULL);

		if (!events)
			continue;
		found[count++] = (struct found){
			{ events, item->event.data }, item->file, item->fd, requested
		};
		finish_delivery(item);
	}
	state = spin_lock_irqsave(&epoll->lock);
	TAILQ_CONCAT(&list, &epoll->ready, ready_link);
	TAILQ_CONCAT(&epoll->ready, &list, ready_link);
	epoll->collecting = false;
	bool more = !TAILQ_EMPTY(&epoll->ready);

	spin_unlock_irqrestore(&epoll->lock, state);
	mutex_unlock(&epoll->mutex);
	/* One wake-up wakes one task, which wakes the next one for the events that it leaves. */
	if (more)
		wait_queue_wake(&epoll->waiters);
	return count;
}

/* Makes the items of COUNT events ready again: copying them to the program failed. */
static void requeue_items(struct epoll *epoll, const struct found *found, size_t count)
{
	mutex_lock(&epoll->mutex);
	for (size_t i = 0; i < count; i++) {
		struct epoll_item *item = find(epoll, found[i].file, found[i].fd);

		if (!item)
			continue;
		unsigned long state = spin_lock_irqsave(&epoll->lock);

		if (!(item->event.events & ~PRIVATE_BITS))
			item->event.events = found[i].requested;
		make_ready(item);
		spin_unlock_irqrestore(&epoll->lock, state);
	}
	mutex_unlock(&epoll->mutex);
}

/* Copies ready events to USER_EVENTS: returns their number, or -EFAULT when not even one could be copied. */
static long deliver(struct epoll *epoll, uintptr_t user_events, size_t max)
{
	struct kernel_epoll_event *user = (struct kernel_epoll_event *)user_events;
	struct found near[FOUND_NEAR], *found = near;
	size_t most = epoll->item_count < max ? epoll->item_count : max;
	size_t copied = 0;

	if (most > FOUND_NEAR && most <= KMALLOC_MAX / sizeof(*found))
		found = kzalloc(most * sizeof(*found));
	if (!found || found == near) {
		found = near;
		most = max < FOUND_NEAR ? max : FOUND_NEAR;
	}
	size_t count = collect(epoll, found, most);

	while (copied < count &&
	       copy_to_user(&user[copied], &found[copied].event, sizeof(found->event)) == 0)
		copied++;
	if (copied < count)
		requeue_items(epoll, found + copied, count - copied);
	if (found != near)
		kfree(found);
	return copied || !count ? (long)copied : -EFAULT;
}

long epoll_wait_user(struct epoll *epoll, uintptr_t user_events, size_t max, uint64_t deadline_ns)
{
	for (;;) {
		struct wait_entry entry;
		int error = 0;

		if (may_be_ready(epoll)) {
			long result = deliver(epoll, user_events, max);

			if (result)
				return result;
		}
		if (deadline_ns == 0)
			return 0;
		wait_queue_add_exclusive(&epoll->waiters, &entry);
		if (!may_be_ready(epoll))
			error = wait_sleep(deadline_ns);
		wait_queue_remove(&epoll->waiters, &entry);
		if (error == -ETIMEDOUT)
			deadline_ns = 0;
		/* An exiting task passes its wake-up on to another waiter. */
		if (signal_is_fatal_pending(task_current())) {
			wait_queue_wake(&epoll->waiters);
			return -EINTR;
		}
		if (error == -EINTR && !may_be_ready(epoll))
			return -EINTR;
	}
}

/* --- items --- */

/* The table of a poll operation: each queue that it names gets an entry of ITEM. */
struct item_table {
	struct poll_table table;
	struct epoll_item *item;
};

static void add_place(struct poll_table *table, struct wait_queue *queue)
{
	struct item_table *own = (struct item_table *)table;
	struct place *place = kzalloc(sizeof(*place));

	if (!place) {
		table->failed = true;
		return;
	}
	place->queue = queue;
	place->item = own->item;
	place->next = own->item->places;
	own->item->places = place;
	wait_queue_add_function(queue, &place->entry, item_woken,
				own->item->event.events & EPOLLEXCLUSIVE);
}

/* Removes ITEM from everything. Its file is not touched after the item is off the file's list.
 * epoll->mutex held. */
static void destroy_item(struct epoll_item *item)
{
	struct epoll *epoll = item->epoll;
	struct place *place;

	while ((place = item->places)) {
		wait_queue_remove(place->queue, &place->entry);
		item->places = place->next;
		kfree(place);
	}
	unsigned long state = spin_lock_irqsave(&epoll->lock);

	if (item->ready)
		TAILQ_REMOVE(&epoll->ready, item, ready_link);
	spin_unlock_irqrestore(&epoll->lock, state);
	RB_REMOVE(epoll_item_tree, &epoll->items, item);
	epoll->item_count--;
	spin_lock(&epoll_watchers_lock);
	LIST_REMOVE(item, watcher_link);
	spin_unlock(&epoll_watchers_lock);
	total_items--;
	kfree(item);
}

static size_t items_max(void)
{
	return page_total_count() / ITEM_MEMORY_PART * PAGE_SIZE / sizeof(struct epoll_item);
}

/* epoll->mutex held. */
static int insert(struct epoll *epoll, struct file *file, int fd,
		  const struct kernel_epoll_event *event)
{
	if (find(epoll, file, fd))
		return -EEXIST;
	if (total_items >= items_max())
		return -ENOSPC;
	struct epoll_item *item = kzalloc(sizeof(*item));

	if (!item)
		return -ENOMEM;
	item->epoll = epoll;
	item->file = file;
	item->fd = fd;
	item->event = *event;
	item->event.events |= EPOLLERR | EPOLLHUP;
	total_items++;
	epoll->item_count++;
	RB_INSERT(epoll_item_tree, &epoll->items, item);
	spin_lock(&epoll_watchers_lock);
	LIST_INSERT_HEAD(&file->watchers, item, watcher_link);
	spin_unlock(&epoll_watchers_lock);

	struct item_table table = { .table = { .add = add_place, .lasting = true }, .item = item };

	poll_changed(item, &table.table);
	if (!table.table.failed)
		return 0;
	destroy_item(item);
	return -ENOMEM;
}

/* --- files --- */

void epoll_forget_file(struct file *file)
{
	struct epoll_item *item;

	mutex_lock(&epoll_watching_mutex);
	/* The file has no other user, so the list changes only here and where an instance is released. */
	while ((item = LIST_FIRST(&file->watchers))) {
		struct epoll *epoll = item->epoll;

		mutex_lock(&epoll->mutex);
		destroy_item(item);
		mutex_unlock(&epoll->mutex);
	}
	mutex_unlock(&epoll_watching_mutex);
}

/* An instance is readable when one of its items is ready. */
static unsigned int poll_epoll(struct file *file, struct poll_table *table)
{
	struct epoll *epoll = file->private;
	struct epoll_item *item;
	unsigned int events = 0;

	poll_wait(table, &epoll->pollers);
	mutex_lock(&epoll->mutex);
	while (!events && (item = take_first(epoll, &epoll->ready))) {
		if (!poll_item(item, NULL))
			continue;
		unsigned long state = spin_lock_irqsave(&epoll->lock);

		if (!item->ready) {
			item->ready = true;
			TAILQ_INSERT_HEAD(&epoll->ready, item, ready_link);
		}
		spin_unlock_irqrestore(&epoll->lock, state);
		events = EPOLLIN | EPOLLRDNORM;
	}
	mutex_unlock(&epoll->mutex);
	return events;
}

/* Linux's ioctls concern busy polling of network devices; Linux returns EINVAL for all others. */
static long control_epoll(struct file *file, unsigned int command, unsigned long argument)
{
	return -EINVAL;
}

static void release_epoll(struct file *file)
{
	struct epoll *epoll = file->private;
	struct epoll_item *item;

	mutex_lock(&epoll_watching_mutex);
	mutex_lock(&epoll->mutex);
	while ((item = RB_ROOT(&epoll->items)))
		destroy_item(item);
	mutex_unlock(&epoll->mutex);
	mutex_unlock(&epoll_watching_mutex);
	kfree(epoll);
}

static const struct file_ops epoll_ops = {
	.ioctl = control_epoll,
	.poll = poll_epoll,
	.release = release_epoll,
	.seek_ignored = true,
};

struct epoll *epoll_of_file(const struct file *file)
{
	return file->ops == &epoll_ops ? file->private : NULL;
}

struct file *epoll_file_create(void)
{
	struct epoll *epoll = kzalloc(sizeof(*epoll));

	if (!epoll)
		return NULL;
	mutex_init(&epoll->mutex);
	RB_INIT(&epoll->items);
	spin_init(&epoll->lock);
	TAILQ_INIT(&epoll->ready);
	wait_queue_init(&epoll->waiters);
	wait_queue_init(&epoll->pollers);
	epoll->file = file_create(&epoll_ops, epoll, O_RDWR);
	if (!epoll->file) {
		kfree(epoll);
		return NULL;
	}
	return epoll->file;
}

/* --- adding, changing and removing --- */

int epoll_modify(struct epoll *epoll, struct file *file, int fd,
		 const struct kernel_epoll_event *event)
{
	mutex_lock(&epoll->mutex);
	struct epoll_item *item = find(epoll, file, fd);
	int error = !item ? -ENOENT : item->event.events & EPOLLEXCLUSIVE ? -EINVAL : 0;

	if (!error) {
		unsigned long state = spin_lock_irqsave(&epoll->lock);

		item->event = *event;
		item->event.events |= EPOLLERR | EPOLLHUP;
		spin_unlock_irqrestore(&epoll->lock, state);
		poll_changed(item, NULL);
	}
	mutex_unlock(&epoll->mutex);
	return error;
}

int epoll_add(struct epoll *epoll, struct file *file, int fd,
	      const struct kernel_epoll_event *event)
{
	struct epoll *inner = epoll_of_file(file);
	bool nested = inner || !LIST_EMPTY(&epoll->file->watchers);
	int error = 0;

	if (nested)
		mutex_lock(&epoll_watching_mutex);
	if (inner && !epoll_may_nest(epoll, inner))
		error = -ELOOP;
	if (!error) {
		mutex_lock(&epoll->mutex);
		error = insert(epoll, file, fd, event);
		mutex_unlock(&epoll->mutex);
	}
	if (!error && nested && !epoll_paths_are_few(file)) {
		mutex_lock(&epoll->mutex);
		destroy_item(find(epoll, file, fd));
		mutex_unlock(&epoll->mutex);
		error = -EINVAL;
	}
	if (nested)
		mutex_unlock(&epoll_watching_mutex);
	return error;
}

int epoll_remove(struct epoll *epoll, struct file *file, int fd)
{
	bool nested = epoll_of_file(file);

	if (nested)
		mutex_lock(&epoll_watching_mutex);
	mutex_lock(&epoll->mutex);
	struct epoll_item *item = find(epoll, file, fd);

	if (item)
		destroy_item(item);
	mutex_unlock(&epoll->mutex);
	if (nested)
		mutex_unlock(&epoll_watching_mutex);
	return item ? 0 : -ENOENT;
}
