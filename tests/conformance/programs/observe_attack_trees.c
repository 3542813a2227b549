/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of /proc (but those of processes), /sys and tracefs, attacked: all files of each pattern, by
 * every attacker of attackers.h. The patterns are docs/permissions.md's; its test compares the two.
 *
 * An attack's result is that of the first files of its pattern, or "mixed" where they differ.
 */
#include "tracepoint.h"
#include "attackers.h"

#include <dirent.h>
#include <fnmatch.h>
#include <ftw.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

static const char *const patterns[] = {
#define PATTERN(text) text,
#include "attacked_trees.h"
};

enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]), FILES_MAX = 2000, FILES_OF_PATTERN = 3 };

static struct {
	char *path;
	unsigned int pattern;
	mode_t mode;
} files[FILES_MAX];
static size_t file_count;
static unsigned int kept[PATTERNS]; /* files of each pattern */

/* The number of the first pattern that PATH fits, or PATTERNS. */
static unsigned int pattern_of(const char *path)
{
	unsigned int i = 0;

	while (i < PATTERNS && fnmatch(patterns[i], path, FNM_PATHNAME))
		i++;
	return i;
}

/* Processes are observe_attack_proc's, and below debug are the files of tracefs again. */
static bool is_left_out(const char *path)
{
	return (strncmp(path, "/proc/", 6) == 0 && path[6] >= '0' && path[6] <= '9') ||
	       strcmp(path, "/sys/kernel/debug") == 0;
}

static int keep(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
	(void)kind;
	(void)walk;
	if (is_left_out(path))
		return FTW_SKIP_SUBTREE;
	unsigned int pattern = pattern_of(path);

	/* Enough of what is made by one rule. */
	if (pattern == PATTERNS || file_count == FILES_MAX || kept[pattern]++ >= FILES_OF_PATTERN)
		return FTW_CONTINUE;
	files[file_count].path = strdup(path);
	files[file_count].pattern = pattern;
	files[file_count++].mode = about->st_mode;
	return FTW_CONTINUE;
}

/* --- attacks on one file; 0 or a negative error --- */

static long to_read(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	long result = done(read(fd, &byte, 1));

	close(fd);
	return result == -EAGAIN || result == -EISDIR ? 0 : result;
}

static long opened(const char *path, int flags)
{
	int fd = open(path, flags | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long to_write(const char *path)
{
	return opened(path, O_WRONLY);
}

static long to_list(const char *path)
{
	char room[256];
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	if (fd < 0)
		return -errno;
	long result = done(syscall(SYS_getdents64, fd, room, sizeof(room)));

	close(fd);
	return result;
}

static long to_enter(const char *path)
{
	return done(chdir(path));
}

static long to_follow(const char *path)
{
	char text[256];

	return done(readlink(path, text, sizeof(text)));
}

/* To what it is, so that who may does no harm. */
static long to_change_mode(const char *path)
{
	struct stat about;

	if (stat(path, &about) < 0)
		return -errno;
	return done(chmod(path, about.st_mode & 07777));
}

static long to_change_owner(const char *path)
{
	struct stat about;

	if (stat(path, &about) < 0)
		return -errno;
	return done(chown(path, about.st_uid, about.st_gid));
}

static long to_take_away(const char *path)
{
	return done(unlink(path));
}

static long to_take_directory_away(const char *path)
{
	return done(rmdir(path));
}

static long to_rename(const char *path)
{
	char other[256];

	snprintf(other, sizeof(other), "%s-attacked", path);
	return done(rename(path, other));
}

static long to_link(const char *path)
{
	char other[256];

	snprintf(other, sizeof(other), "%s-attacked", path);
	return done(link(path, other));
}

static long to_make_below(const char *path)
{
	char other[256];

	snprintf(other, sizeof(other), "%s/attacked", path);
	return done(mkdir(other, 0777));
}

static long to_create_below(const char *path)
{
	char other[256];

	snprintf(other, sizeof(other), "%s/attacked", path);
	return opened(other, O_WRONLY | O_CREAT);
}

static long to_name_a_value(const char *path)
{
	return done(setxattr(path, "user.attacked", "x", 1, 0));
}

static const struct action {
	const char *name;
	long (*act)(const char *path);
	mode_t type; /* of which files */
} actions[] = {
	{ "read", to_read, S_IFREG },
	{ "write", to_write, S_IFREG },
	{ "list", to_list, S_IFDIR },
	{ "enter", to_enter, S_IFDIR },
	{ "follow", to_follow, S_IFLNK },
	{ "change the mode", to_change_mode, S_IFREG },
	{ "change the mode", to_change_mode, S_IFDIR },
	{ "change the owner", to_change_owner, S_IFREG },
	{ "take away", to_take_away, S_IFREG },
	{ "take away", to_take_away, S_IFLNK },
	{ "take away", to_take_directory_away, S_IFDIR },
	{ "rename", to_rename, S_IFREG },
	{ "link", to_link, S_IFREG },
	{ "name a value", to_name_a_value, S_IFREG },
	{ "make below", to_make_below, S_IFDIR },
	{ "create below", to_create_below, S_IFDIR },
};

enum { ACTIONS = sizeof(actions) / sizeof(actions[0]), NOT_TRIED = 1, MIXED = 2 };

/* [pattern][action][attacker] */
static int16_t (*results)[ACTIONS][ATTACKERS];

static void attack(unsigned int attacker, unsigned int number)
{
	const struct action *action = &actions[number];

	for (size_t i = 0; i < file_count; i++) {
		int16_t *result = &results[files[i].pattern][number][attacker];

		if ((files[i].mode & S_IFMT) != action->type)
			continue;
		int16_t got = (int16_t)action->act(files[i].path);

		if (*result == NOT_TRIED)
			*result = got;
		else if (*result != got)
			*result = MIXED;
	}
}

static const char *text_of(int16_t result)
{
	return result == MIXED ? "mixed" : result < 0 ? error_name(-result) : "ok";
}

static void print(unsigned int pattern, unsigned int number)
{
	const int16_t *of = results[pattern][number];

	if (of[PLAIN_USER] == NOT_TRIED)
		return;
	printf("%s %s: %s", actions[number].name, patterns[pattern], text_of(of[PLAIN_USER]));
	for (unsigned int attacker = 1; attacker < ATTACKERS; attacker++)
		if (of[attacker] != of[PLAIN_USER] && is_chosen(attacker))
			printf(", %s %s", attacker_name(attacker), text_of(of[attacker]));
	printf("\n");
}

/* The modes and owners of all files of a pattern. */
static void print_modes(unsigned int pattern)
{
	char text[128] = "", one[32];

	for (size_t i = 0; i < file_count; i++) {
		struct stat about;

		if (files[i].pattern != pattern || lstat(files[i].path, &about) < 0)
			continue;
		snprintf(one, sizeof(one), " %06o of %u %u", about.st_mode, about.st_uid,
			 about.st_gid);
		if (!strstr(text, one))
			strncat(text, one, sizeof(text) - strlen(text) - 1);
	}
	if (text[0])
		show(text + 1, "modes of %s", patterns[pattern]);
}

/* --- which files there are, for tests/conformance/permissions.t --- */

/* One line for each file that no pattern has, and each pattern without a file. */
static int show_unlisted(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
	(void)about;
	(void)kind;
	if (is_left_out(path))
		return FTW_SKIP_SUBTREE;
	unsigned int pattern = pattern_of(path);

	if (pattern < PATTERNS)
		kept[pattern]++;
	else if (walk->level > 0)
		puts(path);
	return FTW_CONTINUE;
}

/* One line for each file of a process or a thread, in DIRECTORY, called NAME in the document. */
static void show_names(const char *directory, const char *name)
{
	DIR *files_of = opendir(directory);
	struct dirent *entry;

	while (files_of && (entry = readdir(files_of)))
		if (entry->d_name[0] != '.')
			printf("%s%s\n", name, entry->d_name);
	if (files_of)
		closedir(files_of);
}

static void show_files(void)
{
	nftw("/proc", show_unlisted, 30, FTW_PHYS | FTW_ACTIONRETVAL);
	nftw("/sys", show_unlisted, 30, FTW_PHYS | FTW_ACTIONRETVAL);
	for (unsigned int i = 0; i < PATTERNS; i++)
		if (!kept[i])
			printf("unmet %s\n", patterns[i]);
	show_names("/proc/self", "/proc/PID/");
	show_names("/proc/thread-self", "/proc/PID/");
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "files") == 0) {
		show_files();
		return 0;
	}
	choose_attackers(argc, argv);
	need_tracefs();
	mkdir("/tmp", 01777);
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	nftw("/proc", keep, 30, FTW_PHYS | FTW_ACTIONRETVAL);
	nftw("/sys", keep, 30, FTW_PHYS | FTW_ACTIONRETVAL);
	size_t size = sizeof(*results) * PATTERNS;

	results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < size / sizeof(int16_t); i++)
		((int16_t *)results)[i] = NOT_TRIED;
	fflush(stdout);
	for (unsigned int attacker = 0; attacker < ATTACKERS; attacker++) {
		if (!is_chosen(attacker))
			continue;

		pid_t pid = fork();

		if (pid == 0) {
			become_attacker(attacker);
			for (unsigned int i = 0; i < ACTIONS; i++)
				attack(attacker, i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (unsigned int i = 0; i < PATTERNS; i++) {
		print_modes(i);
		for (unsigned int k = 0; k < ACTIONS; k++)
			print(i, k);
	}
	return 0;
}
