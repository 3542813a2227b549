/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open files and descriptor tables.
 *
 * A file is an operations table and a private pointer with a reference count. Descriptors are indices of a
 * process's table, which fork copies and threads share.
 *
 * Lock: table->lock, a spin lock; no file operation is called under it.
 */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/base/assert.h>

struct dentry;
struct directory_format;
struct epoll_item;
struct file;
struct file_table;
struct inode;
struct vector;
struct vm_area;
struct poll_table;
struct wait_queue;
struct kernel_stat;
struct task;
struct text;

/* Every function runs in task context and may sleep. A NULL member stands for the errno in its comment.
 * Errors are returned negative. */
struct file_ops {
	/* Bytes read or written, 0 at the end. *POSITION moves by as many, in a file with positions.
	 * EINVAL */
	ssize_t (*read)(struct file *file, void *user_buffer, size_t size, uint64_t *position);
	ssize_t (*write)(struct file *file, const void *user_buffer, size_t size,
			 uint64_t *position);
	/* The same with memory in parts, for a file where the bounds of one call matter. NULL: one part
	 * after the other */
	ssize_t (*read_vector)(struct file *file, struct vector *vector);
	ssize_t (*write_vector)(struct file *file, struct vector *vector);
	long (*ioctl)(struct file *file, unsigned int command, unsigned long argument); /* ENOTTY */
	/* Returns the POLL* bits that hold now; calls poll_wait() for each queue that a change would wake.
	 * NULL: always readable and writable. */
	unsigned int (*poll)(struct file *file, struct poll_table *table);
	/* Fills in AREA's ops and private data, see <kernel/mm/vm.h>. */
	int (*mmap)(struct file *file, struct vm_area *area); /* ENODEV */
	/* Entries of a directory, in a form of <kernel/fs/directory.h>. ENOTDIR */
	ssize_t (*read_directory)(struct file *file, const struct directory_format *format,
				  void *user_buffer, size_t size);
	/* Bytes read into kernel memory; the position stays. EINVAL */
	ssize_t (*read_for_kernel)(struct file *file, void *buffer, size_t size, uint64_t position);
	/* A file of records, which splice moves to a pipe whole. next_record: the size of the first
	 * record; waits for one unless NONBLOCK; 0 at the end; -EAGAIN, -EINTR. take_records: moves whole
	 * records, together at most SIZE bytes, to kernel memory; returns their bytes, 0: there is none,
	 * or the first one is larger. NULL: by read_for_kernel */
	ssize_t (*next_record)(struct file *file, bool nonblock);
	ssize_t (*take_records)(struct file *file, void *buffer, size_t size);
	/* Bytes written from kernel memory at *POSITION, which moves. EINVAL */
	ssize_t (*write_from_kernel)(struct file *file, const void *buffer, size_t size,
				     uint64_t *position);
	/* The result of lseek. NULL: by seekable, or ESPIPE. */
	int64_t (*seek)(struct file *file, int64_t offset, unsigned int whence);
	/* Most bytes of one write, for files where all parts of a writev are one write, by
	 * write_from_kernel; more is EINVAL. 0: each part is a write. */
	size_t whole_max;
	/* More lines for /proc/PID/fdinfo. NULL: none */
	void (*show_info)(struct file *file, struct text *text);
	/* Called after the last reference is dropped. */
	void (*release)(struct file *file);
	/* Called after a descriptor of such a file was closed; the file may be gone. */
	void (*after_close)(void);
	/* The name of a file without a dentry, as "[eventfd]". NULL: "[file]" */
	const char *name;
	bool seek_ignored; /* lseek returns 0 */
	bool notifies;	   /* calls file_notify: O_ASYNC is kept */
	bool seekable;	   /* lseek moves the position; else ESPIPE */
};

/* The receiver of signals when something happens to the file (fcntl F_SETOWN, F_SETSIG, O_ASYNC). */
struct file_async {
	_Atomic uint64_t owner;	    /* kernel/fs/notify.c's; 0: none */
	_Atomic uint32_t uid, euid; /* of the task that set the owner */
	_Atomic int signal;	    /* 0: SIGIO without si_fd */
	_Atomic int fd;		    /* descriptor on which O_ASYNC was set */
	_Atomic pid_t setter;	    /* the process that last set owner or signal */
};

struct file {
	const struct file_ops *ops;
	void *private;
	struct dentry *dentry;	    /* referenced: the opened one; NULL: an anonymous inode */
	bool keeps_programs_out;    /* counted among its inode's writers */
	_Atomic unsigned int flags; /* O_ACCMODE, O_NONBLOCK … */
	uint64_t position;	    /* unlocked: tasks that read one file at once race for it */
	struct file_async async;
	LIST_ENTRY(file) of_object;	  /* the object's own list of its files */
	LIST_HEAD(, epoll_item) watchers; /* kernel/fs/epoll.c's */
	_Atomic unsigned int references;
};

/* The limit of open files, for all tasks without CAP_SYS_ADMIN: /proc/sys/fs/file-max. */
extern _Atomic int file_count_max;
/* Sets it by the size of memory. At start, once. */
void file_init(void);
/* Creates a file with one reference; NULL: no memory, or too many files. Task context. */
struct file *file_create(const struct file_ops *ops, void *private, unsigned int flags);
/* Returns why file_create has just failed: -ENFILE or -ENOMEM. Task context. */
int file_create_error(void);
/* Returns the inode that FILE was opened on, or NULL. Any context. */
struct inode *file_inode(const struct file *file);
/* True if FILE is a regular file or a directory, whose contents fsync and msync secure: in memory they are
 * as safe as they get. Any context. */
bool file_has_contents(const struct file *file);
/* Reads SIZE bytes at POSITION into kernel memory; fewer at the end. Errors negative. Task context. */
ssize_t file_read_for_kernel(struct file *file, void *buffer, size_t size, uint64_t position);
/* Takes a reference. Any context. */
static inline void file_get(struct file *file)
{
	unsigned int before = atomic_fetch_add(&file->references, 1);

	ASSERT_DEBUG(before != 0);
	(void)before;
}

/* Frees FILE after its last reference; only for file_put. */
void file_free(struct file *file);
/* Drops a reference; the last one calls release. Task context. */
static inline void file_put(struct file *file)
{
	unsigned int before = atomic_fetch_sub(&file->references, 1);

	ASSERT_DEBUG(before != 0);
	if (before == 1)
		file_free(file);
}

/* Sends the signal that F_SETOWN and F_SETSIG set if FILE has O_ASYNC; POLL_CODE: POLL_IN … POLL_HUP. Task
 * and interrupt context. */
void file_notify(struct file *file, int poll_code);
/* fcntl's F_SETOWN, F_GETOWN, F_SETOWN_EX, F_GETOWN_EX, F_SETSIG and F_GETSIG. Task context. */
long file_notify_control(struct file *file, unsigned int command, unsigned long argument);

/* Returns the file of descriptor FD of the running task with a new reference, or NULL. Task context. */
struct file *fd_get_file(int fd);
/* The same, but NULL also after open with O_PATH: for calls that treat such a file as closed. */
struct file *fd_get_opened(int fd);

/* The same for TASK, which may be exiting; *CLOEXEC, unless NULL: its flag. Task context. */
struct file *file_table_get_file_of(struct task *task, int fd, bool *cloexec);

/* Puts FILE (its reference moves in) at the lowest free descriptor; close-on-exec if CLOEXEC.
 * Returns it, or -EMFILE or -ENOMEM (reference stays). Task context. */
int fd_install(struct file *file, int cloexec);
/* The same, but drops the reference on an error: FILE is closed, unless others have it. */
int fd_install_or_put(struct file *file, int cloexec);
/* The same from LEAST upwards. */
int fd_install_from(struct file *file, int least, bool cloexec);
/* True if fd_install would find a descriptor. */
bool fd_is_available(void);
/* The same at exactly FD; closes the file that was there. FD, or -EBADF or -ENOMEM (reference stays). */
int fd_install_at(struct file *file, int fd, bool cloexec);
/* Closes FD: 0 or -EBADF. Task context. */
int fd_close(int fd);
/* Get and set the close-on-exec flag of FD: 0, 1 or -EBADF. */
int fd_get_cloexec(int fd);
int fd_set_cloexec(int fd, bool cloexec);

/* Return the room of the table of the running task, or of TASK, which may be exiting: all open descriptors
 * are less. Tables grow as Linux's do. Task context. */
unsigned int fd_capacity(void);
unsigned int file_table_capacity_of(struct task *task);

/* Most descriptors of a table: /proc/sys/fs/nr_open, where Linux has a million. */
#define DESCRIPTORS_MAX 65536

/* Create an empty table with one reference, or a copy of TABLE; or return NULL. Task context. */
struct file_table *file_table_create(void);
struct file_table *file_table_copy(struct file_table *table);
/* Puts FILE (its reference moves in) at FD of TABLE, which has no other user yet. */
void file_table_set(struct file_table *table, int fd, struct file *file);
void file_table_get(struct file_table *table);
/* Makes TABLE (NULL: none), whose reference moves in, the running task's; drops the reference to its old
 * one. Task context. */
void file_table_switch(struct file_table *table);
/* Drops a reference; the last one closes all. Task context. */
void file_table_put(struct file_table *table);
/* Closes the descriptors with close-on-exec. Task context. */
void file_table_close_on_exec(struct file_table *table);
/* True if another task uses TABLE, too. */
bool file_table_is_shared(struct file_table *table);

/* Ends epoll's watches of FILE, which has no other user any more. Task context. */
void epoll_forget_file(struct file *file);

/* Collects the wait queues that a file's poll operation names: add puts the caller on one. */
struct poll_table {
	void (*add)(struct poll_table *table, struct wait_queue *queue);
	bool lasting; /* entries stay after the call, at most until the file's release */
	bool failed;  /* set by add, or the operation: no memory for another queue */
};

/* Names QUEUE, which a change of the poll operation's result wakes, to TABLE; NULL: no waiting. QUEUE
 * lives as long as the file, or, if TABLE is not lasting, the running process. Task context, no lock held,
 * from a poll operation. */
static inline void poll_wait(struct poll_table *table, struct wait_queue *queue)
{
	if (table)
		table->add(table, queue);
}

/* select: waits until a descriptor below COUNT in one of a program's sets (to read from, to write to,
 * exceptional conditions; NULL: none) is ready, or until clock_ns() is DEADLINE_NS (0: no waiting,
 * UINT64_MAX: unlimited), and leaves the ready ones in the sets. Returns their number, -EINVAL, -EBADF,
 * -EFAULT, -ENOMEM, -EINTR. Task context. */
long select_until(int count, const unsigned long user_sets[3], uint64_t deadline_ns);

#endif
