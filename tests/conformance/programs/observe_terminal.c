// SPDX-License-Identifier: BSD-2-Clause
/*
 * A terminal as a device: its modes, ioctl, packets, locks, and each side of a pair
 * at the end of the other. The line discipline is in observe_tty.c.
 */
#include "terminal_pair.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

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
	show(outcome(ioctl(pair.master, TIOCSIG, SIGINT)), "TIOCSIG without a receiver");
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
	show_poll(pair.master, "a master with a packet");
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
	show_poll(master, "a master before there was a slave");
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
	show_poll(pair.master, "a master without a slave");
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
	show_poll(pair.slave, "a slave without a master");
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
