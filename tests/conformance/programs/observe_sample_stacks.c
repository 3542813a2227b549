// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples with call chains, registers and stacks, of good and of hostile stacks. For x86-64.
 */
#include <asm/perf_regs.h>
#include <sched.h>

#include "record.h"
#include "sampling.h"

enum { PERIOD = 500, STACK_PART = 65536 };

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

#ifndef __alpha__

/* --- chains, registers, stacks --- */

/*
 * long chain_work(int fd, uint64_t depth): DEPTH nested calls with frame pointers; the innermost enables the event,
 * runs a loop with known registers, and disables it.
 */
long chain_work(int fd, uint64_t depth);

long chain_loop(int fd);
extern const char chain_return[], chain_inner[], chain_loop_start[], chain_loop_end[];

__asm__(".text\n"
	".globl chain_work, chain_return, chain_inner, chain_loop, chain_loop_start, chain_loop_end\n"
	"chain_work:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	dec %rsi\n"
	"	jz 1f\n"
	"	call chain_work\n"
	"chain_return:\n"
	"	pop %rbp\n"
	"	ret\n"
	"1:	call chain_loop\n"
	"chain_inner:\n"
	"	pop %rbp\n"
	"	ret\n"
	"chain_loop:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rbx\n"
	"	movabs $0x1122334455667788, %rbx\n"
	"	push %rbx\n"
	"	mov %edi, %r9d\n"
	"	mov $16, %eax\n"
	"	mov $0x2400, %esi\n"
	"	xor %edx, %edx\n"
	"	syscall\n"
	"	mov $0x5a5a, %r8d\n"
	"	mov $1000, %ecx\n"
	"chain_loop_start:\n"
	"	dec %rcx\n"
	"	jnz chain_loop_start\n"
	"chain_loop_end:\n"
	"	mov $16, %eax\n"
	"	mov $0x2401, %esi\n"
	"	mov %r9d, %edi\n"
	"	syscall\n"
	"	pop %rbx\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n");

/* The same on another stack, which ends at TOP. */
long chain_work_on(int fd, uint64_t depth, void *top);

__asm__(".text\n"
	".globl chain_work_on\n"
	"chain_work_on:\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rdx, %rsp\n"
	"	call chain_work\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	ret\n");

/* Large enough that there is always as much stack as a sample can have. */
static unsigned char work_stack[3 * STACK_PART] __attribute__((aligned(16)));

static const char *place(uint64_t address)
{
	static const struct {
		uint64_t value;
		const char *name;
	} marks[] = { { (uint64_t)PERF_CONTEXT_KERNEL, "KERNEL" },
		      { (uint64_t)PERF_CONTEXT_USER, "USER" } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (address == marks[i].value)
			return marks[i].name;
	if (address >= (uint64_t)chain_loop_start && address <= (uint64_t)chain_loop_end)
		return "loop";
	if (address == (uint64_t)chain_inner)
		return "inner";
	if (address == (uint64_t)chain_return)
		return "return";
	return address >> 63 ? "kernel" : "elsewhere";
}

/* A user sample in the loop of chain_work: 1,000 iterations after the enabling call. */
/* The first sample that running the work at DEPTH leaves is in `record` afterwards; its size. */
static size_t sample_work(const union attr *attr, uint64_t depth)
{
	int fd = must_open(attr, -1);
	struct buffer buffer = map_buffer(fd, 64, PROT_READ | PROT_WRITE);
	size_t size;

	memset(work_stack, 0x5a, sizeof(work_stack));
	chain_work_on(fd, depth, work_stack + STACK_PART);
	do
		size = next_record(&buffer, record);
	while (size && header->type != PERF_RECORD_SAMPLE);
	unmap_buffer(&buffer);
	close(fd);
	return size;
}

static void show_chain(const char *when, int most)
{
	uint64_t count = word64(8);
	char text[512] = "";
	size_t used = 0;

	for (uint64_t i = 0; i < count && i < (uint64_t)most; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 place(word64(16 + 8 * i)));
	show(text, "%s: the chain begins", when);
}

/* How much there is of a sample at DEPTH that has at most MOST frames; 0: as many as any. */
static void show_limited(const char *when, unsigned int most, uint64_t depth)
{
	union attr attr;

	attr_sampling(&attr, PERIOD, PERF_SAMPLE_CALLCHAIN);
	attr.fields.sample_max_stack = (uint16_t)most;
	sample_work(&attr, depth);
	show_number((long long)word64(8), when, "entries");
	show_number(header->size, when, "size");
}

static const char *limit_frames(const char *text)
{
	int fd = open("/proc/sys/kernel/perf_event_max_stack", O_WRONLY);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done ? "yes" : "no";
}

/* Chains that are longer than the usual limit, which is raised first. */
static void long_chains(void)
{
	show(limit_frames("600"), "600 frames are allowed");
	show_limited("longer than usual, 128", 128, 700);
	show_limited("longer than usual, 599", 599, 700);
	show_limited("longer than usual, 600", 600, 700);
	show_limited("longer than usual, any number", 0, 700);
	show_limited("longer than usual, all there are", 600, 400);
	show(limit_frames("7"), "7 frames are allowed");
	show_limited("shorter than usual, any number", 0, 700);
	show(limit_frames("127"), "127 frames are allowed again");
}

static void chains(void)
{
	union attr attr;

	for (int depth = 1; depth <= 5; depth += 2) {
		char when[64];

		snprintf(when, sizeof(when), "depth %d", depth);
		attr_sampling(&attr, PERIOD, PERF_SAMPLE_CALLCHAIN);
		show(sample_work(&attr, (uint64_t)depth) ? "yes" : "no", "%s: sampled", when);
		show_chain(when, 2 + depth);
	}
	for (unsigned int most = 1; most <= 127; most += 42) {
		char when[64];

		snprintf(when, sizeof(when), "at most %u", most);
		show_limited(when, most, 200);
	}
	long_chains();
	attr_sampling(&attr, PERIOD, PERF_SAMPLE_CALLCHAIN);
	attr.fields.exclude_callchain_user = 1;
	sample_work(&attr, 3);
	show_number((long long)word64(8), "no user part", "entries");
	attr_sampling(&attr, PERIOD, PERF_SAMPLE_CALLCHAIN);
	attr.fields.exclude_callchain_kernel = 1;
	sample_work(&attr, 3);
	show_chain("no kernel part", 5);

	/* Sampled in the kernel: first its own part, then the user's. */
	attr_dummy(&attr);
	attr.fields.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_CALLCHAIN;
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, 16, PROT_READ | PROT_WRITE);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	usleep(50000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (next_record(&buffer, record)) {
		uint64_t count = word64(8), user = 0;

		while (user < count && word64(16 + 8 * user) != (uint64_t)PERF_CONTEXT_USER)
			user++;
		show_chain("in the kernel", 3);
		show(user > 2 && user + 1 < count ? "yes" : "no",
		     "in the kernel: the user's part follows");
	}
	unmap_buffer(&buffer);
	close(fd);
}

/* Hostile frame pointers: to themselves, to nowhere, to the kernel, across the end of a page. */
long hostile_work(int fd, uint64_t frame_pointer);

__asm__(".text\n"
	".globl hostile_work\n"
	"hostile_work:\n"
	"	push %rbp\n"
	"	mov %rsi, %rbp\n"
	"	mov %edi, %r9d\n"
	"	mov $16, %eax\n"
	"	mov $0x2400, %esi\n"
	"	xor %edx, %edx\n"
	"	syscall\n"
	"	mov $1000, %ecx\n"
	"1:	dec %rcx\n"
	"	jnz 1b\n"
	"	mov $16, %eax\n"
	"	mov $0x2401, %esi\n"
	"	mov %r9d, %edi\n"
	"	syscall\n"
	"	pop %rbp\n"
	"	ret\n");

static void hostile_stacks(void)
{
	unsigned char *page = page_before_a_hole();
	static uint64_t loop[2];
	const struct {
		const char *name;
		uint64_t frame_pointer;
	} rows[] = {
		{ "to itself", (uint64_t)loop },
		{ "to 0", 0 },
		{ "to 1", 1 },
		{ "to the kernel", 0xffffffff81000000 },
		{ "to no address", 0x8000000000000000 },
		{ "to the last of user space", 0x00007ffffffffff8 },
		{ "to the end of a page", (uint64_t)page + PAGE_BYTES - 16 },
		{ "across the end of a page", (uint64_t)page + PAGE_BYTES - 8 },
		{ "unaligned", (uint64_t)page + 1 },
	};

	loop[0] = (uint64_t)loop;
	loop[1] = 0x1234;
	page[0] = 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union attr attr;

		attr_sampling(&attr, PERIOD, PERF_SAMPLE_CALLCHAIN);
		int fd = must_open(&attr, -1);
		struct buffer buffer = map_buffer(fd, 64, PROT_READ | PROT_WRITE);

		hostile_work(fd, rows[i].frame_pointer);
		if (next_record(&buffer, record))
			show_number((long long)word64(8), "frame pointer", rows[i].name);
		unmap_buffer(&buffer);
		close(fd);
	}
}

static void registers(void)
{
	static const struct {
		const char *name;
		uint64_t sample_type;
	} rows[] = { { "user registers", PERF_SAMPLE_REGS_USER },
		     { "interrupted registers", PERF_SAMPLE_REGS_INTR } };
	const uint64_t mask = 1ull << PERF_REG_X86_BX | 1ull << PERF_REG_X86_IP |
			      1ull << PERF_REG_X86_CS | 1ull << PERF_REG_X86_SS |
			      1ull << PERF_REG_X86_R8;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union attr attr;
		char text[32];

		attr_sampling(&attr, PERIOD, rows[i].sample_type);
		attr.fields.sample_regs_user = attr.fields.sample_regs_intr = mask;
		show_number((long long)sample_work(&attr, 1), rows[i].name, "size");
		show_number((long long)word64(8), rows[i].name, "ABI");
		snprintf(text, sizeof(text), "%llx", (unsigned long long)word64(16));
		show(text, "%s: rbx", rows[i].name);
		show(place(word64(24)), "%s: rip", rows[i].name);
		show_number((long long)word64(32), rows[i].name, "cs");
		show_number((long long)word64(40), rows[i].name, "ss");
		snprintf(text, sizeof(text), "%llx", (unsigned long long)word64(48));
		show(text, "%s: r8", rows[i].name);
	}
}

static void stacks(void)
{
	static const uint32_t sizes[] = { 8, 16, 256, 4096, 32768, 65528 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		union attr attr;
		char when[64];

		snprintf(when, sizeof(when), "stack of %u bytes", sizes[i]);
		attr_sampling(&attr, PERIOD, PERF_SAMPLE_STACK_USER);
		attr.fields.sample_stack_user = sizes[i];
		show_number((long long)sample_work(&attr, 1), when, "size of the record");
		uint64_t size = word64(8);

		show_number((long long)size, when, "size");
		show(word64(16) == 0x1122334455667788 ? "yes" : "no", "%s: what was pushed last",
		     when);
		show_number((long long)word64(16 + size), when, "copied");
	}
}

/* Everything at once is in the ABI's order: the words in front keep their places. */
static void everything(void)
{
	union attr attr;

	attr_sampling(&attr, PERIOD,
		      PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			      PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
			      PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_AUX |
			      1ull << 21 | 1ull << 22 | 1ull << 23);
	attr.fields.sample_max_stack = 2;
	attr.fields.sample_regs_user = 1ull << PERF_REG_X86_BX;
	attr.fields.sample_regs_intr = 1ull << PERF_REG_X86_R8;
	attr.fields.sample_stack_user = 8;
	show_number((long long)sample_work(&attr, 1), "everything", "size");
	for (size_t i = 1; i < header->size / 8u; i++) {
		char name[32], text[32];

		snprintf(name, sizeof(name), "word %zu", i);
		uint64_t word = word64(8 * i);

		snprintf(text, sizeof(text), "%llx", (unsigned long long)word);
		show(word > 0x400000 && word < 0x4000000 ? place(word) : text, "everything: %s",
		     name);
	}
}
#endif

int main(void)
{
	run_on(0);
	chains();
	hostile_stacks();
	registers();
	stacks();
	everything();
	return 0;
}
