/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contents of a share's files: a source of tmpfs that reads them from the server.
 *
 * A file is opened at the server at its first read, through a fid of its own; the files that were read last stay open.
 * Small reads of a share go through one block, so that a program that reads line by line does not ask the server for each.
 */
#include <string.h>

#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "share.h"

struct p9_source {
	struct tmpfs_source source;
	struct share *share;
	uint64_t size;
	uint32_t fid;
	bool open;		     /* M */
	uint32_t open_fid;	     /* M: if open */
	TAILQ_ENTRY(p9_source) used; /* M: in share->open_files, if open */
};

/* M held, as in all functions here but the last. */
static void close_file(struct p9_source *file)
{
	TAILQ_REMOVE(&file->share->open_files, file, used);
	file->share->open_count--;
	file->open = false;
	p9_clunk(&file->share->client, file->open_fid);
}

/* 0 or an error; -ESTALE: the host has removed the file since it was looked up. */
static int open_file(struct p9_source *file)
{
	struct share *share = file->share;
	struct p9_qid qid;

	if (file->open) {
		TAILQ_REMOVE(&share->open_files, file, used);
		TAILQ_INSERT_TAIL(&share->open_files, file, used);
		return 0;
	}
	if (share->open_count == SHARE_FILES_MAX)
		close_file(TAILQ_FIRST(&share->open_files));
	int error = p9_walk(&share->client, file->fid, "", 0, &file->open_fid, &qid);

	if (error)
		return error == -ENOENT ? -ESTALE : error;
	error = p9_open(&share->client, file->open_fid, O_RDONLY | O_LARGEFILE);
	if (error) {
		p9_clunk(&share->client, file->open_fid);
		return error == -ENOENT ? -ESTALE : error;
	}
	file->open = true;
	share->open_count++;
	TAILQ_INSERT_TAIL(&share->open_files, file, used);
	return 0;
}

/* Reads SIZE bytes at OFFSET, or up to the end of the file, which is at *GOT. */
static int read_all(struct p9_source *file, uint64_t offset, char *buffer, size_t size, size_t *got)
{
	int error = open_file(file);

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

static void free_source(struct tmpfs_source *source)
{
	struct p9_source *file = __containerof(source, struct p9_source, source);
	struct share *share = file->share;

	mutex_lock(&share->mutex);
	if (file->open)
		close_file(file);
	if (share->block_owner == file)
		share->block_owner = NULL;
	p9_clunk(&share->client, file->fid);
	mutex_unlock(&share->mutex);
	kfree(file);
}

int share_set_source(struct share *share, struct inode *inode, uint32_t fid, uint64_t size)
{
	struct p9_source *file = kzalloc(sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->source.read = read_source;
	file->source.free = free_source;
	file->share = share;
	file->size = size;
	file->fid = fid;
	tmpfs_set_source(inode, &file->source, size);
	return 0;
}
