/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OSF/1's calls about directories, mounts and property lists that Linux/alpha keeps for OSF/1's
 * programs. stat_calls.c has the calls about a file's attributes, osf_time_calls.c those about times.
 *
 * Source: Linux's arch/alpha/kernel/osf_sys.c as seen from user space.
 */
#include <machine/calls.h>

#include <stddef.h>
#include <string.h>

#include <kernel/fs/directory.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/mount.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>

/* --- directories --- */

struct osf_dirent {
	uint32_t number;
	uint16_t size, name_size;
	char name[];
};

static size_t entry_size(size_t name_size)
{
	return (offsetof(struct osf_dirent, name) + name_size + 1 + 3) & ~(size_t)3;
}

static void write_entry(void *to, size_t size, const struct directory_entry *from)
{
	struct osf_dirent *entry = to;

	entry->number = (uint32_t)from->number;
	entry->size = (uint16_t)size;
	entry->name_size = (uint16_t)from->name_size;
	memcpy(entry->name, from->name, from->name_size);
}

/* Stores the position at which it started, too. */
long alpha_osf_getdirentries(const unsigned long arg[6])
{
	static const struct directory_format format = { entry_size, write_entry };
	uint64_t position;
	ssize_t filled =
		directory_read((int)arg[0], &format, arg[1], (unsigned int)arg[2], &position);

	if (filled > 0 && arg[3] && copy_to_user((void *)arg[3], &position, sizeof(position)))
		return -EFAULT;
	return filled;
}

/* --- mounts --- */

/* The first fields of every type's arguments; the kernel ignores the flags among them. */
struct osf_mount {
	uint64_t user_device;
	int32_t flags;
	uint32_t root_user;
};

/* OSF/1's numbers of file systems, and Linux's names for them. */
static const struct {
	unsigned long number;
	const char *type;
	bool device; /* it needs a device; the path must name one */
} mount_types[] = {
	{ 1, "ext2", true },
	{ 6, "iso9660", true },
	{ 9, "proc", false },
};

static int check_path(unsigned long user_path)
{
	char *path = kzalloc(PATH_SIZE);
	long length = path ? copy_string_from_user(path, (const char *)user_path, PATH_SIZE) :
			     -ENOMEM;

	kfree(path);
	return length < 0 ? (int)length : length == 0 ? -ENOENT : 0;
}

long alpha_osf_mount(const unsigned long arg[6])
{
	char options[1] = "";
	struct osf_mount mount;

	for (size_t i = 0; i < sizeof(mount_types) / sizeof(mount_types[0]); i++) {
		if (mount_types[i].number != arg[0])
			continue;
		int error = copy_from_user(&mount, (const void *)arg[3], sizeof(mount));

		if (!error && mount_types[i].device)
			error = check_path(mount.user_device);
		return error ? error :
			       mount_at(NULL, arg[1], mount_types[i].type, (unsigned int)arg[2],
					options);
	}
	return -EINVAL;
}

/* umount without flags. */
long alpha_oldumount(const unsigned long arg[6])
{
	const unsigned long others[6] = { arg[0] };

	return sys_umount2(others);
}

/* --- property lists --- */

/*
 * Files have no property lists, nor have they on Linux. Setting one returns the size of the list,
 * getting reports that no room is needed, deleting succeeds; no operation looks at the file. So OSF/1's
 * tar and cp continue.
 */

/* Per operation, the argument that holds the size to return, or the address that receives the needed
 * size, 0. */
static const struct {
	uint8_t size, needed; /* offsets, 0: none */
} property_operations[] = {
	[1] = { .size = 16 },	/* set by path: path, follow, size, buffer */
	[2] = { .size = 8 },	/* by descriptor: descriptor, size, buffer */
	[3] = { .needed = 40 }, /* get by path: path, follow, names, size, buffer, needed */
	[4] = { .needed = 32 }, /* by descriptor: descriptor, names, size, buffer, needed */
	[5] = { 0 },		/* delete by path */
	[6] = { 0 },		/* by descriptor */
};

long alpha_osf_proplist_syscall(const unsigned long arg[6])
{
	unsigned int operation = (unsigned int)arg[0];
	const int32_t none = 0;
	uint64_t word;

	if (!operation || operation >= sizeof(property_operations) / sizeof(property_operations[0]))
		return -EOPNOTSUPP;
	size_t size = property_operations[operation].size;
	size_t needed = property_operations[operation].needed;

	if (!size && !needed)
		return 0;
	if (copy_from_user(&word, (const void *)(arg[1] + size + needed), sizeof(word)))
		return -EFAULT;
	return size ? (long)word : copy_to_user((void *)word, &none, sizeof(none));
}
