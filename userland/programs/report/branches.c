// SPDX-License-Identifier: BSD-2-Clause
/*
 * branches.c - the last branch records of Intel's CPUs, in Skylake's format: what is an entry, what MSR_LBR_SELECT leaves
 * out, how a PMI freezes the stack.
 *
 * The stack records while this program works in ring 3, and on its way to the system calls around that. Those branches
 * are the same for each number of passes; the work's own stand in the stack one after another, at addresses that
 * work.S and libspin name. The branches of another task may come between, and so the rules are tried a few times.
 */
#include "measure.h"

#include "work.h"

#include <inttypes.h>
#include <string.h>

#define DEPTH	       32
#define PASSES	       100
#define PERIOD	       200
#define TRIES	       3
#define KERNEL_ADDRESS (UINT64_C(1) << 63)
#define CYCLES	       UINT64_C(0xffff)
/* MSR_LBR_SELECT: the branches that it leaves out. */
#define NOT_KERNEL     (UINT64_C(1) << 0)
#define NOT_USER       (UINT64_C(1) << 1)
#define NOT_FAR	       (UINT64_C(1) << 8)
#define SDM_STACK      "Intel SDM vol. 3B, 18.4.8 and 18.12"
#define SDM_SELECT     "Intel SDM vol. 3B, 18.9.2 and 18.11"
#define SDM_FREEZE     "Intel SDM vol. 3B, 18.4.7 and 18.12.2"

/* The stack as it is read: number 0 is the entry that MSR_LASTBRANCH_TOS points to, number 1 the one before. */
static struct {
	uint64_t top;
	uint64_t from[DEPTH], to[DEPTH], info[DEPTH];
} stack;

static struct list start, stop;
/* Steps of `stop` with results. */
static unsigned int top_step, from_steps[DEPTH], to_steps[DEPTH], info_steps[DEPTH];

static void add_reads(struct list *list, uint32_t first, unsigned int steps[DEPTH])
{
	for (unsigned int i = 0; i < DEPTH; i++)
		steps[i] = list_read(list, first + i);
}

static void keep(const struct list *list, const unsigned int steps[DEPTH], uint64_t values[DEPTH])
{
	for (unsigned int i = 0; i < DEPTH; i++)
		values[i] = list_value(list, steps[(stack.top + DEPTH - i) % DEPTH]);
}

/* To be called before the stack records. */
static void prepare_stop(void)
{
	list_clear(&stop);
	list_write(&stop, MSR_DEBUGCTL, 0);
	top_step = list_read(&stop, MSR_LBR_TOP);
	add_reads(&stop, MSR_LBR_FROM, from_steps);
	add_reads(&stop, MSR_LBR_TO, to_steps);
	add_reads(&stop, MSR_LBR_INFO, info_steps);
}

/* Stops the stack and reads it. */
static bool read_stack(void)
{
	if (!machine_run(&stop) || list_has_fault(&stop))
		return false;
	stack.top = list_value(&stop, top_step) % DEPTH;
	keep(&stop, from_steps, stack.from);
	keep(&stop, to_steps, stack.to);
	keep(&stop, info_steps, stack.info);
	return true;
}

/* Runs N passes of WORK with the stack on; false, with a finding, if a register faults. */
static bool run(struct finding *finding, uint64_t debugctl, uint64_t select, spin_function *work,
		uint64_t n)
{
	bool ran;

	list_clear(&start);
	list_write(&start, MSR_LBR_SELECT, select);
	list_write(&start, MSR_LBR_TOP, 0);
	list_write(&start, MSR_DEBUGCTL, debugctl);
	prepare_stop();
	ran = machine_run(&start) && !list_has_fault(&start);
	work(n, NULL);
	ran = read_stack() && ran;
	if (!ran)
		find_broken(finding, "expected the registers of the stack, got a fault");
	return ran;
}

static bool record(struct finding *finding, uint64_t select, spin_function *work, uint64_t n)
{
	return run(finding, DEBUGCTL_LBR, select, work, n);
}

/* Judges a few times by TRY, which says what it found, until it finds nothing. */
static void try(struct finding *finding, void (*attempt)(struct finding *, unsigned int),
		unsigned int argument)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		struct finding found = { 0 };

		attempt(&found, argument);
		if (i == TRIES - 1 || found.outcome == OUTCOME_HOLDS) {
			*finding = found;
			return;
		}
	}
}

static void exist(struct finding *finding, unsigned int argument)
{
	static const struct {
		uint32_t first, count;
	} rows[] = { { MSR_LBR_SELECT, 1 },
		     { MSR_LBR_TOP, 1 },
		     { MSR_LBR_FROM, DEPTH },
		     { MSR_LBR_TO, DEPTH },
		     { MSR_LBR_INFO, DEPTH } };
	uint64_t value;

	(void)argument;
	for (unsigned int row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		for (uint32_t i = 0; i < rows[row].count; i++) {
			if (!machine_read_msr(rows[row].first + i, &value))
				find_broken(finding, "expected register 0x%" PRIx32 ", got a fault",
					    rows[row].first + i);
		}
	}
}

static void keeps(struct finding *finding, uint32_t msr, uint64_t value)
{
	uint64_t before, after = 0;
	bool kept;

	machine_read_msr(msr, &before);
	kept = machine_write_msr(msr, value) && machine_read_msr(msr, &after) && after == value;
	if (!kept)
		find_broken(finding,
			    "expected 0x%" PRIx64 " in register 0x%" PRIx32 ", got 0x%" PRIx64,
			    value, msr, after);
	machine_write_msr(msr, before);
}

static void keep_bits(struct finding *finding, unsigned int argument)
{
	(void)argument;
	keeps(finding, MSR_LBR_SELECT, NOT_KERNEL | NOT_FAR);
	keeps(finding, MSR_LBR_TOP, DEPTH - 1);
	for (uint32_t i = 0; i < DEPTH; i += DEPTH - 1) {
		keeps(finding, MSR_LBR_FROM + i, UINT64_C(0xffff800012345678));
		keeps(finding, MSR_LBR_TO + i, UINT64_C(0x7fff87654321));
		keeps(finding, MSR_LBR_INFO + i, 0x1234);
	}
}

static void debugctl_keeps(struct finding *finding, unsigned int argument)
{
	(void)argument;
	keeps(finding, MSR_DEBUGCTL, DEBUGCTL_LBR);
	keeps(finding, MSR_DEBUGCTL, DEBUGCTL_FREEZE_LBR);
}

static void nothing_when_off(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int i = 0; i < 2; i++) {
		if (run(finding, 0, 0, spin_loop, PASSES + i) && stack.top)
			find_broken(finding,
				    "expected no branch without bit 0 of DEBUGCTL, got %" PRIu64
				    " or more",
				    stack.top);
	}
}

/* --- rings --- */

/* Fills the stack, and expects no entry with a target in ring 0 (KERNEL), or in ring 3. */
static void no_target(struct finding *finding, bool kernel, uint64_t select)
{
	if (!record(finding, select, spin_syscalls, PASSES))
		return;
	for (unsigned int i = 0; i < DEPTH; i++) {
		if (stack.to[i] && !!(stack.to[i] & KERNEL_ADDRESS) == kernel)
			find_broken(
				finding,
				"expected no branch that ends in ring %d, got one from 0x%" PRIx64
				" to 0x%" PRIx64,
				kernel ? 0 : 3, stack.from[i], stack.to[i]);
	}
}

static void kernel_left_out(struct finding *finding, unsigned int argument)
{
	(void)argument;
	no_target(finding, true, NOT_KERNEL | NOT_FAR);
}

static void user_left_out(struct finding *finding, unsigned int argument)
{
	(void)argument;
	no_target(finding, false, NOT_USER | NOT_FAR);
}

/* A system call begins in ring 3, and ends in ring 0. */
static void target_decides(struct finding *finding, unsigned int argument)
{
	(void)argument;
	no_target(finding, true, NOT_KERNEL);
}

/* --- entries --- */

/* How far the top moves by MORE passes of a loop, each with one taken branch. */
static void top_moves(struct finding *finding, unsigned int more)
{
	const unsigned int modulus = more < DEPTH / 2 ? DEPTH / 2 : DEPTH;
	uint64_t least, moved;

	if (!record(finding, NOT_KERNEL | NOT_FAR, spin_loop, 1))
		return;
	least = stack.top;
	if (!record(finding, NOT_KERNEL | NOT_FAR, spin_loop, 1 + more))
		return;
	moved = (stack.top + DEPTH - least) % modulus;
	if (moved != more)
		find_broken(finding,
			    "expected the top to move by %u for %u branches more, got %" PRIu64,
			    more, more, moved);
}

static void moves_by_one(struct finding *finding, unsigned int more)
{
	try(finding, top_moves, more);
}

/* Where the entry of the branch FROM to TO is; DEPTH: there is none. */
static unsigned int find_entry(uint64_t from, uint64_t to)
{
	unsigned int i = 0;

	while (i < DEPTH && (stack.from[i] != from || stack.to[i] != to))
		i++;
	return i;
}

/* Compares the stack with work_branches, less those that LEFT_OUT, a set of kinds, names. */
static void compare(struct finding *finding, uint64_t left_out)
{
	unsigned int i = DEPTH;

	for (unsigned int k = 0; k < WORK_BRANCHES; k++) {
		const struct work_branch *branch = &work_branches[k];

		if (left_out & UINT64_C(1) << branch->kind)
			continue;
		i = i == DEPTH ? find_entry(branch->from, branch->to) : i - 1;
		if (i >= DEPTH) {
			find_broken(finding,
				    "expected an entry from 0x%" PRIx64 " to 0x%" PRIx64
				    " (branch %u of the work), got none",
				    branch->from, branch->to, k + 1);
			return;
		}
		if (stack.from[i] != branch->from || stack.to[i] != branch->to)
			find_broken(finding,
				    "expected an entry from 0x%" PRIx64 " to 0x%" PRIx64
				    " (branch %u of the work), got 0x%" PRIx64 " to 0x%" PRIx64,
				    branch->from, branch->to, k + 1, stack.from[i], stack.to[i]);
	}
}

static void attempt_kinds(struct finding *finding, unsigned int kinds)
{
	if (record(finding, NOT_KERNEL | NOT_FAR | kinds, work_kinds, 1))
		compare(finding, kinds);
}

static void each_branch(struct finding *finding, unsigned int argument)
{
	try(finding, attempt_kinds, argument);
}

static void each_kind(struct finding *finding, unsigned int argument)
{
	(void)argument;
	for (unsigned int kind = 2; kind < 8 && finding->outcome == OUTCOME_HOLDS; kind++)
		try(finding, attempt_kinds, 1u << kind);
}

static void attempt_cycles(struct finding *finding, unsigned int argument)
{
	const uint64_t from = spin_straight_path.body[101];
	const uint64_t to = spin_straight_path.body[0];

	(void)argument;
	if (!record(finding, NOT_KERNEL | NOT_FAR, spin_straight, 10))
		return;
	unsigned int i = find_entry(from, to);

	if (i == DEPTH)
		find_broken(finding, "expected the loop's branch in the stack, got none");
	else if ((stack.info[i] & CYCLES) == 0)
		find_broken(finding,
			    "expected the cycles of 102 instructions in an entry, got 0x%" PRIx64,
			    stack.info[i]);
}

static void cycles(struct finding *finding, unsigned int argument)
{
	try(finding, attempt_cycles, argument);
}

/* --- freeze --- */

static struct list handler;

/* Values of the handler, in its order. */
enum { STATUS, DEBUGCTL };

/* A counter of instructions overflows in a loop of ring 3. With a freeze its branch stays the newest entry. */
static bool sample(struct finding *finding, uint64_t freeze)
{
	struct measurement m = { .deliver = true,
				 .expected_nmis = 1,
				 .debugctl = DEBUGCTL_LBR | freeze };
	struct use *use = use_instructions(&m, first_counter(), RING_USER);
	bool done;

	use->interrupt = true;
	use->start = shape_mask(shape.width) + 1 - PERIOD;
	machine_write_msr(MSR_LBR_SELECT, NOT_KERNEL | NOT_FAR);
	prepare_stop();
	list_clear(&handler);
	list_read(&handler, shape.global_status);
	list_read(&handler, MSR_DEBUGCTL);
	machine_set_handler(&handler);
	done = measure_user(&m, spin_loop, PERIOD, NULL);
	machine_set_handler(NULL);
	done = read_stack() && done;
	measure_clear();
	if (!done)
		find_broken(finding, "%s", m.message);
	else if (m.nmis == 0)
		find_broken(finding, "expected an interrupt, got none");
	return done && m.nmis;
}

static bool is_loop(unsigned int i)
{
	return stack.from[i] == spin_loop_path.body[1] && stack.to[i] == spin_loop_path.body[0];
}

static void freezes(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample(finding, DEBUGCTL_FREEZE_LBR) && !is_loop(0))
		find_broken(finding,
			    "expected the interrupted loop's branch from 0x%" PRIx64
			    " on top, got one from 0x%" PRIx64 " to 0x%" PRIx64,
			    (uint64_t)spin_loop_path.body[1], stack.from[0], stack.to[0]);
}

static void shows(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (!sample(finding, DEBUGCTL_FREEZE_LBR))
		return;
	if (shape.branches_frozen && !(handler_value(STATUS) & shape.branches_frozen))
		find_broken(finding, "expected status bit 58 of the freeze, got 0x%" PRIx64,
			    handler_value(STATUS));
	if (!shape.branches_frozen && handler_value(DEBUGCTL) & DEBUGCTL_LBR)
		find_broken(finding,
			    "expected the freeze to clear bit 0 of DEBUGCTL, got 0x%" PRIx64,
			    handler_value(DEBUGCTL));
}

/* The loop goes on after the interrupt, and the program after the loop. */
static void goes_on(struct finding *finding, unsigned int argument)
{
	(void)argument;
	if (sample(finding, 0) && is_loop(0))
		find_broken(finding, "expected branches after the interrupted loop on top, got "
				     "the loop's");
}

/* measure_clear() has cleared the status bit. */
static void ends(struct finding *finding, unsigned int argument)
{
	if (sample(finding, DEBUGCTL_FREEZE_LBR))
		try(finding, attempt_kinds, argument);
}

#define ON "branches.debugctl_keeps_its_bits branches.nothing_is_recorded_when_off"

static const struct rule rules[] = {
	{ "registers_exist", 0, NULL, exist, 0, SDM_STACK,
	  "perf record -b: the driver gets a general protection fault" },
	{ "debugctl_keeps_its_bits", 0, "branches.registers_exist registers.debugctl_exists",
	  debugctl_keeps, 0, "Intel SDM vol. 3B, 18.4.1", "branch stacks are empty" },
	{ "nothing_is_recorded_when_off", 0, "branches.registers_exist", nothing_when_off, 0,
	  SDM_STACK, "branches of the driver push those of the program out" },
	{ "registers_keep_bits", 0, "branches.nothing_is_recorded_when_off", keep_bits, 0,
	  SDM_STACK, "branch stacks of a task are lost when it is switched" },
	{ "kernel_is_left_out", 0, ON, kernel_left_out, 0, SDM_SELECT,
	  "branch stacks of programs are full of the kernel's branches" },
	{ "top_moves_by_one", 0, ON, moves_by_one, 5, SDM_STACK,
	  "branch stacks begin with the wrong branch" },
	{ "stack_has_32_entries", 0, "branches.top_moves_by_one", moves_by_one, DEPTH / 2,
	  SDM_STACK, "branch stacks have empty entries" },
	{ "each_taken_branch_is_an_entry", 0,
	  "branches.stack_has_32_entries branches.kernel_is_left_out", each_branch, 0, SDM_STACK,
	  "optimizers that are guided by branch stacks see jumps that the program has not made" },
	{ "user_is_left_out", 0, "branches.each_taken_branch_is_an_entry", user_left_out, 0,
	  SDM_SELECT, "branch stacks of the kernel are full of programs' branches" },
	{ "ring_of_the_target_decides", 0, "branches.each_taken_branch_is_an_entry", target_decides,
	  0, SDM_SELECT, "programs learn addresses of the kernel from their branch stacks" },
	{ "each_kind_is_left_out", 0, "branches.each_taken_branch_is_an_entry", each_kind, 0,
	  SDM_SELECT, "perf record -j any_call shows other branches than calls" },
	{ "entries_have_cycles", 0, "branches.each_taken_branch_is_an_entry", cycles, 0,
	  "Intel SDM vol. 3B, 18.12.1", "cycles of basic blocks are 0" },
	{ "goes_on_without_freeze", NEED_STEPS,
	  "branches.each_taken_branch_is_an_entry interrupt.comes_in_user_mode", goes_on, 0,
	  SDM_FREEZE, "branch stacks are old: they end with an earlier sample" },
	{ "freezes_at_the_interrupt", NEED_STEPS, "branches.goes_on_without_freeze", freezes, 0,
	  SDM_FREEZE, "branch stacks show the interrupt's handler instead of the program" },
	{ "freeze_shows_in_its_register", NEED_STEPS, "branches.freezes_at_the_interrupt", shows, 0,
	  SDM_FREEZE, "a driver does not know how to start the stack again" },
	{ "freeze_ends_when_cleared", NEED_STEPS, "branches.freezes_at_the_interrupt", ends, 0,
	  SDM_FREEZE, "every branch stack after the first is the first one's" },
};

const struct group branches_group = { "branches", NEED_PMU | NEED_ACCESS | NEED_BRANCHES, NULL,
				      rules, sizeof(rules) / sizeof(rules[0]) };
