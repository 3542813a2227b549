/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tap.h: what both bare guests say, the Test Anything Protocol, and what they need of their machine to say it.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdint.h>

/* tap.c: printing, and the plan that is counted while tests run. */
void print(const char *format, ...); /* knows %s %u %x (64-bit) */
void tap_ok(bool ok, const char *format, ...);
void tap_equal(uint64_t got, uint64_t expected, const char *format, ...);
/* Prints the plan and ends the guest. */
_Noreturn void tap_done(void);
/* Ends the guest at once; the script sees it. */
_Noreturn void fatal(const char *format, ...);

/* How the guest ends, for machines that can say so by more than what was printed. */
enum outcome {
	OUTCOME_PASSED,
	OUTCOME_FAILED,
	OUTCOME_FATAL,
};

/* Each guest's console.c: a character to the first serial port, and the end of the emulator. */
void console_put(char c);
_Noreturn void power_off(enum outcome outcome);

/* A PC's serial port, which clipper has too. */
#define COM1	     0x3f8
#define COM_STATUS   5 /* from COM1 on */
#define COM_CAN_SEND 0x20

#endif
