/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prctl: the options that Tally knows. Source: Linux's uapi/linux/prctl.h.
 */
#ifndef _UAPI_LINUX_PRCTL_H
#define _UAPI_LINUX_PRCTL_H

#define PR_SET_PDEATHSIG	    1
#define PR_GET_PDEATHSIG	    2
#define PR_GET_DUMPABLE		    3
#define PR_SET_DUMPABLE		    4
#define PR_GET_UNALIGN		    5
#define PR_SET_UNALIGN		    6
#define PR_UNALIGN_NOPRINT	    1
#define PR_UNALIGN_SIGBUS	    2
#define PR_GET_KEEPCAPS		    7
#define PR_SET_KEEPCAPS		    8
#define PR_GET_TIMING		    13
#define PR_SET_TIMING		    14
#define PR_TIMING_STATISTICAL	    0
#define PR_SET_NAME		    15
#define PR_GET_NAME		    16
#define PR_CAPBSET_READ		    23
#define PR_CAPBSET_DROP		    24
#define PR_GET_SECUREBITS	    27
#define PR_SET_SECUREBITS	    28
#define PR_SET_TIMERSLACK	    29
#define PR_GET_TIMERSLACK	    30
#define PR_TASK_PERF_EVENTS_DISABLE 31
#define PR_TASK_PERF_EVENTS_ENABLE  32
#define PR_SET_CHILD_SUBREAPER	    36
#define PR_GET_CHILD_SUBREAPER	    37
#define PR_SET_NO_NEW_PRIVS	    38
#define PR_GET_NO_NEW_PRIVS	    39
#define PR_GET_TID_ADDRESS	    40
#define PR_SET_THP_DISABLE	    41
#define PR_GET_THP_DISABLE	    42
#define PR_CAP_AMBIENT		    47
#define PR_CAP_AMBIENT_IS_SET	    1
#define PR_CAP_AMBIENT_RAISE	    2
#define PR_CAP_AMBIENT_LOWER	    3
#define PR_CAP_AMBIENT_CLEAR_ALL    4
#define PR_SET_VMA		    0x53564d41
#define PR_SET_VMA_ANON_NAME	    0

#endif
