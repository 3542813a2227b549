/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kinds of programs that a user executes: an ordinary one, some that give privileges, one that the user may
 * not read. Each is a copy of the observing program, which finds its kind's name as the second argument.
 */
#ifndef TESTS_NEW_PROGRAM_H
#define TESTS_NEW_PROGRAM_H

#include "observe.h"

#include <grp.h>
#include <sys/stat.h>

enum { USER = 1000, STRANGER = 2000 };

static const struct kind {
	const char *name, *path;
	uid_t owner;
	gid_t group;
	mode_t mode;
} kinds[] = {
	{ "plain", "/tmp/plain-program", 0, 0, 0755 },
	{ "set-uid", "/tmp/set-uid-program", 0, 0, 04755 },
	{ "set-uid self", "/tmp/set-uid-self-program", USER, USER, 04755 },
	{ "set-uid stranger", "/tmp/set-uid-stranger-program", STRANGER, STRANGER, 04755 },
	{ "set-gid", "/tmp/set-gid-program", 0, STRANGER, 02755 },
	{ "unreadable", "/tmp/unreadable-program", 0, 0, 0711 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
/* Indexes. */
enum { PLAIN = 0, SET_UID = 1, UNREADABLE = 5 };

static inline void fail_to(const char *what)
{
	show(error_name(errno), "%s", what);
	fflush(stdout);
	_exit(1);
}

static inline void make_program(const struct kind *kind)
{
	int from = open("/proc/self/exe", O_RDONLY),
	    to = open(kind->path, O_CREAT | O_WRONLY, 0700);
	char buffer[4096];
	ssize_t size;

	if (from < 0 || to < 0)
		fail_to(kind->path);
	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)size) != size)
			fail_to(kind->path);
	close(from);
	close(to);
	if (chown(kind->path, kind->owner, kind->group) || chmod(kind->path, kind->mode))
		fail_to(kind->path);
}

/* All of them; as root. */
static inline void make_programs(void)
{
	mkdir("/tmp", 01777);
	chmod("/tmp", 01777);
	for (int i = 0; i < KINDS; i++)
		make_program(&kinds[i]);
}

/* The caller is USER, for good; processes with the same credentials may look into it. */
static inline void become_user(void)
{
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		fail_to("becoming a user");
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* The caller executes the program of KIND, to do WHAT. */
static inline void execute(const struct kind *kind, const char *what)
{
	fflush(stdout);
	execl(kind->path, "program", what, kind->name, NULL);
	fail_to("executing a program");
}

#endif
