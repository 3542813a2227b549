// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernel's own allocators of pages and objects, kernel/mm/page.c and kernel/mm/kmalloc.c, on a piece of the host's
 * memory, and what page_set_aside() and kmalloc_set_aside() promise: new work starts with whole largest blocks, nothing
 * is lost, and counts of free pages are those of before.
 */
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>

#include <stdlib.h>

#include "tap.h"

#define LARGEST	       (PAGE_SIZE << PAGE_ORDER_MAX)
#define LARGEST_BLOCKS 6
#define PAGES_MAX      (LARGEST_BLOCKS << PAGE_ORDER_MAX)
/* With the trailer of the debug build it has 4032 bytes: one in a slab. */
#define LARGE_OBJECT   4000

/* A machine of one CPU, without interrupts and without listeners to the allocators. The simulated one has a memory of its own. */
_Thread_local unsigned int sim_cpu_number;
_Atomic unsigned int hook_listeners[HOOK_COUNT];

unsigned long arch_irq_save(void)
{
	return 0;
}

void arch_irq_restore(unsigned long state)
{
}

void panic(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	abort();
}

void spin_wait(struct spinlock *lock)
{
	panic("a lock is taken twice");
}

void boot_failure(const char *format, ...)
{
	panic("%s", format);
}

void hook_pages_allocated_slow(size_t frame, unsigned int order)
{
}

void hook_pages_freed_slow(size_t frame, unsigned int order)
{
}

void hook_memory_allocated_slow(const void *caller, const void *object, size_t requested,
				size_t given)
{
}

void hook_memory_freed_slow(const void *caller, const void *object)
{
}

static char *memory;
static void *pages[PAGES_MAX];
static size_t page_count;
static void *objects[8 * PAGES_MAX];
static size_t object_count;

/* Gives the allocator LARGEST_BLOCKS largest blocks, less a few pages at both ends. Once. */
static void start(void)
{
	if (memory)
		return;
	memory = aligned_alloc(LARGEST, LARGEST_BLOCKS * LARGEST);
	/* A machine's memory is not clear when it starts. */
	memset(memory, 0xa5, LARGEST_BLOCKS * LARGEST);

	struct page_range range = { (paddr_t)(uintptr_t)memory + 3 * PAGE_SIZE,
				    (paddr_t)(uintptr_t)memory + LARGEST_BLOCKS * LARGEST -
					    5 * PAGE_SIZE };

	page_init(&range, 1);
}

/* Frees all that was taken; the allocators merge. */
static void finish(void)
{
	while (object_count)
		kfree(objects[--object_count]);
	while (page_count)
		page_put(pages[--page_count]);
	kmalloc_set_aside();
	page_set_aside();
	EXPECT_EQ(page_free_count(), page_total_count());
	EXPECT_EQ(kmalloc_count(), 0);
	EXPECT_EQ(kmalloc_spare_pages(), 0);
}

static void *take_page(unsigned int order)
{
	void *page = page_alloc(order);

	if (page)
		pages[page_count++] = page;
	return page;
}

static void *take_object(size_t size)
{
	void *object = kzalloc(size);

	if (object)
		objects[object_count++] = object;
	return object;
}

static void free_object(size_t index)
{
	kfree(objects[index]);
	objects[index] = objects[--object_count];
}

static void free_page(size_t index)
{
	page_put(pages[index]);
	pages[index] = pages[--page_count];
}

/* Leaves single pages free between used ones. */
static void scatter(void)
{
	size_t count = 40;

	for (size_t i = 0; i < count; i++)
		take_page(0);
	for (size_t i = 0; i < count / 2; i++)
		free_page(i);
}

/* The number of allocations of ORDER that succeed. */
static size_t take_all(unsigned int order)
{
	size_t count = 0;

	while (take_page(order))
		count++;
	return count;
}

/* --- pages --- */

/* Pages that a fresh largest block would give in order: each is the start of the last one's other half, or follows it. */
static void work_begins_with_a_whole_block(void)
{
	start();
	size_t offsets[2][20];

	for (unsigned int run = 0; run < 2; run++) {
		if (run)
			scatter();
		page_set_aside();
		for (size_t i = 0; i < 20; i++) {
			unsigned int order = i % 5 == 4 ? 2 : 0;

			offsets[run][i] = (uintptr_t)take_page(order) % LARGEST;
		}
		EXPECT_EQ(offsets[run][0], 0);
		if (!run)
			finish();
	}
	for (size_t i = 0; i < 20; i++)
		EXPECT_EQ_AT(offsets[1][i], offsets[0][i], "allocation %zu", i);
	finish();
}

static void freed_pages_of_before_stay_aside(void)
{
	start();
	take_page(0);
	page_set_aside();
	void *first = take_page(0), *second = take_page(0);

	free_page(0);
	/* The next ones come from the block that the first two are of. */
	EXPECT_EQ((uintptr_t)second - (uintptr_t)first, PAGE_SIZE);
	EXPECT_EQ((uintptr_t)take_page(0) - (uintptr_t)first, 2 * PAGE_SIZE);
	EXPECT_EQ((uintptr_t)take_page(0) - (uintptr_t)first, 3 * PAGE_SIZE);
	finish();
}

static void freed_pages_of_now_are_used_again(void)
{
	start();
	scatter();
	page_set_aside();
	void *page = take_page(0);

	take_page(0);
	free_page(page_count - 2);
	EXPECT(take_page(0) == page);
	finish();
}

static void the_count_of_free_pages_stays(void)
{
	start();
	scatter();
	size_t before = page_free_count();

	page_set_aside();
	EXPECT_EQ(page_free_count(), before);
	page_put(pages[--page_count]);
	EXPECT_EQ(page_free_count(), before + 1);
	take_page(3);
	EXPECT_EQ(page_free_count(), before + 1 - 8);
	page_set_aside();
	page_set_aside();
	EXPECT_EQ(page_free_count(), before + 1 - 8);
	finish();
}

static void all_pages_are_used_in_the_end(void)
{
	start();
	scatter();
	page_set_aside();
	for (size_t i = 0; i < 7; i++)
		free_page(0);
	size_t free = page_free_count();

	EXPECT_EQ(take_all(0), free);
	EXPECT_EQ(page_free_count(), 0);
	EXPECT(!page_alloc(0));
	finish();
}

/* Half of all pages is free and aside, the other half is freed later; and so with every number of the epoch. */
static void what_is_set_aside_merges(void)
{
	start();
	size_t whole = take_all(PAGE_ORDER_MAX);

	/* All but the first and the last, of which a part is missing. */
	EXPECT(whole >= LARGEST_BLOCKS - 2);
	finish();
	take_all(0);
	for (size_t i = 0; i < page_count; i++)
		free_page(i);
	page_set_aside();
	while (page_count)
		page_put(pages[--page_count]);
	EXPECT_EQ(take_all(PAGE_ORDER_MAX), whole);
	finish();
	for (unsigned int i = 0; i < 600; i++) {
		take_page(i % 4);
		page_set_aside();
		if (i % 3 == 0)
			free_page(i % page_count);
	}
	finish();
	EXPECT_EQ(take_all(PAGE_ORDER_MAX), whole);
	finish();
}

/* --- objects --- */

static bool of_one_page(const void *a, const void *b)
{
	return ((uintptr_t)a ^ (uintptr_t)b) < PAGE_SIZE;
}

static void objects_come_from_new_slabs(void)
{
	start();
	void *old = take_object(100);

	kmalloc_set_aside();
	page_set_aside();
	void *first = take_object(100), *second = take_object(100);

	EXPECT(!of_one_page(old, first));
	EXPECT(of_one_page(first, second));
	/* The old slab's free objects, and the one that is freed, are left alone. */
	free_object(0);
	for (size_t i = 0; i < 200; i++)
		EXPECT_AT(!of_one_page(old, take_object(100)), "object %zu", i);
	finish();
}

static void a_freed_object_of_now_is_used_again(void)
{
	start();
	take_object(100);
	kmalloc_set_aside();
	void *first = take_object(100), *second = take_object(100);

	kfree(second);
	object_count--;
	EXPECT(take_object(100) == second);
	EXPECT(of_one_page(first, second));
	finish();
}

static void an_empty_slab_is_a_free_page(void)
{
	start();
	size_t before = page_free_count();

	kfree(kzalloc(100));
	kfree(kzalloc(1000));
	EXPECT_EQ(kmalloc_spare_pages(), 2);
	kmalloc_set_aside();
	EXPECT_EQ(kmalloc_spare_pages(), 0);
	EXPECT_EQ(page_free_count(), before);
	finish();
}

static void late_objects_are_taken_back(void)
{
	start();
	size_t before = page_free_count();

	for (size_t i = 0; i < 500; i++)
		take_object(LARGE_OBJECT);
	kmalloc_set_aside();
	page_set_aside();
	kmalloc_take_back();
	EXPECT_EQ(page_free_count(), before - 500);
	while (object_count > 100)
		free_object(0);
	EXPECT_EQ(kmalloc_count(), 100);
	EXPECT_EQ(page_free_count(), before - 500);
	kmalloc_take_back();
	EXPECT_EQ(page_free_count(), before - 100);
	finish();
}

/* After the last page objects of every size are made of what is set aside: where objects were freed before, and later. */
static void all_objects_are_used_in_the_end(void)
{
	static const size_t sizes[] = { 10, 40, 100, 500, 1500, LARGE_OBJECT };
	enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), EACH = 300 };

	for (unsigned int later = 0; later < 2; later++) {
		start();
		for (size_t i = 0; i < SIZES * EACH; i++)
			take_object(sizes[i % SIZES]);
		kmalloc_set_aside();
		page_set_aside();
		if (later)
			take_all(0);
		for (size_t i = 0; i < SIZES * EACH; i++)
			if (i / SIZES % 2)
				kfree(objects[i]);
		if (!later)
			take_all(0);
		for (size_t i = 0; i < SIZES * EACH; i++) {
			size_t size = sizes[i % SIZES];

			if (!(i / SIZES % 2))
				continue;
			objects[i] = kzalloc(size);
			/* A page, or a slab of smaller objects, may have taken a large one's place. */
			EXPECT_AT(objects[i] || size == LARGE_OBJECT, "size %zu, %u", size, later);
		}
		EXPECT_EQ(page_free_count(), 0);
		finish();
	}
}

/* A page is made of what kmalloc has of before. */
static void pages_are_taken_back(void)
{
	start();
	for (size_t i = 0; i < 50; i++)
		take_object(LARGE_OBJECT);
	kmalloc_set_aside();
	page_set_aside();
	take_all(0);
	while (object_count > 10)
		free_object(0);
	EXPECT_EQ(take_all(0) + kmalloc_spare_pages(), 40);
	finish();
}

/* The state of the lists makes no difference, in any sequence. */
static void any_sequence_loses_nothing(void)
{
	uint32_t number = 1;

	start();
	for (unsigned int step = 0; step < 20000; step++) {
		number = number * 1664525 + 1013904223;
		unsigned int kind = number >> 29, size = (number >> 8) % 6000 + 1;

		if (kind < 3)
			take_object(size);
		else if (kind < 5 && object_count)
			free_object(size % object_count);
		else if (kind == 5)
			take_page(size % 6);
		else if (kind == 6 && page_count)
			free_page(size % page_count);
		else if (size < 300) {
			kmalloc_set_aside();
			page_set_aside();
		}
	}
	finish();
}

/* The first rule: no other has used a block yet. */
static void pages_that_were_handed_out_are_known(void)
{
	size_t known = 0;

	start();
	EXPECT_EQ(page_is_allocatable(memory), false);
	/* The descriptors. */
	EXPECT_EQ(page_is_allocatable(memory + 3 * PAGE_SIZE), false);
	while (take_page(0))
		continue;
	EXPECT_EQ(page_count, page_total_count());
	for (size_t i = 0; i < page_count; i++)
		known += page_is_allocatable(pages[i]);
	EXPECT_EQ(known, page_total_count());
	finish();
}

static const struct tap_rule rules[] = {
	{ "all memory is handed out, and known as handed out; the descriptors' own is not",
	  pages_that_were_handed_out_are_known },
	{ "pages come from whole largest blocks, in the same way whatever was before",
	  work_begins_with_a_whole_block },
	{ "a page of an earlier epoch that is freed stays aside",
	  freed_pages_of_before_stay_aside },
	{ "a page of this epoch that is freed is used again", freed_pages_of_now_are_used_again },
	{ "the count of free pages stays", the_count_of_free_pages_stays },
	{ "without a largest block pages come from what is set aside, to the last one",
	  all_pages_are_used_in_the_end },
	{ "what is set aside merges to largest blocks", what_is_set_aside_merges },
	{ "objects come from new slabs", objects_come_from_new_slabs },
	{ "an object of this epoch that is freed is used again",
	  a_freed_object_of_now_is_used_again },
	{ "an empty slab becomes a free page", an_empty_slab_is_a_free_page },
	{ "freed objects of earlier epochs are taken back, and their pages with them",
	  late_objects_are_taken_back },
	{ "without a page objects come from what is set aside", all_objects_are_used_in_the_end },
	{ "without a page a page of a slab comes back", pages_are_taken_back },
	{ "no sequence of calls loses memory", any_sequence_loses_nothing },
};

TAP_MAIN(rules)
