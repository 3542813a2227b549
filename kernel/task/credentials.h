/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of credentials; private to kernel/task/. */
#ifndef TASK_CREDENTIALS_H
#define TASK_CREDENTIALS_H

#include <kernel/credentials.h>

/* Drops a reference to GROUPS, which may be NULL. Task context. */
void group_list_put(struct group_list *groups);

#endif
