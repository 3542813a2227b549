/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of perf_event_attr's bp_type, from Linux's <linux/hw_breakpoint.h>. */
#ifndef UAPI_LINUX_HW_BREAKPOINT_H
#define UAPI_LINUX_HW_BREAKPOINT_H

#define HW_BREAKPOINT_EMPTY   0
#define HW_BREAKPOINT_R	      1
#define HW_BREAKPOINT_W	      2
#define HW_BREAKPOINT_RW      3
#define HW_BREAKPOINT_X	      4
#define HW_BREAKPOINT_INVALID 7

#endif
