// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rules of processes: how they are made, stopped, told, and ended, and what they share. As Linux
 * has them: the same executable has to pass there.
 *
 * It is no test of wrong arguments (hostile.c), nor of what the C library makes of the calls
 * (libc.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/tap.h"

#define PAGE	       4096
#define STACK_SIZE     65536
#define OWN_FILE       "/proc/self/exe"
#define FUTEX_WAIT     0
#define FUTEX_WAKE     1
/* Linux's signal stacks are at least this large. */
#define ALTERNATE_SIZE 32768

static const char *own_path;

/* What the children of one rule write for the parent to see; zero at the start of each. */
static volatile int *shared;

static void pause_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

/* A child that runs BODY and exits with 0. */
static pid_t start(void (*body)(void))
{
	fflush(stdout);
	pid_t child = fork();

	if (child == 0) {
		body();
		_exit(0);
	}
	EXPECT(child > 0);
	return child;
}

static int status_of(pid_t child)
{
	int status = -1;

	EXPECT_EQ(waitpid(child, &status, 0), child);
	return status;
}

/* Waits until *WORD is VALUE. */
static void wait_for(volatile int *word, int value)
{
	while (*word != value)
		sched_yield();
}

static void say_ready(void)
{
	shared[0] = 1;
}

static void spin_for_ever(void)
{
	say_ready();
	for (;;)
		;
}

static void sleep_for_ever(void)
{
	say_ready();
	for (;;)
		pause();
}

static void read_for_ever(void)
{
	int ends[2];
	char byte;

	(void)!pipe(ends);
	say_ready();
	(void)!read(ends[0], &byte, 1);
}

static volatile uintptr_t nothing = 8;

static void touch_nothing(void)
{
	*(volatile int *)nothing = 1;
}

static void do_nothing(void)
{
}

static void check_deaths(void)
{
	static void (*const bodies[])(void) = { spin_for_ever, sleep_for_ever, read_for_ever };
	static const int signals[] = { SIGTERM, SIGKILL, SIGUSR1, SIGRTMIN };

	for (size_t b = 0; b < sizeof(bodies) / sizeof(bodies[0]); b++) {
		for (size_t s = 0; s < sizeof(signals) / sizeof(signals[0]); s++) {
			shared[0] = 0;
			pid_t child = start(bodies[b]);

			wait_for(&shared[0], 1);
			EXPECT_EQ(kill(child, signals[s]), 0);
			EXPECT_EQ_AT(status_of(child), signals[s], "body %zu", b);
		}
	}
	EXPECT_EQ(status_of(start(touch_nothing)) & 0x7f, SIGSEGV);
	EXPECT_EQ(kill(start(do_nothing), 0), 0);
	EXPECT(waitpid(-1, NULL, 0) > 0);
	EXPECT_EQ(waitpid(-1, NULL, 0), -1);
	EXPECT_EQ(errno, ECHILD);
}

static void check_stopping(void)
{
	int status = 0;

	shared[0] = 0;
	pid_t child = start(spin_for_ever);

	wait_for(&shared[0], 1);
	EXPECT_EQ(waitpid(child, &status, WNOHANG | WUNTRACED), 0);
	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	/* Told once; and other signals wait. */
	EXPECT_EQ(kill(child, SIGTERM), 0);
	EXPECT_EQ(waitpid(child, &status, WNOHANG | WUNTRACED), 0);
	EXPECT_EQ(kill(child, SIGCONT), 0);
	EXPECT_EQ(status_of(child), SIGTERM);

	/* SIGKILL does not wait. */
	shared[0] = 0;
	child = start(spin_for_ever);
	wait_for(&shared[0], 1);
	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT_EQ(kill(child, SIGKILL), 0);
	EXPECT_EQ(status_of(child), SIGKILL);
}

static volatile int handled, handled_sum, depth, depth_max;
static siginfo_t last_info;
static jmp_buf jump;

static void note(int signal, siginfo_t *info, void *context)
{
	(void)context;
	handled++;
	handled_sum += signal;
	last_info = *info;
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };

	EXPECT_EQ(sigaction(signal, &action, NULL), 0);
}

static void signal_parent_twice(void)
{
	pause_ms(20);
	kill(getppid(), SIGUSR1);
	pause_ms(20);
}

static void check_interruption(void)
{
	struct timespec second = { 1, 0 }, left = { 0, 0 };
	int status;

	handled = 0;
	install(SIGUSR1, note, 0);
	pid_t child = start(signal_parent_twice);

	EXPECT_EQ(waitpid(child, &status, 0), -1);
	EXPECT_EQ(errno, EINTR);
	EXPECT_EQ(handled, 1);
	EXPECT_EQ(last_info.si_pid, child);
	EXPECT_EQ(status_of(child), 0);

	install(SIGUSR1, note, SA_RESTART);
	child = start(signal_parent_twice);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(handled, 2);

	/* Sleeping is never begun again. */
	child = start(signal_parent_twice);
	EXPECT_EQ(nanosleep(&second, &left), -1);
	EXPECT_EQ(errno, EINTR);
	EXPECT(left.tv_sec == 0 && left.tv_nsec > 0);
	EXPECT_EQ(status_of(child), 0);

	/* What is ignored interrupts nothing. */
	signal(SIGUSR1, SIG_IGN);
	child = start(signal_parent_twice);
	EXPECT_EQ(status_of(child), 0);
	signal(SIGUSR1, SIG_DFL);
}

static void check_queueing(void)
{
	sigset_t set;

	install(SIGUSR1, note, 0);
	install(SIGRTMIN, note, 0);
	install(SIGRTMIN + 1, note, 0);
	sigfillset(&set);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	for (int i = 0; i < 3; i++) {
		kill(getpid(), SIGRTMIN + 1);
		kill(getpid(), SIGUSR1);
		kill(getpid(), SIGRTMIN);
	}
	handled = handled_sum = 0;
	sigemptyset(&set);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &set, NULL), 0);
	/* Ordinary signals merge, real-time ones do not. */
	EXPECT_EQ(handled, 7);
	EXPECT_EQ(handled_sum, SIGUSR1 + 3 * SIGRTMIN + 3 * (SIGRTMIN + 1));
	signal(SIGUSR1, SIG_DFL);
}

static char *guarded;

/* Makes the page that faulted usable: the instruction goes on. */
static void repair(int signal, siginfo_t *info, void *context)
{
	note(signal, info, context);
	mprotect(guarded, PAGE, PROT_READ | PROT_WRITE);
}

static void jump_away(int signal, siginfo_t *info, void *context)
{
	note(signal, info, context);
	longjmp(jump, 1);
}

static void check_fault_handlers(void)
{
	guarded = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(guarded != MAP_FAILED);
	handled = 0;
	install(SIGSEGV, repair, 0);
	*(volatile char *)guarded = 'x';
	EXPECT_EQ(handled, 1);
	EXPECT_EQ(guarded[0], 'x');
	EXPECT_EQ(last_info.si_code, SEGV_ACCERR);
	EXPECT(last_info.si_addr == guarded);

	EXPECT_EQ(munmap(guarded, PAGE), 0);
	install(SIGSEGV, jump_away, SA_NODEFER);
	if (!setjmp(jump))
		guarded[7] = 1;
	EXPECT_EQ(handled, 2);
	EXPECT_EQ(last_info.si_code, SEGV_MAPERR);
	EXPECT(last_info.si_addr == guarded + 7);
	/* SA_NODEFER: it was not blocked, so another one may come after the jump. */
	if (!setjmp(jump))
		guarded[8] = 1;
	EXPECT_EQ(handled, 3);
	signal(SIGSEGV, SIG_DFL);
}

static void nest(int signal)
{
	if (++depth > depth_max)
		depth_max = depth;
	if (signal == SIGUSR1)
		raise(SIGUSR2);
	depth--;
}

static uintptr_t stack_seen;

static void note_stack(int signal)
{
	char here;

	(void)signal;
	stack_seen = (uintptr_t)&here;
}

static void check_handler_stacks(void)
{
	static char alternate[ALTERNATE_SIZE];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	struct sigaction action = { .sa_handler = note_stack, .sa_flags = SA_ONSTACK };
	volatile double sum = 1.5;

	depth_max = 0;
	signal(SIGUSR1, nest);
	signal(SIGUSR2, nest);
	raise(SIGUSR1);
	EXPECT_EQ(depth_max, 2);
	EXPECT_EQ(depth, 0);
	/* What the handlers did to the floating-point registers is undone. */
	EXPECT(sum == 1.5);

	EXPECT_EQ(sigaltstack(&stack, NULL), 0);
	EXPECT_EQ(sigaction(SIGUSR1, &action, NULL), 0);
	raise(SIGUSR1);
	EXPECT(stack_seen - (uintptr_t)alternate < sizeof(alternate));
	stack.ss_flags = SS_DISABLE;
	EXPECT_EQ(sigaltstack(&stack, NULL), 0);
	raise(SIGUSR1);
	EXPECT(stack_seen - (uintptr_t)alternate >= sizeof(alternate));
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
}

static char thread_stacks[2][STACK_SIZE] __attribute__((aligned(16)));

#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static int execute_self(void *unused)
{
	char *words[] = { (char *)own_path, "--pid", NULL };

	(void)unused;
	execv(OWN_FILE, words);
	return 1;
}

static int sleep_in_thread(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return 0;
}

static void execute_in_thread(void)
{
	shared[0] = getpid();
	clone(sleep_in_thread, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	clone(execute_self, thread_stacks[1] + STACK_SIZE, THREAD_FLAGS, NULL);
	for (;;)
		pause();
}

static void check_exec_in_thread(void)
{
	/* The new program exits with the low byte of its pid and tid, if they are the same. */
	pid_t child = start(execute_in_thread);
	int status = status_of(child);

	EXPECT_AT(WIFEXITED(status), "status 0x%x", status);
	EXPECT_EQ(WEXITSTATUS(status), child & 0xff);
}

static int exit_all(void *unused)
{
	(void)unused;
	syscall(__NR_exit_group, 77);
	return 0;
}

static void exit_in_thread(void)
{
	clone(sleep_in_thread, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	clone(exit_all, thread_stacks[1] + STACK_SIZE, THREAD_FLAGS, NULL);
	for (;;)
		;
}

static int end_late(void *unused)
{
	(void)unused;
	pause_ms(20);
	shared[0] = 1;
	return 9;
}

static void leave_thread_behind(void)
{
	clone(end_late, thread_stacks[0] + STACK_SIZE, THREAD_FLAGS, NULL);
	syscall(__NR_exit, 5);
}

static void check_thread_ends(void)
{
	int status = status_of(start(exit_in_thread));

	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 77);
	/* A process ends with its last thread, and with that one's status. */
	shared[0] = 0;
	status = status_of(start(leave_thread_behind));
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 9);
	EXPECT_EQ(shared[0], 1);
}

static int pipe_ends[2];

static void write_much(void)
{
	static char block[100000];

	close(pipe_ends[0]);
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)(i * 7);
	for (int i = 0; i < 3; i++)
		if (write(pipe_ends[1], block, sizeof(block)) != sizeof(block))
			_exit(1);
}

static void check_pipes(void)
{
	struct pollfd polled = { .events = POLLIN | POLLOUT };
	char buffer[3000];
	size_t total = 0;
	ssize_t count;

	EXPECT_EQ(pipe(pipe_ends), 0);
	polled.fd = pipe_ends[0];
	EXPECT_EQ(poll(&polled, 1, 0), 0);
	EXPECT_EQ(poll(&polled, 1, 10), 0);
	polled.fd = pipe_ends[1];
	EXPECT_EQ(poll(&polled, 1, 0), 1);
	EXPECT_EQ(polled.revents, POLLOUT);
	pid_t child = start(write_much);

	close(pipe_ends[1]);
	polled.fd = pipe_ends[0];
	EXPECT_EQ(poll(&polled, 1, -1), 1);
	EXPECT(polled.revents & POLLIN);
	while ((count = read(pipe_ends[0], buffer, sizeof(buffer))) > 0) {
		for (ssize_t i = 0; i < count; i++)
			if (buffer[i] != (char)((total + (size_t)i) % 100000 * 7))
				EXPECT_AT(false, "byte %zu", total + (size_t)i);
		total += (size_t)count;
	}
	EXPECT_EQ(count, 0);
	EXPECT_EQ(total, 300000);
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(poll(&polled, 1, 0), 1);
	EXPECT_EQ(polled.revents, POLLHUP);
	close(pipe_ends[0]);

	EXPECT_EQ(pipe2(pipe_ends, O_NONBLOCK), 0);
	EXPECT_EQ(read(pipe_ends[0], buffer, 1), -1);
	EXPECT_EQ(errno, EAGAIN);
	signal(SIGPIPE, SIG_IGN);
	close(pipe_ends[0]);
	EXPECT_EQ(write(pipe_ends[1], buffer, 1), -1);
	EXPECT_EQ(errno, EPIPE);
	signal(SIGPIPE, SIG_DFL);
	close(pipe_ends[1]);
}

static void wake_parent(void)
{
	pause_ms(20);
	shared[1] = 1;
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAKE, 1, NULL, NULL, 0), 1);
}

static void check_futexes(void)
{
	struct timespec short_time = { 0, 10000000 };

	shared[1] = 0;
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 1, NULL, NULL, 0), -1);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 0, &short_time, NULL, 0), -1);
	EXPECT_EQ(errno, ETIMEDOUT);
	pid_t child = start(wake_parent);

	EXPECT_EQ(syscall(__NR_futex, &shared[1], FUTEX_WAIT, 0, NULL, NULL, 0), 0);
	EXPECT_EQ(shared[1], 1);
	EXPECT_EQ(status_of(child), 0);
}

static char *page_at(char *address, int protection, int flags)
{
	return mmap(address, PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* struct rlimit, RLIMIT_STACK and RLIMIT_AS: Linux's. */
struct limit {
	uint64_t current, most;
};

enum { LIMIT_STACK = 3, LIMIT_SPACE = 9 };

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

static char *beyond;

static void read_beyond(void)
{
	(void)*(volatile char *)beyond;
}

static void check_sparse_memory(void)
{
	/* 64 TiB of addresses, three pages of memory: what is done to all of it takes no time. */
	const size_t size = (size_t)1 << 46;
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
	/* Zeros up to the end of the last page, nothing behind it. */
	EXPECT_EQ(file[pages * PAGE - 1], (size_t)size % PAGE ? 0 : file[pages * PAGE - 1]);
	beyond = file + pages * PAGE;
	EXPECT_EQ(status_of(start(read_beyond)) & 0x7f, SIGBUS);
	/* A private copy is written to, not the file. */
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

static int count_with_others(void *word)
{
	for (int i = 0; i < 10000; i++) {
		__atomic_fetch_add((int *)word, 1, __ATOMIC_RELAXED);
		if (i % 100 == 0) {
			/* Faults, flushes and switches in the space of all. */
			char *page = page_at(NULL, PROT_READ | PROT_WRITE, 0);

			*page = 1;
			munmap(page, PAGE);
			sched_yield();
		}
	}
	__atomic_fetch_add((int *)word + 1, 1, __ATOMIC_SEQ_CST);
	return 0;
}

static void check_many_threads(void)
{
	static char stacks[8][STACK_SIZE] __attribute__((aligned(16)));
	static int words[2];

	words[0] = words[1] = 0;
	for (int i = 0; i < 8; i++)
		EXPECT(clone(count_with_others, stacks[i] + STACK_SIZE, THREAD_FLAGS, words) > 0);
	while (__atomic_load_n(&words[1], __ATOMIC_SEQ_CST) != 8)
		sched_yield();
	EXPECT_EQ(words[0], 80000);
}

static void check_many_processes(void)
{
	for (int round = 0; round < 5; round++) {
		pid_t children[20];

		for (int i = 0; i < 20; i++)
			children[i] = start(do_nothing);
		for (int i = 19; i >= 0; i--)
			EXPECT_EQ(status_of(children[i]), 0);
	}
}

static const struct tap_rule rules[] = {
	{ "a signal ends a child that computes, sleeps or reads, and is its status", check_deaths },
	{ "a stopped child stays so until SIGCONT or SIGKILL, and the parent is told",
	  check_stopping },
	{ "a handler interrupts a call, or the call starts again if that was asked for",
	  check_interruption },
	{ "real-time signals queue, ordinary ones merge", check_queueing },
	{ "a handler is told the fault, and can repair it or jump away", check_fault_handlers },
	{ "handlers nest, and have their own stack if they want", check_handler_stacks },
	{ "execve in a thread ends the others and keeps the process's number",
	  check_exec_in_thread },
	{ "exit_group in a thread ends all; a process lasts as long as its last thread",
	  check_thread_ends },
	{ "bytes come out of a pipe as they went in, and its ends are told of each other",
	  check_pipes },
	{ "a futex in shared memory wakes another process", check_futexes },
	{ "mappings are placed, split, dropped and grown as asked", check_memory },
	{ "a mapping larger than any memory costs what is used of it", check_sparse_memory },
	{ "a mapped file ends where it ends, and is not written to", check_file_mappings },
	{ "threads that share all of memory count right", check_many_threads },
	{ "a hundred processes come and go", check_many_processes },
};

int main(int argc, char **argv)
{
	own_path = argv[0];
	if (argc == 2 && strcmp(argv[1], "--pid") == 0)
		return getpid() == syscall(__NR_gettid) ? getpid() & 0xff : 0;
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	return tap_run(rules, sizeof(rules) / sizeof(rules[0]));
}
