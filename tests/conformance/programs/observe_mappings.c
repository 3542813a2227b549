// SPDX-License-Identifier: BSD-2-Clause
/*
 * MMAP and MMAP2 records: which calls make them.
 */
#include <sys/stat.h>

#include "mapping_records.h"

#define FLAG_MMAP_DATA	   (1ull << 17)
#define FLAG_SAMPLE_ID_ALL (1ull << 18)

/* --- what may cause records --- */

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
	observe_action(0, "not requested", map_code);
}

int main(int count, char **arguments)
{
	(void)arguments;
	if (count > 1)
		return 0;
	observe_actions();
	return 0;
}
