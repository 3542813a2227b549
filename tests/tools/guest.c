// SPDX-License-Identifier: BSD-2-Clause
/*
 * A stand-in for the kernel: a 32-bit multiboot guest that ends in the way of its command line (the word
 * "end=X"), so that the tool is tested alone with every possible end of a machine. It keeps the kernel's
 * end of the protocol (docs/boot.md): COM1 is the program's, COM2 the log's, and a value written to the
 * exit device ends the machine.
 *
 * It is no kernel: it runs on the stack and descriptors that the boot loader left.
 */
#include <stdint.h>

enum { COM1 = 0x3f8, COM2 = 0x2f8, EXIT_DEVICE = 0xf4 };
enum { UART_DATA = 0, UART_LINE_STATUS = 5 };
enum { LINE_DATA_READY = 0x01 };
enum { EOT = 0x04, DLE = 0x10 };
enum { ENDED = 0x20, PANICKED = 0x21, NOT_BOOTED = 0x22 };

/* Multiboot Specification 0.6.96: what the boot loader leaves; bit 2 of flags: cmdline is there. */
struct multiboot_info {
	uint32_t flags, mem_lower, mem_upper, boot_device, cmdline;
};

static void out8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
	uint8_t value;

	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void print(uint16_t port, const char *text)
{
	while (*text)
		out8(port + UART_DATA, *text++);
}

static void end(uint8_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"((uint32_t)value), "Nd"((uint16_t)EXIT_DEVICE));
}

/* The character after "end=" in the command line, or 0. */
static char requested_end(const char *line)
{
	for (; *line; line++) {
		if (line[0] == 'e' && line[1] == 'n' && line[2] == 'd' && line[3] == '=')
			return line[4];
	}
	return 0;
}

static uint8_t receive(void)
{
	while (!(in8(COM1 + UART_LINE_STATUS) & LINE_DATA_READY))
		continue;
	return in8(COM1 + UART_DATA);
}

/* Copies COM1's input to its output, up to the end of file that the raw console has (DLE EOT). */
static void copy_input(void)
{
	for (;;) {
		uint8_t byte = receive();

		if (byte == DLE) {
			byte = receive();
			if (byte == EOT)
				return;
		}
		out8(COM1 + UART_DATA, byte);
	}
}

static void reset_by_triple_fault(void)
{
	static const struct {
		uint16_t limit;
		uint32_t base;
	} __attribute__((packed)) no_vectors = { 0, 0 };

	__asm__ volatile("lidt %0; ud2" : : "m"(no_vectors));
}

__attribute__((used)) static void guest_main(const struct multiboot_info *info)
{
	print(COM2, "guest: started\n");
	switch (requested_end((const char *)info->cmdline)) {
	case 'c':
		copy_input();
		print(COM2, "tally: exit status 0\n");
		end(ENDED);
		break;
	case 'e':
		print(COM1, "hello\r\n\001\n");
		print(COM2, "tally: exit status 7\n");
		end(ENDED);
		break;
	case 'k':
		print(COM2, "tally: killed by signal 11\n");
		end(ENDED);
		break;
	case 'n':
		end(ENDED);
		break;
	case 'p':
		print(COM2, "tally: panic: the guest was asked to\n");
		end(PANICKED);
		break;
	case 'b':
		print(COM2, "tally: boot: no memory; give the machine some\n");
		end(NOT_BOOTED);
		break;
	case 'u':
		end(1);
		break;
	case 'r':
		reset_by_triple_fault();
		break;
	default:
		break;
	}
	for (;;)
		__asm__ volatile("hlt");
}

__asm__(".pushsection .multiboot, \"a\"\n"
	".balign 4\n"
	".long 0x1badb002, 0, -0x1badb002\n"
	".section .text\n"
	".globl _start\n"
	"_start: lea stack_end, %esp\n"
	"push %ebx\n"
	"call guest_main\n"
	".section .bss\n"
	".skip 4096\n"
	"stack_end:\n"
	".popsection\n");
