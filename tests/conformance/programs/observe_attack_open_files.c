/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rights that come with an open file and those that do not: every attacker of attackers.h has descriptors of
 * root's file, folder and memfds, as if root had sent them. observe_attack_descriptors.c has the other kinds.
 */
#include "attackers.h"
#include "reopen.h"

#include <linux/memfd.h>
#include <sys/xattr.h>

#define FOLDER "/tmp/given"
#define SECRET FOLDER "/secret"
#define CLOSED FOLDER "/closed"
#define LINKED "/tmp/linked"

#ifndef F_ADD_SEALS
#define F_ADD_SEALS  1033
#define F_SEAL_SEAL  1
#define F_SEAL_WRITE 8
#endif

/* Root's descriptors. */
static int file_read, file_written, folder, folder_path, memory, sealed;

/* --- a file of root's, mode 0600 --- */

static long read_it(void)
{
	char byte;

	return done(pread(file_read, &byte, 1, 0));
}

static long write_by_reader(void)
{
	return done(pwrite(file_read, "x", 1, 0));
}

static long write_it(void)
{
	return done(pwrite(file_written, "x", 1, 0));
}

static long open_for_reading(void)
{
	return reopen(file_read, O_RDONLY);
}

static long open_reader_for_writing(void)
{
	return reopen(file_read, O_RDWR);
}

static long open_path_for_reading(void)
{
	return reopen(folder_path, O_RDONLY);
}

static long open_below(void)
{
	int fd = openat(folder, "closed", O_RDONLY);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long enter_folder(void)
{
	return done(fchdir(folder));
}

static long map_reader_writable(void)
{
	void *address = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file_read, 0);

	return address == MAP_FAILED ? -errno : 0;
}

static long protect_reader_writable(void)
{
	void *address = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, file_read, 0);

	return address == MAP_FAILED ? -errno :
				       done(mprotect(address, PAGE_BYTES, PROT_READ | PROT_WRITE));
}

static long cut_by_reader(void)
{
	return done(ftruncate(file_read, 0));
}

static long cut_it(void)
{
	return done(ftruncate(file_written, 1));
}

static long reserve_by_reader(void)
{
	return done(fallocate(file_read, 0, 0, 1));
}

static long change_mode(void)
{
	return done(fchmod(file_written, 0600));
}

static long change_owner(void)
{
	if (fchown(file_written, USER, (gid_t)-1) < 0)
		return -errno;
	return done(fchown(file_written, 0, (gid_t)-1));
}

static long touch(void)
{
	return done(futimens(file_written, NULL));
}

static long set_times(void)
{
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };

	return done(futimens(file_written, times));
}

static long set_attribute(void)
{
	return done(fsetxattr(file_written, "user.given", "1", 1, 0));
}

static long get_attribute(void)
{
	char value[4];
	long size = fgetxattr(file_read, "user.kept", value, sizeof(value));

	return size < 0 ? -errno : size;
}

static long link_it(void)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file_read);
	long result = linkat(AT_FDCWD, path, AT_FDCWD, LINKED, AT_SYMLINK_FOLLOW);

	if (result < 0)
		return -errno;
	return 0;
}

static long lock_it(void)
{
	struct flock lock = { .l_type = F_WRLCK };

	return done(fcntl(file_written, F_SETLK, &lock));
}

static long lock_by_reader(void)
{
	struct flock lock = { .l_type = F_WRLCK };

	return done(fcntl(file_read, F_SETLK, &lock));
}

static long skip_access_time(void)
{
	if (fcntl(file_read, F_SETFL, O_NOATIME) < 0)
		return -errno;
	return done(fcntl(file_read, F_SETFL, 0));
}

/* --- memory --- */

static long seal(void)
{
	return done(fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE));
}

static long seal_sealed(void)
{
	return done(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE));
}

static long write_sealed(void)
{
	return done(pwrite(sealed, "x", 1, 0));
}

static long map_sealed(void)
{
	void *address = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, sealed, 0);

	return address == MAP_FAILED ? -errno : 0;
}

static long protect_sealed(void)
{
	void *address = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, sealed, 0);

	return address == MAP_FAILED ? -errno :
				       done(mprotect(address, PAGE_BYTES, PROT_READ | PROT_WRITE));
}

static long grow_sealed(void)
{
	return done(ftruncate(sealed, 2 * PAGE_BYTES));
}

static long open_memory(void)
{
	return reopen(memory, O_RDWR);
}

static long open_sealed_for_writing(void)
{
	return reopen(sealed, O_WRONLY);
}

/* --- */

static void prepare(void)
{
	mkdir(FOLDER, 0700);
	file_written = open(SECRET, O_RDWR | O_CREAT, 0600);
	ftruncate(file_written, PAGE_BYTES);
	fsetxattr(file_written, "user.kept", "1", 1, 0);
	file_read = open(SECRET, O_RDONLY);
	folder_path = open(SECRET, O_PATH);
	close(open(CLOSED, O_RDWR | O_CREAT, 0600));
	folder = open(FOLDER, O_RDONLY | O_DIRECTORY);
	memory = (int)syscall(SYS_memfd_create, "given", MFD_ALLOW_SEALING);
	sealed = (int)syscall(SYS_memfd_create, "sealed", MFD_ALLOW_SEALING);
	ftruncate(sealed, PAGE_BYTES);
	fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL | F_SEAL_GROW);
}

static void clean(void)
{
	int fds[] = { file_read, file_written, folder, folder_path, memory, sealed };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		close(fds[i]);
	unlink(LINKED);
	unlink(SECRET);
	unlink(CLOSED);
	rmdir(FOLDER);
}

static const struct attack attacks[] = {
	{ "reading root's file", .alone = read_it },
	{ "writing by a descriptor for reading", .alone = write_by_reader },
	{ "writing by one for writing", .alone = write_it },
	{ "opening /proc/self/fd/N for reading", .alone = open_for_reading },
	{ "opening it for writing, too", .alone = open_reader_for_writing },
	{ "opening one of O_PATH for reading", .alone = open_path_for_reading },
	{ "opening a file below root's folder", .alone = open_below },
	{ "changing to root's folder", .alone = enter_folder },
	{ "mapping a descriptor for reading writably", .alone = map_reader_writable },
	{ "making its mapping writable", .alone = protect_reader_writable },
	{ "truncating by a descriptor for reading", .alone = cut_by_reader },
	{ "truncating by one for writing", .alone = cut_it },
	{ "fallocate by a descriptor for reading", .alone = reserve_by_reader },
	{ "fchmod", .alone = change_mode },
	{ "fchown", .alone = change_owner },
	{ "setting the times to now", .alone = touch },
	{ "setting the times", .alone = set_times },
	{ "setting an attribute", .alone = set_attribute },
	{ "getting an attribute", .alone = get_attribute },
	{ "linking /proc/self/fd/N", .alone = link_it },
	{ "a write lock by a descriptor for writing", .alone = lock_it },
	{ "a write lock by one for reading", .alone = lock_by_reader },
	{ "O_NOATIME", .alone = skip_access_time },
	{ "opening a memfd again", .alone = open_memory },
	{ "sealing a memfd", .alone = seal },
	{ "sealing one that is sealed", .alone = seal_sealed },
	{ "writing to one that is sealed", .alone = write_sealed },
	{ "mapping one that is sealed writably", .alone = map_sealed },
	{ "making the mapping of one that is sealed writable", .alone = protect_sealed },
	{ "growing one that is sealed", .alone = grow_sealed },
	{ "opening one that is sealed for writing", .alone = open_sealed_for_writing },
};

int main(int argc, char **argv)
{
	static const char *const only[] = { "" };

	choose_attackers(argc, argv);
	try_attacks(attacks, sizeof(attacks) / sizeof(*attacks), only, 1, prepare, clean);
	return 0;
}
