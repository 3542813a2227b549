/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets, as the rest of the kernel sees them. kernel/net/unix.h describes them.
 */
#ifndef KERNEL_SOCKET_H
#define KERNEL_SOCKET_H

/* At start. */
void sockets_init(void);

#endif
