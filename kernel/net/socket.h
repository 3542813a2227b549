/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets of every family: what they share, and the operations that a family provides.
 *
 * A family's socket begins with struct socket. socket_file.c, socket_calls.c, message_calls.c and
 * socket_options.c know no more of it; unix.h and inet/inet.h have the families.
 *
 * Lock: B  socket->lock, a spin lock. A family may protect data of its own by it.
 */
#ifndef NET_SOCKET_H
#define NET_SOCKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/base/spinlock.h>
#include <kernel/fs/vector.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/inet.h>
#include <uapi/linux/socket.h>
#include <uapi/linux/time.h>

struct file;
struct poll_table;
struct socket;
struct unix_address;
struct unix_rights;

/* Room for an address of a program. */
union socket_name {
	uint16_t family;
	struct kernel_sockaddr_un un;
	struct kernel_sockaddr_in in;
	struct kernel_sockaddr_in6 in6;
	char bytes[SOCKADDR_SIZE_MAX + 1];
};

/* A message that a call sends, or has received. */
struct socket_message {
	struct vector data;
	struct unix_rights *rights; /* owned, or NULL */
	bool has_credentials;
	struct kernel_ucred credentials;
	const union socket_name *to; /* destination; NULL: the peer */
	size_t to_size;		     /* bytes of it */
	struct unix_address
		*from;	       /* received: a Unix socket's sender, referenced; NULL: it has none */
	size_t from_inet_size; /* received: bytes of the next; 0: it has none */
	struct kernel_sockaddr_in6 from_inet; /* or sockaddr_in */
	unsigned int flags;		      /* MSG_* of the call */
	unsigned int flags_out;		      /* received: MSG_TRUNC, or none */
};

/* Value of an option. */
union option_value {
	int32_t number;
	struct kernel_linger linger;
	struct kernel_timeval time;
	struct kernel_ucred credentials;
	struct kernel_tcp_info tcp_info;
};

/* The end of a connection whose name a call asks for. */
enum socket_side {
	SOCKET_OWN,
	SOCKET_PEER,
	SOCKET_ACCEPTED /* the peer's of a socket that was just accepted: even if it is gone already */
};

/* The operations of a family. Task context, no lock held. Errors as those of the calls' manual pages. */
struct socket_family {
	/* Creates a socket, with a reference for its file. TYPE: without flags. 0 or a negative error. */
	int (*create)(int domain, int type, int protocol, struct socket **result);
	/* Drops the reference of a socket that got no file. */
	void (*put)(struct socket *socket);
	/* Connects two new sockets. NULL: EOPNOTSUPP. */
	void (*connect_pair)(struct socket *a, struct socket *b);
	int (*bind)(struct socket *socket, const union socket_name *name, size_t size);
	int (*connect)(struct socket *socket, const union socket_name *name, size_t size,
		       bool nonblock);
	int (*listen)(struct socket *socket, unsigned int backlog);
	/* Returns the next connection, with a reference. */
	int (*accept)(struct socket *listener, bool nonblock, struct socket **result);
	/* Makes ACCEPTED, whose reference moves in, the next connection again. */
	void (*accept_back_out)(struct socket *listener, struct socket *accepted);
	/* Writes a name, and its full size. 0, -ENOTCONN. */
	int (*name)(struct socket *socket, enum socket_side side, union socket_name *name,
		    size_t *size);
	/* HOW: SOCKET_NO_*. */
	int (*shut_down)(struct socket *socket, unsigned int how);
	/* Bytes, or a negative error. The rights of a message that was not sent stay in it. */
	ssize_t (*send)(struct socket *socket, struct socket_message *message);
	ssize_t (*receive)(struct socket *socket, struct socket_message *message);
	unsigned int (*poll)(struct socket *socket, struct poll_table *table);
	/* ioctl with a result: *VALUE, or -EINVAL. -ENOTTY: any other, and ioctl below, unless NULL, may know it. */
	int (*bytes)(struct socket *socket, unsigned int command, int *value);
	long (*ioctl)(struct socket *socket, unsigned int command, unsigned long argument);
	/* Options of LEVEL other than SOL_SOCKET: *SIZE in, the size that the program gave; out, the value's. 0,
	 * -ENOPROTOOPT, -EOPNOTSUPP (no such level). NULL: EOPNOTSUPP */
	int (*get_option)(struct socket *socket, int level, int name, union option_value *value,
			  size_t *size);
	/* SIZE bytes of VALUE were copied, at most its own. */
	int (*set_option)(struct socket *socket, int level, int name,
			  const union option_value *value, size_t size);
	/* The option NAME of SOL_SOCKET was set. NULL: no action. */
	void (*option_changed)(struct socket *socket, int name);
	/* SO_PEERCRED. NULL: of no peer. */
	struct kernel_ucred (*peer_credentials)(struct socket *socket);
	/* The file of SOCKET is gone: ends it and drops the reference. */
	void (*release)(struct socket *socket);
};

/* Bits of a shutdown. */
enum { SOCKET_NO_RECEIVE = 1, SOCKET_NO_SEND = 2 };

struct socket {
	const struct socket_family *family;
	int domain;   /* AF_* */
	int type;     /* SOCK_* */
	int protocol; /* as SO_PROTOCOL reports it */
	struct spinlock lock;
	struct file *file;	/* B: not referenced; NULL: none yet, or dead */
	_Atomic int error;	/* positive; the next call that checks takes it */
	_Atomic bool listening; /* SO_ACCEPTCONN */

	/* Options: words that change one at a time. */
	_Atomic uint32_t send_buffer, receive_buffer;	      /* bytes */
	_Atomic uint32_t receive_least;			      /* bytes, SO_RCVLOWAT */
	_Atomic uint64_t send_timeout_ns, receive_timeout_ns; /* UINT64_MAX: none */
	_Atomic bool pass_credentials;
	_Atomic uint32_t switches; /* options that are on or off: socket_options.c */
	_Atomic int32_t priority, mark,
		linger_s; /* stored without effect, but for the linger of TCP */

	struct wait_queue changed; /* woken by data, room, connections, shutdown */
};

/* socket.c */

/* Makes FAMILY that of the sockets of DOMAIN. At start. */
void socket_family_add(int domain, const struct socket_family *family);
/* Answers the ioctl COMMAND, with the user's ARGUMENT, about interfaces (netdevice(7)); INET: the socket is of AF_INET, which alone
 * may ask for addresses. 0; -ENOTTY: no such request, or an address without INET; -ENODEV: no such interface; -EFAULT. Task
 * context. Set at start by kernel/net/inet/; NULL: a kernel without it. */
extern long (*socket_interface_request)(unsigned int command, unsigned long argument, bool inet);
/* Returns the family of DOMAIN (0 … AF_MAX - 1), or NULL. Any context. */
const struct socket_family *socket_family_of(int domain);
/* Initializes SOCKET, zeroed. */
void socket_init(struct socket *socket, int domain, int type, int protocol);
/* Takes SOCKET's error: negative, or 0. Any context. */
int socket_take_error(struct socket *socket);
/* Reports a change of SOCKET: wakes its waiters, and sends SIGIO to the owner of its file. POLL_CODE: POLL_IN, POLL_OUT,
 * POLL_HUP. Task context, no spin lock held. */
void socket_notify(struct socket *socket, int poll_code);

/* Waiting for a socket: call socket_wait each time that an attempt failed. The first call only puts the task
 * on the queue. 0: try again; -EAGAIN (after the deadline), -EINTR, -EINTR_ENDS. At the end call
 * socket_wait_end. */
struct socket_waiter {
	struct wait_queue *queue;
	struct wait_entry entry;
	uint64_t deadline_ns; /* 0: do not wait */
	bool waiting;
};

void socket_wait_begin(struct socket_waiter *waiter, struct wait_queue *queue, bool nonblock,
		       uint64_t timeout_ns);
int socket_wait(struct socket_waiter *waiter);
void socket_wait_end(struct socket_waiter *waiter);

/* socket_file.c */

/* Returns the socket of FILE, or NULL. Any context. */
struct socket *socket_of_file(const struct file *file);
/* Creates a file for SOCKET, whose reference moves in. FLAGS: O_*. 0, -ENFILE (the reference stays). Task
 * context. */
int socket_file_create(struct socket *socket, unsigned int flags, struct file **result);
/* Frees FILE, new and without another user; returns its socket, with the reference. */
struct socket *socket_file_undo(struct file *file);

/* socket_calls.c; task context */

/* Copies the SIZE bytes of an address at USER_NAME. 0, -EINVAL, -EFAULT. */
int socket_copy_name(uintptr_t user_name, long size, union socket_name *name);
/* Writes the SIZE bytes of ADDRESS (NULL: none) to USER_NAME, at most ROOM bytes. 0, -EINVAL, -EFAULT. */
int socket_put_address(const void *address, size_t size, uintptr_t user_name, int32_t room);
/* The same with both numbers at USER_SIZE. */
int socket_put_address_with_size(const void *address, size_t size, uintptr_t user_name,
				 uintptr_t user_size);
/* Returns the file of the socket at descriptor FD, with a reference. 0, -EBADF, -ENOTSOCK. */
int socket_get(int fd, struct file **result);

/* socket_options.c */

/* True if the option NAME (SO_REUSEADDR, SO_KEEPALIVE, SO_REUSEPORT, SO_LINGER …) of SOCKET is on. Any context. */
bool socket_option_is_on(struct socket *socket, int name);

#endif
