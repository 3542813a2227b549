/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints as perf events: attributes and watched memory.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_BREAKPOINT_H
#define TESTS_BREAKPOINT_H

#include <fcntl.h>
#include <linux/hw_breakpoint.h>

#include "buffer.h"

#define KERNEL_ADDRESS 0xffffffff81000000ull

/* The watched memory: 32 bytes, aligned. */
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

static inline void attr_write(union attr *attr)
{
	attr_breakpoint(attr, HW_BREAKPOINT_W, (uint64_t)&watched, 8);
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ull;
}

void counted_function(void);
void counted_loop(uint64_t rounds);
extern const char counted_label[], after_label[];

__asm__(".text\n"
	".globl counted_function, counted_loop, counted_label, after_label\n"
	"counted_function:\n"
	"	nop\n"
	"	ret\n"
	"counted_loop:\n"
	"	nop\n"
	"counted_label:\n"
	"	addq $0, watched_by_loop(%rip)\n"
	"after_label:\n"
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

/* Lets another user open all events that need no privilege of their own. */
static void permit_all(void)
{
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_WRONLY);

	show(outcome_value(write(fd, "-1", 2)), "all is permitted");
	close(fd);
}

#endif
