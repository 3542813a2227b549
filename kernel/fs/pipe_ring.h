/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes in a pipe, and the packets that they are. Nothing here waits or wakes: that is pipe.c's. Task
 * context; the pipe's mutex is held.
 */
#ifndef FS_PIPE_RING_H
#define FS_PIPE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

struct pipe_ring {
	char *bytes;		      /* size of them */
	uint32_t size;		      /* a power of two, at least a page */
	uint32_t read_at, write_at;   /* run freely */
	struct run *runs;	      /* a ring of size / PIPE_BUF, or NULL */
	uint32_t first_run, last_run; /* run freely; the first, and behind the last */
};

/* Where the bytes of a copy are, outside. */
struct outside {
	char *memory;
	bool user;
};

/* Makes RING, zeroed, one of 1 << ORDER pages. 0, -ENOMEM. */
int ring_create(struct pipe_ring *ring, unsigned int order);
void ring_free(struct pipe_ring *ring);
/* Gives it another size. 0; -EBUSY: what is in it has no room there, or is packets; -ENOMEM. */
int ring_resize(struct pipe_ring *ring, unsigned int order);

/* Bytes in it. */
uint32_t ring_filled(const struct pipe_ring *ring);
/* Bytes of it that are taken. Room comes by whole pages, as on Linux: a page that was read in part is
 * still there. */
uint32_t ring_occupied(const struct pipe_ring *ring);
/* Writing so many bytes, a PACKET or not: is there room? */
bool ring_has_room(const struct pipe_ring *ring, size_t size, bool packet);
/* Whether a writer may have to wait, whatever it writes. */
bool ring_is_full(const struct pipe_ring *ring);

/* The first packet is about to be written. 0, -ENOMEM. */
int ring_begin_packets(struct pipe_ring *ring);
/* Copies SIZE bytes, for which there is room, from OUTSIDE, DONE bytes behind its beginning, as a packet or
 * a part of a stream. 0, -EFAULT: then nothing has changed. */
int ring_write(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size,
	       bool packet);

/* How many bytes a read of SIZE may take at once, and whether they are a packet or its beginning. */
size_t ring_readable(const struct pipe_ring *ring, size_t size);
bool ring_next_is_packet(const struct pipe_ring *ring);
/* Copies SIZE readable bytes to OUTSIDE; they stay. 0, -EFAULT. */
int ring_read(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size);
/* The first bytes where they are, *SIZE at most, and then as many as there are in one piece. */
const char *ring_first_piece(const struct pipe_ring *ring, size_t *size);
/* SIZE bytes were read: they go, and the rest of their packet. */
void ring_consume(struct pipe_ring *ring, size_t size);

#endif
