/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files with owners and modes.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_PERMISSIONS_H
#define TESTS_PERMISSIONS_H

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>

#include "observe.h"

enum { USER = 1000, ANOTHER = 2000, GROUP = 50, OTHER_GROUP = 60 };

static void must(int result, const char *what)
{
	if (result < 0)
		show(error_name(errno), "making %s", what);
}

static void make_file(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	must(fd, path);
	must((int)write(fd, "text", 4), path);
	must(close(fd), path);
	must(chown(path, uid, gid), path);
	must(chmod(path, mode), path);
}

static void make_directory(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
	must(mkdir(path, 0700), path);
	must(chown(path, uid, gid), path);
	must(chmod(path, mode), path);
}

static void become_member(uid_t uid, gid_t gid)
{
	gid_t more = OTHER_GROUP;

	must(setgroups(1, &more), "groups");
	must(setresgid(gid, gid, gid), "a group");
	must(setresuid(uid, uid, uid), "user");
}

static const char *mode_of(const char *path)
{
	static char text[64];
	struct stat stat;

	if (lstat(path, &stat) < 0)
		return error_name(errno);
	snprintf(text, sizeof(text), "%o %u %u", stat.st_mode, stat.st_uid, stat.st_gid);
	return text;
}

#endif
