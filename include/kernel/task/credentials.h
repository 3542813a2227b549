/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials: the identity of a task, and so its rights.
 *
 * A task has a pointer to a set of credentials that never changes; a change makes a new set and
 * replaces the pointer (credentials_begin, credentials_commit). Only the task itself does that, so it
 * reads its own without a lock. Other tasks read it under task_table_lock (T), which guards the
 * pointer, or take a reference (credentials_get).
 *
 * Rules and errors are those of credentials(7) and capabilities(7), for a system with one user
 * namespace and without capabilities of files.
 */
#ifndef KERNEL_CREDENTIALS_H
#define KERNEL_CREDENTIALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/base/tree.h>
#include <kernel/sched/credentials.h>
#include <uapi/linux/capability.h>

struct task;

/* The use of limited resources by one real user in the whole system. Found by credentials. */
struct user_account {
	RB_ENTRY(user_account) node; /* account_lock */
	uint32_t uid;
	unsigned int references;      /* account_lock */
	_Atomic unsigned int tasks;   /* in the task table: RLIMIT_NPROC */
	_Atomic unsigned int signals; /* queued: RLIMIT_SIGPENDING */
	_Atomic unsigned int flying;  /* descriptors in flight in sockets: RLIMIT_NOFILE */
	_Atomic unsigned int inotify_instances, inotify_watches, inotify_events;
	_Atomic size_t pipe_pages;   /* in pipes: kernel/fs/pipe_charge.c */
	_Atomic size_t socket_bytes; /* in queues of sockets: kernel/net/unix_packet.c */
	_Atomic size_t perf_pages;   /* in rings of events: kernel/perf/ring_charge.c */
};

/* Take a reference, for a caller that has one already, and drop one. get: any context; put: any that allows
 * kfree. */
void user_account_get(struct user_account *account);
void user_account_put(struct user_account *account);

/* Supplementary groups, ascending. */
struct group_list {
	_Atomic unsigned int references;
	unsigned int count;
	uint32_t ids[];
};

#define GROUPS_MAX	 65536 /* Linux's NGROUPS_MAX */

/* Every capability there is. */
#define CAPABILITIES_ALL (((uint64_t)1 << (CAP_LAST_CAP + 1)) - 1)

/* Root's credentials with every capability, for kernel tasks and the first user task. */
extern struct credentials credentials_initial;

/* Returns the credentials that decide about files: the current task's, or those of its access(2), or the kernel's. Any
 * context. */
const struct credentials *credentials_for_files(void);
/* Checks files as the real user until credentials_end_access, for access(2). Returns the credentials for
 * credentials_end_access; NULL: no memory. Task context. */
const struct credentials *credentials_begin_access(void);
void credentials_end_access(const struct credentials *access);
/* Makes, finds and removes files as the kernel, with root's credentials, until credentials_end_kernel, which
 * takes the result. Task context. */
const struct credentials *credentials_begin_kernel(void);
void credentials_end_kernel(const struct credentials *before);

/* Returns TASK's credentials. T held. */
const struct credentials *credentials_of(const struct task *task);

/* Returns TASK's credentials with a reference, for credentials_put. Task context, T not held. */
const struct credentials *credentials_get(struct task *task);
/* Drops a reference. Task context. */
void credentials_put(const struct credentials *credentials);

/* CAP_PERFMON, or CAP_SYS_ADMIN, which came before it: see perf_event_open(2). Any context. */
bool capable_perfmon(void);

/* Returns whether GID is the group for files of CREDENTIALS or one of the supplementary ones. Any context. */
bool credentials_in_group(const struct credentials *credentials, uint32_t gid);
/* The same with the effective group: what setpgid-like calls and sockets compare. */
bool credentials_in_effective_group(const struct credentials *credentials, uint32_t gid);

/* --- may the current task do this to TASK? T held. --- */

/* Send it SIGNAL (0: only check the right): kill(2). */
bool credentials_may_signal(const struct task *task, int signal);
/* Change its scheduling (nice value, policy, affinity): the caller's effective user is TASK's real or
 * effective one, or CAP_SYS_NICE; and the rule below. */
bool credentials_may_schedule(const struct task *task);
/* Returns whether TASK's permitted capabilities are a subset of the caller's, or CAP_SYS_NICE: Linux's
 * commoncap requires it for every change of a task's scheduling or priority (cap_safe_nice). */
bool credentials_may_prioritize(const struct task *task);
/* Change its I/O priority: the caller's real or effective user is TASK's real one, or CAP_SYS_NICE; and the
 * rule above. */
bool credentials_may_prioritize_io(const struct task *task);
/* Read and write its limits: prlimit(2). */
bool credentials_may_limit(const struct task *task);

enum ptrace_identity {
	PTRACE_AS_FS,	/* the caller's user for files and effective capabilities: /proc */
	PTRACE_AS_REAL, /* the caller's real user and permitted capabilities: system calls */
};
/* Access it or change it: ptrace(2), "Ptrace access mode checking". 0 or -EPERM. */
int credentials_may_ptrace(const struct task *task, enum ptrace_identity identity);

/* --- changing the current task's own credentials --- */

/* Copies the current task's, for a change; NULL: no memory. Then one of the two below. Task context. */
struct credentials *credentials_begin(void);
/* Gives CREDENTIALS, reference included, to the current task. Makes the effects of a change, too (no more
 * core dumps, no signal at the parent's death). Task context, T not held. */
void credentials_commit(struct credentials *credentials);
/* Drops them unused. */
void credentials_abort(struct credentials *credentials);
/* Sets UID as the real user, with the account, of CREDENTIALS, not committed. -ENOMEM. */
int credentials_set_real_user(struct credentials *credentials, uint32_t uid);

/* The credentials that an execve gives the current task. */
struct credentials_exec {
	struct credentials *new; /* not committed */
	bool secure;		 /* the program must not trust its environment: AT_SECURE */
	bool clears_personality; /* the caller of execve must not choose the layout: PER_CLEAR_ON_SETID */
	bool dumpable;		 /* the user may read its memory */
};

/* Decides *RESULT for a program whose file belongs to UID and GID and has MODE (0: the file gives no
 * privileges). 0 or -ENOMEM. Task context; the current task holds the guard (exec_guard_take). */
int credentials_for_exec(uint32_t mode, uint32_t uid, uint32_t gid,
			 struct credentials_exec *result);

/* prctl's options about capabilities and privileges: PR_CAPBSET_*, PR_CAP_AMBIENT, PR_*_SECUREBITS,
 * PR_*_KEEPCAPS, PR_*_NO_NEW_PRIVS. Returns the result, or -ENOSYS: OPTION is none of them. Task context. */
long credentials_prctl(int option, const unsigned long arg[4]);

/* Returns whether the current task's user may have one more task: RLIMIT_NPROC. Task context. */
bool credentials_may_add_task(void);

/* Notes, without an error, whether ACCOUNT, about to become the current task's, exceeds RLIMIT_NPROC. */
void credentials_note_tasks(const struct user_account *account);
/* Returns whether the current task may execute a program: not if it switched to a user above RLIMIT_NPROC and
 * that user still is. Task context. */
bool credentials_may_exec(void);

/* Counts TASK, which enters (+1) or leaves (-1) the task table. T held. */
void credentials_count_task(struct task *task, int change);

#endif
