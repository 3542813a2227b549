// SPDX-License-Identifier: BSD-2-Clause
/*
 * Root's part while workers run: it changes settings, as an administrator may, switches the trace and its events,
 * and gives up privileges in random order, which must never come back.
 *
 * Settings stay within the machine's limits: interrupts do not get all of a CPU's time, and the right to
 * see the kernel's addresses is decided once for each seed (fuzz_shared->paranoid), so that leak.c
 * knows.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

/* --- settings --- */

static const struct {
	const char *path, *values[3]; /* the first is the initial one */
} settings[] = {
	{ "/proc/sys/kernel/perf_event_max_sample_rate", { "100000", "1", "5000" } },
	{ "/proc/sys/kernel/perf_cpu_time_max_percent", { "25", "50", "10" } },
	{ "/proc/sys/kernel/perf_event_max_stack", { "127", "1", "60" } },
	{ "/proc/sys/kernel/perf_event_mlock_kb", { "516", "4", "516" } },
	{ "/sys/bus/event_source/devices/cpu/rdpmc", { "1", "0", "2" } },
	{ TRACING "tracing_on", { "1", "0", "1" } },
	{ TRACING "events/sched/enable", { "0", "1", "0" } },
	{ TRACING "events/signal/enable", { "0", "1", "1" } },
	{ TRACING "events/raw_syscalls/enable", { "0", "1", "0" } },
	{ TRACING "events/sched/sched_switch/filter", { "0", "prev_pid > 3", "((" } },
	{ TRACING "events/signal/filter", { "0", "sig == 9 || pid < 40", "comm ~ \"f*\"" } },
	{ TRACING "set_event_pid", { "", "1 2 3 40", "7" } },
	{ TRACING "trace_clock", { "local", "mono", "global" } },
	{ TRACING "buffer_size_kb", { "8", "64", "12" } },
	{ TRACING "trace", { "", "", "" } },
};

static void set(size_t which, unsigned int value)
{
	tree_write_text(settings[which].path, settings[which].values[value]);
}

static void set_paranoid(int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	tree_write_text("/proc/sys/kernel/perf_event_paranoid", text);
}

void fuzz_reset_settings(void)
{
	for (size_t i = 0; i < COUNT(settings); i++)
		set(i, 0);
	set_paranoid(2);
	fuzz_reset_cpus();
}

static void change_setting(struct random *random)
{
	if (random_once_in(random, 8)) {
		set_paranoid(fuzz_shared->paranoid + (int)random_below(random, 2));
		return;
	}
	set(random_below(random, COUNT(settings)), random_below(random, 3));
}

static void read_trace(struct random *random)
{
	static const char *const files[] = { TRACING "trace",
					     TRACING "trace_pipe",
					     TRACING "per_cpu/cpu0/trace",
					     TRACING "per_cpu/cpu1/trace_pipe_raw",
					     TRACING "set_event",
					     TRACING "per_cpu/cpu0/stats" };
	char text[4096];
	int fd = open(files[random_below(random, COUNT(files))], O_RDONLY | O_NONBLOCK);

	for (unsigned int i = 0; fd >= 0 && i < 4; i++) {
		memset(text, 0, sizeof(text));
		ssize_t got = read(fd, text, sizeof(text));

		if (got > 0)
			leak_check_text(text, (size_t)got & ~7UL, "a file of the trace");
	}
	if (fd >= 0)
		close(fd);
}

/* --- privileges --- */

enum { REAL, EFFECTIVE, SAVED };

struct privileges {
	uid_t uids[3];
	gid_t gids[3];
	uint64_t permitted, effective, inheritable;
	bool no_new_privs;
	int groups;
	gid_t group[8];
};

static struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };

static void look(struct privileges *now)
{
	struct __user_cap_data_struct data[2] = { 0 };

	memset(now, 0, sizeof(*now));
	getresuid(&now->uids[REAL], &now->uids[EFFECTIVE], &now->uids[SAVED]);
	getresgid(&now->gids[REAL], &now->gids[EFFECTIVE], &now->gids[SAVED]);
	syscall(SYS_capget, &header, data);
	now->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	now->effective = data[0].effective | (uint64_t)data[1].effective << 32;
	now->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
	now->no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
	now->groups = getgroups(8, now->group);
}

static bool has(const struct privileges *privileges, int capability)
{
	return privileges->effective >> capability & 1;
}

static bool among(const uid_t *ids, uid_t id)
{
	return id == ids[0] || id == ids[1] || id == ids[2];
}

/* Rules after any call but execve. */
static void compare(const struct privileges *before, const struct privileges *after,
		    const char *call)
{
	if (after->permitted & ~before->permitted)
		fuzz_finding("%s: permitted capabilities %llx came back", call,
			     (unsigned long long)(after->permitted & ~before->permitted));
	if (after->effective & ~after->permitted)
		fuzz_finding("%s: capabilities %llx are effective and not permitted", call,
			     (unsigned long long)(after->effective & ~after->permitted));
	for (int i = 0; i < 3; i++) {
		if (!has(before, CAP_SETUID) && !among(before->uids, after->uids[i]))
			fuzz_finding("%s: uid %u came without CAP_SETUID", call, after->uids[i]);
		if (!has(before, CAP_SETGID) && !among(before->gids, after->gids[i]))
			fuzz_finding("%s: gid %u came without CAP_SETGID", call, after->gids[i]);
	}
	if (!has(before, CAP_SETGID) &&
	    (before->groups != after->groups ||
	     memcmp(before->group, after->group, sizeof(before->group)) != 0))
		fuzz_finding("%s: groups changed without CAP_SETGID", call);
	if (before->no_new_privs && !after->no_new_privs)
		fuzz_finding("%s: no_new_privs went away", call);
}

static uid_t any_id(struct random *random)
{
	static const uid_t ids[] = { 0, 0, WORKER_UID, OTHER_UID, (uid_t)-1, 65534 };

	return ids[random_below(random, COUNT(ids))];
}

static const char *change_privileges(struct random *random)
{
	struct __user_cap_data_struct data[2] = { 0 };
	gid_t groups[4] = { 1, 2, WORKER_UID, 0 };

	switch (random_below(random, 12)) {
	case 0:
		return syscall(SYS_setuid, any_id(random)), "setuid";
	case 1:
		return syscall(SYS_setresuid, any_id(random), any_id(random), any_id(random)),
		       "setresuid";
	case 2:
		return syscall(SYS_setreuid, any_id(random), any_id(random)), "setreuid";
	case 3:
		return syscall(SYS_setfsuid, any_id(random)), "setfsuid";
	case 4:
		return syscall(SYS_setresgid, any_id(random), any_id(random), any_id(random)),
		       "setresgid";
	case 5:
		return syscall(SYS_setgroups, random_below(random, 5), groups), "setgroups";
	case 6:
		for (int i = 0; i < 2; i++) {
			data[i].permitted = (uint32_t)(random_next(random) | random_next(random));
			data[i].effective = data[i].permitted & (uint32_t)random_next(random);
			data[i].inheritable = (uint32_t)random_next(random);
		}
		return syscall(SYS_capset, &header, data), "capset";
	case 7:
		return prctl(PR_SET_SECUREBITS, random_below(random, 256), 0, 0, 0),
		       "PR_SET_SECUREBITS";
	case 8:
		return prctl(PR_SET_KEEPCAPS, random_below(random, 2), 0, 0, 0), "PR_SET_KEEPCAPS";
	case 9:
		return prctl(PR_CAPBSET_DROP, random_below(random, 42), 0, 0, 0), "PR_CAPBSET_DROP";
	case 10:
		return prctl(PR_CAP_AMBIENT, 1 + random_below(random, 4), random_below(random, 42),
			     0, 0),
		       "PR_CAP_AMBIENT";
	default:
		return prctl(PR_SET_NO_NEW_PRIVS, random_once_in(random, 6), 0, 0, 0),
		       "PR_SET_NO_NEW_PRIVS";
	}
}

_Noreturn static void lose_privileges(struct random random)
{
	struct privileges before, after;

	look(&before);
	for (int i = 0; i < 60; i++) {
		const char *call = change_privileges(&random);

		look(&after);
		compare(&before, &after, call);
		before = after;
		count_calls(6);
	}
	/* The last step is a setuid program, which gives nothing to a task that has renounced. */
	if (after.no_new_privs && !among(after.uids, 0) && !after.permitted &&
	    after.uids[REAL] == after.uids[EFFECTIVE] && after.gids[REAL] == after.gids[EFFECTIVE])
		execl(TREE_SETUID, "setuid", PRIVILEGED_UNSAFE, NULL);
	_exit(0);
}

/* --- the whole --- */

void fuzz_administrate(struct random random, unsigned int operations)
{
	struct timespec moment = { 0, 1000000 };

	while (operations-- > 0) {
		struct random own = random_split(&random);
		pid_t child;

		fuzz_dsa_administrate(&own);
		switch (random_below(&random, 6)) {
		case 0:
			read_trace(&own);
			break;
		case 1:
			child = fork();
			if (child == 0)
				lose_privileges(own);
			if (child > 0)
				fuzz_reap(child, 1000);
			break;
		case 2:
			fuzz_change_cpus(&own);
			break;
		case 3:
			fuzz_cpu_devices_administrate(&own);
			break;
		default:
			change_setting(&own);
		}
		atomic_fetch_add(&fuzz_shared->operations, 1);
		count_calls(3);
		nanosleep(&moment, NULL);
	}
}
