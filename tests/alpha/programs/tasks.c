/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tasks: what a program's tasks may rely on, whichever task runs between: registers of both kinds, the thread pointer,
 * memory after fork, time, that a task which never calls is interrupted, and what the machine is called. A static program of the GNU C
 * library.
 */
#define _GNU_SOURCE

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "points.h"

#define SPINNERS 4
#define ROUNDS	 2000000

/* --- registers --- */

/* Keeps SEED's numbers in every register that a function may use, for ROUNDS; whether they are still there. */
static bool keep_registers(uint64_t seed)
{
	uint64_t integer = seed * 0x9e3779b97f4a7c15, left = ROUNDS;
	double real = (double)seed + 0.5;
	uint64_t bad;

	__asm__ volatile(
		"	mov	%[integer], $1\n"
		"	addq	$1, 1, $2\n	addq	$1, 2, $3\n	addq	$1, 3, $4\n"
		"	addq	$1, 4, $5\n	addq	$1, 5, $6\n	addq	$1, 6, $7\n"
		"	addq	$1, 7, $8\n	addq	$1, 8, $22\n	addq	$1, 9, $23\n"
		"	addq	$1, 10, $24\n	addq	$1, 11, $25\n	addq	$1, 12, $28\n"
		"	cpys	%[real], %[real], $f1\n	cpys	%[real], %[real], $f10\n"
		"	cpys	%[real], %[real], $f22\n	cpys	%[real], %[real], $f30\n"
		"1:	subq	%[left], 1, %[left]\n"
		"	bne	%[left], 1b\n"
		"	subq	$28, 12, $28\n	xor	$28, $1, %[bad]\n"
		"	subq	$25, 11, $25\n	xor	$25, $1, $25\n	bis	%[bad], $25, %[bad]\n"
		"	subq	$24, 10, $24\n	xor	$24, $1, $24\n	bis	%[bad], $24, %[bad]\n"
		"	subq	$23, 9, $23\n	xor	$23, $1, $23\n	bis	%[bad], $23, %[bad]\n"
		"	subq	$22, 8, $22\n	xor	$22, $1, $22\n	bis	%[bad], $22, %[bad]\n"
		"	subq	$8, 7, $8\n	xor	$8, $1, $8\n	bis	%[bad], $8, %[bad]\n"
		"	subq	$7, 6, $7\n	xor	$7, $1, $7\n	bis	%[bad], $7, %[bad]\n"
		"	subq	$6, 5, $6\n	xor	$6, $1, $6\n	bis	%[bad], $6, %[bad]\n"
		"	subq	$5, 4, $5\n	xor	$5, $1, $5\n	bis	%[bad], $5, %[bad]\n"
		"	subq	$4, 3, $4\n	xor	$4, $1, $4\n	bis	%[bad], $4, %[bad]\n"
		"	subq	$3, 2, $3\n	xor	$3, $1, $3\n	bis	%[bad], $3, %[bad]\n"
		"	subq	$2, 1, $2\n	xor	$2, $1, $2\n	bis	%[bad], $2, %[bad]\n"
		"	xor	$1, %[integer], $1\n	bis	%[bad], $1, %[bad]\n"
		"	subt	$f1, $f10, $f1\n	subt	$f22, $f30, $f22\n"
		"	addt	$f1, $f22, $f1\n	subt	$f10, %[real], $f10\n"
		"	addt	$f1, $f10, $f1\n	ftoit	$f1, $1\n	bis	%[bad], $1, %[bad]\n"
		: [left] "+r"(left), [bad] "=&r"(bad)
		: [integer] "r"(integer), [real] "f"(real)
		: "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$22", "$23", "$24", "$25", "$28",
		  "$f1", "$f10", "$f22", "$f30");
	return bad == 0;
}

static void check_registers(void)
{
	unsigned int good = 0;
	int status;

	for (unsigned int i = 0; i < SPINNERS; i++) {
		if (fork() == 0) {
			bool kept = true;

			for (unsigned int round = 0; round < 5; round++)
				kept = kept && keep_registers(i * 1000 + round + 1);
			_exit(kept ? 0 : 1);
		}
	}
	while (wait(&status) > 0)
		good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
	point(good == SPINNERS, "registers of four spinning processes are their own");
}

/* --- thread pointers --- */

static __thread uint64_t mine;
static volatile unsigned int wrong;

static void *keep_own(void *number)
{
	for (unsigned int i = 0; i < 200; i++) {
		mine = (uintptr_t)number * 1000 + i;
		sched_yield();
		if (mine != (uintptr_t)number * 1000 + i)
			__atomic_fetch_add(&wrong, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void check_threads(void)
{
	pthread_t threads[SPINNERS];

	for (uintptr_t i = 0; i < SPINNERS; i++)
		pthread_create(&threads[i], NULL, keep_own, (void *)i);
	for (unsigned int i = 0; i < SPINNERS; i++)
		pthread_join(threads[i], NULL);
	point(wrong == 0, "threads' own variables are their own");
}

/* --- memory --- */

static void check_fork(void)
{
	uint64_t *shared =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t *own =
		mmap(NULL, 3 * 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;

	own[0] = 1;
	own[1024] = 2;
	if (fork() == 0) {
		own[0] = 10;
		own[2048] = 30;
		shared[0] = own[1024] + own[2048];
		_exit(0);
	}
	wait(&status);
	point(shared[0] == 32 && own[0] == 1 && own[2048] == 0,
	      "what a child writes is its own, but for shared memory");
}

static void *add_up(void *sum)
{
	for (unsigned int i = 0; i < 100000; i++)
		__atomic_fetch_add((uint64_t *)sum, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static void check_atomics(void)
{
	pthread_t threads[SPINNERS];
	uint64_t sum = 0;

	for (unsigned int i = 0; i < SPINNERS; i++)
		pthread_create(&threads[i], NULL, add_up, &sum);
	for (unsigned int i = 0; i < SPINNERS; i++)
		pthread_join(threads[i], NULL);
	point(sum == SPINNERS * 100000, "four threads add to one word, and none is lost");
}

/* --- time --- */

static volatile sig_atomic_t alarms;

static void note_alarm(int signal __attribute__((unused)))
{
	alarms = alarms + 1;
}

static void check_time(void)
{
	struct timespec before, after, nap = { 0, 20000000 };
	struct itimerspec every = { { 0, 5000000 }, { 0, 5000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	timer_t timer;

	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&nap, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	point((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >=
		      20000000,
	      "a nap lasts at least as long as asked for");

	signal(SIGALRM, note_alarm);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &every, NULL);
	while (alarms < 3)
		;
	timer_delete(timer);
	point(true, "a timer interrupts a loop that calls nothing");
}

/* One that never calls holds no other up, and can be ended. */
static void check_preemption(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t spinners[16];
	int status, ended = 0;

	for (long i = 0; i <= cpus && i < 16; i++) {
		spinners[i] = fork();
		if (spinners[i] == 0)
			for (;;)
				;
	}
	for (unsigned int i = 0; i < 10; i++)
		sched_yield();
	for (long i = 0; i <= cpus && i < 16; i++) {
		kill(spinners[i], SIGKILL);
		waitpid(spinners[i], &status, 0);
		ended += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	point(ended == (cpus < 15 ? cpus + 1 : 16), "tasks that spin are interrupted, and killed");
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return atoi(argv[1]);
	setbuf(stdout, NULL);
	check_registers();
	check_threads();
	check_fork();
	check_atomics();
	check_time();
	check_preemption();

	char *const words[] = { argv[0], "17", NULL };
	int status;

	if (fork() == 0)
		execv("/proc/self/exe", words);
	wait(&status);
	point(WIFEXITED(status) && WEXITSTATUS(status) == 17, "a program becomes another");

	struct utsname names;

	point(!uname(&names) && !strcmp(names.sysname, "Linux") && !strcmp(names.machine, "alpha"),
	      "uname says what the machine is");
	return points_done();
}
