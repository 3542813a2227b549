/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracefs below events/: the directories of the systems and of the events, and their files. Files and
 * formats: Linux, Documentation/trace/events.rst.
 */
#include "event_files.h"

#include <string.h>

#include <kernel/base/log.h>
#include <kernel/base/name.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/text.h>
#include <kernel/trace/calls.h>
#include <kernel/trace/filter.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "choice.h"
#include "format.h"
#include "instance.h"
#include "target.h"
#include "trigger.h"

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

static ssize_t store_switch(void *target, const char *bytes, size_t size, const char *system,
			    const char *name)
{
	int on = trace_parse_switch(bytes, size);

	if (on >= 0)
		on = trace_choice_set(trace_target_instance(target), system, name, on);
	return on < 0 ? on : (ssize_t)size;
}

/* A description of an event, the same in all instances. */
#define READ_ONLY_UNHELD(file, function)                                      \
	{                                                                     \
		READ_ONLY_IF(file, function, .exists = trace_target_is_there) \
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
	return strcmp(system_of(target), "ftrace") != 0 && trace_target_is_there(target);
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
	for (uint64_t number = *id; trace_target_is_there(system) && number < trace_event_count();
	     number++) {
		if (strcmp(trace_event_get((unsigned int)number)->system, system_of(system)) != 0)
			continue;
		*id = number;
		trace_target_get(system);
		return target_of(system, (unsigned int)number);
	}
	return NULL;
}

/* A program that walks the directory asks for the events in their order, and for several files of each. */
static void *find_event(void *system, const char *name, size_t size)
{
	static unsigned int last; /* found; only a guess, which CPUs share without a lock */
	unsigned int count = trace_event_count(), number = __atomic_load_n(&last, __ATOMIC_RELAXED);

	for (unsigned int tried = 0; trace_target_is_there(system) && tried < count; tried++) {
		const struct trace_event *event = trace_event_get(number);

		if (name_is(event->name, name, size) && !strcmp(event->system, system_of(system))) {
			__atomic_store_n(&last, number, __ATOMIC_RELAXED);
			trace_target_get(system);
			return target_of(system, number);
		}
		number = number + 1 == count ? 0 : number + 1;
	}
	return NULL;
}

static const struct pseudo_dynamic events_of_system = {
	.find = find_event,
	.next = next_event,
	.get = trace_target_get,
	.put = trace_target_put,
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

/* Each system's events are declared together; those of calls come last. */
static bool is_first_of_system(unsigned int number)
{
	return !number ||
	       strcmp(trace_event_get(number - 1)->system, trace_event_get(number)->system) != 0;
}

/* A system is named by its first event. */
static void *next_system(void *parent, uint64_t *id)
{
	for (uint64_t number = *id; trace_target_is_there(parent) && number <= TRACE_DECLARED;
	     number++) {
		if (!is_first_of_system((unsigned int)number))
			continue;
		*id = number;
		trace_target_get(parent);
		return target_of(parent, (unsigned int)number);
	}
	return NULL;
}

const struct pseudo_dynamic trace_systems = {
	.next = next_system,
	.get = trace_target_get,
	.put = trace_target_put,
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

const struct pseudo_entry trace_events_files[] = {
	{ .name = "enable",
	  .mode = S_IFREG | 0640,
	  .show = show_all_enable,
	  .store = store_all_enable,
	  HELD },
	READ_ONLY("header_event", show_header_event),
	READ_ONLY("header_page", show_header_page),
	{ .name = NULL },
};
