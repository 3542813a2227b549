/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memfd_create: files in memory that no directory lists, and the seals that forbid changes to a file. The
 * files live in a tmpfs that is mounted nowhere.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/tmpfs.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Linux's uapi/linux/memfd.h. */
#define MFD_CLOEXEC	  0x01
#define MFD_ALLOW_SEALING 0x02
#define MFD_NOEXEC_SEAL	  0x08
#define MFD_EXEC	  0x10
#define MFD_FLAGS	  (MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL | MFD_EXEC)

#define PREFIX		  "memfd:"

static struct superblock *nowhere;

void memfd_init(void)
{
	nowhere = tmpfs_create("tmpfs");
	if (!nowhere)
		boot_failure("too little memory for files in memory; give the machine more");
	nowhere->pages_max = 0;
	nowhere->space_max = 0;
}

/* Makes an unlinked dentry called PREFIX and NAME, for a new file. */
static int make_dentry(const char *name, uint32_t mode, struct dentry **result)
{
	char whole[NAME_SIZE_MAX + 1];
	int length = format_string(whole, sizeof(whole), PREFIX "%s", name);
	struct inode *inode = tmpfs_create_inode(nowhere, S_IFREG | mode, 0);

	if (!inode)
		return -ENOMEM;
	*result = dentry_create(nowhere->root, inode, whole, (size_t)length);
	if (*result)
		return 0;
	inode_put(inode);
	return -ENOMEM;
}

long sys_memfd_create(const unsigned long arg[6])
{
	char name[NAME_SIZE_MAX + 1 - (sizeof(PREFIX) - 1)];
	unsigned int flags = (unsigned int)arg[1];
	struct dentry *dentry;
	struct file *file;

	if ((flags & ~(unsigned int)MFD_FLAGS) || ((flags & MFD_EXEC) && (flags & MFD_NOEXEC_SEAL)))
		return -EINVAL;
	long length = copy_string_from_user(name, (const char *)arg[0], sizeof(name));

	if (length < 0)
		return length == -ENAMETOOLONG ? -EINVAL : length;
	int error = make_dentry(name, flags & MFD_NOEXEC_SEAL ? 0666 : 0777, &dentry);

	if (error)
		return error;
	unsigned int seals = flags & MFD_NOEXEC_SEAL   ? F_SEAL_EXEC :
			     flags & MFD_ALLOW_SEALING ? 0 :
							 F_SEAL_SEAL;

	tmpfs_set_seals(dentry->inode, seals);
	error = dentry_open(dentry, O_RDWR | O_LARGEFILE, &file);
	dentry_put(dentry);
	if (error)
		return error;
	return fd_install_or_put(file, flags & MFD_CLOEXEC);
}
