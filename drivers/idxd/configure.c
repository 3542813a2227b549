/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changing the configuration of a device's queues, engines and groups, by the rules of Linux's sysfs files
 * (drivers/dma/idxd/sysfs.c). Nothing here touches the device: enable.c writes what it finds.
 */
#include <string.h>

#include <uapi/linux/errno.h>

#include "idxd.h"
#include "registers.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the error of a change of QUEUE's configuration as such: 0 or -EPERM. mutex held. */
static int check_queue(const struct idxd_queue *queue)
{
	return queue->device->configurable && !queue->enabled ? 0 : -EPERM;
}

/* --- groups --- */

/* Finds the group of number ID; -1: none. 0 or -EINVAL. */
static int find_group(struct idxd_device *device, long id, struct idxd_group **group)
{
	if (id < -1 || id >= (long)device->group_count)
		return -EINVAL;
	*group = id < 0 ? NULL : &device->groups[id];
	return 0;
}

/* Numbers of members follow the members. mutex held. */
static void join_queue(struct idxd_queue *queue, struct idxd_group *group)
{
	if (queue->group)
		queue->group->queue_count--;
	if (group)
		group->queue_count++;
	queue->group = group;
}

static void join_engine(struct idxd_engine *engine, struct idxd_group *group)
{
	if (engine->group)
		engine->group->engine_count--;
	if (group)
		group->engine_count++;
	engine->group = group;
}

int idxd_queue_set_group(struct idxd_queue *queue, long id)
{
	struct idxd_device *device = queue->device;
	struct idxd_group *group;

	mutex_lock(&device->mutex);
	int error = check_queue(queue);
	if (!error)
		error = find_group(device, id, &group);
	if (!error)
		join_queue(queue, group);
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_engine_set_group(struct idxd_engine *engine, long id)
{
	struct idxd_device *device = engine->device;
	struct idxd_group *group;

	mutex_lock(&device->mutex);
	int error = device->configurable ? find_group(device, id, &group) : -EPERM;
	if (!error)
		join_engine(engine, group);
	mutex_unlock(&device->mutex);
	return error;
}

static int set_class(struct idxd_group *group, int *member, long traffic_class)
{
	struct idxd_device *device = group->device;
	int error = 0;

	mutex_lock(&device->mutex);
	if (!device->configurable || atomic_load(&device->state) == IDXD_DEVICE_ENABLED ||
	    device->default_tc != IDXD_TC_UNSET)
		error = -EPERM;
	else if (traffic_class < 0 || traffic_class > IDXD_TC_MAX)
		error = -EINVAL;
	else
		*member = (int)traffic_class;
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_group_set_tc_a(struct idxd_group *group, long traffic_class)
{
	return set_class(group, &group->tc_a, traffic_class);
}

int idxd_group_set_tc_b(struct idxd_group *group, long traffic_class)
{
	return set_class(group, &group->tc_b, traffic_class);
}

/* --- queues --- */

int idxd_queue_set_mode(struct idxd_queue *queue, const char *mode)
{
	struct idxd_device *device = queue->device;
	bool dedicated = !strcmp(mode, "dedicated");

	mutex_lock(&device->mutex);
	int error = check_queue(queue);
	if (!error && !dedicated && strcmp(mode, "shared") != 0)
		error = -EINVAL;
	if (!error) {
		queue->dedicated = dedicated;
		if (dedicated)
			queue->threshold = 0;
	}
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_queue_set_size(struct idxd_queue *queue, uint64_t entries)
{
	struct idxd_device *device = queue->device;
	uint64_t others = 0;
	int error = 0;

	mutex_lock(&device->mutex);
	for (unsigned int i = 0; i < device->queue_count; i++)
		if (&device->queues[i] != queue)
			others += device->queues[i].size;
	if (!device->configurable || atomic_load(&device->state) == IDXD_DEVICE_ENABLED)
		error = -EPERM;
	else if (entries > device->total_size || others + entries > device->total_size)
		error = -EINVAL;
	else
		queue->size = (unsigned int)entries;
	mutex_unlock(&device->mutex);
	return error;
}

/* Sets MEMBER of QUEUE to VALUE if that is LEAST to MOST. */
static int set_number(struct idxd_queue *queue, unsigned int *member, uint64_t value,
		      uint64_t least, uint64_t most)
{
	mutex_lock(&queue->device->mutex);
	int error = check_queue(queue);
	if (!error && (value < least || value > most))
		error = -EINVAL;
	if (!error)
		*member = (unsigned int)value;
	mutex_unlock(&queue->device->mutex);
	return error;
}

int idxd_queue_set_priority(struct idxd_queue *queue, uint64_t priority)
{
	return set_number(queue, &queue->priority, priority, 0, IDXD_PRIORITY_MAX);
}

int idxd_queue_set_threshold(struct idxd_queue *queue, uint64_t entries)
{
	struct idxd_device *device = queue->device;

	mutex_lock(&device->mutex);
	int error = entries > queue->size || !entries ? -EINVAL : 0;
	if (!error && !device->configurable)
		error = -EPERM;
	if (!error && queue->enabled)
		error = -ENXIO;
	if (!error && queue->dedicated)
		error = -EINVAL;
	if (!error)
		queue->threshold = (unsigned int)entries;
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_queue_set_type(struct idxd_queue *queue, const char *type)
{
	static const char *const names[] = {
		[IDXD_QUEUE_NONE] = "none", [IDXD_QUEUE_KERNEL] = "kernel", [IDXD_QUEUE_USER] = "user"
	};
	struct idxd_device *device = queue->device;
	unsigned int i = 0;

	while (i < sizeof(names) / sizeof(names[0]) && strcmp(type, names[i]) != 0)
		i++;
	mutex_lock(&device->mutex);
	int error = queue->enabled ? -EPERM : 0;
	if (!error && i == sizeof(names) / sizeof(names[0]))
		error = -EINVAL;
	if (!error) {
		if (queue->type != (enum idxd_queue_type)i)
			queue->name[0] = 0;
		queue->type = (enum idxd_queue_type)i;
	}
	mutex_unlock(&device->mutex);
	return error;
}

/* Sets one of QUEUE's texts, which holds MOST bytes and an end. */
static int set_text(struct idxd_queue *queue, char *member, const char *text, size_t most)
{
	mutex_lock(&queue->device->mutex);
	int error = queue->enabled ? -EPERM : 0;
	if (!error && (!text || strlen(text) > most))
		error = -EINVAL;
	if (!error)
		strlcpy(member, text, most + 1);
	mutex_unlock(&queue->device->mutex);
	return error;
}

int idxd_queue_set_name(struct idxd_queue *queue, const char *name)
{
	return set_text(queue, queue->name, name, IDXD_QUEUE_NAME_MAX);
}

int idxd_queue_set_driver_name(struct idxd_queue *queue, const char *name)
{
	return set_text(queue, queue->driver_name, name, IDXD_DRIVER_NAME_MAX);
}

/* Returns the least power of two that is not below VALUE; 0: it has more than 64 bits. VALUE is not 0. */
static uint64_t round_up(uint64_t value)
{
	uint64_t power = 1;

	while (power && power < value)
		power <<= 1;
	return power;
}

int idxd_queue_set_max_transfer(struct idxd_queue *queue, uint64_t bytes)
{
	struct idxd_device *device = queue->device;
	uint64_t rounded = bytes ? round_up(bytes) : 0;

	mutex_lock(&device->mutex);
	int error = check_queue(queue);
	if (!error && (!rounded || rounded > device->max_transfer_bytes))
		error = -EINVAL;
	if (!error)
		queue->max_transfer_bytes = rounded;
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_queue_set_max_batch(struct idxd_queue *queue, uint64_t descriptors)
{
	return set_number(queue, &queue->max_batch_size, descriptors ? round_up(descriptors) : 0, 1,
			  queue->device->max_batch_size);
}

int idxd_queue_set_block_on_fault(struct idxd_queue *queue, bool on, int parsed)
{
	struct idxd_device *device = queue->device;

	mutex_lock(&device->mutex);
	int error = device->gencap & GENCAP_BLOCK_ON_FAULT ? 0 : -EOPNOTSUPP;
	if (!error && !device->configurable)
		error = -EPERM;
	if (!error)
		error = queue->enabled ? -ENXIO : parsed;
	if (!error)
		queue->block_on_fault = on;
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_queue_set_retries(struct idxd_queue *queue, uint64_t retries, int parsed)
{
	mutex_lock(&queue->device->mutex);
	int error = queue->dedicated ? -EOPNOTSUPP : parsed;
	if (!error)
		atomic_store(&queue->enqcmds_retries,
			     (unsigned int)least(retries, IDXD_RETRIES_MAX));
	mutex_unlock(&queue->device->mutex);
	return error;
}

/* --- back to the start --- */

void idxd_queue_clear(struct idxd_queue *queue, bool size_too)
{
	struct idxd_device *device = queue->device;

	mutex_assert_held(&device->mutex);
	queue->type = IDXD_QUEUE_NONE;
	queue->dedicated = false;
	queue->block_on_fault = false;
	queue->threshold = 0;
	queue->priority = 0;
	queue->max_transfer_bytes = least(IDXD_DEFAULT_XFER, device->max_transfer_bytes);
	queue->max_batch_size = (unsigned int)least(IDXD_DEFAULT_BATCH, device->max_batch_size);
	atomic_store(&queue->enqcmds_retries, IDXD_RETRIES);
	queue->name[0] = 0;
	if (size_too) {
		queue->size = 0;
		join_queue(queue, NULL);
	}
}

void idxd_device_clear(struct idxd_device *device)
{
	mutex_assert_held(&device->mutex);
	for (unsigned int i = 0; i < device->queue_count; i++)
		idxd_queue_clear(&device->queues[i], true);
	for (unsigned int i = 0; i < device->engine_count; i++)
		join_engine(&device->engines[i], NULL);
	for (unsigned int i = 0; i < device->group_count; i++) {
		device->groups[i].tc_a = device->default_tc;
		device->groups[i].tc_b = device->default_tc;
	}
}
