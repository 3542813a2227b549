// SPDX-License-Identifier: BSD-2-Clause
/*
 * Attacks that look into another task: every attacker reads its memory and descriptors, traces it and counts
 * its events, for every kind of victim (attackers.h, victims.h). observe_attack_proc.c has the files of
 * /proc/PID.
 */
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "attacks_on_victims.h"
#include "tracepoint.h"

/* The number of the tracepoint sched_switch; only root can read it. */
static uint64_t switches;

#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd NEW_CALL(438)
#endif

/* --- looking in --- */

static long by_robust_list(unsigned int victim)
{
	void *head;
	size_t size;

	return done(syscall(SYS_get_robust_list, victims[victim], &head, &size));
}

static long by_pidfd_open(unsigned int victim)
{
	return done(open_pidfd(victim));
}

static long by_pidfd_getfd(unsigned int victim)
{
	return done(syscall(SYS_pidfd_getfd, open_pidfd(victim), 1, 0));
}

static long by_capget(unsigned int victim)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, victims[victim] };
	struct __user_cap_data_struct data[2];

	return done(syscall(SYS_capget, &header, data));
}

static long by_capset(unsigned int victim)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, victims[victim] };
	struct __user_cap_data_struct data[2] = { { 0 } };

	return done(syscall(SYS_capset, &header, data));
}

static long by_vm_read(unsigned int victim)
{
	long word;
	struct iovec here = { &word, sizeof(word) }, there = { (void *)&victim_word, sizeof(word) };

	return done(process_vm_readv(victims[victim], &here, 1, &there, 1, 0));
}

static long by_vm_write(unsigned int victim)
{
	long word = 2;
	struct iovec here = { &word, sizeof(word) }, there = { (void *)&victim_word, sizeof(word) };

	return done(process_vm_writev(victims[victim], &here, 1, &there, 1, 0));
}

/* An empty transfer needs the permission too. */
static long by_vm_nothing(unsigned int victim)
{
	return done(process_vm_readv(victims[victim], NULL, 0, NULL, 0, 0));
}

static long by_attach(unsigned int victim)
{
	if (ptrace(PTRACE_ATTACH, victims[victim], 0, 0) < 0)
		return -errno;
	waitpid(victims[victim], NULL, __WALL);
	return done(ptrace(PTRACE_DETACH, victims[victim], 0, 0));
}

static long by_seize(unsigned int victim)
{
	if (ptrace(PTRACE_SEIZE, victims[victim], 0, 0) < 0)
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, victims[victim], 0, 0) < 0)
		return -errno;
	waitpid(victims[victim], NULL, __WALL);
	return done(ptrace(PTRACE_DETACH, victims[victim], 0, 0));
}

/* Makes requests that need a tracee on a victim that is none: returns how many did not fail with ESRCH. */
static long by_requests(unsigned int victim)
{
	static const int requests[] = { 1,	2,	3,	4,	5,	6,
					7,	8,	9,	12,	13,	14,
					15,	17,	0x4200, 0x4201, 0x4202, 0x4203,
					0x4204, 0x4205, 0x4207, 0x4208, 0x4209, 0x420a,
					0x420b, 0x420c, 0x420d, 0x420e, 0x420f };
	unsigned long room[64] = { sizeof(room) };
	long taken = 0;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		if (syscall(SYS_ptrace, requests[i], victims[victim], room, room) >= 0 ||
		    errno != ESRCH)
			taken++;
	return taken;
}

/* --- events --- */

static long open_attr(union attr *attr, unsigned int victim)
{
	return done(open_event(attr, victims[victim], -1, -1, 0));
}

static long event_of_user(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	return open_attr(&attr, victim);
}

static long event_of_all(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.exclude_kernel = 0;
	return open_attr(&attr, victim);
}

static long event_inherited(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.inherit = 1;
	return open_attr(&attr, victim);
}

static long event_of_switches(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.exclude_kernel = 1;
	attr.fields.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	return open_attr(&attr, victim);
}

static long event_of_memory(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.exclude_kernel = 1;
	attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_STACK_USER | PERF_SAMPLE_IP;
	attr.fields.sample_stack_user = 4096;
	return open_attr(&attr, victim);
}

/* Sends the victim a signal at an overflow (sigtrap, bit 37; remove_on_exec, bit 36). */
static long event_with_signal(unsigned int victim)
{
	union attr attr;

	attr_instructions(&attr);
	attr.fields.sample_period = 1000000;
	attr.words[WORD_FLAGS] |= 3ull << 36;
	return open_attr(&attr, victim);
}

static long event_of_tracepoint(unsigned int victim)
{
	union attr attr;

	attr_dummy(&attr);
	attr.fields.type = PERF_TYPE_TRACEPOINT;
	attr.fields.config = switches;
	attr.fields.exclude_kernel = 1;
	return open_attr(&attr, victim);
}

static const struct attack attacks[] = {
	ATTACK(by_robust_list),	 ATTACK(by_pidfd_open),	    ATTACK(by_pidfd_getfd),
	ATTACK(by_capget),	 ATTACK(by_capset),	    ATTACK(by_vm_read),
	ATTACK(by_vm_write),	 ATTACK(by_vm_nothing),	    ATTACK(by_attach),
	ATTACK(by_seize),	 ATTACK(by_requests),	    ATTACK(event_of_user),
	ATTACK(event_of_all),	 ATTACK(event_inherited),   ATTACK(event_of_switches),
	ATTACK(event_of_memory), ATTACK(event_with_signal), ATTACK(event_of_tracepoint),
};

int main(int argc, char **argv)
{
	victim_main(argc, argv);
	choose_attackers(argc, argv);
	victims_install();
	need_tracefs();
	switches = id_of("sched/sched_switch");
	if (write_file("/proc/sys/kernel/perf_event_paranoid", "2") < 0)
		return 1;
	try_attacks(attacks, sizeof(attacks) / sizeof(attacks[0]), victim_names, VICTIMS,
		    victims_start, victims_end);
	return 0;
}
