/* SPDX-License-Identifier: BSD-2-Clause */
/* Charges the memory in pipes to users: see pipe_charge.c. */
#ifndef FS_PIPE_CHARGE_H
#define FS_PIPE_CHARGE_H

struct user_account;

/* Charges PAGES more (below 0: fewer) to ACCOUNT's pipes. -EPERM: the running task may not have more. Task
 * context. */
int pipe_charge(struct user_account *account, long pages);
/* The same, without a limit: for the small pipe that every user gets. Task context. */
void pipe_charge_least(struct user_account *account, long pages);

#endif
