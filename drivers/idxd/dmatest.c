/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The self-test of DMA: moves memory by a kernel queue and compares each byte. Its files are those of Linux's module
 * dmatest, /sys/module/dmatest/parameters: root writes the parameters and then 1 to `run`.
 *
 * Differences from Linux: the write to `run` returns when the test has ended, where Linux returns at once and `wait` waits
 * when it is read; one task moves, with one move at a time; sizes and places come from a generator whose start is the
 * parameter `seed`, so a test is the same each time. Its default makes 19 moves of up to 16 KiB the very moves of the
 * table in Linux's announcement of the PMU: 5332 units of 32 bytes read and 5327 written.
 *
 * The word dmatest=CHANNEL,ITERATIONS of the command line runs a test at the start.
 *
 * Lock: test_mutex, for the parameters and the test; before a device's mutex. `running` is atomic, so that a second test
 * is refused at once.
 */
#include <stdatomic.h>
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/clock.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/pseudo.h>
#include <kernel/fs/pseudo_number.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "idxd.h"
#include "submit.h"

#define CHANNEL_SIZE	 20 /* Linux's, with the end */
/* Twice as much is one block of pages. */
#define BUFFER_BYTES_MAX ((PAGE_SIZE << PAGE_ORDER_MAX) / 2)
/* The bytes around the destination of a move, which it must leave alone. */
#define UNTOUCHED	 0xa5

/* The parameters of a test. */
struct test {
	char channel[CHANNEL_SIZE]; /* "": the first that there is */
	uint32_t buffer_bytes;	    /* the greatest move */
	uint32_t iterations;	    /* 0: unlimited */
	uint32_t seed;
	int32_t timeout_ms; /* of each move; below 0: none */
	bool whole;	    /* each move has buffer_bytes, from and to the start of the buffers */
};

static struct mutex test_mutex = MUTEX_INITIALIZER(test_mutex);
static struct test parameters = { .buffer_bytes = 16384,
				  .iterations = 0,
				  .seed = 174515,
				  .timeout_ms = 3000 };
static _Atomic bool running;

/* --- a test --- */

/* Whether QUEUE is enabled and its channel is CHANNEL, or that is empty. */
static bool is_chosen(struct idxd_queue *queue, const char *channel)
{
	char name[CHANNEL_SIZE];

	mutex_lock(&queue->device->mutex);
	bool is_usable = queue->enabled && queue->type == IDXD_QUEUE_KERNEL;
	mutex_unlock(&queue->device->mutex);

	if (!is_usable)
		return false;
	idxd_queue_name_channel(queue, name, sizeof(name));
	return !*channel || !strcmp(name, channel);
}

/* Returns the first enabled queue whose channel is CHANNEL, or any if that is empty; NULL: none. It may be disabled at any
 * time. */
static struct idxd_queue *find_queue(const char *channel)
{
	struct idxd_device *device;

	for (unsigned int id = 0; (device = idxd_device_next(id)); id = device->id + 1)
		for (unsigned int i = 0; i < device->queue_count; i++)
			if (is_chosen(&device->queues[i], channel))
				return &device->queues[i];
	return NULL;
}

/* Returns the next number below BELOW. */
static uint32_t next_number(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

/* Whether TO has the bytes of FROM at [start, start + size), and has been left alone around them. */
static bool is_moved(const uint8_t *from, const uint8_t *to, size_t room, size_t start, size_t size)
{
	for (size_t i = 0; i < room; i++) {
		uint8_t expected = i >= start && i < start + size ? from[i - start] : UNTOUCHED;

		if (to[i] != expected)
			return false;
	}
	return true;
}

/* Makes one move, whose size and places come from *STATE. 0, -EILSEQ (the bytes are wrong), the error of idxd_move. */
static int move_once(struct idxd_queue *queue, const struct test *test, uint32_t *state,
		     uint8_t *from, uint8_t *to)
{
	uint32_t size = test->whole ? test->buffer_bytes :
				      1 + next_number(state, test->buffer_bytes);
	uint32_t source = test->whole ? 0 : next_number(state, test->buffer_bytes);
	uint32_t target = test->whole ? 0 : next_number(state, test->buffer_bytes);
	uint64_t deadline_ns = test->timeout_ms < 0 ?
				       UINT64_MAX :
				       clock_ns() + (uint64_t)test->timeout_ms * NSEC_PER_MSEC;

	memset(to, UNTOUCHED, 2 * (size_t)test->buffer_bytes);
	int error = idxd_move(queue, page_paddr(to + target), page_paddr(from + source), size,
			      deadline_ns);
	if (!error && !is_moved(from + source, to, 2 * (size_t)test->buffer_bytes, target, size))
		error = -EILSEQ;
	return error;
}

/* Makes the moves. A fatal signal ends them: -EINTR. Else 0, or the error of the last move that failed. */
static int move_all(struct idxd_queue *queue, const struct test *test, uint8_t *from, uint8_t *to)
{
	uint32_t state = test->seed, made = 0, failures = 0;
	int error = 0, failure = 0;
	char name[CHANNEL_SIZE];

	idxd_queue_name_channel(queue, name, sizeof(name));
	for (size_t i = 0; i < 2 * (size_t)test->buffer_bytes; i++)
		from[i] = (uint8_t)(i * 7 + i / 256);
	while (error != -EINTR && error != -ENODEV &&
	       (!test->iterations || made < test->iterations)) {
		error = move_once(queue, test, &state, from, to);
		made++;
		failures += error != 0;
		failure = error ? error : failure;
		/* A move may end without a wait. */
		if (signal_is_fatal_pending(task_current()))
			error = failure = -EINTR;
		sched_relax();
	}
	log_info("dmatest: %s: %u moves, %u failures", name, made, failures);
	return failure;
}

static unsigned int order_of(size_t size)
{
	unsigned int order = 0;

	while (PAGE_SIZE << order < size)
		order++;
	return order;
}

/* Adds CHANGE to the number of QUEUE's users. */
static void count_client(struct idxd_queue *queue, int change)
{
	mutex_lock(&queue->device->mutex);
	queue->clients += (unsigned int)change;
	mutex_unlock(&queue->device->mutex);
}

static int run_test(const struct test *test)
{
	struct idxd_queue *queue = find_queue(test->channel);
	unsigned int order = order_of(2 * (size_t)test->buffer_bytes);
	int error = -ENOMEM;

	if (!queue)
		return -ENODEV;
	uint8_t *from = page_alloc(order), *to = page_alloc(order);
	if (from && to) {
		count_client(queue, 1);
		error = move_all(queue, test, from, to);
		count_client(queue, -1);
	}
	if (from)
		page_put(from);
	if (to)
		page_put(to);
	return error;
}

/* Runs TEST unless another runs: -EBUSY. */
static int run_alone(const struct test *test)
{
	if (atomic_exchange(&running, true))
		return -EBUSY;
	int error = run_test(test);
	atomic_store(&running, false);
	return error;
}

/* --- the files --- */

/* The parameters that are numbers. */
struct number {
	size_t offset;
	int64_t least, most;
};

static const struct number numbers[] = {
	{ offsetof(struct test, buffer_bytes), 1, BUFFER_BYTES_MAX },
	{ offsetof(struct test, iterations), 0, UINT32_MAX },
	{ offsetof(struct test, seed), 0, UINT32_MAX },
	{ offsetof(struct test, timeout_ms), INT32_MIN, INT32_MAX },
};
enum { BUFFER_BYTES, ITERATIONS, SEED, TIMEOUT };

static ssize_t store_number(unsigned int index, const char *text, size_t size)
{
	const struct number *number = &numbers[index];
	int64_t value;
	uint64_t magnitude = 0;
	int error = 0;

	if (!size)
		return 0;
	if (number->least < 0) {
		error = pseudo_parse_signed(text, 0, number->least, number->most, &value);
	} else {
		error = pseudo_parse_unsigned(text, 0, (uint64_t)number->most, &magnitude);
		value = (int64_t)magnitude;
	}
	if (!error && value < number->least)
		error = -EINVAL;
	if (error)
		return error;
	uint32_t bits = (uint32_t)value;
	mutex_lock(&test_mutex);
	memcpy((char *)&parameters + number->offset, &bits, sizeof(bits));
	mutex_unlock(&test_mutex);
	return (ssize_t)size;
}

static int show_number(unsigned int index, struct text *text)
{
	uint32_t bits;

	mutex_lock(&test_mutex);
	memcpy(&bits, (const char *)&parameters + numbers[index].offset, sizeof(bits));
	mutex_unlock(&test_mutex);
	if (numbers[index].least < 0)
		text_print(text, "%d\n", (int32_t)bits);
	else
		text_print(text, "%u\n", bits);
	return 0;
}

#define NUMBER_FILE(name, index)                                                 \
	static int show_##name(struct text *text, void *unused)                  \
	{                                                                        \
		return show_number(index, text);                                 \
	}                                                                        \
	static ssize_t store_##name(void *unused, const char *text, size_t size) \
	{                                                                        \
		return store_number(index, text, size);                          \
	}

NUMBER_FILE(buffer_bytes, BUFFER_BYTES)
NUMBER_FILE(iterations, ITERATIONS)
NUMBER_FILE(seed, SEED)
NUMBER_FILE(timeout, TIMEOUT)

static int show_channel(struct text *text, void *unused)
{
	mutex_lock(&test_mutex);
	text_print(text, "%s\n", parameters.channel);
	mutex_unlock(&test_mutex);
	return 0;
}

static ssize_t store_channel(void *unused, const char *text, size_t size)
{
	size_t length = strcspn(text, "\n");

	if (!size)
		return 0;
	if (length >= CHANNEL_SIZE)
		return -ENOSPC;
	mutex_lock(&test_mutex);
	memset(parameters.channel, 0, sizeof(parameters.channel));
	memcpy(parameters.channel, text, length);
	bool found = !length || find_queue(parameters.channel);
	if (!found)
		parameters.channel[0] = 0;
	mutex_unlock(&test_mutex);
	return found ? (ssize_t)size : -EINVAL;
}

static int show_norandom(struct text *text, void *unused)
{
	mutex_lock(&test_mutex);
	text_print(text, "%c\n", parameters.whole ? 'Y' : 'N');
	mutex_unlock(&test_mutex);
	return 0;
}

static ssize_t store_norandom(void *unused, const char *text, size_t size)
{
	bool whole = false;
	int error = size ? pseudo_parse_boolean(text, &whole) : 0;

	if (error || !size)
		return error;
	mutex_lock(&test_mutex);
	parameters.whole = whole;
	mutex_unlock(&test_mutex);
	return (ssize_t)size;
}

static int show_run(struct text *text, void *unused)
{
	text_print(text, "%c\n", atomic_load(&running) ? 'Y' : 'N');
	return 0;
}

static ssize_t store_run(void *unused, const char *text, size_t size)
{
	struct test test;
	bool value;
	int error = size ? pseudo_parse_boolean(text, &value) : 0;

	if (size && !error && value) {
		mutex_lock(&test_mutex);
		test = parameters;
		mutex_unlock(&test_mutex);
		error = run_alone(&test);
	}
	return error ? error : (ssize_t)size;
}

/* The write to `run` has waited already. */
static int show_wait(struct text *text, void *unused)
{
	text_print(text, "Y\n");
	return 0;
}

static const struct pseudo_entry parameter_entries[] = {
	{ .name = "channel", .mode = S_IFREG | 0644, .show = show_channel, .store = store_channel },
	{ .name = "iterations",
	  .mode = S_IFREG | 0644,
	  .show = show_iterations,
	  .store = store_iterations },
	{ .name = "norandom",
	  .mode = S_IFREG | 0644,
	  .show = show_norandom,
	  .store = store_norandom },
	{ .name = "run", .mode = S_IFREG | 0644, .show = show_run, .store = store_run },
	{ .name = "seed", .mode = S_IFREG | 0644, .show = show_seed, .store = store_seed },
	{ .name = "test_buf_size",
	  .mode = S_IFREG | 0644,
	  .show = show_buffer_bytes,
	  .store = store_buffer_bytes },
	{ .name = "timeout", .mode = S_IFREG | 0644, .show = show_timeout, .store = store_timeout },
	{ .name = "wait", .mode = S_IFREG | 0444, .strict = true, .show = show_wait },
	{ .name = NULL },
};

static const struct pseudo_entry dmatest_entries[] = {
	{ .name = "parameters", .mode = S_IFDIR | 0755, .children = parameter_entries },
	{ .name = NULL },
};

static const struct pseudo_entry module_entries[] = {
	{ .name = "dmatest", .mode = S_IFDIR | 0755, .children = dmatest_entries },
	{ .name = NULL },
};

/* --- start --- */

static void add_files(void)
{
	static struct pseudo_added added = { .children = module_entries };

	if (idxd_device_next(0))
		pseudo_add(&sys_module_added, &added);
}

START(START_DEV, add_files);

/* dmatest=CHANNEL,ITERATIONS */
static void run_at_start(void)
{
	struct test test = parameters;
	char value[64], *comma;
	int64_t iterations;

	if (!boot_option("dmatest", value, sizeof(value)))
		return;
	comma = strchr(value, ',');
	if (!comma || comma - value >= CHANNEL_SIZE ||
	    pseudo_parse_signed(comma + 1, 10, 1, UINT32_MAX, &iterations))
		boot_failure(
			"dmatest=%s: a channel and a number of moves are needed, as in dma0chan0,19",
			value);
	memset(test.channel, 0, sizeof(test.channel));
	memcpy(test.channel, value, (size_t)(comma - value));
	test.iterations = (uint32_t)iterations;
	int error = run_alone(&test);
	if (error)
		log_error("dmatest: error %d", error);
}

START(START_LATE, run_at_start);
