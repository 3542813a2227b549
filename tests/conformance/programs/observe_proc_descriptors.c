// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc/PID/fd and fdinfo, and the files of other processes: zombies and processes of other users.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "proc_files.h"

/* --- descriptors --- */

static void descriptors(void)
{
	static const struct {
		const char *name;
		int flags;
	} openings[] = { { "read", O_RDONLY },
			 { "write", O_WRONLY },
			 { "both", O_RDWR },
			 { "append", O_WRONLY | O_APPEND },
			 { "cloexec", O_RDONLY | O_CLOEXEC } };
	int p[2], s[2], fd;
	char path[64];
	struct stat stat;

	close(open("/tmp-proc", O_CREAT | O_RDWR, 0600));
	for (size_t i = 0; i < sizeof(openings) / sizeof(openings[0]); i++) {
		fd = open("/tmp-proc", openings[i].flags);
		lseek(fd, 5, SEEK_SET);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		show(link_of(path), "fd: link, %s", openings[i].name);
		lstat(path, &stat);
		show_number(stat.st_mode & 07777, openings[i].name);
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		read_file(path);
		show(value_of("pos"), "fdinfo: pos, %s", openings[i].name);
		show(value_of("flags"), "fdinfo: flags, %s", openings[i].name);
		close(fd);
	}
	fd = open("/tmp-proc", O_RDWR);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	write(fd, "abc", 3);
	int again = open(path, O_RDONLY);

	show_number(read(again, text, 10), "fd: opened again, its own position");
	close(again);
	unlink("/tmp-proc");
	show(link_of(path), "fd: link to what was unlinked");
	again = open(path, O_RDWR | O_TRUNC);
	show_number(again >= 0, "fd: opened again though unlinked");
	fstat(fd, &stat);
	show_number(stat.st_size, "fd: truncated by the other");
	close(again);
	close(fd);
	SEE(readlink(path, text, 10));

	pipe(p);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", p[0]);
	show(shape(link_of(path)), "fd: link to a pipe");
	again = open(path, O_WRONLY);
	show_number(write(again, "x", 1), "fd: a pipe's other end");
	close(again);
	close(p[0]);
	close(p[1]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s[0]);
	show(shape(link_of(path)), "fd: link to a socket");
	SEE(open(path, O_RDWR));
	close(s[0]);
	close(s[1]);
	fd = eventfd(0, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	show(link_of(path), "fd: link to an eventfd");
	close(fd);
	fd = memfd_create("some", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	show(link_of(path), "fd: link to a memfd");
	close(fd);
	fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "%d", fd);
	show_number(faccessat(fd, path, F_OK, 0), "fd: the directory itself is in it");
	close(fd);
	SEE(open("/proc/self/fd/007", O_RDONLY));
	SEE(open("/proc/self/fd/x", O_RDONLY));
	SEE(open("/proc/self/fdinfo/99999", O_RDONLY));
}

/* --- others --- */

static void zombie(void)
{
	char path[64];
	siginfo_t info;
	pid_t child = fork();

	if (child == 0)
		_exit(9);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	read_file(path);
	show(stat_field(3), "zombie: state");
	show(stat_field(23), "zombie: memory");
	show(stat_field(52), "zombie: exit code");
	snprintf(path, sizeof(path), "/proc/%d/status", child);
	read_file(path);
	show(value_of("State"), "zombie: status");
	show(value_of("VmSize"), "zombie: VmSize");
	static const char *const files[] = { "cmdline", "environ", "maps", "auxv", "limits", "mem" };
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", child, files[i]);
		show(outcome_value(read_file(path) > 0 ? 1 : text[0]), "zombie: %s", files[i]);
	}
	snprintf(path, sizeof(path), "/proc/%d/exe", child);
	show(link_of(path), "zombie: exe");
	snprintf(path, sizeof(path), "/proc/%d/cwd", child);
	show(link_of(path), "zombie: cwd");
	snprintf(path, sizeof(path), "/proc/%d", child);
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	waitpid(child, NULL, 0);
	show(outcome(openat(fd, "stat", O_RDONLY)), "gone: its file by its directory");
	show(outcome(access(path, F_OK)), "gone: its directory");
	close(fd);
}

/* A user looks at another user's process: its parent, which is root's. */
static void foreign(void)
{
	static const char *const files[] = {
		"stat", "status", "cmdline", "comm",	      "statm",	"environ",     "maps",
		"mem",	"auxv",	  "limits",  "oom_score_adj", "mounts", "personality", "fdinfo",
		"fd",	"task",	  "ns"
	};
	static const char *const links[] = { "exe", "cwd", "root", "ns/uts", "fd/0" };
	struct stat stat;
	char path[64];

	fflush(stdout);
	if (fork() == 0) {
		if (setgid(1000) < 0 || setuid(1000) < 0)
			_exit(1);
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), files[i]);
			show(outcome(open(path, O_RDONLY)), "another's %s", files[i]);
		}
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			snprintf(path, sizeof(path), "/proc/%d/%s", getppid(), links[i]);
			show(outcome(readlink(path, text, sizeof(text))), "another's link %s",
			     links[i]);
		}
		snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
		read_file(path);
		show(stat_field(48), "another's arguments in stat");
		lstat("/proc/self", &stat);
		show_number((long)stat.st_uid, "owner of the link self");
		snprintf(path, sizeof(path), "/proc/%d", getppid());
		lstat(path, &stat);
		show_number((long)stat.st_uid, "owner of another's directory");
		snprintf(path, sizeof(path), "/proc/%d/comm", getppid());
		show(write_file(path, "x") < 0 ? error_name(errno) : "ok", "another's comm");
		prctl(PR_SET_DUMPABLE, 1);
		snprintf(path, sizeof(path), "/proc/%d/environ", getpid());
		lstat(path, &stat);
		show_number((long)stat.st_uid, "owner of one's own file");
		show_number(write_file("/proc/self/oom_score_adj", "100"), "oom_score_adj: raise");
		show(write_file("/proc/self/oom_score_adj", "-1") < 0 ? error_name(errno) : "ok",
		     "oom_score_adj: lower");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	descriptors();
	zombie();
	foreign();
	return 0;
}
