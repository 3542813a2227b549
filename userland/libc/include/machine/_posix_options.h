/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/_posix_options.h - the POSIX options this C library has.
 *
 * <sys/features.h> includes it at its end (patches/0001): newlib declares clock_gettime(),
 * nanosleep() and sched_yield() only for systems that define these. The threads options are
 * absent because there is no pthread library here: threads are clone(2), by hand.
 */
#ifndef _MACHINE__POSIX_OPTIONS_H
#define _MACHINE__POSIX_OPTIONS_H

#define _POSIX_TIMERS		   200809L
#define _POSIX_MONOTONIC_CLOCK	   200809L
#define _POSIX_CPUTIME		   200809L
#define _POSIX_THREAD_CPUTIME	   200809L
#define _POSIX_CLOCK_SELECTION	   200809L
#define _POSIX_PRIORITY_SCHEDULING 200809L
#define _POSIX_MAPPED_FILES	   200809L
#define _POSIX_MEMORY_PROTECTION   200809L

#endif /* _MACHINE__POSIX_OPTIONS_H */
