/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the memory of rings is charged to. Its pages can be taken from nobody, so there is a limit: each user
 * has kernel.perf_event_mlock_kb for every CPU, for all of its rings together; what is more is
 * taken from what the address space may lock (RLIMIT_MEMLOCK), beside what mlock has locked there. Who
 * has CAP_IPC_LOCK may go beyond, and everybody where kernel.perf_event_paranoid is -1 (Linux:
 * perf_mmap).
 *
 * A ring is charged once, when it is made, however often it is mapped. The user's part is given back with
 * the last mapping of all, the address space's with the last one there.
 *
 * All of it: output.c's mutex held.
 */
#include <kernel/cpu.h>
#include <kernel/credentials.h>
#include <kernel/page.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/settings.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>

#define KIB_PER_PAGE (PAGE_SIZE / 1024)

/* In pages, of one user. A negative setting is no limit, as on Linux. */
static size_t user_limit(void)
{
	return (size_t)perf_mlock_kib / KIB_PER_PAGE * cpu_count();
}

static bool may_exceed(void)
{
	return perf_paranoid <= -1 || capable(CAP_IPC_LOCK);
}

/* How many of so many PAGES the running task's user still has. */
static size_t part_of_user(size_t pages)
{
	size_t limit = user_limit(), used = credentials_current()->account->perf_pages;
	/* The setting may have become less than what is used. */
	size_t left = used < limit ? limit - used : 0;

	return pages < left ? pages : left;
}

int perf_ring_check_charge(size_t pages, const struct vm_space *space)
{
	size_t of_space = space->perf_pages + (pages - part_of_user(pages));

	/* Also if nothing is added to it: there may be too much already. */
	return of_space > space->locked_pages_max && !may_exceed() ? -EPERM : 0;
}

void perf_ring_charge(struct perf_ring *ring, struct vm_space *space)
{
	struct user_account *account = credentials_current()->account;
	size_t pages = 1 + (size_t)ring->data_pages, of_user = part_of_user(pages);

	atomic_fetch_add(&account->perf_pages, of_user);
	user_account_get(account);
	ring->account = account;
	ring->account_pages = of_user;
	ring->space_pages = pages - of_user;
	ring->space = space;
	atomic_fetch_add(&space->perf_pages, ring->space_pages);
}

void perf_ring_map(struct perf_ring *ring, struct vm_space *space)
{
	ring->map_count++;
	ring->space_map_count += ring->space == space;
}

void perf_ring_unmap(struct perf_ring *ring, struct vm_space *space)
{
	ring->map_count--;
	if (ring->space == space && --ring->space_map_count == 0) {
		atomic_fetch_sub(&space->perf_pages, ring->space_pages);
		ring->space = NULL;
	}
	if (ring->map_count > 0)
		return;
	atomic_fetch_sub(&ring->account->perf_pages, ring->account_pages);
	user_account_put(ring->account);
	ring->account = NULL;
}
