// SPDX-License-Identifier: BSD-2-Clause
/*
 * The files of a DSA and an IAX: /sys/bus/dsa, the devices' directories, /sys/class/dma, and dmatest's parameters. First
 * all of them as the driver leaves them at start; then those that differ when a queue of the DSA is enabled, and those
 * that differ when it is disabled.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "dsa.h"

enum { FILES_MAX = 2048 };

/* The last walk: of each file its mode and name, and the text that was shown. */
static struct file {
	char *name, *text;
	unsigned int seen;
} files[FILES_MAX];
static unsigned int file_count, walk_number;

/* Shows what is new, or has another text than in the last walk. */
static void see(const char *text, unsigned int mode, const char *path)
{
	char name[512];
	unsigned int i = 0;

	snprintf(name, sizeof(name), "mode %o %s", mode, path);
	while (i < file_count && strcmp(files[i].name, name) != 0)
		i++;
	if (i == FILES_MAX) {
		show("too many", "files");
		exit(1);
	}
	files[i].seen = walk_number;
	if (i < file_count && !strcmp(files[i].text, text))
		return;
	if (i == file_count) {
		file_count++;
		files[i].name = strdup(name);
	}
	files[i].text = strdup(text);
	show(text, "%s", name);
}

/* Power management describes a machine that can sleep. */
static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && strcmp(entry->d_name, "power") != 0;
}

/* Numbers that are given out at start. */
static bool is_assigned(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return !strcmp(name, "cdev_major") || !strcmp(name, "type") || !strcmp(name, "dev");
}

static void walk(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_shown, alphasort);

	for (int i = 0; i < count; i++) {
		char below[512], target[256];
		struct stat status;

		snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);
		free(entries[i]);
		if (lstat(below, &status) < 0)
			continue;
		if (S_ISDIR(status.st_mode)) {
			see("there", status.st_mode, below);
			walk(below);
		} else if (S_ISLNK(status.st_mode)) {
			ssize_t size = readlink(below, target, sizeof(target) - 1);

			target[size < 0 ? 0 : size] = '\0';
			see(target, status.st_mode, below);
		} else {
			const char *text = file_text(below);
			bool hidden = is_assigned(below) && text[0] >= '0' && text[0] <= '9';

			see(hidden ? "assigned" : text, status.st_mode, below);
		}
	}
	if (count >= 0)
		free(entries);
}

static void walk_all(const char *when)
{
	static const char *const roots[] = { "/sys/bus/dsa",
					     "/sys/class/dma",
					     "/sys/module/dmatest/parameters",
					     "/sys/module/idxd/parameters",
					     "/sys/bus/event_source/devices/dsa0/format",
					     "/sys/bus/event_source/devices/iax1/format" };
	static const char *const devices[] = { "dsa0", "iax1" };
	char path[512];
	unsigned int gone = 0;

	walk_number++;
	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		walk(roots[i]);
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		char target[256];
		ssize_t size;

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpumask",
			 devices[i]);
		show(file_text(path), "%s's cpumask %s", devices[i], when);
		/* The device is a directory of its PCI function's; what else is in there is not the DSA's. */
		snprintf(path, sizeof(path), DSA_DEVICES "%s", devices[i]);
		size = readlink(path, target, sizeof(target) - 1);
		target[size < 0 ? 0 : size] = '\0';
		snprintf(path, sizeof(path), "/sys/%s", strstr(target, "devices/") ?: "none");
		walk(path);
		strcpy(strrchr(path, '/'), "/dma");
		walk(path);
	}
	for (unsigned int i = 0; i < file_count; i++)
		if (files[i].seen != walk_number && files[i].text[0]) {
			show("gone", "%s", files[i].name);
			files[i].text = "";
			gone++;
		}
	show(gone ? "yes" : "no", "files are gone %s", when);
}

static void configure(void)
{
	static const struct {
		const char *file, *text;
	} settings[] = {
		{ "engine0.1/group_id", "1" }, { "wq0.2/group_id", "1" },
		{ "wq0.2/mode", "dedicated" }, { "wq0.2/size", "16" },
		{ "wq0.2/priority", "10" },    { "wq0.2/type", "kernel" },
		{ "wq0.2/name", "moves" },     { "wq0.2/driver_name", "dmaengine" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), DSA_DEVICES "%s", settings[i].file);
		show(outcome(write_file(path, settings[i].text)), "%s is set", settings[i].file);
	}
}

int main(void)
{
	walk_all("at start");
	configure();
	show(outcome(dsa_drive("idxd", "bind", "dsa0")), "dsa0 is enabled");
	show(outcome(dsa_drive("dmaengine", "bind", "wq0.2")), "wq0.2 is enabled");
	walk_all("when a queue is enabled");
	show(outcome(dsa_drive("dmaengine", "unbind", "wq0.2")), "wq0.2 is disabled");
	walk_all("when the queue is disabled");
	return 0;
}
