// SPDX-License-Identifier: BSD-2-Clause
/*
 * A PMI at each instruction of the kernel's entries and exit paths.
 *
 * An event of all instructions, the kernel's too, gets a period of 1, 2, 3 … and permission for one
 * sample. So the interrupt, an NMI, comes one instruction later each time: on the exit path
 * of the ioctl that arms it, in the test's own code, in the first instructions of a system call or
 * an exception, where the stack and the GS base are still the user's, and in the last ones, where
 * they are again. The interrupted code must not notice.
 *
 * The test assumes no length of these paths: a sweep ends when the samples come after the work.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <asm/unistd.h>
#include <linux/perf_event.h>

#include "registers.h"
#include "sample_limit.h"

#define PAGE	      4096

/* A sweep ends with so many samples in the loop after the work, and fails when it gets so long. */
#define SAMPLES_AFTER 32
#define PERIOD_MAX    20000

/* The loop after the work: longer than the variation of the work. */
#define RUN_ON_TIMES  2500
void run_on(uint64_t times);
extern const char run_on_end[];
__asm__(".text\nrun_on:\nsubq $1, %rdi\njnz run_on\nret\nrun_on_end:\n");

struct sample {
	struct perf_event_header header;
	uint64_t ip;
};

/* The ring of one page after the metadata page. */
struct ring {
	struct perf_event_mmap_page page;
	char unused[PAGE - sizeof(struct perf_event_mmap_page)];
	char data[PAGE];
};

static int fd;
static volatile struct ring *ring;
static unsigned int kernel_samples, user_samples, samples_after;

static void open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 1,
	};

	fd = (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	EXPECT(fd >= 0);
	ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT(ring != MAP_FAILED);
	kernel_samples = user_samples = samples_after = 0;
}

static void close_event(void)
{
	munmap((void *)ring, sizeof(*ring));
	close(fd);
}

/* One sample, PERIOD instructions from somewhere in this call on. */
static void arm(uint64_t period)
{
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PERIOD, &period), 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1), 0);
}

/* Exactly one sample has come; tells kernel from user. */
static void take_sample(uint64_t period)
{
	uint64_t tail = ring->page.data_tail;
	const volatile struct sample *sample = (const volatile void *)(ring->data + tail % PAGE);

	EXPECT_EQ_AT(ring->page.data_head, tail + sizeof(*sample), "period %u",
		     (unsigned int)period);
	EXPECT_EQ(sample->header.type, PERF_RECORD_SAMPLE);
	EXPECT_EQ(sample->header.misc & PERF_RECORD_MISC_CPUMODE_MASK,
		  sample->ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	if (sample->ip >> 63)
		kernel_samples++;
	else
		user_samples++;
	if (sample->ip >= (uintptr_t)run_on && sample->ip < (uintptr_t)run_on_end)
		samples_after++;
	ring->page.data_tail = ring->page.data_head;
}

/* PERIOD is one of the sweep: arms it, calls WORK and checks the sample. */
static void sweep(void (*work)(uint64_t period))
{
	uint64_t period = 0;

	open_event();
	while (samples_after < SAMPLES_AFTER && period < PERIOD_MAX && !tap_failed) {
		work(++period);
		take_sample(period);
	}
	EXPECT_EQ(samples_after, SAMPLES_AFTER);
	EXPECT_EQ(kernel_samples + user_samples, period);
	close_event();
}

static void work_syscall(uint64_t period)
{
	struct registers in = pattern(period), out;

	in.value[RAX] = __NR_getppid;
	arm(period);
	registers_syscall(&in, &out);
	run_on(RUN_ON_TIMES);
	in.value[RAX] = (uint64_t)getppid();
	in.value[RCX] = (uintptr_t)registers_after_syscall;
	in.value[R11] = in.value[RFLAGS];
	expect_same(&out, &in);
}

static void check_syscall(void)
{
	sweep(work_syscall);
}

static void work_page_fault(uint64_t period)
{
	struct registers in = pattern(period), out;
	unsigned char *page =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(page != MAP_FAILED);
	in.value[RBX] = (uintptr_t)page;
	arm(period);
	registers_touch(&in, &out);
	run_on(RUN_ON_TIMES);
	in.value[RAX] &= ~(uint64_t)0xff;
	expect_same(&out, &in);
	munmap(page, PAGE);
}

static void check_page_fault(void)
{
	sweep(work_page_fault);
}

/* Through a signal: an exception, the handler's frame, and rt_sigreturn, which leaves by IRET. */
static volatile uint64_t signals;

static void on_trap(int signal)
{
	signals += signal == SIGTRAP;
}

static void work_signal(uint64_t period)
{
	struct registers in = pattern(period), out;

	arm(period);
	registers_breakpoint(&in, &out);
	run_on(RUN_ON_TIMES);
	expect_same(&out, &in);
	EXPECT_EQ(signals, period);
}

static void check_signal(void)
{
	struct sigaction action = { .sa_handler = on_trap };

	signals = 0;
	sigaction(SIGTRAP, &action, NULL);
	sweep(work_signal);
	action.sa_handler = SIG_DFL;
	sigaction(SIGTRAP, &action, NULL);
}

static const struct tap_rule rules[] = {
	{ "a PMI at any instruction of a system call changes no register", check_syscall },
	{ "a PMI at any instruction of a page fault changes no register", check_page_fault },
	{ "a PMI at any instruction of a signal changes no register", check_signal },
};

int main(void)
{
	return sample_limit_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
