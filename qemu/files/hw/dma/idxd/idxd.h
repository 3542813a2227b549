/*
 * The emulated DSA and IAX: state, layout of registers and descriptors.
 *
 * The layouts are those of the Intel Data Streaming Accelerator Architecture
 * Specification 1.2 (DSA) and of the Intel In-Memory Analytics Accelerator
 * Architecture Specification (IAX).
 *
 * All state is under the BQL.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_DMA_IDXD_H
#define HW_DMA_IDXD_H

#include "hw/enqueue.h"
#include "hw/pci/pci_device.h"
#include "qemu/timer.h"

#define TYPE_IDXD "tally-idxd"
OBJECT_DECLARE_TYPE(IdxdState, IdxdClass, IDXD)

#define IDXD_QUEUES       8
#define IDXD_GROUPS       4
#define IDXD_ENGINES      4
#define IDXD_VECTORS      9
#define IDXD_TOTAL_SIZE   128    /* entries of all queues together */
#define IDXD_XFER_SHIFT   31
#define IDXD_BATCH_SHIFT  10
#define IDXD_MAX_COUNTERS 32

/* BAR 0 (chapter 9). */
enum {
    IDXD_VERSION   = 0x00,
    IDXD_GENCAP    = 0x10,
    IDXD_WQCAP     = 0x20,
    IDXD_GRPCAP    = 0x30,
    IDXD_ENGCAP    = 0x38,
    IDXD_OPCAP     = 0x40,    /* 256 bits */
    IDXD_OFFSETS   = 0x60,    /* 128 bits, in units of 256 bytes */
    IDXD_GENCFG    = 0x80,
    IDXD_GENCTRL   = 0x88,
    IDXD_GENSTS    = 0x90,
    IDXD_INTCAUSE  = 0x98,
    IDXD_CMD       = 0xa0,
    IDXD_CMDSTS    = 0xa8,
    IDXD_CMDCAP    = 0xb0,
    IDXD_SWERROR   = 0xc0,    /* 256 bits */
    IDXD_GRPCFG    = 0x400,
    IDXD_WQCFG     = 0x500,
    IDXD_MSIX_PERM = 0x600,
    IDXD_PERFMON   = 0x1000,
    IDXD_PERFMON_END = 0x1800,
    IDXD_MSIX_TABLE = 0x2000,
    IDXD_MSIX_PBA  = 0x3000,
    IDXD_BAR0_SIZE = 0x10000,
};

#define IDXD_GRPCFG_SIZE    64
#define IDXD_GRPCFG_WORDS   12    /* four of queues, engines, flags; 64 bits each */
#define IDXD_WQCFG_SIZE     32
#define IDXD_PORTAL_SIZE    4096
#define IDXD_PORTALS        4     /* of a queue; two of them for IMS */

#define MSIX_PASID_ENABLE   (1u << 3)
#define MSIX_PASID(word)    ((word) >> 12)

#define GENCTRL_SWERR_INT   (1u << 0)

enum {
    GENSTS_DISABLED,
    GENSTS_ENABLED,
};

#define INTCAUSE_SWERROR    (1u << 0)
#define INTCAUSE_COMMAND    (1u << 1)
#define INTCAUSE_PERFMON    (1u << 3)

#define SWERROR_VALID       (1u << 0)
#define SWERROR_OVERFLOW    (1u << 1)
#define SWERROR_DESCRIPTOR  (1u << 2)
#define SWERROR_QUEUE       (1u << 3)
#define SWERROR_BATCH       (1u << 4)

/* WQCFG, by words of 32 bits. */
enum {
    WQCFG_SIZE,
    WQCFG_THRESHOLD,
    WQCFG_MODE,
    WQCFG_LIMITS,
    WQCFG_OCCUPANCY = 6,
    WQCFG_WORDS = 8,
};
#define WQCFG_DEDICATED     (1u << 0)
#define WQCFG_BLOCK_ON_FAULT (1u << 1)
#define WQCFG_PRIORITY(mode) ((mode) >> 4 & 0xf)
#define WQCFG_PASID(mode)   ((mode) >> 8 & 0xfffff)
#define WQCFG_PASID_ENABLE  (1u << 28)
#define WQCFG_PRIVILEGED    (1u << 29)
#define WQCFG_XFER_SHIFT(limits)  ((limits) & 0x1f)
#define WQCFG_BATCH_SHIFT(limits) ((limits) >> 5 & 0xf)
#define WQCFG_MODES_SUPPORTED (1u << 29)
#define WQCFG_ENABLED       (1u << 30)

/* GRPCFG's word of flags. */
#define GRPFLAGS_WORD       10
#define GRPENGINES_WORD     8
#define GRPFLAGS_TC(flags, b) ((flags) >> ((b) ? 3 : 0) & 7)

/* Descriptors (chapter 8). */
enum {
    OP_NOOP, OP_BATCH, OP_DRAIN, OP_MOVE, OP_FILL, OP_COMPARE, OP_PATTERN,
    OP_CRC = 0x10, OP_COPY_CRC,
    OP_COUNT,
};

enum {
    FLAG_FENCE       = 1u << 0,
    FLAG_BLOCK       = 1u << 1,     /* block on fault */
    FLAG_CR_VALID    = 1u << 2,     /* the completion record's address is */
    FLAG_CR_REQUEST  = 1u << 3,
    FLAG_INTERRUPT   = 1u << 4,
    FLAG_CHECK       = 1u << 7,     /* check the result */
    FLAG_CACHE       = 1u << 8,
    FLAG_TC1         = 1u << 9,     /* address 1 has traffic class B */
    FLAG_TC2         = 1u << 10,
    FLAG_CR_TC       = 1u << 12,
    FLAG_STRICT      = 1u << 13,
    FLAG_READBACK    = 1u << 14,
    FLAG_SEED        = 1u << 16,    /* of CRC: the seed is in memory */
    FLAG_BYPASS_CRC  = 1u << 17,    /* no inversion and reflection of the CRC */
    FLAG_BYPASS_DATA = 1u << 18,    /* no reflection of the data */
};

/* A descriptor's fields as numbers of the host. */
typedef struct IdxdDescriptor {
    uint32_t pasid;         /* with the bit of privilege, 31 */
    uint32_t flags;         /* 24 bits */
    uint8_t opcode;
    uint64_t completion;
    uint64_t address[2];    /* source or pattern or list; destination */
    uint32_t size;          /* or number of descriptors */
    uint16_t handle;
    uint8_t raw[ENQUEUE_BYTES];
} IdxdDescriptor;

/* Status of a completion record. */
enum {
    STATUS_SUCCESS      = 0x01,
    STATUS_FALSE        = 0x02,     /* success, and not the expected result */
    STATUS_FAULT        = 0x03,     /* an address without memory */
    STATUS_BATCH        = 0x05,     /* some descriptor of the batch failed */
    STATUS_BATCH_FAULT  = 0x06,     /* the list is at an address without memory */
    STATUS_OPCODE       = 0x10,
    STATUS_FLAGS        = 0x11,
    STATUS_RESERVED     = 0x12,
    STATUS_SIZE         = 0x13,
    STATUS_COUNT        = 0x14,
    STATUS_OVERLAP      = 0x16,
    STATUS_LIST_ALIGN   = 0x18,
    STATUS_HANDLE       = 0x19,
    STATUS_CR_ADDRESS   = 0x1a,
    STATUS_CR_ALIGN     = 0x1b,
    STATUS_PRIVILEGE    = 0x1d,
    STATUS_WRITE        = 0x80,     /* the address was written to */
};

/* Error codes of SWERROR for descriptors that no queue takes. */
enum {
    SWERROR_NOT_ENABLED = 0x31,
    SWERROR_FULL        = 0x32,
    SWERROR_SHARED      = 0x33,     /* a posted write to a shared queue */
};

typedef struct IdxdResult {
    uint8_t status;
    uint8_t result;
    uint32_t bytes;
    uint64_t fault;
    uint64_t value;         /* a CRC, or the invalid flags */
} IdxdResult;

typedef struct IdxdQueue {
    uint32_t config[WQCFG_WORDS];
    bool enabled;
    uint32_t head, count, in_flight;
    uint8_t entries[IDXD_TOTAL_SIZE][ENQUEUE_BYTES];
} IdxdQueue;

typedef struct IdxdEngine {
    IdxdState *device;
    QEMUTimer timer;
    bool busy;
    uint8_t queue;
    uint8_t descriptor[ENQUEUE_BYTES];
} IdxdEngine;

typedef struct IdxdCounter {
    uint64_t config, value;
    uint32_t filter[5];
} IdxdCounter;

struct IdxdState {
    PCIDevice parent_obj;

    MemoryRegion registers, portals;

    uint32_t gencfg, genctrl, gensts, intcause;
    uint32_t command, cmdsts;
    uint32_t awaited;           /* the queues that the command waits for */
    uint32_t swerror[8];
    uint32_t group[IDXD_GROUPS][IDXD_GRPCFG_WORDS];
    uint32_t msix_permission[IDXD_VECTORS * 2];
    uint8_t last_queue[IDXD_GROUPS];
    IdxdQueue queue[IDXD_QUEUES];
    IdxdEngine engine[IDXD_ENGINES];

    /*
     * While a descriptor is executed: its PASID or PCI_NO_PASID, and the
     * address space of its addresses; NULL: each address is a page fault.
     */
    uint32_t pasid;
    AddressSpace *memory;

    uint32_t ovfstatus, perffrz;
    IdxdCounter counter[IDXD_MAX_COUNTERS];

    /* Properties. */
    uint8_t counters, counter_width;
    uint32_t latency_ns;
};

struct IdxdClass {
    PCIDeviceClass parent_class;

    uint64_t opcap[4];
    uint32_t record_bytes;      /* of a completion record, which is so aligned */
    bool batches;
};

/* device.c: notifies the driver by MSI-X entry 0 of @cause. */
void idxd_cause(IdxdState *s, uint32_t cause);
/* device.c: the driver has enabled PASIDs in the configuration space. */
bool idxd_pasid_enabled(const IdxdState *s);
/*
 * device.c: the address space of requests with @pasid (PCI_NO_PASID: without
 * one), or NULL if the device can issue none.
 */
AddressSpace *idxd_memory(IdxdState *s, uint32_t pasid);
/* device.c: the state after Reset Device. */
void idxd_reset_device(IdxdState *s);

/* registers.c */
extern const MemoryRegionOps idxd_register_ops;

/* command.c: starts @command, a write to CMD. */
void idxd_command(IdxdState *s, uint32_t command);
/* command.c: ends the command that waits, if it waits for nothing more. */
void idxd_command_progress(IdxdState *s);
uint32_t idxd_cmdcap(void);

/* queue.c */
extern const MemoryRegionOps idxd_portal_ops;
bool idxd_enqueue(Object *owner, MemoryRegion *region, hwaddr offset,
                  const uint8_t descriptor[ENQUEUE_BYTES], bool deferrable);
/* Gives waiting descriptors to idle engines. */
void idxd_dispatch(IdxdState *s);
/* The group that engine @engine belongs to, or -1. */
int idxd_group_of_engine(const IdxdState *s, unsigned engine);
void idxd_engine_done(void *opaque);
void idxd_parse(IdxdDescriptor *d, const uint8_t raw[ENQUEUE_BYTES]);
/* Drops what is in queue @index and in the engines that work for it. */
void idxd_abort_queue(IdxdState *s, unsigned index);

/* operation.c: does descriptor @raw of queue @queue on @engine. */
void idxd_execute(IdxdState *s, unsigned engine, unsigned queue,
                  const uint8_t raw[ENQUEUE_BYTES]);
/* operation.c: records an error that has no completion record. */
void idxd_swerror(IdxdState *s, uint8_t error, int queue,
                  const IdxdDescriptor *d, int batch_index, uint64_t fault);

/* crc.c: updates @crc, a register of CRC-32C whose high bit goes first. */
uint32_t idxd_crc(uint32_t crc, const uint8_t *data, size_t length,
                  bool reflect);
uint32_t idxd_reflect(uint32_t value);

/*
 * perfmon.c: categories (appendix D), and the circumstances that filters look
 * at; -1: the event has none, and passes that filter.
 */
enum {
    CATEGORY_QUEUE, CATEGORY_ENGINE, CATEGORY_TRANSLATION, CATEGORY_OPERATION,
    CATEGORY_COMPLETION,
    CATEGORIES,
};

enum {
    EVENT_ENQ_LIMITED           = 1u << 0,
    EVENT_ENQ_LIMITED_RETRY     = 1u << 1,
    EVENT_ENQ_UNLIMITED         = 1u << 2,
    EVENT_ENQ_UNLIMITED_RETRY   = 1u << 3,
    EVENT_DEDICATED             = 1u << 4,

    EVENT_READ_UNITS            = 1u << 0,      /* of 32 bytes */
    EVENT_WRITE_UNITS           = 1u << 1,
    EVENT_READERS               = 1u << 2,
    EVENT_WRITERS               = 1u << 3,
    EVENT_FROM_BATCH            = 1u << 4,
    EVENT_FROM_QUEUE            = 1u << 5,

    EVENT_FAILED                = 1u << 3,
    EVENT_SUCCEEDED             = 1u << 4,
};

typedef struct IdxdWhere {
    int queue, tc, engine;
    int64_t size;
} IdxdWhere;

void idxd_count(IdxdState *s, unsigned category, uint32_t event,
                uint64_t amount, const IdxdWhere *where);
uint32_t idxd_perfmon_read(IdxdState *s, hwaddr offset);
void idxd_perfmon_write(IdxdState *s, hwaddr offset, uint32_t value);
void idxd_perfmon_reset(IdxdState *s, bool config, bool counters);
/* The event of category 3 for @opcode. */
uint32_t idxd_operation_event(unsigned opcode);

#endif
