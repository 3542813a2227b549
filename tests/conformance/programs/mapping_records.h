/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Showing MMAP and MMAP2 records.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_MAPPING_RECORDS_H
#define TESTS_MAPPING_RECORDS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "record.h"

enum { BUFFER_PAGES = 16 };

#define FLAG_MMAP     (1ull << 8)
#define FLAG_MMAP2    (1ull << 23)

#define MISC_BUILD_ID (1u << 14)

/* The memory and file of the last action. */
static unsigned char *mapped;

static struct stat file_stat;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && strncmp(path, "//", 2) ? slash + 1 : path;
}

/* An address relative to the memory that the action mapped. */
static const char *relative(uint64_t address)
{
	static char text[32];

	if (address == 0)
		return "0";
	if (!mapped || address - (uint64_t)mapped >= 1 << 20)
		return "elsewhere";
	snprintf(text, sizeof(text), "there+%llx",
		 (unsigned long long)(address - (uint64_t)mapped));
	return text;
}

/* The file, or its build id, in an MMAP2 record. */
static void print_identity(char *text, size_t size)
{
	bool device = word32(40) == major(file_stat.st_dev) &&
		      word32(44) == minor(file_stat.st_dev);
	bool zero = true;

	if (!(header->misc & MISC_BUILD_ID)) {
		snprintf(text, size, "device %s inode %s",
			 word32(40) || word32(44) ? device ? "the file's" : "another" : "0",
			 word64(48) ? word64(48) == file_stat.st_ino ? "the file's" : "another" :
				      "0");
		return;
	}
	for (int i = 0; i < 20; i++)
		zero &= record[44 + i] == 0;
	snprintf(text, size, "build id of %u bytes, %s", record[40], zero ? "zero" : "not zero");
}

static void show_mapping(const char *when, int number)
{
	bool second = header->type == PERF_RECORD_MMAP2;
	const char *name = (const char *)record + (second ? 72 : 40);
	char text[1024], address[32], identity[128] = "", length[32] = "";

	strcpy(address, relative(word64(16)));
	if (mapped)
		snprintf(length, sizeof(length), " length %llu", (unsigned long long)word64(24));
	if (second)
		print_identity(identity, sizeof(identity));
	snprintf(text, sizeof(text), "%s of %s at %s%s offset %s misc %x size %u %.200s",
		 second ? "MMAP2" : "MMAP", word32(8) == (uint32_t)getpid() ? "self" : "another",
		 address, length, relative(word64(32)), header->misc, header->size,
		 base_name(name));
	show(text, "%s: record %d", when, number);
	if (!second)
		return;
	snprintf(text, sizeof(text), "%s protection %u flags %x", identity, word32(64), word32(68));
	show(text, "%s: record %d says", when, number);
}

static void show_record(const char *when, int number)
{
	char text[64];

	if (header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2) {
		show_mapping(when, number);
		return;
	}
	if (header->type == PERF_RECORD_COMM)
		snprintf(text, sizeof(text), "COMM \"%.20s\" misc %x", record + 16, header->misc);
	else
		snprintf(text, sizeof(text), "type %u misc %x size %u", header->type, header->misc,
			 header->size);
	show(text, "%s: record %d", when, number);
}

static void show_all(struct buffer *buffer, const char *when)
{
	int number = 0;

	while (next_record(buffer, record))
		show_record(when, ++number);
	show_number(number, when, "records");
}

enum { LENGTH = 3 * PAGE_BYTES, FREE_BYTES = 64 * PAGE_BYTES };

static unsigned char *free_place;

/* In the middle of free addresses, so that nothing lies beside it. */
static void map(size_t length, int prot, int flags, int fd, off_t offset)
{
	mapped = mmap(free_place + FREE_BYTES / 2, length, prot, flags | MAP_FIXED, fd, offset);
	if (mapped == MAP_FAILED) {
		show(error_name(errno), "mapping");
		exit(1);
	}
}

static void map_code(void)
{
	map(LENGTH, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A file with the name FILE, three pages long. */
static int make_file(const char *file)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0755);

	if (fd < 0 || ftruncate(fd, LENGTH) < 0) {
		show(error_name(errno), "making a file");
		exit(1);
	}
	fstat(fd, &file_stat);
	return fd;
}

static void map_file(void)
{
	int fd = make_file("/mapped");

	map(2 * PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE_BYTES);
	close(fd);
}

static void attr_mappings(union attr *attr, uint64_t flags)
{
	attr_dummy(attr);
	attr->words[WORD_FLAGS] |= flags;
	attr->fields.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CPU;
}

static void observe_action(uint64_t flags, const char *when, void (*function)(void))
{
	union attr attr;

	attr_mappings(&attr, flags);
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);

	mapped = NULL;
	memset(&file_stat, 0, sizeof(file_stat));
	free_place = mmap(NULL, FREE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(free_place, FREE_BYTES);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	function();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show_all(&buffer, when);
	unmap_buffer(&buffer);
	close(fd);
	munmap(free_place, FREE_BYTES);
}

#endif
