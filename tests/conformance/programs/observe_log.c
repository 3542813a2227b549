// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's log: /dev/kmsg and syslog. The records that are looked at are the program's own, marked
 * by a word; numbers and times of records are checked here and not printed.
 */
#include "observe.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static char buffer[1 << 20];

static int must(int fd, const char *what)
{
	if (fd < 0) {
		show(error_name(errno), "%s", what);
		exit(1);
	}
	return fd;
}

static int put(int fd, const char *text)
{
	return (int)write(fd, text, strlen(text));
}

/* One byte of records may be a line end: as '$', so that a record is one line here. */
static const char *in_one_line(char *text)
{
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = '$';
	return text;
}

/* Returns the next record of FD that has MARK, without number and time. Each record is written with a line
 * end: Linux may add to a record without one, and shows it to no reader before the next record comes. */
static const char *next_marked(int fd, const char *mark)
{
	static char text[9000];
	unsigned long sequence, time;
	unsigned int priority;
	char flag;
	int at;

	for (;;) {
		ssize_t size = read(fd, buffer, sizeof(buffer) - 1);

		if (size < 0)
			return error_name(errno);
		buffer[size] = '\0';
		if (!strstr(buffer, mark))
			continue;
		if (sscanf(buffer, "%u,%lu,%lu,%c%n", &priority, &sequence, &time, &flag, &at) != 4)
			return "not a record";
		snprintf(text, sizeof(text), "%u,%c%s", priority, flag, buffer + at);
		return in_one_line(text);
	}
}

static void show_number(long number, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	show(text, "%s", name);
}

static int events_of(int fd)
{
	struct pollfd entry = { fd, POLLIN | POLLOUT | POLLPRI, 0 };

	return poll(&entry, 1, 0) < 0 ? -1 : entry.revents;
}

static void records(int fd)
{
	static const struct {
		const char *name, *text;
	} texts[] = {
		{ "a record", "tallymark one\n" },
		{ "another", "tallymark two\n" },
		{ "with a level", "<3>tallymark three\n" },
		{ "with the kernel's facility", "<0>tallymark four\n" },
		{ "with a facility", "<30>tallymark five\n" },
		{ "with a large facility", "<2047>tallymark six\n" },
		{ "with a bad prefix", "<x>tallymark seven\n" },
		{ "with an unfinished prefix", "<3tallymark eight\n" },
		{ "of two lines", "tallymark\nnine\n" },
	};
	int writer = must(open("/dev/kmsg", O_WRONLY), "open /dev/kmsg for writing");

	SEE(lseek(fd, 0, SEEK_END));
	show(outcome_value(read(fd, buffer, sizeof(buffer))), "read at the end");
	show_number(events_of(fd), "poll at the end");
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		show(outcome_value(put(writer, texts[i].text)), "write %s", texts[i].name);
		if (i == 0)
			show_number(events_of(fd), "poll with a record");
		show(next_marked(fd, "tallymark"), "read %s", texts[i].name);
	}
	show(outcome_value(read(writer, buffer, 1)), "read what is open for writing");
	close(writer);
}

static void odd_records(int fd)
{
	struct iovec parts[] = { { "<5>tally", 8 }, { "mark parts\n", 11 } };
	int writer = must(open("/dev/kmsg", O_WRONLY), "open /dev/kmsg for writing again");
	char text[3000];

	show(outcome_value(writev(writer, parts, 2)), "write in parts");
	show(next_marked(fd, "tallymark"), "read what came in parts");
	show(outcome_value(put(writer, "tallymark \t\x01\x7f\xc3\xa4\\\"end\n")),
	     "write odd bytes");
	show(next_marked(fd, "tallymark"), "read odd bytes");
	show(outcome_value(put(writer, "tallymark spaces  \n\n")), "write spaces at the end");
	show(next_marked(fd, "tallymark"), "read spaces at the end");
	SEE(write(writer, "", 0));
	SEE(write(writer, nowhere, 5));
	memset(text, 'a', sizeof(text));
	memcpy(text, "tallymark", 9);
	for (size_t size = 900; size <= 1100; size += 20) {
		char name[32];

		if (write(writer, text, size) < 0) {
			snprintf(name, sizeof(name), "%s", error_name(errno));
			show(name, "write %zu bytes", size);
			break;
		}
	}
	show(outcome_value(write(writer, text, 976)), "write 976 bytes");
	show(outcome_value(write(writer, text, 1024)), "write 1024 bytes");
	show(outcome_value(write(writer, text, 1025)), "write 1025 bytes");
	close(writer);
}

static void places(int fd)
{
	int writer = must(open("/dev/kmsg", O_RDWR), "open /dev/kmsg for both");

	SEE(lseek(fd, 1, SEEK_SET));
	SEE(lseek(fd, 0, SEEK_CUR));
	SEE(lseek(fd, 0, SEEK_HOLE));
	SEE(lseek(fd, 0, 9));
	SEE(lseek(fd, -1, SEEK_END));
	SEE(lseek(fd, 0, SEEK_END));
	put(writer, "<6>tallymark again\n");
	show(outcome_value(read(fd, buffer, 10)), "read with little room");
	show(outcome_value(read(fd, buffer, 0)), "read with no room");
	show(outcome(read(fd, nowhere, sizeof(buffer))), "read to nowhere");
	show(next_marked(fd, "tallymark"), "read after a bad address");
	show(outcome_value(lseek(fd, 0, SEEK_SET)), "seek to the first");
	show(next_marked(fd, "tallymark"), "read from the first");
	SEE(lseek(fd, 0, SEEK_DATA));
	show(next_marked(fd, "tallymark"), "read from what was not cleared");
	show(outcome(ioctl(fd, TCGETS, buffer)), "ioctl");
	show(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? error_name(errno) :
									     "ok",
	     "mmap");
	close(writer);
}

/* A reader that sleeps is woken by a record. */
static void wake(void)
{
	int reader = must(open("/dev/kmsg", O_RDONLY), "open /dev/kmsg to sleep");

	lseek(reader, 0, SEEK_END);
	pid_t child = fork();

	if (child == 0)
		_exit(strstr(next_marked(reader, "tallymark"), "awake") ? 7 : 1);
	usleep(20000);
	int writer = must(open("/dev/kmsg", O_WRONLY), "open /dev/kmsg to wake");
	int status = 0;

	put(writer, "tallymark awake\n");
	waitpid(child, &status, 0);
	show_number(WEXITSTATUS(status), "a reader that slept");
	close(writer);
	close(reader);
}

/* The text of all that is in the log, "<L>[time] text" a line: what our last record is in it. */
static const char *last_line(int size)
{
	char *line, *end;

	if (size < 0)
		return error_name(errno);
	buffer[size] = '\0';
	line = strrchr(buffer, '<');
	if (!line || buffer[size - 1] != '\n')
		return "no line";
	end = strchr(line, ']');
	if (!end)
		return "no time";
	for (char *c = strchr(line, '['); c < end; c++)
		if (isdigit((unsigned char)*c) || *c == ' ')
			memmove(c, c + 1, strlen(c)), c--, end--;
	return in_one_line(line);
}

enum {
	CLOSE,
	OPEN,
	READ,
	READ_ALL,
	READ_CLEAR,
	CLEAR,
	CONSOLE_OFF,
	CONSOLE_ON,
	CONSOLE_LEVEL,
	SIZE_UNREAD,
	SIZE_BUFFER
};

static void syslogs(void)
{
	int writer = must(open("/dev/kmsg", O_WRONLY), "open /dev/kmsg for syslog");

	SEE(klogctl(CLOSE, NULL, 0));
	SEE(klogctl(OPEN, NULL, 0));
	put(writer, "<5>tallymark for syslog\n");
	show(last_line(klogctl(READ_ALL, buffer, sizeof(buffer) - 1)), "READ_ALL");
	show(last_line(klogctl(READ_ALL, buffer, 60)), "READ_ALL with room for one");
	SEE(klogctl(READ_ALL, buffer, 5));
	SEE(klogctl(READ_ALL, buffer, 0));
	SEE(klogctl(READ_ALL, buffer, -1));
	SEE(klogctl(READ_ALL, NULL, 10));
	SEE(klogctl(READ_ALL, nowhere, 1000));
	show(klogctl(SIZE_BUFFER, NULL, 0) >= 1 << 16 ? "much" : "little", "SIZE_BUFFER");
	show(klogctl(SIZE_UNREAD, NULL, 0) > 100 ? "much" : "little", "SIZE_UNREAD");
	while (klogctl(SIZE_UNREAD, NULL, 0) > 0 && klogctl(READ, buffer, sizeof(buffer) - 1) > 0)
		;
	SEE(klogctl(SIZE_UNREAD, NULL, 0));
	put(writer, "<4>tallymark unread\n");
	show(klogctl(SIZE_UNREAD, NULL, 0) > 30 ? "much" : "little", "SIZE_UNREAD with a record");
	SEE(klogctl(READ, NULL, 10));
	SEE(klogctl(READ, buffer, 0));
	show(outcome_value(klogctl(READ, buffer, 4)), "READ a part");
	buffer[4] = '\0';
	show(buffer, "what a part is");
	show(outcome(klogctl(READ, buffer, sizeof(buffer) - 1)), "READ the rest");
	SEE(klogctl(SIZE_UNREAD, NULL, 0) + 0);
	SEE(klogctl(CLEAR, NULL, 0));
	SEE(klogctl(READ_ALL, buffer, sizeof(buffer) - 1));
	put(writer, "<4>tallymark cleared\n");
	show(last_line(klogctl(READ_CLEAR, buffer, sizeof(buffer) - 1)), "READ_CLEAR");
	SEE(klogctl(READ_CLEAR, buffer, sizeof(buffer) - 1));
	SEE(klogctl(CONSOLE_LEVEL, NULL, 0));
	SEE(klogctl(CONSOLE_LEVEL, NULL, 9));
	SEE(klogctl(CONSOLE_LEVEL, NULL, 4));
	SEE(klogctl(CONSOLE_OFF, NULL, 0));
	SEE(klogctl(CONSOLE_ON, NULL, 0));
	SEE(klogctl(11, NULL, 0));
	SEE(klogctl(-1, NULL, 0));
	close(writer);
}

/* The calls of a process without capabilities. */
static void unprivileged(void)
{
	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		if (setuid(1000) < 0)
			_exit(1);
		SEE(open("/dev/kmsg", O_RDONLY) >= 0 ? 0 : -1);
		SEE(open("/dev/kmsg", O_WRONLY) >= 0 ? 0 : -1);
		show(outcome(klogctl(READ, buffer, 10)), "READ by others");
		show(outcome(klogctl(READ_ALL, buffer, 0)), "READ_ALL by others");
		show(outcome(klogctl(SIZE_BUFFER, NULL, 0)), "SIZE_BUFFER by others");
		show(outcome(klogctl(CLEAR, NULL, 0)), "CLEAR by others");
		show(outcome(klogctl(11, NULL, 0)), "11 by others");
		fflush(stdout);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

int main(void)
{
	int fd = must(open("/dev/kmsg", O_RDONLY | O_NONBLOCK), "open /dev/kmsg");
	struct stat stat;

	fstat(fd, &stat);
	show_number(stat.st_mode, "mode");
	show_number((long)stat.st_rdev, "number");
	records(fd);
	odd_records(fd);
	lseek(fd, 0, SEEK_END);
	places(fd);
	fflush(stdout);
	wake();
	syslogs();
	unprivileged();
	return 0;
}
