// SPDX-License-Identifier: BSD-2-Clause
/*
 * test-svm-sides.c: the translations of a host and of its guest of SVM, which the emulator keeps apart
 * (qemu/files/target/i386/svm-sides.h).
 *
 * At one address, ADDRESS, host and guest have pages of their own, each with a number that names it. An architecture with
 * ASIDs lets a CPU keep a translation until something flushes it; the emulator does keep it, and that is tested, too:
 * else no rule would notice a VMRUN or #VMEXIT that flushes all.
 */

#include "pmu.h"
#include "svm.h"

#define ADDRESS	     0x80000000ull /* boot.S maps nothing there */
#define DIRECTORY    2		   /* the directory of ADDRESS */
#define ENTRIES	     512
#define PAGE	     4096
#define ALL	     0x07 /* present, writable, user */
#define LARGE	     0x200000ull
#define FRAME	     0xffffffffff000ull
#define FLUSH_ALL    1 /* of TLB_CONTROL */
#define FLUSH_GUEST  3
#define FLUSH_LOCALS 7

typedef uint64_t table[ENTRIES] __attribute__((aligned(PAGE)));

/* The argument of the guest of svm.S. */
struct access {
	uint64_t *address;
	uint64_t before;
	uint64_t *entry; /* of a table, or NULL: no change */
	uint64_t value;
	uint64_t by_address; /* whether INVLPG or CR3 flushes */
	uint64_t after;
};

extern char svm_access[];

enum { HOST_PAGE, HOST_OTHER, GUEST_PAGE, GUEST_OTHER, PAGES };

static table pages[PAGES];
/* The table of ADDRESS's page: the host's; a guest's, with the tables above it; another such guest's. */
static table host_last;
static struct tables {
	table top, pointers, directory, last;
} guest_tables, other_tables;
/* Nested paging: physical addresses as they are, but for GUEST_PAGE, which is GUEST_OTHER. */
static struct {
	table top, pointers, directory, last;
} nested;
static struct access access;

static uint64_t *follow(const uint64_t *entry)
{
	return (uint64_t *)(uintptr_t)(*entry & FRAME);
}

static void copy(uint64_t *to, const uint64_t *from)
{
	for (unsigned int i = 0; i < ENTRIES; i++)
		to[i] = from[i];
}

static uint64_t entry_of(const void *page)
{
	return (uintptr_t)page | ALL;
}

static uint64_t *top_of_host(void)
{
	uint64_t cr3;

	__asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
	return (uint64_t *)(uintptr_t)(cr3 & FRAME);
}

/* Tables as the host's, with a page of their own at ADDRESS. */
static void make_tables(struct tables *tables, const void *page)
{
	copy(tables->top, top_of_host());
	copy(tables->pointers, follow(tables->top));
	copy(tables->directory, follow(&tables->pointers[DIRECTORY]));
	tables->top[0] = entry_of(tables->pointers);
	tables->pointers[DIRECTORY] = entry_of(tables->directory);
	tables->directory[0] = entry_of(tables->last);
	tables->last[0] = entry_of(page);
}

static void make_nested(void)
{
	uintptr_t page = (uintptr_t)pages[GUEST_PAGE], start = page & ~(LARGE - 1);

	copy(nested.top, top_of_host());
	copy(nested.pointers, follow(nested.top));
	copy(nested.directory, follow(nested.pointers));
	for (unsigned int i = 0; i < ENTRIES; i++)
		nested.last[i] = (start + i * PAGE) | ALL;
	nested.last[(page - start) / PAGE] = entry_of(pages[GUEST_OTHER]);
	nested.directory[start / LARGE] = entry_of(nested.last);
	nested.pointers[0] = entry_of(nested.directory);
	nested.top[0] = entry_of(nested.pointers);
}

static uint64_t host_reads(void)
{
	return *(volatile uint64_t *)ADDRESS;
}

/* The number that the guest finds at ADDRESS, after its change if it makes one. */
static uint64_t guest_reads(struct svm *guest)
{
	*at64(guest->vmcb, SAVE_RIP) = (uintptr_t)svm_access;
	access.before = access.after = PAGES;
	measure(svm_round, guest);
	if (*at64(guest->vmcb, EXIT_CODE) != EXIT_VMMCALL)
		tap_equal(*at64(guest->vmcb, EXIT_CODE), EXIT_VMMCALL,
			  "the guest of two pages exits");
	return access.after;
}

static struct svm new_reader(void)
{
	struct svm guest = new_guest(0, svm_access, false);

	guest.arg = &access;
	access = (struct access){ .address = (uint64_t *)ADDRESS };
	make_tables(&guest_tables, pages[GUEST_PAGE]);
	make_tables(&other_tables, pages[GUEST_OTHER]);
	*at64(guest.vmcb, SAVE_CR3) = (uintptr_t)guest_tables.top;
	return guest;
}

static void test_apart(struct svm *guest)
{
	for (unsigned int i = 0; i < 2; i++) {
		tap_equal(host_reads(), HOST_PAGE, "the host's page at an address, round %u",
			  (uint64_t)i);
		tap_equal(guest_reads(guest), GUEST_PAGE, "the guest's page there, round %u",
			  (uint64_t)i);
	}
	host_last[0] = entry_of(pages[HOST_OTHER]);
	tap_equal(guest_reads(guest), GUEST_PAGE, "the guest's page when the host's table changes");
	tap_equal(host_reads(), HOST_PAGE, "VMRUN and #VMEXIT keep the host's translation");
	__asm__ volatile("invlpg (%0)" ::"r"(ADDRESS) : "memory");
	tap_equal(host_reads(), HOST_OTHER, "the host's page after its INVLPG");
	tap_equal(guest_reads(guest), GUEST_PAGE, "the guest's page after the host's INVLPG");
}

/* The host changes the guest's table: what shows the guest's other page. */
static void test_flushes(void)
{
	static const struct {
		uint8_t control;
		const char *name;
	} controls[] = { { FLUSH_ALL, "all" },
			 { FLUSH_GUEST, "the guest's" },
			 { FLUSH_LOCALS, "the guest's that are not global" } };
	struct svm guest = new_reader();

	guest_reads(&guest);
	guest_tables.last[0] = entry_of(pages[GUEST_OTHER]);
	tap_equal(guest_reads(&guest), GUEST_PAGE,
		  "VMRUN and #VMEXIT keep the guest's translation");
	*at32(guest.vmcb, ASID) = 2;
	tap_equal(guest_reads(&guest), GUEST_OTHER,
		  "a VMRUN with another ASID finds the table changed");
	for (unsigned int i = 0; i < ARRAY_SIZE(controls); i++) {
		unsigned int page = i % 2 ? GUEST_OTHER : GUEST_PAGE;

		guest_tables.last[0] = entry_of(pages[page]);
		guest.vmcb[TLB_CONTROL] = controls[i].control;
		tap_equal(guest_reads(&guest), page, "TLB_CONTROL flushes %s", controls[i].name);
		guest.vmcb[TLB_CONTROL] = 0;
	}
	*at64(guest.vmcb, SAVE_CR3) = (uintptr_t)other_tables.top;
	tap_equal(guest_reads(&guest), GUEST_OTHER, "a VMRUN with another CR3 has its page");
}

/* The guest changes its own table. */
static void test_own_flushes(void)
{
	for (unsigned int by_address = 0; by_address < 2; by_address++) {
		struct svm guest = new_reader();

		*at32(guest.vmcb, ASID) = 3 + by_address;
		access.entry = guest_tables.last;
		access.value = entry_of(pages[GUEST_OTHER]);
		access.by_address = by_address;
		tap_equal(guest_reads(&guest), GUEST_OTHER, "the guest's page after its own %s",
			  by_address ? "INVLPG" : "write to CR3");
		tap_equal(access.before, GUEST_PAGE, "and before it");
		tap_equal(host_reads(), HOST_OTHER, "the host's page after the guest's");
	}
}

static void test_nested(void)
{
	struct svm guest = new_reader();

	make_nested();
	*at64(guest.vmcb, NESTED_CTL) = 1;
	*at64(guest.vmcb, NESTED_CR3) = (uintptr_t)top_of_host();
	*at32(guest.vmcb, ASID) = 5;
	tap_equal(guest_reads(&guest), GUEST_PAGE, "nested paging: the guest's page");
	*at64(guest.vmcb, NESTED_CR3) = (uintptr_t)nested.top;
	tap_equal(guest_reads(&guest), GUEST_OTHER,
		  "nested paging: a VMRUN with other nested tables has their page");
	nested.last[((uintptr_t)pages[GUEST_PAGE] & (LARGE - 1)) / PAGE] =
		entry_of(pages[GUEST_PAGE]);
	tap_equal(guest_reads(&guest), GUEST_OTHER,
		  "nested paging: VMRUN and #VMEXIT keep the translation");
	*at32(guest.vmcb, ASID) = 6;
	tap_equal(guest_reads(&guest), GUEST_PAGE,
		  "nested paging: a VMRUN with another ASID finds the nested table changed");
	*at64(guest.vmcb, NESTED_CTL) = 0;
	guest_tables.last[0] = entry_of(pages[GUEST_OTHER]);
	tap_equal(guest_reads(&guest), GUEST_OTHER,
		  "a VMRUN without nested paging has no nested translation");
	tap_equal(host_reads(), HOST_OTHER, "the host's page after nested paging");
}

void test_svm_sides(void)
{
	uint64_t *directory = follow(&follow(top_of_host())[DIRECTORY]);

	pmu_clear();
	for (unsigned int i = 0; i < PAGES; i++)
		pages[i][0] = i;
	host_last[0] = entry_of(pages[HOST_PAGE]);
	directory[0] = entry_of(host_last);
	struct svm guest = new_reader();

	test_apart(&guest);
	test_flushes();
	test_own_flushes();
	test_nested();
	directory[0] = 0;
	__asm__ volatile("invlpg (%0)" ::"r"(ADDRESS) : "memory");
}
