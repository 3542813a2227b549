/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sys/prctl.h - operations on the calling process.
 */
#ifndef _SYS_PRCTL_H
#define _SYS_PRCTL_H

#include <linux/prctl.h>

#ifdef __cplusplus
extern "C" {
#endif

int prctl(int operation, ...);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_PRCTL_H */
