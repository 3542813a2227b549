/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Permissions of the running task's credentials on an inode: the mode's bits for owner, group and others, and
 * the capabilities that exceed them. Rules: path_resolution(7), inode(7), capabilities(7), and Linux's
 * fs/namei.c and fs/attr.c where those are silent.
 *
 * Checks read words that may change meanwhile, one at a time, like Linux's: a task that loses a permission
 * during the check has used it before.
 */
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Mode bits of all classes, and of others. */
#define ANY_EXECUTE  0111
#define OTHERS_WRITE 0002

static bool owns(const struct credentials *own, const struct inode *inode)
{
	return own->fsuid == inode->uid;
}

/* True if capabilities grant MASK, which the mode denies. */
static bool overrides(const struct credentials *own, const struct inode *inode, unsigned int mask)
{
	bool directory = inode_type(inode) == S_IFDIR;

	if (credentials_have(own, CAP_DAC_READ_SEARCH) &&
	    (directory ? !(mask & W_OK) : mask == R_OK))
		return true;
	/* Executing needs an execute bit of some class, even with the capability. */
	return credentials_have(own, CAP_DAC_OVERRIDE) &&
	       (directory || !(mask & X_OK) || (inode->mode & ANY_EXECUTE));
}

int inode_permission_by_mode(const struct inode *inode, unsigned int mask)
{
	const struct credentials *own = credentials_for_files();
	uint32_t mode = inode->mode;

	mask &= R_OK | W_OK | X_OK;
	/* If all classes have the permission, the caller's class does not matter. */
	if ((mode & mode >> 3 & mode >> 6 & mask) == mask)
		return 0;
	if (owns(own, inode))
		mode >>= 6;
	else if (credentials_in_group(own, inode->gid))
		mode >>= 3;
	return (mode & mask) == mask || overrides(own, inode, mask) ? 0 : -EACCES;
}

/* True if INODE is of a file system that is mounted for reading only, whose devices and FIFOs can be written to all the same. */
static bool is_read_only(const struct inode *inode)
{
	uint32_t type = inode_type(inode);

	return inode->superblock->read_only &&
	       (type == S_IFREG || type == S_IFDIR || type == S_IFLNK);
}

int inode_permission(const struct inode *inode, unsigned int mask)
{
	if ((mask & W_OK) && is_read_only(inode))
		return -EROFS;
	return inode->ops->permission ? inode->ops->permission(inode, mask) :
					inode_permission_by_mode(inode, mask);
}

bool inode_owner_or_capable(const struct inode *inode)
{
	const struct credentials *own = credentials_for_files();

	return owns(own, inode) || credentials_have(own, CAP_FOWNER);
}

int inode_check_sticky(const struct inode *directory, const struct inode *inode)
{
	const struct credentials *own = credentials_for_files();

	return !(directory->mode & S_ISVTX) || owns(own, inode) || owns(own, directory) ||
			       credentials_have(own, CAP_FOWNER) ?
		       0 :
		       -EPERM;
}

/* True for a plain file that the running task may read and write: another name for it grants nothing. */
static bool is_safe_to_link(const struct inode *inode)
{
	uint32_t mode = inode->mode;

	return inode_type(inode) == S_IFREG && !(mode & S_ISUID) &&
	       (mode & (S_ISGID | S_IXGRP)) != (S_ISGID | S_IXGRP) &&
	       inode_permission(inode, R_OK | W_OK) == 0;
}

int inode_check_link(const struct inode *inode)
{
	return is_safe_to_link(inode) || inode_owner_or_capable(inode) ? 0 : -EPERM;
}

int inode_check_follow(const struct inode *directory, const struct inode *link)
{
	const uint32_t shared = S_ISVTX | OTHERS_WRITE;

	return owns(credentials_for_files(), link) || (directory->mode & shared) != shared ||
			       directory->uid == link->uid ?
		       0 :
		       -EACCES;
}

static bool keeps_group_bit(uint32_t gid)
{
	const struct credentials *own = credentials_for_files();

	return credentials_in_group(own, gid) || credentials_have(own, CAP_FSETID);
}

uint32_t inode_allowed_mode(uint32_t mode, uint32_t gid)
{
	return (mode & S_ISGID) && !keeps_group_bit(gid) ? mode & ~(uint32_t)S_ISGID : mode;
}

int inode_check_owner_change(const struct inode *inode, uint32_t uid, uint32_t gid)
{
	const struct credentials *own = credentials_for_files();

	if (credentials_have(own, CAP_CHOWN))
		return 0;
	if (uid != INODE_OWNER_STAYS && !(owns(own, inode) && uid == inode->uid))
		return -EPERM;
	if (gid != INODE_OWNER_STAYS &&
	    !(owns(own, inode) && (gid == inode->gid || credentials_in_group(own, gid))))
		return -EPERM;
	return 0;
}

uint32_t inode_mode_without_privileges(const struct inode *inode)
{
	uint32_t mode = inode->mode;

	if (inode_type(inode) == S_IFDIR)
		return mode;
	if ((mode & S_ISGID) && ((mode & S_IXGRP) || !keeps_group_bit(inode->gid)))
		mode &= ~(uint32_t)S_ISGID;
	return mode & ~(uint32_t)S_ISUID;
}

void inode_written(struct inode *inode)
{
	if (!(inode->mode & (S_ISUID | S_ISGID)) || inode_type(inode) != S_IFREG ||
	    credentials_have(credentials_for_files(), CAP_FSETID))
		return;
	inode->mode = inode_mode_without_privileges(inode);
}
