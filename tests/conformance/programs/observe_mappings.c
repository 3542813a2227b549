// SPDX-License-Identifier: BSD-2-Clause
/*
 * Records of mappings: which calls cause one, for which events, and what it says. Addresses are shown as what
 * was asked for, inodes as whether they are the file's.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "record.h"

enum { BUFFER_PAGES = 16 };

#define FLAG_MMAP	    (1ull << 8)
#define FLAG_COMM	    (1ull << 9)
#define FLAG_ENABLE_ON_EXEC (1ull << 12)
#define FLAG_MMAP_DATA	    (1ull << 17)
#define FLAG_SAMPLE_ID_ALL  (1ull << 18)
#define FLAG_MMAP2	    (1ull << 23)
#define FLAG_COMM_EXEC	    (1ull << 24)
#define FLAG_BUILD_ID	    (1ull << 34)
#define FLAG_REMOVE_ON_EXEC (1ull << 36)

#define MISC_BUILD_ID	    (1u << 14)

/* What the last action did. */
static unsigned char *mapped;
static struct stat file_stat;

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && strncmp(path, "//", 2) ? slash + 1 : path;
}

/* How an address lies to what the action mapped. */
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

/* What MMAP2 says of the file, or of its build id. */
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

/* --- what may cause records --- */

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

static void map_everything(void)
{
	map(LENGTH, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_only_code(void)
{
	map(LENGTH, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_data(void)
{
	map(LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_nothing(void)
{
	map(LENGTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_odd_length(void)
{
	map(LENGTH - 5, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_locked(void)
{
	map(LENGTH, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_LOCKED, -1, 0);
}

static void map_shared(void)
{
	map(LENGTH, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(&file_stat, 0, sizeof(file_stat));
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

static void map_file_shared(void)
{
	int fd = make_file("/mapped");

	map(2 * PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
}

/* Also what lies beside the same file's code becomes one with it. */
static void map_file_beside(void)
{
	int fd = make_file("/mapped");

	map(LENGTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(mapped, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	mmap(mapped + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
	     PAGE_BYTES);
	close(fd);
}

static void map_deleted(void)
{
	int fd = make_file("/deleted");

	unlink("/deleted");
	map(PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void map_in_a_folder(void)
{
	mkdir("/folder", 0755);
	int fd = make_file("/folder/a name with blanks of more than eight");

	map(PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void map_memfd(void)
{
	int fd = memfd_create("code", 0);

	if (ftruncate(fd, LENGTH) < 0)
		exit(1);
	fstat(fd, &file_stat);
	map(PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void map_wrongly(void)
{
	mmap(NULL, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mmap(NULL, LENGTH, PROT_READ | PROT_EXEC, MAP_PRIVATE, -1, 0);
	mmap((void *)1, LENGTH, PROT_READ | PROT_EXEC, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
	     0);
}

static void make_code(void)
{
	map_data();
	mprotect(mapped, LENGTH, PROT_READ | PROT_EXEC);
}

static void make_code_twice(void)
{
	map_code();
	mprotect(mapped, LENGTH, PROT_READ | PROT_EXEC);
}

static void make_part_code(void)
{
	map_data();
	mprotect(mapped + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_EXEC);
}

/* The second part joins the first. */
static void make_more_code(void)
{
	map_data();
	mprotect(mapped, PAGE_BYTES, PROT_READ | PROT_EXEC);
	mprotect(mapped + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_EXEC);
}

static void make_no_code(void)
{
	map_code();
	mprotect(mapped, LENGTH, PROT_READ);
}

static void make_several_code(void)
{
	map(LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(mapped + PAGE_BYTES, PAGE_BYTES, PROT_READ);
	mprotect(mapped, LENGTH, PROT_READ | PROT_EXEC);
}

static void unmap_code(void)
{
	map_code();
	munmap(mapped + PAGE_BYTES, PAGE_BYTES);
}

static void move_code(void)
{
	map_code();
	mremap(mapped, LENGTH, LENGTH, MREMAP_MAYMOVE | MREMAP_FIXED, mapped + LENGTH);
}

static void lock_code(void)
{
	map_code();
	mlock(mapped, LENGTH);
}

static void advise_code(void)
{
	map_code();
	madvise(mapped, LENGTH, MADV_DONTFORK);
}

static void grow_heap(void)
{
	mapped = sbrk(0);
	mapped += -(uintptr_t)mapped & (PAGE_BYTES - 1);
	brk(mapped);
	brk(mapped + PAGE_BYTES);
	brk(mapped);
}

static void map_beyond(void)
{
	map_code();
	mmap(mapped + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_EXEC,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void share_space(void)
{
	fflush(stdout);
	map_code();
	if (vfork() == 0)
		_exit(0);
}

static const struct {
	const char *name;
	void (*function)(void);
} actions[] = {
	{ "code", map_code },
	{ "code that may be written", map_everything },
	{ "code that may not be read", map_only_code },
	{ "data", map_data },
	{ "nothing", map_nothing },
	{ "no whole pages", map_odd_length },
	{ "locked", map_locked },
	{ "shared memory", map_shared },
	{ "a file", map_file },
	{ "a file, shared", map_file_shared },
	{ "a file beside itself", map_file_beside },
	{ "a deleted file", map_deleted },
	{ "a file in a folder", map_in_a_folder },
	{ "a memfd", map_memfd },
	{ "what fails", map_wrongly },
	{ "mprotect of data", make_code },
	{ "mprotect that changes nothing", make_code_twice },
	{ "mprotect of a part", make_part_code },
	{ "mprotect of the next part", make_more_code },
	{ "mprotect of code", make_no_code },
	{ "mprotect of several", make_several_code },
	{ "munmap", unmap_code },
	{ "mremap", move_code },
	{ "mlock", lock_code },
	{ "madvise", advise_code },
	{ "brk", grow_heap },
	{ "in its place", map_beyond },
	{ "vfork", share_space },
};

static const struct {
	const char *name;
	uint64_t flags;
} kinds[] = {
	{ "mmap", FLAG_MMAP },
	{ "mmap_data", FLAG_MMAP_DATA },
	{ "mmap2", FLAG_MMAP | FLAG_MMAP2 },
	{ "mmap2 and data", FLAG_MMAP | FLAG_MMAP2 | FLAG_MMAP_DATA },
};

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

static void observe_actions(void)
{
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
			char when[128];

			snprintf(when, sizeof(when), "%s, %s", kinds[kind].name, actions[i].name);
			observe_action(kinds[kind].flags, when, actions[i].function);
		}
	}
	observe_action(FLAG_MMAP2, "mmap2 alone", map_code);
	observe_action(FLAG_MMAP | FLAG_SAMPLE_ID_ALL, "identified", map_code);
	observe_action(FLAG_MMAP | FLAG_MMAP2 | FLAG_SAMPLE_ID_ALL, "mmap2, identified", map_code);
	observe_action(0, "not asked for", map_code);
}

/* --- build ids --- */

static void map_own_program(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	fstat(fd, &file_stat);
	map(PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
}

static void observe_build_ids(void)
{
	observe_action(FLAG_MMAP | FLAG_MMAP2 | FLAG_BUILD_ID, "build id of this program",
		       map_own_program);
	observe_action(FLAG_MMAP | FLAG_MMAP2 | FLAG_BUILD_ID, "build id of no program", map_file);
	observe_action(FLAG_MMAP | FLAG_MMAP2 | FLAG_BUILD_ID, "build id of anonymous memory",
		       map_code);
	observe_action(FLAG_MMAP | FLAG_BUILD_ID, "build id without mmap2", map_own_program);
}

/* --- exec --- */

/* A child that executes this program again, which then only ends; told of by an event of FLAGS. */
static void observe_exec(uint64_t flags, const char *when)
{
	union attr attr;
	int go[2];

	fflush(stdout);
	if (pipe(go) < 0)
		exit(1);
	pid_t child = fork();

	if (child == 0) {
		char byte;

		close(go[1]);
		if (read(go[0], &byte, 1) != 0)
			_exit(1);
		execl("/proc/self/exe", "again", "end", NULL);
		_exit(2);
	}
	close(go[0]);
	attr_mappings(&attr, flags);
	if (!(flags & FLAG_ENABLE_ON_EXEC))
		attr.fields.disabled = 0;
	int fd = (int)open_event(&attr, child, -1, -1, 0);

	show(outcome(fd), "%s: open", when);
	if (fd >= 0) {
		struct buffer buffer = map_buffer(fd, BUFFER_PAGES, PROT_READ | PROT_WRITE);
		int status;
		uint64_t count;

		mapped = NULL;
		close(go[1]);
		waitpid(child, &status, 0);
		show_number(status, when, "status");
		show_all(&buffer, when);
		show_number(read(fd, &count, sizeof(count)), when, "bytes read");
		unmap_buffer(&buffer);
		close(fd);
	}
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (count > 1)
		return 0;
	observe_actions();
	observe_build_ids();
	observe_exec(FLAG_MMAP, "exec, mmap");
	observe_exec(FLAG_MMAP | FLAG_MMAP2, "exec, mmap2");
	observe_exec(FLAG_MMAP | FLAG_COMM, "exec, with its name");
	observe_exec(FLAG_MMAP | FLAG_COMM | FLAG_COMM_EXEC, "exec, with its name as exec's");
	observe_exec(FLAG_MMAP | FLAG_ENABLE_ON_EXEC, "exec, enabled by it");
	observe_exec(FLAG_MMAP | FLAG_REMOVE_ON_EXEC, "exec, removed by it");
	return 0;
}
