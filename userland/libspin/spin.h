/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.h - known work: functions in assembly whose retired instructions and branches can be
 * counted by hand, and the table that says how many there are.
 *
 * A test of a counter calls one of these and asserts the number. Compiled code will not do:
 * its counts change with the compiler.
 */
#ifndef SPIN_H
#define SPIN_H

#include <stddef.h>
#include <stdint.h>

/*
 * A piece of work. @n is its size, at least 1; @memory is used as the work's entry in the table
 * says, and may be NULL where that is SPIN_NO_MEMORY. Preserves what the ISA's calling convention says.
 * Any thread.
 */
typedef void spin_function(uint64_t n, void *memory);

/* In the words of x86-64; each ISA has the same in its own instructions. */
spin_function spin_nothing;  /* returns */
spin_function spin_loop;     /* n times: sub, jnz */
spin_function spin_straight; /* n times: 100 nop, sub, jnz */
spin_function spin_branches; /* n times: a branch not taken, one taken, a jump, sub, jnz */
spin_function spin_calls;    /* n times: call, ret, sub, jnz */
spin_function spin_stores;   /* n times: store and load at memory, sub, jnz */
spin_function
	spin_copies; /* n times: SPIN_COPY_BYTES from memory on copied to the next page, sub, jnz */
spin_function spin_touches;  /* n times: a store into the next page of memory, sub, jnz */
spin_function spin_syscalls; /* n times: the getppid system call, sub, jnz */
spin_function spin_yields;   /* n times: the sched_yield system call, sub, jnz */

#define SPIN_COPY_BYTES 4096
#ifdef __alpha__
#define SPIN_PAGE_BYTES 8192
#else
#define SPIN_PAGE_BYTES 4096
#endif

enum spin_memory {
	SPIN_NO_MEMORY,
	SPIN_TWO_PAGES,	  /* 2 * SPIN_PAGE_BYTES, readable and writable */
	SPIN_FRESH_PAGES, /* n * SPIN_PAGE_BYTES; each page not yet touched faults once */
};

/* So many, whatever n is, and so many more for each of n. */
struct spin_count {
	uint32_t fixed;
	uint32_t each;
};

/* Addresses in the order in which a work of size n retires them: head, n times body, tail. */
struct spin_path {
	const uintptr_t *head, *body, *tail;
	uint32_t head_count, body_count, tail_count;
};

extern const struct spin_path spin_nothing_path, spin_loop_path, spin_straight_path,
	spin_branches_path, spin_calls_path, spin_stores_path, spin_copies_path, spin_touches_path,
	spin_syscalls_path, spin_yields_path;

/* Instructions on the path; the same as the table's count for the work. Any context. */
static inline uint64_t spin_path_length(const struct spin_path *path, uint64_t n)
{
	return path->head_count + path->body_count * n + path->tail_count;
}

/* Where instruction number @index, from 0, is; 0 if the path is not that long. Any context. */
uintptr_t spin_path_address(const struct spin_path *path, uint64_t n, uint64_t index);

/*
 * The instructions that a call of @run retires in user mode: from the function's first instruction to its ret, the
 * call not included. Faults and interrupts add nothing; x86-64: a rep instruction is one instruction, the
 * syscall instruction is an instruction and a branch.
 */
struct spin_work {
	const char *name;
	const char *what; /* one pass in words, for a report */
	spin_function *run;
	const struct spin_path *path;
	enum spin_memory memory;
	struct spin_count instructions;
	struct spin_count branches;
};

/* Every function above, in that order. */
extern const struct spin_work spin_works[];
extern const size_t spin_works_count;

/* The work of that name, or NULL. */
const struct spin_work *spin_find_work(const char *name);

/* The count for work of size @n. */
static inline uint64_t spin_derive(struct spin_count count, uint64_t n)
{
	return count.fixed + count.each * n;
}

/* Bytes of memory that @work of size @n needs; 0 for SPIN_NO_MEMORY. */
size_t spin_memory_bytes(const struct spin_work *work, uint64_t n);

#endif /* SPIN_H */
