/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs, at /sys/kernel/tracing and /sys/kernel/debug/tracing: the events, the choice of those that a trace
 * records, and the trace. Files and formats: Linux, Documentation/trace/{ftrace,events}.rst.
 *
 * There is one tracer, nop: a trace consists of events. A target is an instance (instance.h) and the number
 * of an event plus one; for a system the number of its first event, and 0 for a directory above those.
 *
 * As on Linux, an open file that shows an instance prevents the instance's removal.
 */
#include <kernel/base/start.h>

#include <string.h>

#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/base/log.h>
#include <kernel/fs/pseudo.h>
#include <kernel/sched/task.h>
#include <kernel/mm/text.h>
#include <kernel/trace/calls.h>
#include <kernel/trace/filter.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "choice.h"
#include "files.h"
#include "instance.h"
#include "trace.h"
#include "trigger.h"

/* Linux's TRACEFS_MAGIC and DEBUGFS_MAGIC. */
#define TRACEFS_MAGIC 0x74726163
#define DEBUGFS_MAGIC 0x64626720

static unsigned int number_of(const void *target)
{
	return (unsigned int)((uintptr_t)target & ~PAGE_MASK) - 1;
}

/* Returns the target of event NUMBER in the instance of PARENT, a target. */
static void *target_of(const void *parent, unsigned int number)
{
	return (void *)(((uintptr_t)parent & PAGE_MASK) + number + 1);
}

static const char *system_of(const void *target)
{
	return trace_event_get(number_of(target))->system;
}

/* Includes the instance's id, as inodes of all instances are in one file system. */
static uint64_t id_of(void *target)
{
	uint64_t number = (uintptr_t)target & ~PAGE_MASK;

	return (uint64_t)trace_target_instance(target)->id * PAGE_SIZE + number;
}

static bool is_of_root(const void *target)
{
	return !((uintptr_t)target & PAGE_MASK);
}

static void get_target(void *target)
{
	if (!is_of_root(target))
		trace_instance_get(trace_target_instance(target));
}

static void put_target(void *target)
{
	if (!is_of_root(target))
		trace_instance_put(trace_target_instance(target));
}

/* A removed instance has no entries. */
static bool is_there(void *target)
{
	return !trace_target_instance(target)->is_gone;
}

static int open_instance(void *target)
{
	return trace_instance_open(trace_target_instance(target));
}

static void close_instance(void *target)
{
	trace_instance_close(trace_target_instance(target));
}

#define HELD_IF(condition) .exists = (condition), .open = open_instance, .close = close_instance
#define HELD		   HELD_IF(is_there)

/* --- words written to files --- */

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

/* Parses BYTES, a single 0 or 1; else -EINVAL. */
static int parse_switch(const char *bytes, size_t size)
{
	while (size && (bytes[size - 1] == '\n' || bytes[size - 1] == ' '))
		size--;
	if (size != 1 || (bytes[0] != '0' && bytes[0] != '1'))
		return -EINVAL;
	return bytes[0] - '0';
}

static ssize_t store_switch(void *target, const char *bytes, size_t size, const char *system,
			    const char *name)
{
	int on = parse_switch(bytes, size);

	if (on >= 0)
		on = trace_choice_set(trace_target_instance(target), system, name, on);
	return on < 0 ? on : (ssize_t)size;
}

/* Fails a write as Linux's read-only files here do, not as files of /sys do. */
static ssize_t refuse(void *target, const char *bytes, size_t size)
{
	return -EINVAL;
}

/* Fails the read of a file that can only be written. */
static int show_refused(struct text *text, void *target)
{
	return -EINVAL;
}

#define READ_ONLY_IF(file, function, condition) \
	.name = (file), .mode = S_IFREG | 0440, .show = (function), .store = refuse, condition
#define READ_ONLY(file, function)                  \
	{                                          \
		READ_ONLY_IF(file, function, HELD) \
	}
/* A description of an event, the same in all instances. */
#define READ_ONLY_UNHELD(file, function)                         \
	{                                                        \
		READ_ONLY_IF(file, function, .exists = is_there) \
	}

static bool is_ascii_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Stores a filter's text without its trailing spaces. */
static ssize_t store_text(const char *bytes, size_t size, void *target,
			  int (*store)(void *target, const char *text))
{
	size_t length = size;

	while (length && is_ascii_space(bytes[length - 1]))
		length--;
	char *copy = kcopy_text(bytes, length);
	int error = copy ? store(target, copy) : -ENOMEM;

	kfree(copy);
	return error ? error : (ssize_t)size;
}

/* --- an event's directory --- */

static int show_id(struct text *text, void *target)
{
	text_print(text, "%u\n", trace_event_id(number_of(target)));
	return 0;
}

static int show_format(struct text *text, void *target)
{
	trace_print_format(text, number_of(target));
	return 0;
}

static int show_enable(struct text *text, void *target)
{
	const struct trace_choice *choice =
		&trace_target_instance(target)->choices[number_of(target)];

	text_print(text, "%d%s\n", choice->is_on, choice->switched_by ? "*" : "");
	return 0;
}

static ssize_t store_enable(void *target, const char *bytes, size_t size)
{
	const struct trace_event *event = trace_event_get(number_of(target));

	return store_switch(target, bytes, size, event->system, event->name);
}

static int show_filter(struct text *text, void *target)
{
	trace_choice_print_filter(trace_target_instance(target), number_of(target), text);
	return 0;
}

static int set_filter(void *target, const char *text)
{
	return trace_choice_filter(trace_target_instance(target), number_of(target), text);
}

static ssize_t store_filter(void *target, const char *bytes, size_t size)
{
	return store_text(bytes, size, target, set_filter);
}

static int show_trigger(struct text *text, void *target)
{
	trace_triggers_print(trace_target_instance(target), number_of(target), text);
	return 0;
}

static int set_trigger(void *target, const char *text)
{
	char *copy = kcopy_text(text, strlen(text));
	int error =
		copy ? trace_trigger_write(trace_target_instance(target), number_of(target), copy) :
		       -ENOMEM;

	kfree(copy);
	return error;
}

static ssize_t store_trigger(void *target, const char *bytes, size_t size)
{
	return size ? store_text(bytes, size, target, set_trigger) : 0;
}

static void clear_trigger(void *target)
{
	trace_triggers_clear(trace_target_instance(target), number_of(target), true);
}

static int show_histograms(struct text *text, void *target)
{
	trace_histograms_print(trace_target_instance(target), number_of(target), text);
	return 0;
}

/* The records of Linux's own tracers have only descriptions. */
static bool can_be_enabled(void *target)
{
	return strcmp(system_of(target), "ftrace") != 0 && is_there(target);
}

static const struct pseudo_entry event_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  HELD_IF(can_be_enabled),
	  .show = show_enable,
	  .store = store_enable },
	{ .name = "filter",
	  .mode = S_IFREG | 0640,
	  HELD_IF(can_be_enabled),
	  .show = show_filter,
	  .store = store_filter },
	READ_ONLY_UNHELD("format", show_format),
	{ READ_ONLY_IF("hist", show_histograms, HELD_IF(can_be_enabled)) },
	READ_ONLY_UNHELD("id", show_id),
	/* Not held, as on Linux. */
	{ .name = "trigger",
	  .mode = S_IFREG | 0640,
	  .exists = can_be_enabled,
	  .show = show_trigger,
	  .store = store_trigger,
	  .truncate = clear_trigger },
	{ .name = NULL },
};

static const struct pseudo_entry event_directory = { .mode = S_IFDIR | 0755,
						     .children = event_files };

/* --- a system's directory --- */

static void name_event(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, trace_event_get(number_of(target))->name, size);
}

static void *next_event(void *system, uint64_t *id)
{
	for (uint64_t number = *id; is_there(system) && number < trace_event_count(); number++) {
		if (strcmp(trace_event_get((unsigned int)number)->system, system_of(system)) != 0)
			continue;
		*id = number;
		get_target(system);
		return target_of(system, (unsigned int)number);
	}
	return NULL;
}

static void *find_event(void *system, const char *name, size_t size)
{
	void *target;

	for (uint64_t id = 0; (target = next_event(system, &id)); id++) {
		const struct trace_event *event = trace_event_get(number_of(target));

		if (strlen(event->name) == size && !memcmp(event->name, name, size))
			return target;
		put_target(target);
	}
	return NULL;
}

static const struct pseudo_dynamic events_of_system = {
	.find = find_event,
	.next = next_event,
	.get = get_target,
	.put = put_target,
	.id = id_of,
	.name = name_event,
	.entry = &event_directory,
};

static int show_system_enable(struct text *text, void *target)
{
	text_print(text, "%c\n",
		   trace_choice_state(trace_target_instance(target), system_of(target), NULL));
	return 0;
}

static ssize_t store_system_enable(void *target, const char *bytes, size_t size)
{
	return store_switch(target, bytes, size, system_of(target), NULL);
}

static int show_system_filter(struct text *text, void *target)
{
	text_print(text, "### global filter ###\n"
			 "# Use this to set filters for multiple events.\n"
			 "# Only events with the given fields will be affected.\n"
			 "# If no events are modified, an error message will be displayed here\n");
	return 0;
}

static int set_system_filter(void *target, const char *text)
{
	return trace_choice_filter_system(trace_target_instance(target), system_of(target), text);
}

static ssize_t store_system_filter(void *target, const char *bytes, size_t size)
{
	return store_text(bytes, size, target, set_system_filter);
}

static const struct pseudo_entry system_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  HELD_IF(can_be_enabled),
	  .show = show_system_enable,
	  .store = store_system_enable },
	{ .name = "filter",
	  .mode = S_IFREG | 0640,
	  HELD_IF(can_be_enabled),
	  .show = show_system_filter,
	  .store = store_system_filter },
	{ .name = NULL },
};

static const struct pseudo_entry system_directory = { .mode = S_IFDIR | 0755,
						      .children = system_files,
						      .dynamic = &events_of_system };

/* --- the directory of the events --- */

static void name_system(void *target, char *buffer, size_t size)
{
	strlcpy(buffer, system_of(target), size);
}

static bool is_first_of_system(unsigned int number)
{
	const char *system = trace_event_get(number)->system;

	for (unsigned int before = 0; before < number; before++)
		if (!strcmp(trace_event_get(before)->system, system))
			return false;
	return true;
}

static void *next_system(void *parent, uint64_t *id)
{
	/* Each system's events are declared together; the events of calls come last, all in one system. */
	for (uint64_t number = *id; is_there(parent) && number <= TRACE_DECLARED; number++) {
		if (!is_first_of_system((unsigned int)number))
			continue;
		*id = number;
		get_target(parent);
		return target_of(parent, (unsigned int)number);
	}
	return NULL;
}

static void *find_system(void *parent, const char *name, size_t size)
{
	void *target;

	for (uint64_t id = 0; (target = next_system(parent, &id)); id++) {
		if (strlen(system_of(target)) == size && !memcmp(system_of(target), name, size))
			return target;
		put_target(target);
	}
	return NULL;
}

static const struct pseudo_dynamic systems = {
	.find = find_system,
	.next = next_system,
	.get = get_target,
	.put = put_target,
	.id = id_of,
	.name = name_system,
	.entry = &system_directory,
};

static int show_all_enable(struct text *text, void *target)
{
	text_print(text, "%c\n", trace_choice_state(trace_target_instance(target), NULL, NULL));
	return 0;
}

static ssize_t store_all_enable(void *target, const char *bytes, size_t size)
{
	return store_switch(target, bytes, size, NULL, NULL);
}

/* The layout of Linux's buffers: files written by their readers begin with it. */
static int show_header_page(struct text *text, void *unused)
{
	text_print(text, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
			 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	return 0;
}

static int show_header_event(struct text *text, void *unused)
{
	text_print(text, "# compressed entry header\n"
			 "\ttype_len    :    5 bits\n"
			 "\ttime_delta  :   27 bits\n"
			 "\tarray       :   32 bits\n"
			 "\n"
			 "\tpadding     : type == 29\n"
			 "\ttime_extend : type == 30\n"
			 "\ttime_stamp : type == 31\n"
			 "\tdata max type_len  == 28\n");
	return 0;
}

static const struct pseudo_entry events_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  .show = show_all_enable,
	  .store = store_all_enable,
	  HELD },
	READ_ONLY("header_event", show_header_event),
	READ_ONLY("header_page", show_header_page),
	{ .name = NULL },
};

/* --- the root: events --- */

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
	int on = parse_switch(bytes, size);

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
	trace_ring_clear(&trace_target_instance(target)->buffer, cpus_all());
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
		  .exists = is_there,                                                             \
		  .children = events_files,                                                       \
		  .dynamic = &systems },                                                          \
		{ .name = "set_event",                                                            \
		  .mode = S_IFREG | 0640,                                                         \
		  .show = show_set_event,                                                         \
		  .store = store_set_event,                                                       \
		  .truncate = clear_set_event,                                                    \
		  HELD },                                                                         \
		{ .name = "trace",                                                                \
		  .mode = S_IFREG | 0640,                                                         \
		  .exists = is_there,                                                             \
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
		  .exists = is_there,                                                             \
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
	.get = get_target,
	.put = put_target,
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
