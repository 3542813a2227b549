/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex. Source: Linux's uapi/linux/futex.h.
 */
#ifndef _UAPI_LINUX_FUTEX_H
#define _UAPI_LINUX_FUTEX_H

#define FUTEX_WAIT	       0
#define FUTEX_WAKE	       1
#define FUTEX_FD	       2
#define FUTEX_REQUEUE	       3
#define FUTEX_CMP_REQUEUE      4
#define FUTEX_WAKE_OP	       5
#define FUTEX_LOCK_PI	       6
#define FUTEX_UNLOCK_PI	       7
#define FUTEX_TRYLOCK_PI       8
#define FUTEX_WAIT_BITSET      9
#define FUTEX_WAKE_BITSET      10
#define FUTEX_WAIT_REQUEUE_PI  11
#define FUTEX_CMP_REQUEUE_PI   12
#define FUTEX_LOCK_PI2	       13
#define FUTEX_PRIVATE_FLAG     128
#define FUTEX_CLOCK_REALTIME   256
/* A lock word: the owner's tid, and these. */
#define FUTEX_WAITERS	       0x80000000u
#define FUTEX_OWNER_DIED       0x40000000u
#define FUTEX_TID_MASK	       0x3fffffffu

#define FUTEX_BITSET_MATCH_ANY 0xffffffffu

/* FUTEX_WAKE_OP's operations and comparisons. */
#define FUTEX_OP_SET	       0
#define FUTEX_OP_ADD	       1
#define FUTEX_OP_OR	       2
#define FUTEX_OP_ANDN	       3
#define FUTEX_OP_XOR	       4
#define FUTEX_OP_OPARG_SHIFT   8
#define FUTEX_OP_CMP_EQ	       0
#define FUTEX_OP_CMP_NE	       1
#define FUTEX_OP_CMP_LT	       2
#define FUTEX_OP_CMP_LE	       3
#define FUTEX_OP_CMP_GT	       4
#define FUTEX_OP_CMP_GE	       5

/* Flags of futex_waitv, futex_wake, futex_wait and futex_requeue. */
#define FUTEX2_SIZE_U32	       2
#define FUTEX2_PRIVATE	       FUTEX_PRIVATE_FLAG

#include <stdint.h>

struct kernel_futex_waitv {
	uint64_t value;
	uint64_t address;
	uint32_t flags;
	uint32_t reserved;
};

#endif
