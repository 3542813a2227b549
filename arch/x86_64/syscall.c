/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arch_prctl: the one system call that only x86-64 has. Behaviour: Linux's arch_prctl(2).
 */
#include <arch/task.h>

#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <machine/mmu.h>
#include <machine/msr.h>
#include <uapi/asm/unistd.h>
#include <uapi/linux/errno.h>

enum arch_prctl_code {
	ARCH_SET_GS = 0x1001,
	ARCH_SET_FS = 0x1002,
	ARCH_GET_FS = 0x1003,
	ARCH_GET_GS = 0x1004,
	ARCH_GET_CPUID = 0x1011,
	ARCH_SET_CPUID = 0x1012
};

static long set_base(uint64_t *saved, uint32_t msr, uint64_t base)
{
	if (base >= USER_END)
		return -EPERM;

	unsigned long state = arch_irq_save();

	*saved = base;
	msr_write(msr, base);
	arch_irq_restore(state);
	return 0;
}

static long get_base(uint64_t base, uint64_t address)
{
	return copy_to_user((void *)address, &base, sizeof base);
}

long arch_syscall(long number, struct trap_frame *frame)
{
	struct arch_task *arch = &task_current()->arch;
	unsigned long arg[6];

	if (number != __NR_arch_prctl)
		return -ENOSYS;
	arch_syscall_arguments(frame, arg);
	switch (arg[0]) {
	case ARCH_SET_FS:
		return set_base(&arch->fs_base, MSR_FS_BASE, arg[1]);
	case ARCH_SET_GS:
		return set_base(&arch->gs_base, MSR_KERNEL_GS_BASE, arg[1]);
	case ARCH_GET_FS:
		return get_base(arch->fs_base, arg[1]);
	case ARCH_GET_GS:
		return get_base(arch->gs_base, arg[1]);
	/* Programs may use CPUID; making it fault is not supported. */
	case ARCH_GET_CPUID:
		return 1;
	case ARCH_SET_CPUID:
		return -ENODEV;
	default:
		return -EINVAL;
	}
}
