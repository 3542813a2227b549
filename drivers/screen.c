/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen: a text terminal (ansi.c) whose cells an adapter shows. The boot loader leaves the
 * adapter: pixels in memory (framebuffer.c) or a VGA in text mode (vga_text.c).
 *
 * Memory holds the contents of the screen; after each write the adapter gets the changed rows.
 *
 * Lock: screen_lock (irqsave), innermost.
 */
#include <kernel/drivers/screen.h>

#include <stdatomic.h>
#include <stdint.h>

#include <arch/cpu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>

#include "adapter.h"
#include "ansi.h"

static struct spinlock screen_lock = SPINLOCK_INITIALIZER;
static const struct screen_adapter *adapter;	  /* NULL: no screen. Constant after screen_init */
static ansi_cell cells[ANSI_ROWS * ANSI_COLUMNS]; /* S */
static struct ansi ansi;			  /* S: screen_lock */
static atomic_bool locks_ignored;

/* Passes changed rows to the adapter. */
static void show(void)
{
	for (unsigned int row = 0; row < ansi.rows; row++) {
		if (!(ansi.dirty[row / 64] >> row % 64 & 1))
			continue;
		adapter->draw_row(row, cells + (size_t)row * ansi.columns);
		ansi.dirty[row / 64] &= ~((uint64_t)1 << row % 64);
	}
	adapter->show_cursor(ansi.cursor.row, ansi.cursor.column, !ansi.cursor_hidden);
}

/* A VGA in one of its own modes is found by probing. If the loader reports another mode, probing for
 * text could find memory that is not displayed. */
static const struct screen_adapter *find_adapter(void)
{
	switch (boot_info.screen) {
	case BOOT_SCREEN_PIXELS:
		return framebuffer_find();
	case BOOT_SCREEN_UNUSABLE:
		return NULL;
	default:
		return vga_text_find();
	}
}

bool screen_write(const char *bytes, size_t size)
{
	if (!adapter)
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

static bool write_log(const char *text, size_t length)
{
	return screen_write(text, length);
}

void screen_init(void)
{
	static struct log_sink sink = { .write = write_log, .ignore_locks = screen_ignore_locks };
	const struct screen_adapter *found = find_adapter();

	if (!found)
		return;
	ansi_init(&ansi, cells, found->rows, found->columns);
	adapter = found;
	show();
	log_sink_add(&sink);
	log_info("screen: %s, %u by %u", found->name, found->columns, found->rows);
}

bool screen_is_present(void)
{
	return adapter;
}

void screen_get_size(unsigned int *rows, unsigned int *columns)
{
	*rows = adapter->rows;
	*columns = adapter->columns;
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
