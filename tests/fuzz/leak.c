// SPDX-License-Identifier: BSD-2-Clause
/*
 * Data that must not come out of the kernel: its addresses, and unset bytes.
 *
 * The debug kernel fills memory without an owner: freed pages and objects (0x6b), the rest of an object after what
 * was asked for (0xbb; kernel/debug/poison.c) and variables (0xfe; -ftrivial-auto-var-init). Four such bytes
 * in a row, at a multiple of four, are a finding: no worker writes them.
 *
 * Addresses are those of the x86-64 kernel's three areas (arch/x86_64/include/machine/mmu.h). Their first
 * pages are left out: workers themselves use numbers near powers of two (random.h, fuzz_edge). Such a number with
 * four letters over its lower half lies after all memory.
 *
 * A process that may sample the kernel may see its addresses, as Linux has it: with kernel.perf_event_paranoid below 2
 * the search is for unset bytes only.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <ctype.h>
#include <stdlib.h>
#include <ucontext.h>

static const struct {
	uint64_t start, size;
} areas[] = {
	{ 0xffff800000000000, 1ULL << 29 }, /* all memory: tests/fuzz/run gives it so much */
	{ 0xffffc00000000000, 1ULL << 36 }, /* stacks */
	{ 0xffffffff80000000, 1ULL << 24 }, /* the image */
};

#define EDGE (16 * PAGE)

static bool is_address(uint64_t word)
{
	for (size_t i = 0; i < COUNT(areas); i++)
		if (word - areas[i].start >= EDGE && word - areas[i].start < areas[i].size)
			return true;
	return false;
}

/* No step makes a word that is like one: the checker's own registers are in signal frames, too. */
static bool is_fill(uint32_t half)
{
	uint8_t byte = (uint8_t)half;

	return half == (half << 8 | half >> 24) && (byte == 0x6b || byte == 0xbb || byte == 0xfe);
}

static void check(const void *memory, size_t size, const char *what, bool addresses)
{
	const uint64_t *words = memory;

	for (size_t i = 0; i < size / 8; i++) {
		uint64_t word = words[i];

		if (!word)
			continue;
		if (is_fill((uint32_t)word) || is_fill((uint32_t)(word >> 32)))
			fuzz_finding("%s: bytes that nobody set at offset %zu: %016llx", what,
				     i * 8, (unsigned long long)word);
		else if (addresses && is_address(word))
			fuzz_finding("%s: an address of the kernel at offset %zu: %016llx", what,
				     i * 8, (unsigned long long)word);
	}
}

void leak_check(const void *memory, size_t size, const char *what)
{
	check(memory, size, what, fuzz_shared->paranoid >= 2);
}

void leak_check_unset(const void *memory, size_t size, const char *what)
{
	check(memory, size, what, false);
}

void leak_check_ring(const void *memory, size_t size)
{
	const struct perf_event_mmap_page *page = memory;
	const uint64_t *words = memory;
	size_t clocks = offsetof(struct perf_event_mmap_page, time_offset);
	size_t after = offsetof(struct perf_event_mmap_page, time_zero) + sizeof(page->time_zero);

	/* Both are differences of clocks: on a machine that started slowly they look like addresses. */
	leak_check(memory, clocks, "the ring of an event");
	leak_check((const char *)memory + after, size - after,
		   "the ring of an event, from time_zero on");
	/* A worker's own executable has such words, too. */
	if (page->compat_version || page->data_offset != PAGE || page->data_size % PAGE)
		return;
	/* A process that may watch a whole CPU may watch all tasks there. */
	for (size_t i = 0; fuzz_shared->paranoid >= 1 && i < size / 8; i++)
		if (privileged_is_code(words[i]))
			fuzz_finding("the ring of an event: a privileged program's code at "
				     "offset %zu: %llx",
				     i * 8, (unsigned long long)words[i]);
}

void leak_check_text(const char *text, size_t size, const char *what)
{
	check(text, size, what, false);
	for (size_t i = 0; i + 16 <= size; i++) {
		char digits[17] = { 0 };
		size_t length = 0;

		if (text[i] != 'f')
			continue;
		while (length < 16 && isxdigit((unsigned char)text[i + length])) {
			digits[length] = text[i + length];
			length++;
		}
		if (fuzz_shared->paranoid >= 2 && length == 16 &&
		    is_address(strtoull(digits, NULL, 16)))
			fuzz_finding("%s: an address of the kernel at offset %zu: %s", what, i,
				     digits);
		i += length;
	}
}

/* The area of FXSAVE has 512 bytes. The CPU writes the registers only (SDM volume 1, 10.5.1). The last 48 bytes
 * are the kernel's, a magic number first. XSAVE's header with the components that are there follows. Linux:
 * arch/x86/include/uapi/asm/sigcontext.h. */
#define REGISTERS_END  416
#define SOFTWARE_WORDS (464 / 4)
#define HEADER_WORDS   (512 / 4)
#ifndef FP_XSTATE_MAGIC1
#define FP_XSTATE_MAGIC1 0x46505853U
#endif

/* A context's general registers: R8 to RSP, and RIP after them. The worker has computed what they hold: a sum of two of the numbers
 * that it tries, or a negative int, may be like an address. tests/boot/registers.c has what the kernel leaves in them. */
#define REGISTERS offsetof(ucontext_t, uc_mcontext.gregs)
#define RIP	  offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP])

void leak_check_frame(const siginfo_t *info, const void *context)
{
	const ucontext_t *frame = context;
	const uint32_t *state = (const uint32_t *)frame->uc_mcontext.fpregs;

	leak_check(info, sizeof(*info), "the information about a signal");
	leak_check(frame, REGISTERS, "the context of a signal");
	leak_check_unset(frame->uc_mcontext.gregs, RIP - REGISTERS,
			 "the registers in the context of a signal");
	/* The kernel's ucontext has a mask of one word, where glibc's goes on. */
	leak_check((const char *)context + RIP, offsetof(ucontext_t, uc_sigmask) + 8 - RIP,
		   "the context of a signal, from RIP on");
	/* Only the registers, the kernel's words, the header and the upper halves of registers, if they are there. XSAVE does
	 * not write the other bytes: they keep the stack's old contents, also those between the registers and the
	 * kernel's words. */
	if (state) {
		bool extended = state[SOFTWARE_WORDS] == FP_XSTATE_MAGIC1;
		bool halves = extended && (state[HEADER_WORDS] & 4);
		size_t end = !extended ? 512 : halves ? 832 : 576;

		leak_check(state, REGISTERS_END, "the floating-point state of a signal");
		leak_check(state + SOFTWARE_WORDS, end - SOFTWARE_WORDS * 4,
			   "the end of a signal's floating-point state");
	}
}
