/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of devices when the first program starts.
 *
 * With the word idxd.kernel_queue of the command line, queue 0 of each device is a queue of the kernel, with engine 0, as
 * `accel-config` would make it: group 0, dedicated, 16 entries, priority 10.
 *
 * Else it is what Linux's driver core leaves, which offers each device and then each queue to its driver: a DSA has nothing
 * to enable; an IAX has a queue for Linux's compression, and is enabled, but the queue's driver is not there.
 */
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>

#include "idxd.h"

static int configure(struct idxd_device *device)
{
	struct idxd_queue *queue = &device->queues[0];
	int error = idxd_queue_set_group(queue, 0);

	error = error ? error : idxd_queue_set_mode(queue, "dedicated");
	error = error ? error : idxd_queue_set_size(queue, 16);
	error = error ? error : idxd_queue_set_priority(queue, 10);
	error = error ? error : idxd_queue_set_type(queue, "kernel");
	error = error ? error : idxd_queue_set_name(queue, "kernel");
	error = error ? error : idxd_queue_set_driver_name(queue, "dmaengine");
	error = error ? error : idxd_engine_set_group(&device->engines[0], 0);
	error = error ? error : idxd_device_enable(device);
	return error ? error : idxd_queue_enable(queue);
}

/* Linux: idxd_load_iaa_device_defaults. */
static void configure_compression(struct idxd_device *device)
{
	struct idxd_queue *queue = &device->queues[0];
	int error = idxd_queue_set_mode(queue, "dedicated");

	error = error ? error : idxd_queue_set_size(queue, device->total_size);
	error = error ? error : idxd_queue_set_priority(queue, 10);
	error = error ? error : idxd_queue_set_type(queue, "kernel");
	error = error ? error : idxd_queue_set_group(queue, 0);
	error = error ? error : idxd_queue_set_name(queue, "iaa_crypto");
	error = error ? error : idxd_queue_set_driver_name(queue, "crypto");
	error = error ? error : idxd_engine_set_group(&device->engines[0], 0);
	if (error)
		log_info("%s: it is not configurable", device->name);
}

/* The errors are in the device's command_status. */
static void offer(struct idxd_device *device)
{
	if (device->type == IDXD_IAX)
		configure_compression(device);
	if (!idxd_device_enable(device))
		for (unsigned int i = 0; i < device->queue_count; i++)
			idxd_queue_enable(&device->queues[i]);
}

static void configure_all(void)
{
	struct idxd_device *device;

	if (!boot_word("idxd.kernel_queue")) {
		for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1)
			offer(device);
		return;
	}
	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1) {
		int error = configure(device);

		if (error)
			log_warning("%s: queue 0 cannot be enabled: error %d, status 0x%x",
				    device->name, error, device->command_status);
	}
}

START(START_TREES, configure_all);
