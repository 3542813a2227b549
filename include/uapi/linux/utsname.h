/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uname. Source: Linux's uapi/linux/utsname.h.
 */
#ifndef _UAPI_LINUX_UTSNAME_H
#define _UAPI_LINUX_UTSNAME_H

#define UTSNAME_SIZE	65

/* uname's answers for this kernel: the ABI is Linux 6.12's. */
#define UTSNAME_SYSTEM	"Linux"
#define UTSNAME_NODE	"tally"
#define UTSNAME_RELEASE "6.12.0-tally"
#define UTSNAME_VERSION "#1 Tally: Linux's ABI on a bare-metal kernel"

struct kernel_utsname {
	char sysname[UTSNAME_SIZE];
	char nodename[UTSNAME_SIZE];
	char release[UTSNAME_SIZE];
	char version[UTSNAME_SIZE];
	char machine[UTSNAME_SIZE];
	char domainname[UTSNAME_SIZE];
};

#endif
