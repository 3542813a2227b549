/* SPDX-License-Identifier: BSD-2-Clause */
/* Mounting, after a program's strings are copied to the kernel: for the calls of an ISA with mount calls
 * of its own. */
#ifndef KERNEL_MOUNT_H
#define KERNEL_MOUNT_H

/* mount(2): mounts SOURCE (NULL: none named) as a file system of TYPE (NULL: none named) at the program's USER_PATH; FLAGS: MS_*;
 * OPTIONS, "name=value,…", are cut up. Task context. 0, or an error as the call has it. */
int mount_at(const char *source, unsigned long user_path, const char *type, unsigned int flags,
	     char *options);

#endif
