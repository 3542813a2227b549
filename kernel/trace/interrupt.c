/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of interrupts and page faults, at their hooks in <kernel/base/hooks.h>.
 */
#include <string.h>

#include <kernel/base/hooks.h>
#include <kernel/trace/emit.h>

/* Longest name of a device in a record. */
#define NAME_ROOM 32

/* The first of the two events of each kind. */
static const uint16_t entry_events[HOOK_VECTOR_KINDS] = {
	[HOOK_VECTOR_TIMER] = TRACE_local_timer_entry,
	[HOOK_VECTOR_SPURIOUS] = TRACE_spurious_apic_entry,
	[HOOK_VECTOR_DEFERRED] = TRACE_irq_work_entry,
	[HOOK_VECTOR_RESCHEDULE] = TRACE_reschedule_entry,
	[HOOK_VECTOR_CALL] = TRACE_call_function_entry,
};

HOOK_LISTENER(vector, 1, (enum hook_vector kind, unsigned int vector, bool ends))
{
	unsigned int event = entry_events[kind] + ends;
	/* All events of irq_vectors have the same field. */
	TRACE_RECORD(trace_local_timer_entry, 0) room = { .record = { .vector = (int)vector } };

	if (trace_is_on(event))
		trace_emit(event, &room, sizeof(room.record), 1);
}

static void emit_entry(unsigned int irq, const char *name)
{
	const size_t start = sizeof(struct trace_irq_handler_entry);
	TRACE_RECORD(trace_irq_handler_entry, NAME_ROOM) room;
	size_t size = strnlen(name, NAME_ROOM - 1) + 1;

	memset(&room, 0, sizeof(room));
	room.record.irq = (int)irq;
	room.record.name = (uint32_t)(size << 16 | start);
	memcpy(room.bytes + start, name, size - 1);
	trace_emit(TRACE_irq_handler_entry, &room, start + size, 1);
}

static void emit_exit(unsigned int irq)
{
	TRACE_RECORD(trace_irq_handler_exit, 0) room = { .record = { .irq = (int)irq, .ret = 1 } };

	trace_emit(TRACE_irq_handler_exit, &room, sizeof(room.record), 1);
}

HOOK_LISTENER(irq, 1, (unsigned int irq, const char *name, bool ends))
{
	if (ends && trace_is_on(TRACE_irq_handler_exit))
		emit_exit(irq);
	else if (!ends && trace_is_on(TRACE_irq_handler_entry))
		emit_entry(irq, name);
}

HOOK_LISTENER(page_fault, 1, (bool user, uintptr_t address, uintptr_t ip, uint64_t error))
{
	unsigned int event = user ? TRACE_page_fault_user : TRACE_page_fault_kernel;
	TRACE_RECORD(trace_page_fault_user, 0)
	room = { .record = { .address = address, .ip = ip, .error_code = error } };

	if (trace_is_on(event))
		trace_emit(event, &room, sizeof(room.record), 1);
}
