/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/_types.h - the widths of the kernel's own types, as Linux passes them.
 *
 * newlib's <sys/_types.h> asks this file first and falls back to 16-bit device, user and inode
 * numbers, which cannot hold what the kernel writes. Source: Linux's asm-generic/posix_types.h.
 */
#ifndef _MACHINE__TYPES_H
#define _MACHINE__TYPES_H

#include <machine/_default_types.h>

#define __machine_dev_t_defined
typedef unsigned long __dev_t;

#define __machine_uid_t_defined
typedef unsigned int __uid_t;

#define __machine_gid_t_defined
typedef unsigned int __gid_t;

#define __machine_ino_t_defined
typedef unsigned long __ino_t;

#define __machine_mode_t_defined
typedef unsigned int __mode_t;

#define __machine_nlink_t_defined
#ifdef __alpha__
typedef unsigned int __nlink_t; /* as in its struct stat64 */
#else
typedef unsigned long __nlink_t;
#endif

#define __machine_fsfilcnt_t_defined
typedef unsigned long __fsfilcnt_t;

#define __machine_clock_t_defined
#define _CLOCK_T_ long

#define __machine_clockid_t_defined
#define _CLOCKID_T_ int

#endif /* _MACHINE__TYPES_H */
