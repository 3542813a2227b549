/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vDSO: clocks and the CPU's number, for programs, in user mode. Names and meaning: vdso(7),
 * "x86-64 functions". Other requests go to the kernel by a system call.
 *
 * The code is position-independent and has no data but the kernel's page (vdso.lds).
 */
#include <stddef.h>
#include <stdint.h>

#include <kernel/task/vdso.h>
#include <uapi/asm/unistd.h>
#include <uapi/linux/time.h>

extern const volatile struct vdso_data vdso_data __attribute__((visibility("hidden")));

#define NSEC_PER_SEC   1000000000ull
#define NSEC_PER_USEC  1000
/* The resolution that the kernel's coarse clocks report. */
#define COARSE_NS      4000000

/* Linux's layout of TSC_AUX: the CPU in the low 12 bits, the node above. */
#define AUX_NODE_SHIFT 12
#define AUX_CPU_MASK   0xfff

enum origin { ORIGIN_ELSEWHERE, ORIGIN_BOOT, ORIGIN_EPOCH };

/* Maps a clock's number to its origin. A table would need relocations in read-only data. */
static inline enum origin origin_of(int clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		return ORIGIN_EPOCH;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		return ORIGIN_BOOT;
	default:
		return ORIGIN_ELSEWHERE;
	}
}

static inline long system_call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* LFENCE: the read must not overtake the program's earlier instructions (SDM vol. 2B, RDTSC). */
static inline uint64_t read_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t now_ns(void)
{
	return vdso_data.offset_ns +
	       (uint64_t)((unsigned __int128)read_counter() * vdso_data.mult >> vdso_data.shift);
}

int __vdso_clock_gettime(int clock, struct kernel_timespec *time)
{
	enum origin origin = origin_of(clock);

	if (origin == ORIGIN_ELSEWHERE || !vdso_data.mult)
		return (int)system_call(__NR_clock_gettime, clock, (long)time, 0);
	uint64_t ns = now_ns() + (origin == ORIGIN_EPOCH ? vdso_data.epoch_ns : 0);

	time->tv_sec = (int64_t)(ns / NSEC_PER_SEC);
	time->tv_nsec = (int64_t)(ns % NSEC_PER_SEC);
	return 0;
}

int __vdso_clock_getres(int clock, struct kernel_timespec *resolution)
{
	if (origin_of(clock) == ORIGIN_ELSEWHERE)
		return (int)system_call(__NR_clock_getres, clock, (long)resolution, 0);
	if (resolution) {
		resolution->tv_sec = 0;
		resolution->tv_nsec = clock == CLOCK_REALTIME_COARSE ||
						      clock == CLOCK_MONOTONIC_COARSE ?
					      COARSE_NS :
					      1;
	}
	return 0;
}

int __vdso_gettimeofday(struct kernel_timeval *time, int32_t zone[2])
{
	if (!vdso_data.mult)
		return (int)system_call(__NR_gettimeofday, (long)time, (long)zone, 0);
	if (time) {
		uint64_t ns = now_ns() + vdso_data.epoch_ns;

		time->tv_sec = (int64_t)(ns / NSEC_PER_SEC);
		time->tv_usec = (int64_t)(ns % NSEC_PER_SEC / NSEC_PER_USEC);
	}
	if (zone) {
		uint64_t both = vdso_data.zone;

		zone[0] = (int32_t)both;
		zone[1] = (int32_t)(both >> 32);
	}
	return 0;
}

int64_t __vdso_time(int64_t *seconds)
{
	if (!vdso_data.mult)
		return system_call(__NR_time, (long)seconds, 0, 0);
	int64_t now = (int64_t)((now_ns() + vdso_data.epoch_ns) / NSEC_PER_SEC);

	if (seconds)
		*seconds = now;
	return now;
}

long __vdso_getcpu(unsigned int *cpu, unsigned int *node, void *unused)
{
	uint32_t aux;

	if (!vdso_data.knows_cpu)
		return system_call(__NR_getcpu, (long)cpu, (long)node, (long)unused);
	__asm__ volatile("rdtscp" : "=c"(aux) : : "eax", "edx");
	if (cpu)
		*cpu = aux & AUX_CPU_MASK;
	if (node)
		*node = aux >> AUX_NODE_SHIFT;
	return 0;
}

/* Names without the prefix, for programs that look for them. */
#define ALIAS(name) __typeof__(__vdso_##name) name __attribute__((weak, alias("__vdso_" #name)))
ALIAS(clock_gettime);
ALIAS(clock_getres);
ALIAS(gettimeofday);
ALIAS(time);
ALIAS(getcpu);
