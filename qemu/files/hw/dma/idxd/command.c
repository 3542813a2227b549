/*
 * The emulated DSA and IAX: commands.
 *
 * A command that disables or drains waits until its queues are empty and no
 * engine works for them; all others end at once.  Checks come before effects.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "idxd.h"

enum {
    CMD_ENABLE_DEVICE = 1, CMD_DISABLE_DEVICE, CMD_DRAIN_ALL, CMD_ABORT_ALL,
    CMD_RESET_DEVICE, CMD_ENABLE_QUEUE, CMD_DISABLE_QUEUE, CMD_DRAIN_QUEUE,
    CMD_ABORT_QUEUE, CMD_RESET_QUEUE,
};

#define CMD_CODE(command)    ((command) >> 20 & 0x1f)
#define CMD_OPERAND(command) ((command) & 0xfffff)
#define CMD_INTERRUPT        (1u << 31)
#define CMDSTS_ACTIVE        (1u << 31)

enum {
    ERROR_COMMAND      = 0x01,
    ERROR_QUEUE        = 0x02,
    ERROR_ENABLED      = 0x10,
    ERROR_BUS_MASTER   = 0x12,
    ERROR_TOTAL_SIZE   = 0x14,
    ERROR_QUEUE_GROUPS = 0x15,    /* a queue or an engine in two groups */
    ERROR_NO_ENGINE    = 0x16,    /* queues without an engine */
    ERROR_NO_DEVICE    = 0x20,
    ERROR_QUEUE_ENABLED = 0x21,
    ERROR_QUEUE_SIZE   = 0x22,
    ERROR_PRIORITY     = 0x23,
    ERROR_MODE         = 0x24,
    ERROR_BLOCK        = 0x25,
    ERROR_PASID        = 0x26,
    ERROR_BATCH_SIZE   = 0x27,
    ERROR_XFER_SIZE    = 0x28,
    ERROR_DEVICE_OFF   = 0x31,
    ERROR_QUEUE_OFF    = 0x32,
};

#define ALL_QUEUES ((1u << IDXD_QUEUES) - 1)

uint32_t idxd_cmdcap(void)
{
    return MAKE_64BIT_MASK(CMD_ENABLE_DEVICE, CMD_RESET_QUEUE);
}

static bool busy(const IdxdState *s, uint32_t queues)
{
    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        if (queues >> i & 1 && (s->queue[i].count || s->queue[i].in_flight)) {
            return true;
        }
    }
    return false;
}

static uint32_t enabled_queues(const IdxdState *s)
{
    uint32_t queues = 0;

    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        queues |= (uint32_t)s->queue[i].enabled << i;
    }
    return queues;
}

static uint8_t check_device(IdxdState *s)
{
    uint32_t total = 0, queues = 0, engines = 0;

    if (s->gensts == GENSTS_ENABLED) {
        return ERROR_ENABLED;
    }
    if (!(pci_get_word(PCI_DEVICE(s)->config + PCI_COMMAND) &
          PCI_COMMAND_MASTER)) {
        return ERROR_BUS_MASTER;
    }
    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        total += s->queue[i].config[WQCFG_SIZE];
    }
    if (total > IDXD_TOTAL_SIZE) {
        return ERROR_TOTAL_SIZE;
    }
    for (unsigned i = 0; i < IDXD_GROUPS; i++) {
        uint32_t group_queues = s->group[i][0];
        uint32_t group_engines = s->group[i][GRPENGINES_WORD];

        if (queues & group_queues || engines & group_engines) {
            return ERROR_QUEUE_GROUPS;
        }
        if (group_queues && !group_engines) {
            return ERROR_NO_ENGINE;
        }
        queues |= group_queues;
        engines |= group_engines;
    }
    return 0;
}

static uint8_t check_queue(const IdxdState *s, uint32_t index)
{
    const IdxdQueue *q;
    uint32_t mode, limits;

    if (s->gensts != GENSTS_ENABLED) {
        return ERROR_NO_DEVICE;
    }
    if (index >= IDXD_QUEUES) {
        return ERROR_QUEUE;
    }
    q = &s->queue[index];
    mode = q->config[WQCFG_MODE];
    limits = q->config[WQCFG_LIMITS];
    if (q->enabled) {
        return ERROR_QUEUE_ENABLED;
    }
    if (!q->config[WQCFG_SIZE]) {
        return ERROR_QUEUE_SIZE;
    }
    if (!WQCFG_PRIORITY(mode)) {
        return ERROR_PRIORITY;
    }
    if (!(mode & WQCFG_DEDICATED) &&
        (!q->config[WQCFG_THRESHOLD] ||
         q->config[WQCFG_THRESHOLD] > q->config[WQCFG_SIZE])) {
        return ERROR_MODE;
    }
    if (mode & WQCFG_BLOCK_ON_FAULT) {
        return ERROR_BLOCK;
    }
    if (mode & WQCFG_PASID_ENABLE && !idxd_pasid_enabled(s)) {
        return ERROR_PASID;
    }
    if (WQCFG_BATCH_SHIFT(limits) > IDXD_BATCH_SHIFT) {
        return ERROR_BATCH_SIZE;
    }
    if (WQCFG_XFER_SHIFT(limits) > IDXD_XFER_SHIFT) {
        return ERROR_XFER_SIZE;
    }
    return 0;
}

static void finish(IdxdState *s, uint8_t error)
{
    s->cmdsts = error;
    if (s->command & CMD_INTERRUPT) {
        idxd_cause(s, INTCAUSE_COMMAND);
    }
}

/* The size stays: it cannot be written while the device is enabled. */
static void reset_queue(IdxdState *s, unsigned index)
{
    uint32_t size = s->queue[index].config[WQCFG_SIZE];

    memset(s->queue[index].config, 0, sizeof(s->queue[index].config));
    s->queue[index].config[WQCFG_SIZE] = size;
}

/* Ends the command whose queues are empty. */
static void settle(IdxdState *s)
{
    uint32_t code = CMD_CODE(s->command);

    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        if (s->awaited >> i & 1 && code == CMD_RESET_QUEUE) {
            reset_queue(s, i);
        }
    }
    if (code == CMD_DISABLE_DEVICE) {
        s->gensts = GENSTS_DISABLED;
    }
    s->awaited = 0;
    finish(s, 0);
}

void idxd_command_progress(IdxdState *s)
{
    if (s->cmdsts & CMDSTS_ACTIVE && !busy(s, s->awaited)) {
        settle(s);
    }
}

/*
 * Waits for @queues.  They take no more descriptors if the command disables
 * them, or a steady stream would keep the command from its end.
 */
static void await(IdxdState *s, uint32_t queues, bool disable)
{
    for (unsigned i = 0; i < IDXD_QUEUES && disable; i++) {
        if (queues >> i & 1) {
            s->queue[i].enabled = false;
        }
    }
    s->awaited = queues;
    s->cmdsts = CMDSTS_ACTIVE;
    idxd_command_progress(s);
}

/* The queues of an operand: 16 of them, from 16 times the upper part on. */
static uint32_t operand_queues(uint32_t operand)
{
    uint32_t queues = operand & 0xffff, part = operand >> 16;

    return part || queues & ~ALL_QUEUES ? 0 : queues;
}

static void abort_queues(IdxdState *s, uint32_t queues)
{
    for (unsigned i = 0; i < IDXD_QUEUES; i++) {
        if (queues >> i & 1) {
            idxd_abort_queue(s, i);
        }
    }
}

static void queue_command(IdxdState *s, uint32_t code, uint32_t operand)
{
    uint32_t queues = operand_queues(operand);

    if (s->gensts != GENSTS_ENABLED) {
        finish(s, ERROR_QUEUE_OFF);
        return;
    }
    if (!queues) {
        finish(s, ERROR_QUEUE);
        return;
    }
    if (queues & ~enabled_queues(s)) {
        finish(s, ERROR_QUEUE_OFF);
        return;
    }
    if (code == CMD_ABORT_QUEUE || code == CMD_RESET_QUEUE) {
        abort_queues(s, queues);
    }
    await(s, queues, code == CMD_DISABLE_QUEUE || code == CMD_RESET_QUEUE);
}

void idxd_command(IdxdState *s, uint32_t command)
{
    uint32_t code = CMD_CODE(command), operand = CMD_OPERAND(command);
    uint8_t error;

    if (s->cmdsts & CMDSTS_ACTIVE) {
        return;     /* undefined by the specification */
    }
    s->command = command;
    switch (code) {
    case CMD_ENABLE_DEVICE:
        error = check_device(s);
        if (!error) {
            s->gensts = GENSTS_ENABLED;
        }
        finish(s, error);
        break;
    case CMD_DISABLE_DEVICE:
        if (s->gensts != GENSTS_ENABLED) {
            finish(s, ERROR_DEVICE_OFF);
            break;
        }
        await(s, ALL_QUEUES, true);
        break;
    case CMD_ABORT_ALL:
        abort_queues(s, ALL_QUEUES);
        /* fall through */
    case CMD_DRAIN_ALL:
        await(s, ALL_QUEUES, false);
        break;
    case CMD_RESET_DEVICE:
        idxd_reset_device(s);
        finish(s, 0);
        break;
    case CMD_ENABLE_QUEUE:
        error = check_queue(s, operand);
        if (!error) {
            s->queue[operand].enabled = true;
        }
        finish(s, error);
        break;
    case CMD_DISABLE_QUEUE:
    case CMD_DRAIN_QUEUE:
    case CMD_ABORT_QUEUE:
    case CMD_RESET_QUEUE:
        queue_command(s, code, operand);
        break;
    default:
        finish(s, ERROR_COMMAND);
        break;
    }
}
