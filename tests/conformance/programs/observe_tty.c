// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a terminal does with what is typed and written: the line discipline, modes, requests, and the two
 * sides of a pair. Sessions and groups are observe_jobs's.
 *
 * Linux hands typed bytes over in the background, so each look comes after a pause; both sides are
 * non-blocking, unless sleeping is what is observed.
 */
#include "observe.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { PAUSE_US = 1500, TEXT_BYTES = 8192, CTRL = 0x1f };

struct pair {
	int master, slave;
};

static void pause_a_little(void)
{
	usleep(PAUSE_US);
}

static int open_master(void)
{
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		show(error_name(errno), "the pair that the rest is about");
		exit(1);
	}
	return fd;
}

static int open_slave(int master)
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

static struct pair open_pair(void)
{
	struct pair pair;

	pair.master = open_master();
	pair.slave = open_slave(pair.master);
	return pair;
}

static void close_pair(struct pair pair)
{
	close(pair.slave);
	close(pair.master);
}

/* Bytes as C would write them; a static buffer, two of them in turn. */
static const char *quoted(const char *bytes, ssize_t size)
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

static const char *read_quoted(int fd, size_t size)
{
	static char bytes[TEXT_BYTES];

	return quoted(bytes, read(fd, bytes, size));
}

static void type(int master, const char *bytes, size_t size)
{
	if (write(master, bytes, size) != (ssize_t)size)
		show("short", "a write of %zu bytes to the master", size);
	pause_a_little();
}

/* What the slave reads and the master sees, after a pause. */
static void show_both(struct pair pair, const char *name)
{
	show(read_quoted(pair.slave, TEXT_BYTES), "%s, read", name);
	show(read_quoted(pair.master, TEXT_BYTES), "%s, echo", name);
}

static void change(int fd, unsigned int input, unsigned int not_input, unsigned int output,
		   unsigned int not_output, unsigned int local, unsigned int not_local)
{
	struct termios modes;

	ioctl(fd, TCGETS, &modes);
	modes.c_iflag = (modes.c_iflag | input) & ~not_input;
	modes.c_oflag = (modes.c_oflag | output) & ~not_output;
	modes.c_lflag = (modes.c_lflag | local) & ~not_local;
	ioctl(fd, TCSETS, &modes);
}

static void set_control(int fd, int index, int value)
{
	struct termios modes;

	ioctl(fd, TCGETS, &modes);
	modes.c_cc[index] = value;
	ioctl(fd, TCSETS, &modes);
}

/* ---- typing ---- */

#define TEXT(string) string, sizeof(string) - 1

static const struct {
	const char *name;
	unsigned int input, not_input, local, not_local;
	const char *bytes;
	size_t size;
} typings[] = {
	{ "a line", 0, 0, 0, 0, TEXT("abc\n") },
	{ "a line that has no end", 0, 0, 0, 0, TEXT("abc") },
	{ "a line that ends with a return", 0, 0, 0, 0, TEXT("abc\r") },
	{ "two lines", 0, 0, 0, 0, TEXT("ab\ncd\n") },
	{ "a return without ICRNL", 0, ICRNL, 0, 0, TEXT("a\rb\n") },
	{ "IGNCR", IGNCR, 0, 0, 0, TEXT("a\rb\n") },
	{ "INLCR", INLCR, ICRNL, 0, 0, TEXT("a\nb\r") },
	{ "INLCR and ICRNL", INLCR, 0, 0, 0, TEXT("a\nb\r") },
	{ "ISTRIP", ISTRIP, 0, 0, 0, TEXT("\xe1\xe2\n") },
	{ "IUCLC", IUCLC, 0, 0, 0, TEXT("ABc\xc4\n") },
	{ "IUCLC without IEXTEN", IUCLC, 0, 0, IEXTEN, TEXT("ABc\n") },
	{ "PARMRK", PARMRK, 0, 0, 0,
	  TEXT("a\xff"
	       "b\n") },
	{ "bytes of every kind", 0, 0, 0, 0, TEXT("\x01\x02\x1b[A\x80\xff~\n") },
	{ "ERASE", 0, 0, 0, 0, TEXT("abc\x7f\n") },
	{ "ERASE more than there is", 0, 0, 0, 0,
	  TEXT("a\x7f\x7f\x7f"
	       "b\n") },
	{ "ERASE a control character", 0, 0, 0, 0, TEXT("a\x01\x7f\n") },
	{ "ERASE a control character without ECHOCTL", 0, 0, 0, ECHOCTL, TEXT("a\x01\x7f\n") },
	{ "ERASE a tab", 0, 0, 0, 0, TEXT("ab\t\x7f\n") },
	{ "ERASE a tab after another", 0, 0, 0, 0, TEXT("ab\tc\t\x7f\n") },
	{ "ERASE without ECHOE", 0, 0, 0, ECHOE, TEXT("abc\x7f\n") },
	{ "ERASE with ECHOPRT", 0, 0, ECHOPRT, 0,
	  TEXT("abc\x7f\x7f"
	       "d\n") },
	{ "ERASE a UTF-8 character", IUTF8, 0, 0, 0, TEXT("a\xc3\xa4\x7f\n") },
	{ "ERASE a UTF-8 character without IUTF8", 0, 0, 0, 0, TEXT("a\xc3\xa4\x7f\n") },
	{ "a UTF-8 character and a tab erased", IUTF8, 0, 0, 0, TEXT("\xc3\xa4\t\x7f\n") },
	{ "WERASE", 0, 0, 0, 0,
	  TEXT("one two_2 \x17"
	       "x\n") },
	{ "WERASE over punctuation", 0, 0, 0, 0, TEXT("a-b\x17\n") },
	{ "WERASE without IEXTEN", 0, 0, 0, IEXTEN, TEXT("one two\x17\n") },
	{ "KILL", 0, 0, 0, 0,
	  TEXT("abc\x15"
	       "d\n") },
	{ "KILL without ECHOKE", 0, 0, 0, ECHOKE,
	  TEXT("abc\x15"
	       "d\n") },
	{ "KILL without ECHOK", 0, 0, 0, ECHOK,
	  TEXT("abc\x15"
	       "d\n") },
	{ "KILL without ECHOKE and ECHOK", 0, 0, 0, ECHOKE | ECHOK,
	  TEXT("abc\x15"
	       "d\n") },
	{ "KILL without ECHO", 0, 0, 0, ECHO,
	  TEXT("abc\x15"
	       "d\n") },
	{ "REPRINT", 0, 0, 0, 0, TEXT("abc\x12\n") },
	{ "REPRINT without ECHO", 0, 0, 0, ECHO, TEXT("abc\x12\n") },
	{ "LNEXT", 0, 0, 0, 0,
	  TEXT("a\x16\x7f"
	       "b\n") },
	{ "LNEXT and a newline", 0, 0, 0, 0, TEXT("a\x16\n\n") },
	{ "LNEXT without ECHOCTL", 0, 0, 0, ECHOCTL, TEXT("a\x16\x03\n") },
	{ "LNEXT without IEXTEN", 0, 0, 0, IEXTEN,
	  TEXT("a\x16"
	       "b\n") },
	{ "EOF in a line", 0, 0, 0, 0, TEXT("abc\x04") },
	{ "EOF alone", 0, 0, 0, 0, TEXT("\x04") },
	{ "EOF behind LNEXT", 0, 0, 0, 0, TEXT("\x16\x04\n") },
	{ "no ECHO", 0, 0, 0, ECHO, TEXT("abc\n") },
	{ "no ECHO but ECHONL", 0, 0, ECHONL, ECHO, TEXT("abc\n") },
	{ "no ECHOCTL", 0, 0, 0, ECHOCTL, TEXT("\x01\n") },
	{ "an INTR that goes to nobody", 0, 0, 0, 0,
	  TEXT("abc\x03"
	       "d\n") },
	{ "an INTR with NOFLSH", 0, 0, NOFLSH, 0,
	  TEXT("abc\x03"
	       "d\n") },
	{ "a SUSP and a QUIT", 0, 0, 0, 0,
	  TEXT("a\x1a"
	       "b\x1c"
	       "c\n") },
	{ "an INTR without ISIG", 0, 0, 0, ISIG, TEXT("abc\x03\n") },
	{ "STOP and START in a line", 0, 0, 0, 0,
	  TEXT("a\x13"
	       "b\x11"
	       "c\n") },
	{ "STOP without IXON", 0, IXON, 0, 0, TEXT("a\x13\n") },
	{ "STOP and any byte with IXANY", IXANY, 0, 0, 0,
	  TEXT("a\x13"
	       "bc\n") },
	{ "no ICANON", 0, 0, 0, ICANON, TEXT("ab\x7f\r\x04") },
	{ "no ICANON and no ECHO", 0, 0, 0, ICANON | ECHO, TEXT("ab\x15") },
	{ "no ICANON and a newline", 0, 0, 0, ICANON, TEXT("a\nb") },
	{ "no ICANON, ECHOCTL on a tab", 0, 0, 0, ICANON, TEXT("a\t\x1b") },
	{ "EXTPROC", 0, 0, EXTPROC, 0,
	  TEXT("a\x7f\x03"
	       "b\r") },
	{ "DISCARD", 0, 0, 0, 0,
	  TEXT("a\x0f"
	       "b\n") },
};

static void observe_typing(void)
{
	for (size_t i = 0; i < sizeof(typings) / sizeof(typings[0]); i++) {
		struct pair pair = open_pair();

		change(pair.slave, typings[i].input, typings[i].not_input, 0, 0, typings[i].local,
		       typings[i].not_local);
		type(pair.master, typings[i].bytes, typings[i].size);
		show_both(pair, typings[i].name);
		close_pair(pair);
	}
}

static void observe_line_ends(void)
{
	struct pair pair = open_pair();

	set_control(pair.slave, VEOL, ';');
	set_control(pair.slave, VEOL2, '|');
	type(pair.master, TEXT("a;b|c\n"));
	show(read_quoted(pair.slave, TEXT_BYTES), "EOL ends a line");
	show(read_quoted(pair.slave, TEXT_BYTES), "EOL2 ends a line");
	show(read_quoted(pair.slave, TEXT_BYTES), "the newline after EOL2");
	set_control(pair.slave, VERASE, 0);
	type(pair.master, TEXT("ab\x7f\n"));
	show(read_quoted(pair.slave, TEXT_BYTES), "ERASE turned off");
	close_pair(pair);
}

static void observe_partial_reads(void)
{
	struct pair pair = open_pair();

	type(pair.master, TEXT("abcdef\nxy\n"));
	show(read_quoted(pair.slave, 4), "four bytes of a line");
	show(read_quoted(pair.slave, TEXT_BYTES), "the rest of the line");
	show(read_quoted(pair.slave, 0), "no bytes");
	show(read_quoted(pair.slave, 3), "a line that fits");
	show(read_quoted(pair.slave, TEXT_BYTES), "no line");
	type(pair.master, TEXT("abc\x04"));
	show(read_quoted(pair.slave, 3), "what is before an EOF and fits");
	show(read_quoted(pair.slave, 3), "after what fitted before an EOF");
	type(pair.master, TEXT("abc\x04"
			       "def\n"));
	show(read_quoted(pair.slave, 2), "two of three bytes before an EOF");
	show(read_quoted(pair.slave, 2), "the third byte before an EOF");
	show(read_quoted(pair.slave, TEXT_BYTES), "what comes after an EOF");
	type(pair.master, TEXT("\x04\x04z\n"));
	show(read_quoted(pair.slave, TEXT_BYTES), "the first EOF of two");
	show(read_quoted(pair.slave, TEXT_BYTES), "the second EOF of two");
	show(read_quoted(pair.slave, TEXT_BYTES), "the line after two EOFs");
	close_pair(pair);
}

static void observe_mode_switches(void)
{
	struct pair pair = open_pair();

	type(pair.master, TEXT("abc"));
	show(read_quoted(pair.slave, TEXT_BYTES), "begun, ICANON");
	change(pair.slave, 0, 0, 0, 0, 0, ICANON);
	show(read_quoted(pair.slave, TEXT_BYTES), "begun, no ICANON any more");
	type(pair.master, TEXT("def"));
	change(pair.slave, 0, 0, 0, 0, ICANON, 0);
	show(read_quoted(pair.slave, TEXT_BYTES), "typed before ICANON");
	type(pair.master, TEXT("ghi\n"));
	show(read_quoted(pair.slave, TEXT_BYTES), "typed after ICANON");
	type(pair.master, TEXT("one\ntwo\nthr"));
	change(pair.slave, 0, 0, 0, 0, 0, ICANON);
	show(read_quoted(pair.slave, TEXT_BYTES), "two lines and a half, no ICANON any more");
	close_pair(pair);
}

static void observe_long_lines(void)
{
	static char bytes[5000];
	struct pair pair = open_pair();
	int count = -1;
	ssize_t size;

	memset(bytes, 'x', sizeof(bytes));
	change(pair.slave, 0, 0, 0, 0, 0, ECHO);
	type(pair.master, bytes, 4500);
	show(read_quoted(pair.slave, 10), "4500 bytes and no line");
	type(pair.master, TEXT("end\n"));
	ioctl(pair.slave, FIONREAD, &count);
	show(outcome_value(count), "a line too long, counted");
	size = read(pair.slave, bytes, sizeof(bytes));
	show(outcome_value(size), "a line too long, size");
	show(quoted(bytes + size - 3, 3), "a line too long, its end");
	close_pair(pair);

	pair = open_pair();
	memset(bytes, 'y', sizeof(bytes));
	change(pair.slave, 0, 0, 0, 0, 0, ECHO | ICANON);
	type(pair.master, bytes, sizeof(bytes));
	size = read(pair.slave, bytes, sizeof(bytes));
	pause_a_little();
	for (ssize_t more = size; size < (ssize_t)sizeof(bytes) && more > 0; size += more)
		more = read(pair.slave, bytes, sizeof(bytes));
	show(outcome_value(size), "5000 bytes without ICANON, none lost");
	close_pair(pair);
}

/* ---- output ---- */

static const struct {
	const char *name;
	unsigned int set, clear;
	const char *bytes;
	size_t size;
} outputs[] = {
	{ "a newline", 0, 0, TEXT("a\nb") },
	{ "a newline without ONLCR", 0, ONLCR, TEXT("a\nb") },
	{ "a newline without OPOST", 0, OPOST, TEXT("a\nb") },
	{ "OCRNL", OCRNL, ONLCR, TEXT("a\rb") },
	{ "OCRNL and ONLCR", OCRNL, 0, TEXT("a\rb") },
	{ "ONOCR", ONOCR, ONLCR, TEXT("\ra\r\rb") },
	{ "ONLRET", ONLRET, ONLCR, TEXT("ab\n\tc") },
	{ "ONLRET and ONOCR", ONLRET | ONOCR, ONLCR, TEXT("ab\n\rc") },
	{ "OLCUC", OLCUC, 0, TEXT("aBc\xe4\n") },
	{ "XTABS", XTABS, 0, TEXT("a\tb\tcccccccc\td\n\te") },
	{ "XTABS after a backspace", XTABS, 0, TEXT("ab\b\tc") },
	{ "XTABS after a control character", XTABS, 0, TEXT("a\x01\x1b\tc") },
	{ "tabs as they are", 0, 0, TEXT("a\tb") },
	{ "all of it without OPOST", XTABS | OLCUC | OCRNL, OPOST, TEXT("a\tb\r\n") },
};

static void observe_output(void)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		struct pair pair = open_pair();

		change(pair.slave, 0, 0, outputs[i].set, outputs[i].clear, 0, 0);
		show(outcome_value(write(pair.slave, outputs[i].bytes, outputs[i].size)),
		     "output of %s, written", outputs[i].name);
		pause_a_little();
		show(read_quoted(pair.master, TEXT_BYTES), "output of %s", outputs[i].name);
		close_pair(pair);
	}
}

static void observe_flow(void)
{
	struct pair pair = open_pair();

	type(pair.master, TEXT("\x13"));
	show(outcome_value(write(pair.slave, "abc", 3)), "a write while stopped");
	show(read_quoted(pair.master, TEXT_BYTES), "read of the master while stopped");
	type(pair.master, TEXT("\x11"));
	show(outcome_value(write(pair.slave, "abc", 3)), "a write after START");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "read of the master after START");
	show(outcome(ioctl(pair.slave, TCXONC, TCOOFF)), "TCOOFF");
	show(outcome_value(write(pair.slave, "abc", 3)), "a write after TCOOFF");
	type(pair.master, TEXT("\x11"));
	show(outcome_value(write(pair.slave, "abc", 3)), "a write after TCOOFF and START");
	show(outcome(ioctl(pair.slave, TCXONC, TCOON)), "TCOON");
	show(outcome_value(write(pair.slave, "def", 3)), "a write after TCOON");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "read of the master after TCOON");
	show(outcome(ioctl(pair.slave, TCXONC, TCIOFF)), "TCIOFF");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "read of the master after TCIOFF");
	show(outcome(ioctl(pair.slave, TCXONC, TCION)), "TCION");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "read of the master after TCION");
	show(outcome(ioctl(pair.slave, TCXONC, 4)), "TCXONC of 4");
	type(pair.master, TEXT("\x13"
			       "x\n"));
	show(read_quoted(pair.master, TEXT_BYTES), "echo while stopped");
	change(pair.slave, 0, IXON, 0, 0, 0, 0);
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "echo after IXON is gone");
	close_pair(pair);
}

/* ---- VMIN and VTIME ---- */

struct typist {
	int master;
	const char *bytes;
};

/* Types one byte every 30 ms. */
static void *type_slowly(void *argument)
{
	struct typist *typist = argument;

	for (const char *at = typist->bytes; *at; at++) {
		usleep(30000);
		if (write(typist->master, at, 1) != 1)
			return NULL;
	}
	return NULL;
}

static void observe_patience_of(int minimum, int tenths, const char *typed, size_t size)
{
	struct pair pair = open_pair();
	struct typist typist = { pair.master, typed };
	struct termios modes;
	pthread_t thread;

	ioctl(pair.slave, TCGETS, &modes);
	modes.c_lflag = 0;
	modes.c_cc[VMIN] = minimum;
	modes.c_cc[VTIME] = tenths;
	ioctl(pair.slave, TCSETS, &modes);
	fcntl(pair.slave, F_SETFL, O_RDWR);
	pthread_create(&thread, NULL, type_slowly, &typist);
	show(read_quoted(pair.slave, size), "VMIN %d VTIME %d, %zu bytes asked, \"%s\" typed",
	     minimum, tenths, size, typed);
	pthread_join(thread, NULL);
	close_pair(pair);
}

static void observe_patience(void)
{
	observe_patience_of(0, 0, "a", 8);
	observe_patience_of(0, 1, "ab", 8);
	observe_patience_of(0, 1, "", 8);
	observe_patience_of(1, 0, "ab", 8);
	observe_patience_of(3, 0, "abcd", 8);
	observe_patience_of(3, 0, "abcd", 2);
	observe_patience_of(5, 1, "abc", 8);
	observe_patience_of(2, 1, "abc", 8);
}

static void observe_poll_of(int fd, const char *name)
{
	struct pollfd entry = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };
	char text[32];

	pause_a_little();
	poll(&entry, 1, 0);
	snprintf(text, sizeof(text), "0x%x", entry.revents);
	show(text, "poll of %s", name);
}

static void observe_poll(void)
{
	struct pair pair = open_pair();

	observe_poll_of(pair.slave, "a new slave");
	observe_poll_of(pair.master, "a new master");
	type(pair.master, TEXT("ab"));
	observe_poll_of(pair.slave, "a slave with half a line");
	observe_poll_of(pair.master, "a master with an echo");
	type(pair.master, TEXT("\n"));
	observe_poll_of(pair.slave, "a slave with a line");
	change(pair.slave, 0, 0, 0, 0, 0, ICANON);
	set_control(pair.slave, VMIN, 5);
	observe_poll_of(pair.slave, "a slave with fewer bytes than VMIN");
	set_control(pair.slave, VTIME, 1);
	observe_poll_of(pair.slave, "a slave with fewer bytes than VMIN and VTIME");
	type(pair.master, TEXT("\x13"));
	observe_poll_of(pair.slave, "a slave that is stopped");
	close_pair(pair);
}

/* ---- requests ---- */

static void show_modes(const struct termios2 *modes, const char *name)
{
	char text[256], *at = text;

	at += sprintf(at, "%o %o %o %o %d %u %u", modes->c_iflag, modes->c_oflag, modes->c_cflag,
		      modes->c_lflag, modes->c_line, modes->c_ispeed, modes->c_ospeed);
	for (int i = 0; i < 19; i++)
		at += sprintf(at, " %02x", modes->c_cc[i]);
	show(text, "%s", name);
}

static void observe_modes(void)
{
	struct pair pair = open_pair();
	unsigned char *edge = page_before_a_hole();
	struct termios2 modes;
	struct termios plain;
	struct {
		unsigned short c_iflag, c_oflag, c_cflag, c_lflag;
		unsigned char c_line, c_cc[8];
	} old;

	memset(&modes, 0, sizeof(modes));
	show(outcome(ioctl(pair.slave, TCGETS2, &modes)), "TCGETS2");
	show_modes(&modes, "modes of a new slave");
	show(outcome(ioctl(pair.master, TCGETS2, &modes)), "TCGETS2 of the master");
	show_modes(&modes, "modes that the master shows");
	modes.c_cflag = (modes.c_cflag & ~CBAUD) | B9600 | PARENB | CS5;
	show(outcome(ioctl(pair.slave, TCSETS2, &modes)), "TCSETS2");
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after 9600 baud, five bits, parity");
	modes.c_cflag = (modes.c_cflag & ~CBAUD) | BOTHER;
	modes.c_ospeed = 12345;
	modes.c_ispeed = 54321;
	ioctl(pair.slave, TCSETSW2, &modes);
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after BOTHER");
	modes.c_cflag = (modes.c_cflag & ~CBAUD) | B4000000;
	ioctl(pair.slave, TCSETSF2, &modes);
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after 4000000 baud");
	modes.c_cflag = (modes.c_cflag & ~CBAUD) | B1200 | (B50 << 16);
	ioctl(pair.slave, TCSETS2, &modes);
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after two speeds");
	modes.c_cflag &= ~CBAUD;
	modes.c_lflag = ~0u;
	modes.c_iflag = ~0u;
	modes.c_oflag = ~0u;
	ioctl(pair.slave, TCSETS2, &modes);
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after all bits");
	show(outcome(ioctl(pair.slave, TCGETA, &old)), "TCGETA");
	old.c_iflag = 0x1234;
	old.c_cc[VEOF] = 'e';
	show(outcome(ioctl(pair.slave, TCSETA, &old)), "TCSETA");
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after TCSETA");
	ioctl(pair.slave, TCGETS, &plain);
	plain.c_line = 7;
	show(outcome(ioctl(pair.slave, TCSETS, &plain)), "TCSETS with line discipline 7");
	ioctl(pair.slave, TCGETS2, &modes);
	show_modes(&modes, "modes after line discipline 7");
	close_pair(pair);

	pair = open_pair();
	show(outcome(ioctl(pair.slave, TCGETS, edge + PAGE_BYTES - 35)), "TCGETS over the edge");
	show(outcome(ioctl(pair.slave, TCGETS, edge + PAGE_BYTES - 36)), "TCGETS at the edge");
	show(outcome(ioctl(pair.slave, TCGETS2, edge + PAGE_BYTES - 43)), "TCGETS2 over the edge");
	show(outcome(ioctl(pair.slave, TCSETS, edge + PAGE_BYTES)), "TCSETS of nothing");
	show(outcome(ioctl(pair.slave, TCGETA, NULL)), "TCGETA to nowhere");
	show(outcome(ioctl(pair.slave, TIOCGWINSZ, NULL)), "TIOCGWINSZ to nowhere");
	show(outcome(ioctl(pair.slave, TIOCSWINSZ, NULL)), "TIOCSWINSZ of nothing");
	show(outcome(ioctl(pair.slave, FIONREAD, NULL)), "FIONREAD to nowhere");
	show(outcome(read(pair.slave, edge + PAGE_BYTES, 1)), "read to nowhere, nothing typed");
	type(pair.master, TEXT("abc\n"));
	show(outcome(read(pair.slave, edge + PAGE_BYTES, 3)), "read to nowhere");
	show(outcome(write(pair.slave, edge + PAGE_BYTES, 3)), "write of nothing");
	show(outcome(write(pair.master, edge + PAGE_BYTES, 3)), "write of nothing to the master");
	show(outcome(ioctl(pair.slave, 0x54ff, NULL)), "a request that is none");
	show(outcome(ioctl(pair.master, 0x54ff, NULL)), "a request to the master that is none");
	show(outcome(lseek(pair.slave, 0, SEEK_CUR)), "lseek of the slave");
	show(outcome(lseek(pair.master, 0, SEEK_CUR)), "lseek of the master");
	close_pair(pair);
}

/* Requests that return an int. */
static const struct {
	const char *name;
	unsigned long command;
} questions[] = {
	{ "FIONREAD", FIONREAD },   { "TIOCOUTQ", TIOCOUTQ },	      { "TIOCGETD", TIOCGETD },
	{ "TIOCGEXCL", TIOCGEXCL }, { "TIOCGPTLCK", TIOCGPTLCK },     { "TIOCGPKT", TIOCGPKT },
	{ "TIOCMGET", TIOCMGET },   { "TIOCGSOFTCAR", TIOCGSOFTCAR }, { "TIOCGPGRP", TIOCGPGRP },
	{ "TIOCGSID", TIOCGSID },
};

static void observe_questions(void)
{
	struct pair pair = open_pair();

	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		int answer = -1;
		int result = ioctl(pair.slave, questions[i].command, &answer);

		show(result ? error_name(errno) : outcome_value(answer), "%s of the slave",
		     questions[i].name);
		answer = -1;
		result = ioctl(pair.master, questions[i].command, &answer);
		show(result ? error_name(errno) : outcome_value(answer), "%s of the master",
		     questions[i].name);
	}
	close_pair(pair);
}

static void observe_requests(void)
{
	struct pair pair = open_pair();
	struct winsize size = { 12, 34, 56, 78 };
	int count = -1;
	int number = 3;

	show(outcome(ioctl(pair.slave, TIOCSWINSZ, &size)), "TIOCSWINSZ");
	memset(&size, 0, sizeof(size));
	ioctl(pair.master, TIOCGWINSZ, &size);
	printf("the size that the master shows: %d %d %d %d\n", size.ws_row, size.ws_col,
	       size.ws_xpixel, size.ws_ypixel);
	type(pair.master, TEXT("ab\ncd"));
	ioctl(pair.slave, FIONREAD, &count);
	show(outcome_value(count), "FIONREAD of a line and a half");
	ioctl(pair.master, FIONREAD, &count);
	show(outcome_value(count), "FIONREAD of the echo");
	change(pair.slave, 0, 0, 0, 0, 0, ICANON);
	ioctl(pair.slave, FIONREAD, &count);
	show(outcome_value(count), "FIONREAD without ICANON");
	show(outcome(ioctl(pair.slave, TCFLSH, TCIFLUSH)), "TCIFLUSH");
	ioctl(pair.slave, FIONREAD, &count);
	show(outcome_value(count), "FIONREAD after TCIFLUSH");
	show(outcome(ioctl(pair.slave, TCFLSH, TCOFLUSH)), "TCOFLUSH");
	show(outcome(ioctl(pair.slave, TCFLSH, 3)), "TCFLSH of 3");
	show(outcome(ioctl(pair.slave, TCSBRK, 0)), "TCSBRK");
	show(outcome(ioctl(pair.slave, TCSBRK, 1)), "TCSBRK of 1, to drain");
	show(outcome(ioctl(pair.slave, TCSBRKP, 0)), "TCSBRKP");
	show(outcome(ioctl(pair.slave, TIOCSBRK, 0)), "TIOCSBRK");
	show(outcome(ioctl(pair.slave, TIOCSETD, &number)), "TIOCSETD of 3");
	number = 0;
	show(outcome(ioctl(pair.slave, TIOCSETD, &number)), "TIOCSETD of 0");
	show(outcome(ioctl(pair.slave, TIOCEXCL, 0)), "TIOCEXCL");
	ioctl(pair.slave, TIOCGEXCL, &number);
	show(outcome_value(number), "TIOCGEXCL after it");
	show(outcome(ioctl(pair.slave, TIOCNXCL, 0)), "TIOCNXCL");
	show(outcome(ioctl(pair.slave, TIOCSTI, "q")), "TIOCSTI");
	pause_a_little();
	show(read_quoted(pair.slave, TEXT_BYTES), "what TIOCSTI typed");
	show(outcome(ioctl(pair.slave, TIOCGPTN, &number)), "TIOCGPTN of the slave");
	show(outcome(ioctl(pair.slave, TIOCGPTPEER, O_RDWR)), "TIOCGPTPEER of the slave");
	show(outcome(ioctl(pair.slave, TIOCPKT, &number)), "TIOCPKT of the slave");
	show(outcome(ioctl(pair.master, TIOCSIG, 65)), "TIOCSIG of 65");
	show(outcome(ioctl(pair.master, TIOCSIG, SIGINT)), "TIOCSIG to nobody");
	show(outcome(ioctl(pair.slave, TIOCNOTTY, 0)), "TIOCNOTTY of a terminal that is not mine");
	close_pair(pair);
}

static void observe_flushes(void)
{
	struct pair pair = open_pair();
	struct termios modes;

	type(pair.master, TEXT("abc\n"));
	ioctl(pair.slave, TCGETS, &modes);
	ioctl(pair.slave, TCSETSW, &modes);
	show(read_quoted(pair.slave, TEXT_BYTES), "typed before TCSETSW");
	type(pair.master, TEXT("abc\n"));
	ioctl(pair.slave, TCSETSF, &modes);
	show(read_quoted(pair.slave, TEXT_BYTES), "typed before TCSETSF");
	type(pair.master, TEXT("abc\n"));
	ioctl(pair.slave, TCFLSH, TCIOFLUSH);
	show(read_quoted(pair.slave, TEXT_BYTES), "typed before TCIOFLUSH");
	close_pair(pair);
}

/* ---- packet mode ---- */

static void observe_packets(void)
{
	struct pair pair = open_pair();
	int on = 1, answer = -1;

	show(outcome(ioctl(pair.master, TIOCPKT, &on)), "TIOCPKT");
	ioctl(pair.master, TIOCGPKT, &answer);
	show(outcome_value(answer), "TIOCGPKT");
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, nothing");
	if (write(pair.slave, "abc", 3) != 3)
		show("short", "a write in packet mode");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, data");
	if (write(pair.slave, "abc", 3) != 3)
		show("short", "another write in packet mode");
	pause_a_little();
	show(read_quoted(pair.master, 2), "packet mode, two bytes of a packet");
	show(read_quoted(pair.master, 1), "packet mode, one byte of a packet");
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, the rest");
	type(pair.master, TEXT("\x13"));
	observe_poll_of(pair.master, "a master with a packet");
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, stopped");
	type(pair.master, TEXT("\x11"));
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, started");
	ioctl(pair.slave, TCFLSH, TCIFLUSH);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, input flushed");
	ioctl(pair.slave, TCFLSH, TCOFLUSH);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, output flushed");
	ioctl(pair.slave, TCFLSH, TCIOFLUSH);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, both flushed");
	change(pair.slave, 0, IXON, 0, 0, 0, 0);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, no IXON");
	change(pair.slave, IXON, 0, 0, 0, 0, 0);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, IXON");
	set_control(pair.slave, VSTOP, 'x');
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, another STOP");
	change(pair.slave, 0, 0, 0, 0, EXTPROC, 0);
	show(read_quoted(pair.master, TEXT_BYTES), "packet mode, EXTPROC");
	on = 0;
	ioctl(pair.master, TIOCPKT, &on);
	if (write(pair.slave, "abc", 3) != 3)
		show("short", "a write after packet mode");
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "after packet mode");
	close_pair(pair);
}

/* ---- the ends ---- */

static void observe_locks(void)
{
	int master = open_master();
	int lock = 1, answer = -1;
	char path[32];

	show(read_quoted(master, 8), "the master before there was a slave");
	observe_poll_of(master, "a master before there was a slave");
	ioctl(master, TIOCGPTN, &answer);
	snprintf(path, sizeof(path), "/dev/pts/%d", answer);
	show(outcome(open(path, O_RDWR | O_NOCTTY)), "a slave that is locked");
	show(outcome_value(write(master, "ab\n", 3)), "a write before there was a slave");
	answer = open_slave(master);
	pause_a_little();
	show(read_quoted(answer, 8), "what was written before there was a slave");
	close(answer);
	show(outcome(ioctl(master, TIOCSPTLCK, &lock)), "TIOCSPTLCK");
	show(outcome(open(path, O_RDWR | O_NOCTTY)), "a slave that was locked again");
	lock = 0;
	ioctl(master, TIOCSPTLCK, &lock);
	answer = open(path, O_RDWR | O_NOCTTY);
	show(outcome(answer), "a slave by its name");
	close(answer);
	close(master);
	show(outcome(open(path, O_RDWR | O_NOCTTY)), "a slave whose pair is gone");
}

static void observe_closed_slave(void)
{
	struct pair pair = open_pair();
	struct termios modes;

	change(pair.slave, 0, 0, 0, 0, 0, ECHOE);
	if (write(pair.slave, "last", 4) != 4)
		show("short", "a last write");
	type(pair.master, TEXT("typed\n"));
	close(pair.slave);
	pause_a_little();
	show(read_quoted(pair.master, TEXT_BYTES), "what is left after the slave was closed");
	show(read_quoted(pair.master, TEXT_BYTES), "the master without a slave");
	observe_poll_of(pair.master, "a master without a slave");
	show(outcome_value(write(pair.master, "x\n", 2)), "a write without a slave");
	pair.slave = open_slave(pair.master);
	pause_a_little();
	show(read_quoted(pair.slave, TEXT_BYTES), "the first line of a new slave");
	show(read_quoted(pair.slave, TEXT_BYTES), "the second line of a new slave");
	ioctl(pair.slave, TCGETS, &modes);
	show(modes.c_lflag & ECHOE ? "as new" : "as before", "modes of a new slave of an old pair");
	close_pair(pair);
}

static void observe_closed_master(void)
{
	struct pair pair = open_pair();
	struct winsize size;
	int count;

	type(pair.master, TEXT("abc\n"));
	close(pair.master);
	pause_a_little();
	show(read_quoted(pair.slave, TEXT_BYTES), "the slave without a master");
	show(outcome_value(write(pair.slave, "x", 1)), "a write of the slave without a master");
	observe_poll_of(pair.slave, "a slave without a master");
	show(outcome(ioctl(pair.slave, TIOCGWINSZ, &size)), "TIOCGWINSZ without a master");
	show(outcome(ioctl(pair.slave, FIONREAD, &count)), "FIONREAD without a master");
	show(outcome(ioctl(pair.slave, TIOCSPGRP, &count)), "TIOCSPGRP without a master");
	close(pair.slave);
}

/* A reader or writer that sleeps is woken by the other side's end. */
static void *close_later(void *argument)
{
	usleep(30000);
	close(*(int *)argument);
	return NULL;
}

static void observe_sleepers(void)
{
	struct pair pair = open_pair();
	static char many[65536];
	pthread_t thread;

	fcntl(pair.slave, F_SETFL, O_RDWR);
	pthread_create(&thread, NULL, close_later, &pair.master);
	show(read_quoted(pair.slave, TEXT_BYTES), "a reader whose master is closed");
	pthread_join(thread, NULL);
	close(pair.slave);

	pair = open_pair();
	fcntl(pair.master, F_SETFL, O_RDWR);
	pthread_create(&thread, NULL, close_later, &pair.slave);
	show(read_quoted(pair.master, TEXT_BYTES), "a reader whose slave is closed");
	pthread_join(thread, NULL);
	close(pair.master);

	pair = open_pair();
	fcntl(pair.slave, F_SETFL, O_RDWR);
	pthread_create(&thread, NULL, close_later, &pair.master);
	show(write(pair.slave, many, sizeof(many)) < (ssize_t)sizeof(many) ? "less than all" :
									     "all",
	     "a writer whose master is closed");
	pthread_join(thread, NULL);
	close(pair.slave);

	pair = open_pair();
	for (int i = 0; i < 8 && write(pair.slave, many, sizeof(many)) > 0; i++)
		;
	show(outcome_value(write(pair.slave, many, 1)), "a write to a full pair");
	close_pair(pair);
}

static void observe_locked_modes(void)
{
	int master = open_master(), slave = open_slave(master);
	struct termios modes, locked = { .c_lflag = ECHO };

	SEE(ioctl(slave, TIOCGLCKTRMIOS, &modes));
	SEE(modes.c_lflag);
	SEE(ioctl(slave, TIOCSLCKTRMIOS, &locked));
	ioctl(slave, TCGETS, &modes);
	modes.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	SEE(ioctl(slave, TCSETS, &modes));
	ioctl(slave, TCGETS, &modes);
	SEE((modes.c_lflag & ECHO) != 0);
	SEE((modes.c_lflag & ICANON) != 0);
	SEE(ioctl(slave, TIOCSLCKTRMIOS, (void *)8));
	close(slave);
	close(master);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 65536);
	observe_typing();
	observe_line_ends();
	observe_partial_reads();
	observe_mode_switches();
	observe_long_lines();
	observe_output();
	observe_flow();
	observe_patience();
	observe_poll();
	observe_modes();
	observe_questions();
	observe_requests();
	observe_flushes();
	observe_packets();
	observe_locks();
	observe_locked_modes();
	observe_closed_slave();
	observe_closed_master();
	observe_sleepers();
	return 0;
}
