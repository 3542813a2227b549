/* SPDX-License-Identifier: BSD-2-Clause */
/* Linux's names of the system calls: kernel/syscall/names.c. */
#ifndef SYSCALL_NAMES_H
#define SYSCALL_NAMES_H

/* Returns Linux's name of system call NUMBER, or NULL. Any context. */
const char *syscall_name(unsigned long number);

#endif
