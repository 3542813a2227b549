/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's names for OSF/1's programs: 32 bytes each; a longer name is cut off without a
 * terminating 0. kernel/task/system_names.c has the calls that all ISAs share.
 *
 * Source: Linux's arch/alpha/kernel/osf_sys.c and kernel/sys.c as seen from user space.
 */
#include <machine/calls.h>

#include <stddef.h>
#include <string.h>

#include <kernel/mm/usercopy.h>
#include <kernel/task/system_names.h>
#include <uapi/linux/errno.h>

#define OSF_NAME_SIZE 32

long alpha_osf_utsname(const unsigned long arg[6])
{
	struct kernel_utsname names;

	system_names_get(&names);
	const char *const parts[] = { names.sysname, names.nodename, names.release, names.version,
				      names.machine };
	char user[sizeof(parts) / sizeof(parts[0])][OSF_NAME_SIZE];

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		memcpy(user[i], parts[i], sizeof(user[i]));
	return copy_to_user((void *)arg[0], user, sizeof(user));
}

/* Copies NAME with its terminating 0 to user space, at most SIZE bytes. */
static long put_name(unsigned long user_name, size_t size, const char *name)
{
	size_t length = strlen(name) + 1;

	return copy_to_user((void *)user_name, name, length < size ? length : size);
}

/* A negative size means the largest one. */
long alpha_osf_getdomainname(const unsigned long arg[6])
{
	char name[UTSNAME_SIZE];
	int size = (int)arg[1];

	system_name_get(SYSTEM_DOMAIN_NAME, name);
	return put_name(arg[0], size < 0 || size > OSF_NAME_SIZE ? OSF_NAME_SIZE : (size_t)size,
			name);
}

long alpha_gethostname(const unsigned long arg[6])
{
	char name[UTSNAME_SIZE];

	if ((int)arg[1] < 0)
		return -EINVAL;
	system_name_get(SYSTEM_HOST_NAME, name);
	return put_name(arg[0], (size_t)(int)arg[1], name);
}

/* The first entries are uname's. */
long alpha_osf_sysinfo(const unsigned long arg[6])
{
	struct kernel_utsname names;

	system_names_get(&names);
	const char *const answers[] = {
		names.sysname, names.nodename, names.release,
		names.version, names.machine,  "alpha", /* instruction set */
		"dummy", /* serial number, manufacturer, secure domain: Linux's values */
		"dummy",       "dummy",
	};
	size_t question = (size_t)(int)arg[0] - 1;

	return question < sizeof(answers) / sizeof(answers[0]) ?
		       put_name(arg[1], arg[2], answers[question]) :
		       -EINVAL;
}
