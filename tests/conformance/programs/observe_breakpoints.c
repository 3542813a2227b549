// SPDX-License-Identifier: BSD-2-Clause
/*
 * Breakpoints as perf events: their counts, the tasks that they count, and changing them while they are open.
 * Through a tracer's debug registers: observe_debug_registers.c.
 */
#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sys/wait.h>

#include "breakpoint.h"

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

static void store_after(void)
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
	{ "store after", store_after },
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
		{ "W 1 of no ring", HW_BREAKPOINT_W, 0, 1, 1, 1 },
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
	show_number((long long)value_of((int)fd), "of a CPU", "stores of two");
	close((int)fd);

	/* Another task's stores, counted by this one. */
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

/* --- changing them --- */

static void modify(const char *name, int fd, const union attr *attr)
{
	show(outcome_value(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, attr)), "modify: %s", name);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	store();
	load();
	store_after();
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
		store_after();
		store_after();
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

int main(void)
{
	permit_all();
	counts();
	execution();
	whose();
	modifications();
	return 0;
}
