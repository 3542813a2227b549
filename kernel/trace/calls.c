/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of system calls: raw_syscalls:sys_enter and sys_exit for all calls, and syscalls:sys_enter_CALL
 * and sys_exit_CALL for each call of Linux 6.12, whether Tally implements it or not.
 *
 * A record has a call's arguments as Linux declares them (the names are those of Linux's functions, so
 * fstat's is newfstat), a word for each.
 *
 * While any of these events has a listener, system calls take the slow path (kernel/syscall/table.c), which
 * calls the functions here. The log of calls is a listener of the same hook, HOOK_call. As on Linux, a sample of
 * the events of one call has the program's registers, a sample of the raw events the kernel's.
 */
#include <kernel/trace/calls.h>

#include <string.h>

#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/mm/text.h>
#include <kernel/trace/emit.h>
#include <machine/calls.h>
#include <uapi/asm/unistd.h>

/* The names, "openat", are those of Linux's functions, the numbers those of the ABI. */
struct trace_call {
	uint16_t number;
	struct trace_event enter, exit;
};

static const struct trace_field exit_fields[] = {
	{ "int", "__syscall_nr", "", 4, 4, true },
	{ "long", "ret", "", 8, 8, true },
};

struct enter_record {
	struct trace_common common;
	int32_t number;
	unsigned long arguments[6];
};

struct exit_record {
	struct trace_common common;
	int32_t number;
	long result;
};

static void print_enter(struct text *text, const void *record);
static void print_exit(struct text *text, const void *record);

#define CALL_NAMED(abi_name, linux_name, list)               \
	{                                                    \
		.number = __NR_##abi_name,                   \
		.enter = { .system = "syscalls",             \
			   .name = "sys_enter_" #linux_name, \
			   .arguments = list,                \
			   .print = print_enter },           \
		.exit = {                                    \
			.system = "syscalls",                \
			.name = "sys_exit_" #linux_name,     \
			.fields = exit_fields,               \
			.field_count = 2,                    \
			.format = "\"0x%lx\", REC->ret",     \
			.print = print_exit                  \
		}                                            \
	}
#define CALL(name, list) CALL_NAMED(name, name, list)

/* clang-format off */
static const struct trace_call calls[] = {
	CALL(read, "unsigned int fd, char * buf, size_t count"),
	CALL(write, "unsigned int fd, const char * buf, size_t count"),
	CALL(open, "const char * filename, int flags, umode_t mode"),
	CALL(close, "unsigned int fd"),
	CALL_NAMED(stat, newstat, "const char * filename, struct stat * statbuf"),
	CALL_NAMED(fstat, newfstat, "unsigned int fd, struct stat * statbuf"),
	CALL_NAMED(lstat, newlstat, "const char * filename, struct stat * statbuf"),
	CALL(poll, "struct pollfd * ufds, unsigned int nfds, int timeout_msecs"),
	CALL(lseek, "unsigned int fd, off_t offset, unsigned int whence"),
	CALL(mmap, "unsigned long addr, unsigned long len, unsigned long prot, unsigned long flags, unsigned long fd, unsigned long off"),
	CALL(mprotect, "unsigned long start, size_t len, unsigned long prot"),
	CALL(munmap, "unsigned long addr, size_t len"),
	CALL(brk, "unsigned long brk"),
	CALL(rt_sigaction, "int sig, const struct sigaction * act, struct sigaction * oact, size_t sigsetsize"),
	CALL(rt_sigprocmask, "int how, sigset_t * nset, sigset_t * oset, size_t sigsetsize"),
	CALL(rt_sigreturn, ""),
	CALL(ioctl, "unsigned int fd, unsigned int cmd, unsigned long arg"),
	CALL(pread64, "unsigned int fd, char * buf, size_t count, loff_t pos"),
	CALL(pwrite64, "unsigned int fd, const char * buf, size_t count, loff_t pos"),
	CALL(readv, "unsigned long fd, const struct iovec * vec, unsigned long vlen"),
	CALL(writev, "unsigned long fd, const struct iovec * vec, unsigned long vlen"),
	CALL(access, "const char * filename, int mode"),
	CALL(pipe, "int * fildes"),
	CALL(select, "int n, fd_set * inp, fd_set * outp, fd_set * exp, struct __kernel_old_timeval * tvp"),
	CALL(sched_yield, ""),
	CALL(mremap, "unsigned long addr, unsigned long old_len, unsigned long new_len, unsigned long flags, unsigned long new_addr"),
	CALL(msync, "unsigned long start, size_t len, int flags"),
	CALL(mincore, "unsigned long start, size_t len, unsigned char * vec"),
	CALL(madvise, "unsigned long start, size_t len_in, int behavior"),
	CALL(shmget, "key_t key, size_t size, int shmflg"),
	CALL(shmat, "int shmid, char * shmaddr, int shmflg"),
	CALL(shmctl, "int shmid, int cmd, struct shmid_ds * buf"),
	CALL(dup, "unsigned int fildes"),
	CALL(dup2, "unsigned int oldfd, unsigned int newfd"),
	CALL(nanosleep, "struct __kernel_timespec * rqtp, struct __kernel_timespec * rmtp"),
	CALL(getitimer, "int which, struct __kernel_old_itimerval * value"),
	CALL(setitimer, "int which, struct __kernel_old_itimerval * value, struct __kernel_old_itimerval * ovalue"),
	CALL(getpid, ""),
	CALL_NAMED(sendfile, sendfile64, "int out_fd, int in_fd, loff_t * offset, size_t count"),
	CALL(socket, "int family, int type, int protocol"),
	CALL(connect, "int fd, struct sockaddr * uservaddr, int addrlen"),
	CALL(accept, "int fd, struct sockaddr * upeer_sockaddr, int * upeer_addrlen"),
	CALL(sendto, "int fd, void * buff, size_t len, unsigned int flags, struct sockaddr * addr, int addr_len"),
	CALL(recvfrom, "int fd, void * ubuf, size_t size, unsigned int flags, struct sockaddr * addr, int * addr_len"),
	CALL(sendmsg, "int fd, struct user_msghdr * msg, unsigned int flags"),
	CALL(recvmsg, "int fd, struct user_msghdr * msg, unsigned int flags"),
	CALL(shutdown, "int fd, int how"),
	CALL(bind, "int fd, struct sockaddr * umyaddr, int addrlen"),
	CALL(listen, "int fd, int backlog"),
	CALL(getsockname, "int fd, struct sockaddr * usockaddr, int * usockaddr_len"),
	CALL(getpeername, "int fd, struct sockaddr * usockaddr, int * usockaddr_len"),
	CALL(socketpair, "int family, int type, int protocol, int * usockvec"),
	CALL(setsockopt, "int fd, int level, int optname, char * optval, int optlen"),
	CALL(getsockopt, "int fd, int level, int optname, char * optval, int * optlen"),
	CALL(clone, "unsigned long clone_flags, unsigned long newsp, int * parent_tidptr, int * child_tidptr, unsigned long tls"),
	CALL(fork, ""),
	CALL(vfork, ""),
	CALL(execve, "const char * filename, const char *const * argv, const char *const * envp"),
	CALL(exit, "int error_code"),
	CALL(wait4, "pid_t upid, int * stat_addr, int options, struct rusage * ru"),
	CALL(kill, "pid_t pid, int sig"),
	CALL_NAMED(uname, newuname, "struct new_utsname * name"),
	CALL(semget, "key_t key, int nsems, int semflg"),
	CALL(semop, "int semid, struct sembuf * tsops, unsigned nsops"),
	CALL(semctl, "int semid, int semnum, int cmd, unsigned long arg"),
	CALL(shmdt, "char * shmaddr"),
	CALL(msgget, "key_t key, int msgflg"),
	CALL(msgsnd, "int msqid, struct msgbuf * msgp, size_t msgsz, int msgflg"),
	CALL(msgrcv, "int msqid, struct msgbuf * msgp, size_t msgsz, long msgtyp, int msgflg"),
	CALL(msgctl, "int msqid, int cmd, struct msqid_ds * buf"),
	CALL(fcntl, "unsigned int fd, unsigned int cmd, unsigned long arg"),
	CALL(flock, "unsigned int fd, unsigned int cmd"),
	CALL(fsync, "unsigned int fd"),
	CALL(fdatasync, "unsigned int fd"),
	CALL(truncate, "const char * path, long length"),
	CALL(ftruncate, "unsigned int fd, off_t length"),
	CALL(getdents, "unsigned int fd, struct linux_dirent * dirent, unsigned int count"),
	CALL(getcwd, "char * buf, unsigned long size"),
	CALL(chdir, "const char * filename"),
	CALL(fchdir, "unsigned int fd"),
	CALL(rename, "const char * oldname, const char * newname"),
	CALL(mkdir, "const char * pathname, umode_t mode"),
	CALL(rmdir, "const char * pathname"),
	CALL(link, "const char * oldname, const char * newname"),
	CALL(unlink, "const char * pathname"),
	CALL(symlink, "const char * oldname, const char * newname"),
	CALL(readlink, "const char * path, char * buf, int bufsiz"),
	CALL(chmod, "const char * filename, umode_t mode"),
	CALL(fchmod, "unsigned int fd, umode_t mode"),
	CALL(chown, "const char * filename, uid_t user, gid_t group"),
	CALL(fchown, "unsigned int fd, uid_t user, gid_t group"),
	CALL(lchown, "const char * filename, uid_t user, gid_t group"),
	CALL(umask, "int mask"),
	CALL(gettimeofday, "struct __kernel_old_timeval * tv, struct timezone * tz"),
	CALL(getrlimit, "unsigned int resource, struct rlimit * rlim"),
	CALL(getrusage, "int who, struct rusage * ru"),
	CALL(sysinfo, "struct sysinfo * info"),
	CALL(times, "struct tms * tbuf"),
	CALL(ptrace, "long request, long pid, unsigned long addr, unsigned long data"),
	CALL(getuid, ""),
	CALL(syslog, "int type, char * buf, int len"),
	CALL(getgid, ""),
	CALL(setuid, "uid_t uid"),
	CALL(setgid, "gid_t gid"),
	CALL(geteuid, ""),
	CALL(getegid, ""),
	CALL(setpgid, "pid_t pid, pid_t pgid"),
	CALL(getppid, ""),
	CALL(getpgrp, ""),
	CALL(setsid, ""),
	CALL(setreuid, "uid_t ruid, uid_t euid"),
	CALL(setregid, "gid_t rgid, gid_t egid"),
	CALL(getgroups, "int gidsetsize, gid_t * grouplist"),
	CALL(setgroups, "int gidsetsize, gid_t * grouplist"),
	CALL(setresuid, "uid_t ruid, uid_t euid, uid_t suid"),
	CALL(getresuid, "uid_t * ruidp, uid_t * euidp, uid_t * suidp"),
	CALL(setresgid, "gid_t rgid, gid_t egid, gid_t sgid"),
	CALL(getresgid, "gid_t * rgidp, gid_t * egidp, gid_t * sgidp"),
	CALL(getpgid, "pid_t pid"),
	CALL(setfsuid, "uid_t uid"),
	CALL(setfsgid, "gid_t gid"),
	CALL(getsid, "pid_t pid"),
	CALL(capget, "cap_user_header_t header, cap_user_data_t dataptr"),
	CALL(capset, "cap_user_header_t header, const cap_user_data_t data"),
	CALL(rt_sigpending, "sigset_t * uset, size_t sigsetsize"),
	CALL(rt_sigtimedwait, "const sigset_t * uthese, siginfo_t * uinfo, const struct __kernel_timespec * uts, size_t sigsetsize"),
	CALL(rt_sigqueueinfo, "pid_t pid, int sig, siginfo_t * uinfo"),
	CALL(rt_sigsuspend, "sigset_t * unewset, size_t sigsetsize"),
	CALL(sigaltstack, "const stack_t * uss, stack_t * uoss"),
	CALL(mknod, "const char * filename, umode_t mode, unsigned dev"),
	CALL(personality, "unsigned int personality"),
	CALL(ustat, "unsigned dev, struct ustat * ubuf"),
	CALL(statfs, "const char * pathname, struct statfs * buf"),
	CALL(fstatfs, "unsigned int fd, struct statfs * buf"),
	CALL(sysfs, "int option, unsigned long arg1, unsigned long arg2"),
	CALL(getpriority, "int which, int who"),
	CALL(setpriority, "int which, int who, int niceval"),
	CALL(sched_setparam, "pid_t pid, struct sched_param * param"),
	CALL(sched_getparam, "pid_t pid, struct sched_param * param"),
	CALL(sched_setscheduler, "pid_t pid, int policy, struct sched_param * param"),
	CALL(sched_getscheduler, "pid_t pid"),
	CALL(sched_get_priority_max, "int policy"),
	CALL(sched_get_priority_min, "int policy"),
	CALL(sched_rr_get_interval, "pid_t pid, struct __kernel_timespec * interval"),
	CALL(mlock, "unsigned long start, size_t len"),
	CALL(munlock, "unsigned long start, size_t len"),
	CALL(mlockall, "int flags"),
	CALL(munlockall, ""),
	CALL(vhangup, ""),
	CALL(pivot_root, "const char * new_root, const char * put_old"),
	CALL(prctl, "int option, unsigned long arg2, unsigned long arg3, unsigned long arg4, unsigned long arg5"),
	CALL(adjtimex, "struct __kernel_timex * txc_p"),
	CALL(setrlimit, "unsigned int resource, struct rlimit * rlim"),
	CALL(chroot, "const char * filename"),
	CALL(sync, ""),
	CALL(acct, "const char * name"),
	CALL(settimeofday, "struct __kernel_old_timeval * tv, struct timezone * tz"),
	CALL(mount, "char * dev_name, char * dir_name, char * type, unsigned long flags, void * data"),
	CALL_NAMED(umount2, umount, "char * name, int flags"),
	CALL(swapon, "const char * specialfile, int swap_flags"),
	CALL(swapoff, "const char * specialfile"),
	CALL(reboot, "int magic1, int magic2, unsigned int cmd, void * arg"),
	CALL(sethostname, "char * name, int len"),
	CALL(setdomainname, "char * name, int len"),
	CALL(init_module, "void * umod, unsigned long len, const char * uargs"),
	CALL(delete_module, "const char * name_user, unsigned int flags"),
	CALL(quotactl, "unsigned int cmd, const char * special, qid_t id, void * addr"),
	CALL(gettid, ""),
	CALL(readahead, "int fd, loff_t offset, size_t count"),
	CALL(setxattr, "const char * pathname, const char * name, const void * value, size_t size, int flags"),
	CALL(lsetxattr, "const char * pathname, const char * name, const void * value, size_t size, int flags"),
	CALL(fsetxattr, "int fd, const char * name, const void * value, size_t size, int flags"),
	CALL(getxattr, "const char * pathname, const char * name, void * value, size_t size"),
	CALL(lgetxattr, "const char * pathname, const char * name, void * value, size_t size"),
	CALL(fgetxattr, "int fd, const char * name, void * value, size_t size"),
	CALL(listxattr, "const char * pathname, char * list, size_t size"),
	CALL(llistxattr, "const char * pathname, char * list, size_t size"),
	CALL(flistxattr, "int fd, char * list, size_t size"),
	CALL(removexattr, "const char * pathname, const char * name"),
	CALL(lremovexattr, "const char * pathname, const char * name"),
	CALL(fremovexattr, "int fd, const char * name"),
	CALL(tkill, "pid_t pid, int sig"),
	CALL(futex, "u32 * uaddr, int op, u32 val, const struct __kernel_timespec * utime, u32 * uaddr2, u32 val3"),
	CALL(sched_setaffinity, "pid_t pid, unsigned int len, unsigned long * user_mask_ptr"),
	CALL(sched_getaffinity, "pid_t pid, unsigned int len, unsigned long * user_mask_ptr"),
	CALL(io_setup, "unsigned nr_events, aio_context_t * ctxp"),
	CALL(io_destroy, "aio_context_t ctx"),
	CALL(io_getevents, "aio_context_t ctx_id, long min_nr, long nr, struct io_event * events, struct __kernel_timespec * timeout"),
	CALL(io_submit, "aio_context_t ctx_id, long nr, struct iocb * * iocbpp"),
	CALL(io_cancel, "aio_context_t ctx_id, struct iocb * iocb, struct io_event * result"),
	CALL(epoll_create, "int size"),
	CALL(remap_file_pages, "unsigned long start, unsigned long size, unsigned long prot, unsigned long pgoff, unsigned long flags"),
	CALL(getdents64, "unsigned int fd, struct linux_dirent64 * dirent, unsigned int count"),
	CALL(set_tid_address, "int * tidptr"),
	CALL(restart_syscall, ""),
	CALL(semtimedop, "int semid, struct sembuf * tsops, unsigned int nsops, const struct __kernel_timespec * timeout"),
	CALL(fadvise64, "int fd, loff_t offset, size_t len, int advice"),
	CALL(timer_create, "const clockid_t which_clock, struct sigevent * timer_event_spec, timer_t * created_timer_id"),
	CALL(timer_settime, "timer_t timer_id, int flags, const struct __kernel_itimerspec * new_setting, struct __kernel_itimerspec * old_setting"),
	CALL(timer_gettime, "timer_t timer_id, struct __kernel_itimerspec * setting"),
	CALL(timer_getoverrun, "timer_t timer_id"),
	CALL(timer_delete, "timer_t timer_id"),
	CALL(clock_settime, "const clockid_t which_clock, const struct __kernel_timespec * tp"),
	CALL(clock_gettime, "const clockid_t which_clock, struct __kernel_timespec * tp"),
	CALL(clock_getres, "const clockid_t which_clock, struct __kernel_timespec * tp"),
	CALL(clock_nanosleep, "const clockid_t which_clock, int flags, const struct __kernel_timespec * rqtp, struct __kernel_timespec * rmtp"),
	CALL(exit_group, "int error_code"),
	CALL(epoll_wait, "int epfd, struct epoll_event * events, int maxevents, int timeout"),
	CALL(epoll_ctl, "int epfd, int op, int fd, struct epoll_event * event"),
	CALL(tgkill, "pid_t tgid, pid_t pid, int sig"),
	CALL(utimes, "char * filename, struct __kernel_old_timeval * utimes"),
	CALL(mbind, "unsigned long start, unsigned long len, unsigned long mode, const unsigned long * nmask, unsigned long maxnode, unsigned int flags"),
	CALL(set_mempolicy, "int mode, const unsigned long * nmask, unsigned long maxnode"),
	CALL(get_mempolicy, "int * policy, unsigned long * nmask, unsigned long maxnode, unsigned long addr, unsigned long flags"),
	CALL(mq_open, "const char * u_name, int oflag, umode_t mode, struct mq_attr * u_attr"),
	CALL(mq_unlink, "const char * u_name"),
	CALL(mq_timedsend, "mqd_t mqdes, const char * u_msg_ptr, size_t msg_len, unsigned int msg_prio, const struct __kernel_timespec * u_abs_timeout"),
	CALL(mq_timedreceive, "mqd_t mqdes, char * u_msg_ptr, size_t msg_len, unsigned int * u_msg_prio, const struct __kernel_timespec * u_abs_timeout"),
	CALL(mq_notify, "mqd_t mqdes, const struct sigevent * u_notification"),
	CALL(mq_getsetattr, "mqd_t mqdes, const struct mq_attr * u_mqstat, struct mq_attr * u_omqstat"),
	CALL(kexec_load, "unsigned long entry, unsigned long nr_segments, struct kexec_segment * segments, unsigned long flags"),
	CALL(waitid, "int which, pid_t upid, struct siginfo * infop, int options, struct rusage * ru"),
	CALL(add_key, "const char * _type, const char * _description, const void * _payload, size_t plen, key_serial_t ringid"),
	CALL(request_key, "const char * _type, const char * _description, const char * _callout_info, key_serial_t destringid"),
	CALL(keyctl, "int option, unsigned long arg2, unsigned long arg3, unsigned long arg4, unsigned long arg5"),
	CALL(ioprio_set, "int which, int who, int ioprio"),
	CALL(ioprio_get, "int which, int who"),
	CALL(inotify_init, ""),
	CALL(inotify_add_watch, "int fd, const char * pathname, u32 mask"),
	CALL(inotify_rm_watch, "int fd, __s32 wd"),
	CALL(migrate_pages, "pid_t pid, unsigned long maxnode, const unsigned long * old_nodes, const unsigned long * new_nodes"),
	CALL(openat, "int dfd, const char * filename, int flags, umode_t mode"),
	CALL(mkdirat, "int dfd, const char * pathname, umode_t mode"),
	CALL(mknodat, "int dfd, const char * filename, umode_t mode, unsigned int dev"),
	CALL(fchownat, "int dfd, const char * filename, uid_t user, gid_t group, int flag"),
	CALL(futimesat, "int dfd, const char * filename, struct __kernel_old_timeval * utimes"),
	CALL(unlinkat, "int dfd, const char * pathname, int flag"),
	CALL(renameat, "int olddfd, const char * oldname, int newdfd, const char * newname"),
	CALL(linkat, "int olddfd, const char * oldname, int newdfd, const char * newname, int flags"),
	CALL(symlinkat, "const char * oldname, int newdfd, const char * newname"),
	CALL(readlinkat, "int dfd, const char * pathname, char * buf, int bufsiz"),
	CALL(fchmodat, "int dfd, const char * filename, umode_t mode"),
	CALL(faccessat, "int dfd, const char * filename, int mode"),
	CALL(pselect6, "int n, fd_set * inp, fd_set * outp, fd_set * exp, struct __kernel_timespec * tsp, void * sig"),
	CALL(ppoll, "struct pollfd * ufds, unsigned int nfds, struct __kernel_timespec * tsp, const sigset_t * sigmask, size_t sigsetsize"),
	CALL(unshare, "unsigned long unshare_flags"),
	CALL(set_robust_list, "struct robust_list_head * head, size_t len"),
	CALL(get_robust_list, "int pid, struct robust_list_head * * head_ptr, size_t * len_ptr"),
	CALL(splice, "int fd_in, loff_t * off_in, int fd_out, loff_t * off_out, size_t len, unsigned int flags"),
	CALL(tee, "int fdin, int fdout, size_t len, unsigned int flags"),
	CALL(sync_file_range, "int fd, loff_t offset, loff_t nbytes, unsigned int flags"),
	CALL(vmsplice, "int fd, const struct iovec * uiov, unsigned long nr_segs, unsigned int flags"),
	CALL(move_pages, "pid_t pid, unsigned long nr_pages, const void * * pages, const int * nodes, int * status, int flags"),
	CALL(utimensat, "int dfd, const char * filename, struct __kernel_timespec * utimes, int flags"),
	CALL(epoll_pwait, "int epfd, struct epoll_event * events, int maxevents, int timeout, const sigset_t * sigmask, size_t sigsetsize"),
	CALL(signalfd, "int ufd, sigset_t * user_mask, size_t sizemask"),
	CALL(timerfd_create, "int clockid, int flags"),
	CALL(eventfd, "unsigned int count"),
	CALL(fallocate, "int fd, int mode, loff_t offset, loff_t len"),
	CALL(timerfd_settime, "int ufd, int flags, const struct __kernel_itimerspec * utmr, struct __kernel_itimerspec * otmr"),
	CALL(timerfd_gettime, "int ufd, struct __kernel_itimerspec * otmr"),
	CALL(accept4, "int fd, struct sockaddr * upeer_sockaddr, int * upeer_addrlen, int flags"),
	CALL(signalfd4, "int ufd, sigset_t * user_mask, size_t sizemask, int flags"),
	CALL(eventfd2, "unsigned int count, int flags"),
	CALL(epoll_create1, "int flags"),
	CALL(dup3, "unsigned int oldfd, unsigned int newfd, int flags"),
	CALL(pipe2, "int * fildes, int flags"),
	CALL(inotify_init1, "int flags"),
	CALL(preadv, "unsigned long fd, const struct iovec * vec, unsigned long vlen, unsigned long pos_l, unsigned long pos_h"),
	CALL(pwritev, "unsigned long fd, const struct iovec * vec, unsigned long vlen, unsigned long pos_l, unsigned long pos_h"),
	CALL(rt_tgsigqueueinfo, "pid_t tgid, pid_t pid, int sig, siginfo_t * uinfo"),
	CALL(perf_event_open, "struct perf_event_attr * attr_uptr, pid_t pid, int cpu, int group_fd, unsigned long flags"),
	CALL(recvmmsg, "int fd, struct mmsghdr * mmsg, unsigned int vlen, unsigned int flags, struct __kernel_timespec * timeout"),
	CALL(fanotify_init, "unsigned int flags, unsigned int event_f_flags"),
	CALL(fanotify_mark, "int fanotify_fd, unsigned int flags, __u64 mask, int dfd, const char * pathname"),
	CALL(prlimit64, "pid_t pid, unsigned int resource, const struct rlimit64 * new_rlim, struct rlimit64 * old_rlim"),
	CALL(name_to_handle_at, "int dfd, const char * name, struct file_handle * handle, void * mnt_id, int flag"),
	CALL(open_by_handle_at, "int mountdirfd, struct file_handle * handle, int flags"),
	CALL(clock_adjtime, "const clockid_t which_clock, struct __kernel_timex * utx"),
	CALL(syncfs, "int fd"),
	CALL(sendmmsg, "int fd, struct mmsghdr * mmsg, unsigned int vlen, unsigned int flags"),
	CALL(setns, "int fd, int flags"),
	CALL(getcpu, "unsigned * cpup, unsigned * nodep, struct getcpu_cache * unused"),
	CALL(process_vm_readv, "pid_t pid, const struct iovec * lvec, unsigned long liovcnt, const struct iovec * rvec, unsigned long riovcnt, unsigned long flags"),
	CALL(process_vm_writev, "pid_t pid, const struct iovec * lvec, unsigned long liovcnt, const struct iovec * rvec, unsigned long riovcnt, unsigned long flags"),
	CALL(kcmp, "pid_t pid1, pid_t pid2, int type, unsigned long idx1, unsigned long idx2"),
	CALL(finit_module, "int fd, const char * uargs, int flags"),
	CALL(sched_setattr, "pid_t pid, struct sched_attr * uattr, unsigned int flags"),
	CALL(sched_getattr, "pid_t pid, struct sched_attr * uattr, unsigned int usize, unsigned int flags"),
	CALL(renameat2, "int olddfd, const char * oldname, int newdfd, const char * newname, unsigned int flags"),
	CALL(seccomp, "unsigned int op, unsigned int flags, void * uargs"),
	CALL(getrandom, "char * ubuf, size_t len, unsigned int flags"),
	CALL(memfd_create, "const char * uname, unsigned int flags"),
	CALL(bpf, "int cmd, union bpf_attr * uattr, unsigned int size"),
	CALL(execveat, "int fd, const char * filename, const char *const * argv, const char *const * envp, int flags"),
	CALL(userfaultfd, "int flags"),
	CALL(membarrier, "int cmd, unsigned int flags, int cpu_id"),
	CALL(mlock2, "unsigned long start, size_t len, int flags"),
	CALL(copy_file_range, "int fd_in, loff_t * off_in, int fd_out, loff_t * off_out, size_t len, unsigned int flags"),
	CALL(preadv2, "unsigned long fd, const struct iovec * vec, unsigned long vlen, unsigned long pos_l, unsigned long pos_h, rwf_t flags"),
	CALL(pwritev2, "unsigned long fd, const struct iovec * vec, unsigned long vlen, unsigned long pos_l, unsigned long pos_h, rwf_t flags"),
	CALL(pkey_mprotect, "unsigned long start, size_t len, unsigned long prot, int pkey"),
	CALL(pkey_alloc, "unsigned long flags, unsigned long init_val"),
	CALL(pkey_free, "int pkey"),
	CALL(statx, "int dfd, const char * filename, unsigned flags, unsigned int mask, struct statx * buffer"),
	CALL(io_pgetevents, "aio_context_t ctx_id, long min_nr, long nr, struct io_event * events, struct __kernel_timespec * timeout, const struct __aio_sigset * usig"),
	CALL(rseq, "struct rseq * rseq, u32 rseq_len, int flags, u32 sig"),
	CALL(pidfd_send_signal, "int pidfd, int sig, siginfo_t * info, unsigned int flags"),
	CALL(io_uring_setup, "u32 entries, struct io_uring_params * params"),
	CALL(io_uring_enter, "unsigned int fd, u32 to_submit, u32 min_complete, u32 flags, const void * argp, size_t argsz"),
	CALL(io_uring_register, "unsigned int fd, unsigned int opcode, void * arg, unsigned int nr_args"),
	CALL(open_tree, "int dfd, const char * filename, unsigned flags"),
	CALL(move_mount, "int from_dfd, const char * from_pathname, int to_dfd, const char * to_pathname, unsigned int flags"),
	CALL(fsopen, "const char * _fs_name, unsigned int flags"),
	CALL(fsconfig, "int fd, unsigned int cmd, const char * _key, const void * _value, int aux"),
	CALL(fsmount, "int fs_fd, unsigned int flags, unsigned int attr_flags"),
	CALL(fspick, "int dfd, const char * path, unsigned int flags"),
	CALL(pidfd_open, "pid_t pid, unsigned int flags"),
	CALL(close_range, "unsigned int fd, unsigned int max_fd, unsigned int flags"),
	CALL(openat2, "int dfd, const char * filename, struct open_how * how, size_t usize"),
	CALL(pidfd_getfd, "int pidfd, int fd, unsigned int flags"),
	CALL(faccessat2, "int dfd, const char * filename, int mode, int flags"),
	CALL(process_madvise, "int pidfd, const struct iovec * vec, size_t vlen, int behavior, unsigned int flags"),
	CALL(epoll_pwait2, "int epfd, struct epoll_event * events, int maxevents, const struct __kernel_timespec * timeout, const sigset_t * sigmask, size_t sigsetsize"),
	CALL(mount_setattr, "int dfd, const char * path, unsigned int flags, struct mount_attr * uattr, size_t usize"),
	CALL(quotactl_fd, "unsigned int fd, unsigned int cmd, qid_t id, void * addr"),
	CALL(landlock_create_ruleset, "const struct landlock_ruleset_attr *const attr, const size_t size, const __u32 flags"),
	CALL(landlock_add_rule, "const int ruleset_fd, const enum landlock_rule_type rule_type, const void *const rule_attr, const __u32 flags"),
	CALL(landlock_restrict_self, "const int ruleset_fd, const __u32 flags"),
	CALL(process_mrelease, "int pidfd, unsigned int flags"),
	CALL(futex_waitv, "struct futex_waitv * waiters, unsigned int nr_futexes, unsigned int flags, struct __kernel_timespec * timeout, clockid_t clockid"),
	CALL(set_mempolicy_home_node, "unsigned long start, unsigned long len, unsigned long home_node, unsigned long flags"),
	CALL(cachestat, "unsigned int fd, struct cachestat_range * cstat_range, struct cachestat * cstat, unsigned int flags"),
	CALL(fchmodat2, "int dfd, const char * filename, umode_t mode, unsigned int flags"),
	CALL(map_shadow_stack, "unsigned long addr, unsigned long size, unsigned int flags"),
	CALL(futex_wake, "void * uaddr, unsigned long mask, int nr, unsigned int flags"),
	CALL(futex_wait, "void * uaddr, unsigned long val, unsigned long mask, unsigned int flags, struct __kernel_timespec * timeout, clockid_t clockid"),
	CALL(futex_requeue, "struct futex_waitv * waiters, unsigned int flags, int nr_wake, int nr_requeue"),
	CALL(statmount, "const struct mnt_id_req * req, struct statmount * buf, size_t bufsize, unsigned int flags"),
	CALL(listmount, "const struct mnt_id_req * req, u64 * mnt_ids, size_t nr_mnt_ids, unsigned int flags"),
	CALL(lsm_get_self_attr, "unsigned int attr, struct lsm_ctx * ctx, u32 * size, u32 flags"),
	CALL(lsm_set_self_attr, "unsigned int attr, struct lsm_ctx * ctx, u32 size, u32 flags"),
	CALL(lsm_list_modules, "u64 * ids, u32 * size, u32 flags"),
	CALL(mseal, "unsigned long start, size_t len, unsigned long flags"),
	MACHINE_TRACED
};
/* clang-format on */

#define CALL_COUNT	 (sizeof(calls) / sizeof(calls[0]))
_Static_assert(TRACE_DECLARED + 2 * CALL_COUNT <= TRACE_EVENTS_MAX, "events");

/* Greatest number of a call, and each call's index in the table plus one. */
#define NUMBERS 640
static uint16_t rows[NUMBERS];

void trace_calls_init(void)
{
	for (unsigned int i = 0; i < CALL_COUNT; i++)
		rows[calls[i].number] = (uint16_t)(i + 1);
}

unsigned int trace_call_count(void)
{
	return CALL_COUNT;
}

const char *trace_call_name(uint64_t number)
{
	for (unsigned int i = 0; i < trace_call_count(); i++)
		if (calls[i].number == number)
			return calls[i].enter.name + strlen("sys_enter_");
	return NULL;
}

const struct trace_event *trace_call_event(unsigned int index)
{
	return index % 2 ? &calls[index / 2].exit : &calls[index / 2].enter;
}

void trace_calls_listen(bool on)
{
	hook_listen(HOOK_call, on);
}

/* Returns the event of call NUMBER, at its entry or, with EXIT, its exit; TRACE_EVENTS_MAX: none. */
static unsigned int event_of(unsigned long number, bool exit)
{
	if (number >= NUMBERS || !rows[number])
		return TRACE_EVENTS_MAX;
	return TRACE_DECLARED + 2 * (rows[number] - 1u) + exit;
}

static unsigned int count_arguments(const char *list)
{
	unsigned int count = *list != '\0';

	for (; *list; list++)
		count += *list == ',';
	return count;
}

/* --- entry and exit --- */

HOOK_LISTENER(call_enter, 1, (unsigned long number, struct trap_frame *frame))
{
	unsigned int event = event_of(number, false);
	unsigned long arg[6];

	arch_syscall_arguments(frame, arg);
	if (trace_is_on(TRACE_sys_enter)) {
		TRACE_RECORD(trace_sys_enter, 0) room = { .record = { .id = (long)number } };

		memcpy(room.record.args, arg, sizeof(arg));
		trace_emit(TRACE_sys_enter, &room, sizeof(room.record), 1);
	}
	if (event < TRACE_EVENTS_MAX && trace_is_on(event)) {
		TRACE_RECORD(enter_record, 0) room = { .record = { .number = (int32_t)number } };
		unsigned int count = count_arguments(trace_event_get(event)->arguments);

		memcpy(room.record.arguments, arg, count * sizeof(arg[0]));
		trace_emit_at(event, &room,
			      offsetof(struct enter_record, arguments) + count * sizeof(long), 1,
			      frame);
	}
}

HOOK_LISTENER(call_exit, 1, (unsigned long number, struct trap_frame *frame, long result))
{
	unsigned int event = event_of(number, true);

	if (trace_is_on(TRACE_sys_exit)) {
		TRACE_RECORD(trace_sys_exit, 0)
		room = { .record = { .id = (long)number, .ret = result } };

		trace_emit(TRACE_sys_exit, &room, sizeof(room.record), 1);
	}
	if (event < TRACE_EVENTS_MAX && trace_is_on(event)) {
		TRACE_RECORD(exit_record, 0)
		room = { .record = { .number = (int32_t)number, .result = result } };

		trace_emit_at(event, &room, sizeof(room.record), 1, frame);
	}
}

/* --- lines of the file `trace` --- */

static void print_enter(struct text *text, const void *bytes)
{
	const struct enter_record *record = bytes;
	const struct trace_event *event =
		trace_event_get(event_of((unsigned int)record->number, false));
	struct trace_place place;

	text_print(text, "sys_%s(", event->name + strlen("sys_enter_"));
	for (unsigned int i = 0; trace_field_get(event, TRACE_COMMON_FIELDS + 1 + i, &place); i++)
		text_print(text, "%s%s: %lx", i ? ", " : "", place.name, record->arguments[i]);
	text_print(text, ")");
}

static void print_exit(struct text *text, const void *bytes)
{
	const struct exit_record *record = bytes;
	const struct trace_event *event =
		trace_event_get(event_of((unsigned int)record->number, true));

	text_print(text, "sys_%s -> 0x%lx", event->name + strlen("sys_exit_"),
		   (unsigned long)record->result);
}
