/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials as objects: their life, the accounts of users, changes by a task of its own.
 *
 * Not here: the rights that they give (permission.c), the system calls (identity_calls.c and
 * capability_calls.c).
 *
 * A user's account exists as long as credentials have that user as their real one. It counts the
 * user's tasks (those in the task table, zombies included) and queued signals. The counts may pass
 * a limit when two tasks check it at once, as in Linux; they are never wrong.
 *
 * Locks: task_table_lock (T) for the pointer of a task; account_lock for the tree of accounts and
 * their references, irqsave, innermost.
 */
#include "credentials.h"

#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>

RB_HEAD(account_tree, user_account);

static struct spinlock account_lock = SPINLOCK_INITIALIZER;
static struct account_tree accounts; /* account_lock; root's is never in it */

static struct user_account root_account = { .references = 1 };

struct credentials credentials_initial = {
	.references = 1,
	.effective = CAPABILITIES_ALL,
	.permitted = CAPABILITIES_ALL,
	.bounding = CAPABILITIES_ALL,
	.account = &root_account,
};

/* --- accounts --- */

static int compare_accounts(struct user_account *a, struct user_account *b)
{
	return a->uid < b->uid ? -1 : a->uid > b->uid;
}

RB_GENERATE_STATIC(account_tree, user_account, node, compare_accounts)

/* Returns UID's account, with a reference; NULL: no memory. */
static struct user_account *get_account(uint32_t uid)
{
	struct user_account key = { .uid = uid }, *found = NULL, *new = NULL;

	for (;;) {
		unsigned long state = spin_lock_irqsave(&account_lock);

		found = uid ? RB_FIND(account_tree, &accounts, &key) : &root_account;
		if (!found && new) {
			RB_INSERT(account_tree, &accounts, new);
			found = new;
			new = NULL;
		}
		if (found)
			found->references++;
		spin_unlock_irqrestore(&account_lock, state);
		if (found)
			break;
		new = kzalloc(sizeof(*new));
		if (!new)
			return NULL;
		new->uid = uid;
	}
	kfree(new);
	return found;
}

void user_account_put(struct user_account *account)
{
	unsigned long state = spin_lock_irqsave(&account_lock);
	bool last = --account->references == 0;

	if (last)
		RB_REMOVE(account_tree, &accounts, account);
	spin_unlock_irqrestore(&account_lock, state);
	if (last) {
		ASSERT(account->tasks == 0 && account->signals == 0);
		kfree(account);
	}
}

void user_account_get(struct user_account *account)
{
	unsigned long state = spin_lock_irqsave(&account_lock);

	account->references++;
	spin_unlock_irqrestore(&account_lock, state);
}

/* --- references --- */

const struct credentials *credentials_for_files(void)
{
	const struct task *self = task_current();

	return self->file_credentials ? self->file_credentials : self->credentials;
}

const struct credentials *credentials_begin_kernel(void)
{
	const struct credentials *before = task_current()->file_credentials;

	task_current()->file_credentials = &credentials_initial;
	return before;
}

void credentials_end_kernel(const struct credentials *before)
{
	task_current()->file_credentials = before;
}

const struct credentials *credentials_of(const struct task *task)
{
	return task->credentials;
}

const struct credentials *credentials_get(struct task *task)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	const struct credentials *credentials = credentials_share(task->credentials);

	spin_unlock_irqrestore(&task_table_lock, state);
	return credentials;
}

void group_list_put(struct group_list *groups)
{
	if (groups && atomic_fetch_sub(&groups->references, 1) == 1)
		kfree(groups);
}

void credentials_put(const struct credentials *shared)
{
	struct credentials *credentials = (struct credentials *)shared;

	if (atomic_fetch_sub(&credentials->references, 1) != 1)
		return;
	ASSERT(credentials != &credentials_initial);
	group_list_put(credentials->groups);
	user_account_put(credentials->account);
	kfree(credentials);
}

/* --- changing --- */

struct credentials *credentials_begin(void)
{
	struct credentials *new = kzalloc(sizeof(*new));

	if (!new)
		return NULL;
	*new = *credentials_current();
	new->references = 1;
	if (new->groups)
		atomic_fetch_add(&new->groups->references, 1);
	user_account_get(new->account);
	return new;
}

void credentials_abort(struct credentials *credentials)
{
	credentials_put(credentials);
}

int credentials_set_real_user(struct credentials *credentials, uint32_t uid)
{
	if (uid == credentials->uid)
		return 0;
	struct user_account *account = get_account(uid);

	if (!account)
		return -ENOMEM;
	user_account_put(credentials->account);
	credentials->account = account;
	credentials->uid = uid;
	return 0;
}

bool credentials_is_guarded_change(const struct credentials *old, const struct credentials *new)
{
	return old->euid != new->euid || old->egid != new->egid || old->fsuid != new->fsuid ||
	       old->fsgid != new->fsgid || (new->permitted & ~old->permitted);
}

void credentials_commit(struct credentials *new)
{
	struct task *self = task_current();
	const struct credentials *old = self->credentials;
	unsigned long state = spin_lock_irqsave(&task_table_lock);

	if (credentials_is_guarded_change(old, new)) {
		self->process->dumpable = 0;
		self->parent_death_signal = 0;
	}
	if (old->account != new->account) {
		atomic_fetch_sub(&old->account->tasks, 1);
		atomic_fetch_add(&new->account->tasks, 1);
	}
	self->credentials = new;
	spin_unlock_irqrestore(&task_table_lock, state);
	credentials_put(old);
}

void credentials_count_task(struct task *task, int change)
{
	atomic_fetch_add(&task->credentials->account->tasks, (unsigned int)change);
}

/* --- access(2) --- */

const struct credentials *credentials_begin_access(void)
{
	struct credentials *access = credentials_begin();

	if (!access)
		return NULL;
	access->fsuid = access->uid;
	access->fsgid = access->gid;
	if (!(access->securebits & SECBIT_NO_SETUID_FIXUP))
		access->effective = access->uid ? 0 : access->permitted;
	task_current()->file_credentials = access;
	return access;
}

void credentials_end_access(const struct credentials *access)
{
	task_current()->file_credentials = NULL;
	credentials_put(access);
}
