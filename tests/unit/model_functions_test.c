/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator's counts by function (qemu/files/functions), with the events of a CPU by hand. Functions are the numbers that
 * the table gives them; costs and calls are derived beside each rule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "functions/functions.h"
#include "tap.h"

/* The numbers of the table below. */
enum { PROGRAM = 2, START, MAIN, F, G, HANDLER, LIBRARY, PUTS, OTHER_NUMBERS };

#define TABLE "file /bin/p\n1000\n1100\n1200\n1300\n1400\nfile /lib/l\n40\n"
#define BASE  0x400000ull
#define TASK  77
#define SPACE 5
#define STACK 0x7ffff000ull

static Functions *f;
static FunctionsTask *task;
static char *text;

static Functions *load(const char *table, char *error, size_t size)
{
	char path[] = "/tmp/functions-test-XXXXXX";
	int fd = mkstemp(path);
	size_t length = strlen(table);
	Functions *loaded;

	EXPECT(fd >= 0 && write(fd, table, length) == (ssize_t)length);
	close(fd);
	loaded = functions_load(path, error, size);
	unlink(path);
	return loaded;
}

static void begin(void)
{
	char error[100];

	f = load(TABLE, error, sizeof(error));
	EXPECT(f);
	functions_map(f, SPACE, BASE + 0x1000, 0x1000, 0x1000, "/bin/p");
	task = functions_task(f, TASK);
}

/* Ends the machine; what it wrote is in `text`. */
static void finish(void)
{
	size_t size;
	FILE *to = open_memstream(&text, &size);

	EXPECT(to && functions_write(f, to));
	fclose(to);
	functions_free(f);
}

static void expect_text(const char *expected)
{
	finish();
	EXPECT_AT(strcmp(text, expected) == 0, "expected:\n%sgot:\n%s", expected, text);
	free(text);
}

static uint64_t pc_of(uint32_t id)
{
	return BASE + 0x1000 + 0x100 * (id - START);
}

/* The stack pointer is SP when ID begins by a call, and its return address is there. */
static void call(uint32_t id, uint64_t sp, uint64_t cost)
{
	functions_enter(task, id, pc_of(id), sp, BASE + 0x1fff, true);
	functions_charge(task, cost);
}

/* ID goes on with the stack pointer SP, after a return or a jump. */
static void go_on(uint32_t id, uint64_t sp, uint64_t cost)
{
	functions_enter(task, id, pc_of(id), sp, 0, true);
	functions_charge(task, cost);
}

static uint32_t at(uint64_t pc, uint64_t *end)
{
	return functions_at(f, SPACE, pc, end);
}

static void places(void)
{
	uint64_t end;

	begin();
	EXPECT_EQ(at(BASE + 0x1000, &end), START);
	EXPECT_EQ(end, BASE + 0x1100);
	EXPECT_EQ(at(BASE + 0x11ff, &end), MAIN);
	EXPECT_EQ(end, BASE + 0x1200);
	EXPECT_EQ(at(BASE + 0x1fff, &end), HANDLER);
	EXPECT_EQ(end, BASE + 0x2000);
	EXPECT_EQ(at(BASE + 0x2000, &end), FUNCTIONS_UNKNOWN);
	EXPECT_EQ(at(BASE, &end), FUNCTIONS_UNKNOWN);
	EXPECT_EQ(end, BASE + 0x1000);
	EXPECT_EQ(functions_at(f, SPACE + 1, BASE + 0x1000, &end), FUNCTIONS_UNKNOWN);
	/* Code before the first function is the file's. */
	functions_map(f, SPACE, 0x10000, 0x1000, 0, "/lib/l");
	EXPECT_EQ(at(0x1003f, &end), LIBRARY);
	EXPECT_EQ(end, 0x10040);
	EXPECT_EQ(at(0x10040, &end), PUTS);
	/* A later mapping covers a part of it: the first ends there. */
	functions_map(f, SPACE, 0x10100, 0x100, 0, "//anon");
	EXPECT_EQ(at(0x10040, &end), PUTS);
	EXPECT_EQ(end, 0x10100);
	EXPECT_EQ(at(0x10100, &end), OTHER_NUMBERS);
	EXPECT_EQ(at(0x10200, &end), PUTS);
	functions_copy_space(f, SPACE + 1, SPACE);
	functions_clear_space(f, SPACE);
	EXPECT_EQ(at(0x10040, &end), FUNCTIONS_UNKNOWN);
	EXPECT_EQ(functions_at(f, SPACE + 1, 0x10040, &end), PUTS);
	expect_text("name 10 //anon\nend\n");
}

/* A mapping that wraps around is refused; a guest that maps files without a limit gets the unknown function's number, and no memory. */
static void limits(void)
{
	char name[32];
	uint64_t end;

	begin();
	functions_map(f, SPACE, UINT64_MAX - 10, 100, 0, "/bin/p");
	EXPECT_EQ(at(UINT64_MAX - 5, &end), FUNCTIONS_UNKNOWN);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "/file%u", i);
		functions_map(f, SPACE, 0x10000, 0x1000, 0, name);
	}
	EXPECT_EQ(at(0x10000, &end), FUNCTIONS_UNKNOWN);
	for (unsigned i = 0; i < 9000; i++)
		functions_map(f, SPACE, 0x1000000 + i * 0x1000ull, 0x1000, 0, "/bin/p");
	EXPECT_EQ(at(0x1000000 + 8999 * 0x1000ull, &end), FUNCTIONS_UNKNOWN);
	finish();
	free(text);
}

static void wrong_tables(void)
{
	static const struct {
		const char *table, *says;
	} rows[] = {
		{ "10\n", "line 1 is wrong" },
		{ "file /a\n10\n10\n", "line 3 is wrong" },
		{ "file /a\n10\n8\n", "line 3 is wrong" },
		{ "file /a\nx\n", "line 2 is wrong" },
		{ "file /a\n10 \n", "line 2 is wrong" },
		{ "file /a\n\n", "line 2 is wrong" },
		{ "instructions\n", "line 1 is wrong" },
		{ "file /a\n10\ninstructions\n", "line 3 is wrong" },
		{ "file /a\n11111111111111111\n", "line 2 is wrong" },
	};
	char error[100];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT(!load(rows[i].table, error, sizeof(error)));
		EXPECT_AT(strcmp(error, rows[i].says) == 0, "%s: %s", rows[i].table, error);
	}
	EXPECT(!functions_load("/no/such/file", error, sizeof(error)));
	EXPECT_AT(strcmp(error, "No such file or directory") == 0, "%s", error);
}

/* START calls MAIN, which calls F twice; F calls G. */
static void calls(void)
{
	begin();
	go_on(START, STACK, 1);
	call(MAIN, STACK - 8, 10);
	for (int i = 0; i < 2; i++) {
		call(F, STACK - 32, 100);
		call(G, STACK - 64, 1000);
		go_on(F, STACK - 56, 100);
		go_on(MAIN, STACK - 24, 10);
	}
	go_on(START, STACK, 1);
	expect_text(
		"function 3 2 2432 0\nfunction 4 30 2430 1\nfunction 5 400 2400 2\nfunction 6 2000 2000 2\n"
		"call 3 4 1 2430\ncall 4 5 2 2400\ncall 5 6 2 2000\nend\n");
}

/* F calls itself twice: its inclusive cost is that of the outermost call, and the inner calls have none of their own. */
static void recursion(void)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	call(F, STACK - 40, 10);
	call(F, STACK - 72, 10);
	go_on(F, STACK - 64, 5);
	go_on(F, STACK - 32, 5);
	go_on(START, STACK, 1);
	expect_text("function 3 2 42 0\nfunction 5 40 40 3\ncall 3 5 1 40\ncall 5 5 2 0\nend\n");
}

/* F jumps to G, which returns to MAIN; then F and G jump to each other, which makes no more of them than two. */
static void tail_calls(void)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	go_on(G, STACK - 8, 100);
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	go_on(G, STACK - 8, 100);
	go_on(F, STACK - 8, 10);
	go_on(G, STACK - 8, 100);
	go_on(START, STACK, 1);
	expect_text(
		"function 3 3 333 0\nfunction 5 30 330 2\nfunction 6 300 300 3\ncall 3 5 2 330\ncall 5 6 3 300\nend\n");
}

/* MAIN calls F, and F calls G, which leaves both by longjmp: all three go on in MAIN, whose stack pointer is the old one. */
static void jumps_out(void)
{
	begin();
	go_on(START, STACK, 1);
	call(MAIN, STACK - 8, 10);
	call(F, STACK - 64, 100);
	call(G, STACK - 128, 1000);
	go_on(MAIN, STACK - 48, 10);
	call(F, STACK - 64, 100);
	go_on(MAIN, STACK - 56, 10);
	expect_text(
		"function 3 1 1231 0\nfunction 4 30 1230 1\nfunction 5 200 1200 2\nfunction 6 1000 1000 1\n"
		"call 3 4 1 1230\ncall 4 5 2 1200\ncall 5 6 1 1000\nend\n");
}

/* A call of the next instruction is none: it reads the program counter. Its address on the stack is popped. */
static void call_of_next(void)
{
	begin();
	go_on(MAIN, STACK, 10);
	functions_enter(task, MAIN, pc_of(MAIN) + 5, STACK - 8, pc_of(MAIN) + 5, true);
	functions_charge(task, 10);
	call(F, STACK - 8, 100);
	expect_text("function 4 20 120 0\nfunction 5 100 100 1\ncall 4 5 1 100\nend\n");
}

/* A return to where no call came from goes on as a jump does: G is called by F, which it leaves for HANDLER, and ends with F. */
static void unmatched_return(void)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	call(G, STACK - 32, 100);
	/* The address on the stack was changed. */
	go_on(HANDLER, STACK - 24, 1000);
	go_on(START, STACK, 1);
	expect_text(
		"function 3 2 1112 0\nfunction 5 10 1110 1\nfunction 6 100 100 1\nfunction 7 1000 1000 1\n"
		"call 3 5 1 1110\ncall 5 6 1 100\ncall 5 7 1 1000\nend\n");
}

/* A handler that runs on the stack at SP interrupts F, and then a call of G that has just happened. */
static void handler_at(uint64_t sp)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	functions_signal(task, STACK - 16, 0);
	go_on(HANDLER, sp, 100);
	call(PUTS, sp - 64, 1000);
	go_on(HANDLER, sp - 56, 100);
	/* The code that calls sigreturn. */
	go_on(PROGRAM, sp + 8, 3);
	go_on(F, STACK - 16, 10);
	functions_signal(task, STACK - 32, BASE + 0x1fff);
	go_on(HANDLER, sp, 100);
	go_on(PROGRAM, sp + 8, 3);
	go_on(G, STACK - 32, 10000);
	go_on(F, STACK - 24, 10);
	go_on(START, STACK, 1);
	expect_text(
		"function 2 6 6 2\nfunction 3 2 11338 0\nfunction 5 30 11336 1\nfunction 6 10000 10000 1\n"
		"function 7 300 1300 2\nfunction 9 1000 1000 1\ncall 3 5 1 11336\ncall 5 2 2 6\ncall 5 6 1 10000\n"
		"call 5 7 2 1300\ncall 7 9 1 1000\nend\n");
}

static void handlers(void)
{
	handler_at(STACK - 0x400);
	handler_at(STACK - 0x100000);
	handler_at(STACK + 0x100000);
}

/* A signal interrupts a call of F by itself before F begins again: not a jump inside of F. */
static void interrupted_call(void)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	functions_signal(task, STACK - 32, BASE + 0x1fff);
	go_on(HANDLER, STACK - 0x400, 100);
	go_on(PROGRAM, STACK - 0x3f8, 3);
	go_on(F, STACK - 32, 1000);
	go_on(F, STACK - 24, 10);
	go_on(START, STACK, 1);
	expect_text(
		"function 2 3 3 1\nfunction 3 2 1125 0\nfunction 5 1020 1123 2\nfunction 7 100 100 1\n"
		"call 3 5 1 1123\ncall 5 2 1 3\ncall 5 5 1 0\ncall 5 7 1 100\nend\n");
}

/* Two signals at once: the second handler runs first and then the first. And a handler that leaves F by longjmp. */
static void more_handlers(void)
{
	begin();
	go_on(START, STACK, 1);
	call(F, STACK - 8, 10);
	functions_signal(task, STACK - 16, 0);
	functions_signal(task, STACK - 0x400, 0);
	go_on(G, STACK - 0x800, 100);
	go_on(HANDLER, STACK - 0x400, 1000);
	go_on(F, STACK - 16, 10);
	functions_signal(task, STACK - 16, 0);
	go_on(HANDLER, STACK - 0x400, 1000);
	go_on(START, STACK, 1);
	expect_text(
		"function 3 2 2122 0\nfunction 5 20 2120 1\nfunction 6 100 100 1\nfunction 7 2000 2000 2\n"
		"call 3 5 1 2120\ncall 5 6 1 100\ncall 5 7 2 2000\nend\n");
}

/* A child continues MAIN in F; its costs are its own, and no call is counted twice. A thread has calls of its own. */
static void forks(void)
{
	begin();
	go_on(START, STACK, 1);
	call(MAIN, STACK - 8, 10);
	call(F, STACK - 32, 100);
	functions_fork(f, TASK + 1, TASK);
	go_on(MAIN, STACK - 24, 10);
	task = functions_task(f, TASK + 1);
	functions_charge(task, 1000);
	go_on(MAIN, STACK - 24, 1000);
	functions_end(f, TASK + 1);
	task = functions_task(f, TASK + 2);
	go_on(G, STACK - 0x100000, 7);
	call(F, STACK - 0x100008, 7);
	expect_text(
		"function 3 1 2121 0\nfunction 4 1020 2120 1\nfunction 5 1107 1107 2\nfunction 6 7 14 0\n"
		"call 3 4 1 2120\ncall 4 5 1 1100\ncall 6 5 1 7\nend\n");
}

/* exec ends all calls; what has no function is the unknown one's. */
static void programs(void)
{
	begin();
	functions_charge(task, 3);
	go_on(START, STACK, 1);
	call(MAIN, STACK - 8, 10);
	functions_unwind(task);
	functions_charge(task, 5);
	go_on(G, STACK + 0x1000, 100);
	EXPECT_EQ(functions_kept_return(task), 0);
	functions_keep_return(task, 9);
	EXPECT_EQ(functions_kept_return(task), 9);
	EXPECT(functions_find_task(f, TASK) == task && !functions_find_task(f, TASK + 1));
	expect_text(
		"function 1 8 0 0\nfunction 3 1 11 0\nfunction 4 10 10 1\nfunction 6 100 100 0\ncall 3 4 1 10\nend\n");
}

/* Calls outside of what is counted are followed, and are no numbers: MAIN calls F, in which the count begins, and F calls G. */
static void parts(void)
{
	begin();
	functions_enter(task, MAIN, pc_of(MAIN), STACK, 0, false);
	functions_enter(task, F, pc_of(F), STACK - 8, BASE + 0x1fff, false);
	functions_charge(task, 100);
	call(G, STACK - 16, 1000);
	functions_enter(task, F, pc_of(F) + 9, STACK - 8, 0, false);
	functions_enter(task, PUTS, 1, STACK - 8, 0, false);
	functions_enter(task, MAIN, pc_of(MAIN) + 9, STACK, 0, false);
	expect_text(
		"function 4 0 1100 0\nfunction 5 100 1100 0\nfunction 6 1000 1000 1\ncall 4 5 0 1100\ncall 5 6 1 1000\nend\n");
}

static void flat(void)
{
	begin();
	functions_flat(task, F);
	functions_charge(task, 10);
	functions_flat(task, G);
	functions_charge(task, 20);
	functions_charge(task, 0);
	functions_flat(task, F);
	functions_charge(task, 1);
	expect_text("function 5 11 0 0\nfunction 6 20 0 0\nend\n");
}

/* A thousand functions call each other in a ring: the tables grow, and nothing is lost. */
static void many(void)
{
	uint64_t sum = 0;
	char *line;

	begin();
	for (uint32_t i = 0; i < 100000; i++) {
		functions_enter(task, 10 + i % 1000, 1, STACK - 8 * i, 2, true);
		functions_charge(task, i);
	}
	finish();
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned id;
		unsigned long long cost;

		if (sscanf(line, "function %u %llu", &id, &cost) == 2)
			sum += cost;
	}
	EXPECT_EQ(sum, 99999ull * 100000 / 2);
	free(text);
}

#define MARKED_TABLE "file /bin/p\ninstructions\n1000\n1100\nfile /lib/l\n40\n"

/*
 * Two CPUs: the block of three instructions runs 10 times on one, 4 times of which it is left before the second instruction, and
 * once on the other; a block of its second instruction alone runs 7 times.
 */
static void instructions(void)
{
	static const uint16_t begins[] = { 0, 2, 5 }, other_begins[] = { 0, 3, 5 };
	uint64_t cells[2][16] = { 0 }, offset = 0;
	char error[100];
	uint32_t file = 0, block, second, other;

	f = load(MARKED_TABLE, error, sizeof(error));
	EXPECT(f && functions_count_instructions(f));
	functions_map(f, SPACE, BASE + 0x1000, 0x1000, 0x1000, "/bin/p");
	functions_map(f, SPACE, 0x10000, 0x1000, 0, "/lib/l");
	EXPECT(functions_place(f, SPACE, BASE + 0x1010, &file, &offset));
	EXPECT_EQ(file, PROGRAM);
	EXPECT_EQ(offset, 0x1010);
	EXPECT(!functions_place(f, SPACE, 0x10040, &file, &offset));
	EXPECT(!functions_place(f, SPACE, BASE, &file, &offset));
	EXPECT(!functions_place(f, SPACE + 1, BASE + 0x1010, &file, &offset));
	block = functions_cells(f, PROGRAM, 0x1000, begins, 3);
	second = functions_cells(f, PROGRAM, 0x1002, begins, 1);
	other = functions_cells(f, PROGRAM, 0x1000, other_begins, 3);
	EXPECT(block && second && other && block + 3 <= second && second + 1 <= other);
	EXPECT_EQ(functions_cells(f, PROGRAM, 0x1000, begins, 3), block);
	cells[0][block] = 10;
	cells[0][block + 1] = -4ull;
	cells[0][second] = 7;
	cells[1][block] = 1;
	functions_add_cells(f, cells[0]);
	functions_add_cells(f, cells[1]);
	expect_text("instruction 2 1000 11\ninstruction 2 1002 14\ninstruction 2 1005 7\nend\n");
}

/* A guest that changes its code gets no more cells than there are, and none that others have. */
static void cells_end(void)
{
	static uint16_t begins[512];
	char error[100];
	uint32_t blocks = 0, last = 0, cell;

	f = load(MARKED_TABLE, error, sizeof(error));
	EXPECT(f);
	while ((cell = functions_cells(f, PROGRAM, blocks, begins, 512)) != 0) {
		EXPECT(cell > last);
		last = cell;
		blocks++;
	}
	/* One of the cells has no use. */
	EXPECT_EQ(blocks, FUNCTIONS_CELLS / 512 - 1);
	EXPECT_EQ(functions_cells(f, PROGRAM, 0, begins, 512), 1);
	finish();
	free(text);
	f = load(TABLE, error, sizeof(error));
	EXPECT(f && !functions_count_instructions(f));
	functions_free(f);
}

static const struct tap_rule rules[] = {
	{ "an address belongs to the last function that begins before it, in the latest mapping",
	  places },
	{ "names and mappings have limits, and beyond them functions are unknown", limits },
	{ "a table that does not ascend, or is none, is refused by its line", wrong_tables },
	{ "calls and returns: exclusive and inclusive costs, and calls, of each pair", calls },
	{ "recursion: the inclusive cost is that of the outermost call", recursion },
	{ "a jump to another function is a tail call, which ends with its caller", tail_calls },
	{ "longjmp ends the calls that it leaves", jumps_out },
	{ "a call of the next instruction is none", call_of_next },
	{ "a return that matches no call goes on as a jump", unmatched_return },
	{ "a handler is called by what it interrupts, on any stack", handlers },
	{ "a call that a signal interrupts before its function begins is a call",
	  interrupted_call },
	{ "handlers may nest, and may leave by longjmp", more_handlers },
	{ "a child continues its parent's calls, and a thread does not", forks },
	{ "exec ends all calls, and costs without a function are kept", programs },
	{ "calls are followed outside of what is counted, and not counted", parts },
	{ "flat costs have no calls", flat },
	{ "the sum of exclusive costs is exact for many functions", many },
	{ "an instruction has retired as often as its blocks on all CPUs say", instructions },
	{ "cells of instructions have a limit, and beyond it blocks have none", cells_end },
};

TAP_MAIN(rules)
