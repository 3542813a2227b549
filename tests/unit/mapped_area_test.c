// SPDX-License-Identifier: BSD-2-Clause
/* The name and the file in the record of a mapping. The test stands for the files and for the writer of records. */
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/vm.h>
#include <kernel/perf/first_abi.h>
#include <kernel/perf/mapped_area.h>
#include <kernel/perf/mmap_record.h>
#include <kernel/perf/sideband.h>
#include <kernel/task/build_id.h>

#include "sim/sim.h"
#include "tap.h"

_Atomic unsigned int perf_sideband_watchers[PERF_SIDEBAND_KINDS];
struct dentry *root_dentry;

/* The last mapping that was reported, and its name. */
static struct perf_mapping reported;
static char reported_name[64];

void perf_task_mapped(const struct perf_mapping *mapping)
{
	reported = *mapping;
	snprintf(reported_name, sizeof(reported_name), "%s", mapping->name);
}

/* The last mapping whose end was reported. */
static struct perf_mapping removed;

void perf_first_unmapped(const struct perf_mapping *mapping)
{
	removed = *mapping;
}

static struct inode inode = { .mode = S_IFREG | 0755 };
static struct dentry dentry = { .inode = &inode };
static const struct file_ops ops = { .name = "[perf_event]" };
static struct file plain_file = { .ops = &ops, .dentry = &dentry }, nameless_file = { .ops = &ops };
static bool path_fits;
static uint64_t memory_number;

void inode_stat(const struct inode *of, struct kernel_stat *stat)
{
	EXPECT(of == &inode);
	*stat = (struct kernel_stat){ .st_dev = 0x1234, .st_ino = 77 };
}

char *dentry_path(struct dentry *of, struct dentry *root, char *buffer, size_t size)
{
	EXPECT(of == &dentry && root == root_dentry);
	EXPECT_EQ(size, PATH_SIZE);
	return path_fits ? strcpy(buffer + size - sizeof("/bin/true"), "/bin/true") : NULL;
}

unsigned int build_id_read(struct file *file, uint8_t id[BUILD_ID_SIZE_MAX])
{
	EXPECT(file == &plain_file);
	memcpy(id, "\x12\x34\x56", 3);
	return 3;
}

uint64_t shared_memory_number(const struct vm_area *area)
{
	return memory_number;
}

/* Reports AREA at 0x10000, three pages long. */
static void report(struct vm_area area)
{
	area.start = 0x10000;
	area.end = 0x13000;
	area.offset = 0x5000;
	perf_area_mapped(&area);
}

static void start(void)
{
	path_fits = true;
	memory_number = 0;
	inode.mode = S_IFREG | 0755;
	perf_sideband_watchers[PERF_SIDEBAND_BUILD_ID] = 0;
}

static void expect_file(unsigned int major, unsigned int minor, uint64_t number, uint64_t offset,
			const char *name)
{
	EXPECT_STR(reported_name, name);
	EXPECT_EQ_AT(reported.device_major, major, "%s", name);
	EXPECT_EQ_AT(reported.device_minor, minor, "%s", name);
	EXPECT_EQ_AT(reported.inode_number, number, "%s", name);
	EXPECT_EQ_AT(reported.offset, offset, "%s", name);
	EXPECT_EQ_AT(reported.start, 0x10000, "%s", name);
	EXPECT_EQ_AT(reported.length, 0x3000, "%s", name);
}

static void a_file_has_its_path_and_number(void)
{
	start();
	report((struct vm_area){ .file = &plain_file, .prot = VM_READ | VM_EXEC, .locked = true });
	expect_file(0x12, 0x34, 77, 0x5000, "/bin/true");
	EXPECT_EQ(reported.prot, VM_READ | VM_EXEC);
	EXPECT(!reported.shared);
	EXPECT(reported.locked);
	path_fits = false;
	report((struct vm_area){ .file = &plain_file, .prot = VM_WRITE, .shared = true });
	expect_file(0x12, 0x34, 77, 0x5000, "//toolong");
	EXPECT_EQ(reported.prot, VM_WRITE);
	EXPECT(reported.shared);
	EXPECT(!reported.locked);
}

static void a_build_id_is_read_on_request(void)
{
	start();
	report((struct vm_area){ .file = &plain_file });
	EXPECT_EQ(reported.build_id_size, 0);
	perf_sideband_watchers[PERF_SIDEBAND_BUILD_ID] = 1;
	report((struct vm_area){ .file = &plain_file });
	EXPECT_EQ(reported.build_id_size, 3);
	EXPECT(!memcmp(reported.build_id, "\x12\x34\x56", 3));
	inode.mode = S_IFCHR | 0666;
	report((struct vm_area){ .file = &plain_file });
	EXPECT_EQ(reported.build_id_size, 0);
}

static void memory_without_a_path_has_a_name(void)
{
	start();
	report((struct vm_area){ 0 });
	expect_file(0, 0, 0, 0x5000, "//anon");
	report((struct vm_area){ .name = "[heap]" });
	expect_file(0, 0, 0, 0x5000, "[heap]");
	/* A file without a path has no offset. */
	report((struct vm_area){ .file = &nameless_file });
	expect_file(0, 0, 0, 0, "anon_inode:[perf_event]");
	report((struct vm_area){ .file = &nameless_file, .name = "[aio]" });
	expect_file(0, 0, 0, 0, "[aio]");
	memory_number = 5;
	report((struct vm_area){ .shared = true, .name = "/dev/zero (deleted)" });
	expect_file(0, 1, 5, 0x5000, "/dev/zero (deleted)");
}

static void without_memory_the_name_says_so(void)
{
	start();
	sim_allocation_fail(1);
	report((struct vm_area){ .file = &plain_file });
	expect_file(0, 0, 0, 0x5000, "//enomem");
}

static void an_end_is_reported_with_the_same(void)
{
	const struct vm_area area = { .file = &plain_file,
				      .prot = VM_READ | VM_EXEC,
				      .start = 0x10000,
				      .end = 0x13000,
				      .offset = 0x5000 };

	start();
	removed = (struct perf_mapping){ 0 };
	perf_area_unmapped(&area);
	EXPECT_EQ(removed.start, 0x10000);
	EXPECT_EQ(removed.length, 0x3000);
	EXPECT_EQ(removed.offset, 0x5000);
	EXPECT_EQ(removed.prot, VM_READ | VM_EXEC);
	EXPECT_EQ(removed.inode_number, 77);
}

static const struct tap_rule rules[] = {
	{ "the end of a mapping is reported with the same", an_end_is_reported_with_the_same },
	{ "a mapped file has its path, its device and its number", a_file_has_its_path_and_number },
	{ "a regular file's build id is read if an event asks for it",
	  a_build_id_is_read_on_request },
	{ "memory without a path has Linux's names", memory_without_a_path_has_a_name },
	{ "without memory for a path the name is //enomem", without_memory_the_name_says_so },
};

TAP_MAIN(rules)
