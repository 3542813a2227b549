/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every call that takes a range of a program's memory, at the edges of user space: its answer, and its
 * changes.
 *
 * A table of calls meets a table of places where a range begins. A line is one call at one place: its answer
 * for each length in order, then the changes: lines of the map, or the canary (a page beside the one that is
 * mapped for this), or how the program ended. A child goes from place to place until something has changed;
 * the next one continues after it.
 */

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "ranges.h"

/* --- the calls --- */

typedef long range_call(unsigned long at, unsigned long size);

static long raw(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
		unsigned long e)
{
	return syscall(number, a, b, c, d, e, 0ul);
}

static long map(unsigned long at, unsigned long size, int flags)
{
	return (long)mmap((void *)at, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static long remap(unsigned long at, unsigned long old, unsigned long new, unsigned long flags,
		  unsigned long to)
{
	return raw(SYS_mremap, at, old, new, flags, to);
}

static long by_vm(long number, struct iovec own, struct iovec other)
{
	return syscall(number, getpid(), &own, 1, &other, 1, 0);
}

#define CALL(name, expression)                                 \
	static long name(unsigned long at, unsigned long size) \
	{                                                      \
		(void)size;                                    \
		return (long)(expression);                     \
	}
#define PART(at, size) ((struct iovec){ (void *)(at), size })

CALL(do_munmap, raw(SYS_munmap, at, size, 0, 0, 0))
CALL(do_mprotect, raw(SYS_mprotect, at, size, PROT_READ, 0, 0))
CALL(do_mprotect_down, raw(SYS_mprotect, at, size, PROT_READ | PROT_GROWSDOWN, 0, 0))
CALL(do_mprotect_both, raw(SYS_mprotect, at, size, PROT_READ | PROT_GROWSDOWN | PROT_GROWSUP, 0, 0))
CALL(do_mprotect_wrong, raw(SYS_mprotect, at, size, 0x40000000, 0, 0))
static long lock_limited(long number, unsigned long at, unsigned long size, rlim_t most)
{
	const struct rlimit limit = { most, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &limit);
	return raw(number, at, size, 0, 0, 0);
}

CALL(do_mlock, lock_limited(SYS_mlock, at, size, 4 * PAGE))
CALL(do_mlock_all, lock_limited(SYS_mlock, at, size, RLIM_INFINITY))
CALL(do_mlock_none, lock_limited(SYS_mlock, at, size, 0))
CALL(do_mlock2, raw(SYS_mlock2, at, size, 1, 0, 0))
CALL(do_munlock, raw(SYS_munlock, at, size, 0, 0, 0))
CALL(do_msync, raw(SYS_msync, at, size, MS_SYNC, 0, 0))
CALL(do_msync_later, raw(SYS_msync, at, size, MS_ASYNC, 0, 0))
CALL(do_msync_again, raw(SYS_msync, at, size, MS_INVALIDATE, 0, 0))
CALL(do_mincore, raw(SYS_mincore, at, size, (unsigned long)vector, 0, 0))
CALL(do_mincore_into, raw(SYS_mincore, MAPPED, PAGE, at, 0, 0))
CALL(do_fixed, map(at, size, MAP_FIXED))
CALL(do_new_fixed, map(at, size, MAP_FIXED_NOREPLACE))
CALL(do_hint, map(at, size, 0))
CALL(do_down, map(at, size, MAP_FIXED | MAP_GROWSDOWN))
CALL(do_shrink, remap(at, size, PAGE, 0, 0))
CALL(do_shrink_moving, remap(at, size, PAGE, MREMAP_MAYMOVE, 0))
CALL(do_grow, remap(at, PAGE, size, 0, 0))
CALL(do_grow_moving, remap(at, PAGE, size, MREMAP_MAYMOVE, 0))
CALL(do_grow_all, remap(at, size, size + PAGE, 0, 0))
CALL(do_move, remap(at, size, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, MAPPED + 16 * PAGE))
CALL(do_move_all, remap(at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, MAPPED + 16 * PAGE))
CALL(do_move_to, remap(MAPPED, PAGE, size, MREMAP_MAYMOVE | MREMAP_FIXED, at))
CALL(do_move_more, remap(MAPPED, size, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, at))
CALL(do_move_away, remap(at, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, 0))
CALL(do_move_away_to,
     remap(MAPPED, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP | MREMAP_FIXED, at))
CALL(do_readv_from, by_vm(SYS_process_vm_readv, PART(vector, sizeof(vector)), PART(at, size)))
CALL(do_readv_to, by_vm(SYS_process_vm_readv, PART(at, size), PART(vector, sizeof(vector))))
CALL(do_writev_to, by_vm(SYS_process_vm_writev, PART(vector, sizeof(vector)), PART(at, size)))
CALL(do_writev_from, by_vm(SYS_process_vm_writev, PART(at, size), PART(vector, sizeof(vector))))
CALL(do_vmsplice, vmsplice(pipe_fds[1], &PART(at, size), 1, SPLICE_F_NONBLOCK))
CALL(do_read, read(zero_fd, (void *)at, size))
CALL(do_write, write(pipe_fds[1], (void *)at, size))
CALL(do_random, syscall(SYS_getrandom, at, size, 0))
CALL(do_pread_mem, pread(mem_fd, vector, size < sizeof(vector) ? size : sizeof(vector), (off_t)at))
CALL(do_pwrite_mem,
     pwrite(mem_fd, vector, size < sizeof(vector) ? size : sizeof(vector), (off_t)at))
CALL(do_read_mem_to, pread(mem_fd, (void *)at, size < PAGE ? size : PAGE, MAPPED))

static long brk_at(unsigned long at)
{
	long result = raw(SYS_brk, at, 0, 0, 0, 0);

	/* Alpha's says ENOMEM, x86-64's where the break is. */
	if (result >= 0 && (unsigned long)result == at)
		return 0;
	errno = ENOMEM;
	return -1;
}

CALL(do_brk, brk_at(at))
CALL(do_wait, raw(SYS_futex, at, FUTEX_WAIT, 1, 0, 0))
CALL(do_wait_private, raw(SYS_futex, at, FUTEX_WAIT_PRIVATE, 1, 0, 0))
CALL(do_wake, raw(SYS_futex, at, FUTEX_WAKE, 1, 0, 0))
CALL(do_wake_private, raw(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1, 0, 0))
CALL(do_requeue, raw(SYS_futex, (unsigned long)vector, FUTEX_REQUEUE_PRIVATE, 1, 0, at))

#define ADVICE(name, number) CALL(do_##name, raw(SYS_madvise, at, size, number, 0, 0))

ADVICE(normal, MADV_NORMAL)
ADVICE(willneed, MADV_WILLNEED)
ADVICE(dontneed, MADV_DONTNEED)
ADVICE(free, MADV_FREE)
ADVICE(remove, MADV_REMOVE)
ADVICE(dontfork, MADV_DONTFORK)
ADVICE(dofork, MADV_DOFORK)
ADVICE(dontdump, MADV_DONTDUMP)
ADVICE(wipeonfork, MADV_WIPEONFORK)
ADVICE(cold, MADV_COLD)
ADVICE(pageout, MADV_PAGEOUT)
ADVICE(populate_read, MADV_POPULATE_READ)
ADVICE(populate_write, MADV_POPULATE_WRITE)
ADVICE(poison, MADV_HWPOISON)
ADVICE(unknown, 9999)

/* A call of a range, with every length. */
static const struct {
	const char *name;
	range_call *call;
} calls[] = {
	{ "munmap", do_munmap },
	{ "mprotect", do_mprotect },
	{ "mprotect, a stack", do_mprotect_down },
	{ "mprotect, a stack both ways", do_mprotect_both },
	{ "mprotect, an unknown protection", do_mprotect_wrong },
	{ "mlock", do_mlock },
	{ "mlock, without limit", do_mlock_all },
	{ "mlock, none allowed", do_mlock_none },
	{ "mlock2", do_mlock2 },
	{ "munlock", do_munlock },
	{ "msync", do_msync },
	{ "msync, later", do_msync_later },
	{ "msync, again", do_msync_again },
	{ "mincore", do_mincore },
	{ "mmap, fixed", do_fixed },
	{ "mmap, fixed and new", do_new_fixed },
	{ "mmap, a hint", do_hint },
	{ "mmap, a stack", do_down },
	{ "mremap, shrink", do_shrink },
	{ "mremap, shrink or move", do_shrink_moving },
	{ "mremap, grow", do_grow },
	{ "mremap, grow or move", do_grow_moving },
	{ "mremap, grow by a page", do_grow_all },
	{ "mremap, shrink and move", do_move },
	{ "mremap, move", do_move_all },
	{ "mremap, move there", do_move_to },
	{ "mremap, shrink and move there", do_move_more },
	{ "mremap, move away", do_move_away },
	{ "mremap, move away there", do_move_away_to },
	{ "process_vm_readv from there", do_readv_from },
	{ "process_vm_readv to there", do_readv_to },
	{ "process_vm_writev to there", do_writev_to },
	{ "process_vm_writev from there", do_writev_from },
	{ "vmsplice", do_vmsplice },
	{ "read", do_read },
	{ "write", do_write },
	{ "getrandom", do_random },
	{ "/proc/self/mem, read from there", do_pread_mem },
	{ "/proc/self/mem, write to there", do_pwrite_mem },
	{ "/proc/self/mem, read to there", do_read_mem_to },
	{ "madvise, normal", do_normal },
	{ "madvise, willneed", do_willneed },
	{ "madvise, dontneed", do_dontneed },
	{ "madvise, free", do_free },
	{ "madvise, remove", do_remove },
	{ "madvise, dontfork", do_dontfork },
	{ "madvise, dofork", do_dofork },
	{ "madvise, dontdump", do_dontdump },
	{ "madvise, wipeonfork", do_wipeonfork },
	{ "madvise, cold", do_cold },
	{ "madvise, pageout", do_pageout },
	{ "madvise, populate to read", do_populate_read },
	{ "madvise, populate to write", do_populate_write },
	{ "madvise, poison", do_poison },
	{ "madvise, unknown", do_unknown },
};

/* Calls of an address. */
static const struct {
	const char *name;
	range_call *call;
} address_calls[] = {
	{ "mincore to there", do_mincore_into },
	{ "brk", do_brk },
	{ "futex, wait", do_wait },
	{ "futex, wait, private", do_wait_private },
	{ "futex, wake", do_wake },
	{ "futex, wake, private", do_wake_private },
	{ "futex, requeue to there", do_requeue },
};

/* "ok", or the error; after the same one "″". */
static void add_answer(long result)
{
	static int last;
	int answer = result < 0 ? errno : 0;
	bool first = !*board->text;

	if (!first && answer == last)
		add(" ″");
	else
		add("%s%s", first ? "" : " ", answer ? error_name(answer) : "ok");
	last = answer;
}

/* Whether something is another than when the map was MAPS. */
static bool add_changes(unsigned long maps)
{
	size_t length = strlen(board->text);

	if (maps_hash() != maps)
		add(", the map");
	if (!is_kept(MAPPED - PAGE) || !is_kept(MAPPED + PAGE))
		add(", the canary");
	if (!is_kept(MAPPED))
		add(", the page");
	return board->text[length];
}

static void show_line(const char *call)
{
	show(board->text, "%s: %s", call, places[board->place].name);
	board->place++;
	*board->text = '\0';
}

/* So that no call meets a full one. */
static void empty_pipe(void)
{
	static char bytes[1 << 16];

	while (read(pipe_fds[0], bytes, sizeof(bytes)) > 0)
		;
}

/* A child's part: CALL at the places from board->place on, until something has changed. */
static void go_on(const char *name, range_call *call, bool only_address)
{
	unsigned long maps = maps_hash();

	mem_fd = open("/proc/self/mem", O_RDWR);
	while (board->place < PLACES) {
		unsigned long at = address_of(board->place), lengths[LENGTHS_MAX];
		size_t count = lengths_at(at, lengths);

		for (size_t i = 0; i < (only_address ? 1 : count); i++) {
			add_answer(call(at, lengths[i]));
			empty_pipe();
		}
		if (add_changes(maps))
			break;
		show_line(name);
		fflush(stdout);
	}
	_exit(0);
}

static void check(const char *name, range_call *call, bool only_address)
{
	board->place = 0;
	while (board->place < PLACES) {
		int status;

		fflush(stdout);
		*board->text = '\0';
		pid_t child = fork();

		if (child == 0)
			go_on(name, call, only_address);
		waitpid(child, &status, 0);
		if (WIFSIGNALED(status))
			add(", %s", sigabbrev_np(WTERMSIG(status)));
		if (*board->text)
			show_line(name);
	}
}

/* --- a tracee's memory --- */

static void check_ptrace(void)
{
	pid_t child = fork();
	unsigned long word;

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	for (int place = 0; place < PLACES; place++) {
		unsigned long at = address_of(place);

		/* The raw call puts the word where its last argument points; Alpha's returns the word. */
		show(outcome(raw(SYS_ptrace, PTRACE_PEEKDATA, (unsigned long)child, at,
				 (unsigned long)&word, 0)),
		     "PTRACE_PEEKDATA: %s", places[place].name);
		show(outcome(raw(SYS_ptrace, PTRACE_POKEDATA, (unsigned long)child, at, 0, 0)),
		     "PTRACE_POKEDATA: %s", places[place].name);
	}
	end_child(child);
}

int main(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	find_user_end();
	map_canary();
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	become(ANY_USER);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	zero_fd = open("/dev/zero", O_RDONLY);
	if (board == MAP_FAILED || zero_fd < 0 || pipe2(pipe_fds, O_NONBLOCK) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		check(calls[i].name, calls[i].call, false);
	for (size_t i = 0; i < sizeof(address_calls) / sizeof(address_calls[0]); i++)
		check(address_calls[i].name, address_calls[i].call, true);
	check_ptrace();
	return 0;
}
