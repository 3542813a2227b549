/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The system call ptrace: a tracer's requests. Behaviour: Linux's ptrace(2).
 *
 * Requests are a table. Most need a stopped tracee: it is frozen for the duration of the request, so that
 * nothing, not even SIGKILL, makes it run, and the request works with no lock held, on registers and
 * memory that no other task changes.
 *
 * Not here: a tracee's stops (ptrace_stop.c), the ties between tasks (ptrace_link.c), registers
 * (arch/ISA/ptrace.c).
 *
 * Locks: task_table_lock (T), inside it process->signal_lock.
 */
#include <kernel/task/ptrace.h>

#include <arch/ptrace.h>
#include <arch/signal.h>
#include <arch/task.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/ptrace.h>
#include <uapi/linux/uio.h>

/* The greatest error number. */
#define ERRNO_MAX	    4095
#define SIGKILL_AND_SIGSTOP ((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1))

/* --- becoming a tracer --- */

static long trace_me(void)
{
	struct task *self = task_current(), *thread, *tracer = NULL;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	struct process *parent = self->ptrace.tracer ? NULL : self->process->parent;

	/* The thread that created this process, or another one of the parent. The first process has none. */
	if (parent)
		LIST_FOREACH(thread, &parent->threads, thread)
			if (!tracer || thread->tid == self->process->parent_tid)
				tracer = thread;
	if (tracer)
		ptrace_link(self, tracer, false, 0);
	spin_unlock_irqrestore(&task_table_lock, state);
	return tracer ? 0 : -EPERM;
}

/* Returns whether the current task may trace TASK. T held. */
static bool may_attach(struct task *task)
{
	return task->process && task->process != task_current()->process &&
	       task->state != TASK_ZOMBIE && !task->ptrace.tracer && !task->ptrace.kept &&
	       credentials_may_ptrace(task, PTRACE_AS_REAL) == 0;
}

static bool are_options_valid(unsigned long options)
{
	return !(options & ~(unsigned long)PTRACE_O_MASK);
}

static long attach(struct task *task, bool seize, unsigned long address, unsigned long options)
{
	const struct kernel_siginfo stop = { .si_signo = SIGSTOP, .si_code = SI_KERNEL };

	if (seize && (address || !are_options_valid(options)))
		return -EIO;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	/* The result of execve depends on the tracer. */
	int error = exec_guard_wait(task, &state);

	if (!error && !may_attach(task))
		error = -EPERM;
	if (!error) {
		ptrace_link(task, task_current(), seize, seize ? (unsigned int)options : 0);
		/* A task that is stopped with its process stops for its tracer instead. */
		if (task->process->stop_signal)
			signal_alert(task);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	if (error)
		return error;
	return seize ? 0 : signal_send(task, &stop);
}

/* --- requests to a tracee --- */

static long peek(struct task *tracee, unsigned long address, unsigned long data)
{
	unsigned long word;

	if (vm_access(tracee->space, user_range_clip(address, sizeof(word)), &word,
		      VM_ACCESS_FORCE) != sizeof(word))
		return -EIO;
	return arch_ptrace_give_word(word, data);
}

static long poke(struct task *tracee, unsigned long address, unsigned long data)
{
	size_t done = vm_access(tracee->space, user_range_clip(address, sizeof(data)), &data,
				VM_ACCESS_FORCE | VM_ACCESS_WRITE);

	return done == sizeof(data) ? 0 : -EIO;
}

static long peek_user(struct task *tracee, unsigned long address, unsigned long data)
{
	unsigned long word;
	int error = arch_ptrace_peek_user(tracee, address, &word);

	return error ? error : arch_ptrace_give_word(word, data);
}

static long poke_user(struct task *tracee, unsigned long address, unsigned long data)
{
	return arch_ptrace_poke_user(tracee, address, data);
}

/* Copies *SIZE bytes of register set SET between TRACEE and the user's DATA. */
static long get_set(struct task *tracee, const struct register_set *set, unsigned long data,
		    size_t size)
{
	char *buffer = kzalloc(set->size());

	if (!buffer)
		return -ENOMEM;
	set->get(tracee, buffer);
	long result = copy_to_user((void *)data, buffer, size);

	kfree(buffer);
	return result;
}

static long set_set(struct task *tracee, const struct register_set *set, unsigned long data,
		    size_t size)
{
	char *buffer = kzalloc(set->size());

	if (!buffer)
		return -ENOMEM;
	long result = copy_from_user(buffer, (const void *)data, size);

	if (!result)
		result = set->set(tracee, buffer, size);
	kfree(buffer);
	return result;
}

static long get_registers(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct register_set *set = arch_register_set(NT_PRSTATUS);

	return set ? get_set(tracee, set, data, set->size()) : -EIO;
}

static long set_registers(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct register_set *set = arch_register_set(NT_PRSTATUS);

	return set ? set_set(tracee, set, data, set->size()) : -EIO;
}

static long get_fp_registers(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct register_set *set = arch_register_set(NT_PRFPREG);

	return set ? get_set(tracee, set, data, set->size()) : -EIO;
}

static long set_fp_registers(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct register_set *set = arch_register_set(NT_PRFPREG);

	return set ? set_set(tracee, set, data, set->size()) : -EIO;
}

/* GETREGSET and SETREGSET: copies the set of TYPE through the iovec at DATA, and stores the copied size as
 * its length. */
static long with_vector(struct task *tracee, unsigned long type, unsigned long data,
			long (*copy)(struct task *, const struct register_set *, unsigned long,
				     size_t))
{
	struct kernel_iovec vector;
	const struct register_set *set = arch_register_set((unsigned int)type);

	if (copy_from_user(&vector, (void *)data, sizeof(vector)))
		return -EFAULT;
	if (!set || vector.iov_len % sizeof(uint64_t))
		return -EINVAL;
	if (vector.iov_len > set->size())
		vector.iov_len = set->size();
	long result = copy(tracee, set, vector.iov_base, vector.iov_len);

	return result ? result : copy_to_user((void *)data, &vector, sizeof(vector));
}

static long get_register_set(struct task *tracee, unsigned long address, unsigned long data)
{
	return with_vector(tracee, address, data, get_set);
}

static long set_register_set(struct task *tracee, unsigned long address, unsigned long data)
{
	return with_vector(tracee, address, data, set_set);
}

static long set_options(struct task *tracee, unsigned long address, unsigned long data)
{
	if (!are_options_valid(data))
		return -EINVAL;
	tracee->ptrace.options = (unsigned int)data;
	return 0;
}

static long get_event_message(struct task *tracee, unsigned long address, unsigned long data)
{
	unsigned long message = tracee->ptrace.message;

	return copy_to_user((void *)data, &message, sizeof(message));
}

static long get_signal_info(struct task *tracee, unsigned long address, unsigned long data)
{
	if (!tracee->ptrace.has_info)
		return -EINVAL;
	return copy_to_user((void *)data, &tracee->ptrace.info, sizeof(tracee->ptrace.info));
}

static long set_signal_info(struct task *tracee, unsigned long address, unsigned long data)
{
	struct kernel_siginfo info;

	if (copy_from_user(&info, (void *)data, sizeof(info)))
		return -EFAULT;
	if (!tracee->ptrace.has_info)
		return -EINVAL;
	tracee->ptrace.info = info;
	return 0;
}

/* Returns the signal number INDEX (0 …) in QUEUE; false: there are fewer. */
static bool peek_entry(struct task *tracee, const struct signal_queue *queue, uint64_t index,
		       struct kernel_siginfo *info)
{
	struct signal_entry *entry;
	unsigned long state = spin_lock_irqsave(&tracee->process->signal_lock);

	TAILQ_FOREACH(entry, &queue->entries, link)
		if (!index--)
			break;
	if (entry)
		*info = entry->info;
	spin_unlock_irqrestore(&tracee->process->signal_lock, state);
	return entry;
}

static long peek_signal_info(struct task *tracee, unsigned long address, unsigned long data)
{
	struct ptrace_peeksiginfo_args args;

	if (copy_from_user(&args, (void *)address, sizeof(args)))
		return -EFAULT;
	if ((args.flags & ~PTRACE_PEEKSIGINFO_SHARED) || args.nr < 0)
		return -EINVAL;
	const struct signal_queue *queue = args.flags & PTRACE_PEEKSIGINFO_SHARED ?
						   &tracee->process->signals :
						   &tracee->signals.queue;
	struct kernel_siginfo info;
	int32_t done = 0;

	for (; done < args.nr && peek_entry(tracee, queue, args.off + (uint32_t)done, &info);
	     done++) {
		if (copy_to_user((struct kernel_siginfo *)data + done, &info, sizeof(info)))
			return done ? done : -EFAULT;
		if (signal_is_pending(task_current())) {
			done++;
			break;
		}
	}
	return done;
}

static long get_signal_mask(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct signal_state *signals = &tracee->signals;
	/* During rt_sigsuspend and the like, the mask to be restored afterwards. */
	uint64_t mask = signals->restore_mask ? signals->saved_mask : signals->mask;

	if (address != sizeof(mask))
		return -EINVAL;
	return copy_to_user((void *)data, &mask, sizeof(mask));
}

static long set_signal_mask(struct task *tracee, unsigned long address, unsigned long data)
{
	uint64_t mask;

	if (address != sizeof(mask))
		return -EINVAL;
	if (copy_from_user(&mask, (void *)data, sizeof(mask)))
		return -EFAULT;
	unsigned long state = spin_lock_irqsave(&tracee->process->signal_lock);

	tracee->signals.mask = mask & ~SIGKILL_AND_SIGSTOP;
	signal_update_attention(tracee);
	tracee->signals.restore_mask = false;
	spin_unlock_irqrestore(&tracee->process->signal_lock, state);
	return 0;
}

/* Fills in *INFO for TRACEE's stop; returns its bytes. */
static size_t describe_call(struct task *tracee, struct ptrace_syscall_info *info)
{
	const struct ptrace_state *trace = &tracee->ptrace;
	const struct trap_frame *frame = arch_task_user_frame(tracee);
	bool at_call = trace->has_info && trace->info.si_code == (SIGTRAP | 0x80);

	*info = (struct ptrace_syscall_info){
		.arch = arch_ptrace_isa(),
		.instruction_pointer = arch_frame_ip(frame),
		.stack_pointer = arch_frame_sp(frame),
	};
	if (at_call && trace->message == PTRACE_EVENTMSG_SYSCALL_ENTRY) {
		info->op = PTRACE_SYSCALL_INFO_ENTRY;
		info->entry.nr = (uint64_t)arch_syscall_number(frame);
		arch_syscall_arguments(frame, info->entry.args);
		return sizeof(*info);
	}
	if (at_call && trace->message == PTRACE_EVENTMSG_SYSCALL_EXIT) {
		info->op = PTRACE_SYSCALL_INFO_EXIT;
		info->exit.rval = arch_syscall_result(frame);
		info->exit.is_error = info->exit.rval < 0 && info->exit.rval >= -ERRNO_MAX;
		return offsetof(struct ptrace_syscall_info, exit.is_error) + 1;
	}
	return offsetof(struct ptrace_syscall_info, entry);
}

static long get_call_info(struct task *tracee, unsigned long address, unsigned long data)
{
	struct ptrace_syscall_info info;
	size_t size = describe_call(tracee, &info);

	if (copy_to_user((void *)data, &info, size < address ? size : address))
		return -EFAULT;
	return (long)size;
}

static long get_rseq(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct ptrace_rseq_configuration rseq = {
		.rseq_abi_pointer = tracee->rseq.address,
		.rseq_abi_size = tracee->rseq.size,
		.signature = tracee->rseq.signature,
	};

	if (copy_to_user((void *)data, &rseq, sizeof(rseq) < address ? sizeof(rseq) : address))
		return -EFAULT;
	return (long)sizeof(rseq);
}

/* --- resuming --- */

/* Prepares the tracee to resume with SIGNAL and a mode for system CALLS. */
static long prepare_resume(struct task *tracee, unsigned long signal, unsigned int calls)
{
	if (signal > SIGNALS_MAX)
		return -EIO;
	arch_ptrace_set_step(tracee, calls & PTRACE_CALLS_STEP);
	tracee->ptrace.calls = calls;
	tracee->ptrace.code = (int)signal;
	return 0;
}

static long cont(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, 0);
}

static long single_step(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, PTRACE_CALLS_STEP);
}

static long to_call(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, PTRACE_CALLS_STOP);
}

static long emulate(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, PTRACE_CALLS_EMULATE);
}

static long emulate_step(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, PTRACE_CALLS_EMULATE | PTRACE_CALLS_STEP);
}

static long detach(struct task *tracee, unsigned long address, unsigned long data)
{
	return prepare_resume(tracee, data, 0);
}

/* --- at any time --- */

static long kill(struct task *tracee, unsigned long address, unsigned long data)
{
	const struct kernel_siginfo info = { .si_signo = SIGKILL, .si_code = SI_USER };

	return signal_send(tracee, &info);
}

static long interrupt(struct task *tracee, unsigned long address, unsigned long data)
{
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool seized = tracee->ptrace.seized;

	if (seized) {
		tracee->ptrace.traps |= PTRACE_TRAP_STOP;
		if (tracee->ptrace.listening)
			ptrace_wake(tracee);
		signal_alert(tracee);
	}
	spin_unlock_irqrestore(&task_table_lock, state);
	return seized ? 0 : -EIO;
}

static long listen(struct task *tracee, unsigned long address, unsigned long data)
{
	struct ptrace_state *trace = &tracee->ptrace;

	if (!trace->seized || !trace->has_info || trace->info.si_code >> 8 != PTRACE_EVENT_STOP)
		return -EIO;
	trace->listening = true;
	return 0;
}

enum request_kind {
	LOOKS,	   /* the tracee stays stopped */
	RESUMES,   /* the tracee resumes */
	DETACHES,  /* the tracee resumes untraced */
	LISTENS,   /* the tracee resumes if it was continued meanwhile */
	INTERRUPTS /* the tracee need not be stopped */
};

static const struct request {
	unsigned int number;
	enum request_kind kind;
	long (*serve)(struct task *tracee, unsigned long address, unsigned long data);
} requests[] = {
	{ PTRACE_PEEKTEXT, LOOKS, peek },
	{ PTRACE_PEEKDATA, LOOKS, peek },
	{ PTRACE_PEEKUSR, LOOKS, peek_user },
	{ PTRACE_POKETEXT, LOOKS, poke },
	{ PTRACE_POKEDATA, LOOKS, poke },
	{ PTRACE_POKEUSR, LOOKS, poke_user },
	{ PTRACE_GETREGS, LOOKS, get_registers },
	{ PTRACE_SETREGS, LOOKS, set_registers },
	{ PTRACE_GETFPREGS, LOOKS, get_fp_registers },
	{ PTRACE_SETFPREGS, LOOKS, set_fp_registers },
	{ PTRACE_GETREGSET, LOOKS, get_register_set },
	{ PTRACE_SETREGSET, LOOKS, set_register_set },
	{ PTRACE_SETOPTIONS, LOOKS, set_options },
	{ PTRACE_GETEVENTMSG, LOOKS, get_event_message },
	{ PTRACE_GETSIGINFO, LOOKS, get_signal_info },
	{ PTRACE_SETSIGINFO, LOOKS, set_signal_info },
	{ PTRACE_PEEKSIGINFO, LOOKS, peek_signal_info },
	{ PTRACE_GETSIGMASK, LOOKS, get_signal_mask },
	{ PTRACE_SETSIGMASK, LOOKS, set_signal_mask },
	{ PTRACE_GET_SYSCALL_INFO, LOOKS, get_call_info },
	{ PTRACE_GET_RSEQ_CONFIGURATION, LOOKS, get_rseq },
	{ PTRACE_CONT, RESUMES, cont },
	{ PTRACE_SINGLESTEP, RESUMES, single_step },
	{ PTRACE_SYSCALL, RESUMES, to_call },
	{ PTRACE_SYSEMU, RESUMES, emulate },
	{ PTRACE_SYSEMU_SINGLESTEP, RESUMES, emulate_step },
	{ PTRACE_DETACH, DETACHES, detach },
	{ PTRACE_LISTEN, LISTENS, listen },
	{ PTRACE_KILL, INTERRUPTS, kill },
	{ PTRACE_INTERRUPT, INTERRUPTS, interrupt },
};

static const struct request *find_request(unsigned long number)
{
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (requests[i].number == number)
			return &requests[i];
	return NULL;
}

/* Freezes TRACEE, if it is stopped for the current task, its tracer. False: it is not. */
static bool freeze(struct task *tracee)
{
	struct ptrace_state *trace = &tracee->ptrace;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool stopped = trace->tracer == task_current() && tracee->state == TASK_TRACED &&
		       !trace->listening && (!tracee->signals.fatal || trace->exit_event);

	trace->frozen = stopped;
	spin_unlock_irqrestore(&task_table_lock, state);
	/* The tracee may still be in its context switch, which saves its registers. */
	while (stopped && tracee->running)
		arch_cpu_relax();
	return stopped;
}

/* Undoes freeze, after a request of KIND with RESULT. */
static void unfreeze(struct task *tracee, enum request_kind kind, long result)
{
	struct ptrace_state *trace = &tracee->ptrace;
	unsigned long state = spin_lock_irqsave(&task_table_lock);
	bool killed = tracee->signals.fatal && !trace->exit_event;

	trace->frozen = false;
	if (kind == DETACHES && result == 0)
		ptrace_unlink(tracee);
	else if (killed || (kind == RESUMES && result == 0) ||
		 (kind == LISTENS && result == 0 && trace->traps))
		ptrace_wake(tracee);
	spin_unlock_irqrestore(&task_table_lock, state);
}

/* Serves a request to TASK, which is referenced. */
static long serve(unsigned long number, struct task *task, unsigned long address,
		  unsigned long data)
{
	const struct request *request = find_request(number);
	enum request_kind kind = request ? request->kind : LOOKS;

	if (kind == INTERRUPTS) {
		/* Only the tracer itself stops being the tracer. */
		if (task->ptrace.tracer != task_current())
			return -ESRCH;
		return request->serve(task, address, data);
	}
	if (!freeze(task))
		return -ESRCH;
	long result = request ? request->serve(task, address, data) : -EIO;

	unfreeze(task, kind, result);
	return result;
}

long sys_ptrace(const unsigned long arg[6])
{
	if (arg[0] == PTRACE_TRACEME)
		return trace_me();
	struct task *task = task_find((pid_t)arg[1]);

	if (!task)
		return -ESRCH;
	bool seize = arg[0] == PTRACE_SEIZE;
	long result = seize || arg[0] == PTRACE_ATTACH ? attach(task, seize, arg[2], arg[3]) :
							 serve(arg[0], task, arg[2], arg[3]);

	task_put(task);
	return result;
}
