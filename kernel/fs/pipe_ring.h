/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes in a pipe, and the packets that they form. No function here waits or wakes: pipe.c does. Task
 * context; the pipe's mutex is held.
 */
#ifndef FS_PIPE_RING_H
#define FS_PIPE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

struct pipe_ring {
	char *bytes;		      /* SIZE bytes */
	uint32_t size;		      /* a power of two, at least a page */
	uint32_t read_at, write_at;   /* run freely */
	struct run *runs;	      /* a ring of size / PIPE_BUF, or NULL */
	uint32_t first_run, last_run; /* run freely; the first, and the one after the last */
};

/* The memory at the other side of a copy. */
struct outside {
	char *memory;
	bool user;
};

/* Makes RING, zeroed, one of 1 << ORDER pages. 0, -ENOMEM. */
int ring_create(struct pipe_ring *ring, unsigned int order);
void ring_free(struct pipe_ring *ring);
/* Changes the size. 0; -EBUSY: the bytes in the ring have no room, or are packets; -ENOMEM. */
int ring_resize(struct pipe_ring *ring, unsigned int order);

/* Returns the number of bytes in the ring. */
uint32_t ring_filled(const struct pipe_ring *ring);
/* Returns the number of bytes that are occupied. As on Linux, room comes by whole pages: a partly read
 * page still counts. */
uint32_t ring_occupied(const struct pipe_ring *ring);
/* True if there is room for SIZE bytes, a PACKET or not. */
bool ring_has_room(const struct pipe_ring *ring, size_t size, bool packet);
/* True if a writer may have to wait, whatever it writes. */
bool ring_is_full(const struct pipe_ring *ring);

/* Prepares for the first packet. 0, -ENOMEM. */
int ring_begin_packets(struct pipe_ring *ring);
/* Copies SIZE bytes, for which there is room, from OUTSIDE at offset DONE, as a packet or a part of a
 * stream. 0; -EFAULT: nothing has changed. */
int ring_write(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size,
	       bool packet);

/* Returns the number of bytes that a read of SIZE may take at once; true if they are a packet or its
 * beginning. */
size_t ring_readable(const struct pipe_ring *ring, size_t size);
bool ring_next_is_packet(const struct pipe_ring *ring);
/* Copies SIZE readable bytes to OUTSIDE; they stay. 0, -EFAULT. */
int ring_read(struct pipe_ring *ring, const struct outside *outside, size_t done, size_t size);
/* Returns the first bytes in place. *SIZE: the most requested, then the bytes in one piece. */
const char *ring_first_piece(const struct pipe_ring *ring, size_t *size);
/* Removes SIZE bytes after a read, and the rest of their packet. */
void ring_consume(struct pipe_ring *ring, size_t size);

#endif
