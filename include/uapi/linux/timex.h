/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * adjtimex. Source: Linux's uapi/linux/timex.h; adjtimex(2).
 */
#ifndef _UAPI_LINUX_TIMEX_H
#define _UAPI_LINUX_TIMEX_H

#include <stdint.h>

#include <uapi/linux/time.h>

struct kernel_timex {
	uint32_t modes;
	int32_t padding_1;
	int64_t offset, freq, maxerror, esterror;
	int32_t status, padding_2;
	int64_t constant, precision, tolerance;
	struct kernel_timeval time;
	int64_t tick; /* us between ticks of 100 Hz */
	int64_t ppsfreq, jitter;
	int32_t shift, padding_3;
	int64_t stabil, jitcnt, calcnt, errcnt, stbcnt;
	int32_t tai;
	int32_t padding_4[11];
};

_Static_assert(sizeof(struct kernel_timex) == 208, "timex");

/* modes */
#define ADJ_SETOFFSET	0x0100
#define ADJ_NANO	0x2000
#define ADJ_TICK	0x4000
#define ADJ_ADJTIME	0x8000 /* adjtime(3)'s modes: combined with one of these */
#define ADJ_OFFSET_ONCE 0x0001
#define ADJ_OFFSET_READ 0x2000

#define STA_UNSYNC	0x0040 /* status: the clock is not synchronised */
#define TIME_ERROR	5      /* the result in that state */

#endif
