// SPDX-License-Identifier: BSD-2-Clause
/* How much memory the buffers of users may take. */
#include "buffers.h"
#include "machine.h"
#include "rules.h"
#include "tasks.h"

RULE("EPERM: a buffer larger than memory, beyond the user's limit of locked memory")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	drop_privileges();
	EXPECT_ERRNO(map_result(sampler(1000), 1 + (1UL << 23), PROT_READ), EPERM);
}

RULE("EPERM: a small buffer beside more than may be locked, which root has mapped there")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	EXPECT(map_pages(sampler(1000), 513, PROT_READ) != MAP_FAILED);
	drop_privileges();
	EXPECT_ERRNO(map_result(sampler(1000), 1, PROT_READ), EPERM);
}

RULE("EPERM: a user's buffers beyond perf_event_mlock_kb and RLIMIT_MEMLOCK")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	unsigned long pages = file_number("/proc/sys/kernel/perf_event_mlock_kb") / (PAGE / 1024);
	drop_privileges();
	/* 516 KiB by default: on x86_64 128 pages of data and one of metadata, of each CPU. */
	EXPECT_EQ(pages, LOCKED_PAGES);
	EXPECT_OK(map_result(sampler(1000), LOCKED_BUFFER, PROT_READ | PROT_WRITE));
	EXPECT_ERRNO(map_result(sampler(1000), LOCKED_MORE, PROT_READ | PROT_WRITE), EPERM);
}

RULE("EPERM: a user's buffer that is too large at once")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	drop_privileges();
	EXPECT_ERRNO(map_result(sampler(1000), 257, PROT_READ | PROT_WRITE), EPERM);
}

RULE("RLIMIT_MEMLOCK is on top of perf_event_mlock_kb")
{
	struct rlimit limit = { 256 * PAGE, 256 * PAGE };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	drop_privileges();
	EXPECT_OK(map_result(sampler(1000), 257, PROT_READ | PROT_WRITE));
}

RULE("munmap returns the buffer's pages to the user's limit of locked memory")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	drop_privileges();
	for (int i = 0; i < 5; i++) {
		int fd = sampler(1000);
		struct ring ring = map_ring(fd, LOCKED_BUFFER - 1);

		EXPECT_EQ(munmap(ring.page, LOCKED_BUFFER * PAGE), 0);
	}
}

RULE("the root's buffers are not limited")
{
	struct rlimit none = { 0, 0 };

	EXPECT_EQ(setrlimit(RLIMIT_MEMLOCK, &none), 0);
	EXPECT_OK(map_result(sampler(1000), 1025, PROT_READ | PROT_WRITE));
}
