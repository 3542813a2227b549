// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files below /fuzz, and what a worker is.
 *
 *	/fuzz/state	  fuzz_shared: a program that a worker executes goes on with it
 *	/fuzz/setuid	  copies of this program: setuid root, setgid, and not readable
 *	/fuzz/setgid
 *	/fuzz/unreadable
 *	/fuzz/findings	  what the privileged programs found out about themselves
 *	/fuzz/canary	  a file of the canary's user, which workers may read
 *	/fuzz/work	  a file system for each seed, whose size and number of files are limited
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STATE	   TREE "/state"
#define SETGID_GID 2000

static const struct {
	const char *path;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	bool program;
} files[] = {
	{ TREE_SETUID, 04711, 0, 0, true },
	{ TREE_SETGID, 02711, 0, SETGID_GID, true },
	{ TREE_UNREADABLE, 0711, 0, 0, true },
	{ TREE_FINDINGS, 0620, 0, SETGID_GID, false },
	{ TREE_CANARY, 0644, CANARY_UID, CANARY_UID, false },
};

static struct stat as_made[COUNT(files)];

struct shared *fuzz_shared;

void fuzz_finding(const char *format, ...)
{
	bool found = false;
	va_list arguments;

	if (!atomic_compare_exchange_strong(&fuzz_shared->found, &found, true))
		return;
	va_start(arguments, format);
	vsnprintf(fuzz_shared->finding, sizeof(fuzz_shared->finding), format, arguments);
	va_end(arguments);
}

size_t tree_read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
	return length;
}

void tree_write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_TRUNC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

_Noreturn static void give_up(const char *why)
{
	printf("Bail out! %s: %s\n", why, strerror(errno));
	exit(1);
}

void tree_map_shared(void)
{
	int fd = open(STATE, O_RDWR | O_CLOEXEC);

	fuzz_shared = mmap(NULL, sizeof(*fuzz_shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fuzz_shared == MAP_FAILED)
		_exit(4);
	close(fd);
}

static void copy_program(int to)
{
	static char buffer[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY);
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)got) != got)
			give_up("a copy of the fuzzer");
	close(from);
}

/* Every file below PATH: those that a worker opens, reads and writes. */
static void collect(const char *path, unsigned int depth)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char below[PATH_MAX];

	while (directory && depth < 9 && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || (depth == 0 && atol(entry->d_name) > 0))
			continue;
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >=
		    (int)sizeof(fuzz_shared->path[0]))
			continue;
		if (entry->d_type == DT_DIR)
			collect(below, depth + 1);
		/* One file in eight of the many that events have. */
		else if (fuzz_shared->paths < PATHS && entry->d_type == DT_REG &&
			 (!strstr(below, "/events/") || entry->d_ino % 8 == 0))
			strcpy(fuzz_shared->path[fuzz_shared->paths++], below);
	}
	if (directory)
		closedir(directory);
}

/* Nodes of CPU 1's devices that everybody may open: there only the kernel's own check is left. */
static void make_devices(void)
{
	static const struct {
		const char *path;
		unsigned int major;
	} nodes[] = { { TREE "/msr", 202 }, { TREE "/cpuid", 203 }, { TREE "/pmu", 240 } };

	for (size_t i = 0; i < COUNT(nodes); i++)
		if (mknod(nodes[i].path, S_IFCHR | 0600, makedev(nodes[i].major, 1)) < 0 ||
		    chmod(nodes[i].path, 0666) < 0)
			give_up(nodes[i].path);
}

void tree_make(void)
{
	mkdir(TREE, 0755);
	mkdir(TREE_WORK, 0755);
	int fd = open(STATE, O_RDWR | O_CREAT, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*fuzz_shared)) < 0 || fchmod(fd, 0666) < 0)
		give_up(STATE);
	close(fd);
	tree_map_shared();
	/* All of it is in memory: a worker may lock what it has mapped. */
	memset(fuzz_shared, 0, sizeof(*fuzz_shared));
	for (size_t i = 0; i < COUNT(files); i++) {
		fd = open(files[i].path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		if (fd < 0)
			give_up(files[i].path);
		if (files[i].program)
			copy_program(fd);
		if (fchown(fd, files[i].uid, files[i].gid) < 0 || fchmod(fd, files[i].mode) < 0)
			give_up(files[i].path);
		fstat(fd, &as_made[i]);
		close(fd);
	}
	make_devices();
	collect("/proc", 0);
	collect("/sys", 1);
}

bool tree_is_whole(void)
{
	char text[300];
	struct stat now;

	for (size_t i = 0; i < COUNT(files); i++) {
		if (stat(files[i].path, &now) == 0 && now.st_mode == as_made[i].st_mode &&
		    now.st_uid == as_made[i].st_uid && now.st_gid == as_made[i].st_gid &&
		    (strcmp(files[i].path, TREE_FINDINGS) == 0 ||
		     (now.st_size == as_made[i].st_size &&
		      now.st_mtim.tv_nsec == as_made[i].st_mtim.tv_nsec)))
			continue;
		fuzz_finding("%s is not as it was made: mode %o, uid %u, gid %u, %lld bytes, "
			     "written to at %lld.%09ld, made at %lld.%09ld",
			     files[i].path, now.st_mode, now.st_uid, now.st_gid,
			     (long long)now.st_size, (long long)now.st_mtim.tv_sec,
			     now.st_mtim.tv_nsec, (long long)as_made[i].st_mtim.tv_sec,
			     as_made[i].st_mtim.tv_nsec);
		return false;
	}
	if (tree_read_text(TREE_FINDINGS, text, sizeof(text)) == 0)
		return true;
	fuzz_finding("a privileged program: %s", text);
	return false;
}

void tree_open_work(void)
{
	if (mount("tmpfs", TREE_WORK, "tmpfs", MS_NOSUID, "size=8m,mode=1777") < 0)
		give_up(TREE_WORK);
}

bool tree_close_work(void)
{
	if (umount2(TREE_WORK, 0) == 0)
		return true;
	fuzz_finding("umount of " TREE_WORK ": %s, with no worker left", strerror(errno));
	return false;
}

void tree_become_user(uid_t uid)
{
	static const struct {
		int resource;
		rlim_t limit;
	} limits[] = {
		{ RLIMIT_NPROC, 100 },	     { RLIMIT_NOFILE, 1000 }, { RLIMIT_AS, 256UL << 20 },
		{ RLIMIT_FSIZE, 4UL << 20 }, { RLIMIT_CORE, 0 },      { RLIMIT_SIGPENDING, 3000 },
	};

	for (size_t i = 0; i < COUNT(limits); i++)
		setrlimit(limits[i].resource, &(struct rlimit){ limits[i].limit, limits[i].limit });
	if (chdir(TREE_WORK) < 0 || setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
	    setresuid(uid, uid, uid) < 0)
		_exit(5);
	/* As after a login: /proc/self is its own. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}
