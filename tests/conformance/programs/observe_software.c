// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events that need no counters: which of them there are, their counts of known actions, and the two clocks'
 * samples. And the cache events, of which this PMU has none.
 */
#include "buffer.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const char *const names[] = {
	"cpu-clock",	"task-clock",	   "page-faults", "context-switches", "cpu-migrations",
	"minor-faults", "major-faults",	   "alignment",	  "emulation-faults", "dummy",
	"bpf-output",	"cgroup-switches", "one more",	  "another",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void attr_software(union attr *attr, uint64_t config)
{
	attr_dummy(attr);
	attr->fields.config = config;
}

static uint64_t value_of(int fd)
{
	uint64_t value = 0;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : ~0ull;
}

/* --- which there are --- */

static void kinds(void)
{
	union attr attr;

	for (uint64_t config = 0; config < NAMES; config++) {
		const char *name = names[config];

		attr_software(&attr, config);
		show(try_open(&attr, 0, -1), "%s: of a task", name);
		show(try_open(&attr, -1, 0), "%s: of a CPU", name);
		attr.fields.exclude_kernel = attr.fields.exclude_user = attr.fields.exclude_idle =
			1;
		show(try_open(&attr, 0, -1), "%s: of nothing", name);
		attr_software(&attr, config);
		attr.fields.sample_period = 1;
		attr.fields.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW;
		show(try_open(&attr, 0, -1), "%s: sampling", name);
		attr.fields.freq = 1;
		attr.fields.sample_freq = 100;
		show(try_open(&attr, 0, -1), "%s: by frequency", name);
		attr.fields.sample_freq = 0;
		show(try_open(&attr, 0, -1), "%s: by no frequency", name);
		attr_software(&attr, config);
		attr.fields.precise_ip = 1;
		show(try_open(&attr, 0, -1), "%s: precise", name);
		attr_software(&attr, config);
		attr.fields.sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr.fields.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		show(try_open(&attr, 0, -1), "%s: with branches", name);
		attr_software(&attr, config);
		attr.fields.pinned = attr.fields.exclusive = 1;
		show(try_open(&attr, 0, -1), "%s: pinned and exclusive", name);
		attr_software(&attr, config | 1ull << 32);
		show(try_open(&attr, 0, -1), "%s: with a bit above", name);
	}
}

/* The number of the outcome, for each cache, operation and result, and one beyond. */
static void caches(void)
{
	for (uint64_t cache = 0; cache <= PERF_COUNT_HW_CACHE_MAX; cache++) {
		for (uint64_t operation = 0; operation <= PERF_COUNT_HW_CACHE_OP_MAX; operation++) {
			for (uint64_t result = 0; result <= PERF_COUNT_HW_CACHE_RESULT_MAX;
			     result++) {
				union attr attr;

				attr_instructions(&attr);
				attr.fields.type = PERF_TYPE_HW_CACHE;
				attr.fields.config = cache | operation << 8 | result << 16;
				show(try_open(&attr, 0, -1), "cache %u, operation %u, result %u",
				     (unsigned int)cache, (unsigned int)operation,
				     (unsigned int)result);
			}
		}
	}
	for (int shift = 24; shift < 64; shift += 4) {
		union attr attr;

		attr_instructions(&attr);
		attr.fields.type = PERF_TYPE_HW_CACHE;
		attr.fields.config = 1ull << shift;
		show(try_open(&attr, 0, -1), "cache event with bit %d", shift);
	}
}

/* --- what they count --- */

static volatile char *pages;

static void touch(unsigned int count)
{
	pages = mmap(NULL, count * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	madvise((void *)pages, count * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < count; i++)
		pages[i * PAGE_BYTES] = 1;
	munmap((void *)pages, count * PAGE_BYTES);
}

static void touch_seven(void)
{
	touch(7);
}

static void read_before_writing(void)
{
	volatile char *page =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char seen = page[0];

	page[0] = (char)(seen + 1);
	munmap((void *)page, PAGE_BYTES);
}

static void fault_in_the_kernel(void)
{
	char *page =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (getcwd(page, PAGE_BYTES))
		munmap(page, PAGE_BYTES);
}

static void sleep_thrice(void)
{
	const struct timespec moment = { .tv_nsec = 2000000 };

	for (int i = 0; i < 3; i++)
		nanosleep(&moment, NULL);
}

static void populate(void)
{
	munmap(mmap(NULL, 4 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0),
	       4 * PAGE_BYTES);
}

static const struct {
	const char *name;
	void (*run)(void);
} works[] = {
	{ "seven pages", touch_seven },
	{ "a page read, then written", read_before_writing },
	{ "a fault in the kernel", fault_in_the_kernel },
	{ "three sleeps", sleep_thrice },
	{ "pages at once", populate },
};

/* Returns the least of five counts: now and then the kernel does something else in between. */
static uint64_t least_count(int fd, void (*run)(void))
{
	uint64_t least = ~0ull;

	for (int i = 0; i < 5; i++) {
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		run();
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (value_of(fd) < least)
			least = value_of(fd);
	}
	return least;
}

static void counts(void)
{
	static const struct {
		const char *name;
		int exclude_user, exclude_kernel;
	} modes[] = { { "", 0, 0 }, { ", user mode", 0, 1 }, { ", the kernel", 1, 0 } };

	/* Each once before, so that its code and the stack are there. */
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		works[i].run();
	for (uint64_t config = PERF_COUNT_SW_PAGE_FAULTS; config < 12; config++) {
		for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
			union attr attr;

			attr_software(&attr, config);
			attr.fields.exclude_user = modes[m].exclude_user;
			attr.fields.exclude_kernel = modes[m].exclude_kernel;
			int fd = must_open(&attr, -1);

			for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
				char name[96];

				snprintf(name, sizeof(name), "%s%s", works[i].name, modes[m].name);
				show_number((long long)least_count(fd, works[i].run), names[config],
					    name);
			}
			close(fd);
		}
	}
}

/* A page fault's sample has the address that faulted. */
static void fault_samples(void)
{
	unsigned char record[PAGE_BYTES];
	union attr attr;
	int samples = 0, right = 0;

	attr_software(&attr, PERF_COUNT_SW_PAGE_FAULTS);
	attr.fields.sample_period = 1;
	attr.fields.sample_type = PERF_SAMPLE_ADDR;
	attr.fields.exclude_kernel = 1;
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, 4, PROT_READ | PROT_WRITE);

	pages = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	madvise((void *)pages, 3 * PAGE_BYTES, MADV_NOHUGEPAGE);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (unsigned int i = 0; i < 3; i++)
		pages[i * PAGE_BYTES + 16 * i] = 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while (next_record(&buffer, record)) {
		uint64_t address;

		memcpy(&address, record + 8, sizeof(address));
		right += address == (uint64_t)(pages + samples * (PAGE_BYTES + 16));
		samples++;
	}
	show_number(samples, "page faults", "samples");
	show_number(right, "page faults", "with the address");
	close(fd);
}

/* --- the clocks --- */

static void work_until_disabled(int fd)
{
	/* The last sample that REFRESH allows disables it: its count stands still from then on. */
	for (uint64_t last = 0, now, same = 0; same < 60; last = now) {
		for (volatile int i = 0; i < 20000; i++)
			;
		now = value_of(fd);
		same = now == last ? same + 1 : 0;
	}
}

static void clock_samples(uint64_t config, uint64_t period, bool frequency)
{
	const struct perf_event_header *header;
	unsigned char record[PAGE_BYTES];
	union attr attr;
	char when[64];
	int samples = 0, others = 0, kernel = 0;
	uint64_t periods[2] = { 0, 0 };

	header = (const void *)record;
	snprintf(when, sizeof(when), "%s, %s %llu", names[config],
		 frequency ? "frequency" : "period", (unsigned long long)period);
	attr_software(&attr, config);
	attr.fields.sample_period = period;
	attr.fields.freq = frequency;
	attr.fields.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	attr.fields.exclude_kernel = 1;
	int fd = must_open(&attr, -1);
	struct buffer buffer = map_buffer(fd, 4, PROT_READ | PROT_WRITE);

	show(outcome(ioctl(fd, PERF_EVENT_IOC_REFRESH, 5)), "%s: refresh", when);
	work_until_disabled(fd);
	while (next_record(&buffer, record)) {
		if (header->type != PERF_RECORD_SAMPLE) {
			others++;
			continue;
		}
		kernel += (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
		memcpy(samples ? &periods[1] : &periods[0], record + 16, sizeof(uint64_t));
		samples++;
	}
	show_number(samples, when, "samples");
	show_number(others, when, "other records");
	show_number(kernel, when, "of the kernel");
	show_number((long long)periods[0], when, "first period");
	show_number((long long)periods[1], when, "last period");
	show(value_of(fd) >= 5 * periods[1] ? "yes" : "no", "%s: at least five periods passed",
	     when);
	unmap_buffer(&buffer);
	close(fd);
}

static void clocks(void)
{
	const struct timespec moment = { .tv_nsec = 20000000 };

	for (uint64_t config = 0; config < 2; config++) {
		union attr attr;
		uint64_t values[3];

		attr_software(&attr, config);
		attr.fields.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
					  PERF_FORMAT_TOTAL_TIME_RUNNING;
		int fd = must_open(&attr, -1);

		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		nanosleep(&moment, NULL);
		for (volatile int i = 0; i < 1000000; i++)
			;
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		show_number(read(fd, values, sizeof(values)), names[config], "read");
		show(values[0] > 0 ? "yes" : "no", "%s: it counts", names[config]);
		show(values[0] < 20000000 ? "yes" : "no", "%s: not while the task sleeps",
		     names[config]);
		show(values[1] == values[2] ? "yes" : "no", "%s: it always runs", names[config]);
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		read(fd, values, sizeof(values));
		show_number((long long)values[0], names[config], "after a reset");
		close(fd);

		clock_samples(config, 1000000, false);
		clock_samples(config, 100000, false);
		clock_samples(config, 1, false);
		clock_samples(config, 1000, true);
		clock_samples(config, 300, true);
	}
}

int main(void)
{
	kinds();
	caches();
	counts();
	fault_samples();
	clocks();
	return 0;
}
