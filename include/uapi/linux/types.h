/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux/types.h - integer types of a fixed size under the names that Linux's ABI headers use.
 *
 * The 64-bit ones are long long on every ISA, as on Linux, so that printf's %llu fits them.
 */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

typedef signed char __s8;
typedef unsigned char __u8;
typedef signed short __s16;
typedef unsigned short __u16;
typedef signed int __s32;
typedef unsigned int __u32;
__extension__ typedef signed long long __s64;
__extension__ typedef unsigned long long __u64;

#endif
