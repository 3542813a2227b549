// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations on files: those of /proc, /sys and tracefs that a worker may open or not, with random text; and a
 * file system that is filled until it is full.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const own_files[] = {
	"maps",		"smaps",     "status",	      "stat",
	"statm",	"limits",    "mounts",	      "mountinfo",
	"environ",	"auxv",	     "cmdline",	      "comm",
	"io",		"wchan",     "syscall",	      "cgroup",
	"sched",	"oom_score", "oom_score_adj", "timers",
	"personality",	"schedstat", "clear_refs",    "fdinfo/3",
	"fdinfo/5",	"fd",	     "fdinfo",	      "task",
	"pagemap",	"stack",     "timerslack_ns", "coredump_filter",
	"attr/current", "loginuid",  "uid_map",	      "setgroups",
};

static void name_any(struct fuzzer *fuzzer, char *path, size_t size)
{
	pid_t pid = fuzzer->children[pick(fuzzer, CHILDREN)];

	if (pick(fuzzer, 2) || !fuzz_shared->paths)
		snprintf(path, size, "/proc/%d/%s", pid && pick(fuzzer, 2) ? (int)pid : getpid(),
			 PICK(fuzzer, own_files));
	else
		snprintf(path, size, "%s", fuzz_shared->path[pick(fuzzer, fuzz_shared->paths)]);
}

static long write_text(struct fuzzer *fuzzer, int fd)
{
	static const char *const texts[] = { "0",    "1",
					     "-1",   "",
					     "\n",   "99999999999999999999",
					     "a b",  "0 0 0",
					     "%s%n", "common_pid == 1",
					     "!",    "ffffffffffff" };
	const char *text = PICK(fuzzer, texts);

	if (pick(fuzzer, 8) == 0)
		return write(fd, fuzz_any_pointer(fuzzer), pick(fuzzer, 5000));
	return pwrite(fd, text, strlen(text), pick(fuzzer, 8) ? 0 : (off_t)fuzz_edge(fuzzer));
}

static long use_special_file(struct fuzzer *fuzzer)
{
	static const int flags[] = { O_RDONLY, O_RDONLY,	   O_RDWR,
				     O_WRONLY, O_WRONLY | O_TRUNC, O_PATH };
	static _Thread_local char text[PAGE] __attribute__((aligned(8)));
	char path[96];
	long result = -1;

	name_any(fuzzer, path, sizeof(path));
	int fd = open(path, PICK(fuzzer, flags) | O_NONBLOCK | O_CLOEXEC);

	count_calls(1);
	if (fd < 0)
		return -1;
	for (unsigned int i = 1 + pick(fuzzer, 3); i > 0; i--) {
		size_t size = pick(fuzzer, 3) ? sizeof(text) : pick(fuzzer, 64);

		switch (pick(fuzzer, 5)) {
		case 0:
			result = write_text(fuzzer, fd);
			break;
		case 1:
			result = lseek(fd, (off_t)fuzz_edge(fuzzer), (int)pick(fuzzer, 5));
			break;
		default:
			memset(text, 0, sizeof(text));
			result = pick(fuzzer, 4) ? read(fd, text, size) :
						   pread(fd, text, size, pick(fuzzer, 9000));
			if (result < 0 && errno == EISDIR)
				result = syscall(SYS_getdents64, fd, text, size);
			if (result > 0)
				leak_check_text(text, (size_t)result & ~7UL, path);
		}
		count_calls(1);
	}
	if (pick(fuzzer, 4) == 0)
		fuzz_remember(fuzzer, fd);
	else
		close(fd);
	return result;
}

/* Makes files that take memory until the kernel refuses, and removes some of them. */
static long fill_files(struct fuzzer *fuzzer)
{
	unsigned int kind = pick(fuzzer, 6);
	char path[300], other[64];
	long result = 0;

	for (unsigned int i = 0; i < 60 && result >= 0; i++) {
		snprintf(path, sizeof(path), TREE_WORK "/f%d.%u.%0*d", (int)getpid(), i,
			 kind == 5 ? 200 : 1, 0);
		switch (kind) {
		case 0:
			result = mkdir(path, 0700);
			break;
		case 1:
			result = symlink("/a/rather/long/name/that/does/not/exist", path);
			break;
		case 2:
			snprintf(other, sizeof(other), TREE_WORK "/f%d.0.0", (int)getpid());
			result = i ? link(other, path) : mknod(path, S_IFREG | 0600, 0);
			break;
		default:
			result = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
			if (result < 0)
				break;
			if (pick(fuzzer, 4) == 0 &&
			    fallocate((int)result, 0, 0, pick(fuzzer, 200) * PAGE) < 0)
				errno = 0;
			if (pwrite((int)result, path, sizeof(path), pick(fuzzer, 1 << 20)) < 0)
				errno = 0;
			if (pick(fuzzer, 10) == 0)
				fuzz_remember(fuzzer, (int)result);
			else
				close((int)result);
		}
		count_calls(2);
	}
	for (unsigned int i = 0; i < 60; i++) {
		snprintf(path, sizeof(path), TREE_WORK "/f%d.%u.%0*d", (int)getpid(), i,
			 kind == 5 ? 200 : 1, 0);
		if (kind == 0)
			rmdir(path);
		else if (pick(fuzzer, 16))
			unlink(path);
	}
	return result;
}

/* Maps what it has in any way. */
static long map_any_file(struct fuzzer *fuzzer)
{
	unsigned int slot = pick(fuzzer, SLOTS);
	int fd = pick(fuzzer, 3) ? fuzz_any_fd(fuzzer) : memfd_create("m", pick(fuzzer, 8));
	size_t size = (1 + pick(fuzzer, 40)) * PAGE;
	int flags = MAP_FIXED | (int)(1 + pick(fuzzer, 3)) |
		    (pick(fuzzer, 4) ? 0 : 1 << pick(fuzzer, 20));

	if (ftruncate(fd, pick(fuzzer, 50000)) < 0)
		errno = 0;
	void *got = mmap(fuzz_slot_address(slot), size, (int)pick(fuzzer, 8), flags, fd,
			 (off_t)pick(fuzzer, 4) * PAGE);

	if (got != MAP_FAILED)
		fuzzer->mapped[slot] = size;
	fuzz_remember(fuzzer, fd);
	return got == MAP_FAILED ? -1 : 0;
}

const struct operation fuzz_file_operations[] = {
	{ "use_special_file", use_special_file, 40 },
	{ "fill_files", fill_files, 1 },
	{ "map_any_file", map_any_file, 4 },
	{ 0 },
};
