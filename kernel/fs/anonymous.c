/* SPDX-License-Identifier: BSD-2-Clause */
/* Inodes that no directory lists, see <kernel/anonymous.h>. Each kind has a file system, mounted nowhere,
 * that numbers them. */
#include <kernel/anonymous.h>

#include <string.h>

#include <kernel/dentry.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/pipe.h>
#include <kernel/socket.h>

/* Opening /proc/PID/fd/N again gives a pipe another end; a socket cannot be opened. */
static const struct inode_ops pipe_inode_ops = { .open = fifo_open };
static const struct inode_ops socket_inode_ops = { .open = NULL };

static struct kind {
	const char *name, *type;
	uint32_t magic;
	const struct inode_ops *ops;
	struct superblock *superblock;
} kinds[] = {
	{ "pipe", "pipefs", PIPEFS_MAGIC, &pipe_inode_ops, NULL },
	{ "socket", "sockfs", SOCKFS_MAGIC, &socket_inode_ops, NULL },
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

void anonymous_init(void)
{
	pipes_init();
	sockets_init();
	for (size_t i = 0; i < KIND_COUNT; i++) {
		kinds[i].superblock = superblock_create(kinds[i].type, kinds[i].magic, true);
		if (!kinds[i].superblock)
			boot_failure("too little memory for pipes; give the machine more");
	}
}

struct dentry *anonymous_create(const char *kind, uint32_t mode)
{
	struct inode *inode = kzalloc(sizeof(*inode));
	char name[40];
	size_t i = 0;

	if (!inode)
		return NULL;
	while (strcmp(kinds[i].name, kind) != 0)
		i++;
	inode_init(inode, kinds[i].superblock, kinds[i].ops, mode);
	inode->links = 1;
	int length =
		format_string(name, sizeof(name), "%s:[%lu]", kind, (unsigned long)inode->number);
	struct dentry *dentry = dentry_create(NULL, inode, name, (size_t)length);

	if (!dentry)
		inode_put(inode);
	return dentry;
}
