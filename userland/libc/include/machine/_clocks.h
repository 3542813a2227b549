/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/_clocks.h - clock numbers, as Linux's (include/uapi/linux/time.h).
 *
 * <time.h> includes it at its end (patches/0001) in place of newlib's numbers, which belong to
 * another system.
 */
#ifndef _MACHINE__CLOCKS_H
#define _MACHINE__CLOCKS_H

#undef CLOCK_REALTIME
#undef CLOCK_MONOTONIC
#undef CLOCK_PROCESS_CPUTIME_ID
#undef CLOCK_THREAD_CPUTIME_ID
#undef CLOCK_MONOTONIC_RAW
#undef CLOCK_REALTIME_COARSE
#undef CLOCK_MONOTONIC_COARSE
#undef CLOCK_BOOTTIME
#undef CLOCK_REALTIME_ALARM
#undef CLOCK_BOOTTIME_ALARM
#undef TIMER_ABSTIME

#define CLOCK_REALTIME		 ((clockid_t)0)
#define CLOCK_MONOTONIC		 ((clockid_t)1)
#define CLOCK_PROCESS_CPUTIME_ID ((clockid_t)2)
#define CLOCK_THREAD_CPUTIME_ID	 ((clockid_t)3)
#define CLOCK_MONOTONIC_RAW	 ((clockid_t)4)
#define CLOCK_REALTIME_COARSE	 ((clockid_t)5)
#define CLOCK_MONOTONIC_COARSE	 ((clockid_t)6)
#define CLOCK_BOOTTIME		 ((clockid_t)7)
#define CLOCK_REALTIME_ALARM	 ((clockid_t)8)
#define CLOCK_BOOTTIME_ALARM	 ((clockid_t)9)

#define TIMER_ABSTIME		 1

#endif /* _MACHINE__CLOCKS_H */
