// SPDX-License-Identifier: BSD-2-Clause
/*
 * /dev/cpu/N/pmu: the file through which a program has lists of steps carried out on CPU N
 * (<uapi/tally/pmu_steps.h>; steps.c has the execution).
 *
 * While a file is open on any CPU, the reservation of the counters is this service's, and so are the NMIs of all CPUs:
 * the handler of the counters' driver does not run.
 *
 * A CPU that goes off line ends its file: the registers are put back, and each further request is ENXIO.
 *
 * Locks: opened_mutex for the table of open files; then a file's mutex, held while a list runs, so that several CPUs may
 * carry out lists at the same time. hotplug_mutex comes before both.
 */
#include <string.h>

#include <arch/pmu.h>
#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/smp.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/pmu/reserve.h>
#include <kernel/sched/credentials.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "../pmu/counters.h"
#include "nodes.h"
#include "steps.h"

struct pmu_file {
	unsigned int cpu; /* constant */
	struct mutex mutex;
	bool ended;		/* mutex */
	uint32_t lost_reported; /* mutex: the part of steps.lost that the program has */
	struct steps_cpu steps;
};

static struct mutex opened_mutex = MUTEX_INITIALIZER(opened_mutex);
static struct pmu_file *opened[CPUS_MAX]; /* opened_mutex */
static unsigned int opened_count;	  /* opened_mutex */
/* From pmu_cpu_goes_offline until the CPU is on line again: no file begins. Set with opened_mutex. */
static _Atomic bool leaving[CPUS_MAX];
static struct pmu_service service = { .name = "/dev/cpu/N/pmu" };

/* --- on the CPU --- */

struct steps_call {
	struct steps_cpu *cpu;
	struct pmu_step *steps;
	uint32_t count;
	int result; /* -ENXIO until the CPU has answered */
};

static void begin_there(void *argument)
{
	struct steps_call *call = argument;

	steps_begin(call->cpu);
	call->result = 0;
}

static void run_there(void *argument)
{
	struct steps_call *call = argument;

	call->result = steps_run(call->cpu, call->steps, call->count);
}

static void set_handler_there(void *argument)
{
	struct steps_call *call = argument;

	call->result = steps_set_handler(call->cpu, call->steps, call->count);
}

static void end_there(void *argument)
{
	steps_end(argument);
}

/* --- requests --- */

/* Copies the list of REQUEST from the program and checks it. NULL: *ERROR says why. */
static struct pmu_step *copy_list(const struct pmu_steps *request, bool is_handler, int *error)
{
	const uint32_t most = is_handler ? PMU_HANDLER_STEPS_MAX : PMU_STEPS_MAX;
	size_t size = request->count * sizeof(struct pmu_step);
	struct pmu_step *steps;

	*error = -EINVAL;
	if (request->pad || request->count > most || (!request->count && !is_handler))
		return NULL;
	*error = -ENOMEM;
	steps = kzalloc(size ? size : 1);
	if (!steps)
		return NULL;
	*error = copy_from_user(steps, (const void *)request->steps, size) ?
			 -EFAULT :
			 steps_check(steps, request->count, is_handler);
	if (!*error)
		return steps;
	kfree(steps);
	return NULL;
}

/* Carries out the checked call on the file's CPU. File's mutex held. */
static int call_cpu(struct pmu_file *pmu, struct steps_call *call, bool is_handler)
{
	mutex_assert_held(&pmu->mutex);
	if (pmu->ended)
		return -ENXIO;
	/* The kernel does not preempt: the task stays here until the call. */
	if (!is_handler && cpu_id() != pmu->cpu && steps_need_task(call->steps, call->count))
		return -EXDEV;
	smp_call(pmu->cpu, is_handler ? set_handler_there : run_there, call);
	return call->result;
}

static long carry_out(struct pmu_file *pmu, unsigned long argument, bool is_handler)
{
	struct pmu_steps request;
	struct steps_call call = { .cpu = &pmu->steps, .result = -ENXIO };
	int error;

	if (copy_from_user(&request, (const void *)argument, sizeof(request)))
		return -EFAULT;
	call.count = request.count;
	call.steps = copy_list(&request, is_handler, &error);
	if (!call.steps)
		return error;
	mutex_lock(&pmu->mutex);
	error = call_cpu(pmu, &call, is_handler);
	mutex_unlock(&pmu->mutex);
	if (!error && !is_handler &&
	    copy_to_user((void *)request.steps, call.steps, call.count * sizeof(*call.steps)))
		error = -EFAULT;
	kfree(call.steps);
	return error;
}

static long take_nmis(struct pmu_file *pmu, unsigned long argument)
{
	struct pmu_nmis request;
	uint32_t lost;
	long taken;

	if (copy_from_user(&request, (const void *)argument, sizeof(request)))
		return -EFAULT;
	mutex_lock(&pmu->mutex);
	lost = atomic_load(&pmu->steps.lost);
	taken = pmu->ended ?
			-ENXIO :
			steps_take_nmis(&pmu->steps, (struct pmu_nmi *)request.nmis, request.count);
	request.count = (uint32_t)taken;
	request.lost = lost - pmu->lost_reported;
	if (taken >= 0 && copy_to_user((void *)argument, &request, sizeof(request)))
		taken = -EFAULT;
	if (taken >= 0)
		pmu->lost_reported = lost;
	mutex_unlock(&pmu->mutex);
	return taken < 0 ? taken : 0;
}

static long control(struct file *file, unsigned int command, unsigned long argument)
{
	struct pmu_file *pmu = file->private;

	if ((file->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	switch (command) {
	case (unsigned int)PMU_IOC_RUN:
		return carry_out(pmu, argument, false);
	case (unsigned int)PMU_IOC_HANDLER:
		return carry_out(pmu, argument, true);
	case (unsigned int)PMU_IOC_NMIS:
		return take_nmis(pmu, argument);
	default:
		return -ENOTTY;
	}
}

/* --- open and close --- */

/* Takes the NMIs of all CPUs for the steps, or gives them back. */
static void take_interrupts(void)
{
	static bool is_registered;

	if (counters_registers()) {
		counters_lend_interrupt(steps_handle_nmi);
	} else if (!is_registered) {
		/* Without a driver the handler stays: it claims nothing while no file is open. */
		arch_nmi_register(steps_handle_nmi);
		is_registered = true;
	}
}

static void give_interrupts_back(void)
{
	if (counters_registers())
		counters_take_interrupt_back(steps_handle_nmi);
}

/* Takes the CPU of PMU out of the lists' service. opened_mutex held. */
static void end(struct pmu_file *pmu)
{
	mutex_assert_held(&opened_mutex);
	mutex_lock(&pmu->mutex);
	if (!pmu->ended) {
		pmu->ended = true;
		smp_call(pmu->cpu, end_there, &pmu->steps);
		opened[pmu->cpu] = NULL;
		if (--opened_count == 0)
			give_interrupts_back();
		pmu_release(&service);
	}
	mutex_unlock(&pmu->mutex);
}

static void release_file(struct file *file)
{
	mutex_lock(&opened_mutex);
	end(file->private);
	mutex_unlock(&opened_mutex);
	kfree(file->private);
}

static const struct file_ops pmu_ops = { .ioctl = control, .release = release_file };

/* Begins the service of PMU's CPU. 0, -EBUSY, -ENXIO. opened_mutex held. */
static int begin(struct pmu_file *pmu)
{
	struct steps_call call = { .cpu = &pmu->steps, .result = -ENXIO };

	mutex_assert_held(&opened_mutex);
	if (atomic_load(&leaving[pmu->cpu]))
		return -ENXIO;
	if (opened[pmu->cpu] || pmu_reserve(&service))
		return -EBUSY;
	if (opened_count == 0)
		take_interrupts();
	smp_call(pmu->cpu, begin_there, &call);
	if (call.result) {
		if (opened_count == 0)
			give_interrupts_back();
		pmu_release(&service);
		return call.result;
	}
	opened[pmu->cpu] = pmu;
	opened_count++;
	return 0;
}

int pmu_open(struct inode *inode, struct file *file)
{
	struct pmu_file *pmu;
	unsigned int cpu;
	int error = capable(CAP_SYS_RAWIO) ? node_cpu(inode, &cpu) : -EPERM;

	if (error)
		return error;
	pmu = kzalloc(sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	pmu->cpu = cpu;
	mutex_init(&pmu->mutex);
	mutex_lock(&opened_mutex);
	error = begin(pmu);
	mutex_unlock(&opened_mutex);
	if (error) {
		kfree(pmu);
		return error;
	}
	file->private = pmu;
	file->ops = &pmu_ops;
	return 0;
}

void pmu_cpu_goes_offline(unsigned int cpu)
{
	mutex_lock(&opened_mutex);
	atomic_store(&leaving[cpu], true);
	if (opened[cpu])
		end(opened[cpu]);
	mutex_unlock(&opened_mutex);
}

HOOK_LISTENER(cpu_starts, 3, (void))
{
	atomic_store(&leaving[cpu_id()], false);
}
