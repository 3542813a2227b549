/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * internal.h - the common part of the system layer's files, which no program sees.
 */
#ifndef TALLY_LIBC_INTERNAL_H
#define TALLY_LIBC_INTERNAL_H

#include <elf.h>

/* Called by crt0.S with the initial stack pointer; does not return. */
void __start_program(long *stack) __attribute__((noreturn));

/* Gives the first thread a copy of segment @tls, where the ISA looks for it. In the ISA's tls.c. */
void __setup_tls(const Elf64_Phdr *tls);

/* Where a signal handler returns to: enters rt_sigreturn. In entry.S; never called from C. */
void __signal_return(void);

/* The same for a handler without SA_SIGINFO: another call, where the ISA has another frame for it. */
#ifdef __alpha__
void __signal_return_plain(void);
#else
#define __signal_return_plain __signal_return
#endif

#endif /* TALLY_LIBC_INTERNAL_H */
