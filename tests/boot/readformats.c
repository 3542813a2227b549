// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of read(): for every combination of read_format, the words are the ones that the ABI names,
 * in its order, whole or not at all, and each has the value that was derived; for an event alone,
 * for a leader and for a member.
 *
 * The layout is that of perf_event_open(2), "Reading results":
 *
 * alone   value [enabled] [running] [id] [lost] group     nr [enabled] [running] { value [id]
 * [lost] } for each member, the leader first
 */
#include "child.h"

#include <perf_ring.h>

#define FORMATS	  32
#define MEMBERS	  3
#define WORDS_MAX 16
#define UNTOUCHED UINT64_C(0x5a5a5a5a5a5a5a5a)
#define LOOPS	  1000

/* A group on the calling task: instructions lead, then branches, then page faults. */
struct group {
	int fds[MEMBERS];
	uint64_t ids[MEMBERS], values[MEMBERS], lost[MEMBERS];
	unsigned int format;
};

static struct group open_group(unsigned int format)
{
	struct perf_event_attr attrs[MEMBERS] = {
		user_attr(INSTRUCTIONS),
		user_attr(GENERAL),
		software_attr(PERF_COUNT_SW_DUMMY),
	};
	struct group group = { .format = format };

	for (int i = 0; i < MEMBERS; i++) {
		attrs[i].read_format = format;
		attrs[i].disabled = i == 0;
		group.fds[i] = must_open(&attrs[i], 0, -1, i ? group.fds[0] : -1);
		control(group.fds[i], PERF_EVENT_IOC_ID, (unsigned long)&group.ids[i]);
	}
	run_enabled(group.fds[0], spin_find_work("loop"), LOOPS, NULL);
	group.values[0] = derive_window(INSTRUCTIONS, spin_find_work("loop"), LOOPS);
	group.values[1] = derive_window(GENERAL, spin_find_work("loop"), LOOPS);
	return group;
}

static void close_group(const struct group *group)
{
	for (int i = MEMBERS; i-- > 0;)
		close(group->fds[i]);
}

static size_t put_member(const struct group *group, int member, uint64_t *words)
{
	size_t count = 0;

	words[count++] = group->values[member];
	if (group->format & PERF_FORMAT_ID)
		words[count++] = group->ids[member];
	if (group->format & PERF_FORMAT_LOST)
		words[count++] = group->lost[member];
	return count;
}

/* The times are copied from GOT, because they cannot be derived. */
static size_t put_times(const struct group *group, size_t at, const uint64_t *got, uint64_t *words)
{
	size_t count = 0;

	if (group->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[count] = got[at + count], count++;
	if (group->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[count] = got[at + count], count++;
	return count;
}

/* The words that a read of MEMBER's descriptor has to give; returns their number. */
static size_t derive_read(const struct group *group, int member, const uint64_t *got,
			  uint64_t *words)
{
	size_t count = 0;

	if (group->format & PERF_FORMAT_GROUP) {
		words[count++] = MEMBERS;
		count += put_times(group, count, got, &words[count]);
		for (int i = 0; i < MEMBERS; i++)
			count += put_member(group, i, &words[count]);
		return count;
	}
	uint64_t own[WORDS_MAX];
	size_t rest = put_member(group, member, own);

	words[count++] = own[0];
	count += put_times(group, count, got, &words[count]);
	for (size_t i = 1; i < rest; i++)
		words[count++] = own[i];
	return count;
}

static void check_read(const struct group *group, int member)
{
	uint64_t got[WORDS_MAX], words[WORDS_MAX];

	memset(got, 0x5a, sizeof(got));
	ssize_t bytes = read(group->fds[member], got, sizeof(got));
	size_t count = derive_read(group, member, got, words);

	EXPECT_EQ_AT(bytes, count * sizeof(*words), "read_format %u, member %d", group->format,
		     member);
	for (size_t i = 0; i < WORDS_MAX; i++)
		EXPECT_EQ_AT(got[i], i < count ? words[i] : UNTOUCHED,
			     "read_format %u, member %d, word %zu", group->format, member, i);
	if ((group->format & FORMAT_TIMES) == FORMAT_TIMES) {
		EXPECT_AT(got[1] > 0, "read_format %u, member %d", group->format, member);
		EXPECT_EQ_AT(got[1], got[2], "read_format %u, member %d: enabled and running",
			     group->format, member);
	}
}

static void check_formats(void)
{
	for (unsigned int format = 0; format < FORMATS; format++) {
		struct group group = open_group(format);

		for (int member = 0; member < MEMBERS; member++)
			check_read(&group, member);
		close_group(&group);
	}
}

/* A member that leaves takes its words along; a member whose leader leaves is alone. (Linux 6.12 leaves
 * it the size of the group's read, and fills up with zeros.) */
static void check_members_leave(void)
{
	struct group group = open_group(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	uint64_t got[WORDS_MAX];

	close(group.fds[1]);
	EXPECT_EQ(read(group.fds[0], got, sizeof(got)), 5 * sizeof(*got));
	EXPECT_EQ(got[0], 2);
	EXPECT_EQ(got[1], group.values[0]);
	EXPECT_EQ(got[2], group.ids[0]);
	EXPECT_EQ(got[3], 0);
	EXPECT_EQ(got[4], group.ids[2]);
	close(group.fds[0]);
	ssize_t bytes = read(group.fds[2], got, sizeof(got));
	if (runs_tally())
		EXPECT_EQ(bytes, 3 * sizeof(*got));
	else
		printf("# not Tally: an event that is left alone may read more bytes than it has words\n");
	EXPECT_EQ(got[0], 1);
	EXPECT_EQ(got[1], 0);
	EXPECT_EQ(got[2], group.ids[2]);
	close(group.fds[2]);
}

/* --- buffers --- */

static void check_short_buffers(void)
{
	for (unsigned int format = 0; format < FORMATS; format++) {
		struct group group = open_group(format);

		for (int member = 0; member < MEMBERS; member++) {
			uint64_t got[WORDS_MAX], words[WORDS_MAX] = { 0 };
			size_t bytes = derive_read(&group, member, words, words) * sizeof(*words);

			for (size_t size = 0; size < bytes; size++) {
				memset(got, 0x5a, sizeof(got));
				errno = 0;
				EXPECT_EQ_AT(read(group.fds[member], got, size), -1,
					     "read_format %u, member %d, %zu bytes", format, member,
					     size);
				EXPECT_EQ_AT(errno, ENOSPC, "read_format %u, member %d, %zu bytes",
					     format, member, size);
				EXPECT_EQ_AT(got[0], UNTOUCHED,
					     "read_format %u, member %d, %zu bytes", format, member,
					     size);
			}
			EXPECT_EQ_AT(read(group.fds[member], got, bytes), bytes,
				     "read_format %u, member %d, just enough", format, member);
			errno = 0;
			EXPECT_EQ_AT(syscall(__NR_read, group.fds[member], 8, bytes), -1,
				     "read_format %u, member %d", format, member);
			EXPECT_EQ_AT(errno, EFAULT, "read_format %u, member %d, a bad buffer",
				     format, member);
		}
		close_group(&group);
	}
}

static void check_refused(void)
{
	static const uint64_t formats[] = { FORMATS, UINT64_C(1) << 63, ~UINT64_C(0) };
	struct perf_event_attr attr = user_attr(INSTRUCTIONS);

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		attr.read_format = formats[i];
		errno = 0;
		EXPECT_EQ_AT(open_event(&attr, 0, -1, -1), -1, "read_format 0x%" PRIx64,
			     formats[i]);
		EXPECT_EQ_AT(errno, EINVAL, "read_format 0x%" PRIx64, formats[i]);
	}
}

/* --- identity --- */

static void check_ids(void)
{
	struct group first = open_group(PERF_FORMAT_ID), second = open_group(PERF_FORMAT_ID);
	uint64_t id = 0;

	for (int i = 0; i < MEMBERS; i++) {
		EXPECT(first.ids[i] != 0);
		for (int j = 0; j < MEMBERS; j++) {
			EXPECT_AT(first.ids[i] != second.ids[j], "%d, %d", i, j);
			EXPECT_AT(i == j || first.ids[i] != first.ids[j], "%d, %d", i, j);
		}
		int copy = dup(first.fds[i]);
		control(copy, PERF_EVENT_IOC_ID, (unsigned long)&id);
		EXPECT_EQ_AT(id, first.ids[i], "%s", "a copy of the descriptor is the same event");
		close(copy);
	}
	errno = 0;
	EXPECT_EQ(ioctl(first.fds[0], PERF_EVENT_IOC_ID, 8), -1);
	EXPECT_EQ(errno, EFAULT);
	close_group(&first);
	close_group(&second);
}

/* --- lost samples --- */

/* A sample of two addresses and the task is 32 bytes; a page of them, less one that would make full look
 * like empty. */
#define SAMPLE_SIZE 32
#define FIT	    (PAGE / SAMPLE_SIZE - 1)
#define PERIOD	    1000
#define SAMPLES	    300

static void check_lost(void)
{
	struct perf_event_attr attr = user_attr(GENERAL);
	const uint64_t passes = SAMPLES * PERIOD / derive(GENERAL, 2, 1);
	struct perf_ring ring;
	uint64_t words[2] = { 0 };

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR;
	attr.sample_period = PERIOD;
	attr.read_format = PERF_FORMAT_LOST;
	EXPECT_EQ(perf_ring_open(&ring, &attr, 1), 0);
	/* Each round overflows SAMPLES times and leaves as much over as the window has. */
	run_enabled(ring.fd, spin_find_work("loop"), passes, NULL);
	EXPECT_EQ(read(ring.fd, words, sizeof(words)), sizeof(words));
	EXPECT_EQ(words[0], derive_window(GENERAL, spin_find_work("loop"), passes));
	EXPECT_EQ(words[1], SAMPLES - FIT);
	EXPECT_EQ(ring.page->data_head, FIT * SAMPLE_SIZE);
	control(ring.fd, PERF_EVENT_IOC_RESET, 0);
	EXPECT_EQ(read(ring.fd, words, sizeof(words)), sizeof(words));
	EXPECT_EQ(words[0], 0);
	EXPECT_EQ_AT(words[1], SAMPLES - FIT, "%s", "a reset resets the count only");
	perf_ring_close(&ring);
}

static const struct tap_rule rules[] = {
	{ "every read_format gives its words in order, each with its value", check_formats },
	{ "a member that leaves its group is not read any more", check_members_leave },
	{ "a buffer that is too short gets ENOSPC and nothing else", check_short_buffers },
	{ "a read_format that is unknown is refused", check_refused },
	{ "an event has its own id, and all its descriptors return it", check_ids },
	{ "samples that found no room are counted", check_lost },
};

TAP_MAIN(rules)
