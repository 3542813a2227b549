/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The keyboard: an i8042 controller that translates to scan code set 1, US layout, as the bytes
 * that a terminal sends.
 *
 * All state belongs to the interrupt handler, which runs on the boot CPU alone.
 *
 * Sources: Intel 8042 data sheet and IBM PS/2 Hardware Interface Technical Reference (1990),
 * "Keyboard and Auxiliary Device Controller" and "Keyboard"; sequences: console_codes(4), "Linux
 * console".
 */
#include <kernel/drivers/screen.h>

#include <stddef.h>
#include <stdint.h>

#include <arch/cpu.h>
#include <arch/irq.h>
#include <arch/port.h>
#include <kernel/base/log.h>
#include <kernel/drivers/input.h>

#define PORT_DATA	  0x60
#define PORT_STATUS	  0x64 /* read */
#define PORT_COMMAND	  0x64 /* written */
#define STATUS_FULL	  0x01 /* a byte can be read */
#define STATUS_BUSY	  0x02 /* the last written byte was not taken yet */
#define STATUS_MOUSE	  0x20 /* the byte to read is from the other device */
#define STATUS_ABSENT	  0xff
#define COMMAND_READ	  0x20 /* the configuration byte */
#define COMMAND_WRITE	  0x60
#define CONFIG_INTERRUPT  0x01
#define CONFIG_CLOCK_OFF  0x10
#define CONFIG_TRANSLATES 0x40
#define KEYBOARD_IRQ	  1
/* Reads of the status before the controller counts as dead. */
#define TRIES		  100000

#define CODE_RELEASED	  0x80 /* bit: the key was released */
#define CODE_EXTENDED	  0xe0 /* the next code is from another table */
#define CODE_CONTROL	  0x1d
#define CODE_SHIFT_LEFT	  0x2a
#define CODE_SHIFT_RIGHT  0x36
#define CODE_ALT	  0x38
#define CODE_CAPS_LOCK	  0x3a
#define ESCAPE		  0x1b
#define DELETE		  0x7f

/* A key's characters, without and with shift; 0: none. By scan code. */
static const struct {
	char plain, shifted;
} keys[] = {
	[0x01] = { ESCAPE, ESCAPE }, [0x02] = { '1', '!' },	  [0x03] = { '2', '@' },
	[0x04] = { '3', '#' },	     [0x05] = { '4', '$' },	  [0x06] = { '5', '%' },
	[0x07] = { '6', '^' },	     [0x08] = { '7', '&' },	  [0x09] = { '8', '*' },
	[0x0a] = { '9', '(' },	     [0x0b] = { '0', ')' },	  [0x0c] = { '-', '_' },
	[0x0d] = { '=', '+' },	     [0x0e] = { DELETE, DELETE }, [0x0f] = { '\t', '\t' },
	[0x10] = { 'q', 'Q' },	     [0x11] = { 'w', 'W' },	  [0x12] = { 'e', 'E' },
	[0x13] = { 'r', 'R' },	     [0x14] = { 't', 'T' },	  [0x15] = { 'y', 'Y' },
	[0x16] = { 'u', 'U' },	     [0x17] = { 'i', 'I' },	  [0x18] = { 'o', 'O' },
	[0x19] = { 'p', 'P' },	     [0x1a] = { '[', '{' },	  [0x1b] = { ']', '}' },
	[0x1c] = { '\r', '\r' },     [0x1e] = { 'a', 'A' },	  [0x1f] = { 's', 'S' },
	[0x20] = { 'd', 'D' },	     [0x21] = { 'f', 'F' },	  [0x22] = { 'g', 'G' },
	[0x23] = { 'h', 'H' },	     [0x24] = { 'j', 'J' },	  [0x25] = { 'k', 'K' },
	[0x26] = { 'l', 'L' },	     [0x27] = { ';', ':' },	  [0x28] = { '\'', '"' },
	[0x29] = { '`', '~' },	     [0x2b] = { '\\', '|' },	  [0x2c] = { 'z', 'Z' },
	[0x2d] = { 'x', 'X' },	     [0x2e] = { 'c', 'C' },	  [0x2f] = { 'v', 'V' },
	[0x30] = { 'b', 'B' },	     [0x31] = { 'n', 'N' },	  [0x32] = { 'm', 'M' },
	[0x33] = { ',', '<' },	     [0x34] = { '.', '>' },	  [0x35] = { '/', '?' },
	[0x37] = { '*', '*' },	     [0x39] = { ' ', ' ' },	  [0x4a] = { '-', '-' },
	[0x4e] = { '+', '+' },	     [0x56] = { '<', '>' },
};

/* Keys that send more than one byte. */
static const struct {
	uint8_t code;
	bool extended;
	const char *text;
} sequences[] = {
	{ 0x48, true, "\033[A" },    { 0x50, true, "\033[B" },	  { 0x4d, true, "\033[C" },
	{ 0x4b, true, "\033[D" },    { 0x47, true, "\033[1~" },	  { 0x52, true, "\033[2~" },
	{ 0x53, true, "\033[3~" },   { 0x4f, true, "\033[4~" },	  { 0x49, true, "\033[5~" },
	{ 0x51, true, "\033[6~" },   { 0x1c, true, "\r" },	  { 0x35, true, "/" },
	{ 0x3b, false, "\033[[A" },  { 0x3c, false, "\033[[B" },  { 0x3d, false, "\033[[C" },
	{ 0x3e, false, "\033[[D" },  { 0x3f, false, "\033[[E" },  { 0x40, false, "\033[17~" },
	{ 0x41, false, "\033[18~" }, { 0x42, false, "\033[19~" }, { 0x43, false, "\033[20~" },
	{ 0x44, false, "\033[21~" }, { 0x57, false, "\033[23~" }, { 0x58, false, "\033[24~" },
};

static bool shift_left, shift_right, control, alt, caps_lock, extended;

static void say(const char *text)
{
	for (; *text && input_has_room(); text++)
		input_receive((uint8_t)*text);
}

/* Returns CHARACTER with the control key: as in ASCII, and control-space is NUL. */
static uint8_t with_control(uint8_t character)
{
	if (character == ' ')
		return 0;
	return character >= '@' && character < DELETE ? character & 0x1f : character;
}

static void press(uint8_t code)
{
	bool shift = shift_left || shift_right;

	if (code >= sizeof(keys) / sizeof(keys[0]) || !keys[code].plain)
		return;
	uint8_t plain = (uint8_t)keys[code].plain;
	bool letter = plain >= 'a' && plain <= 'z';
	uint8_t character = shift != (letter && caps_lock) ? (uint8_t)keys[code].shifted : plain;

	if (control)
		character = with_control(character);
	if (alt)
		say("\033");
	if (input_has_room())
		input_receive(character);
}

static void press_any(uint8_t code)
{
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
		if (sequences[i].code == code && sequences[i].extended == extended) {
			say(sequences[i].text);
			return;
		}
	}
	if (!extended)
		press(code);
}

/* Serves the keys that modify others. False: CODE is none of them. */
static bool change_state(uint8_t code, bool down)
{
	switch (code) {
	case CODE_CONTROL:
		control = down;
		return true;
	case CODE_ALT:
		alt = down;
		return true;
	case CODE_SHIFT_LEFT:
		/* Extended, this code accompanies some keys and has no meaning. */
		shift_left = extended ? shift_left : down;
		return true;
	case CODE_SHIFT_RIGHT:
		shift_right = extended ? shift_right : down;
		return true;
	case CODE_CAPS_LOCK:
		caps_lock ^= down;
		return true;
	default:
		return false;
	}
}

static void take(uint8_t byte)
{
	uint8_t code = byte & (uint8_t)~CODE_RELEASED;
	bool down = !(byte & CODE_RELEASED);

	if (byte == CODE_EXTENDED) {
		extended = true;
		return;
	}
	if (!change_state(code, down) && down)
		press_any(code);
	extended = false;
}

static void receive(void)
{
	uint8_t status;

	while ((status = arch_port_read8(PORT_STATUS)) & STATUS_FULL) {
		uint8_t byte = arch_port_read8(PORT_DATA);

		if (!(status & STATUS_MOUSE))
			take(byte);
	}
}

/* Waits until BIT of the status is VALUE. */
static bool wait_for(uint8_t bit, uint8_t value)
{
	for (unsigned int i = 0; i < TRIES; i++)
		if ((arch_port_read8(PORT_STATUS) & bit) == value)
			return true;
	return false;
}

static bool set_up(void)
{
	uint8_t config;

	if (arch_port_read8(PORT_STATUS) == STATUS_ABSENT)
		return false;
	for (unsigned int i = 0; i < TRIES && arch_port_read8(PORT_STATUS) & STATUS_FULL; i++)
		arch_port_read8(PORT_DATA);
	if (!wait_for(STATUS_BUSY, 0))
		return false;
	arch_port_write8(PORT_COMMAND, COMMAND_READ);
	if (!wait_for(STATUS_FULL, STATUS_FULL))
		return false;
	config = arch_port_read8(PORT_DATA);
	config |= CONFIG_INTERRUPT | CONFIG_TRANSLATES;
	config &= (uint8_t)~CONFIG_CLOCK_OFF;
	arch_port_write8(PORT_COMMAND, COMMAND_WRITE);
	if (!wait_for(STATUS_BUSY, 0))
		return false;
	arch_port_write8(PORT_DATA, config);
	return wait_for(STATUS_BUSY, 0);
}

void keyboard_start(void)
{
	/* Register the handler after set_up: it would take the controller's replies. */
	if (!set_up() || arch_irq_register(KEYBOARD_IRQ, receive) < 0) {
		log_warning("keyboard: no controller replies");
		return;
	}
	/* A byte from before the registration raised no interrupt, and blocks all later ones until it
	 * is read. */
	unsigned long state = arch_irq_save();

	receive();
	arch_irq_restore(state);
}
