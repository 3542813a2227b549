// SPDX-License-Identifier: BSD-2-Clause
/* Rules of the 9P client (kernel/fs/9p/message.c, client.c) against a simulated server (p9_server.h). */
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>

#include <stdlib.h>

#include "../../kernel/fs/9p/client.h"
#include "p9_server.h"

static struct p9_client client;
static uint32_t root;

static int start(void)
{
	struct p9_qid qid;

	client.size_max = 0;
	return p9_client_start(&client, &transport, &root, &qid);
}

static void begin(void)
{
	lie = NULL;
	walks = clunks = 0;
	EXPECT_EQ(start(), 0);
}

static void end(void)
{
	lie = NULL;
	p9_client_end(&client);
}

/* --- messages --- */

static void a_message_comes_back(void)
{
	uint8_t bytes[64], type;
	size_t size;
	struct p9_message message = p9_request(bytes, sizeof(bytes), 100, 7);

	p9_put_8(&message, 0x12);
	p9_put_16(&message, 0x3456);
	p9_put_32(&message, 0x789abcde);
	p9_put_64(&message, 0x1122334455667788);
	p9_put_text(&message, "text", 4);
	EXPECT_EQ(p9_finish(&message), 7 + 1 + 2 + 4 + 8 + 2 + 4);
	EXPECT_EQ(bytes[0], 28);
	EXPECT_EQ(bytes[8], 0x56);
	message = p9_reply(bytes, sizeof(bytes), 28, 7, &type);
	EXPECT_EQ(type, 100);
	EXPECT_EQ(p9_get_8(&message), 0x12);
	EXPECT_EQ(p9_get_16(&message), 0x3456);
	EXPECT_EQ(p9_get_32(&message), 0x789abcde);
	EXPECT_EQ(p9_get_64(&message), 0x1122334455667788);
	const char *text = p9_get_text(&message, &size);

	EXPECT_EQ(size, 4);
	EXPECT_EQ(memcmp(text, "text", 4), 0);
	EXPECT(p9_is_complete(&message));
}

static void fields_end_with_the_message(void)
{
	/* On the heap, so that the sanitizer sees a byte too many. */
	for (size_t size = 0; size < 64; size++) {
		uint8_t *bytes = malloc(size ? size : 1), type;
		struct p9_message message = p9_request(bytes, size, 100, 0);

		p9_put_64(&message, 1);
		p9_put_text(&message, "text", 4);
		EXPECT_EQ_AT(p9_finish(&message), size < 21 ? 0 : 21, "room for %zu", size);
		message = p9_reply(bytes, size, size, 0, &type);
		p9_get_64(&message);
		p9_get_text(&message, &(size_t){ 0 });
		p9_get_64(&message);
		EXPECT_AT(!p9_get_bytes(&message, SIZE_MAX), "size %zu", size);
		free(bytes);
	}
}

static void a_text_ends_with_the_message(void)
{
	uint8_t bytes[11] = { 11, 0, 0, 0, 100, 0, 0, 3, 0, 'a', 'b' }, type;
	struct p9_message message = p9_reply(bytes, sizeof(bytes), sizeof(bytes), 0, &type);
	size_t size = 1;
	const char *text = p9_get_text(&message, &size);

	EXPECT_EQ(size, 0);
	EXPECT_STR(text, "");
	EXPECT(!p9_is_complete(&message));
}

static void a_failed_message_stays_so(void)
{
	uint8_t bytes[9] = { 9, 0, 0, 0, 100, 0, 0, 1, 2 }, type;
	struct p9_message message = p9_reply(bytes, sizeof(bytes), sizeof(bytes), 0, &type);

	EXPECT_EQ(p9_get_32(&message), 0);
	EXPECT_EQ(p9_get_8(&message), 0);
	EXPECT(!p9_is_complete(&message));
}

static void sizes_and_tags_must_be_right(void)
{
	uint8_t bytes[7] = { 7, 0, 0, 0, 100, 5, 0 }, type;

	struct p9_message message = p9_reply(bytes, 7, 7, 5, &type);

	EXPECT(p9_is_complete(&message));
	message = p9_reply(bytes, 7, 7, 6, &type);
	EXPECT(!p9_is_complete(&message));
	message = p9_reply(bytes, 7, 6, 5, &type);
	EXPECT(!p9_is_complete(&message));
	message = p9_reply(bytes, 7, 8, 5, &type);
	EXPECT(!p9_is_complete(&message));
	bytes[0] = 8;
	message = p9_reply(bytes, 7, 7, 5, &type);
	EXPECT(!p9_is_complete(&message));
}

static void a_long_text_does_not_fit(void)
{
	static uint8_t bytes[UINT16_MAX + 100];
	static const char text[UINT16_MAX + 2];
	struct p9_message message = p9_request(bytes, sizeof(bytes), 100, 0);

	p9_put_text(&message, text, UINT16_MAX + 1);
	EXPECT_EQ(p9_finish(&message), 0);
}

/* --- an honest server --- */

static void files_have_attributes(void)
{
	struct p9_attributes attributes;
	char target[64];
	uint32_t fid;
	struct p9_qid qid;

	begin();
	EXPECT_EQ(p9_walk(&client, root, "file", 4, &fid, &qid), 0);
	EXPECT_EQ(qid.path, FILE_PATH);
	EXPECT_EQ(p9_get_attributes(&client, fid, &attributes), 0);
	EXPECT_EQ(attributes.mode, 0100644);
	EXPECT_EQ(attributes.uid, 1000);
	EXPECT_EQ(attributes.gid, 1001);
	EXPECT_EQ(attributes.links, 2);
	EXPECT_EQ(attributes.size, FILE_SIZE);
	EXPECT_EQ(attributes.blocks, 8);
	EXPECT_EQ(attributes.modified.tv_sec, 1700000001);
	EXPECT_EQ(attributes.changed.tv_nsec, 999999997);
	EXPECT_EQ(p9_read_link(&client, fid, target, sizeof(target)), strlen(TARGET));
	EXPECT_EQ(memcmp(target, TARGET, strlen(TARGET)), 0);
	EXPECT_EQ(p9_open(&client, fid, 0), 0);
	EXPECT_EQ(p9_read(&client, fid, 0, target, sizeof(target)), FILE_SIZE);
	EXPECT_EQ(memcmp(target, "0123456789", FILE_SIZE), 0);
	end();
}

struct names {
	struct p9_entry_reader reader;
	char text[64];
	unsigned int left;
};

static bool note(struct p9_entry_reader *reader, const char *name, size_t name_size,
		 const struct p9_qid *qid, uint8_t type, uint64_t next_offset)
{
	struct names *names = (struct names *)reader;

	if (!names->left)
		return false;
	names->left--;
	snprintf(names->text + strlen(names->text), sizeof(names->text) - strlen(names->text),
		 "%.*s%u,", (int)name_size, name, type);
	return true;
}

static void entries_come_without_dots(void)
{
	struct names names = { { note }, "", 100 };
	uint64_t offset = 0;

	begin();
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), ENTRY_COUNT);
	EXPECT_STR(names.text, "file8,link10,folder4,");
	EXPECT_EQ(offset, ENTRY_COUNT);
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), 0);
	end();
}

static void a_reader_can_stop(void)
{
	struct names names = { { note }, "", 1 };
	uint64_t offset = 0;

	begin();
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), 3);
	EXPECT_STR(names.text, "file8,");
	EXPECT_EQ(offset, 3);
	end();
}

static void numbers_of_fids_are_used_again(void)
{
	struct p9_qid qid;
	uint32_t first, fid;

	begin();
	EXPECT_EQ(p9_walk(&client, root, "file", 4, &first, &qid), 0);
	for (unsigned int i = 0; i < 1000; i++) {
		EXPECT_EQ(p9_walk(&client, root, "file", 4, &fid, &qid), 0);
		EXPECT(fid != first && fid != root);
		p9_clunk(&client, fid);
	}
	EXPECT_EQ(client.last_fid, 3);
	EXPECT_EQ(clunks, 1000);
	end();
}

static void without_memory_nothing_starts(void)
{
	lie = NULL;
	for (unsigned int i = 1; i <= 2; i++) {
		size_t before = page_free_count();

		sim_allocation_fail(i);
		EXPECT_EQ_AT(start(), -ENOMEM, "allocation %u", i);
		EXPECT_EQ_AT(page_free_count(), before, "allocation %u", i);
	}
}

/* --- a server that lies --- */

static void put_32_at(uint8_t *at, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

static long is_empty(uint8_t *reply, long size, size_t room)
{
	return 0;
}

static long is_too_long(uint8_t *reply, long size, size_t room)
{
	put_32_at(reply, (uint32_t)room + 1);
	return (long)room + 1;
}

static long says_other_size(uint8_t *reply, long size, size_t room)
{
	put_32_at(reply, UINT32_MAX);
	return size;
}

static long has_other_type(uint8_t *reply, long size, size_t room)
{
	reply[4] ^= 2;
	return size;
}

static long has_error_zero(uint8_t *reply, long size, size_t room)
{
	reply[4] = RLERROR;
	put_32_at(reply, 11);
	put_32_at(reply + 7, 0);
	return 11;
}

static long has_wild_error(uint8_t *reply, long size, size_t room)
{
	has_error_zero(reply, size, room);
	put_32_at(reply + 7, 512);
	return 11;
}

static long has_no_entry(uint8_t *reply, long size, size_t room)
{
	has_error_zero(reply, size, room);
	put_32_at(reply + 7, ENOENT);
	return 11;
}

static long is_late(uint8_t *reply, long size, size_t room)
{
	return -EINTR;
}

/* Each operation returns EXPECTED now. */
static void expect_all(int expected, const char *when)
{
	struct names names = { { note }, "", 100 };
	struct kernel_statfs statfs = { .f_type = 78 };
	struct p9_attributes attributes;
	struct p9_qid qid;
	uint64_t offset = 0;
	char buffer[64];
	uint32_t fid = 77;

	EXPECT_EQ_AT(p9_walk(&client, root, "file", 4, &fid, &qid), expected, "%s", when);
	EXPECT_EQ_AT(fid, 77, "%s", when);
	EXPECT_EQ_AT(p9_get_attributes(&client, root, &attributes), expected, "%s", when);
	EXPECT_EQ_AT(p9_get_space(&client, root, &statfs), expected, "%s", when);
	EXPECT_EQ_AT(statfs.f_type, 78, "%s", when);
	EXPECT_EQ_AT(p9_read_link(&client, root, buffer, sizeof(buffer)), expected, "%s", when);
	EXPECT_EQ_AT(p9_open(&client, root, 0), expected, "%s", when);
	EXPECT_EQ_AT(p9_read(&client, root, 0, buffer, sizeof(buffer)), expected, "%s", when);
	EXPECT_EQ_AT(p9_read_directory(&client, root, &offset, &names.reader), expected, "%s",
		     when);
}

static void the_servers_room_comes_back(void)
{
	struct kernel_statfs statfs = { .f_flags = 5 };

	begin();
	EXPECT_EQ(p9_get_space(&client, root, &statfs), 0);
	EXPECT_EQ(statfs.f_type, 0x01021994);
	EXPECT_EQ(statfs.f_bsize, 4096);
	EXPECT_EQ(statfs.f_frsize, 4096);
	EXPECT_EQ(statfs.f_blocks, 0x100000000);
	EXPECT_EQ(statfs.f_bfree, 0x100000001);
	EXPECT_EQ(statfs.f_bavail, 0x100000002);
	EXPECT_EQ(statfs.f_files, 0x100000003);
	EXPECT_EQ(statfs.f_ffree, 0x100000004);
	EXPECT_EQ(statfs.f_fsid[0], 0x55667788);
	EXPECT_EQ(statfs.f_fsid[1], 0x11223344);
	EXPECT_EQ(statfs.f_namelen, 200);
	EXPECT_EQ(statfs.f_flags, 5);
	end();
}

static long has_empty_blocks(uint8_t *reply, long size, size_t room)
{
	put_32_at(reply + 11, 0);
	return size;
}

static void blocks_have_bytes(void)
{
	struct kernel_statfs statfs = { .f_bsize = 77 };

	begin();
	lie = has_empty_blocks;
	EXPECT_EQ(p9_get_space(&client, root, &statfs), -EIO);
	EXPECT_EQ(statfs.f_bsize, 77);
	end();
}

static void replies_that_lie_are_errors(void)
{
	static const struct {
		const char *name;
		long (*lie)(uint8_t *reply, long size, size_t room);
	} lies[] = {
		{ "a byte less than the fields", is_short },
		{ "nothing", is_empty },
		{ "more than the buffer", is_too_long },
		{ "another size in the header", says_other_size },
		{ "another type", has_other_type },
		{ "another tag", has_other_tag },
		{ "error 0", has_error_zero },
		{ "an error beyond all", has_wild_error },
		{ "a broken transport", fails },
	};

	begin();
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		lie = lies[i].lie;
		expect_all(-EIO, lies[i].name);
	}
	client.broken = false;
	end();
}

static void a_call_that_a_signal_ends_keeps_its_number(void)
{
	struct p9_qid qid;
	uint32_t fid, next;

	begin();
	lie = is_late;
	expect_all(-EINTR, "late");
	EXPECT_EQ(p9_walk(&client, root, "file", 4, &fid, &qid), -EINTR);
	lie = NULL;
	/* The root has 1, the two walks 2 and 3: the server may know them. */
	EXPECT_EQ(p9_walk(&client, root, "file", 4, &fid, &qid), 0);
	EXPECT_EQ(fid, 4);
	lie = is_late;
	p9_clunk(&client, fid);
	lie = NULL;
	EXPECT_EQ(p9_walk(&client, root, "file", 4, &next, &qid), 0);
	EXPECT_EQ(next, 5);
	end();
}

/* The buffers are the device's until a later call returns; the next start takes them, and any other end frees them. */
static void buffers_of_a_late_server_stay(void)
{
	size_t before = page_free_count();

	lie = is_late;
	EXPECT_EQ(start(), -EINTR);
	size_t with_buffers = page_free_count();

	EXPECT(with_buffers < before);
	EXPECT_EQ(start(), -EINTR);
	EXPECT_EQ(page_free_count(), with_buffers);
	lie = NULL;
	EXPECT_EQ(start(), 0);
	EXPECT_EQ(page_free_count(), with_buffers);
	end();
	EXPECT_EQ(page_free_count(), before);
}

static void errors_of_the_server_come_back(void)
{
	begin();
	lie = has_no_entry;
	expect_all(-ENOENT, "the server has no such file");
	end();
}

static void starts_that_lie_fail(void)
{
	size_t before = page_free_count();

	for (unsigned int i = 0; i < 5; i++) {
		lie = i == 0 ? is_short :
		      i == 1 ? says_other_size :
		      i == 2 ? has_no_entry :
		      i == 3 ? is_empty :
			       has_other_type;
		EXPECT_EQ_AT(start(), i == 2 ? -ENOENT : -EIO, "lie %u", i);
		EXPECT_EQ_AT(page_free_count(), before, "lie %u", i);
	}
}

static uint32_t agreed_size;

static long agrees_on(uint8_t *reply, long size, size_t room)
{
	if (reply[4] == RVERSION)
		put_32_at(reply + 7, agreed_size);
	return size;
}

static void the_size_of_messages_is_bounded(void)
{
	static const struct {
		uint32_t size;
		int result;
	} sizes[] = { { 0, -EIO },   { 4095, -EIO },   { 4096, 0 },
		      { 131072, 0 }, { 131073, -EIO }, { UINT32_MAX, -EIO } };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		agreed_size = sizes[i].size;
		lie = agrees_on;
		EXPECT_EQ_AT(start(), sizes[i].result, "size %u", agreed_size);
		if (!sizes[i].result)
			p9_client_end(&client);
	}
}

/* The size in the version's request, which the server repeats. */
static uint32_t proposed;

static long sees_proposal(uint8_t *reply, long size, size_t room)
{
	if (reply[4] == RVERSION)
		memcpy(&proposed, reply + 7, sizeof(proposed));
	return size;
}

static void messages_have_at_most_the_bytes_asked_for(void)
{
	static const uint32_t sizes[][2] = {
		{ 0, 131072 }, { 4096, 4096 }, { 8192, 8192 }, { 131073, 131072 }
	};
	char buffer[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		client.size_max = sizes[i][0];
		lie = sees_proposal;
		EXPECT_EQ(p9_client_start(&client, &transport, &root, &(struct p9_qid){ 0 }), 0);
		EXPECT_EQ_AT(proposed, sizes[i][1], "asked for %u", sizes[i][0]);
		EXPECT_EQ_AT(client.size_max, sizes[i][1], "asked for %u", sizes[i][0]);
		EXPECT_EQ(p9_read(&client, root, 0, buffer, sizeof(buffer)), FILE_SIZE);
		end();
	}
}

static long names_another_version(uint8_t *reply, long size, size_t room)
{
	reply[size - 1] = 'u';
	return size;
}

static void the_version_must_be_ours(void)
{
	lie = names_another_version;
	EXPECT_EQ(start(), -EIO);
}

static uint32_t count_at_7;

static long counts(uint8_t *reply, long size, size_t room)
{
	put_32_at(reply + 7, count_at_7);
	return size;
}

static void counts_of_data_are_checked(void)
{
	static const uint32_t wrong[] = { FILE_SIZE + 1, 64, 65, 131072, UINT32_MAX };
	char buffer[64];

	begin();
	lie = counts;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		count_at_7 = wrong[i];
		memset(buffer, 'x', sizeof(buffer));
		EXPECT_EQ_AT(p9_read(&client, root, 0, buffer, sizeof(buffer)), -EIO, "count %u",
			     wrong[i]);
		EXPECT_EQ_AT(buffer[0], 'x', "count %u", wrong[i]);
	}
	count_at_7 = FILE_SIZE - 1;
	EXPECT_EQ(p9_read(&client, root, 0, buffer, sizeof(buffer)), FILE_SIZE - 1);
	EXPECT_EQ(p9_read(&client, root, 0, buffer, FILE_SIZE - 2), -EIO);
	end();
}

static void entries_end_with_their_count(void)
{
	struct names names = { { note }, "", 100 };

	begin();
	lie = counts;
	/* "." takes 25 bytes, ".." 26, "file" 28. */
	for (uint32_t count = 0; count < 79; count++) {
		uint64_t offset = 0;
		bool whole = count == 0 || count == 25 || count == 51;
		ssize_t expected = count == 0 ? 0 : count == 25 ? 1 : count == 51 ? 2 : -EIO;

		count_at_7 = count;
		EXPECT_EQ_AT(p9_read_directory(&client, root, &offset, &names.reader), expected,
			     "count %u%s", count, whole ? ", whole entries" : "");
	}
	EXPECT_STR(names.text, "");
	end();
}

/* Where the name "file" begins in the reply with the entries. */
#define NAME_AT (P9_HEADER_SIZE + 4 + 25 + 26 + 24)

static char name_byte;

static long has_name_byte(uint8_t *reply, long size, size_t room)
{
	if (reply[4] == RREADDIR)
		reply[NAME_AT + 1] = (uint8_t)name_byte;
	else if (reply[4] == RREADLINK)
		reply[P9_HEADER_SIZE + 2 + 1] = (uint8_t)name_byte;
	return size;
}

static long has_no_name(uint8_t *reply, long size, size_t room)
{
	if (reply[4] == RREADLINK) {
		put_32_at(reply, 9);
		reply[7] = reply[8] = 0;
		return 9;
	}
	/* Five entries of 24 bytes and no name. */
	put_32_at(reply + 7, 24);
	reply[7 + 4 + 22] = reply[7 + 4 + 23] = 0;
	return size;
}

static void names_are_checked(void)
{
	struct names names = { { note }, "", 100 };
	uint64_t offset = 0;
	char buffer[64];

	begin();
	lie = has_name_byte;
	name_byte = '/';
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), -EIO);
	offset = name_byte = 0;
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), -EIO);
	EXPECT_EQ(p9_read_link(&client, root, buffer, sizeof(buffer)), -EIO);
	offset = 0;
	name_byte = (char)0xff;
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), ENTRY_COUNT);
	EXPECT_STR(names.text, "f\xffle8,link10,folder4,");
	lie = has_no_name;
	offset = 0;
	EXPECT_EQ(p9_read_directory(&client, root, &offset, &names.reader), -EIO);
	EXPECT_EQ(p9_read_link(&client, root, buffer, sizeof(buffer)), -EIO);
	lie = NULL;
	EXPECT_EQ(p9_read_link(&client, root, buffer, strlen(TARGET) - 1), -EIO);
	end();
}

static unsigned int byte_at;
static uint8_t byte_value;

static long has_byte(uint8_t *reply, long size, size_t room)
{
	reply[byte_at] = byte_value;
	return size;
}

static void attributes_are_checked(void)
{
	/* Offsets in the fields of Rgetattr. */
	static const struct {
		unsigned int at;
		uint8_t value;
		const char *what;
	} lies[] = {
		{ 0, 0xfe, "not all attributes are valid" },
		{ 8, P9_QID_DIRECTORY, "the type of the id and of the mode differ" },
		{ 22, 0x40, "a directory by its mode alone" },
		{ 49 + 7, 0x80, "a negative size" },
		{ 81 + 3, 0x40, "more than a second of nanoseconds" },
	};

	begin();
	lie = has_byte;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct p9_attributes attributes;

		byte_at = P9_HEADER_SIZE + lies[i].at;
		byte_value = lies[i].value;
		EXPECT_EQ_AT(p9_get_attributes(&client, root, &attributes), -EIO, "%s",
			     lies[i].what);
	}
	end();
}

static long has_any_bytes(uint8_t *reply, long size, size_t room)
{
	unsigned int changes = 1 + (unsigned int)rand() % 8;

	for (unsigned int i = 0; i < changes; i++)
		reply[(unsigned int)rand() % (unsigned int)(size + 8)] = (uint8_t)rand();
	if (rand() % 4 == 0)
		size = rand() % (int)(2 * size);
	if (rand() % 2 == 0)
		put_32_at(reply, (uint32_t)size);
	return size;
}

static bool check_entry(struct p9_entry_reader *reader, const char *name, size_t name_size,
			const struct p9_qid *qid, uint8_t type, uint64_t next_offset)
{
	EXPECT(name_size > 0 && name_size <= NAME_SIZE_MAX);
	EXPECT(!memchr(name, '/', name_size) && !memchr(name, 0, name_size));
	return true;
}

static void any_bytes_are_survived(void)
{
	enum { ROUNDS = 20000 };
	unsigned int good = 0;

	srand(9);
	begin();
	lie = has_any_bytes;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct p9_entry_reader reader = { check_entry };
		struct p9_attributes attributes;
		struct p9_qid qid;
		uint64_t offset = 0;
		char *buffer = malloc(32);
		uint32_t fid;

		if (!p9_walk(&client, root, "file", 4, &fid, &qid))
			p9_clunk(&client, fid);
		good += !p9_get_attributes(&client, root, &attributes);
		ssize_t got = p9_read_link(&client, root, buffer, 32);

		EXPECT_AT(got < 0 || (got > 0 && got <= 32), "round %u", round);
		got = p9_read(&client, root, 0, buffer, 32);
		EXPECT_AT(got <= 32, "round %u", round);
		p9_read_directory(&client, root, &offset, &reader);
		free(buffer);
	}
	EXPECT(good > ROUNDS / 1000 && good < ROUNDS);
	end();
}

static const struct tap_rule rules[] = {
	{ "messages have at most the bytes that were asked for",
	  messages_have_at_most_the_bytes_asked_for },
	{ "the server's room comes back as it was sent", the_servers_room_comes_back },
	{ "blocks without bytes are EIO", blocks_have_bytes },
	{ "a message comes back as it was written", a_message_comes_back },
	{ "fields end with the message", fields_end_with_the_message },
	{ "a text ends with the message", a_text_ends_with_the_message },
	{ "a message that has failed reads as zeros", a_failed_message_stays_so },
	{ "the size and the tag of a reply must be right", sizes_and_tags_must_be_right },
	{ "a text of more than 65535 bytes makes no message", a_long_text_does_not_fit },
	{ "a file has attributes, contents and a target", files_have_attributes },
	{ "entries come without . and ..", entries_come_without_dots },
	{ "a reader of entries can stop, and goes on from there", a_reader_can_stop },
	{ "numbers of fids are used again", numbers_of_fids_are_used_again },
	{ "without memory nothing starts, and nothing is kept", without_memory_nothing_starts },
	{ "a reply that lies about itself is EIO, for each request", replies_that_lie_are_errors },
	{ "a call that a signal ends keeps its number",
	  a_call_that_a_signal_ends_keeps_its_number },
	{ "the buffers of a late server stay until it has answered",
	  buffers_of_a_late_server_stay },
	{ "an error of the server comes back", errors_of_the_server_come_back },
	{ "a start with replies that lie fails, and keeps nothing", starts_that_lie_fail },
	{ "the size of messages is between 4096 and what was offered",
	  the_size_of_messages_is_bounded },
	{ "the version must be 9P2000.L", the_version_must_be_ours },
	{ "a count of data is at most what was asked for and what is there",
	  counts_of_data_are_checked },
	{ "entries end with the count of their bytes", entries_end_with_their_count },
	{ "names have no slash and no zero byte, and are not empty", names_are_checked },
	{ "attributes that contradict each other are EIO", attributes_are_checked },
	{ "replies of any bytes are survived", any_bytes_are_survived },
};

TAP_MAIN(rules)
