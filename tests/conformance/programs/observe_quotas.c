// SPDX-License-Identifier: BSD-2-Clause
/*
 * Limits of the kernel's memory for programs: inodes, names and attributes of a file system in memory,
 * timers. Each is filled, refused, and there again after something was given back.
 */
#include "child.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <time.h>

enum { USER = 1234, MANY = 64 };

/* --- a file system in memory --- */

#define PLACE "/quota"

static char name[512];

static const char *at(const char *what, int number)
{
	snprintf(name, sizeof(name), PLACE "/%s%d", what, number);
	return name;
}

static int make_file(int number)
{
	int fd = open(at("file", number), O_CREAT | O_EXCL | O_WRONLY, 0600);

	if (fd >= 0)
		close(fd);
	return fd;
}

static int make_directory(int number)
{
	return mkdir(at("directory", number), 0700);
}

static int make_link(int number)
{
	return symlink("there", at("symbolic", number));
}

static int make_long_link(int number)
{
	char target[1000];

	memset(target, 'x', sizeof(target) - 1);
	target[sizeof(target) - 1] = '\0';
	return symlink(target, at("long", number));
}

static int make_name(int number)
{
	return link(PLACE "/base", at("name", number));
}

static int make_fifo(int number)
{
	return mkfifo(at("fifo", number), 0600);
}

static int make_nameless(int number)
{
	(void)number;
	return open(PLACE, O_TMPFILE | O_RDWR, 0600);
}

static int make_attribute(int number)
{
	char attribute[32], value[3000] = "";

	snprintf(attribute, sizeof(attribute), "trusted.number%d", number);
	return setxattr(PLACE "/base", attribute, value, sizeof(value), 0);
}

static void show_room(const char *when)
{
	struct statfs about;
	char text[160];

	statfs(PLACE, &about);
	snprintf(text, sizeof(text), "%ld of %ld inodes, %ld of %ld blocks", (long)about.f_ffree,
		 (long)about.f_files, (long)about.f_bfree, (long)about.f_blocks);
	show(text, "%s: free", when);
}

/* As many inodes, and ten pages. */
static int mount_small(int inodes)
{
	char options[64];

	snprintf(options, sizeof(options), "nr_inodes=%dk,size=%d", inodes >> 10, 10 * PAGE_BYTES);
	if (inodes < 1024)
		snprintf(options, sizeof(options), "nr_inodes=%d,size=%d", inodes, 10 * PAGE_BYTES);
	return mount("quota", PLACE, "tmpfs", 0, options);
}

static void fill(const char *what, int (*make)(int number))
{
	char text[64];
	int made = 0;

	show(outcome(mount_small(12)), "%s: mount", what);
	close(open(PLACE "/base", O_CREAT | O_WRONLY, 0600));
	while (made < MANY && make(made) >= 0)
		made++;
	snprintf(text, sizeof(text), "%d, then %s", made,
		 made < MANY ? error_name(errno) : "no end");
	show(text, "%s", what);
	show_room(what);
	for (int fd = 3; fd < 3 + MANY; fd++)
		close(fd);
	show(outcome(umount(PLACE)), "%s: umount", what);
}

static void see_kinds(void)
{
	fill("files", make_file);
	fill("directories", make_directory);
	fill("symbolic links", make_link);
	fill("symbolic links with long targets", make_long_link);
	fill("names of one file", make_name);
	fill("FIFOs", make_fifo);
	fill("files without names", make_nameless);
	fill("attributes", make_attribute);
}

/* The calls that make room again when no inode is left. */
static void see_room(void)
{
	struct stat about;
	int fd, i = 0;

	show(outcome(mount_small(6)), "mount with 6 inodes");
	SEE(make_file(0));
	close(open(PLACE "/base", O_CREAT | O_WRONLY, 0600));
	while (make_name(i) == 0)
		i++;
	show_room("full");
	SEE(make_file(1));
	SEE(make_directory(1));
	SEE(make_nameless(0));
	SEE(rename(PLACE "/name0", PLACE "/other"));
	SEE(rename(PLACE "/other", PLACE "/name1"));
	show_room("after renaming one name to another of the same file");
	SEE(unlink(PLACE "/name1"));
	show_room("after unlink of a name");
	SEE(rename(PLACE "/other", PLACE "/file0"));
	show_room("after renaming over a file");
	fd = open(PLACE "/base", O_RDONLY);
	SEE(unlink(PLACE "/base"));
	SEE(unlink(PLACE "/file0"));
	show_room("after unlink of what is open");
	fstat(fd, &about);
	show(outcome_value((long)about.st_nlink), "names of what is open");
	close(fd);
	show_room("after close");
	fd = make_nameless(0);
	show_room("with a file without a name");
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	SEE(linkat(AT_FDCWD, path, AT_FDCWD, PLACE "/linked", AT_SYMLINK_FOLLOW));
	show_room("when it has a name");
	close(fd);
	make_long_link(7);
	lstat(at("long", 7), &about);
	show(outcome_value((long)about.st_size), "size of a long link");
	SEE(mount("quota", PLACE, "tmpfs", MS_REMOUNT, "nr_inodes=1"));
	SEE(mount("quota", PLACE, "tmpfs", MS_REMOUNT, "nr_inodes=1k"));
	show_room("after remount");
	SEE(mount("quota", PLACE, "tmpfs", MS_REMOUNT, "nr_inodes=0"));
	show_room("without a limit");
	SEE(mount("quota", PLACE, "tmpfs", MS_REMOUNT, "nr_inodes=100"));
	SEE(umount(PLACE));
	SEE(mount("quota", PLACE, "tmpfs", 0, "nr_inodes=x"));
	SEE(mount("quota", PLACE, "tmpfs", 0, "nr_inodes=1x"));
	SEE(mount("quota", PLACE, "tmpfs", 0, "nr_inodes="));
	show(outcome(mount_small(2 << 20)), "mount with two millions");
	show_room("with two millions");
	SEE(umount(PLACE));
}

static void see_default(void)
{
	struct statfs about;

	SEE(mount("quota", PLACE, "tmpfs", 0, NULL));
	statfs(PLACE, &about);
	show((long)about.f_files == (long)about.f_blocks ? "as many" : "another number",
	     "inodes and blocks");
	show(outcome_value((long)(about.f_files - about.f_ffree)), "inodes of an empty tmpfs");
	SEE(umount(PLACE));
	SEE(mount("quota", PLACE, "ramfs", 0, NULL));
	statfs(PLACE, &about);
	show(outcome_value((long)about.f_files), "inodes of a ramfs");
	SEE(umount(PLACE));
}

/* --- timers --- */

static int make_timer(timer_t *timer)
{
	return timer_create(CLOCK_MONOTONIC, NULL, timer);
}

/* Each counts as a signal that may be pending. */
static void see_timers(void)
{
	const struct rlimit limit = { 4, 4 };
	timer_t timers[8], another;
	union sigval value = { 0 };
	sigset_t all;
	int made = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	become(USER);
	setrlimit(RLIMIT_SIGPENDING, &limit);
	while (made < 8 && make_timer(&timers[made]) == 0)
		made++;
	show(error_name(errno), "the timer that is one too many");
	show(outcome_value(made), "timers with sigpending 4");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigqueue when timers are all");
	show(outcome(timer_delete(timers[0])), "timer_delete");
	show(outcome(sigqueue(getpid(), SIGRTMIN, value)), "sigqueue when a timer is gone");
	show(outcome(make_timer(&another)), "timer_create when the signal is pending");
	/* A signal keeps what its timer counted. */
	const struct itimerspec soon = { { 0, 0 }, { 0, 1 } };
	siginfo_t info;

	timer_settime(timers[1], 0, &soon, NULL);
	usleep(1000);
	show(outcome(timer_delete(timers[1])), "timer_delete with its signal pending");
	show(outcome(make_timer(&another)), "timer_create with that signal pending");
	sigemptyset(&all);
	sigaddset(&all, SIGALRM);
	show(outcome_value(sigtimedwait(&all, &info, &(struct timespec){ 0, 0 })),
	     "the signal of a timer that is gone");
	show(outcome(make_timer(&another)), "timer_create when it was taken");
	show(outcome(make_timer(&another)), "and one more");
}

/* --- pipes --- */

/* Beyond the user's limit a pipe is small, and none grows. */
static void see_pipes(void)
{
	int ends[2], fd = open("/proc/sys/fs/pipe-user-pages-soft", O_RDONLY);
	char text[32] = "";
	ssize_t got = read(fd, text, sizeof(text) - 1);

	close(fd);
	show(got > 0 ? strtok(text, "\n") : "nothing", "pipe-user-pages-soft");
	SEE(write_file("/proc/sys/fs/pipe-user-pages-soft", "40") > 0);
	become(USER);
	for (int i = 0; i < 4; i++) {
		SEE(pipe(ends));
		show(outcome_value(fcntl(ends[0], F_GETPIPE_SZ) / PAGE_BYTES), "pages of pipe %d",
		     i);
	}
	SEE(fcntl(ends[0], F_SETPIPE_SZ, 16 * PAGE_BYTES));
	show(outcome(fcntl(ends[0], F_SETPIPE_SZ, PAGE_BYTES)), "making a pipe smaller");
	show(outcome(fcntl(ends[0], F_SETPIPE_SZ, 2 * PAGE_BYTES)), "and as large as it was");
	show(outcome(fcntl(ends[0], F_SETPIPE_SZ, 8 * PAGE_BYTES)), "and beyond the limit");
}

/* --- open files --- */

static void open_all_kinds(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.exclude_kernel = 1 };
	int ends[2];
	sigset_t set;

	sigemptyset(&set);
	SEE(open("/", O_RDONLY));
	SEE(open("/dev/null", O_RDONLY));
	SEE(open("/", O_PATH));
	SEE(pipe(ends));
	/* Linux limits its Unix sockets besides, root's too. */
	if (geteuid()) {
		SEE(socket(AF_UNIX, SOCK_STREAM, 0));
		SEE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	}
	SEE(eventfd(0, 0));
	SEE(timerfd_create(CLOCK_MONOTONIC, 0));
	SEE(signalfd(-1, &set, 0));
	SEE(epoll_create1(0));
	SEE(inotify_init());
	SEE(memfd_create("memory", 0));
	SEE(syscall(SYS_pidfd_open, getpid(), 0));
	SEE(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
	SEE(dup(1));
}

static void open_as_user(void)
{
	become(USER);
	open_all_kinds();
}

/* The limit of open files of all processes; CAP_SYS_ADMIN goes beyond it. Linux counts roughly but for 0. */
static void see_files(void)
{
	char text[32] = "";
	int fd = open("/proc/sys/fs/file-max", O_RDONLY);
	ssize_t got = read(fd, text, sizeof(text) - 1);

	close(fd);
	show(got > 0 ? "a number" : "nothing", "file-max");
	SEE(write_file("/proc/sys/fs/file-max", "0") > 0);
	in_child(open_all_kinds);
	in_child(open_as_user);
	SEE(write_file("/proc/sys/fs/file-max", text) > 0);
	in_child(open_as_user);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mkdir(PLACE, 0755);
	see_kinds();
	see_room();
	see_default();
	in_child(see_timers);
	in_child(see_pipes);
	see_files();
	return 0;
}
