/* SPDX-License-Identifier: BSD-2-Clause */
/* layout.h: selectors and addresses that assembly and C share. */
#ifndef LAYOUT_H
#define LAYOUT_H

#define CODE32		   0x08
#define CODE64		   0x10
#define DATA		   0x18
#define USER_BASE	   0x23 /* SYSRET adds 8 and 16 to it */
#define USER_DATA	   0x2b
#define USER_CODE	   0x33
#define TSS		   0x38

#define TRAMPOLINE	   0x8000
#define WINDOW		   0x7fe00000 /* 2 MiB; nothing is mapped after it */
#define WINDOW_PHYSICAL	   0x600000
#define UNMAPPED	   0x80000000

#define VECTOR_DE	   0
#define VECTOR_DB	   1
#define VECTOR_NMI	   2
#define VECTOR_BP	   3
#define VECTOR_UD	   6
#define VECTOR_GP	   13
#define VECTOR_PF	   14
#define VECTOR_TIMER	   0x30
#define VECTOR_PMI	   0x31
#define VECTOR_LEAVE	   0x40 /* user mode ends */
#define VECTOR_KERNEL_ONLY 0x41 /* user mode may not use it */
#define VECTOR_RETURN	   0x42 /* comes straight back */

#define APIC		   0x7fc00000 /* where it is mapped */
#define APIC_PHYSICAL	   0xfee00000
#define APIC_EOI	   0xb0

#define MSR_GLOBAL_CTRL	   0x38f /* Intel's */

#endif
