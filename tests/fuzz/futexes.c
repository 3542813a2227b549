// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with futexes: all of them on words that other threads use too, with wrong values; and robust lists
 * that are circular, point nowhere or into other memory when their thread ends.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SYS_FUTEX_WAITV 449

/* One of those that all threads of a process use, or any address. */
static uint32_t *any_word(struct fuzzer *fuzzer)
{
	static uint32_t words[8];

	if (pick(fuzzer, 12) == 0)
		return fuzz_any_pointer(fuzzer);
	return &words[pick(fuzzer, 8)];
}

static long use_futex(struct fuzzer *fuzzer)
{
	struct timespec moment = { 0, pick(fuzzer, 200000) };
	uint32_t *word = any_word(fuzzer);
	unsigned int operation = pick(fuzzer, 14) | (pick(fuzzer, 2) ? FUTEX_PRIVATE_FLAG : 0) |
				 (pick(fuzzer, 8) ? 0 : FUTEX_CLOCK_REALTIME);
	unsigned int command = operation & FUTEX_CMD_MASK;
	bool waits = command == FUTEX_WAIT || command == FUTEX_LOCK_PI ||
		     command == FUTEX_WAIT_BITSET || command == FUTEX_WAIT_REQUEUE_PI ||
		     command == FUTEX_LOCK_PI2;
	uint64_t fourth = waits ? (uintptr_t)&moment : random_number(&fuzzer->random);

	/* A time that is absolute is over, or only as far as it was meant. */
	return syscall(SYS_futex, word, operation,
		       pick(fuzzer, 2) ? 0 : (uint32_t)random_number(&fuzzer->random), fourth,
		       any_word(fuzzer),
		       pick(fuzzer, 2) ? 0 : (uint32_t)random_number(&fuzzer->random));
}

static long wait_for_many(struct fuzzer *fuzzer)
{
	struct {
		uint64_t value, address;
		uint32_t flags, reserved;
	} waiters[4] = { 0 };
	struct timespec past = { 0, 1 };

	for (int i = 0; i < 4; i++) {
		waiters[i].address = (uintptr_t)any_word(fuzzer);
		waiters[i].value = pick(fuzzer, 2);
		waiters[i].flags = pick(fuzzer, 8) ? 2 : (uint32_t)random_number(&fuzzer->random);
	}
	return syscall(SYS_FUTEX_WAITV, waiters, pick(fuzzer, 6), 0, &past, pick(fuzzer, 3));
}

_Noreturn static void end_with_list(struct fuzzer *fuzzer)
{
	static struct {
		struct robust_list node;
		uint32_t word;
	} locks[8];
	static struct robust_list_head head;

	for (unsigned int i = 0; i < 8; i++) {
		locks[i].node.next = pick(fuzzer, 6) ?
					     &locks[pick(fuzzer, 8)].node :
					     (struct robust_list *)fuzz_any_pointer(fuzzer);
		if (pick(fuzzer, 4) == 0)
			locks[i].node.next =
				(struct robust_list *)((uintptr_t)locks[i].node.next | 1);
		locks[i].word = (uint32_t)getpid() | (pick(fuzzer, 2) ? FUTEX_WAITERS : 0);
	}
	head.list.next = &locks[0].node;
	head.futex_offset = pick(fuzzer, 4) ? 8 : (long)random_number(&fuzzer->random);
	head.list_op_pending = pick(fuzzer, 2) ? NULL : &locks[pick(fuzzer, 8)].node;
	syscall(SYS_set_robust_list, &head, pick(fuzzer, 8) ? sizeof(head) : pick(fuzzer, 64));
	_exit(0);
}

static long damage_list(struct fuzzer *fuzzer)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0)
		end_with_list(fuzzer);
	return child < 0 ? -1 : fuzz_reap(child, 50);
}

const struct operation fuzz_futex_operations[] = {
	{ "use_futex", use_futex, 12 },
	{ "wait_for_many", wait_for_many, 2 },
	{ "damage_list", damage_list, 1 },
	{ 0 },
};
