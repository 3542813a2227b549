/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a DSA is in /sys, as Linux 6.12 has it:
 *
 *   /sys/devices/pci0000:00/FUNCTION/dsa0/    the device's files, and below it
 *     wq0.0/, engine0.0/, group0.0/ …         those of its queues, engines and groups (attributes.c)
 *   /sys/devices/pci0000:00/FUNCTION/dma/dma0chan0/   the channel of an enabled queue
 *   /sys/bus/dsa/devices/                     links to the first four kinds
 *   /sys/bus/dsa/drivers/{idxd,dmaengine,user}/   links to what the driver has; bind and unbind enable and disable
 *   /sys/class/dma/                           links to the channels
 *   /sys/module/idxd/parameters/              by which accel-config finds that the driver is there
 *
 * Devices, queues, engines and groups exist at all times. A channel's target is its queue: its files of a queue that is
 * disabled meanwhile show what the queue has then. Bound is what enable.c has enabled; binding by name (binding.c) is the
 * only thing here that Linux's driver core does.
 *
 * Locks: device->mutex, dma_mutex by enable.c's functions.
 */
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/pseudo.h>
#include <kernel/fs/sys_pci.h>
#include <kernel/mm/text.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/stat.h>

#include "attributes.h"
#include "binding.h"
#include "idxd.h"

/* Longer than each name: "engine0.63", "dma0chan0". */
#define NAME_ROOM 32
/* An id of a part is its device's, times this, and its own. */
#define PARTS	  256

#define DIRECTORY(n, ...)                                          \
	{                                                          \
		.name = (n), .mode = S_IFDIR | 0755, ##__VA_ARGS__ \
	}
#define LINK(n, read, ...)                                                              \
	{                                                                               \
		.name = (n), .mode = S_IFLNK | 0777, .read_link = (read), ##__VA_ARGS__ \
	}
#define END                  \
	{                    \
		.name = NULL \
	}

/* --- paths --- */

/* Appends FORMAT's text to the LENGTH bytes in BUFFER of SIZE. Returns the length then, at most SIZE. */
#define APPEND(buffer, size, length, ...)                                             \
	((size_t)(length) < (size) ?                                                  \
		 shorten((length) + (ssize_t)format_string((buffer) + (length),       \
							   (size) - (size_t)(length), \
							   __VA_ARGS__),              \
			 (size)) :                                                    \
		 (length))

static ssize_t shorten(ssize_t length, size_t size)
{
	return (size_t)length < size ? length : (ssize_t)size;
}

/* Writes the path of DEVICE's directory below /sys after COUNT times "../". */
static ssize_t put_device(const struct idxd_device *device, char *buffer, size_t size,
			  unsigned int count)
{
	ssize_t length = sys_pci_put_path(device->pci, buffer, size, count);

	return APPEND(buffer, size, length, "/%s", device->name);
}

/* Writes the path of PATH below /sys, for a link in a directory of so many LEVELS below DEVICE's function. */
static ssize_t put_up(const struct idxd_device *device, char *buffer, size_t size,
		      unsigned int levels, const char *path)
{
	ssize_t length = 0;

	for (unsigned int i = sys_pci_depth(device->pci) + levels; i; i--)
		length = APPEND(buffer, size, length, "../");
	return APPEND(buffer, size, length, "%s", path);
}

/* --- devices --- */

static uint64_t device_number(void *target)
{
	return (uint64_t)((const struct idxd_device *)target)->id * PARTS;
}

static void name_device(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, ((const struct idxd_device *)target)->name, size);
}

/* Returns the first device from number *ID on that IS_IN finds in a directory about PARENT. */
static void *next_device(void *parent, uint64_t *id,
			 bool (*is_in)(struct idxd_device *device, const void *parent))
{
	struct idxd_device *device;

	for (uint64_t at = (*id + PARTS - 1) / PARTS;
	     at <= UINT32_MAX && (device = idxd_device_next((unsigned int)at));
	     at = (uint64_t)device->id + 1) {
		if (!is_in(device, parent))
			continue;
		*id = device_number(device);
		return device;
	}
	return NULL;
}

static bool is_any(struct idxd_device *device, const void *parent)
{
	return true;
}

static bool is_of_function(struct idxd_device *device, const void *parent)
{
	return device->pci == parent;
}

static bool is_bound(struct idxd_device *device, const void *parent)
{
	return idxd_device_is_bound(device);
}

static void *next_any_device(void *parent, uint64_t *id)
{
	return next_device(parent, id, is_any);
}

static void *next_device_of_function(void *function, uint64_t *id)
{
	return next_device(function, id, is_of_function);
}

static void *next_bound_device(void *parent, uint64_t *id)
{
	return next_device(parent, id, is_bound);
}

/* --- queues, engines, groups --- */

static bool is_enabled(struct idxd_queue *queue)
{
	mutex_lock(&queue->device->mutex);
	bool enabled = queue->enabled;
	mutex_unlock(&queue->device->mutex);
	return enabled;
}

/*
 * For PARTS of a device, structures with the members device and id: PART_number, name_PART, and next_PART, which returns
 * the first from *ID on of the device PARENT, or of all devices if that is NULL.
 */
#define PARTS_OF(part, members, count, prefix)                                             \
	static uint64_t part##_number(void *target)                                        \
	{                                                                                  \
		const struct idxd_##part *at = target;                                     \
		return (uint64_t)at->device->id * PARTS + at->id;                          \
	}                                                                                  \
	static void name_##part(void *target, char *buffer, size_t size)                   \
	{                                                                                  \
		const struct idxd_##part *at = target;                                     \
		format_string(buffer, size, prefix "%u.%u", at->device->id, at->id);       \
	}                                                                                  \
	static void *next_##part(void *parent, uint64_t *id)                               \
	{                                                                                  \
		struct idxd_device *device;                                                \
		uint64_t at = *id;                                                         \
		while (at / PARTS <= UINT32_MAX &&                                         \
		       (device = idxd_device_next((unsigned int)(at / PARTS)))) {          \
			if (device_number(device) > at)                                    \
				at = device_number(device);                                \
			if ((!parent || parent == device) && at % PARTS < device->count) { \
				*id = at;                                                  \
				return &device->members[at % PARTS];                       \
			}                                                                  \
			at = device_number(device) + PARTS;                                \
		}                                                                          \
		return NULL;                                                               \
	}

PARTS_OF(queue, queues, queue_count, "wq")
PARTS_OF(engine, engines, engine_count, "engine")
PARTS_OF(group, groups, group_count, "group")

static void *next_kernel_queue(void *parent, uint64_t *id)
{
	struct idxd_queue *queue;

	while ((queue = next_queue(parent, id)) &&
	       (!is_enabled(queue) || queue->type != IDXD_QUEUE_KERNEL))
		++*id;
	return queue;
}

static void *next_user_queue(void *parent, uint64_t *id)
{
	struct idxd_queue *queue;

	while ((queue = next_queue(parent, id)) &&
	       (!is_enabled(queue) || queue->type != IDXD_QUEUE_USER))
		++*id;
	return queue;
}

/* --- channels --- */

static void name_channel(void *target, char *buffer, size_t size)
{
	idxd_queue_name_channel(target, buffer, size);
}

static void *next_channel_of_function(void *function, uint64_t *id)
{
	struct idxd_queue *queue;

	while ((queue = next_kernel_queue(NULL, id)) && queue->device->pci != function)
		++*id;
	return queue;
}

static bool has_channels(void *function)
{
	uint64_t id = 0;

	return next_channel_of_function(function, &id);
}

static int show_in_use(struct text *text, void *target)
{
	struct idxd_queue *queue = target;

	mutex_lock(&queue->device->mutex);
	text_print(text, "%u\n", queue->clients);
	mutex_unlock(&queue->device->mutex);
	return 0;
}

static ssize_t read_channel_device(void *target, char *buffer, size_t size)
{
	const struct idxd_queue *queue = target;
	ssize_t length = 0;

	return APPEND(buffer, size, length, "../../../%s", queue->device->pci->name);
}

static ssize_t read_channel_subsystem(void *target, char *buffer, size_t size)
{
	return put_up(((const struct idxd_queue *)target)->device, buffer, size, 2, "class/dma");
}

static const struct pseudo_entry channel_entries[] = {
	{ .name = "in_use", .mode = S_IFREG | 0444, .strict = true, .show = show_in_use },
	LINK("device", read_channel_device),
	LINK("subsystem", read_channel_subsystem),
	END,
};

static const struct pseudo_entry channel_entry = { .mode = S_IFDIR | 0755,
						   .children = channel_entries };
static const struct pseudo_dynamic channels = { .next = next_channel_of_function,
						.id = queue_number,
						.name = name_channel,
						.entry = &channel_entry };

static ssize_t read_channel(void *target, char *buffer, size_t size)
{
	const struct idxd_queue *queue = target;
	char name[NAME_ROOM];
	ssize_t length = sys_pci_put_path(queue->device->pci, buffer, size, 2);

	name_channel(target, name, sizeof(name));
	return APPEND(buffer, size, length, "/dma/%s", name);
}

static const struct pseudo_entry channel_link = { .mode = S_IFLNK | 0777,
						  .read_link = read_channel };
static const struct pseudo_dynamic channel_links = { .next = next_kernel_queue,
						     .id = queue_number,
						     .name = name_channel,
						     .entry = &channel_link };

/* --- the directory of a device --- */

static ssize_t read_device_subsystem(void *target, char *buffer, size_t size)
{
	return put_up(target, buffer, size, 1, "bus/dsa");
}

static ssize_t read_device_driver(void *target, char *buffer, size_t size)
{
	return put_up(target, buffer, size, 1, "bus/dsa/drivers/idxd");
}

static bool device_has_driver(void *target)
{
	return idxd_device_is_bound(target);
}

static ssize_t read_queue_subsystem(void *target, char *buffer, size_t size)
{
	return put_up(((const struct idxd_queue *)target)->device, buffer, size, 2, "bus/dsa");
}

static ssize_t read_engine_subsystem(void *target, char *buffer, size_t size)
{
	return put_up(((const struct idxd_engine *)target)->device, buffer, size, 2, "bus/dsa");
}

static ssize_t read_group_subsystem(void *target, char *buffer, size_t size)
{
	return put_up(((const struct idxd_group *)target)->device, buffer, size, 2, "bus/dsa");
}

static ssize_t read_queue_driver(void *target, char *buffer, size_t size)
{
	return put_up(((const struct idxd_queue *)target)->device, buffer, size, 2,
		      "bus/dsa/drivers/dmaengine");
}

static bool queue_has_driver(void *target)
{
	return is_enabled(target);
}

static const struct pseudo_entry device_links[] = {
	LINK("subsystem", read_device_subsystem),
	LINK("driver", read_device_driver, .exists = device_has_driver),
	END,
};
static const struct pseudo_entry queue_links[] = {
	LINK("subsystem", read_queue_subsystem),
	LINK("driver", read_queue_driver, .exists = queue_has_driver),
	END,
};
static const struct pseudo_entry engine_links[] = { LINK("subsystem", read_engine_subsystem), END };
static const struct pseudo_entry group_links[] = { LINK("subsystem", read_group_subsystem), END };

static const struct pseudo_added queue_added = { .children = queue_links };
static const struct pseudo_added engine_added = { .children = engine_links };
static const struct pseudo_added group_added = { .children = group_links };

static const struct pseudo_entry queue_entry = { .mode = S_IFDIR | 0755,
						 .children = idxd_queue_files,
						 .added = &queue_added };
static const struct pseudo_entry engine_entry = { .mode = S_IFDIR | 0755,
						  .children = idxd_engine_files,
						  .added = &engine_added };
static const struct pseudo_entry group_entry = { .mode = S_IFDIR | 0755,
						 .children = idxd_group_files,
						 .added = &group_added };

#define DYNAMIC(part, next_one, entry_of)                                                          \
	{                                                                                          \
		.next = (next_one), .id = part##_number, .name = name_##part, .entry = &(entry_of) \
	}

static const struct pseudo_dynamic queues = DYNAMIC(queue, next_queue, queue_entry);
static const struct pseudo_dynamic engines = DYNAMIC(engine, next_engine, engine_entry);
static const struct pseudo_dynamic groups = DYNAMIC(group, next_group, group_entry);

/* A directory has one table of entries that come and go, and more as additions. */
static struct pseudo_added device_groups = { .dynamic = &groups };
static struct pseudo_added device_engines = { .dynamic = &engines, .next = &device_groups };
static struct pseudo_added device_added = { .children = device_links,
					    .dynamic = &queues,
					    .next = &device_engines };

static const struct pseudo_entry device_entry = { .mode = S_IFDIR | 0755,
						  .children = idxd_device_files,
						  .added = &device_added };
static const struct pseudo_dynamic devices = DYNAMIC(device, next_device_of_function, device_entry);

/* --- /sys/bus/dsa/devices --- */

#define LINKS(part, device_of, count)                                                        \
	static ssize_t read_##part##_##count(void *target, char *buffer, size_t size)        \
	{                                                                                    \
		char name[NAME_ROOM];                                                        \
		ssize_t length = put_device(((const struct idxd_##part *)target)->device_of, \
					    buffer, size, count);                            \
		name_##part(target, name, sizeof(name));                                     \
		return APPEND(buffer, size, length, "/%s", name);                            \
	}                                                                                    \
	static const struct pseudo_entry part##_link_##count = {                             \
		.mode = S_IFLNK | 0777, .read_link = read_##part##_##count                   \
	};

LINKS(queue, device, 3)
LINKS(queue, device, 4)
LINKS(engine, device, 3)
LINKS(group, device, 3)

static ssize_t read_device_3(void *target, char *buffer, size_t size)
{
	return put_device(target, buffer, size, 3);
}

static ssize_t read_device_4(void *target, char *buffer, size_t size)
{
	return put_device(target, buffer, size, 4);
}

static const struct pseudo_entry device_link_3 = { .mode = S_IFLNK | 0777,
						   .read_link = read_device_3 };
static const struct pseudo_entry device_link_4 = { .mode = S_IFLNK | 0777,
						   .read_link = read_device_4 };

static const struct pseudo_dynamic all_devices = DYNAMIC(device, next_any_device, device_link_3);
static const struct pseudo_dynamic all_queues = DYNAMIC(queue, next_queue, queue_link_3);
static const struct pseudo_dynamic all_engines = DYNAMIC(engine, next_engine, engine_link_3);
static const struct pseudo_dynamic all_groups = DYNAMIC(group, next_group, group_link_3);

static struct pseudo_added bus_groups = { .dynamic = &all_groups };
static struct pseudo_added bus_engines = { .dynamic = &all_engines, .next = &bus_groups };
static struct pseudo_added bus_queues = { .dynamic = &all_queues, .next = &bus_engines };

/* --- drivers --- */

static const struct pseudo_dynamic bound_devices =
	DYNAMIC(device, next_bound_device, device_link_4);
static const struct pseudo_dynamic bound_queues = DYNAMIC(queue, next_kernel_queue, queue_link_4);
static const struct pseudo_dynamic bound_user_queues =
	DYNAMIC(queue, next_user_queue, queue_link_4);

static const struct pseudo_entry drivers_entries[] = {
	DIRECTORY("dmaengine", .children = idxd_queue_binding, .dynamic = &bound_queues),
	DIRECTORY("idxd", .children = idxd_device_binding, .dynamic = &bound_devices),
	DIRECTORY("user", .children = idxd_user_binding, .dynamic = &bound_user_queues),
	END,
};

static const struct pseudo_entry dsa_entries[] = {
	DIRECTORY("devices", .dynamic = &all_devices, .added = &bus_queues),
	DIRECTORY("drivers", .children = drivers_entries),
	END,
};

/* --- /sys/module/idxd --- */

static int show_tc_override(struct text *text, void *unused)
{
	text_print(text, "%c\n", boot_word("idxd.tc_override") ? 'Y' : 'N');
	return 0;
}

static const struct pseudo_entry parameter_entries[] = {
	{ .name = "tc_override", .mode = S_IFREG | 0444, .strict = true, .show = show_tc_override },
	END,
};
static const struct pseudo_entry idxd_entries[] = {
	DIRECTORY("parameters", .children = parameter_entries), END
};
static const struct pseudo_entry module_entries[] = { DIRECTORY("idxd", .children = idxd_entries),
						      END };

/* --- start --- */

static const struct pseudo_entry bus_entries[] = { DIRECTORY("dsa", .children = dsa_entries), END };
static const struct pseudo_entry class_entries[] = { DIRECTORY("dma", .dynamic = &channel_links),
						     END };
static const struct pseudo_entry function_entries[] = {
	DIRECTORY("dma", .exists = has_channels, .dynamic = &channels), END
};

static struct pseudo_added bus = { .children = bus_entries };
static struct pseudo_added modules = { .children = module_entries };
static struct pseudo_added class = { .children = class_entries };
static struct pseudo_added function = { .children = function_entries, .dynamic = &devices };

/* A machine without a device has none of these files. */
static void add_files(void)
{
	if (!idxd_device_next(0))
		return;
	pseudo_add(&sys_bus_added, &bus);
	pseudo_add(&sys_class_added, &class);
	pseudo_add(&sys_module_added, &modules);
	pseudo_add(&sys_pci_device_added, &function);
}

START(START_DEV, add_files);
