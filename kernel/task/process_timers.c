/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timers of a process: setitimer, alarm, timer_create and their kin.
 *
 * A timer that expires sends its signal. At the delivery of the signal the timer is armed again
 * (interval.c), and the signal gets the overrun: the expiries missed meanwhile. A signal that was still
 * pending when the timer was set again gets none: its generation is past.
 *
 * Each timer of timer_create counts, with its signal, against RLIMIT_SIGPENDING of the user that created
 * it.
 *
 * Locks: timers->mutex for the set of timers; inside it the locks of interval.c and signals. The structure
 * around an interval identifies an expired timer.
 */
#include <kernel/task/process_timers.h>

#include <stdatomic.h>
#include <stddef.h>
#include <sys/queue.h>

#include <kernel/base/hooks.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/clock.h>
#include <kernel/task/credentials.h>
#include <kernel/task/interval.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>

/* The greatest result of timer_getoverrun: DELAYTIMER_MAX inside Linux. */
#define OVERRUN_MAX INT32_MAX

enum { ITIMER_COUNT = 3 };

/* A timer of setitimer. */
struct itimer {
	struct interval interval;
	struct process *process;
	int which; /* ITIMER_* */
	int signal;
};

/* A timer of timer_create. */
struct posix_timer {
	LIST_ENTRY(posix_timer) link; /* M */
	struct interval interval;
	struct clock clock;
	struct user_account *account; /* charged, referenced */
	struct task *task; /* referenced: the leader of the timer's process, or SIGEV_THREAD_ID's */
	int id;
	int notify; /* SIGEV_* */
	int signal;
	uint64_t value;
	_Atomic uint32_t generation; /* number of settings */
	_Atomic uint64_t overrun;    /* of the signal delivered last */
};

struct process_timers {
	struct mutex mutex;
	struct itimer itimers[ITIMER_COUNT];
	LIST_HEAD(, posix_timer) posix; /* M */
	int next_id;			/* M */
};					/* M: mutex */

/* --- the set of timers --- */

static void itimer_expired(struct interval *interval)
{
	struct itimer *timer = __containerof(interval, struct itimer, interval);
	const struct kernel_siginfo info = { .si_signo = timer->signal, .si_code = SI_KERNEL };
	bool real = interval->clock == INTERVAL_WALL;

	hook_itimer_expired(timer->which, timer->process->pid, real ? 0 : interval_now(interval));
	signal_send_process(timer->process, &info);
	/* A timer of CPU time does not wait for the delivery of its signal: see process_timers_delivered. */
	if (timer->interval.clock != INTERVAL_WALL)
		interval_restart(interval);
}

/* Returns the current process's timers, made if there are none; NULL: no memory. */
static struct process_timers *own_timers(void)
{
	static const struct {
		enum interval_clock clock;
		int signal;
	} kinds[ITIMER_COUNT] = {
		[ITIMER_REAL] = { INTERVAL_WALL, SIGALRM },
		[ITIMER_VIRTUAL] = { INTERVAL_PROCESS_USER, SIGVTALRM },
		[ITIMER_PROF] = { INTERVAL_PROCESS, SIGPROF },
	};
	struct process *process = task_current()->process;
	struct process_timers *timers = process->timers, *none = NULL;

	if (timers)
		return timers;
	timers = kzalloc(sizeof(*timers));
	if (!timers)
		return NULL;
	mutex_init(&timers->mutex);
	LIST_INIT(&timers->posix);
	for (int i = 0; i < ITIMER_COUNT; i++) {
		timers->itimers[i].process = process;
		timers->itimers[i].signal = kinds[i].signal;
		timers->itimers[i].which = i;
		interval_init(&timers->itimers[i].interval, kinds[i].clock, process->leader,
			      itimer_expired);
	}
	/* Another thread may have been faster. */
	if (!atomic_compare_exchange_strong(&process->timers, &none, timers)) {
		kfree(timers);
		return none;
	}
	return timers;
}

/* Ends and frees TIMER, which is in no list any more. */
static void free_posix_timer(struct posix_timer *timer)
{
	interval_end(&timer->interval);
	clock_put(&timer->clock);
	signal_timer_ended(timer->task, timer->id, timer->account);
	task_put(timer->task);
	kfree(timer);
}

static void end_posix_timers(struct process_timers *timers)
{
	struct posix_timer *timer;

	mutex_lock(&timers->mutex);
	while ((timer = LIST_FIRST(&timers->posix))) {
		LIST_REMOVE(timer, link);
		free_posix_timer(timer);
	}
	mutex_unlock(&timers->mutex);
}

void process_timers_exec(struct process *process)
{
	if (process->timers)
		end_posix_timers(process->timers);
}

void process_timers_end(struct process *process)
{
	struct process_timers *timers = process->timers;

	if (!timers)
		return;
	end_posix_timers(timers);
	for (int i = 0; i < ITIMER_COUNT; i++)
		interval_end(&timers->itimers[i].interval);
	process->timers = NULL;
	kfree(timers);
}

static struct posix_timer *find(struct process_timers *timers, int id)
{
	struct posix_timer *timer;

	LIST_FOREACH(timer, &timers->posix, link)
		if (timer->id == id)
			return timer;
	return NULL;
}

void process_timers_delivered(struct kernel_siginfo *info)
{
	struct process_timers *timers = task_current()->process->timers;

	if (!timers)
		return;
	if (info->si_signo == SIGALRM && info->si_code == SI_KERNEL)
		interval_restart(&timers->itimers[ITIMER_REAL].interval);
	if (info->si_code != SI_TIMER)
		return;
	mutex_lock(&timers->mutex);
	struct posix_timer *timer = find(timers, info->si_timerid);

	if (timer && timer->generation == (uint32_t)info->padding) {
		timer->overrun = interval_restart(&timer->interval);
		if (timer->overrun > OVERRUN_MAX)
			timer->overrun = OVERRUN_MAX;
		if (__builtin_add_overflow(info->si_overrun, (int32_t)timer->overrun,
					   &info->si_overrun))
			info->si_overrun = OVERRUN_MAX;
	}
	mutex_unlock(&timers->mutex);
	info->padding = 0;
}

/* --- setitimer, getitimer, alarm --- */

static uint64_t timeval_to_ns(const struct kernel_timeval *time)
{
	const struct kernel_timespec spec = { time->tv_sec, time->tv_usec * 1000 };

	return timespec_to_ns(&spec);
}

static struct kernel_timeval timeval_from_ns(uint64_t ns)
{
	return (struct kernel_timeval){ (int64_t)(ns / NSEC_PER_SEC),
					(int64_t)(ns % NSEC_PER_SEC / 1000) };
}

static bool timeval_is_valid(const struct kernel_timeval *time)
{
	return time->tv_sec >= 0 && time->tv_usec >= 0 && time->tv_usec < 1000000;
}

/* Returns the time LEFT_NS from now on the clock of INTERVAL; 0: never. */
static uint64_t ends_of(const struct interval *interval, uint64_t left_ns)
{
	uint64_t now = interval_now(interval);

	if (!left_ns)
		return 0;
	return left_ns < UINT64_MAX - now ? now + left_ns : UINT64_MAX;
}

/* M held. */
static void set_itimer(struct itimer *timer, uint64_t value_ns, uint64_t interval_ns)
{
	uint64_t expires_ns = ends_of(&timer->interval, value_ns);

	hook_itimer_set(timer->which, timer->which == ITIMER_REAL ? 0 : expires_ns, value_ns,
			interval_ns);
	interval_set(&timer->interval, expires_ns, interval_ns);
}

static void get_itimer(struct itimer *timer, struct kernel_itimerval *value)
{
	uint64_t left, interval;

	interval_get(&timer->interval, &left, &interval);
	/* The time left of a set timer is never reported as 0. */
	if (left && left < 1000)
		left = 1000;
	*value = (struct kernel_itimerval){ timeval_from_ns(interval), timeval_from_ns(left) };
}

int itimer_get(unsigned int which, struct kernel_itimerval *value)
{
	struct process_timers *timers = task_current()->process->timers;

	if (which >= ITIMER_COUNT)
		return -EINVAL;
	*value = (struct kernel_itimerval){ 0 };
	if (timers)
		get_itimer(&timers->itimers[which], value);
	return 0;
}

long sys_getitimer(const unsigned long arg[6])
{
	struct kernel_itimerval value;
	int error = itimer_get((unsigned int)arg[0], &value);

	return error ? error : copy_to_user((void *)arg[1], &value, sizeof(value));
}

int itimer_set(unsigned int which, const struct kernel_itimerval *new, struct kernel_itimerval *old)
{
	if (!timeval_is_valid(&new->it_value) || !timeval_is_valid(&new->it_interval))
		return -EINVAL;
	if (which >= ITIMER_COUNT)
		return -EINVAL;
	struct process_timers *timers = own_timers();

	if (!timers)
		return -ENOMEM;
	struct itimer *timer = &timers->itimers[which];

	mutex_lock(&timers->mutex);
	get_itimer(timer, old);
	set_itimer(timer, timeval_to_ns(&new->it_value), timeval_to_ns(&new->it_interval));
	mutex_unlock(&timers->mutex);
	return 0;
}

long sys_setitimer(const unsigned long arg[6])
{
	struct kernel_itimerval value = { 0 }, old;

	/* As in old Linux, NULL counts as zeros. */
	if (arg[1] && copy_from_user(&value, (const void *)arg[1], sizeof(value)))
		return -EFAULT;
	int error = itimer_set((unsigned int)arg[0], &value, &old);

	if (error || !arg[2])
		return error;
	return copy_to_user((void *)arg[2], &old, sizeof(old));
}

long sys_alarm(const unsigned long arg[6])
{
	uint64_t seconds = (uint32_t)arg[0];
	struct kernel_itimerval old;

	if (seconds > INT32_MAX)
		seconds = INT32_MAX;
	struct process_timers *timers = own_timers();

	if (!timers)
		return -ENOMEM;
	struct itimer *timer = &timers->itimers[ITIMER_REAL];

	mutex_lock(&timers->mutex);
	get_itimer(timer, &old);
	set_itimer(timer, seconds * NSEC_PER_SEC, 0);
	mutex_unlock(&timers->mutex);
	/* Rounded, but never to 0. */
	bool up = old.it_value.tv_usec >= 500000 ||
		  (old.it_value.tv_sec == 0 && old.it_value.tv_usec);

	return old.it_value.tv_sec + up;
}

/* --- timer_create and its kin --- */

static void posix_expired(struct interval *interval)
{
	struct posix_timer *timer = __containerof(interval, struct posix_timer, interval);
	struct kernel_siginfo info = { .si_signo = timer->signal, .si_code = SI_TIMER };

	info.si_timerid = timer->id;
	info.si_timer_value = timer->value;
	info.padding = (int32_t)timer->generation;
	/* Without a receiver, do not wait for a delivery. */
	if (timer->notify == SIGEV_NONE || !signal_is_noticed(timer->task, timer->signal)) {
		interval_restart_later(interval);
		return;
	}
	int error = timer->notify == SIGEV_THREAD_ID ?
			    signal_send(timer->task, &info) :
			    signal_send_process(timer->task->process, &info);

	if (error)
		interval_restart_later(interval);
}

/* Returns the task that a timer with EVENT notifies, with a reference, or NULL: EVENT is invalid. */
static struct task *find_target(const struct kernel_sigevent *event)
{
	struct task *self = task_current(), *task = self->process->leader;
	int notify = event->sigev_notify;

	if (notify != SIGEV_NONE && (event->sigev_signo < 1 || event->sigev_signo > SIGNALS_MAX))
		return NULL;
	switch (notify) {
	case SIGEV_NONE:
	case SIGEV_SIGNAL:
	case SIGEV_THREAD:
		task_get(task);
		return task;
	case SIGEV_THREAD_ID:
		task = task_find(event->sigev_notify_thread_id);
		if (task && task->process != self->process) {
			task_put(task);
			task = NULL;
		}
		return task;
	default:
		return NULL;
	}
}

static enum interval_clock interval_clock_of(const struct clock *clock)
{
	if (clock->origin == ORIGIN_PROCESS)
		return clock->user_only ? INTERVAL_PROCESS_USER : INTERVAL_PROCESS;
	if (clock->origin == ORIGIN_THREAD)
		return clock->user_only ? INTERVAL_THREAD_USER : INTERVAL_THREAD;
	return INTERVAL_WALL;
}

static struct posix_timer *make_posix_timer(const struct clock *clock, struct task *target,
					    const struct kernel_sigevent *event)
{
	struct task *self = task_current();
	struct user_account *account = signal_charge(self);
	struct posix_timer *timer = account ? kzalloc(sizeof(*timer)) : NULL;

	if (!timer) {
		if (account)
			signal_uncharge(account);
		return NULL;
	}
	timer->account = account;
	timer->clock = *clock;
	/* The timer keeps the task of its clock. */
	if (!clock->task && interval_clock_of(clock) != INTERVAL_WALL) {
		timer->clock.task = clock->origin == ORIGIN_THREAD ? self : self->process->leader;
		task_get(timer->clock.task);
	}
	timer->task = target;
	timer->notify = event->sigev_notify;
	timer->signal = event->sigev_signo;
	timer->value = event->sigev_value;
	interval_init(&timer->interval, interval_clock_of(clock), timer->clock.task, posix_expired);
	return timer;
}

/* Gives TIMER an id and adds it. */
static void add_posix_timer(struct process_timers *timers, struct posix_timer *timer,
			    bool value_is_id)
{
	mutex_lock(&timers->mutex);
	do {
		timer->id = timers->next_id;
		timers->next_id = timers->next_id == INT32_MAX ? 0 : timers->next_id + 1;
	} while (find(timers, timer->id));
	if (value_is_id)
		timer->value = (uint32_t)timer->id;
	LIST_INSERT_HEAD(&timers->posix, timer, link);
	mutex_unlock(&timers->mutex);
}

long sys_timer_create(const unsigned long arg[6])
{
	struct kernel_sigevent event = { .sigev_signo = SIGALRM, .sigev_notify = SIGEV_SIGNAL };
	struct process_timers *timers = own_timers();
	struct clock clock;

	if (!timers)
		return -ENOMEM;
	if (arg[1] && copy_from_user(&event, (const void *)arg[1], sizeof(event)))
		return -EFAULT;
	if (clock_find((int)arg[0], &clock))
		return -EINVAL;
	int error = clock_check_alarm((int)arg[0]);

	if (error)
		return error;
	struct task *target = clock.can_time ? find_target(&event) : NULL;
	struct posix_timer *timer = target ? make_posix_timer(&clock, target, &event) : NULL;

	if (!timer) {
		if (target)
			task_put(target);
		clock_put(&clock);
		return !clock.can_time ? -EOPNOTSUPP : !target ? -EINVAL : -EAGAIN;
	}
	add_posix_timer(timers, timer, !arg[1]);
	int id = timer->id;

	if (copy_to_user((void *)arg[2], &id, sizeof(id)) == 0)
		return 0;
	/* The id did not reach the program: nothing can have used it. */
	mutex_lock(&timers->mutex);
	timer = find(timers, id);
	if (timer)
		LIST_REMOVE(timer, link);
	mutex_unlock(&timers->mutex);
	if (timer)
		free_posix_timer(timer);
	return -EFAULT;
}

/* Returns timer ID of the current process with its list locked, or NULL with nothing locked. */
static struct posix_timer *lock_timer(unsigned long id, struct process_timers **timers)
{
	*timers = task_current()->process->timers;
	if (!*timers)
		return NULL;
	mutex_lock(&(*timers)->mutex);
	struct posix_timer *timer = find(*timers, (int)id);

	if (!timer)
		mutex_unlock(&(*timers)->mutex);
	return timer;
}

static void get_setting(struct posix_timer *timer, struct kernel_itimerspec *setting)
{
	uint64_t left, interval;

	interval_get(&timer->interval, &left, &interval);
	*setting = (struct kernel_itimerspec){ timespec_from_ns(interval), timespec_from_ns(left) };
}

long sys_timer_gettime(const unsigned long arg[6])
{
	struct kernel_itimerspec setting;
	struct process_timers *timers;
	struct posix_timer *timer = lock_timer(arg[0], &timers);

	if (!timer)
		return -EINVAL;
	get_setting(timer, &setting);
	mutex_unlock(&timers->mutex);
	return copy_to_user((void *)arg[1], &setting, sizeof(setting));
}

/* Sets TIMER for timer_settime. M held. */
static void set_timer(struct posix_timer *timer, const struct kernel_itimerspec *new, bool absolute)
{
	uint64_t value_ns = timespec_to_ns(&new->it_value);
	/* A timer that is not set has no interval. */
	uint64_t interval_ns = value_ns ? timespec_to_ns(&new->it_interval) : 0;
	enum interval_clock clock = interval_clock_of(&timer->clock);

	timer->generation++;
	timer->overrun = 0;
	if (clock == INTERVAL_WALL && absolute && timer->clock.origin == ORIGIN_EPOCH)
		clock = INTERVAL_REAL;
	if (clock == INTERVAL_WALL || clock == INTERVAL_REAL)
		interval_set_on(&timer->interval, clock,
				absolute || !value_ns ? value_ns : clock_deadline(value_ns),
				interval_ns);
	else
		interval_set(&timer->interval,
			     absolute ? value_ns : ends_of(&timer->interval, value_ns),
			     interval_ns);
}

long sys_timer_settime(const unsigned long arg[6])
{
	struct kernel_itimerspec new, old;
	struct process_timers *timers;

	if (!arg[2])
		return -EINVAL;
	if (copy_from_user(&new, (const void *)arg[2], sizeof(new)))
		return -EFAULT;
	if (!timespec_is_valid(&new.it_value) || !timespec_is_valid(&new.it_interval))
		return -EINVAL;
	struct posix_timer *timer = lock_timer(arg[0], &timers);

	if (!timer)
		return -EINVAL;
	get_setting(timer, &old);
	set_timer(timer, &new, arg[1] & TIMER_ABSTIME);
	mutex_unlock(&timers->mutex);
	return arg[3] ? copy_to_user((void *)arg[3], &old, sizeof(old)) : 0;
}

long sys_timer_getoverrun(const unsigned long arg[6])
{
	struct process_timers *timers;
	struct posix_timer *timer = lock_timer(arg[0], &timers);

	if (!timer)
		return -EINVAL;
	long overrun = (long)timer->overrun;

	mutex_unlock(&timers->mutex);
	return overrun;
}

long sys_timer_delete(const unsigned long arg[6])
{
	struct process_timers *timers;
	struct posix_timer *timer = lock_timer(arg[0], &timers);

	if (!timer)
		return -EINVAL;
	LIST_REMOVE(timer, link);
	mutex_unlock(&timers->mutex);
	free_posix_timer(timer);
	return 0;
}
