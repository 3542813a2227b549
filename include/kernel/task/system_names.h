/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's names: uname(2), sethostname(2), setdomainname(2), /proc/sys/kernel. */
#ifndef KERNEL_SYSTEM_NAMES_H
#define KERNEL_SYSTEM_NAMES_H

#include <stddef.h>

#include <uapi/linux/utsname.h>

enum system_name { SYSTEM_HOST_NAME, SYSTEM_DOMAIN_NAME };

/* Copies all names, terminated, for uname. Task context. */
void system_names_get(struct kernel_utsname *names);
/* Copies a name, terminated. Task context. */
void system_name_get(enum system_name which, char name[UTSNAME_SIZE]);
/* Sets it to NAME of SIZE bytes, less than UTSNAME_SIZE. Task context. */
void system_name_set(enum system_name which, const char *name, size_t size);

#endif
