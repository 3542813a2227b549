// SPDX-License-Identifier: BSD-2-Clause
/*
 * signal.c - POSIX's signal functions over Linux's rt_ calls.
 *
 * The kernel's struct sigaction has another order than POSIX's, and the kernel wants the address that a
 * handler returns to: in the structure with SA_RESTORER, or, where the ISA has no such flag, as an
 * argument more. The rest differs by the size of the set, which the kernel asks for. raise() is
 * newlib's own, over kill().
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct kernel_sigaction new_action, old_action;
	void (*leave)(void) = __signal_return;

	if (action != NULL) {
		if (!(action->sa_flags & SA_SIGINFO))
			leave = __signal_return_plain;
		new_action.handler = (uintptr_t)action->sa_sigaction;
		new_action.flags = (unsigned int)action->sa_flags | SA_KNOWN_ISA;
		new_action.restorer = (uintptr_t)leave;
		new_action.mask = action->sa_mask;
	}
	if (syscall(__NR_rt_sigaction, number, action != NULL ? &new_action : NULL,
		    old != NULL ? &old_action : NULL, sizeof(sigset_t), leave) != 0)
		return -1;
	if (old != NULL) {
		old->sa_sigaction =
			(void (*)(int, siginfo_t *, void *))(uintptr_t)old_action.handler;
		old->sa_flags = (int)(old_action.flags & ~SA_KNOWN_ISA);
		old->sa_mask = old_action.mask;
	}
	return 0;
}

_sig_func_ptr signal(int number, _sig_func_ptr handler)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	struct sigaction old;

	return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

int killpg(pid_t group, int number)
{
	return kill(-group, number);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)syscall(__NR_rt_sigprocmask, how, set, old, sizeof(sigset_t));
}

int sigpending(sigset_t *set)
{
	return (int)syscall(__NR_rt_sigpending, set, sizeof(sigset_t));
}

int sigsuspend(const sigset_t *mask)
{
	return (int)syscall(__NR_rt_sigsuspend, mask, sizeof(sigset_t));
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return (int)syscall(__NR_rt_sigtimedwait, set, info, timeout, sizeof(sigset_t));
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return sigtimedwait(set, info, NULL);
}
