/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known work: between the two system calls that switch counting on and off, a fixed number of instructions
 * is executed, which is written down here one by one. So an event's count must be a sum.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>

/* Other parts that depend on the ISA: the page; LOOPS rounds of two instructions, which count LOOPS down to
 * 0; reading counter INDEX in user mode, if there is an instruction for that. WORK_FIT_MEMBER changes ATTR, an
 * event of instructions, so that it can be member MEMBER of a group (0: the leader): the EV67 counts
 * instructions on one counter only and cycles on the other, and the rest must be software events. */
#ifdef __alpha__
#define WORK_PAGE			    8192
#define WORK_SPIN(loops)		    __asm__ volatile("1: subq %0, 1, %0\n\tbne %0, 1b" : "+r"(loops))
#define WORK_READ_COUNTER(index, low, high) ((low) = (high) = 0 * (index))
#define WORK_FIT_MEMBER(attr, member)                                           \
	((attr)->type = (member) < 2 ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE, \
	 (attr)->config = (member) == 0 ? PERF_COUNT_HW_INSTRUCTIONS :          \
			  (member) == 1 ? PERF_COUNT_HW_CPU_CYCLES :            \
					  PERF_COUNT_SW_TASK_CLOCK)
#else
#define WORK_PAGE	 4096
#define WORK_SPIN(loops) __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(loops))
#define WORK_READ_COUNTER(index, low, high) \
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index))
#define WORK_FIT_MEMBER(attr, member) ((void)(attr), (void)(member))
#endif

/*
 * The instructions that user space retires in work_counted(fd, loops), after the enabling `syscall` up to and
 * with the disabling one: mov, then (dec, jnz) for each loop, then mov, mov, mov, mov, syscall. The enabling
 * syscall itself was executed while nothing counted. Branches: each jnz, and the syscall. Alpha's
 * instructions are as many.
 */
#define WORK_INSTRUCTIONS(loops) (1 + 2 * (uint64_t)(loops) + 4 + 1)
#define WORK_BRANCHES(loops)	 ((uint64_t)(loops) + 1)

/* Enables the event FD, does LOOPS (1 or more) rounds of work, disables it. Returns 0, or -errno. */
static inline long work_counted_group(int fd, uint64_t loops, uint64_t flags)
{
#ifdef __alpha__
	long result, failed;

	__asm__ volatile("lda $0, %[call]($31)\n\t"
			 "mov %[enable], $17\n\t"
			 "mov %[fd], $16\n\t"
			 "mov %[flags], $18\n\t"
			 "callsys\n\t"
			 "mov %[loops], $1\n"
			 "1: subq $1, 1, $1\n\t"
			 "bne $1, 1b\n\t"
			 "lda $0, %[call]($31)\n\t"
			 "mov %[disable], $17\n\t"
			 "mov %[fd], $16\n\t"
			 "mov %[flags], $18\n\t"
			 "callsys\n\t"
			 "mov $0, %[result]\n\t"
			 "mov $19, %[failed]"
			 : [result] "=r"(result), [failed] "=r"(failed)
			 : [call] "i"(SYS_ioctl), [enable] "r"((long)PERF_EVENT_IOC_ENABLE),
			   [disable] "r"((long)PERF_EVENT_IOC_DISABLE), [fd] "r"((long)fd),
			   [flags] "r"(flags), [loops] "r"(loops)
			 : "$0", "$19", "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$16",
			   "$17", "$18", "$20", "$21", "$22", "$23", "$24", "$25", "$27", "$28",
			   "memory");
	return failed ? -result : result;
#else
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
#endif
}

static inline long work_counted(int fd, uint64_t loops)
{
	return work_counted_group(fd, loops, 0);
}

#endif
