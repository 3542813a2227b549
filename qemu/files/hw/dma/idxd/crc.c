/*
 * The emulated DSA: CRC-32C with the options of its descriptors.
 *
 * The register is not reflected: its high bit goes first, and @reflect says
 * whether a byte's low bit does.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "idxd.h"

#define POLYNOMIAL 0x1edc6f41u

uint32_t idxd_reflect(uint32_t value)
{
    uint32_t result = 0;

    for (unsigned i = 0; i < 32; i++) {
        result |= (value >> i & 1) << (31 - i);
    }
    return result;
}

uint32_t idxd_crc(uint32_t crc, const uint8_t *data, size_t length,
                  bool reflect)
{
    for (size_t i = 0; i < length; i++) {
        uint32_t byte = data[i];

        crc ^= reflect ? idxd_reflect(byte) : byte << 24;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc << 1 ^ (crc >> 31 ? POLYNOMIAL : 0);
        }
    }
    return crc;
}
