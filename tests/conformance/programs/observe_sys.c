// SPDX-License-Identifier: BSD-2-Clause
/*
 * /sys: CPUs, their topology, and sources of events, as glibc, lscpu and perf read them;
 * and the errors of changing them.
 */
#include "observe.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>

#define CPU    "/sys/devices/system/cpu"
#define EVENTS "/sys/bus/event_source/devices"

static char text[4096];

/* Returns the contents of the file at PATH, its line ends as '$'. */
static const char *contents(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (length < 0)
		snprintf(text, sizeof(text), "%s", error_name(errno));
	else
		text[length] = '\0';
	if (fd >= 0)
		close(fd);
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = '$';
	return text;
}

static void show_files(const char *directory, const char *const *files)
{
	struct stat stat;
	char path[256];

	for (; *files; files++) {
		snprintf(path, sizeof(path), "%s/%s", directory, *files);
		show(contents(path), "%s", path);
		if (lstat(path, &stat) < 0)
			continue;
		snprintf(text, sizeof(text), "%o", stat.st_mode);
		show(text, "mode of %s", path);
	}
}

static void check_cpus(void)
{
	static const char *const sets[] = { "online",	"possible",    "present", "offline",
					    "isolated", "cpu0/online", NULL };
	static const char *const topology[] = {
		"physical_package_id",
		"die_id",
		"cluster_id",
		"core_id",
		"core_cpus",
		"core_cpus_list",
		"thread_siblings",
		"thread_siblings_list",
		"cluster_cpus",
		"cluster_cpus_list",
		"die_cpus",
		"die_cpus_list",
		"package_cpus",
		"package_cpus_list",
		"core_siblings",
		"core_siblings_list",
		NULL,
	};
	static const char *const cache[] = { "level",
					     "type",
					     "id",
					     "size",
					     "coherency_line_size",
					     "physical_line_partition",
					     "ways_of_associativity",
					     "number_of_sets",
					     "shared_cpu_map",
					     "shared_cpu_list",
					     NULL };
	static const char *const nodes[] = { "online",	       "possible",
					     "has_cpu",	       "has_memory",
					     "node0/cpulist",  "node0/cpumap",
					     "node0/distance", NULL };

	show_files(CPU, sets);
	show_files(CPU "/cpu0/topology", topology);
	for (int i = 0; i < 5; i++) {
		char path[64];

		snprintf(path, sizeof(path), CPU "/cpu0/cache/index%d", i);
		show_files(path, cache);
	}
	show_files("/sys/devices/system/node", nodes);
	snprintf(text, sizeof(text), "%d of %d", get_nprocs(), get_nprocs_conf());
	show(text, "glibc's get_nprocs");
	SEE(access(CPU "/cpu0", F_OK));
	SEE(access(CPU "/cpu64", F_OK));
	SEE(access(CPU "/cpu00", F_OK));
	SEE(access(CPU "/cpu", F_OK));
}

/* The files of DIRECTORY, each with what it says, in the order of the alphabet. */
static void show_directory(const char *directory)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, NULL, alphasort);
	char path[512];

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_type == DT_REG) {
			snprintf(path, sizeof(path), "%s/%s", directory, entries[i]->d_name);
			show(contents(path), "%s", path);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	else
		show(error_name(errno), "%s", directory);
}

static void sources(void)
{
	static const char *const files[] = { "type", NULL };
	ssize_t length;

	show_files(EVENTS "/cpu", files);
	show_files(EVENTS "/software", files);
	show_directory(EVENTS "/cpu/format");
	show_directory(EVENTS "/cpu/events");
	show_directory(EVENTS "/cpu/caps");
	show(contents(EVENTS "/cpu/perf_event_mux_interval_ms"), "interval of rotation");
	show(contents(EVENTS "/cpu/rdpmc"), "rdpmc");
	length = readlink(EVENTS "/cpu", text, sizeof(text) - 1);
	text[length < 0 ? 0 : length] = '\0';
	show(text, "link to the device");
	length = readlink(EVENTS "/cpu/subsystem", text, sizeof(text) - 1);
	text[length < 0 ? 0 : length] = '\0';
	show(text, "link to the subsystem");
	show(contents("/sys/devices/cpu/type"), "type by the device");
	SEE(access(EVENTS "/none", F_OK));
	SEE(access(EVENTS "/cpu_clock", F_OK));
	SEE(access(EVENTS "/software/format", F_OK));
	SEE(access(EVENTS "/cpu/events/none", F_OK));
}

static void limits(void)
{
	struct statfs fs;
	int fd = open(CPU "/online", O_RDONLY);

	statfs("/sys", &fs);
	snprintf(text, sizeof(text), "%lx", (unsigned long)fs.f_type);
	show(text, "type of /sys");
	SEE(pread(fd, text, 1, 1));
	SEE(pread(fd, text, 10, 1000));
	SEE(lseek(fd, 1, SEEK_SET));
	SEE(write(fd, "x", 1));
	close(fd);
	SEE(mkdir("/sys/new", 0700));
	SEE(mkdir(CPU "/new", 0700));
	SEE(rmdir(CPU "/cpu0"));
	SEE(unlink(CPU "/online"));
	SEE(symlink("x", CPU "/new"));
	SEE(open(CPU "/online/x", O_RDONLY));
	SEE(open(CPU, O_WRONLY));
}

int main(void)
{
	check_cpus();
	sources();
	limits();
	return 0;
}
