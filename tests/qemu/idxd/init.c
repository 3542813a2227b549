// SPDX-License-Identifier: BSD-2-Clause
/*
 * init.c: the only program of Linux on the emulated DSA. It loads the driver, configures a queue of the kernel by sysfs
 * as accel-config does, lets moves.ko move memory, and compares perf's counts. Output: TAP on the first serial port.
 *
 * The driver's own default for this version of the device is traffic class 1; tc_override gives class 0, which the
 * filter of the seed's example names.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS(name)  "/sys/bus/event_source/devices/" name
#define DEVICES(name) "/sys/bus/dsa/devices/" name
#define DRIVERS(name) "/sys/bus/dsa/drivers/" name

enum { CATEGORY_ENGINE = 1, CATEGORY_OPERATION = 3, EVENT_SHIFT = 4, MOVES = 19 };
/* Queue 0, traffic class 0, sizes of up to 4 KiB, engine 0. */
#define FILTERS (1ull | 1ull << 32 | 7ull << 44 | 1ull << 52)

static unsigned int points;

static void point(bool good, const char *name)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++points, name);
}

static void point_equal(uint64_t got, uint64_t expected, const char *name)
{
	point(got == expected, name);
	if (got != expected)
		printf("# got %llu, expected %llu\n", (unsigned long long)got,
		       (unsigned long long)expected);
}

static bool load(const char *path, const char *parameters)
{
	int file = open(path, O_RDONLY);
	bool good = file >= 0 && syscall(SYS_finit_module, file, parameters, 0) == 0;

	close(file);
	return good;
}

static bool put(const char *path, const char *value)
{
	int file = open(path, O_WRONLY);
	bool good = file >= 0 && write(file, value, strlen(value)) == (ssize_t)strlen(value);

	if (!good)
		printf("# %s > %s failed\n", value, path);
	close(file);
	return good;
}

static void get(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY);
	ssize_t length = read(file, text, size - 1);

	text[length < 0 ? 0 : length] = 0;
	text[strcspn(text, "\n")] = 0;
	close(file);
}

static bool is(const char *path, const char *expected)
{
	char text[256];

	get(path, text, sizeof(text));
	if (strcmp(text, expected))
		printf("# %s is '%s'\n", path, text);
	return !strcmp(text, expected);
}

static void check_pmu(void)
{
	static const struct {
		const char *path, *text;
	} files[] = {
		{ EVENTS("dsa0/format/event_category"), "config:0-3" },
		{ EVENTS("dsa0/format/event"), "config:4-31" },
		{ EVENTS("dsa0/format/filter_wq"), "config1:0-31" },
		{ EVENTS("dsa0/format/filter_tc"), "config1:32-39" },
		{ EVENTS("dsa0/format/filter_pgsz"), "config1:40-43" },
		{ EVENTS("dsa0/format/filter_sz"), "config1:44-51" },
		{ EVENTS("dsa0/format/filter_eng"), "config1:52-59" },
		{ EVENTS("dsa0/cpumask"), "0" },
		{ EVENTS("iax1/cpumask"), "0" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		point(is(files[i].path, files[i].text), files[i].path);
}

static void configure(void)
{
	static const struct {
		const char *path, *value;
	} settings[] = {
		{ DEVICES("wq0.0/group_id"), "0" },
		{ DEVICES("wq0.0/mode"), "dedicated" },
		{ DEVICES("wq0.0/size"), "16" },
		{ DEVICES("wq0.0/priority"), "10" },
		{ DEVICES("wq0.0/type"), "kernel" },
		{ DEVICES("wq0.0/name"), "moves" },
		{ DEVICES("wq0.0/driver_name"), "dmaengine" },
		{ DEVICES("engine0.0/group_id"), "0" },
		{ DRIVERS("idxd/bind"), "dsa0" },
		{ DRIVERS("dmaengine/bind"), "wq0.0" },
	};
	bool good = true;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		good = put(settings[i].path, settings[i].value) && good;
	point(good && is(DEVICES("wq0.0/state"), "enabled"),
	      "a queue of the kernel is configured and enabled");
}

static int open_event(unsigned int category, unsigned int event, uint64_t filters)
{
	char type[32];
	struct perf_event_attr attr = { .size = sizeof(attr),
					.config = category | event << EVENT_SHIFT,
					.config1 = filters };

	get(EVENTS("dsa0/type"), type, sizeof(type));
	attr.type = (uint32_t)atoi(type);
	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static uint64_t read_event(int event)
{
	uint64_t count = UINT64_MAX;

	if (read(event, &count, sizeof(count)) != sizeof(count))
		printf("# an event cannot be read\n");
	close(event);
	return count;
}

static void count_moves(void)
{
	/* The first table of the driver's first announcement; the generator's seed gives its sizes and offsets. */
	static const struct {
		unsigned int event;
		uint64_t count;
		const char *name;
	} table[] = {
		{ 0x1, 5332, "units of 32 bytes read" }, { 0x2, 5327, "units of 32 bytes written" },
		{ 0x4, MOVES, "descriptors that read" }, { 0x8, MOVES, "descriptors that write" },
		{ 0x10, 0, "descriptors from batches" }, { 0x20, MOVES, "descriptors from queues" },
	};
	enum { EVENTS_OF_TABLE = sizeof(table) / sizeof(table[0]) };
	int events[EVENTS_OF_TABLE], filtered;

	for (int i = 0; i < EVENTS_OF_TABLE; i++)
		events[i] = open_event(CATEGORY_ENGINE, table[i].event, 0);
	point(load("/moves.ko", "count=19 max_bytes=16384 seed=174515"),
	      "19 moves, and all bytes are there");
	for (int i = 0; i < EVENTS_OF_TABLE; i++)
		point_equal(read_event(events[i]), table[i].count, table[i].name);
	syscall(SYS_delete_module, "moves", 0);

	filtered = open_event(CATEGORY_OPERATION, 0x8, FILTERS);
	point(load("/moves.ko", "count=19 max_bytes=4096"), "19 moves of up to 4 KiB");
	point_equal(read_event(filtered), MOVES, "EV_MEM_MOVE by queue, class, size and engine");
	syscall(SYS_delete_module, "moves", 0);
}

/* Linux has no IOMMU here, and says that it cannot share address spaces. All else is a complaint. */
static void check_log(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	unsigned int complaints = 0;
	char line[8192];
	ssize_t length;

	while ((length = read(log, line, sizeof(line) - 1)) > 0) {
		line[length] = 0;
		if ((atoi(line) & 7) > 4 || (!strstr(line, "idxd") && !strstr(line, "dsa")) ||
		    strstr(line, "SVA feature"))
			continue;
		complaints++;
		printf("# %s", line);
	}
	close(log);
	point_equal(complaints, 0, "Linux has no complaint about the device");
}

int main(void)
{
	int console;

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	console = open("/dev/ttyS0", O_RDWR);
	dup2(console, STDOUT_FILENO);
	setvbuf(stdout, NULL, _IOLBF, 0);
	point(load("/idxd_bus.ko", "") && load("/idxd.ko", "tc_override=1"),
	      "Linux's driver loads");
	check_pmu();
	configure();
	count_moves();
	check_log();
	printf("1..%u\n", points);
	fsync(STDOUT_FILENO);
	reboot(RB_POWER_OFF);
	return 1;
}
