/*
 * The emulated DSA and IAX: what a descriptor does.
 *
 * Checks come before effects, in the order of the table of chapter 8: a
 * descriptor that is refused has touched no memory but its completion record.
 * Memory is accessed page by page, so that a fault has the exact address and
 * the bytes before it are done.
 *
 * A descriptor with a PASID has addresses of the program that the PASID stands
 * for, and one without PASID the bus's.  An address that is not translated, or
 * without memory behind it, is a page fault.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci_bus.h"
#include "idxd.h"

#define PAGE      4096
#define UNIT      32
#define LIST_ITEM ENQUEUE_BYTES

#define PRIVILEGED (1u << 31)
#define PASID_MASK 0xfffffu

#define FLAGS_ALWAYS (FLAG_FENCE | FLAG_CR_VALID | FLAG_CR_REQUEST | \
                      FLAG_INTERRUPT | FLAG_CR_TC)
#define FLAGS_READ   (FLAG_CACHE | FLAG_TC1)
#define FLAGS_WRITE  (FLAG_CACHE | FLAG_TC2 | FLAG_STRICT | FLAG_READBACK)
#define FLAGS_CRC    (FLAG_SEED | FLAG_BYPASS_CRC | FLAG_BYPASS_DATA)

/* Bit i: byte i must be zero. */
#define BYTES(from, to) MAKE_64BIT_MASK(from, (to) - (from))
#define RESERVED_ALWAYS BYTES(38, 40)

typedef struct Operation {
    uint32_t flags;
    uint64_t reserved;
    bool sized, reads, writes;
    void (*run)(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r);
} Operation;

static bool get(IdxdState *s, uint64_t address, void *data, size_t length,
                IdxdResult *r)
{
    const MemTxAttrs attrs = {
        .requester_id = pci_requester_id(PCI_DEVICE(s)),
    };

    if (s->memory &&
        dma_memory_read(s->memory, address, data, length, attrs) == MEMTX_OK) {
        return true;
    }
    r->status = STATUS_FAULT;
    r->fault = address;
    return false;
}

static bool put(IdxdState *s, uint64_t address, const void *data, size_t length,
                IdxdResult *r)
{
    const MemTxAttrs attrs = {
        .requester_id = pci_requester_id(PCI_DEVICE(s)),
    };

    if (s->memory &&
        dma_memory_write(s->memory, address, data, length, attrs) == MEMTX_OK) {
        return true;
    }
    r->status = STATUS_FAULT | STATUS_WRITE;
    r->fault = address;
    return false;
}

/* The bytes from @address to the end of its page, but no more than @most. */
static uint32_t to_page_end(uint64_t address, uint32_t most)
{
    return MIN(most, PAGE - address % PAGE);
}

/* The bytes before @end in its page, but no more than @most. */
static uint32_t from_page_start(uint64_t end, uint32_t most)
{
    return MIN(most, (end - 1) % PAGE + 1);
}

static void run_nothing(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
}

static void move_backward(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    uint8_t data[PAGE];

    r->result = 1;      /* the bytes that are done are the last ones */
    while (r->bytes < d->size) {
        uint32_t left = d->size - r->bytes;
        uint32_t n = from_page_start(d->address[1] + left,
                                     from_page_start(d->address[0] + left, left));

        if (!get(s, d->address[0] + left - n, data, n, r) ||
            !put(s, d->address[1] + left - n, data, n, r)) {
            return;
        }
        r->bytes += n;
    }
}

/* Moves, and lets @crc, if it is not NULL, see the bytes. */
static void move_forward(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r,
                         uint32_t *crc, bool store)
{
    uint8_t data[PAGE];

    while (r->bytes < d->size) {
        uint32_t n = to_page_end(d->address[0] + r->bytes, d->size - r->bytes);

        if (store) {
            n = to_page_end(d->address[1] + r->bytes, n);
        }
        if (!get(s, d->address[0] + r->bytes, data, n, r) ||
            (store && !put(s, d->address[1] + r->bytes, data, n, r))) {
            return;
        }
        if (crc) {
            *crc = idxd_crc(*crc, data, n, !(d->flags & FLAG_BYPASS_DATA));
        }
        r->bytes += n;
    }
}

static void run_move(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    if (d->address[1] > d->address[0] &&
        d->address[1] - d->address[0] < d->size) {
        move_backward(s, d, r);
    } else {
        move_forward(s, d, r, NULL, true);
    }
}

static void run_fill(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    uint8_t data[PAGE], pattern[8];

    stq_le_p(pattern, d->address[0]);
    while (r->bytes < d->size) {
        uint32_t n = to_page_end(d->address[1] + r->bytes, d->size - r->bytes);

        for (uint32_t i = 0; i < n; i++) {
            data[i] = pattern[(r->bytes + i) % sizeof(pattern)];
        }
        if (!put(s, d->address[1] + r->bytes, data, n, r)) {
            return;
        }
        r->bytes += n;
    }
}

/* Ends a comparison; @equal: the result is 0. */
static void compared(const IdxdDescriptor *d, IdxdResult *r, bool equal)
{
    uint8_t expected = d->raw[40] & 1;

    r->result = !equal;
    if (d->flags & FLAG_CHECK && r->result != expected) {
        r->status = STATUS_FALSE;
    }
}

/* Counts the equal bytes of @a and @b from the start; returns true if all are. */
static bool equal_bytes(const uint8_t *a, const uint8_t *b, uint32_t n,
                        IdxdResult *r)
{
    for (uint32_t i = 0; i < n; i++, r->bytes++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static void run_compare(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    uint8_t data[2][PAGE];

    while (r->bytes < d->size) {
        uint32_t n = to_page_end(d->address[0] + r->bytes, d->size - r->bytes);

        n = to_page_end(d->address[1] + r->bytes, n);
        if (!get(s, d->address[0] + r->bytes, data[0], n, r) ||
            !get(s, d->address[1] + r->bytes, data[1], n, r)) {
            return;
        }
        if (!equal_bytes(data[0], data[1], n, r)) {
            compared(d, r, false);
            return;
        }
    }
    compared(d, r, true);
}

static void run_pattern(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    uint8_t data[PAGE], expected[PAGE], pattern[8];

    stq_le_p(pattern, d->address[1]);
    while (r->bytes < d->size) {
        uint32_t n = to_page_end(d->address[0] + r->bytes, d->size - r->bytes);

        for (uint32_t i = 0; i < n; i++) {
            expected[i] = pattern[(r->bytes + i) % sizeof(pattern)];
        }
        if (!get(s, d->address[0] + r->bytes, data, n, r)) {
            return;
        }
        if (!equal_bytes(data, expected, n, r)) {
            compared(d, r, false);
            return;
        }
    }
    compared(d, r, true);
}

/* The seed and the result are inverted and reflected, unless it is bypassed. */
static uint32_t turn_crc(const IdxdDescriptor *d, uint32_t crc)
{
    return d->flags & FLAG_BYPASS_CRC ? crc : ~idxd_reflect(crc);
}

static void crc(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r, bool store)
{
    uint32_t value = ldl_le_p(d->raw + 40);
    uint8_t seed[4];

    if (d->flags & FLAG_SEED) {
        if (!get(s, ldq_le_p(d->raw + 48), seed, sizeof(seed), r)) {
            return;
        }
        value = ldl_le_p(seed);
    }
    value = turn_crc(d, value);
    move_forward(s, d, r, &value, store);
    r->value = turn_crc(d, value);
}

static void run_crc(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    crc(s, d, r, false);
}

static void run_copy_crc(IdxdState *s, const IdxdDescriptor *d, IdxdResult *r)
{
    crc(s, d, r, true);
}

static const Operation operations[OP_COUNT] = {
    [OP_NOOP] = { FLAGS_ALWAYS, BYTES(16, 36) | BYTES(40, 64),
                  .run = run_nothing },
    [OP_BATCH] = { FLAGS_ALWAYS | FLAG_TC1, BYTES(24, 32) | BYTES(40, 64) },
    [OP_DRAIN] = { FLAGS_ALWAYS, BYTES(16, 36) | BYTES(40, 64),
                   .run = run_nothing },
    [OP_MOVE] = { FLAGS_ALWAYS | FLAGS_READ | FLAGS_WRITE, BYTES(40, 64),
                  true, true, true, run_move },
    [OP_FILL] = { FLAGS_ALWAYS | FLAGS_WRITE, BYTES(40, 64),
                  true, false, true, run_fill },
    [OP_COMPARE] = { FLAGS_ALWAYS | FLAGS_READ | FLAG_TC2 | FLAG_CHECK,
                     BYTES(41, 64), true, true, false, run_compare },
    [OP_PATTERN] = { FLAGS_ALWAYS | FLAGS_READ | FLAG_CHECK, BYTES(41, 64),
                     true, true, false, run_pattern },
    [OP_CRC] = { FLAGS_ALWAYS | FLAGS_READ | FLAGS_CRC,
                 BYTES(24, 32) | BYTES(44, 48) | BYTES(56, 64),
                 true, true, false, run_crc },
    [OP_COPY_CRC] = { FLAGS_ALWAYS | FLAGS_READ | FLAGS_WRITE | FLAGS_CRC,
                      BYTES(44, 48) | BYTES(56, 64),
                      true, true, true, run_copy_crc },
};

void idxd_swerror(IdxdState *s, uint8_t error, int queue,
                  const IdxdDescriptor *d, int batch_index, uint64_t fault)
{
    if (s->swerror[0] & SWERROR_VALID) {
        s->swerror[0] |= SWERROR_OVERFLOW;
        return;
    }
    s->swerror[0] = SWERROR_VALID | SWERROR_DESCRIPTOR | SWERROR_QUEUE |
                    (batch_index >= 0 ? SWERROR_BATCH : 0) |
                    error << 8 | queue << 16;
    s->swerror[1] = d->opcode | (d->pasid & 0xfffff) << 8;
    s->swerror[2] = MAX(batch_index, 0);
    s->swerror[3] = 0;
    s->swerror[4] = fault;
    s->swerror[5] = fault >> 32;
    if (s->genctrl & GENCTRL_SWERR_INT) {
        idxd_cause(s, INTCAUSE_SWERROR);
    }
}

static bool overlap(const IdxdDescriptor *d)
{
    uint64_t a = d->address[0], b = d->address[1];

    return (a <= b ? b - a : a - b) < d->size;
}

static bool reserved_set(const IdxdDescriptor *d, uint64_t bytes)
{
    for (unsigned i = 0; i < ENQUEUE_BYTES; i++) {
        if (bytes >> i & 1 && d->raw[i]) {
            return true;
        }
    }
    return false;
}

/* The flags of @d that must not be set. */
static uint32_t invalid_flags(const IdxdDescriptor *d, bool in_batch)
{
    uint32_t allowed = operations[d->opcode].flags;

    if (!in_batch) {
        allowed &= ~FLAG_FENCE;
    }
    if (!(d->flags & FLAG_CR_VALID)) {
        allowed &= ~FLAG_CR_REQUEST;
    }
    return d->flags & ~allowed;
}

/* The interrupt of @handle is for descriptors with this one's PASID. */
static bool may_interrupt(const IdxdState *s, uint16_t handle)
{
    uint32_t permission;

    if (handle >= IDXD_VECTORS) {
        return false;
    }
    permission = s->msix_permission[handle * 2];
    return s->pasid == (permission & MSIX_PASID_ENABLE ?
                        MSIX_PASID(permission) : PCI_NO_PASID);
}

/* Returns 0, or the status with which @d is refused. */
static uint8_t check(IdxdState *s, unsigned queue, const IdxdDescriptor *d,
                     bool in_batch, IdxdResult *r)
{
    const IdxdClass *class = IDXD_GET_CLASS(s);
    const uint32_t *config = s->queue[queue].config;
    uint32_t limits = config[WQCFG_LIMITS];
    uint64_t reserved;

    if (d->opcode >= OP_COUNT || !(class->opcap[0] >> d->opcode & 1) ||
        (in_batch && (d->opcode == OP_BATCH || d->opcode == OP_DRAIN))) {
        return STATUS_OPCODE;
    }
    if (!(config[WQCFG_MODE] & (WQCFG_DEDICATED | WQCFG_PRIVILEGED)) &&
        d->pasid & PRIVILEGED) {
        return STATUS_PRIVILEGE;
    }
    r->value = invalid_flags(d, in_batch);
    if (r->value) {
        return STATUS_FLAGS;
    }
    reserved = operations[d->opcode].reserved | RESERVED_ALWAYS;
    if (d->opcode >= OP_CRC) {
        reserved |= d->flags & FLAG_SEED ? BYTES(40, 44) : BYTES(48, 56);
    }
    if (reserved_set(d, reserved)) {
        return STATUS_RESERVED;
    }
    if (d->flags & FLAG_CR_VALID && d->completion % class->record_bytes) {
        return STATUS_CR_ALIGN;
    }
    if (d->flags & FLAG_INTERRUPT && !may_interrupt(s, d->handle)) {
        return STATUS_HANDLE;
    }
    if (operations[d->opcode].sized &&
        (!d->size || d->size > 1ull << WQCFG_XFER_SHIFT(limits))) {
        return STATUS_SIZE;
    }
    if (d->opcode == OP_COPY_CRC && overlap(d)) {
        return STATUS_OVERLAP;
    }
    if (d->opcode == OP_BATCH) {
        if (d->size < 2 || d->size > 1u << WQCFG_BATCH_SHIFT(limits)) {
            return STATUS_COUNT;
        }
        if (d->address[0] % LIST_ITEM) {
            return STATUS_LIST_ALIGN;
        }
    }
    return 0;
}

/* Writes the record, its status last; returns false if there is no memory. */
static bool write_record(IdxdState *s, const IdxdDescriptor *d,
                         const IdxdResult *r)
{
    uint32_t length = IDXD_GET_CLASS(s)->record_bytes;
    uint8_t record[64] = { 0 };
    IdxdResult ignored;

    record[0] = r->status;
    record[1] = r->result;
    stl_le_p(record + 4, r->bytes);
    stq_le_p(record + 8, r->fault);
    stq_le_p(record + 16, r->value);
    if (!put(s, d->completion + 1, record + 1, length - 1, &ignored)) {
        return false;
    }
    smp_wmb();
    return put(s, d->completion, record, 1, &ignored);
}

/* @batch_index: -1 if @d comes from the queue. */
static void complete(IdxdState *s, unsigned queue, const IdxdDescriptor *d,
                     int batch_index, const IdxdResult *r)
{
    bool good = r->status == STATUS_SUCCESS || r->status == STATUS_FALSE;
    bool can = d->flags & FLAG_CR_VALID && r->status != STATUS_CR_ALIGN;

    if (!can && !good) {
        idxd_swerror(s, r->status, queue, d, batch_index, r->fault);
    } else if (can && (!good || d->flags & FLAG_CR_REQUEST ||
                       r->status != STATUS_SUCCESS) &&
               !write_record(s, d, r)) {
        idxd_swerror(s, STATUS_CR_ADDRESS, queue, d, batch_index,
                     d->completion);
    }
    if (d->flags & FLAG_INTERRUPT && may_interrupt(s, d->handle)) {
        msix_notify(PCI_DEVICE(s), d->handle);
    }
}

/* The number of aligned units that @size bytes at @address touch. */
static uint64_t units(uint64_t address, uint32_t size)
{
    return size ? DIV_ROUND_UP(address % UNIT + size, UNIT) : 0;
}

/* Counts what a work descriptor that passed its checks did. */
static void count_work(IdxdState *s, const IdxdDescriptor *d,
                       const IdxdResult *r, IdxdWhere where, uint32_t flags)
{
    const Operation *op = &operations[d->opcode];
    uint64_t read = 0, written = 0;

    if (op->reads) {
        read = units(d->address[0], r->bytes);
        if (d->opcode == OP_COMPARE) {
            read += units(d->address[1], r->bytes);
        }
        where.tc = GRPFLAGS_TC(flags, d->flags & FLAG_TC1);
        idxd_count(s, CATEGORY_ENGINE, EVENT_READ_UNITS, read, &where);
        idxd_count(s, CATEGORY_ENGINE, EVENT_READERS, 1, &where);
    }
    if (op->writes) {
        written = units(d->address[1], r->bytes);
        where.tc = GRPFLAGS_TC(flags, d->flags & FLAG_TC2);
        idxd_count(s, CATEGORY_ENGINE, EVENT_WRITE_UNITS, written, &where);
        idxd_count(s, CATEGORY_ENGINE, EVENT_WRITERS, 1, &where);
    }
}

static void run_batch(IdxdState *s, unsigned engine, unsigned queue,
                      const IdxdDescriptor *batch, IdxdResult *r);

/* Does one descriptor; returns its status. */
static uint8_t execute(IdxdState *s, unsigned engine, unsigned queue,
                       const uint8_t raw[ENQUEUE_BYTES], int batch_index)
{
    int group = idxd_group_of_engine(s, engine);
    uint32_t flags = group < 0 ? 0 : s->group[group][GRPFLAGS_WORD];
    IdxdResult r = { .status = STATUS_SUCCESS };
    IdxdWhere where = { .queue = queue, .engine = engine };
    IdxdDescriptor d;
    uint8_t refused;

    idxd_parse(&d, raw);
    refused = check(s, queue, &d, batch_index >= 0, &r);
    where.tc = GRPFLAGS_TC(flags, d.flags & FLAG_TC1);
    where.size = d.opcode == OP_BATCH ? 0 : d.size;
    if (refused != STATUS_OPCODE) {
        idxd_count(s, CATEGORY_OPERATION, idxd_operation_event(d.opcode), 1,
                   &where);
    }
    if (d.opcode != OP_BATCH) {
        idxd_count(s, CATEGORY_ENGINE, batch_index >= 0 ? EVENT_FROM_BATCH :
                   EVENT_FROM_QUEUE, 1, &where);
    }
    if (refused) {
        r.status = refused;
    } else if (d.opcode == OP_BATCH) {
        run_batch(s, engine, queue, &d, &r);
    } else {
        operations[d.opcode].run(s, &d, &r);
        count_work(s, &d, &r, where, flags);
    }
    idxd_count(s, CATEGORY_COMPLETION,
               r.status == STATUS_SUCCESS || r.status == STATUS_FALSE ?
               EVENT_SUCCEEDED : EVENT_FAILED, 1, &where);
    complete(s, queue, &d, batch_index, &r);
    return r.status;
}

/*
 * A failure does not end the batch; a descriptor with a fence after one does:
 * it and all after it are not done.  The number of descriptors that completed is
 * in the place of the bytes.
 */
static void run_batch(IdxdState *s, unsigned engine, unsigned queue,
                      const IdxdDescriptor *batch, IdxdResult *r)
{
    for (uint32_t i = 0; i < batch->size; i++) {
        uint64_t address = batch->address[0] + (uint64_t)i * LIST_ITEM;
        uint8_t raw[ENQUEUE_BYTES];

        if (!get(s, address, raw, sizeof(raw), r)) {
            r->status = STATUS_BATCH_FAULT;
            return;
        }
        if (ldl_le_p(raw + 4) & FLAG_FENCE && r->status != STATUS_SUCCESS) {
            return;
        }
        if (execute(s, engine, queue, raw, i) != STATUS_SUCCESS) {
            r->status = STATUS_BATCH;
        }
        r->bytes++;
    }
}

void idxd_execute(IdxdState *s, unsigned engine, unsigned queue,
                  const uint8_t raw[ENQUEUE_BYTES])
{
    uint32_t mode = s->queue[queue].config[WQCFG_MODE];

    s->pasid = !(mode & WQCFG_PASID_ENABLE) ? PCI_NO_PASID :
               mode & WQCFG_DEDICATED ? WQCFG_PASID(mode) :
               ldl_le_p(raw) & PASID_MASK;
    s->memory = idxd_memory(s, s->pasid);
    execute(s, engine, queue, raw, -1);
    s->memory = NULL;
}
