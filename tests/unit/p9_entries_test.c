// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of a share that writes (kernel/fs/9p/entries.c, writing.c) against a server that fails and lies: nothing changes in the
 * tree without the server, and nothing is left behind. The tree and tmpfs above are p9_tree.h's.
 */
#include <kernel/mm/kmalloc.h>

#include <stdlib.h>

#include "../../kernel/fs/9p/change.h"
#include "../../kernel/fs/9p/writing.h"
#include "p9_tree.h"

static struct dentry above;

static void begin_writing(void)
{
	writes = true;
	begin();
	above = (struct dentry){ .references = 1, .inode = &root->inode };
	requests = 0;
}

static const struct directory_changes *changes(void)
{
	return root->inode.ops->layer->changes;
}

static struct dentry dentry_for(struct inode *inode, const char *name)
{
	return (struct dentry){
		.references = 1,
		.inode = inode,
		.parent = &above,
		.name = (char *)(uintptr_t)name,
		.name_size = strlen(name),
	};
}

/* Makes the entry "new" of MODE, as the tree does: 0 and *MADE with its inode, or an error and nothing. */
static int make(uint32_t mode, bool opened, struct dentry *made)
{
	const struct entry_request request = { .mode = mode, .target = "to", .opened = opened };
	struct inode *inode = changes()->make_inode(&root->inode, mode, 0);

	if (!inode)
		return -ENOSPC;
	inode->links = 1;
	*made = dentry_for(inode, "new");
	int error = changes()->create(made, &request);

	if (error)
		inode_put(inode);
	return error;
}

static struct tmpfs_source *source_of(const struct dentry *dentry)
{
	return ((struct node *)dentry->inode)->source;
}

static bool last_was(uint8_t reply_type)
{
	return last_request[4] == reply_type - 1;
}

static void a_new_file_is_written_to_by_the_fid_that_made_it(void)
{
	struct dentry made;

	begin_writing();
	EXPECT_EQ(make(S_IFREG | 0400, true, &made), 0);
	EXPECT(last_was(RLCREATE));
	/* A fid to create, that call, a fid of the name, its attributes. */
	EXPECT_EQ(requests, 4);
	EXPECT_EQ(made.inode->uid, 1000);
	EXPECT_EQ(made.inode->gid, 1001);
	struct tmpfs_source *source = source_of(&made);

	EXPECT_EQ(source->through->open(source, true), 0);
	EXPECT_EQ(requests, 4);
	EXPECT_EQ(source->through->write(source, 5, "data", 4), 4);
	EXPECT(last_was(RWRITE));
	EXPECT_EQ(clunks, 0);
	source->through->close(source, true);
	EXPECT_EQ(clunks, 1);
	EXPECT(LIST_EMPTY(&share.written));
	inode_put(made.inode);
	EXPECT_EQ(clunks, walks);
	end();
}

static void a_file_that_is_not_opened_leaves_no_open_fid(void)
{
	struct dentry made;

	begin_writing();
	EXPECT_EQ(make(S_IFREG | 0644, false, &made), 0);
	EXPECT_EQ(clunks, 1);
	inode_put(made.inode);
	EXPECT_EQ(clunks, walks);
	end();
}

static uint8_t failing;

/* Puts ERROR into the place of a reply of the type `failing`. */
static long fails_with(uint8_t error, uint8_t *reply, long size)
{
	const uint8_t message[] = { 11, 0, 0, 0, RLERROR, reply[5], reply[6], error, 0, 0, 0 };

	if (reply[4] != failing)
		return size;
	if (failing == RWALK)
		walks--;
	memcpy(reply, message, sizeof(message));
	return sizeof(message);
}

static long fails_with_no_space(uint8_t *reply, long size, size_t room)
{
	return fails_with(ENOSPC, reply, size);
}

static long has_no_such_request(uint8_t *reply, long size, size_t room)
{
	return fails_with(ENOSYS, reply, size);
}

static void a_failed_creation_leaves_nothing(void)
{
	static const uint8_t steps[] = { RWALK, RLCREATE, RGETATTR };
	struct dentry made;

	for (size_t i = 0; i < sizeof(steps); i++) {
		begin_writing();
		lie = fails_with_no_space;
		failing = steps[i];
		EXPECT_EQ_AT(make(S_IFREG | 0644, true, &made), -ENOSPC, "reply %u", steps[i]);
		EXPECT_EQ_AT(clunks, walks, "reply %u", steps[i]);
		/* The server removes the file that it had made already. */
		EXPECT_EQ_AT(last_was(RUNLINKAT), steps[i] == RGETATTR, "reply %u", steps[i]);
		end();
	}
}

static void a_file_belongs_to_who_has_made_it(void)
{
	struct dentry made;

	begin_writing();
	share.guarded = false;
	EXPECT_EQ(make(S_IFREG | 0644, false, &made), 0);
	EXPECT_EQ(made.inode->uid, USER);
	EXPECT(last_was(RSETATTR));
	/* The size, the type, the tag and the fid; the mask, the mode, the user. */
	EXPECT_EQ(last_request[11], P9_SET_UID);
	EXPECT_EQ(last_request[19] | last_request[20] << 8, USER);
	inode_put(made.inode);
	requests = 0;
	EXPECT_EQ(make(S_IFREG | S_ISUID | 0755, false, &made), 0);
	/* Two walks, the call, the end of its fid, the attributes, the owner and the mode that the change of owner took. */
	EXPECT_EQ(requests, 7);
	EXPECT_EQ(last_request[11], P9_SET_MODE);
	EXPECT_EQ(last_request[15] | last_request[16] << 8, S_IFREG | S_ISUID | 0755);
	inode_put(made.inode);
	lie = fails_with_no_space;
	failing = RSETATTR;
	EXPECT_EQ(make(S_IFREG | 0644, false, &made), 0);
	EXPECT_EQ(made.inode->uid, 1000);
	inode_put(made.inode);
	end();
}

static void a_directory_is_made_with_the_group_of_who_makes_it(void)
{
	struct inode *inode;

	begin_writing();
	inode = changes()->make_inode(&root->inode, S_IFDIR | 0755, 0);
	EXPECT_EQ(inode->uid, USER);
	EXPECT_EQ(inode->gid, USER + 1);
	inode_put(inode);
	end();
}

static void the_room_is_the_servers(void)
{
	struct kernel_statfs statfs = { .f_bsize = 1 };

	begin_writing();
	superblock.root = &above;
	EXPECT_EQ(share_statfs(&root->inode, &statfs), 0);
	EXPECT_EQ(statfs.f_type, 0x01021994);
	EXPECT(last_was(RSTATFS));
	EXPECT_EQ(last_request[7], root->fid);
	failing = RSTATFS;
	lie = fails_with_no_space;
	EXPECT_EQ(share_statfs(&root->inode, &statfs), -ENOSPC);
	/* A server without the request has no say: what was there stays. */
	lie = has_no_such_request;
	EXPECT_EQ(share_statfs(&root->inode, &statfs), 0);
	EXPECT_EQ(statfs.f_type, 0x01021994);
	superblock.root = NULL;
	end();
}

static void set_id_bits_and_devices_are_refused(void)
{
	static const uint32_t modes[] = { S_IFREG | S_ISUID | 0755, S_IFREG | S_ISGID | 0755,
					  S_IFIFO | S_ISUID | 0644, S_IFCHR | 0644,
					  S_IFBLK | 0644 };
	struct dentry made;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		begin_writing();
		EXPECT_EQ_AT(make(modes[i], true, &made), -EPERM, "mode %o", modes[i]);
		EXPECT_EQ_AT(requests, 0, "mode %o", modes[i]);
		end();
	}
	begin_writing();
	EXPECT_EQ(make(S_IFREG | 0644, true, &made), 0);
	uint32_t before = requests;
	struct inode_change change = { .mode = S_IFREG | S_ISUID | 0644,
				       .uid = made.inode->uid,
				       .gid = made.inode->gid };

	EXPECT_EQ(share_change(made.inode, &change), -EPERM);
	EXPECT_EQ(requests, before);
	change.mode = S_IFREG | 0600;
	EXPECT_EQ(share_change(made.inode, &change), 0);
	EXPECT(last_was(RSETATTR));
	inode_put(made.inode);
	end();
}

static void a_file_in_use_that_loses_its_last_name_is_memory(void)
{
	struct dentry made;

	begin_writing();
	EXPECT_EQ(make(S_IFREG | 0644, true, &made), 0);
	struct tmpfs_source *source = source_of(&made);
	const struct inode_change change = { .mode = S_IFREG | 0600 };
	char bytes[FILE_SIZE];

	EXPECT_EQ(source->through->open(source, true), 0);
	EXPECT_EQ(source->through->write(source, 0, "0123456789", FILE_SIZE), FILE_SIZE);
	made.references = 2;
	EXPECT_EQ(changes()->remove(&made), 0);
	EXPECT(source->detached);
	/* Open for reading before it goes. */
	EXPECT(last_was(RUNLINKAT));
	EXPECT_EQ(share.open_count, 0);
	uint32_t before = requests;

	EXPECT_EQ(source->read(source, 0, bytes, FILE_SIZE), 0);
	EXPECT_EQ(requests, before + 1);
	EXPECT(last_was(RREAD));
	EXPECT_EQ(share_change(made.inode, &change), 0);
	EXPECT_EQ(requests, before + 1);
	source->through->close(source, true);
	inode_put(made.inode);
	EXPECT_EQ(clunks, walks);
	end();
}

static void a_failed_removal_changes_nothing(void)
{
	struct dentry made;

	begin_writing();
	EXPECT_EQ(make(S_IFREG | 0644, false, &made), 0);
	lie = fails_with_no_space;
	failing = RUNLINKAT;
	EXPECT_EQ(changes()->remove(&made), -ENOSPC);
	EXPECT(!source_of(&made)->detached);
	failing = RRENAMEAT;
	EXPECT_EQ(changes()->rename(&made, &above, "other", 5, &made), -ENOSPC);
	EXPECT(!source_of(&made)->detached);
	failing = RLINK;
	EXPECT_EQ(changes()->link(made.inode, &made), -ENOSPC);
	inode_put(made.inode);
	EXPECT_EQ(clunks, walks);
	end();
}

/* The server's file has 10 bytes (p9_server.h), and each write fails. */
static void what_was_written_before_an_error_counts(void)
{
	static const struct {
		uint64_t offset;
		size_t size;
		ssize_t expected;
	} parts[] = {
		{ 8, 100, 2 }, { 0, 100, 10 }, { 9, 1, 1 }, { 10, 100, -ENOSPC }, { 0, 9, -ENOSPC },
	};
	static const char bytes[100];
	struct dentry made;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		begin_writing();
		EXPECT_EQ(make(S_IFREG | 0644, true, &made), 0);
		struct tmpfs_source *source = source_of(&made);

		lie = fails_with_no_space;
		failing = RWRITE;
		EXPECT_EQ_AT(source->through->write(source, parts[i].offset, bytes, parts[i].size),
			     parts[i].expected, "%zu bytes at %u", parts[i].size,
			     (unsigned int)parts[i].offset);
		inode_put(made.inode);
		end();
	}
}

/* Changes some bytes of some replies. */
static long mutates(uint8_t *reply, long size, size_t room)
{
	if (size && rand() % 4 == 0)
		reply[(size_t)rand() % (size_t)size] ^= (uint8_t)(1 << rand() % 8);
	return rand() % 64 || !size ? size : rand() % 2 ? -EINTR : (long)((size_t)rand() % room);
}

static void exchanges_of_any_bytes_are_survived(void)
{
	enum { ROUNDS = 5000, STEPS = 12 };
	static const uint32_t types[] = { S_IFREG, S_IFREG, S_IFDIR, S_IFLNK, S_IFIFO };
	unsigned int written = 0, removed = 0;

	srand(19);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct dentry made = { .inode = NULL };
		bool opened = false;

		begin_writing();
		lie = mutates;
		for (unsigned int step = 0; step < STEPS && !share.client.broken; step++) {
			if (!made.inode) {
				opened = false;
				if (make(types[rand() % 5] | 0644, rand() % 2, &made))
					made.inode = NULL;
				continue;
			}
			struct tmpfs_source *source =
				made.inode->ops == &node_ops ? source_of(&made) : NULL;
			const struct inode_change change = { .mode = made.inode->mode ^ 0100 };

			switch (rand() % 7) {
			case 0:
				share_change(made.inode, &change);
				break;
			case 1:
				if (source && !opened)
					opened = !source->through->open(source, true);
				break;
			case 2:
				if (opened)
					written += source->through->write(source, 7, "data", 4) > 0;
				break;
			case 3:
				if (source)
					changes()->link(made.inode, &made);
				break;
			case 4:
				changes()->rename(&made, &above, "other", 5, NULL);
				break;
			case 5:
				share_sync(&superblock, rand() % 2 ? made.inode : NULL, true);
				break;
			default:
				if (changes()->remove(&made))
					break;
				removed++;
				if (opened)
					source->through->close(source, true);
				inode_put(made.inode);
				made.inode = NULL;
			}
		}
		if (made.inode)
			inode_put(made.inode);
		EXPECT_AT(LIST_EMPTY(&share.written), "round %u", round);
		/* A broken client leaves its buffers to the device. */
		lie = NULL;
		share.client.broken = false;
		end();
	}
	EXPECT(written > ROUNDS / 20);
	EXPECT(removed > ROUNDS / 10);
}

static const struct tap_rule rules[] = {
	{ "the fid that made a new file writes it",
	  a_new_file_is_written_to_by_the_fid_that_made_it },
	{ "a file that is made and not opened leaves no open fid",
	  a_file_that_is_not_opened_leaves_no_open_fid },
	{ "a creation that fails at any step leaves nothing at the server and the client",
	  a_failed_creation_leaves_nothing },
	{ "a file belongs to its creator, if no guard is set and the server permits it",
	  a_file_belongs_to_who_has_made_it },
	{ "a directory is made with its creator's group",
	  a_directory_is_made_with_the_group_of_who_makes_it },
	{ "statfs is the server's answer for the file's own place", the_room_is_the_servers },
	{ "set-id bits and devices are refused without a request",
	  set_id_bits_and_devices_are_refused },
	{ "a file in use that loses its last name stays readable and is memory",
	  a_file_in_use_that_loses_its_last_name_is_memory },
	{ "a removal, a renaming and a link that fail change nothing",
	  a_failed_removal_changes_nothing },
	{ "what the server wrote before an error counts, if the file has grown by it",
	  what_was_written_before_an_error_counts },
	{ "exchanges of any bytes are survived, and nothing is kept",
	  exchanges_of_any_bytes_are_survived },
};

TAP_MAIN(rules)
