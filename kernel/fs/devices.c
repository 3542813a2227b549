/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev: the devices that behave like memory, and the table of all devices. Numbers as in Linux's
 * admin-guide/devices.txt.
 */
#include <string.h>

#include <kernel/dentry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/log.h>
#include <kernel/pty.h>
#include <kernel/tmpfs.h>
#include <kernel/page.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>

static const struct device {
	const char *name;
	unsigned int major, minor;
	uint32_t permissions;
	inode_open_function *open;
} devices[] = {
	{ "null", 1, 3, 0666, null_open },	 { "zero", 1, 5, 0666, zero_open },
	{ "full", 1, 7, 0666, full_open },	 { "random", 1, 8, 0666, random_open },
	{ "urandom", 1, 9, 0666, urandom_open }, { "tty", 5, 0, 0666, tty_current_open },
	{ "console", 5, 1, 0600, console_open }, { "ttyS0", 4, 64, 0600, console_open },
	{ "ptmx", 5, 2, 0666, ptmx_open },	 { "kmsg", 1, 11, 0644, kmsg_open },
};

static ssize_t read_nothing(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return 0;
}

static ssize_t discard(struct file *file, const void *user_buffer, size_t size, uint64_t *position)
{
	return (ssize_t)size;
}

static ssize_t discard_from_kernel(struct file *file, const void *buffer, size_t size,
				   uint64_t *position)
{
	return (ssize_t)size;
}

static const struct file_ops null_ops = { .read = read_nothing,
					  .write = discard,
					  .write_from_kernel = discard_from_kernel,
					  .seek_ignored = true };

int null_open(struct inode *inode, struct file *file)
{
	file->ops = &null_ops;
	return 0;
}

static ssize_t read_zeros(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	uintptr_t start = (uintptr_t)user_buffer;
	size_t done = 0;

	/* Page by page: the bytes of the pages before a fault count. */
	while (done < size) {
		size_t part = PAGE_SIZE - (start + done) % PAGE_SIZE;

		part = part < size - done ? part : size - done;
		if (clear_user((void *)(start + done), part))
			return done ? (ssize_t)done : -EFAULT;
		done += part;
	}
	return (ssize_t)done;
}

static ssize_t read_zeros_for_kernel(struct file *file, void *buffer, size_t size,
				     uint64_t position)
{
	memset(buffer, 0, size);
	return (ssize_t)size;
}

static const struct file_ops zero_ops = { .read = read_zeros,
					  .write = discard,
					  .read_for_kernel = read_zeros_for_kernel,
					  .write_from_kernel = discard_from_kernel,
					  .seek_ignored = true };

int zero_open(struct inode *inode, struct file *file)
{
	file->ops = &zero_ops;
	return 0;
}

static ssize_t write_nowhere(struct file *file, const void *user_buffer, size_t size,
			     uint64_t *position)
{
	return -ENOSPC;
}

static const struct file_ops full_ops = { .read = read_zeros,
					  .write = write_nowhere,
					  .read_for_kernel = read_zeros_for_kernel,
					  .seek_ignored = true };

int full_open(struct inode *inode, struct file *file)
{
	file->ops = &full_ops;
	return 0;
}

/* Links that Debian makes when it starts. */
static const struct {
	const char *name, *target;
} links[] = {
	{ "fd", "/proc/self/fd" },
	{ "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" },
	{ "stderr", "/proc/self/fd/2" },
};

/* --- nodes --- */

static const struct device *find_device(uint64_t number)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (device_number(devices[i].major, devices[i].minor) == number)
			return &devices[i];
	return NULL;
}

int device_open(struct inode *node, struct file *file)
{
	const struct device *device = find_device(node->device);

	if (inode_type(node) == S_IFCHR && pty_is_slave(node->device))
		return pty_slave_open(node, file);
	/* There are no block devices. */
	if (!device || inode_type(node) != S_IFCHR)
		return -ENXIO;
	return device->open(node, file);
}

void devices_mount(void)
{
	const struct entry_request directory = { .mode = S_IFDIR | 0755 };
	const struct entry_request shared_memory = { .mode = S_IFDIR | 01777 };
	struct superblock *superblock = tmpfs_create("devtmpfs");
	struct dentry *covered;
	int error = path_lookup(root_dentry, "/dev", LOOKUP_DIRECTORY, &covered);

	if (error == -ENOENT)
		error = entry_create(root_dentry, "dev", 3, &directory, &covered);
	if (error)
		boot_failure("initramfs: /dev is not a directory, the console has no place");
	for (size_t i = 0; superblock && !error && i < sizeof(devices) / sizeof(devices[0]); i++) {
		const struct entry_request node = {
			.mode = S_IFCHR | devices[i].permissions,
			.device = device_number(devices[i].major, devices[i].minor),
		};

		error = entry_create(superblock->root, devices[i].name, strlen(devices[i].name),
				     &node, NULL);
	}
	for (size_t i = 0; superblock && !error && i < sizeof(links) / sizeof(links[0]); i++) {
		const struct entry_request link = { .mode = S_IFLNK | 0777,
						    .target = links[i].target };

		error = entry_create(superblock->root, links[i].name, strlen(links[i].name), &link,
				     NULL);
	}
	/* shm_open(3) and sem_open(3) need it; /dev is a tmpfs, so a directory is enough. */
	if (superblock && !error)
		error = entry_create(superblock->root, "shm", 3, &shared_memory, NULL);
	if (!superblock || error || superblock_mount(superblock, covered) < 0)
		boot_failure("too little memory for /dev; give the machine more");
	dentry_put(covered);
	pty_mount();
}
