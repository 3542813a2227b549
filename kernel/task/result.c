/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The results of the first program: its status, in the log, and the files that /.tally/get names, through
 * the debug console (docs/boot.md).
 *
 * For each name, in order: "file SIZE\n" and as many bytes, or "error NUMBER\n". Other processes may still
 * write to the file: SIZE is its size at that moment, and zeros fill it up if it becomes shorter.
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

static void send_contents(struct file *file, uint64_t size)
{
	char *piece = kzalloc(PIECE_SIZE);
	uint64_t done = 0;

	while (piece && done < size) {
		size_t part = size - done < PIECE_SIZE ? size - done : PIECE_SIZE;
		ssize_t got = file_read_for_kernel(file, piece, part, done);
		size_t kept = got > 0 ? (size_t)got : 0;

		memset(piece + kept, 0, part - kept);
		debug_console_write(piece, part);
		done += part;
	}
	kfree(piece);
}

static void send_file(const char *path)
{
	struct file *file;
	char line[32];
	int error = open_file(path, &file);

	if (error) {
		format_string(line, sizeof(line), "error %d\n", -error);
		debug_console_write(line, strlen(line));
		return;
	}
	uint64_t size = file_inode(file)->size;

	format_string(line, sizeof(line), "file %lu\n", (unsigned long)size);
	debug_console_write(line, strlen(line));
	send_contents(file, size);
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
