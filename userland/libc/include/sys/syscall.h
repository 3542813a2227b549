/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/syscall.h - system call numbers for syscall(): __NR_name, from the ABI's own header.
 *
 * Programs written for Linux say SYS_name; the ones that our tests and programs use follow.
 */
#ifndef _SYS_SYSCALL_H
#define _SYS_SYSCALL_H

#include <asm/unistd.h>

#define SYS_brk		      __NR_brk
#define SYS_clone	      __NR_clone
#define SYS_exit	      __NR_exit
#define SYS_exit_group	      __NR_exit_group
#define SYS_futex	      __NR_futex
#define SYS_getcpu	      __NR_getcpu
#define SYS_getpid	      __NR_getpid
#define SYS_getppid	      __NR_getppid
#define SYS_gettid	      __NR_gettid
#define SYS_perf_event_open   __NR_perf_event_open
#define SYS_rt_sigaction      __NR_rt_sigaction
#define SYS_rt_sigprocmask    __NR_rt_sigprocmask
#define SYS_sched_getaffinity __NR_sched_getaffinity
#define SYS_sched_setaffinity __NR_sched_setaffinity
#define SYS_sched_yield	      __NR_sched_yield
#define SYS_set_tid_address   __NR_set_tid_address
#define SYS_tgkill	      __NR_tgkill
#define SYS_uname	      __NR_uname

#ifdef __NR_arch_prctl
#define SYS_arch_prctl __NR_arch_prctl
#endif

#endif /* _SYS_SYSCALL_H */
