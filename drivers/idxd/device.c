/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DSA or IAX as a device: finding it, its capabilities, its commands, its interrupts and errors.
 *
 * Every number that comes from the device and becomes an index, a size or an address is checked at the start: a device
 * with other numbers is left alone, with a line in the log.
 *
 * A command is written, and its end awaited: the device interrupts, and a device that is silent for COMMAND_LIMIT_NS is
 * halted: it loses the right to reach memory, so that what the kernel gave it is the kernel's again. A device that
 * halts itself (GENSTS) has finished nothing more: its submitters are woken and find it halted. It stays so until the
 * next start. Linux resets some such devices by an FLR.
 */
#include "idxd.h"

#include <arch/enqueue.h>
#include <kernel/base/assert.h>
#include <kernel/base/boot.h>
#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/iommu/iommu.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/errno.h>

#include "perfmon.h"
#include "registers.h"
#include "user.h"

#define VENDOR_INTEL	   0x8086
#define DEVICE_DSA	   0x0b25
#define DEVICE_IAX	   0x0cfe

#define VERSION_2	   0x200

/* More than any device has; BAR 0 of real ones has 64 KiB. */
#define REGISTERS_SIZE_MAX (1u << 20)

#define COMMAND_LIMIT_NS   (10 * NSEC_PER_SEC)

/* The devices, by id. Changes at the start only, on one CPU. */
static LIST_HEAD(, idxd_device) devices = LIST_HEAD_INITIALIZER(devices);
static unsigned int next_id;

struct idxd_device *idxd_device_next(unsigned int id)
{
	struct idxd_device *device, *next = NULL;

	LIST_FOREACH(device, &devices, link)
		if (device->id >= id && (!next || device->id < next->id))
			next = device;
	return next;
}

/* --- registers --- */

uint32_t idxd_read32(const struct idxd_device *device, uint32_t offset)
{
	return *(volatile uint32_t *)(device->registers + offset);
}

uint64_t idxd_read64(const struct idxd_device *device, uint32_t offset)
{
	return *(volatile uint64_t *)(device->registers + offset);
}

void idxd_write32(struct idxd_device *device, uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(device->registers + offset) = value;
}

void idxd_write64(struct idxd_device *device, uint32_t offset, uint64_t value)
{
	*(volatile uint64_t *)(device->registers + offset) = value;
}

/* --- the end of a device --- */

/* DEVICE finishes nothing more. Any context. */
static void halt(struct idxd_device *device, const char *reason)
{
	if (atomic_exchange(&device->state, IDXD_DEVICE_HALTED) == IDXD_DEVICE_HALTED)
		return;
	log_error("%s: halted: %s", device->name, reason);
	wait_queue_wake(&device->commands);
	for (unsigned int i = 0; i < device->queue_count; i++)
		wait_queue_wake(&device->queues[i].waiters);
}

void idxd_device_fence(struct idxd_device *device, const char *reason)
{
	halt(device, reason);
	pci_set_master(device->pci, false);
}

/* --- commands --- */

static bool command_active(const struct idxd_device *device)
{
	return idxd_read32(device, REG_CMDSTS) & CMDSTS_ACTIVE;
}

/* Waits until no command is active. False: the time is over. */
static bool await_command(struct idxd_device *device)
{
	uint64_t deadline_ns = clock_ns() + COMMAND_LIMIT_NS;
	struct wait_entry entry;

	wait_queue_add(&device->commands, &entry);
	while (command_active(device) && clock_ns() < deadline_ns &&
	       atomic_load(&device->state) != IDXD_DEVICE_HALTED)
		wait_sleep_uninterrupted(deadline_ns);
	wait_queue_remove(&device->commands, &entry);
	return !command_active(device);
}

int idxd_command(struct idxd_device *device, unsigned int code, uint32_t operand)
{
	mutex_assert_held(&device->mutex);
	if (atomic_load(&device->state) == IDXD_DEVICE_HALTED)
		return -EIO;
	idxd_write32(device, REG_CMD, CMD_INTERRUPT | CMD_CODE(code) | operand);
	if (!await_command(device)) {
		idxd_device_fence(device, "it does not end a command");
		return -ETIMEDOUT;
	}
	device->command_status = CMDSTS_ERROR(idxd_read32(device, REG_CMDSTS));
	if (device->command_status)
		log_info("%s: command %u of 0x%x has error 0x%x", device->name, code, operand,
			 device->command_status);
	return (int)device->command_status;
}

uint32_t idxd_queue_operand(unsigned int id)
{
	return 1u << id % 16 | id / 16 << 16;
}

/* --- interrupts --- */

/* Records the error in SWERROR, which the device has kept until now, and lets it record the next. */
static void take_error(struct idxd_device *device)
{
	uint32_t error[SWERROR_WORDS];

	for (unsigned int i = 0; i < SWERROR_WORDS; i++)
		error[i] = idxd_read32(device, REG_SWERROR + i * 4);
	if (!(error[0] & SWERROR_VALID))
		return;
	idxd_write32(device, REG_SWERROR, SWERROR_VALID | SWERROR_OVERFLOW);

	unsigned long state = spin_lock_irqsave(&device->error_lock);
	for (unsigned int i = 0; i < SWERROR_WORDS; i++)
		device->error[i] = error[i];
	spin_unlock_irqrestore(&device->error_lock, state);
	atomic_fetch_add(&device->errors, 1);
	wait_queue_wake(&device->error_waiters);
	log_warning("%s: error 0x%x of queue %u, operation 0x%x, address 0x%llx%s", device->name,
		    SWERROR_CODE(error[0]), SWERROR_NUMBER(error[0]), error[1] & 0xff,
		    (unsigned long long)(error[4] | (uint64_t)error[5] << 32),
		    error[0] & SWERROR_OVERFLOW ? ", and later ones are lost" : "");
}

static void take_interrupt(void *arg)
{
	struct idxd_device *device = arg;
	uint32_t cause = idxd_read32(device, REG_INTCAUSE);

	/* Acknowledge before reading the causes: later ones interrupt again. */
	idxd_write32(device, REG_INTCAUSE, cause);
	if (cause & INTCAUSE_SWERROR)
		take_error(device);
	if (cause & INTCAUSE_COMMAND)
		wait_queue_wake(&device->commands);
	if (cause & INTCAUSE_PERFMON)
		idxd_perfmon_overflow(device);
	if (cause & INTCAUSE_HALT && GENSTS_STATE(idxd_read32(device, REG_GENSTS)) == GENSTS_HALT)
		halt(device, "the device reports a hardware error");
}

/* --- finding a device --- */

/* Whether a table of COUNT entries of SIZE bytes at OFFSET lies in the registers. */
static bool inside(const struct idxd_device *device, uint32_t offset, unsigned int count,
		   unsigned int size)
{
	uint64_t end = (uint64_t)offset + (uint64_t)count * size;

	return offset >= REG_SWERROR + SWERROR_WORDS * 4 && end <= device->registers_size;
}

static void read_capabilities(struct idxd_device *device)
{
	uint64_t low = idxd_read64(device, REG_OFFSETS),
		 high = idxd_read64(device, REG_OFFSETS + 8);

	device->version = idxd_read32(device, REG_VERSION);
	device->gencap = idxd_read64(device, REG_GENCAP);
	device->wqcap = idxd_read64(device, REG_WQCAP);
	device->grpcap = idxd_read64(device, REG_GRPCAP);
	device->engcap = idxd_read64(device, REG_ENGCAP);
	for (unsigned int i = 0; i < 4; i++)
		device->opcap[i] = idxd_read64(device, REG_OPCAP + i * 8);
	device->grpcfg = OFFSETS_GRPCFG(low);
	device->wqcfg = OFFSETS_WQCFG(low);
	device->perfmon_offset = OFFSETS_PERFMON(high);
	device->wqcfg_size = WQCFG_SIZE_LEAST << WQCAP_CONFIG_SHIFT(device->wqcap);
	device->queue_count = WQCAP_QUEUES(device->wqcap);
	device->group_count = GRPCAP_GROUPS(device->grpcap);
	device->engine_count = ENGCAP_ENGINES(device->engcap);
	device->total_size = WQCAP_TOTAL_SIZE(device->wqcap);
	device->max_transfer_bytes = 1ull << GENCAP_XFER_SHIFT(device->gencap);
	device->max_batch_size =
		device->type == IDXD_DSA ? 1u << GENCAP_BATCH_SHIFT(device->gencap) : 0;
	/* Linux's choice for these versions, on whose devices class 0 has a fault. The word is its tc_override. */
	device->default_tc =
		device->version <= VERSION_2 && !boot_word("idxd.tc_override") ? 1 : IDXD_TC_UNSET;
	device->configurable = device->gencap & GENCAP_CONFIGURABLE;
	device->shared_supported = (device->wqcap & WQCAP_SHARED) && arch_has_enqueue();
}

/* Whether the device's numbers hold together. */
static bool is_sane(const struct idxd_device *device)
{
	const struct pci_region *portals = &device->pci->regions[IDXD_BAR_PORTALS];

	return device->queue_count && device->group_count && device->engine_count &&
	       device->engine_count <= 64 && device->total_size &&
	       inside(device, device->grpcfg, device->group_count, GRPCFG_SIZE) &&
	       inside(device, device->wqcfg, device->queue_count, device->wqcfg_size) &&
	       portals->size >= (uint64_t)device->queue_count * PORTALS * PORTAL_SIZE;
}

static bool allocate_parts(struct idxd_device *device)
{
	device->queues = kzalloc(device->queue_count * sizeof(*device->queues));
	device->engines = kzalloc(device->engine_count * sizeof(*device->engines));
	device->groups = kzalloc(device->group_count * sizeof(*device->groups));
	if (!device->queues || !device->engines || !device->groups)
		return false;
	for (unsigned int i = 0; i < device->queue_count; i++) {
		struct idxd_queue *queue = &device->queues[i];

		queue->device = device;
		queue->id = i;
		spin_init(&queue->lock);
		LIST_INIT(&queue->free_works);
		LIST_INIT(&queue->submitted);
		wait_queue_init(&queue->waiters);
		idxd_user_init(queue);
	}
	for (unsigned int i = 0; i < device->engine_count; i++) {
		device->engines[i].device = device;
		device->engines[i].id = i;
	}
	for (unsigned int i = 0; i < device->group_count; i++) {
		device->groups[i].device = device;
		device->groups[i].id = i;
	}
	return true;
}

/* Maps the registers and reads them. 0, -ENODEV, -ENOMEM. */
static int map(struct idxd_device *device)
{
	const struct pci_region *region = &device->pci->regions[IDXD_BAR_REGISTERS];

	if (region->io || region->size < PORTAL_SIZE || region->size > REGISTERS_SIZE_MAX) {
		log_warning("%s: the registers are not where they belong", device->name);
		return -ENODEV;
	}
	device->registers_size = region->size;
	device->registers = pci_map(device->pci, IDXD_BAR_REGISTERS, 0, device->registers_size);
	if (!device->registers)
		return -ENOMEM;
	read_capabilities(device);
	if (!is_sane(device)) {
		log_warning("%s: the capabilities contradict each other", device->name);
		return -ENODEV;
	}
	device->portals = pci_map(device->pci, IDXD_BAR_PORTALS, 0,
				  (size_t)device->queue_count * PORTALS * PORTAL_SIZE);
	return device->portals ? 0 : -ENOMEM;
}

static int reset(struct idxd_device *device)
{
	mutex_lock(&device->mutex);
	int error = idxd_command(device, CMD_RESET_DEVICE, 0);
	idxd_device_clear(device);
	mutex_unlock(&device->mutex);
	return error ? -ENODEV : 0;
}

static int start(struct idxd_device *device)
{
	int vectors = pci_msix_enable(device->pci);
	if (vectors < 0)
		return vectors;
	device->vector_count = (unsigned int)vectors;
	int error = pci_msix_request(device->pci, 0, 0, take_interrupt, device, device->name);
	if (error)
		return error;
	idxd_write32(device, REG_INTCAUSE, UINT32_MAX);
	error = allocate_parts(device) ? reset(device) : -ENOMEM;
	if (!error)
		error = idxd_perfmon_init(device);
	if (!error)
		idxd_write32(device, REG_GENCTRL, GENCTRL_SWERR_INT | GENCTRL_HALT_INT);
	return error;
}

static void free_device(struct idxd_device *device)
{
	pci_set_master(device->pci, false);
	if (device->vector_count) {
		pci_msix_release(device->pci, 0);
		pci_msix_disable(device->pci);
	}
	pci_disable(device->pci);
	kfree(device->queues);
	kfree(device->engines);
	kfree(device->groups);
	kfree(device);
}

static int probe(struct pci_device *pci)
{
	struct idxd_device *device = kzalloc(sizeof(*device));
	int error = device ? pci_enable(pci) : -ENOMEM;

	if (error) {
		kfree(device);
		return error;
	}
	device->pci = pci;
	device->type = pci->device_id == DEVICE_IAX ? IDXD_IAX : IDXD_DSA;
	device->id = next_id;
	device->dma_number = -1;
	format_string(device->name, sizeof(device->name),
		      device->type == IDXD_DSA ? "dsa%u" : "iax%u", device->id);
	mutex_init(&device->mutex);
	spin_init(&device->error_lock);
	wait_queue_init(&device->commands);
	wait_queue_init(&device->error_waiters);
	error = iommu_sharing_enable(pci);
	if (error)
		log_info("%s: no queues for programs: error %d", device->name, error);
	pci_set_master(pci, true);
	error = map(device);
	if (!error)
		error = start(device);
	if (error) {
		log_warning("%s: %s cannot be used: error %d", device->name, pci->name, error);
		free_device(device);
		return error;
	}
	next_id++;
	pci->driver_data = device;
	LIST_INSERT_HEAD(&devices, device, link);
	log_info("%s: %u queues with %u entries, %u engines, %u groups, at %s", device->name,
		 device->queue_count, device->total_size, device->engine_count, device->group_count,
		 pci->name);
	return 0;
}

static const struct pci_id ids[] = { { VENDOR_INTEL, DEVICE_DSA },
				     { VENDOR_INTEL, DEVICE_IAX },
				     { 0, 0 } };

PCI_DRIVER(idxd_driver, .name = "idxd", .ids = ids, .probe = probe);
