/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of Unix sockets: paths, abstract ones (which begin with a zero byte and are in no directory), and
 * abstract ones that the kernel chooses. See unix(7).
 *
 * A path names an inode, and the inode a socket: a socket's node can be renamed, and after its removal the
 * socket cannot be found any more. Abstract names are looked up with the type of socket: the same name may
 * stand for one of each type, as in Linux.
 *
 * Locks: N for giving and taking names, unix_names_lock, a spin lock inside it, for looking them up.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/fs/dentry.h>
#include <kernel/fs/inode.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/random/random.h>
#include <kernel/task/process.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "unix.h"

/* Names that the kernel chooses: five hexadecimal digits. */
#define CHOSEN_NAMES  0x100000u
#define CHOSEN_DIGITS 5

static struct spinlock unix_names_lock = SPINLOCK_INITIALIZER;

/* --- looking up --- */

static int compare_abstract(struct unix_socket *a, struct unix_socket *b)
{
	const struct unix_address *left = a->address, *right = b->address;

	if (a->base.type != b->base.type)
		return a->base.type < b->base.type ? -1 : 1;
	if (left->size != right->size)
		return left->size < right->size ? -1 : 1;
	return memcmp(&left->sockaddr, &right->sockaddr, left->size);
}

static int compare_inode(struct unix_socket *a, struct unix_socket *b)
{
	uintptr_t left = (uintptr_t)a->bound_to->inode, right = (uintptr_t)b->bound_to->inode;

	return left < right ? -1 : left > right;
}

static RB_HEAD(abstract_tree, unix_socket) abstract_names = RB_INITIALIZER(&abstract_names);
static RB_HEAD(inode_tree, unix_socket) bound_inodes = RB_INITIALIZER(&bound_inodes);

RB_GENERATE_STATIC(abstract_tree, unix_socket, by_name, compare_abstract)
RB_GENERATE_STATIC(inode_tree, unix_socket, by_name, compare_inode)

static bool is_path(const struct kernel_sockaddr_un *name)
{
	return name->sun_path[0] != '\0';
}

int unix_check_name(const struct kernel_sockaddr_un *name, size_t size)
{
	if (size <= SOCKADDR_UN_HEAD || size > sizeof(*name) || name->sun_family != AF_UNIX)
		return -EINVAL;
	return 0;
}

/* Returns a new address; NULL: no memory. */
static struct unix_address *create_address(const struct kernel_sockaddr_un *name, size_t size)
{
	struct unix_address *address = kzalloc(sizeof(*address));

	if (!address)
		return NULL;
	address->references = 1;
	memcpy(&address->sockaddr, name, size);
	/* A path's size includes its terminator, even beyond the structure. */
	address->size = is_path(name) ? SOCKADDR_UN_HEAD + strlen(address->sockaddr.sun_path) + 1 :
					size;
	return address;
}

static int find_abstract(const struct kernel_sockaddr_un *name, size_t size, int type,
			 struct unix_socket **result)
{
	struct unix_address *address = create_address(name, size);

	if (!address)
		return -ENOMEM;
	struct unix_socket key = { .base.type = type, .address = address };

	spin_lock(&unix_names_lock);
	struct unix_socket *found = RB_FIND(abstract_tree, &abstract_names, &key);

	if (found)
		unix_get(found);
	spin_unlock(&unix_names_lock);
	kfree(address);
	*result = found;
	return found ? 0 : -ECONNREFUSED;
}

static struct unix_socket *find_inode(struct dentry *dentry)
{
	struct unix_socket key = { .bound_to = dentry };

	spin_lock(&unix_names_lock);
	struct unix_socket *found = RB_FIND(inode_tree, &bound_inodes, &key);

	if (found)
		unix_get(found);
	spin_unlock(&unix_names_lock);
	return found;
}

static int find_path(const struct kernel_sockaddr_un *name, size_t size, int type,
		     struct unix_socket **result)
{
	char path[UNIX_PATH_MAX + 1] = { 0 };
	struct dentry *directory = process_get_directory(), *dentry;

	memcpy(path, name->sun_path, size - SOCKADDR_UN_HEAD);
	int error = path_lookup(directory, path, LOOKUP_FOLLOW, &dentry);

	dentry_put(directory);
	if (error)
		return error;
	struct unix_socket *found = NULL;

	error = inode_permission(dentry->inode, W_OK);
	if (!error) {
		found = find_inode(dentry);
		error = !found ? -ECONNREFUSED : found->base.type != type ? -EPROTOTYPE : 0;
	}
	dentry_put(dentry);
	if (error && found)
		unix_put(found);
	*result = found;
	return error;
}

int unix_find(const struct kernel_sockaddr_un *name, size_t size, int type,
	      struct unix_socket **result)
{
	return is_path(name) ? find_path(name, size, type, result) :
			       find_abstract(name, size, type, result);
}

/* --- addresses --- */

struct unix_address *unix_get_address(struct unix_socket *socket)
{
	/* An address, once set, stays. */
	struct unix_address *address = socket->address;

	if (address)
		atomic_fetch_add(&address->references, 1);
	return address;
}

void unix_address_put(struct unix_address *address)
{
	if (address && atomic_fetch_sub(&address->references, 1) == 1)
		kfree(address);
}

/* --- binding and removing --- */

/* Names SOCKET, which must have no name: ADDRESS finds it from now on, as does DENTRY (or NULL). SOCKET takes their
 * references. 0; or -EINVAL, -EADDRINUSE: the caller keeps them. */
static int give_name(struct unix_socket *socket, struct unix_address *address,
		     struct dentry *dentry)
{
	int error = 0;

	mutex_lock(&unix_connection_mutex);
	if (socket->address || socket->dead) {
		error = -EINVAL;
	} else {
		socket->bound_to = dentry;
		socket->address = address;
		spin_lock(&unix_names_lock);
		struct unix_socket *other =
			dentry ? RB_INSERT(inode_tree, &bound_inodes, socket) :
				 RB_INSERT(abstract_tree, &abstract_names, socket);

		socket->named = !other;
		spin_unlock(&unix_names_lock);
		if (other) {
			socket->bound_to = NULL;
			socket->address = NULL;
			error = -EADDRINUSE;
		}
	}
	mutex_unlock(&unix_connection_mutex);
	return error;
}

static int bind_abstract(struct unix_socket *socket, const struct kernel_sockaddr_un *name,
			 size_t size)
{
	struct unix_address *address = create_address(name, size);

	if (!address)
		return -ENOMEM;
	int error = give_name(socket, address, NULL);

	if (error)
		unix_address_put(address);
	return error;
}

/* Makes a node in PARENT for NAME, the last of a path. */
static int create_node(struct dentry *parent, const char *name, size_t name_size,
		       struct dentry **result)
{
	const struct entry_request request = { .mode = S_IFSOCK | process_apply_umask(0777) };

	if (name_size == 0 ||
	    (name[0] == '.' && (name_size == 1 || (name_size == 2 && name[1] == '.'))))
		return -EADDRINUSE;
	if (name[name_size] == '/')
		return -ENOENT;
	int error = entry_create(parent, name, name_size, &request, result);

	return error == -EEXIST ? -EADDRINUSE : error;
}

static int bind_path(struct unix_socket *socket, const struct kernel_sockaddr_un *name, size_t size)
{
	struct dentry *directory, *parent, *node;
	const char *last;
	size_t last_size;
	struct unix_address *address = create_address(name, size);

	if (!address)
		return -ENOMEM;
	directory = process_get_directory();
	int error = path_lookup_parent(directory, address->sockaddr.sun_path, &parent, &last,
				       &last_size);

	dentry_put(directory);
	if (!error) {
		error = create_node(parent, last, last_size, &node);
		if (!error) {
			error = give_name(socket, address, node);
			if (error) {
				entry_remove(parent, last, last_size, false);
				dentry_put(node);
			}
		}
		dentry_put(parent);
	}
	if (error)
		unix_address_put(address);
	return error;
}

int unix_bind_any(struct unix_socket *socket)
{
	struct kernel_sockaddr_un name = { .sun_family = AF_UNIX };
	uint32_t number;
	int error = -EADDRINUSE;

	random_bytes(&number, sizeof(number));
	for (unsigned int tries = 0; tries < CHOSEN_NAMES && error == -EADDRINUSE; tries++) {
		char digits[CHOSEN_DIGITS + 1];

		if (socket->address)
			return 0;
		format_string(digits, sizeof(digits), "%05x", (number + tries) % CHOSEN_NAMES);
		memcpy(name.sun_path + 1, digits, CHOSEN_DIGITS);
		error = bind_abstract(socket, &name, SOCKADDR_UN_HEAD + 1 + CHOSEN_DIGITS);
	}
	/* Another thread named the socket meanwhile. */
	if (error == -EINVAL)
		return 0;
	return error == -EADDRINUSE ? -ENOSPC : error;
}

int unix_bind(struct unix_socket *socket, const struct kernel_sockaddr_un *name, size_t size)
{
	if (size == SOCKADDR_UN_HEAD && name->sun_family == AF_UNIX)
		return unix_bind_any(socket);
	int error = unix_check_name(name, size);

	if (error)
		return error;
	return is_path(name) ? bind_path(socket, name, size) : bind_abstract(socket, name, size);
}

void unix_name_remove(struct unix_socket *socket)
{
	struct dentry *node = socket->bound_to;

	spin_lock(&unix_names_lock);
	if (socket->named && node)
		RB_REMOVE(inode_tree, &bound_inodes, socket);
	else if (socket->named)
		RB_REMOVE(abstract_tree, &abstract_names, socket);
	socket->named = false;
	spin_unlock(&unix_names_lock);
	socket->bound_to = NULL;
	if (node)
		dentry_put(node);
}
