/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals for a program: what send_calls.c and pidfd.c share. */
#ifndef TASK_SEND_CALLS_H
#define TASK_SEND_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <uapi/linux/signal.h>

struct process;

/* What the running task tells by sending SIGNAL with CODE (SI_USER, SI_TKILL). Task context. */
struct kernel_siginfo signal_info_of_sender(int signal, int code);

/* Copies a siginfo from USER. 0, -EFAULT, or -E2BIG: of this si_code nobody knows what it says
 * beyond the first 48 bytes (Linux: known_siginfo_layout), and something is there. Task context. */
int signal_info_from_user(struct kernel_siginfo *info, uintptr_t user);

/* Whether INFO claims what only the kernel, kill or tkill may say. */
bool signal_info_is_of_kernel(const struct kernel_siginfo *info);

/* INFO's signal, 0: only looking whether it might be sent, to PROCESS. T held. */
long signal_process(struct process *process, const struct kernel_siginfo *info);
/* The same to those of the group with this number that may be told. Task context. */
long signal_group(pid_t group, const struct kernel_siginfo *info);

#endif
