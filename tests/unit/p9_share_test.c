// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of a share's directories and files (kernel/fs/9p/directory.c, source.c) against a server that lies over whole
 * exchanges: lookups, listings, contents, ends. The tree and tmpfs above are p9_tree.h's.
 */
#include <kernel/mm/kmalloc.h>

#include <stdlib.h>

#include "p9_tree.h"

static struct inode *look_up(const char *name, int *error)
{
	return root->inode.ops->look_up(&root->inode, name, strlen(name), error);
}

struct reader {
	struct directory_reader reader;
	unsigned int count;
	char last[256];
};

static bool note(struct directory_reader *reader, const char *name, size_t name_size,
		 uint64_t number, uint32_t mode, uint64_t next_position)
{
	struct reader *self = (struct reader *)reader;

	EXPECT(name_size > 0 && name_size <= NAME_SIZE_MAX);
	EXPECT(!memchr(name, '/', name_size) && !memchr(name, 0, name_size));
	/* In order, each once. */
	EXPECT(next_position > 2);
	snprintf(self->last, sizeof(self->last), "%.*s", (int)name_size, name);
	self->count++;
	return true;
}

static int list(struct reader *reader)
{
	struct dentry dentry = { .inode = &root->inode };

	TAILQ_INIT(&dentry.children_in_order);
	*reader = (struct reader){ { note }, 0, "" };
	return root->inode.ops->layer->list(&dentry, 2, &reader->reader);
}

static void an_honest_server_shows_its_files(void)
{
	struct reader reader;
	char bytes[FILE_SIZE];
	int error;

	begin();
	struct inode *inode = look_up("file", &error);
	struct node *file = (struct node *)inode;

	EXPECT_EQ(error, 0);
	EXPECT_EQ(file->size, FILE_SIZE);
	EXPECT_EQ(inode->number, FILE_PATH);
	EXPECT_EQ(file->source->read(file->source, 0, bytes, FILE_SIZE), 0);
	EXPECT_EQ(memcmp(bytes, "0123456789", FILE_SIZE), 0);
	inode_put(inode);
	/* The file's, and that of its opening. */
	EXPECT_EQ(clunks, 2);
	EXPECT_EQ(list(&reader), 0);
	EXPECT_EQ(reader.count, 3);
	EXPECT_STR(reader.last, "link");
	EXPECT(!look_up("other", &error));
	EXPECT_EQ(error, -ENOENT);
	end();
}

/* The host has removed the file: requests of TYPE find no entry. */
static uint8_t gone_type;

static long is_gone(uint8_t *reply, long size, size_t room)
{
	static const uint8_t error[] = { 11, 0, 0, 0, RLERROR, 0, 0, ENOENT, 0, 0, 0 };

	if (reply[4] != gone_type)
		return size;
	memcpy(reply, error, sizeof(error));
	return sizeof(error);
}

static void a_file_that_is_gone_is_stale(void)
{
	static const uint8_t types[] = { RWALK, RLOPEN };
	char bytes[FILE_SIZE];
	int error;

	for (size_t i = 0; i < sizeof(types); i++) {
		begin();
		struct inode *inode = look_up("file", &error);
		struct node *file = (struct node *)inode;

		gone_type = types[i];
		lie = is_gone;
		EXPECT_EQ_AT(file->source->read(file->source, 0, bytes, 1), -ESTALE, "reply %u",
			     types[i]);
		inode_put(inode);
		end();
	}
}

/* The server repeats its first entries. */
static uint64_t endless;

static void put_reply(uint8_t *reply, struct p9_message *message, const uint8_t *bytes, size_t size)
{
	message->at = P9_HEADER_SIZE;
	put_data(message, bytes, (uint32_t)size);
}

static long repeats_itself(uint8_t *reply, long size, size_t room)
{
	uint8_t bytes[256];
	struct p9_message entries = { .bytes = bytes, .size = sizeof(bytes) },
			  message = { .bytes = reply, .size = room };

	if (reply[4] != RREADDIR)
		return size;
	put_entry(&entries, "file", 8, ++endless);
	put_reply(reply, &message, bytes, entries.at);
	return (long)p9_finish(&message);
}

static long never_ends(uint8_t *reply, long size, size_t room)
{
	uint8_t bytes[256];
	char name[32];
	struct p9_message entries = { .bytes = bytes, .size = sizeof(bytes) },
			  message = { .bytes = reply, .size = room };

	if (reply[4] != RREADDIR)
		return size;
	snprintf(name, sizeof(name), "name %llu", (unsigned long long)++endless);
	put_entry(&entries, name, 8, endless);
	put_reply(reply, &message, bytes, entries.at);
	killed = killed || endless == 100;
	return (long)p9_finish(&message);
}

static void a_listing_ends(void)
{
	struct reader reader;

	begin();
	uint64_t before = space;

	lie = repeats_itself;
	endless = 0;
	EXPECT_EQ(list(&reader), -EIO);
	/* The first, which is new, and 17 that are not. */
	EXPECT_EQ(endless, 18);
	EXPECT_EQ(space, before);
	lie = never_ends;
	endless = 100;
	EXPECT_EQ(list(&reader), -ENOSPC);
	EXPECT_EQ(space, before);
	/* A signal ends it, too. */
	endless = 0;
	EXPECT_EQ(list(&reader), -EINTR);
	EXPECT_EQ(endless, 100);
	EXPECT_EQ(space, before);
	/* None of it is remembered. */
	killed = false;
	lie = NULL;
	EXPECT_EQ(list(&reader), 0);
	EXPECT_EQ(reader.count, 3);
	end();
}

/* Attributes: the type of the qid, and what lies from the mode on. */
#define QID_AT	(P9_HEADER_SIZE + 8)
#define MODE_AT (QID_AT + 13)
#define SIZE_AT (MODE_AT + 12 + 16)

static const struct {
	const char *what;
	uint8_t qid;
	uint32_t mode;
	uint64_t size;
	int expected;
} attributes[] = {
	{ "a file", 0, 0100644, 10, 0 },
	{ "the largest file", 0, 0100644, FILE_SIZE_MAX, 0 },
	{ "a file that is too large", 0, 0100644, FILE_SIZE_MAX + 1, -EFBIG },
	{ "a size near 2^63", 0, 0100644, INT64_MAX, -EFBIG },
	{ "a size near 2^64", 0, 0100644, UINT64_MAX, -EIO },
	{ "a directory that is none", 0, 0040755, 10, -EIO },
	{ "a file that is a directory", P9_QID_DIRECTORY, 0100644, 10, -EIO },
	{ "a directory", P9_QID_DIRECTORY, 0040755, 10, 0 },
	{ "a socket", 0, 0140755, 0, 0 },
	{ "no type", 0, 0000644, 0, -EIO },
	{ "another type", 0, 0170644, 0, -EIO },
	{ "more than a mode", 0, 0100644 | 1u << 16, 0, -EIO },
	{ "a mode of all ones", 0, UINT32_MAX, 0, -EIO },
};

static size_t row;

static long has_attributes(uint8_t *reply, long size, size_t room)
{
	if (reply[4] != RGETATTR)
		return size;
	reply[QID_AT] = attributes[row].qid;
	memcpy(reply + MODE_AT, &attributes[row].mode, 4);
	memcpy(reply + SIZE_AT, &attributes[row].size, 8);
	return size;
}

static void attributes_make_an_inode_or_an_error(void)
{
	for (row = 0; row < sizeof(attributes) / sizeof(attributes[0]); row++) {
		int error;

		begin();
		lie = has_attributes;
		struct inode *inode = look_up("file", &error);

		EXPECT_EQ_AT(error, attributes[row].expected, "%s", attributes[row].what);
		EXPECT_AT(!inode == !!error, "%s", attributes[row].what);
		if (inode)
			inode_put(inode);
		else
			/* The server forgets the file. */
			EXPECT_EQ_AT(clunks, 1, "%s", attributes[row].what);
		end();
	}
}

/* Changes some bytes of some replies, or what the device says of their size. */
static long mutates(uint8_t *reply, long size, size_t room)
{
	static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, '/', '.' };

	if (rand() % 3)
		return size;
	if (reply[4] == RGETATTR && rand() % 2) {
		row = (size_t)rand() % (sizeof(attributes) / sizeof(attributes[0]));
		return has_attributes(reply, size, room);
	}
	for (int i = rand() % 3; i >= 0; i--) {
		size_t at = (size_t)rand() % (size_t)size;

		if (rand() % 4 && at < P9_HEADER_SIZE)
			at = P9_HEADER_SIZE;
		if (at < (size_t)size)
			reply[at] = rand() % 2 ? edges[(size_t)rand() % sizeof(edges)] :
						 (uint8_t)rand();
	}
	return rand() % 16 ? size : (long)((size_t)rand() % (room + 2)) - 1;
}

static void exchanges_of_any_bytes_are_survived(void)
{
	static const char *const names[] = { "file", "link", "folder", "other" };
	enum { ROUNDS = 10000, AT_ONCE = 4 };
	unsigned int made = 0, listed = 0;

	srand(19);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct inode *kept[AT_ONCE] = { NULL };
		struct reader reader;

		begin();
		lie = mutates;
		for (unsigned int step = 0; step < 8 && !share.client.broken; step++) {
			unsigned int i = (unsigned int)rand() % AT_ONCE;
			struct node *file = (struct node *)kept[i];
			int error;

			if (rand() % 4 == 0) {
				listed += !list(&reader);
			} else if (!kept[i]) {
				kept[i] = look_up(names[rand() % 4], &error);
				EXPECT_AT(!kept[i] == !!error, "round %u", round);
				made += !!kept[i];
			} else if (kept[i]->ops == &node_ops && file->source && file->size &&
				   rand() % 2) {
				uint64_t at = (uint64_t)rand() % file->size;
				uint64_t most = file->size - at;
				size_t size = most < 100 ? (size_t)most : 100;
				char *bytes = malloc(size);

				file->source->read(file->source, at, bytes, size);
				free(bytes);
			} else {
				inode_put(kept[i]);
				kept[i] = NULL;
			}
		}
		for (unsigned int i = 0; i < AT_ONCE; i++)
			if (kept[i])
				inode_put(kept[i]);
		/* The device of a broken client has its buffers for good. */
		if (share.client.broken) {
			page_put(share.client.request);
			page_put(share.client.reply);
		}
		end();
	}
	EXPECT(made > ROUNDS / 10);
	EXPECT(listed > ROUNDS / 10);
}

static const struct tap_rule rules[] = {
	{ "an honest server shows its files", an_honest_server_shows_its_files },
	{ "a file that the host has removed is stale", a_file_that_is_gone_is_stale },
	{ "a listing ends, if the server repeats itself, if its names never end, and by a signal",
	  a_listing_ends },
	{ "attributes make an inode or an error", attributes_make_an_inode_or_an_error },
	{ "whole exchanges of any bytes are survived, and nothing is kept",
	  exchanges_of_any_bytes_are_survived },
};

TAP_MAIN(rules)
