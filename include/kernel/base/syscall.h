/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls: every function that the table (kernel/syscall/table.c) may name.
 *
 * Each takes the six argument registers unchanged, checks those that it uses, and returns the program's
 * result, or a negative error. Behaviour and errors: the manual page of the same name in section 2, and
 * Linux 6.12 where that is silent. Task context, interrupts on, no lock held.
 */
#ifndef KERNEL_SYSCALL_H
#define KERNEL_SYSCALL_H

/* Returned instead of EINTR: applies the call's restart rule in table.c, but restarts only if no
 * handler ran. The number is Linux's for the same; a program never sees it. */
#define EINTR_UNHANDLED 516
/* The same for a call that restarts even if a handler ran: Linux's ERESTARTNOINTR. */
#define EINTR_HANDLED	513
/* The same for a call that does not restart even without a handler: one on a socket with a time-out. */
#define EINTR_ENDS	517

typedef long syscall_function(const unsigned long arg[6]);

/* memory: kernel/task/memory_calls.c */
syscall_function sys_brk, sys_mmap, sys_munmap, sys_mprotect, sys_madvise, sys_mremap, sys_mlock,
	sys_mlock2, sys_munlock, sys_mlockall, sys_munlockall, sys_mincore, sys_msync;
/* signals and timers: kernel/task/signal_calls.c, send_calls.c, pidfd.c, kernel/time/ */
syscall_function sys_rt_sigtimedwait, sys_rt_sigqueueinfo, sys_rt_tgsigqueueinfo, sys_waitid,
	sys_pidfd_open, sys_pidfd_send_signal, sys_pidfd_getfd, sys_getitimer, sys_setitimer,
	sys_alarm, sys_timer_create, sys_timer_settime, sys_timer_gettime, sys_timer_getoverrun,
	sys_timer_delete, sys_adjtimex, sys_clock_adjtime, sys_clock_settime, sys_settimeofday;
/* files: kernel/fs/file_calls.c, path_calls.c, poll.c, pipe.c */
syscall_function sys_read, sys_write, sys_readv, sys_writev, sys_pread64, sys_close, sys_lseek,
	sys_ioctl, sys_fcntl, sys_dup, sys_dup2, sys_dup3, sys_getdents64, sys_getdents;
syscall_function sys_open, sys_openat, sys_creat, sys_stat, sys_lstat, sys_fstat, sys_newfstatat,
	sys_readlink, sys_readlinkat, sys_access, sys_faccessat, sys_faccessat2, sys_getcwd,
	sys_chdir, sys_fchdir, sys_chroot, sys_umask;
syscall_function sys_mkdir, sys_mkdirat, sys_mknod, sys_mknodat, sys_unlink, sys_unlinkat,
	sys_rmdir, sys_link, sys_linkat, sys_symlink, sys_symlinkat, sys_rename, sys_renameat,
	sys_renameat2;
syscall_function sys_chmod, sys_fchmod, sys_fchmodat, sys_fchmodat2, sys_chown, sys_lchown,
	sys_fchown, sys_fchownat, sys_utime, sys_utimes, sys_futimesat, sys_utimensat, sys_truncate,
	sys_ftruncate, sys_fsync, sys_fdatasync, sys_sync;
syscall_function sys_statx, sys_statfs, sys_fstatfs, sys_pwrite64, sys_preadv, sys_pwritev,
	sys_preadv2, sys_pwritev2, sys_close_range, sys_select, sys_pselect6, sys_eventfd,
	sys_eventfd2;
syscall_function sys_setxattr, sys_lsetxattr, sys_fsetxattr, sys_getxattr, sys_lgetxattr,
	sys_fgetxattr, sys_listxattr, sys_llistxattr, sys_flistxattr, sys_removexattr,
	sys_lremovexattr, sys_fremovexattr;
syscall_function sys_fallocate, sys_fadvise64, sys_readahead, sys_sync_file_range, sys_syncfs,
	sys_memfd_create, sys_mount, sys_umount2, sys_flock, sys_timerfd_create,
	sys_timerfd_settime, sys_timerfd_gettime, sys_signalfd, sys_signalfd4, sys_splice, sys_tee,
	sys_vmsplice, sys_sendfile, sys_copy_file_range, sys_inotify_init, sys_inotify_init1,
	sys_inotify_add_watch, sys_inotify_rm_watch;
syscall_function sys_poll, sys_ppoll, sys_pipe, sys_pipe2, sys_epoll_create, sys_epoll_create1,
	sys_epoll_ctl, sys_epoll_wait, sys_epoll_pwait, sys_epoll_pwait2;
/* sockets: kernel/net/ */
syscall_function sys_socket, sys_socketpair, sys_bind, sys_listen, sys_accept, sys_accept4,
	sys_connect, sys_getsockname, sys_getpeername, sys_getsockopt, sys_setsockopt, sys_shutdown,
	sys_sendto, sys_sendmsg, sys_sendmmsg, sys_recvfrom, sys_recvmsg, sys_recvmmsg;
/* tasks: kernel/task/ */
syscall_function sys_clone, sys_clone3, sys_unshare, sys_fork, sys_vfork, sys_execve, sys_execveat,
	sys_exit, sys_exit_group, sys_wait4;
syscall_function sys_getpid, sys_gettid, sys_getppid, sys_getpgrp, sys_getpgid, sys_setpgid,
	sys_getsid, sys_setsid, sys_set_tid_address, sys_prctl, sys_uname, sys_sysinfo, sys_syslog,
	sys_sethostname, sys_setdomainname, sys_getrusage, sys_times, sys_personality,
	sys_prlimit64, sys_getrlimit, sys_setrlimit, sys_getrandom;
syscall_function sys_getuid, sys_geteuid, sys_getgid, sys_getegid, sys_getresuid, sys_getresgid,
	sys_setuid, sys_setgid, sys_setreuid, sys_setregid, sys_setresuid, sys_setresgid,
	sys_setfsuid, sys_setfsgid, sys_getgroups, sys_setgroups, sys_capget, sys_capset;
syscall_function sys_sched_yield, sys_sched_setaffinity, sys_sched_getaffinity, sys_getcpu,
	sys_getpriority, sys_setpriority, sys_sched_getscheduler, sys_sched_getparam,
	sys_sched_setscheduler, sys_sched_setparam, sys_sched_get_priority_max,
	sys_sched_get_priority_min, sys_sched_rr_get_interval, sys_sched_setattr, sys_sched_getattr,
	sys_ioprio_set, sys_ioprio_get;
syscall_function sys_futex, sys_futex_waitv, sys_futex_wait, sys_futex_wake, sys_futex_requeue,
	sys_set_robust_list, sys_rseq, sys_membarrier, sys_get_robust_list;
syscall_function sys_ptrace, sys_process_vm_readv, sys_process_vm_writev;
syscall_function sys_kill, sys_tkill, sys_tgkill, sys_rt_sigaction, sys_rt_sigprocmask,
	sys_rt_sigpending, sys_rt_sigsuspend, sys_rt_sigreturn, sys_sigaltstack, sys_pause;
/* time: kernel/task/clock_calls.c */
syscall_function sys_clock_gettime, sys_clock_getres, sys_clock_nanosleep, sys_nanosleep,
	sys_gettimeofday, sys_time;
/* perf: kernel/syscall/perf_calls.c */
syscall_function sys_perf_event_open;

#endif
