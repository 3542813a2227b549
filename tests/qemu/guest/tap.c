// SPDX-License-Identifier: BSD-2-Clause
/* tap.c: the guest's output, the Test Anything Protocol on the first serial port. */

#include <stdarg.h>

#include "guest.h"

#define COM1	     0x3f8
#define COM_STATUS   5
#define COM_CAN_SEND 0x20
#define EXIT_PORT    0xf4
/* isa-debug-exit turns value v into exit status 2 v + 1. */
#define EXIT_PASSED  0
#define EXIT_FAILED  1
#define EXIT_FATAL   2

static unsigned int nr_tests, nr_failed;

static void outb(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static uint8_t inb(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static _Noreturn void quit(uint8_t value)
{
	for (;;)
		outb(EXIT_PORT, value);
}

static void put(char c)
{
	while (!(inb(COM1 + COM_STATUS) & COM_CAN_SEND))
		;
	outb(COM1, c);
}

static void put_number(uint64_t n, unsigned int base)
{
	char digits[20];
	int i = 0;

	do {
		digits[i++] = "0123456789abcdef"[n % base];
		n /= base;
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
	print("%s %u - ", ok ? "ok" : "not ok", (uint64_t)++nr_tests);
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

void tap_done(void)
{
	print("1..%u\n", (uint64_t)nr_tests);
	quit(nr_failed ? EXIT_FAILED : EXIT_PASSED);
}

_Noreturn void fatal(const char *format, ...)
{
	va_list args;

	print("Bail out! ");
	va_start(args, format);
	vprint(format, args);
	va_end(args);
	put('\n');
	quit(EXIT_FATAL);
}
