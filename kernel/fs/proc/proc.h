/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations that the files of /proc share. */
#ifndef PROC_H
#define PROC_H

#include <kernel/fs/pseudo.h>
#include <kernel/fs/sysctl.h>

struct text;

/* True if the running task may see addresses of the kernel: Linux's kallsyms_show_value. */
bool proc_addresses_visible(void);

/* /proc/PID: a directory for each process, its target the leader's struct task. */
extern const struct pseudo_dynamic proc_processes;

/* The entries of /proc/sys: a table that ends with a NULL name. */
extern const struct pseudo_entry proc_sys_entries[];
int proc_show_cpuinfo(struct text *text, void *unused);
int proc_show_meminfo(struct text *text, void *unused);
int proc_show_vmstat(struct text *text, void *unused);
int proc_show_uptime(struct text *text, void *unused);
int proc_show_loadavg(struct text *text, void *unused);
int proc_show_stat(struct text *text, void *unused);
int proc_show_interrupts(struct text *text, void *unused);
int proc_show_version(struct text *text, void *unused);
int proc_show_cmdline(struct text *text, void *unused);
int proc_show_kallsyms(struct text *text, void *unused);
int proc_show_devices(struct text *text, void *unused);
int proc_show_filesystems(struct text *text, void *unused);
int proc_show_slabinfo(struct text *text, void *unused);
int proc_show_mountinfo(struct text *text, void *unused);
int proc_show_mounts(struct text *text, void *unused);

#endif
