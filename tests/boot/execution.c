// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process executes a set-uid program while others of the same user attack it: no attacker gets hold of
 * anything of the new program by rights that only held for the old one. Linux has the same rules: the
 * same executable has to pass there.
 *
 * Three things keep the window open: many descriptors that close, several attackers at once, and a debug
 * kernel that lets others run between the steps of an execve.
 * tests/conformance/programs/observe_exec_access.c has the answers of the calls before and after.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "process.h"

#define USER	    1000
#define PROGRAM	    "/guarded-program"
#define SECRET	    "/guarded-secret"
#define DESCRIPTORS 800 /* of the old program, closed by execve */
#define SECRET_FD   200 /* of the new program; the old one has something else there */
#define ATTACKERS   3
#define ROUNDS	    2  /* of each attack */
#define YIELDS	    25 /* of the new program, for the attackers */
#define FAULTS	    2000
#define EVENTS_MAX  64
#define PARTNERS    8 /* processes that share the directories of the old program */
#define PARTNER_IDS "/guarded-partners"
#define STACK_SIZE  16384

/* How the new program ends. */
enum { UNTOUCHED, CHANGED, TRACED, NOT_PRIVILEGED, SHARED };
/* Words of the shared page. */
enum { GO, DONE, STOLEN, OBSERVED, ATTEMPTS };

/* The target of the attacks: at one address in both programs. */
static volatile unsigned long number = 1;

/* The end of a pipe that is readable as soon as execve has begun to close. */
static int closing[2];

static void become_user(void)
{
	if (syscall(__NR_setresgid, USER, USER, USER) || syscall(__NR_setresuid, USER, USER, USER))
		_exit(101);
	/* PR_SET_DUMPABLE: a task with the same credentials may look into it. */
	syscall(__NR_prctl, 4, 1, 0, 0, 0);
}

/* --- the new program --- */

static bool is_traced(void)
{
	char text[1024] = "";
	int fd = open("/proc/self/status", O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) <= 0)
		return true;
	close(fd);
	const char *line = strstr(text, "TracerPid:");

	return !line || atoi(line + strlen("TracerPid:")) != 0;
}

static void make_faults(void)
{
	volatile char *memory = mmap(NULL, FAULTS * (size_t)PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < FAULTS; i++)
		memory[i * (size_t)PAGE] = 1;
}

static int be_guarded(void)
{
	int fd = open(SECRET, O_RDONLY);

	if (geteuid() != 0)
		return NOT_PRIVILEGED;
	dup2(fd, SECRET_FD);
	for (int i = 0; i < YIELDS; i++)
		sched_yield();
	make_faults();
	if (is_traced())
		return TRACED;
	return number == 1 ? UNTOUCHED : CHANGED;
}

/* No task shares the directories of a program that has gained rights. A task that does is reported here,
 * and killed. */
static int be_alone(void)
{
	int fd = open(PARTNER_IDS, O_RDONLY), pid, result = UNTOUCHED;
	char path[32], target[64];

	EXPECT_EQ(chdir("/proc"), 0);
	while (read(fd, &pid, sizeof(pid)) == sizeof(pid)) {
		ssize_t size;

		snprintf(path, sizeof(path), "/proc/%d/cwd", pid);
		size = readlink(path, target, sizeof(target));
		if (geteuid() == 0 && size == 5 && memcmp(target, "/proc", 5) == 0)
			result = SHARED;
		kill(pid, SIGKILL);
	}
	return result;
}

/* --- the old program --- */

static void execute(void)
{
	char *words[] = { PROGRAM, "--guarded", NULL };

	become_user();
	close(closing[0]);
	number = 2;
	for (int i = 0; i < DESCRIPTORS; i++)
		if (open(OWN_FILE, O_RDONLY | O_CLOEXEC) < 0)
			_exit(102);
	shared[GO] = 1;
	execv(PROGRAM, words);
	_exit(103);
}

/* --- attacks --- */

static pid_t victim;

static void write_memory(void)
{
	unsigned long wrong = 3;
	struct iovec own = { &wrong, sizeof(wrong) }, other = { (void *)&number, sizeof(wrong) };

	while (!shared[DONE])
		shared[ATTEMPTS] += syscall(__NR_process_vm_writev, victim, &own, 1, &other, 1, 0) >
				    0;
}

static int open_memory(void)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", victim);
	return open(path, O_RDWR);
}

static void write_file(void)
{
	unsigned long wrong = 4;

	while (!shared[DONE]) {
		int fd = open_memory();

		shared[ATTEMPTS] += pwrite(fd, &wrong, sizeof(wrong), (off_t)(uintptr_t)&number) >
				    0;
		close(fd);
	}
}

static void write_kept_file(void)
{
	unsigned long wrong = 5;
	int fd = open_memory();

	while (!shared[DONE])
		shared[ATTEMPTS] += pwrite(fd, &wrong, sizeof(wrong), (off_t)(uintptr_t)&number) >
				    0;
}

/* Only from the point of no return: a program with a tracer gains nothing, and may be changed. */
static void trace(void)
{
	char byte;

	if (read(closing[0], &byte, 1) != 0)
		_exit(104);
	while (!shared[DONE]) {
		shared[ATTEMPTS]++;
		if (syscall(__NR_ptrace, PTRACE_SEIZE, victim, 0, 0) == 0)
			break;
	}
	while (!shared[DONE])
		sched_yield();
}

static void take_file(void)
{
	int pidfd = (int)syscall(__NR_pidfd_open, victim, 0);

	while (!shared[DONE]) {
		int fd = (int)syscall(__NR_pidfd_getfd, pidfd, SECRET_FD, 0);
		char byte = 0;

		if (fd < 0)
			continue;
		shared[ATTEMPTS]++;
		if (pread(fd, &byte, 1, 0) == 1 && byte == 'S')
			shared[STOLEN] = 1;
		close(fd);
	}
}

static void observe(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.size = sizeof(attr),
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	int events[EVENTS_MAX], count = 0;
	uint64_t value;

	while (!shared[DONE]) {
		int fd = (int)syscall(__NR_perf_event_open, &attr, victim, -1, -1, 0);

		if (fd < 0)
			continue;
		/* The last ones are kept. */
		shared[ATTEMPTS]++;
		if (count >= EVENTS_MAX)
			close(events[count % EVENTS_MAX]);
		events[count++ % EVENTS_MAX] = fd;
	}
	for (int i = 0; i < count && i < EVENTS_MAX; i++)
		if (read(events[i], &value, sizeof(value)) == sizeof(value) && value >= FAULTS)
			shared[OBSERVED] = 1;
}

/* --- rounds --- */

static void attack(void (*body)(void), int round)
{
	pid_t attackers[ATTACKERS];

	memset((void *)shared, 0, (ATTEMPTS + 1) * sizeof(shared[0]));
	EXPECT_EQ(pipe2(closing, O_CLOEXEC), 0);
	victim = start(execute);
	close(closing[1]);
	for (int i = 0; i < ATTACKERS; i++) {
		attackers[i] = fork();
		if (attackers[i] == 0) {
			become_user();
			wait_for(&shared[GO], 1);
			body();
			_exit(0);
		}
	}
	/* An attacker that traces the program has its own words with wait, which do not take the exit
	 * status from the parent. */
	EXPECT_EQ_AT(status_of(victim), UNTOUCHED << 8, "round %d", round);
	shared[DONE] = 1;
	for (int i = 0; i < ATTACKERS; i++)
		EXPECT_EQ(status_of(attackers[i]), 0);
	EXPECT_EQ_AT(shared[STOLEN], 0, "round %d", round);
	EXPECT_EQ_AT(shared[OBSERVED], 0, "round %d", round);
	close(closing[0]);
}

static void attack_often(void (*body)(void))
{
	for (int round = 0; round < ROUNDS; round++)
		attack(body, round);
}

static void check_writev(void)
{
	attack_often(write_memory);
}

static void check_file(void)
{
	attack_often(write_file);
}

static void check_kept_file(void)
{
	attack_often(write_kept_file);
}

static void check_trace(void)
{
	attack_often(trace);
}

static void check_descriptors(void)
{
	attack_often(take_file);
}

static void check_events(void)
{
	attack_often(observe);
}

/* --- sharing --- */

static char stack[STACK_SIZE] __attribute__((aligned(16)));

/* A thread: makes processes that share its directories, as many as it may, for as long as it lives. */
static int make_partners(void *unused)
{
	int fd = open(PARTNER_IDS, O_WRONLY);

	(void)unused;
	shared[GO] = 1;
	for (int made = 0; made < PARTNERS;) {
		int pid = (int)syscall(__NR_clone, CLONE_FS | SIGCHLD, 0, 0, 0, 0);

		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0)
			continue;
		made++;
		if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
			_exit(105);
	}
	return 0;
}

static void execute_sharing(void)
{
	char *words[] = { PROGRAM, "--alone", NULL };

	become_user();
	/* Many descriptors, so that the part between the decision and the program takes its time. */
	for (int i = 0; i < DESCRIPTORS; i++)
		if (open(OWN_FILE, O_RDONLY | O_CLOEXEC) < 0)
			_exit(102);
	if (clone(make_partners, stack + STACK_SIZE,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) < 0)
		_exit(106);
	wait_for(&shared[GO], 1);
	execv(PROGRAM, words);
	_exit(103);
}

static void check_sharing(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		close(open(PARTNER_IDS, O_WRONLY | O_CREAT | O_TRUNC, 0666));
		EXPECT_EQ(chmod(PARTNER_IDS, 0666), 0);
		shared[GO] = 0;
		EXPECT_EQ_AT(status_of(start(execute_sharing)), UNTOUCHED << 8, "round %d", round);
	}
}

static void make_files(void)
{
	static char buffer[65536];
	int from = open(OWN_FILE, O_RDONLY), to = open(PROGRAM, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	ssize_t size;

	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		EXPECT_EQ(write(to, buffer, (size_t)size), size);
	close(from);
	close(to);
	EXPECT_EQ(chmod(PROGRAM, 04755), 0);
	to = open(SECRET, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	EXPECT_EQ(write(to, "S", 1), 1);
	close(to);
}

static const struct tap_rule rules[] = {
	{ "the files of the test are made", make_files },
	{ "process_vm_writev never reaches a set-uid program that is being executed",
	  check_writev },
	{ "/proc/PID/mem never reaches a set-uid program that is being executed", check_file },
	{ "/proc/PID/mem, open before, never reaches the set-uid program", check_kept_file },
	{ "no task traces a program from the middle of its execve", check_trace },
	{ "pidfd_getfd never takes a file of a set-uid program that is being executed",
	  check_descriptors },
	{ "an event opened in the middle of an execve never counts the set-uid program",
	  check_events },
	{ "a program that gains something shares its directories with no other process",
	  check_sharing },
};

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--guarded") == 0)
		return be_guarded();
	if (argc == 2 && strcmp(argv[1], "--alone") == 0)
		return be_alone();
	return process_run_rules(rules, sizeof(rules) / sizeof(rules[0]));
}
