// SPDX-License-Identifier: BSD-2-Clause
/*
 * Users and groups of a process: which changes are permitted, and which processes it may signal.
 */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "credentials.h"
#include "child.h"

/* One call that changes users or groups, made by a process with users REAL, EFFECTIVE, SAVED. */
struct change {
	const char *name;
	uid_t real, effective, saved;
	long number;
	long a, b, c;
};

static const struct change changes[] = {
	{ "root: setuid", 0, 0, 0, SYS_setuid, SOMEBODY, 0, 0 },
	{ "root: setuid -1", 0, 0, 0, SYS_setuid, -1, 0, 0 },
	{ "root: setreuid both", 0, 0, 0, SYS_setreuid, SOMEBODY, ANOTHER, 0 },
	{ "root: setreuid effective", 0, 0, 0, SYS_setreuid, -1, ANOTHER, 0 },
	{ "root: setreuid real", 0, 0, 0, SYS_setreuid, SOMEBODY, -1, 0 },
	{ "root: setreuid nothing", 0, 0, 0, SYS_setreuid, -1, -1, 0 },
	{ "root: setresuid", 0, 0, 0, SYS_setresuid, SOMEBODY, ANOTHER, THIRD },
	{ "root: setresuid saved stays", 0, 0, 0, SYS_setresuid, SOMEBODY, SOMEBODY, -1 },
	{ "root: setfsuid", 0, 0, 0, SYS_setfsuid, SOMEBODY, 0, 0 },
	{ "root: setgid", 0, 0, 0, SYS_setgid, SOMEBODY, 0, 0 },
	{ "root: setregid both", 0, 0, 0, SYS_setregid, SOMEBODY, ANOTHER, 0 },
	{ "root: setresgid", 0, 0, 0, SYS_setresgid, SOMEBODY, ANOTHER, THIRD },
	{ "root: setfsgid", 0, 0, 0, SYS_setfsgid, SOMEBODY, 0, 0 },
	{ "saved root: setuid 0", SOMEBODY, SOMEBODY, 0, SYS_setuid, 0, 0, 0 },
	{ "saved root: setuid another", SOMEBODY, SOMEBODY, 0, SYS_setuid, ANOTHER, 0, 0 },
	{ "saved root: setreuid effective 0", SOMEBODY, SOMEBODY, 0, SYS_setreuid, -1, 0, 0 },
	{ "saved root: setreuid real 0", SOMEBODY, SOMEBODY, 0, SYS_setreuid, 0, -1, 0 },
	{ "saved root: setresuid saved away", SOMEBODY, SOMEBODY, 0, SYS_setresuid, -1, -1,
	  SOMEBODY },
	{ "saved root: setfsuid 0", SOMEBODY, SOMEBODY, 0, SYS_setfsuid, 0, 0, 0 },
	{ "nobody: setuid same", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setuid, SOMEBODY, 0, 0 },
	{ "nobody: setuid 0", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setuid, 0, 0, 0 },
	{ "nobody: setreuid 0", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setreuid, 0, 0, 0 },
	{ "nobody: setresuid 0", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setresuid, -1, 0, -1 },
	{ "nobody: setfsuid 0", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setfsuid, 0, 0, 0 },
	{ "nobody: setgid 0", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setgid, 0, 0, 0 },
	{ "nobody: setgid another", SOMEBODY, SOMEBODY, SOMEBODY, SYS_setgid, ANOTHER, 0, 0 },
	{ "three users: setreuid swaps", SOMEBODY, ANOTHER, THIRD, SYS_setreuid, ANOTHER, SOMEBODY,
	  0 },
	{ "three users: setreuid real saved", SOMEBODY, ANOTHER, THIRD, SYS_setreuid, THIRD, -1,
	  0 },
	{ "three users: setreuid effective real", SOMEBODY, ANOTHER, THIRD, SYS_setreuid, -1,
	  SOMEBODY, 0 },
	{ "three users: setuid saved", SOMEBODY, ANOTHER, THIRD, SYS_setuid, THIRD, 0, 0 },
	{ "three users: setuid effective", SOMEBODY, ANOTHER, THIRD, SYS_setuid, ANOTHER, 0, 0 },
	{ "three users: setresuid turns", SOMEBODY, ANOTHER, THIRD, SYS_setresuid, THIRD, SOMEBODY,
	  ANOTHER },
};

static const struct change *change;

static void try_change(void)
{
	if (setresuid(change->real, change->effective, change->saved) < 0)
		show(error_name(errno), "%s: beginning", change->name);
	long result = syscall(change->number, change->a, change->b, change->c);

	show(outcome_value(result), "%s", change->name);
	show(identity(), "%s: then", change->name);
}

static void change_users(void)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		change = &changes[i];
		in_child(try_change);
	}
}

/* --- supplementary groups --- */

static void change_groups(void)
{
	gid_t groups[4] = { 30, 10, 20, 10 }, found[8] = { 0 }, bad[2] = { 5, (gid_t)-1 };
	char text[64];

	SEE(getgroups(0, NULL));
	SEE(syscall(SYS_setgroups, 4, groups));
	SEE(syscall(SYS_getgroups, 0, NULL));
	SEE(syscall(SYS_getgroups, 3, found));
	SEE(syscall(SYS_getgroups, -1, found));
	SEE(syscall(SYS_getgroups, 8, 1L));
	SEE(syscall(SYS_getgroups, 8, found));
	snprintf(text, sizeof(text), "%u %u %u %u", found[0], found[1], found[2], found[3]);
	show(text, "the groups are sorted");
	SEE(syscall(SYS_setgroups, 65537, groups));
	SEE(syscall(SYS_setgroups, -1, groups));
	SEE(syscall(SYS_setgroups, 2, 1L));
	SEE(syscall(SYS_setgroups, 2, bad));
	SEE(syscall(SYS_setgroups, 0, 1L));
	SEE(syscall(SYS_getgroups, 8, 1L) + 100);
	SEE(setuid(SOMEBODY));
	show(outcome_value(syscall(SYS_setgroups, 0, NULL)), "setgroups by somebody");
	SEE(syscall(SYS_getresuid, 1L, found, found));
	SEE(syscall(SYS_getresgid, found, found, 1L));
}

/* --- other processes --- */

static pid_t target;

/* A child with users R E S that waits. */
static pid_t start_target(uid_t real, uid_t effective, uid_t saved)
{
	int ready[2];
	char byte;

	fflush(stdout);
	if (pipe(ready) < 0)
		return -1;
	pid_t child = fork();

	if (child == 0) {
		if (setresuid(real, effective, saved) == 0 && write(ready[1], "", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	if (read(ready[0], &byte, 1) != 1)
		show("dead", "a target");
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void end_target(void)
{
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
}

static void signal_as_somebody(void)
{
	if (setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
		show(error_name(errno), "becoming somebody");
	SEE(kill(target, 0));
	SEE(kill(target, SIGWINCH));
	SEE(kill(target, SIGCONT));
	SEE(syscall(SYS_tkill, target, 0));
	SEE(syscall(SYS_tgkill, target, target, SIGWINCH));
	SEE(kill(1, SIGWINCH));
	SEE(kill(-1, 0));
	SEE(getpriority(PRIO_PROCESS, target));
	union attr event;

	attr_dummy(&event);
	event.fields.exclude_kernel = 1;
	show(outcome(open_event(&event, target, -1, -1, 0)), "events of root's process");
	show(outcome(open_event(&event, 0, -1, -1, 0)), "events of one's own");
	SEE(setpriority(PRIO_PROCESS, target, 5));
	SEE(setpriority(PRIO_PROCESS, 0, 5));
	SEE(setpriority(PRIO_PROCESS, 0, 4));
	SEE(sched_getscheduler(target));
}

static void signal_from_new_session(void)
{
	setsid();
	if (setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
		show(error_name(errno), "becoming somebody");
	show(outcome_value(kill(target, SIGCONT)), "SIGCONT from another session");
}

static void signal_saved(void)
{
	if (setresuid(ANOTHER, ANOTHER, ANOTHER))
		show(error_name(errno), "becoming another");
	show(outcome_value(kill(target, 0)), "signal to one who has been one before");
	union attr event;

	attr_dummy(&event);
	event.fields.exclude_kernel = 1;
	show(outcome(open_event(&event, target, -1, -1, 0)),
	     "events of one who has been one before");
	show(outcome_value(setpriority(PRIO_PROCESS, target, 5)),
	     "setpriority of one who has been one before");
}

static void see_equals(void)
{
	if (setresuid(SOMEBODY, SOMEBODY, SOMEBODY))
		show(error_name(errno), "becoming somebody");
	prctl(PR_SET_DUMPABLE, 1);
	fflush(stdout);
	target = fork();
	if (target == 0) {
		union attr event;
		pid_t parent = getppid();

		attr_dummy(&event);
		event.fields.exclude_kernel = 1;
		show(outcome(open_event(&event, parent, -1, -1, 0)), "events of an equal");
		show(outcome(kill(parent, 0)), "signal to an equal");
		fflush(stdout);
		_exit(0);
	}
	waitpid(target, NULL, 0);
	prctl(PR_SET_DUMPABLE, 0);
	fflush(stdout);
	target = fork();
	if (target == 0) {
		union attr event;

		attr_dummy(&event);
		event.fields.exclude_kernel = 1;
		show(outcome(open_event(&event, getppid(), -1, -1, 0)),
		     "events of an equal that is not to be looked into");
		fflush(stdout);
		_exit(0);
	}
	waitpid(target, NULL, 0);
}

static void see_others(void)
{
	in_child(see_equals);

	target = start_target(0, 0, 0);
	in_child(signal_as_somebody);
	in_child(signal_from_new_session);
	end_target();
	target = start_target(SOMEBODY, SOMEBODY, ANOTHER);
	in_child(signal_saved);
	end_target();
}

int main(void)
{
	mkdir("/tmp", 01777);
	change_users();
	in_child(change_groups);
	see_others();
	return 0;
}
