// SPDX-License-Identifier: BSD-2-Clause
/*
 * Files that a program writes by every way there is, in its working folder: calls, mappings, descriptors of files without a
 * name, several names of one file. tests/tools/share-write.t runs it in a folder of the host whose changes go through, too, and
 * looks at what it leaves there: the folder "written".
 */
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "observe.h"

/* Whole pages of either architecture. */
enum { BLOCKS = 40, BLOCK = 8192 };

static char text[BLOCKS * BLOCK];

/* Prints the size of FD's file, and what it has at OFFSET. */
static void tell(const char *what, int fd, off_t offset)
{
	char got[16] = "";
	struct stat status = { 0 };
	ssize_t count = pread(fd, got, sizeof(got) - 1, offset);

	fstat(fd, &status);
	for (ssize_t i = 0; i < count; i++)
		if (!got[i])
			got[i] = '.';
	show(got, "%s: %lld bytes, %d names", what, (long long)status.st_size,
	     (int)status.st_nlink);
}

static void write_by_calls(void)
{
	struct iovec parts[] = { { "one ", 4 }, { "two ", 4 }, { "three", 5 } };
	int fd = open("calls", O_RDWR | O_CREAT | O_EXCL, 0644);
	int end = open("calls", O_WRONLY | O_APPEND);

	SEE(writev(fd, parts, 3));
	tell("writev", fd, 0);
	SEE(pwrite(fd, "TWO", 3, 4));
	tell("pwrite", fd, 0);
	SEE(write(end, "!", 1));
	tell("append", fd, 10);
	SEE(pwrite(fd, "far", 3, 100000));
	tell("beyond the end", fd, 99998);
	SEE(ftruncate(fd, 6));
	tell("truncate", fd, 0);
	SEE(ftruncate(fd, 12));
	tell("truncate to more", fd, 0);
	SEE(pwrite(fd, text, sizeof(text), 12));
	tell("many pages", fd, 12 + BLOCK);
	SEE(fsync(fd));
	SEE(fdatasync(end));
	SEE(syncfs(fd));
	/* The program's memory ends within what it writes. */
	char *pages =
		mmap(NULL, 2 * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(pages, 'm', BLOCK);
	munmap(pages + BLOCK, BLOCK);
	SEE(pwrite(fd, pages + BLOCK - 1, 0, 0));
	SEE(pwrite(fd, pages + BLOCK, 1, 0));
	tell("after faults", fd, 0);
	close(fd);
	close(end);
}

static void write_by_mappings(void)
{
	int fd = open("mapped", O_RDWR | O_CREAT | O_EXCL, 0644);

	SEE(ftruncate(fd, 3 * BLOCK + 10));
	char *map = mmap(NULL, 4 * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *own = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	memcpy(map, "first", 5);
	tell("a mapping's write", fd, 0);
	SEE(pwrite(fd, "FI", 2, 0));
	show(map, "a mapping of a write");
	memcpy(own, "own", 3);
	tell("a private one's write", fd, 0);
	memcpy(map + 3 * BLOCK, "0123456789beyond", 16);
	SEE(msync(map, 4 * BLOCK, MS_SYNC));
	tell("msync", fd, 3 * BLOCK);
	memcpy(map + BLOCK, "second", 6);
	memcpy(map + BLOCK - 2, "la", 2);
	/* A read fault first, then a write: each page is noticed. */
	volatile char *third = map + 2 * BLOCK;

	third[1] = (char)(third[0] + 'x');
	pid_t child = fork();

	if (!child) {
		memcpy(map + 2 * BLOCK + 2, "child", 5);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	show(map + 2 * BLOCK + 1, "the child's write");
	SEE(munmap(map, 4 * BLOCK));
	tell("munmap", fd, BLOCK);
	SEE(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 1));
	close(fd);
	/* A mapping that ends with its process. */
	child = fork();
	if (!child) {
		fd = open("mapped", O_RDWR);
		map = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
		memcpy(map + 100, "exit", 4);
		abort();
	}
	waitpid(child, NULL, 0);
}

static void use_without_a_name(void)
{
	int fd = open("nameless", O_RDWR | O_CREAT | O_EXCL, 0600);
	char got[8] = "";

	SEE(write(fd, "before", 6));
	int reader = open("nameless", O_RDONLY);

	SEE(unlink("nameless"));
	SEE(read(reader, got, 3));
	show(got, "read without a name");
	SEE(pwrite(fd, "after", 5, 100));
	tell("written without a name", fd, 98);
	SEE(ftruncate(fd, 2));
	SEE(ftruncate(fd, 4));
	tell("truncated without a name", fd, 0);
	SEE(fchmod(fd, 0400));
	SEE(fsync(fd));
	/* The name is free for another file. */
	int other = open("nameless", O_RDWR | O_CREAT | O_EXCL, 0600);

	SEE(write(other, "other", 5));
	tell("the first", fd, 0);
	tell("the other", other, 0);
	SEE(rename("nameless", "named"));
	SEE(pwrite(other, "OT", 2, 0));
	SEE(fchmod(other, 0640));
	/* A file that another one replaces, while it is open. */
	int old = open("replaced", O_RDWR | O_CREAT | O_EXCL, 0600);

	SEE(write(old, "old", 3));
	SEE(rename("named", "replaced"));
	tell("what was replaced", old, 0);
	SEE(pwrite(old, "xxx", 3, 0));
	SEE(pwrite(other, "her", 3, 2));
	tell("what replaced", other, 0);
	close(fd);
	close(reader);
	close(other);
	close(old);
}

static void use_several_names(void)
{
	int fd = open("name", O_RDWR | O_CREAT | O_EXCL, 0600);

	SEE(link("name", "second"));
	SEE(write(fd, "names", 5));
	SEE(unlink("name"));
	tell("the second name", fd, 0);
	SEE(chmod("second", 0604));
	SEE(truncate("second", 4));
	SEE(link("second", "third"));
	SEE(rename("second", "third"));
	SEE(rename("third", "fourth"));
	int again = open("fourth", O_WRONLY | O_APPEND);

	SEE(write(again, "+", 1));
	tell("by all of them", fd, 0);
	/* A file that its owner may not open for writing can be written to by its creator. */
	int made = open("read-only", O_WRONLY | O_CREAT | O_EXCL, 0400);

	SEE(write(made, "made", 4));
	close(made);
	close(fd);
	close(again);
}

static void use_folders(void)
{
	SEE(mkdir("folder", 0750));
	SEE(mkdir("folder/in", 0700));
	SEE(rmdir("folder"));
	SEE(symlink("../calls", "folder/link"));
	SEE(mkfifo("folder/fifo", 0600));
	SEE(rename("folder", "moved"));
	SEE(rename("moved", "moved/in/deeper"));
	SEE(rename("moved/in", "inner"));
	SEE(mkdir("inner/x", 0700));
	SEE(rename("inner", "moved"));
	SEE(unlink("moved/fifo"));
	SEE(access("moved/link", R_OK));
	int folder = open("moved", O_RDONLY | O_DIRECTORY);

	SEE(fsync(folder));
	SEE(mkdirat(folder, "by descriptor", 0711));
	SEE(unlinkat(folder, "by descriptor", 0));
	SEE(chmod("moved", 02755));
	close(folder);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 23);
	umask(022);
	if (mkdir("written", 0755) || chdir("written"))
		return 2;
	write_by_calls();
	write_by_mappings();
	use_without_a_name();
	use_several_names();
	use_folders();
	return 0;
}
