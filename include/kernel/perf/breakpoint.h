/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints: events (PERF_TYPE_BREAKPOINT) that happen when an address is executed, read or written.
 */
#ifndef KERNEL_PERF_BREAKPOINT_H
#define KERNEL_PERF_BREAKPOINT_H

#include <stdint.h>

struct perf_event;
struct perf_event_attr;
struct task;

/* Registers the PMU. Once, by perf_init. */
void perf_breakpoint_init(void);

/*
 * Opens a breakpoint of the kernel's own, for ptrace. It is on TASK, wherever TASK runs, counts nothing and
 * calls TRIGGERED at each hit (on the CPU that runs TASK, interrupts off). ATTR is complete as perf_attr_copy
 * leaves it. NULL with *ERROR: -ENOSPC (too many), -EINVAL, -EPERM, -ESRCH, -ENOMEM, … Task context.
 */
struct perf_event *perf_breakpoint_open(struct task *task, const struct perf_event_attr *attr,
					void (*triggered)(struct perf_event *event), int *error);
/* Closes such a breakpoint; its task may have exited. Task context. */
void perf_breakpoint_close(struct perf_event *event);

/* Changes EVENT and its children to ATTR: PERF_EVENT_IOC_MODIFY_ATTRIBUTES. Only the address, the type, the
 * size, sig_data and `disabled` may differ. EVENT is disabled during the change; attr.disabled decides
 * whether it is enabled again, also when the change is refused (Linux). -EINVAL, -EOPNOTSUPP, -EPERM. Task
 * context, interrupts on. */
int perf_breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr);

#endif
