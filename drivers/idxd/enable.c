/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the configuration of a device and its queues to its registers, enabled, and back. The order of the checks, the
 * errors and the reasons in command_status are Linux's (drivers/dma/idxd/device.c, dma.c).
 *
 * A device keeps a queue's configuration while it is enabled, so the registers are written whole at each enabling: the
 * hardware ignores what must not change then.
 */
#include <string.h>

#include <arch/enqueue.h>
#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/iommu/iommu.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/errno.h>

#include "idxd.h"
#include "registers.h"
#include "submit.h"
#include "user.h"

#define FULL 64 /* queues and engines of one word of GRPCFG */

static unsigned int log2_of(uint64_t power)
{
	return power ? 63u - (unsigned int)__builtin_clzll(power) : 0;
}

static int refuse(struct idxd_device *device, uint32_t reason, int error)
{
	device->command_status = reason;
	return error;
}

/* --- the registers --- */

static void write_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;
	uint32_t at = device->wqcfg + queue->id * device->wqcfg_size;
	uint32_t mode = WQCFG_PRIORITY(queue->priority);

	if (!queue->size && queue->type != IDXD_QUEUE_NONE)
		queue->size = IDXD_DEFAULT_ENTRIES;
	mode |= queue->dedicated ? WQCFG_DEDICATED : 0;
	mode |= queue->block_on_fault ? WQCFG_BLOCK_ON_FAULT : 0;
	mode |= queue->type == IDXD_QUEUE_KERNEL ? WQCFG_PRIVILEGED : 0;
	/* A shared queue has a PASID in each descriptor. */
	if (queue->type == IDXD_QUEUE_USER)
		mode |= WQCFG_PASID_ENABLE | WQCFG_PASID(queue->dedicated ? queue->pasid : 0);
	idxd_write32(device, at + WQCFG_SIZE * 4, queue->size);
	idxd_write32(device, at + WQCFG_THRESHOLD * 4, queue->threshold);
	idxd_write32(device, at + WQCFG_MODE * 4, mode);
	idxd_write32(device, at + WQCFG_LIMITS * 4,
		     WQCFG_XFER_SHIFT(log2_of(queue->max_transfer_bytes)) |
			     WQCFG_BATCH_SHIFT(log2_of(queue->max_batch_size)));
}

/* A class that is not set gets Linux's choice, which stays. */
static void choose_classes(struct idxd_group *group)
{
	if (group->tc_a == IDXD_TC_UNSET)
		group->tc_a = 0;
	if (group->tc_b == IDXD_TC_UNSET)
		group->tc_b = 1;
}

static void write_group(struct idxd_group *group)
{
	struct idxd_device *device = group->device;
	uint32_t at = device->grpcfg + group->id * GRPCFG_SIZE;
	uint64_t queues[256 / FULL] = { 0 }, engines = 0;

	for (unsigned int i = 0; i < device->queue_count; i++)
		if (device->queues[i].group == group)
			queues[i / FULL] |= 1ull << i % FULL;
	for (unsigned int i = 0; i < device->engine_count; i++)
		if (device->engines[i].group == group)
			engines |= 1ull << i;
	for (unsigned int i = 0; i < 256 / FULL; i++)
		idxd_write64(device, at + GRPCFG_QUEUES + i * 8, queues[i]);
	idxd_write64(device, at + GRPCFG_ENGINES, engines);
	idxd_write64(device, at + GRPCFG_FLAGS,
		     GRPFLAGS_TC_A((unsigned int)group->tc_a) |
			     GRPFLAGS_TC_B((unsigned int)group->tc_b));
}

/* Writes the whole configuration. 0; -EINVAL: there is no queue, or no engine, in any group. mutex held. */
static int write_configuration(struct idxd_device *device)
{
	bool queues = false, engines = false;

	for (unsigned int i = 0; i < device->queue_count; i++) {
		queues |= device->queues[i].group != NULL;
		if (device->queues[i].group && !device->queues[i].dedicated &&
		    !device->shared_supported)
			return refuse(device, IDXD_STATUS_NO_SHARED, -EINVAL);
	}
	for (unsigned int i = 0; i < device->engine_count; i++)
		engines |= device->engines[i].group != NULL;
	if (!queues)
		return refuse(device, IDXD_STATUS_NONE_CONFIGURED, -EINVAL);
	if (!engines)
		return -EINVAL;
	for (unsigned int i = 0; i < device->group_count; i++)
		choose_classes(&device->groups[i]);
	for (unsigned int i = 0; i < device->queue_count; i++)
		if (device->queues[i].group)
			write_queue(&device->queues[i]);
	for (unsigned int i = 0; i < device->group_count; i++)
		write_group(&device->groups[i]);
	return 0;
}

/* --- queues --- */

static bool channel_is_taken(const struct idxd_device *device, unsigned int channel)
{
	for (unsigned int i = 0; i < device->queue_count; i++)
		if (device->queues[i].enabled && device->queues[i].type == IDXD_QUEUE_KERNEL &&
		    device->queues[i].channel == channel)
			return true;
	return false;
}

/* Returns the lowest number that no channel of the device's queues has. mutex held. */
static unsigned int free_channel(const struct idxd_device *device)
{
	unsigned int channel = 0;

	while (channel_is_taken(device, channel))
		channel++;
	return channel;
}

/* Checks whether DRIVER may have QUEUE. 0, -EBUSY, -ENXIO, -ENODEV. mutex held. */
static int check_driver(struct idxd_queue *queue, const char *driver)
{
	struct idxd_device *device = queue->device;

	if (queue->enabled)
		return -EBUSY;
	if (atomic_load(&device->state) != IDXD_DEVICE_ENABLED)
		return -ENXIO;
	return strcmp(queue->driver_name, driver) != 0 ?
		       refuse(device, IDXD_STATUS_NO_DRIVER_NAME, -ENODEV) :
		       0;
}

/* Checks what Linux checks before it writes to the device. 0, -ENXIO. mutex held. */
static int check_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	if (!queue->group)
		return refuse(device, IDXD_STATUS_NO_GROUP, -ENXIO);
	if (!queue->name[0])
		return refuse(device, IDXD_STATUS_NO_NAME, -ENXIO);
	if (!queue->dedicated && !device->shared_supported)
		return refuse(device, IDXD_STATUS_NO_SVM, -ENXIO);
	if (!queue->dedicated && !queue->threshold)
		return refuse(device, IDXD_STATUS_NO_THRESHOLD, -ENXIO);
	if (queue->dedicated && !arch_has_store64())
		return refuse(device, IDXD_STATUS_PORTAL, -ENXIO);
	return 0;
}

/* Writes the configuration and gives the command. 0 or -ENXIO. mutex held. */
static int command_enable(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	if (device->configurable && write_configuration(device))
		return -ENXIO;
	int status = idxd_command(device, CMD_ENABLE_QUEUE, queue->id);

	return status && status != CMDSTS_QUEUE_ENABLED ? -ENXIO : 0;
}

/* Enables QUEUE, which its driver may have. 0, -ENXIO. mutex held. */
static int enable_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	queue->type = IDXD_QUEUE_KERNEL;
	int error = check_queue(queue);
	if (!error)
		error = command_enable(queue);
	if (!error) {
		queue->channel = free_channel(device);
		uint32_t reason = idxd_work_begin(queue);
		if (reason) {
			idxd_command(device, CMD_DISABLE_QUEUE, idxd_queue_operand(queue->id));
			error = refuse(device, reason, -ENXIO);
		}
	}
	if (!error)
		device->command_status = 0;
	return error;
}

int idxd_queue_enable(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	mutex_lock(&device->mutex);
	int error = check_driver(queue, "dmaengine");
	bool asked = error != -EBUSY && error != -ENXIO;
	if (!error)
		error = enable_queue(queue);
	/* A queue that its driver could not have is no driver's. */
	if (error && asked)
		queue->type = IDXD_QUEUE_NONE;
	mutex_unlock(&device->mutex);
	return error;
}

/* Enables QUEUE, of programs. 0, -ENXIO, or an error of idxd_user_begin. mutex held. */
static int enable_user_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	queue->type = IDXD_QUEUE_USER;
	int error = check_queue(queue);
	/* See user.c. Linux: so on CPUs without ENQCMD. */
	if (!error && !queue->dedicated)
		error = refuse(device, IDXD_STATUS_NO_SVM, -ENXIO);
	if (!error) {
		queue->pasid = IOMMU_PASID_NONE;
		error = command_enable(queue);
	}
	if (error)
		return error;
	error = idxd_user_begin(queue);
	if (error) {
		idxd_command(device, CMD_DISABLE_QUEUE, idxd_queue_operand(queue->id));
		return refuse(device, IDXD_STATUS_CDEV, error);
	}
	device->command_status = 0;
	return 0;
}

int idxd_queue_enable_user(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	mutex_lock(&device->mutex);
	int error = check_driver(queue, "user");
	/* Linux asks for the IOMMU before the name. */
	if ((!error || error == -ENODEV) && !iommu_sharing_enabled(device->pci)) {
		error = refuse(device, IDXD_STATUS_USER_NO_IOMMU, -EOPNOTSUPP);
	} else if (!error) {
		error = enable_user_queue(queue);
		if (error)
			queue->type = IDXD_QUEUE_NONE;
	}
	mutex_unlock(&device->mutex);
	return error;
}

int idxd_queue_set_pasid(struct idxd_queue *queue, uint32_t pasid)
{
	struct idxd_device *device = queue->device;
	uint32_t operand = idxd_queue_operand(queue->id);

	mutex_assert_held(&device->mutex);
	/* Nothing of the former program is left in the queue or under way when the PASID changes. A program's
	 * descriptors take a bounded time each, but it need not let the queue become empty: they are aborted. */
	int status = idxd_command(device, CMD_ABORT_QUEUE, operand);
	if (!status)
		status = idxd_command(device, CMD_DISABLE_QUEUE, operand);
	if (status) {
		idxd_device_fence(device, "it does not stop a program's queue");
		return -ENXIO;
	}
	queue->pasid = pasid;
	return command_enable(queue);
}

/* Stops and disables QUEUE, of programs. mutex held. */
static void disable_user_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	idxd_command(device, CMD_ABORT_QUEUE, idxd_queue_operand(queue->id));
	int status = idxd_command(device, CMD_RESET_QUEUE, idxd_queue_operand(queue->id));
	if (status)
		idxd_device_fence(device, "it does not stop a program's queue");
	idxd_user_end(queue);
	idxd_queue_clear(queue, false);
}

/* Disables QUEUE when its work is done. mutex held. */
static int disable_queue(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;

	if (queue->enabled && queue->type == IDXD_QUEUE_USER) {
		disable_user_queue(queue);
		return 0;
	}
	if (!queue->enabled || queue->refusing)
		return -ENXIO;
	/* No task submits from here on; the command waits for the rest, or the device is halted. */
	idxd_work_refuse(queue);
	idxd_command(device, CMD_DRAIN_QUEUE, idxd_queue_operand(queue->id));
	idxd_command(device, CMD_RESET_QUEUE, idxd_queue_operand(queue->id));
	idxd_work_end(queue);
	idxd_queue_clear(queue, false);
	return 0;
}

int idxd_queue_disable(struct idxd_queue *queue)
{
	mutex_lock(&queue->device->mutex);
	int error = disable_queue(queue);
	mutex_unlock(&queue->device->mutex);
	return error;
}

int idxd_queue_abort(struct idxd_queue *queue)
{
	struct idxd_device *device = queue->device;
	int error = 0;

	mutex_lock(&device->mutex);
	int status = queue->enabled ?
			     idxd_command(device, CMD_ABORT_QUEUE, idxd_queue_operand(queue->id)) :
			     0;
	/* A queue that is disabled has done its work. */
	if (status && status != CMDSTS_QUEUE_DISABLED) {
		idxd_device_fence(device, "it does not abort a queue");
		error = -EIO;
	}
	idxd_work_cancel(queue);
	mutex_unlock(&device->mutex);
	return error;
}

unsigned int idxd_queue_occupancy(const struct idxd_queue *queue)
{
	const struct idxd_device *device = queue->device;

	return WQCFG_STATUS_OCCUPANCY(idxd_read32(
		device, device->wqcfg + queue->id * device->wqcfg_size + WQCFG_STATUS * 4));
}

/* --- devices --- */

/* dma_number of all devices; taken before a device's mutex. */
static struct mutex dma_mutex = MUTEX_INITIALIZER(dma_mutex);

static bool number_is_taken(int number)
{
	struct idxd_device *device;

	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1)
		if (device->dma_number == number)
			return true;
	return false;
}

/* Returns the lowest number that no enabled device has. */
static int free_number(void)
{
	int number = 0;

	mutex_assert_held(&dma_mutex);
	while (number_is_taken(number))
		number++;
	return number;
}

/* Writes the configuration and gives the command. mutex held. */
static int enable_device(struct idxd_device *device)
{
	if (atomic_load(&device->state) != IDXD_DEVICE_DISABLED)
		return refuse(device, IDXD_STATUS_DEVICE_ENABLED, -ENXIO);
	if (device->configurable && write_configuration(device))
		return -ENXIO;
	int status = idxd_command(device, CMD_ENABLE_DEVICE, 0);
	if (status && status != CMDSTS_DEVICE_ENABLED)
		return -ENXIO;
	atomic_store(&device->state, IDXD_DEVICE_ENABLED);
	device->command_status = 0;
	return 0;
}

int idxd_device_enable(struct idxd_device *device)
{
	mutex_lock(&dma_mutex);
	mutex_lock(&device->mutex);
	int error = device->dma_number >= 0 ? -EBUSY : enable_device(device);
	if (!error)
		device->dma_number = free_number();
	mutex_unlock(&device->mutex);
	mutex_unlock(&dma_mutex);
	return error;
}

void idxd_queue_name_channel(struct idxd_queue *queue, char *buffer, size_t size)
{
	mutex_lock(&dma_mutex);
	mutex_lock(&queue->device->mutex);
	format_string(buffer, size, "dma%dchan%u", queue->device->dma_number, queue->channel);
	mutex_unlock(&queue->device->mutex);
	mutex_unlock(&dma_mutex);
}

bool idxd_device_is_bound(struct idxd_device *device)
{
	mutex_lock(&dma_mutex);
	bool bound = device->dma_number >= 0;
	mutex_unlock(&dma_mutex);
	return bound;
}

int idxd_device_disable(struct idxd_device *device)
{
	mutex_lock(&dma_mutex);
	mutex_lock(&device->mutex);
	for (unsigned int i = 0; i < device->queue_count; i++)
		disable_queue(&device->queues[i]);
	int error = atomic_load(&device->state) == IDXD_DEVICE_ENABLED ? 0 : -ENXIO;
	if (!error) {
		int status = idxd_command(device, CMD_DISABLE_DEVICE, 0);

		error = status && status != CMDSTS_DEVICE_DISABLED ? -ENXIO : 0;
	}
	if (!error) {
		enum idxd_device_state enabled = IDXD_DEVICE_ENABLED;

		/* Not over the halted state, which an interrupt sets. */
		atomic_compare_exchange_strong(&device->state, &enabled, IDXD_DEVICE_DISABLED);
		idxd_command(device, CMD_RESET_DEVICE, 0);
		idxd_write32(device, REG_GENCTRL, GENCTRL_SWERR_INT | GENCTRL_HALT_INT);
		idxd_device_clear(device);
		device->command_status = 0;
	}
	device->dma_number = -1;
	mutex_unlock(&device->mutex);
	mutex_unlock(&dma_mutex);
	return error;
}
