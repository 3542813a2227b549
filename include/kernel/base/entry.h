/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries into the kernel: functions for the ISA's trap and system-call code, and the order in which
 * the machine-independent kernel starts.
 *
 * Start, on the boot CPU (kernel/main.c):
 *
 *   page_init                memory; nothing before it may allocate
 *   sched_init               the running code becomes this CPU's idle task
 *   (clock, interrupts)
 *   task_create_kernel, sched_start   the task that does the rest and may sleep:
 *                            arch_smp_start, the steps of <kernel/base/start.h> around the tree of
 *                            files, init_run
 *   sched_start_cpu          idle loop; the secondary CPUs call it from cpu_start_secondary
 */
#ifndef KERNEL_ENTRY_H
#define KERNEL_ENTRY_H

#include <stddef.h>
#include <stdint.h>

struct trap_frame;

/* Performs a system call of the running task: takes number and arguments from FRAME, and stores the
 * result there. Called and returns with interrupts on. */
void syscall_dispatch(struct trap_frame *frame);

/* The running task, a new one that the call in FRAME made, is about to return from that call.
 * Interrupts on. */
void syscall_first_return(struct trap_frame *frame);

/* Switches if another task should run, and acts on signals: may change FRAME, which is about to be
 * restored, or not return. Called and returns with interrupts off; enables them in between. */
void user_return(struct trap_frame *frame);

/* User code caused an exception that has no other meaning: sends SIGNAL with si_code CODE and si_addr
 * ADDRESS, for user_return to act on. Ends the process when the signal is blocked or ignored (Linux:
 * force_sig_fault). Interrupts on. */
void user_exception(struct trap_frame *frame, int signal, int code, uintptr_t address);

/* Makes the empty tree of names, and the kinds of files that no directory has. Task context, once. */
void files_init(void);

/* Makes the tree of the initramfs (cpio newc, uncompressed) that lies at START in the direct map or the
 * kernel image and stays there. Damaged: boot_failure(). Task context, once, after files_init. */
void initramfs_unpack(const void *start, size_t size);

/* Starts the first user task: /.tally/argv in /.tally/cwd, else /init with the words after "--" of
 * COMMAND_LINE in the root. boot_failure() with the reason if it cannot be executed. The running kernel
 * task ends. Once. */
_Noreturn void init_run(const char *command_line);

/* Ends the machine because the first task exited with STATUS, as wait4 reports it: the last log line,
 * then the exit device (arch_machine_end). Task context. */
_Noreturn void init_ended(int status);

#endif
