// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of inotify on several CPUs: two watchers of the same see the same in the same order, whichever
 * task does it; and watches, files and instances may go while others use them. Linux has the same rules:
 * the same executable has to pass there.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "process.h"

enum {
	MODIFY = 2,
	ATTRIB = 4,
	OPEN = 0x20,
	FROM = 0x40,
	TO = 0x80,
	CREATE = 0x100,
	DELETE = 0x200
};
enum { ALL = 0xfff, OVERFLOW = 0x4000, IGNORED = 0x8000, ONESHOT = 1 << 31 };
enum { NONBLOCK = O_NONBLOCK };

#define WORKERS 6
#define ROUNDS	250
#define NAMES	5

struct event {
	int32_t wd;
	uint32_t mask, cookie, size;
};

static int instance;

static int make_instance(void)
{
	return (int)syscall(__NR_inotify_init1, NONBLOCK);
}

static int watch(int fd, const char *path, uint32_t mask)
{
	return (int)syscall(__NR_inotify_add_watch, fd, path, mask);
}

/* Marsaglia's xorshift64. */
static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static const char *name_of(uint64_t number)
{
	static char names[2][16];
	static int next;

	next = !next;
	snprintf(names[next], sizeof(names[next]), "w/%d", (int)(number % NAMES));
	return names[next];
}

/* Makes, removes, renames and writes files of a few names, which others do as well. */
static void change_names(void)
{
	uint64_t random = (uint64_t)getpid() * 77;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t what = next_random(&random);
		const char *path = name_of(what / 16), *other = name_of(what / 512);

		switch (what % 6) {
		case 0:
		case 1:
			close(open(path, O_CREAT | O_RDWR, 0644));
			break;
		case 2:
			unlink(path);
			break;
		case 3:
			rename(path, other);
			break;
		case 4:
			link(path, other);
			break;
		default:
			chmod(path, 0600);
		}
	}
}

static void run_workers(void (*body)(void))
{
	pid_t children[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		children[i] = start(body);
	for (int i = 0; i < WORKERS; i++)
		EXPECT_EQ(status_of(children[i]), 0);
}

static void remove_names(void)
{
	for (int i = 0; i < NAMES; i++)
		unlink(name_of((uint64_t)i));
}

/* All of FD's events: their bytes. */
static size_t read_all(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	ssize_t got;

	while ((got = read(fd, buffer + used, size - used)) > 0)
		used += (size_t)got;
	EXPECT_EQ(errno, EAGAIN);
	return used;
}

#define BUFFER_SIZE ((size_t)1 << 20)

static char first[BUFFER_SIZE], second[BUFFER_SIZE];

static void check_order(void)
{
	const uint32_t events = CREATE | DELETE | FROM | TO;
	int one = make_instance(), two = make_instance();

	EXPECT_EQ(mkdir("w", 0755), 0);
	EXPECT_EQ(watch(one, "w", events), 1);
	EXPECT_EQ(watch(two, "w", events), 1);
	run_workers(change_names);
	remove_names();
	size_t size = read_all(one, first, sizeof(first));

	EXPECT_EQ(read_all(two, second, sizeof(second)), size);
	EXPECT(size && memcmp(first, second, size) == 0);
	/* All that came has gone, and the two halves of a renaming are neighbours. */
	long there = 0;
	uint32_t cookie = 0;

	for (size_t at = 0; at < size;) {
		const struct event *event = (void *)(first + at);

		EXPECT_AT(!(event->mask & OVERFLOW), "at %zu", at);
		there += event->mask & CREATE ? 1 : event->mask & DELETE ? -1 : 0;
		if (event->mask & TO)
			EXPECT_EQ_AT(event->cookie, cookie, "at %zu", at);
		else
			EXPECT_EQ_AT(cookie, 0, "at %zu", at);
		cookie = event->mask & FROM ? event->cookie : 0;
		at += sizeof(*event) + event->size;
	}
	EXPECT_EQ(cookie, 0);
	/* A renaming over another file removes one without a report. */
	EXPECT(there >= 0);
	EXPECT_EQ(rmdir("w"), 0);
	close(one);
	close(two);
}

/* Watches and forgets what others rename and remove, by an instance that others use and by own ones that end with their
 * watches. */
static void watch_and_forget(void)
{
	uint64_t random = (uint64_t)getpid() * 99;
	char bytes[512];
	int own = make_instance();

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t what = next_random(&random);
		const char *path = name_of(what / 16);
		int fd = what & 8 ? own : instance;

		switch (what % 8) {
		case 0:
			close(open(path, O_CREAT | O_RDWR, 0644));
			break;
		case 1:
			unlink(path);
			break;
		case 2:
			rename(path, name_of(what / 512));
			break;
		case 3:
			watch(fd, path, ALL | (what & 1024 ? ONESHOT : 0));
			break;
		case 4:
			watch(fd, "w", ALL);
			break;
		case 5:
			syscall(__NR_inotify_rm_watch, fd, 1 + what / 4096 % 40);
			break;
		case 6:
			read(fd, bytes, sizeof(bytes));
			break;
		default:
			if (what & 2048) {
				close(own);
				own = make_instance();
			}
			int file = open(path, O_RDWR);

			write(file, "x", 1);
			close(file);
		}
	}
}

/* How many watches of FD /proc shows. */
static int watches_of(int fd)
{
	static char text[65536];
	char path[40];
	int count = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	int file = open(path, O_RDONLY);
	ssize_t size = read(file, text, sizeof(text) - 1);

	close(file);
	text[size > 0 ? size : 0] = '\0';
	for (const char *at = text; (at = strstr(at, "inotify wd:")); at++)
		count++;
	return count;
}

static void check_ends(void)
{
	EXPECT_EQ(mkdir("w", 0755), 0);
	instance = make_instance();
	run_workers(watch_and_forget);
	/* The workers may have forgotten every watch and read every report. */
	read_all(instance, first, sizeof(first));
	const int last_watch = watch(instance, "w", ALL);

	remove_names();
	EXPECT_EQ(rmdir("w"), 0);
	EXPECT_EQ(watches_of(instance), 0);
	/* The last report of a watch is its end: it has no name. */
	const size_t size = read_all(instance, first, sizeof(first));

	EXPECT(size >= sizeof(struct event));
	if (size >= sizeof(struct event)) {
		const struct event *last = (void *)(first + size - sizeof(*last));

		EXPECT_EQ(last->wd, last_watch);
		EXPECT_EQ(last->mask, IGNORED);
	}
	close(instance);
	/* All that a user may have is there again. */
	int fds[100];

	for (int i = 0; i < 100; i++)
		EXPECT_AT((fds[i] = make_instance()) >= 0, "instance %d", i);
	for (int i = 0; i < 100; i++)
		close(fds[i]);
}

static const struct tap_rule rules[] = {
	{ "two watchers of a directory see the same in the same order, and renamings as pairs",
	  check_order },
	{ "watches, files and instances end while others use them, and nothing of them is left",
	  check_ends },
};

int main(void)
{
	if (chdir("/tmp") && (mkdir("/tmp", 0755) || chdir("/tmp")))
		return 1;
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
