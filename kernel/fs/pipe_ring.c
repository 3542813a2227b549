/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring of a pipe, see pipe_ring.h: the bytes between two free-running numbers, and the ends of packets.
 *
 * A second ring holds the end of each run of bytes: a packet, or the bytes of other writes in a row. It
 * exists only after the first packet.
 */
#include "pipe_ring.h"

#include <string.h>

#include <kernel/fs/pipe.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

struct run {
	uint32_t end;
	bool packet;
};

uint32_t ring_filled(const struct pipe_ring *ring)
{
	return ring->write_at - ring->read_at;
}

uint32_t ring_occupied(const struct pipe_ring *ring)
{
	return ring->write_at - (ring->read_at & ~(PIPE_BUF - 1));
}

static int copy_piece(const struct outside *outside, size_t at, char *ring, size_t size, bool out)
{
	char *memory = outside->memory + at;

	if (outside->user)
		return out ? copy_to_user(memory, ring, size) : copy_from_user(ring, memory, size);
	memcpy(out ? memory : ring, out ? ring : memory, size);
	return 0;
}

/* Copies SIZE bytes between the ring at AT and OUTSIDE from DONE on, in at most two pieces. */
static int copy(struct pipe_ring *ring, uint32_t at, const struct outside *outside, size_t done,
		size_t size, bool out)
{
	while (size) {
		uint32_t offset = at & (ring->size - 1);
		size_t part = ring->size - offset < size ? ring->size - offset : size;

		if (copy_piece(outside, done, ring->bytes + offset, part, out))
			return -EFAULT;
		at += (uint32_t)part;
		done += part;
		size -= part;
	}
	return 0;
}

static uint32_t run_count(const struct pipe_ring *ring)
{
	return ring->size / PIPE_BUF;
}

static struct run *run_at(const struct pipe_ring *ring, uint32_t number)
{
	return &ring->runs[number & (run_count(ring) - 1)];
}

bool ring_has_room(const struct pipe_ring *ring, size_t size, bool packet)
{
	if (ring->runs && ring->last_run - ring->first_run == run_count(ring) &&
	    (packet || run_at(ring, ring->last_run - 1)->packet))
		return false;
	return ring->size - ring_occupied(ring) >= size;
}

bool ring_is_full(const struct pipe_ring *ring)
{
	return !ring_has_room(ring, PIPE_BUF, true);
}

int ring_begin_packets(struct pipe_ring *ring)
{
	ring->runs = kzalloc(run_count(ring) * sizeof(*ring->runs));
	if (!ring->runs)
		return -ENOMEM;
	ring->first_run = ring->last_run = 0;
	if (ring_filled(ring))
		*run_at(ring, ring->last_run++) = (struct run){ .end = ring->write_at };
	return 0;
}

/* Records that a write ended at write_at. */
static void end_write(struct pipe_ring *ring, bool packet)
{
	if (!ring->runs)
		return;
	bool none = ring->first_run == ring->last_run;
	struct run *last = none ? NULL : run_at(ring, ring->last_run - 1);

	if (!packet && last && !last->packet)
		last->end = ring->write_at;
	else
		*run_at(ring, ring->last_run++) = (struct run){ ring->write_at, packet };
}

bool ring_next_is_packet(const struct pipe_ring *ring)
{
	return ring->runs && ring->first_run != ring->last_run &&
	       run_at(ring, ring->first_run)->packet;
}

int ring_write(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size,
	       bool packet)
{
	int error = copy(ring, ring->write_at, outside, done, size, false);

	if (!error) {
		ring->write_at += (uint32_t)size;
		end_write(ring, packet);
	}
	return error;
}

int ring_read(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size)
{
	return copy(ring, ring->read_at, outside, done, size, true);
}

size_t ring_readable(const struct pipe_ring *ring, size_t size)
{
	size_t most = ring_filled(ring);

	if (ring->runs && ring->first_run != ring->last_run)
		most = run_at(ring, ring->first_run)->end - ring->read_at;
	return size < most ? size : most;
}

const char *ring_first_piece(const struct pipe_ring *ring, size_t *size)
{
	uint32_t offset = ring->read_at & (ring->size - 1);
	size_t most = ring_readable(ring, *size);

	*size = most < ring->size - offset ? most : ring->size - offset;
	return ring->bytes + offset;
}

void ring_consume(struct pipe_ring *ring, size_t size)
{
	ring->read_at += (uint32_t)size;
	if (ring->runs && ring->first_run != ring->last_run) {
		const struct run *run = run_at(ring, ring->first_run);

		if (run->packet)
			ring->read_at = run->end;
		if (ring->read_at == run->end)
			ring->first_run++;
	}
	/* Empty: restart at 0, so that all of the ring is room. */
	if (!ring_filled(ring))
		ring->read_at = ring->write_at = 0;
}

int ring_create(struct pipe_ring *ring, unsigned int order)
{
	ring->bytes = page_alloc(order);
	ring->size = (uint32_t)(PAGE_SIZE << order);
	return ring->bytes ? 0 : -ENOMEM;
}

void ring_free(struct pipe_ring *ring)
{
	page_put(ring->bytes);
	kfree(ring->runs);
}

int ring_resize(struct pipe_ring *ring, unsigned int order)
{
	uint32_t bytes = (uint32_t)(PAGE_SIZE << order);
	uint32_t held = ring_filled(ring);

	if (held > bytes || (ring->runs && ring->first_run != ring->last_run))
		return -EBUSY;
	char *pages = page_alloc(order);

	if (!pages)
		return -ENOMEM;
	const struct outside outside = { pages, false };

	copy(ring, ring->read_at, &outside, 0, held, true);
	page_put(ring->bytes);
	kfree(ring->runs);
	ring->runs = NULL;
	ring->bytes = pages;
	ring->size = bytes;
	ring->read_at = 0;
	ring->write_at = held;
	return 0;
}
