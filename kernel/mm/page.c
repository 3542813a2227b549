/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical pages: a binary buddy allocator (Knuth, The Art of Computer Programming, vol. 1, 2.5).
 *
 * Every page frame from the lowest to the highest of the machine's RAM has a descriptor. A free
 * block of 2^n pages is on the list of order n through the descriptor of its first page; its
 * buddy, with which it merges, differs from it in bit n of the frame number. Frames that the
 * allocator does not own (holes, firmware, the kernel itself) are FRAME_RESERVED and so never merge.
 *
 * Most of the memory is never used. A block of the largest order that was not used yet is FRAME_FRESH: its first descriptor
 * alone is set, and take_of_largest() clears the others. So page_init() takes no longer with more memory. The same happens
 * at the first use in each epoch, so that a block takes as many instructions whether it was used before or not.
 *
 * page_set_aside() begins an epoch. Free blocks below the largest order, and blocks of an earlier epoch when they are freed,
 * go to the list aside, unmerged; they keep FRAME_FREE and their order. A largest block is split only in the epoch that uses
 * it, so a block of this epoch has no buddy aside. (When the epoch's number wraps or memory has run out it may have one, which
 * does no harm.) If no block is large enough, page_alloc() merges the blocks of that list, and then lets kmalloc.c, the only
 * module above that this file calls, give pages back.
 *
 * Not here: objects smaller than a page (kmalloc.c), mappings of a page (tables.c).
 *
 * Lock: buddy_lock, irqsave, innermost. Reference counts are atomic and need no lock.
 */
#include <kernel/mm/page.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/queue.h>

#include <kernel/base/assert.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/kmalloc.h>
#include <machine/mmu.h>

#include "../debug/poison.h"

enum frame_state { FRAME_TAIL, FRAME_RESERVED, FRAME_FREE, FRAME_FRESH, FRAME_USED };

/* The first page of a block says what the block is; its others are FRAME_TAIL. */
struct frame {
	LIST_ENTRY(frame) link; /* B: while FRAME_FREE or FRAME_FRESH */
	_Atomic uint32_t references;
	uint8_t state; /* B: enum frame_state */
	uint8_t order; /* B: of the block */
#ifdef TALLY_DEBUG
	bool poisoned;	      /* filled when it was freed */
	const void *freed_by; /* return address of the caller that freed it */
#endif
	uint8_t kind;  /* enum page_kind; set by the holder before the page is shared */
	uint8_t epoch; /* B: in which the block was allocated; of a free largest block: in which its descriptors were cleared */
};		       /* B: buddy_lock */

/* Pages of a block of the largest order. */
#define LARGEST	    ((size_t)1 << PAGE_ORDER_MAX)

/* Blocks that are set aside or come back at a time, with interrupts off. */
#define ASIDE_BATCH 64

static struct spinlock buddy_lock = SPINLOCK_INITIALIZER;
static LIST_HEAD(, frame) free_blocks[PAGE_ORDER_MAX + 1]; /* B */
static LIST_HEAD(, frame)
	aside; /* B: of any order; ends with aside_end from the first page_set_aside() on */
/* B: so that no insertion finds the list empty, after the first page_set_aside(). */
static struct frame aside_end;
/* B: the number of page_set_aside()s. After 256 a block of before merges when it is freed, which does no harm. */
static uint8_t epoch;
static struct frame *frames; /* of frame number first_frame onwards */
static size_t first_frame, end_frame;
static size_t free_pages;  /* B */
static size_t total_pages; /* constant after page_init */

paddr_t page_paddr(const void *address)
{
	uintptr_t value = (uintptr_t)address;

	/* Otherwise a variable's address and the subtraction become one relocation, for which an ISA may have
	 * too few bits. */
	__asm__("" : "+r"(value));
	return value >= KERNEL_IMAGE_BASE ? value - KERNEL_IMAGE_BASE : value - DIRECT_MAP_BASE;
}

void *page_address(paddr_t paddr)
{
	return (void *)(DIRECT_MAP_BASE + paddr);
}

static size_t frame_number(const struct frame *frame)
{
	return first_frame + (size_t)(frame - frames);
}

static void *frame_address(const struct frame *frame)
{
	return page_address((paddr_t)frame_number(frame) << PAGE_SHIFT);
}

/* Returns the descriptor of frame NUMBER, NULL outside the machine's RAM. */
static struct frame *frame_at(size_t number)
{
	return number >= first_frame && number < end_frame ? &frames[number - first_frame] : NULL;
}

static struct frame *frame_of(const void *address)
{
	struct frame *frame = frame_at(page_paddr(address) >> PAGE_SHIFT);

	ASSERT(frame);
	ASSERT(frame->state == FRAME_USED);
	return frame;
}

/* Makes COUNT descriptors from FRAME on those of a block, all FRAME_TAIL. */
static void clear_descriptors(struct frame *frame, size_t count)
{
	memset(frame, 0, count * sizeof(*frame));
}

/* Merges the block at FRAME with its free buddies and puts it on a free list. The caller counts free_pages. */
static void free_block(struct frame *frame, unsigned int order)
{
	while (order < PAGE_ORDER_MAX) {
		struct frame *buddy = frame_at(frame_number(frame) ^ ((size_t)1 << order));

		if (!buddy || buddy->state != FRAME_FREE || buddy->order != order)
			break;
		LIST_REMOVE(buddy, link);
		if (buddy < frame) {
			frame->state = FRAME_TAIL;
			frame = buddy;
		} else {
			buddy->state = FRAME_TAIL;
		}
		order++;
	}
	frame->state = FRAME_FREE;
	frame->order = (uint8_t)order;
	LIST_INSERT_HEAD(&free_blocks[order], frame, link);
}

/* Returns some of the blocks that are set aside to the free lists; false: there are none. buddy_lock is held. */
static bool return_some(void)
{
	struct frame *frame;
	unsigned int count = 0;

	for (; (frame = LIST_FIRST(&aside)) && frame != &aside_end && count < ASIDE_BATCH;
	     count++) {
		LIST_REMOVE(frame, link);
		free_block(frame, frame->order);
	}
	return count;
}

/* Splits FRAME's block of the order HAVE, which is on no list, into one of ORDER, which is returned, and free ones. */
static inline __attribute__((always_inline)) struct frame *
split(struct frame *frame, unsigned int have, unsigned int order)
{
	while (have > order) {
		have--;
		struct frame *half = frame + ((size_t)1 << have);

		half->state = FRAME_FREE;
		half->order = (uint8_t)have;
		LIST_INSERT_HEAD(&free_blocks[have], half, link);
	}
	frame->state = FRAME_USED;
	frame->order = (uint8_t)order;
	frame->epoch = epoch;
	free_pages -= (size_t)1 << order;
	return frame;
}

/* Whether the first use in an epoch clears the descriptors of a block that was used before. The debug kernel keeps the marks of
 * poison() in them. */
#ifdef TALLY_DEBUG
#define CLEARS_AGAIN false
#else
#define CLEARS_AGAIN true
#endif

/* Takes a block of ORDER off a largest one; NULL: there is none. Seldom, and so not a part of take_block(). */
static __attribute__((noinline)) struct frame *take_of_largest(unsigned int order)
{
	struct frame *frame = LIST_FIRST(&free_blocks[PAGE_ORDER_MAX]);

	if (!frame)
		return NULL;
	LIST_REMOVE(frame, link);
	if (frame->state == FRAME_FRESH || (CLEARS_AGAIN && frame->epoch != epoch))
		clear_descriptors(frame, LARGEST);
	return split(frame, PAGE_ORDER_MAX, order);
}

/* Takes a block of ORDER off the free lists, splitting a larger one; NULL: there is none. */
static struct frame *take_block(unsigned int order)
{
	unsigned int have = order;

	while (have < PAGE_ORDER_MAX && LIST_EMPTY(&free_blocks[have]))
		have++;
	if (have >= PAGE_ORDER_MAX)
		return take_of_largest(order);

	struct frame *frame = LIST_FIRST(&free_blocks[have]);

	LIST_REMOVE(frame, link);
	return split(frame, have, order);
}

#ifdef TALLY_DEBUG

static void poison(struct frame *frame, unsigned int order, const void *caller)
{
	poison_fill(frame_address(frame), PAGE_SIZE << order);
	for (struct frame *end = frame + ((size_t)1 << order); frame < end; frame++) {
		frame->poisoned = true;
		frame->freed_by = caller;
	}
}

/* Panics if FRAME's block was written to since it was freed. */
static void check_poison(struct frame *frame, unsigned int order)
{
	for (struct frame *end = frame + ((size_t)1 << order); frame < end; frame++) {
		if (frame->poisoned)
			poison_check(frame_address(frame), PAGE_SIZE, "the page", frame->freed_by);
		frame->poisoned = false;
	}
}

#else

static void poison(struct frame *frame, unsigned int order, const void *caller)
{
}

static void check_poison(struct frame *frame, unsigned int order)
{
}

#endif

/* Takes a block of ORDER, also of those that are set aside; NULL: there is none. */
static inline __attribute__((always_inline)) struct frame *take_any_block(unsigned int order)
{
	struct frame *frame;
	bool again;

	ASSERT(order <= PAGE_ORDER_MAX);
	do {
		unsigned long state = spin_lock_irqsave(&buddy_lock);

		frame = take_block(order);
		/* Under the same lock, so that no other CPU returns them between a failure and this. */
		again = !frame && return_some();
		spin_unlock_irqrestore(&buddy_lock, state);
	} while (again);
	return frame;
}

/* Prepares FRAME, which take_any_block returned for ORDER, and returns its address; NULL for NULL. */
static inline __attribute__((always_inline)) void *give_out(struct frame *frame, unsigned int order)
{
	hook_pages_allocated(frame ? frame_number(frame) : HOOK_NO_FRAME, order);
	if (!frame)
		return NULL;
	check_poison(frame, order);
	frame->kind = PAGE_ANONYMOUS;
	atomic_store_explicit(&frame->references, 1, memory_order_relaxed);
	return memset(frame_address(frame), 0, PAGE_SIZE << order);
}

void *page_alloc_free(unsigned int order)
{
	return give_out(take_any_block(order), order);
}

void *page_alloc(unsigned int order)
{
	struct frame *frame = take_any_block(order);

	if (!frame) {
		kmalloc_take_back();
		frame = take_any_block(order);
	}
	return give_out(frame, order);
}

void page_get(void *address)
{
	unsigned int before = atomic_fetch_add(&frame_of(address)->references, 1);

	ASSERT(before != 0);
}

void page_put(void *address)
{
	struct frame *frame = frame_of(address);
	unsigned int before = atomic_fetch_sub(&frame->references, 1);

	ASSERT(before != 0);
	if (before != 1)
		return;
	hook_pages_freed(frame_number(frame), frame->order);
	poison(frame, frame->order, __builtin_return_address(0));
	unsigned long state = spin_lock_irqsave(&buddy_lock);

	free_pages += (size_t)1 << frame->order;
	if (frame->epoch == epoch) {
		free_block(frame, frame->order);
	} else {
		frame->state = FRAME_FREE;
		LIST_INSERT_HEAD(&aside, frame, link);
	}
	spin_unlock_irqrestore(&buddy_lock, state);
}

/* Sets some of the free blocks of ORDER aside; false: there are no more. */
static bool set_some_aside(unsigned int order)
{
	unsigned long state = spin_lock_irqsave(&buddy_lock);
	struct frame *frame;
	unsigned int count = 0;

	for (; (frame = LIST_FIRST(&free_blocks[order])) && count < ASIDE_BATCH; count++) {
		LIST_REMOVE(frame, link);
		LIST_INSERT_HEAD(&aside, frame, link);
	}
	spin_unlock_irqrestore(&buddy_lock, state);
	return frame;
}

void page_set_aside(void)
{
	unsigned long state = spin_lock_irqsave(&buddy_lock);

	while (return_some()) {
		/* Lets interrupts in. */
		spin_unlock_irqrestore(&buddy_lock, state);
		state = spin_lock_irqsave(&buddy_lock);
	}
	if (LIST_EMPTY(&aside))
		LIST_INSERT_HEAD(&aside, &aside_end, link);
	epoch++;
	spin_unlock_irqrestore(&buddy_lock, state);
	for (unsigned int order = 0; order < PAGE_ORDER_MAX; order++)
		while (set_some_aside(order))
			continue;
}

unsigned int page_references(const void *address)
{
	return atomic_load(&frame_of(address)->references);
}

bool page_is_allocatable(const void *address)
{
	const struct frame *frame = frame_at(page_paddr(address) >> PAGE_SHIFT);

	return frame && frame->state != FRAME_RESERVED;
}

enum page_kind page_kind(const void *address)
{
	return frame_of(address)->kind;
}

void page_set_kind(void *address, enum page_kind kind)
{
	frame_of(address)->kind = (uint8_t)kind;
}

size_t page_free_count(void)
{
	unsigned long state = spin_lock_irqsave(&buddy_lock);
	size_t count = free_pages;

	spin_unlock_irqrestore(&buddy_lock, state);
	return count;
}

size_t page_total_count(void)
{
	return total_pages;
}

/* Finds the first and end frame of the whole pages in RANGE; false: none. */
static bool whole_frames(const struct page_range *range, size_t *first, size_t *end)
{
	*first = (range->start + PAGE_SIZE - 1) >> PAGE_SHIFT;
	*end = range->end >> PAGE_SHIFT;
	return *first < *end;
}

/* The ranges that page_init got, and where the descriptors lie: at the start of the range HOME. */
struct memory {
	const struct page_range *ranges;
	unsigned int count, home;
	size_t own_frames;
};

/* Finds the first and end frame that the allocator owns of a range; false: none. */
static bool owned_frames(const struct memory *memory, unsigned int range, size_t *first,
			 size_t *end)
{
	if (!whole_frames(&memory->ranges[range], first, end))
		return false;
	if (range == memory->home)
		*first += memory->own_frames;
	return true;
}

static bool owns_all(const struct memory *memory, size_t first, size_t end)
{
	size_t start, stop;

	for (unsigned int i = 0; i < memory->count; i++)
		if (owned_frames(memory, i, &start, &stop) && start <= first && end <= stop)
			return true;
	return false;
}

/* Makes all frames FRAME_RESERVED but those of blocks that free_frames() makes FRAME_FRESH. */
static void reserve_frames(const struct memory *memory)
{
	size_t next;

	for (size_t first = first_frame; first < end_frame; first = next) {
		next = (first | (LARGEST - 1)) + 1;
		if (next - first == LARGEST && owns_all(memory, first, next))
			continue;
		for (size_t number = first; number < next && number < end_frame; number++)
			*frame_at(number) = (struct frame){ .state = FRAME_RESERVED };
	}
}

/* Frees the frames [FIRST, END) in the largest aligned blocks. */
static void free_frames(size_t first, size_t end)
{
	while (first < end) {
		struct frame *frame = frame_at(first);
		unsigned int order = 0;

		while (order < PAGE_ORDER_MAX && !(first & ((size_t)1 << order)) &&
		       first + ((size_t)2 << order) <= end)
			order++;
		clear_descriptors(frame, order < PAGE_ORDER_MAX ? (size_t)1 << order : 1);
		free_block(frame, order);
		if (order == PAGE_ORDER_MAX)
			frame->state = FRAME_FRESH;
		free_pages += (size_t)1 << order;
		first += (size_t)1 << order;
	}
}

void page_init(const struct page_range *ranges, unsigned int count)
{
	struct memory memory = { ranges, count, 0, 0 };
	size_t first, end, largest = 0;

	first_frame = SIZE_MAX;
	for (unsigned int i = 0; i < count; i++) {
		if (!whole_frames(&ranges[i], &first, &end))
			continue;
		if (first < first_frame)
			first_frame = first;
		if (end > end_frame)
			end_frame = end;
		if (end - first > largest) {
			largest = end - first;
			memory.home = i;
		}
	}
	/* The descriptors lie at the start of the largest range. */
	size_t descriptors = end_frame > first_frame ? end_frame - first_frame : 0;

	memory.own_frames = (descriptors * sizeof(struct frame) + PAGE_SIZE - 1) >> PAGE_SHIFT;
	if (memory.own_frames >= largest)
		boot_failure("too little memory (largest range: %zu KiB); give the machine more",
			     largest * (PAGE_SIZE / 1024));
	whole_frames(&ranges[memory.home], &first, &end);
	frames = page_address((paddr_t)first << PAGE_SHIFT);
	reserve_frames(&memory);
	for (unsigned int i = 0; i < count; i++)
		if (owned_frames(&memory, i, &first, &end))
			free_frames(first, end);
	total_pages = free_pages;
}
