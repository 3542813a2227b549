/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The serial lines: National Semiconductor's 16550 UART and compatible devices.
 *
 * Output is polled, a FIFO's worth at a time: it must work from the first instruction to the last word
 * of a panic. Input of COM1 comes by interrupt and goes to the console. Line editing and files are not
 * here but in kernel/tty/.
 *
 * Lock: line->lock (irqsave) is held while a piece of output is sent, so that lines of the log and
 * output of programs do not mix. It is innermost: no other lock is taken under it.
 *
 * Source: PC16550D data sheet (National Semiconductor, June 1995), section 8 "Registers".
 */
#include <kernel/drivers/serial.h>

#include <stdatomic.h>
#include <stdint.h>

#include <arch/irq.h>
#include <arch/port.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/drivers/console_device.h>
#include <kernel/drivers/input.h>

/* Registers: offsets from the line's base port. */
enum uart_register {
	UART_DATA = 0,	       /* receive and transmit; divisor, low byte, while LCR_DIVISOR */
	UART_INTERRUPTS = 1,   /* interrupt enable; divisor, high byte, while LCR_DIVISOR */
	UART_FIFO_CONTROL = 2, /* write; read: interrupt identification */
	UART_LINE_CONTROL = 3,
	UART_MODEM_CONTROL = 4,
	UART_LINE_STATUS = 5,
	UART_SCRATCH = 7
};

#define INTERRUPT_RECEIVED    0x01
#define FIFO_ENABLE_AND_CLEAR 0x07
#define LINE_8N1	      0x03
#define LINE_DIVISOR	      0x80
#define MODEM_DTR_RTS	      0x03
#define MODEM_OUT2	      0x08 /* on a PC: lets the interrupt through */
#define STATUS_RECEIVED	      0x01
#define STATUS_TRANSMIT_EMPTY 0x20
#define STATUS_ABSENT	      0xff

#define DIVISOR_115200	      1
#define FIFO_SIZE	      16
#define COM1_IRQ	      4

struct line {
	uint16_t port;
	bool present;
	struct spinlock lock;
};

static struct line lines[SERIAL_LINES] = {
	[SERIAL_COM1] = { .port = 0x3f8 },
	[SERIAL_COM2] = { .port = 0x2f8 },
};

static atomic_bool locks_ignored;

/* A register that keeps a written value distinguishes a UART from an empty port. */
static bool probe(const struct line *line)
{
	static const uint8_t patterns[] = { 0x5a, 0xa5 };

	for (size_t i = 0; i < sizeof patterns; i++) {
		arch_port_write8(line->port + UART_SCRATCH, patterns[i]);
		if (arch_port_read8(line->port + UART_SCRATCH) != patterns[i])
			return false;
	}
	return arch_port_read8(line->port + UART_LINE_STATUS) != STATUS_ABSENT;
}

static void set_up(const struct line *line)
{
	arch_port_write8(line->port + UART_INTERRUPTS, 0);
	arch_port_write8(line->port + UART_LINE_CONTROL, LINE_8N1 | LINE_DIVISOR);
	arch_port_write8(line->port + UART_DATA, DIVISOR_115200);
	arch_port_write8(line->port + UART_INTERRUPTS, 0);
	arch_port_write8(line->port + UART_LINE_CONTROL, LINE_8N1);
	arch_port_write8(line->port + UART_FIFO_CONTROL, FIFO_ENABLE_AND_CLEAR);
	arch_port_write8(line->port + UART_MODEM_CONTROL, MODEM_DTR_RTS);
}

bool serial_is_present(enum serial_line number)
{
	return lines[number].present;
}

static void send(const struct line *line, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (i % FIFO_SIZE == 0)
			while (!(arch_port_read8(line->port + UART_LINE_STATUS) &
				 STATUS_TRANSMIT_EMPTY))
				arch_cpu_relax();
		arch_port_write8(line->port + UART_DATA, (uint8_t)bytes[i]);
	}
}

bool serial_write(enum serial_line number, const char *bytes, size_t size)
{
	struct line *line = &lines[number];

	if (!line->present)
		return true;
	if (atomic_load_explicit(&locks_ignored, memory_order_relaxed)) {
		send(line, bytes, size);
		return true;
	}

	unsigned long state = arch_irq_save();
	bool locked = true;

	if (arch_in_nmi())
		locked = spin_try_lock(&line->lock);
	else
		spin_lock(&line->lock);
	if (locked) {
		send(line, bytes, size);
		spin_unlock(&line->lock);
	}
	arch_irq_restore(state);
	return locked;
}

void serial_ignore_locks(void)
{
	atomic_store(&locks_ignored, true);
}

/* --- the start --- */

static bool write_com1(const char *text, size_t length)
{
	return serial_write(SERIAL_COM1, text, length);
}

static bool write_com2(const char *text, size_t length)
{
	return serial_write(SERIAL_COM2, text, length);
}

static struct log_sink sinks[SERIAL_LINES] = {
	[SERIAL_COM1] = { .name = "com1", .write = write_com1, .ignore_locks = serial_ignore_locks },
	[SERIAL_COM2] = { .name = "com2", .write = write_com2, .ignore_locks = serial_ignore_locks },
};

void serial_init(void)
{
	for (size_t i = 0; i < SERIAL_LINES; i++) {
		lines[i].present = probe(&lines[i]);
		if (lines[i].present)
			set_up(&lines[i]);
		log_sink_add(&sinks[i]);
	}
}

/* Writes in pieces of a FIFO: on a real line, one long write would keep interrupts off until its end. */
void console_device_write(const char *bytes, size_t size)
{
	while (size > 0) {
		size_t piece = size < FIFO_SIZE ? size : FIFO_SIZE;

		serial_write(SERIAL_COM1, bytes, piece);
		bytes += piece;
		size -= piece;
	}
}

/* Keeps received bytes in order when a reader and the interrupt fetch them at once. console.c's
 * input_lock is taken inside. */
static struct spinlock receive_lock = SPINLOCK_INITIALIZER;

/* Interrupts off. */
static void receive(void)
{
	const struct line *line = &lines[SERIAL_COM1];

	spin_lock(&receive_lock);
	while (input_has_room() &&
	       (arch_port_read8(line->port + UART_LINE_STATUS) & STATUS_RECEIVED))
		input_receive(arch_port_read8(line->port + UART_DATA));
	spin_unlock(&receive_lock);
}

void console_device_receive(void)
{
	if (!lines[SERIAL_COM1].present)
		return;

	unsigned long state = arch_irq_save();

	receive();
	arch_irq_restore(state);
}

void serial_receive_start(void)
{
	const struct line *line = &lines[SERIAL_COM1];

	if (!line->present)
		return;

	int error = arch_irq_register(COM1_IRQ, receive);

	if (error) {
		log_warning("serial: no interrupt for COM1 (error %d): no input", -error);
		return;
	}
	arch_port_write8(line->port + UART_MODEM_CONTROL, MODEM_DTR_RTS | MODEM_OUT2);
	arch_port_write8(line->port + UART_INTERRUPTS, INTERRUPT_RECEIVED);
	/* Bytes that came before the interrupt was enabled raise none. */
	unsigned long state = arch_irq_save();

	receive();
	arch_irq_restore(state);
}
