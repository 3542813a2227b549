// SPDX-License-Identifier: BSD-2-Clause
/*
 * selfmon - measures known work with the counters of the CPU it runs on, in itself, and compares
 * the counts with those derived by hand.
 *
 *     selfmon          the PMU found, then a table
 *     selfmon --tap    the same as Test Anything Protocol
 *     selfmon --perfctr  a table of counts by perfctr (perfctr.c)
 *
 * For every piece of work and every event: the count by rdpmc through the mapped page (x86-64), by
 * read(), and by hand. The events are one group, so all of them count while one is read.
 *
 * Exit status: 0 everything that can be derived is exact; 1 something differs; 2 wrong use; 3 there
 * is no PMU, or the kernel does not open these events.
 */
#include "measure.h"
#include "perfctr.h"
#include "pmu.h"
#include "report.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum exit_status { EXIT_EXACT, EXIT_WRONG, EXIT_USAGE, EXIT_NO_PMU };

struct job {
	const char *work; /* a name in libspin's table */
	uint64_t n;
	bool crowded; /* another task runs on the same CPU meanwhile */
};

static const struct job jobs[] = {
	{ "nothing", 1, false },     { "loop", 1000, false },  { "straight", 1000, false },
	{ "branches", 1000, false }, { "calls", 1000, false }, { "stores", 1000, false },
	{ "copies", 100, false },    { "touches", 64, false }, { "syscalls", 1000, false },
	{ "loop", 1000000, false },  { "yields", 1000, true }, { "loop", 5000000, true },
};

#define JOBS	   (sizeof(jobs) / sizeof(jobs[0]))

/* Work for the competing task: as long as the crowded jobs take, give or take. */
#define MANY_LOOPS UINT64_C(20000000)

/* Binds the process to the CPU it is on; what it forks inherits that. */
static void bind_to_one_cpu(void)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	if (cpu < 0 || sched_setaffinity(0, sizeof(one), &one) != 0)
		printf("# cannot bind to one CPU: %s; the other task may run elsewhere\n",
		       strerror(errno));
}

static pid_t start_competitor(void)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		spin_loop(MANY_LOOPS, NULL);
		_exit(0);
	}
	if (pid < 0)
		printf("# cannot fork: %s; nothing competes\n", strerror(errno));
	return pid;
}

static void measure_all(struct report *report, const struct counted_group *group,
			bool cycles_derivable)
{
	pid_t competitor = -1;

	report_begin(report, JOBS * group->count);
	for (size_t i = 0; i < JOBS; i++) {
		const struct job *job = &jobs[i];
		const struct spin_work *work = spin_find_work(job->work);

		if (job->crowded && competitor < 0) {
			bind_to_one_cpu();
			competitor = start_competitor();
		}
		report_work(report, work, job->n, job->crowded);
		for (size_t event = 0; event < group->count; event++) {
			struct measurement measurement =
				measure_work(group, event, work, job->n, cycles_derivable);

			report_measurement(report, &counted_events[event], work, job->n,
					   job->crowded, &measurement);
		}
	}
	if (competitor > 0)
		waitpid(competitor, NULL, 0);
	report_end(report);
}

static int explain_failure(const struct report *report, int failed)
{
	const char *start = report->tap ? "1..0 # SKIP " : "";
	int error = errno;

	if (failed == COUNTED_EVENTS)
		printf("%sThe group of events cannot be enabled: %s.\n", start, strerror(error));
	else
		printf("%s%s cannot be opened: %s.\n", start, counted_events[failed].name,
		       strerror(error));
	if (!report->tap && error == ENOENT)
		printf("The kernel found no PMU that counts it. A virtual machine needs a vPMU, or the\n"
		       "emulated one: tools/tally run --pmu emulated.\n");
	return EXIT_NO_PMU;
}

int main(int argc, char **argv)
{
	struct report report = { .tap = false };
	struct pmu_description pmu;
	struct counted_group group;

	if (argc == 2 && strcmp(argv[1], "--perfctr") == 0) {
		int result = perfctr_report();

		return result < 0 ? EXIT_NO_PMU : result ? EXIT_WRONG : EXIT_EXACT;
	}
	if (argc == 2 && strcmp(argv[1], "--tap") == 0) {
		report.tap = true;
	} else if (argc != 1) {
		fprintf(stderr, "selfmon: unexpected '%s'; usage: selfmon [--tap | --perfctr]\n",
			argv[argc - 1]);
		return EXIT_USAGE;
	}

	pmu_describe(&pmu);
	report_pmu(&report, &pmu);
	int failed = group_open(&group);
	if (failed >= 0)
		return explain_failure(&report, failed);
	report_group(&report, &group);
	measure_all(&report, &group, pmu.derived_cycles);
	group_close(&group);
	return report.wrong == 0 ? EXIT_EXACT : EXIT_WRONG;
}
