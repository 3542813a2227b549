// SPDX-License-Identifier: BSD-2-Clause
/*
 * inotify: wrong arguments, masks of watches, the queue, limits, mounts.
 */
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "inotify.h"

enum { USER = 1000 };

static const char *volatile nowhere = (const char *)8;

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
		if (setresuid(USER, USER, USER))
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

/* --- masks --- */

static void masks(void)
{
	int fd = inotify_init1(IN_NONBLOCK), second = inotify_init1(IN_NONBLOCK);

	mkdir("m", 0755);
	make("m/file");
	SEE(inotify_add_watch(fd, "m", IN_CREATE));
	SEE(inotify_add_watch(second, "m/file", IN_OPEN | IN_CLOSE));
	REPORTS(fd, make("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_DELETE));
	REPORTS(fd, make("m/newer"));
	REPORTS(fd, unlink("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_MASK_ADD));
	REPORTS(fd, make("m/new"));
	REPORTS(fd, unlink("m/new"));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_MASK_CREATE));
	SEE(inotify_add_watch(fd, "m", IN_CREATE | IN_ONESHOT));
	REPORTS(fd, unlink("m/newer"));
	REPORTS(fd, make("m/new"));
	REPORTS(fd, make("m/newer"));
	SEE(inotify_add_watch(fd, "m", IN_ISDIR));
	REPORTS(fd, unlink("m/newer"));
	SEE(inotify_add_watch(fd, "m", IN_DELETE_SELF));
	SEE(close(open("m/file", O_RDONLY)));
	show(events(second), "the other instance");
	unlink("m/new");
	unlink("m/file");
	show(events(second), "a file's end, not requested");
	REPORTS(fd, rmdir("m"));
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
	struct epoll_event requested = { .events = EPOLLIN }, got;
	char buffer[64];

	mkdir("q", 0755);
	SEE(inotify_add_watch(fd, "q", IN_ALL_EVENTS));
	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &requested);
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
	show(events(fds[0]), "their events");
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
	REPORTS(fd, mount("none", "mount", "tmpfs", 0, NULL));
	make("mount/file");
	show(events(fd), "of what covers it");
	SEE(inotify_add_watch(fd, "mount", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "mount/file", IN_OPEN));
	REPORTS(fd, close(open("mount/file", O_RDONLY)));
	REPORTS(fd, close(open("mount", O_RDONLY)));
	SEE(umount("mount"));
	show(strstr(events(fd), "UNMOUNT") ? "reported" : "not reported",
	     "the end of a file system");
	SEE(inotify_rm_watch(fd, 2));
	REPORTS(fd, rmdir("mount"));
	close(fd);
}

int main(int count, char **arguments)
{
	if (count > 1 && !strcmp(arguments[1], "exit"))
		return 3;
	umask(022);
	mkdir("/tmp", 0777);
	mkdir("/tmp/inotify", 0777);
	if (chdir("/tmp/inotify"))
		return 1;
	wrong_arguments();
	masks();
	queue();
	limits();
	mounts();
	return 0;
}
