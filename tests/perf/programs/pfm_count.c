// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that is linked with libpfm4: it lists the events that the CPU's architecture promises, then
 * translates names into attributes and counts known work with each.
 */
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PASSES = 1000000 };

static void work(uint64_t passes)
{
	__asm__ volatile("1:	dec %0\n"
			 "	jnz 1b\n"
			 : "+r"(passes));
}

static void list(void)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

	if (pfm_get_pmu_info(PFM_PMU_INTEL_X86_ARCH, &pmu) != PFM_SUCCESS || !pmu.is_present) {
		printf("the architecture's events are not there\n");
		return;
	}
	for (int event = pmu.first_event; event >= 0; event = pfm_get_event_next(event)) {
		pfm_event_info_t info = { .size = sizeof(info) };

		if (pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS)
			printf("event %s::%s\n", pmu.name, info.name);
	}
}

/* Prints how many of EVENT there are in the work, and around it. */
static void count(const char *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t encoding = { .attr = &attr, .size = sizeof(encoding) };
	uint64_t values[2];

	int error = pfm_get_os_event_encoding(event, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
	if (error != PFM_SUCCESS) {
		printf("%s: %s\n", event, pfm_strerror(error));
		return;
	}
	attr.disabled = 1;
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	for (int i = 0; i < 2; i++) {
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		work(i ? 2 * PASSES : PASSES);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (read(fd, &values[i], sizeof(values[i])) != sizeof(values[i])) {
			perror(event);
			return;
		}
	}
	printf("%s: %llu\n", event, (unsigned long long)(values[1] - values[0]));
	close(fd);
}

int main(int count_of_words, char **words)
{
	int error = pfm_initialize();

	if (error != PFM_SUCCESS) {
		printf("libpfm4: %s\n", pfm_strerror(error));
		return 1;
	}
	list();
	for (int i = 1; i < count_of_words; i++)
		count(words[i]);
	return 0;
}
