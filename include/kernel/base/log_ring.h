/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records that the log keeps, for /dev/kmsg and syslog(2): the last LOG_RECORDS of them, numbered
 * from 0 in the order of their arrival.
 */
#ifndef KERNEL_LOG_RING_H
#define KERNEL_LOG_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_RECORDS  256
/* Most bytes of one record's text: Linux's longest write to /dev/kmsg. */
#define LOG_TEXT_MAX 1024

struct log_record {
	uint64_t sequence;
	uint64_t time_ns;      /* of clock_ns(); 0 before there is a clock */
	unsigned int priority; /* facility * 8 + level, as in syslog(3) */
	size_t length;
	char text[LOG_TEXT_MAX]; /* not terminated */
};

/* Stores TEXT of LENGTH bytes, cut off at LOG_TEXT_MAX. False: lost, because it came in an NMI that
 * interrupted a user of the ring. Any context. */
bool log_ring_store(unsigned int priority, const char *text, size_t length);

/* Return the number of the first record that is kept, and of the next to arrive. Any context but NMI. */
uint64_t log_ring_first(void);
uint64_t log_ring_next(void);

/* Copies the first record with at least number SEQUENCE; false: it has not arrived yet. Task context. */
bool log_ring_read(uint64_t sequence, struct log_record *record);

/* Calls FUNCTION after each later record: in any context, NMI included, with any locks held. */
void log_ring_listen(void (*function)(void));

#endif
