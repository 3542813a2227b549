// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks on the attacker's own privileges: limits, scheduling, credentials and options of sockets, users,
 * groups and capabilities. Every attacker of attackers.h tries each. A successful attack changes nothing for
 * a later one.
 */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "attacks_alone.h"

#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT	     47
#define PR_CAP_AMBIENT_RAISE 2
#endif

#ifndef SO_RCVBUFFORCE
#define SO_RCVBUFFORCE 33
#endif

/* --- limits and scheduling of oneself --- */

static long raise_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_max++;
	return done(setrlimit(RLIMIT_NOFILE, &limit));
}

static long too_many_files(void)
{
	struct rlimit limit = { 16, 2000000 };

	return done(setrlimit(RLIMIT_NOFILE, &limit));
}

static long lower_own_nice(void)
{
	return done(setpriority(PRIO_PROCESS, 0, -1));
}

static long own_realtime(void)
{
	struct sched_param parameters = { .sched_priority = 1 };

	return done(sched_setscheduler(0, SCHED_FIFO, &parameters));
}

static long own_io_realtime(void)
{
	return done(syscall(SYS_ioprio_set, 1, 0, 1 << 13));
}

static long lock_too_much(void)
{
	struct rlimit limit = { 4 * PAGE_BYTES, 4 * PAGE_BYTES };
	void *memory = mmap(NULL, 8 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	setrlimit(RLIMIT_MEMLOCK, &limit);
	return done(mlock(memory, 8 * PAGE_BYTES));
}

static long map_locked_too_much(void)
{
	struct rlimit limit = { 4 * PAGE_BYTES, 4 * PAGE_BYTES };

	setrlimit(RLIMIT_MEMLOCK, &limit);
	return mmap(NULL, 8 * PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1,
		    0) == MAP_FAILED ?
		       -errno :
		       0;
}

static long lock_all_without_limit(void)
{
	struct rlimit limit = { 0, 0 };

	setrlimit(RLIMIT_MEMLOCK, &limit);
	return done(mlockall(MCL_FUTURE));
}

static long map_at_zero(void)
{
	return mmap(NULL, PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
			       MAP_FAILED ?
		       -errno :
		       0;
}

static long too_many_tasks(void)
{
	struct rlimit limit = { 0, 0 };

	setrlimit(RLIMIT_NPROC, &limit);
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return -errno;
	waitpid(pid, NULL, 0);
	return 0;
}

static long grow_pipe(void)
{
	int ends[2];

	if (pipe(ends) < 0)
		return -errno;
	return done(fcntl(ends[0], F_SETPIPE_SZ, 4 << 20));
}

/* --- sockets --- */

/* Sends the credentials PID, UID and GID; returns 0 or a negative errno. */
static long send_credentials(pid_t pid, uid_t uid, gid_t gid)
{
	struct ucred claim = { pid, uid, gid };
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(claim)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_CREDENTIALS } };
	struct iovec part = { "", 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
		return -errno;
	memcpy(CMSG_DATA(&control.header), &claim, sizeof(claim));
	return done(sendmsg(ends[0], &message, 0));
}

static long claim_own(void)
{
	return send_credentials(getpid(), getuid(), getgid());
}

static long claim_effective(void)
{
	return send_credentials(getpid(), geteuid(), getegid());
}

static long claim_process(void)
{
	return send_credentials(1, getuid(), getgid());
}

static long claim_no_process(void)
{
	return send_credentials(99999, getuid(), getgid());
}

static long claim_user(void)
{
	return send_credentials(getpid(), 4000, getgid());
}

static long claim_group(void)
{
	return send_credentials(getpid(), getuid(), 4000);
}

static long claim_parent(void)
{
	return send_credentials(getppid(), getuid(), getgid());
}

static long force_receive_buffer(void)
{
	int ends[2], size = 1 << 20;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return -errno;
	return done(setsockopt(ends[0], SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)));
}

static long socket_priority(int priority)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return -errno;
	return done(setsockopt(ends[0], SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)));
}

static long low_socket_priority(void)
{
	return socket_priority(6);
}

static long high_socket_priority(void)
{
	return socket_priority(7);
}

static long mark_socket(void)
{
	int ends[2], mark = 1;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return -errno;
	return done(setsockopt(ends[0], SOL_SOCKET, SO_MARK, &mark, sizeof(mark)));
}

/* --- users, groups, capabilities --- */

CHANGE(set_user_root, setuid(0))
CHANGE(set_user_other, setuid(OTHER_USER))
CHANGE(set_user_third, setuid(4000))
CHANGE(set_user_real_and_effective, setreuid(4000, 4000))
CHANGE(set_user_real_to_effective, setreuid(geteuid(), (uid_t)-1))
CHANGE(set_user_swap, setreuid(geteuid(), getuid()))
CHANGE(set_user_saved, setresuid((uid_t)-1, (uid_t)-1, 4000))
CHANGE(set_group_root, setgid(0))
CHANGE(set_group_third, setgid(4000))
CHANGE(set_group_real_and_effective, setregid(4000, 4000))
CHANGE(set_group_saved, setresgid((gid_t)-1, (gid_t)-1, 4000))
CHANGE(drop_groups, setgroups(0, NULL))
CHANGE(take_groups, setgroups(1, &(gid_t){ 0 }))
CHANGE(drop_bounding, prctl(PR_CAPBSET_DROP, CAP_NET_RAW, 0, 0, 0))
CHANGE(set_secure_bits, prctl(PR_SET_SECUREBITS, 1, 0, 0, 0))
CHANGE(set_no_secure_bits, prctl(PR_SET_SECUREBITS, 0, 0, 0, 0))
CHANGE(keep_capabilities_of_user, prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
CHANGE(raise_ambient, prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0))
CHANGE(set_memory_map, prctl(PR_SET_MM, 6 /* PR_SET_MM_START_BRK */, 0, 0, 0))
CHANGE(set_dumpable_strange, prctl(PR_SET_DUMPABLE, 2, 0, 0, 0))

/* setfsuid never fails: the next call returns the user in force. */
static long set_files_user(void)
{
	syscall(SYS_setfsuid, 4000);
	return syscall(SYS_setfsuid, -1) == 4000 ? 0 : -EPERM;
}

static long set_files_group(void)
{
	syscall(SYS_setfsgid, 4000);
	return syscall(SYS_setfsgid, -1) == 4000 ? 0 : -EPERM;
}

static long take_capabilities(unsigned int which, uint64_t more)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	for (int i = 0; i < 2; i++) {
		uint32_t bits = (uint32_t)(more >> 32 * i);

		data[i].effective |= which & 1 ? bits : 0;
		data[i].permitted |= which & 2 ? bits : 0;
		data[i].inheritable |= which & 4 ? bits : 0;
	}
	return done(syscall(SYS_capset, &header, data));
}

static long take_effective(void)
{
	return take_capabilities(1, 1ull << CAP_SYS_ADMIN);
}

static long take_permitted(void)
{
	return take_capabilities(2, 1ull << CAP_SYS_ADMIN);
}

static long take_inheritable(void)
{
	return take_capabilities(4, 1ull << CAP_SYS_ADMIN);
}

static const struct attack attacks[] = {
	ATTACK(raise_limit),
	ATTACK(too_many_files),
	ATTACK(lower_own_nice),
	ATTACK(own_realtime),
	ATTACK(own_io_realtime),
	ATTACK(lock_too_much),
	ATTACK(map_locked_too_much),
	ATTACK(lock_all_without_limit),
	ATTACK(map_at_zero),
	ATTACK(too_many_tasks),
	ATTACK(grow_pipe),
	ATTACK(claim_own),
	ATTACK(claim_effective),
	ATTACK(claim_process),
	ATTACK(claim_no_process),
	ATTACK(claim_user),
	ATTACK(claim_group),
	ATTACK(claim_parent),
	ATTACK(force_receive_buffer),
	ATTACK(low_socket_priority),
	ATTACK(high_socket_priority),
	ATTACK(mark_socket),
	ATTACK(set_user_root),
	ATTACK(set_user_other),
	ATTACK(set_user_third),
	ATTACK(set_user_real_and_effective),
	ATTACK(set_user_real_to_effective),
	ATTACK(set_user_swap),
	ATTACK(set_user_saved),
	ATTACK(set_group_root),
	ATTACK(set_group_third),
	ATTACK(set_group_real_and_effective),
	ATTACK(set_group_saved),
	ATTACK(drop_groups),
	ATTACK(take_groups),
	ATTACK(drop_bounding),
	ATTACK(set_secure_bits),
	ATTACK(set_no_secure_bits),
	ATTACK(keep_capabilities_of_user),
	ATTACK(raise_ambient),
	ATTACK(set_memory_map),
	ATTACK(set_dumpable_strange),
	ATTACK(set_files_user),
	ATTACK(set_files_group),
	ATTACK(take_effective),
	ATTACK(take_permitted),
	ATTACK(take_inheritable),
};

int main(int argc, char **argv)
{
	static const char *const alone[] = { "" };

	choose_attackers(argc, argv);
	mkdir("/tmp", 01777);
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), alone, 1, NULL, NULL);
	return 0;
}
