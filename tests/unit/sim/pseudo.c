// SPDX-License-Identifier: BSD-2-Clause
/* The directories of /proc and /sys to which parts of the kernel add; pseudo_files.h walks them. */
#include <kernel/fs/pseudo.h>
#include <kernel/fs/sysctl.h>
#include <uapi/linux/errno.h>

#include <stdlib.h>

struct pseudo_added sys_devices_added, sys_bus_added, proc_sys_kernel_added;

int proc_sys_permission(const struct inode *inode, void *unused, unsigned int mask)
{
	return 0;
}

ssize_t proc_store_number(const char *bytes, size_t size, long least, long most,
			  _Atomic int *number)
{
	char *end;
	long value = strtol(bytes, &end, 0);

	if (end == bytes || value < least || value > most)
		return -EINVAL;
	*number = (int)value;
	return (ssize_t)size;
}
