/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end after a bug: reason, registers, backtrace, exit code; and the end of a failed start.
 *
 * The first CPU in panic() stops the others by NMI and writes alone; a second panic, on another CPU or
 * inside the first, writes nothing but that it happened. The machine is in an unknown state: this code
 * allocates no memory, waits for no lock, and reads a stack word only after it has found the word
 * mapped.
 */
#include <kernel/base/panic.h>

#include <stdatomic.h>
#include <stdint.h>

#include <arch/backtrace.h>
#include <arch/machine.h>
#include <arch/smp.h>
#include <arch/task.h>
#include <kernel/base/log.h>
#include <kernel/base/symbol.h>

#define STOP_TRIES 1000000

/* Number + 1 of the CPU that panicked first, 0: no panic. */
static atomic_uint panicking;
static atomic_uint stopped; /* CPUs that have obeyed the NMI */

bool panic_in_progress(void)
{
	return atomic_load_explicit(&panicking, memory_order_relaxed) != 0;
}

_Noreturn void panic_stop_cpu(void)
{
	atomic_fetch_add(&stopped, 1);
	arch_cpu_halt();
}

/* Waits for the other CPUs, which could write between the last lines; but not for a CPU that cannot
 * stop. */
static void stop_others(void)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu != cpu_id())
			arch_ipi_send(cpu, IPI_STOP);
	for (unsigned int i = 0; i < STOP_TRIES && atomic_load(&stopped) + 1 < cpu_count(); i++)
		arch_cpu_relax();
}

/* An arch_backtrace_function. */
static void print_address(uintptr_t address, size_t back, const char *doubt)
{
	size_t offset;
	const char *name = symbol_find(address - back, &offset);

	if (name)
		log_error("  0x%016lx %s+0x%zx%s", address, name, offset + back, doubt);
	else
		log_error("  0x%016lx%s", address, doubt);
}

/* Reports a panic in FRAME or, if that is NULL, in a call that returns to CALLER and whose frame ends
 * at STACK. */
static _Noreturn void die(const struct trap_frame *frame, const void *caller, const void *stack,
			  const char *format, va_list args)
{
	unsigned int owner = 0;
	char reason[200];

	arch_irq_disable();
	if (!atomic_compare_exchange_strong(&panicking, &owner, cpu_id() + 1)) {
		if (owner == cpu_id() + 1) {
			log_error("panic: a second one inside the first");
			arch_machine_end(MACHINE_PANIC);
		}
		arch_cpu_halt();
	}
	stop_others();
	log_ignore_locks();
	format_string_v(reason, sizeof reason, format, args);
	log_error("panic: %s", reason);
	if (frame)
		arch_frame_log(frame);
	log_error("backtrace on CPU %u:", cpu_id());
	if (frame)
		arch_backtrace(frame, print_address);
	else
		arch_backtrace_from((uintptr_t)caller, (uintptr_t)stack, print_address);
	arch_machine_end(MACHINE_PANIC);
}

void panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die(NULL, __builtin_return_address(0), __builtin_dwarf_cfa(), format, args);
}

void panic_at(const struct trap_frame *frame, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die(frame, NULL, NULL, format, args);
}

void boot_failure(const char *format, ...)
{
	char reason[200];
	va_list args;

	va_start(args, format);
	format_string_v(reason, sizeof reason, format, args);
	va_end(args);
	log_error("boot: %s", reason);
	arch_machine_end(MACHINE_BOOT_FAILURE);
}
