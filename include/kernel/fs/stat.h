/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of stat and statfs in kernel memory: for the calls of an ISA with other structures. Task context;
 * 0 or an error as the calls have it.
 */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <uapi/linux/stat.h>

/* Describes the file at the program's USER_PATH, relative to DIRECTORY_FD; FLAGS: AT_*, already checked. */
int stat_of_path(int directory_fd, unsigned long user_path, unsigned int flags,
		 struct kernel_stat *stat);

/* Describes the file of descriptor FD. -EBADF: there is none. */
int stat_of_descriptor(int fd, struct kernel_stat *stat);

/* Describes the file system of the program's USER_PATH. */
int statfs_of_path(unsigned long user_path, struct kernel_statfs *statfs);

/* Describes the file system of descriptor FD's file. -EBADF: there is none. */
int statfs_of_descriptor(int fd, struct kernel_statfs *statfs);

#endif
