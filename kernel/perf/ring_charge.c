/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Charging for the memory of rings. The kernel cannot reclaim their pages, so there is a limit: each user has
 * kernel.perf_event_mlock_kb for every CPU, for all rings together; what goes beyond is charged to the limit
 * of the address space for locked memory (RLIMIT_MEMLOCK), beside the pages that mlock has locked there. A
 * task with CAP_IPC_LOCK may exceed both, and every task where kernel.perf_event_paranoid is -1 (Linux:
 * perf_mmap).
 *
 * A ring is charged once, when it is made, however often it is mapped. The user's part is returned with the
 * last mapping of all, the address space's with the last one there.
 *
 * Locks: output_mutex held, everywhere. The two accounts are atomic: other rings' tasks read them, too.
 */
#include <kernel/perf/ring_charge.h>

#include <kernel/base/cpu.h>
#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/output.h>
#include <kernel/perf/ring.h>
#include <kernel/perf/settings.h>
#include <kernel/task/credentials.h>
#include <uapi/linux/errno.h>

#define KIB_PER_PAGE (PAGE_SIZE / 1024)

/* Returns the limit of one user, in pages. A negative setting is no limit, as on Linux. */
static size_t user_limit(void)
{
	const cpumask_t online = cpus_online();

	return (size_t)perf_mlock_kib / KIB_PER_PAGE * cpumask_count(&online);
}

static bool may_exceed(void)
{
	return perf_paranoid <= -1 || capable(CAP_IPC_LOCK);
}

/* Returns how many of PAGES the running task's user may still have. */
static size_t part_of_user(size_t pages)
{
	size_t limit = user_limit(), used = credentials_current()->account->perf_pages;
	/* Root may have lowered the limit below USED. */
	size_t left = used < limit ? limit - used : 0;

	return pages < left ? pages : left;
}

int perf_ring_check_charge(size_t pages, const struct vm_space *space)
{
	perf_output_assert_locked();
	size_t of_space = space->perf_pages + (pages - part_of_user(pages));

	/* Also if nothing is added: the space may be above its limit already. */
	return of_space > space->locked_pages_max && !may_exceed() ? -EPERM : 0;
}

void perf_ring_charge(struct perf_ring *ring, struct vm_space *space)
{
	struct user_account *account = credentials_current()->account;
	size_t pages = 1 + (size_t)ring->data_pages, of_user = part_of_user(pages);

	perf_output_assert_locked();
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
	perf_output_assert_locked();
	ring->map_count++;
	ring->space_map_count += ring->space == space;
}

void perf_ring_unmap(struct perf_ring *ring, struct vm_space *space)
{
	perf_output_assert_locked();
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
