/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of /proc/sys, for the parts that have settings there. A setting is a pair of functions, show_NAME and
 * store_NAME, which the macros make of a variable; the part adds its table to a directory (struct
 * pseudo_added).
 */
#ifndef KERNEL_SYSCTL_H
#define KERNEL_SYSCTL_H

#include <kernel/fs/pseudo.h>
#include <kernel/mm/text.h>
#include <uapi/linux/stat.h>

/* Parses TEXT, decimal, or octal after 0, or hexadecimal after 0x, with spaces around it allowed. False:
 * no number, or not within [LEAST, MOST]. */
bool proc_parse_number(const char *text, long least, long most, long *number);

/* Sets *NUMBER to the first number in BYTES, if it is within [LEAST, MOST]: the bytes used, or -EINVAL.
 * The store member of struct pseudo_entry, once TARGET is known. Task context. */
ssize_t proc_store_number(const char *bytes, size_t size, long least, long most,
			  _Atomic int *number);

/* Permissions of /proc/sys and its entries: root and its group by the mode; no capability exceeds it. The
 * permission member of struct pseudo_entry. */
int proc_sys_permission(const struct inode *inode, void *unused, unsigned int mask);
/* Members of every entry of /proc/sys. */
#define PROC_SYS_RULES .fixed = true, .permission = proc_sys_permission

/* show_NAME, and store_NAME within [LEAST, MOST], of the int VARIABLE. */
#define SHOW_NUMBER(name, variable)                             \
	static int show_##name(struct text *text, void *unused) \
	{                                                       \
		text_print(text, "%d\n", (variable));           \
		return 0;                                       \
	}

#define NUMBER(name, variable, least, most)                                          \
	SHOW_NUMBER(name, variable)                                                  \
	static ssize_t store_##name(void *unused, const char *bytes, size_t size)    \
	{                                                                            \
		return proc_store_number(bytes, size, (least), (most), &(variable)); \
	}

/* Entries of tables: FIXED can only be read, a NUMBER is known at its beginning only. */
#define FIXED(n, s)                                                              \
	{                                                                        \
		.name = (n), .mode = S_IFREG | 0444, PROC_SYS_RULES, .show = (s) \
	}
#define FILE_ENTRY(file) FIXED(#file, show_##file)
#define NAMED_SETTING(n, file)                                                            \
	{                                                                                 \
		.name = (n), .mode = S_IFREG | 0644, PROC_SYS_RULES, .show = show_##file, \
		.store = store_##file                                                     \
	}
#define NAMED_NUMBER_SETTING(n, file)                                              \
	{                                                                          \
		.name = (n), .mode = S_IFREG | 0644, PROC_SYS_RULES, .once = true, \
		.show = show_##file, .store = store_##file                         \
	}
#define SETTING(file)	     NAMED_SETTING(#file, file)
#define NUMBER_SETTING(file) NAMED_NUMBER_SETTING(#file, file)
#define DIRECTORY(n, entries)                                                              \
	{                                                                                  \
		.name = (n), .mode = S_IFDIR | 0555, PROC_SYS_RULES, .children = (entries) \
	}
#define END                  \
	{                    \
		.name = NULL \
	}

#endif
