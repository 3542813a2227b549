/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first user task: which program, with which arguments, on which descriptors.
 *
 * Arguments are in the initramfs' file /.tally/argv, as terminated strings one after another, of
 * which the first names the program, and the environment in /.tally/env; or else the program is
 * /init, and its arguments are the words after "--" of the kernel's command line, its environment
 * that which Linux gives.
 */
#include <string.h>

#include <kernel/console.h>
#include <kernel/entry.h>
#include <kernel/file.h>
#include <kernel/inode.h>
#include <kernel/kmalloc.h>
#include <kernel/log.h>
#include <kernel/process.h>
#include <kernel/task.h>
#include <kernel/vm.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "exec.h"

#define ARGUMENTS_PATH	 "/.tally/argv"
#define ENVIRONMENT_PATH "/.tally/env"
#define DEFAULT_PROGRAM	 "/init"
#define WORD_SIZE_MAX	 1024

static const char *const default_environment[] = { "HOME=/", "TERM=linux" };

static void must_add(struct exec_strings *strings, const char *text)
{
	if (exec_strings_add(strings, text) < 0)
		boot_failure("more than %d bytes of arguments and environment; use fewer",
			     EXEC_STRINGS_MAX);
}

/* Adds the terminated strings in FILE; how many. */
static size_t add_from_file(struct exec_strings *strings, const struct inode *file,
			    const char *path)
{
	const char *text = file->data, *end = text + file->size;
	size_t count = 0;

	if (file->size && end[-1] != '\0')
		boot_failure("%s: the last string has no end; make the initramfs anew", path);
	for (; text < end; text += strlen(text) + 1) {
		must_add(strings, text);
		count++;
	}
	return count;
}

/* Adds the words after "--" of COMMAND_LINE; how many. */
static size_t add_words(struct exec_strings *strings, const char *command_line)
{
	char word[WORD_SIZE_MAX];
	bool after_dashes = false;
	size_t count = 0;

	while (*command_line) {
		size_t size = 0;

		while (*command_line == ' ')
			command_line++;
		while (command_line[size] && command_line[size] != ' ')
			size++;
		if (!size)
			break;
		if (size >= sizeof(word))
			boot_failure("a word of more than %zu bytes on the command line",
				     sizeof(word) - 1);
		memcpy(word, command_line, size);
		word[size] = '\0';
		command_line += size;
		if (after_dashes) {
			must_add(strings, word);
			count++;
		} else if (!strcmp(word, "--")) {
			after_dashes = true;
		}
	}
	return count;
}

/* Standard input, output and error. */
static struct file_table *open_console(void)
{
	struct file_table *table = file_table_create();
	struct inode *console;
	struct file *file;

	if (!table || inode_lookup(&root_inode, "/dev/console", true, &console) < 0 ||
	    inode_open(console, O_RDWR, &file) < 0)
		boot_failure("/dev/console cannot be opened");
	for (int fd = 0; fd < 3; fd++) {
		file_table_set(table, fd, file);
		file_get(file);
	}
	file_put(file);
	return table;
}

_Noreturn void init_run(const char *command_line)
{
	struct exec_strings strings = { .bytes = kzalloc(EXEC_STRINGS_MAX) };
	struct task *task = task_create_first();
	struct inode *file, *executable;
	struct exec_image image;
	const char *path = DEFAULT_PROGRAM, *reason = "";

	if (!strings.bytes || !task)
		boot_failure("not enough memory for the first task; give the machine more");
	if (inode_lookup(&root_inode, ARGUMENTS_PATH, true, &file) == 0) {
		strings.argument_count = add_from_file(&strings, file, ARGUMENTS_PATH);
		if (!strings.argument_count)
			boot_failure(ARGUMENTS_PATH " is empty; make the initramfs anew");
		path = strings.bytes;
	} else {
		must_add(&strings, DEFAULT_PROGRAM);
		strings.argument_count = 1 + add_words(&strings, command_line);
	}
	if (inode_lookup(&root_inode, ENVIRONMENT_PATH, true, &file) == 0) {
		strings.environment_count = add_from_file(&strings, file, ENVIRONMENT_PATH);
	} else {
		for (size_t i = 0; i < sizeof(default_environment) / sizeof(*default_environment);
		     i++)
			must_add(&strings, default_environment[i]);
		strings.environment_count =
			sizeof(default_environment) / sizeof(*default_environment);
	}
	int error = exec_prepare(&root_inode, path, &strings, &image, &executable, &reason);

	if (error)
		boot_failure("cannot run %s: %s (error %d)", path, reason, -error);
	kfree(strings.bytes);
	task->files = open_console();
	console_give(task->process);
	task->space = image.space;
	exec_set_name(task, executable);
	arch_task_set_user_entry(task, image.entry, image.stack);
	sched_start(task);
	task_exit(0);
}
