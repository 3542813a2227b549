/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known work: between the two system calls that switch counting on and off, a fixed number of instructions
 * is executed, which is written down here one by one. So what an event must have counted is a sum.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>

/*
 * What user space retires in work_counted(fd, loops), from behind the enabling `syscall` up to and with the
 * disabling one: mov, then (dec, jnz) for each loop, then mov, mov, mov, mov, syscall. The enabling syscall
 * itself was executed while nothing counted. Branches: each jnz, and the syscall.
 */
#define WORK_INSTRUCTIONS(loops) (1 + 2 * (uint64_t)(loops) + 4 + 1)
#define WORK_BRANCHES(loops)	 ((uint64_t)(loops) + 1)

/* Enables the event FD, does LOOPS (1 or more) rounds of work, disables it. Returns 0, or -errno. */
static inline long work_counted_group(int fd, uint64_t loops, uint64_t flags)
{
	long result;

	__asm__ volatile("mov %[call], %%eax\n\t"
			 "mov %[enable], %%esi\n\t"
			 "mov %[fd], %%edi\n\t"
			 "mov %[flags], %%rdx\n\t"
			 "syscall\n\t"
			 "mov %[loops], %%rcx\n"
			 "1: dec %%rcx\n\t"
			 "jnz 1b\n\t"
			 "mov %[call], %%eax\n\t"
			 "mov %[disable], %%esi\n\t"
			 "mov %[fd], %%edi\n\t"
			 "mov %[flags], %%rdx\n\t"
			 "syscall"
			 : "=&a"(result)
			 : [call] "i"(SYS_ioctl), [enable] "i"(PERF_EVENT_IOC_ENABLE),
			   [disable] "i"(PERF_EVENT_IOC_DISABLE), [fd] "r"(fd), [flags] "r"(flags),
			   [loops] "r"(loops)
			 : "rcx", "rdx", "rsi", "rdi", "r11", "memory");
	return result;
}

static inline long work_counted(int fd, uint64_t loops)
{
	return work_counted_group(fd, loops, 0);
}

#endif
