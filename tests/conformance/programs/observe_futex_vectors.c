// SPDX-License-Identifier: BSD-2-Clause
/*
 * futex_waitv and the calls of the second generation: futex_wake, futex_wait, futex_requeue.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <time.h>

#include "futex.h"

/* --- */

static void *wake_later(void *argument)
{
	pause_for(20);
	while (futex(argument, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0)
		pause_for(1);
	return NULL;
}

static void vectors(void)
{
	struct timespec past = { 1, 0 };
	struct waitv many[129];
	pthread_t thread;

	for (int i = 0; i < 129; i++)
		many[i] = (struct waitv){ 0, (uintptr_t)(words + 16 + i % 16), PRIVATE_32, 0 };
	SEE(syscall(CALL_WAITV, many, 0, 0, NULL, 0));
	SEE(syscall(CALL_WAITV, NULL, 1, 0, NULL, 0));
	SEE(syscall(CALL_WAITV, nowhere, 1, 0, NULL, 0));
	SEE(syscall(CALL_WAITV, many, 129, 0, NULL, 0));
	SEE(syscall(CALL_WAITV, many, 1, 1, NULL, 0));
	SEE(syscall(CALL_WAITV, many, 1, 0, nowhere, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAITV, many, 1, 0, &wrong, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAITV, many, 1, 0, &past, CLOCK_BOOTTIME));
	SEE(syscall(CALL_WAITV, many, 1, 0, &past, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAITV, many, 128, 0, &past, CLOCK_REALTIME));
	many[1].value = 1;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0));
	many[1].value = 1ull << 32;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 10);
	many[1].value = 0;
	many[1].reserved = 1;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 20);
	many[1].reserved = 0;
	many[1].flags = 0;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 30);
	many[1].flags = SIZE_32 | NUMA;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 40);
	many[1].flags = PRIVATE_32;
	many[1].address = 1;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 50);
	many[1].address = 8;
	SEE(syscall(CALL_WAITV, many, 3, 0, NULL, 0) + 60);
	many[1].address = (uintptr_t)(words + 17);
	pthread_create(&thread, NULL, wake_later, words + 18);
	SEE(syscall(CALL_WAITV, many, 5, 0, NULL, 0) + 100);
	pthread_join(thread, NULL);
}

static void second_generation(void)
{
	struct timespec past = { 1, 0 };

	SEE(syscall(CALL_WAKE, words, 1, 1, 0));
	SEE(syscall(CALL_WAKE, words, 1, 1, SIZE_64));
	SEE(syscall(CALL_WAKE, words, 1, 1, SIZE_32 | NUMA));
	SEE(syscall(CALL_WAKE, words, 0, 1, SIZE_32));
	SEE(syscall(CALL_WAKE, words, 1ul << 32, 1, SIZE_32));
	SEE(syscall(CALL_WAKE, words, 1, 1, SIZE_32));
	SEE(syscall(CALL_WAKE, nowhere, 1, 1, SIZE_32));
	SEE(syscall(CALL_WAKE, nowhere, 1, 1, PRIVATE_32));
	SEE(syscall(CALL_WAKE, nowhere, 1, 0, SIZE_32));
	SEE(syscall(CALL_WAKE, words, 1, 1, 1 << 8));
	SEE(syscall(CALL_WAIT, words, 1, 1, PRIVATE_32, NULL, 0));
	SEE(syscall(CALL_WAIT, words, 0, 0, PRIVATE_32, NULL, 0));
	SEE(syscall(CALL_WAIT, words, 1ul << 32, 1, PRIVATE_32, NULL, 0));
	SEE(syscall(CALL_WAIT, words, 0, 1, PRIVATE_32, &past, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAIT, words, 0, 1, PRIVATE_32, &past, CLOCK_REALTIME));
	SEE(syscall(CALL_WAIT, words, 0, 1, PRIVATE_32, &past, CLOCK_TAI));
	SEE(syscall(CALL_WAIT, words, 0, 1, PRIVATE_32, &wrong, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAIT, words, 0, 1, PRIVATE_32, nowhere, CLOCK_MONOTONIC));
	SEE(syscall(CALL_WAIT, nowhere, 0, 1, PRIVATE_32, NULL, 0));
	SEE(syscall(CALL_WAIT, words, 0, 1, SIZE_8, NULL, 0));

	gather(words, NULL);
	SEE(syscall(CALL_WAKE, words, 1, 0, PRIVATE_32));
	show(gone(0), "none by the new call");
	SEE(syscall(CALL_WAKE, words, 1, 2, SIZE_32));
	show(gone(0), "memory of one process, as if shared");
	SEE(syscall(CALL_WAKE, words, 1, 4, PRIVATE_32));
	show(gone(6), "woken by the new call");
	disband(words, words);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	vectors();
	second_generation();
	return 0;
}
