/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/time.h - the unit of clock(): POSIX asks for microseconds.
 */
#ifndef _MACHTIME_H_
#define _MACHTIME_H_

#define _CLOCKS_PER_SEC_ 1000000

#endif /* _MACHTIME_H_ */
