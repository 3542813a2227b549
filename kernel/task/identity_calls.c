/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls about users and groups: getting and setting the real, effective and saved ids, those for
 * files, and the supplementary groups.
 *
 * Users and groups follow the same rules, so each rule is written once, over an array of four ids, with
 * the capability that may break it. adjust_capabilities changes capabilities after a change of users:
 * capabilities(7), "Effect of user ID changes on capabilities".
 */
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

#include "credentials.h"

#define UNCHANGED ((uint32_t)-1)

enum id { REAL, EFFECTIVE, SAVED, FOR_FILES, IDS };

/* The capabilities that a change of the user for files between root and others drops and restores:
 * capabilities(7). */
#define FILE_CAPABILITIES                                                                        \
	((uint64_t)1 << CAP_CHOWN | (uint64_t)1 << CAP_MKNOD | (uint64_t)1 << CAP_DAC_OVERRIDE | \
	 (uint64_t)1 << CAP_DAC_READ_SEARCH | (uint64_t)1 << CAP_FOWNER |                        \
	 (uint64_t)1 << CAP_FSETID | (uint64_t)1 << CAP_MAC_OVERRIDE |                           \
	 (uint64_t)1 << CAP_LINUX_IMMUTABLE)

static void get_ids(const struct credentials *credentials, bool groups, uint32_t ids[IDS])
{
	ids[REAL] = groups ? credentials->gid : credentials->uid;
	ids[EFFECTIVE] = groups ? credentials->egid : credentials->euid;
	ids[SAVED] = groups ? credentials->sgid : credentials->suid;
	ids[FOR_FILES] = groups ? credentials->fsgid : credentials->fsuid;
}

/* After NEW got its users: drops or restores capabilities with the loss or gain of root. */
static void adjust_capabilities(const struct credentials *old, struct credentials *new)
{
	if (new->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	bool was_root = !old->uid || !old->euid || !old->suid;
	bool is_root = !new->uid || !new->euid || !new->suid;

	if (was_root && !is_root) {
		if (!(new->securebits &SECBIT_KEEP_CAPS))
			new->permitted = new->effective = 0;
		new->ambient = 0;
	}
	if (!old->euid && new->euid)
		new->effective = 0;
	else if (old->euid && !new->euid)
		new->effective = new->permitted;
}

static void adjust_file_capabilities(const struct credentials *old, struct credentials *new)
{
	if (new->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	if (!old->fsuid && new->fsuid)
		new->effective &= ~FILE_CAPABILITIES;
	else if (old->fsuid && !new->fsuid)
		new->effective |= new->permitted &FILE_CAPABILITIES;
}

/* Sets the current task's users or groups to IDS. */
static int set_ids(bool groups, const uint32_t ids[IDS])
{
	const struct credentials *old = credentials_current();
	struct credentials *new = credentials_begin();

	if (!new)
		return -ENOMEM;
	if (groups) {
		new->gid = ids[REAL];
		new->egid = ids[EFFECTIVE];
		new->sgid = ids[SAVED];
		new->fsgid = ids[FOR_FILES];
	} else {
		if (credentials_set_real_user(new, ids[REAL])) {
			credentials_abort(new);
			return -EAGAIN;
		}
		if (new->uid != old->uid)
			credentials_note_tasks(new->account);
		new->euid = ids[EFFECTIVE];
		new->suid = ids[SAVED];
		new->fsuid = ids[FOR_FILES];
		adjust_capabilities(old, new);
	}
	credentials_commit(new);
	return 0;
}

static bool may_set(bool groups)
{
	return capable(groups ? CAP_SETGID : CAP_SETUID);
}

/* setuid, setgid: sets all of them with the capability, else the effective one to the real or saved one. */
static long set_one(bool groups, uint32_t id)
{
	uint32_t ids[IDS];

	if (id == UNCHANGED)
		return -EINVAL;
	get_ids(credentials_current(), groups, ids);
	if (may_set(groups))
		ids[REAL] = ids[SAVED] = id;
	else if (id != ids[REAL] && id != ids[SAVED])
		return -EPERM;
	ids[EFFECTIVE] = ids[FOR_FILES] = id;
	return set_ids(groups, ids);
}

/* setreuid, setregid. */
static long set_two(bool groups, uint32_t real, uint32_t effective)
{
	uint32_t old[IDS], ids[IDS];

	get_ids(credentials_current(), groups, old);
	get_ids(credentials_current(), groups, ids);
	if (real != UNCHANGED) {
		if (real != old[REAL] && real != old[EFFECTIVE] && !may_set(groups))
			return -EPERM;
		ids[REAL] = real;
	}
	if (effective != UNCHANGED) {
		if (effective != old[REAL] && effective != old[EFFECTIVE] &&
		    effective != old[SAVED] && !may_set(groups))
			return -EPERM;
		ids[EFFECTIVE] = effective;
	}
	if (real != UNCHANGED || (effective != UNCHANGED && effective != old[REAL]))
		ids[SAVED] = ids[EFFECTIVE];
	ids[FOR_FILES] = ids[EFFECTIVE];
	return set_ids(groups, ids);
}

/* setresuid, setresgid. */
static long set_three(bool groups, const unsigned long arg[3])
{
	uint32_t old[IDS], ids[IDS];
	bool is_new = false;

	get_ids(credentials_current(), groups, old);
	get_ids(credentials_current(), groups, ids);
	for (int i = REAL; i <= SAVED; i++) {
		uint32_t id = (uint32_t)arg[i];

		if (id == UNCHANGED)
			continue;
		is_new |= id != old[REAL] && id != old[EFFECTIVE] && id != old[SAVED];
		ids[i] = id;
	}
	if (is_new && !may_set(groups))
		return -EPERM;
	ids[FOR_FILES] = ids[EFFECTIVE];
	return set_ids(groups, ids);
}

/* setfsuid, setfsgid: returns the old id, changed or not. */
static long set_for_files(bool groups, uint32_t id)
{
	const struct credentials *old = credentials_current();
	uint32_t ids[IDS];

	get_ids(old, groups, ids);
	uint32_t before = ids[FOR_FILES];

	if (id == UNCHANGED || id == before ||
	    (id != ids[REAL] && id != ids[EFFECTIVE] && id != ids[SAVED] && !may_set(groups)))
		return before;
	struct credentials *new = credentials_begin();

	if (!new)
		return before;
	if (groups) {
		new->fsgid = id;
	} else {
		new->fsuid = id;
		adjust_file_capabilities(old, new);
	}
	credentials_commit(new);
	return before;
}

static long put_ids(bool groups, const unsigned long arg[3])
{
	uint32_t ids[IDS];

	get_ids(credentials_current(), groups, ids);
	for (int i = REAL; i <= SAVED; i++)
		if (copy_to_user((void *)arg[i], &ids[i], sizeof(ids[i])))
			return -EFAULT;
	return 0;
}

long sys_getuid(const unsigned long arg[6])
{
	return credentials_current()->uid;
}

long sys_geteuid(const unsigned long arg[6])
{
	return credentials_current()->euid;
}

long sys_getgid(const unsigned long arg[6])
{
	return credentials_current()->gid;
}

long sys_getegid(const unsigned long arg[6])
{
	return credentials_current()->egid;
}

long sys_getresuid(const unsigned long arg[6])
{
	return put_ids(false, arg);
}

long sys_getresgid(const unsigned long arg[6])
{
	return put_ids(true, arg);
}

long sys_setuid(const unsigned long arg[6])
{
	return set_one(false, (uint32_t)arg[0]);
}

long sys_setgid(const unsigned long arg[6])
{
	return set_one(true, (uint32_t)arg[0]);
}

long sys_setreuid(const unsigned long arg[6])
{
	return set_two(false, (uint32_t)arg[0], (uint32_t)arg[1]);
}

long sys_setregid(const unsigned long arg[6])
{
	return set_two(true, (uint32_t)arg[0], (uint32_t)arg[1]);
}

long sys_setresuid(const unsigned long arg[6])
{
	return set_three(false, arg);
}

long sys_setresgid(const unsigned long arg[6])
{
	return set_three(true, arg);
}

long sys_setfsuid(const unsigned long arg[6])
{
	return set_for_files(false, (uint32_t)arg[0]);
}

long sys_setfsgid(const unsigned long arg[6])
{
	return set_for_files(true, (uint32_t)arg[0]);
}

/* --- supplementary groups --- */

long sys_getgroups(const unsigned long arg[6])
{
	const struct group_list *groups = credentials_current()->groups;
	int room = (int)arg[0], count = groups ? (int)groups->count : 0;

	if (room < 0)
		return -EINVAL;
	if (room == 0)
		return count;
	if (count > room)
		return -EINVAL;
	if (count && copy_to_user((void *)arg[1], groups->ids, (size_t)count * sizeof(uint32_t)))
		return -EFAULT;
	return count;
}

/* Moves IDS[ROOT] down the heap of COUNT ids until no child is greater. */
static void sift_down(uint32_t *ids, unsigned int root, unsigned int count)
{
	for (;;) {
		unsigned int child = 2 * root + 1;

		if (child >= count)
			return;
		if (child + 1 < count && ids[child + 1] > ids[child])
			child++;
		if (ids[child] <= ids[root])
			return;
		uint32_t other = ids[child];

		ids[child] = ids[root];
		ids[root] = other;
		root = child;
	}
}

/* Heap sort: no worst case that a caller could choose, no recursion. */
static void sort(uint32_t *ids, unsigned int count)
{
	for (unsigned int i = count / 2; i-- > 0;)
		sift_down(ids, i, count);
	for (unsigned int end = count; end-- > 1;) {
		uint32_t greatest = ids[0];

		ids[0] = ids[end];
		ids[end] = greatest;
		sift_down(ids, 0, end);
	}
}

/* Reads the COUNT groups at USER and sorts them; NULL with *ERROR 0: none. */
static struct group_list *read_groups(const void *user, unsigned int count, int *error)
{
	*error = 0;
	if (!count)
		return NULL;
	struct group_list *groups = kzalloc(sizeof(*groups) + count * sizeof(groups->ids[0]));

	if (!groups) {
		*error = -ENOMEM;
		return NULL;
	}
	groups->references = 1;
	groups->count = count;
	if (copy_from_user(groups->ids, user, count * sizeof(groups->ids[0])))
		*error = -EFAULT;
	for (unsigned int i = 0; i < count && !*error; i++)
		if (groups->ids[i] == UNCHANGED)
			*error = -EINVAL;
	sort(groups->ids, count);
	if (*error) {
		kfree(groups);
		return NULL;
	}
	return groups;
}

long sys_setgroups(const unsigned long arg[6])
{
	unsigned int count = (unsigned int)arg[0];
	int error;

	if (!capable(CAP_SETGID))
		return -EPERM;
	if (count > GROUPS_MAX)
		return -EINVAL;
	struct group_list *groups = read_groups((const void *)arg[1], count, &error);

	if (error)
		return error;
	struct credentials *new = credentials_begin();

	if (!new) {
		group_list_put(groups);
		return -ENOMEM;
	}
	group_list_put(new->groups);
	new->groups = groups;
	credentials_commit(new);
	return 0;
}
