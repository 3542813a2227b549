/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that Linux has for Alpha and not for each of Tally's ISAs, or not with the same
 * function: rows of the tables in kernel/syscall/table.c, names.c and trace.c, and
 * kernel/trace/calls.c, in the form of each.
 */
#ifndef MACHINE_CALLS_H
#define MACHINE_CALLS_H

#include <kernel/base/syscall.h>

/* arch/alpha/calls.c */
syscall_function alpha_getxpid, alpha_getxuid, alpha_getxgid, alpha_pipe, alpha_brk,
	alpha_getpriority, alpha_statfs64, alpha_fstatfs64, alpha_send, alpha_recv,
	alpha_sigpending, alpha_osf_sigprocmask, alpha_sigaction, alpha_sigsuspend, alpha_sigreturn,
	alpha_getpagesize, alpha_getdtablesize, alpha_osf_sigstack;

/* arch/alpha/osf_time_calls.c */
syscall_function alpha_osf_gettimeofday, alpha_osf_settimeofday, alpha_old_adjtimex,
	alpha_osf_getitimer, alpha_osf_setitimer, alpha_osf_select, alpha_osf_usleep_thread,
	alpha_osf_wait4, alpha_osf_getrusage, alpha_osf_utimes;

/* arch/alpha/osf_file_calls.c, osf_name_calls.c, osf_sysinfo_calls.c */
syscall_function alpha_osf_getdirentries, alpha_osf_mount, alpha_oldumount,
	alpha_osf_proplist_syscall;
syscall_function alpha_osf_utsname, alpha_osf_getdomainname, alpha_gethostname, alpha_osf_sysinfo;
syscall_function alpha_osf_getsysinfo, alpha_osf_setsysinfo;
long alpha_get_unalign(const unsigned long arg[4]), alpha_set_unalign(const unsigned long arg[4]);

/* arch/alpha/stat_calls.c */
syscall_function alpha_stat, alpha_lstat, alpha_fstat, alpha_osf_stat, alpha_osf_lstat,
	alpha_osf_fstat, alpha_statfs, alpha_fstatfs, alpha_osf_statfs, alpha_osf_fstatfs,
	alpha_osf_statfs64, alpha_osf_fstatfs64;

/* clang-format off */
#define MACHINE_CALLS \
	CALL_BY(brk, alpha_brk, 1), \
	CALL_BY(pipe, alpha_pipe, 0), \
	CALL_BY(getxpid, alpha_getxpid, 0), \
	CALL_BY(getxuid, alpha_getxuid, 0), \
	CALL_BY(getxgid, alpha_getxgid, 0), \
	CALL_BY(getpriority, alpha_getpriority, 2), \
	CALL_BY(setpgrp, sys_setpgid, 2), \
	CALL_BY(stat, alpha_stat, 2), \
	CALL_BY(lstat, alpha_lstat, 2), \
	CALL_BY(fstat, alpha_fstat, 2), \
	CALL_BY(osf_stat, alpha_osf_stat, 2), \
	CALL_BY(osf_lstat, alpha_osf_lstat, 2), \
	CALL_BY(osf_fstat, alpha_osf_fstat, 2), \
	CALL_BY(stat64, sys_stat, 2), \
	CALL_BY(lstat64, sys_lstat, 2), \
	CALL_BY(fstat64, sys_fstat, 2), \
	CALL_BY(fstatat64, sys_newfstatat, 4), \
	CALL_BY(statfs, alpha_statfs, 2), \
	CALL_BY(fstatfs, alpha_fstatfs, 2), \
	CALL_BY(osf_statfs, alpha_osf_statfs, 3), \
	CALL_BY(osf_fstatfs, alpha_osf_fstatfs, 3), \
	CALL_BY(osf_statfs64, alpha_osf_statfs64, 3), \
	CALL_BY(osf_fstatfs64, alpha_osf_fstatfs64, 3), \
	CALL_BY(statfs64, alpha_statfs64, 3), \
	CALL_BY(fstatfs64, alpha_fstatfs64, 3), \
	CALL_BY_RESTARTING(send, alpha_send, 4, CALL_RESTARTS), \
	CALL_BY_RESTARTING(recv, alpha_recv, 4, CALL_RESTARTS), \
	CALL(rt_sigaction, 5), \
	CALL_BY(sigpending, alpha_sigpending, 1), \
	CALL_BY(osf_sigprocmask, alpha_osf_sigprocmask, 2), \
	CALL_BY(sigaction, alpha_sigaction, 3), \
	CALL_BY_RESTARTING(sigsuspend, alpha_sigsuspend, 1, CALL_RESTARTS_UNHANDLED), \
	CALL_BY(sigreturn, alpha_sigreturn, 1), \
	CALL_BY(getpagesize, alpha_getpagesize, 0), \
	CALL_BY(getdtablesize, alpha_getdtablesize, 0), \
	CALL_BY(osf_sigstack, alpha_osf_sigstack, 2), \
	CALL_BY(osf_gettimeofday, alpha_osf_gettimeofday, 2), \
	CALL_BY(osf_settimeofday, alpha_osf_settimeofday, 2), \
	CALL_BY(old_adjtimex, alpha_old_adjtimex, 1), \
	CALL_BY(osf_getitimer, alpha_osf_getitimer, 2), \
	CALL_BY(osf_setitimer, alpha_osf_setitimer, 3), \
	CALL_BY_RESTARTING(osf_select, alpha_osf_select, 5, CALL_RESTARTS_UNHANDLED), \
	CALL_BY(osf_usleep_thread, alpha_osf_usleep_thread, 2), \
	CALL_BY_RESTARTING(osf_wait4, alpha_osf_wait4, 4, CALL_RESTARTS), \
	CALL_BY(osf_getrusage, alpha_osf_getrusage, 2), \
	CALL_BY(osf_utimes, alpha_osf_utimes, 2), \
	CALL_BY(osf_getdirentries, alpha_osf_getdirentries, 4), \
	CALL_BY(osf_mount, alpha_osf_mount, 4), \
	CALL_BY(oldumount, alpha_oldumount, 1), \
	CALL_BY(osf_proplist_syscall, alpha_osf_proplist_syscall, 2), \
	CALL_BY(osf_utsname, alpha_osf_utsname, 1), \
	CALL_BY(osf_getdomainname, alpha_osf_getdomainname, 2), \
	CALL_BY(gethostname, alpha_gethostname, 2), \
	CALL_BY(osf_sysinfo, alpha_osf_sysinfo, 3), \
	CALL_BY(osf_getsysinfo, alpha_osf_getsysinfo, 5), \
	CALL_BY(osf_setsysinfo, alpha_osf_setsysinfo, 5)

#define MACHINE_NAMES \
	NAME(osf_syscall), NAME(osf_old_open), NAME(osf_wait4), NAME(osf_old_creat), \
	NAME(osf_execve), NAME(osf_getfsstat), NAME(osf_mount), NAME(exec_with_loader), \
	NAME(osf_nrecvmsg), NAME(osf_nsendmsg), NAME(osf_nrecvfrom), NAME(osf_naccept), \
	NAME(osf_ngetpeername), NAME(osf_ngetsockname), NAME(osf_chflags), NAME(osf_fchflags), \
	NAME(osf_old_stat), NAME(osf_old_lstat), NAME(osf_set_program_attributes), \
	NAME(osf_profil), NAME(osf_old_sigaction), NAME(osf_sigprocmask), NAME(osf_getlogin), \
	NAME(osf_setlogin), NAME(sigpending), NAME(osf_reboot), NAME(osf_revoke), \
	NAME(osf_old_fstat), NAME(getpagesize), NAME(osf_mremap), NAME(osf_sbrk), \
	NAME(osf_sstk), NAME(osf_old_vadvise), NAME(osf_kmodcall), NAME(osf_mincore), \
	NAME(osf_old_getpgrp), NAME(setpgrp), NAME(osf_setitimer), NAME(osf_old_wait), \
	NAME(osf_table), NAME(osf_getitimer), NAME(gethostname), NAME(getdtablesize), \
	NAME(osf_select), NAME(send), NAME(recv), NAME(sigreturn), NAME(osf_plock), \
	NAME(osf_old_sigvec), NAME(osf_old_sigblock), NAME(osf_old_sigsetmask), \
	NAME(sigsuspend), NAME(osf_sigstack), NAME(osf_old_vtrace), NAME(osf_gettimeofday), \
	NAME(osf_getrusage), NAME(osf_settimeofday), NAME(osf_utimes), NAME(osf_old_sigreturn), \
	NAME(osf_adjtime), NAME(osf_gethostid), NAME(osf_sethostid), NAME(osf_old_killpg), \
	NAME(osf_oldquota), NAME(osf_pid_block), NAME(osf_pid_unblock), NAME(sigaction), \
	NAME(osf_sigwaitprim), NAME(osf_nfssvc), NAME(osf_getdirentries), NAME(osf_statfs), \
	NAME(osf_fstatfs), NAME(osf_asynch_daemon), NAME(osf_getfh), NAME(osf_getdomainname), \
	NAME(osf_exportfs), NAME(osf_alt_plock), NAME(osf_getmnt), NAME(osf_alt_sigpending), \
	NAME(osf_alt_setsid), NAME(osf_swapon), NAME(osf_utsname), NAME(osf_mvalid), \
	NAME(osf_getaddressconf), NAME(osf_msleep), NAME(osf_mwakeup), NAME(osf_signal), \
	NAME(osf_utc_gettime), NAME(osf_utc_adjtime), NAME(osf_security), NAME(osf_kloadcall), \
	NAME(osf_stat), NAME(osf_lstat), NAME(osf_fstat), NAME(osf_statfs64), \
	NAME(osf_fstatfs64), NAME(osf_waitid), NAME(osf_priocntlset), NAME(osf_sigsendset), \
	NAME(osf_set_speculative), NAME(osf_msfs_syscall), NAME(osf_sysinfo), NAME(osf_uadmin), \
	NAME(osf_fuser), NAME(osf_proplist_syscall), NAME(osf_ntp_adjtime), \
	NAME(osf_ntp_gettime), NAME(osf_pathconf), NAME(osf_fpathconf), NAME(osf_uswitch), \
	NAME(osf_usleep_thread), NAME(osf_audcntl), NAME(osf_audgen), NAME(osf_subsys_info), \
	NAME(osf_getsysinfo), NAME(osf_setsysinfo), NAME(osf_afs_syscall), NAME(osf_swapctl), \
	NAME(osf_memcntl), NAME(osf_fdatasync), NAME(bdflush), NAME(sethae), NAME(old_adjtimex), \
	NAME(oldumount), NAME(pciconfig_read), NAME(pciconfig_write), NAME(dipc), \
	NAME(pciconfig_iobase), NAME(stat64), NAME(lstat64), NAME(fstat64), NAME(fstatat64), \
	NAME(timerfd), NAME(statfs64), NAME(fstatfs64)

#define MACHINE_SHAPES \
	SHAPE(stat64, "sx"), \
	SHAPE(lstat64, "sx"), \
	SHAPE(fstat64, "dx"), \
	SHAPE(fstatat64, "fsxx"), \
	SHAPE(statfs64, "sux"), \
	SHAPE(fstatfs64, "dux")

/* Rows for prctl, kernel/task/prctl.c. */
#define MACHINE_OPTIONS \
	{ PR_GET_UNALIGN, alpha_get_unalign }, \
	{ PR_SET_UNALIGN, alpha_set_unalign },

/* Linux/alpha has no events of system calls. Tally has events for the calls above. */
#define MACHINE_TRACED
/* clang-format on */

#endif
