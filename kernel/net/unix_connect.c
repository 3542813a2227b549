/* SPDX-License-Identifier: BSD-2-Clause */
/* How Unix sockets find each other: connect, listen, accept. */
#include <kernel/socket.h>

#include "unix.h"

struct mutex unix_connection_mutex;
struct wait_queue unix_room;

void sockets_init(void)
{
	mutex_init(&unix_connection_mutex);
	wait_queue_init(&unix_room);
}
