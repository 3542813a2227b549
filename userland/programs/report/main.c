// SPDX-License-Identifier: BSD-2-Clause
/*
 * report - judges the PMU of the machine that it runs on, and says which rule is broken.
 *
 *     report          judges all rules: TAP, with the machine before it and the verdict after it
 *     report --msr    the same through /dev/cpu/N/msr only, as on Linux
 *     report --list   prints all rules: name, manual, what breaks for users; separated by tabs
 *
 * docs/report.md has the rules in prose. Run it as root. On Tally the kernel needs the word pmu=off, or
 * perf_event's driver and this program use the same counters; on Linux the module msr.
 *
 * Exit status: 0 all rules hold that could be judged; 1 a rule is broken; 2 wrong use; 3 there are no registers to
 * be had.
 */
#include "machine.h"
#include "registers.h"
#include "report.h"
#include "shape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum exit_status { EXIT_ALL_HOLD, EXIT_BROKEN, EXIT_USAGE, EXIT_NO_ACCESS };

static void print_machine(void)
{
	printf("# Tally PMU report, format 1\n");
	printf("# Processor  %s, %s\n", shape.vendor_name, shape.model);
	if (shape.hypervisor[0])
		printf("# Machine    virtual, by %s\n", shape.hypervisor);
	printf("# CPUs       %u\n", machine.cpus);
	if (!shape.has_pmu) {
		printf("# PMU        none is announced\n");
	} else if (shape.vendor == VENDOR_INTEL) {
		printf("# PMU        Intel's architectural performance monitoring, version %u\n",
		       shape.version);
		printf("#            %u general counters of %u bits, %d fixed of %u\n",
		       shape.counters, shape.width, __builtin_popcount(shape.fixed),
		       shape.fixed_width);
	} else {
		printf("# PMU        AMD's, %s\n",
		       shape.version == AMD_PERFMON_V2 ? "PerfMonV2" :
		       shape.version == AMD_CORE       ? "core performance extensions" :
							 "the four counters of K7");
		printf("#            %u counters of %u bits\n", shape.counters, shape.width);
	}
	if (machine.access != ACCESS_STEPS)
		printf("# Limits     %s\n", machine.reason);
}

int main(int argc, char **argv)
{
	unsigned int broken;

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		engine_list();
		return EXIT_ALL_HOLD;
	}
	bool only_msr = argc == 2 && strcmp(argv[1], "--msr") == 0;

	if (argc != 1 && !only_msr) {
		fprintf(stderr, "report: unexpected '%s'; usage: report [--msr | --list]\n",
			argv[argc - 1]);
		return EXIT_USAGE;
	}
	machine_open(only_msr);
	shape_read();
	registers_note_start();
	print_machine();
	broken = engine_run();
	machine_close();
	if (broken)
		return EXIT_BROKEN;
	return machine.access == ACCESS_NONE ? EXIT_NO_ACCESS : EXIT_ALL_HOLD;
}
