// SPDX-License-Identifier: BSD-2-Clause
/* test-dsa.c: the emulated DSA: registers, commands, descriptors, errors, portals, the performance monitor. */

#include "guest.h"

enum { VENDOR_INTEL = 0x8086, DEVICE_DSA = 0x0b25, DEVICE_IAX = 0x0cfe };
enum { PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_BAR2 = 0x18, PCI_CAPABILITIES = 0x34 };
enum { PCI_MEMORY = 2, PCI_MASTER = 4, PCI_CAP_MSIX = 0x11 };
#define MSIX_ENABLE (1u << 31)

/* BAR 0. */
enum {
	VERSION = 0x00,
	GENCAP = 0x10,
	WQCAP = 0x20,
	GRPCAP = 0x30,
	ENGCAP = 0x38,
	OPCAP = 0x40,
	OFFSETS = 0x60,
	GENCTRL = 0x88,
	GENSTS = 0x90,
	INTCAUSE = 0x98,
	CMD = 0xa0,
	CMDSTS = 0xa8,
	CMDCAP = 0xb0,
	SWERROR = 0xc0,
	GRPCFG = 0x400,
	WQCFG = 0x500,
	PERFMON = 0x1000,
	MSIX_TABLE = 0x2000,
};

/* From PERFMON on. */
enum {
	PERFCAP = 0,
	PERFRST = 0x10,
	PERFFRZ = 0x20,
	OVFSTATUS = 0x30,
	EVNTCAP = 0x80,
	CNTRCFG = 0x100,
	CNTRDATA = 0x200,
	FLTCFG = 0x300
};
enum { FILTER_WQ, FILTER_TC, FILTER_PAGE, FILTER_SIZE, FILTER_ENGINE, FILTERS };
#define COUNTER_ON	  1ull
#define COUNTER_INTERRUPT 2ull
#define COUNTER_FREEZE	  4ull

enum {
	ENABLE_DEVICE = 1,
	DISABLE_DEVICE,
	DRAIN_ALL,
	ABORT_ALL,
	RESET_DEVICE,
	ENABLE_WQ,
	DISABLE_WQ,
	DRAIN_WQ,
	ABORT_WQ,
	RESET_WQ,
};
#define CMD_INTERRUPT (1u << 31)
#define CMD_ACTIVE    (1u << 31)

enum { NOOP, BATCH, DRAIN, MOVE, FILL, COMPARE, PATTERN, CRC = 0x10, COPY_CRC };
enum {
	FENCE = 1,
	BLOCK = 2,
	CR_VALID = 4,
	CR_REQUEST = 8,
	INTERRUPT = 0x10,
	CHECK = 0x80,
	TC1 = 0x200,
	TC2 = 0x400,
	SEED = 0x10000,
	BYPASS_CRC = 0x20000,
	BYPASS_DATA = 0x40000,
};
#define RECORD (CR_VALID | CR_REQUEST)

struct descriptor {
	uint32_t pasid, operation; /* 24 bits of flags, 8 of opcode */
	uint64_t completion, address1, address2;
	uint32_t size;
	uint16_t handle, reserved;
	uint32_t word40, word44;
	uint64_t word48, word56;
} __attribute__((aligned(64)));

struct record {
	volatile uint8_t status;
	uint8_t result;
	uint16_t reserved;
	uint32_t bytes;
	uint64_t fault, value, reserved2[5];
} __attribute__((aligned(64)));

enum { DEDICATED = 1, SIZE = 16, PRIORITY = 5 << 4, XFER_SHIFT = 21, BATCH_SHIFT = 5 };
#define NOWHERE	  0x7000000000ull
#define PATIENCE  400000000ull
#define WQ_MODE	  (DEDICATED | PRIORITY)
#define VECTOR(i) (0x50u + (i))

static volatile uint8_t *registers, *portals;
static uint32_t function; /* bus, device and function as the configuration port has them */
static bool iax;
static volatile unsigned int interrupts[2];
static uint8_t source[65536] __attribute__((aligned(4096))),
	target[65536] __attribute__((aligned(4096)));
static struct record records[8];
static struct descriptor list[8];

static void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

static uint32_t inl(uint16_t port)
{
	uint32_t value;

	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static uint32_t config_read(uint32_t offset)
{
	outl(0xcf8, 0x80000000u | function | offset);
	return inl(0xcfc);
}

static void config_write(uint32_t offset, uint32_t value)
{
	outl(0xcf8, 0x80000000u | function | offset);
	outl(0xcfc, value);
}

static uint32_t get32(uint32_t offset)
{
	return *(volatile uint32_t *)(registers + offset);
}

static uint64_t get64(uint32_t offset)
{
	return *(volatile uint64_t *)(registers + offset);
}

static void put32(uint32_t offset, uint32_t value)
{
	*(volatile uint32_t *)(registers + offset) = value;
}

static void put64(uint32_t offset, uint64_t value)
{
	*(volatile uint64_t *)(registers + offset) = value;
}

static bool find(void)
{
	for (uint32_t device = 0; device < 32; device++) {
		uint32_t id;

		function = device << 11;
		id = config_read(0);
		iax = id >> 16 == DEVICE_IAX;
		if ((id & 0xffff) == VENDOR_INTEL && (iax || id >> 16 == DEVICE_DSA))
			return true;
	}
	return false;
}

static volatile uint8_t *bar(uint32_t offset)
{
	uint64_t address = (config_read(offset) & ~15u) | (uint64_t)config_read(offset + 4) << 32;

	if (!address || address >= 1ull << 32 || address < 3ull << 30)
		fatal("a BAR is at %x", address);
	return (volatile uint8_t *)(uintptr_t)address;
}

static void set_command(uint32_t bits)
{
	config_write(PCI_COMMAND, (config_read(PCI_COMMAND) & 0xffff & ~(uint32_t)PCI_MASTER) |
					  PCI_MEMORY | bits);
}

static void took_interrupt(struct frame *f)
{
	interrupts[f->vector - VECTOR(0)]++;
	*apic_register(APIC_EOI) = 0;
}

/* Entry i comes to vector VECTOR(i). */
static void set_interrupts(void)
{
	uint32_t capability = config_read(PCI_CAPABILITIES) & 0xff;

	while (capability && (config_read(capability) & 0xff) != PCI_CAP_MSIX)
		capability = config_read(capability) >> 8 & 0xff;
	if (!capability)
		fatal("no MSI-X");
	for (uint32_t i = 0; i < ARRAY_SIZE(interrupts); i++) {
		on_trap(VECTOR(i), took_interrupt);
		put32(MSIX_TABLE + i * 16, APIC_PHYSICAL);
		put32(MSIX_TABLE + i * 16 + 4, 0);
		put32(MSIX_TABLE + i * 16 + 8, VECTOR(i));
		put32(MSIX_TABLE + i * 16 + 12, 0);
	}
	config_write(capability, config_read(capability) | MSIX_ENABLE);
	__asm__ volatile("sti");
}

/* Gives a command; returns its error. */
static uint32_t command(uint32_t code, uint32_t operand)
{
	uint64_t patience = PATIENCE;

	put32(CMD, code << 20 | operand);
	while (get32(CMDSTS) & CMD_ACTIVE && --patience)
		__asm__ volatile("pause");
	return get32(CMDSTS);
}

static void configure_wq(uint32_t wq, uint32_t size, uint32_t threshold, uint32_t mode)
{
	put32(WQCFG + wq * 32, size);
	put32(WQCFG + wq * 32 + 4, threshold);
	put32(WQCFG + wq * 32 + 8, mode);
	put32(WQCFG + wq * 32 + 12, XFER_SHIFT | BATCH_SHIFT << 5);
}

static void configure_group(uint32_t group, uint64_t wqs, uint64_t engines, uint64_t flags)
{
	put64(GRPCFG + group * 64, wqs);
	put64(GRPCFG + group * 64 + 32, engines);
	put64(GRPCFG + group * 64 + 40, flags);
}

/* WQ 0: dedicated, engine 0, TC 0 and 1. WQ 1: shared, engine 1. Both are on. */
static void start_device(void)
{
	command(RESET_DEVICE, 0);
	set_command(PCI_MASTER);
	configure_wq(0, SIZE, 0, WQ_MODE);
	configure_wq(1, SIZE, SIZE / 2, PRIORITY);
	configure_group(0, 1, 1, 0 | 1 << 3);
	configure_group(1, 2, 2, 0);
	if (command(ENABLE_DEVICE, 0) || command(ENABLE_WQ, 0) || command(ENABLE_WQ, 1))
		fatal("the device cannot be enabled: %x", (uint64_t)get32(CMDSTS));
}

static volatile uint8_t *portal(uint32_t wq, uint32_t page)
{
	return portals + wq * 4 * 4096 + page * 4096;
}

static void movdir64b(volatile void *to, const void *from)
{
	__asm__ volatile("movdir64b (%1), %0" ::"r"(to), "r"(from) : "memory");
}

/* Returns true if the queue says "retry". */
static bool enqcmds(volatile void *to, const void *from)
{
	bool retry;

	__asm__ volatile("enqcmds (%2), %1" : "=@ccz"(retry) : "r"(to), "r"(from) : "memory");
	return retry;
}

static bool enqcmd(volatile void *to, const void *from)
{
	bool retry;

	__asm__ volatile("enqcmd (%2), %1" : "=@ccz"(retry) : "r"(to), "r"(from) : "memory");
	return retry;
}

static uint64_t physical(const volatile void *p)
{
	return (uintptr_t)p;
}

static struct descriptor make(uint32_t opcode, uint32_t flags, uint64_t address1, uint64_t address2,
			      uint32_t size)
{
	records[0] = (struct record){ 0 };
	return (struct descriptor){ .operation = opcode << 24 | flags,
				    .completion = flags & CR_VALID ? physical(&records[0]) : 0,
				    .address1 = address1,
				    .address2 = address2,
				    .size = size };
}

static uint8_t await(struct record *record)
{
	for (uint64_t i = 0; !record->status && i < PATIENCE; i++)
		__asm__ volatile("pause" ::: "memory");
	return record->status;
}

/* Does a descriptor of WQ 0; returns its status. */
static uint8_t run(const struct descriptor *d)
{
	movdir64b(portal(0, 0), d);
	return await(&records[0]);
}

static uint8_t run_one(uint32_t opcode, uint32_t flags, uint64_t address1, uint64_t address2,
		       uint32_t size)
{
	const struct descriptor d = make(opcode, flags, address1, address2, size);

	return run(&d);
}

static void fill_source(void)
{
	for (uint32_t i = 0; i < sizeof(source); i++) {
		source[i] = (uint8_t)(i * 7 + (i >> 8));
		target[i] = 0;
	}
}

static uint32_t differences(const uint8_t *a, const uint8_t *b, uint32_t size)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < size; i++)
		n += a[i] != b[i];
	return n;
}

static void test_capabilities(void)
{
	uint64_t perfcap = get64(PERFMON + PERFCAP);

	tap_equal(get32(VERSION), 0x100, "version 1.0");
	tap_equal(get64(GENCAP) >> 16 & 0x1f, 31, "transfers of up to 2 GiB");
	tap_equal(get64(WQCAP) & 0xffffff, 8 << 16 | 128, "8 queues with 128 entries");
	tap_equal(get64(GRPCAP) & 0xff, 4, "4 groups");
	tap_equal(get64(ENGCAP), 4, "4 engines");
	tap_equal(get64(OPCAP), iax ? 0xd : 0x3007f, "operations");
	tap_equal(get64(OFFSETS), 0x600050004ull, "the tables' offsets");
	tap_equal(get64(OFFSETS + 8), PERFMON / 0x100, "the performance monitor's offset");
	tap_equal(get32(CMDCAP), 0x7fe, "commands");
	tap_equal(perfcap & 0x3f, config.counters, "number of counters");
	tap_equal(perfcap >> 8 & 0xff, config.width, "width of counters");
	tap_equal(perfcap >> 16 & 0xf, 5, "categories of events");
	tap_equal(perfcap >> 20 & 0xffff, 0x1b, "all but translation have events");
	tap_equal(perfcap >> 36 & 0xff, 0x1f, "filters");
	tap_equal(perfcap >> 52, 0xe, "writable counters, freeze, overflow interrupt");
	tap_equal(get64(PERFMON + EVNTCAP), 0x1f, "events of queues");
	tap_equal(get64(PERFMON + EVNTCAP + 8), iax ? 0x2f : 0x3f, "events of engines");
	tap_equal(get64(PERFMON + EVNTCAP + 24), iax ? 0xd : 0xc7f, "events of operations");
	tap_equal(get64(PERFMON + EVNTCAP + 32), 0x18, "events of completion");
	put32(WQCAP, 0);
	tap_equal(get64(WQCAP) & 0xffffff, 8 << 16 | 128, "capabilities are read-only");
}

static void test_commands(void)
{
	static const struct {
		uint32_t size, threshold, mode, limits, error;
		const char *name;
	} bad[] = {
		{ 0, 0, WQ_MODE, XFER_SHIFT, 0x22, "size 0" },
		{ SIZE, 0, DEDICATED, XFER_SHIFT, 0x23, "priority 0" },
		{ SIZE, 0, PRIORITY, XFER_SHIFT, 0x24, "shared, threshold 0" },
		{ SIZE, SIZE + 1, PRIORITY, XFER_SHIFT, 0x24, "shared, threshold past the size" },
		{ SIZE, 0, WQ_MODE | 2, XFER_SHIFT, 0x25, "block on fault" },
		{ SIZE, 0, WQ_MODE | 1 << 28, XFER_SHIFT, 0x26, "PASID" },
		{ SIZE, 0, WQ_MODE, 11 << 5, 0x27, "batches past the capability" },
	};

	command(RESET_DEVICE, 0);
	tap_equal(command(ENABLE_WQ, 0), 0x20, "no queue is enabled before the device");
	tap_equal(command(31, 0), 1, "a command that is none");
	tap_equal(command(DISABLE_DEVICE, 0), 0x31, "the device is disabled already");
	set_command(0);
	tap_equal(command(ENABLE_DEVICE, 0), 0x12, "no device without bus mastering");
	set_command(PCI_MASTER);
	configure_group(0, 1, 0, 0);
	tap_equal(command(ENABLE_DEVICE, 0), 0x16, "no queues without an engine");
	configure_group(0, 1, 1, 0);
	configure_group(1, 1, 2, 0);
	tap_equal(command(ENABLE_DEVICE, 0), 0x15, "no queue in two groups");
	configure_group(1, 0, 0, 0);
	configure_wq(0, 129, 0, WQ_MODE);
	tap_equal(command(ENABLE_DEVICE, 0), 0x14, "no more entries than there are");
	for (uint32_t i = 0; i < ARRAY_SIZE(bad); i++) {
		command(RESET_DEVICE, 0);
		configure_group(0, 1, 1, 0);
		configure_wq(0, bad[i].size, bad[i].threshold, bad[i].mode);
		put32(WQCFG + 12, bad[i].limits);
		command(ENABLE_DEVICE, 0);
		tap_equal(command(ENABLE_WQ, 0), bad[i].error, "bad queue: %s", bad[i].name);
	}
	start_device();
	tap_equal(get32(GENSTS), 1, "the device is enabled");
	tap_equal(get32(WQCFG + 24) >> 30, 1, "the queue is enabled");
	tap_equal(command(ENABLE_DEVICE, 0), 0x10, "the device is enabled already");
	tap_equal(command(ENABLE_WQ, 0), 0x21, "the queue is enabled already");
	tap_equal(command(ENABLE_WQ, 8), 2, "a queue that is none");
	put32(WQCFG, 1);
	tap_equal(get32(WQCFG), SIZE, "an enabled queue's configuration is read-only");
	tap_equal(command(DRAIN_WQ, 4), 0x32, "a queue that is off cannot be drained");
	tap_equal(command(DRAIN_WQ, 1), 0, "drain a queue");
	tap_equal(command(DISABLE_WQ, 1), 0, "disable a queue");
	tap_equal(get32(WQCFG + 24) >> 30, 0, "the queue is disabled");
	tap_equal(command(RESET_WQ, 2), 0, "reset a queue");
	tap_equal(get32(WQCFG + 32 + 8), 0, "the queue has no configuration");
	tap_equal(get32(WQCFG + 32), 16, "but its size, which only a disabled device changes");
	tap_equal(command(DISABLE_DEVICE, 0), 0, "disable the device");
	tap_equal(get32(GENSTS), 0, "the device is disabled");
}

static void test_descriptors(void)
{
	struct descriptor d;

	start_device();
	fill_source();
	tap_equal(run_one(NOOP, RECORD, 0, 0, 0), 1, "no-op");
	tap_equal(run_one(DRAIN, RECORD, 0, 0, 0), 1, "drain");
	tap_equal(run_one(MOVE, RECORD, physical(source) + 3, physical(target) + 5, 20000), 1,
		  "move");
	tap_equal(differences(source + 3, target + 5, 20000) + target[4] + target[20005], 0,
		  "move: all bytes and no others");
	tap_equal(run_one(MOVE, RECORD, physical(target) + 5, physical(target) + 1005, 20000), 1,
		  "move upward over itself");
	tap_equal(differences(source + 3, target + 1005, 20000), 0,
		  "move upward over itself: all bytes");
	tap_equal(run_one(MOVE, RECORD, physical(target) + 1005, physical(target) + 5, 20000), 1,
		  "move downward over itself");
	tap_equal(differences(source + 3, target + 5, 20000), 0,
		  "move downward over itself: all bytes");
	if (iax)
		return;
	tap_equal(run_one(FILL, RECORD, 0x0807060504030201ull, physical(target), 10001), 1, "fill");
	tap_ok(target[0] == 1 && target[9999] == 8 && target[10000] == 1 && target[10001] != 2,
	       "fill: all bytes and no others");
	tap_equal(run_one(PATTERN, RECORD, physical(target), 0x0807060504030201ull, 10001), 1,
		  "compare a pattern");
	tap_equal(records[0].result, 0, "compare a pattern: equal");
	target[9000] ^= 1;
	run_one(PATTERN, RECORD, physical(target), 0x0807060504030201ull, 10001);
	tap_ok(records[0].result == 1 && records[0].bytes == 9000,
	       "compare a pattern: where it differs");
	run_one(MOVE, RECORD, physical(source), physical(target), 20000);
	tap_equal(run_one(COMPARE, RECORD, physical(source), physical(target), 20000), 1,
		  "compare");
	tap_equal(records[0].result, 0, "compare: equal");
	target[12345] ^= 1;
	run_one(COMPARE, RECORD, physical(source), physical(target), 20000);
	tap_ok(records[0].result == 1 && records[0].bytes == 12345, "compare: where it differs");
	tap_equal(run_one(COMPARE, RECORD | CHECK, physical(source), physical(target), 20000), 2,
		  "compare: not as expected");
	d = make(COMPARE, RECORD | CHECK, physical(source), physical(target), 20000);
	d.word40 = 1;
	tap_equal(run(&d), 1, "compare: as expected");
	for (uint32_t i = 0; i < 9; i++)
		source[i] = (uint8_t)('1' + i);
	tap_equal(run_one(CRC, RECORD, physical(source), 0, 9), 1, "CRC");
	tap_equal(records[0].value, 0xe3069283, "CRC: the check value of CRC-32C");
	d = make(COPY_CRC, RECORD | SEED, physical(source) + 4, physical(target), 5);
	d.word48 = physical(target) + 64;
	run_one(CRC, RECORD, physical(source), 0, 4);
	*(uint32_t *)(void *)(target + 64) = (uint32_t)records[0].value;
	records[0] = (struct record){ 0 };
	tap_equal(run(&d), 1, "copy with CRC");
	tap_equal(records[0].value, 0xe3069283, "copy with CRC: in two parts, by a seed in memory");
	tap_equal(differences(source + 4, target, 5), 0, "copy with CRC: all bytes");
	run_one(CRC, RECORD | BYPASS_CRC | BYPASS_DATA, physical(source), 0, 1);
	tap_equal(records[0].value, 0x152fadf3, "CRC without inversion and reflection");
}

/* Runs a batch of 4: no-ops, but the second has `opcode`, and the fourth `flags`. */
static uint8_t run_batch(uint32_t opcode, uint32_t flags)
{
	for (uint32_t i = 0; i < 4; i++) {
		list[i] = make(i == 1 ? opcode : NOOP, RECORD | (i == 3 ? flags : 0), 0, 0, 0);
		records[i + 1] = (struct record){ 0 };
		list[i].completion = physical(&records[i + 1]);
	}
	return run_one(BATCH, RECORD, physical(list), 0, 4);
}

static void test_batches(void)
{
	start_device();
	tap_equal(run_batch(NOOP, 0), 1, "batch");
	tap_ok(records[0].bytes == 4 && records[4].status == 1, "batch: all descriptors are done");
	tap_equal(run_batch(0xff, 0), 5, "batch: one descriptor fails");
	tap_ok(records[2].status == 0x10 && records[4].status == 1,
	       "batch: those after it are done");
	tap_equal(run_batch(0xff, FENCE), 5, "batch: one fails before a fence");
	tap_ok(records[0].bytes == 3 && records[4].status == 0,
	       "batch: the fence is where it ends");
	tap_equal(run_batch(NOOP, FENCE), 1, "batch: none fails before a fence");
	tap_equal(run_batch(BATCH, 0), 5, "no batch in a batch");
	tap_equal(run_batch(DRAIN, 0), 5, "no drain in a batch");
	tap_equal(run_one(BATCH, RECORD, NOWHERE, 0, 4), 6, "batch: a list without memory");
}

static void test_errors(void)
{
	static const struct {
		uint32_t opcode, flags, size;
		uint64_t address1, address2;
		uint32_t status;
		const char *name;
	} bad[] = {
		{ 0x3f, CR_VALID, 0, 0, 0, 0x10, "operation" },
		{ NOOP, CR_VALID | FENCE, 0, 0, 0, 0x11, "fence outside a batch" },
		{ MOVE, CR_VALID | BLOCK, 8, 0, 0, 0x11, "block on fault" },
		{ NOOP, CR_VALID | CHECK, 0, 0, 0, 0x11, "check of nothing" },
		{ NOOP, CR_VALID, 0, 1, 0, 0x12, "reserved field" },
		{ MOVE, CR_VALID, 0, 0x100000, 0x200000, 0x13, "size 0" },
		{ MOVE, CR_VALID, (1 << XFER_SHIFT) + 1, 0x100000, 0x200000, 0x13,
		  "size past the queue's" },
		{ BATCH, CR_VALID, 1, 0x100000, 0, 0x14, "batch of one" },
		{ BATCH, CR_VALID, 33, 0x100000, 0, 0x14, "batch past the queue's" },
		{ COPY_CRC, CR_VALID, 64, 0x100000, 0x100020, 0x16, "copy with CRC over itself" },
		{ BATCH, CR_VALID, 4, 0x100020, 0, 0x18, "alignment of the list" },
		{ MOVE, CR_VALID, 8, NOWHERE, 0x100000, 0x03, "source without memory" },
	};
	struct descriptor d;

	start_device();
	for (uint32_t i = 0; i < ARRAY_SIZE(bad); i++) {
		uint32_t status = bad[i].status;

		if (iax && bad[i].opcode != MOVE && bad[i].opcode != NOOP)
			status = 0x10;
		tap_equal(run_one(bad[i].opcode, bad[i].flags, bad[i].address1, bad[i].address2,
				  bad[i].size),
			  status, "bad: %s", bad[i].name);
	}
	tap_equal(records[0].fault, NOWHERE, "the address that faulted");
	tap_equal(run_one(MOVE, CR_VALID, physical(source), NOWHERE, 8), 0x83,
		  "target without memory: a fault of a write");
	run_one(NOOP, CR_VALID | BLOCK | CHECK, 0, 0, 0);
	tap_equal(records[0].value, BLOCK | CHECK, "the invalid flags");
	d = make(NOOP, CR_VALID | INTERRUPT, 0, 0, 0);
	d.handle = 9;
	tap_equal(run(&d), 0x19, "an interrupt handle that is none");

	d = make(0x3f, 0, 0, 0, 0);
	movdir64b(portal(0, 0), &d);
	command(DRAIN_ALL, 0);
	tap_equal(get64(SWERROR), 0x3f0000100dull, "SWERROR: no completion record");
	put32(SWERROR, 1);
	tap_equal(get64(SWERROR), 0, "SWERROR is cleared");
	d = make(NOOP, RECORD, 0, 0, 0);
	d.completion += 8;
	movdir64b(portal(0, 0), &d);
	command(DRAIN_ALL, 0);
	tap_equal(get64(SWERROR) >> 8 & 0xff, 0x1b, "SWERROR: alignment of the completion record");
	put32(SWERROR, 1);
	d.completion = NOWHERE;
	movdir64b(portal(0, 0), &d);
	command(DRAIN_ALL, 0);
	tap_equal(get64(SWERROR) >> 8 & 0xff, 0x1a, "SWERROR: completion record without memory");
	tap_equal(get64(SWERROR + 16), NOWHERE, "SWERROR: its address");
	movdir64b(portal(1, 0), &d);
	tap_equal(get64(SWERROR) & 3, 3, "SWERROR: a second error is an overflow");
	put32(SWERROR, 3);
	movdir64b(portal(1, 0), &d);
	tap_equal(get64(SWERROR) >> 8 & 0xffff, 0x133, "SWERROR: a posted write to a shared queue");
	put32(SWERROR, 1);
	movdir64b(portal(2, 0), &d);
	tap_equal(get64(SWERROR) >> 8 & 0xffff, 0x231, "SWERROR: a queue that is off");
	put32(SWERROR, 1);
	for (uint32_t i = 0; i < 64; i += 8)
		*(volatile uint64_t *)(portal(0, 0) + i) = 0;
	command(DRAIN_ALL, 0);
	tap_equal(get64(SWERROR), 0, "stores of less than 64 bytes are no descriptor");
}

static unsigned int faults;

static void skip_enqueue(struct frame *f)
{
	faults++;
	f->rip += 5;
}

/* Submits by ENQCMDS until the queue says "retry"; returns how many it took. */
static uint32_t fill_queue(uint32_t page)
{
	struct descriptor d = make(NOOP, CR_VALID, 0, 0, 0);
	uint32_t n = 0;

	while (n < 64 && !enqcmds(portal(1, page), &d))
		n++;
	return n;
}

static void test_shared(void)
{
	struct descriptor d;

	start_device();
	d = make(NOOP, RECORD, 0, 0, 0);
	tap_ok(!enqcmds(portal(1, 1), &d), "ENQCMDS: the queue takes it");
	tap_equal(await(&records[0]), 1, "ENQCMDS: it is done");
	tap_ok(enqcmds(portal(0, 1), &d), "ENQCMDS to a dedicated queue: retry");
	tap_ok(enqcmds(portal(2, 1), &d), "ENQCMDS to a queue that is off: retry");
	tap_ok(enqcmds(target, &d), "ENQCMDS to memory: retry");
	d.pasid = 1u << 31;
	records[0] = (struct record){ 0 };
	enqcmds(portal(1, 1), &d);
	tap_equal(await(&records[0]), 0x1d, "a privileged descriptor in a queue without privilege");
	on_trap(VECTOR_GP, skip_enqueue);
	enqcmd(portal(1, 1), &d);
	tap_equal(faults, 1, "ENQCMD without a PASID: #GP");
	wrmsr(0xd93, 1u << 31 | 5);
	tap_equal(rdmsr(0xd93), 1u << 31 | 5, "IA32_PASID");
	movdir64b(target + 8, &d);
	tap_equal(faults, 2, "MOVDIR64B to an address that is not aligned: #GP");
	on_trap(VECTOR_GP, NULL);
	records[0] = (struct record){ 0 };
	tap_ok(!enqcmd(portal(1, 1), &d), "ENQCMD with a PASID");
	tap_equal(await(&records[0]), 1, "ENQCMD has no privilege");
	movdir64b(target, source);
	tap_equal(differences(source, target, 64), 0, "MOVDIR64B to memory");
	if (!config.skid)
		return;
	/* One more is with the engine. */
	tap_equal(fill_queue(1), SIZE / 2 + 1, "the limited portal ends at the threshold");
	tap_equal(get32(WQCFG + 32 + 24) & 0xffff, SIZE / 2, "the queue's occupancy");
	tap_equal(fill_queue(0), SIZE / 2, "the unlimited portal ends at the size");
	tap_equal(command(ABORT_WQ, 2), 0, "abort the queue");
	tap_equal(get32(WQCFG + 32 + 24) & 0xffff, 0, "the queue is empty");
	tap_equal(fill_queue(1), SIZE / 2 + 1, "the queue takes descriptors again");
	tap_equal(command(DISABLE_WQ, 2), 0, "disabling the queue drains it");
}

static void test_interrupts(void)
{
	struct descriptor d;
	unsigned int before;

	start_device();
	put32(INTCAUSE, ~0u);
	before = interrupts[1];
	d = make(NOOP, RECORD | INTERRUPT, 0, 0, 0);
	d.handle = 1;
	run(&d);
	for (uint64_t i = 0; interrupts[1] == before && i < PATIENCE; i++)
		__asm__ volatile("pause");
	tap_equal(interrupts[1], before + 1, "a completion interrupt");
	before = interrupts[0];
	put32(CMD, DRAIN_ALL << 20 | CMD_INTERRUPT);
	for (uint64_t i = 0; interrupts[0] == before && i < PATIENCE; i++)
		__asm__ volatile("pause");
	tap_equal(interrupts[0], before + 1, "a command's interrupt");
	tap_equal(get32(INTCAUSE), 2, "the interrupt's cause");
	put32(INTCAUSE, 2);
	put32(GENCTRL, 1);
	movdir64b(portal(2, 0), &d);
	tap_equal(get32(INTCAUSE), 1, "SWERROR is a cause");
	put32(INTCAUSE, 1);
	tap_equal(get32(INTCAUSE), 0, "the causes are cleared");
}

static uint32_t counter(uint32_t base, uint32_t i)
{
	return PERFMON + base + i * 8;
}

static uint64_t selection(uint32_t category, uint32_t events)
{
	return COUNTER_ON | category << 8 | (uint64_t)events << 32;
}

static void count(uint32_t i, uint32_t category, uint32_t events)
{
	put64(counter(CNTRCFG, i), selection(category, events));
}

/* The seed's workload: moves of a length and alignment each. */
static const struct {
	uint32_t from, to, size;
} moves[] = { { 0, 0, 32 }, { 31, 0, 33 }, { 5, 7, 1000 }, { 1, 1, 4096 }, { 0, 3, 8192 } };

static uint64_t units(uint32_t offset, uint32_t size)
{
	return (offset % 32 + size + 31) / 32;
}

static void run_moves(void)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(moves); i++)
		run_one(MOVE, RECORD, physical(source) + moves[i].from,
			physical(target) + moves[i].to, moves[i].size);
}

static void test_events(void)
{
	uint64_t read = 0, written = 0;

	start_device();
	put32(PERFMON + PERFRST, 3);
	for (uint32_t i = 0; i < ARRAY_SIZE(moves); i++) {
		read += units(moves[i].from, moves[i].size);
		written += units(moves[i].to, moves[i].size);
	}
	count(0, 1, 0x1);
	count(1, 1, 0x2);
	count(2, 1, 0x4 | 0x8);
	count(3, 1, 0x20);
	run_moves();
	tap_equal(get64(counter(CNTRDATA, 0)), read, "engines: units read");
	tap_equal(get64(counter(CNTRDATA, 1)), written, "engines: units written");
	tap_equal(get64(counter(CNTRDATA, 2)), 2 * ARRAY_SIZE(moves),
		  "engines: two events in one counter");
	tap_equal(get64(counter(CNTRDATA, 3)), ARRAY_SIZE(moves),
		  "engines: descriptors from queues");
	put32(PERFMON + PERFRST, 3);
	tap_equal(get64(counter(CNTRDATA, 0)) | get64(counter(CNTRCFG, 0)), 0,
		  "a reset clears counters and configuration");
	count(0, 3, 1);
	count(1, 4, 0x10);
	count(2, 4, 0x8);
	count(3, 0, 0x10);
	run_one(NOOP, RECORD, 0, 0, 0);
	run_one(NOOP, CR_VALID, 1, 0, 0);
	run_one(0x3f, CR_VALID, 0, 0, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 2, "operations: no-ops");
	tap_equal(get64(counter(CNTRDATA, 1)), 1, "completion: successes");
	tap_equal(get64(counter(CNTRDATA, 2)), 2, "completion: failures");
	tap_equal(get64(counter(CNTRDATA, 3)), 3, "queues: posted writes");
	if (iax)
		return;
	put32(PERFMON + PERFRST, 3);
	count(0, 1, 0x10);
	count(1, 1, 0x20);
	count(2, 3, 0x2);
	count(3, 3, 0x1);
	run_batch(NOOP, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 4, "engines: descriptors from a batch");
	tap_equal(get64(counter(CNTRDATA, 1)), 0, "engines: a batch is none from a queue");
	tap_equal(get64(counter(CNTRDATA, 2)), 1, "operations: batches");
	tap_equal(get64(counter(CNTRDATA, 3)), 4, "operations: no-ops of a batch");
	put32(PERFMON + PERFRST, 3);
	count(0, 3, 0x10);
	count(1, 3, 0x20 | 0x40);
	count(2, 3, 0x400 | 0x800);
	count(3, 3, 0x4);
	run_one(FILL, RECORD, 0, physical(target), 64);
	run_one(COMPARE, RECORD, physical(target), physical(target), 64);
	run_one(PATTERN, RECORD, physical(target), 0, 64);
	run_one(CRC, RECORD, physical(target), 0, 64);
	run_one(COPY_CRC, RECORD, physical(target), physical(target) + 64, 64);
	run_one(DRAIN, RECORD, 0, 0, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 1, "operations: fills");
	tap_equal(get64(counter(CNTRDATA, 1)), 2, "operations: comparisons");
	tap_equal(get64(counter(CNTRDATA, 2)), 2, "operations: CRC, alone and with a copy");
	tap_equal(get64(counter(CNTRDATA, 3)), 1, "operations: drains");
}

static void test_filters(void)
{
	static const struct {
		uint32_t filter, set, flags, count;
		const char *name;
	} cases[] = {
		{ FILTER_WQ, 1, 0, 5, "the queue" },
		{ FILTER_WQ, ~1u, 0, 0, "other queues" },
		{ FILTER_TC, 1, 0, 5, "traffic class A" },
		{ FILTER_TC, 2, TC1, 5, "traffic class B" },
		{ FILTER_TC, 1, TC1, 0, "another class" },
		{ FILTER_PAGE, 1, 0, 5, "pages of 4 KiB" },
		{ FILTER_PAGE, 0xe, 0, 0, "larger pages" },
		{ FILTER_SIZE, 7, 0, 4, "sizes of up to 4 KiB" },
		{ FILTER_SIZE, 1, 0, 2, "sizes below 512" },
		{ FILTER_SIZE, 0xf8, 0, 1, "sizes past 4 KiB" },
		{ FILTER_ENGINE, 1, 0, 5, "the engine" },
		{ FILTER_ENGINE, 0xfe, 0, 0, "other engines" },
	};

	start_device();
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put32(PERFMON + PERFRST, 3);
		put32(PERFMON + FLTCFG + cases[i].filter * 4, cases[i].set);
		count(0, 3, 1u << MOVE);
		for (uint32_t j = 0; j < ARRAY_SIZE(moves); j++)
			run_one(MOVE, RECORD | cases[i].flags, physical(source), physical(target),
				moves[j].size);
		tap_equal(get64(counter(CNTRDATA, 0)), cases[i].count, "filter: %s", cases[i].name);
	}
	put32(PERFMON + PERFRST, 1);
	tap_equal(get32(PERFMON + FLTCFG), ~0u, "a reset lets all queues pass");
	put32(PERFMON + FLTCFG + FILTER_PAGE * 4, ~0u);
	tap_equal(get32(PERFMON + FLTCFG + FILTER_PAGE * 4), 0xf,
		  "a filter has no bits that are none");
}

static void test_overflow(void)
{
	uint64_t last = config.width == 64 ? ~0ull : (1ull << config.width) - 1;
	uint32_t end = (uint32_t)config.counters;
	unsigned int before;

	start_device();
	put32(PERFMON + PERFRST, 3);
	put64(counter(CNTRDATA, 0), ~0ull);
	tap_equal(get64(counter(CNTRDATA, 0)), last, "a counter has its width");
	put32(INTCAUSE, ~0u);
	before = interrupts[0];
	count(0, 3, 1);
	run_one(NOOP, RECORD, 0, 0, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 0, "a counter wraps");
	tap_equal(get32(PERFMON + OVFSTATUS), 1, "its overflow shows");
	tap_ok(interrupts[0] == before && !get32(INTCAUSE), "no interrupt without the bit");
	put32(PERFMON + OVFSTATUS, 1);
	tap_equal(get32(PERFMON + OVFSTATUS), 0, "the overflow is cleared");
	put64(counter(CNTRDATA, 1), last);
	put64(counter(CNTRCFG, 1), selection(3, 1) | COUNTER_INTERRUPT | COUNTER_FREEZE);
	run_one(NOOP, RECORD, 0, 0, 0);
	for (uint64_t i = 0; interrupts[0] == before && i < PATIENCE; i++)
		__asm__ volatile("pause");
	tap_equal(interrupts[0], before + 1, "an overflow interrupt");
	tap_equal(get32(INTCAUSE), 8, "its cause");
	tap_equal(get32(PERFMON + PERFFRZ), ~0u, "the overflow freezes all counters");
	run_one(NOOP, RECORD, 0, 0, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 1, "a frozen counter stands still");
	put32(PERFMON + PERFFRZ, 2);
	run_one(NOOP, RECORD, 0, 0, 0);
	tap_ok(get64(counter(CNTRDATA, 0)) == 2 && get64(counter(CNTRDATA, 1)) == 0,
	       "freezing one counter");
	put64(counter(CNTRCFG, 0), 0);
	run_one(NOOP, RECORD, 0, 0, 0);
	tap_equal(get64(counter(CNTRDATA, 0)), 2, "a disabled counter stands still");
	if (end < 32) {
		put64(counter(CNTRDATA, end), 1);
		put64(counter(CNTRCFG, end), 1);
		tap_equal(get64(counter(CNTRDATA, end)) | get64(counter(CNTRCFG, end)), 0,
			  "there is no counter past the last");
	}
	put32(INTCAUSE, 8);
}

void test_dsa(void)
{
	if (!find())
		fatal("there is no device");
	set_command(0);
	registers = bar(PCI_BAR0);
	portals = bar(PCI_BAR2);
	set_interrupts();
	test_capabilities();
	test_commands();
	test_descriptors();
	if (!iax)
		test_batches();
	test_errors();
	test_shared();
	test_interrupts();
	test_events();
	test_filters();
	test_overflow();
}
