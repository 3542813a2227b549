/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who may do what to the system as a whole, and to its own standing: names, clocks, mounts, the log, limits,
 * users, groups and capabilities, by every attacker of attackers.h. Nothing that succeeds changes what a
 * later one meets.
 */
#include "attackers.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>

#ifndef CLOCK_REALTIME_ALARM
#define CLOCK_REALTIME_ALARM 8
#endif
#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT	     47
#define PR_CAP_AMBIENT_RAISE 2
#endif
#ifndef SO_RCVBUFFORCE
#define SO_RCVBUFFORCE 33
#endif

/* --- names and clocks --- */

static long set_host_name(void)
{
	return done(sethostname("attacked", 8));
}

static long set_domain_name(void)
{
	return done(setdomainname("attacked", 8));
}

static long set_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return done(clock_settime(CLOCK_REALTIME, &now));
}

static long set_clock_wrongly(void)
{
	struct timespec never = { -1, 0 };

	return done(clock_settime(CLOCK_REALTIME, &never));
}

static long set_monotonic_clock(void)
{
	struct timespec now = { 1000, 0 };

	return done(clock_settime(CLOCK_MONOTONIC, &now));
}

static long set_time_of_day(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return done(settimeofday(&now, NULL));
}

static long set_time_zone(void)
{
	struct timezone zone = { 0, 0 };

	return done(syscall(SYS_settimeofday, NULL, &zone));
}

static long read_adjustment(void)
{
	struct timex timex = { .modes = 0 };

	return done(adjtimex(&timex));
}

static long adjust_clock(void)
{
	struct timex timex = { .modes = ADJ_TICK, .tick = 10000 };

	return done(adjtimex(&timex));
}

static long adjust_once(void)
{
	struct timex timex = { .modes = ADJ_OFFSET_SINGLESHOT };

	return done(adjtimex(&timex));
}

static long read_adjustment_once(void)
{
	struct timex timex = { .modes = ADJ_OFFSET_SS_READ };

	return done(adjtimex(&timex));
}

static long adjust_named_clock(void)
{
	struct timex timex = { .modes = ADJ_TICK, .tick = 10000 };

	return done(clock_adjtime(CLOCK_REALTIME, &timex));
}

static long alarm_timer(void)
{
	timer_t timer;

	return done(timer_create(CLOCK_REALTIME_ALARM, NULL, &timer));
}

static long alarm_descriptor(void)
{
	return done(timerfd_create(CLOCK_REALTIME_ALARM, 0));
}

/* --- the tree of names --- */

#define PLACE "/tmp/attacked"

static long mount_here(void)
{
	if (mount("none", PLACE, "tmpfs", 0, NULL) < 0)
		return -errno;
	return done(umount(PLACE));
}

static long mount_processes(void)
{
	if (mount("none", PLACE, "proc", 0, NULL) < 0)
		return -errno;
	return done(umount(PLACE));
}

static long mount_nothing_known(void)
{
	return done(mount("none", PLACE, "no-such-type", 0, NULL));
}

static long mount_nowhere(void)
{
	return done(mount("none", "/tmp/nowhere", "tmpfs", 0, NULL));
}

static long bind_here(void)
{
	if (mount("/proc", PLACE, NULL, MS_BIND, NULL) < 0)
		return -errno;
	return done(umount(PLACE));
}

static long remount_root(void)
{
	return done(mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}

static long unmount_processes(void)
{
	/* Not a directory that anybody is asked about. */
	return done(umount2("/tmp", 0));
}

static long unmount_nowhere(void)
{
	return done(umount2("/tmp/nowhere", 0));
}

static long change_root(void)
{
	return done(chroot(PLACE));
}

static long change_root_to_nowhere(void)
{
	return done(chroot("/tmp/nowhere"));
}

static long make_node(mode_t type, dev_t device)
{
	long result = done(mknod(PLACE "/node", type | 0600, device));

	unlink(PLACE "/node");
	return result;
}

static long make_character_node(void)
{
	return make_node(S_IFCHR, makedev(1, 3));
}

static long make_block_node(void)
{
	return make_node(S_IFBLK, makedev(7, 0));
}

static long make_node_of_nothing(void)
{
	return make_node(S_IFCHR, 0);
}

static long make_fifo(void)
{
	return make_node(S_IFIFO, 0);
}

static long make_plain_file(void)
{
	return make_node(S_IFREG, 0);
}

/* --- the log --- */

static long log_action(int action, int length)
{
	static char text[64];

	return done(syscall(SYS_syslog, action, text, length));
}

static long log_close(void)
{
	return log_action(0, 0);
}

static long log_open(void)
{
	return log_action(1, 0);
}

static long log_read_all(void)
{
	return log_action(3, 64);
}

static long log_clear(void)
{
	return log_action(5, 0);
}

static long log_level(void)
{
	return log_action(8, 7);
}

static long log_level_wrong(void)
{
	return log_action(8, 9);
}

static long log_unread(void)
{
	return log_action(9, 0);
}

static long log_size(void)
{
	return log_action(10, 0);
}

static long log_unknown(void)
{
	return log_action(11, 0);
}

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

/* Sends credentials that say PID, UID and GID; 0: they came so. */
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

#define CHANGE(name, call)         \
	static long name(void)     \
	{                          \
		return done(call); \
	}

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

/* fsuid: the call never fails, so the answer is whether it took. */
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

/* --- what changes the machine --- */

CHANGE(restart_wrongly, syscall(SYS_reboot, 1, 2, 3, 0))
CHANGE(unshare_mounts, unshare(CLONE_NEWNS))
CHANGE(unshare_names, unshare(CLONE_NEWUTS))
CHANGE(unshare_files, unshare(CLONE_FILES | CLONE_FS))
CHANGE(swap_on, syscall(SYS_swapon, "/tmp/nowhere", 0))
CHANGE(swap_off, syscall(SYS_swapoff, "/tmp/nowhere"))
CHANGE(load_module, syscall(SYS_init_module, NULL, 0, ""))
CHANGE(remove_module, syscall(SYS_delete_module, "nothing", 0))
CHANGE(start_accounting, syscall(SYS_acct, "/tmp/nowhere"))
CHANGE(hang_up, syscall(SYS_vhangup))
CHANGE(quota, syscall(SYS_quotactl, 0x80000700, "/tmp/nowhere", 0, NULL))
CHANGE(move_root, syscall(SYS_pivot_root, "/tmp/nowhere", "/tmp/nowhere"))
#ifdef SYS_iopl
CHANGE(port_level, syscall(SYS_iopl, 3))
CHANGE(ports, syscall(SYS_ioperm, 0x80, 1, 1))
#endif

/* --- events of processors --- */

static long open_on_processor(union attr *attr)
{
	return done(open_event(attr, -1, 0, -1, 0));
}

static long count_processor(void)
{
	union attr attr;

	attr_instructions(&attr);
	return open_on_processor(&attr);
}

static long count_own_kernel(void)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.exclude_kernel = 0;
	return done(open_event(&attr, 0, -1, -1, 0));
}

static long sample_addresses(void)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.sample_period = 100000;
	attr.fields.sample_type = PERF_SAMPLE_PHYS_ADDR;
	return done(open_event(&attr, 0, -1, -1, 0));
}

static long set_paranoid(void)
{
	return done(write_file("/proc/sys/kernel/perf_event_paranoid", "2"));
}

#define ATTACK(f)                      \
	{                              \
		.name = #f, .alone = f \
	}

static const struct attack attacks[] = {
	ATTACK(set_host_name),
	ATTACK(set_domain_name),
	ATTACK(set_clock),
	ATTACK(set_clock_wrongly),
	ATTACK(set_monotonic_clock),
	ATTACK(set_time_of_day),
	ATTACK(set_time_zone),
	ATTACK(read_adjustment),
	ATTACK(adjust_clock),
	ATTACK(adjust_once),
	ATTACK(read_adjustment_once),
	ATTACK(adjust_named_clock),
	ATTACK(alarm_timer),
	ATTACK(alarm_descriptor),
	ATTACK(mount_here),
	ATTACK(mount_processes),
	ATTACK(mount_nothing_known),
	ATTACK(mount_nowhere),
	ATTACK(bind_here),
	ATTACK(remount_root),
	ATTACK(unmount_processes),
	ATTACK(unmount_nowhere),
	ATTACK(change_root),
	ATTACK(change_root_to_nowhere),
	ATTACK(make_character_node),
	ATTACK(make_block_node),
	ATTACK(make_node_of_nothing),
	ATTACK(make_fifo),
	ATTACK(make_plain_file),
	ATTACK(log_close),
	ATTACK(log_open),
	ATTACK(log_read_all),
	ATTACK(log_clear),
	ATTACK(log_level),
	ATTACK(log_level_wrong),
	ATTACK(log_unread),
	ATTACK(log_size),
	ATTACK(log_unknown),
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
	ATTACK(restart_wrongly),
	ATTACK(unshare_mounts),
	ATTACK(unshare_names),
	ATTACK(unshare_files),
	ATTACK(swap_on),
	ATTACK(swap_off),
	ATTACK(load_module),
	ATTACK(remove_module),
	ATTACK(start_accounting),
	ATTACK(hang_up),
	ATTACK(quota),
	ATTACK(move_root),
#ifdef SYS_iopl
	ATTACK(port_level),
	ATTACK(ports),
#endif
	ATTACK(count_processor),
	ATTACK(count_own_kernel),
	ATTACK(sample_addresses),
	ATTACK(set_paranoid),
};

int main(void)
{
	static const char *const nobody[] = { "" };

	mkdir("/tmp", 01777);
	mkdir(PLACE, 0777);
	chmod(PLACE, 0777);
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), nobody, 1, NULL, NULL);
	return 0;
}
