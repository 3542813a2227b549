/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of kernel/trace/ share.
 */
#ifndef KERNEL_TRACE_TRACE_H
#define KERNEL_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kernel/hooks.h>
#include <kernel/trace/event.h>

struct text;

/* --- calls.c: the events of system calls --- */

/* Their names, "openat", are Linux's of the functions, the numbers those of the ABI. */
struct trace_call {
	uint16_t number;
	struct trace_event enter, exit;
};

/* How many calls have events, and event INDEX of them, twice as many. Any context. */
unsigned int trace_call_count(void);
const struct trace_event *trace_call_event(unsigned int index);

/* Linux's name of call NUMBER, "openat", or NULL. Any context. */
const char *trace_call_name(uint64_t number);

/* One more listener (ON) or one less to an event of calls: those are looked for at every call as long as
 * there is one. */
void trace_calls_listen(bool on);

/* --- hooks.c --- */

/* The hook that event NUMBER is made of; HOOK_none: another place. Any context. */
enum hook trace_hook_of(unsigned int number);

/* --- emit.c --- */

/* Returns when every trace_emit that was at work is over: what listeners could find before, and can no
 * longer, may be freed. Task context, interrupts on. */
void trace_emit_sync(void);

/* --- print.c: words that formats use --- */

struct trace_symbol {
	unsigned long value;
	const char *name;
};

/* Room for the texts of one record. */
struct trace_scratch {
	char bytes[256];
	size_t used;
};

/* The name of VALUE among COUNT SYMBOLS, or the number in hexadecimal; the names of the bits of FLAGS with
 * SEPARATOR between them. As Linux's __print_symbolic and __print_flags. */
const char *trace_print_symbol(struct trace_scratch *scratch, unsigned long value,
			       const struct trace_symbol *symbols, size_t count);
const char *trace_print_flags(struct trace_scratch *scratch, unsigned long flags,
			      const char *separator, const struct trace_symbol *symbols,
			      size_t count);

#endif
