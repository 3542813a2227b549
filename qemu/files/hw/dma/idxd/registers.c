/*
 * The emulated DSA and IAX: BAR 0.
 *
 * Registers are words of 32 bits here; the memory core splits longer accesses,
 * the low word first.  The configuration of a group, and the size of a queue,
 * cannot be written while the device is enabled; the rest of a queue's, while
 * the queue is.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "idxd.h"

#define VERSION_1           0x100

#define GENCAP_OVERLAP      (1ull << 1)
#define GENCAP_COMMANDS     (1ull << 4)
#define GENCAP_CONFIGURABLE (1ull << 31)
#define WQCAP_SHARED        (1ull << 48)
#define WQCAP_DEDICATED     (1ull << 49)
#define WQCAP_PRIORITY      (1ull << 51)
#define WQCAP_OCCUPANCY     (1ull << 52)

#define OFFSET_UNIT         0x100

static const uint32_t wqcfg_bits[WQCFG_WORDS] = {
    [WQCFG_SIZE] = 0xffff,
    [WQCFG_THRESHOLD] = 0xffff,
    [WQCFG_MODE] = 0x3ffffff3,
    [WQCFG_LIMITS] = 0x1ff,
};

static uint64_t capability(const IdxdState *s, hwaddr offset)
{
    const IdxdClass *class = IDXD_GET_CLASS(s);

    switch (offset) {
    case IDXD_VERSION:
        return VERSION_1;
    case IDXD_GENCAP:
        return GENCAP_OVERLAP | GENCAP_COMMANDS | GENCAP_CONFIGURABLE |
               IDXD_XFER_SHIFT << 16 |
               (class->batches ? IDXD_BATCH_SHIFT << 21 : 0);
    case IDXD_WQCAP:
        return IDXD_TOTAL_SIZE | IDXD_QUEUES << 16 | WQCAP_SHARED |
               WQCAP_DEDICATED | WQCAP_PRIORITY | WQCAP_OCCUPANCY;
    case IDXD_GRPCAP:
        return IDXD_GROUPS;
    case IDXD_ENGCAP:
        return IDXD_ENGINES;
    case IDXD_OPCAP ... IDXD_OPCAP + 24:
        return class->opcap[(offset - IDXD_OPCAP) / 8];
    case IDXD_OFFSETS:
        return IDXD_GRPCFG / OFFSET_UNIT |
               (uint64_t)IDXD_WQCFG / OFFSET_UNIT << 16 |
               (uint64_t)IDXD_MSIX_PERM / OFFSET_UNIT << 32;
    case IDXD_OFFSETS + 8:
        return IDXD_PERFMON / OFFSET_UNIT;
    default:
        return 0;
    }
}

static uint32_t queue_word(const IdxdState *s, hwaddr offset)
{
    const IdxdQueue *q = &s->queue[offset / IDXD_WQCFG_SIZE];
    unsigned word = offset % IDXD_WQCFG_SIZE / 4;

    if (word != WQCFG_OCCUPANCY) {
        return q->config[word];
    }
    return q->count | WQCFG_MODES_SUPPORTED | (q->enabled ? WQCFG_ENABLED : 0);
}

static void write_queue(IdxdState *s, hwaddr offset, uint32_t value)
{
    IdxdQueue *q = &s->queue[offset / IDXD_WQCFG_SIZE];
    unsigned word = offset % IDXD_WQCFG_SIZE / 4;

    if (q->enabled || (word == WQCFG_SIZE && s->gensts == GENSTS_ENABLED)) {
        return;
    }
    q->config[word] = value & wqcfg_bits[word];
}

static void write_group(IdxdState *s, hwaddr offset, uint32_t value)
{
    unsigned word = offset % IDXD_GRPCFG_SIZE / 4;
    uint32_t bits = word == 0 ? (1u << IDXD_QUEUES) - 1 :
                    word == GRPENGINES_WORD ? (1u << IDXD_ENGINES) - 1 :
                    word == GRPFLAGS_WORD ? 0x3f : 0;

    if (word < IDXD_GRPCFG_WORDS && s->gensts != GENSTS_ENABLED) {
        s->group[offset / IDXD_GRPCFG_SIZE][word] = value & bits;
    }
}

static uint64_t bar_read(void *opaque, hwaddr offset, unsigned size)
{
    IdxdState *s = opaque;
    unsigned word = offset % IDXD_GRPCFG_SIZE / 4;

    switch (offset) {
    case IDXD_GENCFG:
        return s->gencfg;
    case IDXD_GENCTRL:
        return s->genctrl;
    case IDXD_GENSTS:
        return s->gensts;
    case IDXD_INTCAUSE:
        return s->intcause;
    case IDXD_CMD:
        return s->command;
    case IDXD_CMDSTS:
        return s->cmdsts;
    case IDXD_CMDCAP:
        return idxd_cmdcap();
    case IDXD_SWERROR ... IDXD_SWERROR + 31:
        return s->swerror[(offset - IDXD_SWERROR) / 4];
    case IDXD_GRPCFG ... IDXD_GRPCFG + IDXD_GROUPS * IDXD_GRPCFG_SIZE - 1:
        return word < IDXD_GRPCFG_WORDS ?
               s->group[(offset - IDXD_GRPCFG) / IDXD_GRPCFG_SIZE][word] : 0;
    case IDXD_WQCFG ... IDXD_WQCFG + IDXD_QUEUES * IDXD_WQCFG_SIZE - 1:
        return queue_word(s, offset - IDXD_WQCFG);
    case IDXD_MSIX_PERM ... IDXD_MSIX_PERM + IDXD_VECTORS * 8 - 1:
        return s->msix_permission[(offset - IDXD_MSIX_PERM) / 4];
    case IDXD_PERFMON ... IDXD_PERFMON_END - 1:
        return idxd_perfmon_read(s, offset - IDXD_PERFMON);
    default:
        return offset & 4 ? capability(s, offset - 4) >> 32 :
                            (uint32_t)capability(s, offset);
    }
}

static void bar_write(void *opaque, hwaddr offset, uint64_t value,
                      unsigned size)
{
    IdxdState *s = opaque;

    switch (offset) {
    case IDXD_GENCFG:
        s->gencfg = value & 0xff;
        break;
    case IDXD_GENCTRL:
        s->genctrl = value & 3;
        break;
    case IDXD_INTCAUSE:
        s->intcause &= ~value;
        break;
    case IDXD_CMD:
        idxd_command(s, value);
        break;
    case IDXD_SWERROR:
        if (value & s->swerror[0] & SWERROR_VALID) {
            memset(s->swerror, 0, sizeof(s->swerror));
        } else {
            s->swerror[0] &= ~(value & SWERROR_OVERFLOW);
        }
        break;
    case IDXD_GRPCFG ... IDXD_GRPCFG + IDXD_GROUPS * IDXD_GRPCFG_SIZE - 1:
        write_group(s, offset - IDXD_GRPCFG, value);
        break;
    case IDXD_WQCFG ... IDXD_WQCFG + IDXD_QUEUES * IDXD_WQCFG_SIZE - 1:
        write_queue(s, offset - IDXD_WQCFG, value);
        break;
    case IDXD_MSIX_PERM ... IDXD_MSIX_PERM + IDXD_VECTORS * 8 - 1:
        s->msix_permission[(offset - IDXD_MSIX_PERM) / 4] =
            offset & 4 ? 0 : value & 0xfffff00c;
        break;
    case IDXD_PERFMON ... IDXD_PERFMON_END - 1:
        idxd_perfmon_write(s, offset - IDXD_PERFMON, value);
        break;
    default:
        break;
    }
}

const MemoryRegionOps idxd_register_ops = {
    .read = bar_read,
    .write = bar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 8 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};
