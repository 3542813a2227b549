/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev: the devices that behave like memory, and the table of all devices. Numbers as in Linux's
 * admin-guide/devices.txt.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

static struct device *devices; /* in the order in which they were added. Constant after the start */

void device_add(struct device *device)
{
	struct device **last = &devices;

	while (*last)
		last = &(*last)->next;
	*last = device;
}

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

static int null_open(struct inode *inode, struct file *file)
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

static int zero_open(struct inode *inode, struct file *file)
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

static int full_open(struct inode *inode, struct file *file)
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

static struct device memory_devices[] = {
	{ .name = "null", .major = 1, .minor = 3, .permissions = 0666, .open = null_open },
	{ .name = "zero", .major = 1, .minor = 5, .permissions = 0666, .open = zero_open },
	{ .name = "full", .major = 1, .minor = 7, .permissions = 0666, .open = full_open },
	{ .name = "random", .major = 1, .minor = 8, .permissions = 0666, .open = random_open },
	{ .name = "urandom", .major = 1, .minor = 9, .permissions = 0666, .open = urandom_open },
	{ .name = "kmsg", .major = 1, .minor = 11, .permissions = 0644, .open = kmsg_open },
};

static void add_memory_devices(void)
{
	for (size_t i = 0; i < sizeof(memory_devices) / sizeof(memory_devices[0]); i++)
		device_add(&memory_devices[i]);
}

START(START_DEVICES, add_memory_devices);

/* --- nodes --- */

/* The device of NUMBER, a minor number within the device's included. */
static const struct device *find_device(uint64_t number)
{
	unsigned int minor = device_minor(number);

	for (const struct device *device = devices; device; device = device->next)
		if (device_number(device->major, minor) == number && minor >= device->minor &&
		    minor - device->minor <= device->more_minors)
			return device;
	return NULL;
}

int device_open(struct inode *node, struct file *file)
{
	const struct device *device = find_device(node->device);

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
	for (const struct device *at = devices; superblock && !error && at; at = at->next) {
		const struct entry_request node = {
			.mode = S_IFCHR | at->permissions,
			.device = device_number(at->major, at->minor),
		};

		if (at->name)
			error = entry_create(superblock->root, at->name, strlen(at->name), &node,
					     NULL);
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
}
