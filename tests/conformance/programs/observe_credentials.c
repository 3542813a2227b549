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
	{ "root: setuid", 0, 0, 0, SYS_setuid, USER, 0, 0 },
	{ "root: setuid -1", 0, 0, 0, SYS_setuid, -1, 0, 0 },
	{ "root: setreuid both", 0, 0, 0, SYS_setreuid, USER, ANOTHER, 0 },
	{ "root: setreuid effective", 0, 0, 0, SYS_setreuid, -1, ANOTHER, 0 },
	{ "root: setreuid real", 0, 0, 0, SYS_setreuid, USER, -1, 0 },
	{ "root: setreuid nothing", 0, 0, 0, SYS_setreuid, -1, -1, 0 },
	{ "root: setresuid", 0, 0, 0, SYS_setresuid, USER, ANOTHER, THIRD },
	{ "root: setresuid saved stays", 0, 0, 0, SYS_setresuid, USER, USER, -1 },
	{ "root: setfsuid", 0, 0, 0, SYS_setfsuid, USER, 0, 0 },
	{ "root: setgid", 0, 0, 0, SYS_setgid, USER, 0, 0 },
	{ "root: setregid both", 0, 0, 0, SYS_setregid, USER, ANOTHER, 0 },
	{ "root: setresgid", 0, 0, 0, SYS_setresgid, USER, ANOTHER, THIRD },
	{ "root: setfsgid", 0, 0, 0, SYS_setfsgid, USER, 0, 0 },
	{ "saved root: setuid 0", USER, USER, 0, SYS_setuid, 0, 0, 0 },
	{ "saved root: setuid another", USER, USER, 0, SYS_setuid, ANOTHER, 0, 0 },
	{ "saved root: setreuid effective 0", USER, USER, 0, SYS_setreuid, -1, 0, 0 },
	{ "saved root: setreuid real 0", USER, USER, 0, SYS_setreuid, 0, -1, 0 },
	{ "saved root: setresuid saved away", USER, USER, 0, SYS_setresuid, -1, -1, USER },
	{ "saved root: setfsuid 0", USER, USER, 0, SYS_setfsuid, 0, 0, 0 },
	{ "a user: setuid same", USER, USER, USER, SYS_setuid, USER, 0, 0 },
	{ "a user: setuid 0", USER, USER, USER, SYS_setuid, 0, 0, 0 },
	{ "a user: setreuid 0", USER, USER, USER, SYS_setreuid, 0, 0, 0 },
	{ "a user: setresuid 0", USER, USER, USER, SYS_setresuid, -1, 0, -1 },
	{ "a user: setfsuid 0", USER, USER, USER, SYS_setfsuid, 0, 0, 0 },
	{ "a user: setgid 0", USER, USER, USER, SYS_setgid, 0, 0, 0 },
	{ "a user: setgid another", USER, USER, USER, SYS_setgid, ANOTHER, 0, 0 },
	{ "three users: setreuid swaps", USER, ANOTHER, THIRD, SYS_setreuid, ANOTHER, USER, 0 },
	{ "three users: setreuid real saved", USER, ANOTHER, THIRD, SYS_setreuid, THIRD, -1, 0 },
	{ "three users: setreuid effective real", USER, ANOTHER, THIRD, SYS_setreuid, -1, USER, 0 },
	{ "three users: setuid saved", USER, ANOTHER, THIRD, SYS_setuid, THIRD, 0, 0 },
	{ "three users: setuid effective", USER, ANOTHER, THIRD, SYS_setuid, ANOTHER, 0, 0 },
	{ "three users: setresuid rotates", USER, ANOTHER, THIRD, SYS_setresuid, THIRD, USER,
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
	SEE(setuid(USER));
	show(outcome_value(syscall(SYS_setgroups, 0, NULL)), "setgroups by a user");
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

static void signal_as_user(void)
{
	if (setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
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
	if (setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
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
	if (setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
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
	in_child(signal_as_user);
	in_child(signal_from_new_session);
	end_target();
	target = start_target(USER, USER, ANOTHER);
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
