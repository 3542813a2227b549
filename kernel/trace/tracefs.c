/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs, at /sys/kernel/tracing and /sys/kernel/debug/tracing: the events, the choice of those that a trace
 * records, and the trace. Files and formats: Linux, Documentation/trace/{ftrace,events}.rst.
 *
 * There is one tracer, nop: a trace consists of events. The directory events/ is in event_files.c.
 *
 * As on Linux, an open file that shows an instance prevents the instance's removal.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/pseudo.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/sched/task.h>
#include <kernel/trace/calls.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "choice.h"
#include "event_files.h"
#include "instance.h"
#include "reading.h"
#include "target.h"

/* Linux's TRACEFS_MAGIC and DEBUGFS_MAGIC. */
#define TRACEFS_MAGIC 0x74726163
#define DEBUGFS_MAGIC 0x64626720

/* --- the root: events --- */

/* Returns the next word of *TEXT, terminated in place; NULL: none is left. */
static char *next_word(char **text)
{
	char *word = *text, *end;

	while (*word == ' ' || *word == '\t' || *word == '\n')
		word++;
	for (end = word; *end && *end != ' ' && *end != '\t' && *end != '\n'; end++)
		;
	*text = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

static int show_available_events(struct text *text, void *unused)
{
	for (unsigned int number = 0; number < trace_event_count(); number++)
		if (trace_choice_includes(number, NULL, NULL))
			text_print(text, "%s:%s\n", trace_event_get(number)->system,
				   trace_event_get(number)->name);
	return 0;
}

static int show_set_event(struct text *text, void *target)
{
	const struct trace_instance *instance = trace_target_instance(target);

	for (unsigned int number = 0; number < trace_event_count(); number++)
		if (trace_choice_is_on(instance, number))
			text_print(text, "%s:%s\n", trace_event_get(number)->system,
				   trace_event_get(number)->name);
	return 0;
}

static const char *unless_all(const char *word)
{
	return *word && strcmp(word, "*") != 0 ? word : NULL;
}

/* Selects "system:event", "system:", "system" or "event", each of which may be *; with ! in front
 * deselects. */
static int choose(struct trace_instance *instance, char *word)
{
	bool on = *word != '!';
	char *colon;

	if (!on)
		word++;
	colon = strchr(word, ':');
	if (colon) {
		*colon = '\0';
		return trace_choice_set(instance, unless_all(word), unless_all(colon + 1), on);
	}
	int error = trace_choice_set(instance, unless_all(word), NULL, on);

	return error == -EINVAL ? trace_choice_set(instance, NULL, word, on) : error;
}

static ssize_t store_set_event(void *target, const char *bytes, size_t size)
{
	char *copy = kcopy_text(bytes, size), *rest = copy, *word;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (word = next_word(&rest)))
		error = choose(trace_target_instance(target), word);
	kfree(copy);
	return error ? error : (ssize_t)size;
}

static void clear_set_event(void *target)
{
	trace_choice_set(trace_target_instance(target), NULL, NULL, false);
}

/* --- the root: the trace --- */

/* Fails the read of a file that can only be written. */
static int show_refused(struct text *text, void *target)
{
	return -EINVAL;
}

static int show_tracers(struct text *text, void *unused)
{
	text_print(text, "nop\n");
	return 0;
}

static ssize_t store_tracer(void *unused, const char *bytes, size_t size)
{
	char *copy = kcopy_text(bytes, size), *rest = copy, *word = copy ? next_word(&rest) : NULL;
	ssize_t result = word && !strcmp(word, "nop") ? (ssize_t)size : copy ? -EINVAL : -ENOMEM;

	kfree(copy);
	return result;
}

static int show_clock(struct text *text, void *unused)
{
	text_print(text, "[local]\n");
	return 0;
}

static int show_on(struct text *text, void *target)
{
	text_print(text, "%d\n", trace_target_instance(target)->buffer.is_recording);
	return 0;
}

static ssize_t store_on(void *target, const char *bytes, size_t size)
{
	int on = trace_parse_switch(bytes, size);

	if (on < 0)
		return on;
	trace_target_instance(target)->buffer.is_recording = on;
	return (ssize_t)size;
}

static int show_size(struct text *text, void *unused)
{
	text_print(text, "%u\n", TRACE_RING_SIZE >> 10);
	return 0;
}

static int show_total_size(struct text *text, void *unused)
{
	text_print(text, "%u\n", (TRACE_RING_SIZE >> 10) * cpu_count());
	return 0;
}

static int show_names(struct text *text, void *unused)
{
	char name[TASK_COMM_SIZE];
	int tid;

	for (unsigned int i = 0; trace_name_get(i, &tid, name); i++)
		if (tid)
			text_print(text, "%d %s\n", tid, name);
	return 0;
}

/* No record points to a string of the kernel. */
static int show_nothing(struct text *text, void *unused)
{
	return 0;
}

static void clear_trace(void *target)
{
	trace_ring_clear(&trace_target_instance(target)->buffer);
}

/* The files of every trace. */
#define TRACE_FILES                                                                               \
	READ_ONLY("available_tracers", show_tracers), READ_ONLY("buffer_size_kb", show_size),     \
		READ_ONLY("buffer_total_size_kb", show_total_size),                               \
		{ .name = "current_tracer",                                                       \
		  .mode = S_IFREG | 0640,                                                         \
		  .show = show_tracers,                                                           \
		  .store = store_tracer,                                                          \
		  HELD },                                                                         \
		{ .name = "events",                                                               \
		  .mode = S_IFDIR | 0755,                                                         \
		  .exists = trace_target_is_there,                                                \
		  .children = trace_events_files,                                                 \
		  .dynamic = &trace_systems },                                                    \
		{ .name = "set_event",                                                            \
		  .mode = S_IFREG | 0640,                                                         \
		  .show = show_set_event,                                                         \
		  .store = store_set_event,                                                       \
		  .truncate = clear_set_event,                                                    \
		  HELD },                                                                         \
		{ .name = "trace",                                                                \
		  .mode = S_IFREG | 0640,                                                         \
		  .exists = trace_target_is_there,                                                \
		  .open_file = trace_open_trace,                                                  \
		  .truncate = clear_trace },                                                      \
		READ_ONLY("trace_clock", show_clock),                                             \
		{ .name = "trace_marker",                                                         \
		  .mode = S_IFREG | 0220,                                                         \
		  .show = show_refused,                                                           \
		  .store = trace_write_marker,                                                    \
		  HELD },                                                                         \
		{ .name = "trace_pipe",                                                           \
		  .mode = S_IFREG | 0440,                                                         \
		  .exists = trace_target_is_there,                                                \
		  .open_file = trace_open_pipe },                                                 \
	{                                                                                         \
		.name = "tracing_on", .mode = S_IFREG | 0640, .show = show_on, .store = store_on, \
		HELD                                                                              \
	}

/* --- instances --- */

static const struct pseudo_entry instance_files[] = {
	TRACE_FILES,
	{ .name = NULL },
};

static const struct pseudo_entry instance_directory = { .mode = S_IFDIR | 0750,
							.children = instance_files };

static void *find_instance(void *unused, const char *name, size_t size)
{
	return trace_instance_find(name, size);
}

static void *next_instance(void *unused, uint64_t *id)
{
	return trace_instance_next(id);
}

static uint64_t id_of_instance(void *target)
{
	return trace_target_instance(target)->id;
}

static void name_instance(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, trace_target_instance(target)->name, size);
}

static int make_instance(void *unused, const char *name, size_t size)
{
	return trace_instance_make(name, size);
}

static int remove_instance(void *unused, const char *name, size_t size)
{
	struct trace_instance *instance = trace_instance_find(name, size);
	int error = instance ? trace_instance_remove(instance) : -ENOENT;

	if (instance)
		trace_instance_put(instance);
	return error;
}

static const struct pseudo_dynamic instances = {
	.find = find_instance,
	.next = next_instance,
	.get = trace_target_get,
	.put = trace_target_put,
	.id = id_of_instance,
	.name = name_instance,
	.make = make_instance,
	.remove = remove_instance,
	.entry = &instance_directory,
};

/* --- the root --- */

static const struct pseudo_entry root_files[] = {
	READ_ONLY("available_events", show_available_events),
	{ .name = "instances", .mode = S_IFDIR | 0750, .dynamic = &instances },
	READ_ONLY("printk_formats", show_nothing),
	READ_ONLY("saved_cmdlines", show_names),
	TRACE_FILES,
	{ .name = NULL },
};

static const struct pseudo_entry tracefs_root = { .mode = S_IFDIR | 0700, .children = root_files };

/* debugfs has only the same files, where Linux mounts tracefs on demand. */
static const struct pseudo_entry debugfs_files[] = {
	{ .name = "tracing", .mode = S_IFDIR | 0700, .children = root_files },
	{ .name = NULL },
};

static const struct pseudo_entry debugfs_root = { .mode = S_IFDIR | 0700,
						  .children = debugfs_files };

/* Numbers the table of calls, makes the locks, and mounts tracefs below /sys and once more in debugfs. */
static void trace_init(void)
{
	trace_calls_init();
	trace_instances_init();
	pseudo_mount("tracefs", TRACEFS_MAGIC, -EPERM, &tracefs_root, "/sys/kernel/tracing");
	pseudo_mount("debugfs", DEBUGFS_MAGIC, -EPERM, &debugfs_root, "/sys/kernel/debug");
	pseudo_mount_again("tracefs", "/sys/kernel/debug/tracing");
}

START(START_TREES, trace_init);
