/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfctr's high-level driver: virtual counters of a task, by descriptor.
 *
 * /dev/perfctr gives a task a set of counters of its own, one for each task. The set counts while its task runs. Its
 * descriptor takes the commands of <uapi/linux/perfctr.h>, from that task only, and maps the state, which its task
 * reads without a system call. The hardware is reserved while a live set exists. A set lives until its last
 * descriptor and mapping are gone or its task exits; its sums can be read as long as there is a descriptor.
 *
 * An overflow stops the counters of the set, but not the TSC, and sends the task a signal with SI_PMC_OVF and the set
 * of overflown counters. VPERFCTR_IRESUME lets the counters go on.
 *
 * The overflow interrupt may come anywhere, also in the middle of a change of a state. So `running` names the set
 * whose counters run on a CPU, and is NULL while its state changes. An interrupt that finds NULL leaves a note
 * (`missed`), and the code that starts the set again looks at it.
 *
 * Locks: sets_mutex, for the number of live sets. The fields of a set change on the CPU where its task runs,
 * interrupts off, or in the overflow interrupt there.
 */
#include <kernel/perfctr/vperfctr.h>

#include <string.h>

#include <arch/irq.h>
#include <arch/perfctr.h>
#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/smp.h>
#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/settings.h>
#include <kernel/perf/user_access.h>
#include <kernel/perfctr/perfctr.h>
#include <kernel/sched/task.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/signal.h>

/* Linux's admin-guide/devices.txt: 10, 182 is perfctr's. */
#define DEVICE_MAJOR 10
#define DEVICE_MINOR 182

struct vperfctr {
	struct perfctr_cpu_state *state; /* a page of its own, which user space maps */
	struct task *_Atomic owner;	 /* NULL: it has exited */
	_Atomic bool dead;		 /* the counters never run again */
	_Atomic int signal;		 /* 0: none */
	/* On the task's CPU, interrupts off, or in the overflow interrupt there: what an overflow has stopped; 0: nothing */
	unsigned int resume_cstatus;
	_Atomic unsigned int overflown; /* counters of the signal that is due */
	bool user_reads;		/* constant: a mapping permits RDPMC */
	struct deferred_work work;
	_Atomic unsigned int references; /* file, task */
};

struct vperfctr_cpu {
	struct vperfctr *_Atomic running;
	_Atomic bool missed;
} CACHE_ALIGNED;

static PERCPU(struct vperfctr_cpu, cpus);
static struct mutex sets_mutex = MUTEX_INITIALIZER(sets_mutex);
static unsigned int live_sets; /* sets_mutex */
static const char service[] = "vperfctr";

/* --- running and stopping. On the task's CPU, interrupts off --- */

static void halt(struct vperfctr *set)
{
	struct vperfctr_cpu *cpu = &this_cpu(cpus);

	if (atomic_load(&cpu->running) != set)
		return;
	atomic_store(&cpu->running, NULL);
	perfctr_cpu_suspend(set->state);
}

/* Lets SET run as its cstatus says; returns false if an overflow came meanwhile. */
static bool try_go(struct vperfctr *set)
{
	struct vperfctr_cpu *cpu = &this_cpu(cpus);

	if (atomic_load(&set->dead) || !perfctr_cstatus_enabled(set->state->cstatus))
		return true;
	atomic_store(&cpu->missed, false);
	perfctr_cpu_resume(set->state);
	atomic_store(&cpu->running, set);
	return !atomic_exchange(&cpu->missed, false);
}

/* Stops the counters of SET, which was suspended, if one has overflown, and notes the signal. */
static void serve_overflow(struct vperfctr *set)
{
	struct perfctr_cpu_state *state = set->state;
	unsigned int overflown = perfctr_cpu_identify_overflow(state);

	if (!overflown)
		return;
	perfctr_cpu_ireload(state);
	set->resume_cstatus = state->cstatus;
	state->cstatus =
		perfctr_mk_cstatus((unsigned int)perfctr_cstatus_has_tsc(state->cstatus), 0, 0);
	atomic_fetch_or(&set->overflown, overflown);
	if (set->signal)
		deferred_work_queue(&set->work);
}

static void go(struct vperfctr *set)
{
	while (!try_go(set)) {
		halt(set);
		serve_overflow(set);
	}
}

static void handle_overflow(unsigned long pc)
{
	struct vperfctr_cpu *cpu = &this_cpu(cpus);
	struct vperfctr *set = atomic_load(&cpu->running);

	(void)pc;
	if (!set) {
		atomic_store(&cpu->missed, true);
		return;
	}
	halt(set);
	serve_overflow(set);
	go(set);
}

/* Updates the sums of SET, whose counters go on. */
static void sample(struct vperfctr *set)
{
	struct vperfctr_cpu *cpu = &this_cpu(cpus);
	struct vperfctr *running = set;

	atomic_store(&cpu->missed, false);
	if (!atomic_compare_exchange_strong(&cpu->running, &running, NULL))
		return;
	perfctr_cpu_sample(set->state);
	atomic_store(&cpu->running, set);
	if (atomic_exchange(&cpu->missed, false))
		handle_overflow(0);
}

static void send_signal(struct deferred_work *work)
{
	struct vperfctr *set = (struct vperfctr *)((char *)work - offsetof(struct vperfctr, work));
	struct task *owner = atomic_load(&set->owner);
	unsigned int overflown = atomic_exchange(&set->overflown, 0);
	struct kernel_siginfo info = { .si_signo = atomic_load(&set->signal),
				       .si_code = SI_PMC_OVF };

	if (!owner || !overflown || !info.si_signo)
		return;
	memcpy(info.si_whole, &overflown, sizeof(overflown));
	signal_send(owner, &info);
}

static void halt_here(void *set)
{
	halt(set);
}

/* --- life --- */

/* Stops SET for good. Task context. */
static void retire(struct vperfctr *set)
{
	if (atomic_exchange(&set->dead, true))
		return;
	/* A switch that does not see `dead` yet has finished before this CPU gets to that CPU. */
	smp_call_all(halt_here, set);
	mutex_lock(&sets_mutex);
	if (--live_sets == 0) {
		hook_listen(HOOK_task_out, false);
		perfctr_cpu_release(service);
	}
	mutex_unlock(&sets_mutex);
}

static void put(struct vperfctr *set)
{
	if (atomic_fetch_sub(&set->references, 1) != 1)
		return;
	ASSERT(atomic_load(&set->dead));
	deferred_work_sync(&set->work);
	page_put(set->state);
	kfree(set);
}

/* Counts one more live set; the first one reserves the hardware. 0 or -EBUSY. */
static int begin_live(void)
{
	int error = 0;

	mutex_lock(&sets_mutex);
	if (live_sets == 0) {
		error = perfctr_cpu_reserve(service) ? -EBUSY : 0;
		if (!error) {
			perfctr_cpu_set_ihandler(handle_overflow);
			hook_listen(HOOK_task_out, true);
		}
	}
	if (!error)
		live_sets++;
	mutex_unlock(&sets_mutex);
	return error;
}

static struct vperfctr *create(int *error)
{
	struct vperfctr *set = kzalloc(sizeof(*set));
	struct perfctr_cpu_state *state = set ? page_alloc(0) : NULL;

	_Static_assert(sizeof(*state) <= PAGE_SIZE, "user space maps it as a page");
	*error = state ? begin_live() : -ENOMEM;
	if (*error) {
		if (state)
			page_put(state);
		kfree(set);
		return NULL;
	}
	memset(state, 0, PAGE_SIZE);
	set->state = state;
	set->user_reads = perfctr_cpu_hardware.user_reads &&
			  perf_user_reads != PERF_USER_READS_NEVER;
	set->work.run = send_signal;
	set->references = 1;
	return set;
}

void perfctr_task_end(struct task *task)
{
	struct vperfctr *set = atomic_exchange(&task->perfctr, NULL);

	if (!set)
		return;
	retire(set);
	deferred_work_sync(&set->work);
	atomic_store(&set->owner, NULL);
	put(set);
}

void perfctr_task_switch(struct task *prev, struct task *next)
{
	struct vperfctr *from = atomic_load_explicit(&prev->perfctr, memory_order_relaxed);
	struct vperfctr *to = atomic_load_explicit(&next->perfctr, memory_order_relaxed);

	if (from)
		halt(from);
	if (to)
		go(to);
}

void perfctr_task_tick(struct task *task)
{
	struct vperfctr *set = atomic_load_explicit(&task->perfctr, memory_order_relaxed);

	if (set)
		sample(set);
}

/* --- commands. The caller is SET's own task --- */

static long set_control(struct vperfctr *set, const void *user_control)
{
	struct perfctr_cpu_state *state = set->state;
	struct vperfctr_control control;
	int error;

	if (copy_from_user(&control, user_control, sizeof(control)))
		return -EFAULT;
	if (control.si_signo < 0 || control.si_signo > SIGNALS_MAX)
		return -EINVAL;
	error = perfctr_cpu_check_control(&control.cpu_control, 0);
	if (!error && arch_perfctr_counts_kernel(&control.cpu_control))
		error = perf_allow_kernel();
	/* Refused control data change nothing. */
	if (error)
		return error;

	unsigned long flags = arch_irq_save();

	halt(set);
	set->resume_cstatus = 0;
	atomic_store(&set->overflown, 0);
	set->signal = control.si_signo;
	state->control = control.cpu_control;
	error = perfctr_cpu_update_control(state, 0);
	ASSERT(!error);
	if (!(control.preserve >> 31))
		state->tsc_sum = 0;
	for (unsigned int i = 0; i < PERFCTR_COUNTERS_MAX; i++)
		if (!(control.preserve >> i & 1))
			state->pmc[i].sum = 0;
	go(set);
	arch_irq_restore(flags);
	return 0;
}

static long stop(struct vperfctr *set)
{
	unsigned long flags = arch_irq_save();

	halt(set);
	set->state->cstatus = 0;
	set->resume_cstatus = 0;
	arch_irq_restore(flags);
	return 0;
}

static long resume_after_overflow(struct vperfctr *set)
{
	long result = -EPERM;
	unsigned long flags = arch_irq_save();

	if (set->resume_cstatus) {
		halt(set);
		set->state->cstatus = set->resume_cstatus;
		set->resume_cstatus = 0;
		go(set);
		result = 0;
	}
	arch_irq_restore(flags);
	return result;
}

/* Every task may call it once SET's own is gone. */
static long read_sums(struct vperfctr *set, void *user_sums)
{
	const struct perfctr_cpu_state *state = set->state;
	struct perfctr_sum_ctrs sums;
	unsigned long flags = arch_irq_save();

	sample(set);
	sums.tsc = state->tsc_sum;
	for (unsigned int i = 0; i < PERFCTR_COUNTERS_MAX; i++)
		sums.pmc[i] = state->pmc[i].sum;
	arch_irq_restore(flags);
	return copy_to_user(user_sums, &sums, sizeof(sums)) ? -EFAULT : 0;
}

static long read_control(const struct vperfctr *set, void *user_control)
{
	struct vperfctr_control control = { .si_signo = set->signal,
					    .cpu_control = set->state->control };

	return copy_to_user(user_control, &control, sizeof(control)) ? -EFAULT : 0;
}

static long read_info(void *user_info)
{
	const struct perfctr_hardware *hardware = &perfctr_cpu_hardware;
	struct perfctr_info info = { .abi_version = PERFCTR_ABI_VERSION,
				     .cpu_features = PERFCTR_FEATURE_RDTSC | PERFCTR_FEATURE_PCINT,
				     .nrctrs = hardware->counters,
				     .width_bits = hardware->width_bits };

	if (hardware->user_reads && perf_user_reads != PERF_USER_READS_NEVER)
		info.cpu_features |= PERFCTR_FEATURE_RDPMC;
	format_string(info.cpu_name, sizeof(info.cpu_name), "%s", hardware->name);
	return copy_to_user(user_info, &info, sizeof(info)) ? -EFAULT : 0;
}

static long set_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct vperfctr *set = file->private;
	const struct task *owner = atomic_load(&set->owner);

	if (command == PERFCTR_INFO)
		return read_info((void *)argument);
	if (command == VPERFCTR_READ_SUM && !owner)
		return read_sums(set, (void *)argument);
	if (command < VPERFCTR_CONTROL || command > VPERFCTR_READ_CONTROL)
		return -ENOTTY;
	if (!owner)
		return -ESRCH;
	if (owner != task_current())
		return -EPERM;
	switch (command) {
	case VPERFCTR_CONTROL:
		return set_control(set, (const void *)argument);
	case VPERFCTR_STOP:
		return stop(set);
	case VPERFCTR_IRESUME:
		return resume_after_overflow(set);
	case VPERFCTR_READ_SUM:
		return read_sums(set, (void *)argument);
	default:
		return read_control(set, (void *)argument);
	}
}

/* --- the mapping --- */

static void count_mapping(struct vm_area *area, int change)
{
	const struct vperfctr *set = area->private;

	if (set->user_reads)
		perf_user_access_change(area->space, change);
}

static void area_open(struct vm_area *area)
{
	count_mapping(area, 1);
}

static void area_close(struct vm_area *area)
{
	count_mapping(area, -1);
}

static void *area_fault(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	const struct vperfctr *set = area->private;

	*writable = false;
	if (write || offset)
		return NULL;
	page_get(set->state);
	return set->state;
}

static const struct vm_area_ops area_ops = {
	.open = area_open,
	.close = area_close,
	.fault = area_fault,
	.indivisible = true,
};

static int set_mmap(struct file *file, struct vm_area *area)
{
	if (area->prot & VM_WRITE)
		return -EPERM;
	if (!area->shared || area->offset || area->end - area->start != PAGE_SIZE)
		return -EINVAL;
	area->max_prot &= ~(unsigned int)VM_WRITE;
	area->ops = &area_ops;
	area->private = file->private;
	area->dont_copy = true;
	area->dont_expand = true;
	area->dont_dump = true;
	count_mapping(area, 1);
	return 0;
}

static void set_release(struct file *file)
{
	retire(file->private);
	put(file->private);
}

static const struct file_ops set_ops = {
	.name = "[perfctr]",
	.ioctl = set_ioctl,
	.mmap = set_mmap,
	.release = set_release,
};

/* --- /dev/perfctr --- */

/* Drops a dead set that the current task still has. -EEXIST: it has a live one. */
static int make_room(struct task *self)
{
	struct vperfctr *set = atomic_load(&self->perfctr);

	if (set && !atomic_load(&set->dead))
		return -EEXIST;
	perfctr_task_end(self);
	return 0;
}

static long create_set(void)
{
	struct task *self = task_current();
	struct vperfctr *set;
	struct file *file;
	int error = perf_allow_open();

	if (!error)
		error = make_room(self);
	if (error)
		return error;
	set = create(&error);
	if (!set)
		return error;
	file = file_create(&set_ops, set, O_RDWR);
	if (!file) {
		retire(set);
		put(set);
		return file_create_error();
	}
	atomic_fetch_add(&set->references, 1);
	atomic_store(&set->owner, self);
	atomic_store(&self->perfctr, set);
	return fd_install_or_put(file, 1);
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case PERFCTR_INFO:
		return read_info((void *)argument);
	case VPERFCTR_CREAT:
		return create_set();
	default:
		return -ENOTTY;
	}
}

static const struct file_ops device_ops = { .ioctl = device_ioctl };

static int open_device(struct inode *inode, struct file *file)
{
	file->ops = &device_ops;
	return 0;
}

static struct device device = { .name = "perfctr",
				.major = DEVICE_MAJOR,
				.minor = DEVICE_MINOR,
				.permissions = 0666,
				.open = open_device };

static void start(void)
{
	if (perfctr_cpu_init() == 0)
		device_add(&device);
}

START(START_DEVICES, start);
