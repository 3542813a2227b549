/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files bind and unbind of a DSA's drivers in /sys/bus/dsa/drivers: a write names a device, or a queue, which enable.c enables
 * or disables. sysfs.c has the directories.
 */
#include "binding.h"

#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/name.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "idxd.h"

/* Longer than the name of each queue, "wq0.63". */
#define NAME_ROOM 32

/* Returns whether TEXT, with or without a newline at its end, is one line, of *SIZE bytes. */
static bool read_line(const char *text, size_t *size)
{
	*size = strcspn(text, "\n");
	return !text[*size] || !text[*size + 1];
}

/* Returns the device that TEXT, a write, names; NULL: none. */
static struct idxd_device *find_device(const char *text)
{
	struct idxd_device *device;
	size_t size;

	if (!read_line(text, &size))
		return NULL;
	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1)
		if (name_is(device->name, text, size))
			return device;
	return NULL;
}

/* Returns the queue that TEXT, a write, names; NULL: none. */
static struct idxd_queue *find_queue(const char *text)
{
	struct idxd_device *device;
	char name[NAME_ROOM];
	size_t size;

	if (!read_line(text, &size))
		return NULL;
	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1)
		for (unsigned int i = 0; i < device->queue_count; i++) {
			format_string(name, sizeof(name), "wq%u.%u", device->id, i);
			if (name_is(name, text, size))
				return &device->queues[i];
		}
	return NULL;
}

/* Calls FUNCTION for the device, or the queue, that a write of SIZE bytes names. Returns the outcome of the write. */
static ssize_t drive_device(const char *text, size_t size, int (*function)(struct idxd_device *))
{
	struct idxd_device *device = find_device(text);
	int error = device ? function(device) : -ENODEV;

	return !size ? 0 : error ? error : (ssize_t)size;
}

static ssize_t drive_queue(const char *text, size_t size, int (*function)(struct idxd_queue *))
{
	struct idxd_queue *queue = find_queue(text);
	int error = queue ? function(queue) : -ENODEV;

	return !size ? 0 : error ? error : (ssize_t)size;
}

static int unbind_device(struct idxd_device *device)
{
	if (!idxd_device_is_bound(device))
		return -ENODEV;
	idxd_device_disable(device);
	return 0;
}

static int unbind_queue(struct idxd_queue *queue)
{
	return idxd_queue_disable(queue) ? -ENODEV : 0;
}

/* The driver that QUEUE has when it is enabled. */
static int unbind_of(struct idxd_queue *queue, enum idxd_queue_type type)
{
	return queue->type == type ? unbind_queue(queue) : -ENODEV;
}

static int unbind_kernel(struct idxd_queue *queue)
{
	return unbind_of(queue, IDXD_QUEUE_KERNEL);
}

static int unbind_user(struct idxd_queue *queue)
{
	return unbind_of(queue, IDXD_QUEUE_USER);
}

static ssize_t store_bind_device(void *unused, const char *text, size_t size)
{
	return drive_device(text, size, idxd_device_enable);
}

static ssize_t store_unbind_device(void *unused, const char *text, size_t size)
{
	return drive_device(text, size, unbind_device);
}

static ssize_t store_bind_queue(void *unused, const char *text, size_t size)
{
	return drive_queue(text, size, idxd_queue_enable);
}

static ssize_t store_unbind_queue(void *unused, const char *text, size_t size)
{
	return drive_queue(text, size, unbind_kernel);
}

static ssize_t store_bind_user(void *unused, const char *text, size_t size)
{
	return drive_queue(text, size, idxd_queue_enable_user);
}

static ssize_t store_unbind_user(void *unused, const char *text, size_t size)
{
	return drive_queue(text, size, unbind_user);
}

static ssize_t read_module(void *unused, char *buffer, size_t size)
{
	int length = format_string(buffer, size, "../../../../module/idxd");

	return (size_t)length < size ? length : (ssize_t)size;
}

#define BINDING(part)                                                                   \
	const struct pseudo_entry idxd_##part##_binding[] = {                           \
		{ .name = "bind",                                                       \
		  .mode = S_IFREG | 0200,                                               \
		  .strict = true,                                                       \
		  .store = store_bind_##part },                                         \
		{ .name = "unbind",                                                     \
		  .mode = S_IFREG | 0200,                                               \
		  .strict = true,                                                       \
		  .store = store_unbind_##part },                                       \
		{ .name = "module", .mode = S_IFLNK | 0777, .read_link = read_module }, \
		{ .name = NULL },                                                       \
	}

BINDING(device);
BINDING(queue);
BINDING(user);
