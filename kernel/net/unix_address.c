/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of Unix sockets. */
#include <kernel/kmalloc.h>

#include "unix.h"

struct unix_address *unix_get_address(struct unix_socket *socket)
{
	/* Once set it stays. */
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

void unix_name_remove(struct unix_socket *socket)
{
	(void)socket;
}

void unix_name_drop(struct unix_socket *socket)
{
	unix_address_put(socket->address);
}
