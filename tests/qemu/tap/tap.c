// SPDX-License-Identifier: BSD-2-Clause
/* tap.c: a guest's output, the Test Anything Protocol on its console. */

#include <stdarg.h>

#include "tap.h"

static uint64_t nr_tests, nr_failed;

static void put_number(uint64_t n, unsigned int base)
{
	char digits[20];
	int i = 0;

	do {
		/* Alpha has no division, and its guest no library. */
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
		console_put(digits[i]);
}

static void vprint(const char *format, va_list args)
{
	for (; *format; format++) {
		if (*format != '%') {
			console_put(*format);
			continue;
		}
		switch (*++format) {
		case 's':
			for (const char *s = va_arg(args, const char *); *s; s++)
				console_put(*s);
			break;
		case 'u':
			put_number(va_arg(args, uint64_t), 10);
			break;
		case 'x':
			console_put('0');
			console_put('x');
			put_number(va_arg(args, uint64_t), 16);
			break;
		default:
			console_put(*format);
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
	console_put('\n');
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
	power_off(nr_failed ? OUTCOME_FAILED : OUTCOME_PASSED);
}

_Noreturn void fatal(const char *format, ...)
{
	va_list args;

	print("Bail out! ");
	va_start(args, format);
	vprint(format, args);
	va_end(args);
	console_put('\n');
	power_off(OUTCOME_FATAL);
}
