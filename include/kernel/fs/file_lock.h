/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Advisory locks on files: fcntl's on ranges of bytes, which belong to a table of descriptors or
 * (OFD) to an open file, and flock's on whole files, which belong to an open file.
 */
#ifndef KERNEL_FILE_LOCK_H
#define KERNEL_FILE_LOCK_H

#include <sys/queue.h>

struct file;
struct file_lock;
struct file_table;

LIST_HEAD(file_lock_list, file_lock);

/* Performs fcntl's F_GETLK, F_SETLK, F_SETLKW and the F_OFD_ ones. Task context. */
long file_lock_control(struct file *file, unsigned int command, unsigned long argument);
/* Removes TABLE's locks on FILE's inode when TABLE closes a descriptor of FILE, as POSIX requires. Task
 * context. */
void file_lock_close(struct file *file, struct file_table *table);
/* Removes FILE's locks after its last reference is dropped. Task context. */
void file_lock_release(struct file *file);
/* At start. */
void file_lock_init(void);

#endif
