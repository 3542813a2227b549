/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen: a VGA in text mode, as the firmware leaves it.
 *
 * What it shows is kept in memory (ansi.c); after each write the rows that changed are copied to the
 * adapter, which is never read. A graphics mode has no text memory: then there is no screen.
 *
 * Lock: screen_lock (irqsave), innermost.
 *
 * Source: IBM VGA Technical Reference (1992), sections "CRT Controller" and "Graphics Controller".
 */
#include <kernel/screen.h>

#include <stdatomic.h>
#include <stdint.h>

#include <arch/cpu.h>
#include <arch/mmu.h>
#include <arch/port.h>
#include <kernel/log.h>
#include <kernel/spinlock.h>

#include "ansi.h"

#define ROWS		  25
#define COLUMNS		  80
#define TEXT_MEMORY	  0xb8000

#define CRTC_INDEX	  0x3d4
#define CRTC_DATA	  0x3d5
#define GRAPHICS_INDEX	  0x3ce
#define GRAPHICS_DATA	  0x3cf
#define CRTC_CURSOR_START 0x0a
#define CRTC_CURSOR_HIGH  0x0e
#define CRTC_CURSOR_LOW	  0x0f
#define CURSOR_OFF	  0x20 /* in CRTC_CURSOR_START */
#define CURSOR_SHAPE	  0x0d
#define GRAPHICS_MISC	  0x06
#define MISC_GRAPHICS	  0x01

static struct spinlock screen_lock = SPINLOCK_INITIALIZER;
static volatile uint16_t *memory; /* of the adapter; NULL: no screen. Constant after screen_init */
static ansi_cell cells[ROWS * COLUMNS]; /* S */
static struct ansi ansi;		/* S: screen_lock */
static atomic_bool locks_ignored;

static uint8_t read_crtc(uint8_t number)
{
	arch_port_write8(CRTC_INDEX, number);
	return arch_port_read8(CRTC_DATA);
}

static void write_crtc(uint8_t number, uint8_t value)
{
	arch_port_write8(CRTC_INDEX, number);
	arch_port_write8(CRTC_DATA, value);
}

/* A register that keeps what is written tells a VGA from empty ports. */
static bool probe(void)
{
	static const uint8_t patterns[] = { 0x5a, 0xa5 };

	for (size_t i = 0; i < sizeof patterns; i++) {
		write_crtc(CRTC_CURSOR_LOW, patterns[i]);
		if (read_crtc(CRTC_CURSOR_LOW) != patterns[i])
			return false;
	}
	arch_port_write8(GRAPHICS_INDEX, GRAPHICS_MISC);
	return !(arch_port_read8(GRAPHICS_DATA) & MISC_GRAPHICS);
}

static void show_cursor(void)
{
	unsigned int at = ansi.cursor.row * COLUMNS + ansi.cursor.column;

	write_crtc(CRTC_CURSOR_START, ansi.cursor_hidden ? CURSOR_OFF : CURSOR_SHAPE);
	write_crtc(CRTC_CURSOR_HIGH, (uint8_t)(at >> 8));
	write_crtc(CRTC_CURSOR_LOW, (uint8_t)at);
}

/* Copies what changed to the adapter. */
static void show(void)
{
	for (unsigned int row = 0; row < ROWS; row++) {
		if (!(ansi.dirty[row / 64] >> row % 64 & 1))
			continue;
		for (unsigned int i = row * COLUMNS; i < (row + 1) * COLUMNS; i++)
			memory[i] = cells[i];
		ansi.dirty[row / 64] &= ~((uint64_t)1 << row % 64);
	}
	show_cursor();
}

void screen_init(void)
{
	volatile uint16_t *mapped;

	if (!probe())
		return;
	mapped = arch_device_map(TEXT_MEMORY, sizeof(cells));
	if (!mapped)
		return;
	ansi_init(&ansi, cells, ROWS, COLUMNS);
	memory = mapped;
	show();
	log_info("screen: VGA text, %d by %d", COLUMNS, ROWS);
}

bool screen_is_present(void)
{
	return memory;
}

bool screen_write(const char *bytes, size_t size)
{
	if (!memory)
		return true;
	if (atomic_load_explicit(&locks_ignored, memory_order_relaxed)) {
		ansi_put(&ansi, bytes, size);
		show();
		return true;
	}

	unsigned long state = arch_irq_save();
	bool locked = true;

	if (arch_in_nmi())
		locked = spin_try_lock(&screen_lock);
	else
		spin_lock(&screen_lock);
	if (locked) {
		ansi_put(&ansi, bytes, size);
		show();
		spin_unlock(&screen_lock);
	}
	arch_irq_restore(state);
	return locked;
}

size_t screen_take_reply(char *bytes, size_t size)
{
	unsigned long state = spin_lock_irqsave(&screen_lock);
	size_t length = 0;

	for (; length < size && ansi.reply[length]; length++)
		bytes[length] = ansi.reply[length];
	ansi.reply[0] = '\0';
	spin_unlock_irqrestore(&screen_lock, state);
	return length;
}

void screen_ignore_locks(void)
{
	atomic_store(&locks_ignored, true);
}
