/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of the line discipline, kernel/tty/line.c and output.c, that need a full device or bytes in no
 * order; observe_tty compares the rest with Linux. The sources are included here.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#include "../../kernel/tty/line.c"
#undef DELETE
#define translate translate_output
#include "../../kernel/tty/output.c"
#undef translate

static struct line line;
static char shown[65536];
static size_t shown_size, device_room;

static size_t put(struct line *from, const char *bytes, size_t size)
{
	size_t taken = size < device_room ? size : device_room;

	(void)from;
	memcpy(shown + shown_size, bytes, taken);
	shown_size += taken;
	device_room -= taken;
	return taken;
}

static size_t room(struct line *from)
{
	(void)from;
	return device_room;
}

static const struct line_device device = { .put = put, .room = room };

static void begin(size_t space)
{
	line_init(&line, &device);
	shown_size = 0;
	device_room = space;
}

static void type(const char *text)
{
	for (; *text; text++)
		line_receive(&line, (uint8_t)*text);
}

static const char *seen(void)
{
	shown[shown_size] = '\0';
	return shown;
}

static const char *take(size_t size)
{
	static char text[LINE_INPUT_SIZE + 1];
	bool ended;
	size_t count = line_read(&line, text, size, &ended);

	text[count] = '\0';
	return text;
}

static void check_full_device(void)
{
	begin(3);
	type("abcdef\n");
	EXPECT_STR(seen(), "abc");
	EXPECT_EQ(line_write(&line, "out", 3), 0);
	device_room = 100;
	line_flush_echo(&line);
	EXPECT_STR(seen(), "abcdef\r\n");
	EXPECT_EQ(line_write(&line, "out\n", 4), 4);
	EXPECT_STR(seen(), "abcdef\r\nout\r\n");
	EXPECT_STR(take(100), "abcdef\n");
}

static void check_room_for_a_tab(void)
{
	begin(9);
	line.modes.c_oflag |= XTABS;
	EXPECT_EQ(line_write(&line, "a\t", 2), 2);
	EXPECT_STR(seen(), "a       ");
	EXPECT_EQ(line_write(&line, "b", 1), 0);
}

static void check_stopped(void)
{
	begin(100);
	EXPECT_EQ(line_receive(&line, 'S' & 0x1f), LINE_STOPPED);
	EXPECT_EQ(line_receive(&line, 'S' & 0x1f), 0);
	type("ab");
	EXPECT_STR(seen(), "");
	EXPECT_EQ(line_receive(&line, 'Q' & 0x1f), LINE_STARTED);
	EXPECT_STR(seen(), "ab");
	EXPECT_EQ(line_hold(&line), 1);
	EXPECT_EQ(line_receive(&line, 'Q' & 0x1f), 0);
	EXPECT_EQ(line_write(&line, "x", 1), 0);
	EXPECT_EQ(line_release(&line), 1);
	EXPECT_EQ(line_write(&line, "x", 1), 1);
}

static void check_signals(void)
{
	begin(100);
	type("abc");
	EXPECT_EQ(line_receive(&line, 'C' & 0x1f), SIGINT | LINE_FLUSHED);
	EXPECT_EQ(line_receive(&line, 'Z' & 0x1f), SIGTSTP | LINE_FLUSHED);
	EXPECT_EQ(line_receive(&line, '\\' & 0x1f), SIGQUIT | LINE_FLUSHED);
	type("d\n");
	EXPECT_STR(take(100), "d\n");
	EXPECT_STR(seen(), "abc^C^Z^\\d\r\n");
}

static void check_limits(void)
{
	begin(0);
	for (int i = 0; i < 3 * LINE_INPUT_SIZE; i++) {
		EXPECT_EQ(line_room(&line) > 0, 1);
		line_receive(&line, 'x');
	}
	line_receive(&line, '\n');
	EXPECT_EQ(line_room(&line), 0);
	EXPECT_EQ(line_readable_count(&line), LINE_INPUT_SIZE);
	EXPECT_EQ(strlen(take(LINE_INPUT_SIZE)), LINE_INPUT_SIZE);
	EXPECT_EQ(line_room(&line), LINE_INPUT_SIZE - 1);
}

/* Any bytes in any modes: the places in the ring keep their order, and the sanitizers are content. */
static void check_noise(void)
{
	static const uint8_t usual[] = {
		0x03, 0x04, 0x08, '\t', '\n', '\r', 0x11, 0x12, 0x13, 0x15,
		0x16, 0x17, 0x1a, 0x7f, ' ',  'a',  'b',  0xc3, 0xa4, 0xff
	};
	struct kernel_termios2 modes;
	bool ended;
	char text[64];

	srand(1);
	begin(SIZE_MAX / 2);
	for (int i = 0; i < 300000; i++) {
		shown_size = 0;
		if (rand() % 50 == 0) {
			modes = line.modes;
			modes.c_lflag ^= 1u << rand() % 17;
			modes.c_iflag ^= 1u << rand() % 15;
			modes.c_oflag ^= 1u << rand() % 13;
			line_set_modes(&line, &modes);
		}
		if (rand() % 20 == 0)
			line_read(&line, text, (size_t)(rand() % 64) + 1, &ended);
		if (line_room(&line))
			line_receive(&line, usual[(unsigned int)rand() % sizeof(usual)]);
		EXPECT_EQ(line.write_at - line.read_at <= LINE_INPUT_SIZE, 1);
		if (edits_lines(&line))
			EXPECT_EQ(line.line_at - line.read_at <= line.write_at - line.read_at, 1);
	}
}

static const struct tap_rule rules[] = {
	{ "echo waits for room, and output waits for echo", check_full_device },
	{ "a tab goes out whole", check_room_for_a_tab },
	{ "VSTOP, VSTART, and output that only TCXONC restarts", check_stopped },
	{ "keys that are signals", check_signals },
	{ "a line that is too long keeps its end", check_limits },
	{ "noise keeps the ring in order", check_noise },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
