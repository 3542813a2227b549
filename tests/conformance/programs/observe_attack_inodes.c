/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Permissions of files in general, attacked: others' files and directories, sticky directories, links of
 * others, bits that give privileges, times, owners, by every attacker of attackers.h. Each attacker gets new
 * files.
 */
#include "attackers.h"

#include <dirent.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>

#define HERE "/tmp/attacked/"

static void make(const char *name, mode_t mode, uid_t uid)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1 || fchown(fd, uid, uid) || fchmod(fd, mode))
		show(error_name(errno), "making %s", name);
	close(fd);
}

static void make_directory(const char *name, mode_t mode, uid_t uid)
{
	if (mkdir(name, 0700) || chown(name, uid, uid) || chmod(name, mode))
		show(error_name(errno), "making %s", name);
}

static void make_link(const char *target, const char *name, uid_t uid)
{
	if (symlink(target, name) || lchown(name, uid, uid))
		show(error_name(errno), "making %s", name);
}

/* Takes away all that is in the directory PATH. */
static void empty(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	char name[512];

	while (directory && (entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (unlink(name) < 0) {
			empty(name);
			rmdir(name);
		}
	}
	if (directory)
		closedir(directory);
}

static void make_all(void)
{
	umask(0);
	mkdir("/tmp/attacked", 0755);
	make(HERE "root's", 0644, 0);
	make(HERE "root's private", 0600, 0);
	make(HERE "other's", 0644, OTHER_USER);
	make(HERE "other's open", 0666, OTHER_USER);
	make(HERE "other's private", 0600, OTHER_USER);
	make(HERE "other's set-uid", 04777, OTHER_USER);
	make(HERE "other's set-gid", 02777, OTHER_USER);
	make(HERE "own", 0600, USER);
	make(HERE "own set-uid", 06777, USER);
	make(HERE "own of root's group", 02777, USER);
	if (chown(HERE "own of root's group", USER, 0) || chmod(HERE "own of root's group", 02777))
		show(error_name(errno), "giving a group");
	make_directory(HERE "closed", 0700, OTHER_USER);
	make(HERE "closed/file", 0666, OTHER_USER);
	make_directory(HERE "open", 0777, OTHER_USER);
	make(HERE "open/file", 0600, OTHER_USER);
	make_directory(HERE "sticky", 01777, 0);
	make(HERE "sticky/other's", 0666, OTHER_USER);
	make(HERE "sticky/own", 0666, USER);
	make_link(HERE "other's open", HERE "sticky/other's link", OTHER_USER);
	make_link(HERE "other's open", HERE "sticky/own link", USER);
	make_link(HERE "other's open", HERE "sticky/root's link", 0);
	make_link(HERE "open", HERE "sticky/other's way", OTHER_USER);
	if (mkfifo(HERE "sticky/other's fifo", 0666) ||
	    lchown(HERE "sticky/other's fifo", OTHER_USER, OTHER_USER))
		show(error_name(errno), "making a fifo");
}

static void take_all(void)
{
	empty("/tmp/attacked");
}

/* --- attacks on attacked_file --- */

static const char *path(void)
{
	static char text[128];

	snprintf(text, sizeof(text), HERE "%s", attacked_file);
	return text;
}

static long to_read(void)
{
	return done(open(path(), O_RDONLY | O_NONBLOCK));
}

static long to_write(void)
{
	return done(open(path(), O_WRONLY));
}

static long to_create(void)
{
	return done(open(path(), O_WRONLY | O_CREAT, 0600));
}

static long to_open_both(void)
{
	return done(open(path(), O_RDWR | O_CREAT | O_NONBLOCK, 0600));
}

static long without_time(void)
{
	return done(open(path(), O_RDONLY | O_NOATIME));
}

static long to_change_mode(void)
{
	return done(chmod(path(), 0777));
}

/* The permissions of the file as a number whose decimal digits are their octal ones. */
static long permissions(void)
{
	struct stat about;

	if (stat(path(), &about) < 0)
		return -errno;
	return (about.st_mode >> 9 & 7) * 1000l + (about.st_mode >> 6 & 7) * 100l +
	       (about.st_mode >> 3 & 7) * 10l + (about.st_mode & 7);
}

/* The mode that comes of asking for 06777, where it may be asked for. */
static long mode_given(void)
{
	return chmod(path(), 06777) < 0 ? -errno : permissions();
}

static long mode_after(long result)
{
	return result < 0 ? result : permissions();
}

static long mode_after_writing(void)
{
	int fd = open(path(), O_WRONLY);

	if (fd < 0)
		return -errno;
	return mode_after(done(write(fd, "y", 1)));
}

static long mode_after_cutting(void)
{
	return mode_after(done(truncate(path(), 0)));
}

static long mode_after_owner(void)
{
	return mode_after(done(chown(path(), (uid_t)-1, (gid_t)-1)));
}

static long to_take(void)
{
	return done(chown(path(), USER, (gid_t)-1));
}

static long to_give_away(void)
{
	return done(chown(path(), 4000, (gid_t)-1));
}

static long to_give_group(void)
{
	return done(chown(path(), (uid_t)-1, 4000));
}

static long to_set_times(void)
{
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

	return done(utimensat(AT_FDCWD, path(), times, 0));
}

static long to_touch(void)
{
	return done(utimensat(AT_FDCWD, path(), NULL, 0));
}

static long to_link(void)
{
	long result = done(link(path(), HERE "open/link"));

	unlink(HERE "open/link");
	return result;
}

static long to_link_descriptor(void)
{
	int fd = open(path(), O_PATH);
	char name[40];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return done(linkat(AT_FDCWD, name, AT_FDCWD, HERE "open/link2", AT_SYMLINK_FOLLOW));
}

static long to_remove(void)
{
	return done(unlink(path()));
}

static long to_rename(void)
{
	return done(rename(path(), HERE "open/renamed"));
}

static long to_replace(void)
{
	close(open(HERE "open/new", O_WRONLY | O_CREAT, 0600));
	return done(rename(HERE "open/new", path()));
}

static long to_make_directory(void)
{
	return done(mkdir(path(), 0777));
}

static long to_name_user_value(void)
{
	return done(setxattr(path(), "user.x", "y", 1, 0));
}

static long to_name_trusted_value(void)
{
	return done(setxattr(path(), "trusted.x", "y", 1, 0));
}

static long to_name_security_value(void)
{
	return done(setxattr(path(), "security.x", "y", 1, 0));
}

static long to_lock(void)
{
	struct flock lock = { .l_type = F_WRLCK };
	int fd = open(path(), O_RDONLY);

	if (fd < 0)
		return -errno;
	return done(fcntl(fd, F_SETLK, &lock));
}

static long to_watch(void)
{
	int fd = inotify_init1(IN_CLOEXEC);
	long result = done(inotify_add_watch(fd, path(), IN_ALL_EVENTS));

	close(fd);
	return result;
}

#define ON(what, f)                                       \
	{                                                 \
		.name = #what, .alone = what, .file = (f) \
	}

static const struct attack attacks[] = {
	ON(to_read, "root's private"),
	ON(to_read, "closed/file"),
	ON(to_read, "closed/nothing"),
	ON(to_read, "closed"),
	ON(to_write, "root's"),
	ON(to_write, "other's"),
	ON(to_write, "other's private"),
	ON(to_lock, "root's"),
	ON(without_time, "root's"),
	ON(without_time, "other's"),
	ON(without_time, "own"),
	ON(to_change_mode, "root's"),
	ON(to_change_mode, "other's open"),
	ON(mode_given, "own"),
	ON(mode_given, "own of root's group"),
	ON(mode_given, "other's set-gid"),
	ON(mode_after_writing, "own set-uid"),
	ON(mode_after_writing, "other's set-uid"),
	ON(mode_after_writing, "other's set-gid"),
	ON(mode_after_cutting, "own of root's group"),
	ON(mode_after_cutting, "other's set-uid"),
	ON(mode_after_owner, "own set-uid"),
	ON(to_take, "other's"),
	ON(to_take, "own"),
	ON(to_give_away, "own"),
	ON(to_give_group, "own"),
	ON(to_set_times, "other's open"),
	ON(to_touch, "other's open"),
	ON(to_touch, "other's"),
	ON(to_link, "root's"),
	ON(to_link, "other's"),
	ON(to_link, "other's open"),
	ON(to_link, "other's private"),
	ON(to_link, "other's set-uid"),
	ON(to_link, "other's set-gid"),
	ON(to_link, "own set-uid"),
	ON(to_link, "sticky/other's link"),
	ON(to_link, "sticky/other's fifo"),
	ON(to_link, "closed/file"),
	ON(to_link_descriptor, "other's"),
	ON(to_remove, "other's"),
	ON(to_remove, "open/file"),
	ON(to_remove, "sticky/other's"),
	ON(to_remove, "sticky/own"),
	ON(to_remove, "closed/file"),
	ON(to_remove, "closed/nothing"),
	ON(to_rename, "sticky/other's"),
	ON(to_rename, "closed/file"),
	ON(to_rename, "closed/nothing"),
	ON(to_replace, "sticky/other's"),
	ON(to_replace, "closed/nothing"),
	ON(to_make_directory, "closed/file"),
	ON(to_make_directory, "closed/nothing"),
	ON(to_create, "closed/nothing"),
	ON(to_create, "sticky/other's"),
	ON(to_create, "sticky/own"),
	ON(to_create, "sticky/other's link"),
	ON(to_read, "sticky/other's link"),
	ON(to_read, "sticky/own link"),
	ON(to_read, "sticky/root's link"),
	ON(to_read, "sticky/other's way"),
	ON(to_read, "sticky/other's way/file"),
	ON(to_change_mode, "sticky/other's link"),
	ON(to_open_both, "sticky/other's fifo"),
	ON(to_name_user_value, "other's"),
	ON(to_name_user_value, "sticky"),
	ON(to_name_trusted_value, "own"),
	ON(to_name_security_value, "own"),
	ON(to_name_security_value, "other's open"),
	ON(to_watch, "other's open"),
	ON(to_watch, "other's private"),
	ON(to_watch, "closed"),
	ON(to_watch, "closed/file"),
	ON(to_watch, "sticky/other's link"),
	ON(to_watch, "sticky/other's fifo"),
};

int main(int argc, char **argv)
{
	static const char *const alone[] = { "" };

	choose_attackers(argc, argv);
	mkdir("/tmp", 01777);
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), alone, 1, make_all, take_all);
	return 0;
}
