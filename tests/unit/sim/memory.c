// SPDX-License-Identifier: BSD-2-Clause
/*
 * Simulated memory: objects and pages on the host's heap, so that AddressSanitizer watches every
 * one; counted, so that a test sees what it leaked; failing on demand. User memory is the test's
 * own, with one range that faults.
 */
#include <kernel/base/assert.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <machine/mmu.h>
#include <uapi/linux/errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define PAGE_BLOCKS_MAX 1024
#define PAGES_TOTAL	((size_t)1 << 20)

static struct page_block {
	char *start;
	unsigned int order;
	unsigned int references;
} blocks[PAGE_BLOCKS_MAX];

static size_t objects, pages;
static unsigned int fail_countdown;
static const char *fault_start;
static size_t fault_size;

void sim_memory_start(void)
{
	memset(blocks, 0, sizeof(blocks));
	objects = 0;
	pages = 0;
	fail_countdown = 0;
	fault_size = 0;
}

unsigned int sim_memory_end(void)
{
	if (objects || pages)
		printf("# left behind: %zu objects, %zu pages\n", objects, pages);
	return (unsigned int)(objects + pages);
}

void sim_allocation_fail(unsigned int number)
{
	fail_countdown = number;
}

static bool fails_now(void)
{
	return fail_countdown && --fail_countdown == 0;
}

/* --- objects --- */

void *kzalloc(size_t size)
{
	ASSERT(size >= 1 && size <= KMALLOC_MAX);
	sim_lock();
	bool fails = fails_now();
	objects += !fails;
	sim_unlock();
	if (fails)
		return NULL;
	/* The kernel's promise: aligned to 16, from 64 bytes upwards to 64. */
	size_t alignment = size >= 64 ? 64 : 16;
	void *object = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
	memset(object, 0, size);
	return object;
}

void kfree(void *object)
{
	if (!object)
		return;
	sim_lock();
	objects--;
	sim_unlock();
	free(object);
}

size_t kmalloc_count(void)
{
	return objects;
}

/* --- pages --- */

static struct page_block *find_block(const void *address)
{
	const char *byte = address;

	for (unsigned int i = 0; i < PAGE_BLOCKS_MAX; i++)
		if (blocks[i].start && byte >= blocks[i].start &&
		    byte < blocks[i].start + (PAGE_SIZE << blocks[i].order))
			return &blocks[i];
	panic("%p is in no allocated page", address);
}

static void *take_block(unsigned int order)
{
	if (fails_now())
		return NULL;
	for (unsigned int i = 0; i < PAGE_BLOCKS_MAX; i++) {
		if (blocks[i].start)
			continue;
		blocks[i].start = aligned_alloc(PAGE_SIZE, PAGE_SIZE << order);
		memset(blocks[i].start, 0, PAGE_SIZE << order);
		blocks[i].order = order;
		blocks[i].references = 1;
		pages += (size_t)1 << order;
		return blocks[i].start;
	}
	return NULL;
}

void *page_alloc(unsigned int order)
{
	ASSERT(order <= PAGE_ORDER_MAX);
	sim_lock();
	void *page = take_block(order);
	sim_unlock();
	return page;
}

void page_get(void *address)
{
	sim_lock();
	find_block(address)->references++;
	sim_unlock();
}

void page_put(void *address)
{
	sim_lock();
	struct page_block *block = find_block(address);
	if (--block->references == 0) {
		pages -= (size_t)1 << block->order;
		free(block->start);
		block->start = NULL;
	}
	sim_unlock();
}

unsigned int page_references(const void *address)
{
	return find_block(address)->references;
}

size_t page_total_count(void)
{
	return PAGES_TOTAL;
}

size_t page_free_count(void)
{
	return PAGES_TOTAL - pages;
}

paddr_t page_paddr(const void *address)
{
	return (paddr_t)(uintptr_t)address;
}

void *page_address(paddr_t paddr)
{
	return (void *)(uintptr_t)paddr;
}

/* --- user memory --- */

void sim_user_fault_set(const void *start, size_t size)
{
	fault_start = start;
	fault_size = size;
}

/* How many of the SIZE bytes from ADDRESS on can be reached before a fault. */
static size_t reachable(const void *address, size_t size)
{
	const char *start = address;
	uintptr_t number = (uintptr_t)address;

	if (number < USER_START || number >= USER_END || size > USER_END - number)
		return 0;
	if (!fault_size || start + size <= fault_start || start >= fault_start + fault_size)
		return size;
	return start >= fault_start ? 0 : (size_t)(fault_start - start);
}

int copy_from_user(void *destination, const void *user_source, size_t size)
{
	size_t good = reachable(user_source, size);

	if (good)
		memcpy(destination, user_source, good);
	return good == size ? 0 : -EFAULT;
}

int copy_to_user(void *user_destination, const void *source, size_t size)
{
	size_t good = reachable(user_destination, size);

	if (good)
		memcpy(user_destination, source, good);
	return good == size ? 0 : -EFAULT;
}

int clear_user(void *user_destination, size_t size)
{
	size_t good = reachable(user_destination, size);

	if (good)
		memset(user_destination, 0, good);
	return good == size ? 0 : -EFAULT;
}

long copy_string_from_user(char *destination, const char *user_source, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (copy_from_user(&destination[i], &user_source[i], 1) < 0)
			return -EFAULT;
		if (!destination[i])
			return (long)i;
	}
	return -ENAMETOOLONG;
}

int arch_load_user_nofault(void *destination, const void *source, size_t size)
{
	return copy_from_user(destination, source, size);
}
