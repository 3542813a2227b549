/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about capabilities: capget, capset, and prctl's options about them and about new
 * privileges. Rules and errors: capabilities(7), capget(2), prctl(2).
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/prctl.h>

/* Returns how many 32-bit halves of a set the header's version has: 1 or 2. -EINVAL: unknown version; the
 * preferred one is stored in the caller's header. */
static int get_halves(struct cap_user_header *header, uintptr_t user)
{
	static const uint32_t preferred = _LINUX_CAPABILITY_VERSION_3;

	if (copy_from_user(&header->version, (const void *)user, sizeof(header->version)))
		return -EFAULT;
	switch (header->version) {
	case _LINUX_CAPABILITY_VERSION_1:
		return 1;
	case _LINUX_CAPABILITY_VERSION_2:
	case _LINUX_CAPABILITY_VERSION_3:
		return 2;
	default:
		return copy_to_user((void *)user, &preferred, sizeof(preferred)) ? -EFAULT :
										   -EINVAL;
	}
}

/* Reads the header's second word: only when the first is valid. */
static int get_pid(struct cap_user_header *header, uintptr_t user)
{
	return copy_from_user(&header->pid, (const void *)(user + sizeof(header->version)),
			      sizeof(header->pid));
}

long sys_capget(const unsigned long arg[6])
{
	struct cap_user_header header;
	int halves = get_halves(&header, arg[0]);

	/* A call without DATA asks for the preferred version. */
	if (!arg[1])
		return halves == -EFAULT ? -EFAULT : 0;
	if (halves < 0)
		return halves;
	if (get_pid(&header, arg[0]))
		return -EFAULT;
	if (header.pid < 0)
		return -EINVAL;
	struct task *task = header.pid ? task_find(header.pid) : task_current();

	if (!task)
		return -ESRCH;
	const struct credentials *credentials = credentials_get(task);
	struct cap_user_data data[2];

	for (int i = 0; i < 2; i++)
		data[i] = (struct cap_user_data){
			.effective = (uint32_t)(credentials->effective >> 32 * i),
			.permitted = (uint32_t)(credentials->permitted >> 32 * i),
			.inheritable = (uint32_t)(credentials->inheritable >> 32 * i),
		};
	credentials_put(credentials);
	if (header.pid)
		task_put(task);
	return copy_to_user((void *)arg[1], data, (size_t)halves * sizeof(data[0]));
}

static uint64_t join(uint32_t low, uint32_t high)
{
	return ((uint64_t)high << 32 | low) & CAPABILITIES_ALL;
}

long sys_capset(const unsigned long arg[6])
{
	struct cap_user_header header;
	struct cap_user_data data[2] = { { 0 } };
	int halves = get_halves(&header, arg[0]);

	if (halves < 0)
		return halves;
	if (get_pid(&header, arg[0]))
		return -EFAULT;
	if (header.pid && header.pid != task_current()->tid)
		return -EPERM;
	if (copy_from_user(data, (const void *)arg[1], (size_t)halves * sizeof(data[0])))
		return -EFAULT;
	const struct credentials *old = credentials_current();
	uint64_t effective = join(data[0].effective, data[1].effective);
	uint64_t permitted = join(data[0].permitted, data[1].permitted);
	uint64_t inheritable = join(data[0].inheritable, data[1].inheritable);

	if ((!capable(CAP_SETPCAP) && (inheritable & ~(old->inheritable | old->permitted))) ||
	    (inheritable & ~(old->inheritable | old->bounding)) || (permitted & ~old->permitted) ||
	    (effective & ~permitted))
		return -EPERM;
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	new->effective = effective;
	new->permitted = permitted;
	new->inheritable = inheritable;
	new->ambient &= permitted &inheritable;
	credentials_commit(new);
	return 0;
}

/* --- prctl --- */

static long drop_bounding(unsigned long cap)
{
	if (!capable(CAP_SETPCAP))
		return -EPERM;
	if (cap > CAP_LAST_CAP)
		return -EINVAL;
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	new->bounding &= ~((uint64_t)1 << cap);
	credentials_commit(new);
	return 0;
}

static long set_securebits(unsigned long bits)
{
	const struct credentials *old = credentials_current();
	uint32_t locked = (old->securebits & SECURE_ALL_LOCKS) >> 1;

	if ((locked & (old->securebits ^ bits)) || (old->securebits & SECURE_ALL_LOCKS & ~bits) ||
	    (bits & ~(unsigned long)(SECURE_ALL_BITS | SECURE_ALL_LOCKS)) || !capable(CAP_SETPCAP))
		return -EPERM;
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	new->securebits = (uint32_t)bits;
	credentials_commit(new);
	return 0;
}

static long set_keep_capabilities(unsigned long keep)
{
	if (keep > 1)
		return -EINVAL;
	if (credentials_current()->securebits & SECBIT_KEEP_CAPS_LOCKED)
		return -EPERM;
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	new->securebits &= ~SECBIT_KEEP_CAPS;
	if (keep)
		new->securebits |= SECBIT_KEEP_CAPS;
	credentials_commit(new);
	return 0;
}

static long change_ambient(const unsigned long arg[4])
{
	const struct credentials *old = credentials_current();
	unsigned long action = arg[0], cap = arg[1];
	uint64_t bit = cap <= CAP_LAST_CAP ? (uint64_t)1 << cap : 0;

	if (action == PR_CAP_AMBIENT_CLEAR_ALL ? arg[1] | arg[2] | arg[3] :
						 !bit || (arg[2] | arg[3]))
		return -EINVAL;
	switch (action) {
	case PR_CAP_AMBIENT_IS_SET:
		return (old->ambient & bit) != 0;
	case PR_CAP_AMBIENT_RAISE:
		if (!(old->permitted & old->inheritable & bit) ||
		    (old->securebits & SECBIT_NO_CAP_AMBIENT_RAISE))
			return -EPERM;
		break;
	case PR_CAP_AMBIENT_LOWER:
	case PR_CAP_AMBIENT_CLEAR_ALL:
		break;
	default:
		return -EINVAL;
	}
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	new->ambient = action == PR_CAP_AMBIENT_RAISE ? old->ambient | bit :
		       action == PR_CAP_AMBIENT_LOWER ? old->ambient & ~bit :
							0;
	credentials_commit(new);
	return 0;
}

long credentials_prctl(int option, const unsigned long arg[4])
{
	struct task *self = task_current();
	const struct credentials *own = credentials_current();

	switch (option) {
	case PR_CAPBSET_READ:
		return arg[0] > CAP_LAST_CAP ? -EINVAL : (long)(own->bounding >> arg[0] & 1);
	case PR_CAPBSET_DROP:
		return drop_bounding(arg[0]);
	case PR_GET_SECUREBITS:
		return own->securebits;
	case PR_SET_SECUREBITS:
		return set_securebits(arg[0]);
	case PR_GET_KEEPCAPS:
		return (own->securebits & SECBIT_KEEP_CAPS) != 0;
	case PR_SET_KEEPCAPS:
		return set_keep_capabilities(arg[0]);
	case PR_CAP_AMBIENT:
		return change_ambient(arg);
	case PR_GET_NO_NEW_PRIVS:
		return arg[0] | arg[1] | arg[2] | arg[3] ? -EINVAL : self->no_new_privs;
	case PR_SET_NO_NEW_PRIVS:
		if (arg[0] != 1 || (arg[1] | arg[2] | arg[3]))
			return -EINVAL;
		self->no_new_privs = true;
		return 0;
	default:
		return -ENOSYS;
	}
}
