/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated server of 9P2000.L, which can lie in each byte of a reply.
 *
 * It has one directory, fid of the root, with the file "file" of 10 bytes, the link "link" and the directory "folder". A
 * test sets what the next reply says instead.
 */
#ifndef TESTS_UNIT_P9_SERVER_H
#define TESTS_UNIT_P9_SERVER_H

#include <kernel/drivers/p9_transport.h>
#include <kernel/fs/inode.h>
#include <uapi/linux/errno.h>

#include "../../kernel/fs/9p/message.h"
#include "events.h"

#define FILE_PATH   0x1122334455667788ull
#define FILE_SIZE   10u
#define TARGET	    "folder/../file"
#define ENTRY_COUNT 5

/* Types of replies. */
enum {
	RLERROR = 7,
	RSTATFS = 9,
	RLOPEN = 13,
	RREADLINK = 23,
	RGETATTR = 25,
	RREADDIR = 41,
	RVERSION = 101,
	RATTACH = 105,
	RWALK = 111,
	RREAD = 117,
	RCLUNK = 121,
	RLCREATE = 15,
	RSYMLINK = 17,
	RMKNOD = 19,
	RSETATTR = 27,
	RFSYNC = 51,
	RLINK = 71,
	RMKDIR = 73,
	RRENAMEAT = 75,
	RUNLINKAT = 77,
	RWRITE = 119,
};

static uint32_t clunks, walks, requests;
/* The last request, without those that only look up and end fids. */
static uint8_t last_request[256];
static size_t last_size;
/* Changes the reply of SIZE bytes, in a buffer of ROOM; returns what the device says it wrote. */
static long (*lie)(uint8_t *reply, long size, size_t room);

static void put_qid(struct p9_message *reply, uint8_t type, uint64_t path)
{
	p9_put_8(reply, type);
	p9_put_32(reply, 0);
	p9_put_64(reply, path);
}

static void put_entry(struct p9_message *reply, const char *name, uint8_t type, uint64_t offset)
{
	put_qid(reply, type == 4 ? P9_QID_DIRECTORY : 0, offset);
	p9_put_64(reply, offset);
	p9_put_8(reply, type);
	p9_put_text(reply, name, strlen(name));
}

static void put_attributes(struct p9_message *reply)
{
	p9_put_64(reply, 0x7ff);
	put_qid(reply, 0, FILE_PATH);
	p9_put_32(reply, 0100644);
	p9_put_32(reply, 1000);
	p9_put_32(reply, 1001);
	p9_put_64(reply, 2); /* links */
	p9_put_64(reply, 0); /* device */
	p9_put_64(reply, FILE_SIZE);
	p9_put_64(reply, 4096);
	p9_put_64(reply, 8); /* blocks */
	for (unsigned int i = 0; i < 4; i++) {
		p9_put_64(reply, 1700000000 + i);
		p9_put_64(reply, 999999999 - i);
	}
	p9_put_64(reply, 0);
	p9_put_64(reply, 0);
}

/* Writes COUNT bytes of DATA with their count. */
static void put_data(struct p9_message *reply, const void *data, uint32_t count)
{
	p9_put_32(reply, count);
	for (uint32_t i = 0; i < count; i++)
		p9_put_8(reply, ((const uint8_t *)data)[i]);
}

static void put_entries(struct p9_message *reply, uint64_t offset)
{
	uint8_t bytes[256];
	struct p9_message entries = { .bytes = bytes, .size = sizeof(bytes) };

	if (offset == 0) {
		put_entry(&entries, ".", 4, 1);
		put_entry(&entries, "..", 4, 2);
		put_entry(&entries, "file", 8, 3);
		put_entry(&entries, "link", 10, 4);
		put_entry(&entries, "folder", 4, ENTRY_COUNT);
	}
	put_data(reply, bytes, (uint32_t)entries.at);
}

/* Each number is another one. */
static void put_space(struct p9_message *reply)
{
	p9_put_32(reply, 0x01021994);
	p9_put_32(reply, 4096);
	for (unsigned int i = 0; i < 5; i++)
		p9_put_64(reply, 0x100000000 + i);
	p9_put_64(reply, 0x1122334455667788);
	p9_put_32(reply, 200);
}

/* --- lies of all replies --- */

static inline long is_short(uint8_t *reply, long size, size_t room)
{
	uint32_t said = (uint32_t)size - 1;

	memcpy(reply, &said, sizeof(said));
	return size - 1;
}

static inline long has_other_tag(uint8_t *reply, long size, size_t room)
{
	reply[5]++;
	return size;
}

static inline long fails(uint8_t *reply, long size, size_t room)
{
	return -EIO;
}

static long serve(struct p9_transport *transport, const void *request, size_t request_size,
		  void *reply, size_t reply_max)
{
	uint8_t type;

	/* Only a wait for a late reply. */
	if (!request_size)
		return lie ? lie(reply, 0, 0) : 0;
	requests++;
	struct p9_message asked =
		p9_reply((void *)(uintptr_t)request, request_size, request_size,
			 ((const uint8_t *)request)[4] == RVERSION - 1 ? UINT16_MAX : 0, &type);
	struct p9_message answer =
		p9_request(reply, reply_max, type + 1, type == RVERSION - 1 ? UINT16_MAX : 0);

	EXPECT(p9_is_complete(&asked));
	if (type + 1 != RWALK && type + 1 != RCLUNK && type + 1 != RGETATTR) {
		last_size = request_size < sizeof(last_request) ? request_size :
								  sizeof(last_request);
		memcpy(last_request, request, last_size);
	}
	switch (type + 1) {
	case RVERSION:
		p9_put_32(&answer, p9_get_32(&asked));
		p9_put_text(&answer, "9P2000.L", 8);
		break;
	case RATTACH:
		put_qid(&answer, P9_QID_DIRECTORY, 1);
		break;
	case RWALK:
		walks++;
		p9_get_64(&asked);
		p9_put_16(&answer, p9_get_16(&asked));
		put_qid(&answer, 0, FILE_PATH);
		break;
	case RGETATTR:
		put_attributes(&answer);
		break;
	case RSTATFS:
		put_space(&answer);
		break;
	case RREADLINK:
		p9_put_text(&answer, TARGET, strlen(TARGET));
		break;
	case RLOPEN:
		put_qid(&answer, 0, FILE_PATH);
		p9_put_32(&answer, 0);
		break;
	case RREAD:
		put_data(&answer, "0123456789", FILE_SIZE);
		break;
	case RREADDIR:
		p9_get_32(&asked);
		put_entries(&answer, p9_get_64(&asked));
		break;
	case RCLUNK:
		clunks++;
		break;
	case RLCREATE:
		put_qid(&answer, 0, FILE_PATH);
		p9_put_32(&answer, 0);
		break;
	case RSYMLINK:
	case RMKNOD:
	case RMKDIR:
		put_qid(&answer, type + 1 == RMKDIR ? P9_QID_DIRECTORY : 0, FILE_PATH);
		break;
	case RSETATTR:
	case RFSYNC:
	case RLINK:
	case RRENAMEAT:
	case RUNLINKAT:
		break;
	case RWRITE:
		p9_get_32(&asked);
		p9_get_64(&asked);
		p9_put_32(&answer, p9_get_32(&asked));
		break;
	default:
		EXPECT_EQ_AT(type, 0, "a request that the server does not know");
	}
	long size = (long)p9_finish(&answer);

	return lie ? lie(reply, size, reply_max) : size;
}

static struct p9_transport transport = { .tag = "test", .call = serve };

#endif
