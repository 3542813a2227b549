/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hardware restart parameter block: the console's description of the machine, and the means to
 * request the start of a CPU.
 *
 * Source: Alpha Architecture Handbook version 4, III (console interface), section 2.1 "Hardware restart
 * parameter block".
 */
#ifndef MACHINE_HWRPB_H
#define MACHINE_HWRPB_H

#include <stdint.h>

#include <machine/task.h>

/* Address of the block in the console's own page tables. */
#define HWRPB_ADDRESS 0x10000000

#define HWRPB_ID      0x4857525042000000 /* "HWRPB" */

struct hwrpb {
	uint64_t address; /* physical */
	uint64_t id, revision, size, primary_cpu;
	uint64_t page_size, address_bits, space_numbers_max;
	uint64_t serial_number[2];
	uint64_t system_type, system_variation, system_revision;
	uint64_t interval_clock_hz_4096; /* times 4096 */
	uint64_t cycle_hz;
	uint64_t virtual_page_table, reserved, translation_hints;
	uint64_t slot_count, slot_size, slots; /* of CPUs; offset from the block's start */
	uint64_t terminal_count, terminal_size, terminals;
	uint64_t callbacks;
	uint64_t memory; /* offset of struct hwrpb_memory */
	uint64_t configuration, field_units;
	uint64_t save_terminal[2], restore_terminal[2];
	uint64_t restart, restart_data; /* entry of a started CPU, and its $27 */
	uint64_t reserved_2[2];
	uint64_t checksum;
	uint64_t receive_ready,
		transmit_ready; /* bit n: CPU n's buffer has a message for the console */
	uint64_t dynamic_recognition;
};

_Static_assert(offsetof(struct hwrpb, slots) == 160, "SLOT_OFFSET");
_Static_assert(offsetof(struct hwrpb, restart) == 256, "CPU_RESTART");
_Static_assert(offsetof(struct hwrpb, receive_ready) == 296, "RXRDY");
_Static_assert(sizeof(struct hwrpb) == 320, "up to the offset of DSRDB");

/* A CPU's slot. */
struct hwrpb_slot {
	struct context_block context; /* loaded at the CPU's start */
	uint64_t flags;		      /* SLOT_* */
	uint64_t palcode_memory[5];
	uint64_t type, variation, revision, serial_number[2];
	uint64_t logout[2], halt[8];
	uint64_t message_bytes; /* length of the CPU's message to the console, in the buffer */
	char message[160];
};

_Static_assert(offsetof(struct hwrpb_slot, flags) == 128, "STATE");
_Static_assert(offsetof(struct hwrpb_slot, message_bytes) == 296, "RXTX buffer");

#define SLOT_AVAILABLE	   (1 << 2)
#define SLOT_PRESENT	   (1 << 3)
#define SLOT_PALCODE_VALID (1 << 6)

struct hwrpb_cluster {
	uint64_t first_page, pages, tested, bitmap[3];
	uint64_t usage; /* CLUSTER_* */
};

#define CLUSTER_CONSOLE	 1 /* belongs to the console */
#define CLUSTER_VOLATILE 2 /* keeps its contents without power */

struct hwrpb_memory {
	uint64_t checksum, optional;
	uint64_t cluster_count;
	struct hwrpb_cluster clusters[];
};

/* The block, by its address in the direct map. Any context, once boot/ has run. */
extern struct hwrpb *hwrpb;

#endif
