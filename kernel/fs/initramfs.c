/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The initramfs: a cpio archive of the "newc" format becomes the file tree.
 *
 * Format (Linux, Documentation/driver-api/early-userspace/buffer-format.rst): a sequence of members, each a
 * header of 110 ASCII characters, the name with its terminator, padding to 4 bytes, the contents, padding to
 * 4 bytes. A member named TRAILER!!! ends the archive; zeros may follow, and then another archive.
 *
 * The contents stay in place: inodes point into the archive. Adding entries to a directory does not change
 * the modification time that the archive gives it. A fault in an archive ends the boot with one line that
 * names the place and the fault.
 */
#include <string.h>

#include <kernel/base/entry.h>
#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/pipe.h>
#include <kernel/fs/tmpfs.h>
#include <uapi/linux/errno.h>

#include "archive_links.h"

#define HEADER_SIZE 110
#define MAGIC_SIZE  6
#define FIELD_SIZE  8
#define TRAILER	    "TRAILER!!!"
#define GZIP_MAGIC  "\x1f\x8b"
#define ZSTD_MAGIC  "\x28\xb5\x2f\xfd"
#define XZ_MAGIC \
	"\xfd"   \
	"7zXZ"

/* Inode numbers of the archive's files, and of files that programs make, begin after these. All have seven digits, and those of
 * later files do not depend on the archive, while it has fewer than a million files. */
#define ARCHIVE_NUMBERS 1000000
#define LATER_NUMBERS	2000000

/* Order of the header's fields after the magic number. */
enum cpio_field {
	CPIO_INO,
	CPIO_MODE,
	CPIO_UID,
	CPIO_GID,
	CPIO_NLINK,
	CPIO_MTIME,
	CPIO_FILESIZE,
	CPIO_DEVMAJOR,
	CPIO_DEVMINOR,
	CPIO_RDEVMAJOR,
	CPIO_RDEVMINOR,
	CPIO_NAMESIZE,
	CPIO_CHECK,
	CPIO_FIELD_COUNT
};

struct member {
	uint32_t fields[CPIO_FIELD_COUNT];
	const char *name;
	size_t name_size; /* without the terminator */
	const void *data;
};

struct archive {
	const char *bytes;
	size_t size, at;
};

#define ADVICE "make it anew (cpio -H newc, uncompressed)"

static _Noreturn void damaged(const struct archive *archive, const char *what)
{
	boot_failure("initramfs is damaged at byte %zu of %zu: %s; " ADVICE, archive->at,
		     archive->size, what);
}

static int hexadecimal_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void read_fields(const struct archive *archive, struct member *member)
{
	const char *digits = archive->bytes + archive->at + MAGIC_SIZE;

	for (int field = 0; field < CPIO_FIELD_COUNT; field++) {
		uint32_t value = 0;

		for (int i = 0; i < FIELD_SIZE; i++) {
			int digit = hexadecimal_digit(*digits++);

			if (digit < 0)
				damaged(archive, "a header field is no hexadecimal number");
			value = value << 4 | (uint32_t)digit;
		}
		member->fields[field] = value;
	}
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static bool has_magic(const struct archive *archive, const char *magic, size_t size)
{
	return archive->size - archive->at >= size &&
	       !memcmp(archive->bytes + archive->at, magic, size);
}

/* Reads the member at archive->at and moves past it. */
static void read_member(struct archive *archive, struct member *member)
{
	if (has_magic(archive, GZIP_MAGIC, 2) || has_magic(archive, XZ_MAGIC, 5) ||
	    has_magic(archive, ZSTD_MAGIC, 4))
		boot_failure("initramfs is compressed; unpack it first");
	if (archive->size - archive->at < HEADER_SIZE)
		damaged(archive, "cut off inside a header");
	if (!has_magic(archive, "070701", MAGIC_SIZE) && !has_magic(archive, "070702", MAGIC_SIZE))
		damaged(archive, "no cpio header here");
	read_fields(archive, member);
	size_t name_size = member->fields[CPIO_NAMESIZE], size = member->fields[CPIO_FILESIZE];
	size_t name_at = archive->at + HEADER_SIZE;

	if (name_size < 2 || name_size > PATH_SIZE)
		damaged(archive, "a name of impossible length");
	if (name_size > archive->size - name_at)
		damaged(archive, "cut off inside a name");
	size_t data_at = padded(name_at + name_size);

	member->name = archive->bytes + name_at;
	member->name_size = name_size - 1;
	if (member->name[name_size - 1] != '\0' || strlen(member->name) != name_size - 1)
		damaged(archive, "a name without its end");
	if (data_at > archive->size || size > archive->size - data_at)
		damaged(archive, "cut off inside a file's contents");
	member->data = archive->bytes + data_at;
	archive->at = padded(data_at + size);
	if (archive->at > archive->size)
		archive->at = archive->size;
}

static _Noreturn void no_memory(void)
{
	boot_failure("too little memory for the initramfs' file tree; give the machine more");
}

/* Returns the directory of NAME, with a reference; creates it if the archive has its contents first. NAME
 * and *SIZE become the last part. NULL: a part of the path is no directory. */
static struct dentry *parent_of(const char **name, size_t *size)
{
	const struct entry_request request = { .mode = S_IFDIR | 0755 };
	struct dentry *at = root_dentry;
	size_t begin = 0;

	dentry_get(at);
	for (size_t i = 0; i < *size; i++) {
		if ((*name)[i] != '/')
			continue;
		if (i > begin && !(i - begin == 1 && (*name)[begin] == '.')) {
			struct dentry *next;

			mutex_lock(&tree_mutex);
			int error = path_step(at, *name + begin, i - begin, &next);

			mutex_unlock(&tree_mutex);
			if (error == -ENOENT)
				error = entry_create(at, *name + begin, i - begin, &request, &next);
			if (error == -ENOMEM || error == -ENOSPC)
				no_memory();
			dentry_put(at);
			if (error)
				return NULL;
			at = next;
		}
		begin = i + 1;
	}
	*name += begin;
	*size -= begin;
	return at;
}

/* Makes the entry NAME, which must be new, for MEMBER: a new file, or another name of a file made before. */
static int make_entry(struct dentry *parent, const char *name, size_t name_size,
		      const struct member *member, struct dentry **result)
{
	const struct entry_request request = {
		.mode = member->fields[CPIO_MODE],
		.device = device_number(member->fields[CPIO_RDEVMAJOR],
					member->fields[CPIO_RDEVMINOR]),
	};
	const struct archive_id id = { member->fields[CPIO_INO], member->fields[CPIO_DEVMAJOR],
				       member->fields[CPIO_DEVMINOR] };
	unsigned int type = request.mode & S_IFMT;
	bool has_names = member->fields[CPIO_NLINK] > 1 && type != S_IFDIR && type != S_IFLNK;
	struct dentry *first = has_names ? archive_links_find(&id) : NULL;

	if (!first || inode_type(first->inode) != type) {
		int error = entry_create(parent, name, name_size, &request, result);

		if (!error && has_names && !first && !archive_links_add(&id, *result))
			no_memory();
		return error;
	}
	*result = first;
	dentry_get(first);
	return entry_link(first, parent, name, name_size);
}

/* Returns the entry NAME of PARENT for MEMBER, with a reference; it may exist already. */
static struct dentry *entry_of(struct dentry *parent, const char *name, size_t name_size,
			       const struct member *member)
{
	bool directory = (member->fields[CPIO_MODE] & S_IFMT) == S_IFDIR;
	struct dentry *dentry;

	mutex_lock(&tree_mutex);
	int error = path_step(parent, name, name_size, &dentry);

	mutex_unlock(&tree_mutex);
	if (!error) {
		/* A later member of the same name replaces the earlier one, as in Linux. */
		if (directory && inode_type(dentry->inode) == S_IFDIR)
			return dentry;
		dentry_put(dentry);
		error = entry_remove(parent, name, name_size, directory);
		if (error)
			return NULL;
	}
	error = make_entry(parent, name, name_size, member, &dentry);
	if (error == -ENOMEM || error == -ENOSPC)
		no_memory();
	return error ? NULL : dentry;
}

static void add_member(const struct archive *archive, const struct member *member)
{
	const char *name = member->name;
	size_t name_size = member->name_size;

	while (name_size && name[name_size - 1] == '/')
		name_size--;
	struct dentry *parent = parent_of(&name, &name_size);

	if (!parent)
		damaged(archive, "a file lies in what is no directory");
	if (name_size == 0 || (name_size == 1 && name[0] == '.')) {
		dentry_put(parent);
		return;
	}
	const struct kernel_timespec parent_modified = parent->inode->modified;
	struct dentry *dentry = entry_of(parent, name, name_size, member);

	if (!dentry)
		damaged(archive, "one name for a file and a directory");
	struct inode *inode = dentry->inode;

	inode->mode = member->fields[CPIO_MODE];
	inode->uid = member->fields[CPIO_UID];
	inode->gid = member->fields[CPIO_GID];
	/* Zero: the archive gives no time; the time of this boot stays. */
	if (member->fields[CPIO_MTIME])
		inode->modified = (struct kernel_timespec){ .tv_sec = member->fields[CPIO_MTIME] };
	parent->inode->modified = parent_modified;
	/* Only one of a file's names has the contents. */
	if (inode_type(inode) == S_IFLNK ||
	    (inode_type(inode) == S_IFREG && (inode->links == 1 || member->fields[CPIO_FILESIZE])))
		tmpfs_set_image(inode, member->data, member->fields[CPIO_FILESIZE]);
	dentry_put(dentry);
	dentry_put(parent);
}

void files_init(void)
{
	tree_init();
	file_init();
	file_lock_init();
	memfd_init();
	pipes_init();
	inotify_init();
}

void initramfs_unpack(const void *start, size_t size)
{
	struct archive archive = { .bytes = start, .size = size };
	struct superblock *root = root_dentry->inode->superblock;
	bool ended = false;
	size_t files = 0;

	if (!start || !size)
		boot_failure("no initramfs; give one to the boot loader as the first module");
	root->last_number = ARCHIVE_NUMBERS;
	while (archive.at < archive.size) {
		struct member member;

		if (archive.bytes[archive.at] == '\0') {
			archive.at++;
			continue;
		}
		read_member(&archive, &member);
		ended = !strcmp(member.name, TRAILER);
		if (ended) {
			archive_links_forget();
			continue;
		}
		add_member(&archive, &member);
		files++;
	}
	if (!ended)
		damaged(&archive, "cut off: no end mark");
	if (root->last_number < LATER_NUMBERS)
		root->last_number = LATER_NUMBERS;
	tmpfs_limit_inodes(root);
	log_debug("initramfs: %zu files, %zu KiB", files, size / 1024);
}
