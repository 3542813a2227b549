// SPDX-License-Identifier: BSD-2-Clause
/*
 * inotify: which events each call makes, and the names and cookies in them.
 */
#include <dirent.h>
#include <sys/inotify.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <utime.h>

#include "inotify.h"

/* --- calls --- */

static int closing(int fd)
{
	char byte = 0;

	if (fd >= 0 && read(fd, &byte, 1) < 0)
		errno = 0;
	return close(fd);
}

static int list(const char *path)
{
	DIR *directory = opendir(path);

	while (directory && readdir(directory))
		;
	return directory ? closedir(directory) : -1;
}

static int run(const char *path)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execl(path, path, "exit", NULL);
		_exit(9);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int copy_program(const char *path)
{
	int in = open("/proc/self/exe", O_RDONLY), out = open(path, O_CREAT | O_WRONLY, 0755);
	struct stat stat;
	off_t at = 0;

	fstat(in, &stat);
	while (at < stat.st_size && sendfile(out, in, &at, (size_t)stat.st_size) > 0)
		;
	close(in);
	return close(out);
}

static void calls(void)
{
	static const struct timespec times[2] = { { 5, 0 }, { 6, 0 } };
	static const struct timespec accessed[2] = { { 5, 0 }, { 0, UTIME_OMIT } };
	static const struct timespec modified[2] = { { 0, UTIME_OMIT }, { 6, 0 } };
	static const struct timespec neither[2] = { { 0, UTIME_OMIT }, { 0, UTIME_OMIT } };
	int fd = inotify_init1(IN_NONBLOCK), file, pipes[2];
	char text[8];
	struct stat stat_buffer;

	mkdir("dir", 0755);
	SEE(inotify_add_watch(fd, "dir", IN_ALL_EVENTS));
	REPORTS(fd, make("dir/file"));
	SEE(inotify_add_watch(fd, "dir/file", IN_ALL_EVENTS));
	REPORTS(fd, close(open("dir/file", O_RDONLY)));
	REPORTS(fd, close(open("dir/file", O_RDWR | O_TRUNC)));
	REPORTS(fd, close(open("dir/file", O_PATH)));
	REPORTS(fd, open("dir/file", O_CREAT | O_EXCL | O_RDWR, 0644));
	REPORTS(fd, close(open("dir/new", O_CREAT | O_TRUNC | O_WRONLY, 0644)));
	REPORTS(fd, stat("dir/file", &stat_buffer));
	REPORTS(fd, access("dir/file", R_OK));
	REPORTS(fd, file = open("dir/file", O_RDWR));
	REPORTS(fd, write(file, "abcdef", 6));
	REPORTS(fd, write(file, "", 0));
	REPORTS(fd, pwrite(file, "xyz", 3, 1));
	REPORTS(fd, lseek(file, 0, SEEK_SET));
	REPORTS(fd, read(file, text, 4));
	REPORTS(fd, read(file, text, 8));
	REPORTS(fd, read(file, text, 8));
	REPORTS(fd, pread(file, text, 4, 0));
	REPORTS(fd, ftruncate(file, 3));
	REPORTS(fd, ftruncate(file, 3));
	REPORTS(fd, truncate("dir/file", 100));
	REPORTS(fd, posix_fallocate(file, 0, 200));
	REPORTS(fd, fchmod(file, 0600));
	REPORTS(fd, chmod("dir/file", 0644));
	REPORTS(fd, chown("dir/file", 1, 1));
	REPORTS(fd, chown("dir/file", -1, -1));
	REPORTS(fd, utimensat(AT_FDCWD, "dir/file", times, 0));
	REPORTS(fd, utimensat(AT_FDCWD, "dir/file", accessed, 0));
	REPORTS(fd, utimensat(AT_FDCWD, "dir/file", modified, 0));
	REPORTS(fd, utimensat(AT_FDCWD, "dir/file", neither, 0));
	REPORTS(fd, utime("dir/file", NULL));
	REPORTS(fd, futimens(file, NULL));
	REPORTS(fd, setxattr("dir/file", "security.a", "b", 1, 0));
	REPORTS(fd, fsetxattr(file, "security.a", "c", 1, 0));
	REPORTS(fd, getxattr("dir/file", "security.a", text, 8));
	REPORTS(fd, removexattr("dir/file", "security.a"));
	REPORTS(fd, removexattr("dir/file", "security.a"));
	char *memory = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	memory[0] = 'm';
	munmap(memory, PAGE_BYTES);
	show(events(fd), "events of a shared mapping");
	SEE(pipe(pipes));
	REPORTS(fd, sendfile(pipes[1], file, NULL, 4));
	REPORTS(fd, splice(pipes[0], NULL, file, NULL, 4, 0));
	int other = open("dir/new", O_RDWR);

	events(fd);
	REPORTS(fd, copy_file_range(file, &(off_t){ 0 }, other, &(off_t){ 0 }, 5, 0));
	REPORTS(fd, sendfile(other, file, &(off_t){ 0 }, 5));
	REPORTS(fd, fsync(file));
	REPORTS(fd, close(other));
	REPORTS(fd, close(file));
	REPORTS(fd, closing(open("dir", O_RDONLY)));
	REPORTS(fd, list("dir"));
	REPORTS(fd, chmod("dir", 0700));
	REPORTS(fd, mkdir("dir/sub", 0755));
	REPORTS(fd, make("dir/sub/file"));
	REPORTS(fd, list("dir/sub"));
	REPORTS(fd, mkfifo("dir/fifo", 0644));
	REPORTS(fd, symlink("file", "dir/link"));
	REPORTS(fd, closing(open("dir/link", O_RDONLY)));
	REPORTS(fd, link("dir/file", "dir/hard"));
	REPORTS(fd, closing(open("dir/hard", O_RDONLY)));
	REPORTS(fd, link("dir/file", "outside"));
	REPORTS(fd, chmod("outside", 0604));
	REPORTS(fd, unlink("outside"));
	REPORTS(fd, unlink("dir/missing"));
	REPORTS(fd, unlink("dir/link"));
	REPORTS(fd, rmdir("dir/sub"));
	REPORTS(fd, unlink("dir/sub/file"));
	REPORTS(fd, rmdir("dir/sub"));
	REPORTS(fd, unlink("dir/hard"));
	REPORTS(fd, unlink("dir/fifo"));
	REPORTS(fd, copy_program("dir/program"));
	REPORTS(fd, run("dir/program"));
	REPORTS(fd, unlink("dir/program"));
	REPORTS(fd, unlink("dir/new"));
	REPORTS(fd, unlink("dir/file"));
	REPORTS(fd, rmdir("dir"));
	SEE(inotify_rm_watch(fd, 1));
	close(fd);
}

static void names(void)
{
	int fd = inotify_init1(IN_NONBLOCK), file;

	mkdir("a", 0755);
	mkdir("b", 0755);
	make("a/one");
	make("a/two");
	mkdir("a/sub", 0755);
	SEE(inotify_add_watch(fd, "a", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "b", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/one", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/two", IN_ALL_EVENTS));
	SEE(inotify_add_watch(fd, "a/sub", IN_ALL_EVENTS));
	REPORTS(fd, rename("a/one", "a/three"));
	REPORTS(fd, rename("a/three", "a/three"));
	REPORTS(fd, rename("a/three", "b/one"));
	REPORTS(fd, rename("a/sub", "b/sub"));
	REPORTS(fd, rename("a/missing", "b/sub"));
	REPORTS(fd, rename("b/one", "outside"));
	REPORTS(fd, rename("outside", "a/one"));
	REPORTS(fd, rename("a/one", "a/two"));
	make("a/four");
	mkdir("b/other", 0755);
	events(fd);
	REPORTS(fd, syscall(SYS_renameat2, AT_FDCWD, "a/four", AT_FDCWD, "b/other", 2));
	REPORTS(fd, syscall(SYS_renameat2, AT_FDCWD, "a/two", AT_FDCWD, "b/other", 1));
	REPORTS(fd, rename("b/sub", "a/other"));
	REPORTS(fd, make("a/a name of fifteen"));
	REPORTS(fd, make("a/123456789012345"));
	REPORTS(fd, make("a/1234567890123456"));
	unlink("a/a name of fifteen");
	unlink("a/123456789012345");
	unlink("a/1234567890123456");
	events(fd);

	/* Open without a name. */
	file = open("a/two", O_RDWR);
	events(fd);
	REPORTS(fd, unlink("a/two"));
	REPORTS(fd, write(file, "x", 1));
	REPORTS(fd, fchmod(file, 0600));
	REPORTS(fd, close(file));
	file = open("a/five", O_CREAT | O_RDWR, 0644);
	SEE(inotify_add_watch(fd, "a", IN_ALL_EVENTS | IN_EXCL_UNLINK));
	events(fd);
	REPORTS(fd, write(file, "y", 1));
	REPORTS(fd, unlink("a/five"));
	REPORTS(fd, write(file, "x", 1));
	REPORTS(fd, close(file));
	file = open("a", O_TMPFILE | O_RDWR, 0644);
	SEE(file >= 0);
	REPORTS(fd, close(file));
	unlink("b/other");
	rmdir("a/four");
	events(fd);
	REPORTS(fd, rmdir("a/other"));
	REPORTS(fd, rmdir("a"));
	unlink("b/four");
	rmdir("b/sub");
	unlink("b/other");
	events(fd);
	REPORTS(fd, rmdir("b"));
	close(fd);
}

int main(int count, char **arguments)
{
	if (count > 1 && !strcmp(arguments[1], "exit"))
		return 3;
	umask(022);
	mkdir("/tmp", 0777);
	mkdir("/tmp/inotify", 0777);
	if (chdir("/tmp/inotify"))
		return 1;
	calls();
	names();
	return 0;
}
