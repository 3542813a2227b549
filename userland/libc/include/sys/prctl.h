/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/prctl.h - operations on the calling process, with Linux's numbers (linux/prctl.h).
 */
#ifndef _SYS_PRCTL_H
#define _SYS_PRCTL_H

#define PR_SET_NAME		    15
#define PR_GET_NAME		    16
#define PR_TASK_PERF_EVENTS_DISABLE 31
#define PR_TASK_PERF_EVENTS_ENABLE  32

#ifdef __cplusplus
extern "C" {
#endif

int prctl(int operation, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_PRCTL_H */
