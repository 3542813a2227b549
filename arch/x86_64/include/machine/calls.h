/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that Linux has for x86-64 and not for each of Tally's ISAs, or not with the same
 * function: rows of the tables in kernel/syscall/table.c, names.c and trace.c, and
 * kernel/trace/calls.c, in the form of each.
 */
#ifndef MACHINE_CALLS_H
#define MACHINE_CALLS_H

/* clang-format off */
#define MACHINE_CALLS \
	CALL(brk, 1), \
	CALL(pipe, 1), \
	CALL(creat, 2), \
	CALL(stat, 2), \
	CALL(lstat, 2), \
	CALL(fstat, 2), \
	CALL(newfstatat, 4), \
	CALL(statfs, 2), \
	CALL(fstatfs, 2), \
	CALL(utime, 2), \
	CALL(clone3, 2), \
	CALL(getpid, 0), \
	CALL(getuid, 0), \
	CALL(getgid, 0), \
	CALL(getpriority, 2), \
	CALL(rt_sigaction, 4), \
	CALL_RESTARTING(pause, 0, CALL_RESTARTS_UNHANDLED), \
	CALL(alarm, 1), \
	CALL(time, 1)

#define MACHINE_NAMES \
	NAME(pause), \
	NAME(alarm), \
	NAME(creat), \
	NAME(utime), \
	NAME(modify_ldt), \
	NAME(arch_prctl), \
	NAME(iopl), \
	NAME(ioperm), \
	NAME(time), \
	NAME(newfstatat), \
	NAME(kexec_file_load), \
	NAME(uretprobe), \
	NAME(clone3), \
	NAME(memfd_secret), \
	NAME(getpmsg), \
	NAME(get_thread_area), \
	NAME(security), \
	NAME(epoll_ctl_old), \
	NAME(putpmsg), \
	NAME(set_thread_area), \
	NAME(epoll_wait_old)

#define MACHINE_SHAPES \
	SHAPE(creat, "so"), \
	SHAPE(newfstatat, "fsxx"), \
	SHAPE(arch_prctl, "xx"), \
	SHAPE(alarm, "u")

/* Rows for prctl, kernel/task/prctl.c. Here and below, the last row ends with a comma, because the list
 * may be empty. */
#define MACHINE_OPTIONS

#define MACHINE_TRACED \
	CALL(pause, ""), \
	CALL(alarm, "unsigned int seconds"), \
	CALL(creat, "const char * pathname, umode_t mode"), \
	CALL(utime, "char * filename, struct utimbuf * times"), \
	CALL(modify_ldt, "int func, void * ptr, unsigned long bytecount"), \
	CALL(arch_prctl, "int option, unsigned long arg2"), \
	CALL(iopl, "unsigned int level"), \
	CALL(ioperm, "unsigned long from, unsigned long num, int turn_on"), \
	CALL(time, "__kernel_old_time_t * tloc"), \
	CALL(newfstatat, "int dfd, const char * filename, struct stat * statbuf, int flag"), \
	CALL(kexec_file_load, "int kernel_fd, int initrd_fd, unsigned long cmdline_len, const char * cmdline_ptr, unsigned long flags"), \
	CALL(uretprobe, ""), \
	CALL(clone3, "struct clone_args * uargs, size_t size"), \
	CALL(memfd_secret, "unsigned int flags"),
/* clang-format on */

#endif
