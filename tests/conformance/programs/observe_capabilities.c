// SPDX-License-Identifier: BSD-2-Clause
/*
 * Capabilities: capget and capset, bounding and ambient sets, securebits, no_new_privs, and their change by
 * execve.
 */
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "credentials.h"
#include "child.h"

#ifndef PR_CAP_AMBIENT
#define PR_CAP_AMBIENT		 47
#define PR_CAP_AMBIENT_IS_SET	 1
#define PR_CAP_AMBIENT_RAISE	 2
#define PR_CAP_AMBIENT_LOWER	 3
#define PR_CAP_AMBIENT_CLEAR_ALL 4
#endif

enum { CAP_OF_SETGID = 6, CAP_OF_SETUID = 7, CAP_OF_KILL = 5, CAP_OF_SETPCAP = 8, CAPS = 41 };

#define VERSION_1 0x19980330
#define VERSION_2 0x20071026

static long set_capabilities(uint64_t effective, uint64_t permitted, uint64_t inheritable)
{
	struct header header = { VERSION_3, 0 };
	struct sets sets[2];

	for (int i = 0; i < 2; i++)
		sets[i] = (struct sets){ (uint32_t)(effective >> 32 * i),
					 (uint32_t)(permitted >> 32 * i),
					 (uint32_t)(inheritable >> 32 * i) };
	return syscall(SYS_capset, &header, sets);
}

/* --- capabilities --- */

static const uint64_t all = ((uint64_t)1 << CAPS) - 1;

static void see_capget(void)
{
	struct header header = { VERSION_1, 0 };
	struct sets sets[2];
	char text[64];

	memset(sets, 0x55, sizeof(sets));
	show(outcome_value(syscall(SYS_capget, &header, sets)), "capget version 1");
	snprintf(text, sizeof(text), "%x %x %x, %x", sets[0].effective, sets[0].permitted,
		 sets[0].inheritable, sets[1].effective);
	show(text, "capget version 1: sets");
	show(outcome_value(get_capabilities(VERSION_2, sets)), "capget version 2");
	snprintf(text, sizeof(text), "%x %x %x", sets[1].effective, sets[1].permitted,
		 sets[1].inheritable);
	show(text, "capget version 2: upper sets");
	header.version = 7;
	show(outcome_value(syscall(SYS_capget, &header, sets)), "capget version 7");
	snprintf(text, sizeof(text), "%x", header.version);
	show(text, "capget version 7: preferred");
	header.version = 7;
	show(outcome_value(syscall(SYS_capget, &header, NULL)), "capget version 7, no sets");
	show(outcome_value(syscall(SYS_capget, &header, NULL)), "capget version 3, no sets");
	show(outcome_value(syscall(SYS_capget, NULL, NULL)), "capget without header");
	show(outcome_value(syscall(SYS_capget, &header, 1L)), "capget to a bad pointer");
	header.pid = -1;
	show(outcome_value(syscall(SYS_capget, &header, sets)), "capget of pid -1");
	header.pid = 30000;
	show(outcome_value(syscall(SYS_capget, &header, sets)), "capget of no process");
	header.pid = getppid();
	show(outcome_value(syscall(SYS_capget, &header, sets)), "capget of the parent");
	show(outcome_value(syscall(SYS_capset, &header, sets)), "capset of the parent");
	header = (struct header){ VERSION_3, getpid() };
	show(outcome_value(syscall(SYS_capset, &header, 1L)), "capset from a bad pointer");
	header.version = 9;
	show(outcome_value(syscall(SYS_capset, &header, sets)), "capset version 9");
	show(outcome_value(syscall(SYS_capset, NULL, sets)), "capset without header");
}

static void see_capset(void)
{
	uint64_t setuid_bit = (uint64_t)1 << CAP_OF_SETUID, kill_bit = (uint64_t)1 << CAP_OF_KILL;

	show(outcome_value(set_capabilities(~(uint64_t)0, ~(uint64_t)0, 0)),
	     "capset of bits that mean nothing");
	show(identity(), "capset of bits that mean nothing: then");
	SEE(set_capabilities(setuid_bit, all, setuid_bit | kill_bit));
	show(identity(), "only setuid is in effect");
	show(outcome_value(setgid(5)), "setgid without the capability");
	show(outcome_value(setuid(USER)), "setuid with the capability alone");
	show(identity(), "setuid with the capability alone: then");
	show(outcome_value(set_capabilities(setuid_bit, setuid_bit, 0)), "capabilities back");
	show(outcome_value(set_capabilities(0, 0, kill_bit)), "inheritable stays");
	show(outcome_value(set_capabilities(0, 0, kill_bit | setuid_bit)), "inheritable grows");
	show(outcome_value(set_capabilities(0, 0, 0)), "all given up");
}

static void see_effective_beyond(void)
{
	uint64_t bit = (uint64_t)1 << CAP_OF_KILL;

	show(outcome_value(set_capabilities(bit, 0, 0)), "effective beyond permitted");
	show(outcome_value(set_capabilities(bit, bit, 0)), "permitted shrinks");
	show(outcome_value(set_capabilities(0, all, 0)), "permitted grows");
	show(outcome_value(set_capabilities(bit, bit, all)), "inheritable beyond permitted");
	show(identity(), "after shrinking");
	show(outcome_value(prctl(PR_CAPBSET_DROP, 3, 0, 0, 0)), "drop without CAP_SETPCAP");
	show(outcome_value(prctl(PR_SET_SECUREBITS, 1, 0, 0, 0)), "securebits without CAP_SETPCAP");
}

static void see_bounding(void)
{
	SEE(prctl(PR_CAPBSET_READ, 40, 0, 0, 0));
	SEE(prctl(PR_CAPBSET_READ, 41, 0, 0, 0));
	SEE(prctl(PR_CAPBSET_READ, -1L, 0, 0, 0));
	SEE(prctl(PR_CAPBSET_DROP, 40, 0, 0, 0));
	SEE(prctl(PR_CAPBSET_DROP, 41, 0, 0, 0));
	show(outcome_value(prctl(PR_CAPBSET_READ, 40, 0, 0, 0)), "40 after it was dropped");
	show(identity(), "permitted after the bounding set shrank");
	show(outcome_value(set_capabilities(all, all, (uint64_t)1 << 40)),
	     "inheritable beyond the bounding set");
}

static void see_ambient(void)
{
	uint64_t bit = (uint64_t)1 << CAP_OF_KILL;

	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0));
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_OF_KILL, 0, 0)),
	     "ambient: raised without inheritable");
	set_capabilities(all, all, bit);
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_OF_KILL, 0, 0)),
	     "ambient: raised");
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0)),
	     "ambient: is set");
	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 41, 0, 0));
	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 5, 1, 0));
	SEE(prctl(PR_CAP_AMBIENT, 5, 5, 0, 0));
	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 1, 0, 0));
	set_capabilities(all, all, 0);
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0)),
	     "ambient: follows inheritable down");
	set_capabilities(all, all, bit);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_OF_KILL, 0, 0);
	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_OF_KILL, 0, 0));
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0)),
	     "ambient: lowered");
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_OF_KILL, 0, 0);
	SEE(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0));
	show(outcome_value(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0)),
	     "ambient: cleared");
}

static void see_securebits(void)
{
	SEE(prctl(PR_GET_SECUREBITS, 0, 0, 0, 0));
	SEE(prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
	SEE(prctl(PR_SET_KEEPCAPS, 2, 0, 0, 0));
	SEE(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
	show(outcome_value(prctl(PR_GET_SECUREBITS, 0, 0, 0, 0)), "securebits that keep");
	SEE(setresuid(USER, USER, USER));
	show(identity(), "capabilities kept");
	SEE(set_capabilities(all, all, 0));
	SEE(prctl(PR_SET_SECUREBITS, 0x1000, 0, 0, 0));
	SEE(prctl(PR_SET_SECUREBITS, 0x0c, 0, 0, 0));
	SEE(setresuid(0, 0, 0));
	show(outcome_value(setresuid(USER, USER, USER)), "users without fixing");
	show(identity(), "capabilities not touched");
	show(outcome_value(prctl(PR_SET_SECUREBITS, 0x08, 0, 0, 0)), "a locked bit taken away");
	show(outcome_value(prctl(PR_SET_SECUREBITS, 0x04, 0, 0, 0)), "a lock taken away");
	show(outcome_value(prctl(PR_SET_SECUREBITS, 0x2c, 0, 0, 0)), "another lock");
	show(outcome_value(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)), "keeping, locked");
}

static void see_no_new_privileges(void)
{
	SEE(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SEE(prctl(PR_GET_NO_NEW_PRIVS, 1, 0, 0, 0));
	SEE(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	SEE(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
	SEE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	show(outcome_value(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)), "no new privileges");
}

/* --- execve --- */

static const char *program; /* a copy of this one */

static void run(const char *name)
{
	char *arguments[] = { (char *)program, "reported", (char *)name, NULL };

	fflush(stdout);
	execv(program, arguments);
	show(error_name(errno), "%s: execve", name);
}

/* Shows the program's own identity, after execve. */
static void tell(const char *name)
{
	char text[64];

	show(identity(), "%s", name);
	snprintf(text, sizeof(text), "%lu: %lu %lu %lu %lu, %d", getauxval(AT_SECURE),
		 getauxval(AT_UID), getauxval(AT_EUID), getauxval(AT_GID), getauxval(AT_EGID),
		 prctl(PR_GET_DUMPABLE));
	for (char *colon = strchr(text, ':'); colon; colon = strchr(text, ':'))
		*colon = ',';
	show(text, "%s, secure, ids, dumpable", name);
	snprintf(text, sizeof(text), "%d %d", prctl(PR_GET_SECUREBITS),
		 prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_OF_KILL, 0, 0));
	show(text, "%s, securebits, ambient", name);
	fflush(stdout);
}

static void run_as_root(void)
{
	chmod(program, 0755);
	run("root runs a program");
}

static void run_as_user(void)
{
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
	run("a user runs a program");
}

static void run_set_uid_root(void)
{
	chmod(program, 04755);
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
	run("set-uid root");
}

static void run_set_uid_other(void)
{
	if (chown(program, ANOTHER, THIRD) || chmod(program, 06755))
		show(error_name(errno), "giving the program away");
	run("set-uid and set-gid another, by root");
}

static void run_set_gid_without_x(void)
{
	chmod(program, 02745);
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
	run("set-gid without x");
}

static void run_without_new_privileges(void)
{
	chmod(program, 06755);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
	run("set-uid without new privileges");
}

static void run_effective_user(void)
{
	chown(program, 0, 0);
	chmod(program, 0711);
	if (seteuid(USER))
		show(error_name(errno), "becoming a user");
	run("real root, effective user");
}

static void run_ambient(void)
{
	uint64_t bit = (uint64_t)1 << CAP_OF_KILL;

	set_capabilities(all, all, bit);
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	setresuid(USER, USER, USER);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_OF_KILL, 0, 0);
	run("an ambient capability");
}

static void run_without_root(void)
{
	prctl(PR_SET_SECUREBITS, 1, 0, 0, 0);
	run("root that means nothing");
}

static void run_bounded(void)
{
	prctl(PR_CAPBSET_DROP, CAP_OF_KILL, 0, 0, 0);
	run("a smaller bounding set");
}

static void run_not_executable(void)
{
	chmod(program, 0644);
	run("no x at all");
	chmod(program, 0700);
	if (setresuid(USER, USER, USER))
		show(error_name(errno), "becoming a user");
	run("x for others only");
}

static void copy_program(const char *from)
{
	static char buffer[65536];
	int in = open(from, O_RDONLY), out = open(program, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t size;

	while ((size = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)size) != size)
			show("short", "the copy of the program");
	close(in);
	if (close(out) < 0)
		show(error_name(errno), "the copy of the program");
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		tell(argv[2]);
		return 0;
	}
	mkdir("/tmp", 01777);
	in_child(see_capget);
	in_child(see_capset);
	in_child(see_effective_beyond);
	in_child(see_bounding);
	in_child(see_ambient);
	in_child(see_securebits);
	in_child(see_no_new_privileges);
	program = "/tmp/observed-program";
	copy_program("/proc/self/exe");
	in_child(run_as_root);
	in_child(run_as_user);
	in_child(run_set_uid_root);
	in_child(run_set_uid_other);
	in_child(run_set_gid_without_x);
	in_child(run_without_new_privileges);
	in_child(run_effective_user);
	in_child(run_ambient);
	in_child(run_without_root);
	in_child(run_bounded);
	in_child(run_not_executable);
	return 0;
}
