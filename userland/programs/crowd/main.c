/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd - the cost of a context switch when many tasks are ready to run.
 *
 *     crowd [N]...     (10 100 1000 10000)
 *
 * For each N, ascending, N threads on CPU 0 yield again and again, and crowd prints
 * the cost of one switch: kernel instructions of CPU 0, divided by the switches there. Alpha's counters cannot leave
 * out the program's own, which are 3. Needs the right to count a whole CPU.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Shares all but its stack, which it does not use: Linux's CLONE_VM, FS, FILES, SIGHAND, THREAD. */
#define THREAD_FLAGS 0x00010f00ul

#ifdef __alpha__
#define KERNEL_ONLY 0
#else
#define KERNEL_ONLY 1
#endif

#define SIZES_MAX      16

/* Switches that are measured for each N, at least. */
#define SWITCHES_LEAST 20000

/* A thread that only gives way, until the process ends. 0, or a negative error. */
static long start_thread(void)
{
	long result;

#ifdef __alpha__
	register long v0 __asm__("$0") = SYS_clone;
	register long a0 __asm__("$16") = THREAD_FLAGS;
	register long a1 __asm__("$17") = 0;
	register long a2 __asm__("$18") = 0;
	register long a3 __asm__("$19") = 0;
	register long a4 __asm__("$20") = 0;

	/* An error is in a3. */
	__asm__ volatile("call_pal 0x83\n\t"
			 "bne $19, 2f\n\t"
			 "bne $0, 2f\n"
			 "1:\tlda $0, %[yield]($31)\n\t"
			 "call_pal 0x83\n\t"
			 "br $31, 1b\n"
			 "2:"
			 : "+r"(v0), "+r"(a3), "+r"(a4)
			 : "r"(a0), "r"(a1), "r"(a2), [yield] "i"(SYS_sched_yield)
			 : "memory");
	result = a3 ? -v0 : v0;
#else
	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 2f\n"
			 "1:\tmov %[yield], %%eax\n\t"
			 "syscall\n\t"
			 "jmp 1b\n"
			 "2:"
			 : "=a"(result)
			 : "0"((long)SYS_clone), "D"(THREAD_FLAGS), "S"(0l),
			   "d"(0l), [yield] "i"(SYS_sched_yield)
			 : "rcx", "r8", "r10", "r11", "memory");
#endif
	return result < 0 ? result : 0;
}

/* The first thread comes before all others, which it makes, or is one of them. */
static void set_first(bool before)
{
	/* SCHED_FIFO, which threads do not inherit (SCHED_RESET_ON_FORK), or SCHED_OTHER. */
	const int policy = before ? 1 | 0x40000000 : 0, priority = before ? 1 : 0;

	if (syscall(__NR_sched_setscheduler, 0, policy, &priority) < 0) {
		fprintf(stderr, "crowd: sched_setscheduler: %s\n", strerror(errno));
		exit(2);
	}
}

/* A counter of all that happens on CPU 0; ends the program if there can be none. */
static int open_counter(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config, .exclude_user = KERNEL_ONLY
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0) {
		fprintf(stderr, "crowd: counting CPU 0: %s\n", strerror(errno));
		exit(2);
	}
	return (int)fd;
}

static uint64_t read_counter(int fd)
{
	uint64_t count = 0;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		abort();
	return count;
}

/* Instructions of one turn. */
static uint64_t measure(int instructions, int switches)
{
	uint64_t first_switch, last_switch, first, last;

	/* Each thread's first switch is unlike the others. */
	for (int i = 0; i < 2; i++)
		sched_yield();
	first_switch = read_counter(switches);
	first = read_counter(instructions);
	do {
		sched_yield();
		last = read_counter(instructions);
		last_switch = read_counter(switches);
	} while (last_switch - first_switch < SWITCHES_LEAST);
	return (last - first) / (last_switch - first_switch);
}

int main(int argc, char **argv)
{
	static char *usual[] = { "10", "100", "1000", "10000", NULL };
	/* CPU 0 alone. */
	unsigned long mask = 1;
	char **sizes = argc > 1 ? argv + 1 : usual;
	unsigned long threads = 1;
	struct {
		unsigned long threads;
		uint64_t instructions;
	} costs[SIZES_MAX];
	size_t count = 0;

	if (syscall(SYS_sched_setaffinity, 0, sizeof(mask), &mask) < 0) {
		fprintf(stderr, "crowd: staying on CPU 0: %s\n", strerror(errno));
		return 2;
	}
	/* Linux has it, and allows the caller or does not. */
	int limit = open("/proc/sys/kernel/threads-max", O_WRONLY);

	if (limit >= 0 && write(limit, "20000", 5) < 0)
		fprintf(stderr, "crowd: raising the limit of threads: %s\n", strerror(errno));
	int instructions = open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	int switches = open_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);

	for (; *sizes; sizes++) {
		unsigned long requested = strtoul(*sizes, NULL, 10);

		/* Else it would have an ever smaller share of the CPU to make them in. */
		set_first(true);
		for (; threads < requested; threads++) {
			long error = start_thread();

			if (error) {
				fprintf(stderr, "crowd: thread %lu: %s\n", threads,
					strerror((int)-error));
				return 1;
			}
		}
		set_first(false);
		if (count == SIZES_MAX)
			break;
		/* Printing takes longer than a switch; the scheduler would pay it back now with switches of all. */
		costs[count].threads = threads;
		costs[count++].instructions = measure(instructions, switches);
	}
	for (size_t i = 0; i < count; i++)
		printf("turn_among_%lu%s %" PRIu64 "\n", costs[i].threads, KERNEL_ONLY ? ":k" : "",
		       costs[i].instructions);
	return 0;
}
