/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: the state that tasks with one tgid share, and the relation of parents and children.
 *
 * Locks, outermost first: task_table_lock (T: every task by tid, the threads and children of a
 * process, its exit status), process->signal_lock (S), then the scheduler's. Both irqsave.
 */
#ifndef KERNEL_PROCESS_H
#define KERNEL_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/base/spinlock.h>
#include <kernel/sched/cpu_time.h>
#include <kernel/sched/wait.h>
#include <kernel/task/exec_guard.h>
#include <kernel/task/signal.h>
#include <uapi/linux/resource.h>

struct task;
struct dentry;
struct process_group;
struct process_timers;
struct tty;
struct trap_frame;
struct vm_space;

/* The resources that tasks have used, summed up. */
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
	struct process_group *job;	  /* T: see <kernel/task/job_control.h>; NULL: none yet */
	LIST_ENTRY(process) group_member; /* T */
	pid_t group, session;		  /* T: ids of its group and session */
	struct tty *tty;		  /* T: controlling terminal, referenced, or NULL */
	/* T: referenced: the foreground of the terminal that a leader lost by a hang-up, or NULL */
	struct process_group *lost_foreground;
	bool has_executed; /* T: execve since its creation: setpgid by the parent is EACCES */

	struct process *parent;	       /* T */
	_Atomic pid_t parent_pid;      /* T to change it: parent's pid; 0: none */
	pid_t parent_tid;	       /* T: the thread of the parent that created it */
	bool subreaper;		       /* T: adopts orphaned descendants */
	LIST_HEAD(, process) children; /* T */
	LIST_ENTRY(process) sibling;   /* T */
	struct wait_queue child_event; /* woken when a child's state changes */
	struct wait_queue exit_event; /* woken when a thread exits, and when a parent has reaped it */
	struct wait_queue
		signal_event; /* woken when a signal was sent to it or to one of its tasks */
	struct process_timers
		*_Atomic timers;     /* see <kernel/task/process_timers.h>; NULL: none yet */
	LIST_HEAD(, task) threads;   /* T */
	unsigned int live_threads;   /* T: that have not exited */
	struct task *leader;	     /* T: referenced until waited for: reserves the pid */
	int exit_signal;	     /* T: sent to the parent at exit, 0: none */
	bool parent_executed;	     /* T: by the parent, since creation: it is sent SIGCHLD */
	int exit_status;	     /* T: as wait4 reports it, once zombie */
	bool exiting;		     /* S: exit_group or a fatal signal: exit_status is set */
	unsigned int kept_threads;   /* T: exited threads that a tracer has not waited for */
	bool replacing;		     /* T: a thread in execve is killing the others */
	bool zombie;		     /* T: exited, not waited for */
	struct resource_usage ended; /* T: of exited threads, and peak_pages */
	struct resource_usage children_usage;		  /* T: of children waited for */
	struct cpu_times last_times, last_children_times; /* T: as last reported */

	struct spinlock signal_lock;
	struct signal_queue signals;	  /* S: sent to the process as a whole */
	struct signal_handlers *handlers; /* referenced; replaced under T and S */

	uint64_t last_broadcast; /* T: the last call to many that signalled it, see send_calls.c */

	int stop_signal;			   /* S: 0: not stopped */
	bool stop_unreported, continue_unreported; /* S: for wait4 */

	struct exec_guard exec;
	struct dentry *executable;	  /* tree_mutex (D): the program, referenced; NULL: none */
	_Atomic bool no_huge_pages;	  /* PR_SET_THP_DISABLE */
	_Atomic int dumpable;		  /* PR_SET_DUMPABLE: 1: its user may read its memory */
	_Atomic int oom_score_adj;	  /* -1000 … 1000: see kernel/mm/oom.c */
	_Atomic unsigned int personality; /* personality(2); only ADDR_NO_RANDOMIZE has an effect */
	/* The arguments and the environment on its first stack. Written by exec alone. */
	uintptr_t arguments_start, environment_start, environment_end;
	uintptr_t auxiliary_start, auxiliary_end; /* the auxiliary vector */
	struct rlimit64 limits[RLIM_NLIMITS];	  /* T */
};						  /* T: task_table_lock; S: signal_lock */

extern struct spinlock task_table_lock;

/* The tids of tasks are below this: Linux's PID_MAX_DEFAULT. */
#define PID_MAX	  32768
/* The process of the requested program: its exit is the machine's end. */
#define FIRST_PID 1

/* An event that one task waits for and another completes: the end of a vfork. */
struct task_completion {
	struct wait_queue queue;
	_Atomic bool done;
};

/* The request of clone and clone3. */
struct clone_request {
	uint64_t flags;	 /* CLONE_*, without CSIGNAL */
	uintptr_t stack; /* 0: the parent's */
	uintptr_t parent_tid, child_tid, tls;
	uintptr_t pidfd; /* user address for CLONE_PIDFD's descriptor */
	int exit_signal;
	pid_t tid; /* requested for the child; 0: any */
};

/* Creates a task as REQUEST says, a copy of the current one whose user registers are FRAME. Returns its
 * tid, or a negative error. Task context. */
pid_t task_clone(const struct clone_request *request, const struct trap_frame *frame);

/* Creates the first user task (tid 1), not started and without a space; NULL: no memory. Task context. */
struct task *task_create_first(void);

/* The limit of tasks (threads-max of /proc/sys/kernel), at most PID_MAX: set when the first task is created,
 * to Linux's share of memory. Existing tasks may exceed it. */
extern _Atomic int task_count_max;
/* Puts TASK into the table under a free tid (TID if that is not 0). -EAGAIN: there is none, or there are
 * task_count_max tasks; -EEXIST: TID is in use. T held. */
int task_table_insert(struct task *task, pid_t tid);
void task_table_remove(struct task *task);
/* Gives OLD's tid and place to NEW, which is not in the table. T held. */
void task_table_replace(struct task *old, struct task *new);
/* Returns the task with tid TID, without a reference, or NULL. T held. */
struct task *task_table_find(pid_t tid);
/* Returns the task with the least tid above TID, or NULL: to walk all tasks. T held. */
struct task *task_table_next(pid_t tid);

/* Allocate an empty structure with one reference; NULL: no memory. task_put and process_put free it with the
 * last reference. */
struct task *task_alloc(void);
struct process *process_alloc(void);
void process_put(struct process *process);

/* Exits the current process with STATUS as wait4 reports it: makes the other tasks exit and exits the
 * current one. */
_Noreturn void process_exit(int status);
/* Makes every other task of the current process exit and waits until the current one is alone: before
 * exec. -EAGAIN: another thread ends the process already. */
int process_kill_other_threads(void);

/* Gives up the current task's address space and completes its vfork. */
void task_release_space(struct task *task);
/* Completes TASK's vfork: wakes its parent. Task context. */
void task_end_vfork(struct task *task);
/* Clears the tid of TASK, the current one, in user memory and wakes a joining thread (CLONE_CHILD_CLEARTID,
 * set_tid_address). Task context. */
void task_clear_child_tid(struct task *task);

/* Returns the nanoseconds that all tasks of PROCESS, exited ones included, have run. T held. */
uint64_t process_run_time_ns(struct process *process);

/* Marks PROCESS and all its tasks as exiting with STATUS, unless PROCESS is already. T held. */
void process_mark_exiting(struct process *process, int status);
/* Frees the pid of PROCESS, a zombie that was waited for (or whose parent ignores zombies). T held; the
 * caller's pointer may be the last. */
void process_forget(struct process *process);
/* All threads of PROCESS, a zombie, have exited: wakes the waiters, once no thread is kept for a tracer. T
 * held. */
void process_ended(struct process *process);
/* PROCESS, a zombie that no tracer keeps, has exited: notifies its parent, or forgets it. T held; the
 * caller's pointer may be the last. */
void process_notify_end(struct process *process);
/* Returns whether PARENT ignores its zombies. T held. */
bool process_ignores_children(const struct process *parent);
/* Returns the current process's '/', without a reference: D held, or for a comparison. */
struct dentry *process_root(void);
/* Returns its current directory, with a reference. Task context. */
struct dentry *process_get_directory(void);
/* Returns MODE of a new file without the bits of the current process's umask. Task context. */
uint32_t process_apply_umask(uint32_t mode);
/* Gives CHILD, new, the program of PARENT; and drops the program of PROCESS, which has exited. Task
 * context. */
void process_inherit_program(struct process *child, const struct process *parent);
void process_drop_program(struct process *process);
/* Sets the limits of the first process: Linux's defaults. */
void process_default_limits(struct rlimit64 limits[RLIM_NLIMITS]);
/* Cuts *SIZE, the bytes about to be written at POSITION of a regular file, or its growth, to the current
 * process's RLIMIT_FSIZE. -EFBIG, and SIGXFSZ is sent: the limit is at or below POSITION. Task context,
 * no spin lock held. */
int process_check_file_size(uint64_t position, uint64_t *size);
/* Applies PROCESS's limits on memory to SPACE. Task context. */
void process_apply_limits(const struct process *process, struct vm_space *space);

/* Add MORE, or the use of TASK up to now, to *SUM. usage_add_task: T held. */
void usage_add(struct resource_usage *sum, const struct resource_usage *more);
void usage_add_task(struct resource_usage *sum, struct task *task);
/* Raises PROCESS's peak to SPACE's. Task context. */
void usage_note_space(struct process *process, struct vm_space *space);
/* Returns the use of all tasks of PROCESS, exited ones included. T held. */
struct resource_usage usage_of_process(struct process *process);
/* Returns the time of USAGE by mode. LAST, the times last reported, or NULL: neither time decreases, and LAST
 * is updated. The lock of LAST held. */
struct cpu_times usage_times(const struct resource_usage *usage, struct cpu_times *last);
/* Return PROCESS's time by mode, and TASK's. T held. */
struct cpu_times usage_times_of_process(struct process *process);
struct cpu_times usage_times_of_task(struct task *task);
/* Converts USAGE, with TIMES, for getrusage and wait4. Any context. */
void usage_for_user(struct kernel_rusage *user, const struct resource_usage *usage,
		    struct cpu_times times);
/* getrusage: writes the use of the current task's WHO, RUSAGE_*, into *USER. Task context. 0, -EINVAL. */
int usage_get(int who, struct kernel_rusage *user);

/* wait4: waits for a child that PID selects, as OPTIONS say; reports its state in *STATUS and, unless that is
 * NULL, its use in *USAGE. Returns its pid, 0: none yet (WNOHANG); -EINVAL, -ESRCH, -ECHILD, -EINTR. Task
 * context. */
pid_t child_wait(pid_t pid, unsigned int options, int *status, struct kernel_rusage *usage);

/* Sets INFO's si_code and si_status from STATUS, as wait4 reports it. Any context. */
void child_describe(struct kernel_siginfo *info, int status);
/* Notifies CHILD's parent that CHILD was stopped or continued, by SIGCHLD unless the parent ignores
 * that (SIG_IGN, SA_NOCLDSTOP), and wakes it: STATUS as wait4 reports it. T held, no S. */
void child_notify_parent(struct process *child, int status);

/* Makes TASK look at its pending work. T held. */
void signal_alert(struct task *task);
/* Makes TASK exit as soon as it can. T held. */
void signal_make_fatal(struct task *task);
/* Some task of PROCESS exited or blocked signals: makes another one act on the pending signals. T
 * held. */
void signal_retarget(struct process *process);
/* signal_send and signal_send_process with T held. */
int signal_send_locked(struct task *task, const struct kernel_siginfo *info);
int signal_send_process_locked(struct process *process, const struct kernel_siginfo *info);
/* The same for a program's request (kill and its kin), to TASK or, if that is NULL, to PROCESS as a whole:
 * another process cannot kill or stop the first one by a signal without a handler. Linux: SIGNAL_UNKILLABLE.
 * Task context. T held. */
int signal_send_by_program(struct process *process, struct task *task,
			   const struct kernel_siginfo *info);
/* The same for a file (O_ASYNC), as process ASKER requested. Any context but NMI. T held. */
int signal_send_to_owner(struct process *process, struct task *task,
			 const struct kernel_siginfo *info, pid_t setter);
/* Returns whether CHILD was stopped or continued in a way that wait4's OPTIONS request; *STATUS as wait4
 * reports it. TAKE: the state is not reported again. T held. */
bool signal_take_stop_report(struct process *child, unsigned int options, bool take, int *status);
/* After a change of SIGNAL's action: discards its pending instances if it is ignored now. T and S
 * held. */
void signal_discard_ignored(struct process *process, int signal);
/* Sets the current task's mask of blocked signals to MASK (but never SIGKILL and SIGSTOP). Task context. */
void signal_set_mask(uint64_t mask);
/* Returns whether the current task's program runs on its alternate stack, as sigaltstack reports. Task
 * context. */
bool signal_on_alternate_stack(void);

/*
 * Sets the current process's action for SIGNAL to NEW, unless that is NULL; the old action goes to OLD.
 * Unknown flags and signals that cannot be blocked are left out. Task context. -EINVAL: there is no such
 * signal, or its action cannot be changed.
 */
int signal_change_action(int signal, const struct kernel_sigaction *new,
			 struct kernel_sigaction *old);

/* Sleeps with the signal mask MASK until a signal is pending; the old mask is restored once that was
 * delivered. Task context. Returns the error number of the call. */
long signal_suspend(uint64_t mask);

/* Copies OLD (NULL: every default), with one reference; NULL: no memory. Task context. */
struct signal_handlers *signal_handlers_copy(struct signal_handlers *old);
/* Take and drop a reference to HANDLERS. Any context; put: any that allows kfree. */
struct signal_handlers *signal_handlers_share(struct signal_handlers *handlers);
void signal_handlers_put(struct signal_handlers *handlers);
/* Resets handlers to default; ignored signals stay ignored. ALL: their flags and mask are cleared, too. */
void signal_handlers_clear(struct signal_handlers *handlers, bool all);
/* Reads the action of SIGNAL. Any context but NMI. */
struct kernel_sigaction signal_handlers_get(struct signal_handlers *handlers, int signal);
/* Copies the action for this delivery of SIGNAL into ACTION and, with SA_RESETHAND, resets it. Any context
 * but NMI. */
void signal_handlers_take(struct signal_handlers *handlers, int signal,
			  struct kernel_sigaction *action);
void signal_handlers_set(struct signal_handlers *handlers, int signal,
			 const struct kernel_sigaction *action);
/* Removes the handler of SIGNAL but keeps flags and mask; UNLESS_HANDLED: only if it is ignored. Any context
 * but NMI. */
void signal_handlers_reset(struct signal_handlers *handlers, int signal, bool unless_handled);
/* Resets handlers to default for a new program, no longer shared; ignored signals stay ignored. 0, or -1:
 * no memory. Task context. */
int signal_reset_for_exec(struct process *process);
/* Recomputes whether TASK has an unblocked pending signal. S held. */
void signal_update_attention(struct task *task);
/* Frees the entries of a signal queue. S held, or the queue is not shared. */
void signal_queue_flush(struct signal_queue *queue);
void signal_queue_init(struct signal_queue *queue);

#endif
