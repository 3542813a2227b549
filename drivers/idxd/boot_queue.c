/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The word idxd.kernel_queue of the command line: queue 0 of each device is a queue of the kernel when the first program
 * starts, with engine 0, as `accel-config` would make it: group 0, dedicated, 16 entries, priority 10.
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

static void configure_all(void)
{
	struct idxd_device *device;

	if (!boot_word("idxd.kernel_queue"))
		return;
	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1) {
		int error = configure(device);

		if (error)
			log_warning("%s: queue 0 cannot be enabled: error %d, status 0x%x",
				    device->name, error, device->command_status);
	}
}

START(START_TREES, configure_all);
