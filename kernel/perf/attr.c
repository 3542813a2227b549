/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attribute: copying struct perf_event_attr in, whatever its size, and validating what does not depend on
 * the PMU.
 *
 * A caller that was compiled with an older, shorter structure gets zeros for the fields that it does not
 * know; a caller with a newer one may only have zeros in the fields that this kernel does not know. The order
 * of the checks, and so the error of an attribute with several faults, is Linux's: first the format
 * (perf_copy_attr), then whether the caller may have it (perf_event_open).
 *
 * check_implemented refuses the parts of the ABI that this kernel does not have, with the error that Linux
 * gives on a machine without them, and logs that once.
 */
#include <kernel/perf/attr.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arch/sample.h>
#include <kernel/base/log.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/perf/event.h>
#include <kernel/perf/settings.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

/* --- copying in --- */

/* User addresses are numbers here: a program can pass an address so near the end that no object could be
 * there. */

/* Whether SIZE user bytes from START on are all zero: 0, -E2BIG, -EFAULT. */
static int check_zeros(uintptr_t start, size_t size)
{
	unsigned char chunk[64];

	while (size > 0) {
		size_t part = size < sizeof(chunk) ? size : sizeof(chunk);

		if (copy_from_user(chunk, (const void *)start, part))
			return -EFAULT;
		for (size_t i = 0; i < part; i++)
			if (chunk[i])
				return -E2BIG;
		start += part;
		size -= part;
	}
	return 0;
}

static void *size_field(uintptr_t user_attr)
{
	return (void *)(user_attr + offsetof(struct perf_event_attr, size));
}

static int copy_in(struct perf_event_attr *attr, uintptr_t user_attr)
{
	uint32_t size;

	memset(attr, 0, sizeof(*attr));
	if (copy_from_user(&size, size_field(user_attr), sizeof(size)))
		return -EFAULT;

	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE)
		return -E2BIG;
	size_t known = size < sizeof(*attr) ? size : sizeof(*attr);
	int error = check_zeros(user_attr + known, size - known);
	if (error)
		return error;
	if (copy_from_user(attr, (const void *)user_attr, known))
		return -EFAULT;
	attr->size = size;
	return 0;
}

/* --- validation --- */

static int check_branch_stack(struct perf_event_attr *attr)
{
	uint64_t mask = attr->branch_sample_type;

	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (mask & ~(uint64_t)(PERF_SAMPLE_BRANCH_MAX - 1))
		return -EINVAL;
	if (!(mask & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL))
		return -EINVAL;
	return 0;
}

static int check_stack_user(const struct perf_event_attr *attr)
{
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return 0;
	/* The size of a record is 16 bits wide. */
	if (attr->sample_stack_user >= UINT16_MAX || attr->sample_stack_user % 8 != 0)
		return -EINVAL;
	return 0;
}

static int check_formats(struct perf_event_attr *attr)
{
	int error;

	if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	if (attr->sample_type & ~(uint64_t)(PERF_SAMPLE_MAX - 1))
		return -EINVAL;
	if (attr->read_format & ~(uint64_t)(PERF_FORMAT_MAX - 1))
		return -EINVAL;
	error = check_branch_stack(attr);
	if (error)
		return error;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		error = arch_sample_registers_check(attr->sample_regs_user);
	if (error)
		return error;
	error = check_stack_user(attr);
	if (error)
		return error;

	if (!attr->sample_max_stack)
		attr->sample_max_stack = (uint16_t)perf_stack_depth_max;
	if (attr->sample_type & PERF_SAMPLE_REGS_INTR)
		error = arch_sample_registers_check(attr->sample_regs_intr);
	if (error)
		return error;
	if ((attr->sample_type & PERF_SAMPLE_WEIGHT_TYPE) == PERF_SAMPLE_WEIGHT_TYPE)
		return -EINVAL;
	if (!attr->inherit && attr->inherit_thread)
		return -EINVAL;
	if (attr->remove_on_exec && attr->enable_on_exec)
		return -EINVAL;
	if (attr->sigtrap && !attr->remove_on_exec)
		return -EINVAL;
	return 0;
}

static int check_permission(const struct perf_event_attr *attr)
{
	int error = attr->exclude_kernel ? 0 : perf_allow_kernel();

	if (!error && attr->namespaces && !capable_perfmon())
		error = -EACCES;
	return error;
}

static int check_rate(const struct perf_event_attr *attr)
{
	if (attr->freq)
		return attr->sample_freq > (uint64_t)perf_sample_rate_max ? -EINVAL : 0;
	return attr->sample_period > INT64_MAX ? -EINVAL : 0;
}

static int check_physical(const struct perf_event_attr *attr)
{
	return attr->sample_type & PERF_SAMPLE_PHYS_ADDR ? perf_allow_kernel() : 0;
}

/* --- missing in this kernel --- */

/* Logs once: a program that asks for branch stacks may ask for each of its events. */
static int refuse_branch_stack(void)
{
	static _Atomic bool logged;

	if (!atomic_exchange(&logged, true))
		log_warning("perf_event_open: branch stacks are not implemented");
	return -EOPNOTSUPP;
}

static int check_implemented(const struct perf_event_attr *attr)
{
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return refuse_branch_stack();

	/* Namespaces, new control groups, BPF programs and patched kernel text do not exist here, so a
	 * program that asks for records of those misses none. A sample may have a part for the AUX area: it
	 * is empty. The PMU's driver and open.c refuse requests for data in it, at the point where Linux
	 * checks them. */
	return 0;
}

int perf_attr_copy(struct perf_event_attr *attr, void *user_attr)
{
	int error = copy_in(attr, (uintptr_t)user_attr);

	if (error == -E2BIG) {
		uint32_t known = sizeof(*attr);

		copy_to_user(size_field((uintptr_t)user_attr), &known, sizeof(known));
	}
	return error ? error : check_formats(attr);
}

int perf_attr_check(const struct perf_event_attr *attr)
{
	int error = check_permission(attr);

	if (!error)
		error = check_rate(attr);
	if (!error)
		error = check_physical(attr);
	if (!error)
		error = check_implemented(attr);
	return error;
}
