/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end after a bug: reason, registers, backtrace, exit code. And the end of a start that cannot
 * work.
 *
 * The first processor in panic() stops the others by NMI and speaks alone; a second panic, on
 * another processor or inside the first, does not get to speak. The machine is in an unknown state:
 * no memory is allocated, no lock waited for, every stack word looked at is first known to be
 * mapped.
 */
#include <kernel/panic.h>

#include <stdatomic.h>
#include <stdint.h>

#include <arch/machine.h>
#include <arch/mmu.h>
#include <arch/smp.h>
#include <arch/task.h>
#include <kernel/log.h>
#include <kernel/screen.h>
#include <kernel/serial.h>
#include <kernel/symbol.h>

#define BACKTRACE_DEPTH 32
#define STOP_TRIES	1000000

/* Processor + 1 of the one that panicked first, 0: none has. */
static atomic_uint panicking;
static atomic_uint stopped; /* processors that have obeyed its NMI */

bool panic_in_progress(void)
{
	return atomic_load_explicit(&panicking, memory_order_relaxed) != 0;
}

_Noreturn void panic_stop_processor(void)
{
	atomic_fetch_add(&stopped, 1);
	arch_cpu_halt();
}

/* Waits for them, so that they do not write into the last lines; but not for one that cannot
 * stop. */
static void stop_others(void)
{
	for (unsigned int cpu = 0; cpu < cpu_count(); cpu++)
		if (cpu != cpu_id())
			arch_ipi_send(cpu, IPI_STOP);
	for (unsigned int i = 0; i < STOP_TRIES && atomic_load(&stopped) + 1 < cpu_count(); i++)
		arch_cpu_relax();
}

/* BACK is how far before ADDRESS the named function's code is; DOUBT, a few characters, goes behind it. */
static void print_address(uintptr_t address, size_t back, const char *doubt)
{
	size_t offset;
	const char *name = symbol_find(address - back, &offset);

	if (name)
		log_error("  0x%016lx %s+0x%zx%s", address, name, offset + back, doubt);
	else
		log_error("  0x%016lx%s", address, doubt);
}

/* A call of what never returns may be its function's last instruction: the return address is the next
 * function's then, but the byte before it is not. */
#define CALL_BYTE 1

/* What a function's frame pointer points to. */
struct stack_frame {
	const struct stack_frame *caller;
	uintptr_t return_address;
};

static bool readable(const struct stack_frame *frame)
{
	uintptr_t address = (uintptr_t)frame;

	return address % sizeof(uintptr_t) == 0 && arch_kernel_readable(address) &&
	       arch_kernel_readable(address + sizeof *frame - 1);
}

/* A function that has not set up its stack frame has its return address on top of the stack. Where
 * there is something else, it may look like one: hence the question mark. */
static void print_unframed_caller(uintptr_t stack)
{
	size_t offset;

	if (stack % sizeof(uintptr_t) != 0 || !arch_kernel_readable(stack))
		return;

	uintptr_t top = *(const uintptr_t *)stack;

	if (symbol_find(top, &offset))
		print_address(top, CALL_BYTE, " ?");
}

static void print_backtrace(const struct stack_frame *frame)
{
	for (unsigned int depth = 0; depth < BACKTRACE_DEPTH && readable(frame); depth++) {
		if (!frame->return_address)
			return;
		print_address(frame->return_address, CALL_BYTE, "");
		/* Stacks grow down: a caller's frame that is not above is damage, or a loop. */
		if (frame->caller <= frame)
			return;
		frame = frame->caller;
	}
}

static _Noreturn void die(const struct trap_frame *frame, const struct stack_frame *stack,
			  const char *format, va_list args)
{
	unsigned int nobody = 0;
	char reason[200];

	arch_irq_disable();
	if (!atomic_compare_exchange_strong(&panicking, &nobody, cpu_id() + 1)) {
		if (nobody == cpu_id() + 1) {
			log_error("panic: another one inside the first");
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
	log_error("backtrace on processor %u:", cpu_id());
	if (frame) {
		print_address(arch_frame_ip(frame), 0, "");
		print_unframed_caller(arch_frame_sp(frame));
	}
	print_backtrace(stack);
	arch_machine_end(MACHINE_PANIC);
}

void panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die(NULL, __builtin_frame_address(0), format, args);
}

void panic_at(const struct trap_frame *frame, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die(frame, (const struct stack_frame *)arch_frame_pointer(frame), format, args);
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
