/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Virtio devices on MMIO, as machines without PCI have them (QEMU's microvm): a page of registers and an interrupt for each,
 * which the words virtio_mmio.device=SIZE@ADDRESS:LINE of the command line name, in the form of Linux.
 *
 * The lines are legacy interrupts, whose handler has no argument: one handler asks all devices.
 *
 * Source: VIRTIO 1.2, 4.2; Linux's admin-guide/kernel-parameters.txt for the words.
 */
#include <stddef.h>

#include <arch/irq.h>
#include <arch/mmu.h>
#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/virtio/virtio.h>
#include <uapi/linux/errno.h>

/* More than a word of sense has. */
#define WORD_SIZE	     64

#define MAGIC		     0x74726976 /* "virt" */
#define VERSION		     2

#define REG_MAGIC	     0x000
#define REG_VERSION	     0x004
#define REG_ID		     0x008
#define REG_DEVICE_FEATURE   0x010
#define REG_DEVICE_SELECT    0x014
#define REG_DRIVER_FEATURE   0x020
#define REG_DRIVER_SELECT    0x024
#define REG_QUEUE_SELECT     0x030
#define REG_QUEUE_SIZE_MAX   0x034
#define REG_QUEUE_SIZE	     0x038
#define REG_QUEUE_READY	     0x044
#define REG_NOTIFY	     0x050
#define REG_INTERRUPT_STATUS 0x060
#define REG_INTERRUPT_ACK    0x064
#define REG_STATUS	     0x070
#define REG_GENERATION	     0x0fc
#define REG_CONFIG	     0x100

#define INTERRUPT_USED	     1u
#define INTERRUPT_CONFIG     2u

#define DEVICES_MAX	     32
#define LINES		     16
#define NAME_SIZE	     24

/* Registers of a queue's parts, two words each. */
static const uint16_t part_registers[3] = { 0x080, 0x090, 0x0a0 };

struct mmio {
	struct virtio_device device;
	volatile uint8_t *registers;
	char name[NAME_SIZE];
};

/*
 * Locks:
 *   S  none: the start alone writes it, on the boot CPU (START_DEVICES). An interrupt, which reads it, comes there as well, and
 *      finds a device before its own ones come.
 */
static struct mmio *devices[DEVICES_MAX]; /* S */
static unsigned int device_count;	  /* S */
static bool line_taken[LINES];		  /* S */

static volatile uint32_t *reg(struct virtio_device *device, unsigned int offset)
{
	const struct mmio *mmio = (struct mmio *)((char *)device - offsetof(struct mmio, device));

	return (volatile uint32_t *)(mmio->registers + offset);
}

/* --- the transport --- */

static uint8_t get_status(struct virtio_device *device)
{
	return (uint8_t)*reg(device, REG_STATUS);
}

static void set_status(struct virtio_device *device, uint8_t status)
{
	*reg(device, REG_STATUS) = status;
}

static uint64_t get_features(struct virtio_device *device)
{
	uint64_t features = 0;

	for (uint32_t i = 0; i < 2; i++) {
		*reg(device, REG_DEVICE_SELECT) = i;
		features |= (uint64_t)*reg(device, REG_DEVICE_FEATURE) << 32 * i;
	}
	return features;
}

static void set_features(struct virtio_device *device, uint64_t features)
{
	for (uint32_t i = 0; i < 2; i++) {
		*reg(device, REG_DRIVER_SELECT) = i;
		*reg(device, REG_DRIVER_FEATURE) = (uint32_t)(features >> 32 * i);
	}
}

static uint32_t get_generation(struct virtio_device *device)
{
	return *reg(device, REG_GENERATION);
}

static uint32_t read_config(struct virtio_device *device, uint32_t offset, unsigned int width)
{
	volatile uint8_t *at = (volatile uint8_t *)reg(device, REG_CONFIG) + offset;

	return width == 1 ? *at : width == 2 ? *(volatile uint16_t *)at : *(volatile uint32_t *)at;
}

static uint16_t get_queue_size(struct virtio_device *device, unsigned int index)
{
	uint32_t size;

	*reg(device, REG_QUEUE_SELECT) = index;
	/* A queue that is ready was not made by this driver. */
	if (*reg(device, REG_QUEUE_READY))
		return 0;
	size = *reg(device, REG_QUEUE_SIZE_MAX);
	return size > VIRTIO_QUEUE_MAX ? VIRTIO_QUEUE_MAX : (uint16_t)size;
}

static int enable_queue(struct virtio_device *device, unsigned int index, unsigned int size,
			const paddr_t parts[3], volatile void **notify)
{
	*reg(device, REG_QUEUE_SELECT) = index;
	*reg(device, REG_QUEUE_SIZE) = size;
	for (unsigned int i = 0; i < 3; i++) {
		*reg(device, part_registers[i]) = (uint32_t)parts[i];
		*reg(device, part_registers[i] + 4u) = (uint32_t)(parts[i] >> 32);
	}
	*reg(device, REG_QUEUE_READY) = 1;
	*notify = reg(device, REG_NOTIFY);
	return 0;
}

/* The reset has ended what the device does with memory, and nothing more can be taken from it. */
static void disconnect(struct virtio_device *device)
{
}

static const struct virtio_transport transport = {
	.get_status = get_status,
	.set_status = set_status,
	.get_features = get_features,
	.set_features = set_features,
	.get_generation = get_generation,
	.read_config = read_config,
	.get_queue_size = get_queue_size,
	.enable_queue = enable_queue,
	.disconnect = disconnect,
};

/* Interrupts off. */
static void take_interrupt(void)
{
	for (unsigned int i = 0; i < device_count; i++) {
		struct virtio_device *device = &devices[i]->device;
		uint32_t status = *reg(device, REG_INTERRUPT_STATUS);

		if (!(status & (INTERRUPT_USED | INTERRUPT_CONFIG)))
			continue;
		/* Acknowledge before reading the queues: later requests interrupt again. */
		*reg(device, REG_INTERRUPT_ACK) = status & (INTERRUPT_USED | INTERRUPT_CONFIG);
		virtio_device_interrupt(device, -1);
	}
}

/* --- finding the devices --- */

/* Reads a number, of base 16 after 0x, that ends at END, which is passed. False: there is none, or it is too large. */
static bool parse_number(const char **text, char end, uint64_t *number)
{
	const char *at = *text, *first;
	unsigned int base = 10;

	*number = 0;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		base = 16;
		at += 2;
	}
	for (first = at;; at++) {
		unsigned int digit = *at >= '0' && *at <= '9' ? (unsigned int)(*at - '0') :
				     *at >= 'a' && *at <= 'f' ? (unsigned int)(*at - 'a' + 10) :
				     *at >= 'A' && *at <= 'F' ? (unsigned int)(*at - 'A' + 10) :
								base;

		if (digit >= base)
			break;
		if (*number > (UINT64_MAX - digit) / base)
			return false;
		*number = *number * base + digit;
	}
	*text = at + 1;
	return at > first && *at == end;
}

/* Reads SIZE; a K or M multiplies it. */
static bool parse_size(const char **text, uint64_t *size)
{
	const char *at = *text;
	unsigned int shift;

	while (*at && *at != '@')
		at++;
	shift = at > *text && (at[-1] == 'K' || at[-1] == 'k') ? 10 :
		at > *text && (at[-1] == 'M' || at[-1] == 'm') ? 20 :
								 0;
	if (!parse_number(text, shift ? at[-1] : '@', size) || *size > UINT32_MAX)
		return false;
	/* Nothing follows the unit. */
	if (shift && *text != at)
		return false;
	*size <<= shift;
	*text = at + 1;
	return true;
}

static bool is_in_ram(uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < boot_info.ram_count; i++)
		if (start < boot_info.ram[i].end && boot_info.ram[i].start < start + size)
			return true;
	return false;
}

/* Returns why the device at ADDRESS, which has interrupt LINE, cannot be used; NULL: it can, or there is none. */
static const char *add(uint64_t address, uint64_t size, uint64_t line)
{
	struct mmio *mmio = device_count < DEVICES_MAX ? kzalloc(sizeof(*mmio)) : NULL;

	if (!mmio)
		return "there are too many";
	mmio->registers = arch_device_map(address, size);
	mmio->device = (struct virtio_device){ .name = mmio->name,
					       .transport = &transport,
					       .config_size = (uint32_t)(size - REG_CONFIG) };
	format_string(mmio->name, sizeof(mmio->name), "mmio-%llx", (unsigned long long)address);
	if (!mmio->registers || *reg(&mmio->device, REG_MAGIC) != MAGIC) {
		kfree(mmio);
		return "there is no such device";
	}
	mmio->device.id = *reg(&mmio->device, REG_ID);
	/* 0: the place of a device is empty. */
	if (!mmio->device.id || *reg(&mmio->device, REG_VERSION) != VERSION) {
		const char *reason = mmio->device.id ? "it has the old interface" : NULL;

		kfree(mmio);
		return reason;
	}
	if (!line_taken[line] && arch_irq_register((unsigned int)line, take_interrupt)) {
		kfree(mmio);
		return "its interrupt cannot be delivered";
	}
	line_taken[line] = true;
	devices[device_count++] = mmio;
	if (virtio_device_add(&mmio->device))
		log_info("virtio: %s: no driver, or it does not answer", mmio->name);
	return NULL;
}

/* Adds the device that a word's value, TEXT, names. */
static void add_word(const char *text)
{
	const char *at = text, *reason = "it is not of the form SIZE@ADDRESS:LINE";
	uint64_t size, address, line;

	if (parse_size(&at, &size) && parse_number(&at, ':', &address) &&
	    parse_number(&at, '\0', &line)) {
		if (line >= LINES)
			reason = "there are no such interrupts";
		else if (address % sizeof(uint32_t) || size <= REG_CONFIG ||
			 address + size < address || is_in_ram(address, size))
			reason = "no registers can be there";
		else
			reason = add(address, size, line);
	}
	if (reason)
		log_warning("virtio: virtio_mmio.device=%s: left alone: %s", text, reason);
}

static void find(void)
{
	char text[WORD_SIZE];

	for (unsigned int i = 0; boot_option_at("virtio_mmio.device", i, text, sizeof(text)); i++)
		add_word(text);
}

START(START_DEVICES, find);
