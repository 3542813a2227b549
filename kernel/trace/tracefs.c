/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs, at /sys/kernel/tracing and /sys/kernel/debug/tracing: which events there are, what the trace
 * takes down of them, and the trace. Files and formats: Linux, Documentation/trace/{ftrace,events}.rst.
 *
 * There is one tracer, nop: the trace is of events. A target is the number of an event plus one; a
 * system's that of its first event.
 */
#include <kernel/trace/tracefs.h>

#include <string.h>

#include <kernel/dentry.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/pseudo.h>
#include <kernel/task.h>
#include <kernel/text.h>
#include <kernel/trace/calls.h>
#include <kernel/trace/filter.h>
#include <kernel/trace/ring.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "choice.h"
#include "files.h"
#include "trace.h"

/* Linux's TRACEFS_MAGIC and DEBUGFS_MAGIC. */
#define TRACEFS_MAGIC 0x74726163
#define DEBUGFS_MAGIC 0x64626720

static unsigned int number_of(const void *target)
{
	return (unsigned int)(uintptr_t)target - 1;
}

static void *target_of(unsigned int number)
{
	return (void *)(uintptr_t)(number + 1);
}

static const char *system_of(const void *target)
{
	return trace_event_get(number_of(target))->system;
}

static uint64_t id_of(void *target)
{
	return number_of(target);
}

/* --- words that are written --- */

/* The next word of *TEXT, terminated in place; NULL: none is left. */
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

static char *copy_of(const char *bytes, size_t size)
{
	char *copy = kzalloc(size + 1);

	if (copy)
		memcpy(copy, bytes, size);
	return copy;
}

/* 0 or 1, alone in BYTES; else -EINVAL. */
static int parse_switch(const char *bytes, size_t size)
{
	while (size && (bytes[size - 1] == '\n' || bytes[size - 1] == ' '))
		size--;
	if (size != 1 || (bytes[0] != '0' && bytes[0] != '1'))
		return -EINVAL;
	return bytes[0] - '0';
}

static ssize_t store_switch(const char *bytes, size_t size, const char *system, const char *name)
{
	int on = parse_switch(bytes, size);

	if (on >= 0)
		on = trace_choice_set(system, name, on);
	return on < 0 ? on : (ssize_t)size;
}

/* What cannot be written says so as Linux's does, not as files of /sys do. */
static ssize_t refuse(void *target, const char *bytes, size_t size)
{
	return -EINVAL;
}

#define READ_ONLY(file, function)                                                           \
	{                                                                                   \
		.name = (file), .mode = S_IFREG | 0440, .show = (function), .store = refuse \
	}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A filter as it is written: without the spaces behind it. */
static ssize_t store_text(const char *bytes, size_t size, void *target,
			  int (*store)(void *target, const char *text))
{
	size_t length = size;

	while (length && is_space(bytes[length - 1]))
		length--;
	char *copy = copy_of(bytes, length);
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
	text_print(text, "%d\n", trace_choice_is_on(number_of(target)));
	return 0;
}

static ssize_t store_enable(void *target, const char *bytes, size_t size)
{
	const struct trace_event *event = trace_event_get(number_of(target));

	return store_switch(bytes, size, event->system, event->name);
}

static int show_filter(struct text *text, void *target)
{
	trace_choice_print_filter(number_of(target), text);
	return 0;
}

static int set_filter(void *target, const char *text)
{
	return trace_choice_filter(number_of(target), text);
}

static ssize_t store_filter(void *target, const char *bytes, size_t size)
{
	return store_text(bytes, size, target, set_filter);
}

/* Of Linux's own tracers' records there are only descriptions. */
static bool can_be_enabled(void *target)
{
	return strcmp(system_of(target), "ftrace") != 0;
}

static const struct pseudo_entry event_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  .exists = can_be_enabled,
	  .show = show_enable,
	  .store = store_enable },
	{ .name = "filter",
	  .mode = S_IFREG | 0640,
	  .exists = can_be_enabled,
	  .show = show_filter,
	  .store = store_filter },
	READ_ONLY("format", show_format),
	READ_ONLY("id", show_id),
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
	for (uint64_t number = *id; number < trace_event_count(); number++) {
		if (strcmp(trace_event_get((unsigned int)number)->system, system_of(system)) != 0)
			continue;
		*id = number;
		return target_of((unsigned int)number);
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
	}
	return NULL;
}

static const struct pseudo_dynamic events_of_system = {
	.find = find_event,
	.next = next_event,
	.id = id_of,
	.name = name_event,
	.entry = &event_directory,
};

static int show_system_enable(struct text *text, void *target)
{
	text_print(text, "%c\n", trace_choice_state(system_of(target), NULL));
	return 0;
}

static ssize_t store_system_enable(void *target, const char *bytes, size_t size)
{
	return store_switch(bytes, size, system_of(target), NULL);
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
	return trace_choice_filter_system(system_of(target), text);
}

static ssize_t store_system_filter(void *target, const char *bytes, size_t size)
{
	return store_text(bytes, size, target, set_system_filter);
}

static const struct pseudo_entry system_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  .exists = can_be_enabled,
	  .show = show_system_enable,
	  .store = store_system_enable },
	{ .name = "filter",
	  .mode = S_IFREG | 0640,
	  .exists = can_be_enabled,
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

static void *next_system(void *unused, uint64_t *id)
{
	/* Systems' events are declared together: calls' are the last, and all of one system. */
	for (uint64_t number = *id; number <= TRACE_DECLARED; number++) {
		if (!is_first_of_system((unsigned int)number))
			continue;
		*id = number;
		return target_of((unsigned int)number);
	}
	return NULL;
}

static void *find_system(void *unused, const char *name, size_t size)
{
	void *target;

	for (uint64_t id = 0; (target = next_system(NULL, &id)); id++)
		if (strlen(system_of(target)) == size && !memcmp(system_of(target), name, size))
			return target;
	return NULL;
}

static const struct pseudo_dynamic systems = {
	.find = find_system,
	.next = next_system,
	.id = id_of,
	.name = name_system,
	.entry = &system_directory,
};

static int show_all_enable(struct text *text, void *unused)
{
	text_print(text, "%c\n", trace_choice_state(NULL, NULL));
	return 0;
}

static ssize_t store_all_enable(void *unused, const char *bytes, size_t size)
{
	return store_switch(bytes, size, NULL, NULL);
}

/* How Linux's buffers lie in memory: what their readers have in files begins with these. */
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
	  .store = store_all_enable },
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

static int show_set_event(struct text *text, void *unused)
{
	for (unsigned int number = 0; number < trace_event_count(); number++)
		if (trace_choice_is_on(number))
			text_print(text, "%s:%s\n", trace_event_get(number)->system,
				   trace_event_get(number)->name);
	return 0;
}

static const char *unless_all(const char *word)
{
	return *word && strcmp(word, "*") != 0 ? word : NULL;
}

/* "system:event", "system:", "system" or "event", any of them *; with ! in front: no longer. */
static int choose(char *word)
{
	bool on = *word != '!';
	char *colon;

	if (!on)
		word++;
	colon = strchr(word, ':');
	if (colon) {
		*colon = '\0';
		return trace_choice_set(unless_all(word), unless_all(colon + 1), on);
	}
	int error = trace_choice_set(unless_all(word), NULL, on);

	return error == -EINVAL ? trace_choice_set(NULL, word, on) : error;
}

static ssize_t store_set_event(void *unused, const char *bytes, size_t size)
{
	char *copy = copy_of(bytes, size), *rest = copy, *word;
	int error = copy ? 0 : -ENOMEM;

	while (!error && (word = next_word(&rest)))
		error = choose(word);
	kfree(copy);
	return error ? error : (ssize_t)size;
}

static void clear_set_event(void *unused)
{
	trace_choice_set(NULL, NULL, false);
}

/* --- the root: the trace --- */

static int show_tracers(struct text *text, void *unused)
{
	text_print(text, "nop\n");
	return 0;
}

static ssize_t store_tracer(void *unused, const char *bytes, size_t size)
{
	char *copy = copy_of(bytes, size), *rest = copy, *word = copy ? next_word(&rest) : NULL;
	ssize_t result = word && !strcmp(word, "nop") ? (ssize_t)size : copy ? -EINVAL : -ENOMEM;

	kfree(copy);
	return result;
}

static int show_clock(struct text *text, void *unused)
{
	text_print(text, "[local]\n");
	return 0;
}

static int show_on(struct text *text, void *unused)
{
	text_print(text, "%d\n", trace_is_recording);
	return 0;
}

static ssize_t store_on(void *unused, const char *bytes, size_t size)
{
	int on = parse_switch(bytes, size);

	if (on < 0)
		return on;
	trace_is_recording = on;
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

/* Records point to no strings of the kernel's. */
static int show_nothing(struct text *text, void *unused)
{
	return 0;
}

static void clear_trace(void *unused)
{
	trace_ring_clear(cpus_all());
}

static const struct pseudo_entry root_files[] = {
	READ_ONLY("available_events", show_available_events),
	READ_ONLY("available_tracers", show_tracers),
	READ_ONLY("buffer_size_kb", show_size),
	READ_ONLY("buffer_total_size_kb", show_total_size),
	{ .name = "current_tracer",
	  .mode = S_IFREG | 0640,
	  .show = show_tracers,
	  .store = store_tracer },
	{ .name = "events", .mode = S_IFDIR | 0755, .children = events_files, .dynamic = &systems },
	READ_ONLY("printk_formats", show_nothing),
	READ_ONLY("saved_cmdlines", show_names),
	{ .name = "set_event",
	  .mode = S_IFREG | 0640,
	  .show = show_set_event,
	  .store = store_set_event,
	  .truncate = clear_set_event },
	{ .name = "trace",
	  .mode = S_IFREG | 0640,
	  .open_file = trace_open_trace,
	  .truncate = clear_trace },
	READ_ONLY("trace_clock", show_clock),
	{ .name = "trace_marker", .mode = S_IFREG | 0220, .store = trace_write_marker },
	{ .name = "trace_pipe", .mode = S_IFREG | 0440, .open_file = trace_open_pipe },
	{ .name = "tracing_on", .mode = S_IFREG | 0640, .show = show_on, .store = store_on },
	{ .name = NULL },
};

static const struct pseudo_entry tracefs_root = { .mode = S_IFDIR | 0700, .children = root_files };

/* debugfs has the same, where Linux mounts tracefs when somebody looks; and nothing else. */
static const struct pseudo_entry debugfs_files[] = {
	{ .name = "tracing", .mode = S_IFDIR | 0700, .children = root_files },
	{ .name = NULL },
};

static const struct pseudo_entry debugfs_root = { .mode = S_IFDIR | 0700,
						  .children = debugfs_files };

void trace_init(void)
{
	trace_calls_init();
	trace_ring_init();
	pseudo_mount("tracefs", TRACEFS_MAGIC, -EPERM, &tracefs_root, "/sys/kernel/tracing");
	pseudo_mount("debugfs", DEBUGFS_MAGIC, -EPERM, &debugfs_root, "/sys/kernel/debug");
	pseudo_mount_again("tracefs", "/sys/kernel/debug/tracing");
}
