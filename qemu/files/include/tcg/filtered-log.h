/*
 * A log of the accesses that a filter does not know
 *
 * A target that models caches has no use for an access to a line that the one
 * before it used. It puts a TCGFilteredLog into its CPU's state, and generates
 * tcg_gen_filter_access() after an access and tcg_gen_filter_fetch() for code. If
 * the entry of the line has another line, the entry gets it and the log a record
 * of two words: INFO with TCG_FILTERED_RECORD, and the address. An access to
 * two lines always gets a record.
 *
 * A backend that has TCG_TARGET_HAS_filter has these operations.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef TCG_FILTERED_LOG_H
#define TCG_FILTERED_LOG_H

#define TCG_FILTERED_LINES  64
#define TCG_FILTERED_RECORD (UINT64_C(1) << 63)

extern const bool tcg_has_filter;

typedef struct TCGFilteredLog {
    uintptr_t end;              /* the next free word */
    /* The number of the line used last, of those with these low bits. */
    uint64_t data[TCG_FILTERED_LINES];
    uint64_t code[TCG_FILTERED_LINES];
} TCGFilteredLog;

/*
 * INFO of an access has 32 bits, of which bits 8-15 are its size in bytes, 1 to
 * 16 and at most a line. Fields of WHERE: log2 of a line's bytes; the mask from
 * a line's number to its entry; whether a record is made in any case.
 */
#define TCG_FILTER_WHERE(line_bits, mask) ((line_bits) | (mask) << 8)
#define TCG_FILTER_ALWAYS (1u << 16)

#endif
