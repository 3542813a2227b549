// SPDX-License-Identifier: BSD-2-Clause
/*
 * A function that changes again and again and is called after each change. Prints how many of the calls ran another one than
 * the last. The function changes in three ways: the program writes it; writes it beside two pages whose translations share
 * a place in the emulator's TLB and are flushed; maps another page over it. All three alternate.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <stdio.h>
#include <sys/mman.h>

enum { ROUNDS = 100, CALLS = 3, PAGE = 4096, WAYS = 3 };

/* Pages at these distances have the same lower bits of their number. */
#define DISTANCE ((uintptr_t)1 << 34)

static void *map(uintptr_t address, int protection)
{
	return mmap((void *)address, PAGE, protection, // NOLINT(performance-no-int-to-ptr)
		    MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0), -1, 0);
}

/* mov $VERSION, %eax; ret */
static void write_function(unsigned char *code, int version)
{
	unsigned char bytes[] = { 0xb8, 0, 0, 0, 0, 0xc3 };

	memcpy(bytes + 1, &version, sizeof(version));
	memcpy(code, bytes, sizeof(bytes));
}

int main(void)
{
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC, data = PROT_READ | PROT_WRITE;
	unsigned char *code = map(0, all);
	volatile unsigned char *near = map(0x777000 + DISTANCE, data);
	volatile unsigned char *far = map(0x777000 + 2 * DISTANCE, data);
	int (*function)(void), wrong = 0;

	if (code == MAP_FAILED || near == MAP_FAILED || far == MAP_FAILED)
		return 1;
	memcpy(&function, &code, sizeof(function));
	for (int version = 0; version < ROUNDS * WAYS; version++) {
		if (version % WAYS == 1) {
			int protection = version & 1 ? data : PROT_READ;

			(void)(*near + *far);
			mprotect((void *)near, PAGE, protection);
			mprotect((void *)far, PAGE, protection);
		} else if (version % WAYS == 2 && map((uintptr_t)code, all) == MAP_FAILED) {
			return 1;
		}
		write_function(code, version);
		for (int call = 0; call < CALLS; call++)
			wrong += function() != version;
	}
	printf("%d\n", wrong);
	return 0;
}
