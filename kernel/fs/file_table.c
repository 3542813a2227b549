/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of descriptors: which open file a small number stands for, and whether exec closes it.
 *
 * A table begins with room for FIRST_CAPACITY descriptors in itself and grows to the power of two that its
 * greatest descriptor needs, as on Linux. It never shrinks, but a copy has only the room that its open
 * descriptors need.
 *
 * Lock: table->lock, innermost but for table_owner_lock, which comes before it. fd_get_file takes its
 * reference under it, so closing the descriptor meanwhile cannot free the file under a reader. Memory is
 * allocated and freed without the lock.
 */
#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/spinlock.h>
#include <kernel/fs/file.h>
#include <kernel/fs/file_lock.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Room of a new table, and of the smallest table that has grown. */
#define FIRST_CAPACITY 64
#define NEXT_CAPACITY  128

struct descriptor {
	struct file *file;
	bool cloexec;
};

_Static_assert(DESCRIPTORS_MAX * sizeof(struct descriptor) <= KMALLOC_MAX,
	       "the largest table is one piece of memory");

struct file_table {
	_Atomic unsigned int references;
	struct spinlock lock;
	struct descriptor *descriptors; /* L: `first`, or memory of its own */
	unsigned int capacity;		/* L: number of descriptors */
	unsigned int used_below;	/* L: all descriptors before this one are used */
	struct descriptor first[FIRST_CAPACITY];
}; /* L: lock */

/* --- room --- */

/* Returns the room of a table in which FD is the greatest descriptor. */
static unsigned int capacity_for(unsigned int fd)
{
	unsigned int capacity = FIRST_CAPACITY;

	if (fd >= capacity)
		for (capacity = NEXT_CAPACITY; capacity <= fd; capacity *= 2)
			;
	return capacity;
}

/* Makes room for FD, which is below DESCRIPTORS_MAX: 0 or -ENOMEM. Called without table->lock. */
static int grow(struct file_table *table, unsigned int fd)
{
	unsigned int capacity = capacity_for(fd);
	struct descriptor *larger = kzalloc(capacity * sizeof(*larger)), *spare = larger;

	if (!larger)
		return -ENOMEM;
	spin_lock(&table->lock);
	if (capacity > table->capacity) {
		memcpy(larger, table->descriptors, table->capacity * sizeof(*larger));
		spare = table->descriptors;
		table->descriptors = larger;
		table->capacity = capacity;
	}
	spin_unlock(&table->lock);
	if (spare != table->first)
		kfree(spare);
	return 0;
}

/* Returns descriptor FD of TABLE; NULL: TABLE has no room for FD, so FD is free. table->lock held. */
static struct descriptor *descriptor_of(struct file_table *table, unsigned int fd)
{
	return fd < table->capacity ? &table->descriptors[fd] : NULL;
}

/* Returns the lowest free descriptor from LEAST on; TABLE may have no room for it. table->lock held. */
static unsigned int lowest_free(const struct file_table *table, unsigned int least)
{
	unsigned int fd = least > table->used_below ? least : table->used_below;

	while (fd < table->capacity && table->descriptors[fd].file)
		fd++;
	return fd;
}

/* Puts ENTRY at FD, which has room, and returns the file that was there. table->lock held. */
static struct file *put(struct file_table *table, unsigned int fd, struct descriptor entry)
{
	struct file *old = table->descriptors[fd].file;

	table->descriptors[fd] = entry;
	if (entry.file && fd == table->used_below)
		table->used_below = fd + 1;
	else if (!entry.file && fd < table->used_below)
		table->used_below = fd;
	return old;
}

/* --- tables of other tasks --- */

/* Keeps a task from giving up its table while another task looks at it. Comes before table->lock. */
static struct spinlock table_owner_lock = SPINLOCK_INITIALIZER;

/* Returns the file at FD with a reference, or NULL. Called without table->lock. Inline: most calls that
 * take a descriptor come here, with CLOEXEC NULL. */
static inline __attribute__((always_inline)) struct file *get_file(struct file_table *table, int fd,
								   bool *cloexec)
{
	struct file *file = NULL;

	spin_lock(&table->lock);
	/* A negative number is beyond the table's room, too. */
	struct descriptor *descriptor = descriptor_of(table, (unsigned int)fd);

	if (descriptor && descriptor->file) {
		file = descriptor->file;
		file_get(file);
		if (cloexec)
			*cloexec = descriptor->cloexec;
	}
	spin_unlock(&table->lock);
	return file;
}

struct file *file_table_get_file_of(struct task *task, int fd, bool *cloexec)
{
	struct file *file = NULL;

	spin_lock(&table_owner_lock);
	if (task->files)
		file = get_file(task->files, fd, cloexec);
	spin_unlock(&table_owner_lock);
	return file;
}

unsigned int file_table_capacity_of(struct task *task)
{
	unsigned int capacity = 0;

	spin_lock(&table_owner_lock);
	if (task->files) {
		spin_lock(&task->files->lock);
		capacity = task->files->capacity;
		spin_unlock(&task->files->lock);
	}
	spin_unlock(&table_owner_lock);
	return capacity;
}

/* --- the table of the running task --- */

static struct file_table *own_table(void)
{
	return task_current()->files;
}

inline struct file *fd_get_file(int fd)
{
	struct file_table *table = own_table();

	return table ? get_file(table, fd, NULL) : NULL;
}

struct file *fd_get_opened(int fd)
{
	struct file *file = fd_get_file(fd);

	if (!file || !(file->flags & O_PATH))
		return file;
	file_put(file);
	return NULL;
}

unsigned int fd_capacity(void)
{
	return file_table_capacity_of(task_current());
}

bool fd_is_available(void)
{
	struct file_table *table = own_table();

	spin_lock(&table->lock);
	unsigned int fd = lowest_free(table, 0);
	spin_unlock(&table->lock);
	return fd < task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;
}

int fd_install_from(struct file *file, int least, bool cloexec)
{
	struct file_table *table = own_table();
	uint64_t limit = task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;

	for (;;) {
		spin_lock(&table->lock);
		unsigned int fd = lowest_free(table, (unsigned int)least);
		bool is_room = fd < table->capacity;

		if (is_room && fd < limit)
			put(table, fd, (struct descriptor){ file, cloexec });
		spin_unlock(&table->lock);
		if (fd >= limit)
			return -EMFILE;
		if (is_room)
			return (int)fd;
		if (grow(table, fd))
			return -ENOMEM;
	}
}

int fd_install(struct file *file, int cloexec)
{
	return fd_install_from(file, 0, cloexec);
}

int fd_install_or_put(struct file *file, int cloexec)
{
	int fd = fd_install(file, cloexec);

	if (fd < 0)
		file_put(file);
	return fd;
}

/* Drops FILE, a descriptor of which was removed from TABLE. */
static void drop(struct file_table *table, struct file *file)
{
	void (*after_close)(void) = file->ops->after_close;

	file_lock_close(file, table);
	file_put(file);
	if (after_close)
		after_close();
}

int fd_install_at(struct file *file, int fd, bool cloexec)
{
	uint64_t limit = task_current()->process->limits[RLIMIT_NOFILE].rlim_cur;
	struct file_table *table = own_table();
	struct file *old = NULL;
	bool is_room;

	if (fd < 0 || (uint64_t)fd >= limit)
		return -EBADF;
	do {
		spin_lock(&table->lock);
		is_room = (unsigned int)fd < table->capacity;
		if (is_room)
			old = put(table, (unsigned int)fd, (struct descriptor){ file, cloexec });
		spin_unlock(&table->lock);
		if (!is_room && grow(table, (unsigned int)fd))
			return -ENOMEM;
	} while (!is_room);
	if (old)
		drop(table, old);
	return fd;
}

/* Closes FD of TABLE if it is open; with ONLY_CLOEXEC only if it has close-on-exec. */
static bool close_one(struct file_table *table, unsigned int fd, bool only_cloexec)
{
	struct file *file = NULL;

	spin_lock(&table->lock);
	struct descriptor *descriptor = descriptor_of(table, fd);

	if (descriptor && descriptor->file && (!only_cloexec || descriptor->cloexec))
		file = put(table, fd, (struct descriptor){ NULL, false });
	spin_unlock(&table->lock);
	if (file)
		drop(table, file);
	return file;
}

int fd_close(int fd)
{
	return close_one(own_table(), (unsigned int)fd, false) ? 0 : -EBADF;
}

int fd_get_cloexec(int fd)
{
	bool cloexec = false;
	struct file *file = get_file(own_table(), fd, &cloexec);

	if (!file)
		return -EBADF;
	file_put(file);
	return cloexec;
}

int fd_set_cloexec(int fd, bool cloexec)
{
	struct file_table *table = own_table();
	int result = -EBADF;

	spin_lock(&table->lock);
	struct descriptor *descriptor = descriptor_of(table, (unsigned int)fd);

	if (descriptor && descriptor->file) {
		descriptor->cloexec = cloexec;
		result = 0;
	}
	spin_unlock(&table->lock);
	return result;
}

/* --- whole tables --- */

struct file_table *file_table_create(void)
{
	struct file_table *table = kzalloc(sizeof(*table));

	if (!table)
		return NULL;
	table->references = 1;
	table->descriptors = table->first;
	table->capacity = FIRST_CAPACITY;
	spin_init(&table->lock);
	return table;
}

static void free_table(struct file_table *table)
{
	if (table->descriptors != table->first)
		kfree(table->descriptors);
	kfree(table);
}

/* Returns the first descriptor from which on all of TABLE's are free. table->lock held. */
static unsigned int end_of(const struct file_table *table)
{
	unsigned int end = table->capacity;

	while (end > 0 && !table->descriptors[end - 1].file)
		end--;
	return end;
}

/* Copies TABLE's open descriptors into COPY, which is new; false: COPY has no room for END descriptors. */
static bool copy_all(struct file_table *copy, struct file_table *table, unsigned int *end)
{
	spin_lock(&table->lock);
	*end = end_of(table);
	bool fits = *end <= copy->capacity;

	for (unsigned int fd = 0; fits && fd < *end; fd++) {
		if (!table->descriptors[fd].file)
			continue;
		file_get(table->descriptors[fd].file);
		put(copy, fd, table->descriptors[fd]);
	}
	spin_unlock(&table->lock);
	return fits;
}

struct file_table *file_table_copy(struct file_table *table)
{
	struct file_table *copy = file_table_create();
	unsigned int end;

	/* Try again when another thread has opened more meanwhile. */
	while (copy && !copy_all(copy, table, &end)) {
		if (grow(copy, end - 1)) {
			free_table(copy);
			return NULL;
		}
	}
	return copy;
}

void file_table_set(struct file_table *table, int fd, struct file *file)
{
	put(table, (unsigned int)fd, (struct descriptor){ file, false });
}

void file_table_get(struct file_table *table)
{
	atomic_fetch_add(&table->references, 1);
}

void file_table_put(struct file_table *table)
{
	if (atomic_fetch_sub(&table->references, 1) != 1)
		return;
	/* The table has no other user now. */
	for (unsigned int fd = 0; fd < table->capacity; fd++)
		if (table->descriptors[fd].file)
			close_one(table, fd, false);
	free_table(table);
}

void file_table_switch(struct file_table *table)
{
	struct task *self = task_current();

	spin_lock(&table_owner_lock);
	struct file_table *old = self->files;

	self->files = table;
	spin_unlock(&table_owner_lock);
	if (old)
		file_table_put(old);
}

void file_table_close_on_exec(struct file_table *table)
{
	for (unsigned int fd = 0; fd < table->capacity; fd++)
		if (table->descriptors[fd].cloexec)
			close_one(table, fd, true);
}

bool file_table_is_shared(struct file_table *table)
{
	return table->references > 1;
}
