// SPDX-License-Identifier: BSD-2-Clause
/*
 * Breakpoints as perf events: which can be opened by whom and how many, what they count, what their samples say, and
 * how they are changed while they are open. Through a tracer's debug registers: observe_debug_registers.c.
 */
#include "buffer.h"
#include "child.h"

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define KERNEL_ADDRESS 0xffffffff81000000ull

/* What is watched: 32 bytes, aligned. */
static volatile union {
	uint8_t bytes[32];
	uint16_t halves[16];
	uint32_t words[8];
	uint64_t longs[4];
} watched __attribute__((aligned(32)));

static void attr_breakpoint(union attr *attr, uint32_t type, uint64_t address, uint64_t size)
{
	attr_dummy(attr);
	attr->fields.type = PERF_TYPE_BREAKPOINT;
	attr->fields.config = 0;
	attr->fields.bp_type = type;
	attr->fields.bp_addr = address;
	attr->fields.bp_len = size;
	attr->fields.disabled = 0;
	attr->fields.exclude_kernel = 1;
}

static void attr_write(union attr *attr)
{
	attr_breakpoint(attr, HW_BREAKPOINT_W, (uint64_t)&watched, 8);
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ull;
}

/* --- opening --- */

static void kinds(const char *who, int exclude_kernel)
{
	static const uint64_t sizes[] = { 0, 1, 2, 3, 4, 8, 16, 1ull << 63 };
	static const struct {
		const char *name;
		uint64_t address;
	} places[] = {
		{ "at 0", 0 },
		{ "of user space", 0x400000 },
		{ "off by 1", 0x400001 },
		{ "off by 4", 0x400004 },
		{ "at the end of user space", 0x7fffffffeff8 },
		{ "that is none", 0x8000000000000000 },
		{ "of the kernel", KERNEL_ADDRESS },
		{ "at the end", 0xfffffffffffffff8 },
		{ "of the last byte", 0xffffffffffffffff },
	};
	union attr attr;

	for (uint32_t type = 0; type <= HW_BREAKPOINT_INVALID; type++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			attr_breakpoint(&attr, type, 0x400000, sizes[i]);
			attr.fields.exclude_kernel = exclude_kernel;
			show(try_open(&attr, 0, -1), "%s: type %u of size %llx", who, type,
			     (unsigned long long)sizes[i]);
		}
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
			attr_breakpoint(&attr, type, places[i].address, 8);
			attr.fields.exclude_kernel = exclude_kernel;
			show(try_open(&attr, 0, -1), "%s: type %u at an address %s", who, type,
			     places[i].name);
		}
	}
	attr_breakpoint(&attr, 16, 0x400000, 4);
	show(try_open(&attr, 0, -1), "%s: unknown type", who);
	attr_write(&attr);
	attr.fields.config = 7;
	show(try_open(&attr, 0, -1), "%s: with a config", who);
	attr_write(&attr);
	show(try_open(&attr, -1, 0), "%s: of a processor", who);
	attr_write(&attr);
	attr.fields.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.fields.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	show(try_open(&attr, 0, -1), "%s: with branch stacks", who);
	attr_write(&attr);
	attr.fields.precise_ip = 2;
	show(try_open(&attr, 0, -1), "%s: precise", who);
}

static void as_user(void)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		union attr attr;

		if (setgid(1000) || setuid(1000))
			_exit(1);
		kinds("user", 1);
		attr_breakpoint(&attr, HW_BREAKPOINT_W, KERNEL_ADDRESS, 8);
		attr.fields.exclude_kernel = 0;
		show(try_open(&attr, 0, -1), "user: the kernel included, of the kernel");
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* --- how many --- */

enum { SLOTS = 4 };

static int take(int *fds, int count, pid_t pid, int cpu)
{
	union attr attr;
	int taken = 0;

	attr_write(&attr);
	while (taken < count && (fds[taken] = (int)open_event(&attr, pid, cpu, -1, 0)) >= 0)
		taken++;
	return taken;
}

static void give_back(const int *fds, int count)
{
	while (count-- > 0)
		close(fds[count]);
}

static void slots(void)
{
	int own[SLOTS + 1], other[SLOTS + 1], wide[SLOTS + 1];
	union attr attr;
	pid_t child = child_that_sleeps();

	attr_write(&attr);
	show_number(take(own, SLOTS + 1, 0, -1), "slots", "for one task");
	show(try_open(&attr, 0, -1), "slots: one more");
	show(try_open(&attr, 0, 0), "slots: one more on one processor");
	show(try_open(&attr, -1, 0), "slots: one of a processor");
	show_number(take(other, SLOTS + 1, child, -1), "slots", "for another task");
	close(own[0]);
	show(try_open(&attr, -1, 0), "slots: one of a processor, one closed");
	close(other[0]);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots",
		    "of a processor, after one of each is closed");
	show(try_open(&attr, 0, -1), "slots: one of the task, which the processor has taken");
	give_back(wide, 1);
	end_child(child);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots",
		    "of a processor, beside three of a task");
	give_back(other + 1, SLOTS - 1);
	give_back(wide, 1);
	give_back(own + 1, SLOTS - 1);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots", "of a processor, alone");
	show(try_open(&attr, 0, -1), "slots: one of a task beside them");
	give_back(wide, SLOTS);

	/* Disabled ones take slots too, and ones that were refused leave none behind. */
	attr.fields.disabled = 1;
	for (int i = 0; i < SLOTS; i++)
		own[i] = (int)open_event(&attr, 0, -1, -1, 0);
	show(try_open(&attr, 0, -1), "slots: beside disabled ones");
	give_back(own, SLOTS);
	attr.fields.bp_len = 3;
	for (int i = 0; i < 2 * SLOTS; i++)
		try_open(&attr, 0, -1);
	show_number(take(own, SLOTS + 1, 0, -1), "slots", "after refusals");
	give_back(own, SLOTS);

	/* A dead task's events keep theirs until they are closed. */
	child = child_that_sleeps();
	show_number(take(other, SLOTS + 1, child, -1), "slots", "for a task that ends");
	end_child(child);
	show(try_open(&attr, child, -1), "slots: for a task that has ended");
	give_back(other, SLOTS);
}

static void inherited_slots(void)
{
	union attr attr;
	int fds[SLOTS], status = 0;

	attr_write(&attr);
	attr.fields.inherit = 1;
	for (unsigned int i = 0; i < SLOTS; i++) {
		attr.fields.bp_addr = (uint64_t)&watched.longs[i];
		fds[i] = (int)open_event(&attr, 0, -1, -1, 0);
	}
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		int more[SLOTS];
		int count = take(more, SLOTS, 0, -1);

		watched.longs[3] = 1;
		_exit(count);
	}
	waitpid(pid, &status, 0);
	show_number(WEXITSTATUS(status), "inherited", "slots that a child has left");
	watched.longs[3] = 1;
	show_number((long long)value_of(fds[3]), "inherited", "stores of both");
	give_back(fds, SLOTS);

	/* Not inherited: the child has all. */
	take(fds, SLOTS, 0, -1);
	pid = fork();
	if (pid == 0) {
		int more[SLOTS + 1];

		_exit(take(more, SLOTS + 1, 0, -1));
	}
	waitpid(pid, &status, 0);
	show_number(WEXITSTATUS(status), "not inherited", "slots that a child has");
	give_back(fds, SLOTS);
}

/* --- what is counted --- */

/* Works in assembly, so that each access is one. */
static void store(void)
{
	__asm__ volatile("movq $1, %0" : "=m"(watched.longs[0]));
}

static void load(void)
{
	uint64_t value;

	__asm__ volatile("movq %1, %0" : "=r"(value) : "m"(watched.longs[0]));
}

static void add(void)
{
	__asm__ volatile("addq $1, %0" : "+m"(watched.longs[0]));
}

static void compare(void)
{
	__asm__ volatile("cmpq $1, %0" : : "m"(watched.longs[0]) : "cc");
}

static void exchange(void)
{
	uint64_t value = 1;

	__asm__ volatile("xchgq %0, %1" : "+r"(value), "+m"(watched.longs[0]));
}

static void store_first_byte(void)
{
	__asm__ volatile("movb $1, %0" : "=m"(watched.bytes[0]));
}

static void store_last_byte(void)
{
	__asm__ volatile("movb $1, %0" : "=m"(watched.bytes[7]));
}

static void store_behind(void)
{
	__asm__ volatile("movb $1, %0" : "=m"(watched.bytes[8]));
}

static void store_across(void)
{
	__asm__ volatile("movq $1, 7(%0)" : : "r"(&watched) : "memory");
}

static void store_half(void)
{
	__asm__ volatile("movw $1, 2(%0)" : : "r"(&watched) : "memory");
}

static void set_string(void)
{
	uint64_t count = 8;
	volatile void *at = &watched;

	__asm__ volatile("rep stosb" : "+c"(count), "+D"(at) : "a"(0) : "memory");
}

static void copy_string(void)
{
	uint64_t count = 2;
	volatile void *to = &watched.longs[2], *from = &watched;

	__asm__ volatile("rep movsq" : "+c"(count), "+D"(to), "+S"(from) : : "memory");
}

static void push(void)
{
	uint64_t *stack = (uint64_t *)&watched.longs[1];

	__asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tpushq $1\n\tmovq %%rbx, %%rsp"
			 :
			 : "r"(stack)
			 : "rbx", "memory");
}

static void system_writes(void)
{
	int fds[2];

	if (pipe(fds) == 0 && write(fds[1], "x", 1) == 1 && read(fds[0], (void *)&watched, 1) == 1)
		close(fds[0]), close(fds[1]);
}

static void system_reads(void)
{
	int fds[2];

	if (pipe(fds) == 0 && write(fds[1], (const void *)&watched, 1) == 1)
		close(fds[0]), close(fds[1]);
}

static const struct {
	const char *name;
	void (*run)(void);
} works[] = {
	{ "store", store },
	{ "load", load },
	{ "add", add },
	{ "compare", compare },
	{ "exchange", exchange },
	{ "store of the first byte", store_first_byte },
	{ "store of the last byte", store_last_byte },
	{ "store behind", store_behind },
	{ "store across the end", store_across },
	{ "store of the second half", store_half },
	{ "rep stosb", set_string },
	{ "rep movsq from it", copy_string },
	{ "push", push },
	{ "read() into it", system_writes },
	{ "write() from it", system_reads },
};

static void counts(void)
{
	static const struct {
		const char *name;
		uint32_t type;
		unsigned int offset;
		uint64_t size;
		int exclude_kernel, exclude_user;
	} rows[] = {
		{ "W 8", HW_BREAKPOINT_W, 0, 8, 1, 0 },
		{ "RW 8", HW_BREAKPOINT_RW, 0, 8, 1, 0 },
		{ "W 4", HW_BREAKPOINT_W, 0, 4, 1, 0 },
		{ "W 2 at 2", HW_BREAKPOINT_W, 2, 2, 1, 0 },
		{ "W 1 at 7", HW_BREAKPOINT_W, 7, 1, 1, 0 },
		{ "RW 1", HW_BREAKPOINT_RW, 0, 1, 1, 0 },
		{ "W 1 with the kernel", HW_BREAKPOINT_W, 0, 1, 0, 0 },
		{ "W 1 of the kernel only", HW_BREAKPOINT_W, 0, 1, 0, 1 },
		{ "RW 1 with the kernel", HW_BREAKPOINT_RW, 0, 1, 0, 0 },
		{ "W 1 of nobody", HW_BREAKPOINT_W, 0, 1, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		union attr attr;

		attr_breakpoint(&attr, rows[i].type, (uint64_t)&watched + rows[i].offset,
				rows[i].size);
		attr.fields.exclude_kernel = rows[i].exclude_kernel;
		attr.fields.exclude_user = rows[i].exclude_user;
		int fd = must_open(&attr, -1);

		for (size_t k = 0; k < sizeof(works) / sizeof(works[0]); k++) {
			ioctl(fd, PERF_EVENT_IOC_RESET, 0);
			works[k].run();
			uint64_t count = value_of(fd);

			show_number((long long)count, rows[i].name, works[k].name);
		}
		close(fd);
	}
}

/* --- execution --- */

void counted_function(void);
void counted_loop(uint64_t rounds);
extern const char counted_label[], behind_label[];
__asm__(".text\n"
	".globl counted_function, counted_loop, counted_label, behind_label\n"
	"counted_function:\n"
	"	nop\n"
	"	ret\n"
	"counted_loop:\n"
	"	nop\n"
	"counted_label:\n"
	"	addq $0, watched_by_loop(%rip)\n"
	"behind_label:\n"
	"	decq %rdi\n"
	"	jnz counted_label\n"
	"	ret\n"
	".data\n"
	".balign 8\n"
	".globl watched_by_loop\n"
	"watched_by_loop:\n"
	"	.quad 0\n"
	".text\n");
extern uint64_t watched_by_loop;

static void execution(void)
{
	union attr attr;

	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_function, 8);
	int fd = must_open(&attr, -1);

	for (int i = 0; i < 5; i++)
		counted_function();
	show_number((long long)value_of(fd), "execution", "calls");
	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_label, 8);
	int second = must_open(&attr, -1), third = must_open(&attr, -1);

	counted_loop(100);
	show_number((long long)value_of(second), "execution", "rounds of a loop");
	show_number((long long)value_of(third), "execution", "the same by another");
	show_number((long long)value_of(fd), "execution", "calls after the loop");
	ioctl(second, PERF_EVENT_IOC_DISABLE, 0);
	counted_loop(100);
	show_number((long long)value_of(second), "execution", "rounds while disabled");
	show_number((long long)value_of(third), "execution", "rounds while not");
	ioctl(second, PERF_EVENT_IOC_ENABLE, 0);
	counted_loop(10);
	show_number((long long)value_of(second), "execution", "rounds after that");
	close(third);
	close(second);
	close(fd);
}

/* --- whose accesses --- */

static void *store_in_thread(void *unused)
{
	store();
	return unused;
}

static void store_in_child(void)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		store();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void whose(void)
{
	union attr attr;
	pthread_t thread;

	for (int inherit = 0; inherit <= 1; inherit++) {
		const char *when = inherit ? "of a family" : "of one task";

		attr_write(&attr);
		attr.fields.inherit = inherit;
		int fd = must_open(&attr, -1);

		store();
		show_number((long long)value_of(fd), when, "own stores");
		pthread_create(&thread, NULL, store_in_thread, NULL);
		pthread_join(thread, NULL);
		show_number((long long)value_of(fd), when, "with a thread's");
		store_in_child();
		show_number((long long)value_of(fd), when, "with a child's");
		close(fd);
	}
	attr_write(&attr);
	long fd = open_event(&attr, -1, 0, -1, 0);

	store();
	store_in_child();
	show_number((long long)value_of((int)fd), "of a processor", "stores of two");
	close((int)fd);

	/* What another task does, from here. */
	int go[2];

	if (pipe(go) < 0)
		return;
	pid_t pid = fork();

	if (pid == 0) {
		char byte;

		while (read(go[0], &byte, 1) < 0)
			;
		store();
		store();
		_exit(0);
	}
	fd = open_event(&attr, pid, -1, -1, 0);
	store();
	write(go[1], "", 1);
	waitpid(pid, NULL, 0);
	show_number((long long)value_of((int)fd), "of another task", "stores");
	close((int)fd);
	close(go[0]);
	close(go[1]);
}

/* --- samples --- */

static unsigned char record[PAGE_BYTES];

static uint64_t word(unsigned int number)
{
	uint64_t value;

	memcpy(&value, record + 8 + 8 * number, sizeof(value));
	return value;
}

static const char *place(uint64_t address)
{
	return address == (uint64_t)counted_label    ? "the instruction" :
	       address == (uint64_t)behind_label     ? "the one behind" :
	       address == (uint64_t)&watched_by_loop ? "the data" :
						       "elsewhere";
}

static void show_samples(const char *when, struct buffer *buffer, bool periods)
{
	const struct perf_event_header *header = (const void *)record;
	int samples = 0, others = 0;

	while (next_record(buffer, record)) {
		if (header->type != PERF_RECORD_SAMPLE) {
			others++;
			continue;
		}
		if (samples++)
			continue;
		show_number(header->size, when, "size");
		show_number(header->misc, when, "misc");
		show(place(word(0)), "%s: instruction", when);
		show(place(word(1)), "%s: address", when);
		if (periods)
			show_number((long long)word(2), when, "period");
	}
	show_number(samples, when, "samples");
	show_number(others, when, "other records");
}

static void sampled(const char *when, uint32_t type, uint64_t period, bool periods)
{
	union attr attr;
	bool executes = type == HW_BREAKPOINT_X;

	attr_breakpoint(&attr, type,
			executes ? (uint64_t)counted_label : (uint64_t)&watched_by_loop, 8);
	attr.fields.disabled = 1;
	attr.fields.sample_period = period;
	attr.fields.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
				  (periods ? PERF_SAMPLE_PERIOD : 0);
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, 8, PROT_READ | PROT_WRITE);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	counted_loop(20);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_number((long long)value_of(fd), when, "count");
	show_samples(when, &buffer, periods);
	unmap_buffer(&buffer);
	close(fd);
}

static void refreshed(void)
{
	union attr attr;

	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_label, 8);
	attr.fields.disabled = 1;
	attr.fields.sample_period = 2;
	attr.fields.sample_type = PERF_SAMPLE_IP;
	int fd = must_open(&attr, -1);

	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_REFRESH, 3)), "refresh");
	counted_loop(20);
	show_number((long long)value_of(fd), "refresh", "count at the end");
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 5 })), "refresh: period");
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)), "refresh: again");
	counted_loop(20);
	show_number((long long)value_of(fd), "refresh", "count after the next");
	close(fd);
}

static void groups(void)
{
	union attr attr, other;
	struct {
		uint64_t count, values[3];
	} group;

	attr_instructions(&other);
	other.fields.read_format = PERF_FORMAT_GROUP;
	int leader = must_open(&other, -1);

	attr_breakpoint(&attr, HW_BREAKPOINT_X, (uint64_t)counted_function, 8);
	long first = open_event(&attr, 0, -1, leader, 0);
	show(outcome(first), "group: with instructions");
	attr_dummy(&other);
	other.fields.disabled = 0;
	show(outcome(open_event(&other, 0, -1, leader, 0)), "group: with a software event");
	counted_function();
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	counted_function();
	counted_function();
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	show_number(read(leader, &group, sizeof(group)), "group", "read");
	show_number((long long)group.values[1], "group", "calls");
	show_number((long long)group.values[2], "group", "dummy");
	attr.fields.pinned = 1;
	show(outcome(open_event(&attr, 0, -1, leader, 0)), "group: pinned member");
	attr.fields.pinned = 0;
	long led = open_event(&attr, 0, -1, -1, 0);
	attr_instructions(&other);
	show(outcome(open_event(&other, 0, -1, (int)led, 0)), "group: led by a breakpoint");
	close((int)led);
	close((int)first);
	close(leader);
}

/* --- changing them --- */

static void modify(const char *name, int fd, const union attr *attr)
{
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, attr)), "modify: %s", name);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	store();
	load();
	store_behind();
	counted_function();
	show_number((long long)value_of(fd), "modify, count then", name);
}

static void modifications(void)
{
	union attr attr, changed;

	attr_write(&attr);
	int fd = must_open(&attr, -1);

	modify("nothing", fd, &attr);
	changed = attr;
	changed.fields.bp_type = HW_BREAKPOINT_RW;
	modify("loads too", fd, &changed);
	changed.fields.bp_addr += 8;
	modify("the next word", fd, &changed);
	changed.fields.bp_len = 1;
	modify("a byte of it", fd, &changed);
	changed.fields.bp_type = HW_BREAKPOINT_X;
	changed.fields.bp_addr = (uint64_t)counted_function;
	modify("execution of size 1", fd, &changed);
	changed.fields.bp_len = 8;
	modify("execution", fd, &changed);
	changed.fields.bp_addr = KERNEL_ADDRESS;
	modify("the kernel's", fd, &changed);
	changed = attr;
	changed.fields.bp_addr += 1;
	modify("not aligned", fd, &changed);
	changed = attr;
	changed.fields.bp_type = HW_BREAKPOINT_EMPTY;
	modify("no type", fd, &changed);
	changed = attr;
	changed.fields.exclude_kernel = 0;
	modify("the kernel included", fd, &changed);
	changed = attr;
	changed.fields.sample_period = 1;
	modify("a period", fd, &changed);
	changed = attr;
	changed.fields.read_format = PERF_FORMAT_ID;
	modify("a read format", fd, &changed);
	changed = attr;
	changed.fields.config1 = 0x400000;
	changed.fields.type = PERF_TYPE_SOFTWARE;
	modify("another type", fd, &changed);
	changed = attr;
	changed.fields.size = 64;
	modify("a size without a length", fd, &changed);
	changed.fields.size = 72;
	modify("the first size with a length", fd, &changed);
	modify("the same as at first", fd, &attr);
	changed = attr;
	changed.fields.disabled = 1;
	modify("disabled", fd, &changed);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	modify("disabled, after it was enabled", fd, &changed);
	modify("not disabled", fd, &attr);
	close(fd);

	attr.fields.disabled = 1;
	fd = must_open(&attr, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	modify("one that was opened disabled", fd, &attr);
	close(fd);

	/* One that is inherited is changed everywhere. */
	attr_write(&attr);
	attr.fields.inherit = 1;
	fd = must_open(&attr, -1);
	int go[2];

	if (pipe(go) < 0)
		return;
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		char byte;

		while (read(go[0], &byte, 1) < 0)
			;
		store();
		store_behind();
		store_behind();
		_exit(0);
	}
	attr.fields.bp_addr += 8;
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr)), "modify: a family");
	write(go[1], "", 1);
	waitpid(pid, NULL, 0);
	show_number((long long)value_of(fd), "modify", "a family's count");
	close(fd);
	close(go[0]);
	close(go[1]);
}

/* So that another user may do what needs no privilege of its own. */
static void permit_all(void)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY);

	show(outcome_value(write(fd, "-1", 2)), "all is permitted");
	close(fd);
}

int main(void)
{
	permit_all();
	kinds("root", 1);
	kinds("root with the kernel", 0);
	as_user();
	slots();
	inherited_slots();
	counts();
	execution();
	whose();
	sampled("each store", HW_BREAKPOINT_W, 1, true);
	sampled("each access", HW_BREAKPOINT_RW, 1, true);
	sampled("each execution", HW_BREAKPOINT_X, 1, true);
	sampled("every third store", HW_BREAKPOINT_W, 3, true);
	sampled("every third execution", HW_BREAKPOINT_X, 3, false);
	refreshed();
	groups();
	modifications();
	return 0;
}
