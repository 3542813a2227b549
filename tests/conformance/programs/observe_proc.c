// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc/PID, as a process reads its own: its numbers, names, memory and threads. Values of one run (process
 * ids, addresses, times) are compared with values that the program knows, or shown as their shape.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "proc_files.h"

static void *volatile nowhere = (void *)8;

/* --- one's own numbers --- */

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
	/* The thread has written its byte, and will soon wait. */
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
	/* pthread_join returns before the thread has quite exited. */
	for (int i = 0; i < 1000 && access(path, F_OK) == 0; i++)
		usleep(1000);
	show(outcome(access(path, F_OK)), "task: one that has ended");
	for (int i = 0; i < 2; i++) {
		close(from_thread[i]);
		close(to_thread[i]);
	}
}

int main(int count, char **arguments)
{
	(void)count;
	numbers();
	names(arguments);
	memory();
	threads();
	return 0;
}
