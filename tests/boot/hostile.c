// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of distrust: whatever addresses a program passes to a system call, it gets EFAULT (or the error
 * that Linux checks for first), and the kernel goes on.
 *
 * The table names every pointer of the calls that Tally has. The test tries each with addresses of the
 * kernel, unmapped and inaccessible ones, the end of user space, and, for structures, so that the
 * structure begins in a mapped page and ends in an unmapped one. It passes on Linux, too. Then, on Tally
 * only (it would do damage on another kernel), it calls every number with such addresses in all
 * registers, in child processes that may die of it.
 *
 * libc.c has the rules of good arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "page.h"

#define OWN_FILE "/proc/self/exe"

/* Placeholders in the table's arguments. */
enum {
	POINTER = 0x70000001, /* the address under test */
	BUFFER,		      /* a good, writable, zeroed page */
	PATH,		      /* a good path */
	ZERO_FD,	      /* /dev/zero, open for reading */
	NULL_FD,	      /* a pipe's writing end */
	FILE_FD,	      /* this program's file */
	DIRECTORY_FD,	      /* the root directory */
};

enum direction { IN, OUT };

struct probe {
	const char *name;
	long number;
	long arguments[6];
	size_t size; /* bytes at POINTER needed whole; 0: a part may do */
	enum direction direction;
};

#define PROBE(call, size_, direction_, ...)                                          \
	{                                                                            \
		.name = #call "(" #__VA_ARGS__ ")", .number = __NR_##call,           \
		.arguments = { __VA_ARGS__ }, .size = size_, .direction = direction_ \
	}

static char *good; /* a mapped page; the one above it is not mapped */

static void handler(int signal)
{
	(void)signal;
}

#ifdef __alpha__
#include "alpha/hostile.h"
#else
#include "x86_64/hostile.h"
#endif

static const struct probe probes[] = {
	ISA_PROBES,
	PROBE(read, 0, OUT, ZERO_FD, POINTER, 64),
	PROBE(read, 0, OUT, FILE_FD, POINTER, 64),
	PROBE(pread64, 0, OUT, FILE_FD, POINTER, 64, 0),
	PROBE(write, 0, IN, NULL_FD, POINTER, 64),
	PROBE(readv, 16, IN, ZERO_FD, POINTER, 1),
	PROBE(writev, 16, IN, NULL_FD, POINTER, 1),
	PROBE(open, 0, IN, POINTER, O_RDONLY),
	PROBE(openat, 0, IN, AT_FDCWD, POINTER, O_RDONLY),
	PROBE(access, 0, IN, POINTER, 0),
	PROBE(faccessat, 0, IN, AT_FDCWD, POINTER, 0),
	PROBE(readlink, 0, IN, POINTER, BUFFER, 64),
	PROBE(readlink, 0, OUT, PATH, POINTER, 64),
	PROBE(readlinkat, 0, IN, AT_FDCWD, POINTER, BUFFER, 64),
	PROBE(getcwd, 0, OUT, POINTER, 64),
	PROBE(chdir, 0, IN, POINTER),
	PROBE(getdents64, 0, OUT, DIRECTORY_FD, POINTER, 1024),
	PROBE(pipe2, 8, OUT, POINTER, 0),
	PROBE(poll, 8, IN, POINTER, 1, 0),
	PROBE(ppoll, 8, IN, POINTER, 1, BUFFER, 0, 0),
	PROBE(ppoll, 16, IN, BUFFER, 0, POINTER, 0, 0),
	PROBE(ppoll, 8, IN, BUFFER, 0, BUFFER, POINTER, 8),
	PROBE(execve, 0, IN, POINTER, BUFFER, BUFFER),
	PROBE(execve, 8, IN, PATH, POINTER, BUFFER),
	PROBE(execve, 8, IN, PATH, BUFFER, POINTER),
	PROBE(uname, 390, OUT, POINTER),
	PROBE(sysinfo, 112, OUT, POINTER),
	PROBE(times, 32, OUT, POINTER),
	PROBE(getrusage, 144, OUT, 0, POINTER),
	PROBE(getrlimit, 16, OUT, 3, POINTER),
	PROBE(setrlimit, 16, IN, 3, POINTER),
	PROBE(prlimit64, 16, IN, 0, 3, POINTER, 0),
	PROBE(prlimit64, 16, OUT, 0, 3, 0, POINTER),
	PROBE(getresuid, 4, OUT, POINTER, BUFFER, BUFFER),
	PROBE(getresuid, 4, OUT, BUFFER, POINTER, BUFFER),
	PROBE(getresuid, 4, OUT, BUFFER, BUFFER, POINTER),
	PROBE(getresgid, 4, OUT, BUFFER, BUFFER, POINTER),
	PROBE(getrandom, 0, OUT, POINTER, 64, 0),
	PROBE(getcpu, 4, OUT, POINTER, 0, 0),
	PROBE(prctl, 0, IN, 15, POINTER),
	PROBE(prctl, 16, OUT, 16, POINTER),
	PROBE(sched_setaffinity, 8, IN, 0, 8, POINTER),
	PROBE(sched_getaffinity, 0, OUT, 0, 128, POINTER),
	PROBE(sched_getparam, 4, OUT, 0, POINTER),
	PROBE(rt_sigprocmask, 8, IN, SIG_BLOCK, POINTER, 0, 8),
	PROBE(rt_sigprocmask, 8, OUT, SIG_BLOCK, 0, POINTER, 8),
	PROBE(rt_sigpending, 8, OUT, POINTER, 8),
	PROBE(rt_sigsuspend, 8, IN, POINTER, 8),
	PROBE(sigaltstack, 24, IN, POINTER, 0),
	PROBE(sigaltstack, 24, OUT, 0, POINTER),
	PROBE(get_robust_list, 8, OUT, 0, POINTER, BUFFER),
	PROBE(get_robust_list, 8, OUT, 0, BUFFER, POINTER),
	PROBE(futex, 0, IN, POINTER, 0, 1, 0, 0, 0),
	PROBE(futex, 16, IN, BUFFER, 0, 0, POINTER, 0, 0),
	PROBE(nanosleep, 16, IN, POINTER, 0),
	PROBE(clock_nanosleep, 16, IN, 1, 0, POINTER, 0),
	PROBE(clock_gettime, 16, OUT, 1, POINTER),
	PROBE(clock_getres, 16, OUT, 1, POINTER),
	PROBE(gettimeofday, 16, OUT, POINTER, 0),
	PROBE(gettimeofday, 8, OUT, 0, POINTER),
	PROBE(perf_event_open, 64, IN, POINTER, 0, -1, -1, 0),
};

#define PROBES (sizeof(probes) / sizeof(probes[0]))

/* Addresses where no program may read. The first page is not mapped either, but 0 often means "none". */
static const uintptr_t unreadable[] = { ISA_UNREADABLE };

#define UNREADABLE (sizeof(unreadable) / sizeof(unreadable[0]))

static char *no_access; /* a mapped page without any access */
static char *read_only; /* a mapped page that can only be read */
static int zero_fd, file_fd, directory_fd, pipe_fds[2];

static void *map_pages(size_t pages, int protection)
{
	void *address = mmap(NULL, pages * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return address == MAP_FAILED ? NULL : address;
}

static void prepare(void)
{
	good = map_pages(2, PROT_READ | PROT_WRITE);
	EXPECT(good && munmap(good + PAGE, PAGE) == 0);
	no_access = map_pages(1, PROT_NONE);
	read_only = map_pages(1, PROT_READ);
	EXPECT(no_access && read_only);
	zero_fd = open("/dev/zero", O_RDONLY);
	file_fd = open(OWN_FILE, O_RDONLY);
	directory_fd = open("/", O_RDONLY);
	EXPECT(zero_fd >= 0 && file_fd >= 0 && directory_fd >= 0);
	EXPECT_EQ(pipe(pipe_fds), 0);
}

static long argument_of(long argument, uintptr_t pointer)
{
	switch (argument) {
	case POINTER:
		return (long)pointer;
	case BUFFER:
		return (long)good;
	case PATH:
		return (long)OWN_FILE;
	case ZERO_FD:
		return zero_fd;
	case NULL_FD:
		return pipe_fds[1];
	case FILE_FD:
		return file_fd;
	case DIRECTORY_FD:
		return directory_fd;
	default:
		return argument;
	}
}

static void expect_fault(const struct probe *probe, uintptr_t pointer)
{
	long arguments[6];

	memset(good, 0, PAGE);
	for (int i = 0; i < 6; i++)
		arguments[i] = argument_of(probe->arguments[i], pointer);
	errno = 0;
	long result = syscall(probe->number, arguments[0], arguments[1], arguments[2], arguments[3],
			      arguments[4], arguments[5]);
	EXPECT_EQ_AT(result, -1, "%s at %p", probe->name, (void *)pointer);
	EXPECT_EQ_AT(errno, EFAULT, "%s at %p", probe->name, (void *)pointer);
}

static void check_forbidden_addresses(void)
{
	for (size_t p = 0; p < PROBES; p++)
		for (size_t i = 0; i < UNREADABLE; i++)
			expect_fault(&probes[p], unreadable[i]);
}

static void check_inaccessible_pages(void)
{
	for (size_t p = 0; p < PROBES; p++) {
		expect_fault(&probes[p], (uintptr_t)no_access);
		expect_fault(&probes[p], (uintptr_t)good + PAGE);
		if (probes[p].direction == OUT)
			expect_fault(&probes[p], (uintptr_t)read_only);
	}
}

/* A string at the very end of a page, without its end. */
static void check_unterminated_strings(void)
{
	good[PAGE - 1] = 'x';
	EXPECT_EQ(syscall(__NR_open, good + PAGE - 1, O_RDONLY), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(syscall(__NR_execve, good + PAGE - 1, NULL, NULL), -1);
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(syscall(__NR_chdir, good + PAGE - 1), -1);
	EXPECT_EQ(errno, EFAULT);
}

static void check_straddling_structures(void)
{
	for (size_t p = 0; p < PROBES; p++) {
		/* Cut after the first byte, in the middle, before the last one. */
		size_t cuts[] = { 1, probes[p].size / 2, probes[p].size - 1 };

		for (size_t i = 0; probes[p].size && i < 3; i++)
			expect_fault(&probes[p], (uintptr_t)good + PAGE - cuts[i]);
	}
}

static void check_status_of_children(void)
{
	for (size_t i = 0; i < UNREADABLE; i++) {
		fflush(stdout);
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		errno = 0;
		EXPECT_EQ_AT(syscall(__NR_wait4, child, unreadable[i], 0, NULL), -1, "status at %p",
			     (void *)unreadable[i]);
		EXPECT_EQ(errno, EFAULT);
		/* The message was received all the same. */
		EXPECT_EQ(waitpid(child, NULL, 0), -1);
		EXPECT_EQ(errno, ECHILD);
	}
}

/* Runs BODY(ARGUMENT) in a child process; its wait status. */
static int in_child(void (*body)(uintptr_t), uintptr_t argument)
{
	int status = -1;

	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		body(argument);
		_exit(0);
	}
	EXPECT_EQ(waitpid(child, &status, 0), child);
	return status;
}

static void read_address(uintptr_t address)
{
	(void)*(volatile char *)address;
}

static void write_address(uintptr_t address)
{
	*(volatile char *)address = 1;
}

static void jump_to(uintptr_t address)
{
	((void (*)(void))address)();
}

static void check_cpu_faults(void)
{
	static const struct {
		const char *what;
		void (*body)(uintptr_t);
		bool any_stack; /* a stack pointer is no address until its first use: not for 8 */
	} bodies[] = {
		{ "read", read_address, false },
		{ "write", write_address, false },
		{ "jump", jump_to, false },
		{ "stack", call_with_stack, true },
		{ "signal's stack", take_signal_on, true },
		{ "signal's return from", return_from, true },
		{ "signal's return to", return_to, false },
	};

	for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
		for (size_t i = 0; i < UNREADABLE; i++) {
			int status = in_child(bodies[b].body, unreadable[i]);

			/* A stack that is not canonical is SIGBUS (SDM vol. 3A, stack fault). */
			EXPECT_AT(WIFSIGNALED(status) &&
					  (WTERMSIG(status) == SIGSEGV ||
					   (bodies[b].any_stack && WTERMSIG(status) == SIGBUS)),
				  "%s %p: status 0x%x", bodies[b].what, (void *)unreadable[i],
				  status);
		}
	}
}

static void check_mappings_of_the_kernel(void)
{
	for (size_t i = 0; i < UNREADABLE; i++) {
		uintptr_t page = unreadable[i] & ~(uintptr_t)(PAGE - 1);

		if (page < PAGE)
			continue;
		EXPECT_EQ(mmap((void *)page, PAGE, PROT_READ,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED,
			  1);
		EXPECT_EQ_AT(errno, ENOMEM, "mmap at %p", (void *)page);
		EXPECT_EQ(munmap((void *)page, PAGE), -1);
		EXPECT_EQ_AT(errno, EINVAL, "munmap at %p", (void *)page);
		EXPECT_EQ(mprotect((void *)page, PAGE, PROT_READ), -1);
		EXPECT_EQ_AT(errno, ENOMEM, "mprotect at %p", (void *)page);
		EXPECT_EQ_AT(brk_refuses(page), true, "brk at %p", (void *)page);
	}
	/* Sizes whose end wraps round. */
	EXPECT(mmap(NULL, SIZE_MAX - PAGE + 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, ENOMEM);
	EXPECT_EQ(munmap(good, SIZE_MAX - PAGE + 1), -1);
	EXPECT_EQ(errno, EINVAL);
}

/* Calls every number with VALUE in all registers, in turn. The result is the program's own fault, and no
 * more. */
static void call_all_with(uintptr_t value)
{
	static const long left_out[] = { ISA_WAITS, __NR_exit,	__NR_exit_group,
					 __NR_fork, __NR_vfork, __NR_rt_sigreturn };

	/* The lower half of an address may be a descriptor: the call must not wait for the console. */
	for (int fd = 0; fd <= pipe_fds[1]; fd++)
		close(fd);
	for (long number = 0; number < NUMBERS; number++) {
		bool call = true;

		for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
			call &= number != left_out[i];
		if (call)
			syscall(number, value, value, value, value, value, value);
	}
}

static void check_every_number(void)
{
	struct utsname names;
	static const uintptr_t more[] = { (uintptr_t)-1, 0x7fffffff, 0x80000000 };

	EXPECT_EQ(uname(&names), 0);
	if (!strstr(names.release, "tally")) {
		printf("# SKIP every number: not on a kernel that somebody needs\n");
		return;
	}
	for (size_t i = 0; i < UNREADABLE; i++)
		in_child(call_all_with, unreadable[i]);
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		in_child(call_all_with, more[i]);
	in_child(call_all_with, (uintptr_t)good + PAGE - 4);
	/* Still there, and still right. */
	EXPECT_EQ(in_child(write_address, (uintptr_t)good), 0);
	EXPECT_EQ(in_child(write_address, (uintptr_t)read_only) & 0x7f, SIGSEGV);
}

static void check_unknown_numbers(void)
{
	static const long numbers[] = { -1, 0xffffffff, 0x7fffffff, NUMBERS };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		errno = 0;
		EXPECT_EQ_AT(syscall(numbers[i]), -1, "call %ld", numbers[i]);
		EXPECT_EQ_AT(errno, ENOSYS, "call %ld", numbers[i]);
	}
}

static const struct tap_rule rules[] = {
	{ "pages and descriptors for the test can be made", prepare },
	{ "an address of the kernel or of no memory is EFAULT, in every pointer",
	  check_forbidden_addresses },
	{ "a page that may not be read or written is EFAULT, in every pointer",
	  check_inaccessible_pages },
	{ "a structure that runs into an unmapped page is EFAULT", check_straddling_structures },
	{ "a string that runs into an unmapped page is EFAULT", check_unterminated_strings },
	{ "a child is collected though its status has nowhere to go", check_status_of_children },
	{ "an instruction that the CPU refuses ends its program only", check_cpu_faults },
	{ "nothing can be mapped, unmapped or protected outside of user space",
	  check_mappings_of_the_kernel },
	{ "every system call number survives every address", check_every_number },
	{ "a number that is no call's is ENOSYS", check_unknown_numbers },
};

int main(void)
{
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
