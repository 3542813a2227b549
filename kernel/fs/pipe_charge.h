/* SPDX-License-Identifier: BSD-2-Clause */
/* What the pipes of a user hold of memory: see pipe_charge.c. */
#ifndef FS_PIPE_CHARGE_H
#define FS_PIPE_CHARGE_H

struct user_account;

/* PAGES more, or less than 0: fewer, are in pipes of ACCOUNT. -EPERM: the running task may not have more. Task context. */
int pipe_charge(struct user_account *account, long pages);
/* The same of what even a user beyond the limit gets. Task context. */
void pipe_charge_least(struct user_account *account, long pages);

#endif
