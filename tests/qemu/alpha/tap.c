// SPDX-License-Identifier: BSD-2-Clause
/* tap.c: the guest's output, the Test Anything Protocol on the first serial port. */

#include <stdarg.h>

#include "guest.h"

#define COM1	     0x3f8
#define COM_STATUS   5
#define COM_CAN_SEND 0x20

static uint64_t nr_tests, nr_failed;

static _Noreturn void power_off(void)
{
	for (;;)
		__asm__ volatile("call_pal %0" ::"i"(PAL_HALT));
}

static void put(char c)
{
	volatile uint8_t *port = io_port(COM1);

	while (!(port[COM_STATUS] & COM_CAN_SEND))
		;
	*port = (uint8_t)c;
	__asm__ volatile("mb" ::: "memory");
}

static void put_number(uint64_t n, unsigned int base)
{
	char digits[20];
	int i = 0;

	do {
		/* Alpha has no division, and the guest no library. */
		uint64_t quotient = 0, rest = 0;

		for (int bit = 63; bit >= 0; bit--) {
			rest = rest << 1 | (n >> bit & 1);
			if (rest >= base) {
				rest -= base;
				quotient |= 1ull << bit;
			}
		}
		digits[i++] = "0123456789abcdef"[rest];
		n = quotient;
	} while (n);
	while (i--)
		put(digits[i]);
}

static void vprint(const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format != '%') {
			put(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			for (const char *s = va_arg(args, const char *); *s; s++)
				put(*s);
			break;
		case 'u':
			put_number(va_arg(args, uint64_t), 10);
			break;
		case 'x':
			put('0');
			put('x');
			put_number(va_arg(args, uint64_t), 16);
			break;
		default:
			put(*format);
		}
	}
}

void print(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprint(format, args);
	va_end(args);
}

static void report(bool ok, const char *format, va_list args)
{
	nr_failed += !ok;
	print("%s %u - ", ok ? "ok" : "not ok", ++nr_tests);
	vprint(format, args);
	put('\n');
}

void tap_ok(bool ok, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(ok, format, args);
	va_end(args);
}

void tap_equal(uint64_t got, uint64_t expected, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(got == expected, format, args);
	va_end(args);
	if (got != expected)
		print("#   expected %u (%x), got %u (%x)\n", expected, expected, got, got);
}

_Noreturn void tap_done(void)
{
	print("1..%u\n", nr_tests);
	power_off();
}

_Noreturn void fatal(const char *format, ...)
{
	va_list args;

	print("Bail out! ");
	va_start(args, format);
	vprint(format, args);
	va_end(args);
	put('\n');
	power_off();
}
