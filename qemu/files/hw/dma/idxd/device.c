/*
 * The emulated DSA and IAX: the PCI function.
 *
 * Two models share everything: tally-dsa and tally-iax.  They differ in PCI
 * identity, operations, and the completion record.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "hw/resettable.h"
#include "migration/vmstate.h"
#include "idxd.h"

#define TYPE_DSA "tally-dsa"
#define TYPE_IAX "tally-iax"

#define PCI_DEVICE_ID_DSA 0x0b25
#define PCI_DEVICE_ID_IAX 0x0cfe
#define PCIE_CAPABILITY   0x80
#define ATS_CAPABILITY    PCI_CONFIG_SPACE_SIZE
#define PRI_CAPABILITY    (ATS_CAPABILITY + PCI_EXT_CAP_ATS_SIZEOF)
#define PASID_CAPABILITY  (PRI_CAPABILITY + PCI_EXT_CAP_PRI_SIZEOF)
#define PASID_BITS        20
#define PAGE_REQUESTS     512

#define MIN_WIDTH 8

void idxd_cause(IdxdState *s, uint32_t cause)
{
    s->intcause |= cause;
    msix_notify(PCI_DEVICE(s), 0);
}

bool idxd_pasid_enabled(const IdxdState *s)
{
    return s->parent_obj.exp.exp_cap &&
           pci_get_word(s->parent_obj.config + PASID_CAPABILITY +
                        PCI_PASID_CTRL) & PCI_PASID_CTRL_ENABLE;
}

AddressSpace *idxd_memory(IdxdState *s, uint32_t pasid)
{
    PCIDevice *pci = PCI_DEVICE(s);

    if (pasid == PCI_NO_PASID) {
        return pci_get_address_space(pci);
    }
    if (!idxd_pasid_enabled(s) ||
        !(pci_get_word(pci->config + PCI_COMMAND) & PCI_COMMAND_MASTER)) {
        return NULL;
    }
    return pci_device_pasid_address_space(pci, pasid);
}

void idxd_reset_device(IdxdState *s)
{
    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        idxd_abort_queue(s, i);
        s->queue[i].enabled = false;
        memset(s->queue[i].config, 0, sizeof(s->queue[i].config));
    }
    memset(s->group, 0, sizeof(s->group));
    memset(s->msix_permission, 0, sizeof(s->msix_permission));
    memset(s->swerror, 0, sizeof(s->swerror));
    s->gencfg = 0;
    s->genctrl = 0;
    s->gensts = GENSTS_DISABLED;
    s->awaited = 0;
}

static void reset_hold(Object *obj, ResetType type)
{
    IdxdState *s = IDXD(obj);
    PCIDevice *pci = PCI_DEVICE(obj);

    if (pci->exp.exp_cap) {
        pci_set_word(pci->config + ATS_CAPABILITY + PCI_ATS_CTRL, 0);
        pci_set_word(pci->config + PRI_CAPABILITY + PCI_PRI_CTRL, 0);
        pci_set_long(pci->config + PRI_CAPABILITY + PCI_PRI_ALLOC_REQ, 0);
        pci_set_word(pci->config + PASID_CAPABILITY + PCI_PASID_CTRL, 0);
    }
    idxd_reset_device(s);
    idxd_perfmon_reset(s, true, true);
    memset(s->last_queue, 0, sizeof(s->last_queue));
    s->intcause = 0;
    s->command = 0;
    s->cmdsts = 0;
}

/*
 * What a driver needs to share address spaces.  No page is requested, as there
 * is no blocking on faults, so the page request interface is always stopped.
 */
static void add_sharing(PCIDevice *pci)
{
    uint8_t *pri, *pasid;

    pci_long_test_and_set_mask(pci->config + PCIE_CAPABILITY + PCI_EXP_DEVCAP2,
                               PCI_EXP_DEVCAP2_EETLPP);
    pcie_ats_init(pci, ATS_CAPABILITY, true);

    pcie_add_capability(pci, PCI_EXT_CAP_ID_PRI, 1, PRI_CAPABILITY,
                        PCI_EXT_CAP_PRI_SIZEOF);
    pri = pci->config + PRI_CAPABILITY;
    pci_set_word(pri + PCI_PRI_STATUS,
                 PCI_PRI_STATUS_STOPPED | PCI_PRI_STATUS_PASID);
    pci_set_long(pri + PCI_PRI_MAX_REQ, PAGE_REQUESTS);
    pci_set_word(pci->wmask + PRI_CAPABILITY + PCI_PRI_CTRL,
                 PCI_PRI_CTRL_ENABLE);
    pci_set_long(pci->wmask + PRI_CAPABILITY + PCI_PRI_ALLOC_REQ, UINT32_MAX);

    pcie_add_capability(pci, PCI_EXT_CAP_ID_PASID, 1, PASID_CAPABILITY,
                        PCI_EXT_CAP_PASID_SIZEOF);
    pasid = pci->config + PASID_CAPABILITY;
    pci_set_word(pasid + PCI_PASID_CAP, PASID_BITS << 8 | PCI_PASID_CAP_PRIV);
    pci_set_word(pci->wmask + PASID_CAPABILITY + PCI_PASID_CTRL,
                 PCI_PASID_CTRL_ENABLE | PCI_PASID_CTRL_PRIV);
}

static void write_config(PCIDevice *pci, uint32_t address, uint32_t value,
                         int length)
{
    pci_default_write_config(pci, address, value, length);
    if (pci->exp.exp_cap) {
        pcie_cap_flr_write_config(pci, address, value, length);
    }
}

static void realize(PCIDevice *pci, Error **errp)
{
    IdxdState *s = IDXD(pci);

    if (s->counters < 1 || s->counters > IDXD_MAX_COUNTERS) {
        error_setg(errp, "counters must be 1 to %u", IDXD_MAX_COUNTERS);
        return;
    }
    if (s->counter_width < MIN_WIDTH || s->counter_width > 64) {
        error_setg(errp, "counter-width must be %u to 64", MIN_WIDTH);
        return;
    }
    memory_region_init_io(&s->registers, OBJECT(s), &idxd_register_ops, s,
                          "idxd-registers", IDXD_BAR0_SIZE);
    memory_region_init_io(&s->portals, OBJECT(s), &idxd_portal_ops, s,
                          "idxd-portals",
                          IDXD_QUEUES * IDXD_PORTALS * IDXD_PORTAL_SIZE);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->registers);
    pci_register_bar(pci, 2, PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->portals);
    if (msix_init(pci, IDXD_VECTORS, &s->registers, 0, IDXD_MSIX_TABLE,
                  &s->registers, 0, IDXD_MSIX_PBA, 0, errp)) {
        return;
    }
    for (unsigned i = 0; i < IDXD_VECTORS; i++) {
        msix_vector_use(pci, i);
    }
    if (pci_bus_is_express(pci_get_bus(pci))) {
        pcie_endpoint_cap_init(pci, PCIE_CAPABILITY);
        pcie_cap_flr_init(pci);
        add_sharing(pci);
    }
    for (unsigned i = 0; i < IDXD_ENGINES; i++) {
        s->engine[i].device = s;
        timer_init_ns(&s->engine[i].timer, QEMU_CLOCK_VIRTUAL, idxd_engine_done,
                      &s->engine[i]);
    }
}

static void unrealize(PCIDevice *pci)
{
    IdxdState *s = IDXD(pci);

    for (unsigned i = 0; i < IDXD_ENGINES; i++) {
        timer_del(&s->engine[i].timer);
    }
    if (pci->exp.exp_cap) {
        pcie_cap_exit(pci);
    }
    msix_uninit(pci, &s->registers, &s->registers);
}

static const VMStateDescription vmstate_queue = {
    .name = "idxd/queue",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_ARRAY(config, IdxdQueue, WQCFG_WORDS),
        VMSTATE_BOOL(enabled, IdxdQueue),
        VMSTATE_UINT32(head, IdxdQueue),
        VMSTATE_UINT32(count, IdxdQueue),
        VMSTATE_UINT32(in_flight, IdxdQueue),
        VMSTATE_BUFFER_UNSAFE(entries, IdxdQueue, 0,
                              IDXD_TOTAL_SIZE * ENQUEUE_BYTES),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_engine = {
    .name = "idxd/engine",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_TIMER(timer, IdxdEngine),
        VMSTATE_BOOL(busy, IdxdEngine),
        VMSTATE_UINT8(queue, IdxdEngine),
        VMSTATE_UINT8_ARRAY(descriptor, IdxdEngine, ENQUEUE_BYTES),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_counter = {
    .name = "idxd/counter",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(config, IdxdCounter),
        VMSTATE_UINT64(value, IdxdCounter),
        VMSTATE_UINT32_ARRAY(filter, IdxdCounter, 5),
        VMSTATE_END_OF_LIST()
    }
};

/* Refuses what an index or a queue's size cannot be. */
static int post_load(void *opaque, int version)
{
    IdxdState *s = opaque;

    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        if (s->queue[i].head >= IDXD_TOTAL_SIZE ||
            s->queue[i].count > IDXD_TOTAL_SIZE ||
            s->queue[i].in_flight > IDXD_ENGINES ||
            (s->queue[i].enabled &&
             s->queue[i].config[WQCFG_SIZE] > IDXD_TOTAL_SIZE)) {
            return -EINVAL;
        }
    }
    for (unsigned i = 0; i < IDXD_ENGINES; i++) {
        if (s->engine[i].queue >= IDXD_QUEUES) {
            return -EINVAL;
        }
    }
    return 0;
}

static const VMStateDescription vmstate_idxd = {
    .name = "idxd",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, IdxdState),
        VMSTATE_MSIX(parent_obj, IdxdState),
        VMSTATE_UINT32(gencfg, IdxdState),
        VMSTATE_UINT32(genctrl, IdxdState),
        VMSTATE_UINT32(gensts, IdxdState),
        VMSTATE_UINT32(intcause, IdxdState),
        VMSTATE_UINT32(command, IdxdState),
        VMSTATE_UINT32(cmdsts, IdxdState),
        VMSTATE_UINT32(awaited, IdxdState),
        VMSTATE_UINT32_ARRAY(swerror, IdxdState, 8),
        VMSTATE_UINT32_2DARRAY(group, IdxdState, IDXD_GROUPS,
                               IDXD_GRPCFG_WORDS),
        VMSTATE_UINT32_ARRAY(msix_permission, IdxdState, IDXD_VECTORS * 2),
        VMSTATE_UINT8_ARRAY(last_queue, IdxdState, IDXD_GROUPS),
        VMSTATE_STRUCT_ARRAY(queue, IdxdState, IDXD_QUEUES, 1, vmstate_queue,
                             IdxdQueue),
        VMSTATE_STRUCT_ARRAY(engine, IdxdState, IDXD_ENGINES, 1,
                             vmstate_engine, IdxdEngine),
        VMSTATE_UINT32(ovfstatus, IdxdState),
        VMSTATE_UINT32(perffrz, IdxdState),
        VMSTATE_STRUCT_ARRAY(counter, IdxdState, IDXD_MAX_COUNTERS, 1,
                             vmstate_counter, IdxdCounter),
        VMSTATE_END_OF_LIST()
    }
};

static const Property idxd_properties[] = {
    DEFINE_PROP_UINT8("counters", IdxdState, counters, 8),
    DEFINE_PROP_UINT8("counter-width", IdxdState, counter_width, 32),
    DEFINE_PROP_UINT32("latency-ns", IdxdState, latency_ns, 1000),
};

/* Before the function's configuration space is made, which is longer then. */
static void idxd_instance_init(Object *obj)
{
    PCI_DEVICE(obj)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static void idxd_class_init(ObjectClass *class, void *data)
{
    DeviceClass *device = DEVICE_CLASS(class);
    PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

    pci->realize = realize;
    pci->exit = unrealize;
    pci->config_write = write_config;
    pci->vendor_id = PCI_VENDOR_ID_INTEL;
    pci->class_id = PCI_CLASS_SYSTEM_OTHER;
    RESETTABLE_CLASS(class)->phases.hold = reset_hold;
    device->vmsd = &vmstate_idxd;
    device_class_set_props(device, idxd_properties);
    set_bit(DEVICE_CATEGORY_MISC, device->categories);
    ENQUEUE_TARGET_CLASS(class)->enqueue = idxd_enqueue;
}

static void dsa_class_init(ObjectClass *class, void *data)
{
    IdxdClass *idxd = IDXD_CLASS(class);

    PCI_DEVICE_CLASS(class)->device_id = PCI_DEVICE_ID_DSA;
    DEVICE_CLASS(class)->desc = "Data Streaming Accelerator";
    idxd->opcap[0] = 1 << OP_NOOP | 1 << OP_BATCH | 1 << OP_DRAIN |
                     1 << OP_MOVE | 1 << OP_FILL | 1 << OP_COMPARE |
                     1 << OP_PATTERN | 1 << OP_CRC | 1 << OP_COPY_CRC;
    idxd->record_bytes = 32;
    idxd->batches = true;
}

static void iax_class_init(ObjectClass *class, void *data)
{
    IdxdClass *idxd = IDXD_CLASS(class);

    PCI_DEVICE_CLASS(class)->device_id = PCI_DEVICE_ID_IAX;
    DEVICE_CLASS(class)->desc = "In-Memory Analytics Accelerator";
    idxd->opcap[0] = 1 << OP_NOOP | 1 << OP_DRAIN | 1 << OP_MOVE;
    idxd->record_bytes = 64;
}

static const TypeInfo idxd_types[] = {
    {
        .name = TYPE_ENQUEUE_TARGET,
        .parent = TYPE_INTERFACE,
        .class_size = sizeof(EnqueueTargetClass),
    }, {
        .name = TYPE_IDXD,
        .parent = TYPE_PCI_DEVICE,
        .abstract = true,
        .instance_size = sizeof(IdxdState),
        .instance_init = idxd_instance_init,
        .class_size = sizeof(IdxdClass),
        .class_init = idxd_class_init,
        .interfaces = (InterfaceInfo[]) {
            { INTERFACE_PCIE_DEVICE },
            { INTERFACE_CONVENTIONAL_PCI_DEVICE },
            { TYPE_ENQUEUE_TARGET },
            { }
        },
    }, {
        .name = TYPE_DSA,
        .parent = TYPE_IDXD,
        .class_init = dsa_class_init,
    }, {
        .name = TYPE_IAX,
        .parent = TYPE_IDXD,
        .class_init = iax_class_init,
    },
};
DEFINE_TYPES(idxd_types)
