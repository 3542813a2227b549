/* SPDX-License-Identifier: BSD-2-Clause */
/* sys/utsname.h - the system's name, in Linux's layout (struct new_utsname, 65 bytes a field). */
#ifndef _SYS_UTSNAME_H
#define _SYS_UTSNAME_H

struct utsname {
	char sysname[65];
	char nodename[65];
	char release[65];
	char version[65];
	char machine[65];
	char domainname[65];
};

#ifdef __cplusplus
extern "C" {
#endif

int uname(struct utsname *name);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_UTSNAME_H */
