// SPDX-License-Identifier: BSD-2-Clause
/* Self-monitoring by perfctr: the descriptor, its commands, and the read that starts again after a switch. */
#include "libperfctr.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

int vperfctr_open(struct vperfctr *set)
{
	int device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	void *page;

	if (device < 0)
		return -1;
	set->fd = ioctl(device, VPERFCTR_CREAT, 0);
	int error = errno;

	close(device);
	errno = error;
	if (set->fd < 0)
		return -1;
	page = mmap(NULL, page_size(), PROT_READ, MAP_SHARED, set->fd, 0);
	if (page == MAP_FAILED || ioctl(set->fd, PERFCTR_INFO, &set->info)) {
		error = errno;
		close(set->fd);
		errno = error;
		return -1;
	}
	set->state = page;
	return 0;
}

void vperfctr_close(struct vperfctr *set)
{
	munmap((void *)(uintptr_t)set->state, page_size());
	close(set->fd);
}

int vperfctr_control(struct vperfctr *set, const struct vperfctr_control *control)
{
	return ioctl(set->fd, VPERFCTR_CONTROL, control);
}

int vperfctr_stop(struct vperfctr *set)
{
	return ioctl(set->fd, VPERFCTR_STOP, 0);
}

int vperfctr_iresume(struct vperfctr *set)
{
	return ioctl(set->fd, VPERFCTR_IRESUME, 0);
}

int vperfctr_read_sums(const struct vperfctr *set, struct perfctr_sum_ctrs *sums)
{
	return ioctl(set->fd, VPERFCTR_READ_SUM, sums);
}

bool vperfctr_reads_are_direct(const struct vperfctr *set)
{
	return perfctr_cstatus_has_tsc(set->state->cstatus) &&
	       (set->info.cpu_features & PERFCTR_FEATURE_RDPMC);
}

#ifdef __x86_64__

static inline uint32_t read_tsc(void)
{
	uint32_t low;

	__asm__ volatile("rdtsc" : "=a"(low) : : "edx", "memory");
	return low;
}

static inline uint32_t read_counter(uint32_t map)
{
	uint32_t low;

	__asm__ volatile("rdpmc" : "=a"(low) : "c"(map) : "edx", "memory");
	return low;
}

#else

/* PERFCTR_FEATURE_RDPMC is not set. */
static inline uint32_t read_tsc(void)
{
	return 0;
}

static inline uint32_t read_counter(uint32_t map)
{
	return map;
}

#endif

bool vperfctr_try_read_pmc(const struct vperfctr *set, unsigned int i, unsigned long long *sum)
{
	const volatile struct perfctr_cpu_state *state = set->state;
	unsigned int tsc_start = state->tsc_start;

	*sum = state->pmc[i].sum;
	/* An overflow has stopped the counters, but not the TSC. */
	if (i < perfctr_cstatus_nrctrs(state->cstatus))
		*sum += read_counter(state->pmc[i].map) - state->pmc[i].start;
	return state->tsc_start == tsc_start;
}

unsigned long long vperfctr_read_pmc(const struct vperfctr *set, unsigned int i)
{
	unsigned long long sum;

	if (!vperfctr_reads_are_direct(set)) {
		struct perfctr_sum_ctrs sums;

		return vperfctr_read_sums(set, &sums) ? 0 : sums.pmc[i];
	}
	while (!vperfctr_try_read_pmc(set, i, &sum))
		;
	return sum;
}

unsigned long long vperfctr_read_tsc(const struct vperfctr *set)
{
	const volatile struct perfctr_cpu_state *state = set->state;
	unsigned long long sum;
	unsigned int tsc_start;

	if (!vperfctr_reads_are_direct(set)) {
		struct perfctr_sum_ctrs sums;

		return vperfctr_read_sums(set, &sums) ? 0 : sums.tsc;
	}
	do {
		tsc_start = state->tsc_start;
		sum = state->tsc_sum + (uint32_t)(read_tsc() - tsc_start);
	} while (state->tsc_start != tsc_start);
	return sum;
}
