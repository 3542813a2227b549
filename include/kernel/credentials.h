/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Credentials: who a task acts as, and so what it may do.
 *
 * A task has one pointer to a set of credentials that never changes; to change them is to make a
 * new set and to put that in the place of the old one (credentials_begin, credentials_commit). Only the
 * task itself does that, so it reads its own without a lock. Others read a task's under
 * task_table_lock (T), under which the pointer is exchanged, or take a reference (credentials_get).
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

#include <kernel/tree.h>
#include <uapi/linux/capability.h>

struct task;

/* All that one real user has in the whole system; for limits per user. Found by credentials. */
struct user_account {
	RB_ENTRY(user_account) node; /* account_lock */
	uint32_t uid;
	unsigned int references;      /* account_lock */
	_Atomic unsigned int tasks;   /* in the task table: RLIMIT_NPROC */
	_Atomic unsigned int signals; /* queued: RLIMIT_SIGPENDING */
	_Atomic unsigned int flying;  /* descriptors it sent, not received: RLIMIT_NOFILE */
	_Atomic unsigned int inotify_instances, inotify_watches, inotify_events;
	_Atomic size_t pipe_pages;    /* in pipes: kernel/fs/pipe_charge.c */
	_Atomic size_t socket_bytes;  /* in queues of sockets: kernel/net/unix_packet.c */
	_Atomic size_t perf_pages;    /* in rings of events: kernel/perf/ring_charge.c */
};

/* One more reference, for one who has one already, and one less. get: any context; put: where kfree
 * may be called. */
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

struct credentials {
	_Atomic unsigned int references;
	uint32_t uid, euid, suid, fsuid; /* real, effective, saved, for files */
	uint32_t gid, egid, sgid, fsgid;
	uint64_t effective, permitted, inheritable, bounding, ambient; /* bits of 1 << CAP_* */
	uint32_t securebits;
	struct group_list *groups;    /* NULL: none */
	struct user_account *account; /* of uid */
};

/* Root's, with every capability: those of kernel tasks and of the first user task. */
extern struct credentials credentials_initial;

/* The running task's. Any context. */
const struct credentials *credentials_current(void);

/* Those that decide about files: the running task's, or what it checks with for a moment. Any
 * context. */
const struct credentials *credentials_for_files(void);
/* From now on files are checked as the real user would be, for access(2), until credentials_end_access
 * of the result, or NULL: not enough memory. Task context. */
const struct credentials *credentials_begin_access(void);
void credentials_end_access(const struct credentials *access);

/* Those of TASK. T held. */
const struct credentials *credentials_of(const struct task *task);

/* Those of TASK, with a reference, for credentials_put. Task context, T not held. */
const struct credentials *credentials_get(struct task *task);
/* One more reference to what the caller has one of. Any context. */
const struct credentials *credentials_share(const struct credentials *credentials);
/* Drops a reference. Task context. */
void credentials_put(const struct credentials *credentials);

/* Whether CREDENTIALS have capability CAP in effect. Any context. */
static inline bool credentials_have(const struct credentials *credentials, unsigned int cap)
{
	return credentials->effective >> cap & 1;
}

/* Whether the running task has capability CAP in effect. Any context. */
bool capable(unsigned int cap);
/* CAP_PERFMON, or CAP_SYS_ADMIN, which came before it: see perf_event_open(2). Any context. */
bool capable_perfmon(void);

/* Whether GID is the group for files of CREDENTIALS or one of the supplementary ones. Any context. */
bool credentials_in_group(const struct credentials *credentials, uint32_t gid);
/* The same with the effective group: what setpgid-like calls and sockets compare. */
bool credentials_in_effective_group(const struct credentials *credentials, uint32_t gid);

/* --- may the running task do that to TASK? T held. --- */

/* Send it SIGNAL (0: see whether it might): kill(2). */
bool credentials_may_signal(const struct task *task, int signal);
/* Change its scheduling (nice value, policy, affinity): the caller's effective user is its real or
 * effective one, or CAP_SYS_NICE; and the rule below. */
bool credentials_may_schedule(const struct task *task);
/* Whether TASK's permitted capabilities are no more than the caller's, or CAP_SYS_NICE: what Linux's commoncap asks
 * besides, before anything of a task's scheduling or priority changes (cap_safe_nice). */
bool credentials_may_prioritize(const struct task *task);
/* Change its priority of input and output: the caller's real or effective user is its real one, or CAP_SYS_NICE; and
 * the rule above. */
bool credentials_may_prioritize_io(const struct task *task);
/* Read and write its limits: prlimit(2). */
bool credentials_may_limit(const struct task *task);

enum ptrace_identity {
	PTRACE_AS_FS,	/* the caller's user for files and effective capabilities: /proc */
	PTRACE_AS_REAL, /* the caller's real user and permitted capabilities: system calls */
};
/* Look into it or change it: ptrace(2), "Ptrace access mode checking". 0 or -EPERM. */
int credentials_may_ptrace(const struct task *task, enum ptrace_identity identity);

/* --- changing one's own --- */

/* A copy of the running task's, to be changed; or NULL. Then one of the two below. Task context. */
struct credentials *credentials_begin(void);
/* They become the running task's; the reference is given away. What follows from a change (no more
 * core dumps, no signal at the parent's death) happens too. Task context, T not held. */
void credentials_commit(struct credentials *credentials);
/* They were not wanted after all. */
void credentials_abort(struct credentials *credentials);
/* CREDENTIALS, not committed, get UID as the real user, with the account. -ENOMEM. */
int credentials_set_real_user(struct credentials *credentials, uint32_t uid);

/* The credentials that an execve gives the running task. */
struct credentials_exec {
	struct credentials *new; /* not committed */
	bool secure;		 /* the program must not trust its environment: AT_SECURE */
	bool clears_personality; /* whoever starts it does not choose how memory lies: PER_CLEAR_ON_SETID */
	bool dumpable;		 /* equals of who starts it may look into it */
};

/* Decides *RESULT for a program whose file belongs to UID and GID and has MODE (0: the file gives no privileges).
 * 0 or -ENOMEM. Task context; the running task has the guard (exec_guard_take). */
int credentials_for_exec(uint32_t mode, uint32_t uid, uint32_t gid,
			 struct credentials_exec *result);

/* prctl's options about capabilities and privileges: PR_CAPBSET_*, PR_CAP_AMBIENT, PR_*_SECUREBITS,
 * PR_*_KEEPCAPS, PR_*_NO_NEW_PRIVS. Its result, or -ENOSYS: OPTION is none of them. Task context. */
long credentials_prctl(int option, const unsigned long arg[4]);

/* Whether the running task's user may have one more task: RLIMIT_NPROC. Task context. */
bool credentials_may_add_task(void);

/* The running task is about to become ACCOUNT's. That is not refused for RLIMIT_NPROC, but remembered. */
void credentials_note_tasks(const struct user_account *account);
/* Whether the running task may execute a program: not if it became a user who had too many tasks, and
 * who still has. Task context. */
bool credentials_may_exec(void);

/* TASK enters (+1) or leaves (-1) the task table. T held. */
void credentials_count_task(struct task *task, int change);

#endif
