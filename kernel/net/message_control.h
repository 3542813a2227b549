/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data that accompany a message: descriptors (SCM_RIGHTS) and credentials (SCM_CREDENTIALS), in the program's
 * control messages. Source: cmsg(3), unix(7). Task context, no lock held.
 */
#ifndef NET_MESSAGE_CONTROL_H
#define NET_MESSAGE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_msghdr;
struct socket_message;
struct socket;

/* Reads the SIZE bytes of control messages at USER_CONTROL into MESSAGE. 0, or a negative error; in both
 * cases the caller owns the rights that MESSAGE then has. */
int message_control_get(struct socket_message *message, uintptr_t user_control, uint64_t size);

/* Writes the credentials and rights of MESSAGE, received on SOCKET, into the control memory of USER as far
 * as there is room; sets its msg_controllen, and MSG_CTRUNC when room was missing. New descriptors are
 * close-on-exec with CLOEXEC. */
void message_control_put(struct socket *socket, struct socket_message *message,
			 struct kernel_msghdr *user, bool cloexec);

#endif
