/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * window.h - one measurement of one event: a piece of work between two readings of the counter,
 * by system call and, where the ISA can, through the mapped page, where every user instruction is known.
 *
 * window_run() is assembly, because what lies between the readings is measured along with the work:
 * the ISA's window.S numbers its instructions, and the costs in its cost.h are those numbers added up.
 */
#ifndef SELFMON_WINDOW_H
#define SELFMON_WINDOW_H

/* Offsets into struct window and into struct perf_event_mmap_page, for window.S. */
#define WINDOW_PAGE	  0
#define WINDOW_FD	  8
#define WINDOW_RUN	  16
#define WINDOW_N	  24
#define WINDOW_MEMORY	  32
#define WINDOW_SHIFT	  40
#define WINDOW_DIRECT	  48 /* two words: before, after */
#define WINDOW_CALL	  64 /* two times three words */
#define WINDOW_CALL_BYTES 24
#define WINDOW_GOT	  112 /* two words */

#define PAGE_LOCK	  8
#define PAGE_INDEX	  12
#define PAGE_OFFSET	  16

/* Results of window_run(). */
#define WINDOW_DONE	  0
#define WINDOW_UNSETTLED  1 /* the kernel changed the page during a reading: measure again */
#define WINDOW_NO_COUNTER 2 /* the event is on no counter that user space can read */

#ifndef __ASSEMBLER__

#include <linux/perf_event.h>
#include <spin.h>
#include <stdint.h>

struct window {
	const struct perf_event_mmap_page *page;
	long fd;
	spin_function *run;
	uint64_t n;
	void *memory;
	long shift;	     /* 64 - pmc_width */
	uint64_t direct[2];  /* the count by rdpmc through the page, before and after the work */
	uint64_t call[2][3]; /* the same by read(): count, time enabled, time running */
	long got[2];	     /* what the two read() calls returned */
};

/*
 * read(), read through the page, call run(n, memory), read through the page, read(). Returns one
 * of WINDOW_..., and only WINDOW_DONE has filled everything in. Calling context: a thread with
 * cap_user_rdpmc in @page. Where WINDOW_READS_DIRECTLY is 0 nothing is read through the page: @page is not looked
 * at, and direct stays as it is.
 */
int window_run(struct window *window);

/* The window's own instructions and branches, work excluded, numbered in window.S. */
struct window_cost {
	uint32_t instructions;
	uint32_t branches;
};

#ifdef __alpha__
#include "alpha/cost.h"
#else
#include "x86_64/cost.h"
#endif

#endif /* __ASSEMBLER__ */

#endif /* SELFMON_WINDOW_H */
