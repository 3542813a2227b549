// SPDX-License-Identifier: BSD-2-Clause
/*
 * MMAP records of execve, and build ids in MMAP2 records.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "mapping_records.h"

#define FLAG_COMM	    (1ull << 9)
#define FLAG_ENABLE_ON_EXEC (1ull << 12)
#define FLAG_COMM_EXEC	    (1ull << 24)
#define FLAG_BUILD_ID	    (1ull << 34)
#define FLAG_REMOVE_ON_EXEC (1ull << 36)

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

/* A child executes this program again, which then only exits; an event with FLAGS reports it. */
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
	observe_build_ids();
	observe_exec(FLAG_MMAP, "exec, mmap");
	observe_exec(FLAG_MMAP | FLAG_MMAP2, "exec, mmap2");
	observe_exec(FLAG_MMAP | FLAG_COMM, "exec, with its name");
	observe_exec(FLAG_MMAP | FLAG_COMM | FLAG_COMM_EXEC, "exec, with its name as exec's");
	observe_exec(FLAG_MMAP | FLAG_ENABLE_ON_EXEC, "exec, enabled by it");
	observe_exec(FLAG_MMAP | FLAG_REMOVE_ON_EXEC, "exec, removed by it");
	return 0;
}
