/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uname. Source: Linux's uapi/linux/utsname.h.
 */
#ifndef _UAPI_LINUX_UTSNAME_H
#define _UAPI_LINUX_UTSNAME_H

#define UTSNAME_SIZE 65

struct kernel_utsname {
	char sysname[UTSNAME_SIZE];
	char nodename[UTSNAME_SIZE];
	char release[UTSNAME_SIZE];
	char version[UTSNAME_SIZE];
	char machine[UTSNAME_SIZE];
	char domainname[UTSNAME_SIZE];
};

#endif
