// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of files: links, renaming, nodes, attributes, and listing a directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "files.h"

static void naming(void)
{
	SEE(mkdir("dir", 0777));
	SEE(of("dir").st_mode);
	SEE(of("dir").st_nlink);
	SEE(mkdir("dir", 0777) + 10);
	SEE(mkdir("none/dir", 0777));
	SEE(mkdir("dir/sub/", 01777));
	SEE(of("dir/sub").st_mode);
	SEE(of("dir").st_nlink + 100);
	SEE(mkdir("/", 0777));
	SEE(mkdir(".", 0777));
	SEE(mkdir("dir/..", 0777));
	SEE(rmdir("dir"));
	SEE(rmdir("dir/."));
	SEE(rmdir("dir/.."));
	SEE(rmdir("dir/sub/"));
	SEE(rmdir("none"));
	SEE(rmdir("/"));
	close(make("a", "a"));
	SEE(rmdir("a"));
	SEE(mkdir("a/b", 0700));
	SEE(unlink("dir"));
	SEE(unlink("dir/"));
	SEE(unlink("a/"));
	SEE(unlinkat(AT_FDCWD, "dir", 0));
	SEE(unlinkat(AT_FDCWD, "a", AT_REMOVEDIR));
	SEE(unlinkat(AT_FDCWD, "a", 7));
	SEE(link("a", "b"));
	SEE(of("a").st_nlink);
	SEE(of("a").st_ino == of("b").st_ino);
	SEE(link("a", "b") + 10);
	SEE(link("dir", "dir2"));
	SEE(link("none", "c"));
	SEE(link("a", "none/c"));
	SEE(link("a", "c/"));
	SEE(link("a/", "c"));
	SEE(symlink("a", "s"));
	SEE(linkat(AT_FDCWD, "s", AT_FDCWD, "t", 0));
	SEE(S_ISLNK(of("t").st_mode));
	SEE(linkat(AT_FDCWD, "s", AT_FDCWD, "u", AT_SYMLINK_FOLLOW));
	SEE(of("a").st_nlink + 100);
	SEE(linkat(AT_FDCWD, "s", AT_FDCWD, "v", 1));
	SEE(symlink("", "e"));
	SEE(symlink("a", "s") + 10);
	SEE(of("s").st_size);
	SEE(of("s").st_mode);
	SEE(readlink("s", buffer, 0));
	SEE(readlink("s", buffer, 10));
	SEE(readlink("a", buffer, 10));
	SEE(readlink("none", buffer, 10));
	SEE(readlink("s", nowhere, 10));
	SEE(rename("a", "b"));
	SEE(of("a").st_nlink + 200);
	SEE(rename("a", "dir"));
	SEE(rename("dir", "a"));
	SEE(rename("a", "dir/a"));
	SEE(rename("none", "x"));
	SEE(rename("dir/a", "x/"));
	SEE(rename("dir", "dir/inside"));
	SEE(mkdir("full", 0700));
	SEE(mkdir("full/sub", 0700));
	SEE(rename("dir", "full"));
	SEE(rmdir("full/sub"));
	SEE(rename("dir", "full") + 20);
	SEE(access("full/a", F_OK));
	SEE(rename("full", "."));
	SEE(rename(".", "x"));
	SEE(rename("full/..", "x"));
	SEE(renameat2(AT_FDCWD, "b", AT_FDCWD, "s", RENAME_NOREPLACE));
	SEE(renameat2(AT_FDCWD, "b", AT_FDCWD, "full", RENAME_EXCHANGE));
	SEE(S_ISDIR(of("b").st_mode));
	SEE(renameat2(AT_FDCWD, "b", AT_FDCWD, "none", RENAME_EXCHANGE));
	SEE(renameat2(AT_FDCWD, "b", AT_FDCWD, "s", RENAME_EXCHANGE | RENAME_NOREPLACE));
	SEE(renameat2(AT_FDCWD, "b", AT_FDCWD, "s", 64));
	SEE(unlink("b/a"));
	SEE(rmdir("b"));
	SEE(unlink("full"));
	SEE(unlink("s"));
	SEE(unlink("t"));
	SEE(unlink("u"));
}

static void nodes(void)
{
	SEE(mknod("fifo", S_IFIFO | 0644, 0));
	SEE(S_ISFIFO(of("fifo").st_mode));
	SEE(mknod("fifo", S_IFIFO | 0644, 0) + 10);
	SEE(mknod("null", S_IFCHR | 0666, makedev(1, 3)));
	SEE(of("null").st_rdev);
	SEE(open("null", O_RDWR));
	SEE(read(3, buffer, 10));
	SEE(write(3, buffer, 10));
	SEE(close(3) + 7000);
	SEE(mknod("strange", S_IFCHR | 0666, makedev(222, 77)));
	SEE(open("strange", O_RDWR));
	SEE(mknod("disk", S_IFBLK | 0666, makedev(222, 77)));
	SEE(open("disk", O_RDWR));
	SEE(mknod("plain", 0600, 0));
	SEE(S_ISREG(of("plain").st_mode));
	SEE(mknod("dir", S_IFDIR | 0700, 0));
	SEE(mknod("odd", 0170000, 0));
	SEE(mknod("socket", S_IFSOCK | 0700, 0));
	SEE(open("socket", O_RDWR));
	SEE(open("fifo", O_WRONLY | O_NONBLOCK));
	SEE(open("fifo", O_RDONLY | O_NONBLOCK));
	SEE(open("fifo", O_WRONLY | O_NONBLOCK) + 100);
	SEE(write(4, "abc", 3));
	SEE(read(3, buffer, 10) + 100);
	SEE(close(4));
	SEE(read(3, buffer, 10) + 200);
	SEE(lseek(3, 0, SEEK_SET));
	SEE(close(3) + 8000);
	SEE(unlink("fifo"));
	SEE(unlink("null"));
	SEE(unlink("strange"));
	SEE(unlink("disk"));
	SEE(unlink("plain"));
	SEE(unlink("socket"));
}

static void attributes(void)
{
	struct timespec times[2] = { { 100, 5 }, { 200, 6 } },
			bad[2] = { { 0, 1000000000 }, { 0, 0 } };
	struct timespec omit[2] = { { 0, UTIME_OMIT }, { 300, 7 } };
	struct statx statx_buffer;
	struct statfs statfs_buffer;
	int fd = make("file", "text");

	SEE(of("file").st_mode);
	SEE(umask(0) == 022);
	SEE(umask(022));
	SEE(chmod("file", 07777));
	SEE(of("file").st_mode + 100000);
	SEE(chown("file", 5, 6));
	SEE(of("file").st_mode + 200000);
	SEE(of("file").st_uid);
	SEE(of("file").st_gid);
	SEE(chown("file", -1, 0));
	SEE(of("file").st_uid + 100);
	SEE(chmod("none", 0));
	SEE(chmod("file/", 0));
	SEE(fchmod(fd, 0640));
	SEE(of("file").st_mode + 300000);
	SEE(fchmod(99, 0));
	SEE(fchownat(AT_FDCWD, "file", 0, 0, 7));
	SEE(fchownat(fd, "", 0, 0, AT_EMPTY_PATH));
	SEE(syscall(SYS_fchmodat, AT_FDCWD, "file", 0600));
#ifdef __alpha__
	show(outcome_value(syscall(NEW_CALL(452), AT_FDCWD, "file", 0600, 7)),
	     "syscall(452, AT_FDCWD, \"file\", 0600, 7)");
#else
	SEE(syscall(452, AT_FDCWD, "file", 0600, 7));
#endif
	SEE(utimensat(AT_FDCWD, "file", times, 0));
	SEE(of("file").st_atim.tv_sec);
	SEE(of("file").st_mtim.tv_nsec);
	SEE(utimensat(AT_FDCWD, "file", bad, 0));
	SEE(utimensat(AT_FDCWD, "file", omit, 0));
	SEE(of("file").st_atim.tv_nsec);
	SEE(of("file").st_mtim.tv_sec);
	SEE(utimensat(AT_FDCWD, "none", NULL, 0));
	SEE(utimensat(AT_FDCWD, "file", times, 7));
	SEE(futimens(fd, times));
	SEE(futimens(99, times));
	SEE(access("file", X_OK));
	SEE(access("file", R_OK | W_OK));
	SEE(access("file", 8));
	SEE(faccessat(AT_FDCWD, "file", R_OK, AT_EACCESS));
	SEE(syscall(SYS_faccessat2, AT_FDCWD, "file", R_OK, 7));
	SEE(stat("none", (void *)buffer));
	SEE(stat("file", nowhere));
	SEE(fstatat(AT_FDCWD, "", (void *)buffer, AT_EMPTY_PATH));
	SEE(fstatat(AT_FDCWD, "", (void *)buffer, 0));
	SEE(fstatat(AT_FDCWD, "file", (void *)buffer, 7));
	SEE(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS, &statx_buffer));
	SEE(statx_buffer.stx_size);
	SEE(statx_buffer.stx_nlink);
	SEE(statx_buffer.stx_mode);
	SEE(statx(AT_FDCWD, "file", 0x6000, STATX_BASIC_STATS, &statx_buffer));
	SEE(statx(AT_FDCWD, "file", 0, 0x80000000, &statx_buffer));
	SEE(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &statx_buffer));
	SEE(statx(fd, "", 0, STATX_SIZE, &statx_buffer));
	SEE(statfs(".", &statfs_buffer));
	SEE(statfs_buffer.f_type);
	SEE(statfs_buffer.f_bsize);
	SEE(statfs_buffer.f_namelen);
	SEE(statfs("none", &statfs_buffer));
	SEE(fstatfs(fd, &statfs_buffer));
	SEE(fstatfs(99, &statfs_buffer));
	SEE(fstatfs(fd, nowhere));
	close(fd);
	unlink("file");
}

/* The same by getdents, whose entries have their type in the last byte. */
static void old_listing(int fd)
{
	union {
		char bytes[1024];
		uint64_t aligned;
	} entries;
	int types[16] = { 0 }, count = 0;
	unsigned long letters = 0;

	lseek(fd, 0, SEEK_SET);
	SEE(syscall(SYS_getdents, fd, &entries, 23));
	SEE(syscall(SYS_getdents, fd, nowhere, 1000));
	SEE(syscall(SYS_getdents, 99, &entries, 1000));
	SEE(syscall(SYS_getdents, 0, &entries, 1000));
	SEE(syscall(SYS_getdents, fd, &entries, -1));
	long size = syscall(SYS_getdents, fd, &entries, sizeof(entries));

	show(outcome_value(size), "the bytes of five old entries");
	for (long at = 0; at < size; count++) {
		uint16_t length;

		memcpy(&length, entries.bytes + at + 16, sizeof(length));
		letters += strlen(entries.bytes + at + 18);
		types[entries.bytes[at + length - 1] & 15]++;
		at += length;
	}
	show(outcome_value(count), "old entries");
	show(outcome_value((long)letters), "letters in their names");
	show(outcome_value(types[DT_DIR]), "old entries of directories");
	show(outcome_value(types[DT_LNK]), "old entries of links");
	SEE(syscall(SYS_getdents, fd, &entries, sizeof(entries)));
}

/* Every name in the open directory FD, sorted by the reader's eye: in the order made. */
static void listing(void)
{
	union {
		char bytes[1024];
		uint64_t aligned;
	} entries;
	int fd;
	long size;

	mkdir("list", 0700);
	close(make("list/one", ""));
	mkdir("list/two", 0700);
	symlink("x", "list/three");
	SEE(fd = open("list", O_RDONLY | O_DIRECTORY));
	SEE(syscall(SYS_getdents64, fd, &entries, 10));
	SEE(syscall(SYS_getdents64, fd, nowhere, 1000));
	SEE(syscall(SYS_getdents64, 99, &entries, 1000));
	size = syscall(SYS_getdents64, fd, &entries, sizeof(entries));
	show(outcome_value(size), "the bytes of five entries");
	int types[16] = { 0 }, count = 0;

	for (long at = 0; at < size; count++) {
		const struct dirent64 *entry = (const void *)(entries.bytes + at);

		types[entry->d_type & 15]++;
		at += entry->d_reclen;
	}
	SEE(count);
	SEE(types[DT_DIR]);
	SEE(types[DT_REG]);
	SEE(types[DT_LNK]);
	SEE(syscall(SYS_getdents64, fd, &entries, sizeof(entries)));
	SEE(lseek(fd, 0, SEEK_SET) + 1000);
	SEE(syscall(SYS_getdents64, fd, &entries, 64) > 0);
	old_listing(fd);
	unlink("list/one");
	unlink("list/three");
	rmdir("list/two");
	SEE(rmdir("list"));
	SEE(lseek(fd, 0, SEEK_SET) + 10);
	SEE(syscall(SYS_getdents64, fd, &entries, sizeof(entries)) + 0);
	SEE(openat(fd, "new", O_CREAT | O_RDWR, 0600));
	SEE(mkdirat(fd, "new", 0700));
	SEE(fchdir(fd));
	SEE(syscall(SYS_getcwd, buffer, sizeof(buffer)));
	SEE(open("..", O_RDONLY));
	SEE(chdir("/observed"));
	close(4);
	close(fd);
	SEE(chdir("none"));
	SEE(chdir("/dev/null"));
	SEE(fchdir(0));
	SEE(fchdir(99));
	SEE(syscall(SYS_getcwd, buffer, 3));
	SEE(syscall(SYS_getcwd, buffer, 100));
	SEE(syscall(SYS_getcwd, nowhere, 100));
	SEE(chroot("none"));
	SEE(chroot("/dev/null"));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	memset(long_name, 'n', sizeof(long_name) - 1);
	memset(long_path, '/', sizeof(long_path) - 1);
	umask(022);
	mkdir("/observed", 0755);
	if (chdir("/observed")) {
		show(error_name(errno), "the directory that the rest is about");
		return 1;
	}
	naming();
	nodes();
	attributes();
	listing();
	return 0;
}
