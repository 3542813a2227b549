/*
 * The functions of a machine's programs: which one an address belongs to, what each has cost, and who called whom.
 *
 * table.c knows the functions by number.  It reads them from a table that the host has made of the machine's files, and is
 * told what is mapped where.  tasks.c keeps, for each task of the guest, a stack of the calls that have not returned, and
 * adds up.  instructions.c knows how often each instruction of some files has retired.  None knows a CPU; a target tells
 * them what its CPUs do.
 *
 * A cost is a number of instructions.  Each task has a clock, which functions_charge advances.  A function's exclusive cost
 * is the time that the clock has passed in it; the inclusive one, the time in which at least one call of it had not ended.
 *
 * Functions that change the table, spaces or the set of tasks need the caller's lock.  A task may be used without it by the
 * one CPU that runs it.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Functions Functions;
typedef struct FunctionsTask FunctionsTask;

/* The number of no function, and that of code that no mapping explains. */
#define FUNCTIONS_NONE          0
#define FUNCTIONS_UNKNOWN       1

/* The space of the kernel's addresses; no process has this number. */
#define FUNCTIONS_KERNEL        UINT64_MAX

/*
 * functions_load: read the table at @path.  Its lines are "file PATH" and,
 * below it, "instructions" if those of the file are counted one by one, and
 * the offsets in the file at which functions begin, ascending, in hexadecimal
 * digits.  Each file takes a number, that of its code before the first
 * function, and each function the next.  NULL: an error, written to @error.
 */
Functions *functions_load(const char *path, char *error, size_t error_size);

/* functions_free: free all; no task runs. */
void functions_free(Functions *f);

/* functions_map: @space has @length bytes of @path from @offset on at @start. */
void functions_map(Functions *f, uint64_t space, uint64_t start,
                   uint64_t length, uint64_t offset, const char *path);

/* functions_copy_space: @to has the mappings of @from and no others. */
void functions_copy_space(Functions *f, uint64_t to, uint64_t from);

/* functions_clear_space: @space has no mapping any more. */
void functions_clear_space(Functions *f, uint64_t space);

/*
 * functions_at: the number of the function at @pc in @space; *@end is the
 * first address after @pc that may belong to another.
 */
uint32_t functions_at(Functions *f, uint64_t space, uint64_t pc, uint64_t *end);

/* functions_count_instructions: are those of any file counted one by one? */
bool functions_count_instructions(const Functions *f);

/*
 * functions_place: are the instructions at @pc in @space counted one by one?
 * Then *@file is the number of their file, and *@offset where @pc is in it.
 */
bool functions_place(Functions *f, uint64_t space, uint64_t pc, uint32_t *file,
                     uint64_t *offset);

/* The cells that a CPU has: numbers, of which the first has no use. */
#define FUNCTIONS_CELLS (1u << 24)

/*
 * functions_cells: the cells of the block of @nr instructions at @offset of file
 * number @file; @begins: the bytes from the first to each.  Returns the index of
 * the first cell, the others follow; 0: there are none left.
 */
uint32_t functions_cells(Functions *f, uint32_t file, uint64_t offset,
                         const uint16_t *begins, uint32_t nr);

/* functions_add_cells: these are the cells of one more CPU.  No block is new after that. */
void functions_add_cells(Functions *f, const uint64_t *cells);

/* functions_task: the task of this name, which is made if there is none. */
FunctionsTask *functions_task(Functions *f, uint64_t name);

/* functions_find_task: the same, or NULL if there is none. */
FunctionsTask *functions_find_task(Functions *f, uint64_t name);

/* functions_fork: @child continues the calls of @parent, with no cost so far. */
void functions_fork(Functions *f, uint64_t child, uint64_t parent);

/* functions_end: the task has ended, and with it all its calls. */
void functions_end(Functions *f, uint64_t name);

/* functions_charge: the task's present function has cost @cost. */
void functions_charge(FunctionsTask *t, uint64_t cost);

/*
 * functions_enter: function @id goes on at @pc, with the stack pointer @sp;
 * @return_pc: by a call that returns there; 0: by anything else; @counted: a
 * call is counted.
 */
void functions_enter(FunctionsTask *t, uint32_t id, uint64_t pc, uint64_t sp,
                     uint64_t return_pc, bool counted);

/* functions_signal: a handler is about to start; @sp and @return_pc of what it interrupts. */
void functions_signal(FunctionsTask *t, uint64_t sp, uint64_t return_pc);

/*
 * functions_keep_return, functions_kept_return: the return address of a call
 * whose function has not begun, or 0, while the task does not run.
 */
void functions_keep_return(FunctionsTask *t, uint64_t return_pc);
uint64_t functions_kept_return(const FunctionsTask *t);

/* functions_flat: function @id goes on; nothing is said of calls. */
void functions_flat(FunctionsTask *t, uint32_t id);

/* functions_unwind: all calls of the task end. */
void functions_unwind(FunctionsTask *t);

/*
 * functions_write: end all tasks and write what they cost, a line each:
 * "name NUMBER PATH" for a file that the table has not;
 * "function NUMBER EXCLUSIVE INCLUSIVE CALLS";
 * "call CALLER CALLEE CALLS INCLUSIVE"; "instruction FILE OFFSET COUNT", a
 * file's number, hexadecimal digits, and how often it has retired; and "end" as
 * the last.
 * False: an error, in errno.
 */
bool functions_write(Functions *f, FILE *to);

/* Between table.c, tasks.c and instructions.c. */
void functions_write_names(Functions *f, FILE *to);
void functions_free_tasks(Functions *f);
struct FunctionsTasks **functions_tasks(Functions *f);
void functions_write_instructions(Functions *f, FILE *to);
void functions_free_blocks(Functions *f);
struct FunctionsBlocks **functions_blocks(Functions *f);

#endif /* FUNCTIONS_H */
