/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64's executables; see <arch/exec.h>. */
#ifndef MACHINE_EXEC_H
#define MACHINE_EXEC_H

#include <uapi/linux/elf.h>

#define ARCH_ELF_MACHINE	      EM_X86_64
#define ARCH_PLATFORM		      "x86_64"
#define ARCH_UTSNAME		      "x86_64"
/* READ_IMPLIES_EXEC: Linux's set_personality_64bit. */
#define ARCH_EXEC_PERSONALITY_CLEARED 0x0400000u

#endif
