/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of the first program: its status, in the log, and the files that /.tally/get names, through
 * the debug console (docs/boot.md).
 *
 * For each name, in order: "file SIZE\n", as many bytes, and "end NUMBER\n", or "error NUMBER\n". Other processes may
 * still write to the file: SIZE is its size at that moment, and zeros fill it up if it becomes shorter. The last number is
 * 0, or the error that ended the reading: then zeros stand for the rest.
 */
#include <string.h>

#include <arch/machine.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/drivers/debug_console.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#define NAMES_PATH     "/.tally/get"
#define NAMES_SIZE_MAX 65536
#define PIECE_SIZE     4096

/* Opens the regular file at PATH. */
static int open_file(const char *path, struct file **file)
{
	struct dentry *dentry;
	int error = path_lookup(root_dentry, path, LOOKUP_FOLLOW, &dentry);

	if (error)
		return error;
	error = inode_type(dentry->inode) == S_IFREG ? dentry_open(dentry, O_RDONLY, file) :
						       -EISDIR;
	dentry_put(dentry);
	return error;
}

/* Sends a line: WORD and NUMBER. */
static void send_line(const char *word, uint64_t number)
{
	char line[32];

	format_string(line, sizeof(line), "%s %lu\n", word, (unsigned long)number);
	debug_console_write(line, strlen(line));
}

/* Sends SIZE bytes of FILE. Returns the error that ended the reading, or 0. */
static int send_contents(struct file *file, uint64_t size)
{
	char *piece = kzalloc(PIECE_SIZE);
	uint64_t done = 0;
	int error = 0;

	while (piece && done < size) {
		size_t part = size - done < PIECE_SIZE ? size - done : PIECE_SIZE;
		ssize_t got = error ? 0 : file_read_for_kernel(file, piece, part, done);
		size_t kept = got > 0 ? (size_t)got : 0;

		if (got < 0)
			error = (int)got;
		memset(piece + kept, 0, part - kept);
		debug_console_write(piece, part);
		done += part;
	}
	kfree(piece);
	return error;
}

static void send_file(const char *path)
{
	struct file *file;
	int error = open_file(path, &file);

	if (error) {
		send_line("error", (uint64_t)-error);
		return;
	}
	uint64_t size = file_inode(file)->size;

	send_line("file", size);
	error = send_contents(file, size);
	send_line("end", (uint64_t)-error);
	file_put(file);
}

static void send_files(void)
{
	struct file *file;
	char *names;

	if (!debug_console_is_present() || open_file(NAMES_PATH, &file))
		return;
	names = kzalloc(NAMES_SIZE_MAX);
	ssize_t size = names ? file_read_for_kernel(file, names, NAMES_SIZE_MAX - 1, 0) : 0;

	for (const char *at = names; size > 0 && at < names + size; at += strlen(at) + 1)
		send_file(at);
	kfree(names);
	file_put(file);
}

_Noreturn void init_ended(int status)
{
	int signal = status & 0x7f;

	send_files();
	hook_machine_ends();
	if (signal)
		log_write_result("killed by signal %d", signal);
	else
		log_write_result("exit status %d", status >> 8 & 0xff);
	arch_machine_end(MACHINE_ENDED);
}
