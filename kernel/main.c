/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The start of the machine-independent kernel, in order; see <kernel/base/entry.h>.
 */
#include <string.h>

#include <arch/machine.h>
#include <arch/smp.h>
#include <kernel/base/boot.h>
#include <kernel/base/debug.h>
#include <kernel/base/entry.h>
#include <kernel/base/log.h>
#include <kernel/base/panic.h>
#include <kernel/base/start.h>
#include <kernel/drivers/screen.h>
#include <kernel/drivers/serial.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/page.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/syscall/syscall_trace.h>
#include <kernel/task/credentials.h>
#include <kernel/time/time.h>
#include <kernel/tty/console.h>

extern const struct start_step __start_steps_begin[], __start_steps_end[];

static void run_steps(enum start_level level)
{
	for (const struct start_step *step = __start_steps_begin; step < __start_steps_end; step++)
		if (step->level == level)
			step->run();
}

/* The unikernel form's initramfs, linked into the image; empty otherwise. */
extern const char __initramfs_start[], __initramfs_end[];

static void unpack_initramfs(void)
{
	size_t linked_size = (size_t)(__initramfs_end - __initramfs_start);

	if (boot_info.module_count > 0)
		initramfs_unpack(page_address(boot_info.modules[0].start),
				 boot_info.modules[0].end - boot_info.modules[0].start);
	else if (linked_size > 0)
		initramfs_unpack(__initramfs_start, linked_size);
	else
		boot_failure("no initramfs: give one as the first module (QEMU: -initrd FILE)");
}

static void set_console(void)
{
	char mode[8] = "cooked";

	boot_option("console", mode, sizeof mode);
	bool virtio = strcmp(mode, "virtio") == 0;

	if (!virtio && strcmp(mode, "raw") != 0 && strcmp(mode, "cooked") != 0)
		boot_failure(
			"console=%s: not a way of using the console; give raw, cooked or virtio",
			mode);
	console_init(virtio || strcmp(mode, "raw") == 0, virtio);
	serial_receive_start();
	if (screen_is_present())
		keyboard_start();
}

/* The start's steps that may sleep, or need the other CPUs. A kernel task. */
static void start_user_space(void *unused)
{
	unsigned int cpus = arch_smp_start();

	log_info("%u CPU%s, %zu MiB of memory, %lu us since entry", cpus, cpus == 1 ? "" : "s",
		 page_total_count() >> (20 - PAGE_SHIFT), clock_ns() / 1000);
	debug_irqs_off_start();
	panic_on_demand();
	set_console();
	run_steps(START_CORE);
	run_steps(START_PMUS);
	files_init();
	run_steps(START_FILES);
	unpack_initramfs();
	run_steps(START_DEVICES);
	devices_mount();
	run_steps(START_DEV);
	proc_mount();
	sysfs_mount();
	run_steps(START_TREES);
	run_steps(START_LATE);
	init_run(boot_info.command_line);
}

void cpu_start_secondary(void)
{
	sched_start_cpu();
}

/* Called from boot/: boot_info is complete, traps work, the kernel's page tables are loaded. Boot CPU,
 * interrupts off. */
_Noreturn void kernel_main(void);
__attribute__((no_stack_protector)) void kernel_main(void)
{
	syscall_trace_init();
	page_init(boot_info.free, (unsigned int)boot_info.free_count);
	arch_init();
	screen_init();
	debug_canary_init();
	sched_init(&credentials_initial);

	struct task *task = task_create_kernel("start", start_user_space, NULL);

	if (!task)
		boot_failure("not enough memory to start; give the machine more");
	sched_start(task); /* with our reference */
	sched_start_cpu();
}
