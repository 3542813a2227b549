/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syslog(2): the log as lines of text, "<priority>[seconds] text", which dmesg shows.
 *
 * All callers share one position of SYSLOG_READ, which may be in the middle of a record. Lock:
 * syslog_mutex (M).
 */
#include <kernel/fs/syslog.h>

#include <stdatomic.h>
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/log_ring.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/task/credentials.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>

/* Numbers of syslog(2). */
enum {
	SYSLOG_CLOSE,
	SYSLOG_OPEN,
	SYSLOG_READ,
	SYSLOG_READ_ALL,
	SYSLOG_READ_CLEAR,
	SYSLOG_CLEAR,
	SYSLOG_CONSOLE_OFF,
	SYSLOG_CONSOLE_ON,
	SYSLOG_CONSOLE_LEVEL,
	SYSLOG_SIZE_UNREAD,
	SYSLOG_SIZE_BUFFER,
};

/* "<2047>[18446744073.709551] ": before each line of a record. */
#define HEAD_MAX  32
/* A record of line ends alone has the largest number of heads. */
#define LINES_MAX (LOG_TEXT_MAX * (HEAD_MAX + 1) + HEAD_MAX + 1)

static atomic_uint_fast64_t cleared;
static atomic_int saved_console_level; /* 0: the console is on */

static struct mutex syslog_mutex;
static atomic_int reader_made; /* 0: no, 1: being made, 2: yes */
static uint64_t read_sequence; /* M: next record to read */
static size_t read_offset;     /* M: bytes of its lines that have been read */

static struct mutex *reader(void)
{
	int not_made = 0;

	if (atomic_compare_exchange_strong(&reader_made, &not_made, 1)) {
		mutex_init(&syslog_mutex);
		atomic_store(&reader_made, 2);
	}
	while (atomic_load(&reader_made) != 2)
		arch_cpu_relax();
	return &syslog_mutex;
}

bool syslog_permitted(void)
{
	return capable(CAP_SYSLOG);
}

uint64_t syslog_cleared(void)
{
	return atomic_load(&cleared);
}

/* A record, and its lines as text. Allocated, because it is too large for a stack. */
struct lines {
	struct log_record record;
	size_t size;
	char text[LINES_MAX];
};

/* Reads the lines of the first record from SEQUENCE on; false: no such record. */
static bool read_lines(struct lines *lines, uint64_t sequence)
{
	char head[HEAD_MAX + 1];

	if (!log_ring_read(sequence, &lines->record))
		return false;
	const struct log_record *record = &lines->record;
	unsigned long time_us = (unsigned long)(record->time_ns / NSEC_PER_USEC);
	const char *at = record->text, *end = at + record->length, *line_end;

	format_string(head, sizeof(head), "<%u>[%5lu.%06lu] ", record->priority, time_us / 1000000,
		      time_us % 1000000);
	lines->size = 0;
	do {
		line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_end ? line_end : end) - at);

		memcpy(lines->text + lines->size, head, strlen(head));
		lines->size += strlen(head);
		memcpy(lines->text + lines->size, at, length);
		lines->size += length;
		lines->text[lines->size++] = '\n';
		at += length + 1;
	} while (line_end);
	return true;
}

/* --- SYSLOG_READ --- */

/* Waits for an unread record. syslog_mutex held, except while it sleeps. */
static int wait_for_record(void)
{
	struct wait_queue *queue = syslog_queue();
	struct wait_entry entry;
	int error = 0;

	mutex_unlock(&syslog_mutex);
	wait_queue_add(queue, &entry);
	while (!error && log_ring_next() <= read_sequence)
		error = wait_sleep(UINT64_MAX);
	wait_queue_remove(queue, &entry);
	mutex_lock(&syslog_mutex);
	return error;
}

/* Reads as much as fits; waits only for the first byte. */
static long read_on(struct lines *lines, char *user_buffer, size_t size)
{
	size_t done = 0;
	int error = 0;

	mutex_lock(reader());
	while (!error && log_ring_next() <= read_sequence)
		error = wait_for_record();
	while (!error && done < size && read_lines(lines, read_sequence)) {
		if (lines->record.sequence != read_sequence) {
			read_sequence = lines->record.sequence;
			read_offset = 0;
		}
		size_t part = lines->size - read_offset;

		/* Split a record only if the read would return nothing otherwise. */
		if (part > size - done && done)
			break;
		if (part > size - done)
			part = size - done;
		if (copy_to_user(user_buffer + done, lines->text + read_offset, part)) {
			error = done ? 0 : -EFAULT;
			break;
		}
		done += part;
		read_offset += part;
		if (read_offset == lines->size) {
			read_sequence++;
			read_offset = 0;
		}
	}
	mutex_unlock(&syslog_mutex);
	return error ? error : (long)done;
}

static long count_unread(struct lines *lines)
{
	size_t size = 0;

	mutex_lock(reader());
	for (uint64_t sequence = read_sequence; read_lines(lines, sequence);
	     sequence = lines->record.sequence + 1) {
		size += lines->size;
		if (lines->record.sequence == read_sequence)
			size -= read_offset;
	}
	mutex_unlock(&syslog_mutex);
	return (long)size;
}

/* --- the other actions --- */

/* Reads the last records since CLEARED that all fit. */
static long read_all(struct lines *lines, char *user_buffer, size_t size, bool clear)
{
	uint64_t first = atomic_load(&cleared), end = log_ring_next(), sequence;
	size_t total = 0, done = 0;

	for (sequence = first; sequence < end && read_lines(lines, sequence);
	     sequence = lines->record.sequence + 1)
		total += lines->size;
	for (sequence = first; sequence < end && read_lines(lines, sequence);
	     sequence = lines->record.sequence + 1) {
		if (total > size) {
			total -= lines->size;
			continue;
		}
		/* The count included records that are gone by now, so the rest fits. */
		if (copy_to_user(user_buffer + done, lines->text, lines->size))
			return -EFAULT;
		done += lines->size;
	}
	if (clear)
		atomic_store(&cleared, end);
	return (long)done;
}

static long read_call(int type, char *user_buffer, int size)
{
	long result = -EINVAL;

	if (type != SYSLOG_SIZE_UNREAD && (!user_buffer || size < 0))
		return -EINVAL;
	if (type != SYSLOG_SIZE_UNREAD && size == 0)
		return 0;
	struct lines *lines = kzalloc(sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	if (type == SYSLOG_READ)
		result = read_on(lines, user_buffer, (size_t)size);
	else if (type == SYSLOG_SIZE_UNREAD)
		result = count_unread(lines);
	else
		result = read_all(lines, user_buffer, (size_t)size, type == SYSLOG_READ_CLEAR);
	kfree(lines);
	return result;
}

static void switch_console(bool on)
{
	int nothing = 0, level = log_console_level();

	if (on) {
		level = atomic_exchange(&saved_console_level, 0);
		if (level)
			log_set_console_level(level);
	} else if (atomic_compare_exchange_strong(&saved_console_level, &nothing, level)) {
		log_set_console_level(CONSOLE_LEVEL_LEAST);
	}
}

long sys_syslog(const unsigned long arg[6])
{
	int type = (int)arg[0], size = (int)arg[2];

	if (!syslog_permitted())
		return -EPERM;
	switch (type) {
	case SYSLOG_CLOSE:
	case SYSLOG_OPEN:
		return 0;
	case SYSLOG_READ:
	case SYSLOG_READ_ALL:
	case SYSLOG_READ_CLEAR:
	case SYSLOG_SIZE_UNREAD:
		return read_call(type, (char *)arg[1], size);
	case SYSLOG_CLEAR:
		atomic_store(&cleared, log_ring_next());
		return 0;
	case SYSLOG_CONSOLE_OFF:
	case SYSLOG_CONSOLE_ON:
		switch_console(type == SYSLOG_CONSOLE_ON);
		return 0;
	case SYSLOG_CONSOLE_LEVEL:
		if (size < CONSOLE_LEVEL_LEAST || size > CONSOLE_LEVEL_MOST)
			return -EINVAL;
		log_set_console_level(size);
		atomic_store(&saved_console_level, 0);
		return 0;
	case SYSLOG_SIZE_BUFFER:
		return LOG_RECORDS * LOG_TEXT_MAX;
	default:
		return -EINVAL;
	}
}
