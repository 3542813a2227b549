/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/stat.h - file status. The structure is the one that the kernel writes, and so the ISA's
 * (machine/_stat.h).
 *
 * Replaces newlib's file: its struct stat has another order, and stat() here hands the user's
 * structure to the kernel as it is.
 */
#ifndef _SYS_STAT_H
#define _SYS_STAT_H

#include <_ansi.h>
#include <time.h>
#include <sys/cdefs.h>
#include <sys/types.h>
#include <sys/_timespec.h>
#include <machine/_stat.h>

#define st_atime       st_atim.tv_sec
#define st_mtime       st_mtim.tv_sec
#define st_ctime       st_ctim.tv_sec

#define S_IFMT	       0170000
#define S_IFSOCK       0140000
#define S_IFLNK	       0120000
#define S_IFREG	       0100000
#define S_IFBLK	       0060000
#define S_IFDIR	       0040000
#define S_IFCHR	       0020000
#define S_IFIFO	       0010000

#define S_ISUID	       04000
#define S_ISGID	       02000
#define S_ISVTX	       01000

#define S_IRWXU	       00700
#define S_IRUSR	       00400
#define S_IWUSR	       00200
#define S_IXUSR	       00100
#define S_IRWXG	       00070
#define S_IRGRP	       00040
#define S_IWGRP	       00020
#define S_IXGRP	       00010
#define S_IRWXO	       00007
#define S_IROTH	       00004
#define S_IWOTH	       00002
#define S_IXOTH	       00001

#define S_ISSOCK(mode) (((mode)&S_IFMT) == S_IFSOCK)
#define S_ISLNK(mode)  (((mode)&S_IFMT) == S_IFLNK)
#define S_ISREG(mode)  (((mode)&S_IFMT) == S_IFREG)
#define S_ISBLK(mode)  (((mode)&S_IFMT) == S_IFBLK)
#define S_ISDIR(mode)  (((mode)&S_IFMT) == S_IFDIR)
#define S_ISCHR(mode)  (((mode)&S_IFMT) == S_IFCHR)
#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)

#define UTIME_NOW      0x3fffffffL
#define UTIME_OMIT     0x3ffffffeL

#ifdef __cplusplus
extern "C" {
#endif

int stat(const char *__restrict path, struct stat *__restrict status);
int lstat(const char *__restrict path, struct stat *__restrict status);
int fstat(int fd, struct stat *status);
int fstatat(int dirfd, const char *__restrict path, struct stat *__restrict status, int flags);
int mkdir(const char *path, mode_t mode);
int chmod(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t device);
int mkfifo(const char *path, mode_t mode);
mode_t umask(mode_t mask);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_STAT_H */
