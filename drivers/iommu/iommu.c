/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which device shares which address space; see <kernel/iommu/iommu.h>.
 *
 * A space has one sharing, from its first binding to its end and that of all its bindings, and so one PASID. The
 * sharing's binding of a device has the PASID's entry in the device's tables: present until the space ends or its
 * last user unbinds it. When the space ends with bindings, the PASID stays theirs, without a meaning: each request is a
 * fault.
 *
 * Locks: space->mutex, then iommu_mutex. A binding pins its space, so that the mutex is there.
 */
#include <kernel/iommu/iommu.h>

#include <sys/queue.h>

#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/pci/pci.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

#include "vtd.h"

/* Extended capabilities (PCI Express 4.0, 9.6.2 PASID; 10.5.1 ATS). PASIDs are enabled before ATS. */
#define PCI_EXTENDED_ATS   0x0f
#define ATS_CAPABILITY	   4
#define ATS_PAGE_ALIGNED   (1u << 5)
#define ATS_CONTROL	   6
#define ATS_ENABLE	   (1u << 15)
#define PCI_EXTENDED_PASID 0x1b
#define PASID_CAPABILITY   4
#define PASID_WIDTH(cap)   ((cap) >> 8 & 0x1f)
#define PASID_CONTROL	   6
#define PASID_ENABLE	   (1u << 0)

struct iommu_device {
	LIST_ENTRY(iommu_device) link; /* I */
	const struct pci_device *pci;
	struct vtd_device vtd; /* I, its tables */
};			       /* I: iommu_mutex; all else is constant */

struct sharing {
	struct vm_sharer sharer;
	struct vm_space *space; /* pinned */
	uint32_t pasid;
	bool ended;		 /* S: the space has no tables any more */
	unsigned int references; /* S: the space's, until it ends, and one for each binding */
	LIST_HEAD(, iommu_binding) bindings; /* S */
};					     /* S: space->mutex; all else is constant */

struct iommu_binding {
	LIST_ENTRY(iommu_binding) link; /* S */
	struct sharing *sharing;
	struct iommu_device *device;
	unsigned int users; /* S */
};

static struct mutex iommu_mutex = MUTEX_INITIALIZER(iommu_mutex);
static LIST_HEAD(, iommu_device) devices = LIST_HEAD_INITIALIZER(devices); /* I; none leaves */
static uint64_t pasids[VTD_PASIDS / 64]; /* I: bits of those in use */

static struct iommu_device *find_device(const struct pci_device *pci)
{
	struct iommu_device *device;

	mutex_lock(&iommu_mutex);
	LIST_FOREACH(device, &devices, link)
		if (device->pci == pci)
			break;
	mutex_unlock(&iommu_mutex);
	return device;
}

/* Switches PASIDs on in PCI's configuration, and ATS if it has it: *DEVICE_TLB. */
static int enable_function(struct pci_device *pci, bool *device_tlb)
{
	unsigned int pasid = pci_extended_capability_find(pci, PCI_EXTENDED_PASID);
	unsigned int ats = pci_extended_capability_find(pci, PCI_EXTENDED_ATS);

	if (!pasid || 1u << PASID_WIDTH(pci_read16(pci, pasid + PASID_CAPABILITY)) < VTD_PASIDS)
		return -EOPNOTSUPP;
	*device_tlb = ats && pci_read16(pci, ats + ATS_CAPABILITY) & ATS_PAGE_ALIGNED;
	pci_write16(pci, pasid + PASID_CONTROL, PASID_ENABLE);
	return 0;
}

static void enable_device_tlb(struct pci_device *pci)
{
	unsigned int ats = pci_extended_capability_find(pci, PCI_EXTENDED_ATS);

	pci_write16(pci, ats + ATS_CONTROL, ATS_ENABLE);
}

/* iommu_mutex held. */
static void reserve_pasid(uint32_t pasid)
{
	pasids[pasid / 64] |= 1ull << pasid % 64;
}

static int add_device(struct pci_device *pci)
{
	struct iommu_device *device = kzalloc(sizeof(*device));
	bool device_tlb;
	int error = device ? vtd_start(pci) : -ENOMEM;

	if (!error)
		error = enable_function(pci, &device_tlb);
	if (!error)
		error = vtd_device_add(&device->vtd, pci, device_tlb);
	if (error) {
		kfree(device);
		return error == -EIO ? -EOPNOTSUPP : error;
	}
	if (device->vtd.device_tlb)
		enable_device_tlb(pci);
	device->pci = pci;
	LIST_INSERT_HEAD(&devices, device, link);
	/* These two stand for no space. */
	reserve_pasid(0);
	reserve_pasid(IOMMU_PASID_NONE);
	return 0;
}

/* Returns a free PASID, or 0. */
static uint32_t pasid_alloc(void)
{
	uint32_t pasid = 0;

	mutex_lock(&iommu_mutex);
	for (size_t i = 0; i < sizeof(pasids) / sizeof(pasids[0]) && !pasid; i++) {
		if (pasids[i] == UINT64_MAX)
			continue;
		pasid = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(~pasids[i]);
		pasids[i] |= 1ull << pasid % 64;
	}
	mutex_unlock(&iommu_mutex);
	return pasid;
}

static void pasid_free(uint32_t pasid)
{
	mutex_lock(&iommu_mutex);
	pasids[pasid / 64] &= ~(1ull << pasid % 64);
	mutex_unlock(&iommu_mutex);
}

static struct sharing *sharing_of(struct vm_sharer *sharer)
{
	return (struct sharing *)((char *)sharer - offsetof(struct sharing, sharer));
}

/* Called by kernel/mm with the space's mutex held, as the next. */
static void flush(struct vm_sharer *sharer, uintptr_t start, uintptr_t end)
{
	struct sharing *sharing = sharing_of(sharer);
	struct iommu_binding *binding;

	LIST_FOREACH(binding, &sharing->bindings, link)
		vtd_flush(&binding->device->vtd, sharing->pasid, start, end);
}

/* Takes the PASID's meaning for BINDING's device away. */
static void clear(struct iommu_binding *binding)
{
	mutex_lock(&iommu_mutex);
	vtd_pasid_clear(&binding->device->vtd, binding->sharing->pasid);
	mutex_unlock(&iommu_mutex);
}

/* Drops a reference; the last one frees SHARING, which has no binding then. */
static void sharing_put(struct sharing *sharing)
{
	if (--sharing->references)
		return;
	pasid_free(sharing->pasid);
	/* The space's mutex is held, so this is not its last pin unless the space ended before. */
	kfree(sharing);
}

static void release(struct vm_sharer *sharer)
{
	struct sharing *sharing = sharing_of(sharer);
	struct iommu_binding *binding;

	LIST_FOREACH(binding, &sharing->bindings, link)
		clear(binding);
	sharing->ended = true;
	sharing->space->sharer = NULL;
	sharing_put(sharing);
}

/* Returns SPACE's sharing, made if need be. */
static int get_sharing(struct vm_space *space, struct sharing **result)
{
	struct sharing *sharing;

	mutex_assert_held(&space->mutex);
	if (space->sharer) {
		*result = sharing_of(space->sharer);
		return 0;
	}
	sharing = kzalloc(sizeof(*sharing));
	if (!sharing)
		return -ENOMEM;
	sharing->pasid = pasid_alloc();
	if (!sharing->pasid) {
		kfree(sharing);
		return -ENOSPC;
	}
	sharing->sharer = (struct vm_sharer){ flush, release };
	sharing->space = space;
	sharing->references = 1;
	LIST_INIT(&sharing->bindings);
	space->sharer = &sharing->sharer;
	*result = sharing;
	return 0;
}

/* Binds DEVICE, which no binding of SHARING has. */
static int make_binding(struct sharing *sharing, struct iommu_device *device,
			struct iommu_binding **result)
{
	struct iommu_binding *binding = kzalloc(sizeof(*binding));
	int error;

	if (!binding)
		return -ENOMEM;
	mutex_lock(&iommu_mutex);
	error = vtd_pasid_set(&device->vtd, sharing->pasid, page_paddr(sharing->space->arch.root));
	mutex_unlock(&iommu_mutex);
	if (error) {
		kfree(binding);
		return error;
	}
	vm_space_pin(sharing->space);
	binding->sharing = sharing;
	binding->device = device;
	binding->users = 1;
	sharing->references++;
	LIST_INSERT_HEAD(&sharing->bindings, binding, link);
	*result = binding;
	return 0;
}

bool iommu_sharing_enabled(const struct pci_device *device)
{
	return find_device(device);
}

int iommu_sharing_enable(struct pci_device *device)
{
	int error = 0;

	if (!iommu_sharing_enabled(device)) {
		mutex_lock(&iommu_mutex);
		error = add_device(device);
		mutex_unlock(&iommu_mutex);
	}
	return error;
}

int iommu_bind(struct pci_device *pci, struct vm_space *space, struct iommu_binding **result)
{
	struct iommu_device *device = find_device(pci);
	struct iommu_binding *binding;
	struct sharing *sharing;
	int error;

	if (!device)
		return -EOPNOTSUPP;
	mutex_lock(&space->mutex);
	error = get_sharing(space, &sharing);
	if (error)
		goto out;
	LIST_FOREACH(binding, &sharing->bindings, link)
		if (binding->device == device)
			break;
	if (binding)
		binding->users++;
	else
		error = make_binding(sharing, device, &binding);
	if (!error)
		*result = binding;
out:
	mutex_unlock(&space->mutex);
	return error;
}

void iommu_unbind(struct iommu_binding *binding)
{
	struct sharing *sharing = binding->sharing;
	struct vm_space *space = sharing->space;

	mutex_lock(&space->mutex);
	if (--binding->users) {
		mutex_unlock(&space->mutex);
		return;
	}
	if (!sharing->ended)
		clear(binding);
	LIST_REMOVE(binding, link);
	kfree(binding);
	sharing_put(sharing);
	mutex_unlock(&space->mutex);
	vm_space_unpin(space);
}

uint32_t iommu_binding_pasid(const struct iommu_binding *binding)
{
	return binding->sharing->pasid;
}

bool iommu_binding_is_of(const struct iommu_binding *binding, const struct vm_space *space)
{
	/* A pinned space's address is no other's. */
	return space && binding->sharing->space == space;
}
