/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's IOMMU in scalable mode; see vtd.h.
 *
 *   root table    for each bus, two context tables, of the lower and of the upper functions
 *   context       of a function: its directory of PASIDs
 *   directory     64 PASIDs an entry: a table of them
 *   PASID         how its requests are translated: not at all (number 0), or by page tables
 *
 * Functions without PASIDs share one directory, and buses without such functions their context tables. Tables only grow:
 * what was made for a device stays.
 *
 * A change of an entry that was present ends with an invalidation, which waits for its completion: each sends its
 * descriptors and one that writes a number to memory. So the queue is empty between two of them.
 *
 * Lock: vtd.lock (irqsave): the queue of invalidations; no lock inside.
 */
#include "vtd.h"

#include <stddef.h>

#include <arch/cpu.h>
#include <arch/iommu.h>
#include <arch/mmu.h>
#include <kernel/base/assert.h>
#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/page.h>
#include <kernel/pci/pci.h>
#include <uapi/linux/errno.h>

/* Registers (chapter 11). */
#define REGISTERS_SIZE	   0x1000
#define REG_CAP		   0x08
#define REG_ECAP	   0x10
#define REG_GCMD	   0x18
#define REG_GSTS	   0x1c
#define REG_RTADDR	   0x20
#define REG_FSTS	   0x34
#define REG_IQT		   0x88
#define REG_IQA		   0x90

#define CAP_PAGE_SELECTIVE (1ull << 39)
#define CAP_MAMV(cap)	   ((cap) >> 48 & 0x3f)
#define ECAP_COHERENT	   (1ull << 0) /* of root, context and PASID tables */
#define ECAP_QUEUE	   (1ull << 1)
#define ECAP_DEVICE_TLB	   (1ull << 2)
#define ECAP_PASS_THROUGH  (1ull << 6)
#define ECAP_PASID	   (1ull << 40)
#define ECAP_SCALABLE	   (1ull << 43)
#define ECAP_FIRST_LEVEL   (1ull << 47)
#define ECAP_WALK_COHERENT (1ull << 48)
#define ECAP_NEEDED                                                                       \
	(ECAP_QUEUE | ECAP_PASS_THROUGH | ECAP_PASID | ECAP_SCALABLE | ECAP_FIRST_LEVEL | \
	 ECAP_WALK_COHERENT)

/* GCMD, and the same bits of GSTS. A command sets one bit and keeps those that stay set. */
#define GCMD_TRANSLATION     (1u << 31)
#define GCMD_ROOT	     (1u << 30)
#define GCMD_QUEUE	     (1u << 26)
#define GSTS_KEPT	     0x96ffffffu

#define RTADDR_SCALABLE	     (1ull << 10)
#define IQA_WIDE	     (1ull << 11) /* descriptors of 256 bits */
#define FSTS_QUEUE_ERRORS    0x70u

/* Entries (chapter 9): words of 64 bits. */
#define PRESENT		     (1ull << 0)
#define CONTEXT_WORDS	     4
#define CONTEXT_DEVICE_TLB   (1ull << 2)
#define CONTEXT_PASID	     (1ull << 3)
#define CONTEXT_512_ENTRIES  (2ull << 9) /* of the directory */
#define FUNCTIONS	     128	 /* of a context table */
#define PASID_WORDS	     8
#define PASIDS_OF_TABLE	     64
#define PASID_FAULTS_DROPPED (1ull << 1)
#define PASID_48_BITS	     (2ull << 2)
#define PASID_FIRST_LEVEL    (1ull << 6)
#define PASID_PASS_THROUGH   (4ull << 6)
#define PASID_WALK_SNOOPS    (1ull << 23) /* word 1 */

/* Domains tag what the IOMMU caches. */
enum { DOMAIN_PASS_THROUGH = 1, DOMAIN_SHARED };

/* Descriptors of invalidations (6.5.2). */
#define INV_WORDS	      4
#define INV_CONTEXT_GLOBAL    (0x1ull | 1 << 4)
#define INV_IOTLB_GLOBAL      (0x2ull | 1 << 4)
#define INV_WAIT_WRITE	      (0x5ull | 1 << 5)
#define INV_PASID_IOTLB_ALL   (0x6ull | 2 << 4)
#define INV_PASID_IOTLB_PAGES (0x6ull | 3 << 4)
#define INV_PASID_CACHE	      (0x7ull | 1 << 4)
#define INV_PASID_GLOBAL      (0x7ull | 3 << 4)
#define INV_DEVICE_PASID      0x8ull
#define INV_DOMAIN(id)	      ((uint64_t)(id) << 16)
#define INV_SOURCE(id)	      ((uint64_t)(id) << 16)
#define INV_PASID(pasid)      ((uint64_t)(pasid) << 32)
/* All addresses: the size is that of the ones above bit 11, and bit 63 ends them. */
#define INV_DEVICE_ALL	      (0x7ffffffffffff000ull | 1 << 11)

/* Most pages, as a power of two, that are invalidated by address. */
#define PAGES_ORDER_MAX	      9
#define ANSWER_NS	      1000000000u

typedef uint64_t invalidation[INV_WORDS];

static struct vtd {
	/* Constant after vtd_start. */
	volatile uint8_t *registers; /* NULL: not started */
	uint64_t cap, ecap;
	uint64_t *root;
	uint64_t *common_context;

	struct spinlock lock;
	invalidation *queue;		  /* L: a page */
	unsigned int tail;		  /* L: index of the next descriptor */
	uint32_t number;		  /* L: of the last invalidation */
	_Atomic uint32_t completed;	  /* the IOMMU writes it */
} vtd = { .lock = SPINLOCK_INITIALIZER }; /* L: lock */

static uint32_t read32(unsigned int offset)
{
	return *(volatile uint32_t *)(vtd.registers + offset);
}

static uint64_t read64(unsigned int offset)
{
	return *(volatile uint64_t *)(vtd.registers + offset);
}

static void write32(unsigned int offset, uint32_t value)
{
	*(volatile uint32_t *)(vtd.registers + offset) = value;
}

static void write64(unsigned int offset, uint64_t value)
{
	*(volatile uint64_t *)(vtd.registers + offset) = value;
}

/* Makes SIZE bytes of a table at ADDRESS visible to the IOMMU. */
static void publish(const void *address, size_t size)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (!(vtd.ecap & ECAP_COHERENT))
		arch_cache_write_back(address, size);
}

/* Gives command BIT and waits until it is done. */
static int command(uint32_t bit)
{
	uint64_t end = clock_ns() + ANSWER_NS;

	write32(REG_GCMD, (read32(REG_GSTS) & GSTS_KEPT) | bit);
	while (!(read32(REG_GSTS) & bit))
		if (clock_ns() > end)
			return -EIO;
	return 0;
}

/* Has COUNT invalidations done. Without them a page that is freed next could still be written to. */
static void invalidate(const invalidation *list, unsigned int count)
{
	const unsigned int entries = PAGE_SIZE / sizeof(invalidation);
	unsigned long state = spin_lock_irqsave(&vtd.lock);
	uint32_t number = ++vtd.number;

	ASSERT(count < entries - 1);
	for (unsigned int i = 0; i <= count; i++) {
		uint64_t *entry = vtd.queue[vtd.tail];

		for (unsigned int word = 0; word < INV_WORDS; word++)
			entry[word] = i < count ? list[i][word] : 0;
		if (i == count) {
			entry[0] = INV_WAIT_WRITE | (uint64_t)number << 32;
			entry[1] = page_paddr((const void *)&vtd.completed);
		}
		publish(entry, sizeof(invalidation));
		vtd.tail = (vtd.tail + 1) % entries;
	}
	write64(REG_IQT, vtd.tail * sizeof(invalidation));
	while (atomic_load(&vtd.completed) != number) {
		if (read32(REG_FSTS) & FSTS_QUEUE_ERRORS)
			panic("IOMMU: an invalidation failed: fault status %#x", read32(REG_FSTS));
		arch_cpu_relax();
	}
	spin_unlock_irqrestore(&vtd.lock, state);
}

static void invalidate_all(void)
{
	static const invalidation contexts = { INV_CONTEXT_GLOBAL };
	static const invalidation pasids = { INV_PASID_GLOBAL };
	static const invalidation translations = { INV_IOTLB_GLOBAL };

	/* In this order: each may be filled from what the one before it has cached. */
	invalidate(&contexts, 1);
	invalidate(&pasids, 1);
	invalidate(&translations, 1);
}

static void set_pasid(uint64_t *entry, uint64_t flags, unsigned int domain, paddr_t root)
{
	entry[2] = root;
	entry[1] = PASID_WALK_SNOOPS | domain;
	publish(entry, PASID_WORDS * sizeof(*entry));
	entry[0] = PRESENT | PASID_48_BITS | flags;
	publish(entry, sizeof(*entry));
}

/* Returns PASID's entry in DIRECTORY, with its table made; NULL: no memory. */
static uint64_t *pasid_entry(uint64_t *directory, uint32_t pasid)
{
	uint64_t *table = &directory[pasid / PASIDS_OF_TABLE];

	if (!(*table & PRESENT)) {
		void *page = page_alloc(0);

		if (!page)
			return NULL;
		publish(page, PAGE_SIZE);
		*table = page_paddr(page) | PRESENT;
		publish(table, sizeof(*table));
	}
	return (uint64_t *)page_address(*table & PAGE_MASK) + pasid % PASIDS_OF_TABLE * PASID_WORDS;
}

/* Returns a directory whose requests without PASID pass; NULL: no memory. */
static uint64_t *make_directory(void)
{
	uint64_t *directory = page_alloc(0);
	uint64_t *entry = directory ? pasid_entry(directory, 0) : NULL;

	if (!entry) {
		if (directory)
			page_put(directory);
		return NULL;
	}
	set_pasid(entry, PASID_PASS_THROUGH, DOMAIN_PASS_THROUGH, 0);
	publish(directory, PAGE_SIZE);
	return directory;
}

/* Maps the registers and checks that the IOMMU has the required capabilities. */
static int find(paddr_t address)
{
	vtd.registers = arch_device_map(address, REGISTERS_SIZE);
	if (!vtd.registers)
		return -EOPNOTSUPP;
	vtd.cap = read64(REG_CAP);
	vtd.ecap = read64(REG_ECAP);
	if ((vtd.ecap & ECAP_NEEDED) != ECAP_NEEDED) {
		log_write(LOG_INFO, "IOMMU: cannot share address spaces (capabilities %#lx)",
			  (unsigned long)vtd.ecap);
		return -EOPNOTSUPP;
	}
	if (read32(REG_GSTS) & (GCMD_TRANSLATION | GCMD_QUEUE)) {
		log_write(LOG_WARNING, "IOMMU: firmware has switched it on");
		return -EOPNOTSUPP;
	}
	return 0;
}

/* Makes tables that let all requests pass. */
static int make_tables(void)
{
	uint64_t *directory = make_directory();

	vtd.root = page_alloc(0);
	vtd.common_context = page_alloc(0);
	vtd.queue = page_alloc(0);
	if (!directory || !vtd.root || !vtd.common_context || !vtd.queue)
		return -ENOMEM;
	for (unsigned int i = 0; i < FUNCTIONS; i++)
		vtd.common_context[i * CONTEXT_WORDS] = PRESENT | CONTEXT_512_ENTRIES |
							page_paddr(directory);
	publish(vtd.common_context, PAGE_SIZE);
	for (unsigned int i = 0; i < PAGE_SIZE / sizeof(*vtd.root); i++)
		vtd.root[i] = PRESENT | page_paddr(vtd.common_context);
	publish(vtd.root, PAGE_SIZE);
	return 0;
}

static int switch_on(void)
{
	int error;

	write64(REG_IQT, 0);
	write64(REG_IQA, page_paddr(vtd.queue) | IQA_WIDE);
	error = command(GCMD_QUEUE);
	if (error)
		return error;
	write64(REG_RTADDR, page_paddr(vtd.root) | RTADDR_SCALABLE);
	error = command(GCMD_ROOT);
	if (error)
		return error;
	invalidate_all();
	return command(GCMD_TRANSLATION);
}

int vtd_start(const struct pci_device *pci)
{
	static paddr_t tried;
	static int result;
	paddr_t address = arch_iommu_registers(pci->bus, pci->slot, pci->function);

	if (!address || (tried && tried != address))
		return -EOPNOTSUPP;
	if (tried)
		return result;
	tried = address;
	result = find(address);
	if (!result)
		result = make_tables();
	if (!result)
		result = switch_on();
	if (!result)
		log_write(LOG_INFO, "IOMMU: on; PASIDs translate by the programs' page tables");
	else if (result != -EOPNOTSUPP)
		log_write(LOG_ERROR, "IOMMU: cannot be switched on: error %d", -result);
	return result;
}

int vtd_device_add(struct vtd_device *device, const struct pci_device *pci, bool device_tlb)
{
	unsigned int function = (unsigned int)pci->slot << 3 | pci->function;
	uint64_t *half = &vtd.root[pci->bus * 2 + function / FUNCTIONS];
	uint64_t *table = page_address(*half & PAGE_MASK);

	device->source = (uint16_t)(pci->bus << 8 | function);
	device->device_tlb = device_tlb && vtd.ecap & ECAP_DEVICE_TLB;
	device->directory = make_directory();
	if (!device->directory)
		return -ENOMEM;
	if (table == vtd.common_context) {
		table = page_alloc(0);
		if (!table)
			return -ENOMEM;
		for (unsigned int i = 0; i < FUNCTIONS * CONTEXT_WORDS; i++)
			table[i] = vtd.common_context[i];
		publish(table, PAGE_SIZE);
		*half = PRESENT | page_paddr(table);
		publish(half, sizeof(*half));
	}

	uint64_t *context = &table[function % FUNCTIONS * CONTEXT_WORDS];

	context[0] = PRESENT | (device->device_tlb ? CONTEXT_DEVICE_TLB : 0) | CONTEXT_PASID |
		     CONTEXT_512_ENTRIES | page_paddr(device->directory);
	publish(context, sizeof(*context));
	invalidate_all();
	return 0;
}

int vtd_pasid_set(struct vtd_device *device, uint32_t pasid, paddr_t root)
{
	ASSERT(pasid && pasid < VTD_PASIDS);
	uint64_t *entry = pasid_entry(device->directory, pasid);

	if (!entry)
		return -ENOMEM;
	/* Requests for a supervisor are blocked: the entry does not permit them. So no request reaches the kernel's
	 * half, which is in the same tables. */
	set_pasid(entry, PASID_FIRST_LEVEL | PASID_FAULTS_DROPPED, DOMAIN_SHARED, root);
	return 0;
}

/* Has the device forget its own translations of PASID. It may have taken them from the IOMMU's until those are gone. */
static void flush_device(const struct vtd_device *device, uint32_t pasid)
{
	const invalidation all = { INV_DEVICE_PASID | INV_SOURCE(device->source) | INV_PASID(pasid),
				   INV_DEVICE_ALL };

	if (device->device_tlb)
		invalidate(&all, 1);
}

void vtd_pasid_clear(struct vtd_device *device, uint32_t pasid)
{
	uint64_t *entry = pasid_entry(device->directory, pasid);
	const invalidation list[] = {
		{ INV_PASID_CACHE | INV_DOMAIN(DOMAIN_SHARED) | INV_PASID(pasid) },
		{ INV_PASID_IOTLB_ALL | INV_DOMAIN(DOMAIN_SHARED) | INV_PASID(pasid) },
	};

	ASSERT(entry);
	entry[0] = 0;
	publish(entry, sizeof(*entry));
	invalidate(&list[0], 1);
	invalidate(&list[1], 1);
	flush_device(device, pasid);
}

void vtd_flush(const struct vtd_device *device, uint32_t pasid, uintptr_t start, uintptr_t end)
{
	unsigned int order = 0;

	/* The least block of pages, aligned to its size, that has all of them. */
	while (order <= PAGES_ORDER_MAX && (start ^ (end - 1)) >> PAGE_SHIFT >> order)
		order++;

	bool by_address = vtd.cap & CAP_PAGE_SELECTIVE && order <= PAGES_ORDER_MAX &&
			  order <= CAP_MAMV(vtd.cap);
	const uint64_t block = start & ~(((uint64_t)PAGE_SIZE << order) - 1);
	const uint64_t about = INV_DOMAIN(DOMAIN_SHARED) | INV_PASID(pasid);
	const invalidation pages = { INV_PASID_IOTLB_PAGES | about, block | order };
	const invalidation all = { INV_PASID_IOTLB_ALL | about };

	atomic_thread_fence(memory_order_seq_cst);
	invalidate(by_address ? &pages : &all, 1);
	flush_device(device, pasid);
}
