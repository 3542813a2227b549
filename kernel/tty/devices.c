/* SPDX-License-Identifier: BSD-2-Clause */
/* The terminals' device files: /dev/tty and the console's. Those of pairs are pty_devices.c's. */
#include <kernel/base/start.h>
#include <kernel/fs/inode.h>
#include <kernel/tty/console.h>
#include <kernel/tty/tty.h>
#include <uapi/linux/errno.h>

/* /dev/tty: opens the controlling terminal of the running task. */
static int tty_current_open(struct inode *inode, struct file *file)
{
	struct tty *tty = tty_get_controlling();
	int error;

	if (!tty)
		return -ENXIO;
	error = tty_open(tty, file, true);
	tty_put(tty);
	return error;
}

static struct device devices[] = {
	{ .name = "tty", .major = 5, .minor = 0, .permissions = 0666, .open = tty_current_open },
	{ .name = "console", .major = 5, .minor = 1, .permissions = 0600, .open = console_open },
	{ .name = "ttyS0", .major = 4, .minor = 64, .permissions = 0600, .open = console_open },
};

static void add_devices(void)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		device_add(&devices[i]);
}

START(START_DEVICES, add_devices);
