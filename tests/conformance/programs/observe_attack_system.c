// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks on the whole system: names, clocks, mounts, the log, events of CPUs, and calls that change the
 * machine. Every attacker of attackers.h tries each. A successful attack changes nothing for a later one.
 */
#include <sched.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>

#include "attacks_alone.h"

#define PLACE "/tmp/attacked"

#ifndef CLOCK_REALTIME_ALARM
#define CLOCK_REALTIME_ALARM 8
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
	/* No file system is mounted there. */
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

/* --- the machine --- */

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

/* --- events of CPUs --- */

static long open_on_cpu(union attr *attr)
{
	return done(open_event(attr, -1, 0, -1, 0));
}

static long count_cpu(void)
{
	union attr attr;

	attr_instructions(&attr);
	return open_on_cpu(&attr);
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
	ATTACK(count_cpu),
	ATTACK(count_own_kernel),
	ATTACK(sample_addresses),
	ATTACK(set_paranoid),
};

int main(int argc, char **argv)
{
	static const char *const alone[] = { "" };

	choose_attackers(argc, argv);
	mkdir("/tmp", 01777);
	mkdir(PLACE, 0777);
	chmod(PLACE, 0777);
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), alone, 1, NULL, NULL);
	return 0;
}
