// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc: what a process sees of itself and of others, and what it can set. Values that are of one run
 * (numbers of processes, addresses, times) are compared here with what the program knows, or shown as
 * their shape.
 */
#include "observe.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>

/* The compiler is not to know that these are wrong. */
static volatile int minus_one = -1;
static void *volatile nowhere = (void *)8;

static char text[1 << 16];

/* Reads the file at PATH into text; its length, or -1. */
static ssize_t read_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t done = 0, part = 0;

	text[0] = '\0';
	if (fd < 0)
		return -1;
	while ((size_t)done < sizeof(text) - 1 &&
	       (part = read(fd, text + done, sizeof(text) - 1 - (size_t)done)) > 0)
		done += part;
	int error = errno;

	close(fd);
	errno = error;
	text[part < 0 ? 0 : done] = '\0';
	return part < 0 ? -1 : done;
}

static void show_number(long number, const char *name)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%ld", number);
	show(digits, "%s", name);
}

/* The value of a line of text that begins with NAME, up to its end; "absent". */
static const char *value_of(const char *name)
{
	static char value[256];
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) || line[length] != ':')
			continue;
		snprintf(value, sizeof(value), "%s", line + length + 1);
		value[strcspn(value, "\n")] = '\0';
		for (char *c = value; *c; c++)
			if (*c == '\t')
				*c = '~';
		return value;
	}
	return "absent";
}

/* STRING with each number as N, each line end as $ and each tabulator as ~. */
static const char *shape(const char *string)
{
	static char result[4096];
	char *to = result;

	for (; *string && to < result + sizeof(result) - 1; string++) {
		if (isdigit((unsigned char)*string)) {
			if (to == result || to[-1] != 'N')
				*to++ = 'N';
		} else {
			*to++ = *string == '\n' ? '$' : *string == '\t' ? '~' : *string;
		}
	}
	*to = '\0';
	return result;
}

static const char *link_of(const char *path)
{
	static char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	if (length < 0)
		return error_name(errno);
	target[length] = '\0';
	return target;
}

/* --- one's own numbers --- */

/* Field NUMBER (from 1) of the stat line in text. */
static const char *stat_field(int number)
{
	static char field[64];
	const char *at = strrchr(text, ')');

	if (!at)
		return "no name";
	at += 2;
	for (int i = 3; i < number && at; i++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	if (!at)
		return "absent";
	snprintf(field, sizeof(field), "%.*s", (int)strcspn(at, " \n"), at);
	return field;
}

static void numbers(void)
{
	sigset_t set;
	int fields = 2;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGTERM, exit);
	setpriority(PRIO_PROCESS, 0, 3);
	prctl(PR_SET_NAME, "a (strange) nam");
	raise(SIGUSR1);
	read_file("/proc/self/stat");
	for (char *c = strrchr(text, ')'); c && *c; c++)
		fields += *c == ' ';
	show_number(fields, "stat: fields");
	show_number(atoi(text) == getpid(), "stat: the first is the pid");
	show_number(strstr(text, " (a (strange) nam) R ") != NULL, "stat: name and state");
	show_number(atoi(stat_field(4)) == getppid(), "stat: parent");
	show_number(atoi(stat_field(5)) == getpgrp(), "stat: group");
	show_number(atoi(stat_field(6)) == getsid(0), "stat: session");
	static const struct {
		int number;
		const char *name;
	} fixed[] = {
		{ 18, "priority" },    { 19, "nice" },	  { 20, "threads" },
		{ 21, "itrealvalue" }, { 25, "rsslim" },  { 31, "pending" },
		{ 32, "blocked" },     { 33, "ignored" }, { 34, "caught" },
		{ 36, "nswap" },       { 37, "cnswap" },  { 38, "exit signal" },
		{ 40, "rt_priority" }, { 41, "policy" },  { 43, "guest_time" },
		{ 52, "exit code" },
	};
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		show(stat_field(fixed[i].number), "stat: %s", fixed[i].name);
	show_number(atol(stat_field(23)) > 1 << 18, "stat: has memory");
	show_number(atol(stat_field(24)) > 10, "stat: has pages");
	show_number(atol(stat_field(49)) > atol(stat_field(48)), "stat: has arguments");
	read_file("/proc/self/statm");
	show(shape(text), "statm");

	read_file("/proc/self/status");
	static const char *const lines[] = {
		"Name",
		"Umask",
		"State",
		"Ngid",
		"TracerPid",
		"Uid",
		"Gid",
		"Groups",
		"Kthread",
		"Threads",
		"SigPnd",
		"ShdPnd",
		"SigBlk",
		"SigIgn",
		"SigCgt",
		"CapInh",
		"CapPrm",
		"CapEff",
		"CapBnd",
		"CapAmb",
		"NoNewPrivs",
		"Seccomp",
		"Seccomp_filters",
		"VmSwap",
		"VmLck",
		"VmPin",
		"CoreDumping",
		"Mems_allowed_list",
		"Cpus_allowed",
		"Cpus_allowed_list",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		show(value_of(lines[i]), "status: %s", lines[i]);
	static const char *const shapes[] = { "VmPeak",
					      "VmSize",
					      "VmRSS",
					      "VmHWM",
					      "RssAnon",
					      "VmData",
					      "VmStk",
					      "VmExe",
					      "SigQ",
					      "NSpid",
					      "voluntary_ctxt_switches",
					      "nonvoluntary_ctxt_switches" };
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		show(shape(value_of(shapes[i])), "status: shape of %s", shapes[i]);
	show_number(atoi(value_of("Pid") + 1) == getpid(), "status: Pid");
	show_number(atoi(value_of("PPid") + 1) == getppid(), "status: PPid");
	setpriority(PRIO_PROCESS, 0, 0);
	signal(SIGUSR1, SIG_IGN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* --- names, and what the program was started with --- */

static void names(char **arguments)
{
	struct rlimit limit = { 4096, 8192 };

	prctl(PR_SET_NAME, "named");
	read_file("/proc/self/comm");
	show(shape(text), "comm");
	show_number(write_file("/proc/self/comm", "longer than fifteen letters"), "comm: write");
	read_file("/proc/self/comm");
	show(shape(text), "comm: what was written");
	show_number(write_file("/proc/self/comm", "line\nend"), "comm: write a line end");
	read_file("/proc/self/comm");
	show(shape(text), "comm: with a line end");
	ssize_t length = read_file("/proc/self/cmdline");

	show_number(length == (ssize_t)strlen(arguments[0]) + 1 && !strcmp(text, arguments[0]),
		    "cmdline");
	show(write_file("/proc/self/cmdline", "x") < 0 ? error_name(errno) : "ok", "write cmdline");
	length = read_file("/proc/self/environ");
	show_number(length >= 0 && (length == 0 || memchr(text, '=', (size_t)length)), "environ");
	length = read_file("/proc/self/auxv");
	long page_size = 0, pairs = length / 16;

	for (long i = 0; i < pairs; i++) {
		const Elf64_auxv_t *entry = (const Elf64_auxv_t *)text + i;

		if (entry->a_type == AT_PAGESZ)
			page_size = (long)entry->a_un.a_val;
	}
	show_number(page_size, "auxv: page size");
	show_number(pairs > 10 && ((const Elf64_auxv_t *)text)[pairs - 1].a_type == AT_NULL,
		    "auxv: ends");
	show_number(!strcmp(link_of("/proc/self/exe"), link_of("/proc/thread-self/exe")),
		    "exe of both selves");
	setrlimit(RLIMIT_FSIZE, &limit);
	read_file("/proc/self/limits");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "Max processes", 13) && strncmp(line, "Max pending", 11) &&
		    strncmp(line, "Max open", 8))
			show(line + 26, "limits: %.25s", line);
	limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	chdir("/proc");
	show(link_of("/proc/self/cwd"), "cwd");
	show(link_of("self/root"), "root");
	chdir("/");
	SEE(access("/proc/self/cwd/proc/self/stat", R_OK));
	SEE(readlink("/proc/self/stat", text, 10));
}

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

/* --- memory --- */

static const char *line_with(const char *part)
{
	static char found[512];
	char *at = strstr(text, part), *start = at;

	if (!at)
		return "absent";
	while (start > text && start[-1] != '\n')
		start--;
	snprintf(found, sizeof(found), "%.*s", (int)strcspn(start, "\n"), start);
	return found;
}

static void memory(void)
{
	static volatile long variable = 0x1234;
	char start[32];
	long value = 0;
	int fd = open("/tmp-mapped", O_CREAT | O_RDWR, 0600);

	ftruncate(fd, 3 * PAGE_BYTES);
	char *mapping = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, fd, PAGE_BYTES);
	char *hole = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	read_file("/proc/self/maps");
	snprintf(start, sizeof(start), "%lx-%lx r--s 00001000 ", (unsigned long)mapping,
		 (unsigned long)mapping + PAGE_BYTES);
	show_number(strstr(line_with("/tmp-mapped"), start) == line_with("/tmp-mapped"),
		    "maps: a file's mapping");
	show_number((long)(strchr(line_with("/tmp-mapped"), '/') - line_with("/tmp-mapped")),
		    "maps: the column of names");
	snprintf(start, sizeof(start), "%lx-%lx ---p 00000000 00:00 0", (unsigned long)hole,
		 (unsigned long)hole + PAGE_BYTES);
	show_number(strstr(text, start) != NULL, "maps: nothing may be done to it");
	show_number(strstr(line_with("[stack]"), " rw-p 00000000 00:00 0 ") != NULL, "maps: stack");
	show_number(strstr(text, "[heap]") != NULL, "maps: heap");
	close(fd);
	unlink("/tmp-mapped");
	read_file("/proc/self/maps");
	show(strstr(line_with("/tmp-mapped"), "/tmp-mapped"), "maps: an unlinked file's mapping");

	fd = open("/proc/self/mem", O_RDWR);
	show_number(pread(fd, &value, sizeof(value), (off_t)&variable), "mem: read");
	show_number(value, "mem: what was read");
	value = 0x4321;
	show_number(pwrite(fd, &value, sizeof(value), (off_t)&variable), "mem: write");
	show_number(variable, "mem: what was written");
	show(outcome_value(pread(fd, &value, 8, 0)), "mem: read nothing's memory");
	show(outcome_value(pread(fd, &value, 8, (off_t)hole)), "mem: read what may not be read");
	show(outcome_value(pwrite(fd, &value, 8, (off_t)text & -8)), "mem: write to a buffer");
	show(outcome_value(pread(fd, nowhere, 8, (off_t)&variable)), "mem: read to nowhere");
	show(outcome_value(pread(fd, text, 0, 0)), "mem: read no bytes");
	show_number(lseek(fd, (off_t)&variable, SEEK_SET) == (off_t)&variable, "mem: lseek");
	show_number(read(fd, &value, 8), "mem: read where it is");
	show_number(lseek(fd, 0, SEEK_CUR) == (off_t)&variable + 8, "mem: position");
	close(fd);
	munmap(mapping, PAGE_BYTES);
	munmap(hole, PAGE_BYTES);
}

/* --- threads --- */

static int from_thread[2], to_thread[2];

static void *thread_main(void *unused)
{
	char byte;

	prctl(PR_SET_NAME, "second");
	write(from_thread[1], "x", 1);
	read(to_thread[0], &byte, 1);
	return unused;
}

static void threads(void)
{
	pthread_t thread;
	char path[64], name[32] = "";
	struct dirent *entry;
	int count = 0;
	char byte;

	pipe(from_thread);
	pipe(to_thread);
	pthread_create(&thread, NULL, thread_main, NULL);
	read(from_thread[0], &byte, 1);
	DIR *directory = opendir("/proc/self/task");

	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.') {
			count++;
			if (atoi(entry->d_name) != getpid())
				snprintf(name, sizeof(name), "%d", atoi(entry->d_name));
		}
	closedir(directory);
	show_number(count, "task: threads");
	snprintf(path, sizeof(path), "/proc/self/task/%s/comm", name);
	read_file(path);
	show(shape(text), "task: the second's name");
	show_number(write_file(path, "renamed"), "task: rename the second");
	read_file(path);
	show(shape(text), "task: the second's new name");
	snprintf(path, sizeof(path), "/proc/self/task/%s/status", name);
	/* It has told us, and will soon wait. */
	while (read_file(path), strstr(value_of("State"), "running"))
		usleep(1000);
	show(value_of("State"), "task: the second's state");
	show(value_of("Threads"), "task: the second's count of threads");
	show_number(atoi(value_of("Tgid") + 1) == getpid(), "task: the second's Tgid");
	snprintf(path, sizeof(path), "/proc/%s/status", name);
	show_number(read_file(path) > 0, "a thread's number leads to it");
	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	read_file(path);
	show(stat_field(38), "a thread's exit signal");
	write(to_thread[1], "x", 1);
	pthread_join(thread, NULL);
	snprintf(path, sizeof(path), "/proc/self/task/%s", name);
	/* Who joins does not wait for all of its end. */
	for (int i = 0; i < 1000 && access(path, F_OK) == 0; i++)
		usleep(1000);
	show(outcome(access(path, F_OK)), "task: one that has ended");
	for (int i = 0; i < 2; i++) {
		close(from_thread[i]);
		close(to_thread[i]);
	}
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

/* What one user sees of another's process: root's parent. */
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

/* --- settings --- */

static void write_and_read(const char *path, const char *value)
{
	const char *written = write_file(path, value) < 0 ? error_name(errno) : "ok";

	show(written, "write %s to %s", shape(value), strrchr(path, '/') + 1);
	read_file(path);
	show(shape(text), "%s after %s", strrchr(path, '/') + 1, shape(value));
}

static const char *open_as_other(bool cpu, bool kernel)
{
	int status = 0;

	fflush(stdout);
	if (fork() == 0) {
		union attr attr;

		attr_dummy(&attr);
		attr.fields.exclude_kernel = !kernel;
		if (setuid(1000) < 0)
			_exit(1);
		_exit(open_event(&attr, cpu ? -1 : 0, cpu ? 0 : -1, -1, 0) < 0 ? errno : 0);
	}
	wait(&status);
	return WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) : "ok";
}

static void settings(void)
{
	static const char *const levels[] = { "3", "2", "1", "0", "-1" };
	static const char *const scores[] = { "0", "1000", "-1000", "1001", "x", "", "7 ", "5\n" };
	struct utsname system;

	for (size_t i = 0; i < sizeof(scores) / sizeof(scores[0]); i++) {
		int result = write_file("/proc/self/oom_score_adj", scores[i]);

		show(result < 0 ? error_name(errno) : "ok", "oom_score_adj: write %zu", i);
		read_file("/proc/self/oom_score_adj");
		show(strtok(text, "\n"), "oom_score_adj: after %zu", i);
	}
	write_file("/proc/self/oom_score_adj", "0");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		show_number(write_file("/proc/sys/kernel/perf_event_paranoid", levels[i]),
			    levels[i]);
		read_file("/proc/sys/kernel/perf_event_paranoid");
		show(strtok(text, "\n"), "perf_event_paranoid: after %s", levels[i]);
		if (levels[i][0] == '3')
			continue;
		show(open_as_other(false, false), "perf_event_paranoid %s: user", levels[i]);
		show(open_as_other(false, true), "perf_event_paranoid %s: kernel", levels[i]);
		show(open_as_other(true, false), "perf_event_paranoid %s: processor", levels[i]);
	}
	show(outcome(write_file("/proc/sys/kernel/perf_event_paranoid", "x")), "paranoid: x");
	show(outcome(write_file("/proc/sys/kernel/perf_event_paranoid", "1 ")),
	     "paranoid: 1 blank");
	write_file("/proc/sys/kernel/perf_event_paranoid", "-1");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "3")), "kptr_restrict: 3");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "-1")), "kptr_restrict: -1");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "2")), "kptr_restrict: 2");
	read_file("/proc/kallsyms");
	show_number(!strncmp(text, "0000000000000000 ", 17), "kallsyms: hidden");
	show(outcome(write_file("/proc/sys/kernel/kptr_restrict", "0")), "kptr_restrict: 0");
	write_and_read("/proc/sys/kernel/hostname", "name of it\n");
	uname(&system);
	show(system.nodename, "uname: node");
	write_and_read("/proc/sys/kernel/hostname", "two\nlines");
	write_and_read("/proc/sys/kernel/domainname", "domain");
	char *name = strdup("tally");

	SEE(sethostname(name, 5));
	SEE(sethostname(name, (size_t)minus_one));
	SEE(sethostname(text, 65));
	SEE(sethostname(nowhere, 5));
	SEE(setdomainname("", 0));
	uname(&system);
	show(system.nodename, "uname: node again");
	show(system.domainname, "uname: domain");
	show(outcome(write_file("/proc/sys/kernel/ostype", "x")), "ostype: write");
	show(outcome(open("/proc/sys/kernel/ostype", O_WRONLY)), "ostype: open");
	show(outcome(open("/proc/sys/kernel/hostname", O_RDONLY | O_TRUNC)), "hostname: truncate");
}

/* --- the whole --- */

static void tree(void)
{
	static const char *const files[] = {
		"version",
		"uptime",
		"loadavg",
		"filesystems",
		"swaps",
		"modules",
		"partitions",
		"sys/kernel/ostype",
		"sys/kernel/ngroups_max",
		"sys/kernel/cap_last_cap",
		"sys/kernel/printk",
		"sys/kernel/perf_event_max_sample_rate",
		"self/cgroup",
		"self/personality",
		"self/oom_score",
	};
	static const char *const values[] = { "swaps",
					      "sys/kernel/ostype",
					      "sys/kernel/pid_max",
					      "sys/kernel/ngroups_max",
					      "sys/kernel/cap_last_cap",
					      "sys/kernel/overflowuid",
					      "sys/vm/overcommit_memory",
					      "sys/kernel/dmesg_restrict",
					      "sys/kernel/randomize_va_space",

					      "self/uid_map",
					      "self/gid_map",
					      "self/setgroups",
					      "self/loginuid",
					      "self/sessionid",
					      "self/personality",
					      "self/timerslack_ns",
					      "self/cgroup" };
	struct stat stat;
	struct statfs fs;
	char path[64];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%s", files[i]);
		int error = lstat(path, &stat);

		snprintf(text, sizeof(text), "%o size %ld", stat.st_mode, (long)stat.st_size);
		show(error ? error_name(errno) : text, "mode of %s", files[i]);
	}
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(path, sizeof(path), "/proc/%s", values[i]);
		if (read_file(path) < 0)
			snprintf(text, sizeof(text), "%s", error_name(errno));
		for (char *c = text; *c; c++)
			*c = *c == '\n' ? '$' : *c == '\t' ? '~' : *c;
		show(text, "value of %s", values[i]);
	}
	read_file("/proc/uptime");
	show(shape(text), "uptime");
	read_file("/proc/loadavg");
	show(shape(text), "loadavg");
	read_file("/proc/stat");
	show_number(!strncmp(text, "cpu  ", 5), "stat of the machine: first line");
	static const char *const needed[] = { "\ncpu0 ",	 "\nintr ",	 "\nctxt ",
					      "\nbtime ",	 "\nprocesses ", "\nprocs_running ",
					      "\nprocs_blocked " };
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		show_number(strstr(text, needed[i]) != NULL, needed[i] + 1);
	read_file("/proc/meminfo");
	static const char *const amounts[] = { "MemTotal", "MemFree",	"MemAvailable", "Buffers",
					       "Cached",   "SwapTotal", "SwapFree",	"Shmem" };
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++)
		show_number(strlen(value_of(amounts[i])) == 27 - strlen(amounts[i]), amounts[i]);
	read_file("/proc/cpuinfo");
	static const char *const facts[] = {
		"processor\t",	   "vendor_id\t",   "cpu family\t",	"model\t\t",
		"stepping\t",	   "physical id\t", "siblings\t",	"core id\t\t",
		"cpu cores\t",	   "apicid\t\t",    "initial apicid\t", "fpu\t\t",
		"fpu_exception\t", "wp\t\t",	    "clflush size\t",	"cache_alignment\t",
		"address sizes\t", "cache size\t"
	};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = value_of(facts[i]);
		char name[32];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(facts[i], "\t"), facts[i]);
		show(value, "cpuinfo: %s", name);
	}
	/* As it is measured: of two kernels not the same to the kilohertz. */
	double mhz = atof(value_of("cpu MHz\t\t")), bogomips = atof(value_of("bogomips\t"));

	show(shape(value_of("cpu MHz\t\t")), "cpuinfo: form of cpu MHz");
	show(shape(value_of("bogomips\t")), "cpuinfo: form of bogomips");
	show(mhz == 0		     ? "absent" :
	     mhz > 990 && mhz < 1010 ? "1 GHz" :
				       "another",
	     "cpuinfo: frequency of virtual time");
	show(bogomips > 2 * mhz - 0.01 && bogomips < 2 * mhz + 0.01 ? "yes" : "no",
	     "cpuinfo: bogomips are twice as many");
	statfs("/proc", &fs);
	show_number(fs.f_type, "type of /proc");
	show_number(fs.f_bsize, "block size of /proc");
	show(link_of("/proc/mounts"), "mounts");
	show_number(atoi(link_of("/proc/self")) == getpid(), "self");
	snprintf(text, sizeof(text), "%d/task/%d", getpid(), getpid());
	show_number(!strcmp(link_of("/proc/thread-self"), text), "thread-self");
	SEE(access("/proc/0", F_OK));
	SEE(access("/proc/99999", F_OK));
	SEE(access("/proc/01", F_OK));
	SEE(open("/proc/new", O_CREAT | O_WRONLY, 0600));
	SEE(mkdir("/proc/new", 0700));
	SEE(unlink("/proc/uptime"));
	SEE(rmdir("/proc/self/fd"));
	SEE(rename("/proc/uptime", "/proc/other"));
	SEE(link("/proc/uptime", "/proc/other"));
	SEE(symlink("x", "/proc/other"));
	SEE(truncate("/proc/uptime", 0));
	SEE(chmod("/proc/uptime", 0400));
	show(outcome(open("/proc/uptime", O_WRONLY)), "uptime: open to write");
	SEE(open("/proc/uptime/x", O_RDONLY));
	SEE(open("/proc/self/task", O_WRONLY));
	SEE(open("/proc/self/ns/none", O_RDONLY));
	int fd = open("/proc/uptime", O_RDONLY);

	SEE(lseek(fd, 3, SEEK_SET));
	SEE(lseek(fd, -1, SEEK_SET));
	SEE(lseek(fd, 100000, SEEK_SET));
	SEE(read(fd, text, 10));
	SEE(write(fd, "x", 1));
	show(outcome(pread(fd, nowhere, 10, 0)), "read to nowhere");
	close(fd);
}

int main(int count, char **arguments)
{
	(void)count;
	numbers();
	names(arguments);
	descriptors();
	memory();
	threads();
	zombie();
	foreign();
	settings();
	tree();
	return 0;
}
