/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * direct.S - the system calls whose C function has the kernel's own arguments: one line each. The macro
 * that makes the function is the ISA's (direct.h).
 *
 * An error becomes errno and -1. Variadic functions (open, fcntl, ioctl) pass their arguments in the
 * same registers.
 *
 * The names are weak: C reserves none of them, so a program is free to have a function of its own
 * called, say, poll.
 */
#include <asm/unistd.h>

#include "direct.h"

	.section .note.GNU-stack, "", @progbits
	.text

	direct	access,			__NR_access
	direct	chdir,			__NR_chdir
	direct	chmod,			__NR_chmod
	direct	clock_getres,		__NR_clock_getres
	direct	clock_gettime,		__NR_clock_gettime
	direct	close,			__NR_close
	direct	dup,			__NR_dup
	direct	dup2,			__NR_dup2
	direct	dup3,			__NR_dup3
	direct	execve,			__NR_execve
	direct	fchmod,			__NR_fchmod
	direct	fcntl,			__NR_fcntl
	direct	fork,			__NR_fork
	direct	fstat,			NUMBER_FSTAT
	direct	fstatat,		NUMBER_FSTATAT
	direct	fsync,			__NR_fsync
	direct	ftruncate,		__NR_ftruncate
	direct	getdents64,		__NR_getdents64
	direct	getegid,		__NR_getegid
	direct	geteuid,		__NR_geteuid
	direct	getgid,			__NR_getgid
	direct	getpid,			__NR_getpid
	direct	getppid,		__NR_getppid
	direct	getrlimit,		__NR_getrlimit
	direct	getrusage,		__NR_getrusage
	direct	gettid,			__NR_gettid
	direct	gettimeofday,		__NR_gettimeofday
	direct	getuid,			__NR_getuid
	direct	ioctl,			__NR_ioctl
	direct	kill,			__NR_kill
	direct	link,			__NR_link
	direct	lseek,			__NR_lseek
	direct	lstat,			NUMBER_LSTAT
	direct	madvise,		__NR_madvise
	direct	mkdir,			__NR_mkdir
	direct	mknod,			__NR_mknod
	direct	mmap,			__NR_mmap
	direct	mprotect,		__NR_mprotect
	direct	mremap,			__NR_mremap
	direct	munmap,			__NR_munmap
	direct	nanosleep,		__NR_nanosleep
	direct	open,			__NR_open
	direct	openat,			__NR_openat
	direct	pipe2,			__NR_pipe2
	direct	poll,			__NR_poll
	direct	prctl,			__NR_prctl
	direct	pread,			__NR_pread64
	direct	pwrite,			__NR_pwrite64
	direct	read,			__NR_read
	direct	readlink,		__NR_readlink
	direct	readv,			__NR_readv
	direct	_rename,		__NR_rename
	direct	rmdir,			__NR_rmdir
	direct	sched_setaffinity,	__NR_sched_setaffinity
	direct	sched_yield,		__NR_sched_yield
	direct	setpgid,		__NR_setpgid
	direct	setrlimit,		__NR_setrlimit
	direct	setsid,			__NR_setsid
	direct	sigaltstack,		__NR_sigaltstack
	direct	stat,			NUMBER_STAT
	direct	symlink,		__NR_symlink
	direct	times,			__NR_times
	direct	truncate,		__NR_truncate
	direct	umask,			__NR_umask
	direct	uname,			__NR_uname
	direct	unlink,			__NR_unlink
	direct	wait4,			__NR_wait4
	direct	write,			__NR_write
	direct	writev,			__NR_writev
#ifdef __NR_alarm
	direct	alarm,			__NR_alarm
	direct	pause,			__NR_pause
	direct	pipe,			__NR_pipe
#endif
