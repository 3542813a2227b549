// SPDX-License-Identifier: BSD-2-Clause
/*
 * The DSA and the IAX, on a machine that has them (tests/fuzz/run --device). Root configures queues at random while they
 * are used, runs dmatest, and starts workers that have a portal; all workers open and write to queues of programs.
 *
 * A descriptor has hostile addresses. It may write to memory of the worker that nothing depends on: the slots, the good
 * page up to its end, and addresses where the worker has nothing.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEVICES	  "/sys/bus/dsa/devices/"
#define DRIVERS	  "/sys/bus/dsa/drivers/"
#define FUNCTIONS "/sys/bus/pci/devices/"
#define DMATEST	  "/sys/module/dmatest/parameters/"
#define EVENTS	  "/sys/bus/event_source/devices/"

#define RECORD	  (3u << 2) /* the address of the completion record is valid, and it is requested */
#define INTERRUPT (1u << 4)
#define OP_BATCH  1
/* The portals of a worker. */
#define PORTALS	  2
#define PORTAL(n) ((char *)0x0f0000000000UL + (n)*SLOT_SIZE)

enum { KINDS = 2, QUEUES = 4 };

/* Device 0 is a DSA, device 1 an IAX. */
static const char *const kinds[KINDS] = { "dsa", "iax" };

struct descriptor {
	uint32_t pasid, flags_opcode;
	uint64_t completion, source, destination;
	uint32_t size;
	uint16_t handle, reserved;
	uint64_t more[3];
} __attribute__((aligned(64)));

static bool is_there(unsigned int device)
{
	char path[64];

	snprintf(path, sizeof(path), DEVICES "%s%u", kinds[device], device);
	return access(path, F_OK) == 0;
}

/* --- configuration, as root --- */

static void set(const char *value, const char *format, unsigned int device, unsigned int part)
{
	char path[128];

	snprintf(path, sizeof(path), format, device, part);
	tree_write_text(path, value);
	count_calls(1);
}

static void bind_queue(const char *driver, const char *what, unsigned int device,
		       unsigned int queue)
{
	char path[96], name[16];

	snprintf(path, sizeof(path), DRIVERS "%s/%s", driver, what);
	snprintf(name, sizeof(name), "wq%u.%u", device, queue);
	tree_write_text(path, name);
	count_calls(1);
}

static void bind_device(const char *what, unsigned int device)
{
	char path[96], name[16];

	snprintf(path, sizeof(path), DRIVERS "idxd/%s", what);
	snprintf(name, sizeof(name), "%s%u", kinds[device], device);
	tree_write_text(path, name);
	count_calls(1);
}

static void let_all_open(unsigned int device, unsigned int queue)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s/wq%u.%u", kinds[device], device, queue);
	chmod(path, 0666);
}

static void configure_queue(unsigned int device, unsigned int queue, bool user, const char *size)
{
	char text[8];

	snprintf(text, sizeof(text), "%u", queue);
	set(text, DEVICES "wq%u.%u/group_id", device, queue);
	set(text, DEVICES "engine%u.%u/group_id", device, queue);
	set("dedicated", DEVICES "wq%u.%u/mode", device, queue);
	set(size, DEVICES "wq%u.%u/size", device, queue);
	set("10", DEVICES "wq%u.%u/priority", device, queue);
	set(user ? "user" : "kernel", DEVICES "wq%u.%u/type", device, queue);
	set("fuzzed", DEVICES "wq%u.%u/name", device, queue);
	set(user ? "user" : "dmaengine", DEVICES "wq%u.%u/driver_name", device, queue);
}

static void enable_queue(unsigned int device, unsigned int queue, bool user)
{
	bind_queue(user ? "user" : "dmaengine", "bind", device, queue);
	let_all_open(device, queue);
}

/* Queues of even numbers are programs'. */
static void configure(unsigned int device)
{
	for (unsigned int i = 0; i < QUEUES; i++)
		configure_queue(device, i, i % 2 == 0, "8");
	bind_device("bind", device);
	for (unsigned int i = 0; i < QUEUES; i++)
		enable_queue(device, i, i % 2 == 0);
}

void fuzz_dsa_end(void)
{
	for (unsigned int device = 0; device < KINDS; device++)
		if (is_there(device))
			bind_device("unbind", device);
}

void fuzz_dsa_begin(void)
{
	fuzz_dsa_end();
	for (unsigned int device = 0; device < KINDS; device++)
		if (is_there(device))
			configure(device);
}

static void change_attribute(struct random *random, unsigned int device)
{
	static const char *const paths[] = { DEVICES "wq%u.%u/group_id",
					     DEVICES "wq%u.%u/mode",
					     DEVICES "wq%u.%u/size",
					     DEVICES "wq%u.%u/priority",
					     DEVICES "wq%u.%u/threshold",
					     DEVICES "wq%u.%u/type",
					     DEVICES "wq%u.%u/name",
					     DEVICES "wq%u.%u/driver_name",
					     DEVICES "wq%u.%u/max_transfer_size",
					     DEVICES "wq%u.%u/max_batch_size",
					     DEVICES "wq%u.%u/block_on_fault",
					     DEVICES "wq%u.%u/enqcmds_retries",
					     DEVICES "engine%u.%u/group_id",
					     DEVICES "group%u.%u/traffic_class_a",
					     DEVICES "group%u.%u/traffic_class_b" };
	static const char *const values[] = { "0",
					      "1",
					      "2",
					      "-1",
					      "16",
					      "128",
					      "4096",
					      "shared",
					      "none",
					      "dedicated",
					      "user",
					      "dmaengine",
					      "kernel",
					      "",
					      "\n",
					      "%s%n%s",
					      "2147483648",
					      "99999999999999999999",
					      "18446744073709551615" };

	set(values[random_below(random, COUNT(values))], paths[random_below(random, COUNT(paths))],
	    device, random_below(random, QUEUES + 5));
}

static void change_binding(struct random *random, unsigned int device)
{
	static const char *const drivers[] = { "user", "dmaengine", "idxd", "iax_crypto" };
	unsigned int queue = random_below(random, QUEUES);

	switch (random_below(random, 6)) {
	case 0:
		bind_device(random_once_in(random, 3) ? "unbind" : "bind", device);
		break;
	case 1:
		bind_queue(drivers[random_below(random, COUNT(drivers))],
			   random_once_in(random, 2) ? "unbind" : "bind", device, queue);
		break;
	case 2:
		fuzz_dsa_end();
		configure(device);
		break;
	default: {
		bool user = random_once_in(random, 2);

		bind_queue("user", "unbind", device, queue);
		bind_queue("dmaengine", "unbind", device, queue);
		configure_queue(device, queue, user, random_once_in(random, 2) ? "1" : "16");
		enable_queue(device, queue, user);
	}
	}
}

static void run_dmatest(struct random *random)
{
	static const struct {
		const char *path, *values[4];
	} parameters[] = {
		{ DMATEST "channel", { "", "dma0chan0", "dma0chan1", "dma1chan0" } },
		{ DMATEST "iterations", { "0", "3", "1", "19" } },
		{ DMATEST "test_buf_size", { "16384", "1", "2097152", "0" } },
		{ DMATEST "norandom", { "0", "1", "N", "x" } },
		{ DMATEST "timeout", { "3000", "0", "-1", "1" } },
		{ DMATEST "seed", { "174515", "0", "-1", "4294967295" } },
	};

	for (unsigned int i = 0; i < 2; i++) {
		unsigned int which = random_below(random, COUNT(parameters));

		tree_write_text(parameters[which].path,
				parameters[which].values[random_below(random, 4)]);
	}
	tree_write_text(DMATEST "run", "1");
}

/* Chooses one of the machine's PCI functions. */
static bool choose_function(struct random *random, char *name, size_t size)
{
	DIR *functions = opendir(FUNCTIONS);
	struct dirent *entry;
	unsigned int seen = 0;

	while (functions && (entry = readdir(functions)))
		if (entry->d_name[0] != '.' && random_once_in(random, ++seen))
			snprintf(name, size, "%.*s", (int)size - 1, entry->d_name);
	if (functions)
		closedir(functions);
	return seen;
}

/* Configuration space is not for writing, not for root either. */
static void use_function(struct random *random)
{
	static const off_t places[] = { 0,  4,	 0x10, 0x34, 0x3c, 0x40, 63,
					64, 255, 256,  4095, 4096, -1 };
	static uint8_t bytes[PAGE];
	char name[24], path[96];

	if (!choose_function(random, name, sizeof(name)))
		return;
	snprintf(path, sizeof(path), FUNCTIONS "%s/config", name);
	int config = open(path, O_RDWR | O_CLOEXEC);
	for (unsigned int i = 0; i < 8; i++) {
		off_t place = places[random_below(random, COUNT(places))];
		size_t size = random_below(random, random_once_in(random, 3) ? PAGE : 9);

		if (random_once_in(random, 3)) {
			if (pwrite(config, bytes, size, place) > 0 && size)
				fuzz_finding("%s: root wrote to it", path);
		} else if (pread(config, bytes, size, place) > (ssize_t)size) {
			fuzz_finding("%s: more than was asked for", path);
		}
	}
	close(config);
	snprintf(path, sizeof(path), FUNCTIONS "%s/enable", name);
	/* One who enables may disable. */
	config = open(path, O_RDWR | O_CLOEXEC);
	if (write(config, "1", 1) == 1 && write(config, "0", 1) != 1)
		fuzz_finding("%s: cannot be disabled again", path);
	close(config);
}

/* --- descriptors --- */

/* An address for a descriptor, and in *SIZE the bytes that it may have there. */
static uint64_t any_address(struct fuzzer *fuzzer, uint32_t *size)
{
	unsigned int offset = pick(fuzzer, PAGE);

	*size = pick(fuzzer, 3) ? pick(fuzzer, 3 * PAGE) : (uint32_t)random_number(&fuzzer->random);
	switch (pick(fuzzer, 8)) {
	case 0:
		return fuzz_edge(fuzzer);
	case 1:
		return random_number(&fuzzer->random);
	case 2:
		return (uintptr_t)PORTAL(pick(fuzzer, PORTALS)) + offset;
	case 3:
	case 4:
		return (uintptr_t)fuzz_slot_address(pick(fuzzer, SLOTS)) + offset;
	default:
		*size = pick(fuzzer, PAGE - offset + 1);
		return (uintptr_t)fuzz_good_memory() + offset;
	}
}

static void make_descriptor(struct fuzzer *fuzzer, struct descriptor *d)
{
	static const uint8_t opcodes[] = { 0,	 1,    2,    3,	   3,	 3,    3,    4,	   5,
					   6,	 7,    8,    9,	   0x10, 0x11, 0x12, 0x13, 0x14,
					   0x15, 0x20, 0x42, 0x43, 0x48, 0x4c, 0x50 };
	uint32_t sizes[3], size;
	bool plain = pick(fuzzer, 2);

	/* The device does not wait for pages, nor for copies of them. */
	*(volatile uint64_t *)fuzz_good_memory() = 0;
	memset(d, 0, sizeof(*d));
	d->flags_opcode = RECORD | (uint32_t)PICK(fuzzer, opcodes) << 24;
	d->completion = (uintptr_t)fuzz_good_memory() + pick(fuzzer, PAGE / 64) * 64;
	d->source = any_address(fuzzer, &sizes[0]);
	d->destination = any_address(fuzzer, &sizes[1]);
	size = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
	if (plain) {
		/* Most operations have no more fields; these must be 0. */
		d->flags_opcode = RECORD | (uint32_t)(3 + pick(fuzzer, 3)) << 24;
		size += !size;
	} else {
		d->more[0] = any_address(fuzzer, &sizes[2]);
		d->more[1] = pick(fuzzer, PAGE);
		size = sizes[2] < size ? sizes[2] : size;
	}
	d->size = size;
	switch (pick(fuzzer, plain ? 40 : 10)) {
	case 0:
		d->flags_opcode ^= 1u << pick(fuzzer, 24);
		break;
	case 1:
		d->flags_opcode |= INTERRUPT;
		d->handle = (uint16_t)pick(fuzzer, 12);
		break;
	case 2:
		d->completion = any_address(fuzzer, &sizes[0]);
		break;
	case 3:
		d->pasid = (uint32_t)random_number(&fuzzer->random);
		break;
	}
}

/* Makes descriptors in a slot, and the batch of them. */
static void make_batch(struct fuzzer *fuzzer, struct descriptor *batch)
{
	struct descriptor *list = fuzz_slot_address(pick(fuzzer, SLOTS));
	unsigned int count = pick(fuzzer, 40);

	make_descriptor(fuzzer, batch);
	batch->flags_opcode = RECORD | OP_BATCH << 24;
	batch->source = (uintptr_t)list;
	batch->size = count;
	for (unsigned int i = 0; i < count; i++) {
		struct descriptor d;
		struct iovec {
			void *base;
			size_t size;
		} from = { &d, sizeof(d) }, to = { &list[i], sizeof(d) };

		make_descriptor(fuzzer, &d);
		/* The slot may be gone. */
		if (syscall(SYS_process_vm_writev, getpid(), &from, 1, &to, 1, 0) < 0)
			break;
	}
}

struct store {
	void *portal;
	struct descriptor descriptor;
	bool shared;
};

static void store(void *argument)
{
	struct store *store = argument;

	/* ENQCMD or MOVDIR64B (%rdx), %rax */
	if (store->shared)
		__asm__ volatile(".byte 0xf2, 0x0f, 0x38, 0xf8, 0x02" ::"a"(store->portal),
				 "d"(&store->descriptor)
				 : "memory", "cc");
	else
		__asm__ volatile(".byte 0x66, 0x0f, 0x38, 0xf8, 0x02" ::"a"(store->portal),
				 "d"(&store->descriptor)
				 : "memory");
}

static bool has_portal(void)
{
	unsigned char present;

	return mincore(PORTAL(0), PAGE, &present) == 0 || mincore(PORTAL(1), PAGE, &present) == 0;
}

/* --- operations --- */

static long submit_by_portal(struct fuzzer *fuzzer)
{
	struct store next;

	if (!has_portal())
		return -1;
	for (unsigned int i = 1 + pick(fuzzer, 12); i > 0; i--) {
		next.portal = PORTAL(pick(fuzzer, PORTALS)) + pick(fuzzer, 64) * 64;
		next.shared = pick(fuzzer, 10) == 0;
		if (pick(fuzzer, 6))
			make_descriptor(fuzzer, &next.descriptor);
		else
			make_batch(fuzzer, &next.descriptor);
		fuzz_try(store, &next);
		count_calls(1);
	}
	return 0;
}

static int open_queue(struct fuzzer *fuzzer, char *path, size_t size)
{
	static const int flags[] = { O_RDWR, O_RDWR, O_WRONLY, O_RDONLY };
	unsigned int device = pick(fuzzer, KINDS);

	snprintf(path, size, "/dev/%s/wq%u.%u", kinds[device], device, pick(fuzzer, QUEUES));
	return open(path, PICK(fuzzer, flags) | (pick(fuzzer, 2) ? O_CLOEXEC : 0));
}

static long open_any_queue(struct fuzzer *fuzzer)
{
	char path[32];
	int fd = open_queue(fuzzer, path, sizeof(path));

	fuzz_remember(fuzzer, fd);
	return fd;
}

static long write_to_queue(struct fuzzer *fuzzer)
{
	struct descriptor list[3];
	char path[32];
	bool own = pick(fuzzer, 2);
	int fd = own ? open_queue(fuzzer, path, sizeof(path)) : fuzz_any_fd(fuzzer);
	long result = 0;

	for (unsigned int i = 1 + pick(fuzzer, 4); fd >= 0 && i > 0; i--) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };

		for (unsigned int j = 0; j < COUNT(list); j++)
			make_descriptor(fuzzer, &list[j]);
		if (pick(fuzzer, 4))
			result = write(fd, list,
				       pick(fuzzer, 4) ? pick(fuzzer, 4) * 64 : pick(fuzzer, 200));
		else if (pick(fuzzer, 2))
			result = write(fd, fuzz_any_pointer(fuzzer), pick(fuzzer, 200));
		else
			result = poll(&wait, 1, 0);
		count_calls(1);
	}
	if (own && fd >= 0)
		close(fd);
	return result;
}

/* Maps a queue where portals are; only with CAP_SYS_RAWIO. */
static long map_portal(struct fuzzer *fuzzer)
{
	unsigned int which = pick(fuzzer, PORTALS);
	int fd = fuzz_any_fd(fuzzer);
	size_t size = pick(fuzzer, 8) ? PAGE : pick(fuzzer, 4) * PAGE;
	/* Only this file: a shared mapping of anything else is no memory for a descriptor. */
	struct stat status;

	if (fstat(fd, &status) < 0 || !S_ISCHR(status.st_mode))
		return -1;
	void *got = mmap(PORTAL(which), size, pick(fuzzer, 8) ? PROT_WRITE : (int)pick(fuzzer, 8),
			 (pick(fuzzer, 8) ? MAP_SHARED : MAP_PRIVATE) | MAP_FIXED, fd,
			 pick(fuzzer, 8) ? 0 : (off_t)pick(fuzzer, 4) * PAGE);
	return got == MAP_FAILED ? -1 : 0;
}

static long change_portal(struct fuzzer *fuzzer)
{
	static const int advice[] = { MADV_DONTNEED, MADV_DOFORK, MADV_DONTFORK, MADV_WILLNEED,
				      MADV_DODUMP };
	void *portal = PORTAL(pick(fuzzer, PORTALS));

	switch (pick(fuzzer, 6)) {
	case 0:
		return munmap(portal, PAGE);
	case 1:
		return madvise(portal, PAGE, PICK(fuzzer, advice));
	case 2:
		return mremap(portal, PAGE, PAGE * (1 + pick(fuzzer, 2)),
			      MREMAP_MAYMOVE | MREMAP_FIXED,
			      PORTAL(pick(fuzzer, PORTALS))) == MAP_FAILED ?
			       -1 :
			       0;
	case 3:
		return mlock(portal, PAGE);
	default:
		return mprotect(portal, PAGE, (int)pick(fuzzer, 8));
	}
}

/* Memory of descriptors comes and goes under them. */
static long change_memory(struct fuzzer *fuzzer)
{
	unsigned int slot = pick(fuzzer, SLOTS);
	void *memory = fuzz_slot_address(slot);
	size_t size = (1 + pick(fuzzer, 100)) * PAGE;

	switch (pick(fuzzer, 4)) {
	case 0:
		fuzzer->mapped[slot] = 0;
		return munmap(memory, SLOT_SIZE);
	case 1:
		return mprotect(memory, size, (int)pick(fuzzer, 4));
	case 2:
		return madvise(memory, size, MADV_DONTNEED);
	default:
		fuzzer->mapped[slot] = size;
		return mmap(memory, size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
				    (pick(fuzzer, 4) ? MAP_POPULATE : 0),
			    -1, 0) == MAP_FAILED ?
			       -1 :
			       0;
	}
}

/* A child has no portal, and its pages are shared with descriptors that run. */
static long fork_amid(struct fuzzer *fuzzer)
{
	submit_by_portal(fuzzer);
	pid_t child = fuzz_fork(fuzzer);

	if (child < 0)
		return -1;
	if (child > 0)
		return fuzz_reap(child, 200);
	submit_by_portal(fuzzer);
	write_to_queue(fuzzer);
	memset(fuzz_good_memory(), 0, PAGE);
	_exit(0);
}

static uint32_t event_type(unsigned int device)
{
	char path[80], text[16];

	snprintf(path, sizeof(path), EVENTS "%s%u/type", kinds[device], device);
	return tree_read_text(path, text, sizeof(text)) ? (uint32_t)atoi(text) : 0;
}

/* An event of a device; groups have other events, too. */
static long open_device_event(struct fuzzer *fuzzer)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	attr.type = event_type(pick(fuzzer, KINDS));
	if (!attr.type)
		return -1;
	attr.config = pick(fuzzer, 6) | 1ULL << (4 + pick(fuzzer, pick(fuzzer, 4) ? 12 : 60));
	if (pick(fuzzer, 3) == 0)
		attr.config1 = pick(fuzzer, 2) ? 1ULL << pick(fuzzer, 64) :
						 random_number(&fuzzer->random);
	if (pick(fuzzer, 10) == 0)
		attr.config2 = random_number(&fuzzer->random);
	attr.read_format = pick(fuzzer, 32);
	attr.disabled = pick(fuzzer, 3) == 0;
	attr.pinned = pick(fuzzer, 6) == 0;
	attr.exclusive = pick(fuzzer, 8) == 0;
	if (pick(fuzzer, 10) == 0)
		((uint64_t *)&attr)[pick(fuzzer, sizeof(attr) / 8)] ^= 1ULL << pick(fuzzer, 64);
	long fd = syscall(SYS_perf_event_open, &attr, pick(fuzzer, 10) ? -1 : 0,
			  (int)pick(fuzzer, 5) - (pick(fuzzer, 10) == 0),
			  pick(fuzzer, 2) ? -1 : fuzz_any_fd(fuzzer), PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		atomic_fetch_add(&fuzz_shared->opened, 1);
	fuzz_remember(fuzzer, (int)fd);
	return fd;
}

static long read_any(struct fuzzer *fuzzer)
{
	static _Thread_local uint64_t counts[64];
	int fd = fuzz_any_fd(fuzzer);
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	return poll(&wait, 1, 0) < 0 || !(wait.revents & POLLIN) ? -1 : read(fd, counts, 512);
}

const struct operation fuzz_dsa_operations[] = {
	{ "submit_by_portal", submit_by_portal, 12 },
	{ "open_any_queue", open_any_queue, 3 },
	{ "write_to_queue", write_to_queue, 6 },
	{ "map_portal", map_portal, 3 },
	{ "change_portal", change_portal, 1 },
	{ "change_memory", change_memory, 6 },
	{ "fork_amid", fork_amid, 1 },
	{ "open_device_event", open_device_event, 4 },
	{ "read_any", read_any, 4 },
	{ 0 },
};

/* --- root's part --- */

static void operate(struct fuzzer *fuzzer)
{
	unsigned int total = 0;

	for (const struct operation *each = fuzz_dsa_operations; each->name; each++)
		total += each->weight;
	unsigned int at = pick(fuzzer, total);

	for (const struct operation *each = fuzz_dsa_operations;; each++) {
		if (at < each->weight) {
			each->function(fuzzer);
			return;
		}
		at -= each->weight;
	}
}

/* A process that may map portals uses queues, then goes on as a worker that has them, or ends. */
_Noreturn static void use_devices(struct random random)
{
	struct fuzzer fuzzer = { .random = random, .depth = 2 };

	for (int i = 0; i < DESCRIPTORS; i++)
		fuzzer.fds[i] = -1;
	fuzz_prepare();
	for (unsigned int i = 0; i < 4; i++) {
		open_any_queue(&fuzzer);
		map_portal(&fuzzer);
		change_memory(&fuzzer);
	}
	for (unsigned int i = 20 + pick(&fuzzer, 60); i > 0; i--) {
		operate(&fuzzer);
		atomic_fetch_add(&fuzz_shared->operations, 1);
	}
	if (pick(&fuzzer, 3) == 0) {
		tree_become_user(WORKER_UID);
		fuzz_run(random_split(&fuzzer.random), 40, 2);
	}
	_exit(0);
}

void fuzz_dsa_administrate(struct random *random)
{
	struct random own = random_split(random);
	unsigned int device = random_below(random, KINDS);
	pid_t child;

	if (!is_there(device))
		return;
	switch (random_below(random, 9)) {
	case 4:
		use_function(&own);
		break;
	case 0:
		child = fork();
		if (child == 0) {
			run_dmatest(&own);
			_exit(0);
		}
		if (child > 0)
			fuzz_reap(child, 100);
		break;
	case 1:
		change_binding(random, device);
		break;
	case 2:
	case 3:
		change_attribute(random, device);
		break;
	default:
		child = fork();
		if (child == 0)
			use_devices(own);
		if (child > 0)
			fuzz_reap(child, random_once_in(random, 3) ? 20 : 1000);
	}
}
