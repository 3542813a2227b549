/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86-64's part of hostile.c: its calls, the addresses without an owner, and code with bad stacks and frames.
 */
#ifndef TESTS_BOOT_X86_64_HOSTILE_H
#define TESTS_BOOT_X86_64_HOSTILE_H

/* Numbers that the last rule calls: Linux's 463, and some beyond; and those that wait. */
#define NUMBERS	  480
#define ISA_WAITS __NR_pause

#define ISA_PROBES                                                                              \
	PROBE(stat, 0, IN, POINTER, BUFFER), PROBE(stat, 144, OUT, PATH, POINTER),              \
		PROBE(lstat, 0, IN, POINTER, BUFFER), PROBE(lstat, 144, OUT, PATH, POINTER),    \
		PROBE(fstat, 144, OUT, FILE_FD, POINTER),                                       \
		PROBE(newfstatat, 0, IN, AT_FDCWD, POINTER, BUFFER, 0),                         \
		PROBE(newfstatat, 144, OUT, AT_FDCWD, PATH, POINTER, 0),                        \
		PROBE(pipe, 8, OUT, POINTER), PROBE(arch_prctl, 8, OUT, 0x1003, POINTER),       \
		PROBE(arch_prctl, 8, OUT, 0x1004, POINTER), PROBE(clone3, 64, IN, POINTER, 64), \
		PROBE(rt_sigaction, 32, IN, SIGUSR1, POINTER, 0, 8),                            \
		PROBE(rt_sigaction, 32, OUT, SIGUSR1, 0, POINTER, 8), PROBE(time, 8, OUT, POINTER)

/*
 * Below what may be mapped; the last page below the hole, which is kept free; not canonical; the first address that
 * is not canonical; the kernel: the start of its half, its image in the direct map, its stacks, its text; the end: what
 * is added to it wraps round.
 */
#define ISA_UNREADABLE                                                               \
	0x8, 0x7ffffffff000, 0x7fffffffffffe000, 0x800000000000, 0xffff800000000000, \
		0xffff800000100000, 0xffffc00000001000, 0xffffffff80100000, 0xfffffffffffffff8

/* A system call with this stack pointer, and then a use of it. */
static void call_with_stack(uintptr_t address)
{
	__asm__ volatile("movq %0, %%rsp; movl %1, %%eax; syscall; pushq %%rax"
			 :
			 : "r"(address), "i"(__NR_getpid)
			 : "rax", "rcx", "r11", "memory");
}

/* A signal with a handler while the stack is there: the frame cannot be pushed. */
static void take_signal_on(uintptr_t address)
{
	signal(SIGUSR1, handler);
	long pid = getpid();

	__asm__ volatile("movq %0, %%rsp; syscall"
			 :
			 : "r"(address), "a"(__NR_kill), "D"(pid), "S"((long)SIGUSR1)
			 : "rcx", "r11", "memory");
}

/* rt_sigreturn from a frame that is not there. */
static void return_from(uintptr_t address)
{
	__asm__ volatile("movq %0, %%rsp; syscall"
			 :
			 : "r"(address), "a"(__NR_rt_sigreturn)
			 : "rcx", "r11", "memory");
}

/* rt_sigreturn to registers that no program may have: everything is ones, or this address. */
static void return_to(uintptr_t address)
{
	uint64_t *frame = (uint64_t *)good;

	memset(good, 0, PAGE);
	/* Linux's frame: registers from word 5 on, rip is word 21, flags 22, selectors 23,
	 * floating point 27. */
	for (int word = 5; word < 24; word++)
		frame[word] = ~0ull;
	frame[21] = address;
	frame[27] = 0;
	return_from((uintptr_t)good);
}

/* It answers a wrong end with the one that there is. */
static bool brk_refuses(uintptr_t end)
{
	return syscall(__NR_brk, end) == syscall(__NR_brk, 0);
}

#endif
