/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contents that go through to the server, of a share that writes.
 *
 * A file is open for writing at the server, through a fid of its own, as long as a program has it open so: a file that the host
 * lets be created, but not opened again, can be written to. An access that the host does not permit fails when the program opens
 * the file, to read it, too.
 */
#include "writing.h"

#include <kernel/fs/tmpfs.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "change.h"
#include "source.h"

static struct p9_source *source_of(struct tmpfs_source *source)
{
	return __containerof(source, struct p9_source, source);
}

/* M held, as in the next one. */
static int open_for_writing(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	int error = p9_open_again(&file->share->client, file->fid, O_WRONLY | O_LARGEFILE,
				  &file->writing_fid);

	file->writing = !error;
	return error == -ENOENT ? -ESTALE : error;
}

static void close_writing(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	if (file->writing)
		p9_clunk(&file->share->client, file->writing_fid);
	file->writing = false;
}

static int open_source(struct tmpfs_source *source, bool write)
{
	struct p9_source *file = source_of(source);
	struct share *share = file->share;
	int error = 0;

	mutex_lock(&share->mutex);
	if (!file->writing)
		error = write ? open_for_writing(file) : p9_source_open(file);
	if (!error && write && file->writers++ == 0)
		LIST_INSERT_HEAD(&share->written, file, written);
	mutex_unlock(&share->mutex);
	return error;
}

static void close_source(struct tmpfs_source *source, bool write)
{
	struct p9_source *file = source_of(source);

	mutex_lock(&file->share->mutex);
	if (write && --file->writers == 0)
		LIST_REMOVE(file, written);
	/* One that was created and only read from, too. */
	if (file->writers == 0)
		close_writing(file);
	mutex_unlock(&file->share->mutex);
}

/* The server has reported ERROR for SIZE bytes at OFFSET. It may have written the first ones before the disk was full: returns
 * their number, if the file has grown by them, or ERROR. M held. */
static ssize_t count_written(struct p9_source *file, uint64_t offset, size_t size, int error)
{
	struct p9_attributes attributes;

	mutex_assert_held(&file->share->mutex);
	if (p9_get_attributes(&file->share->client, file->fid, &attributes) ||
	    attributes.qid.path != file->path || attributes.size <= file->size ||
	    attributes.size <= offset || attributes.size > offset + size)
		return error;
	return (ssize_t)(attributes.size - offset);
}

static ssize_t write_source(struct tmpfs_source *source, uint64_t offset, const void *buffer,
			    size_t size)
{
	struct p9_source *file = source_of(source);

	mutex_lock(&file->share->mutex);
	ssize_t done = file->writing ? p9_write(&file->share->client, file->writing_fid, offset,
						buffer, size) :
				       -EIO;

	if (done < 0)
		done = count_written(file, offset, size, (int)done);
	p9_source_forget_block(file);
	if (done > 0 && offset + (size_t)done > file->size)
		file->size = offset + (size_t)done;
	mutex_unlock(&file->share->mutex);
	return done;
}

static int resize_source(struct tmpfs_source *source, uint64_t size)
{
	struct p9_source *file = source_of(source);
	const struct p9_change change = { .set = P9_SET_SIZE, .size = size };

	mutex_lock(&file->share->mutex);
	int error = p9_set_attributes(&file->share->client, file->fid, &change);

	p9_source_forget_block(file);
	if (!error)
		file->size = size;
	mutex_unlock(&file->share->mutex);
	return error == -ENOENT ? -ESTALE : error;
}

const struct tmpfs_through p9_through = {
	.open = open_source,
	.close = close_source,
	.write = write_source,
	.resize = resize_source,
};

void p9_writing_end(struct p9_source *file)
{
	mutex_assert_held(&file->share->mutex);
	if (file->writers)
		LIST_REMOVE(file, written);
	file->writers = 0;
	close_writing(file);
}

/* --- securing --- */

static int sync_file(struct p9_source *file, bool data_only)
{
	mutex_lock(&file->share->mutex);
	int error = file->writing ? 0 : p9_source_open(file);

	if (!error)
		error = p9_sync(&file->share->client,
				file->writing ? file->writing_fid : file->open_fid, data_only);
	mutex_unlock(&file->share->mutex);
	return error;
}

static int sync_directory(struct share_directory *directory, bool data_only)
{
	struct p9_client *client = &directory->share->client;
	uint32_t fid;
	int error =
		p9_open_again(client, directory->fid, O_RDONLY | O_DIRECTORY | O_LARGEFILE, &fid);

	if (error)
		return error;
	error = p9_sync(client, fid, data_only);
	p9_clunk(client, fid);
	return error;
}

/* Returns a file of SHARE that is open for writing and that ROUND has not had, its inode with a reference; or NULL. */
static struct p9_source *next_written(struct share *share, uint64_t round)
{
	struct p9_source *file;

	mutex_lock(&share->mutex);
	LIST_FOREACH(file, &share->written, written)
		/* One that has lost its last name and is about to be freed. */
		if (file->sync_round != round && !file->source.detached)
			break;
	if (file) {
		file->sync_round = round;
		inode_get(file->inode);
	}
	mutex_unlock(&share->mutex);
	return file;
}

int share_send_all(struct share *share, bool sync, bool data_only)
{
	static _Atomic uint64_t rounds;
	uint64_t round = atomic_fetch_add(&rounds, 1) + 1;
	struct p9_source *file;
	int result = 0;

	while ((file = next_written(share, round))) {
		int error = tmpfs_sync_through(file->inode);

		if (!error && sync)
			error = sync_file(file, data_only);
		if (error && !result)
			result = error;
		inode_put(file->inode);
	}
	return result;
}

int share_sync(struct superblock *superblock, struct inode *inode, bool data_only)
{
	struct share *share = superblock->private;

	if (!share->started)
		return 0;
	if (!inode)
		return share_send_all(share, true, data_only);
	if (inode_type(inode) == S_IFDIR)
		return sync_directory(share_directory_of(inode), data_only);
	struct p9_source *file = p9_source_of(inode);
	int error = tmpfs_sync_through(inode);

	return error || file->source.detached ? error : sync_file(file, data_only);
}
