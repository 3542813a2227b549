// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that pull the same things from under each other: every call that takes a descriptor against
 * close, dup2 and close_range of it, against munmap, mprotect and mmap of the memory that it reads and
 * writes, and against the exit of the process.
 *
 * A thread's number determines its calls and their arguments, by a generator; the moment of a call,
 * relative to the other threads, is open. So the rules ask nothing about the results of the calls
 * (close_while_waiting.c has the exact ones): the process ends in the way that it was to end, and
 * nothing of it is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include <linux/perf_event.h>

#include "page.h"
#include "tidiness.h"

#define STACK_SIZE  16384
#define THREADS	    6
#define ARENA_PAGES 16
/* Descriptors are below this, so that a call often meets one that is open. */
#define FILES	    32
#define CALLS	    300 /* of a thread before the process may end */
#define LIVES	    8	/* of the process in a batch */
#define NAMES	    4

/* The memory that the calls read and write. Any page of it may be gone: the threads themselves do not
 * look at it. */
static char *arena;
static char stacks[THREADS][STACK_SIZE] __attribute__((aligned(16)));

struct thread {
	uint64_t random;
	int number;
	int tid; /* 0: has ended */
};

static struct thread threads[THREADS];
static _Atomic int halfway; /* threads that have done half of their calls */

/* How a life of the process ends. */
enum end {
	WHEN_DONE, /* every thread ends by itself */
	EXIT,	   /* one of them ends the process */
	EXECUTE,   /* one of them replaces the program */
	KILLED,	   /* the parent kills it */
	ENDS,
};

#define EXIT_STATUS    7
#define EXECUTE_STATUS 9

/* Marsaglia's xorshift64. */
static uint64_t draw(struct thread *thread, uint64_t limit)
{
	thread->random ^= thread->random << 13;
	thread->random ^= thread->random >> 7;
	thread->random ^= thread->random << 17;
	return thread->random % limit;
}

/* --- calls --- */

/*
 * A call's arguments, a letter each; digits are themselves.
 *
 *	d  a descriptor				b  somewhere in the arena
 *	l  a length, now and then absurd	p  the beginning of one of the arena's pages
 *	o  an offset, the same			P  a length in whole pages
 *	n  0 to 7				-  minus one
 *	c  a command of fcntl			i  a command of ioctl
 *	r  PROT_*				a  an advice for madvise
 *	s  the name of a file			I  the process's own number
 *	N  O_NONBLOCK				C  the same, and a new file
 *	y  a type of socket			t  a time, zero
 *	A  a mapping of nothing			M  of a file, both at a given place
 *	v  two vectors into the arena		q  two of poll's structures
 *	x  a message with a descriptor		g  attributes of an event
 */
struct call {
	int number;
	const char *arguments;
};

#define CALL(name, letters)          \
	{                            \
		__NR_##name, letters \
	}

static const struct call on_files[] = {
	CALL(read, "dbl"),
	CALL(write, "dbl"),
	CALL(readv, "dv2"),
	CALL(writev, "dv2"),
	CALL(pread64, "dblo"),
	CALL(pwrite64, "dblo"),
	CALL(preadv, "dv2o"),
	CALL(pwritev, "dv2o"),
	CALL(lseek, "don"),
	CALL(ioctl, "dib"),
	CALL(ioctl, "did"),
	CALL(fcntl, "dcn"),
	CALL(fcntl, "dcb"),
	CALL(fstat, "db"),
	CALL(fstatfs, "db"),
	CALL(statx, "dbn0b"),
	CALL(getdents64, "dbl"),
	CALL(poll, "q20"),
	CALL(ppoll, "q2t00"),
	CALL(select, "8bbbt"),
	CALL(epoll_ctl, "dndb"),
	CALL(epoll_pwait, "dbn000"),
	CALL(ftruncate, "do"),
	CALL(fsync, "d"),
	CALL(fallocate, "dnoP"),
	CALL(fadvise64, "doln"),
	CALL(splice, "d0d0l2"),
	CALL(tee, "ddl2"),
	CALL(vmsplice, "dv22"),
	CALL(sendfile, "dd0P"),
	CALL(copy_file_range, "d0d0l0"),
	CALL(flock, "d6"),
	CALL(fsetxattr, "dsbn0"),
	CALL(fgetxattr, "dsbl"),
	CALL(fchmod, "dn"),
	CALL(fchdir, "d"),
	CALL(timerfd_settime, "dnb0"),
	CALL(timerfd_gettime, "db"),
	CALL(accept4, "d00N"),
	CALL(bind, "dbn"),
	CALL(connect, "dbn"),
	CALL(listen, "dn"),
	CALL(shutdown, "dn"),
	CALL(getsockname, "dbb"),
	CALL(getsockopt, "d1nbb"),
	CALL(setsockopt, "d1nbn"),
	CALL(sendmsg, "dx0"),
	CALL(recvmsg, "dx0"),
	CALL(sendto, "dbl000"),
	CALL(recvfrom, "dbl000"),
	CALL(pidfd_send_signal, "d000"),
	CALL(pidfd_getfd, "dd0"),
	CALL(openat, "ds0"),
	CALL(mmap, "pPrMd0"),
	CALL(mmap, "pPrMdp"),
};

/* Calls that make descriptors, all with those of the other threads among them, and take them away. */
static const struct call on_descriptors[] = {
	CALL(close, "d"),
	CALL(close, "d"),
	CALL(close_range, "dd0"),
	CALL(dup, "d"),
	CALL(dup2, "dd"),
	CALL(dup2, "dd"),
	CALL(dup3, "dd0"),
	CALL(pipe2, "bN"),
	CALL(eventfd2, "nN"),
	CALL(epoll_create1, "0"),
	CALL(socketpair, "1y0b"),
	CALL(socket, "1y0"),
	CALL(timerfd_create, "1N"),
	CALL(signalfd4, "db8N"),
	CALL(signalfd4, "-b8N"),
	CALL(memfd_create, "s0"),
	CALL(open, "sC7"),
	CALL(open, "sN0"),
	CALL(pidfd_open, "I0"),
	CALL(perf_event_open, "g0-d0"),
	CALL(perf_event_open, "g0--0"),
};

static const struct call on_memory[] = {
	CALL(munmap, "pP"),
	CALL(munmap, "pP"),
	CALL(mprotect, "pPr"),
	CALL(madvise, "pPa"),
	CALL(msync, "pP4"),
	CALL(mincore, "pPb"),
	CALL(mremap, "pPP3p"),
	CALL(mmap, "pPrA-0"),
	CALL(mmap, "pPrA-0"),
	CALL(process_vm_readv, "Iv2v20"),
	CALL(process_vm_writev, "Iv2v20"),
	CALL(futex, "b1n000"),
	CALL(get_robust_list, "0bb"),
	CALL(readlink, "sbl"),
	CALL(getcwd, "bl"),
	CALL(uname, "b"),
	CALL(sysinfo, "b"),
	CALL(getrandom, "bl0"),
	CALL(rt_sigprocmask, "00b8"),
	CALL(sched_getaffinity, "0lb"),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
	const struct call *calls;
	size_t count;
} kinds[] = {
	{ on_files, COUNT(on_files) },
	{ on_descriptors, COUNT(on_descriptors) },
	{ on_memory, COUNT(on_memory) },
};

/* --- arguments --- */

static const int fcntl_commands[] = { 0, 1,  2,	 3,  4,	   5,	 6,    7,    8,
				      9, 36, 37, 38, 1030, 1031, 1032, 1033, 1034 };
static const int ioctl_commands[] = {
	0x541b,
	0x5421,
	0x5450,
	0x5451,
	0x5452,
	0x5401, /* FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC, TCGETS */
	PERF_EVENT_IOC_ENABLE,
	PERF_EVENT_IOC_DISABLE,
	(int)PERF_EVENT_IOC_ID,
	PERF_EVENT_IOC_REFRESH,
	PERF_EVENT_IOC_SET_OUTPUT,
	(int)PERF_EVENT_IOC_PERIOD,
	PERF_EVENT_IOC_RESET,
	(int)PERF_EVENT_IOC_PAUSE_OUTPUT,
};
static const char *const names[] = {
	"/races-0",	     "/races-1",
	"/races-2",	     "/races-3",
	"/proc/self/maps",   "/proc/self/fd",
	"/proc/self/status", "/dev/zero",
	"/dev/null",	     "/sys/devices/system/cpu",
	"/races-none/below",
};
static const uint64_t absurd[] = { UINT64_MAX, INT64_MAX, INT64_MAX - PAGE, (uint64_t)1 << 31,
				   (uint64_t)1 << 40 };
static const int advices[] = { 0, 1, 2, 3, 4, 8, 9, 14, 15, 20, 21, 22, 23 };

/* The targets of the letters for structures: a thread's own, so that they are readable at first. */
struct structures {
	struct {
		char *base;
		uint64_t size;
	} vectors[2];
	struct pollfd polled[2];
	int64_t no_time[2];
	struct {
		uint64_t size;
		int level, type, descriptors[2];
	} control;
	struct {
		void *name;
		uint64_t name_size;
		void *vectors;
		uint64_t count;
		void *control;
		uint64_t control_size;
		int64_t flags;
	} message;
	struct perf_event_attr attr;
};

static int draw_descriptor(struct thread *thread)
{
	return 3 + (int)draw(thread, FILES - 3);
}

static char *draw_address(struct thread *thread)
{
	return arena + draw(thread, ARENA_PAGES * PAGE);
}

static uint64_t draw_size(struct thread *thread, uint64_t limit)
{
	return draw(thread, 16) ? draw(thread, limit) : absurd[draw(thread, COUNT(absurd))];
}

static void draw_structures(struct thread *thread, struct structures *s)
{
	memset(s, 0, sizeof(*s));
	for (int i = 0; i < 2; i++) {
		s->vectors[i].base = draw_address(thread);
		s->vectors[i].size = draw_size(thread, 2 * PAGE);
		s->polled[i].fd = draw_descriptor(thread);
		s->polled[i].events = (short)draw(thread, 0x40);
		s->control.descriptors[i] = draw_descriptor(thread);
	}
	s->control.size = sizeof(s->control);
	s->control.level = 1; /* SOL_SOCKET */
	s->control.type = 1;  /* SCM_RIGHTS */
	s->message.vectors = s->vectors;
	s->message.count = 1;
	s->message.control = &s->control;
	s->message.control_size = sizeof(s->control);
	s->attr.size = sizeof(s->attr);
	s->attr.type = (unsigned int)draw(thread, 2);
	s->attr.config = draw(thread, 10);
	s->attr.sample_period = draw(thread, 2) * 20000;
	s->attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	s->attr.inherit = draw(thread, 2);
}

static long argument(struct thread *thread, char letter, struct structures *s)
{
	switch (letter) {
	case 'd':
		return draw_descriptor(thread);
	case 'b':
		return (long)draw_address(thread);
	case 'p':
		return (long)(arena + draw(thread, ARENA_PAGES) * PAGE);
	case 'l':
		return (long)draw_size(thread, 2 * PAGE);
	case 'o':
		return (long)draw_size(thread, 64 * PAGE);
	case 'P':
		return (long)(draw(thread, 4) * PAGE);
	case 'n':
		return (long)draw(thread, 8);
	case 'c':
		return fcntl_commands[draw(thread, COUNT(fcntl_commands))];
	case 'i':
		return ioctl_commands[draw(thread, COUNT(ioctl_commands))];
	case 'r':
		return draw(thread, 4) ? PROT_READ | PROT_WRITE : (long)draw(thread, 8);
	case 'a':
		return advices[draw(thread, COUNT(advices))];
	case 's':
		return (long)names[draw(thread, COUNT(names))];
	case 'I':
		return getpid();
	case 'N':
		return O_NONBLOCK;
	case 'C':
		return O_NONBLOCK | O_CREAT | O_RDWR;
	case 'y':
		return O_NONBLOCK | (draw(thread, 2) ? 1 : 2); /* SOCK_STREAM, SOCK_DGRAM */
	case 't':
		return (long)s->no_time;
	case 'A':
		return MAP_FIXED | MAP_ANONYMOUS | (draw(thread, 2) ? MAP_PRIVATE : MAP_SHARED);
	case 'M':
		return MAP_FIXED | (draw(thread, 2) ? MAP_PRIVATE : MAP_SHARED);
	case 'v':
		return (long)s->vectors;
	case 'q':
		return (long)s->polled;
	case 'x':
		return (long)&s->message;
	case 'g':
		return (long)&s->attr;
	case '-':
		return -1;
	default:
		return letter - '0';
	}
}

/* mremap and mmap must not leave the arena: with MAP_FIXED at its last pages they would. */
static bool stays_in_arena(const struct call *call, const long arguments[6])
{
	const char *end = arena + ARENA_PAGES * PAGE;

	for (int i = 0; call->arguments[i]; i++)
		if (call->arguments[i] == 'p' && (char *)arguments[i] + 4 * PAGE > end)
			return false;
	return true;
}

static void call_something(struct thread *thread)
{
	struct structures structures;
	size_t kind = draw(thread, 8);
	long arguments[6] = { 0 };

	/* Most calls are about files. */
	kind = kind < COUNT(kinds) ? kind : 0;
	const struct call *call = &kinds[kind].calls[draw(thread, kinds[kind].count)];

	draw_structures(thread, &structures);
	for (int i = 0; call->arguments[i]; i++)
		arguments[i] = argument(thread, call->arguments[i], &structures);
	if (stays_in_arena(call, arguments))
		syscall(call->number, arguments[0], arguments[1], arguments[2], arguments[3],
			arguments[4], arguments[5]);
}

/* --- a life --- */

static int run_thread(void *argument)
{
	struct thread *thread = argument;

	for (int i = 0; i < CALLS / 2; i++)
		call_something(thread);
	halfway++;
	for (int i = 0; i < CALLS / 2; i++)
		call_something(thread);
	return 0;
}

static void ignore_signal(int signal)
{
	(void)signal;
}

static void start_threads(int life)
{
	struct sigaction interrupt = { .sa_handler = ignore_signal };

	sigaction(SIGUSR1, &interrupt, NULL);
	for (int i = 0; i < THREADS; i++) {
		threads[i].number = i;
		threads[i].random =
			88172645463325252u + (uint64_t)(life * THREADS + i) * 0x9e3779b97f4a7c15u;
		threads[i].tid = 1;
		if (clone(run_thread, stacks[i] + STACK_SIZE,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				  CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
			  &threads[i], &threads[i].tid, NULL, &threads[i].tid) < 0)
			_exit(100);
	}
}

/* A call that has lost O_NONBLOCK may wait for good: it is interrupted. Returns when ENOUGH have got halfway, or, if
 * that is NULL, have ended. */
static void interrupt_until(_Atomic int *enough)
{
	for (;;) {
		int going_on = 0;

		for (int i = 0; i < THREADS; i++) {
			int tid = *(volatile int *)&threads[i].tid;

			going_on += tid != 0;
			if (tid)
				syscall(__NR_tgkill, getpid(), tid, SIGUSR1);
		}
		if (!going_on || (enough && *enough > THREADS / 2))
			return;
		pause_ms(1);
	}
}

static void live(int life)
{
	char *words[] = { "races", "--executed", NULL };
	enum end end = (enum end)(life % ENDS);

	arena = mmap(NULL, ARENA_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	start_threads(life);
	interrupt_until(end == WHEN_DONE ? NULL : &halfway);
	switch (end) {
	case EXIT:
		_exit(EXIT_STATUS);
	case EXECUTE:
		execv("/proc/self/exe", words);
		_exit(101);
	case KILLED:
		kill(getpid(), SIGKILL);
		break;
	default:
		_exit(0);
	}
}

static void live_once(int life)
{
	static const int statuses[ENDS] = {
		[WHEN_DONE] = 0,
		[EXIT] = EXIT_STATUS << 8,
		[EXECUTE] = EXECUTE_STATUS << 8,
		[KILLED] = SIGKILL,
	};
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		live(life);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ_AT(status, statuses[life % ENDS], "life %d", life);
	for (int i = 0; i < NAMES; i++)
		unlink(names[i]);
}

static void live_often(void)
{
	static int life;

	for (int i = 0; i < LIVES; i++)
		live_once(life++);
}

static void check_lives(void)
{
	state_expect_kept(live_often, 1, 1);
}

static const struct tap_rule rules[] = {
	{ "threads that take files and memory from each other leave nothing", check_lives },
};

int main(int argc, char **argv)
{
	struct utsname system;

	if (argc == 2 && strcmp(argv[1], "--executed") == 0)
		return EXECUTE_STATUS;
	if (uname(&system) == 0 && !strstr(system.release, "tally")) {
		printf("1..0 # SKIP not on a kernel that somebody needs\n");
		return 0;
	}
	signal(SIGIO, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	have_many_tasks();
	return tap_run(rules, COUNT(rules));
}
