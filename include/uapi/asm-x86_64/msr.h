/* SPDX-License-Identifier: BSD-2-Clause */
/* asm/msr.h - requests of /dev/cpu/N/msr with all registers of the instruction: eax, ecx, edx, ebx, esp (not used), ebp,
 * esi, edi. msr(4) has the reads and writes. */
#ifndef _ASM_X86_MSR_H
#define _ASM_X86_MSR_H

#include "../linux/ioctl.h"
#include "../linux/types.h"

#define X86_IOC_RDMSR_REGS _IOWR('c', 0xA0, __u32[8])
#define X86_IOC_WRMSR_REGS _IOWR('c', 0xA1, __u32[8])

#endif
