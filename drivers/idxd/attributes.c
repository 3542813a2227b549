/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a device, a queue, a group and an engine in /sys: what each shows, and what a write to it does. Names,
 * modes, contents and errors are those of Linux 6.12 in the same emulator (tests/conformance/programs/observe_dsa_*).
 * configure.c has the rules of the changes; here is what comes before them: the forms of numbers and words.
 *
 * A device shares out no read buffers here: the files about them show 0 and accept what Linux accepts for a device
 * without them. No program can listen to events of devices, so a requested uevent has no receiver.
 *
 * Each file takes device->mutex for itself: two files read one after the other may show two moments.
 */
#include "attributes.h"

#include <string.h>

#include <kernel/base/name.h>
#include <kernel/fs/pseudo_number.h>
#include <kernel/mm/text.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "idxd.h"
#include "registers.h"

/* Operations: the bit of OPCAP. Linux hides it for devices whose batches are not safe for user space. */
#define OPCAP_BATCH (1u << 1)

/* show_NAME(text, TARGET) prints FORMAT with the mutex of DEVICE held. */
#define SHOW(name, declaration, device_of, format, ...)         \
	static int show_##name(struct text *text, void *target) \
	{                                                       \
		declaration = target;                           \
		struct mutex *mutex = &(device_of)->mutex;      \
		mutex_lock(mutex);                              \
		text_print(text, format "\n", ##__VA_ARGS__);   \
		mutex_unlock(mutex);                            \
		return 0;                                       \
	}
#define SHOW_DEVICE(name, ...) SHOW(device_##name, struct idxd_device *device, device, __VA_ARGS__)
#define SHOW_QUEUE(name, ...) \
	SHOW(queue_##name, struct idxd_queue *queue, queue->device, __VA_ARGS__)
#define SHOW_GROUP(name, ...) \
	SHOW(group_##name, struct idxd_group *group, group->device, __VA_ARGS__)
#define SHOW_ENGINE(name, ...) \
	SHOW(engine_##name, struct idxd_engine *engine, engine->device, __VA_ARGS__)

/* The outcome of a write of SIZE bytes. */
static ssize_t outcome(int error, size_t size)
{
	return error ? error : (ssize_t)size;
}

/*
 * store_NAME: SET gets the number that is written, in BASE. A text that is no number is -EINVAL without a call of SET; or,
 * where Linux checks the state first, SET gets 0, which it refuses last. A write of no bytes does nothing.
 */
#define STORE_UNSIGNED(name, set, base)                                          \
	static ssize_t store_##name(void *target, const char *text, size_t size) \
	{                                                                        \
		uint64_t value = 0;                                              \
		if (!size)                                                       \
			return 0;                                                \
		if (pseudo_parse_unsigned(text, base, UINT64_MAX, &value))       \
			return -EINVAL;                                          \
		return outcome(set(target, value), size);                        \
	}
#define STORE_SIGNED(name, set)                                                  \
	static ssize_t store_##name(void *target, const char *text, size_t size) \
	{                                                                        \
		int64_t value;                                                   \
		if (!size)                                                       \
			return 0;                                                \
		if (pseudo_parse_signed(text, 10, INT64_MIN, INT64_MAX, &value)) \
			return -EINVAL;                                          \
		return outcome(set(target, value), size);                        \
	}
#define STORE_STATE_FIRST(name, set)                                             \
	static ssize_t store_##name(void *target, const char *text, size_t size) \
	{                                                                        \
		uint64_t value = 0;                                              \
		if (!size)                                                       \
			return 0;                                                \
		if (pseudo_parse_unsigned(text, 0, UINT64_MAX, &value))          \
			value = 0;                                               \
		return outcome(set(target, value), size);                        \
	}
/* The same with a word, without one newline at its end. */
#define STORE_WORD(name, set)                                                    \
	static ssize_t store_##name(void *target, const char *text, size_t size) \
	{                                                                        \
		char word[WORD_ROOM];                                            \
		if (!size)                                                       \
			return 0;                                                \
		take_word(word, text);                                           \
		return outcome(set(target, word), size);                         \
	}

/* Longer than each word that means something. */
#define WORD_ROOM 16

static void take_word(char *word, const char *text)
{
	size_t length = strlcpy(word, text, WORD_ROOM);

	if (length && length < WORD_ROOM && word[length - 1] == '\n')
		word[length - 1] = 0;
}

/* --- uevent --- */

static const char *const uevent_actions[] = { "add",	"remove",  "change", "move",
					      "online", "offline", "bind",   "unbind" };

/* No program can listen. Words after the action would be passed on. */
static ssize_t store_uevent(void *target, const char *text, size_t size)
{
	size_t length = strcspn(text, " \n");

	for (size_t i = 0; size && i < sizeof(uevent_actions) / sizeof(uevent_actions[0]); i++)
		if (name_is(uevent_actions[i], text, length))
			return (ssize_t)size;
	return size ? -EINVAL : 0;
}

/* Prints a uevent of the type KIND with the name of its DRIVER, or "". */
static void print_uevent(struct text *text, const char *kind, const char *driver)
{
	text_print(text, "DEVTYPE=%s\n", kind);
	if (*driver)
		text_print(text, "DRIVER=%s\n", driver);
	text_print(text, "MODALIAS=idxd:t0\n");
}

/* --- files of a device --- */

/* Prints 256 bits, the highest first, in words of 32. */
static void print_bits(struct text *text, const uint32_t words[8])
{
	for (unsigned int i = 8; i-- > 0;)
		text_print(text, "%08x%s", words[i], i ? "," : "\n");
}

static int show_device_op_cap(struct text *text, void *target)
{
	const struct idxd_device *device = target;
	uint32_t words[8];

	for (unsigned int i = 0; i < 8; i++)
		words[i] = (uint32_t)(device->opcap[i / 2] >> i % 2 * 32);
	words[0] &= ~OPCAP_BATCH;
	print_bits(text, words);
	return 0;
}

static int show_device_errors(struct text *text, void *target)
{
	struct idxd_device *device = target;
	uint32_t words[8];

	unsigned long state = spin_lock_irqsave(&device->error_lock);
	memcpy(words, device->error, sizeof(words));
	spin_unlock_irqrestore(&device->error_lock, state);
	print_bits(text, words);
	return 0;
}

static int show_device_state(struct text *text, void *target)
{
	struct idxd_device *device = target;
	int state = (int)atomic_load(&device->state);

	text_print(text, "%s\n",
		   state == IDXD_DEVICE_ENABLED	 ? "enabled" :
		   state == IDXD_DEVICE_DISABLED ? "disabled" :
						   "halted");
	return 0;
}

/* Returns how many use DEVICE's queues. mutex held. */
static unsigned int count_clients(const struct idxd_device *device)
{
	unsigned int clients = 0;

	for (unsigned int i = 0; i < device->queue_count; i++)
		clients += device->queues[i].clients;
	return clients;
}

static int show_device_uevent(struct text *text, void *target)
{
	print_uevent(text, ((const struct idxd_device *)target)->type == IDXD_DSA ? "dsa" : "iax",
		     idxd_device_is_bound(target) ? "idxd" : "");
	return 0;
}

static ssize_t store_device_cmd_status(void *target, const char *text, size_t size)
{
	struct idxd_device *device = target;

	if (!size)
		return 0;
	mutex_lock(&device->mutex);
	device->command_status = 0;
	mutex_unlock(&device->mutex);
	return (ssize_t)size;
}

/* The device has no limit to set. */
static int refuse_limit(void *target, uint64_t value)
{
	return -EPERM;
}

SHOW_DEVICE(version, "0x%x", device->version)
SHOW_DEVICE(max_groups, "%u", device->group_count)
SHOW_DEVICE(max_work_queues, "%u", device->queue_count)
SHOW_DEVICE(max_work_queues_size, "%u", device->total_size)
SHOW_DEVICE(max_engines, "%u", device->engine_count)
SHOW_DEVICE(max_batch_size, "%u", device->max_batch_size)
SHOW_DEVICE(max_transfer_size, "%lu", device->max_transfer_bytes)
SHOW_DEVICE(gen_cap, "0x%lx", device->gencap)
SHOW_DEVICE(configurable, "%u", device->configurable)
SHOW_DEVICE(clients, "%u", count_clients(device))
SHOW_DEVICE(cmd_status, "0x%x", device->command_status)

static int show_zero(struct text *text, void *target)
{
	text_print(text, "0\n");
	return 0;
}

/* No table of the firmware names a function's node. */
static int show_no_node(struct text *text, void *target)
{
	text_print(text, "-1\n");
	return 0;
}

STORE_UNSIGNED(device_limit, refuse_limit, 10)

static bool device_has_batches(void *target)
{
	return ((const struct idxd_device *)target)->type == IDXD_DSA;
}

#define READ(n, shown) .name = (n), .mode = S_IFREG | 0444, .strict = true, .show = (shown)
#define WRITE(n, shown, stored) \
	.name = (n), .mode = S_IFREG | 0644, .show = (shown), .store = (stored)
#define END                  \
	{                    \
		.name = NULL \
	}

const struct pseudo_entry idxd_device_files[] = {
	{ READ("version", show_device_version) },
	{ READ("max_groups", show_device_max_groups) },
	{ READ("max_work_queues", show_device_max_work_queues) },
	{ READ("max_work_queues_size", show_device_max_work_queues_size) },
	{ READ("max_engines", show_device_max_engines) },
	{ READ("numa_node", show_no_node) },
	{ READ("max_batch_size", show_device_max_batch_size), .exists = device_has_batches },
	{ READ("max_transfer_size", show_device_max_transfer_size) },
	{ READ("op_cap", show_device_op_cap) },
	{ READ("gen_cap", show_device_gen_cap) },
	{ READ("configurable", show_device_configurable) },
	{ READ("clients", show_device_clients) },
	{ READ("pasid_enabled", show_zero) },
	{ READ("state", show_device_state) },
	{ READ("errors", show_device_errors) },
	{ READ("max_tokens", show_zero), .exists = device_has_batches },
	{ READ("max_read_buffers", show_zero), .exists = device_has_batches },
	{ WRITE("token_limit", show_zero, store_device_limit), .exists = device_has_batches },
	{ WRITE("read_buffer_limit", show_zero, store_device_limit), .exists = device_has_batches },
	{ READ("cdev_major", show_zero) },
	{ WRITE("cmd_status", show_device_cmd_status, store_device_cmd_status) },
	{ WRITE("uevent", show_device_uevent, store_uevent) },
	END,
};

/* --- files of a queue --- */

static const char *type_of(const struct idxd_queue *queue)
{
	return queue->type == IDXD_QUEUE_KERNEL ? "kernel" :
	       queue->type == IDXD_QUEUE_USER	? "user" :
						  "none";
}

static int group_of(const struct idxd_group *group)
{
	return group ? (int)group->id : -1;
}

SHOW_QUEUE(clients, "%u", queue->clients)
SHOW_QUEUE(state, "%s", queue->enabled ? "enabled" : "disabled")
SHOW_QUEUE(group_id, "%d", group_of(queue->group))
SHOW_QUEUE(mode, "%s", queue->dedicated ? "dedicated" : "shared")
SHOW_QUEUE(size, "%u", queue->size)
SHOW_QUEUE(priority, "%u", queue->priority)
SHOW_QUEUE(block_on_fault, "%u", queue->block_on_fault)
SHOW_QUEUE(threshold, "%u", queue->threshold)
SHOW_QUEUE(type, "%s", type_of(queue))
SHOW_QUEUE(driver_name, "%s", queue->driver_name)
SHOW_QUEUE(max_transfer_size, "%lu", queue->max_transfer_bytes)
SHOW_QUEUE(max_batch_size, "%u", queue->max_batch_size)
SHOW_QUEUE(occupancy, "%u", idxd_queue_occupancy(queue))

/* Longer than one text_print prints. */
static int show_queue_name(struct text *text, void *target)
{
	struct idxd_queue *queue = target;

	mutex_lock(&queue->device->mutex);
	text_append(text, queue->name, strlen(queue->name));
	mutex_unlock(&queue->device->mutex);
	text_append(text, "\n", 1);
	return 0;
}

/* No queue has a device file. */
static int show_queue_cdev_minor(struct text *text, void *target)
{
	return -ENXIO;
}

static int show_queue_enqcmds_retries(struct text *text, void *target)
{
	struct idxd_queue *queue = target;

	mutex_lock(&queue->device->mutex);
	int error = queue->dedicated ? -EOPNOTSUPP : 0;
	if (!error)
		text_print(text, "%u\n", atomic_load(&queue->enqcmds_retries));
	mutex_unlock(&queue->device->mutex);
	return error;
}

static ssize_t store_queue_enqcmds_retries(void *target, const char *text, size_t size)
{
	uint64_t retries = 0;
	int parsed = size ? pseudo_parse_unsigned(text, 10, UINT32_MAX, &retries) : 0;

	return size ? outcome(idxd_queue_set_retries(target, retries, parsed), size) : 0;
}

static int show_queue_uevent(struct text *text, void *target)
{
	struct idxd_queue *queue = target;

	mutex_lock(&queue->device->mutex);
	print_uevent(text, "wq", queue->enabled ? "dmaengine" : "");
	mutex_unlock(&queue->device->mutex);
	return 0;
}

static ssize_t store_queue_block_on_fault(void *target, const char *text, size_t size)
{
	bool on = false;
	int parsed = size ? pseudo_parse_boolean(text, &on) : 0;

	return size ? outcome(idxd_queue_set_block_on_fault(target, on, parsed), size) : 0;
}

/* Takes the spaces off both ends of TEXT into NAME, of ROOM bytes. -EINVAL: TEXT as it is has no room. */
static int take_name(char *name, size_t room, const char *text)
{
	static const char spaces[] = " \t\n\v\f\r";
	size_t length = strlen(text);

	if (!length || length >= room)
		return -EINVAL;
	while (length && strchr(spaces, text[length - 1]))
		length--;
	size_t before = 0;
	while (before < length && strchr(spaces, text[before]))
		before++;
	memcpy(name, text + before, length - before);
	name[length - before] = 0;
	return 0;
}

static ssize_t store_queue_name(void *target, const char *text, size_t size)
{
	char name[IDXD_QUEUE_NAME_MAX + 1];
	int unusable = take_name(name, sizeof(name), text);

	return size ? outcome(idxd_queue_set_name(target, unusable ? NULL : name), size) : 0;
}

static ssize_t store_queue_driver_name(void *target, const char *text, size_t size)
{
	char name[IDXD_DRIVER_NAME_MAX + 1];
	int unusable = take_name(name, sizeof(name), text);

	return size ? outcome(idxd_queue_set_driver_name(target, unusable ? NULL : name), size) : 0;
}

STORE_SIGNED(queue_group_id, idxd_queue_set_group)
STORE_WORD(queue_mode, idxd_queue_set_mode)
STORE_UNSIGNED(queue_size, idxd_queue_set_size, 10)
STORE_UNSIGNED(queue_priority, idxd_queue_set_priority, 10)
STORE_UNSIGNED(queue_threshold, idxd_queue_set_threshold, 0)
STORE_WORD(queue_type, idxd_queue_set_type)
STORE_STATE_FIRST(queue_max_transfer_size, idxd_queue_set_max_transfer)
STORE_STATE_FIRST(queue_max_batch_size, idxd_queue_set_max_batch)

static bool queue_has_batches(void *target)
{
	return ((const struct idxd_queue *)target)->device->type == IDXD_DSA;
}

const struct pseudo_entry idxd_queue_files[] = {
	{ READ("clients", show_queue_clients) },
	{ READ("state", show_queue_state) },
	{ WRITE("group_id", show_queue_group_id, store_queue_group_id) },
	{ WRITE("mode", show_queue_mode, store_queue_mode) },
	{ WRITE("size", show_queue_size, store_queue_size) },
	{ WRITE("priority", show_queue_priority, store_queue_priority) },
	{ WRITE("block_on_fault", show_queue_block_on_fault, store_queue_block_on_fault) },
	{ WRITE("threshold", show_queue_threshold, store_queue_threshold) },
	{ WRITE("type", show_queue_type, store_queue_type) },
	{ WRITE("name", show_queue_name, store_queue_name) },
	{ READ("cdev_minor", show_queue_cdev_minor) },
	{ WRITE("max_transfer_size", show_queue_max_transfer_size, store_queue_max_transfer_size) },
	{ WRITE("max_batch_size", show_queue_max_batch_size, store_queue_max_batch_size),
	  .exists = queue_has_batches },
	{ READ("occupancy", show_queue_occupancy) },
	{ WRITE("enqcmds_retries", show_queue_enqcmds_retries, store_queue_enqcmds_retries) },
	{ WRITE("driver_name", show_queue_driver_name, store_queue_driver_name) },
	{ WRITE("uevent", show_queue_uevent, store_uevent) },
	END,
};

/* --- files of a group --- */

/* Prints the members of GROUP among its device's queues, or engines, separated by spaces. */
static int show_members(struct text *text, struct idxd_group *group, bool queues)
{
	struct idxd_device *device = group->device;
	unsigned int count = queues ? device->queue_count : device->engine_count;
	bool any = false;

	mutex_lock(&device->mutex);
	for (unsigned int i = 0; i < count; i++) {
		if ((queues ? device->queues[i].group : device->engines[i].group) != group)
			continue;
		text_print(text, "%s%s%u.%u", any ? " " : "", queues ? "wq" : "engine", device->id,
			   i);
		any = true;
	}
	mutex_unlock(&device->mutex);
	if (any)
		text_print(text, "\n");
	return 0;
}

static int show_group_work_queues(struct text *text, void *target)
{
	return show_members(text, target, true);
}

static int show_group_engines(struct text *text, void *target)
{
	return show_members(text, target, false);
}

/* Returns the error of a change of read buffers: 0, -EPERM. */
static int check_buffers(struct idxd_group *group)
{
	struct idxd_device *device = group->device;

	return device->configurable && atomic_load(&device->state) != IDXD_DEVICE_ENABLED ? 0 :
											    -EPERM;
}

static int set_buffers_reserved(void *target, uint64_t buffers)
{
	int error = check_buffers(target);

	return error ? error : buffers ? -EINVAL : 0;
}

/* Each engine needs four at least. */
static int set_buffers_allowed(void *target, uint64_t buffers)
{
	struct idxd_group *group = target;
	int error = check_buffers(group);

	mutex_lock(&group->device->mutex);
	if (!error && (buffers || group->engine_count))
		error = -EINVAL;
	mutex_unlock(&group->device->mutex);
	return error;
}

STORE_UNSIGNED(group_buffers_reserved, set_buffers_reserved, 10)
STORE_UNSIGNED(group_buffers_allowed, set_buffers_allowed, 10)
STORE_UNSIGNED(group_buffer_limit, refuse_limit, 10)
SHOW_GROUP(traffic_class_a, "%d", group->tc_a)
SHOW_GROUP(traffic_class_b, "%d", group->tc_b)
STORE_SIGNED(group_traffic_class_a, idxd_group_set_tc_a)
STORE_SIGNED(group_traffic_class_b, idxd_group_set_tc_b)

static int show_group_uevent(struct text *text, void *target)
{
	print_uevent(text, "group", "");
	return 0;
}

static bool group_has_buffers(void *target)
{
	return ((const struct idxd_group *)target)->device->type == IDXD_DSA;
}

#define BUFFERS(n, stored)                                               \
	{                                                                \
		WRITE(n, show_zero, stored), .exists = group_has_buffers \
	}

const struct pseudo_entry idxd_group_files[] = {
	{ READ("work_queues", show_group_work_queues) },
	{ READ("engines", show_group_engines) },
	BUFFERS("use_token_limit", store_group_buffer_limit),
	BUFFERS("use_read_buffer_limit", store_group_buffer_limit),
	BUFFERS("tokens_allowed", store_group_buffers_allowed),
	BUFFERS("read_buffers_allowed", store_group_buffers_allowed),
	BUFFERS("tokens_reserved", store_group_buffers_reserved),
	BUFFERS("read_buffers_reserved", store_group_buffers_reserved),
	{ WRITE("traffic_class_a", show_group_traffic_class_a, store_group_traffic_class_a) },
	{ WRITE("traffic_class_b", show_group_traffic_class_b, store_group_traffic_class_b) },
	{ WRITE("uevent", show_group_uevent, store_uevent) },
	END,
};

/* --- files of an engine --- */

SHOW_ENGINE(group_id, "%d", group_of(engine->group))
STORE_SIGNED(engine_group_id, idxd_engine_set_group)

static int show_engine_uevent(struct text *text, void *target)
{
	print_uevent(text, "engine", "");
	return 0;
}

const struct pseudo_entry idxd_engine_files[] = {
	{ WRITE("group_id", show_engine_group_id, store_engine_group_id) },
	{ WRITE("uevent", show_engine_uevent, store_uevent) },
	END,
};
