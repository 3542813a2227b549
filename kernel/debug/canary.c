/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stack canaries, in the debug build: a function with an array keeps a copy of one random word between
 * the array and its return address, and calls __stack_chk_fail if the copy has changed when it returns
 * (GCC's -fstack-protector-strong with -mstack-protector-guard=global).
 */
#ifdef TALLY_DEBUG

#include <stdint.h>

#include <kernel/base/debug.h>
#include <kernel/base/log.h>
#include <kernel/random/random.h>

/* GCC defines these names. */
extern uintptr_t __stack_chk_guard;
_Noreturn void __stack_chk_fail(void);

/* Before the clock runs: a number that no code writes by mistake. */
uintptr_t __stack_chk_guard = 0x5bd1e995f00d0a00;

__attribute__((no_stack_protector)) void debug_canary_init(void)
{
	uintptr_t random;

	random_bytes(&random, sizeof(random));
	/* A string that overruns its array stops at the zero byte. */
	__stack_chk_guard = random & ~(uintptr_t)0xff;
}

void __stack_chk_fail(void)
{
	panic("stack smashed: a function wrote past an array of its own");
}

#endif
