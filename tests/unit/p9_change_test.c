// SPDX-License-Identifier: BSD-2-Clause
/* Rules of the requests that change the server's files (kernel/fs/9p/change.c) against a simulated server (p9_server.h). */
#include <kernel/mm/page.h>

#include <stdlib.h>

#include "../../kernel/fs/9p/change.h"
#include "../../kernel/fs/9p/client.h"
#include "p9_server.h"

static struct p9_client client;
static uint32_t root;

static const struct p9_entry entry = { 7, "name", 4, 0100640, 1001 };
static const struct p9_entry other = { 8, "other", 5, 0, 0 };
static const struct p9_change change_of_all = {
	.set = 0x1bf,
	.mode = 0600,
	.uid = 11,
	.gid = 12,
	.size = 13,
	.accessed = { 14, 15 },
	.modified = { 16, 17 },
};

static void begin(void)
{
	struct p9_qid qid;

	lie = NULL;
	requests = 0;
	EXPECT_EQ(p9_client_start(&client, &transport, &root, &qid), 0);
}

static void end(void)
{
	lie = NULL;
	p9_client_end(&client);
}

/* Each change returns EXPECTED now. */
static void expect_all(int expected, const char *when)
{
	EXPECT_EQ_AT(p9_create(&client, &entry), expected, "create, %s", when);
	EXPECT_EQ_AT(p9_make_directory(&client, &entry), expected, "mkdir, %s", when);
	EXPECT_EQ_AT(p9_make_node(&client, &entry, 0), expected, "mknod, %s", when);
	EXPECT_EQ_AT(p9_make_link(&client, &entry, "t"), expected, "symlink, %s", when);
	EXPECT_EQ_AT(p9_link(&client, &entry, 9), expected, "link, %s", when);
	EXPECT_EQ_AT(p9_rename(&client, &entry, &other), expected, "rename, %s", when);
	EXPECT_EQ_AT(p9_remove(&client, &entry, false), expected, "unlink, %s", when);
	EXPECT_EQ_AT(p9_set_attributes(&client, 9, &change_of_all), expected, "setattr, %s", when);
	EXPECT_EQ_AT(p9_write(&client, 9, 0, "x", 1), expected ? expected : 1, "write, %s", when);
	EXPECT_EQ_AT(p9_sync(&client, 9, true), expected, "fsync, %s", when);
}

/* The last request was these bytes after its size. */
static void expect_request(const void *bytes, size_t size, const char *what)
{
	EXPECT_EQ_AT(last_size, size + 4, "%s", what);
	for (size_t i = 0; i < size; i++)
		EXPECT_EQ_AT(last_request[i + 4], ((const uint8_t *)bytes)[i], "%s: byte %zu", what,
			     i);
}

#define EXPECT_REQUEST(what, bytes) expect_request(bytes, sizeof(bytes) - 1, what)
/* Fields of four and eight bytes below 256, and the two names. */
#define W(n)			    n "\0\0\0"
#define D(n)			    n "\0\0\0\0\0\0\0"
#define NAME			    "\4\0name"
#define MODE			    "\xa0\x81\0\0"
#define GROUP			    "\xe9\3\0\0"

static void requests_have_the_fields_of_the_protocol(void)
{
	begin();
	p9_create(&client, &entry);
	/* Write only, create, exclusive, large file. */
	EXPECT_REQUEST("Tlcreate", "\16\0\0" W("\7") NAME "\xc1\x80\0\0" MODE GROUP);
	p9_make_directory(&client, &entry);
	EXPECT_REQUEST("Tmkdir", "\110\0\0" W("\7") NAME "\xa0\1\0\0" GROUP);
	p9_make_node(&client, &entry, device_number(5, 0x123));
	EXPECT_REQUEST("Tmknod", "\22\0\0" W("\7") NAME MODE W("\5") "\x23\1\0\0" GROUP);
	p9_make_link(&client, &entry, "to");
	EXPECT_REQUEST("Tsymlink", "\20\0\0" W("\7") NAME "\2\0to" GROUP);
	p9_link(&client, &entry, 9);
	EXPECT_REQUEST("Tlink", "\106\0\0" W("\7") W("\11") NAME);
	p9_rename(&client, &entry, &other);
	EXPECT_REQUEST("Trenameat", "\112\0\0" W("\7") NAME W("\10") "\5\0other");
	p9_remove(&client, &entry, false);
	EXPECT_REQUEST("Tunlinkat", "\114\0\0" W("\7") NAME W("\0"));
	p9_remove(&client, &entry, true);
	EXPECT_REQUEST("Tunlinkat of a directory", "\114\0\0" W("\7") NAME "\0\2\0\0");
	p9_set_attributes(&client, 9, &change_of_all);
	EXPECT_REQUEST("Tsetattr", "\32\0\0" W("\11") "\xbf\1\0\0"
						      "\x80\1\0\0" W("\13") W("\14") D("\15")
							      D("\16") D("\17") D("\20") D("\21"));
	EXPECT_EQ(p9_write(&client, 9, 0x80, "data", 4), 4);
	EXPECT_REQUEST("Twrite", "\166\0\0" W("\11") D("\x80") W("\4") "data");
	p9_sync(&client, 9, true);
	EXPECT_REQUEST("Tfsync", "\62\0\0" W("\11") W("\1"));
	end();
}

static void an_honest_server_makes_each_change(void)
{
	begin();
	expect_all(0, "an honest server");
	end();
}

/* The server's error, from the disk or of the host's rights. */
static uint8_t error_number;

static long has_error(uint8_t *reply, long size, size_t room)
{
	const uint8_t error[] = { 11, 0, 0, 0, RLERROR, reply[5], reply[6], error_number, 0, 0, 0 };

	memcpy(reply, error, sizeof(error));
	return sizeof(error);
}

static void the_servers_error_is_the_calls(void)
{
	static const uint8_t errors[] = { ENOSPC, EACCES, EROFS, EDQUOT, ENOTEMPTY, EXDEV, 133 };

	begin();
	lie = has_error;
	for (size_t i = 0; i < sizeof(errors); i++) {
		error_number = errors[i];
		expect_all(-errors[i], "the server's error");
	}
	end();
}

static long has_other_type(uint8_t *reply, long size, size_t room)
{
	reply[4] ^= 1;
	return size;
}

static void replies_that_lie_are_errors(void)
{
	begin();
	lie = is_short;
	expect_all(-EIO, "a byte less than the fields");
	lie = has_other_type;
	expect_all(-EIO, "another type");
	lie = has_other_tag;
	expect_all(-EIO, "another tag");
	lie = fails;
	expect_all(-EIO, "a broken transport");
	client.broken = false;
	end();
}

/* The count that the server says it has written. */
static uint32_t said;

static long says_count(uint8_t *reply, long size, size_t room)
{
	if (reply[4] == RWRITE)
		memcpy(reply + P9_HEADER_SIZE, &said, sizeof(said));
	return size;
}

static void a_count_of_what_was_written_is_checked(void)
{
	static const struct {
		uint32_t said;
		ssize_t expected;
	} counts[] = { { 1, 1 },    { 99, 99 },	   { 100, 100 },
		       { 0, -EIO }, { 101, -EIO }, { UINT32_MAX, -EIO } };
	static const char bytes[100];

	begin();
	lie = says_count;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		said = counts[i].said;
		EXPECT_EQ_AT(p9_write(&client, 9, 0, bytes, sizeof(bytes)), counts[i].expected,
			     "the server says %u", said);
	}
	end();
}

static void a_write_fills_a_message_at_most(void)
{
	size_t size = 4 * PAGE_SIZE * 32;
	char *bytes = calloc(1, size);

	begin();
	/* The header, the fid, the offset, the count. */
	EXPECT_EQ(p9_write(&client, 9, 0, bytes, size), (ssize_t)client.size_max - 23);
	EXPECT_EQ(p9_write(&client, 9, 0, bytes, client.size_max - 23),
		  (ssize_t)client.size_max - 23);
	EXPECT_EQ(p9_write(&client, 9, 0, bytes, client.size_max - 24),
		  (ssize_t)client.size_max - 24);
	end();
	free(bytes);
}

static void names_that_fit_no_message_are_refused(void)
{
	static char name[UINT16_MAX + 2];
	const struct p9_entry large = { 7, name, UINT16_MAX + 1, 0100644, 0 };

	memset(name, 'x', UINT16_MAX + 1);
	begin();
	uint32_t before = requests;

	EXPECT_EQ(p9_create(&client, &large), -ENAMETOOLONG);
	EXPECT_EQ(p9_make_link(&client, &entry, name), -ENAMETOOLONG);
	EXPECT_EQ(p9_rename(&client, &entry, &large), -ENAMETOOLONG);
	EXPECT_EQ(requests, before);
	end();
}

static bool late;

static long may_be_late(uint8_t *reply, long size, size_t room)
{
	return late ? -EINTR : size;
}

/* The device may still read the bytes of a request that a signal has ended: nothing is written over it. */
static void a_late_request_stays_as_it_is(void)
{
	begin();
	const uint8_t *bytes = client.request;

	lie = may_be_late;
	late = true;
	EXPECT_EQ(p9_write(&client, 9, 0, "first", 5), -EINTR);
	uint32_t before = requests;

	EXPECT_EQ(p9_remove(&client, &entry, false), -EINTR);
	EXPECT_EQ(p9_write(&client, 9, 0, "other", 5), -EINTR);
	EXPECT_EQ(requests, before);
	EXPECT_EQ(bytes[4], RWRITE - 1);
	EXPECT_EQ(memcmp(bytes + 23, "first", 5), 0);
	late = false;
	EXPECT_EQ(p9_write(&client, 9, 0, "other", 5), 5);
	EXPECT_EQ(requests, before + 1);
	EXPECT_EQ(memcmp(bytes + 23, "other", 5), 0);
	end();
}

static const struct tap_rule rules[] = {
	{ "requests have the fields of the protocol", requests_have_the_fields_of_the_protocol },
	{ "an honest server makes each change", an_honest_server_makes_each_change },
	{ "the server's error is the call's", the_servers_error_is_the_calls },
	{ "replies that lie are errors", replies_that_lie_are_errors },
	{ "a count of written bytes is at least one and at most what was sent",
	  a_count_of_what_was_written_is_checked },
	{ "a write fills a message at most", a_write_fills_a_message_at_most },
	{ "names and targets that fit no message are refused, and not sent",
	  names_that_fit_no_message_are_refused },
	{ "a request that a signal has ended stays as it is until its late reply",
	  a_late_request_stays_as_it_is },
};

TAP_MAIN(rules)
