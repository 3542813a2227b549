// SPDX-License-Identifier: BSD-2-Clause
/*
 * names.c: a program whose kernel work is that of file systems and memory: it makes, finds, misses, moves and removes names in
 * the folders that hold the files of the machine; maps a file of its own and reads where it lies; starts children. The kernel
 * work of tests/perf/count.t's point about unrelated files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES = 30, NAME_SIZE = 64, MEMORY = 1 << 20 };

static void check(int holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

static const char *name_of(char *text, const char *folder, const char *word, int number)
{
	snprintf(text, NAME_SIZE, "%s/%s%d", folder, word, number);
	return text;
}

static void work_in(const char *folder)
{
	char a[NAME_SIZE], b[NAME_SIZE];
	struct stat found;

	for (int i = 0; i < NAMES; i++) {
		int fd = open(name_of(a, folder, "made", i), O_CREAT | O_EXCL | O_WRONLY, 0600);

		check(fd >= 0 && write(fd, a, sizeof(a)) == sizeof(a) && close(fd) == 0, a);
		check(stat(a, &found) == 0, a);
		check(stat(name_of(b, folder, "missing", i), &found) < 0, b);
	}
	for (int i = 0; i < NAMES; i += 2)
		check(rename(name_of(a, folder, "made", i), name_of(b, folder, "moved", i)) == 0 &&
			      symlink(b, a) == 0 && stat(a, &found) == 0 && unlink(b) == 0,
		      a);
	for (int i = 0; i < NAMES; i++)
		check(unlink(name_of(a, folder, "made", i)) == 0, a);
	check(mkdir(name_of(a, folder, "folder", 0), 0700) == 0 && rmdir(a) == 0, a);
}

static void map_a_file(void)
{
	static char text[65536];
	int fd = open("/tmp/mapped", O_CREAT | O_RDWR, 0600),
	    maps = open("/proc/self/maps", O_RDONLY);

	check(ftruncate(fd, sizeof(text)) == 0 &&
		      mmap(NULL, sizeof(text), PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED,
	      "mmap");
	check(read(maps, text, sizeof(text)) > 0, "/proc/self/maps");
}

int main(void)
{
	static const char *const folders[] = { "", "/bin", "/here", "/tmp" };

	for (unsigned int i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		work_in(folders[i]);
	map_a_file();
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			memset(malloc(MEMORY), 1, MEMORY);
			_exit(0);
		}
	while (wait(NULL) > 0)
		continue;
	return 0;
}
