/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers, descriptors and completion records of the DSA and the IAX.
 *
 * Source: Intel Data Streaming Accelerator Architecture Specification 1.2 (chapters 3, 8 and 9) and Intel
 * In-Memory Analytics Accelerator Architecture Specification (the same register file).
 */
#ifndef IDXD_REGISTERS_H
#define IDXD_REGISTERS_H

#include <stdint.h>

/* BAR 0 has the registers, BAR 2 the portals (9.1). */
#define IDXD_BAR_REGISTERS	  0
#define IDXD_BAR_PORTALS	  2

/* BAR 0 (9.2): capabilities, 64 bits each. */
#define REG_VERSION		  0x00
#define REG_GENCAP		  0x10
#define REG_WQCAP		  0x20
#define REG_GRPCAP		  0x30
#define REG_ENGCAP		  0x38
#define REG_OPCAP		  0x40 /* 256 bits */
#define REG_OFFSETS		  0x60 /* 128 bits: the tables' places, in units of OFFSET_UNIT */
/* Control and status, 32 bits each. */
#define REG_GENCFG		  0x80
#define REG_GENCTRL		  0x88
#define REG_GENSTS		  0x90
#define REG_INTCAUSE		  0x98
#define REG_CMD			  0xa0
#define REG_CMDSTS		  0xa8
#define REG_CMDCAP		  0xb0
#define REG_SWERROR		  0xc0 /* 256 bits */

#define OFFSET_UNIT		  0x100
#define OFFSETS_GRPCFG(low)	  ((uint32_t)((low)&0xffff) * OFFSET_UNIT)
#define OFFSETS_WQCFG(low)	  ((uint32_t)((low) >> 16 & 0xffff) * OFFSET_UNIT)
#define OFFSETS_MSIX(low)	  ((uint32_t)((low) >> 32 & 0xffff) * OFFSET_UNIT)
#define OFFSETS_PERFMON(high)	  ((uint32_t)((high)&0xffff) * OFFSET_UNIT)

#define GENCAP_BLOCK_ON_FAULT	  (1ull << 0)
#define GENCAP_OVERLAP		  (1ull << 1)
#define GENCAP_COMMANDS		  (1ull << 4) /* CMDCAP is there */
#define GENCAP_XFER_SHIFT(cap)	  ((unsigned int)((cap) >> 16 & 0x1f))
#define GENCAP_BATCH_SHIFT(cap)	  ((unsigned int)((cap) >> 21 & 0xf))
#define GENCAP_CONFIGURABLE	  (1ull << 31)
#define WQCAP_TOTAL_SIZE(cap)	  ((unsigned int)((cap)&0xffff))
#define WQCAP_QUEUES(cap)	  ((unsigned int)((cap) >> 16 & 0xff))
#define WQCAP_CONFIG_SHIFT(cap)	  ((unsigned int)((cap) >> 24 & 0xf)) /* of WQCFG_SIZE_LEAST */
#define WQCAP_SHARED		  (1ull << 48)
#define WQCAP_DEDICATED		  (1ull << 49)
#define WQCAP_PRIORITY		  (1ull << 51)
#define WQCAP_OCCUPANCY		  (1ull << 52)
#define GRPCAP_GROUPS(cap)	  ((unsigned int)((cap)&0xff))
#define ENGCAP_ENGINES(cap)	  ((unsigned int)((cap)&0xff))

#define GENCTRL_SWERR_INT	  (1u << 0)
#define GENCTRL_HALT_INT	  (1u << 1)

/* GENSTS: the state, and when it is HALT the reset that ends it. */
#define GENSTS_STATE(status)	  ((status)&3)
#define GENSTS_DISABLED		  0
#define GENSTS_ENABLED		  1
#define GENSTS_DRAIN		  2
#define GENSTS_HALT		  3
#define GENSTS_RESET_TYPE(status) ((status) >> 2 & 3)
#define GENSTS_RESET_SOFTWARE	  0
#define GENSTS_RESET_FLR	  1
#define GENSTS_RESET_WARM	  2
#define GENSTS_RESET_COLD	  3

#define INTCAUSE_SWERROR	  (1u << 0)
#define INTCAUSE_COMMAND	  (1u << 1)
#define INTCAUSE_PERFMON	  (1u << 3)
#define INTCAUSE_HALT		  (1u << 4)

/* Commands (9.2.13). */
enum {
	CMD_ENABLE_DEVICE = 1,
	CMD_DISABLE_DEVICE,
	CMD_DRAIN_ALL,
	CMD_ABORT_ALL,
	CMD_RESET_DEVICE,
	CMD_ENABLE_QUEUE,
	CMD_DISABLE_QUEUE,
	CMD_DRAIN_QUEUE,
	CMD_ABORT_QUEUE,
	CMD_RESET_QUEUE,
};
#define CMD_CODE(code)	       ((uint32_t)(code) << 20)
#define CMD_INTERRUPT	       (1u << 31)
#define CMDSTS_ACTIVE	       (1u << 31)
#define CMDSTS_ERROR(sts)      ((sts)&0xff)
/* Errors of commands that the driver looks at; the others are only reported. */
#define CMDSTS_DEVICE_ENABLED  0x10
#define CMDSTS_QUEUE_ENABLED   0x21
#define CMDSTS_DEVICE_DISABLED 0x31
#define CMDSTS_QUEUE_DISABLED  0x32

/* SWERROR, word 0. */
#define SWERROR_VALID	       (1u << 0)
#define SWERROR_OVERFLOW       (1u << 1)
#define SWERROR_DESCRIPTOR     (1u << 2) /* the fields of the descriptor are valid */
#define SWERROR_QUEUE	       (1u << 3) /* the queue's number is */
#define SWERROR_BATCH	       (1u << 4)
#define SWERROR_CODE(word)     ((word) >> 8 & 0xff)
#define SWERROR_NUMBER(word)   ((word) >> 16 & 0xff)
#define SWERROR_WORDS	       8

/* GRPCFG: a group's queues and engines as sets, and its flags. */
#define GRPCFG_SIZE	       64
#define GRPCFG_QUEUES	       0 /* 256 bits */
#define GRPCFG_ENGINES	       32
#define GRPCFG_FLAGS	       40
#define GRPFLAGS_TC_A(class)   ((uint64_t)(class) << 0)
#define GRPFLAGS_TC_B(class)   ((uint64_t)(class) << 3)

/* WQCFG: words of 32 bits, of which the first eight are described here. */
#define WQCFG_SIZE_LEAST       32
enum { WQCFG_SIZE, WQCFG_THRESHOLD, WQCFG_MODE, WQCFG_LIMITS, WQCFG_STATUS = 6 };
#define WQCFG_DEDICATED		     (1u << 0)
#define WQCFG_BLOCK_ON_FAULT	     (1u << 1)
#define WQCFG_PRIORITY(priority)     ((uint32_t)(priority) << 4)
#define WQCFG_PRIVILEGED	     (1u << 29)
#define WQCFG_XFER_SHIFT(shift)	     ((uint32_t)(shift) << 0)
#define WQCFG_BATCH_SHIFT(shift)     ((uint32_t)(shift) << 5)
#define WQCFG_STATUS_OCCUPANCY(word) ((word)&0xffff)
#define WQCFG_STATUS_STATE(word)     ((word) >> 30)
#define WQCFG_STATE_ENABLED	     1

/* A queue has four portals of a page: unlimited and limited, then the two for IMS. */
#define PORTAL_SIZE		     4096
#define PORTALS			     4
#define PORTAL_LIMITED		     1

/* The permission of an MSI-X entry: 8 bytes each. */
#define MSIX_PERMISSION_SIZE	     8

/* Descriptors (8.1). */
enum { OPCODE_NOOP, OPCODE_BATCH, OPCODE_DRAIN, OPCODE_MOVE };
#define FLAG_RECORD_VALID   (1u << 2) /* the address of the completion record is valid */
#define FLAG_RECORD_REQUEST (1u << 3)
#define FLAG_INTERRUPT	    (1u << 4)
#define FLAG_CACHE	    (1u << 8)

struct idxd_descriptor {
	uint32_t pasid;	    /* bit 31: privileged */
	uint32_t operation; /* the flags, and from bit 24 on the opcode */
	uint64_t record;
	uint64_t source, destination;
	uint32_t bytes;
	uint16_t interrupt;
	uint16_t reserved;
	uint64_t more[3];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct idxd_descriptor) == 64, "a descriptor has 64 bytes");

#define DESCRIPTOR_OPCODE(opcode) ((uint32_t)(opcode) << 24)
#define DESCRIPTOR_PRIVILEGED	  (1u << 31)

/* The DSA writes 32 bytes, the IAX 64. */
struct idxd_record {
	uint8_t status; /* 0: not yet complete */
	uint8_t result;
	uint16_t reserved;
	uint32_t bytes;
	uint64_t fault;
	uint64_t more[6];
} __attribute__((aligned(64)));

#define RECORD_STATUS(status) ((status)&0x3f)
#define RECORD_SUCCESS	      0x01

#endif
