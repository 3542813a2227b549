/* SPDX-License-Identifier: BSD-2-Clause */
/* sys/auxv.h - what the kernel tells a new program (linux/auxvec.h). */
#ifndef _SYS_AUXV_H
#define _SYS_AUXV_H

#define AT_NULL	  0
#define AT_PHDR	  3
#define AT_PHENT  4
#define AT_PHNUM  5
#define AT_PAGESZ 6
#define AT_ENTRY  9
#define AT_CLKTCK 17
#define AT_RANDOM 25
#define AT_EXECFN 31

#ifdef __cplusplus
extern "C" {
#endif

/* The value of entry @type of the auxiliary vector; 0 with errno ENOENT if it has none. */
unsigned long getauxval(unsigned long type);

#ifdef __cplusplus
}
#endif

#endif /* _SYS_AUXV_H */
