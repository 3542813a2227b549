/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system calls: number, function, number of arguments, effect of a signal; and the entry.
 * <machine/calls.h> has those that not every ISA has, or not with the same function.
 *
 * A number without a function is -ENOSYS, and logged once by name.
 */
#include <stdatomic.h>
#include <stddef.h>

#include <arch/task.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/syscall/syscall_trace.h>
#include <kernel/task/ptrace.h>
#include <kernel/task/rseq.h>
#include <kernel/task/signal.h>
#include <machine/calls.h>
#include <uapi/asm/unistd.h>
#include <uapi/linux/errno.h>

#include "names.h"

struct syscall {
	syscall_function *function;
	uint8_t arguments; /* 0 … 6: registers that hold arguments */
	uint8_t restart;   /* enum call_restart */
};

#define CALL_RESTARTING(name, arguments, restart) [__NR_##name] = { sys_##name, arguments, restart }
#define CALL(name, arguments)			  CALL_RESTARTING(name, arguments, CALL_ENDS)
/* For an ISA's number whose name is not that of the function. */
#define CALL_BY(name, function, arguments)	  [__NR_##name] = { function, arguments, CALL_ENDS }
#define CALL_BY_RESTARTING(name, function, arguments, restart) \
	[__NR_##name] = { function, arguments, restart }

/* Calls of parts that a build may leave out (WITHOUT=, see kernel.mk): NULL then. */
extern __attribute__((weak)) syscall_function sys_socket, sys_socketpair, sys_bind, sys_listen,
	sys_accept, sys_accept4, sys_connect, sys_getsockname, sys_getpeername, sys_getsockopt,
	sys_setsockopt, sys_shutdown, sys_sendto, sys_sendmsg, sys_sendmmsg, sys_recvfrom,
	sys_recvmsg, sys_recvmmsg;

static const struct syscall calls[] = {
	/* memory */
	CALL(mmap, 6),
	CALL(munmap, 2),
	CALL(mprotect, 3),
	CALL(madvise, 3),
	CALL(mremap, 5),
	CALL(mlock, 2),
	CALL(mlock2, 3),
	CALL(munlock, 2),
	CALL(mlockall, 1),
	CALL(munlockall, 0),
	CALL(mincore, 3),
	CALL(msync, 3),

	/* descriptors */
	CALL_RESTARTING(read, 3, CALL_RESTARTS),
	CALL_RESTARTING(write, 3, CALL_RESTARTS),
	CALL_RESTARTING(readv, 3, CALL_RESTARTS),
	CALL_RESTARTING(writev, 3, CALL_RESTARTS),
	CALL(pread64, 4),
	CALL(pwrite64, 4),
	CALL(preadv, 5),
	CALL(pwritev, 5),
	CALL(preadv2, 6),
	CALL(pwritev2, 6),
	CALL(close_range, 3),
	CALL(close, 1),
	CALL(lseek, 3),
	CALL_RESTARTING(ioctl, 3, CALL_RESTARTS),
	CALL_RESTARTING(fcntl, 3, CALL_RESTARTS),
	CALL(dup, 1),
	CALL(dup2, 2),
	CALL(dup3, 3),
	CALL(getdents64, 3),
	CALL(getdents, 3),
	CALL_RESTARTING(poll, 3, CALL_RESTARTS_UNHANDLED),
	CALL_RESTARTING(ppoll, 5, CALL_RESTARTS_UNHANDLED),
	CALL_RESTARTING(select, 5, CALL_RESTARTS_UNHANDLED),
	CALL_RESTARTING(pselect6, 6, CALL_RESTARTS_UNHANDLED),
	CALL(epoll_create, 1),
	CALL(epoll_create1, 1),
	CALL(epoll_ctl, 4),
	CALL(epoll_wait, 4),
	CALL(epoll_pwait, 6),
	CALL(epoll_pwait2, 6),
	CALL(eventfd, 1),
	CALL(eventfd2, 2),
	CALL(pipe2, 2),

	/* paths */
	CALL_RESTARTING(open, 3, CALL_RESTARTS),
	CALL_RESTARTING(openat, 4, CALL_RESTARTS),
	CALL(statx, 5),
	CALL(readlink, 3),
	CALL(readlinkat, 4),
	CALL(access, 2),
	CALL(faccessat, 3),
	CALL(faccessat2, 4),
	CALL(getcwd, 2),
	CALL(chdir, 1),
	CALL(fchdir, 1),
	CALL(chroot, 1),
	CALL(umask, 1),
	CALL(mkdir, 2),
	CALL(mkdirat, 3),
	CALL(mknod, 3),
	CALL(mknodat, 4),
	CALL(unlink, 1),
	CALL(unlinkat, 3),
	CALL(rmdir, 1),
	CALL(link, 2),
	CALL(linkat, 5),
	CALL(symlink, 2),
	CALL(symlinkat, 3),
	CALL(rename, 2),
	CALL(renameat, 4),
	CALL(renameat2, 5),
	CALL(chmod, 2),
	CALL(fchmod, 2),
	CALL(fchmodat, 3),
	CALL(fchmodat2, 4),
	CALL(chown, 3),
	CALL(lchown, 3),
	CALL(fchown, 3),
	CALL(fchownat, 5),
	CALL(utimes, 2),
	CALL(futimesat, 3),
	CALL(utimensat, 4),
	CALL(truncate, 2),
	CALL(ftruncate, 2),
	CALL(fsync, 1),
	CALL(fdatasync, 1),
	CALL(sync, 0),
	CALL(setxattr, 5),
	CALL(lsetxattr, 5),
	CALL(fsetxattr, 5),
	CALL(getxattr, 4),
	CALL(lgetxattr, 4),
	CALL(fgetxattr, 4),
	CALL(listxattr, 3),
	CALL(llistxattr, 3),
	CALL(flistxattr, 3),
	CALL(removexattr, 2),
	CALL(lremovexattr, 2),
	CALL(fremovexattr, 2),
	CALL(fallocate, 4),
	CALL(fadvise64, 4),
	CALL(readahead, 3),
	CALL(sync_file_range, 4),
	CALL(syncfs, 1),
	CALL(memfd_create, 2),
	CALL(mount, 5),
	CALL(umount2, 2),
	CALL_RESTARTING(flock, 2, CALL_RESTARTS),
	CALL(timerfd_create, 2),
	CALL(timerfd_settime, 4),
	CALL(timerfd_gettime, 2),
	CALL(signalfd, 3),
	CALL(signalfd4, 4),
	CALL_RESTARTING(splice, 6, CALL_RESTARTS),
	CALL_RESTARTING(tee, 4, CALL_RESTARTS),
	CALL_RESTARTING(vmsplice, 4, CALL_RESTARTS),
	CALL_RESTARTING(sendfile, 4, CALL_RESTARTS),
	CALL(copy_file_range, 6),
	CALL(inotify_init, 0),
	CALL(inotify_init1, 1),
	CALL(inotify_add_watch, 3),
	CALL(inotify_rm_watch, 2),

	/* sockets */
	CALL(socket, 3),
	CALL(socketpair, 4),
	CALL(bind, 3),
	CALL(listen, 2),
	CALL_RESTARTING(accept, 3, CALL_RESTARTS),
	CALL_RESTARTING(accept4, 4, CALL_RESTARTS),
	CALL_RESTARTING(connect, 3, CALL_RESTARTS),
	CALL(getsockname, 3),
	CALL(getpeername, 3),
	CALL(getsockopt, 5),
	CALL(setsockopt, 5),
	CALL(shutdown, 2),
	CALL_RESTARTING(sendto, 6, CALL_RESTARTS),
	CALL_RESTARTING(sendmsg, 3, CALL_RESTARTS),
	CALL_RESTARTING(sendmmsg, 4, CALL_RESTARTS),
	CALL_RESTARTING(recvfrom, 6, CALL_RESTARTS),
	CALL_RESTARTING(recvmsg, 3, CALL_RESTARTS),
	CALL_RESTARTING(recvmmsg, 5, CALL_RESTARTS),

	/* tasks */
	CALL(clone, 5),
	CALL(fork, 0),
	CALL(vfork, 0),
	CALL(unshare, 1),
	CALL(execve, 3),
	CALL(execveat, 5),
	CALL(exit, 1),
	CALL(exit_group, 1),
	CALL_RESTARTING(wait4, 4, CALL_RESTARTS),
	CALL_RESTARTING(waitid, 5, CALL_RESTARTS),
	CALL(pidfd_open, 2),
	CALL(pidfd_send_signal, 4),
	CALL(pidfd_getfd, 3),
	CALL(gettid, 0),
	CALL(getppid, 0),
	CALL(getpgrp, 0),
	CALL(getpgid, 1),
	CALL(setpgid, 2),
	CALL(getsid, 1),
	CALL(setsid, 0),
	CALL(geteuid, 0),
	CALL(getegid, 0),
	CALL(getgroups, 2),
	CALL(getresuid, 3),
	CALL(getresgid, 3),
	CALL(setuid, 1),
	CALL(setgid, 1),
	CALL(setreuid, 2),
	CALL(setregid, 2),
	CALL(setresuid, 3),
	CALL(setresgid, 3),
	CALL(setfsuid, 1),
	CALL(setfsgid, 1),
	CALL(setgroups, 2),
	CALL(capget, 2),
	CALL(capset, 2),
	CALL(set_tid_address, 1),
	CALL(prctl, 5),
	CALL(personality, 1),
	CALL(uname, 1),
	CALL(sysinfo, 1),
	CALL_RESTARTING(syslog, 3, CALL_RESTARTS),
	CALL(sethostname, 2),
	CALL(setdomainname, 2),
	CALL(getrusage, 2),
	CALL(times, 1),
	CALL(prlimit64, 4),
	CALL(getrlimit, 2),
	CALL(setrlimit, 2),
	CALL(getrandom, 3),

	/* scheduling */
	CALL(sched_yield, 0),
	CALL(sched_setaffinity, 3),
	CALL(sched_getaffinity, 3),
	CALL(sched_getscheduler, 1),
	CALL(sched_getparam, 2),
	CALL(sched_setscheduler, 3),
	CALL(sched_setparam, 2),
	CALL(sched_get_priority_max, 1),
	CALL(sched_get_priority_min, 1),
	CALL(sched_rr_get_interval, 2),
	CALL(sched_setattr, 3),
	CALL(sched_getattr, 4),
	CALL(ioprio_set, 3),
	CALL(ioprio_get, 2),
	CALL(getcpu, 3),
	CALL(setpriority, 3),
	CALL_RESTARTING(futex, 6, CALL_RESTARTS),
	CALL_RESTARTING(futex_waitv, 5, CALL_RESTARTS),
	CALL_RESTARTING(futex_wait, 6, CALL_RESTARTS),
	CALL(futex_wake, 4),
	CALL(futex_requeue, 4),
	CALL(set_robust_list, 2),
	CALL(rseq, 4),
	CALL(membarrier, 3),
	CALL(get_robust_list, 3),

	/* signals */
	CALL(kill, 2),
	CALL(tkill, 2),
	CALL(tgkill, 3),
	CALL(rt_sigprocmask, 4),
	CALL(rt_sigpending, 2),
	CALL(rt_sigtimedwait, 4),
	CALL(rt_sigqueueinfo, 3),
	CALL(rt_tgsigqueueinfo, 4),
	CALL_RESTARTING(rt_sigsuspend, 2, CALL_RESTARTS_UNHANDLED),
	CALL(rt_sigreturn, 0),
	CALL(sigaltstack, 2),

	CALL_RESTARTING(ptrace, 4, CALL_RESTARTS_ALWAYS),
	CALL(process_vm_readv, 6),
	CALL(process_vm_writev, 6),

	/* time */
	CALL(clock_gettime, 2),
	CALL(clock_settime, 2),
	CALL(settimeofday, 2),
	CALL(adjtimex, 1),
	CALL(clock_adjtime, 2),
	CALL(getitimer, 2),
	CALL(setitimer, 3),
	CALL(timer_create, 3),
	CALL(timer_settime, 4),
	CALL(timer_gettime, 2),
	CALL(timer_getoverrun, 1),
	CALL(timer_delete, 1),
	CALL(clock_getres, 2),
	CALL_RESTARTING(clock_nanosleep, 4, CALL_RESTARTS_UNHANDLED),
	CALL_RESTARTING(nanosleep, 2, CALL_RESTARTS_UNHANDLED),
	CALL(gettimeofday, 2),

	/* events */
	CALL(perf_event_open, 5),

	/* the ISA's own calls, and those that are another function on each */
	MACHINE_CALLS,
};

#define CALL_COUNT (sizeof(calls) / sizeof(calls[0]))
/* One bit for each number below this: already logged as missing. */
#define LOGGED_MAX 1024

static long refuse(unsigned long number)
{
	static _Atomic uint64_t logged[LOGGED_MAX / 64];
	const char *name = syscall_name(number);

	if (number < LOGGED_MAX) {
		uint64_t bit = (uint64_t)1 << number % 64;

		if (atomic_fetch_or(&logged[number / 64], bit) & bit)
			return -ENOSYS;
	} else if (atomic_fetch_or(&logged[0], 1) & 1) {
		/* Bit 0 belongs to read, which is never missing: use it for all numbers above Linux's. */
		return -ENOSYS;
	}
	struct task *self = task_current();

	log_info("%s (%d): system call %s (%ld) is not implemented", self->comm, self->tgid,
		 name ? name : "without a name", (long)number);
	return -ENOSYS;
}

/* Applies the restart rule to call NUMBER, which failed with ERROR, if a signal was the reason. Returns
 * the program's result. */
static __attribute__((noinline)) long end_with_error(unsigned long number, long error)
{
	if (error == -EINTR)
		task_current()->signals.restart = calls[number].restart;
	if (error == -EINTR_ENDS)
		return -EINTR;
	if (error != -EINTR_UNHANDLED && error != -EINTR_HANDLED)
		return error;
	task_current()->signals.restart = error == -EINTR_HANDLED ? CALL_RESTARTS_ALWAYS :
								    CALL_RESTARTS_UNHANDLED;
	return -EINTR;
}

/* Performs call NUMBER; returns the program's result. */
static inline __attribute__((always_inline)) long perform(unsigned long number,
							  struct trap_frame *frame)
{
	long (*function)(const unsigned long arg[6]) =
		number < CALL_COUNT ? calls[number].function : NULL;
	unsigned long arg[6];
	long result;

	if (function) {
		arch_syscall_arguments(frame, arg);
		result = function(arg);
		if (result < 0)
			result = end_with_error(number, result);
	} else {
		result = arch_syscall((long)number, frame);
		if (result == -ENOSYS)
			result = refuse(number);
	}
	return result;
}

/* The same, with a line in the log. */
static long perform_logged(unsigned long number, struct trap_frame *frame)
{
	char text[SYSCALL_TRACE_TEXT];
	unsigned long arg[6];

	arch_syscall_arguments(frame, arg);
	syscall_trace_begin(text, number, arg, number < CALL_COUNT ? calls[number].arguments : 0);
	long result = perform(number, frame);

	syscall_trace_end(text, result);
	return result;
}

/* The same, after reporting the call to tracepoints and the log; syscall_dispatch reports its end. */
static __attribute__((noinline)) long perform_reported(unsigned long number,
						       struct trap_frame *frame)
{
	hook_call_enter(number, frame);
	return syscall_is_logged ? perform_logged(number, frame) : perform(number, frame);
}

inline __attribute__((always_inline)) void syscall_dispatch(struct trap_frame *frame)
{
	struct ptrace_state *trace = &task_current()->ptrace;

	if (atomic_load_explicit(&trace->calls, memory_order_relaxed) && ptrace_call_enter()) {
		ptrace_call_exit();
		return;
	}
	/* Linux takes the number as 32 bits. */
	unsigned long number = (unsigned int)arch_syscall_number(frame);
	long result = hook_is_on(HOOK_call) ? perform_reported(number, frame) :
					      perform(number, frame);

	/* A listener may have arrived during the call. */
	if (hook_is_on(HOOK_call))
		hook_call_exit(number, frame, result);
	arch_syscall_set_result(frame, result);
	if (atomic_load_explicit(&trace->calls, memory_order_relaxed))
		ptrace_call_exit();
}

void syscall_first_return(struct trap_frame *frame)
{
	if (hook_is_on(HOOK_call))
		hook_call_exit((unsigned int)arch_syscall_number(frame), frame, 0);
}

void user_return(struct trap_frame *frame)
{
	while (user_return_is_due()) {
		struct task *self = task_current();

		sched_preempt();
		arch_irq_enable();
		task_reap();
		if (self->signals.sequence)
			rseq_return(frame);
		if (self->signals.return_work)
			signal_deliver(frame);
		arch_irq_disable();
	}
}
