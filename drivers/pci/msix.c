/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MSI-X: a table in one of the function's regions, with a message and a mask for each vector.
 *
 * A vector without a handler is masked. Its message changes only while it is masked, so a device never sends half of one.
 * The kernel keeps each vector's interrupt, CPU and mask: after a reset of the function, the table is written again from
 * them. The table stays mapped once it was.
 *
 * Lock: pci_mutex. The mask alone changes in other contexts too, which the driver keeps apart.
 *
 * Source: PCI Local Bus Specification 3.0, 6.8.2.
 */
#include "msix.h"

#include <arch/pci.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

#include "device.h"

/* The capability: its control, and where the table and the pending bits are: an offset, and the region in its low bits. */
#define CONTROL		0x02
#define CONTROL_COUNT	0x07ff /* vectors, minus one */
#define CONTROL_MASKED	0x4000
#define CONTROL_ENABLE	0x8000
#define TABLE		0x04
#define PENDING		0x08
#define PLACE_REGION	0x7u

#define PENDING_WORD	8 /* bytes for 64 vectors */
#define PENDING_VECTORS 64

struct entry {
	uint32_t address, address_high, data, control;
};

#define ENTRY_MASKED 0x1u

/*
 * Locks:
 *   K  none: constant, once device->msix points to it
 *   P  pci_mutex. pci_msix_mask reads without it: its caller has requested the vector, and neither releases nor routes it
 *      meanwhile
 *   M  P for the request and the release; pci_msix_mask's callers keep themselves apart
 */
struct vector {
	int number;	  /* P: of arch_msi_alloc; 0: no handler */
	unsigned int cpu; /* P */
	bool masked;	  /* M */
};

struct pci_msix {
	unsigned int capability, count; /* K */
	bool enabled;			/* P */
	volatile struct entry *table;	/* K: the pointer; an entry's mask is M, the rest P */
	struct vector vectors[];
};

/* Sets *REGION and *OFFSET to the place that the word at WORD_OFFSET names. False: SIZE bytes do not fit
 * there. */
static bool find_place(const struct pci_device *device, unsigned int word_offset, uint64_t size,
		       unsigned int *region, uint32_t *offset)
{
	uint32_t word = pci_read32(device, word_offset);

	*region = word & PLACE_REGION;
	*offset = word & ~PLACE_REGION;
	return *region < PCI_BARS && !device->regions[*region].io &&
	       *offset <= device->regions[*region].size &&
	       size <= device->regions[*region].size - *offset;
}

/* Makes DEVICE's struct pci_msix from its capability at AT. 0 or a negative error. */
static int create(struct pci_device *device, unsigned int at)
{
	unsigned int count = (pci_read16(device, at + CONTROL) & CONTROL_COUNT) + 1u, region;
	uint64_t pending_size = (count + PENDING_VECTORS - 1) / PENDING_VECTORS * PENDING_WORD;
	uint32_t offset;
	struct pci_msix *msix;

	if (!find_place(device, at + PENDING, pending_size, &region, &offset) ||
	    !find_place(device, at + TABLE, count * sizeof(struct entry), &region, &offset))
		return -EINVAL;
	msix = kzalloc(sizeof(*msix) + count * sizeof(msix->vectors[0]));
	if (!msix)
		return -ENOMEM;
	msix->table = pci_map(device, region, offset, count * sizeof(struct entry));
	if (!msix->table) {
		kfree(msix);
		return -ENOMEM;
	}
	msix->capability = at;
	msix->count = count;
	for (unsigned int i = 0; i < count; i++)
		msix->vectors[i].masked = true;
	device->msix = msix;
	return 0;
}

/* Writes the mask of vector INDEX and waits until the device has it. */
static void write_mask(const struct pci_msix *msix, unsigned int index, bool masked)
{
	msix->table[index].control = masked ? ENTRY_MASKED : 0;
	(void)msix->table[index].control;
}

/* Writes the message of vector INDEX for its CPU, and its mask. 0 or -EINVAL: no message reaches the CPU. */
static int write_vector(const struct pci_msix *msix, unsigned int index)
{
	const struct vector *vector = &msix->vectors[index];
	struct arch_msi_message message;

	if (arch_msi_message((unsigned int)vector->number, vector->cpu, &message))
		return -EINVAL;
	write_mask(msix, index, true);
	msix->table[index].address = (uint32_t)message.address;
	msix->table[index].address_high = (uint32_t)(message.address >> 32);
	msix->table[index].data = message.data;
	write_mask(msix, index, vector->masked);
	return 0;
}

/* Masks each vector and switches MSI-X on, the device silent meanwhile. */
static void switch_on(const struct pci_device *device)
{
	const struct pci_msix *msix = device->msix;
	unsigned int control = msix->capability + CONTROL;

	pci_write16(device, control, CONTROL_ENABLE | CONTROL_MASKED);
	for (unsigned int i = 0; i < msix->count; i++)
		write_mask(msix, i, true);
	pci_write16(device, PCI_COMMAND,
		    pci_read16(device, PCI_COMMAND) | PCI_COMMAND_INTX_DISABLE);
	pci_write16(device, control, CONTROL_ENABLE);
}

static struct vector *find_vector(const struct pci_device *device, unsigned int index)
{
	struct pci_msix *msix = device->msix;

	return msix && msix->enabled && index < msix->count ? &msix->vectors[index] : NULL;
}

int pci_msix_enable(struct pci_device *device)
{
	unsigned int at = pci_capability_find(device, PCI_CAPABILITY_MSIX);
	int error = 0;

	if (!at)
		return -ENODEV;
	mutex_lock(&pci_mutex);
	if (!device->enabled)
		error = -EINVAL;
	else if (device->msix && device->msix->enabled)
		error = -EBUSY;
	else if (!device->msix)
		error = create(device, at);
	if (!error) {
		device->msix->enabled = true;
		switch_on(device);
	}
	mutex_unlock(&pci_mutex);
	return error ? error : (int)device->msix->count;
}

int pci_msix_request(struct pci_device *device, unsigned int index, unsigned int cpu,
		     void (*handler)(void *arg), void *arg, const char *name)
{
	const struct arch_msi msi = { handler, arg, name, device->name, index };
	struct vector *vector;
	int number = -EINVAL;

	mutex_lock(&pci_mutex);
	vector = find_vector(device, index);
	if (vector)
		number = vector->number ? -EBUSY : arch_msi_alloc(&msi);
	if (number > 0) {
		*vector = (struct vector){ .number = number, .cpu = cpu };
		if (write_vector(device->msix, index)) {
			*vector = (struct vector){ .masked = true };
			arch_msi_free((unsigned int)number);
			number = -EINVAL;
		}
	}
	mutex_unlock(&pci_mutex);
	return number > 0 ? 0 : number;
}

/* Takes vector INDEX's handler away, if it has one. pci_mutex held. */
static void release(struct pci_msix *msix, unsigned int index)
{
	unsigned int number = (unsigned int)msix->vectors[index].number;

	mutex_assert_held(&pci_mutex);
	if (!number)
		return;
	write_mask(msix, index, true);
	msix->vectors[index] = (struct vector){ .masked = true };
	arch_msi_free(number);
}

void pci_msix_release(struct pci_device *device, unsigned int index)
{
	mutex_lock(&pci_mutex);
	if (find_vector(device, index))
		release(device->msix, index);
	mutex_unlock(&pci_mutex);
}

int pci_msix_route(struct pci_device *device, unsigned int index, unsigned int cpu)
{
	struct vector *vector;
	int error = -EINVAL;

	mutex_lock(&pci_mutex);
	vector = find_vector(device, index);
	if (vector && vector->number) {
		unsigned int former = vector->cpu;

		vector->cpu = cpu;
		error = write_vector(device->msix, index);
		if (error)
			vector->cpu = former;
	}
	mutex_unlock(&pci_mutex);
	return error;
}

void pci_msix_mask(struct pci_device *device, unsigned int index, bool masked)
{
	struct vector *vector = find_vector(device, index);

	if (!vector || !vector->number)
		return;
	vector->masked = masked;
	write_mask(device->msix, index, masked);
}

void pci_msix_disable(struct pci_device *device)
{
	struct pci_msix *msix;

	mutex_lock(&pci_mutex);
	msix = device->msix;
	if (msix && msix->enabled) {
		for (unsigned int i = 0; i < msix->count; i++)
			release(msix, i);
		pci_write16(device, msix->capability + CONTROL, 0);
		pci_write16(device, PCI_COMMAND,
			    pci_read16(device, PCI_COMMAND) & (uint16_t)~PCI_COMMAND_INTX_DISABLE);
		msix->enabled = false;
	}
	mutex_unlock(&pci_mutex);
}

void pci_msix_restore(struct pci_device *device)
{
	const struct pci_msix *msix = device->msix;

	mutex_assert_held(&pci_mutex);
	if (!msix || !msix->enabled)
		return;
	switch_on(device);
	for (unsigned int i = 0; i < msix->count; i++)
		if (msix->vectors[i].number)
			write_vector(msix, i);
}
