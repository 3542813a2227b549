/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of credentials; private to kernel/task/. */
#ifndef TASK_CREDENTIALS_H
#define TASK_CREDENTIALS_H

#include <kernel/task/credentials.h>

/* Drops a reference to GROUPS, which may be NULL. Task context. */
void group_list_put(struct group_list *groups);

/* Returns whether NEW has rights that OLD lacks, or acts on files as another user: then tasks with the rights
 * of OLD must not access the task's memory any more. Linux: commit_creds. */
bool credentials_is_guarded_change(const struct credentials *old, const struct credentials *new);

#endif
