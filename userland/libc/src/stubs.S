/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stubs.S - the system calls whose C function has the kernel's own arguments: one line each.
 *
 * A C function's first three arguments are already in the kernel's registers; the fourth moves
 * from %rcx, which the syscall instruction overwrites, to %r10 (System V x86-64 ABI, A.2.1). A
 * result from -4095 to -1 becomes errno and -1. Variadic functions (open, fcntl, ioctl) pass
 * their arguments in the same registers.
 *
 * The names are weak: newlib's own code never calls them by these, so a program is free to have
 * a function of its own called, say, poll.
 */
#include <asm/unistd.h>

	.section .note.GNU-stack, "", @progbits
	.text

	.macro	stub name, number
	.weak	\name
	.type	\name, @function
	.balign	16
\name:
	movl	$\number, %eax
	movq	%rcx, %r10
	syscall
	cmpq	$-4095, %rax
	jae	__syscall_error
	ret
	.size	\name, . - \name
	.endm

	stub	access,			__NR_access
	stub	alarm,			__NR_alarm
	stub	chdir,			__NR_chdir
	stub	chmod,			__NR_chmod
	stub	clock_getres,		__NR_clock_getres
	stub	clock_gettime,		__NR_clock_gettime
	stub	close,			__NR_close
	stub	dup,			__NR_dup
	stub	dup2,			__NR_dup2
	stub	dup3,			__NR_dup3
	stub	execve,			__NR_execve
	stub	fchmod,			__NR_fchmod
	stub	fcntl,			__NR_fcntl
	stub	fork,			__NR_fork
	stub	fstat,			__NR_fstat
	stub	fstatat,		__NR_newfstatat
	stub	fsync,			__NR_fsync
	stub	ftruncate,		__NR_ftruncate
	stub	getdents64,		__NR_getdents64
	stub	getegid,		__NR_getegid
	stub	geteuid,		__NR_geteuid
	stub	getgid,			__NR_getgid
	stub	getpid,			__NR_getpid
	stub	getppid,		__NR_getppid
	stub	getrlimit,		__NR_getrlimit
	stub	getrusage,		__NR_getrusage
	stub	gettid,			__NR_gettid
	stub	gettimeofday,		__NR_gettimeofday
	stub	getuid,			__NR_getuid
	stub	ioctl,			__NR_ioctl
	stub	kill,			__NR_kill
	stub	link,			__NR_link
	stub	lseek,			__NR_lseek
	stub	lstat,			__NR_lstat
	stub	madvise,		__NR_madvise
	stub	mkdir,			__NR_mkdir
	stub	mknod,			__NR_mknod
	stub	mmap,			__NR_mmap
	stub	mprotect,		__NR_mprotect
	stub	mremap,			__NR_mremap
	stub	munmap,			__NR_munmap
	stub	nanosleep,		__NR_nanosleep
	stub	open,			__NR_open
	stub	openat,			__NR_openat
	stub	pause,			__NR_pause
	stub	pipe,			__NR_pipe
	stub	pipe2,			__NR_pipe2
	stub	poll,			__NR_poll
	stub	prctl,			__NR_prctl
	stub	pread,			__NR_pread64
	stub	pwrite,			__NR_pwrite64
	stub	read,			__NR_read
	stub	readlink,		__NR_readlink
	stub	readv,			__NR_readv
	stub	_rename,		__NR_rename
	stub	rmdir,			__NR_rmdir
	stub	sched_setaffinity,	__NR_sched_setaffinity
	stub	sched_yield,		__NR_sched_yield
	stub	setpgid,		__NR_setpgid
	stub	setrlimit,		__NR_setrlimit
	stub	setsid,			__NR_setsid
	stub	sigaltstack,		__NR_sigaltstack
	stub	stat,			__NR_stat
	stub	symlink,		__NR_symlink
	stub	times,			__NR_times
	stub	truncate,		__NR_truncate
	stub	umask,			__NR_umask
	stub	uname,			__NR_uname
	stub	unlink,			__NR_unlink
	stub	wait4,			__NR_wait4
	stub	write,			__NR_write
	stub	writev,			__NR_writev
