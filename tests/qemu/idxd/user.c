// SPDX-License-Identifier: BSD-2-Clause
/*
 * user.c: a program with a user queue of the emulated DSA, on Linux and on Tally. It configures dedicated queue 0, maps
 * the portal, submits descriptors with its own addresses, and compares what it reads, the status of each descriptor, and
 * perf's counts. Then it misuses the queue in each way that the kernel or the device must refuse. Output: TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS(name)  "/sys/bus/event_source/devices/" name
#define DEVICES(name) "/sys/bus/dsa/devices/" name
#define DRIVERS(name) "/sys/bus/dsa/drivers/" name
#define QUEUE	      "/dev/dsa/wq0.0"

enum { MOVES = 19, PAGE = 4096, HUGE = 1 << 21 };
enum { OP_NOOP, OP_BATCH, OP_MOVE = 3 };
enum { FLAG_BLOCK = 1 << 1, FLAG_RECORD = 3 << 2, FLAG_INTERRUPT = 1 << 4 };
enum { SUCCESS = 1, FAULT = 3, WRITE_FAULT = 0x83, BAD_FLAGS = 0x11, BAD_HANDLE = 0x19 };
enum { CATEGORY_OPERATION = 3, EVENT_MOVE = 8, EVENT_SHIFT = 4 };

struct descriptor {
	uint32_t pasid, flags_opcode;
	uint64_t completion, source, destination;
	uint32_t size;
	uint16_t handle, reserved;
	uint8_t rest[24];
} __attribute__((aligned(64)));

struct record {
	volatile uint8_t status, result;
	uint16_t reserved;
	volatile uint32_t bytes;
	volatile uint64_t fault;
	uint8_t rest[16];
} __attribute__((aligned(32)));

static unsigned int points;

static void point(bool good, const char *name)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++points, name);
	fflush(stdout);
}

static void equal(uint64_t got, uint64_t expected, const char *name)
{
	point(got == expected, name);
	if (got != expected)
		printf("# got %#llx, expected %#llx\n", (unsigned long long)got,
		       (unsigned long long)expected);
}

static bool put(const char *path, const char *value)
{
	int file = open(path, O_WRONLY);
	bool good = file >= 0 && write(file, value, strlen(value)) == (ssize_t)strlen(value);

	if (!good)
		printf("# %s > %s: %s\n", value, path, strerror(errno));
	close(file);
	return good;
}

static int event_type(void)
{
	char text[16] = "";
	int file = open(EVENTS("dsa0/type"), O_RDONLY);

	if (read(file, text, sizeof(text) - 1) < 0)
		return -1;
	close(file);
	return atoi(text);
}

static int open_moves(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = (uint32_t)event_type() };

	attr.config = CATEGORY_OPERATION | EVENT_MOVE << EVENT_SHIFT;
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t read_count(int event)
{
	uint64_t count = UINT64_MAX;

	if (read(event, &count, sizeof(count)) != sizeof(count))
		printf("# the event cannot be read: %s\n", strerror(errno));
	return count;
}

static void configure(void)
{
	static const struct {
		const char *path, *value;
	} settings[] = {
		{ DEVICES("wq0.0/group_id"), "0" },	  { DEVICES("wq0.0/mode"), "dedicated" },
		{ DEVICES("wq0.0/size"), "16" },	  { DEVICES("wq0.0/priority"), "10" },
		{ DEVICES("wq0.0/type"), "user" },	  { DEVICES("wq0.0/name"), "moves" },
		{ DEVICES("wq0.0/driver_name"), "user" }, { DEVICES("engine0.0/group_id"), "0" },
		{ DRIVERS("idxd/bind"), "dsa0" },	  { DRIVERS("user/bind"), "wq0.0" },
	};
	bool good = true, ready = access(QUEUE, F_OK) == 0;

	/* Tally's command line can have made one. */
	for (size_t i = 0; !ready && i < sizeof(settings) / sizeof(settings[0]); i++)
		good = put(settings[i].path, settings[i].value) && good;
	point(good && access(QUEUE, F_OK) == 0, "a user queue is configured and enabled");
}

static void movdir64b(void *to, const struct descriptor *from)
{
	/* MOVDIR64B (%rdx), %rax: the compilers that we support need not know it. */
	__asm__ volatile(".byte 0x66, 0x0f, 0x38, 0xf8, 0x02" ::"a"(to), "d"(from) : "memory");
}

static struct descriptor make_move(void *destination, const void *source, uint32_t size,
				   struct record *record)
{
	memset(record, 0, sizeof(*record));
	return (struct descriptor){ .flags_opcode = FLAG_RECORD | OP_MOVE << 24,
				    .completion = (uintptr_t)record,
				    .source = (uintptr_t)source,
				    .destination = (uintptr_t)destination,
				    .size = size };
}

static void await(const struct record *record)
{
	while (!record->status)
		__asm__ volatile("pause");
}

/* Submits D by the portal and returns the status. */
static uint8_t submit(void *portal, const struct descriptor *d)
{
	struct record *record = (void *)(uintptr_t)d->completion;

	movdir64b(portal, d);
	await(record);
	return record->status;
}

static void *map(size_t size, int protection)
{
	return mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void fill(uint8_t *data, size_t size, unsigned int seed)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)(i * 7 + seed + (i >> 8));
}

static void check_moves(void *portal)
{
	uint8_t *source = map(4 * PAGE, PROT_READ | PROT_WRITE);
	uint8_t *destination = map(4 * PAGE, PROT_READ | PROT_WRITE);
	int event = open_moves();
	unsigned int good = 0;
	struct record record;

	/* Not aligned, over pages that are not adjacent in memory. */
	for (unsigned int i = 0; i < MOVES; i++) {
		struct descriptor d =
			make_move(destination + i * 3, source + i * 5, 3 * PAGE - i * 11, &record);

		fill(source, 4 * PAGE, i);
		memset(destination, 0, 4 * PAGE);
		good += submit(portal, &d) == SUCCESS &&
			!memcmp(destination + i * 3, source + i * 5, d.size);
	}
	equal(good, MOVES, "19 moves between the program's own addresses");
	equal(read_count(event), MOVES, "perf counts 19 moves");
	close(event);
	munmap(source, 4 * PAGE);
	munmap(destination, 4 * PAGE);
}

static void check_faults(void *portal)
{
	uint8_t *data = map(2 * PAGE, PROT_READ | PROT_WRITE);
	uint8_t *untouched = map(PAGE, PROT_READ | PROT_WRITE);
	uint8_t *constant = map(PAGE, PROT_READ | PROT_WRITE);
	uint8_t *gone = map(PAGE, PROT_READ | PROT_WRITE);
	struct record record;
	struct descriptor d;

	fill(data, 2 * PAGE, 1);
	memset(constant, 1, PAGE);
	mprotect(constant, PAGE, PROT_READ);

	d = make_move(untouched, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "a page that was never touched is a fault");
	equal(record.fault, (uintptr_t)untouched, "the record has the fault's address");
	equal(record.bytes, 0, "and the number of bytes before it");
	untouched[0] = 1;
	d = make_move(untouched, data, 16, &record);
	equal(submit(portal, &d), SUCCESS, "once touched, it is moved to");

	d = make_move(constant, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "memory that the program may not write to");
	equal(constant[0], 1, "is as it was");
	d = make_move(data, constant, 16, &record);
	equal(submit(portal, &d), SUCCESS, "and may be read");

	memset(gone, 1, PAGE);
	d = make_move(gone, data, 16, &record);
	equal(submit(portal, &d), SUCCESS, "a page before munmap");
	munmap(gone, PAGE);
	d = make_move(gone, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "munmap takes it from the device, too");
	d = make_move(data, gone, 16, &record);
	equal(submit(portal, &d), FAULT, "for reading as for writing");

	d = make_move(data, (void *)0xffffffff81000000u, 16, &record);
	equal(submit(portal, &d), FAULT, "an address of the kernel");
	d = make_move((void *)0xffff888000000000u, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "an address where the kernel maps all memory");
	d = make_move((void *)0x100000u, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "a physical address");
	d = make_move(data, (void *)0xfee00000u, 16, &record);
	equal(submit(portal, &d), FAULT, "the address of the interrupt controllers");
	d = make_move((void *)0x8000000000000000u, data, 16, &record);
	equal(submit(portal, &d), WRITE_FAULT, "an address that is not canonical");

	d = make_move(data, data + PAGE, 16, &record);
	d.flags_opcode |= FLAG_BLOCK;
	equal(submit(portal, &d), BAD_FLAGS, "the device does not block on faults");
	for (unsigned int i = 0; i < 2; i++) {
		d = make_move(data, data + PAGE, 16, &record);
		d.flags_opcode |= FLAG_INTERRUPT;
		d.handle = (uint16_t)i;
		equal(submit(portal, &d), BAD_HANDLE, "an interrupt of the kernel's");
	}
	munmap(data, 2 * PAGE);
	munmap(untouched, PAGE);
	munmap(constant, PAGE);
}

/* The pages that a running descriptor had go to another task, which must find no byte of it. */
static void check_race(void *portal)
{
	uint8_t *source = map(HUGE, PROT_READ | PROT_WRITE);
	unsigned int dirty = 0, ended = 0;
	struct record record;

	memset(source, 0xa5, HUGE);
	for (unsigned int i = 0; i < 16; i++) {
		uint8_t *destination = map(HUGE, PROT_READ | PROT_WRITE);
		struct descriptor d = make_move(destination, source, HUGE, &record);
		uint8_t *fresh;

		memset(destination, 1, HUGE);
		movdir64b(portal, &d);
		munmap(destination, HUGE);
		fresh = map(HUGE, PROT_READ | PROT_WRITE);
		for (size_t j = 0; j < HUGE; j += PAGE)
			dirty += fresh[j] != 0;
		await(&record);
		ended += record.status == SUCCESS || record.status == WRITE_FAULT;
		for (size_t j = 0; j < HUGE; j += 64)
			dirty += fresh[j] != 0;
		munmap(fresh, HUGE);
	}
	equal(ended, 16, "munmap while a descriptor runs: it succeeds or faults");
	equal(dirty, 0, "and touches no page that is somebody else's");
	munmap(source, HUGE);
}

/* Samples with the user's stack while the stack is the portal: the kernel must not touch it as memory. */
static void check_stack(void *portal)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 100000,
					.sample_type = PERF_SAMPLE_CALLCHAIN |
						       PERF_SAMPLE_STACK_USER |
						       PERF_SAMPLE_REGS_USER,
					.sample_regs_user = 1 << 7,
					.sample_stack_user = 256 };
	int event = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	struct perf_event_mmap_page *ring =
		mmap(NULL, 17 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
	unsigned long passes = 20000000;

	if (event < 0 || ring == MAP_FAILED) {
		point(false, "a sampling event opens");
		return;
	}
	__asm__ volatile("mov %%rsp, %%r12; mov %%rbp, %%r13; mov %1, %%rsp; mov %1, %%rbp\n"
			 "1: dec %0; jnz 1b\n"
			 "mov %%r13, %%rbp; mov %%r12, %%rsp"
			 : "+r"(passes)
			 : "r"((char *)portal + PAGE / 2)
			 : "r12", "r13", "cc", "memory");
	point(ring->data_head > 0, "samples come while the stack is the portal");
	munmap(ring, 17 * PAGE);
	close(event);
}

/* The calls on mappings. Returns where the portal is now. */
static void *check_mapping(void *portal)
{
	struct iovec local = { &(uint64_t){ 0 }, 8 }, remote = { portal, 8 };
	uint8_t *data = map(2 * PAGE, PROT_READ | PROT_WRITE);
	int memory = open("/proc/self/mem", O_RDONLY);
	struct record record;
	struct descriptor d;
	unsigned char present;
	void *moved;

	fill(data, 2 * PAGE, 5);
	equal(pread(memory, local.iov_base, 8, (off_t)(uintptr_t)portal) < 0 ? (uint64_t)errno : 0,
	      EIO, "no file shows the portal");
	close(memory);
	equal(process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 ? (uint64_t)errno : 0,
	      EFAULT, "nor does process_vm_readv");
	equal(mremap(portal, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED ? (uint64_t)errno : 0,
	      EFAULT, "it does not grow");
	equal(madvise(portal, PAGE, MADV_DONTNEED) < 0 ? (uint64_t)errno : 0, EINVAL,
	      "it is not dropped");
	equal(madvise(portal, PAGE, MADV_DOFORK) < 0 ? (uint64_t)errno : 0, EINVAL,
	      "nor inherited");
	point(mincore(portal, PAGE, &present) == 0, "mincore looks at it");
	point(mprotect(portal, PAGE, PROT_NONE) == 0 &&
		      mprotect(portal, PAGE, PROT_READ | PROT_WRITE) == 0,
	      "it takes its protection back");
	moved = map(PAGE, PROT_NONE);
	moved = mremap(portal, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
	point(moved != MAP_FAILED, "it moves");
	d = make_move(data + PAGE, data, PAGE, &record);
	equal(moved == MAP_FAILED ? 0 : submit(moved, &d), SUCCESS, "and takes descriptors there");
	munmap(data, 2 * PAGE);
	return moved == MAP_FAILED ? portal : moved;
}

static int write_error(int queue, const void *data, size_t size)
{
	ssize_t result = write(queue, data, size);

	return result < 0 ? errno : (int)-result;
}

static void check_write(int queue)
{
	uint8_t *data = map(2 * PAGE, PROT_READ | PROT_WRITE);
	struct record records[2];
	struct descriptor d[2];

	fill(data, 2 * PAGE, 3);
	d[0] = make_move(data + PAGE, data, 100, &records[0]);
	d[1] = make_move(data + PAGE + 100, data + 100, PAGE - 100, &records[1]);
	equal((uint64_t)write(queue, d, sizeof(d)), sizeof(d), "write(2) submits two descriptors");
	await(&records[0]);
	await(&records[1]);
	point(records[0].status == SUCCESS && records[1].status == SUCCESS &&
		      !memcmp(data, data + PAGE, PAGE),
	      "which are done");
	equal((uint64_t)write(queue, d, sizeof(d[0]) - 1), 0, "part of a descriptor is none");
	d[0].completion |= 8;
	equal(write_error(queue, d, sizeof(d[0])), EINVAL, "a record that is not aligned");
	d[0].completion &= ~8ull;
	d[0].flags_opcode = FLAG_RECORD | OP_BATCH << 24;
	equal(write_error(queue, d, sizeof(d[0])), EINVAL, "a batch, which nobody checks");
	d[1] = make_move(data, data + PAGE, 100, &records[1]);
	d[0] = d[1];
	d[1].completion |= 8;
	equal((uint64_t)write(queue, d, sizeof(d)), sizeof(d[0]), "those before the bad one count");
	await(&records[1]);
	equal(write_error(queue, NULL, sizeof(d[0])), EFAULT, "a descriptor at no address");
	munmap(data, 2 * PAGE);
}

/* Returns the exit status of RUN(QUEUE, PORTAL) in a child, or 128 and its signal. */
static int in_child(int (*run)(int queue, void *portal), int queue, void *portal)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(run(queue, portal));
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int child_portal(int queue, void *portal)
{
	static struct descriptor d;

	(void)queue;
	movdir64b(portal, &d);
	return 0;
}

static int child_write(int queue, void *portal)
{
	static struct descriptor d;

	(void)portal;
	return write_error(queue, &d, sizeof(d));
}

static int child_map(int queue, void *portal)
{
	(void)portal;
	return mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, queue, 0) == MAP_FAILED ? errno : 0;
}

static int child_poll(int queue, void *portal)
{
	struct pollfd wait = { .fd = queue, .events = POLLIN };

	(void)portal;
	return poll(&wait, 1, 0) == 1 ? wait.revents : 0;
}

static int child_exec(int queue, void *portal)
{
	char number[16];

	(void)portal;
	snprintf(number, sizeof(number), "%d", queue);
	execl("/proc/self/exe", "user", "write", number, NULL);
	return 255;
}

static int child_unprivileged(int queue, void *portal)
{
	(void)queue;
	(void)portal;
	if (setuid(1000) != 0)
		return 255;
	return open(QUEUE, O_RDWR) < 0 ? errno : 0;
}

/* The same process may not map either without CAP_SYS_RAWIO. */
static int child_user_map(int queue, void *portal)
{
	(void)portal;
	queue = open(QUEUE, O_RDWR);
	if (queue < 0 || setuid(1000) != 0)
		return 255;
	return mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, queue, 0) == MAP_FAILED ? errno : 0;
}

/* Ends while a descriptor of its own runs. */
static int child_exit(int queue, void *portal)
{
	static uint8_t data[2][HUGE];
	static struct record record;
	struct descriptor d = make_move(data[0], data[1], HUGE, &record);

	queue = open(QUEUE, O_RDWR);
	portal = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, queue, 0);
	if (queue < 0 || portal == MAP_FAILED)
		return 255;
	memset(data, 1, sizeof(data));
	for (unsigned int i = 0; i < 8; i++)
		movdir64b(portal, &d);
	return 0;
}

static void check_others(int queue, void *portal)
{
	equal((uint64_t)in_child(child_portal, queue, portal), 128 + SIGSEGV,
	      "a forked child has no portal");
	equal((uint64_t)in_child(child_write, queue, portal), EPERM, "nor may it write");
	equal((uint64_t)in_child(child_map, queue, portal), EPERM, "nor map a portal");
	equal((uint64_t)in_child(child_poll, queue, portal), 0, "nor wait");
	equal((uint64_t)in_child(child_exec, queue, portal), EPERM, "nor write after exec");
	equal((uint64_t)in_child(child_unprivileged, queue, portal), EACCES,
	      "another user may not open the queue");
}

int main(int argc, char **argv)
{
	int queue, second;
	void *portal;

	if (argc == 3)
		return child_write(atoi(argv[2]), NULL);
	configure();
	queue = open(QUEUE, O_RDWR);
	point(queue >= 0, "the queue opens");
	if (queue < 0) {
		char text[32] = "";
		int file = open(DEVICES("dsa0/cmd_status"), O_RDONLY);

		if (read(file, text, sizeof(text) - 1) > 0)
			printf("# the device's status: %s", text);
		close(file);
	}
	second = open(QUEUE, O_RDWR);
	equal(second < 0 ? (uint64_t)errno : 0, EBUSY, "but once, as it is dedicated");
	equal(mmap(NULL, 2 * PAGE, PROT_WRITE, MAP_SHARED, queue, 0) == MAP_FAILED ?
		      (uint64_t)errno :
		      0,
	      EINVAL, "there is one page to map");
	portal = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, queue, 0);
	point(portal != MAP_FAILED, "the portal is mapped");
	if (portal == MAP_FAILED) {
		printf("Bail out! no portal: %s\n", strerror(errno));
		return 1;
	}
	check_moves(portal);
	check_faults(portal);
	check_race(portal);
	check_stack(portal);
	portal = check_mapping(portal);
	check_write(queue);
	check_others(queue, portal);
	munmap(portal, PAGE);
	close(queue);
	equal((uint64_t)in_child(child_exit, -1, NULL), 0,
	      "a program ends while its descriptors run");
	equal((uint64_t)in_child(child_user_map, -1, NULL), EPERM,
	      "to map a portal takes CAP_SYS_RAWIO");
	queue = open(QUEUE, O_RDWR);
	point(queue >= 0, "and the queue is free again");
	portal = mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, queue, 0);
	check_moves(portal);
	(void)portal;
	printf("1..%u\n", points);
	return 0;
}
