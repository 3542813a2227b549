/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio devices on PCI: the registers lie in structures in the function's regions, which vendor-specific capabilities
 * name. Only the interface of version 1 is driven, also of devices that have the old one beside it.
 *
 * Each queue has a vector of MSI-X, or queues share the last one. Interrupts for changes of the configuration are not used.
 *
 * Source: VIRTIO 1.2, 4.1.
 */
#include <kernel/base/log.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/pci/pci.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

#define VENDOR		      0x1af4
/* Ids of devices without the old interface begin here; the others have the id in their subsystem's. */
#define FIRST_MODERN	      0x1040

#define CAPABILITY_VENDOR     0x09
#define CAPABILITY_SIZE	      0x02
#define CAPABILITY_TYPE	      0x03
#define CAPABILITY_REGION     0x04
#define CAPABILITY_OFFSET     0x08
#define CAPABILITY_LENGTH     0x0c
#define CAPABILITY_MULTIPLIER 0x10 /* STRUCTURE_NOTIFY only */

enum structure {
	STRUCTURE_COMMON = 1,
	STRUCTURE_NOTIFY,
	STRUCTURE_ISR,
	STRUCTURE_DEVICE,
	STRUCTURES
};

/* The common structure. */
#define COMMON_DEVICE_FEATURE_SELECT 0x00
#define COMMON_DEVICE_FEATURE	     0x04
#define COMMON_DRIVER_FEATURE_SELECT 0x08
#define COMMON_DRIVER_FEATURE	     0x0c
#define COMMON_CONFIG_VECTOR	     0x10
#define COMMON_STATUS		     0x14
#define COMMON_GENERATION	     0x15
#define COMMON_QUEUE_SELECT	     0x16
#define COMMON_QUEUE_SIZE	     0x18
#define COMMON_QUEUE_VECTOR	     0x1a
#define COMMON_QUEUE_ENABLE	     0x1c
#define COMMON_QUEUE_NOTIFY	     0x1e
#define COMMON_QUEUE_PARTS	     0x20
#define COMMON_LENGTH		     0x38

#define NO_VECTOR		     0xffff
/* More than any device has; QEMU's regions have 16 KiB. */
#define REGION_SIZE_MAX		     (1u << 20)
/* Queues beyond these have no vector of their own. */
#define VECTORS_MAX		     16

struct place {
	volatile uint8_t *bytes; /* NULL: there is none */
	uint32_t length;
};

struct vector {
	struct pci_virtio *owner;
	int queue; /* -1: several */
};

struct pci_virtio {
	struct virtio_device device;
	struct pci_device *pci;
	volatile uint8_t *regions[PCI_BARS]; /* mapped ones */
	struct place places[STRUCTURES];
	uint32_t multiplier;
	unsigned int vector_count; /* used ones; 0: MSI-X is off */
	struct vector vectors[VECTORS_MAX];
};

static struct pci_virtio *pci_virtio(struct virtio_device *device)
{
	return (struct pci_virtio *)((char *)device - offsetof(struct pci_virtio, device));
}

static volatile uint8_t *common(struct virtio_device *device)
{
	return pci_virtio(device)->places[STRUCTURE_COMMON].bytes;
}

static uint16_t read16(volatile uint8_t *at)
{
	return *(volatile uint16_t *)at;
}

static void write16(volatile uint8_t *at, uint16_t value)
{
	*(volatile uint16_t *)at = value;
}

static uint32_t read32(volatile uint8_t *at)
{
	return *(volatile uint32_t *)at;
}

static void write32(volatile uint8_t *at, uint32_t value)
{
	*(volatile uint32_t *)at = value;
}

/* --- the transport --- */

static uint8_t get_status(struct virtio_device *device)
{
	return common(device)[COMMON_STATUS];
}

static void set_status(struct virtio_device *device, uint8_t status)
{
	common(device)[COMMON_STATUS] = status;
}

static uint64_t get_features(struct virtio_device *device)
{
	uint64_t features = 0;

	for (uint32_t i = 0; i < 2; i++) {
		write32(common(device) + COMMON_DEVICE_FEATURE_SELECT, i);
		features |= (uint64_t)read32(common(device) + COMMON_DEVICE_FEATURE) << 32 * i;
	}
	return features;
}

static void set_features(struct virtio_device *device, uint64_t features)
{
	for (uint32_t i = 0; i < 2; i++) {
		write32(common(device) + COMMON_DRIVER_FEATURE_SELECT, i);
		write32(common(device) + COMMON_DRIVER_FEATURE, (uint32_t)(features >> 32 * i));
	}
}

static uint32_t get_generation(struct virtio_device *device)
{
	return common(device)[COMMON_GENERATION];
}

static uint32_t read_config(struct virtio_device *device, uint32_t offset, unsigned int width)
{
	volatile uint8_t *at = pci_virtio(device)->places[STRUCTURE_DEVICE].bytes + offset;

	return width == 1 ? *at : width == 2 ? read16(at) : read32(at);
}

static uint16_t get_queue_size(struct virtio_device *device, unsigned int index)
{
	if (index > UINT16_MAX)
		return 0;
	write16(common(device) + COMMON_QUEUE_SELECT, (uint16_t)index);
	/* A queue that is enabled was not made by this driver. */
	return read16(common(device) + COMMON_QUEUE_ENABLE) ?
		       0 :
		       read16(common(device) + COMMON_QUEUE_SIZE);
}

static void take_interrupt(void *arg)
{
	const struct vector *vector = arg;

	virtio_device_interrupt(&vector->owner->device, vector->queue);
}

static int enable_queue(struct virtio_device *device, unsigned int index, unsigned int size,
			const paddr_t parts[3], volatile void **notify)
{
	struct pci_virtio *virtio = pci_virtio(device);
	const struct place *place = &virtio->places[STRUCTURE_NOTIFY];
	volatile uint8_t *registers = common(device);
	uint16_t vector =
		(uint16_t)(index < virtio->vector_count ? index : virtio->vector_count - 1);

	write16(registers + COMMON_QUEUE_SELECT, (uint16_t)index);

	uint64_t offset = (uint64_t)read16(registers + COMMON_QUEUE_NOTIFY) * virtio->multiplier;

	if (offset % sizeof(uint16_t) || offset + sizeof(uint16_t) > place->length)
		return -EINVAL;
	*notify = place->bytes + offset;
	write16(registers + COMMON_QUEUE_VECTOR, vector);
	if (read16(registers + COMMON_QUEUE_VECTOR) != vector)
		return -ENOSPC;
	write16(registers + COMMON_QUEUE_SIZE, (uint16_t)size);
	for (unsigned int i = 0; i < 3; i++) {
		write32(registers + COMMON_QUEUE_PARTS + 8 * i, (uint32_t)parts[i]);
		write32(registers + COMMON_QUEUE_PARTS + 8 * i + 4, (uint32_t)(parts[i] >> 32));
	}
	write16(registers + COMMON_QUEUE_ENABLE, 1);
	return 0;
}

static void disconnect(struct virtio_device *device)
{
	pci_set_master(pci_virtio(device)->pci, false);
}

static const struct virtio_transport transport = {
	.get_status = get_status,
	.set_status = set_status,
	.get_features = get_features,
	.set_features = set_features,
	.get_generation = get_generation,
	.read_config = read_config,
	.get_queue_size = get_queue_size,
	.enable_queue = enable_queue,
	.disconnect = disconnect,
};

/* --- finding a device --- */

/* Returns region INDEX, mapped; NULL: it is none of memory, or too large, or there is no memory. */
static volatile uint8_t *map_region(struct pci_virtio *virtio, unsigned int index)
{
	uint64_t size = virtio->pci->regions[index].size;

	if (!virtio->regions[index] && size <= REGION_SIZE_MAX)
		virtio->regions[index] = pci_map(virtio->pci, index, 0, size);
	return virtio->regions[index];
}

/* Notes the structure that the capability of SIZE bytes at AT names, if it is the first of its type that can be used. */
static void note_structure(struct pci_virtio *virtio, unsigned int at, unsigned int size)
{
	const struct pci_device *pci = virtio->pci;
	unsigned int type = pci_read8(pci, at + CAPABILITY_TYPE);
	unsigned int region = pci_read8(pci, at + CAPABILITY_REGION);
	uint32_t offset = pci_read32(pci, at + CAPABILITY_OFFSET);
	uint32_t length = pci_read32(pci, at + CAPABILITY_LENGTH);

	if (type == 0 || type >= STRUCTURES || virtio->places[type].bytes || region >= PCI_BARS ||
	    (type == STRUCTURE_NOTIFY && size < CAPABILITY_MULTIPLIER + sizeof(uint32_t)) ||
	    offset % 4 || offset > pci->regions[region].size ||
	    length > pci->regions[region].size - offset || !map_region(virtio, region))
		return;
	virtio->places[type] = (struct place){ virtio->regions[region] + offset, length };
	if (type == STRUCTURE_NOTIFY)
		virtio->multiplier = pci_read32(pci, at + CAPABILITY_MULTIPLIER);
}

/* Finds the structures. False: one that is needed is not there. */
static bool find_structures(struct pci_virtio *virtio)
{
	unsigned int at = 0, least = CAPABILITY_LENGTH + 4;

	for (unsigned int i = 0; i < PCI_CONFIG_SIZE / 4; i++) {
		at = pci_capability_next(virtio->pci, at, CAPABILITY_VENDOR);
		if (!at)
			break;

		unsigned int size = pci_read8(virtio->pci, at + CAPABILITY_SIZE);

		if (size >= least && size <= PCI_CONFIG_SIZE - at)
			note_structure(virtio, at, size);
	}
	virtio->device.config_size = virtio->places[STRUCTURE_DEVICE].length;
	return virtio->places[STRUCTURE_COMMON].length >= COMMON_LENGTH &&
	       virtio->places[STRUCTURE_NOTIFY].bytes;
}

/* Enables MSI-X with a vector for each possible queue. 0 or a negative error. */
static int start_interrupts(struct pci_virtio *virtio)
{
	int count = pci_msix_enable(virtio->pci);

	if (count < 0)
		return count;
	if (count > VECTORS_MAX)
		count = VECTORS_MAX;
	for (int i = 0; i < count; i++) {
		virtio->vectors[i] = (struct vector){ virtio, i + 1 < count ? i : -1 };

		int error = pci_msix_request(virtio->pci, (unsigned int)i, 0, take_interrupt,
					     &virtio->vectors[i], "virtio");

		/* Use the vectors we got; the remaining queues share the last one. */
		if (error && i == 0) {
			pci_msix_disable(virtio->pci);
			return error;
		}
		if (error) {
			virtio->vectors[i - 1].queue = -1;
			break;
		}
		virtio->vector_count++;
	}
	return 0;
}

static int start(struct pci_virtio *virtio)
{
	if (!find_structures(virtio))
		return -ENODEV;

	int error = start_interrupts(virtio);

	if (error)
		return error;
	pci_set_master(virtio->pci, true);
	write16(common(&virtio->device) + COMMON_CONFIG_VECTOR, NO_VECTOR);
	return virtio_device_add(&virtio->device);
}

static int probe(struct pci_device *pci)
{
	struct pci_virtio *virtio = kzalloc(sizeof(*virtio));
	int error = virtio ? pci_enable(pci) : -ENOMEM;

	if (error) {
		kfree(virtio);
		return error;
	}
	virtio->pci = pci;
	virtio->device = (struct virtio_device){
		.name = pci->name,
		.id = pci->device_id >= FIRST_MODERN ? pci->device_id - FIRST_MODERN :
						       pci->subsystem_device_id,
		.transport = &transport,
		.narrow_notify = true,
	};
	error = start(virtio);
	if (error) {
		pci_set_master(pci, false);
		if (virtio->vector_count)
			pci_msix_disable(pci);
		pci_disable(pci);
		kfree(virtio);
		return error;
	}
	pci->driver_data = virtio;
	return 0;
}

/* The devices that have drivers: without the old interface, and with it. */
static const struct pci_id ids[] = { { VENDOR, FIRST_MODERN + VIRTIO_ID_NETWORK },
				     { VENDOR, FIRST_MODERN + VIRTIO_ID_CONSOLE },
				     { VENDOR, FIRST_MODERN + VIRTIO_ID_9P },
				     { VENDOR, 0x1000 },
				     { VENDOR, 0x1003 },
				     { VENDOR, 0x1009 },
				     { 0, 0 } };

PCI_DRIVER(virtio_pci_driver, .name = "virtio-pci", .ids = ids, .probe = probe);
