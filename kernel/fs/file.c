/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files, descriptor tables, and the signals that a file may send.
 *
 * Not here: what files there are (inode.c, console.c …), the system calls on them (file_calls.c).
 *
 * Lock: table->lock. fd_get_file takes its reference under it, so a descriptor that is closed
 * meanwhile cannot free the file under a reader.
 */
#include <kernel/assert.h>
#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/file_lock.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/process.h>
#include <kernel/spinlock.h>
#include <kernel/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

/* Room of a new table, and of one that has grown: that, and the next powers of two. */
#define FIRST_CAPACITY 64
#define CAPACITY_STEP  128

struct descriptor {
	struct file *file;
	bool cloexec;
};

struct file_table {
	_Atomic unsigned int references;
	struct spinlock lock;
	int end; /* L: all descriptors from here on are free */
	struct descriptor descriptors[DESCRIPTORS_MAX]; /* L */
};							/* L: lock */

struct file *file_create(const struct file_ops *ops, void *private, unsigned int flags)
{
	struct file *file = kzalloc(sizeof(*file));

	if (!file)
		return NULL;
	file->ops = ops;
	file->private = private;
	file->flags = flags;
	file->references = 1;
	return file;
}

void file_get(struct file *file)
{
	unsigned int before = atomic_fetch_add(&file->references, 1);

	ASSERT(before != 0);
}

void file_put(struct file *file)
{
	unsigned int before = atomic_fetch_sub(&file->references, 1);

	ASSERT(before != 0);
	if (before != 1)
		return;
	file_lock_release(file);
	if (!LIST_EMPTY(&file->watchers))
		epoll_forget_file(file);
	if (file->ops->release)
		file->ops->release(file);
	if (file->keeps_programs_out)
		inode_end_write(file->dentry->inode);
	if (file->dentry)
		dentry_put(file->dentry);
	kfree(file);
}

struct inode *file_inode(const struct file *file)
{
	return file->dentry ? file->dentry->inode : NULL;
}

ssize_t file_read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position)
{
	return file->ops->read_for_kernel ?
		       file->ops->read_for_kernel(file, buffer, size, position) :
		       -EINVAL;
}

/* Who looks at another task's table against that task's giving it up. Before table->lock. */
static struct spinlock owner_lock = SPINLOCK_INITIALIZER;

void file_table_switch(struct file_table *table)
{
	struct task *self = task_current();

	spin_lock(&owner_lock);
	struct file_table *old = self->files;

	self->files = table;
	spin_unlock(&owner_lock);
	if (old)
		file_table_put(old);
}

struct file *file_table_get_file_of(struct task *task, int fd, bool *cloexec)
{
	struct file *file = NULL;

	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return NULL;
	spin_lock(&owner_lock);
	struct file_table *table = task->files;

	if (table) {
		spin_lock(&table->lock);
		file = table->descriptors[fd].file;
		if (file)
			file_get(file);
		if (file && cloexec)
			*cloexec = table->descriptors[fd].cloexec;
		spin_unlock(&table->lock);
	}
	spin_unlock(&owner_lock);
	return file;
}

static struct file_table *own_table(void)
{
	return task_current()->files;
}

struct file *fd_get_file(int fd)
{
	struct file_table *table = own_table();
	struct file *file = NULL;

	if (fd < 0 || fd >= DESCRIPTORS_MAX || !table)
		return NULL;
	spin_lock(&table->lock);
	file = table->descriptors[fd].file;
	if (file)
		file_get(file);
	spin_unlock(&table->lock);
	return file;
}

/* Puts ENTRY at FD. L held. */
static void put(struct file_table *table, int fd, struct descriptor entry)
{
	table->descriptors[fd] = entry;
	if (entry.file && fd >= table->end)
		table->end = fd + 1;
}

unsigned int fd_capacity(void)
{
	struct file_table *table = own_table();
	unsigned int capacity = FIRST_CAPACITY;

	spin_lock(&table->lock);
	unsigned int end = (unsigned int)table->end;

	spin_unlock(&table->lock);
	if (end > capacity)
		for (capacity = CAPACITY_STEP; capacity < end; capacity *= 2)
			;
	return capacity;
}

int fd_install_from(struct file *file, int least, bool cloexec)
{
	struct file_table *table = own_table();
	int limit = (int)task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;
	int fd;

	spin_lock(&table->lock);
	for (fd = least; fd < limit && table->descriptors[fd].file; fd++)
		;
	if (fd < limit)
		put(table, fd, (struct descriptor){ file, cloexec });
	spin_unlock(&table->lock);
	return fd < limit ? fd : -EMFILE;
}

int fd_install(struct file *file, int cloexec)
{
	return fd_install_from(file, 0, cloexec);
}

/* TABLE has one descriptor of FILE less. */
static void drop(struct file_table *table, struct file *file)
{
	void (*after_close)(void) = file->ops->after_close;

	file_lock_close(file, table);
	file_put(file);
	if (after_close)
		after_close();
}

/* Puts ENTRY at FD and returns what was there. */
static struct file *exchange(struct file_table *table, int fd, struct descriptor entry)
{
	spin_lock(&table->lock);
	struct file *old = table->descriptors[fd].file;

	put(table, fd, entry);
	spin_unlock(&table->lock);
	return old;
}

int fd_install_at(struct file *file, int fd, bool cloexec)
{
	uint64_t limit = task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;

	if (fd < 0 || (uint64_t)fd >= limit)
		return -EBADF;
	struct file *old = exchange(own_table(), fd, (struct descriptor){ file, cloexec });

	if (old)
		drop(own_table(), old);
	return fd;
}

int fd_close(int fd)
{
	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return -EBADF;
	struct file *file = exchange(own_table(), fd, (struct descriptor){ NULL, false });

	if (!file)
		return -EBADF;
	drop(own_table(), file);
	return 0;
}

int fd_get_cloexec(int fd)
{
	struct file_table *table = own_table();

	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return -EBADF;
	spin_lock(&table->lock);
	int result = table->descriptors[fd].file ? table->descriptors[fd].cloexec : -EBADF;

	spin_unlock(&table->lock);
	return result;
}

int fd_set_cloexec(int fd, bool cloexec)
{
	struct file_table *table = own_table();
	int result = -EBADF;

	if (fd < 0 || fd >= DESCRIPTORS_MAX)
		return -EBADF;
	spin_lock(&table->lock);
	if (table->descriptors[fd].file) {
		table->descriptors[fd].cloexec = cloexec;
		result = 0;
	}
	spin_unlock(&table->lock);
	return result;
}

struct file_table *file_table_create(void)
{
	struct file_table *table = kzalloc(sizeof(*table));

	if (!table)
		return NULL;
	table->references = 1;
	spin_init(&table->lock);
	return table;
}

struct file_table *file_table_copy(struct file_table *table)
{
	struct file_table *copy = file_table_create();

	if (!copy)
		return NULL;
	spin_lock(&table->lock);
	for (int fd = 0; fd < table->end; fd++) {
		put(copy, fd, table->descriptors[fd]);
		if (copy->descriptors[fd].file)
			file_get(copy->descriptors[fd].file);
	}
	spin_unlock(&table->lock);
	return copy;
}

void file_table_set(struct file_table *table, int fd, struct file *file)
{
	put(table, fd, (struct descriptor){ file, false });
}

void file_table_get(struct file_table *table)
{
	atomic_fetch_add(&table->references, 1);
}

static void close_all(struct file_table *table, bool only_cloexec)
{
	/* Nobody else has the table now. */
	for (int fd = 0; fd < table->end; fd++) {
		if (only_cloexec && !table->descriptors[fd].cloexec)
			continue;
		struct file *file = exchange(table, fd, (struct descriptor){ NULL, false });

		if (file)
			drop(table, file);
	}
}

void file_table_put(struct file_table *table)
{
	if (atomic_fetch_sub(&table->references, 1) != 1)
		return;
	close_all(table, false);
	kfree(table);
}

void file_table_close_on_exec(struct file_table *table)
{
	close_all(table, true);
}

bool file_table_is_shared(struct file_table *table)
{
	return table->references > 1;
}
