/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulated PCI bus whose functions may hold any bytes: what a real machine's do not hold, a broken or hostile one's do.
 *
 * The bus has configuration mechanism #1 and, where a test wants it, memory-mapped configuration space. A function is its
 * configuration space and a mask of the bits that keep what is written.
 */
#ifndef TESTS_UNIT_PCI_BUS_H
#define TESTS_UNIT_PCI_BUS_H

#include <arch/mmu.h>
#include <arch/pci.h>
#include <arch/port.h>
#include <kernel/base/boot.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/pci/pci.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/errno.h>

#include <stdlib.h>

#include "family.h"
#include "pseudo_files.h"

#define ECAM	      0xb0000000ull
#define DEVICE_MEMORY 0xfe000000ull
#define MEMORY_SIZE   0x10000u
#define FUNCTIONS_MAX 64

#define CLASS_HOST    0x060000u
#define CLASS_BRIDGE  0x060400u
#define CLASS_OTHER   0x088000u

/* --- the bus --- */

struct function {
	unsigned int place; /* bus << 8 | slot << 3 | function */
	uint8_t config[PCI_CONFIG_EXTENDED_SIZE];
	uint8_t writable[PCI_CONFIG_EXTENDED_SIZE];
	bool forgetful;	   /* a BAR keeps no value but ones */
	uint32_t commands; /* bit n: the command's lowest two bits were n when a BAR was written */
};

static struct function functions[FUNCTIONS_MAX];
static unsigned int function_count;
static uint32_t port_address;
static bool has_ecam;
static _Alignas(4096) uint8_t device_memory[MEMORY_SIZE];

struct boot_info boot_info;

static inline uint32_t get32(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

static inline void put32(uint8_t *bytes, uint32_t value)
{
	memcpy(bytes, &value, sizeof(value));
}

static inline struct function *function_at(unsigned int place)
{
	for (unsigned int i = 0; i < function_count; i++)
		if (functions[i].place == place)
			return &functions[i];
	return NULL;
}

static inline void read_data(uint16_t port, void *value, unsigned int size)
{
	const struct function *function = function_at(port_address >> 8 & 0xffff);
	unsigned int offset = (port_address & 0xfc) + (port & 3u);

	memset(value, 0xff, size);
	if (port >= 0xcfc && port_address >> 31 && function)
		memcpy(value, function->config + offset, size);
}

/* The reset of the PCI Express capability at 0x80: what can be written becomes 0. */
static inline void reset(struct function *function)
{
	for (unsigned int i = 0; i < PCI_CONFIG_SIZE; i++)
		function->config[i] &= (uint8_t)~function->writable[i];
	memset(device_memory, 0, sizeof(device_memory));
	put32(device_memory + 0x200c, 1);
}

static inline void write_data(uint16_t port, const void *value, unsigned int size)
{
	struct function *function = function_at(port_address >> 8 & 0xffff);
	unsigned int offset = (port_address & 0xfc) + (port & 3u);
	bool is_bar = offset >= 0x10 && offset < 0x28 && size == 4;

	if (port < 0xcfc || !(port_address >> 31) || !function)
		return;
	for (unsigned int i = 0; i < size; i++) {
		uint8_t mask = function->writable[offset + i];

		function->config[offset + i] &= (uint8_t)~mask;
		if (!function->forgetful || !is_bar || get32(value) == ~0u)
			function->config[offset + i] |= ((const uint8_t *)value)[i] & mask;
	}
	if (is_bar)
		function->commands |= 1u << (function->config[PCI_COMMAND] & 3);
	if (offset == 0x88 && function->config[0x80] == PCI_CAPABILITY_EXPRESS &&
	    ((const uint8_t *)value)[1] & 0x80)
		reset(function);
}

#define PORT(bits)                                                      \
	uint##bits##_t arch_port_read##bits(uint16_t port)              \
	{                                                               \
		uint##bits##_t value;                                   \
                                                                        \
		if (port == 0xcf8)                                      \
			return (uint##bits##_t)port_address;            \
		read_data(port, &value, sizeof(value));                 \
		return value;                                           \
	}                                                               \
	void arch_port_write##bits(uint16_t port, uint##bits##_t value) \
	{                                                               \
		if (port == 0xcf8)                                      \
			port_address = value;                           \
		else                                                    \
			write_data(port, &value, sizeof(value));        \
	}

PORT(8)
PORT(16)
PORT(32)

paddr_t arch_pci_ecam(uint8_t bus)
{
	return has_ecam ? ECAM + ((paddr_t)bus << 20) : 0;
}

void *arch_device_map(paddr_t paddr, size_t size)
{
	if (paddr >= DEVICE_MEMORY && paddr < DEVICE_MEMORY + MEMORY_SIZE &&
	    size <= DEVICE_MEMORY + MEMORY_SIZE - paddr)
		return device_memory + (paddr - DEVICE_MEMORY);
	if (has_ecam && paddr >= ECAM && paddr < ECAM + (256ull << 20)) {
		struct function *function = function_at((unsigned int)((paddr - ECAM) >> 12));

		return function ? function->config : NULL;
	}
	return NULL;
}

int wait_sleep_killable(uint64_t deadline_ns)
{
	return wait_sleep(deadline_ns);
}

/* --- interrupts --- */

static struct arch_msi msis[4];
static unsigned int msi_room; /* how many may be in use */

int arch_msi_alloc(const struct arch_msi *msi)
{
	for (unsigned int i = 0; i < msi_room; i++)
		if (!msis[i].handler) {
			msis[i] = *msi;
			return (int)(24 + i);
		}
	return -ENOSPC;
}

int arch_msi_message(unsigned int number, unsigned int cpu, struct arch_msi_message *message)
{
	if (cpu >= 2)
		return -EINVAL;
	message->address = 0x1fee00000 | cpu << 12;
	message->data = 0x50 + number;
	return 0;
}

void arch_msi_free(unsigned int number)
{
	msis[number - 24].handler = NULL;
}

/* --- building a bus --- */

static inline void begin(void)
{
	start_machine(1, 4, NULL, 0);
	memset(functions, 0, sizeof(functions));
	memset(device_memory, 0, sizeof(device_memory));
	memset(msis, 0, sizeof(msis));
	function_count = 0;
	msi_room = 4;
	has_ecam = false;
	boot_info.ram[0] = (struct page_range){ 0, 0x10000000 };
	boot_info.ram_count = 1;
}

static inline struct function *add(unsigned int bus, unsigned int slot, unsigned int function,
				   uint32_t class)
{
	struct function *at = &functions[function_count++];

	*at = (struct function){ .place = bus << 8 | slot << 3 | function };
	put32(at->config, 0x0b258086);
	put32(at->config + PCI_REVISION, class << 8 | 0x07);
	put32(at->config + 0x2c, 0x11001af4);
	put32(at->config + PCI_COMMAND, 3);
	put32(at->writable + PCI_COMMAND, 0x0407);
	return at;
}

static inline struct function *add_bridge(unsigned int bus, unsigned int slot,
					  unsigned int secondary, unsigned int subordinate)
{
	struct function *at = add(bus, slot, 0, CLASS_BRIDGE);

	at->config[0x0e] = 1;
	at->config[0x18] = (uint8_t)bus;
	at->config[0x19] = (uint8_t)secondary;
	at->config[0x1a] = (uint8_t)subordinate;
	return at;
}

/* Gives FUNCTION's BAR at INDEX the value VALUE and the writable bits MASK. */
static inline void set_bar(struct function *function, unsigned int index, uint32_t value,
			   uint32_t mask)
{
	put32(function->config + 0x10 + 4 * index, value);
	put32(function->writable + 0x10 + 4 * index, mask);
}

/* Gives FUNCTION a list of capabilities with ID at OFFSET, which goes on at NEXT. */
static inline void set_capability(struct function *function, unsigned int offset, uint8_t id,
				  uint8_t next)
{
	function->config[PCI_STATUS] |= PCI_STATUS_CAPABILITIES;
	if (!function->config[0x34])
		function->config[0x34] = (uint8_t)offset;
	function->config[offset] = id;
	function->config[offset + 1] = next;
}

/* Returns the function of the kernel's list at PLACE. */
static inline struct pci_device *find(unsigned int bus, unsigned int slot, unsigned int function)
{
	struct pci_device *device = pci_device_first();

	while (device &&
	       (device->bus != bus || device->slot != slot || device->function != function))
		device = pci_device_next(device);
	return device;
}

/* Frees what an enumeration made. */
static inline void end(void)
{
	struct pci_device *next;

	for (struct pci_device *device = pci_device_first(); device; device = next) {
		next = pci_device_next(device);
		kfree(device->msix);
		kfree(device);
	}
	end_machine();
}

static inline struct pci_device *enumerate(void)
{
	run_start_steps(START_CORE);
	return pci_device_first();
}

#endif
