// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reports to an emulator that counts by function (tools/tally count --functions): which task runs, where the code of its process
 * lies, and when programs, tasks and signal handlers begin and end. The emulator sees the rest:
 * qemu/files/target/i386/tcg/system/pmu-functions.c, whose register this writes.
 *
 * A task's name is its address. A process is its tgid. On any other machine nothing listens and nothing is reported.
 */
#include <stdint.h>

#include <arch/task.h>
#include <kernel/base/hooks.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <machine/msr.h>
#include <machine/task.h>
#include <uapi/linux/mman.h>
#include <uapi/linux/sched.h>
#include <uapi/linux/signal.h>

#include "../pmu/emulator_events.h"

/* No CPU uses the range 4000_0000H to 4000_00FFH (SDM vol. 4, 2.1). */
#define MSR_REPORT 0x40000054

enum { REPORT_TASK, REPORT_FORK, REPORT_EXEC, REPORT_END, REPORT_MAP, REPORT_SIGNAL };

struct message {
	uint64_t kind, words[5];
};

/* Written once, at the start. */
static bool emulator_listens;

static void report(const struct message *message)
{
	msr_write(MSR_REPORT, (uintptr_t)message);
}

static uint64_t name_of(const struct task *task)
{
	return (uintptr_t)task;
}

HOOK_LISTENER(task_out, 4, (struct task * prev, struct task *next))
{
	struct message message = { REPORT_TASK, { 0 } };

	if (!emulator_listens)
		return;
	if (next->process) {
		message.words[0] = name_of(next);
		message.words[1] = (uint64_t)next->tgid;
	}
	report(&message);
}

HOOK_LISTENER(task_forked, 3, (const struct task *parent, struct task *child, uint64_t clone_flags))
{
	/* A thread begins at the bottom of a stack of its own. */
	bool continues = !(clone_flags & CLONE_VM) || (clone_flags & CLONE_VFORK);
	const struct message message = { REPORT_FORK,
					 { name_of(child), (uint64_t)child->tgid,
					   (uint64_t)parent->tgid,
					   continues ? name_of(parent) : 0 } };

	if (emulator_listens)
		report(&message);
}

HOOK_LISTENER(task_changes_program, 3, (struct task * task, bool dumpable))
{
	const struct message message = { REPORT_EXEC, { name_of(task), (uint64_t)task->tgid } };

	if (emulator_listens)
		report(&message);
}

HOOK_LISTENER(task_exits, 3, (struct task * task))
{
	const struct message message = { REPORT_END, { name_of(task) } };

	if (emulator_listens)
		report(&message);
}

HOOK_LISTENER(area_mapped, 2, (const struct vm_area *area))
{
	struct message message = { REPORT_MAP,
				   { (uint64_t)task_current()->tgid, area->start,
				     area->end - area->start, area->offset } };
	const char *name = area->name;
	char *path;

	if (!emulator_listens || !(area->prot & PROT_EXEC))
		return;
	path = kzalloc(PATH_SIZE);
	if (path && area->file && area->file->dentry)
		name = dentry_path(area->file->dentry, root_dentry, path, PATH_SIZE);
	message.words[4] = (uintptr_t)(name ? name : "//anon");
	report(&message);
	kfree(path);
}

HOOK_LISTENER(signal_taken, 2,
	      (const struct kernel_siginfo *info, const struct kernel_sigaction *action))
{
	struct message message = { REPORT_SIGNAL, { 0 } };

	if (!emulator_listens || action->handler == SIG_DFL_ADDRESS ||
	    action->handler == SIG_IGN_ADDRESS)
		return;
	message.words[0] = arch_task_user_frame(task_current())->rsp;
	report(&message);
}

static void functions_start(void)
{
	static const enum hook hooks[] = { HOOK_task_out, HOOK_task_forked, HOOK_area_mapped,
					   HOOK_signal_taken };

	emulator_listens = emulator_counts_functions();
	for (size_t i = 0; emulator_listens && i < sizeof(hooks) / sizeof(hooks[0]); i++)
		hook_listen(hooks[i], true);
}

START(START_DEVICES, functions_start);
