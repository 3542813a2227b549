/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What stat and statfs tell, before it goes to the program: for the calls of an ISA that has other structures
 * for it. In task context; 0 or an error number as the calls have it.
 */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <uapi/linux/stat.h>

/* Of the file at the program's USER_PATH, relative to DIRECTORY_FD; FLAGS: AT_*, already checked. */
int stat_of_path(int directory_fd, unsigned long user_path, unsigned int flags,
		 struct kernel_stat *stat);

/* Of the file that FD is open for. -EBADF: there is none. */
int stat_of_descriptor(int fd, struct kernel_stat *stat);

/* Of the file system that has the program's USER_PATH. */
int statfs_of_path(unsigned long user_path, struct kernel_statfs *statfs);

/* Of the file system of the file that FD is open for. -EBADF: there is none. */
int statfs_of_descriptor(int fd, struct kernel_statfs *statfs);

#endif
