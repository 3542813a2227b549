/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line discipline: what happens to bytes between a terminal's device and its readers and
 * writers. Linux's N_TTY, which termios(3) describes.
 *
 * It knows modes and buffers and nothing else: no locks, tasks or files, so that tests/unit/ runs it
 * on a host. Every function is called with the terminal's lock held.
 */
#ifndef KERNEL_TTY_LINE_H
#define KERNEL_TTY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/termios.h>

/* Bytes that wait for a reader; a power of two. Linux's N_TTY_BUF_SIZE. */
#define LINE_INPUT_SIZE 4096
/* Bytes of echo that the device has no room for, or may not have while output is stopped. */
#define LINE_ECHO_SIZE	4096

struct line;

/* What the discipline needs of a device. */
struct line_device {
	/* Takes up to SIZE bytes; returns how many. */
	size_t (*put)(struct line *line, const char *bytes, size_t size);
	/* How many bytes put would take now; never more than SIZE_MAX / 2. */
	size_t (*room)(struct line *line);
	/* Throws away what it has taken and not yet shown. NULL: it shows at once. */
	void (*flush)(struct line *line);
};

struct line {
	const struct line_device *device;
	struct kernel_termios2 modes;

	/* Input: three places in a ring, each running freely. */
	uint8_t input[LINE_INPUT_SIZE];
	uint8_t ends[LINE_INPUT_SIZE / 8]; /* bit: this byte ends a line */
	uint32_t read_at;		   /* next to read */
	uint32_t line_at;		   /* end of the last whole line, if lines are edited */
	uint32_t write_at;		   /* end of the line being typed */
	bool literal;			   /* the next byte is taken as it is (VLNEXT) */
	bool erasing;			   /* inside ECHOPRT's \.../ */
	bool pushed; /* the line at read_at is whole only because line editing was turned on */

	/* Output: where the cursor is, for tabs and for erasing them. */
	uint32_t column, line_column; /* line_column: where the line being typed begins */
	bool stopped;		      /* nothing goes out */
	bool held;		      /* by TCXONC: VSTART does not let it go on */

	uint8_t echo[LINE_ECHO_SIZE]; /* a ring, as input */
	uint32_t echo_read_at, echo_write_at;
};

/* What line_receive did, besides keeping the byte: a signal's number, and these. */
#define LINE_SIGNAL  0x7f  /* the signal that the foreground group is to get; 0: none */
#define LINE_STOPPED 0x100 /* output stopped */
#define LINE_STARTED 0x200 /* output goes on */
#define LINE_FLUSHED 0x400 /* input, and output that waits, was thrown away */

/* Makes LINE empty, in the modes of a new terminal. */
void line_init(struct line *line, const struct line_device *device);

/* New modes. */
void line_set_modes(struct line *line, const struct kernel_termios2 *modes);

/* One byte from the device, which must not come while line_room is 0. Returns LINE_*. */
unsigned int line_receive(struct line *line, uint8_t byte);
/* How many bytes line_receive can take. In an edited line there is always room for one: it takes the
 * last one's place, so that the line's end still fits. */
size_t line_room(const struct line *line);

/* Whether a reader that needs LEAST bytes (1 or more; ignored if lines are edited) finds them. */
bool line_is_ready(const struct line *line, size_t least);
/* Takes up to SIZE bytes of what is ready: at most one line, if lines are edited. *ENDED: a line's
 * end was among them (an end of file is one, without a byte). */
size_t line_read(struct line *line, char *bytes, size_t size, bool *ended);
/* A reader's buffer is full and the line went on: if nothing but an end of file is left of the line,
 * it is taken too. */
void line_skip_end_of_file(struct line *line);
/* What FIONREAD says. */
size_t line_readable_count(const struct line *line);
/* Throws the input away. */
void line_flush_input(struct line *line);

/* Sends up to SIZE bytes of output, as the modes say; returns how many of them were used up. Fewer
 * than SIZE: the device has no more room, or output is stopped. */
size_t line_write(struct line *line, const char *bytes, size_t size);
/* Sends the echo that waits, as far as there is room. */
void line_flush_echo(struct line *line);

/* Stops output, lets it go on, as VSTOP and VSTART do. Whether that changed anything. */
bool line_stop(struct line *line);
bool line_start(struct line *line);
/* The same as TCXONC does. */
bool line_hold(struct line *line);
bool line_release(struct line *line);

#endif
