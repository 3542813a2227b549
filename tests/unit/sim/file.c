// SPDX-License-Identifier: BSD-2-Clause
/* Simulated files: one descriptor table that every task shares, and polling that only looks. */
#include <kernel/base/assert.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <uapi/linux/errno.h>

#include <stdio.h>

#include "internal.h"

static struct file *table[SIM_FILES_MAX];

void sim_files_start(void)
{
	for (unsigned int fd = 0; fd < SIM_FILES_MAX; fd++)
		table[fd] = NULL;
}

struct file *file_create(const struct file_ops *ops, void *private, unsigned int flags)
{
	struct file *file = kzalloc(sizeof(*file));

	if (!file)
		return NULL;
	file->ops = ops;
	file->private = private;
	file->flags = flags;
	atomic_store(&file->references, 1);
	return file;
}

int file_create_error(void)
{
	return -ENOMEM;
}

void file_free(struct file *file)
{
	if (file->ops->release)
		file->ops->release(file);
	kfree(file);
}

/* The file's owner gets no signal here; the test sees the code. */
static int last_notice;

void file_notify(struct file *file, int poll_code)
{
	ASSERT(!arch_in_nmi() && file && poll_code);
	sim_lock();
	last_notice = poll_code;
	sim_unlock();
}

int sim_file_notice(void)
{
	int poll_code = last_notice;

	last_notice = 0;
	return poll_code;
}

struct file *sim_fd_file(int fd)
{
	return fd >= 0 && fd < SIM_FILES_MAX ? table[fd] : NULL;
}

struct file *fd_get_file(int fd)
{
	sim_lock();
	struct file *file = sim_fd_file(fd);
	if (file)
		file_get(file);
	sim_unlock();
	return file;
}

bool fd_is_available(void)
{
	bool available = false;

	sim_lock();
	for (int fd = 0; fd < SIM_FILES_MAX; fd++)
		if (!table[fd])
			available = true;
	sim_unlock();
	return available;
}

int fd_install_or_put(struct file *file, int cloexec)
{
	int fd = 0;

	(void)cloexec;
	sim_lock();
	while (fd < SIM_FILES_MAX && table[fd])
		fd++;
	if (fd < SIM_FILES_MAX)
		table[fd] = file;
	sim_unlock();
	if (fd < SIM_FILES_MAX)
		return fd;
	file_put(file);
	return -EMFILE;
}

int sim_fd_close(int fd)
{
	sim_lock();
	struct file *file = sim_fd_file(fd);
	if (file)
		table[fd] = NULL;
	sim_unlock();
	if (!file)
		return -EBADF;
	file_put(file);
	return 0;
}

unsigned int sim_files_end(void)
{
	unsigned int left = 0;

	for (int fd = 0; fd < SIM_FILES_MAX; fd++)
		if (sim_fd_close(fd) == 0)
			left++;
	if (left)
		printf("# left behind: %u open descriptors\n", left);
	return left;
}
