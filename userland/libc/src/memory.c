// SPDX-License-Identifier: BSD-2-Clause
/*
 * memory.c - the break: the end of the data segment, from which malloc() takes its memory.
 *
 * The kernel's brk returns where the break now is, moved or not; Alpha's returns an error instead when
 * the break is not at the requested place.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t current_break;

static int move_break(uintptr_t wanted)
{
	if ((uintptr_t)syscall(__NR_brk, wanted) != wanted) {
		errno = ENOMEM;
		return -1;
	}
	current_break = wanted;
	return 0;
}

int brk(void *end)
{
	return move_break((uintptr_t)end);
}

void *sbrk(ptrdiff_t increment)
{
	if (current_break == 0)
		current_break = (uintptr_t)syscall(__NR_brk, 0);

	uintptr_t old = current_break;
	if (increment != 0 && move_break(old + (uintptr_t)increment) != 0)
		return (void *)-1;
	return (void *)old;
}
