// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of the C library over the kernel: what a program may expect of the calls that every program makes. The numbers
 * and layouts of the ABI are checked by their effect, so that the same executable has to pass on Linux.
 *
 * It is no test of perf_event, and none of wrong arguments (hostile.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "page.h"

/* Differences between ISAs: the size of a page; numbers, by what the kernel says and not by the headers; a
 * constraint for an operand in a floating-point register. */
#ifdef __alpha__
#define NUMBER_ENOSYS	78
#define NUMBER_SIGUSR1	30
#define FLOATING(value) "+f"(value)
#else
#define NUMBER_ENOSYS	38
#define NUMBER_SIGUSR1	10
#define FLOATING(value) "+x"(value)
#endif

static const char *own_path;

static __thread int tls_initialised = 42;
static __thread long tls_zero[32];

/* Runs BODY in a child process and gives its wait status. */
static int in_child(void (*body)(void))
{
	int status = -1;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		body();
		_exit(0);
	}
	EXPECT(pid > 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void check_errno(void)
{
	errno = 0;
	EXPECT_EQ(syscall(0x7fff), -1);
	EXPECT_EQ(errno, NUMBER_ENOSYS);
	EXPECT_STR(strerror(NUMBER_ENOSYS), "Function not implemented");
	EXPECT_EQ(close(-1), -1);
	EXPECT_EQ(errno, 9);
	EXPECT_EQ(open("/there/is/no/such/file", O_RDONLY), -1);
	EXPECT_EQ(errno, 2);
}

static void check_own_file(void)
{
	struct stat status;
	char magic[4];
	int fd = open(own_path, O_RDONLY | O_CLOEXEC);

	EXPECT_AT(fd >= 0, "%s: %s", own_path, strerror(errno));
	EXPECT_EQ(fstat(fd, &status), 0);
	EXPECT(S_ISREG(status.st_mode));
	EXPECT_EQ(lseek(fd, 0, SEEK_END), status.st_size);
	EXPECT_EQ(lseek(fd, 0, SEEK_SET), 0);
	EXPECT_EQ(read(fd, magic, sizeof(magic)), 4);
	EXPECT(memcmp(magic, "\177ELF", 4) == 0);
	EXPECT_EQ(close(fd), 0);
	EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

static void check_memory(void)
{
	char *block = malloc(8 << 20);

	EXPECT(block != NULL);
	memset(block, 0x5a, 8 << 20);
	block = realloc(block, 12 << 20);
	EXPECT(block != NULL);
	EXPECT_EQ(block[(8 << 20) - 1], 0x5a);
	free(block);

	char *pages =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(pages != MAP_FAILED);
	for (int i = 0; i < 3 * PAGE; i += 64)
		EXPECT_EQ(pages[i], 0);
	pages[0] = 1;
	EXPECT_EQ(munmap(pages + PAGE, PAGE), 0);
	EXPECT_EQ(pages[0], 1);
	EXPECT_EQ(pages[2 * PAGE], 0);
	EXPECT_EQ(mprotect(pages, PAGE, PROT_READ), 0);
	EXPECT_EQ(pages[0], 1);
	EXPECT_EQ(munmap(pages, 3 * PAGE), 0);
}

static char *read_only;

static void write_read_only(void)
{
	*(volatile char *)read_only = 1;
}

static void execute_data(void)
{
	((void (*)(void))read_only)();
}

static void check_protection(void)
{
	read_only = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	read_only[0] = (char)0xc3; /* ret */
	int status = in_child(execute_data);
	EXPECT(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), 11);
	EXPECT_EQ(mprotect(read_only, PAGE, PROT_READ), 0);
	status = in_child(write_read_only);
	EXPECT(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), 11);
	munmap(read_only, PAGE);
}

static int private_word = 1;

static void change_private_word(void)
{
	private_word = 2;
	exit(private_word == 2 && getppid() > 0 ? 255 : 1);
}

static void check_fork(void)
{
	int status = in_child(change_private_word);

	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 255);
	EXPECT_EQ(private_word, 1);
	EXPECT_EQ(waitpid(-1, &status, 0), -1);
	EXPECT_EQ(errno, ECHILD);
}

static void execute_self(void)
{
	char *const words[] = { (char *)own_path, "--exit", "43", NULL };
	char *const environment[] = { "ANSWER=42", NULL };

	execve(own_path, words, environment);
}

static void check_execve(void)
{
	int status = in_child(execute_self);

	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 43);
}

static volatile int handled, handled_pid;

static void handle(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled += signal;
	handled_pid = info->si_pid;
}

static void check_signals(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO }, old;
	sigset_t set, before, pending;

	EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	EXPECT_EQ(sigaction(SIGUSR1, NULL, &old), 0);
	EXPECT(old.sa_sigaction == handle);
	EXPECT_EQ(old.sa_flags & SA_SIGINFO, SA_SIGINFO);
	handled = 0;
	EXPECT_EQ(raise(SIGUSR1), 0);
	EXPECT_EQ(handled, NUMBER_SIGUSR1);
	EXPECT_EQ(handled_pid, getpid());

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	EXPECT_EQ(sigprocmask(SIG_BLOCK, &set, &before), 0);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(handled, NUMBER_SIGUSR1);
	EXPECT_EQ(sigpending(&pending), 0);
	EXPECT_EQ(sigismember(&pending, SIGUSR1), 1);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	EXPECT_EQ(handled, 2 * NUMBER_SIGUSR1);
	EXPECT(signal(SIGUSR1, SIG_IGN) != SIG_ERR);
	EXPECT_EQ(raise(SIGUSR1), 0);
	EXPECT_EQ(handled, 2 * NUMBER_SIGUSR1);
}

static volatile int thread_saw;

static int thread_body(void *argument)
{
	thread_saw = *(int *)argument;
	return 0;
}

#define THREAD_STACK (16 * PAGE)

static void check_thread(void)
{
	volatile pid_t tid = -1;
	int word = 99;
	char *stack = mmap(NULL, THREAD_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	thread_saw = 0;
	int result = clone(thread_body, stack + THREAD_STACK,
			   CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				   CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
			   &word, (pid_t *)&tid, NULL, (pid_t *)&tid);
	EXPECT_AT(result > 0, "%s", strerror(errno));
	while (result > 0 && tid != 0)
		sched_yield();
	EXPECT_EQ(thread_saw, 99);
	munmap(stack, THREAD_STACK);
}

static void check_tls(void)
{
	EXPECT_EQ(tls_initialised, 42);
	for (int i = 0; i < 32; i++)
		EXPECT_EQ(tls_zero[i], 0);
	tls_initialised++;
	EXPECT_EQ(tls_initialised, 43);
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec now;

	EXPECT_EQ(clock_gettime(clock, &now), 0);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void check_time(void)
{
	struct timespec requested = { .tv_nsec = 2000000 }, left = { 0 };
	int64_t before = now_ns(CLOCK_MONOTONIC), last = before;

	for (int i = 0; i < 1000; i++) {
		int64_t now = now_ns(CLOCK_MONOTONIC);

		EXPECT_AT(now >= last, "%" PRId64 " after %" PRId64, now, last);
		last = now;
	}
	before = now_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(nanosleep(&requested, &left), 0);
	EXPECT(now_ns(CLOCK_MONOTONIC) - before >= 2000000);
	EXPECT(clock() >= 0);
}

static void check_cpus(void)
{
	cpu_set_t all, one;
	long count = 0;

	EXPECT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		count++;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		EXPECT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
		EXPECT_EQ(sched_getcpu(), cpu);
	}
	EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), count);
}

static void check_descriptors(void)
{
	struct iovec pieces[] = { { "# one ", 6 }, { "line in ", 8 }, { "three pieces\n", 13 } };
	struct pollfd ready = { .fd = 1, .events = POLLOUT };
	char name[16] = "";

	fflush(stdout);
	EXPECT_EQ(writev(1, pieces, 3), 27);
	EXPECT_EQ(poll(&ready, 1, -1), 1);
	EXPECT_EQ(ready.revents, POLLOUT);
	EXPECT_EQ(poll(NULL, 0, 1), 0);
	int copy = dup(1);
	EXPECT(copy > 2);
	EXPECT_EQ(close(copy), 0);
	EXPECT_EQ(prctl(PR_SET_NAME, "tally-libc"), 0);
	EXPECT_EQ(prctl(PR_GET_NAME, name), 0);
	EXPECT_STR(name, "tally-libc");
}

/* Floating-point registers hold different values in two tasks that alternate. */
static void yield_with_root(double number)
{
	double root = sqrt(number);

	for (int i = 0; i < 200; i++) {
		__asm__ volatile("" : FLOATING(root));
		sched_yield();
		__asm__ volatile("" : FLOATING(root));
	}
	EXPECT(root * root == number);
	if (tap_failed)
		_exit(1);
}

static void yield_with_root_of_sixteen(void)
{
	yield_with_root(16);
}

static void check_floating_point(void)
{
	char text[32];

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		yield_with_root_of_sixteen();
		_exit(0);
	}
	yield_with_root(25);
	int status = -1;
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	snprintf(text, sizeof(text), "%.3f %zu %lld", sqrt(2.0), sizeof(text), -5000000000LL);
	EXPECT_STR(text, "1.414 32 -5000000000");
}

/* Numbers at the ends of what their types hold, and what the quotients and remainders are: as Alpha divides by
 * functions of the C library. */
static void check_division(void)
{
	static const struct {
		int64_t dividend, divisor, quotient, remainder;
	} signeds[] = {
		{ 7, 2, 3, 1 },
		{ -7, 2, -3, -1 },
		{ 7, -2, -3, 1 },
		{ -7, -2, 3, -1 },
		{ 0, -5, 0, 0 },
		{ INT64_MIN, 1, INT64_MIN, 0 },
		{ INT64_MIN, INT64_MIN, 1, 0 },
		{ INT64_MIN, 10, -922337203685477580, -8 },
		{ INT64_MAX, INT64_MIN, 0, INT64_MAX },
		{ INT64_MAX, 3, 3074457345618258602, 1 },
	};
	static const struct {
		uint64_t dividend, divisor, quotient, remainder;
	} unsigneds[] = {
		{ UINT64_MAX, 1, UINT64_MAX, 0 },
		{ UINT64_MAX, UINT64_MAX - 1, 1, 1 },
		{ UINT64_MAX, 10, 1844674407370955161, 5 },
		{ 1ull << 63, (1ull << 63) + 1, 0, 1ull << 63 },
		{ 0x123456789abcdef0, 0xfedcba987, 0x1249249, 0x246fe8971 },
	};
	volatile int32_t word = INT32_MIN, by = 10;
	volatile uint32_t natural = 0xffffffff, by_natural = 0xfffffffe;

	for (size_t i = 0; i < sizeof(signeds) / sizeof(signeds[0]); i++) {
		volatile int64_t dividend = signeds[i].dividend, divisor = signeds[i].divisor;

		EXPECT_EQ(dividend / divisor, signeds[i].quotient);
		EXPECT_EQ(dividend % divisor, signeds[i].remainder);
	}
	for (size_t i = 0; i < sizeof(unsigneds) / sizeof(unsigneds[0]); i++) {
		volatile uint64_t dividend = unsigneds[i].dividend, divisor = unsigneds[i].divisor;

		EXPECT_EQ(dividend / divisor, unsigneds[i].quotient);
		EXPECT_EQ(dividend % divisor, unsigneds[i].remainder);
	}
	EXPECT_EQ(word / by, -214748364);
	EXPECT_EQ(word % by, -8);
	EXPECT_EQ(natural / by_natural, 1);
	EXPECT_EQ(natural % by_natural, 1);
}

static void divide_by_zero(void)
{
	volatile int five = 5, zero = 0;

	handled = five / zero;
}

static void check_division_by_zero(void)
{
	int status = in_child(divide_by_zero);

	EXPECT(WIFSIGNALED(status));
	EXPECT_EQ(WTERMSIG(status), SIGFPE);
}

static void check_jumps(void)
{
	volatile int count = 0;
	volatile double kept = sqrt(2.25);
	jmp_buf here;
	int value = setjmp(here);

	EXPECT_EQ(value, count);
	EXPECT(kept == 1.5);
	if (count++ < 3)
		longjmp(here, count);
	EXPECT_EQ(count, 4);
}

static const struct tap_rule rules[] = {
	{ "an error is Linux's number in errno", check_errno },
	{ "a program can open, stat and read its own file", check_own_file },
	{ "memory can be allocated, mapped, split and protected", check_memory },
	{ "writing what is read-only and executing data are SIGSEGV", check_protection },
	{ "a forked child has its own memory and its exit status arrives", check_fork },
	{ "execve gives a program its words and its environment", check_execve },
	{ "signals are handled, blocked, pending and ignored", check_signals },
	{ "clone starts a thread that shares memory, and its exit is reported", check_thread },
	{ "thread-local variables have their first values", check_tls },
	{ "clocks do not go back and sleeping takes its time", check_time },
	{ "a task runs on the CPU that it asks for", check_cpus },
	{ "writev, poll, dup and prctl do what they say", check_descriptors },
	{ "floating point survives system calls and other tasks", check_floating_point },
	{ "integers are divided as C says", check_division },
	{ "division by zero is SIGFPE", check_division_by_zero },
	{ "longjmp returns to setjmp with a value", check_jumps },
};

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 3 && strcmp(argv[1], "--exit") == 0) {
		const char *answer = getenv("ANSWER");

		return answer != NULL && strcmp(answer, "42") == 0 ? atoi(argv[2]) : 1;
	}
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
