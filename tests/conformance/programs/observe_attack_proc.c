/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of /proc/PID, attacked: each file and each thing that can be done to one, by every attacker on
 * every kind of victim (attackers.h, victims.h). Contents that only some users may know are part of the
 * results.
 */
#include "victims.h"

#include <sys/xattr.h>

/* The path of the attacked file of VICTIM. */
static const char *path_of(unsigned int victim)
{
	static char path[128];
	const char *file = attacked_file;

	if (strncmp(file, "task/TID", 8) == 0)
		snprintf(path, sizeof(path), "/proc/%d/task/%d%s", victims[victim], victims[victim],
			 file + 8);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", victims[victim], file);
	return path;
}

static long read_it(unsigned int victim)
{
	char byte;
	int fd = open(path_of(victim), O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	return done(pread(fd, &byte, 1,
			  (off_t)(strstr(attacked_file, "mem") ? (uintptr_t)&victim_word : 0)));
}

static long open_to_write(unsigned int victim)
{
	return done(open(path_of(victim), O_WRONLY | O_NONBLOCK));
}

static long write_text(unsigned int victim, const char *text)
{
	return done(write_file(path_of(victim), text));
}

static long write_memory(unsigned int victim)
{
	int fd = open(path_of(victim), O_WRONLY);

	if (fd < 0)
		return -errno;
	return done(pwrite(fd, "2", 1, (off_t)(uintptr_t)&victim_word));
}

static long write_name(unsigned int victim)
{
	return write_text(victim, "attacked");
}

/* Above what it was, then as it was, then below. */
static long write_more(unsigned int victim)
{
	return write_text(victim, "100");
}

static long write_less(unsigned int victim)
{
	return write_text(victim, "-100");
}

static long write_slack(unsigned int victim)
{
	return write_text(victim, "50000");
}

static long list(unsigned int victim)
{
	char room[1024];
	int fd = open(path_of(victim), O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -errno;
	return done(syscall(SYS_getdents64, fd, room, sizeof(room)));
}

static long follow(unsigned int victim)
{
	char text[256];

	return done(readlink(path_of(victim), text, sizeof(text)));
}

/* Through the link, which leads where no name need. */
static long pass(unsigned int victim)
{
	return done(open(path_of(victim), O_PATH));
}

static long change_mode(unsigned int victim)
{
	return done(chmod(path_of(victim), 0777));
}

static long change_owner(unsigned int victim)
{
	return done(chown(path_of(victim), USER, USER));
}

static long change_times(unsigned int victim)
{
	return done(utimensat(AT_FDCWD, path_of(victim), NULL, 0));
}

static long cut(unsigned int victim)
{
	return done(truncate(path_of(victim), 0));
}

static long take_away(unsigned int victim)
{
	return done(unlink(path_of(victim)));
}

static long take_directory_away(unsigned int victim)
{
	return done(rmdir(path_of(victim)));
}

static long rename_it(unsigned int victim)
{
	return done(rename(path_of(victim), "/proc/attacked"));
}

static long link_it(unsigned int victim)
{
	return done(link(path_of(victim), "/proc/attacked"));
}

static long make_below(unsigned int victim)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/attacked", path_of(victim));
	return done(mkdir(path, 0777));
}

static long create_below(unsigned int victim)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/attacked", path_of(victim));
	return done(open(path, O_WRONLY | O_CREAT, 0666));
}

static long name_a_value(unsigned int victim)
{
	return done(setxattr(path_of(victim), "user.attacked", "x", 1, 0));
}

/* --- contents --- */

static ssize_t contents(unsigned int victim, char *text, size_t size)
{
	int fd = open(path_of(victim), O_RDONLY);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

/* Whether stat shows addresses (start and end of code, of stack, of data, of arguments …). */
static long addresses_shown(unsigned int victim)
{
	/* Numbers of fields in proc(5); the field after the name is 3. */
	static const int fields[] = { 26, 27, 28, 45, 46, 47, 48, 49, 50, 51 };
	char text[2048], *field;
	long shown = 0;

	if (contents(victim, text, sizeof(text)) < 0)
		return -errno;
	field = strrchr(text, ')') + 1;
	for (int number = 3, i = 0; (field = strtok(number == 3 ? field : NULL, " ")); number++)
		if (i < (int)(sizeof(fields) / sizeof(fields[0])) && number == fields[i]) {
			/* Linux shows 1 in place of a code address that it hides. */
			shown += strtoull(field, NULL, 10) > 1;
			i++;
		}
	return shown > 0;
}

/* Returns the user ID of the file's owner. */
static long owned_by(unsigned int victim)
{
	struct stat about;

	if (stat(path_of(victim), &about) < 0)
		return -errno;
	return about.st_uid ? about.st_uid : 0;
}

static long has_text(unsigned int victim)
{
	char text[256];
	ssize_t size = contents(victim, text, sizeof(text));

	return size < 0 ? -errno : size > 0;
}

#define READ(f)                                             \
	{                                                   \
		.name = "read", .act = read_it, .file = (f) \
	}
#define WRITE(f)                                                           \
	{                                                                  \
		.name = "open to write", .act = open_to_write, .file = (f) \
	}
#define LIST(f)                                          \
	{                                                \
		.name = "list", .act = list, .file = (f) \
	}
#define LINK(f)                                           \
	{ .name = "follow", .act = follow, .file = (f) }, \
	{                                                 \
		.name = "pass", .act = pass, .file = (f)  \
	}
#define CHANGE(f)                                                                    \
	{ .name = "change the mode of", .act = change_mode, .file = (f) },           \
		{ .name = "change the owner of", .act = change_owner, .file = (f) }, \
		{ .name = "change the times of", .act = change_times, .file = (f) }, \
		{ .name = "cut", .act = cut, .file = (f) },                          \
		{ .name = "take away", .act = take_away, .file = (f) },              \
		{ .name = "rename", .act = rename_it, .file = (f) },                 \
		{ .name = "link", .act = link_it, .file = (f) },                     \
		{ .name = "name a value of", .act = name_a_value, .file = (f) },     \
	{                                                                            \
		.name = "make below", .act = make_below, .file = (f)                 \
	}

static const struct attack attacks[] = {
	READ("auxv"),
	READ("cgroup"),
	READ("cmdline"),
	READ("comm"),
	READ("environ"),
	READ("gid_map"),
	READ("limits"),
	READ("loginuid"),
	READ("maps"),
	READ("mem"),
	READ("mountinfo"),
	READ("mounts"),
	READ("oom_score"),
	READ("oom_score_adj"),
	READ("personality"),
	READ("projid_map"),
	READ("sessionid"),
	READ("setgroups"),
	READ("smaps"),
	READ("stat"),
	READ("statm"),
	READ("status"),
	READ("timerslack_ns"),
	READ("uid_map"),
	READ("fdinfo/1"),
	READ("task/TID/environ"),
	READ("task/TID/mem"),
	READ("task/TID/stat"),
	READ("task/TID/comm"),
	LIST("fd"),
	LIST("fdinfo"),
	LIST("ns"),
	LIST("task"),
	LIST("task/TID/fd"),
	LINK("exe"),
	LINK("cwd"),
	LINK("root"),
	LINK("fd/1"),
	{ .name = "follow", .act = follow, .file = "ns/pid" },
	{ .name = "follow", .act = follow, .file = "ns/user" },
	LINK("task/TID/exe"),
	WRITE("comm"),
	WRITE("environ"),
	WRITE("gid_map"),
	WRITE("mem"),
	WRITE("oom_score_adj"),
	WRITE("projid_map"),
	WRITE("setgroups"),
	WRITE("status"),
	WRITE("timerslack_ns"),
	WRITE("uid_map"),
	WRITE("task/TID/comm"),
	WRITE("task/TID/mem"),
	{ .name = "write memory by", .act = write_memory, .file = "mem" },
	{ .name = "write a name to", .act = write_name, .file = "comm" },
	{ .name = "write a name to", .act = write_name, .file = "task/TID/comm" },
	{ .name = "write more to", .act = write_more, .file = "oom_score_adj" },
	{ .name = "write a name to", .act = write_name, .file = "setgroups" },
	{ .name = "write a name to", .act = write_name, .file = "uid_map" },
	{ .name = "write less to", .act = write_less, .file = "oom_score_adj" },
	{ .name = "write a time to", .act = write_slack, .file = "timerslack_ns" },
	CHANGE("comm"),
	CHANGE("fd"),
	CHANGE("mem"),
	{ .name = "take the directory away", .act = take_directory_away, .file = "" },
	{ .name = "take the directory away", .act = take_directory_away, .file = "fd" },
	{ .name = "create below", .act = create_below, .file = "" },
	{ .name = "create below", .act = create_below, .file = "fd" },
	{ .name = "create below", .act = create_below, .file = "task" },
	{ .name = "addresses shown in", .act = addresses_shown, .file = "stat" },
	{ .name = "addresses shown in", .act = addresses_shown, .file = "task/TID/stat" },
	{ .name = "text in", .act = has_text, .file = "cmdline" },
	{ .name = "text in", .act = has_text, .file = "maps" },
	{ .name = "text in", .act = has_text, .file = "environ" },
	{ .name = "text in", .act = has_text, .file = "auxv" },
	{ .name = "owner of", .act = owned_by, .file = "" },
	{ .name = "owner of", .act = owned_by, .file = "environ" },
	{ .name = "owner of", .act = owned_by, .file = "fd" },
	{ .name = "owner of", .act = owned_by, .file = "task" },
	{ .name = "owner of", .act = owned_by, .file = "task/TID" },
	{ .name = "owner of", .act = owned_by, .file = "task/TID/comm" },
};

int main(int argc, char **argv)
{
	victim_main(argc, argv);
	choose_attackers(argc, argv);
	victims_install();
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), victim_names, VICTIMS,
		    victims_start, victims_end);
	return 0;
}
