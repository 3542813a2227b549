/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The attackers, and a function that tries a table of attacks and prints the results.
 *
 * An attacker is a user without privileges, that user with one capability, root without capabilities, or
 * root. Each attack is one call or one short sequence, tried by every attacker on every subject in a process
 * of its own. A line has an attack, a subject and the user's result, then each attacker whose result
 * differs:
 *
 *     kill of root's: EPERM, with KILL ok, bare root ok, root ok
 *
 * So a line is a rule: which user may, and by which capability. Include it in one file of a program.
 *
 *	PROGRAM [ATTACKER,...]
 *
 * With an argument only the user and these attackers try, "with-KILL,bare-root,root": the others' results are then
 * the user's.
 */
#ifndef TESTS_ATTACKERS_H
#define TESTS_ATTACKERS_H

#include "child.h"
#include "observe.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { USER = 1000, OTHER_USER = 1001 };

enum { CAPABILITIES = 41 };
/* Attackers: the user, the user with capability N at WITH_CAPABILITY + N, the user as another effectively, root without
 * any, root. */
enum {
	PLAIN_USER,
	WITH_CAPABILITY,
	AS_OTHER = WITH_CAPABILITY + CAPABILITIES,
	BARE_ROOT,
	FULL_ROOT,
	ATTACKERS
};

static const char *const capability_names[CAPABILITIES] = {
	"CHOWN",
	"DAC_OVERRIDE",
	"DAC_READ_SEARCH",
	"FOWNER",
	"FSETID",
	"KILL",
	"SETGID",
	"SETUID",
	"SETPCAP",
	"LINUX_IMMUTABLE",
	"NET_BIND_SERVICE",
	"NET_BROADCAST",
	"NET_ADMIN",
	"NET_RAW",
	"IPC_LOCK",
	"IPC_OWNER",
	"SYS_MODULE",
	"SYS_RAWIO",
	"SYS_CHROOT",
	"SYS_PTRACE",
	"SYS_PACCT",
	"SYS_ADMIN",
	"SYS_BOOT",
	"SYS_NICE",
	"SYS_RESOURCE",
	"SYS_TIME",
	"SYS_TTY_CONFIG",
	"MKNOD",
	"LEASE",
	"AUDIT_WRITE",
	"AUDIT_CONTROL",
	"SETFCAP",
	"MAC_OVERRIDE",
	"MAC_ADMIN",
	"SYSLOG",
	"WAKE_ALARM",
	"BLOCK_SUSPEND",
	"AUDIT_READ",
	"PERFMON",
	"BPF",
	"CHECKPOINT_RESTORE",
};

/* One attack: 0 or more if it succeeded, or a negative error. A value above 0 is printed. */
struct attack {
	const char *name;
	long (*act)(unsigned int subject);
	long (*alone)(void); /* instead, where there is only one subject */
	const char *file;    /* the attack finds this in attacked_file */
};

/* The file that the running attack is about, if its row names one. */
static const char *attacked_file;

/* A call's result as an attack's result: its error, or that it succeeded. */
static inline long done(long result)
{
	return result < 0 ? -errno : 0;
}

/* Gives the running task exactly the capabilities in SET, as permitted and effective ones. */
static inline void keep_capabilities(uint64_t set)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };

	for (int i = 0; i < 2; i++)
		data[i].effective = data[i].permitted = (uint32_t)(set >> 32 * i);
	if (syscall(SYS_capset, &header, data) < 0) {
		show(error_name(errno), "keeping capabilities");
		exit(1);
	}
}

static inline void become_user(uid_t uid)
{
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)) {
		show(error_name(errno), "becoming a user");
		exit(1);
	}
}

static inline void become_attacker(unsigned int attacker)
{
	if (attacker == FULL_ROOT)
		return;
	if (attacker == BARE_ROOT) {
		keep_capabilities(0);
		return;
	}
	if (attacker == AS_OTHER) {
		if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
		    setresuid(USER, OTHER_USER, OTHER_USER))
			exit(1);
		return;
	}
	prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	become_user(USER);
	keep_capabilities(attacker == PLAIN_USER ? 0 : 1ull << (attacker - WITH_CAPABILITY));
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static inline const char *attacker_name(unsigned int attacker)
{
	static char name[40];

	if (attacker == BARE_ROOT)
		return "bare root";
	if (attacker == FULL_ROOT)
		return "root";
	if (attacker == AS_OTHER)
		return "as another";
	snprintf(name, sizeof(name), "with %s", capability_names[attacker - WITH_CAPABILITY]);
	return name;
}

/* The program's argument, or NULL: all attackers. */
static const char *chosen_attackers;

static inline void choose_attackers(int argc, char **argv)
{
	chosen_attackers = argc == 2 ? argv[1] : NULL;
}

static inline bool is_chosen(unsigned int attacker)
{
	if (!chosen_attackers || attacker == PLAIN_USER)
		return true;

	char name[40];
	const char *at = chosen_attackers;

	snprintf(name, sizeof(name), "%s", attacker_name(attacker));
	for (char *c = name; *c; c++)
		if (*c == ' ')
			*c = '-';
	for (;; at++) {
		size_t length = strcspn(at, ",");

		if (length == strlen(name) && strncmp(at, name, length) == 0)
			return true;
		at += length;
		if (*at == '\0')
			return false;
	}
}

static inline void print_result(long result)
{
	if (result < 0)
		printf("%s", error_name((int)-result));
	else if (result == 0)
		printf("ok");
	else
		printf("%ld", result);
}

/* No attack returns this value: the attack was killed, or did not end. */
#define RESULT_LOST (-1000000L)

/* Tries all ATTACKS on all SUBJECTS (their names; "" is not printed) and prints the results. PREPARE and CLEAN, which
 * may be NULL, run as root before and after the attacks of each attacker. */
static inline void try_attacks(const struct attack *attacks, size_t attack_count,
			       const char *const *subjects, size_t subject_count,
			       void (*prepare)(void), void (*clean)(void))
{
	size_t rows = attack_count * subject_count;
	long *results = mmap(NULL, rows * ATTACKERS * sizeof(long), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; i < rows * ATTACKERS; i++)
		results[i] = RESULT_LOST;
	fflush(stdout);
	for (unsigned int attacker = 0; attacker < ATTACKERS; attacker++) {
		if (!is_chosen(attacker))
			continue;
		if (prepare)
			prepare();
		for (size_t i = 0; i < attack_count; i++) {
			pid_t pid = fork();

			if (pid == 0) {
				attacked_file = attacks[i].file;
				become_attacker(attacker);
				for (unsigned int k = 0; k < subject_count; k++)
					results[(i * subject_count + k) * ATTACKERS + attacker] =
						attacks[i].alone ? attacks[i].alone() :
								   attacks[i].act(k);
				_exit(0);
			}
			waitpid(pid, NULL, 0);
		}
		if (clean)
			clean();
	}
	for (size_t row = 0; row < rows; row++) {
		const long *of = &results[row * ATTACKERS];
		const char *subject = subjects[row % subject_count];

		const struct attack *attack = &attacks[row / subject_count];

		printf("%s", attack->name);
		if (attack->file)
			printf(" %s", attack->file);
		printf("%s%s: ", *subject ? " of " : "", subject);
		print_result(of[PLAIN_USER]);
		for (unsigned int attacker = 1; attacker < ATTACKERS; attacker++) {
			if (of[attacker] == of[PLAIN_USER] || !is_chosen(attacker))
				continue;
			printf(", %s ", attacker_name(attacker));
			print_result(of[attacker]);
		}
		printf("\n");
	}
	munmap(results, rows * ATTACKERS * sizeof(long));
}

#endif
