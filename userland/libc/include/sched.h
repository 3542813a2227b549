/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.h - giving up the CPU, choosing CPUs, and clone().
 *
 * Replaces newlib's file. The set of CPUs has 1024 bits, as in the GNU C library.
 */
#ifndef _SCHED_H_
#define _SCHED_H_

#include <linux/sched.h>
#include <sys/types.h>
#include <sys/sched.h>

#define CPU_SETSIZE 1024

typedef struct {
	unsigned long __bits[CPU_SETSIZE / 64];
} cpu_set_t;

#define CPU_ZERO(set)	    (*(set) = (cpu_set_t){ { 0 } })
#define CPU_SET(cpu, set)   ((void)((set)->__bits[(cpu) / 64] |= 1UL << ((cpu) % 64)))
#define CPU_CLR(cpu, set)   ((void)((set)->__bits[(cpu) / 64] &= ~(1UL << ((cpu) % 64))))
#define CPU_ISSET(cpu, set) ((int)((set)->__bits[(cpu) / 64] >> ((cpu) % 64) & 1))

#ifdef __cplusplus
extern "C" {
#endif

int sched_yield(void);

/* The CPU the caller runs on at some moment during the call, or -1. */
int sched_getcpu(void);

/*
 * @size is the number of bytes at @set. sched_getaffinity() returns 0, as the GNU C library's
 * does, although the system call returns a size.
 */
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set);

/*
 * Start a task that runs @entry(@argument) on the stack that ends at @stack_top and exits with
 * what @entry returns. The optional arguments are, in order: pid_t *parent_tid, void *tls,
 * pid_t *child_tid. Returns the child's number, or -1 with errno set; the child does not return.
 *
 * The C library keeps one set of per-thread data, so a child with CLONE_VM must confine itself to
 * functions that set no errno and use no stdio while another thread may do the same.
 */
int clone(int (*entry)(void *), void *stack_top, int flags, void *argument, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SCHED_H_ */
