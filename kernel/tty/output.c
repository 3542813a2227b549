/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line discipline, towards the device: output modes (OPOST), the cursor's column, echo, and
 * stopping.
 *
 * Echo that cannot go out at once (output is stopped, the device is full) waits in a ring, already
 * translated; writers' output waits until the ring is empty. Echo that does not fit into the ring is
 * lost, because no caller could get an error.
 *
 * Source: termios(3), and Linux 6.12's drivers/tty/n_tty.c for the movements of the column.
 */
#include "output.h"

#include "line.h"

#define TAB_WIDTH 8
#define DELETE	  0x7f

bool output_is_control(uint8_t byte)
{
	return byte < 0x20 || byte == DELETE;
}

bool output_is_continuation(const struct line *line, uint8_t byte)
{
	return (line->modes.c_iflag & IUTF8) && (byte & 0xc0) == 0x80;
}

uint8_t output_lower(uint8_t byte)
{
	bool upper = (byte >= 'A' && byte <= 'Z') || (byte >= 0xc0 && byte <= 0xde && byte != 0xd7);

	return upper ? byte + 0x20 : byte;
}

uint8_t output_upper(uint8_t byte)
{
	bool lower = (byte >= 'a' && byte <= 'z') || (byte >= 0xe0 && byte != 0xf7 && byte != 0xff);

	return lower ? byte - 0x20 : byte;
}

/* The bytes that output modes make of one byte. */
struct piece {
	char bytes[TAB_WIDTH];
	size_t size;
};

static struct piece one(uint8_t byte)
{
	return (struct piece){ { (char)byte }, 1 };
}

static struct piece translate_newline(struct line *line)
{
	if (line->modes.c_oflag & (ONLCR | ONLRET))
		line->column = 0;
	line->line_column = line->column;
	if (line->modes.c_oflag & ONLCR)
		return (struct piece){ "\r\n", 2 };
	return one('\n');
}

static struct piece translate_return(struct line *line)
{
	if ((line->modes.c_oflag & ONOCR) && line->column == 0)
		return (struct piece){ .size = 0 };
	if (line->modes.c_oflag & OCRNL) {
		if (line->modes.c_oflag & ONLRET)
			line->column = line->line_column = 0;
		return one('\n');
	}
	line->column = line->line_column = 0;
	return one('\r');
}

static struct piece translate_tab(struct line *line)
{
	struct piece spaces = { "        ", TAB_WIDTH - line->column % TAB_WIDTH };

	line->column += (uint32_t)spaces.size;
	return (line->modes.c_oflag & TABDLY) == XTABS ? spaces : one('\t');
}

/* Returns the bytes to send to the device for BYTE; moves the column. */
static struct piece translate(struct line *line, uint8_t byte)
{
	if (!(line->modes.c_oflag & OPOST))
		return one(byte);
	switch (byte) {
	case '\n':
		return translate_newline(line);
	case '\r':
		return translate_return(line);
	case '\t':
		return translate_tab(line);
	case '\b':
		if (line->column > 0)
			line->column--;
		return one(byte);
	default:
		if (output_is_control(byte))
			return one(byte);
		if (!output_is_continuation(line, byte))
			line->column++;
		return one(line->modes.c_oflag & OLCUC ? output_upper(byte) : byte);
	}
}

/* ---- echo ---- */

static bool echo_waits(const struct line *line)
{
	return line->echo_read_at != line->echo_write_at;
}

/* Sends bytes that need no more translation, after the waiting echo. */
static void send_echo(struct line *line, const char *bytes, size_t size)
{
	size_t sent = 0;

	if (!line->stopped && !echo_waits(line))
		sent = line->device->put(line, bytes, size);
	for (; sent < size; sent++)
		if (line->echo_write_at - line->echo_read_at < LINE_ECHO_SIZE)
			line->echo[line->echo_write_at++ % LINE_ECHO_SIZE] = (uint8_t)bytes[sent];
}

void line_flush_echo(struct line *line)
{
	while (!line->stopped && echo_waits(line)) {
		char byte = (char)line->echo[line->echo_read_at % LINE_ECHO_SIZE];

		if (!line->device->put(line, &byte, 1))
			break;
		line->echo_read_at++;
	}
}

void output_echo_raw(struct line *line, uint8_t byte)
{
	struct piece piece = translate(line, byte);

	send_echo(line, piece.bytes, piece.size);
}

void output_echo(struct line *line, uint8_t byte)
{
	if ((line->modes.c_lflag & ECHOCTL) && output_is_control(byte) && byte != '\t') {
		const char shown[] = { '^', (char)(byte ^ 0x40) };

		send_echo(line, shown, sizeof(shown));
		line->column += sizeof(shown);
	} else {
		output_echo_raw(line, byte);
	}
}

void output_echo_same_column(struct line *line, uint8_t byte)
{
	output_echo_raw(line, byte);
	if (line->column > 0)
		line->column--;
}

void output_echo_rubout(struct line *line)
{
	output_echo_raw(line, '\b');
	output_echo_raw(line, ' ');
	output_echo_raw(line, '\b');
}

void output_echo_untab(struct line *line, uint32_t columns, bool after_tab)
{
	if (!after_tab)
		columns += line->line_column;
	for (uint32_t back = TAB_WIDTH - columns % TAB_WIDTH; back; back--) {
		send_echo(line, "\b", 1);
		if (line->column > 0)
			line->column--;
	}
}

/* ---- output ---- */

size_t line_write(struct line *line, const char *bytes, size_t size)
{
	size_t done = 0;

	line_flush_echo(line);
	if (line->stopped || echo_waits(line))
		return 0;
	if (!(line->modes.c_oflag & OPOST))
		return line->device->put(line, bytes, size);
	while (done < size && line->device->room(line) >= TAB_WIDTH) {
		struct piece piece = translate(line, (uint8_t)bytes[done++]);

		line->device->put(line, piece.bytes, piece.size);
	}
	return done;
}

bool line_stop(struct line *line)
{
	bool changed = !line->stopped;

	line->stopped = true;
	return changed;
}

bool line_start(struct line *line)
{
	if (!line->stopped || line->held)
		return false;
	line->stopped = false;
	line_flush_echo(line);
	return true;
}

bool line_hold(struct line *line)
{
	if (line->held)
		return false;
	line->held = true;
	return line_stop(line);
}

bool line_release(struct line *line)
{
	if (!line->held)
		return false;
	line->held = false;
	return line_start(line);
}
