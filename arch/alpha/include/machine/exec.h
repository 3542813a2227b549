/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha's executables; see <arch/exec.h>. */
#ifndef MACHINE_EXEC_H
#define MACHINE_EXEC_H

#include <uapi/linux/elf.h>

#define ARCH_ELF_MACHINE	      EM_ALPHA
#define ARCH_PLATFORM		      "ev67"
#define ARCH_UTSNAME		      "alpha"
#define ARCH_EXEC_PERSONALITY_CLEARED 0u

#endif
