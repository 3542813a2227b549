// SPDX-License-Identifier: BSD-2-Clause
/*
 * Breakpoints as perf events: which can be opened by whom, and how many.
 */
#include <linux/hw_breakpoint.h>
#include <sys/wait.h>

#include "breakpoint.h"
#include "child.h"

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
	show(try_open(&attr, -1, 0), "%s: of a CPU", who);
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
	union attr attr;

	become_user_and_group(1000);
	kinds("user", 1);
	attr_breakpoint(&attr, HW_BREAKPOINT_W, KERNEL_ADDRESS, 8);
	attr.fields.exclude_kernel = 0;
	show(try_open(&attr, 0, -1), "user: the kernel included, of the kernel");
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
	show(try_open(&attr, 0, 0), "slots: one more on one CPU");
	show(try_open(&attr, -1, 0), "slots: one of a CPU");
	show_number(take(other, SLOTS + 1, child, -1), "slots", "for another task");
	close(own[0]);
	show(try_open(&attr, -1, 0), "slots: one of a CPU, one closed");
	close(other[0]);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots", "of a CPU, after one of each is closed");
	show(try_open(&attr, 0, -1), "slots: one of the task, which the CPU has taken");
	give_back(wide, 1);
	end_child(child);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots", "of a CPU, beside three of a task");
	give_back(other + 1, SLOTS - 1);
	give_back(wide, 1);
	give_back(own + 1, SLOTS - 1);
	show_number(take(wide, SLOTS + 1, -1, 0), "slots", "of a CPU, alone");
	show(try_open(&attr, 0, -1), "slots: one of a task beside them");
	give_back(wide, SLOTS);

	/* Disabled breakpoints take slots too, and refused ones leave no slot taken. */
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

int main(void)
{
	permit_all();
	kinds("root", 1);
	kinds("root with the kernel", 0);
	in_child(as_user);
	slots();
	inherited_slots();
	return 0;
}
