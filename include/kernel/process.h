/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: what the tasks with one tgid share, and who waits for whom.
 *
 * Locks, outermost first: task_table_lock (T: every task by tid, the threads and children of a
 * process, how it ended), process->signal_lock (S), then the scheduler's. Both irqsave.
 */
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/cpu_time.h>
#include <kernel/exec_guard.h>
#include <kernel/signal.h>
#include <kernel/spinlock.h>
#include <kernel/wait.h>
#include <uapi/linux/resource.h>

struct task;
struct dentry;
struct process_group;
struct process_timers;
struct tty;
struct trap_frame;
struct vm_space;

/* What tasks have used, summed up. */
struct resource_usage {
	uint64_t run_time_ns;
	uint64_t user_ticks, system_ticks; /* how to divide it: see usage_times */
	uint64_t faults_minor, faults_major;
	uint64_t switches_voluntary, switches_forced;
	uint64_t peak_pages; /* most memory at one time; of several, the greatest */
};

struct process {
	_Atomic unsigned int references; /* its tasks and its place in the parent's list */
	pid_t pid;
	struct process_group *job;	  /* T: see <kernel/job_control.h>; NULL: not yet in one */
	LIST_ENTRY(process) group_member; /* T */
	pid_t group, session;		  /* T: numbers of its group and session */
	struct tty *tty;		  /* T: controlling terminal, referenced, or NULL */
	/* T: referenced: foreground of the terminal that a leader lost by a hang-up, or NULL */
	struct process_group *lost_foreground;
	bool has_executed; /* T: execve since it was made: setpgid comes too late */

	struct process *parent;	       /* T */
	_Atomic pid_t parent_pid;      /* T to change it: parent's pid; 0: none */
	pid_t parent_tid;	       /* T: the thread of the parent whose child this is */
	bool subreaper;		       /* T: inherits from its descendants */
	LIST_HEAD(, process) children; /* T */
	LIST_ENTRY(process) sibling;   /* T */
	struct wait_queue child_event; /* woken when a child's state changes */
	struct wait_queue exit_event; /* woken when a thread ends, the last too, and when forgotten */
	struct wait_queue
		signal_event; /* woken when a signal was sent to it or to one of its tasks */
	struct process_timers *_Atomic timers; /* see <kernel/process_timers.h>; NULL: none yet */
	LIST_HEAD(, task) threads;	       /* T */
	unsigned int live_threads;	       /* T: that have not ended */
	struct task *leader;		       /* T: referenced until waited for: keeps the pid */
	int exit_signal;		       /* T: what the parent is sent at the end, 0: none */
	bool parent_executed;		       /* T: the parent, since: it is sent SIGCHLD */
	int exit_status;		       /* T: as wait4 reports it, once zombie */
	bool exiting;		     /* S: exit_group or a fatal signal: exit_status is set */
	unsigned int kept_threads;   /* T: that have ended, and a tracer has not waited for */
	bool replacing;		     /* T: a thread in execve is ending the others */
	bool zombie;		     /* T: ended, not waited for */
	struct resource_usage ended; /* T: of threads that have ended, and peak_pages */
	struct resource_usage children_usage;		  /* T: of children waited for */
	struct cpu_times last_times, last_children_times; /* T: as they were told last */

	struct spinlock signal_lock;
	struct signal_queue signals;	  /* S: sent to the process as a whole */
	struct signal_handlers *handlers; /* referenced; exchanged under T and S */

	uint64_t told_crowd; /* T: the last call to many that told it, see send_calls.c */

	int stop_signal;			   /* S: 0: not stopped */
	bool stop_unreported, continue_unreported; /* S: for wait4 */

	struct exec_guard exec;
	struct dentry *executable; /* what it runs, referenced; NULL: nothing. See exec_set_name */
	/* D (tree_mutex): referenced; NULL: the root of everything. */
	_Atomic bool no_huge_pages;	  /* PR_SET_THP_DISABLE */
	_Atomic int dumpable;		  /* PR_SET_DUMPABLE: 1: equals may look into its memory */
	_Atomic int oom_score_adj;	  /* -1000 … 1000: see kernel/mm/oom.c */
	_Atomic unsigned int personality; /* what personality(2) says; ADDR_NO_RANDOMIZE acts */
	/* Where its first stack has the arguments and the environment. Written by exec alone. */
	uintptr_t arguments_start, environment_start, environment_end;
	uintptr_t auxiliary_start, auxiliary_end; /* and the auxiliary vector */
	struct rlimit64 limits[RLIM_NLIMITS];	  /* T */
};						  /* T: task_table_lock; S: signal_lock */

extern struct spinlock task_table_lock;

/* Numbers of tasks are below this: Linux's PID_MAX_DEFAULT. */
#define PID_MAX	  32768
/* The process that runs what was asked for: its end is the machine's. */
#define FIRST_PID 1

/* An event that one task waits for and another makes happen: the end of a vfork. */
struct task_completion {
	struct wait_queue queue;
	_Atomic bool done;
};

/* What clone was asked for, as clone and clone3 hand it over. */
struct clone_request {
	uint64_t flags;	 /* CLONE_*, without CSIGNAL */
	uintptr_t stack; /* 0: the parent's */
	uintptr_t parent_tid, child_tid, tls;
	uintptr_t pidfd; /* where CLONE_PIDFD's descriptor goes */
	int exit_signal;
	pid_t tid; /* that the child shall have; 0: any */
};

/* A new task as REQUEST asks, a copy of the running one whose user registers are FRAME. Its
 * tid, or a negative error. Task context. */
pid_t task_clone(const struct clone_request *request, const struct trap_frame *frame);

/* The first user task (tid 1), not started and without a space, or NULL. Task context. */
struct task *task_create_first(void);

/* Tasks that there may be at once (threads-max of /proc/sys/kernel), at most PID_MAX: set when the first task is
 * made, to Linux's share of memory. What is there already may be more. */
extern _Atomic int task_count_max;
/* A free tid (TID if that is not 0) and TASK's place in the table under it. -EAGAIN: there is none, or
 * there are task_count_max tasks; -EEXIST: TID is not free. T held. */
int task_table_insert(struct task *task, pid_t tid);
void task_table_remove(struct task *task);
/* NEW, which is not in the table, takes over OLD's tid and place. T held. */
void task_table_replace(struct task *old, struct task *new);
/* Task with tid TID, without a reference, or NULL. T held. */
struct task *task_table_find(pid_t tid);
/* The task with the least tid above TID, or NULL: for walking all. T held. */
struct task *task_table_next(pid_t tid);

/* An empty structure with one reference, or NULL. Frees: what task_put and process_put do at
 * the last reference. */
struct task *task_alloc(void);
struct process *process_alloc(void);
void process_put(struct process *process);

/* Ends the whole process with STATUS as wait4 reports it: the other tasks are told, the running
 * one ends. */
_Noreturn void process_exit(int status);
/* Tells every other task of the running one's process to end and waits until it is alone:
 * before exec. -EAGAIN: somebody else is ending the process already. */
int process_kill_other_threads(void);

/* Gives up the running task's address space, telling a waiting vfork parent. */
void task_release_space(struct task *task);
/* Only tells that parent. Task context. */
void task_end_vfork(struct task *task);
/* Tells whoever joins TASK, the running one (CLONE_CHILD_CLEARTID, set_tid_address). Task context. */
void task_clear_child_tid(struct task *task);

/* Nanoseconds all tasks of PROCESS, ended ones included, have run. T held. */
uint64_t process_run_time_ns(struct process *process);

/* Frees TASK, whose last reference is gone, with its references to its process, files and memory: the last listener of
 * hook_task_freed. Task context. */
void task_free(struct task *task);

/* Marks PROCESS as ending with STATUS, unless it is already, and all its tasks with it. T held. */
void process_mark_exiting(struct process *process, int status);
/* PROCESS, a zombie, was waited for (or its parent wants no zombies): its pid is free. T held;
 * the caller's pointer may be the last. */
void process_forget(struct process *process);
/* All of PROCESS, a zombie, has ended: who waits for that is told, when no thread of it is kept for a
 * tracer any more. T held. */
void process_ended(struct process *process);
/* PROCESS, a zombie that no tracer keeps, has ended: its parent is told, or it is forgotten. T held;
 * the caller's pointer may be the last. */
void process_tell_end(struct process *process);
/* Whether PARENT wants no zombies of its children. T held. */
bool process_ignores_children(const struct process *parent);
/* The running process's '/', without a reference: D held or only compared. */
struct dentry *process_root(void);
/* Its current directory, with a reference. Task context. */
struct dentry *process_get_directory(void);
/* MODE of a new file without what the running process's umask takes away. Task context. */
uint32_t process_apply_umask(uint32_t mode);
/* CHILD, new, runs what PARENT does; PROCESS, which has ended, runs nothing. Task context. */
void process_inherit_program(struct process *child, const struct process *parent);
void process_drop_program(struct process *process);
/* Those of the first process: Linux's defaults. */
void process_default_limits(struct rlimit64 limits[RLIM_NLIMITS]);
/* Cuts *SIZE bytes that are about to be written at POSITION of a regular file, or that it is to grow
 * by, to what the running process's RLIMIT_FSIZE lets a file be. -EFBIG, and SIGXFSZ is sent: it may
 * not be beyond POSITION. Task context, no spin lock held. */
int process_check_file_size(uint64_t position, uint64_t *size);
/* A tick of processor time has met PROCESS: signals it when its RLIMIT_CPU is used up, at the hard one to
 * end. Interrupt context. */
void process_check_processor_time(struct process *process);
/* Makes SPACE obey those of PROCESS's limits that are about memory. Task context. */
void process_apply_limits(const struct process *process, struct vm_space *space);

/* Adds MORE, or what TASK has used up to now, to *SUM. Of task: T held. */
void usage_add(struct resource_usage *sum, const struct resource_usage *more);
void usage_add_task(struct resource_usage *sum, struct task *task);
/* PROCESS's peak is at least what SPACE's has been. Task context. */
void usage_note_space(struct process *process, struct vm_space *space);
/* What all tasks of PROCESS, ended ones included, have used. T held. */
struct resource_usage usage_of_process(struct process *process);
/* The time of USAGE by mode. LAST, what was told of the same before, or NULL: neither time is less, and it
 * is brought up to date. Whatever guards LAST held. */
struct cpu_times usage_times(const struct resource_usage *usage, struct cpu_times *last);
/* PROCESS's time by mode, and TASK's. T held. */
struct cpu_times usage_times_of_process(struct process *process);
struct cpu_times usage_times_of_task(struct task *task);
/* USAGE, with TIMES, as getrusage and wait4 tell it. Any context. */
void usage_for_user(struct kernel_rusage *user, const struct resource_usage *usage,
		    struct cpu_times times);
/* getrusage: in *USER what WHO of the running task, RUSAGE_*, has used. Task context. 0, -EINVAL. */
int usage_tell(int who, struct kernel_rusage *user);

/* wait4: waits for a child that PID means, as OPTIONS say; tells how it is in *STATUS and, unless that is
 * NULL, what it has used in *USAGE. Its pid, 0: none is so yet (WNOHANG); -EINVAL, -ESRCH, -ECHILD, -EINTR. Task
 * context. */
pid_t child_wait(pid_t pid, unsigned int options, int *status, struct kernel_rusage *usage);

/* Fills INFO's si_code and si_status with what STATUS, as wait4 reports it, says. Any context. */
void child_describe(struct kernel_siginfo *info, int status);
/* Tells CHILD's parent by SIGCHLD, unless it wants none of that, and wakes it, that CHILD was stopped
 * or continued: STATUS as wait4 reports it. T held, no S. */
void child_tell_parent(struct process *child, int status);

/* Makes TASK look at what it is to do. T held. */
void signal_alert(struct task *task);
/* TASK is to end as soon as it can. T held. */
void signal_make_fatal(struct task *task);
/* Some task of PROCESS ended or blocked signals: another one may have to act on what is
 * pending. T held. */
void signal_retarget(struct process *process);
/* signal_send and signal_send_process with T held. */
int signal_send_locked(struct task *task, const struct kernel_siginfo *info);
int signal_send_process_locked(struct process *process, const struct kernel_siginfo *info);
/* The same of a program's own will (kill and its kin), to TASK or, if that is NULL, to PROCESS as a whole: another
 * process cannot end or stop the first one by what it does not handle. Linux: SIGNAL_UNKILLABLE. Task context. T
 * held. */
int signal_send_by_program(struct process *process, struct task *task,
			   const struct kernel_siginfo *info);
/* The same of a file (O_ASYNC), as process ASKER wants it. Any context but NMI. T held. */
int signal_send_to_owner(struct process *process, struct task *task,
			 const struct kernel_siginfo *info, pid_t asker);
/* Whether CHILD was stopped or continued in a way that wait4's OPTIONS ask for; *STATUS as wait4
 * reports it. TAKE: it is not reported again. T held. */
bool signal_take_stop_report(struct process *child, unsigned int options, bool take, int *status);
/* After a change of SIGNAL's action: if it is ignored now, what is pending of it is forgotten.
 * T and S held. */
void signal_discard_ignored(struct process *process, int signal);
/* The running task blocks MASK (but never SIGKILL and SIGSTOP) from now on. Task context. */
void signal_set_mask(uint64_t mask);
/* Whether the running task's program runs on its alternate stack, as sigaltstack tells. Task context. */
bool signal_on_alternate_stack(void);

/*
 * What this process does about SIGNAL becomes NEW, unless that is NULL; what it did goes to OLD. Flags that are not
 * known and signals that cannot be blocked are left out. In task context. -EINVAL: there is no such signal, or it is
 * one that nothing can be done about.
 */
int signal_change_action(int signal, const struct kernel_sigaction *new,
			 struct kernel_sigaction *old);

/* Sleeps with the signal mask MASK until a signal is there to act on; the mask is then what it was, as soon as that
 * is done. In task context; an error number that says what becomes of the call. */
long signal_suspend(uint64_t mask);

/* Handlers like OLD's (NULL: every default), with one reference; or NULL. Task context. */
struct signal_handlers *signal_handlers_copy(struct signal_handlers *old);
/* HANDLERS with one more reference, and one less. Any context; put: where kfree may be called. */
struct signal_handlers *signal_handlers_share(struct signal_handlers *handlers);
void signal_handlers_put(struct signal_handlers *handlers);
/* Handlers back to default; what is ignored stays so, ALL: but forgets its flags and mask. */
void signal_handlers_clear(struct signal_handlers *handlers, bool all);
/* Reads and changes one. Any context but NMI. */
struct kernel_sigaction signal_handlers_get(struct signal_handlers *handlers, int signal);
/* What is done about SIGNAL, this time, into ACTION: SA_RESETHAND says that it is not the next time. Any
 * context but NMI. */
void signal_handlers_take(struct signal_handlers *handlers, int signal,
			  struct kernel_sigaction *action);
void signal_handlers_set(struct signal_handlers *handlers, int signal,
			 const struct kernel_sigaction *action);
/* SIGNAL has no handler any more, which leaves its flags and mask; UNLESS_HANDLED: if it is ignored. Any context
 * but NMI. */
void signal_handlers_reset(struct signal_handlers *handlers, int signal, bool unless_handled);
/* Handlers back to default for a new program, no longer shared; ignored signals stay ignored. 0, or less:
 * there is no memory. Task context. */
int signal_reset_for_exec(struct process *process);
/* Recomputes whether TASK has an unblocked pending signal. S held. */
void signal_update_attention(struct task *task);
/* Ends a signal queue: frees what is in it. S held or nobody else has it. */
void signal_queue_flush(struct signal_queue *queue);
void signal_queue_init(struct signal_queue *queue);

#endif
