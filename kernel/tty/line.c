/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line discipline, towards the reader: receiving, editing, signals, buffers. output.c has the
 * output side, echo included.
 *
 * Invariant: read_at <= line_at <= write_at in an edited line, as free-running numbers; otherwise
 * line_at is unused. A bit of `ends` is valid only for a byte in [read_at, line_at).
 *
 * Source: termios(3); the order in which one byte is tested against the modes: Linux 6.12,
 * drivers/tty/n_tty.c.
 */
#include "line.h"

#include <string.h>

#include <uapi/linux/signal.h>

#include "output.h"

#define CONTROL(letter) ((letter)&0x1f)
#define DELETE		0x7f
/* The value of a disabled control character; also stored for an end of file: Linux's __DISABLED_CHAR. */
#define DISABLED	0

/* As Linux's tty_std_termios. */
static const struct kernel_termios2 default_modes = {
	.c_iflag = ICRNL | IXON,
	.c_oflag = OPOST | ONLCR,
	.c_cflag = B38400 | CS8 | CREAD | HUPCL,
	.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
	.c_cc = { [VINTR] = CONTROL('C'),
		  [VQUIT] = CONTROL('\\'),
		  [VERASE] = DELETE,
		  [VKILL] = CONTROL('U'),
		  [VEOF] = CONTROL('D'),
		  [VMIN] = 1,
		  [VSTART] = CONTROL('Q'),
		  [VSTOP] = CONTROL('S'),
		  [VSUSP] = CONTROL('Z'),
		  [VREPRINT] = CONTROL('R'),
		  [VDISCARD] = CONTROL('O'),
		  [VWERASE] = CONTROL('W'),
		  [VLNEXT] = CONTROL('V') },
	.c_ispeed = 38400,
	.c_ospeed = 38400,
};

void line_init(struct line *line, const struct line_device *device)
{
	memset(line, 0, sizeof(*line));
	line->device = device;
	line->modes = default_modes;
}

static uint8_t *input_byte(struct line *line, uint32_t at)
{
	return &line->input[at % LINE_INPUT_SIZE];
}

static bool is_end(const struct line *line, uint32_t at)
{
	uint32_t place = at % LINE_INPUT_SIZE;

	return line->ends[place / 8] >> place % 8 & 1;
}

static void mark_end(struct line *line, uint32_t at, bool end)
{
	uint32_t place = at % LINE_INPUT_SIZE;

	if (end)
		line->ends[place / 8] |= (uint8_t)(1 << place % 8);
	else
		line->ends[place / 8] &= (uint8_t) ~(1 << place % 8);
}

/* With EXTPROC, the program at the master does the editing. */
static bool edits_lines(const struct line *line)
{
	return (line->modes.c_lflag & (ICANON | EXTPROC)) == ICANON;
}

/* Returns whether BYTE is the control character at INDEX, and that character is enabled. */
static bool is_control(const struct line *line, unsigned int index, uint8_t byte)
{
	return byte != DISABLED && line->modes.c_cc[index] == byte;
}

static bool is_extended(const struct line *line, unsigned int index, uint8_t byte)
{
	return (line->modes.c_lflag & IEXTEN) && is_control(line, index, byte);
}

/* For the byte beyond the end that line_room promised: replaces the last byte. */
static void make_room(struct line *line)
{
	if (line->write_at - line->read_at >= LINE_INPUT_SIZE)
		line->write_at--;
}

static void put_input(struct line *line, uint8_t byte)
{
	make_room(line);
	*input_byte(line, line->write_at++) = byte;
}

/* With PARMRK, doubles 0xff, to distinguish it from the mark of an error. */
static void put_input_marked(struct line *line, uint8_t byte)
{
	if (byte == 0xff && (line->modes.c_iflag & PARMRK))
		put_input(line, byte);
	put_input(line, byte);
}

static void end_line(struct line *line, uint8_t byte)
{
	make_room(line);
	mark_end(line, line->write_at, true);
	put_input(line, byte);
	line->line_at = line->write_at;
}

void line_flush_input(struct line *line)
{
	line->read_at = line->line_at = line->write_at = 0;
	memset(line->ends, 0, sizeof(line->ends));
	line->erasing = line->literal = line->pushed = false;
}

void line_set_modes(struct line *line, const struct kernel_termios2 *modes)
{
	uint32_t changed = line->modes.c_lflag ^ modes->c_lflag;
	bool flow_ended = line->modes.c_iflag & ~modes->c_iflag & IXON;

	line->modes = *modes;
	if (changed & (ICANON | EXTPROC)) {
		memset(line->ends, 0, sizeof(line->ends));
		line->pushed = false;
		line->line_at = line->read_at;
		/* Input from before line editing becomes a line of its own. */
		if (edits_lines(line) && line->write_at != line->read_at) {
			mark_end(line, line->write_at - 1, true);
			line->line_at = line->write_at;
			line->pushed = true;
		}
		line->erasing = line->literal = false;
	}
	if (flow_ended)
		line_start(line);
}

/* ---- editing ---- */

static bool is_word(uint8_t byte)
{
	bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
	/* Latin-1, like Linux's ctype table. */
	bool latin = byte >= 0xc0 && byte != 0xd7 && byte != 0xf7;

	return letter || latin || (byte >= '0' && byte <= '9') || byte == '_';
}

/* Returns the columns that the line being typed takes from its last tab (or from its start) to its end,
 * and whether there is a tab. */
static uint32_t columns_since_tab(struct line *line, bool *after_tab)
{
	uint32_t columns = 0;

	*after_tab = false;
	for (uint32_t at = line->write_at; at != line->line_at; at--) {
		uint8_t byte = *input_byte(line, at - 1);

		if (byte == '\t') {
			*after_tab = true;
			break;
		}
		if (output_is_control(byte))
			columns += line->modes.c_lflag & ECHOCTL ? 2 : 0;
		else if (!output_is_continuation(line, byte))
			columns++;
	}
	return columns;
}

/* Shows that a character is erased: it started with BYTE and had COUNT bytes from write_at on. */
static void echo_erased(struct line *line, uint8_t byte, uint32_t count, bool one)
{
	uint32_t modes = line->modes.c_lflag;

	if (modes & ECHOPRT) {
		if (!line->erasing)
			output_echo_raw(line, '\\');
		line->erasing = true;
		output_echo(line, byte);
		for (uint32_t i = 1; i < count; i++)
			output_echo_same_column(line, *input_byte(line, line->write_at + i));
	} else if (one && !(modes & ECHOE)) {
		output_echo(line, line->modes.c_cc[VERASE]);
	} else if (byte == '\t') {
		bool after_tab;
		uint32_t columns = columns_since_tab(line, &after_tab);

		output_echo_untab(line, columns, after_tab);
	} else {
		if (output_is_control(byte) && (modes & ECHOCTL))
			output_echo_rubout(line);
		if (!output_is_control(byte) || (modes & ECHOCTL))
			output_echo_rubout(line);
	}
}

static void finish_erasing(struct line *line)
{
	if (line->erasing)
		output_echo_raw(line, '/');
	line->erasing = false;
}

/* VKILL in a mode that cannot rub the line out on the screen. */
static void kill_unseen(struct line *line)
{
	line->write_at = line->line_at;
	if (!(line->modes.c_lflag & ECHO))
		return;
	finish_erasing(line);
	output_echo(line, line->modes.c_cc[VKILL]);
	if (line->modes.c_lflag & ECHOK)
		output_echo_raw(line, '\n');
}

/* Serves VERASE, VWERASE and VKILL, as CONTROL says. */
static void erase(struct line *line, unsigned int control)
{
	const uint32_t rubs_out = ECHO | ECHOK | ECHOKE | ECHOE;
	bool in_word = false;

	if (line->write_at == line->line_at)
		return;
	if (control == VKILL && (line->modes.c_lflag & rubs_out) != rubs_out) {
		kill_unseen(line);
		return;
	}
	while (line->write_at != line->line_at) {
		uint32_t head = line->write_at;
		uint8_t byte;

		do {
			byte = *input_byte(line, --head);
		} while (output_is_continuation(line, byte) && head != line->line_at);
		/* Not the start of a character: leave it. */
		if (output_is_continuation(line, byte))
			break;
		if (control == VWERASE) {
			if (is_word(byte))
				in_word = true;
			else if (in_word)
				break;
		}
		uint32_t count = line->write_at - head;

		line->write_at = head;
		if (line->modes.c_lflag & ECHO)
			echo_erased(line, byte, count, control == VERASE);
		if (control == VERASE)
			break;
	}
	if (line->write_at == line->line_at && (line->modes.c_lflag & ECHO))
		finish_erasing(line);
}

static void reprint(struct line *line)
{
	finish_erasing(line);
	output_echo(line, line->modes.c_cc[VREPRINT]);
	output_echo_raw(line, '\n');
	for (uint32_t at = line->line_at; at != line->write_at; at++)
		output_echo(line, *input_byte(line, at));
}

/* Echoes an ordinary byte. Stores the column in which a line starts, for its tabs. */
static void echo_typed(struct line *line, uint8_t byte)
{
	if (!(line->modes.c_lflag & ECHO))
		return;
	finish_erasing(line);
	if (line->write_at == line->line_at)
		line->line_column = line->column;
	output_echo(line, byte);
}

static void quote_next(struct line *line)
{
	line->literal = true;
	if (!(line->modes.c_lflag & ECHO))
		return;
	finish_erasing(line);
	if (line->modes.c_lflag & ECHOCTL) {
		output_echo_raw(line, '^');
		output_echo_raw(line, '\b');
	}
}

/* Serves the control characters of line editing. False: BYTE is none of them. */
static bool edit(struct line *line, uint8_t byte)
{
	uint32_t modes = line->modes.c_lflag;

	if (is_control(line, VERASE, byte))
		erase(line, VERASE);
	else if (is_control(line, VKILL, byte))
		erase(line, VKILL);
	else if (is_extended(line, VWERASE, byte))
		erase(line, VWERASE);
	else if (is_extended(line, VLNEXT, byte))
		quote_next(line);
	else if (is_extended(line, VREPRINT, byte) && (modes & ECHO))
		reprint(line);
	else if (byte == '\n') {
		if (modes & (ECHO | ECHONL))
			output_echo_raw(line, '\n');
		end_line(line, byte);
	} else if (is_control(line, VEOF, byte)) {
		end_line(line, DISABLED);
	} else if (is_control(line, VEOL, byte) || is_extended(line, VEOL2, byte)) {
		echo_typed(line, byte);
		if (byte == 0xff && (line->modes.c_iflag & PARMRK))
			put_input(line, byte);
		end_line(line, byte);
	} else {
		return false;
	}
	return true;
}

/* ---- receiving ---- */

/* Returns the signal that BYTE stands for, or 0. */
static unsigned int signal_of(const struct line *line, uint8_t byte)
{
	if (!(line->modes.c_lflag & ISIG))
		return 0;
	if (is_control(line, VINTR, byte))
		return SIGINT;
	if (is_control(line, VQUIT, byte))
		return SIGQUIT;
	return is_control(line, VSUSP, byte) ? SIGTSTP : 0;
}

/* Serves VSTART and VSTOP. False: BYTE is neither. */
static bool control_flow(struct line *line, uint8_t byte, unsigned int *result)
{
	if (!(line->modes.c_iflag & IXON))
		return false;
	if (is_control(line, VSTART, byte))
		*result = line_start(line) ? LINE_STARTED : 0;
	else if (is_control(line, VSTOP, byte))
		*result = line_stop(line) ? LINE_STOPPED : 0;
	else
		return false;
	return true;
}

static unsigned int receive_signal(struct line *line, uint8_t byte, unsigned int signal)
{
	unsigned int result = signal;

	if (!(line->modes.c_lflag & NOFLSH)) {
		line->echo_read_at = line->echo_write_at;
		line_flush_input(line);
		if (line->device->flush)
			line->device->flush(line);
		result |= LINE_FLUSHED;
	}
	if ((line->modes.c_iflag & IXON) && line_start(line))
		result |= LINE_STARTED;
	if (line->modes.c_lflag & ECHO)
		output_echo(line, byte);
	return result;
}

/* Applies IGNCR, ICRNL and INLCR to BYTE. False: ignore BYTE. */
static bool translate(const struct line *line, uint8_t *byte)
{
	uint32_t modes = line->modes.c_iflag;

	if (*byte == '\r') {
		if (modes & IGNCR)
			return false;
		if (modes & ICRNL)
			*byte = '\n';
	} else if (*byte == '\n' && (modes & INLCR)) {
		*byte = '\r';
	}
	return true;
}

unsigned int line_receive(struct line *line, uint8_t byte)
{
	unsigned int result = 0, signal;
	uint8_t typed;

	if (line->modes.c_iflag & ISTRIP)
		byte &= 0x7f;
	if ((line->modes.c_iflag & IUCLC) && (line->modes.c_lflag & IEXTEN))
		byte = output_lower(byte);
	if (line->literal) {
		line->literal = false;
		echo_typed(line, byte);
		put_input_marked(line, byte);
		return 0;
	}
	if (line->modes.c_lflag & EXTPROC) {
		put_input(line, byte);
		return 0;
	}
	if (control_flow(line, byte, &result))
		return result;
	signal = signal_of(line, byte);
	if (signal)
		return receive_signal(line, byte, signal);
	if ((line->modes.c_iflag & (IXON | IXANY)) == (IXON | IXANY) && line_start(line))
		result |= LINE_STARTED;
	typed = byte;
	if (!translate(line, &byte))
		return result;
	if (edits_lines(line) && edit(line, byte))
		return result;
	/* Echoed as ^J if the line does not end. */
	if (byte == '\n' && typed == '\r' && (line->modes.c_lflag & ECHO)) {
		finish_erasing(line);
		output_echo_raw(line, byte);
	} else {
		echo_typed(line, byte);
	}
	put_input_marked(line, byte);
	return result;
}

size_t line_room(const struct line *line)
{
	uint32_t used = line->write_at - line->read_at;
	/* PARMRK may make two bytes of one. */
	uint32_t room = LINE_INPUT_SIZE - used;

	if (line->modes.c_iflag & PARMRK)
		room = room / 2;
	if (room > 1)
		return room - 1;
	return edits_lines(line) && line->line_at == line->read_at ? 1 : 0;
}

/* ---- reading ---- */

bool line_is_ready(const struct line *line, size_t least)
{
	if (edits_lines(line))
		return line->line_at != line->read_at;
	return line->write_at - line->read_at >= least;
}

static size_t read_line(struct line *line, char *bytes, size_t size, bool *ended)
{
	size_t count = 0;

	while (line->read_at != line->line_at) {
		uint8_t byte = *input_byte(line, line->read_at);
		bool end = is_end(line, line->read_at);
		bool end_of_file = end && byte == DISABLED && !line->pushed;

		if (!end_of_file && count == size)
			break;
		if (end_of_file && count == size && count)
			break;
		if (!end_of_file)
			bytes[count++] = (char)byte;
		mark_end(line, line->read_at++, false);
		if (end) {
			line->pushed = false;
			*ended = true;
			break;
		}
	}
	return count;
}

size_t line_read(struct line *line, char *bytes, size_t size, bool *ended)
{
	size_t count = 0;

	*ended = false;
	if (edits_lines(line))
		return read_line(line, bytes, size, ended);
	while (count < size && line->read_at != line->write_at)
		bytes[count++] = (char)*input_byte(line, line->read_at++);
	return count;
}

void line_skip_end_of_file(struct line *line)
{
	if (!edits_lines(line) || line->read_at == line->line_at || line->pushed)
		return;
	if (is_end(line, line->read_at) && *input_byte(line, line->read_at) == DISABLED)
		mark_end(line, line->read_at++, false);
}

size_t line_readable_count(const struct line *line)
{
	size_t count = 0;

	if (!edits_lines(line))
		return line->write_at - line->read_at;
	for (uint32_t at = line->read_at; at != line->line_at; at++)
		if (!is_end(line, at) || line->input[at % LINE_INPUT_SIZE] != DISABLED)
			count++;
	return count;
}
