// SPDX-License-Identifier: BSD-2-Clause
/*
 * inotify: which events each call makes, in which order, for a directory's watch and a file's; what watches, masks and
 * queues do; and what is wrong. Each line is all that was in the queue.
 */
#include "observe.h"

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <utime.h>

enum { SOMEBODY = 1000 };

static const char *volatile nowhere = (const char *)8;

static const struct {
	uint32_t bit;
	const char *name;
} bits[] = {
	{ IN_ACCESS, "ACCESS" },
	{ IN_MODIFY, "MODIFY" },
	{ IN_ATTRIB, "ATTRIB" },
	{ IN_CLOSE_WRITE, "CLOSE_WRITE" },
	{ IN_CLOSE_NOWRITE, "CLOSE_NOWRITE" },
	{ IN_OPEN, "OPEN" },
	{ IN_MOVED_FROM, "MOVED_FROM" },
	{ IN_MOVED_TO, "MOVED_TO" },
	{ IN_CREATE, "CREATE" },
	{ IN_DELETE, "DELETE" },
	{ IN_DELETE_SELF, "DELETE_SELF" },
	{ IN_MOVE_SELF, "MOVE_SELF" },
	{ IN_UNMOUNT, "UNMOUNT" },
	{ IN_Q_OVERFLOW, "Q_OVERFLOW" },
	{ IN_IGNORED, "IGNORED" },
	{ IN_ISDIR, "ISDIR" },
};

static char shown[16384];
static size_t used;
static uint32_t first_cookie;

static void add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (used < sizeof(shown))
		used += (size_t)vsnprintf(shown + used, sizeof(shown) - used, format, args);
	va_end(args);
}

static void add_event(const struct inotify_event *event)
{
	add("%s%d", used ? "; " : "", event->wd);
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (event->mask & bits[i].bit)
			add(" %s", bits[i].name);
	if (event->len)
		add(" %s (%u)", event->name, event->len);
	if (event->cookie && !first_cookie)
		first_cookie = event->cookie;
	if (event->cookie)
		add(" cookie %u", event->cookie - first_cookie);
}

/* All that FD has, as one line. */
static const char *events(int fd)
{
	static char buffer[65536] __attribute__((aligned(8)));
	ssize_t size;

	used = 0;
	shown[0] = 0;
	first_cookie = 0;
	while ((size = read(fd, buffer, sizeof(buffer))) > 0)
		for (char *at = buffer; at < buffer + size;) {
			const struct inotify_event *event = (void *)at;

			add_event(event);
			at += sizeof(*event) + event->len;
		}
	if (size < 0 && errno != EAGAIN)
		add(" %s", error_name(errno));
	return used ? shown : "nothing";
}

/* What CALL, which names the line, makes of events. */
#define TELLS(fd, call)                                                   \
	do {                                                              \
		long result = (long)(call);                               \
                                                                          \
		show(result < 0 ? error_name(errno) : "ok", "%s", #call); \
		show(events(fd), "events of %s", #call);                  \
	} while (0)

static int make(const char *path)
{
	return close(open(path, O_CREAT | O_WRONLY, 0644));
}

/* --- what is wrong --- */

static void wrong_arguments(void)
{
	int fd, other = open(".", O_RDONLY), place;

	SEE(inotify_init1(1));
	SEE(inotify_init1(O_RDWR));
	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	place = open(".", O_PATH);
	SEE(fcntl(fd, F_GETFL) == O_NONBLOCK);
	SEE(fcntl(fd, F_GETFD));
	SEE(inotify_add_watch(fd, ".", 0));
	SEE(inotify_add_watch(fd, ".", 0x00010000));
	SEE(inotify_add_watch(fd, ".", IN_MASK_ADD | IN_MASK_CREATE | IN_OPEN));
	SEE(inotify_add_watch(-1, ".", IN_OPEN));
	SEE(inotify_add_watch(other, ".", IN_OPEN));
	SEE(inotify_add_watch(place, ".", IN_OPEN));
	SEE(inotify_add_watch(other, ".", 0));
	SEE(inotify_add_watch(fd, "missing", IN_OPEN));
	SEE(inotify_add_watch(fd, "", IN_OPEN));
	SEE(inotify_add_watch(fd, nowhere, IN_OPEN));
	SEE(make("plain"));
	SEE(symlink("plain", "link"));
	SEE(symlink("nothing", "broken"));
	SEE(inotify_add_watch(fd, "plain", IN_ONLYDIR | IN_OPEN));
	SEE(inotify_add_watch(fd, "broken", IN_OPEN));
	SEE(inotify_add_watch(fd, "plain/", IN_OPEN));
	SEE(inotify_add_watch(fd, "plain", IN_OPEN));
	SEE(inotify_add_watch(fd, "link", IN_OPEN));
	SEE(inotify_add_watch(fd, "link", IN_OPEN | IN_MASK_CREATE));
	SEE(inotify_add_watch(fd, "link", IN_OPEN | IN_DONT_FOLLOW));
	SEE(inotify_add_watch(fd, "broken", IN_OPEN | IN_DONT_FOLLOW | IN_MASK_CREATE));
	SEE(inotify_add_watch(fd, ".", IN_ONLYDIR | IN_ISDIR));
	SEE(inotify_rm_watch(fd, 0));
	SEE(inotify_rm_watch(fd, 99));
	SEE(inotify_rm_watch(-1, 1));
	SEE(inotify_rm_watch(other, 1));
	SEE(inotify_rm_watch(fd, 1));
	SEE(inotify_rm_watch(fd, 1));
	show(events(fd), "what a watch that was taken away leaves");
	SEE(inotify_add_watch(fd, "plain", IN_OPEN));
	SEE(write(fd, "x", 1));
	SEE(lseek(fd, 0, SEEK_SET));
	SEE(pread(fd, shown, 100, 0));
	SEE(ioctl(fd, FIONBIO, NULL));
	SEE(ioctl(fd, 0x5401, shown));
	pid_t child = fork();
	int status;

	if (child == 0) {
		chmod("plain", 0600);
		if (setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
			_exit(9);
		_exit(inotify_add_watch(fd, "plain", IN_OPEN) < 0 ? errno : 0);
	}
	waitpid(child, &status, 0);
	SEE(WEXITSTATUS(status) == EACCES);
	char path[64], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	SEE(readlink(path, target, sizeof(target) - 1));
	show(target, "the link in /proc");
	close(other);
	close(place);
	close(fd);
	unlink("plain");
	unlink("link");
	unlink("broken");
}

/* --- calls --- */

static int closing(int fd)
{
	char byte = 0;

	if (fd >= 0 && read(fd, &byte, 1) < 0)
		errno = 0;
	return close(fd);
}

static int list(const char *path)
{
	DIR *directory = opendir(path);

	while (directory && readdir(directory))
		;
	return directory ? closedir(directory) : -1;
}

static int run(const char *path)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execl(path, path, "exit", NULL);
		_exit(9);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int copy_program(const char *path)
{
	int in = open("/proc/self/exe", O_RDONLY), out = open(path, O_CREAT | O_WRONLY, 0755);
	struct stat stat;
	off_t at = 0;

	fstat(in, &stat);
	while (at < stat.st_size && sendfile(out, in, &at, (size_t)stat.st_size) > 0)
		;
	close(in);
	return close(out);
}

static void calls(void)
{
	static const struct timespec times[2] = { { 5, 0 }, { 6, 0 } };
	static const struct timespec accessed[2] = { { 5, 0 }, { 0, UTIME_OMIT } };
	static const struct timespec modified[2] = { { 0, UTIME_OMIT }, { 6, 0 } };
	static const struct timespec neither[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };
	int fd = inotify_init1(IN_NONBLOCK), file, pipes[2];
	char text[8];
	struct stat stat_buffer;

	mkdir("dir", 0755);
	SEE(inotify_add_watch(fd, "dir", IN_ALL_EVENTS));
	TELLS(fd, make("dir/file"));
	SEE(inotify_add_watch(fd, "dir/file", IN_ALL_EVENTS));
	TELLS(fd, close(open("dir/file", O_RDONLY)));
	TELLS(fd, close(open("dir/file", O_RDWR | O_TRUNC)));
	TELLS(fd, close(open("dir/file", O_PATH)));
	TELLS(fd, open("dir/file", O_CREAT | O_EXCL | O_RDWR, 0644));
	TELLS(fd, close(open("dir/new", O_CREAT | O_TRUNC | O_WRONLY, 0644)));
	TELLS(fd, stat("dir/file", &stat_buffer));
	TELLS(fd, access("dir/file", R_OK));
	TELLS(fd, file = open("dir/file", O_RDWR));
	TELLS(fd, write(file, "abcdef", 6));
	TELLS(fd, write(file, "", 0));
	TELLS(fd, pwrite(file, "xyz", 3, 1));
	TELLS(fd, lseek(file, 0, SEEK_SET));
	TELLS(fd, read(file, text, 4));
	TELLS(fd, read(file, text, 8));
	TELLS(fd, read(file, text, 8));
	TELLS(fd, pread(file, text, 4, 0));
	TELLS(fd, ftruncate(file, 3));
	TELLS(fd, ftruncate(file, 3));
	TELLS(fd, truncate("dir/file", 100));
	TELLS(fd, posix_fallocate(file, 0, 200));
	TELLS(fd, fchmod(file, 0600));
	TELLS(fd, chmod("dir/file", 0644));
	TELLS(fd, chown("dir/file", 1, 1));
	TELLS(fd, chown("dir/file", -1, -1));
	TELLS(fd, utimensat(AT_FDCWD, "dir/file", times, 0));
	TELLS(fd, utimensat(AT_FDCWD, "dir/file", accessed, 0));
	TELLS(fd, utimensat(AT_FDCWD, "dir/file", modified, 0));
	TELLS(fd, utimensat(AT_FDCWD, "dir/file", neither, 0));
	TELLS(fd, utime("dir/file", NULL));
	TELLS(fd, futimens(file, NULL));
	TELLS(fd, setxattr("dir/file", "security.a", "b", 1, 0));
	TELLS(fd, fsetxattr(file, "security.a", "c", 1, 0));
	TELLS(fd, getxattr("dir/file", "security.a", text, 8));
	TELLS(fd, removexattr("dir/file", "security.a"));
	TELLS(fd, removexattr("dir/file", "security.a"));
	char *memory = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	memory[0] = 'm';
	munmap(memory, PAGE_BYTES);
	show(events(fd), "events of a shared mapping");
	SEE(pipe(pipes));
	TELLS(fd, sendfile(pipes[1], file, NULL, 4));
	TELLS(fd, splice(pipes[0], NULL, file, NULL, 4, 0));
	int other = open("dir/new", O_RDWR);

	events(fd);
	TELLS(fd, copy_file_range(file, &(off_t){ 0 }, other, &(off_t){ 0 }, 5, 0));
	TELLS(fd, sendfile(other, file, &(off_t){ 0 }, 5));
	TELLS(fd, fsync(file));
	TELLS(fd, close(other));
	TELLS(fd, close(file));
	TELLS(fd, closing(open("dir", O_RDONLY)));
	TELLS(fd, list("dir"));
	TELLS(fd, chmod("dir", 0700));
	TELLS(fd, mkdir("dir/sub", 0755));
	TELLS(fd, make("dir/sub/file"));
	TELLS(fd, list("dir/sub"));
	TELLS(fd, mkfifo("dir/fifo", 0644));
	TELLS(fd, symlink("file", "dir/link"));
	TELLS(fd, closing(open("dir/link", O_RDONLY)));
	TELLS(fd, link("dir/file", "dir/hard"));
	TELLS(fd, closing(open("dir/hard", O_RDONLY)));
	TELLS(fd, link("dir/file", "outside"));
	TELLS(fd, chmod("outside", 0604));
	TELLS(fd, unlink("outside"));
	TELLS(fd, unlink("dir/missing"));
	TELLS(fd, unlink("dir/link"));
	TELLS(fd, rmdir("dir/sub"));
	TELLS(fd, unlink("dir/sub/file"));
	TELLS(fd, rmdir("dir/sub"));
	TELLS(fd, unlink("dir/hard"));
	TELLS(fd, unlink("dir/fifo"));
	TELLS(fd, copy_program("dir/program"));
	TELLS(fd, run("dir/program"));
	TELLS(fd, unlink("dir/program"));
	TELLS(fd, unlink("dir/new"));
	TELLS(fd, unlink("dir/file"));
	TELLS(fd, rmdir("dir"));
	SEE(inotify_rm_watch(fd, 1));
	close(fd);
}

static void names(void)
{
	int fd = inotify_init1(IN_NONBLOCK), file;

	mkdir("a", 0755);
	mkdir("b", 0755);
	make("a/one");
	make("a/two");
	mkdir("a/sub", 0755);
	SEE(inotify_add_watch(fd, "a", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "b", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/one", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/two", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/sub", IN_ALL_EVENTS));
	TELLS(fd, rename("a/one", "a/three"));
	TELLS(fd, rename("a/three", "a/three"));
	TELLS(fd, rename("a/three", "b/one"));
	TELLS(fd, rename("a/sub", "b/sub"));
	TELLS(fd, rename("a/missing", "b/sub"));
	TELLS(fd, rename("b/one", "outside"));
	TELLS(fd, rename("outside", "a/one"));
	TELLS(fd, rename("a/one", "a/two"));
	make("a/four");
	mkdir("b/other", 0755);
	events(fd);
	TELLS(fd, syscall(SYS_renameat2, AT_FDCWD, "a/four", AT_FDCWD, "b/other", 2));
	TELLS(fd, syscall(SYS_renameat2, AT_FDCWD, "a/two", AT_FDCWD, "b/other", 1));
	TELLS(fd, rename("b/sub", "a/other"));
	TELLS(fd, make("a/a name of fifteen"));
	TELLS(fd, make("a/123456789012345"));
	TELLS(fd, make("a/1234567890123456"));
	unlink("a/a name of fifteen");
	unlink("a/123456789012345");
	unlink("a/1234567890123456");
	events(fd);

	/* Open without a name. */
	file = open("a/two", O_RDWR);
	events(fd);
	TELLS(fd, unlink("a/two"));
	TELLS(fd, write(file, "x", 1));
	TELLS(fd, fchmod(file, 0600));
	TELLS(fd, close(file));
	file = open("a/five", O_CREAT | O_RDWR, 0644);
	SEE(inotify_add_watch(fd, "a", IN_ALL_EVENTS | IN_EXCL_UNLINK));
	events(fd);
	TELLS(fd, write(file, "y", 1));
	TELLS(fd, unlink("a/five"));
	TELLS(fd, write(file, "x", 1));
	TELLS(fd, close(file));
	file = open("a", O_TMPFILE | O_RDWR, 0644);
	SEE(file >= 0);
	TELLS(fd, close(file));
	unlink("b/other");
	rmdir("a/four");
	events(fd);
	TELLS(fd, rmdir("a/other"));
	TELLS(fd, rmdir("a"));
	unlink("b/four");
	rmdir("b/sub");
	unlink("b/other");
	events(fd);
	TELLS(fd, rmdir("b"));
	close(fd);
}

/* --- masks --- */

static void masks(void)
{
	int fd = inotify_init1(IN_NONBLOCK), second = inotify_init1(IN_NONBLOCK);

	mkdir("m", 0755);
	make("m/file");
	SEE(inotify_add_watch(fd, "m", IN_CREATE));
	SEE(inotify_add_watch(second, "m/file", IN_OPEN | IN_CLOSE));
	TELLS(fd, make("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_DELETE));
	TELLS(fd, make("m/newer"));
	TELLS(fd, unlink("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_MASK_ADD));
	TELLS(fd, make("m/new"));
	TELLS(fd, unlink("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_MASK_CREATE));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_ONESHOT));
	TELLS(fd, unlink("m/newer"));
	TELLS(fd, make("m/new"));
	TELLS(fd, make("m/newer"));
	SEE(inotify_add_watch(fd, "m", IN_ISDIR));
	TELLS(fd, unlink("m/newer"));
	SEE(inotify_add_watch(fd, "m", IN_DELETE_SELF));
	SEE(close(open("m/file", O_RDONLY)));
	show(events(second), "the other instance");
	unlink("m/new");
	unlink("m/file");
	show(events(second), "a file's end, not asked for");
	TELLS(fd, rmdir("m"));
	close(fd);
	close(second);
}

/* --- the queue --- */

static volatile int signalled;

static void note(int signal)
{
	signalled = signal;
}

static void queue(void)
{
	int fd = inotify_init1(IN_NONBLOCK), bytes = -1, epoll = epoll_create1(0);
	struct pollfd poller = { fd, POLLIN | POLLOUT, 0 };
	struct epoll_event wanted = { .events = EPOLLIN }, got;
	char buffer[64];

	mkdir("q", 0755);
	SEE(inotify_add_watch(fd, "q", IN_ALL_EVENTS));
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted);
	SEE(poll(&poller, 1, 0));
	SEE(epoll_wait(epoll, &got, 1, 0));
	SEE(ioctl(fd, FIONREAD, &bytes));
	SEE(bytes);
	SEE(read(fd, buffer, 16));
	SEE(read(fd, buffer, 0));
	make("q/file");
	SEE(poll(&poller, 1, 0));
	SEE(poller.revents);
	SEE(epoll_wait(epoll, &got, 1, 0));
	SEE(ioctl(fd, FIONREAD, &bytes));
	SEE(bytes);
	SEE(read(fd, buffer, 0));
	SEE(read(fd, buffer, 16));
	SEE(read(fd, buffer, 31));
	SEE(read(fd, buffer, 32));
	SEE(read(fd, buffer, 64));
	SEE(read(fd, (char *)nowhere, 64));
	show(events(fd), "what is left");
	for (int i = 0; i < 3; i++)
		chmod("q/file", 0600);
	show(events(fd), "three that are alike");
	chmod("q/file", 0600);
	chmod("q", 0700);
	chmod("q/file", 0600);
	show(events(fd), "three with another in the middle");

	/* Signals, and waiting. */
	struct sigaction action = { .sa_handler = note };

	sigaction(SIGIO, &action, NULL);
	SEE(fcntl(fd, F_SETOWN, getpid()));
	SEE(fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK));
	make("q/file");
	SEE(signalled == SIGIO);
	events(fd);
	SEE(fcntl(fd, F_SETFL, 0));
	pid_t child = fork();

	if (child == 0) {
		usleep(20000);
		_exit(make("q/other"));
	}
	show(read(fd, buffer, 32) == 32 ? "one event" : "another answer", "a read that waits");
	waitpid(child, NULL, 0);
	SEE(fcntl(fd, F_SETFL, O_NONBLOCK));
	events(fd);
	close(fd);
	close(epoll);

	/* Too many. */
	SEE(write_file("/proc/sys/fs/inotify/max_queued_events", "3"));
	fd = inotify_init1(IN_NONBLOCK);
	SEE(write_file("/proc/sys/fs/inotify/max_queued_events", "16384"));
	SEE(inotify_add_watch(fd, "q", IN_ATTRIB | IN_OPEN));
	for (int i = 0; i < 4; i++) {
		chmod("q/file", 0600);
		chmod("q/other", 0600);
	}
	show(events(fd), "more than there is room for");
	chmod("q/file", 0600);
	show(events(fd), "after that");
	close(fd);
	unlink("q/file");
	unlink("q/other");
	rmdir("q");
}

/* --- limits --- */

static void limits(void)
{
	static int fds[200];
	char text[64] = "", path[32];
	int count = 0, fd = open("/proc/sys/fs/inotify/max_user_instances", O_RDONLY);

	SEE(read(fd, text, sizeof(text)));
	show(text, "max_user_instances");
	close(fd);
	fd = open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY);
	memset(text, 0, sizeof(text));
	SEE(read(fd, text, sizeof(text)));
	show(text, "max_queued_events");
	close(fd);
	fd = open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY);
	memset(text, 0, sizeof(text));
	SEE(read(fd, text, sizeof(text) - 1) > 3);
	SEE(atoi(text) >= 8192);
	close(fd);
	SEE(write_file("/proc/sys/fs/inotify/max_user_watches", "-1"));
	while (count < 200 && (fds[count] = inotify_init1(IN_NONBLOCK)) >= 0)
		count++;
	show(error_name(errno), "one instance too many");
	SEE(count);
	for (int i = 1; i < count; i++)
		close(fds[i]);
	SEE(write_file("/proc/sys/fs/inotify/max_user_watches", "3"));
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "l%d", i);
		make(path);
		show(outcome_value(inotify_add_watch(fds[0], path, IN_OPEN)), "watch %d of 3", i);
	}
	SEE(inotify_add_watch(fds[0], "l0", IN_CLOSE));
	SEE(unlink("l1"));
	SEE(inotify_add_watch(fds[0], "l3", IN_OPEN));
	show(events(fds[0]), "what they tell");
	SEE(write_file("/proc/sys/fs/inotify/max_user_watches", "8192"));
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fds[0]);
	FILE *file = fopen(path, "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned int wd, mask;

		if (sscanf(line, "inotify wd:%x ino:%*x sdev:%*x mask:%x", &wd, &mask) == 2) {
			snprintf(text, sizeof(text), "%x", mask);
			show(text, "mask in fdinfo of watch %u", wd);
		}
	}
	if (file)
		fclose(file);
	close(fds[0]);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "l%d", i);
		unlink(path);
	}
}

static void mounts(void)
{
	int fd = inotify_init1(IN_NONBLOCK);

	mkdir("mount", 0755);
	SEE(inotify_add_watch(fd, "mount", IN_ALL_EVENTS));
	TELLS(fd, mount("none", "mount", "tmpfs", 0, NULL));
	make("mount/file");
	show(events(fd), "of what covers it");
	SEE(inotify_add_watch(fd, "mount", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "mount/file", IN_OPEN));
	TELLS(fd, close(open("mount/file", O_RDONLY)));
	TELLS(fd, close(open("mount", O_RDONLY)));
	SEE(umount("mount"));
	show(strstr(events(fd), "UNMOUNT") ? "told" : "not told", "the end of a file system");
	SEE(inotify_rm_watch(fd, 2));
	TELLS(fd, rmdir("mount"));
	close(fd);
}

int main(int count, char **arguments)
{
	static void (*const parts[])(void) = { wrong_arguments, calls,	masks, names,
					       queue,		limits, mounts };

	if (count > 1 && !strcmp(arguments[1], "exit"))
		return 3;
	umask(022);
	mkdir("/tmp", 0777);
	mkdir("/tmp/inotify", 0777);
	if (chdir("/tmp/inotify"))
		return 1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		parts[i]();
	return 0;
}
