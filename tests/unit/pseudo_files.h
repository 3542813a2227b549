/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a part of the kernel adds to /proc and /sys, as a test reads and writes them: the walk that
 * kernel/fs/pseudo does, without a tree of names.
 */
#ifndef TESTS_UNIT_PSEUDO_FILES_H
#define TESTS_UNIT_PSEUDO_FILES_H

#include <kernel/base/start.h>
#include <kernel/fs/pseudo.h>
#include <kernel/mm/text.h>
#include <uapi/linux/stat.h>

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* The linker's names for the bounds of the section. */
extern const struct start_step __start_start_steps[], __stop_start_steps[];

/* Runs the steps of LEVEL that the test links. */
static inline void run_start_steps(enum start_level level)
{
	for (const struct start_step *step = __start_start_steps; step < __stop_start_steps; step++)
		if (step->level == level)
			step->run();
}

struct pseudo_file {
	const struct pseudo_entry *entry; /* NULL: there is none */
	void *target;
};

/* Returns the target of DYNAMIC's entry NAME in a directory about PARENT; NULL: there is none. */
static inline void *find_target(const struct pseudo_dynamic *dynamic, void *parent,
				const char *name, size_t size)
{
	char own[64];
	void *target;

	EXPECT(!dynamic->find && !dynamic->put);
	for (uint64_t id = 0; (target = dynamic->next(parent, &id)); id++) {
		dynamic->name(target, own, sizeof(own));
		if (strlen(own) == size && !memcmp(own, name, size))
			break;
	}
	return target;
}

/* Returns the entry NAME of SIZE bytes of a directory about TARGET. */
static inline struct pseudo_file find_entry(struct pseudo_added directory, void *target,
					    const char *name, size_t size)
{
	struct pseudo_file file = { NULL, target };

	for (const struct pseudo_entry *at = directory.children; at && at->name; at++)
		if (strlen(at->name) == size && !memcmp(at->name, name, size) &&
		    (!at->exists || at->exists(target)))
			file.entry = at;
	if (!file.entry && directory.dynamic) {
		file.target = find_target(directory.dynamic, target, name, size);
		file.entry = file.target ? directory.dynamic->entry : NULL;
	}
	return file;
}

/* Returns the file PATH, relative to DIRECTORY. */
static inline struct pseudo_file find_file(struct pseudo_added directory, const char *path)
{
	struct pseudo_file file = { NULL, NULL };

	for (;;) {
		size_t size = strcspn(path, "/");

		file = find_entry(directory, file.target, path, size);
		if (!file.entry || !path[size])
			return file;
		directory = (struct pseudo_added){ .children = file.entry->children,
						   .dynamic = file.entry->dynamic };
		path += size + 1;
	}
}

/* Returns the names in a directory, each with a space after it. The next call reuses the buffer. */
static inline const char *list_entries(struct pseudo_added directory, void *target)
{
	static char names[512];
	char name[64];
	void *found;

	names[0] = '\0';
	for (const struct pseudo_entry *at = directory.children; at && at->name; at++)
		if (!at->exists || at->exists(target))
			strcat(strcat(names, at->name), " ");
	for (uint64_t id = 0; directory.dynamic && (found = directory.dynamic->next(target, &id));
	     id++) {
		EXPECT_EQ(directory.dynamic->id(found), id);
		directory.dynamic->name(found, name, sizeof(name));
		strcat(strcat(names, name), " ");
	}
	return names;
}

static inline const char *list_directory(struct pseudo_added directory, const char *path)
{
	struct pseudo_file file = find_file(directory, path);

	return file.entry ? list_entries((struct pseudo_added){ .children = file.entry->children,
								.dynamic = file.entry->dynamic },
					 file.target) :
			    "none";
}

/* Returns the text of the file or link PATH. The next call reuses the buffer. */
static inline const char *read_text(struct pseudo_added directory, const char *path)
{
	static char result[256];
	struct pseudo_file file = find_file(directory, path);

	if (!file.entry)
		return "none";
	if ((file.entry->mode & S_IFMT) == S_IFLNK) {
		ssize_t size = file.entry->read_link(file.target, result, sizeof(result));

		EXPECT_EQ(size, strlen(result));
	} else {
		struct text text = { 0 };

		EXPECT_EQ(file.entry->show(&text, file.target), 0);
		snprintf(result, sizeof(result), "%.*s", (int)text.size, text.bytes);
		text_clear(&text);
	}
	return result;
}

/* Writes TEXT into the file PATH: what `store` returns. */
static inline ssize_t write_text(struct pseudo_added directory, const char *path, const char *text)
{
	struct pseudo_file file = find_file(directory, path);

	return file.entry->store(file.target, text, strlen(text));
}

#endif
