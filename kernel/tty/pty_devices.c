/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The terminals' device files: the terminal that each of them opens, and /dev/pts, which has the
 * slaves' names while their masters are open. The console's file is in console.c.
 *
 * Lock: tree_mutex for the names.
 */
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/tty/pty.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>

/* Linux's admin-guide/devices.txt. */
#define SLAVE_MAJOR	  136
/* Like Linux without mount options: the mode. The group is that of the task that opened the master. */
#define SLAVE_PERMISSIONS 0600
#define NUMBER_SIZE	  12
/* Linux's uapi/linux/magic.h: DEVPTS_SUPER_MAGIC. */
#define DEVPTS_MAGIC	  0x1cd1

/* /dev/pts. Constant after mount_names. */
static struct superblock *pty_names;

static int ptmx_open(struct inode *inode, struct file *file)
{
	return pty_open_master(file);
}

static int slave_open(struct inode *inode, struct file *file)
{
	return pty_open_slave(device_minor(inode->device), file);
}

static struct device pty_devices[] = {
	{ .name = "ptmx", .major = 5, .minor = 2, .permissions = 0666, .open = ptmx_open },
	{ .major = SLAVE_MAJOR, .more_minors = UINT32_MAX, .open = slave_open },
};

static void add_devices(void)
{
	for (size_t i = 0; i < sizeof(pty_devices) / sizeof(pty_devices[0]); i++)
		device_add(&pty_devices[i]);
}

START(START_DEVICES, add_devices);

struct dentry *pty_name_create(unsigned int number)
{
	struct superblock *names = pty_names;
	struct inode *inode = tmpfs_create_inode(names, S_IFCHR | SLAVE_PERMISSIONS,
						 device_number(SLAVE_MAJOR, number));
	char name[NUMBER_SIZE];
	int size = format_string(name, sizeof(name), "%u", number);
	struct dentry *dentry;

	if (!inode)
		return NULL;
	inode->links = 1;
	dentry = dentry_create(names->root, inode, name, (size_t)size);
	if (!dentry) {
		inode_put(inode);
		return NULL;
	}
	mutex_lock(&tree_mutex);
	dentry_link(dentry);
	mutex_unlock(&tree_mutex);
	return dentry;
}

void pty_name_remove(struct dentry *name)
{
	mutex_lock(&tree_mutex);
	dentry_unlink(name);
	name->inode->links = 0;
	mutex_unlock(&tree_mutex);
	dentry_put(name);
}

static void mount_names(void)
{
	const struct entry_request directory = { .mode = S_IFDIR | 0755 };
	struct dentry *covered;
	int error = path_lookup(root_dentry, "/dev/pts", LOOKUP_DIRECTORY, &covered);

	if (error == -ENOENT) {
		struct dentry *dev;

		error = path_lookup(root_dentry, "/dev", LOOKUP_DIRECTORY, &dev);
		if (!error) {
			error = entry_create(dev, "pts", 3, &directory, &covered);
			dentry_put(dev);
		}
	}
	pty_names = tmpfs_create("devpts");
	if (error || !pty_names)
		boot_failure("too little memory for /dev/pts; give the machine more");
	pty_names->magic = DEVPTS_MAGIC;
	pty_names->fixed = true;
	if (superblock_mount(pty_names, covered) < 0)
		boot_failure("/dev/pts cannot be mounted");
	dentry_put(covered);
}

START(START_DEV, mount_names);
