/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll instances and their functions; the calls are in epoll_calls.c. All functions need task context.
 * epoll.c explains the locks.
 */
#ifndef FS_EPOLL_H
#define FS_EPOLL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/eventpoll.h>

struct file;
struct place;

/* One descriptor that an instance watches. */
struct epoll_item {
	RB_ENTRY(epoll_item) node;	     /* M */
	TAILQ_ENTRY(epoll_item) ready_link;  /* L: if ready */
	LIST_ENTRY(epoll_item) watcher_link; /* epoll_watchers_lock */
	struct epoll *epoll;
	struct file *file;
	int fd;
	bool ready;			 /* L: is on the ready list, or on collect's */
	struct kernel_epoll_event event; /* written under M and L */
	struct place *places;		 /* M: on the queues of its file */
};

struct epoll {
	struct mutex mutex;
	RB_HEAD(epoll_item_tree, epoll_item) items;	/* M */
	_Atomic size_t item_count;			/* written under M */
	struct spinlock lock;				/* irqsave */
	TAILQ_HEAD(epoll_ready_list, epoll_item) ready; /* L */
	bool collecting;				/* collect has the list */
	struct wait_queue waiters;			/* tasks in epoll_wait, exclusive */
	struct wait_queue pollers;			/* of the instance's file */
	struct file *file;				/* its own; no reference */
	uint64_t round;					/* epoll_watching_mutex: of depth */
	unsigned int depth; /* epoll_watching_mutex: as found in that round */
};			    /* M: mutex, L: lock */

RB_PROTOTYPE(epoll_item_tree, epoll_item, node, epoll_compare_items)
int epoll_compare_items(const struct epoll_item *a, const struct epoll_item *b);

/* Held while files and instances are released, and while an instance begins or ends watching another. */
extern struct mutex epoll_watching_mutex;
/* Guards every file's list of items. */
extern struct spinlock epoll_watchers_lock;

/* Creates the file of a new instance, or returns NULL. */
struct file *epoll_file_create(void);
/* Returns FILE's instance; NULL: another kind of file. */
struct epoll *epoll_of_file(const struct file *file);

/* Watches FILE, which has a poll operation, as descriptor FD. 0; -EEXIST; -ELOOP: instances would watch
 * each other in a circle, or nest too deep; -EINVAL: a wake-up would take too many paths; -ENOSPC: too
 * many items; -ENOMEM. */
int epoll_add(struct epoll *epoll, struct file *file, int fd,
	      const struct kernel_epoll_event *event);
/* Changes the watched events. 0; -ENOENT; -EINVAL: the item is exclusive, which cannot change. */
int epoll_modify(struct epoll *epoll, struct file *file, int fd,
		 const struct kernel_epoll_event *event);
/* Stops watching FILE. 0, -ENOENT. */
int epoll_remove(struct epoll *epoll, struct file *file, int fd);

/* Waits until DEADLINE_NS of clock_ns() (0: not at all; UINT64_MAX: unlimited) for ready items, and copies
 * 1 … MAX events to USER_EVENTS. Returns their number, 0 after the deadline, -EINTR, -EFAULT. */
long epoll_wait_user(struct epoll *epoll, uintptr_t user_events, size_t max, uint64_t deadline_ns);

/* epoll_nesting.c. epoll_watching_mutex held. */

/* True if OUTER may watch INNER: no circle arises, and the nesting is not too deep. */
bool epoll_may_nest(struct epoll *outer, struct epoll *inner);
/* True if a wake-up of FILE, or of any file in it if it is an instance's, takes no more paths through
 * instances than Linux allows. */
bool epoll_paths_are_few(struct file *file);

#endif
