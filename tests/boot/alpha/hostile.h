/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Alpha's part of hostile.c: its calls, the addresses without an owner, and code with bad stacks and frames.
 */
#ifndef TESTS_BOOT_ALPHA_HOSTILE_H
#define TESTS_BOOT_ALPHA_HOSTILE_H

/* Numbers that the last rule calls: Linux's 573, and some beyond; and those that wait, or are a frame's end. */
#define NUMBERS	  590
#define ISA_WAITS __NR_sigsuspend, __NR_sigreturn

#define ISA_PROBES                                                                               \
	PROBE(stat64, 0, IN, POINTER, BUFFER), PROBE(stat64, 136, OUT, PATH, POINTER),           \
		PROBE(lstat64, 0, IN, POINTER, BUFFER), PROBE(lstat64, 136, OUT, PATH, POINTER), \
		PROBE(fstat64, 136, OUT, FILE_FD, POINTER),                                      \
		PROBE(fstatat64, 0, IN, AT_FDCWD, POINTER, BUFFER, 0),                           \
		PROBE(fstatat64, 136, OUT, AT_FDCWD, PATH, POINTER, 0),                          \
		PROBE(stat, 0, IN, POINTER, BUFFER), PROBE(stat, 80, OUT, PATH, POINTER),        \
		PROBE(lstat, 80, OUT, PATH, POINTER), PROBE(fstat, 80, OUT, FILE_FD, POINTER),   \
		PROBE(rt_sigaction, 24, IN, SIGUSR1, POINTER, 0, 8, 0),                          \
		PROBE(rt_sigaction, 24, OUT, SIGUSR1, 0, POINTER, 8, 0)

/*
 * Below what may be mapped; the first address after user space, which is not canonical either; more of those; the
 * kernel: all memory, its image, devices, its stacks; the end: what is added to it wraps round.
 */
#define ISA_UNREADABLE                                                                             \
	0x8, 0x40000000000, 0x7ffffffe000, 0x800000000000, 0x8000000000000000, 0xfffffc0000000000, \
		0xfffffc0000400000, 0xfffffd0000000000, 0xfffffe0000002000, 0xfffffffffffffff8

/* A system call with this stack pointer, and then a use of it. */
static void call_with_stack(uintptr_t address)
{
	__asm__ volatile("bis %0, %0, $30\n\tlda $0, %1($31)\n\tcall_pal 0x83\n\tstq $0, 0($30)"
			 :
			 : "r"(address), "i"(__NR_getxpid)
			 : "$0", "$19", "$20", "memory");
}

/* A signal with a handler while the stack is there: the frame cannot be pushed. */
static void take_signal_on(uintptr_t address)
{
	signal(SIGUSR1, handler);
	long pid = getpid();

	__asm__ volatile("bis %0, %0, $30\n\tbis %1, %1, $16\n\tlda $17, %2($31)\n\t"
			 "lda $0, %3($31)\n\tcall_pal 0x83"
			 :
			 : "r"(address), "r"(pid), "i"(SIGUSR1), "i"(__NR_kill)
			 : "$0", "$16", "$17", "$19", "memory");
}

/* rt_sigreturn from a frame that is not there. */
static void return_from(uintptr_t address)
{
	__asm__ volatile("bis %0, %0, $30\n\tbis %0, %0, $16\n\tlda $0, %1($31)\n\tcall_pal 0x83"
			 :
			 : "r"(address), "i"(__NR_rt_sigreturn)
			 : "$0", "$16", "$19", "memory");
}

/* rt_sigreturn to registers that no program may have: everything is ones, or this address. */
static void return_to(uintptr_t address)
{
	uint64_t *frame = (uint64_t *)good;

	memset(good, 0, PAGE);
	/* Linux's frame: from word 24 on pc, ps, the registers, whether there are floating-point ones, and these. */
	for (int word = 24; word < 93; word++)
		frame[word] = ~0ull;
	frame[24] = address;
	return_from((uintptr_t)good);
}

/* A wrong end is an error. */
static bool brk_refuses(uintptr_t end)
{
	return syscall(__NR_brk, end) == -1 && errno == ENOMEM;
}

#endif
