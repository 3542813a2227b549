// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with perfctr's sets of counters: commands with random control data and hostile pointers, on sets and on
 * other descriptors. The counters are perf_event's most of the time, so a set is closed soon.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <fcntl.h>
#include <linux/perfctr.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void any_control(struct fuzzer *fuzzer, struct vperfctr_control *control)
{
	struct perfctr_cpu_control *cpu = &control->cpu_control;

	memset(control, 0, sizeof(*control));
	control->si_signo = pick(fuzzer, 4) ? SIGUSR1 : (int)fuzz_edge(fuzzer);
	control->preserve = pick(fuzzer, 2) ? 0 : UINT32_MAX;
	cpu->tsc_on = pick(fuzzer, 2);
	cpu->nractrs = pick(fuzzer, 3);
	cpu->nrictrs = pick(fuzzer, 3);
	for (unsigned int i = 0; i < 4; i++) {
		cpu->pmc_map[i] = i;
		/* EN, USR, instructions, and INT where it interrupts. */
		cpu->evntsel[i] = 0x4100c0 | (i < cpu->nractrs ? 0 : 0x100000);
		cpu->ireset[i] = -(int)pick(fuzzer, 10000);
	}
	if (pick(fuzzer, 3) == 0)
		((unsigned int *)cpu)[pick(fuzzer, sizeof(*cpu) / sizeof(unsigned int))] =
			(unsigned int)fuzz_edge(fuzzer);
}

static long command(struct fuzzer *fuzzer, int fd)
{
	static const unsigned int commands[] = { PERFCTR_INFO,	    VPERFCTR_CREAT,
						 VPERFCTR_CONTROL,  VPERFCTR_CONTROL,
						 VPERFCTR_CONTROL,  VPERFCTR_STOP,
						 VPERFCTR_IRESUME,  VPERFCTR_READ_SUM,
						 VPERFCTR_READ_SUM, VPERFCTR_READ_CONTROL };
	static union {
		struct perfctr_info info;
		struct perfctr_sum_ctrs sums;
		struct vperfctr_control control;
	} memory;
	unsigned int request = PICK(fuzzer, commands);
	void *argument = pick(fuzzer, 8) ? (void *)&memory : fuzz_any_pointer(fuzzer);

	if (request == VPERFCTR_CONTROL)
		any_control(fuzzer, &memory.control);
	long result = ioctl(fd, request, argument);

	if (request == VPERFCTR_CREAT && result >= 0)
		close((int)result);
	else if (result == 0 && argument == &memory)
		leak_check(&memory, sizeof(memory), "perfctr");
	return result;
}

static long use_set(struct fuzzer *fuzzer)
{
	int device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	long result = ioctl(device, VPERFCTR_CREAT, 0);
	int set = (int)result;

	for (unsigned int count = pick(fuzzer, 20); set >= 0 && count; count--) {
		command(fuzzer, set);
		fuzz_work(pick(fuzzer, 1000));
	}
	command(fuzzer, device);
	close(set);
	close(device);
	return result;
}

static long command_any(struct fuzzer *fuzzer)
{
	return command(fuzzer, fuzz_any_fd(fuzzer));
}

const struct operation fuzz_perfctr_operations[] = {
	{ "use_set", use_set, 3 },
	{ "command_any", command_any, 2 },
	{ 0 },
};
