// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs the rules of all files, each in a process of its own, and prints TAP.
 *
 *	rules [WORDS]		only those whose sentence has WORDS in it
 *
 * Rules that begin with ALONE are about time, and do not hold on a machine whose CPUs are taken away
 * from it: they are for virtual time (--icount), and run only when WORDS name them.
 */
#include "rules.h"

extern const struct tap_rule __start_rules[], __stop_rules[];

#define PATIENCE_S 60

static bool holds(const struct tap_rule *rule)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		alarm(PATIENCE_S);
		rule->check();
		_exit(2); /* it ends by itself */
	}
	if (waitpid(child, &status, 0) != child)
		return false;
	if (WIFSIGNALED(status))
		printf("# killed by signal %d\n", WTERMSIG(status));
	return status == 0;
}

int main(int argc, char **argv)
{
	const char *words = argc > 1 ? argv[1] : "";
	unsigned int count = 0;
	int status = 0;

	if (strcmp(words, DO_NOTHING) == 0)
		return 0;
	if (strcmp(words, EXISTS) == 0)
		return argc == 3 && access(argv[2], F_OK) == 0 ? 0 : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (const struct tap_rule *rule = __start_rules; rule < __stop_rules; rule++) {
		bool alone = strncmp(rule->sentence, ALONE, strlen(ALONE)) == 0;

		if (!strstr(rule->sentence, words) || (alone && !words[0]))
			continue;
		bool good = holds(rule);

		printf("%s %u - %s\n", good ? "ok" : "not ok", ++count, rule->sentence);
		if (!good)
			status = 1;
	}
	printf("1..%u\n", count);
	return status;
}
