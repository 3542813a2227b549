/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first user task: its program, arguments, descriptors and directory.
 *
 * The initramfs' file /.tally/argv has the arguments, as terminated strings one after another, the first
 * of which names the program; /.tally/env has the environment. Without /.tally/argv the program is /init
 * and its arguments are the words after "--" of the kernel's command line. Without /.tally/env the
 * environment is Linux's default. /.tally/cwd names the current directory; without it, that is /.
 * /.tally/shares has folders of the host as pairs of strings, the tag of a transport and the directory where
 * it is mounted. The program itself and its interpreter are looked up before that.
 */
#include <string.h>

#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/path_view.h>
#include <kernel/fs/share.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/task.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "exec.h"

#define ARGUMENTS_PATH	 "/.tally/argv"
#define ENVIRONMENT_PATH "/.tally/env"
#define DIRECTORY_PATH	 "/.tally/cwd"
#define SHARES_PATH	 "/.tally/shares"
#define DEFAULT_PROGRAM	 "/init"
#define WORD_SIZE_MAX	 1024
/* The limit of the files with arguments and environment. */
#define STRINGS_FILE_MAX 131072

static const char *const default_environment[] = { "HOME=/", "TERM=linux" };

static void must_add(struct exec_strings *strings, const char *text)
{
	if (exec_strings_add(strings, text) < 0)
		boot_failure("too many arguments and too large an environment; use less");
}

/* Reads the terminated strings in the file at PATH, and their *SIZE; NULL: there is no such file. The caller
 * frees them. */
static char *read_strings(const char *path, ssize_t *size)
{
	struct dentry *dentry;
	struct file *file;

	if (path_lookup(root_dentry, path, LOOKUP_FOLLOW, &dentry) < 0)
		return NULL;
	char *text = kzalloc(STRINGS_FILE_MAX);

	if (!text || dentry_open(dentry, O_RDONLY, &file) < 0)
		boot_failure("%s cannot be read", path);
	*size = file_read_for_kernel(file, text, STRINGS_FILE_MAX, 0);
	if (*size > 0 && text[*size - 1] != '\0')
		boot_failure("%s: the last string is not terminated; rebuild the initramfs", path);
	file_put(file);
	dentry_put(dentry);
	return text;
}

/* Adds the terminated strings in the file at PATH; returns how many, or -1: there is no such file. */
static ssize_t add_from_file(struct exec_strings *strings, const char *path)
{
	ssize_t size, count = 0;
	char *text = read_strings(path, &size);

	if (!text)
		return -1;
	for (const char *at = text; at < text + size; at += strlen(at) + 1) {
		must_add(strings, at);
		count++;
	}
	kfree(text);
	return count;
}

/* Returns the directory in which the program starts, with a reference. */
static struct dentry *find_directory(void)
{
	struct dentry *directory;
	ssize_t size;
	char *path = read_strings(DIRECTORY_PATH, &size);

	if (!path) {
		dentry_get(root_dentry);
		return root_dentry;
	}
	if (size <= 0 ||
	    path_lookup(root_dentry, path, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &directory) < 0)
		boot_failure(DIRECTORY_PATH " names no directory; rebuild the initramfs");
	kfree(path);
	return directory;
}

/* Mounts the folders of the host. Returns whether there are any. */
static bool mount_shares(void)
{
	ssize_t size;
	char *text = read_strings(SHARES_PATH, &size);
	const char *end;

	if (!text)
		return false;
	end = text + size;
	for (char *tag = text, *path; tag < end; tag = path + strlen(path) + 1) {
		struct dentry *directory;
		char *option = strchr(tag, ',');
		bool writes = option && strcmp(option, ",write") == 0;

		path = tag + strlen(tag) + 1;
		if (writes)
			*option = '\0';
		if (path >= end)
			boot_failure(SHARES_PATH ": %s has no directory; rebuild the initramfs",
				     tag);
		int error = path_lookup(root_dentry, path, LOOKUP_FOLLOW | LOOKUP_DIRECTORY,
					&directory);

		if (!error) {
			error = share_mount(tag, writes, directory);
			dentry_put(directory);
		}
		if (error)
			boot_failure("the shared folder %s cannot be mounted at %s (error %d)", tag,
				     path, -error);
	}
	kfree(text);
	return true;
}

/* Returns the directory that is mounted over DIRECTORY, whose reference moves in, or that the shares show at its path. */
static struct dentry *enter_shares(struct dentry *directory)
{
	struct dentry *top = directory->mounted;

	/* Not by a path: that would ask the server. */
	if (!top)
		top = find_directory();
	else
		dentry_get(top);
	dentry_put(directory);
	return top;
}

/* Adds the words after "--" of COMMAND_LINE; returns how many. */
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

/* Opens standard input, output and error. */
static struct file_table *open_console(void)
{
	struct file_table *table = file_table_create();
	struct dentry *console;
	struct file *file;

	if (!table || path_lookup(root_dentry, "/dev/console", LOOKUP_FOLLOW, &console) < 0 ||
	    dentry_open(console, O_RDWR, &file) < 0)
		boot_failure("/dev/console cannot be opened");
	dentry_put(console);
	for (int fd = 0; fd < 3; fd++) {
		file_table_set(table, fd, file);
		file_get(file);
	}
	file_put(file);
	return table;
}

_Noreturn void init_run(const char *command_line)
{
	struct exec_strings *strings = exec_strings_create();
	struct task *task = task_create_first();
	struct dentry *executable, *directory = find_directory();
	struct exec_image image;
	char *path = kzalloc(PATH_SIZE);
	const char *reason = "";

	if (!strings || !path || !task)
		boot_failure("not enough memory for the first task; give the machine more");
	ssize_t count = add_from_file(strings, ARGUMENTS_PATH);

	if (count == 0)
		boot_failure(ARGUMENTS_PATH " is empty; rebuild the initramfs");
	if (count > 0) {
		strlcpy(path, strings->chunks[0], PATH_SIZE);
		strings->argument_count = (size_t)count;
	} else {
		strlcpy(path, DEFAULT_PROGRAM, PATH_SIZE);
		must_add(strings, DEFAULT_PROGRAM);
		strings->argument_count = 1 + add_words(strings, command_line);
	}
	count = add_from_file(strings, ENVIRONMENT_PATH);
	if (count >= 0) {
		strings->environment_count = (size_t)count;
	} else {
		for (size_t i = 0; i < sizeof(default_environment) / sizeof(*default_environment);
		     i++)
			must_add(strings, default_environment[i]);
		strings->environment_count =
			sizeof(default_environment) / sizeof(*default_environment);
	}
	const struct exec_request request = {
		.start = directory, .path = path, .name = path, .follow = true
	};
	int error = exec_prepare(&request, strings, &image, &executable, &reason);

	if (error)
		boot_failure("cannot run %s: %s (error %d)", path, reason, -error);
	exec_strings_free(strings);
	kfree(path);
	if (mount_shares())
		directory = enter_shares(directory);
	task->files = open_console();
	hook_first_process(task->process);
	/* Before it runs, only this function uses the task's view. */
	task->paths->directory = directory;
	task->space = image.space;
	task->process->dumpable = image.dumpable;
	credentials_put(task->credentials);
	task->credentials = image.credentials;
	exec_set_name(task, &image, executable);
	arch_task_set_user_entry(task, image.entry, image.stack);
	sched_start(task);
	task_exit(0);
}
