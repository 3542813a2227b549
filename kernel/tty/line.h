/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line discipline, between a terminal's device and its readers and writers: Linux's N_TTY, which
 * termios(3) describes.
 *
 * It consists of modes and buffers, without locks, tasks or files, so that tests/unit/ runs it on a
 * host. Every function is called with the terminal's lock held.
 */
#ifndef KERNEL_TTY_LINE_H
#define KERNEL_TTY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uapi/linux/termios.h>

/* Room for bytes that wait for a reader; a power of two. Linux's N_TTY_BUF_SIZE. */
#define LINE_INPUT_SIZE 4096
/* Room for echo while the device is full or output is stopped. */
#define LINE_ECHO_SIZE	4096

struct line;

/* The operations of a device. */
struct line_device {
	/* Takes up to SIZE bytes; returns how many. */
	size_t (*put)(struct line *line, const char *bytes, size_t size);
	/* Returns how many bytes put would take now; never more than SIZE_MAX / 2. */
	size_t (*room)(struct line *line);
	/* Discards output that it has taken and not yet shown. NULL: it shows at once. */
	void (*flush)(struct line *line);
};

struct line {
	const struct line_device *device;
	struct kernel_termios2 modes;

	/* Input: three free-running positions in a ring. */
	uint8_t input[LINE_INPUT_SIZE];
	uint8_t ends[LINE_INPUT_SIZE / 8]; /* bit: this byte ends a line */
	uint32_t read_at;		   /* next to read */
	uint32_t line_at;		   /* end of the last whole line, if lines are edited */
	uint32_t write_at;		   /* end of the line being typed */
	bool literal;			   /* take the next byte literally (VLNEXT) */
	bool erasing;			   /* inside ECHOPRT's \.../ */
	bool pushed; /* the line at read_at is whole only because line editing was enabled */

	/* Output: the cursor's column, for tabs and for erasing them. */
	uint32_t column, line_column; /* line_column: start of the line being typed */
	bool stopped;		      /* no output */
	bool held;		      /* by TCXONC: VSTART does not restart output */

	uint8_t echo[LINE_ECHO_SIZE]; /* a ring, as input */
	uint32_t echo_read_at, echo_write_at;
};

/* The result of line_receive: a signal's number, and these flags. */
#define LINE_SIGNAL  0x7f  /* the signal for the foreground group; 0: none */
#define LINE_STOPPED 0x100 /* output stopped */
#define LINE_STARTED 0x200 /* output started again */
#define LINE_FLUSHED 0x400 /* input and waiting output were discarded */

/* Makes LINE empty, with the modes of a new terminal. */
void line_init(struct line *line, const struct line_device *device);

/* Sets new modes. */
void line_set_modes(struct line *line, const struct kernel_termios2 *modes);

/* Takes one byte from the device; line_room must not be 0. Returns LINE_*. */
unsigned int line_receive(struct line *line, uint8_t byte);
/* Returns how many bytes line_receive can take. In an edited line there is always room for one byte: it
 * replaces the last one, so that the line's end still fits. */
size_t line_room(const struct line *line);

/* Returns whether a reader that needs LEAST bytes (1 or more; ignored if lines are edited) can read. */
bool line_is_ready(const struct line *line, size_t least);
/* Takes up to SIZE ready bytes: at most one line, if lines are edited. *ENDED: a line's end was among
 * them (an end of file is one, without a byte). */
size_t line_read(struct line *line, char *bytes, size_t size, bool *ended);
/* For a reader whose buffer is full before the line's end: skips an end of file that is all that is
 * left of the line. */
void line_skip_end_of_file(struct line *line);
/* Returns the value of FIONREAD. */
size_t line_readable_count(const struct line *line);
/* Discards the input. */
void line_flush_input(struct line *line);

/* Sends up to SIZE bytes of output, translated by the modes; returns how many of them were used up.
 * Fewer than SIZE: the device has no more room, or output is stopped. */
size_t line_write(struct line *line, const char *bytes, size_t size);
/* Sends the waiting echo, as far as there is room. */
void line_flush_echo(struct line *line);

/* Stop and start output, like VSTOP and VSTART. Return whether that changed anything. */
bool line_stop(struct line *line);
bool line_start(struct line *line);
/* The same for TCXONC. */
bool line_hold(struct line *line);
bool line_release(struct line *line);

#endif
