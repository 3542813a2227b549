/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text formatting, the part of C's printf that a kernel log needs: %d %i %u %o %x %X %c %s %p %% with a
 * width, flags 0 and -, a precision for %s (a number or *), and sizes h, l, ll, L, z; and %ps, the
 * function at an address.
 *
 * No memory, no locks, no state: any context. An unknown conversion is copied unchanged, so that a
 * mistake is visible.
 */
#include <stdbool.h>
#include <stdint.h>

#include <kernel/base/log.h>
#include <kernel/base/symbol.h>

/* Hosted tests have no symbol table. */
#pragma weak symbol_find

static const char lower_digits[] = "0123456789abcdef";
static const char upper_digits[] = "0123456789ABCDEF";

struct output {
	char *buffer;
	size_t size;
	size_t length; /* of the whole text, whether it fits or not */
};

struct conversion {
	bool zero, left;
	int width;
	int precision;	      /* -1: none */
	bool precision_given; /* by the next argument: .* */
	unsigned int longs;   /* 1: l or z, 2: ll */
};

static void put(struct output *output, char c)
{
	if (output->length + 1 < output->size)
		output->buffer[output->length] = c;
	output->length++;
}

static void put_repeated(struct output *output, char c, int count)
{
	while (count-- > 0)
		put(output, c);
}

static void put_string(struct output *output, const char *text, const struct conversion *conversion)
{
	int length = 0;

	if (!text)
		text = "(null)";
	while (length != conversion->precision && text[length])
		length++;
	if (!conversion->left)
		put_repeated(output, ' ', conversion->width - length);
	for (int i = 0; i < length; i++)
		put(output, text[i]);
	if (conversion->left)
		put_repeated(output, ' ', conversion->width - length);
}

static void put_number(struct output *output, uint64_t value, bool negative, unsigned int base,
		       const char *digits, const struct conversion *conversion)
{
	char reversed[22]; /* UINT64_MAX has 22 octal digits */
	int length = 0;

	do
		reversed[length++] = digits[value % base];
	while (value /= base);

	int padding = conversion->width - length - negative;

	if (!conversion->left && !conversion->zero)
		put_repeated(output, ' ', padding);
	if (negative)
		put(output, '-');
	if (!conversion->left && conversion->zero)
		put_repeated(output, '0', padding);
	while (length > 0)
		put(output, reversed[--length]);
	if (conversion->left)
		put_repeated(output, ' ', padding);
}

/* Reads flags, width, precision and size after a %; returns the position of the conversion's letter. */
static const char *parse(const char *format, struct conversion *conversion)
{
	*conversion = (struct conversion){ .precision = -1 };
	for (;; format++) {
		if (*format == '0')
			conversion->zero = true;
		else if (*format == '-')
			conversion->left = true;
		else
			break;
	}
	while (*format >= '0' && *format <= '9')
		conversion->width = conversion->width * 10 + (*format++ - '0');
	if (*format == '.') {
		format++;
		conversion->precision = 0;
		if (*format == '*') {
			conversion->precision_given = true;
			format++;
		}
		while (*format >= '0' && *format <= '9')
			conversion->precision = conversion->precision * 10 + (*format++ - '0');
	}
	for (; *format == 'l' || *format == 'L' || *format == 'z' || *format == 'h'; format++)
		conversion->longs += *format != 'h';
	return format;
}

/* Prints ADDRESS as a function and an offset into it, or as a number. */
static void put_function(struct output *output, uintptr_t address,
			 const struct conversion *conversion)
{
	size_t offset = 0;
	const char *name = &symbol_find ? symbol_find(address, &offset) : NULL;

	if (!name) {
		put(output, '0');
		put(output, 'x');
		put_number(output, address, false, 16, lower_digits, conversion);
		return;
	}
	put_string(output, name, conversion);
	if (offset) {
		put_string(output, "+0x", conversion);
		put_number(output, offset, false, 16, lower_digits, conversion);
	}
}

int format_string_v(char *buffer, size_t size, const char *format, va_list args)
{
	struct output output = { buffer, size, 0 };

	for (; *format; format++) {
		if (*format != '%') {
			put(&output, *format);
			continue;
		}

		const char *start = format;
		struct conversion conversion;

		format = parse(format + 1, &conversion);
		if (conversion.precision_given)
			conversion.precision = va_arg(args, int);
		switch (*format) {
		case 'd':
		case 'i': {
			int64_t value = conversion.longs ? va_arg(args, long) : va_arg(args, int);
			uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;

			put_number(&output, magnitude, value < 0, 10, lower_digits, &conversion);
			break;
		}
		case 'u':
		case 'o':
		case 'x':
		case 'X': {
			uint64_t value = conversion.longs ? va_arg(args, unsigned long) :
							    va_arg(args, unsigned int);

			put_number(&output, value, false,
				   *format == 'u' ? 10 :
				   *format == 'o' ? 8 :
						    16,
				   *format == 'X' ? upper_digits : lower_digits, &conversion);
			break;
		}
		case 'p':
			if (format[1] == 's' || format[1] == 'S') {
				format++;
				put_function(&output, (uintptr_t)va_arg(args, void *), &conversion);
				break;
			}
			put(&output, '0');
			put(&output, 'x');
			put_number(&output, (uintptr_t)va_arg(args, void *), false, 16,
				   lower_digits, &conversion);
			break;
		case 'c':
			put(&output, (char)va_arg(args, int));
			break;
		case 's':
			put_string(&output, va_arg(args, const char *), &conversion);
			break;
		case '%':
			put(&output, '%');
			break;
		default:
			while (start < format)
				put(&output, *start++);
			if (!*format)
				format--;
			else
				put(&output, *format);
		}
	}
	if (size > 0)
		buffer[output.length < size ? output.length : size - 1] = '\0';
	return (int)output.length;
}

int format_string(char *buffer, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = format_string_v(buffer, size, format, args);
	va_end(args);
	return length;
}
