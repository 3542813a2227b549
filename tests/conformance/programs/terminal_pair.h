/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two sides of a pair of terminals, for the programs that observe one.
 *
 * Linux hands typed bytes over in the background, so each look comes after a pause; both sides are
 * non-blocking, unless a program observes sleeping.
 */
#ifndef TESTS_TERMINAL_PAIR_H
#define TESTS_TERMINAL_PAIR_H

#include "observe.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <poll.h>

enum { PAUSE_US = 1500, TEXT_BYTES = 8192, CTRL = 0x1f };

struct pair {
	int master, slave;
};

static inline void pause_a_little(void)
{
	usleep(PAUSE_US);
}

static inline int open_master(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		show(error_name(errno), "the pair that the rest is about");
		exit(1);
	}
	return fd;
}

static inline int open_slave(int master)
{
	int unlock = 0;
	int fd;

	ioctl(master, TIOCSPTLCK, &unlock);
	fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		show(error_name(errno), "the slave that the rest is about");
		exit(1);
	}
	return fd;
}

static inline struct pair open_pair(void)
{
	struct pair pair;

	pair.master = open_master();
	pair.slave = open_slave(pair.master);
	return pair;
}

static inline void close_pair(struct pair pair)
{
	close(pair.slave);
	close(pair.master);
}

/* Bytes as C would write them; a static buffer, two of them in turn. */
static inline const char *quoted(const char *bytes, ssize_t size)
{
	static char texts[2][4 * TEXT_BYTES + 16];
	static int turn;
	char *text = texts[turn ^= 1], *at = text;

	if (size < 0)
		return error_name(errno);
	*at++ = '"';
	for (ssize_t i = 0; i < size; i++) {
		unsigned char c = bytes[i];

		if (c == '\n')
			at += sprintf(at, "\\n");
		else if (c == '\r')
			at += sprintf(at, "\\r");
		else if (c == '\t')
			at += sprintf(at, "\\t");
		else if (c == '\b')
			at += sprintf(at, "\\b");
		else if (c < ' ' || c > '~')
			at += sprintf(at, "\\x%02x", c);
		else
			*at++ = c;
	}
	*at++ = '"';
	*at = '\0';
	return text;
}

static inline const char *read_quoted(int fd, size_t size)
{
	static char bytes[TEXT_BYTES];

	return quoted(bytes, read(fd, bytes, size));
}

static inline void type(int master, const char *bytes, size_t size)
{
	if (write(master, bytes, size) != (ssize_t)size)
		show("short", "a write of %zu bytes to the master", size);
	pause_a_little();
}

/* The slave's input and the master's, after a pause. */
static inline void show_both(struct pair pair, const char *name)
{
	show(read_quoted(pair.slave, TEXT_BYTES), "%s, read", name);
	show(read_quoted(pair.master, TEXT_BYTES), "%s, echo", name);
}

static inline void change(int fd, unsigned int input, unsigned int not_input, unsigned int output,
			  unsigned int not_output, unsigned int local, unsigned int not_local)
{
	struct termios modes;

	ioctl(fd, TCGETS, &modes);
	modes.c_iflag = (modes.c_iflag | input) & ~not_input;
	modes.c_oflag = (modes.c_oflag | output) & ~not_output;
	modes.c_lflag = (modes.c_lflag | local) & ~not_local;
	ioctl(fd, TCSETS, &modes);
}

static inline void set_control(int fd, int index, int value)
{
	struct termios modes;

	ioctl(fd, TCGETS, &modes);
	modes.c_cc[index] = value;
	ioctl(fd, TCSETS, &modes);
}

/* The bytes of a string and how many: two arguments, or two members. */
#define TEXT(string) string, sizeof(string) - 1

static inline void show_poll(int fd, const char *name)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };
	char text[32];

	pause_a_little();
	poll(&entry, 1, 0);
	snprintf(text, sizeof(text), "0x%x", entry.revents);
	show(text, "poll of %s", name);
}

#endif
