/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's half of 9P2000.L; see client.h. One request is on its way at a time, so one tag and one pair of buffers
 * serve all. The client trusts nothing from the server: message.c checks the bounds of fields, this file their meaning.
 */
#include "client.h"

#include <string.h>

#include <kernel/drivers/p9_transport.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/page.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

/* Each buffer: 32 pages of x86. */
#define BUFFER_ORDER 5
#define BUFFER_SIZE  ((size_t)PAGE_SIZE << BUFFER_ORDER)
/* The least size of messages that is of use: a name or a target fits. */
#define LEAST_SIZE   4096u
#define VERSION	     "9P2000.L"
#define NO_TAG	     UINT16_MAX
#define TAG	     0
#define NO_FID	     UINT32_MAX
/* Fields of a reply with data before the data: the header and the count. */
#define DATA_AT	     (P9_HEADER_SIZE + 4u)
/* The greatest error that a server may report: Linux's EHWPOISON. */
#define ERROR_MAX    133
/* Tgetattr: all attributes that stat has. */
#define BASIC	     0x7ffull
/* A mode: the type and the permissions. */
#define MODE_MASK    ((uint32_t)S_IFMT | 07777)

/* Types of requests; the reply's is one more. */
enum {
	LERROR = 6,
	STATFS = 8,
	LOPEN = 12,
	READLINK = 22,
	GETATTR = 24,
	READDIR = 40,
	TVERSION = 100,
	ATTACH = 104,
	WALK = 110,
	READ = 116,
	CLUNK = 120,
};

struct p9_message p9_begin(struct p9_client *client, uint8_t type)
{
	const struct p9_transport *transport = client->transport;

	mutex_lock(&client->mutex);
	/* The server may still read the request that a signal has ended. */
	if (client->lost)
		client->lost = transport->call(client->transport, NULL, 0, NULL, 0) == -EINTR;
	return p9_request(client->request, client->lost ? 0 : client->size_max, type,
			  type == TVERSION ? NO_TAG : TAG);
}

int p9_call(struct p9_client *client, struct p9_message *request)
{
	struct p9_transport *transport = client->transport;
	uint8_t type, asked = request->failed ? 0 : request->bytes[4];
	size_t size = p9_finish(request);

	if (client->lost)
		return -EINTR;
	if (!size)
		return -ENAMETOOLONG;
	long got =
		transport->call(transport, client->request, size, client->reply, client->size_max);

	client->lost = got == -EINTR;
	if (got == -EINTR)
		return -EINTR;
	if (got < 0) {
		client->broken = true;
		return -EIO;
	}
	*request = p9_reply(client->reply, client->size_max, (size_t)got,
			    asked == TVERSION ? NO_TAG : TAG, &type);
	if (p9_is_complete(request) && type == LERROR + 1) {
		uint32_t error = p9_get_32(request);

		return p9_is_complete(request) && error && error <= ERROR_MAX ? -(int)error : -EIO;
	}
	return p9_is_complete(request) && type == asked + 1 ? 0 : -EIO;
}

int p9_end(struct p9_client *client, const struct p9_message *reply, int error)
{
	mutex_unlock(&client->mutex);
	return !error && !p9_is_complete(reply) ? -EIO : error;
}

/* --- fids; client->mutex held --- */

static uint32_t take_fid(struct p9_client *client)
{
	if (client->free_fid_count)
		return client->free_fids[--client->free_fid_count];
	return ++client->last_fid;
}

/* The request to end FID, or to make it, came to ERROR. */
static void give_back_fid(struct p9_client *client, uint32_t fid, int error)
{
	/* A number that finds no room, or that the server may still know, is not used again: there are four billions. */
	if (error != -EINTR && client->free_fid_count < P9_FIDS_KEPT)
		client->free_fids[client->free_fid_count++] = fid;
}

/* --- the start --- */

static int agree(struct p9_client *client)
{
	struct p9_message message = p9_begin(client, TVERSION);

	p9_put_32(&message, client->size_max);
	p9_put_text(&message, VERSION, strlen(VERSION));
	int error = p9_call(client, &message);
	uint32_t size_max = p9_get_32(&message);
	size_t size;
	const char *version = p9_get_text(&message, &size);

	if (!error && (size != strlen(VERSION) || memcmp(version, VERSION, size) != 0 ||
		       size_max < LEAST_SIZE || size_max > client->size_max))
		error = -EIO;
	if (!error)
		client->size_max = size_max;
	return p9_end(client, &message, error);
}

static int attach(struct p9_client *client, uint32_t *root, struct p9_qid *qid)
{
	struct p9_message message = p9_begin(client, ATTACH);

	*root = take_fid(client);
	p9_put_32(&message, *root);
	p9_put_32(&message, NO_FID);
	p9_put_text(&message, "", 0);
	p9_put_text(&message, "", 0);
	p9_put_32(&message, 0);
	int error = p9_call(client, &message);

	*qid = p9_get_qid(&message);
	if (!error && !(qid->type & P9_QID_DIRECTORY))
		error = -ENOTDIR;
	return p9_end(client, &message, error);
}

void p9_client_end(struct p9_client *client)
{
	/* The device may still write to the buffers. */
	if (client->lost)
		return;
	if (client->request && !client->broken)
		page_put(client->request);
	if (client->reply && !client->broken)
		page_put(client->reply);
	client->request = client->reply = NULL;
}

int p9_client_start(struct p9_client *client, struct p9_transport *transport, uint32_t *root,
		    struct p9_qid *qid)
{
	client->transport = transport;
	client->broken = false;
	mutex_init(&client->mutex);
	if (!client->size_max || client->size_max > BUFFER_SIZE)
		client->size_max = BUFFER_SIZE;
	client->last_fid = client->free_fid_count = 0;
	/* A start that a signal has ended left them to the device. */
	if (!client->request)
		client->request = page_alloc(BUFFER_ORDER);
	if (!client->reply)
		client->reply = page_alloc(BUFFER_ORDER);
	int error = client->request && client->reply ? agree(client) : -ENOMEM;

	if (!error)
		error = attach(client, root, qid);
	if (error)
		p9_client_end(client);
	return error;
}

/* --- names and attributes --- */

int p9_walk(struct p9_client *client, uint32_t directory, const char *name, size_t name_size,
	    uint32_t *result, struct p9_qid *qid)
{
	uint16_t names = name_size ? 1 : 0;
	struct p9_message message = p9_begin(client, WALK);
	uint32_t fid = take_fid(client);

	p9_put_32(&message, directory);
	p9_put_32(&message, fid);
	p9_put_16(&message, names);
	if (names)
		p9_put_text(&message, name, name_size);
	int error = p9_call(client, &message);

	if (!error && p9_get_16(&message) != names)
		error = -EIO;
	*qid = (struct p9_qid){ 0 };
	if (!error && names)
		*qid = p9_get_qid(&message);
	if (!error && !p9_is_complete(&message))
		error = -EIO;
	if (error)
		give_back_fid(client, fid, error);
	else
		*result = fid;
	return p9_end(client, &message, error);
}

void p9_clunk(struct p9_client *client, uint32_t fid)
{
	struct p9_message message = p9_begin(client, CLUNK);

	p9_put_32(&message, fid);
	/* Whatever the server says, it has forgotten the fid. */
	give_back_fid(client, fid, p9_call(client, &message));
	p9_end(client, &message, 0);
}

static struct kernel_timespec get_time(struct p9_message *message, bool *valid)
{
	struct kernel_timespec time;
	uint64_t nanoseconds;

	time.tv_sec = (int64_t)p9_get_64(message);
	nanoseconds = p9_get_64(message);
	*valid = *valid && nanoseconds < 1000000000;
	time.tv_nsec = (int64_t)nanoseconds;
	return time;
}

int p9_get_attributes(struct p9_client *client, uint32_t fid, struct p9_attributes *attributes)
{
	struct p9_message message = p9_begin(client, GETATTR);

	p9_put_32(&message, fid);
	p9_put_64(&message, BASIC);
	int error = p9_call(client, &message);
	bool valid = (p9_get_64(&message) & BASIC) == BASIC;

	attributes->qid = p9_get_qid(&message);
	attributes->mode = p9_get_32(&message);
	attributes->uid = p9_get_32(&message);
	attributes->gid = p9_get_32(&message);
	attributes->links = p9_get_64(&message);
	attributes->device = p9_get_64(&message);
	attributes->size = p9_get_64(&message);
	p9_get_64(&message); /* the size of blocks for good transfers */
	attributes->blocks = p9_get_64(&message);
	attributes->accessed = get_time(&message, &valid);
	attributes->modified = get_time(&message, &valid);
	attributes->changed = get_time(&message, &valid);
	p9_get_bytes(&message, 32); /* the time of creation, generation, version */
	bool directory = (attributes->mode & S_IFMT) == S_IFDIR;

	if (!error && (!valid || attributes->size > INT64_MAX || (attributes->mode & ~MODE_MASK) ||
		       directory != !!(attributes->qid.type & P9_QID_DIRECTORY)))
		error = -EIO;
	return p9_end(client, &message, error);
}

int p9_get_space(struct p9_client *client, uint32_t fid, struct kernel_statfs *statfs)
{
	struct kernel_statfs found = *statfs;
	struct p9_message message = p9_begin(client, STATFS);

	p9_put_32(&message, fid);
	int error = p9_call(client, &message);

	found.f_type = p9_get_32(&message);
	found.f_bsize = found.f_frsize = p9_get_32(&message);
	found.f_blocks = p9_get_64(&message);
	found.f_bfree = p9_get_64(&message);
	found.f_bavail = p9_get_64(&message);
	found.f_files = p9_get_64(&message);
	found.f_ffree = p9_get_64(&message);
	found.f_fsid[0] = (int32_t)p9_get_32(&message);
	found.f_fsid[1] = (int32_t)p9_get_32(&message);
	found.f_namelen = p9_get_32(&message);
	/* Programs divide by it. */
	if (!error && !found.f_bsize)
		error = -EIO;
	error = p9_end(client, &message, error);
	if (!error)
		*statfs = found;
	return error;
}

ssize_t p9_read_link(struct p9_client *client, uint32_t fid, char *buffer, size_t size)
{
	struct p9_message message = p9_begin(client, READLINK);

	p9_put_32(&message, fid);
	int error = p9_call(client, &message);
	size_t length;
	const char *target = p9_get_text(&message, &length);

	if (!error && (length == 0 || length > size || memchr(target, '\0', length)))
		error = -EIO;
	if (!error)
		memcpy(buffer, target, length);
	error = p9_end(client, &message, error);
	return error ? error : (ssize_t)length;
}

/* --- contents --- */

int p9_open(struct p9_client *client, uint32_t fid, uint32_t flags)
{
	struct p9_message message = p9_begin(client, LOPEN);

	p9_put_32(&message, fid);
	p9_put_32(&message, flags);
	int error = p9_call(client, &message);

	p9_get_qid(&message);
	p9_get_32(&message); /* the size of good transfers: the message's bounds it, too */
	return p9_end(client, &message, error);
}

int p9_open_again(struct p9_client *client, uint32_t fid, uint32_t flags, uint32_t *opened)
{
	struct p9_qid qid;
	int error = p9_walk(client, fid, "", 0, opened, &qid);

	if (error)
		return error;
	error = p9_open(client, *opened, flags);
	if (error)
		p9_clunk(client, *opened);
	return error;
}

/* Asks for at most SIZE bytes by a request of TYPE; REPLY is then at those bytes. Returns how many they are, or an error.
 * client->mutex is held then. */
static ssize_t get_data(struct p9_client *client, uint8_t type, uint32_t fid, uint64_t offset,
			size_t size, struct p9_message *reply)
{
	*reply = p9_begin(client, type);
	if (size > client->size_max - DATA_AT)
		size = client->size_max - DATA_AT;
	p9_put_32(reply, fid);
	p9_put_64(reply, offset);
	p9_put_32(reply, (uint32_t)size);
	int error = p9_call(client, reply);
	uint32_t count = p9_get_32(reply);

	if (!error && (!p9_is_complete(reply) || count > size))
		error = -EIO;
	return error ? error : (ssize_t)count;
}

ssize_t p9_read(struct p9_client *client, uint32_t fid, uint64_t offset, void *buffer, size_t size)
{
	struct p9_message reply;
	ssize_t count = get_data(client, READ, fid, offset, size, &reply);
	const void *data = count > 0 ? p9_get_bytes(&reply, (size_t)count) : NULL;

	if (data)
		memcpy(buffer, data, (size_t)count);
	int error = p9_end(client, &reply, count < 0 ? (int)count : 0);

	return error ? error : count;
}

static bool is_dots(const char *name, size_t size)
{
	return size && size <= 2 && name[0] == '.' && name[size - 1] == '.';
}

static bool is_name(const char *name, size_t size)
{
	return size && size <= NAME_SIZE_MAX && !memchr(name, '/', size) &&
	       !memchr(name, '\0', size);
}

ssize_t p9_read_directory(struct p9_client *client, uint32_t fid, uint64_t *offset,
			  struct p9_entry_reader *reader)
{
	struct p9_message reply;
	ssize_t bytes = get_data(client, READDIR, fid, *offset, UINT32_MAX, &reply), entries = 0;
	int error = bytes < 0 ? (int)bytes : 0;

	/* The entries fill the bytes: an entry that goes beyond the message fails, and so does one beyond COUNT. */
	if (!error && (size_t)bytes > reply.size - reply.at)
		error = -EIO;
	else if (!error)
		reply.size = reply.at + (size_t)bytes;
	while (!error && reply.at < reply.size) {
		struct p9_qid qid = p9_get_qid(&reply);
		uint64_t next = p9_get_64(&reply);
		uint8_t type = p9_get_8(&reply);
		size_t size;
		const char *name = p9_get_text(&reply, &size);

		if (!p9_is_complete(&reply) || (!is_dots(name, size) && !is_name(name, size))) {
			error = -EIO;
			break;
		}
		if (!is_dots(name, size) && !reader->entry(reader, name, size, &qid, type, next))
			break;
		*offset = next;
		entries++;
	}
	error = p9_end(client, &reply, error);
	return error ? error : entries;
}
