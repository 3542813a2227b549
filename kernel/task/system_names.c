/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's names, and the calls that get and set them. Lock: system_names_lock (N).
 */
#include <kernel/task/system_names.h>

#include <string.h>

#include <arch/exec.h>
#include <kernel/base/spinlock.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

static struct spinlock system_names_lock = SPINLOCK_INITIALIZER;
static struct kernel_utsname names = {
	/* nodename and domainname: N, the others are constant */
	.sysname = UTSNAME_SYSTEM,  .nodename = UTSNAME_NODE, .release = UTSNAME_RELEASE,
	.version = UTSNAME_VERSION, .machine = ARCH_UTSNAME,  .domainname = "(none)",
};

static char *place_of(enum system_name which)
{
	return which == SYSTEM_HOST_NAME ? names.nodename : names.domainname;
}

void system_name_get(enum system_name which, char name[UTSNAME_SIZE])
{
	spin_lock(&system_names_lock);
	memcpy(name, place_of(which), UTSNAME_SIZE);
	spin_unlock(&system_names_lock);
}

void system_name_set(enum system_name which, const char *name, size_t size)
{
	char whole[UTSNAME_SIZE] = { 0 };

	memcpy(whole, name, size < UTSNAME_SIZE ? size : UTSNAME_SIZE - 1);
	spin_lock(&system_names_lock);
	memcpy(place_of(which), whole, sizeof(whole));
	spin_unlock(&system_names_lock);
}

void system_names_get(struct kernel_utsname *copy)
{
	spin_lock(&system_names_lock);
	*copy = names;
	spin_unlock(&system_names_lock);
}

long sys_uname(const unsigned long arg[6])
{
	struct kernel_utsname copy;

	system_names_get(&copy);
	return copy_to_user((void *)arg[0], &copy, sizeof(copy));
}

static long set_name(enum system_name which, const void *user_name, int size)
{
	char name[UTSNAME_SIZE];

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (size < 0 || size >= UTSNAME_SIZE)
		return -EINVAL;
	if (copy_from_user(name, user_name, (size_t)size))
		return -EFAULT;
	system_name_set(which, name, (size_t)size);
	return 0;
}

long sys_sethostname(const unsigned long arg[6])
{
	return set_name(SYSTEM_HOST_NAME, (const void *)arg[0], (int)arg[1]);
}

long sys_setdomainname(const unsigned long arg[6])
{
	return set_name(SYSTEM_DOMAIN_NAME, (const void *)arg[0], (int)arg[1]);
}
