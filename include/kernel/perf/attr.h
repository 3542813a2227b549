/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * struct perf_event_attr: copying it in and validating it.
 */
#ifndef KERNEL_PERF_ATTR_H
#define KERNEL_PERF_ATTR_H

struct perf_event_attr;

/* Copies the attribute at USER_ATTR, of any known size, and validates its format. 0, -EFAULT, -E2BIG (the
 * known size is written back), -EINVAL, -ENOSYS. Task context. */
int perf_attr_copy(struct perf_event_attr *attr, void *user_attr);

/* Validates ATTR for a new event as far as that is possible without the PMU: whether the caller may have it,
 * and whether this kernel has it. 0, -EACCES, -EINVAL, -EOPNOTSUPP. Task context. */
int perf_attr_check(const struct perf_event_attr *attr);

#endif
