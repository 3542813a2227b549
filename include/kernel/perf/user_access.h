/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The right of user space to read counters by instruction (rdpmc), which a mapping gives.
 */
#ifndef KERNEL_PERF_USER_ACCESS_H
#define KERNEL_PERF_USER_ACCESS_H

struct perf_event;
struct vm_space;

/* Accounts CHANGE, 1 or -1, mappings of EVENT in SPACE. The first mapping of an event whose counter user
 * space may read allows every CPU that runs SPACE to read counters; the end of the last one forbids it. Task
 * context. */
void perf_user_access_count(struct perf_event *event, struct vm_space *space, int change);

/* Does the same for CHANGE mappings whose counters user space may read. Task context. */
void perf_user_access_change(struct vm_space *space, int change);

#endif
