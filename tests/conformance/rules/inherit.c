// SPDX-License-Identifier: BSD-2-Clause
/* Inherited events, and events across fork, execve and exit. */
#include "buffers.h"
#include "rules.h"
#include "tasks.h"

static attr_t inherited(attr_t attr)
{
	attr.inherit = 1;
	attr.disabled = 0;
	return attr;
}

/* A child that works, and has ended. */
static void work_in_child(uint64_t loops)
{
	pid_t child = fork();

	if (child == 0) {
		spin(loops);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
}

static void *spin_in_thread(void *loops)
{
	spin((uintptr_t)loops);
	return NULL;
}

static void work_in_thread(uintptr_t loops)
{
	pthread_t thread;

	EXPECT_EQ(pthread_create(&thread, NULL, spin_in_thread, (void *)loops), 0);
	EXPECT_EQ(pthread_join(thread, NULL), 0);
}

RULE("without inherit a child is not counted")
{
	attr_t a = instructions();

	a.disabled = 0;
	int fd = need(open_one(&a));
	work_in_child(10000000);
	EXPECT(value_of(fd) < 10000000);
}

RULE("inherit: a child's count is its parent's")
{
	attr_t a = inherited(instructions());
	int fd = need(open_one(&a));

	work_in_child(100000);
	EXPECT(value_of(fd) > 200000);
}

RULE("inherit: a child's child, too")
{
	attr_t a = inherited(instructions());
	int fd = need(open_one(&a));
	pid_t child = fork();

	if (child == 0) {
		work_in_child(100000);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT(value_of(fd) > 200000);
}

RULE("inherit: threads, too")
{
	attr_t a = inherited(instructions());
	int fd = need(open_one(&a));

	work_in_thread(100000);
	EXPECT(value_of(fd) > 200000);
}

RULE("inherit_thread: threads, but no processes")
{
	attr_t a = inherited(instructions());

	a.inherit_thread = 1;
	int fd = need(open_one(&a));
	work_in_child(10000000);
	EXPECT(value_of(fd) < 10000000);
	work_in_thread(10000000);
	EXPECT(value_of(fd) > 20000000);
}

RULE("inherit: a count in a sample is that of the task that is sampled")
{
	attr_t a = inherited(sampling(1000, PERF_SAMPLE_TID | PERF_SAMPLE_READ));
	cpu_set_t first;
	uint64_t words[64] = { 0 }, of_parent = 0, of_child = 0;
	pid_t self = getpid();

	/* An inherited event with a buffer has to be on one CPU. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	EXPECT_EQ(sched_setaffinity(0, sizeof(first), &first), 0);
	a.disabled = 1;
	a.read_format = PERF_FORMAT_ID;
	int fd = need(sys_open(&a, 0, 0, -1, 0));
	struct ring ring = map_ring(fd, 8);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	spin(LOOPS);
	work_in_child(LOOPS);
	spin(LOOPS);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_record(&ring, words)) {
		uint64_t *last = (pid_t)(uint32_t)words[1] == self ? &of_parent : &of_child;

		if (header_of(words).type != PERF_RECORD_SAMPLE)
			continue;
		EXPECT_EQ(words[2], *last + 1000);
		EXPECT_EQ(words[3], id_of(fd));
		*last = words[2];
	}
	EXPECT(of_parent >= 2 * 1000 && of_child >= 1000);
	EXPECT(value_of(fd) >= of_parent + of_child);
}

/* Uses so much CPU time. */
static void use_ms(uint64_t ms)
{
	struct timespec used;
	uint64_t begin_ns = 0, now = 0;

	while (!begin_ns || now < begin_ns + ms * 1000000) {
		spin(1000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
		now = (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
		begin_ns = begin_ns ? begin_ns : now;
	}
}

RULE("inherit: times in samples of groups are those of the task that is sampled")
{
	attr_t a = sampling(1000, PERF_SAMPLE_TID | PERF_SAMPLE_READ);
	uint64_t words[64] = { 0 }, total[4] = { 0 }, last_ns = 0;

	a.inherit = 1;
	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
	int fd = need(sys_open(&a, 0, 0, -1, 0));
	struct ring ring = map_ring(fd, 8);

	stay_on(0);
	/* The child's samples would fill the buffer. */
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	enable(fd);
	pid_t child = fork();
	if (child == 0) {
		use_ms(50);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	spin(LOOPS);
	disable(fd);
	EXPECT_EQ(read(fd, total, sizeof(total)), 24);
	while (next_record(&ring, words))
		if (header_of(words).type == PERF_RECORD_SAMPLE)
			last_ns = words[3];
	EXPECT(last_ns > 0);
	EXPECT(last_ns + 50000000 <= total[1]);
}

RULE("inherit: a child that still runs is read with its parent")
{
	attr_t a = inherited(instructions());
	int fd = need(open_one(&a)), ends[2];
	char byte;

	EXPECT_EQ(pipe(ends), 0);
	pid_t child = fork();

	if (child == 0) {
		spin(1000000);
		write(ends[1], "", 1);
		for (;;)
			pause();
	}
	read(ends[0], &byte, 1);
	EXPECT(value_of(fd) > 2000000);
	kill(child, SIGKILL);
}

RULE("inherit: a child made before the event is not counted")
{
	attr_t a = inherited(instructions());

	struct waiter child = start_waiter(spin, 10000000);
	int fd = need(open_one(&a));
	EXPECT_EQ(end_of(&child), 0);
	EXPECT(value_of(fd) < 10000000);
}

RULE("inherit: DISABLE switches children off, too")
{
	attr_t a = inherited(instructions());
	int fd = need(open_one(&a)), there[2], back[2];
	char byte;

	EXPECT_EQ(pipe(there), 0);
	EXPECT_EQ(pipe(back), 0);
	pid_t child = fork();

	if (child == 0) {
		write(back[1], "", 1);
		read(there[0], &byte, 1);
		spin(10000000);
		_exit(0);
	}
	read(back[0], &byte, 1);
	disable(fd);
	write(there[1], "", 1);
	EXPECT_EQ(status_of(child), 0);
	EXPECT(value_of(fd) < 10000000);
}

RULE("inherit: a disabled event is inherited disabled, and ENABLE is of both")
{
	attr_t a = inherited(instructions());

	a.disabled = 1;
	int fd = need(open_one(&a));
	struct waiter child = start_waiter(spin, 100000);
	pause_ms(5);
	EXPECT_EQ(value_of(fd), 0);
	enable(fd);
	EXPECT_EQ(end_of(&child), 0);
	EXPECT(value_of(fd) > 200000);
}

RULE("inherit: times add up, too")
{
	attr_t a = inherited(dummy());
	uint64_t before[2], after[2];

	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	int fd = need(open_one(&a));
	EXPECT_EQ(read(fd, before, 16), 16);
	pid_t child = fork();
	if (child == 0) {
		spin_ms(30);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT_EQ(read(fd, after, 16), 16);
	EXPECT_AT(after[1] - before[1] > 10000000, "%llu ns",
		  (unsigned long long)(after[1] - before[1]));
}

RULE("inherit: software events, too")
{
	attr_t a = inherited(software(PERF_COUNT_SW_PAGE_FAULTS));
	int fd = need(open_one(&a));
	uint64_t before = value_of(fd);
	pid_t child = fork();

	if (child == 0) {
		char *pages = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(pages, 64 * PAGE, MADV_NOHUGEPAGE);
		for (int i = 0; i < 64; i++)
			pages[i * PAGE] = 1;
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	EXPECT(value_of(fd) >= before + 64);
}

RULE("inherit: a group is inherited with its members")
{
	attr_t a = inherited(instructions()),
	       b = inherited(hardware(PERF_COUNT_HW_BRANCH_INSTRUCTIONS));
	int leader = need(open_one(&a)), fd = open_in(&b, leader);

	work_in_child(100000);
	EXPECT(value_of(leader) > 200000);
	EXPECT(value_of(fd) > 100000);
	EXPECT(value_of(fd) < 150000 + value_of(leader) / 4);
}

RULE("inherit: an event that inherits, on all CPUs, cannot be mapped")
{
	attr_t a = inherited(instructions());

	EXPECT_ERRNO(map_result(need(open_one(&a)), 1, PROT_READ), EINVAL);
}

RULE("inherit: an event that inherits, on one CPU, can be mapped")
{
	attr_t a = inherited(instructions());

	EXPECT_OK(map_result(need(sys_open(&a, 0, 0, -1, 0)), 2, PROT_READ | PROT_WRITE));
}

RULE("inherit: children write to their parent's buffer")
{
	attr_t a = inherited(sampling(10000, PERF_SAMPLE_TID));
	int fd = need(sys_open(&a, 0, 0, -1, 0));
	struct ring ring = map_ring(fd, 16);
	uint64_t words[8192];
	unsigned int of_child = 0;
	pid_t child = fork();

	if (child == 0) {
		spin(100000);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	while (next_record(&ring, words))
		of_child += header_of(words).type == PERF_RECORD_SAMPLE &&
			    (pid_t)(uint32_t)words[1] == child;
	/* Its first period is the rest of its parent's. */
	EXPECT(of_child >= 19);
}

RULE("the event of a CPU is not inherited: it counts all tasks anyhow")
{
	attr_t a = inherited(instructions());

	EXPECT_OK(sys_open(&a, -1, 0, -1, 0));
}

RULE("an event counts on over execve")
{
	attr_t a = instructions();

	a.disabled = 0;
	struct waiter child = start_waiter(exec_nothing, 0);
	int fd = need(sys_open(&a, child.pid, -1, -1, 0));
	uint64_t before = value_of(fd);
	EXPECT_EQ(end_of(&child), 0);
	/* The C library's start alone is more. */
	EXPECT(value_of(fd) > before + 3000);
}

RULE("a descriptor with FD_CLOEXEC ends with execve, and the event with it")
{
	attr_t a = dummy();
	pid_t child = fork();

	if (child == 0) {
		char path[64];
		int fd = need(sys_open(&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		execl("/proc/self/exe", "rules", EXISTS, path, NULL);
		_exit(2);
	}
	EXPECT_EQ(status_of(child), 1);
}

RULE("a child has its parent's descriptor, not its event")
{
	attr_t a = instructions();

	a.disabled = 0;
	int fd = need(open_one(&a));
	pid_t child = fork();
	if (child == 0) {
		close(fd);
		_exit(0);
	}
	EXPECT_EQ(status_of(child), 0);
	uint64_t value = value_of(fd);
	spin(LOOPS);
	EXPECT(value_of(fd) > value);
}
