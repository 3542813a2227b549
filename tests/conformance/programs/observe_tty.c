// SPDX-License-Identifier: BSD-2-Clause
/*
 * A terminal's line discipline: input and output. Its modes, requests and ends
 * are observe_terminal's, sessions and groups observe_sessions', jobs observe_jobs'.
 */
#include "terminal_pair.h"

#include <pthread.h>

/* ---- typing ---- */

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
	{ "EOF after LNEXT", 0, 0, 0, 0, TEXT("\x16\x04\n") },
	{ "no ECHO", 0, 0, 0, ECHO, TEXT("abc\n") },
	{ "no ECHO but ECHONL", 0, 0, ECHONL, ECHO, TEXT("abc\n") },
	{ "no ECHOCTL", 0, 0, 0, ECHOCTL, TEXT("\x01\n") },
	{ "an INTR without a receiver", 0, 0, 0, 0,
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
	show(read_quoted(pair.slave, size), "VMIN %d VTIME %d, %zu bytes requested, \"%s\" typed",
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

static void observe_poll(void)
{
	struct pair pair = open_pair();

	show_poll(pair.slave, "a new slave");
	show_poll(pair.master, "a new master");
	type(pair.master, TEXT("ab"));
	show_poll(pair.slave, "a slave with half a line");
	show_poll(pair.master, "a master with an echo");
	type(pair.master, TEXT("\n"));
	show_poll(pair.slave, "a slave with a line");
	change(pair.slave, 0, 0, 0, 0, 0, ICANON);
	set_control(pair.slave, VMIN, 5);
	show_poll(pair.slave, "a slave with fewer bytes than VMIN");
	set_control(pair.slave, VTIME, 1);
	show_poll(pair.slave, "a slave with fewer bytes than VMIN and VTIME");
	type(pair.master, TEXT("\x13"));
	show_poll(pair.slave, "a slave that is stopped");
	close_pair(pair);
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
	return 0;
}
