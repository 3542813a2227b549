/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals for a program: the interface between send_calls.c and pidfd.c. */
#ifndef TASK_SEND_CALLS_H
#define TASK_SEND_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <uapi/linux/signal.h>

struct process;

/* Returns the siginfo of SIGNAL sent by the current task with CODE (SI_USER, SI_TKILL). Task context. */
struct kernel_siginfo signal_info_of_sender(int signal, int code);

/* Copies a siginfo from USER. 0, -EFAULT, or -E2BIG: its si_code has no known layout beyond the first 48
 * bytes (Linux: known_siginfo_layout), and those are not 0. Task context. */
int signal_info_from_user(struct kernel_siginfo *info, uintptr_t user);

/* Returns whether INFO has an si_code of the kernel, kill or tkill. */
bool signal_info_is_of_kernel(const struct kernel_siginfo *info);

/* Sends INFO's signal (0: only checks the right) to PROCESS. T held. */
long signal_process(struct process *process, const struct kernel_siginfo *info);
/* The same for the members of the group with this id. Task context. */
long signal_group(pid_t group, const struct kernel_siginfo *info);

#endif
