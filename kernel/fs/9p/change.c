/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests of 9P2000.L that change the server's files; see change.h. */
#include "change.h"

#include <string.h>

#include <kernel/fs/inode.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "client.h"
#include "message.h"

/* Types of requests. */
enum {
	LCREATE = 14,
	SYMLINK = 16,
	MKNOD = 18,
	SETATTR = 26,
	FSYNC = 50,
	LINK = 70,
	MKDIR = 72,
	RENAMEAT = 74,
	UNLINKAT = 76,
	WRITE = 118,
};

/* A request to write, before its data. */
#define WRITE_FIELDS	 (P9_HEADER_SIZE + 4u + 8 + 4)
/* Tlcreate's flags are those of Linux on x86. */
#define CREATE_FLAGS	 (01u | 0100 | 0200 | 0100000) /* O_WRONLY, O_CREAT, O_EXCL, O_LARGEFILE */
/* Tunlinkat: AT_REMOVEDIR. */
#define REMOVE_DIRECTORY 0x200u

static void put_place(struct p9_message *message, const struct p9_entry *entry)
{
	p9_put_32(message, entry->directory);
	p9_put_text(message, entry->name, entry->name_size);
}

/* Sends REQUEST, whose reply begins with the new entry's qid. */
static int make(struct p9_client *client, struct p9_message *request)
{
	int error = p9_call(client, request);

	p9_get_qid(request);
	return p9_end(client, request, error);
}

/* Sends REQUEST, whose reply has no field. */
static int change(struct p9_client *client, struct p9_message *request)
{
	return p9_end(client, request, p9_call(client, request));
}

int p9_create(struct p9_client *client, const struct p9_entry *entry)
{
	struct p9_message message = p9_begin(client, LCREATE);

	put_place(&message, entry);
	p9_put_32(&message, CREATE_FLAGS);
	p9_put_32(&message, entry->mode);
	p9_put_32(&message, entry->gid);
	int error = p9_call(client, &message);

	p9_get_qid(&message);
	p9_get_32(&message); /* the size of good transfers: the message's bounds it, too */
	return p9_end(client, &message, error);
}

int p9_make_directory(struct p9_client *client, const struct p9_entry *entry)
{
	struct p9_message message = p9_begin(client, MKDIR);

	put_place(&message, entry);
	p9_put_32(&message, entry->mode & S_IALLUGO);
	p9_put_32(&message, entry->gid);
	return make(client, &message);
}

int p9_make_node(struct p9_client *client, const struct p9_entry *entry, uint64_t device)
{
	struct p9_message message = p9_begin(client, MKNOD);

	put_place(&message, entry);
	p9_put_32(&message, entry->mode);
	p9_put_32(&message, (uint32_t)(device >> 8 & 0xfff));
	p9_put_32(&message, device_minor(device));
	p9_put_32(&message, entry->gid);
	return make(client, &message);
}

int p9_make_link(struct p9_client *client, const struct p9_entry *entry, const char *target)
{
	struct p9_message message = p9_begin(client, SYMLINK);

	put_place(&message, entry);
	p9_put_text(&message, target, strlen(target));
	p9_put_32(&message, entry->gid);
	return make(client, &message);
}

int p9_link(struct p9_client *client, const struct p9_entry *entry, uint32_t fid)
{
	struct p9_message message = p9_begin(client, LINK);

	p9_put_32(&message, entry->directory);
	p9_put_32(&message, fid);
	p9_put_text(&message, entry->name, entry->name_size);
	return change(client, &message);
}

int p9_rename(struct p9_client *client, const struct p9_entry *from, const struct p9_entry *to)
{
	struct p9_message message = p9_begin(client, RENAMEAT);

	put_place(&message, from);
	put_place(&message, to);
	return change(client, &message);
}

int p9_remove(struct p9_client *client, const struct p9_entry *entry, bool is_directory)
{
	struct p9_message message = p9_begin(client, UNLINKAT);

	put_place(&message, entry);
	p9_put_32(&message, is_directory ? REMOVE_DIRECTORY : 0);
	return change(client, &message);
}

static void put_time(struct p9_message *message, const struct kernel_timespec *time)
{
	p9_put_64(message, (uint64_t)time->tv_sec);
	p9_put_64(message, (uint64_t)time->tv_nsec);
}

int p9_set_attributes(struct p9_client *client, uint32_t fid, const struct p9_change *change_of)
{
	struct p9_message message = p9_begin(client, SETATTR);

	p9_put_32(&message, fid);
	p9_put_32(&message, change_of->set);
	p9_put_32(&message, change_of->mode);
	p9_put_32(&message, change_of->uid);
	p9_put_32(&message, change_of->gid);
	p9_put_64(&message, change_of->size);
	put_time(&message, &change_of->accessed);
	put_time(&message, &change_of->modified);
	return change(client, &message);
}

ssize_t p9_write(struct p9_client *client, uint32_t fid, uint64_t offset, const void *buffer,
		 size_t size)
{
	struct p9_message message = p9_begin(client, WRITE);

	if (size > client->size_max - WRITE_FIELDS)
		size = client->size_max - WRITE_FIELDS;
	p9_put_32(&message, fid);
	p9_put_64(&message, offset);
	p9_put_32(&message, (uint32_t)size);
	void *data = p9_put_bytes(&message, size);

	if (data)
		memcpy(data, buffer, size);
	int error = p9_call(client, &message);
	uint32_t count = p9_get_32(&message);

	if (!error && (count == 0 || count > size))
		error = -EIO;
	error = p9_end(client, &message, error);
	return error ? error : (ssize_t)count;
}

int p9_sync(struct p9_client *client, uint32_t fid, bool data_only)
{
	struct p9_message message = p9_begin(client, FSYNC);

	p9_put_32(&message, fid);
	p9_put_32(&message, data_only);
	return change(client, &message);
}
