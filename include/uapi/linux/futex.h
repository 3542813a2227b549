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
#define FUTEX_PRIVATE_FLAG     128
#define FUTEX_CLOCK_REALTIME   256
/* A lock word: the owner's tid, and these. */
#define FUTEX_WAITERS	       0x80000000u
#define FUTEX_OWNER_DIED       0x40000000u
#define FUTEX_TID_MASK	       0x3fffffffu

#define FUTEX_BITSET_MATCH_ANY 0xffffffffu

#endif
