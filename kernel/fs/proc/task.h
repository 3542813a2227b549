/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files of /proc/PID and /proc/PID/task/TID share. A target is a struct task,
 * referenced, or an object of one.
 */
#ifndef PROC_TASK_H
#define PROC_TASK_H

#include <stdint.h>

#include <kernel/fs/pseudo.h>

#include "proc.h"

struct task;

/* Returns the number that NAME of SIZE bytes spells, or -1. */
int64_t proc_number_of(const char *name, size_t size);
/* Sets the owner of INODE, new, to TASK's user; to root if TASK may not be inspected. */
void proc_set_owner(struct task *task, struct inode *inode);
/* True if TASK has been waited for. */
bool proc_task_is_gone(const struct task *task);
/* Checks that the running task may inspect TASK: 0 or -EACCES. */
int proc_check_access(struct task *task);

/* status.c. The first for a whole process, the second for one thread. */
int proc_show_process_stat(struct text *text, void *target);
int proc_show_thread_stat(struct text *text, void *target);
int proc_show_statm(struct text *text, void *target);
int proc_show_status(struct text *text, void *target);

/* memory.c. The first two are pseudo_entry's begin and end; they make the ABOUT of all others but
 * cmdline's. */
int proc_memory_get(void *target, void **about);
void proc_memory_put(void *about);
int proc_show_cmdline_of(struct text *text, void *target);
int proc_show_environ(struct text *text, void *about);
int proc_show_auxv(struct text *text, void *about);
int proc_show_maps(struct text *text, void *about);
int proc_show_smaps(struct text *text, void *about);
ssize_t proc_read_mem(void *about, char *buffer, size_t size, uint64_t address);
ssize_t proc_write_mem(void *about, const char *buffer, size_t size, uint64_t address);

/* settings.c */
int proc_show_comm(struct text *text, void *target);
ssize_t proc_store_comm(void *target, const char *bytes, size_t size);
int proc_show_limits(struct text *text, void *target);
int proc_show_oom_score(struct text *text, void *target);
int proc_show_oom_score_adj(struct text *text, void *target);
ssize_t proc_store_oom_score_adj(void *target, const char *bytes, size_t size);
int proc_show_timer_slack(struct text *text, void *target);
ssize_t proc_store_timer_slack(void *target, const char *bytes, size_t size);
int proc_show_personality(struct text *text, void *target);
int proc_show_unset_id(struct text *text, void *target);
int proc_show_id_map(struct text *text, void *target);
ssize_t proc_store_id_map(void *target, const char *bytes, size_t size);
int proc_show_setgroups(struct text *text, void *target);
int proc_may_write_setgroups(void *target);
ssize_t proc_store_setgroups(void *target, const char *bytes, size_t size);
int proc_show_empty(struct text *text, void *target);

/* links.c */
ssize_t proc_read_exe(void *target, char *buffer, size_t size);
ssize_t proc_read_cwd(void *target, char *buffer, size_t size);
ssize_t proc_read_root(void *target, char *buffer, size_t size);
struct dentry *proc_follow_exe(void *target, int *error);
struct dentry *proc_follow_cwd(void *target, int *error);
struct dentry *proc_follow_root(void *target, int *error);
/* Writes the path of DENTRY, whose reference moves in, as the text of a link. */
ssize_t proc_put_path(struct dentry *dentry, char *buffer, size_t size);
/* The links in ns. */
extern const struct pseudo_entry proc_namespaces[];

/* descriptors.c */
extern const struct pseudo_dynamic proc_descriptors, proc_descriptor_infos;

#endif
