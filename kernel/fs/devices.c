/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev: the devices that are memory-like, and the table of all. Numbers as in Linux's
 * admin-guide/devices.txt.
 */
#include <string.h>

#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/log.h>
#include <kernel/random.h>
#include <kernel/usercopy.h>
#include <uapi/linux/errno.h>

static const struct {
	const char *name;
	unsigned int major, minor;
	inode_open_function *open;
} devices[] = {
	{ "null", 1, 3, null_open },	   { "zero", 1, 5, zero_open },
	{ "random", 1, 8, random_open },   { "urandom", 1, 9, random_open },
	{ "tty", 5, 0, tty_current_open }, { "console", 5, 1, console_open },
	{ "ttyS0", 4, 64, console_open },  { "ptmx", 5, 2, ptmx_open },
};

static ssize_t read_nothing(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return 0;
}

static ssize_t write_away(struct file *file, const void *user_buffer, size_t size,
			  uint64_t *position)
{
	return (ssize_t)size;
}

static const struct file_ops null_ops = { .read = read_nothing, .write = write_away };

int null_open(struct inode *inode, struct file *file)
{
	file->ops = &null_ops;
	return 0;
}

static ssize_t read_zeros(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return clear_user(user_buffer, size) ? -EFAULT : (ssize_t)size;
}

static const struct file_ops zero_ops = { .read = read_zeros, .write = write_away };

int zero_open(struct inode *inode, struct file *file)
{
	file->ops = &zero_ops;
	return 0;
}

static ssize_t read_random(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	return random_to_user(user_buffer, size);
}

static const struct file_ops random_ops = { .read = read_random };

int random_open(struct inode *inode, struct file *file)
{
	file->ops = &random_ops;
	return 0;
}

void devices_init(void)
{
	struct inode *dev = inode_find(&root_inode, "dev", 3);

	if (!dev)
		dev = inode_create(&root_inode, "dev", 3, S_IFDIR | 0755);
	if (!dev || (dev->mode & S_IFMT) != S_IFDIR)
		boot_failure("initramfs: /dev is not a directory, the console has no place");
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		const char *name = devices[i].name;
		struct inode *inode = inode_find(dev, name, strlen(name));

		if (!inode)
			inode = inode_create(dev, name, strlen(name), S_IFCHR | 0666);
		if (!inode)
			boot_failure("too little memory for /dev; give the machine more");
		inode->mode = S_IFCHR | 0666;
		inode->size = 0;
		inode->device = (uint64_t)devices[i].major << 8 | devices[i].minor;
		inode->open = devices[i].open;
	}
}
