/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/_unistd.h - calls of Linux that <unistd.h> has and newlib does not know.
 *
 * <sys/unistd.h> includes it at its end (patches/0001).
 */
#ifndef _MACHINE__UNISTD_H
#define _MACHINE__UNISTD_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Enter the kernel with system call @number and up to six arguments, each one machine word.
 * Returns what the kernel returned, or -1 with errno set if that was an error (-4095 to -1).
 */
long syscall(long number, ...);

/* The number of the calling thread; equal to getpid() in a process's first thread. */
pid_t gettid(void);

/*
 * Move the end of the data segment to @end. Returns 0, or -1 with errno ENOMEM. A program that
 * also uses malloc() must leave the break alone.
 */
int brk(void *end);

#ifdef __cplusplus
}
#endif

#endif /* _MACHINE__UNISTD_H */
