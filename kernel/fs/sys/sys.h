/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of /sys share: tables of directories, which end with a NULL name. */
#ifndef SYS_H
#define SYS_H

#include <kernel/fs/pseudo.h>

/* /sys/devices/system/cpu. */
extern const struct pseudo_entry sys_cpu_entries[];
extern const struct pseudo_dynamic sys_cpus;

#endif
