/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The initramfs: a cpio archive of the "newc" format becomes the file tree.
 *
 * Format (Linux, Documentation/driver-api/early-userspace/buffer-format.rst): members one after
 * another, each a header of 110 ASCII characters, the name with its end, padding to 4 bytes, the
 * contents, padding to 4 bytes. A member named TRAILER!!! ends the archive; zeros may follow, and
 * then another archive.
 *
 * The contents stay where they are: inodes point into the archive. What is wrong with an archive
 * ends the boot with one line that says where and what.
 */
#include <string.h>

#include <kernel/entry.h>
#include <kernel/inode.h>
#include <kernel/log.h>

#define HEADER_SIZE 110
#define MAGIC_SIZE  6
#define FIELD_SIZE  8
#define TRAILER	    "TRAILER!!!"
#define GZIP_MAGIC  "\x1f\x8b"
#define ZSTD_MAGIC  "\x28\xb5\x2f\xfd"
#define XZ_MAGIC \
	"\xfd"   \
	"7zXZ"

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
	size_t name_size; /* without its end */
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

/* The directory of NAME, made if the archive does not have it before its contents; NAME and
 * *SIZE become the last part. */
static struct inode *parent_of(const char **name, size_t *size)
{
	struct inode *at = &root_inode;
	size_t begin = 0;

	for (size_t i = 0; i < *size; i++) {
		if ((*name)[i] != '/')
			continue;
		if (i > begin) {
			struct inode *next = inode_find(at, *name + begin, i - begin);

			if (!next)
				next = inode_create(at, *name + begin, i - begin, S_IFDIR | 0755);
			if (!next || (next->mode & S_IFMT) != S_IFDIR)
				return NULL;
			at = next;
		}
		begin = i + 1;
	}
	*name += begin;
	*size -= begin;
	return at;
}

static void add_member(const struct archive *archive, const struct member *member)
{
	const char *name = member->name;
	size_t name_size = member->name_size;
	struct inode *parent = parent_of(&name, &name_size);

	if (!parent)
		damaged(archive, "a file lies in what is no directory");
	if (name_size == 0)
		return;
	struct inode *inode = inode_find(parent, name, name_size);
	bool directory = (member->fields[CPIO_MODE] & S_IFMT) == S_IFDIR;

	/* A later member of the same name replaces the earlier one, as in Linux. */
	if (!inode)
		inode = inode_create(parent, name, name_size, member->fields[CPIO_MODE]);
	if (!inode)
		boot_failure(
			"too little memory for the initramfs' file tree; give the machine more");
	if (directory != ((inode->mode & S_IFMT) == S_IFDIR))
		damaged(archive, "one name for a file and a directory");
	inode->mode = member->fields[CPIO_MODE];
	inode->uid = member->fields[CPIO_UID];
	inode->gid = member->fields[CPIO_GID];
	inode->modified_s = member->fields[CPIO_MTIME];
	inode->device = (uint64_t)member->fields[CPIO_RDEVMAJOR] << 8 |
			member->fields[CPIO_RDEVMINOR];
	inode->data = member->data;
	inode->size = directory ? 0 : member->fields[CPIO_FILESIZE];
}

void initramfs_mount(const void *start, size_t size)
{
	struct archive archive = { .bytes = start, .size = size };
	bool ended = false;
	size_t files = 0;

	if (!start || !size)
		boot_failure("no initramfs; give one to the boot loader as the first module");
	while (archive.at < archive.size) {
		struct member member;

		if (archive.bytes[archive.at] == '\0') {
			archive.at++;
			continue;
		}
		read_member(&archive, &member);
		ended = !strcmp(member.name, TRAILER);
		if (ended)
			continue;
		add_member(&archive, &member);
		files++;
	}
	if (!ended)
		damaged(&archive, "cut off: no end mark");
	devices_init();
	proc_init();
	log_debug("initramfs: %zu files, %zu KiB", files, size / 1024);
}
