/* SPDX-License-Identifier: BSD-2-Clause */
/* sys/auxv.h - what the kernel tells a new program. */
#ifndef _SYS_AUXV_H
#define _SYS_AUXV_H

#include <linux/auxvec.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of entry @type of the auxiliary vector; 0 with errno ENOENT if it has none. */
unsigned long getauxval(unsigned long type);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_AUXV_H */
