// SPDX-License-Identifier: BSD-2-Clause
/*
 * Permissions of files: opening, changing, removing and renaming, by owner, group and others.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/xattr.h>

#include "permissions.h"

/* Where this program has its files. */
#define HERE "/tmp/permissions"
#include "child.h"

static const char *open_and_close(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd < 0)
		return error_name(errno);
	close(fd);
	return "ok";
}

/* --- who may open what --- */

static const struct {
	const char *name;
	uid_t uid;
	gid_t gid;
	mode_t mode;
} files[] = {
	{ "own", USER, 0, 0600 },
	{ "own, closed to the owner", USER, GROUP, 0077 },
	{ "of the group", 0, GROUP, 0640 },
	{ "closed to the group", 0, GROUP, 0606 },
	{ "of a supplementary group", 0, OTHER_GROUP, 0060 },
	{ "of others", 0, 0, 0604 },
	{ "for all", 0, 0, 0777 },
	{ "for none", 0, 0, 0 },
	{ "to run", 0, 0, 0711 },
};

static const char *path_of(size_t i)
{
	static char path[64];

	snprintf(path, sizeof(path), HERE "/file%zu", i);
	return path;
}

static const char *who;

static void open_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char text[160];
		const char *path = path_of(i);

		snprintf(text, sizeof(text), "%s ", open_and_close(path, O_RDONLY));
		strcat(text, open_and_close(path, O_WRONLY));
		strcat(text, " ");
		strcat(text, open_and_close(path, O_RDONLY | O_TRUNC));
		strcat(text, " ");
		strcat(text, open_and_close(path, O_PATH));
		strcat(text, ", x ");
		strcat(text, outcome(access(path, X_OK)));
		strcat(text, ", rw ");
		strcat(text, outcome(access(path, R_OK | W_OK)));
		show(text, "%s opens a file %s", who, files[i].name);
	}
}

/* A refusal because of the type comes before one because of the mode. */
static void open_types(void)
{
	static const char *const paths[] = { HERE "/type/closed", HERE "/type/open",
					     HERE "/type/file", HERE "/type/link" };
	static const struct {
		const char *name;
		int flags;
	} ways[] = {
		{ "to read", O_RDONLY },
		{ "to write", O_WRONLY },
		{ "to read, cut", O_RDONLY | O_TRUNC },
		{ "to read, made", O_RDONLY | O_CREAT },
		{ "to write, made alone", O_WRONLY | O_CREAT | O_EXCL },
		{ "as a directory", O_RDONLY | O_DIRECTORY },
		{ "as a directory, to write", O_WRONLY | O_DIRECTORY },
		{ "as a name", O_PATH },
		{ "as a directory's name", O_PATH | O_DIRECTORY },
		{ "not through a link", O_WRONLY | O_NOFOLLOW },
		{ "not through a link, noatime", O_RDONLY | O_NOATIME | O_NOFOLLOW },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		for (size_t k = 0; k < sizeof(ways) / sizeof(ways[0]); k++)
			show(open_and_close(paths[i], ways[k].flags), "%s opens %s %s", who,
			     paths[i], ways[k].name);
}

static void open_as_user(void)
{
	who = "user";
	become_member(USER, GROUP);
	open_files();
	open_types();
}

static void open_as_root(void)
{
	who = "root";
	open_files();
	open_types();
}

static void open_as_effective_user(void)
{
	who = "effective user";
	must(seteuid(USER), "user");
	open_files();
	SEE(faccessat(AT_FDCWD, path_of(7), R_OK, AT_EACCESS));
	SEE(faccessat(AT_FDCWD, path_of(7), R_OK, 0));
}

/* --- changes --- */

static void change_as_user(void)
{
	struct timeval times[2] = { { 1, 0 }, { 2, 0 } };
	struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };
	struct timespec half[2] = { { 0, UTIME_NOW }, { 0, UTIME_OMIT } };
	struct timespec none[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };

	become_member(USER, GROUP);
	SEE(chmod(HERE "/own", 02755));
	show(mode_of(HERE "/own"), "set-group-ID of a group of one's own");
	SEE(chmod(HERE "/foreign-group", 02755));
	show(mode_of(HERE "/foreign-group"), "set-group-ID of a foreign group");
	SEE(chmod(HERE "/foreign", 0777));
	SEE(chown(HERE "/own", USER, OTHER_GROUP));
	show(mode_of(HERE "/own"), "given to a supplementary group");
	SEE(chown(HERE "/own", USER, 0));
	SEE(chown(HERE "/own", ANOTHER, -1));
	SEE(chown(HERE "/own", USER, -1));
	SEE(chown(HERE "/own", -1, -1));
	SEE(chown(HERE "/foreign", -1, -1));
	SEE(chown(HERE "/foreign", 0, 0));
	SEE(utimes(HERE "/own", times));
	SEE(utimes(HERE "/foreign", times));
	SEE(utimes(HERE "/foreign", NULL));
	SEE(utimes(HERE "/writable", times));
	SEE(utimes(HERE "/writable", NULL));
	SEE(utimensat(AT_FDCWD, HERE "/writable", now, 0));
	SEE(utimensat(AT_FDCWD, HERE "/writable", half, 0));
	SEE(utimensat(AT_FDCWD, HERE "/foreign", none, 0));
	SEE(truncate(HERE "/foreign", 0));
	SEE(truncate(HERE "/writable", 1));
	show(open_and_close(HERE "/writable", O_RDONLY | O_NOATIME), "O_NOATIME of a foreign file");
	show(open_and_close(HERE "/own", O_RDONLY | O_NOATIME), "O_NOATIME of one's own");
	show(open_and_close(HERE "/new", O_WRONLY | O_CREAT), "a new file in root's directory");
	SEE(mkdir(HERE "/new", 0755));
	SEE(unlink(HERE "/own"));
	SEE(rename(HERE "/own", HERE "/else"));
	SEE(symlink("x", HERE "/new"));
	SEE(link(HERE "/own", HERE "/new"));
	SEE(mknod(HERE "/sticky/device", S_IFCHR | 0600, makedev(1, 3)));
	SEE(mknod(HERE "/sticky/block", S_IFBLK | 0600, 0));
	SEE(mknod(HERE "/sticky/whiteout", S_IFCHR | 0600, 0));
	SEE(mknod(HERE "/sticky/fifo", S_IFIFO | 0600, 0));
	SEE(chroot(HERE));
	SEE(chroot(HERE "/closed"));
	SEE(chdir(HERE "/closed"));
	SEE(open("/tmp/permissions/closed/file", O_RDONLY));
	SEE(setxattr(HERE "/own", "trusted.x", "1", 1, 0));
	SEE(getxattr(HERE "/own", "trusted.y", NULL, 0));
	SEE(setxattr(HERE "/own", "security.x", "1", 1, 0));
	SEE(getxattr(HERE "/own", "security.y", NULL, 0));
	SEE(setxattr(HERE "/foreign", "user.x", "1", 1, 0));
	SEE(setxattr(HERE "/sticky", "user.x", "1", 1, 0));
	SEE(listxattr(HERE "/own", NULL, 0));
}

static void use_sticky(void)
{
	become_member(USER, GROUP);
	show(open_and_close(HERE "/sticky/mine", O_WRONLY | O_CREAT), "sticky: a new file");
	show(mode_of(HERE "/sticky/mine"), "sticky: whose it is");
	SEE(unlink(HERE "/sticky/foreign"));
	SEE(rename(HERE "/sticky/foreign", HERE "/sticky/else"));
	SEE(rename(HERE "/sticky/mine", HERE "/sticky/foreign"));
	SEE(rename(HERE "/sticky/mine", HERE "/sticky/moved"));
	SEE(unlink(HERE "/sticky/moved"));
	SEE(rmdir(HERE "/sticky/directory"));
	SEE(unlink(HERE "/own-sticky/foreign"));
	SEE(rename(HERE "/open/foreign", HERE "/open/elsewhere"));
	SEE(rename(HERE "/open/directory", HERE "/open/renamed"));
	SEE(rename(HERE "/open/renamed", HERE "/own-sticky/renamed"));
	SEE(unlink(HERE "/open/elsewhere"));
	show(open_and_close(HERE "/readable/new", O_WRONLY | O_CREAT), "a directory to read only");
	SEE(access(HERE "/readable/file", F_OK));
	SEE(access(HERE "/listable/file", F_OK));
	DIR *directory = opendir(HERE "/searchable");
	show(directory ? "ok" : error_name(errno), "opendir of a directory to search only");
	SEE(access(HERE "/searchable/file", F_OK));
}

static void use_group_directory(void)
{
	become_member(USER, GROUP);
	umask(0);
	show(open_and_close(HERE "/group/file", O_WRONLY | O_CREAT), "group directory: a new file");
	show(mode_of(HERE "/group/file"), "group directory: a file's group");
	SEE(mkdir(HERE "/group/directory", 0755));
	show(mode_of(HERE "/group/directory"), "group directory: a directory's group");
	SEE(close(open(HERE "/group/strange", O_WRONLY | O_CREAT, 02777)));
	show(mode_of(HERE "/group/strange"), "group directory: set-group-ID taken away");
	SEE(close(open(HERE "/group/lock", O_WRONLY | O_CREAT, 02767)));
	show(mode_of(HERE "/group/lock"), "group directory: set-group-ID without x");
	SEE(symlink("x", HERE "/group/link"));
	show(mode_of(HERE "/group/link"), "group directory: a link's group");
}

int main(void)
{
	mkdir("/tmp", 01777);
	umask(022);
	make_directory(HERE, 0, 0, 0755);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(path_of(i), files[i].uid, files[i].gid, files[i].mode);
	make_directory(HERE "/type", 0, 0, 0755);
	make_directory(HERE "/type/closed", 0, 0, 0700);
	make_directory(HERE "/type/open", 0, 0, 0755);
	make_file(HERE "/type/file", 0, 0, 0600);
	must(symlink(HERE "/type/closed", HERE "/type/link"), "a link");
	in_child(open_as_root);
	in_child(open_as_user);
	in_child(open_as_effective_user);

	make_file(HERE "/own", USER, GROUP, 0644);
	make_file(HERE "/foreign-group", USER, 7, 0644);
	make_file(HERE "/foreign", 0, 0, 0644);
	make_file(HERE "/writable", 0, 0, 0666);
	make_directory(HERE "/closed", 0, 0, 0700);
	make_file(HERE "/closed/file", 0, 0, 0666);
	make_directory(HERE "/sticky", 0, 0, 01777);
	must(setxattr(HERE "/own", "trusted.hidden", "1", 1, 0), "an attribute");
	in_child(change_as_user);

	make_file(HERE "/sticky/foreign", 0, 0, 0666);
	make_directory(HERE "/sticky/directory", 0, 0, 0777);
	make_directory(HERE "/own-sticky", USER, 0, 01777);
	make_file(HERE "/own-sticky/foreign", 0, 0, 0600);
	make_directory(HERE "/open", 0, 0, 0777);
	make_file(HERE "/open/foreign", 0, 0, 0600);
	make_directory(HERE "/open/directory", 0, 0, 0755);
	make_directory(HERE "/readable", 0, 0, 0755);
	make_directory(HERE "/listable", 0, 0, 0744);
	make_directory(HERE "/searchable", 0, 0, 0711);
	in_child(use_sticky);

	make_directory(HERE "/group", 0, 7, 02777);
	in_child(use_group_directory);
	return 0;
}
