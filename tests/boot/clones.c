// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks of one family that pass the CPU to each other, while the kernel may swap their clone contexts
 * (kernel/perf/clone_context.c): the events of their parent still count the sum of what each task did,
 * to the instruction. Linux has the same rules: the same executable has to pass there.
 */
#include "event.h"
#include "process.h"
#include "task_state.h"

#define PLAYERS 3

/* ROUNDS times: a byte from FROM, a byte to TO. */
void play(uint64_t rounds, int from, int to, char *byte);

#ifdef __alpha__
#include "alpha/clones.h"
#else
#include "x86_64/clones.h"
#endif

/* Player I reads from ring[I] and writes to the next one's. */
static int ring[PLAYERS][2], gate[2], ready[2];
static uint64_t rounds;
static bool bound;

static void play_as(int number)
{
	char byte;

	play(rounds, ring[number][0], ring[(number + 1) % PLAYERS][1], &byte);
	_exit(0);
}

/* Starts the players on a byte from the gate, gives the first byte, and waits for all. */
static void make_players(void)
{
	char byte = 0;

	if (bound)
		run_on(cpu_count() - 1);
	if (write(ready[1], &byte, 1) != 1 || read(gate[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < PLAYERS; i++)
		if (fork() == 0)
			play_as(i);
	if (write(ring[0][1], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < PLAYERS; i++)
		if (wait(NULL) < 0)
			_exit(1);
	_exit(0);
}

/* Waits until the parent MAKER waits at the gate, and so executes nothing. */
static void wait_for_parent(pid_t parent)
{
	char byte;

	EXPECT_EQ(read(ready[0], &byte, 1), 1);
	while (!task_sleeps(parent))
		sched_yield();
}

static int open_inherited(const struct kind *kind, pid_t pid, int leader)
{
	struct perf_event_attr attr = timed_attr(kind);

	attr.inherit = 1;
	attr.disabled = 0;
	return must_open(&attr, pid, -1, leader);
}

struct game {
	struct reading instructions, general;
};

static struct reading read_on(int fd, const struct reading *before)
{
	struct reading now = read_event(fd);

	EXPECT(now.value >= before->value && now.enabled_ns >= before->enabled_ns);
	EXPECT_EQ(now.running_ns, now.enabled_ns);
	return now;
}

/* The counts of a parent and its players that play ROUNDS rounds, while another task reads them over and
 * over. */
static struct game count_game(uint64_t number)
{
	struct game game = { 0 };
	int status = -1;

	rounds = number;
	EXPECT_EQ(pipe(gate), 0);
	EXPECT_EQ(pipe(ready), 0);
	for (int i = 0; i < PLAYERS; i++)
		EXPECT_EQ(pipe(ring[i]), 0);
	pid_t parent = start(make_players);
	wait_for_parent(parent);
	int leader = open_inherited(INSTRUCTIONS, parent, -1);
	int member = open_inherited(GENERAL, parent, leader);

	EXPECT_EQ(write(gate[1], "", 1), 1);
	bool ended;
	do {
		ended = waitpid(parent, &status, WNOHANG) == parent;
		game.instructions = read_on(leader, &game.instructions);
		game.general = read_on(member, &game.general);
		pause_ms(1);
	} while (!ended);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(game.general.enabled_ns, game.instructions.enabled_ns);
	for (int fd = 0; fd < 2; fd++) {
		close(gate[fd]);
		close(ready[fd]);
		for (int i = 0; i < PLAYERS; i++)
			close(ring[i][fd]);
	}
	close(leader);
	close(member);
	return game;
}

/* Two games differ by their rounds: everything else that they execute is the same. */
static void check_games(void)
{
	struct game few = count_game(10), many = count_game(510);

	EXPECT_EQ(many.instructions.value - few.instructions.value,
		  500 * PLAYERS * ROUND_INSTRUCTIONS);
	EXPECT_EQ(many.general.value - few.general.value,
		  derive(GENERAL, 500 * PLAYERS * ROUND_INSTRUCTIONS,
			 500 * PLAYERS * ROUND_BRANCHES));
}

static void check_one_cpu(void)
{
	bound = true;
	check_games();
}

static void check_any_cpu(void)
{
	bound = false;
	check_games();
}

static const struct tap_rule rules[] = {
	{ "children that alternate on one CPU are counted exactly", check_one_cpu },
	{ "children that run on any CPU are counted exactly", check_any_cpu },
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
