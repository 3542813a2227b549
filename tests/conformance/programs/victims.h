/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes to attack, one of each kind that a rule distinguishes. Each has a session of its own, blocks all
 * signals, so that one that was sent stays visible, and waits to be killed.
 *
 * Include it in one file of a program, whose main() begins with victim_main().
 */
#ifndef TESTS_VICTIMS_H
#define TESTS_VICTIMS_H

#include "attackers.h"

#include <sys/sendfile.h>

enum {
	OWN,	   /* of the attacker's user */
	HIDDEN,	   /* the same, not dumpable */
	STRONGER,  /* the same, with a capability */
	ELSEWHERE, /* the same, with another effective user */
	BORROWED,  /* of another user, with the attacker's as the effective one */
	SET_UID,   /* root by a setuid program that the attacker's user started */
	SET_BACK,  /* the same, which has given root up */
	OTHERS,	   /* of another user */
	ROOTS,	   /* root's */
	VICTIMS
};

static const char *const victim_names[VICTIMS] = {
	"own",
	"own hidden",
	"own with a capability",
	"own, otherwise effective",
	"other's, effectively own",
	"set-uid",
	"set-uid, set back",
	"other's",
	"root's",
};

/* The set-uid victims are this program, copied. */
#define SET_UID_PROGRAM "/tmp/set-uid-victim"

static pid_t victims[VICTIMS];
static int victim_ready[2];
/* The word that attackers read and write; at the same address in all copies of the program. */
static volatile long victim_word = 1;

static inline void victim_wait(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	if (write(victim_ready[1], "", 1) != 1)
		_exit(1);
	/* No attacker owns the pipe. */
	close(victim_ready[0]);
	close(victim_ready[1]);
	for (;;)
		pause();
}

static inline void victim_become(unsigned int kind)
{
	char number[16], end[16];

	switch (kind) {
	case SET_UID:
	case SET_BACK:
		become_user(USER);
		snprintf(number, sizeof(number), "%u", kind);
		snprintf(end, sizeof(end), "%d", victim_ready[1]);
		execl(SET_UID_PROGRAM, "victim", number, end, NULL);
		_exit(1);
	case STRONGER:
		prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
		become_user(USER);
		keep_capabilities(1ull << CAP_NET_RAW);
		break;
	case ELSEWHERE:
		if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
		    setresuid(USER, OTHER_USER, USER))
			_exit(1);
		break;
	case BORROWED:
		if (setgroups(0, NULL) || setresgid(USER, USER, USER) ||
		    setresuid(OTHER_USER, USER, OTHER_USER))
			_exit(1);
		break;
	case OTHERS:
		become_user(OTHER_USER);
		break;
	case ROOTS:
		break;
	default:
		become_user(USER);
	}
	prctl(PR_SET_DUMPABLE, kind != HIDDEN, 0, 0, 0);
}

static inline void victims_start(void)
{
	char byte;

	if (pipe(victim_ready) < 0)
		exit(1);
	for (unsigned int i = 0; i < VICTIMS; i++) {
		victims[i] = fork();
		if (victims[i] == 0) {
			victim_become(i);
			victim_wait();
		}
		if (read(victim_ready[0], &byte, 1) != 1)
			exit(1);
	}
	close(victim_ready[0]);
	close(victim_ready[1]);
}

static inline void victims_end(void)
{
	for (unsigned int i = 0; i < VICTIMS; i++)
		end_child(victims[i]);
}

/* Ends in the wait of a set-uid victim if this process is one. */
static inline void victim_main(int argc, char **argv)
{
	if (argc != 3 || strcmp(argv[0], "victim") != 0)
		return;
	victim_ready[0] = -1;
	victim_ready[1] = atoi(argv[2]);
	if (atoi(argv[1]) == SET_BACK && setresuid(USER, USER, USER) < 0)
		_exit(1);
	victim_wait();
}

static inline void victims_install(void)
{
	struct stat about;

	mkdir("/tmp", 01777);
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(SET_UID_PROGRAM, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (fstat(from, &about) < 0 ||
	    sendfile(to, from, NULL, (size_t)about.st_size) != about.st_size ||
	    fchmod(to, 04755) < 0) {
		show(error_name(errno), "making the set-uid program");
		exit(1);
	}
	close(from);
	close(to);
}

#endif
