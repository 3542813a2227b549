/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations that the files of kernel/trace/ share.
 */
#ifndef KERNEL_TRACE_TRACE_H
#define KERNEL_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/base/hooks.h>
#include <kernel/trace/event.h>

struct text;

/* --- calls.c: the events of system calls --- */

/* The names, "openat", are those of Linux's functions, the numbers those of the ABI. */
struct trace_call {
	uint16_t number;
	struct trace_event enter, exit;
};

/* Return the number of calls with events, and event INDEX of them, twice as many. Any context. */
unsigned int trace_call_count(void);
const struct trace_event *trace_call_event(unsigned int index);

/* Returns Linux's name of call NUMBER, "openat", or NULL. Any context. */
const char *trace_call_name(uint64_t number);

/* Adds (ON) or removes a listener of an event of calls: while there is one, every call checks for events. */
void trace_calls_listen(bool on);

/* --- hooks.c --- */

/* The hook that event NUMBER is made of; HOOK_none: another place. Any context. */
enum hook trace_hook_of(unsigned int number);

/* --- emit.c --- */

/* Returns when every trace_emit that was running has finished: data that listeners could find before, and
 * no longer can, may be freed. Task context, interrupts on. */
void trace_emit_sync(void);

/* --- print.c: functions that formats use --- */

struct trace_symbol {
	unsigned long value;
	const char *name;
};

/* Room for the texts of one record. */
struct trace_scratch {
	char bytes[256];
	size_t used;
};

/* Return the name of VALUE among COUNT SYMBOLS, or the number in hexadecimal; the names of the bits of
 * FLAGS with SEPARATOR between them. As Linux's __print_symbolic and __print_flags. */
const char *trace_print_symbol(struct trace_scratch *scratch, unsigned long value,
			       const struct trace_symbol *symbols, size_t count);
const char *trace_print_flags(struct trace_scratch *scratch, unsigned long flags,
			      const char *separator, const struct trace_symbol *symbols,
			      size_t count);

#endif
