/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a share's files: a source of tmpfs that reads them from the server.
 *
 * A file is opened at the server at its first read, through a fid of its own; the files that were read last stay open.
 * Small reads of a share go through one block, so that a program that reads line by line does not ask the server for each.
 */
#include "source.h"

#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "writing.h"

/* M held. */
static void forget_use(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	TAILQ_REMOVE(&file->share->open_files, file, used);
	file->share->open_count--;
}

static void close_file(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	if (!file->kept)
		forget_use(file);
	file->open = false;
	p9_clunk(&file->share->client, file->open_fid);
}

int p9_source_open(struct p9_source *file)
{
	struct share *share = file->share;

	mutex_assert_held(&share->mutex);
	if (file->open && file->kept)
		return 0;
	if (file->open) {
		TAILQ_REMOVE(&share->open_files, file, used);
		TAILQ_INSERT_TAIL(&share->open_files, file, used);
		return 0;
	}
	if (share->open_count == SHARE_FILES_MAX)
		close_file(TAILQ_FIRST(&share->open_files));
	int error =
		p9_open_again(&share->client, file->fid, O_RDONLY | O_LARGEFILE, &file->open_fid);

	if (error)
		return error == -ENOENT ? -ESTALE : error;
	file->open = true;
	share->open_count++;
	TAILQ_INSERT_TAIL(&share->open_files, file, used);
	return 0;
}

/* Reads SIZE bytes at OFFSET, or up to the end of the file, which is at *GOT. */
static int read_all(struct p9_source *file, uint64_t offset, char *buffer, size_t size, size_t *got)
{
	int error = p9_source_open(file);

	*got = 0;
	while (!error && *got < size) {
		ssize_t part = p9_read(&file->share->client, file->open_fid, offset + *got,
				       buffer + *got, size - *got);

		if (part <= 0) {
			error = (int)part;
			break;
		}
		*got += (size_t)part;
	}
	return error;
}

/* Brings the block with OFFSET of FILE to share->block: 0 or an error. */
static int bring_block(struct p9_source *file, uint64_t offset)
{
	struct share *share = file->share;
	uint64_t start = offset - offset % SHARE_BLOCK_SIZE, left = file->size - start;

	mutex_assert_held(&share->mutex);
	if (share->block_owner == file && share->block_offset == start)
		return 0;
	share->block_owner = NULL;
	if (!share->block)
		share->block = kzalloc(SHARE_BLOCK_SIZE);
	if (!share->block)
		return -ENOMEM;
	int error = read_all(file, start, share->block,
			     left < SHARE_BLOCK_SIZE ? left : SHARE_BLOCK_SIZE, &share->block_size);

	if (error)
		return error;
	share->block_owner = file;
	share->block_offset = start;
	return 0;
}

/* Copies from blocks: the parts of SIZE bytes at OFFSET that the file has. */
static int read_blocks(struct p9_source *file, uint64_t offset, char *buffer, size_t size)
{
	const struct share *share = file->share;

	while (size) {
		size_t at = offset % SHARE_BLOCK_SIZE, part = SHARE_BLOCK_SIZE - at;
		int error = bring_block(file, offset);

		if (error)
			return error;
		if (part > size)
			part = size;
		if (at < share->block_size) {
			size_t there = share->block_size - at;

			memcpy(buffer, (const char *)share->block + at,
			       there < part ? there : part);
		}
		buffer += part;
		offset += part;
		size -= part;
	}
	return 0;
}

static int read_source(struct tmpfs_source *source, uint64_t offset, void *buffer, size_t size)
{
	struct p9_source *file = __containerof(source, struct p9_source, source);
	size_t got;
	int error;

	memset(buffer, 0, size);
	mutex_lock(&file->share->mutex);
	if (size < SHARE_BLOCK_SIZE)
		error = read_blocks(file, offset, buffer, size);
	else
		error = read_all(file, offset, buffer, size, &got);
	mutex_unlock(&file->share->mutex);
	return error;
}

void p9_source_forget_block(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	if (file->share->block_owner == file)
		file->share->block_owner = NULL;
}

static void free_source(struct tmpfs_source *source)
{
	struct p9_source *file = __containerof(source, struct p9_source, source);
	struct share *share = file->share;
	struct p9_name *name;

	mutex_lock(&share->mutex);
	if (file->open)
		close_file(file);
	p9_source_forget_block(file);
	p9_writing_end(file);
	if (file->has_fid)
		p9_clunk(&share->client, file->fid);
	while ((name = SLIST_FIRST(&file->names))) {
		SLIST_REMOVE_HEAD(&file->names, next);
		p9_clunk(&share->client, name->fid);
		kfree(name);
	}
	mutex_unlock(&share->mutex);
	kfree(file);
}

int p9_source_add_name(struct p9_source *file, uint32_t fid)
{
	mutex_assert_held(&tree_mutex);
	struct p9_name *name = kzalloc(sizeof(*name));

	if (!name)
		return -ENOMEM;
	name->fid = fid;
	SLIST_INSERT_HEAD(&file->names, name, next);
	return 0;
}

void p9_source_lose_name(struct p9_source *file)
{
	struct p9_client *client = &file->share->client;
	struct p9_attributes attributes;
	struct p9_name *name;

	mutex_assert_held(&tree_mutex);
	/* A fid is a name: its file is gone, or is another one by now. */
	while ((name = SLIST_FIRST(&file->names)) &&
	       (p9_get_attributes(client, file->fid, &attributes) ||
		attributes.qid.path != file->path)) {
		uint32_t lost = file->fid;

		mutex_lock(&file->share->mutex);
		file->fid = name->fid;
		mutex_unlock(&file->share->mutex);
		SLIST_REMOVE_HEAD(&file->names, next);
		p9_clunk(client, lost);
		kfree(name);
	}
}

void p9_source_keep(struct p9_source *file)
{
	mutex_lock(&file->share->mutex);
	if (!file->kept && !p9_source_open(file)) {
		forget_use(file);
		file->kept = true;
	}
	mutex_unlock(&file->share->mutex);
}

struct p9_source *p9_source_create(struct share *share, struct inode *inode, uint64_t size)
{
	struct p9_source *file = kzalloc(sizeof(*file));

	if (!file)
		return NULL;
	file->source.read = read_source;
	file->source.free = free_source;
	if (share->writes)
		file->source.through = &p9_through;
	file->share = share;
	file->inode = inode;
	file->size = size;
	tmpfs_set_source(inode, &file->source, size);
	return file;
}
