// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of memory as one program sees it: mappings, the break, the stack, files in memory. Linux has the
 * same rules: the same executable has to pass there.
 */
#include <fcntl.h>
#include <signal.h>

#include "process.h"

/* struct rlimit, RLIMIT_STACK and RLIMIT_AS: Linux's. Alpha numbers the last otherwise. */
struct limit {
	uint64_t current, most;
};

#ifdef __alpha__
enum { LIMIT_STACK = 3, LIMIT_SPACE = 7 };
#else
enum { LIMIT_STACK = 3, LIMIT_SPACE = 9 };
#endif

static void use_limited_memory(void)
{
	struct limit limit;

	/* A static program has less than 16 MiB: 8 more fit, 24 more never do. */
	syscall(__NR_getrlimit, LIMIT_SPACE, &limit);
	limit.current = 24 << 20;
	syscall(__NR_setrlimit, LIMIT_SPACE, &limit);
	char *small = mmap(NULL, 8 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *large = mmap(NULL, 24 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (small == MAP_FAILED || large != MAP_FAILED || errno != ENOMEM)
		_exit(1);
}

__attribute__((noinline)) static void use_much_stack(void)
{
	volatile char much[6 << 20];

	for (size_t i = sizeof(much); i >= PAGE; i -= PAGE)
		much[i - 1] = 1;
}

static void use_limited_stack(void)
{
	struct limit limit;

	syscall(__NR_getrlimit, LIMIT_STACK, &limit);
	limit.current = 1 << 20;
	syscall(__NR_setrlimit, LIMIT_STACK, &limit);
	use_much_stack();
}

static void use_too_much_stack(void)
{
	volatile char much[16 << 20];

	for (size_t i = sizeof(much); i >= PAGE; i -= PAGE)
		much[i - 1] = 1;
}

static void check_memory(void)
{
	char *base =
		mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(base != MAP_FAILED);
	memset(base, 'a', 8 * PAGE);
	/* A hole, which MAP_FIXED_NOREPLACE may fill and nothing else. */
	EXPECT_EQ(munmap(base + 2 * PAGE, 2 * PAGE), 0);
	EXPECT(page_at(base + PAGE, PROT_READ, MAP_FIXED_NOREPLACE) == MAP_FAILED);
	EXPECT_EQ(errno, EEXIST);
	EXPECT(page_at(base + 2 * PAGE, PROT_READ, MAP_FIXED_NOREPLACE) == base + 2 * PAGE);
	EXPECT_EQ(base[2 * PAGE], 0);
	EXPECT_EQ(base[PAGE], 'a');
	EXPECT_EQ(mprotect(base, 8 * PAGE, PROT_READ), -1);
	EXPECT_EQ(errno, ENOMEM);
	EXPECT(page_at(base + 3 * PAGE, PROT_READ | PROT_WRITE, MAP_FIXED) == base + 3 * PAGE);
	EXPECT_EQ(madvise(base + 4 * PAGE, PAGE, MADV_DONTNEED), 0);
	EXPECT_EQ(base[4 * PAGE], 0);
	EXPECT_EQ(base[5 * PAGE], 'a');
	EXPECT_EQ(munmap(base, 8 * PAGE), 0);

	char *brk = (char *)syscall(__NR_brk, 0);

	EXPECT((char *)syscall(__NR_brk, brk + 3 * PAGE) == brk + 3 * PAGE);
	brk[3 * PAGE - 1] = 1;
	EXPECT((char *)syscall(__NR_brk, brk) == brk);
	EXPECT((char *)syscall(__NR_brk, brk + 3 * PAGE) == brk + 3 * PAGE);
	EXPECT_EQ(brk[3 * PAGE - 1], 0);
	EXPECT((char *)syscall(__NR_brk, brk) == brk);

	EXPECT_EQ(status_of(start(use_much_stack)), 0);
	EXPECT_EQ(status_of(start(use_too_much_stack)) & 0x7f, SIGSEGV);
	EXPECT_EQ(status_of(start(use_limited_stack)) & 0x7f, SIGSEGV);
	EXPECT_EQ(status_of(start(use_limited_memory)), 0);
}

/* Half the addresses that a program has. */
#ifdef __alpha__
#define SPARSE_BYTES ((size_t)1 << 41)
#else
#define SPARSE_BYTES ((size_t)1 << 46)
#endif

static char *beyond;

static void read_beyond(void)
{
	(void)*(volatile char *)beyond;
}

static void check_sparse_memory(void)
{
	/* Three pages of memory: a call on all of it takes no time. */
	const size_t size = SPARSE_BYTES;
	char *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	EXPECT(base != MAP_FAILED);
	base[0] = base[size / 2 + 12345] = base[size - 1] = 'x';
	EXPECT_EQ(status_of(start(do_nothing)), 0);
	EXPECT_EQ(mprotect(base, size, PROT_READ), 0);
	EXPECT_EQ(base[0] + base[size / 2 + 12345] + base[size - 1], 3 * 'x');
	EXPECT_EQ(madvise(base, size, MADV_DONTNEED), 0);
	EXPECT_EQ(base[0] + base[size / 2 + 12345] + base[size - 1], 0);
	EXPECT_EQ(munmap(base, size), 0);
}

static void check_file_mappings(void)
{
	int fd = open(OWN_FILE, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	size_t pages = ((size_t)size + PAGE - 1) / PAGE;
	char magic[4];
	char *file = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	EXPECT(file != MAP_FAILED);
	EXPECT_EQ(memcmp(file, "\177ELF", 4), 0);
	/* Zeros up to the end of the last page, nothing after it. */
	EXPECT_EQ(file[pages * PAGE - 1], (size_t)size % PAGE ? 0 : file[pages * PAGE - 1]);
	beyond = file + pages * PAGE;
	EXPECT_EQ(status_of(start(read_beyond)) & 0x7f, SIGBUS);
	/* A write goes to a private copy, not to the file. */
	file[0] = 'x';
	EXPECT_EQ(pread(fd, magic, 4, 0), 4);
	EXPECT_EQ(memcmp(magic, "\177ELF", 4), 0);
	EXPECT_EQ(munmap(file, (pages + 1) * PAGE), 0);
	EXPECT(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EACCES);
	file = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	EXPECT(file != MAP_FAILED);
	EXPECT_EQ(mprotect(file, PAGE, PROT_READ | PROT_WRITE), -1);
	EXPECT_EQ(errno, EACCES);
	EXPECT_EQ(munmap(file, PAGE), 0);
	close(fd);
}

/* The CPU cannot map pages that may be written to but not read: a task that may write may read, before
 * the first write, after it, and when only a call reads. */
static void check_write_only(void)
{
	int ends[2];
	char byte = 1;
	char *memory = mmap(NULL, 3 * PAGE, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *file = mmap(NULL, PAGE, PROT_WRITE, MAP_PRIVATE, open(OWN_FILE, O_RDONLY), 0);

	EXPECT(memory != MAP_FAILED && file != MAP_FAILED);
	EXPECT_EQ(*(volatile char *)memory, 0);
	EXPECT_EQ(*(volatile char *)(file + 1), 'E');
	EXPECT_EQ(pipe(ends), 0);
	EXPECT_EQ(write(ends[1], memory + PAGE, 1), 1);
	EXPECT_EQ(read(ends[0], &byte, 1), 1);
	EXPECT_EQ(byte, 0);
	memory[2 * PAGE] = 2;
	EXPECT_EQ(mprotect(memory, 3 * PAGE, PROT_READ), 0);
	EXPECT_EQ(mprotect(memory, 3 * PAGE, PROT_WRITE), 0);
	EXPECT_EQ(*(volatile char *)(memory + 2 * PAGE), 2);
	memory[PAGE] = 3;
	EXPECT_EQ(*(volatile char *)(memory + PAGE), 3);
	close(ends[0]);
	close(ends[1]);
	munmap(memory, 3 * PAGE);
	munmap(file, PAGE);
}

#ifdef __x86_64__
enum { FILE_PAGES = 8, NUMBER_BYTES = 10 };

/* Stores 1.0 as the x87's number of ten bytes at TO. */
static void store_one(char *to)
{
	__asm__ volatile("fld1\n\tfstpt %0" : "=m"(*(char(*)[NUMBER_BYTES])to));
}

/* The neighbours of a page in memory are probably its neighbours in the file, and never the second page of a pair. */
static void check_spanned_pages(void)
{
	static const char one[NUMBER_BYTES] = { 0, 0, 0, 0, 0, 0, 0, (char)0x80, (char)0xff, 0x3f };
	static const char zeros[FILE_PAGES * PAGE];
	int fd = (int)syscall(__NR_memfd_create, "pages", 0);

	EXPECT_EQ(ftruncate(fd, FILE_PAGES * PAGE), 0);
	char *all = mmap(NULL, FILE_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	EXPECT(all != MAP_FAILED);
	memset(all, 0, FILE_PAGES * PAGE);
	for (int page = 0; page < FILE_PAGES; page++) {
		int second = (page + FILE_PAGES / 2) % FILE_PAGES;
		char *pair = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				  (off_t)page * PAGE);

		EXPECT(pair != MAP_FAILED);
		EXPECT(mmap(pair + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			    (off_t)second * PAGE) == pair + PAGE);
		for (int before = 1; before < NUMBER_BYTES; before++) {
			char *place = pair + PAGE - before;

			store_one(place);
			EXPECT_AT(memcmp(place, one, NUMBER_BYTES) == 0, "page %d, %d bytes in it",
				  page, before);
			memset(place, 0, NUMBER_BYTES);
			EXPECT_AT(memcmp(all, zeros, sizeof(zeros)) == 0, "page %d, %d bytes in it",
				  page, before);
		}
		munmap(pair, 2 * PAGE);
	}
	munmap(all, FILE_PAGES * PAGE);
	close(fd);
}
#endif

static const struct tap_rule rules[] = {
	{ "mappings are placed, split, dropped and grown as asked", check_memory },
	{ "a mapping larger than any memory costs what is used of it", check_sparse_memory },
	{ "memory that may be written to may be read", check_write_only },
	{ "a mapped file ends where it ends, and is not written to", check_file_mappings },
#ifdef __x86_64__
	{ "a number of the x87 in two pages changes no third page", check_spanned_pages },
#endif
};

int main(void)
{
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
