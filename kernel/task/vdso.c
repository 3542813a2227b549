/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vDSO's pages and their mapping into a space, see <kernel/task/vdso.h>. The contents of the object are
 * the ISA's (arch/ISA/vdso/).
 *
 * Data and object are one object to the memory management: page 0 is the data, then comes the ELF file. All
 * spaces share the pages; a private mapping copies a page that a debugger writes to.
 */
#include <kernel/task/vdso.h>

#include <string.h>

#include <arch/vdso.h>
#include <kernel/base/panic.h>
#include <kernel/base/start.h>
#include <kernel/fs/file.h>
#include <kernel/mm/page.h>
#include <kernel/mm/vm.h>
#include <kernel/task/clock.h>
#include <kernel/time/time.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

/* Most pages, the data page included. */
#define PAGES_MAX 4

static void *pages[PAGES_MAX];
static size_t page_count; /* 0: there is no vDSO */
static struct file *object;

static struct vdso_data *data(void)
{
	return pages[0];
}

static void *fault(struct vm_area *area, uint64_t offset, bool write, bool *writable)
{
	size_t index = offset / PAGE_SIZE;

	*writable = false;
	if (index >= page_count)
		return NULL;
	page_get(pages[index]);
	return pages[index];
}

static const struct vm_area_ops area_ops = { .fault = fault };

static int map_object(struct file *file, struct vm_area *area)
{
	area->ops = &area_ops;
	area->dont_expand = true;
	return 0;
}

static const struct file_ops object_ops = { .mmap = map_object };

static void vdso_init(void)
{
	size_t size = (size_t)(arch_vdso_end - arch_vdso_start);
	size_t count = 1 + (size + PAGE_SIZE - 1) / PAGE_SIZE;
	struct clock_conversion conversion;

	if (!size)
		return;
	if (count > PAGES_MAX)
		panic("the vDSO has %lu bytes", (unsigned long)size);
	for (size_t i = 0; i < count; i++) {
		pages[i] = page_alloc(0);
		if (!pages[i])
			panic("no memory for the vDSO");
		page_set_kind(pages[i], PAGE_FILE);
		size_t from = (i - 1) * PAGE_SIZE;

		if (i > 0)
			memcpy(pages[i], arch_vdso_start + from,
			       size - from < PAGE_SIZE ? size - from : PAGE_SIZE);
	}
	object = file_create(&object_ops, NULL, O_RDONLY);
	if (!object)
		panic("no memory for the vDSO");
	if (clock_user_conversion(&conversion)) {
		data()->mult = conversion.mult;
		data()->shift = conversion.shift;
		data()->offset_ns = conversion.offset_ns;
	}
	data()->knows_cpu = arch_vdso_knows_cpu();
	data()->epoch_ns = clock_epoch_ns();
	page_count = count;
}

START(START_LATE, vdso_init);

void vdso_set_epoch(uint64_t epoch_ns)
{
	if (page_count)
		__atomic_store_n(&data()->epoch_ns, epoch_ns, __ATOMIC_RELAXED);
}

void vdso_set_zone(int32_t minutes_west, int32_t summer_time)
{
	uint64_t zone = (uint32_t)minutes_west | (uint64_t)(uint32_t)summer_time << 32;

	if (page_count)
		__atomic_store_n(&data()->zone, zone, __ATOMIC_RELAXED);
}

long vdso_map(struct vm_space *space)
{
	struct vm_request whole = {
		.size = page_count * PAGE_SIZE,
		.prot = VM_READ | VM_EXEC,
		.file = object,
		.name = "[vdso]",
	};

	if (!page_count)
		return 0;
	long address = vm_map(space, &whole);

	if (address < 0)
		return address;
	const struct vm_request page = {
		.address = (uintptr_t)address,
		.size = PAGE_SIZE,
		.prot = VM_READ,
		.fixed = true,
		.device = true,
		.file = object,
		.name = "[vvar]",
	};
	long error = vm_map(space, &page);

	return error < 0 ? error : address + (long)PAGE_SIZE;
}
