/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Job control: sessions, the process groups in them, and the processes in those.
 *
 * A group lives as long as a process (a zombie too) or a terminal's foreground is in it, a session as
 * long as it has a group. Their ids are the pids of the processes that created them; no new process
 * gets such a pid meanwhile.
 *
 * Lock: task_table_lock (T), <kernel/task/process.h>. For terminals see <kernel/tty/tty.h>.
 */
#ifndef KERNEL_JOB_CONTROL_H
#define KERNEL_JOB_CONTROL_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/base/tree.h>

struct kernel_siginfo;
struct process;

struct session {
	pid_t id;
	unsigned int groups; /* T: in the session */
	RB_ENTRY(session) by_id;
};

struct process_group {
	pid_t id;
	struct session *session;
	unsigned int references;      /* T: members, and terminals whose foreground it is */
	LIST_HEAD(, process) members; /* T */
	RB_ENTRY(process_group) by_id;
};

/* Makes PROCESS, which is in no group, the leader of a new session. 0 or -ENOMEM. Task context. */
int job_control_begin_session(struct process *process);
/* Puts CHILD, new, into PARENT's group. T held. */
void job_control_fork(struct process *parent, struct process *child);
/* PROCESS is about to exit: if its group loses its last tie to a parent in the session and has a stopped
 * member, sends it SIGHUP and SIGCONT; a session leader gives up its terminal. T held. */
void job_control_exit(struct process *process);
/* The same for the group of CHILD, which has a new parent now that OLD_PARENT exited. T held. */
void job_control_reparent(struct process *child, const struct process *old_parent);
/* Removes PROCESS, which was waited for, from its group. T held. */
void job_control_forget(struct process *process);

/* Returns whether a group or session has this id. T held. */
bool job_control_id_is_used(pid_t id);
/* Returns the group with this id, or NULL. T held. */
struct process_group *process_group_find(pid_t id);
/* Drops a reference to GROUP. T held. */
void process_group_put(struct process_group *group);
/* Sends INFO to every member of GROUP. T held. */
void process_group_signal(struct process_group *group, const struct kernel_siginfo *info);

/* Returns whether no member of GROUP has a parent outside of it in the session, which could continue it:
 * then SIGTSTP, SIGTTIN and SIGTTOU stop no member. T held. */
bool process_group_is_orphaned(const struct process_group *group);

#endif
