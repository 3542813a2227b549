/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues of programs: /dev/dsa/wq0.0 is a file while queue 0 of device 0 is enabled for programs. The one program that
 * has it open submits descriptors with addresses of its own, by the mapped portal or by write(2). The rules and errors
 * are Linux's (drivers/dma/idxd/cdev.c).
 *
 *   file      of an open: the program's binding to the device, so its PASID
 *   portal    a page of registers: a store of 64 bytes is a descriptor
 *
 * These rules keep a program from the memory of others:
 *
 *   - The hardware's queue has the PASID of the program that has it open, and IOMMU_PASID_NONE while no program has. So each
 *     address is translated by that program's tables (<kernel/iommu/iommu.h>), or is a fault.
 *   - The queue is stopped, and empty, whenever its PASID changes.
 *   - A portal is mapped only in the address space that opened the file, and nowhere when the queue is disabled: else
 *     its next owner, who may be the kernel, would find the program's descriptors in it.
 *
 * Only dedicated queues: a shared one takes the PASID from the submitter, and could be given to a second program only
 * when the device can drain one PASID.
 *
 * Locks: device->mutex, then space->mutex. queue->lock: file->ended against a submission by write.
 */
#include "user.h"

#include <string.h>

#include <arch/enqueue.h>
#include <kernel/base/assert.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/iommu/iommu.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/pci/pci.h>
#include <kernel/sched/credentials.h>
#include <kernel/sched/task.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/poll.h>
#include <uapi/linux/stat.h>

#include "idxd.h"
#include "registers.h"

/* Linux takes the numbers from the range for dynamic ones. */
#define DSA_MAJOR	 236
#define IAX_MAJOR	 235
#define QUEUES_OF_DEVICE 256

struct idxd_file {
	LIST_ENTRY(idxd_file) link;    /* D: in queue->files; not when ended */
	struct idxd_queue *queue;      /* K */
	struct iommu_binding *binding; /* K */
	_Atomic bool ended;	       /* changes under queue->lock: the queue was disabled */
};

static size_t portal_offset(const struct idxd_queue *queue)
{
	return (queue->id * PORTALS + PORTAL_LIMITED) * (size_t)PORTAL_SIZE;
}

/* --- the portal --- */

static void *portal_fault(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	struct idxd_file *opened = ((struct file *)area->private)->private;
	const struct idxd_queue *queue = opened->queue;

	*writable = true;
	if (atomic_load(&opened->ended))
		return NULL;
	return page_address(queue->device->pci->regions[IDXD_BAR_PORTALS].address +
			    portal_offset(queue));
}

static const struct vm_area_ops portal_ops = { .fault = portal_fault };

static int map_portal(struct file *file, struct vm_area *area)
{
	struct idxd_file *opened = file->private;

	/* Linux, for these devices: INTEL-SA-01084. */
	if (!capable(CAP_SYS_RAWIO) || !iommu_binding_is_of(opened->binding, area->space))
		return -EPERM;
	if (area->end - area->start > PAGE_SIZE || !area->shared)
		return -EINVAL;
	if (atomic_load(&opened->ended))
		return -ENXIO;
	area->ops = &portal_ops;
	area->private = file;
	area->mapping = &opened->queue->portals;
	area->device = true;
	area->registers = true;
	area->dont_copy = true;
	area->dont_expand = true;
	area->dont_dump = true;
	return 0;
}

/* --- write(2) --- */

/* Hands DESCRIPTOR to the device. 0; -ENXIO: the queue was disabled. */
static int submit(struct idxd_file *opened, const struct idxd_descriptor *descriptor)
{
	struct idxd_queue *queue = opened->queue;
	volatile uint8_t *portal = queue->device->portals + portal_offset(queue);
	unsigned long state = spin_lock_irqsave(&queue->lock);
	bool ended = opened->ended;

	if (!ended)
		arch_store64(portal, descriptor);
	spin_unlock_irqrestore(&queue->lock, state);
	return ended ? -ENXIO : 0;
}

static int submit_from_user(struct idxd_file *opened, const void *user_descriptor)
{
	const bool dsa = opened->queue->device->type == IDXD_DSA;
	const uint64_t alignment = dsa ? 32 : 64;
	struct idxd_descriptor descriptor;

	if (copy_from_user(&descriptor, user_descriptor, sizeof(descriptor)))
		return -EFAULT;
	/* The kernel cannot check a batch's descriptors. The alignment: INTEL-SA-01084, too. */
	if ((dsa && descriptor.operation >> 24 == OPCODE_BATCH) || descriptor.record % alignment)
		return -EINVAL;
	return submit(opened, &descriptor);
}

static ssize_t write_descriptors(struct file *file, const void *user_buffer, size_t size,
				 uint64_t *position)
{
	struct idxd_file *opened = file->private;
	const size_t one = sizeof(struct idxd_descriptor);
	size_t written = 0;

	if (!iommu_binding_is_of(opened->binding, task_current()->space))
		return -EPERM;
	while (size - written >= one) {
		int error = submit_from_user(opened, (const char *)user_buffer + written);

		if (error)
			return written ? (ssize_t)written : error;
		written += one;
	}
	return (ssize_t)written;
}

/* --- open, poll, close --- */

static unsigned int poll_errors(struct file *file, struct poll_table *table)
{
	struct idxd_file *opened = file->private;
	struct idxd_device *device = opened->queue->device;

	/* Linux returns POLLNVAL, which its poll(2) masks: nothing. */
	if (!iommu_binding_is_of(opened->binding, task_current()->space))
		return 0;
	poll_wait(table, &device->error_waiters);
	return atomic_load(&device->errors) ? POLLIN | POLLRDNORM : 0;
}

/* Takes FILE from its queue. device->mutex held. */
static void leave(struct idxd_file *opened)
{
	struct idxd_queue *queue = opened->queue;
	unsigned long state;

	mutex_assert_held(&queue->device->mutex);
	state = spin_lock_irqsave(&queue->lock);
	opened->ended = true;
	spin_unlock_irqrestore(&queue->lock, state);
	LIST_REMOVE(opened, link);
	queue->clients--;
}

static void release_file(struct file *file)
{
	struct idxd_file *opened = file->private;
	struct idxd_queue *queue = opened->queue;

	mutex_lock(&queue->device->mutex);
	if (!opened->ended) {
		leave(opened);
		/* Without a PASID the queue does nothing for anybody. */
		if (idxd_queue_set_pasid(queue, IOMMU_PASID_NONE))
			log_warning("%s: queue %u cannot be enabled again", queue->device->name,
				    queue->id);
	}
	mutex_unlock(&queue->device->mutex);
	iommu_unbind(opened->binding);
	kfree(opened);
}

static const struct file_ops queue_ops = { .write = write_descriptors,
					   .poll = poll_errors,
					   .mmap = map_portal,
					   .release = release_file };

/* Gives QUEUE to the current program. device->mutex held. */
static int open_queue(struct idxd_queue *queue, struct idxd_file *opened)
{
	int error;

	if (!queue->enabled || queue->type != IDXD_QUEUE_USER)
		return -ENXIO;
	if (queue->clients)
		return -EBUSY;
	error = iommu_bind(queue->device->pci, task_current()->space, &opened->binding);
	if (error)
		return error;
	error = idxd_queue_set_pasid(queue, iommu_binding_pasid(opened->binding));
	if (error) {
		idxd_queue_set_pasid(queue, IOMMU_PASID_NONE);
		iommu_unbind(opened->binding);
		return error;
	}
	opened->queue = queue;
	LIST_INSERT_HEAD(&queue->files, opened, link);
	queue->clients++;
	return 0;
}

static int open_node(struct inode *node, struct file *file)
{
	unsigned int minor = device_minor(node->device);
	struct idxd_device *device = idxd_device_next(minor / QUEUES_OF_DEVICE);
	unsigned int id = minor % QUEUES_OF_DEVICE;
	struct idxd_file *opened;
	int error;

	if (!device || device->id != minor / QUEUES_OF_DEVICE || id >= device->queue_count)
		return -ENXIO;
	opened = kzalloc(sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	mutex_lock(&device->mutex);
	error = open_queue(&device->queues[id], opened);
	mutex_unlock(&device->mutex);
	if (error) {
		kfree(opened);
		return error;
	}
	file->ops = &queue_ops;
	file->private = opened;
	return 0;
}

static struct device queue_devices[] = {
	{ .major = DSA_MAJOR, .more_minors = 0xfffff, .open = open_node },
	{ .major = IAX_MAJOR, .more_minors = 0xfffff, .open = open_node },
};

static void add_devices(void)
{
	device_add(&queue_devices[0]);
	device_add(&queue_devices[1]);
}

START(START_DEVICES, add_devices);

/* --- the node in /dev, as Linux's devtmpfs has it --- */

static const char *folder_name(const struct idxd_queue *queue)
{
	return queue->device->type == IDXD_DSA ? "dsa" : "iax";
}

static void name_node(const struct idxd_queue *queue, char *name, size_t size)
{
	format_string(name, size, "wq%u.%u", queue->device->id, queue->id);
}

/* Returns the folder of QUEUE's node with a reference, made if need be. */
static int get_folder(const struct idxd_queue *queue, struct dentry **folder)
{
	const struct entry_request request = { .mode = S_IFDIR | 0755 };
	const char *name = folder_name(queue);
	struct dentry *dev;
	int error = path_lookup(root_dentry, "/dev", LOOKUP_DIRECTORY, &dev);

	if (error)
		return error;
	error = path_lookup(dev, name, LOOKUP_DIRECTORY, folder);
	if (error == -ENOENT)
		error = entry_create(dev, name, strlen(name), &request, folder);
	dentry_put(dev);
	return error;
}

static int make_node(const struct idxd_queue *queue)
{
	const struct entry_request request = {
		.mode = S_IFCHR | 0600,
		.device = device_number(queue->device->type == IDXD_DSA ? DSA_MAJOR : IAX_MAJOR,
					queue->device->id * QUEUES_OF_DEVICE + queue->id),
	};
	struct dentry *folder;
	char name[24];
	int error = get_folder(queue, &folder);

	if (error)
		return error;
	name_node(queue, name, sizeof(name));
	error = entry_create(folder, name, strlen(name), &request, NULL);
	dentry_put(folder);
	/* Root may have made one itself. */
	return error == -EEXIST ? 0 : error;
}

static void remove_node(const struct idxd_queue *queue)
{
	struct dentry *folder;
	char name[24];

	if (get_folder(queue, &folder))
		return;
	name_node(queue, name, sizeof(name));
	entry_remove(folder, name, strlen(name), false);
	dentry_put(folder);
}

void idxd_user_init(struct idxd_queue *queue)
{
	LIST_INIT(&queue->files);
	vm_mapping_init(&queue->portals);
}

int idxd_user_begin(struct idxd_queue *queue)
{
	int error = make_node(queue);

	mutex_assert_held(&queue->device->mutex);
	if (error)
		return error;
	unsigned long state = spin_lock_irqsave(&queue->lock);
	queue->enabled = true;
	queue->refusing = true;
	spin_unlock_irqrestore(&queue->lock, state);
	return 0;
}

void idxd_user_end(struct idxd_queue *queue)
{
	mutex_assert_held(&queue->device->mutex);
	remove_node(queue);
	while (!LIST_EMPTY(&queue->files))
		leave(LIST_FIRST(&queue->files));
	vm_unmap_file_range(&queue->portals, 0, UINT64_MAX, true);
	unsigned long state = spin_lock_irqsave(&queue->lock);
	queue->enabled = false;
	spin_unlock_irqrestore(&queue->lock, state);
}
