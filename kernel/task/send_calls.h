/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals for a program: what send_calls.c and pidfd.c share. */
#ifndef TASK_SEND_CALLS_H
#define TASK_SEND_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <uapi/linux/signal.h>

struct process;
struct process_group;

/* What the running task tells by sending SIGNAL with CODE (SI_USER, SI_TKILL). Task context. */
struct kernel_siginfo signal_info_of_sender(int signal, int code);

/* Copies a siginfo from USER. 0, -EFAULT, or -E2BIG: of this si_code nobody knows what it says
 * beyond the first 48 bytes (Linux's siginfo.c), and something is there. Task context. */
int signal_info_from_user(struct kernel_siginfo *info, uintptr_t user);

/* Whether INFO claims what only the kernel, kill or tkill may say. */
bool signal_info_is_of_kernel(const struct kernel_siginfo *info);

/* INFO's signal, 0: only looking whether it might be sent, to PROCESS, or to those of GROUP (may be
 * NULL) that may be told. T held. */
long signal_process(struct process *process, const struct kernel_siginfo *info);
long signal_group(struct process_group *group, const struct kernel_siginfo *info);

#endif
