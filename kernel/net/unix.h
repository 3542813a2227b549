/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unix-domain sockets: what a socket is, the packets in its queue, and the locks of both. See unix(7).
 *
 * A socket belongs to a file, except for a connection that was not accepted yet, which is in the queue of a
 * listener. Other objects refer to it: its peer, and the packets that it sent and that were not read yet. So
 * a socket may outlive its file; then it is dead and its queue empty.
 *
 * Data flow: a sender makes a packet, which is charged to it, and appends it to the receiver's queue. The
 * receiver takes the packet off, or reads a stream's packet piece by piece, and frees it, which uncharges the
 * sender.
 *
 * Locks, outermost first:
 *   N  unix_connection_mutex, for all sockets: connections, listeners, names, death.
 *   R  socket->read_mutex: one reader at a time; held across copies to user memory.
 *   F  flight_lock, a spin lock: the sockets in flight, see unix_flight.c.
 *   W  socket->waiting_lock, a spin lock: a listener's connections that were not accepted yet.
 *   L  socket->base.lock, a spin lock: state and queue. Never two of them at once.
 * A name's table has a lock of its own inside N (unix_address.c). No file reference is dropped under any of
 * them.
 */
#ifndef NET_UNIX_H
#define NET_UNIX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/sched/wait.h>
#include <uapi/linux/socket.h>

#include "socket.h"

struct dentry;
struct file;
struct user_account;

/* --- messages and packets --- */

/* Files in transit from one process to another, each with a reference. */
struct unix_rights {
	struct unix_rights *next;     /* while they are dropped */
	struct user_account *account; /* the sender's, referenced; NULL: a copy */
	unsigned int count;
	unsigned int sockets; /* Unix sockets among them */
	struct file *files[];
};

/* One datagram, or a piece of a stream. */
struct unix_packet {
	STAILQ_ENTRY(unix_packet) link; /* L of the receiver */
	struct unix_socket *sender;	/* referenced; charged for it */
	uint32_t charge;		/* bytes, see unix_charge */
	size_t size;			/* bytes of data */
	size_t taken;			/* R: bytes of a stream that were read */
	struct unix_rights *rights;	/* R; and F if it holds sockets. Or NULL */
	bool has_credentials;
	struct kernel_ucred credentials;
	char bytes[];
};

STAILQ_HEAD(unix_packets, unix_packet);

/* --- names --- */

/* A name of sockets; never changes. Sockets from accept share the listener's. */
struct unix_address {
	_Atomic unsigned int references;
	size_t size; /* bytes of sockaddr, as getsockname reports them */
	struct kernel_sockaddr_un sockaddr;
	char end; /* of a path that fills all of sun_path */
};

/* --- sockets --- */

enum unix_state { UNIX_UNCONNECTED, UNIX_LISTENING, UNIX_CONNECTED };

/* Bits of unix_socket.shutdown. */
enum { UNIX_NO_RECEIVE = SOCKET_NO_RECEIVE, UNIX_NO_SEND = SOCKET_NO_SEND };

struct unix_socket {
	struct socket base; /* SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET */
	_Atomic unsigned int references;
	struct mutex read_mutex;

	_Atomic int state;		      /* enum unix_state; written under N and L */
	_Atomic unsigned int shutdown;	      /* UNIX_NO_*; written under L */
	bool dead;			      /* L, written under N too: its file is gone */
	struct unix_socket *peer;	      /* L, written under N too: referenced, or NULL */
	struct kernel_ucred peer_credentials; /* N */

	struct unix_packets packets;  /* L: to be read */
	unsigned int packet_count;    /* L */
	size_t unread_bytes;	      /* L */
	_Atomic uint32_t charged;     /* bytes sent and not read yet */
	struct user_account *account; /* referenced: the user charged for them */

	struct spinlock waiting_lock;	    /* W */
	TAILQ_HEAD(, unix_socket) waiting;  /* W: of a listener: connections, each referenced */
	TAILQ_ENTRY(unix_socket) waiter;    /* W of its listener */
	_Atomic unsigned int waiting_count; /* written under W */
	_Atomic unsigned int backlog;	    /* L: at most one more connection, or datagram, waits */

	struct unix_address *_Atomic address; /* set once, under N: referenced; NULL: no name */
	struct dentry *bound_to;	      /* N: of a path: referenced */
	RB_ENTRY(unix_socket) by_name;	      /* unix_names_lock: valid while named */
	bool named;			      /* unix_names_lock: lookups find it */

	unsigned int in_flight;		  /* F: references from packets in queues */
	TAILQ_ENTRY(unix_socket) flying;  /* F: while that is not 0 */
	unsigned int found;		  /* F: of these, from candidates, see unix_flight.c */
	bool candidate;			  /* F */
	TAILQ_ENTRY(unix_socket) reached; /* F: while it is on that list */
};

/* unix_socket.c; task context, no lock held */

/* Creates a socket of TYPE with one reference, or returns NULL. */
struct unix_socket *unix_create(int type);
/* Take and drop a reference; the last one frees. get: any context. */
void unix_get(struct unix_socket *socket);
void unix_put(struct unix_socket *socket);
/* Returns the peer of SOCKET with a reference, or NULL. */
struct unix_socket *unix_get_peer(struct unix_socket *socket);
/* Shuts SOCKET down for HOW (UNIX_NO_*), and its peer for the opposite direction. */
void unix_shut_down(struct unix_socket *socket, unsigned int how);
/* Ends SOCKET: its file is gone, or it was never accepted. Its reference stays. */
void unix_close(struct unix_socket *socket);
/* Reports a change of SOCKET: wakes its waiters, and sends SIGIO to the owner of its file. POLL_CODE:
 * POLL_IN, POLL_OUT, POLL_HUP. */
void unix_notify(struct unix_socket *socket, int poll_code);
/* Credentials of the running task: the effective ones for SO_PEERCRED of its peer, the real ones for
 * messages. */
struct kernel_ucred unix_effective_credentials(void);
struct kernel_ucred unix_real_credentials(void);

/* unix_connect.c */

/* N. */
extern struct mutex unix_connection_mutex;
/* Woken when a full queue has room again: of connections, or of datagrams. One queue for all sockets,
 * because a queue may disappear while tasks wait for it, and few tasks ever wait. */
extern struct wait_queue unix_room;
/* Makes A and B, new, each other's peers. */
void unix_connect_pair(struct unix_socket *a, struct unix_socket *b);
/* Makes SOCKET listen for connections; BACKLOG of them and one more may wait. 0, -EINVAL, -EOPNOTSUPP. */
int unix_listen(struct unix_socket *socket, unsigned int backlog);
/* Returns the next connection to LISTENER, with a reference. 0, -EAGAIN, -EINTR, -EINVAL, -EOPNOTSUPP. */
int unix_accept(struct unix_socket *listener, bool nonblock, struct unix_socket **result);
/* Makes ACCEPTED, whose reference moves in, the next connection again. */
void unix_accept_back_out(struct unix_socket *listener, struct unix_socket *accepted);
/* Connects SOCKET to the socket with NAME of SIZE bytes. Errors as connect(2). */
int unix_connect(struct unix_socket *socket, const struct kernel_sockaddr_un *name, size_t size,
		 bool nonblock);
/* True if OTHER takes datagrams of SOCKET: it is connected to no other socket. OTHER's lock or
 * unix_connection_mutex held. */
bool unix_may_send_to(struct unix_socket *socket, struct unix_socket *other);
/* Called after SOCKET, a datagram socket, has left its peer OLD. No lock held. */
void unix_leave_peer(struct unix_socket *socket, struct unix_socket *old);

/* unix_address.c; task context */

/* Returns the address of SOCKET with a reference, or NULL; and drops it (NULL is allowed). */
struct unix_address *unix_get_address(struct unix_socket *socket);
void unix_address_put(struct unix_address *address);
/* Removes SOCKET from the table of names. unix_connection_mutex held. */
void unix_name_remove(struct unix_socket *socket);
/* Checks that NAME of SIZE bytes is valid: 0 or -EINVAL. Any context. */
int unix_check_name(const struct kernel_sockaddr_un *name, size_t size);
/* Finds the socket of TYPE with NAME, which was checked, and takes a reference. 0, -ECONNREFUSED,
 * -EPROTOTYPE (it has another type), -EACCES and other errors of a path walk, -ENOMEM. */
int unix_find(const struct kernel_sockaddr_un *name, size_t size, int type,
	      struct unix_socket **result);
/* Names SOCKET. Errors as bind(2). */
int unix_bind(struct unix_socket *socket, const struct kernel_sockaddr_un *name, size_t size);
/* Gives SOCKET an arbitrary name if it has none. 0, -ENOSPC, -ENOMEM. */
int unix_bind_any(struct unix_socket *socket);

/* unix_packet.c; task context */

/* Returns Linux's charge for a packet of SIZE bytes on a socket of TYPE. Any context. */
uint32_t unix_charge(int type, size_t size);
/* Makes a packet from SENDER with the next SIZE bytes of MESSAGE, with its credentials, but not its
 * rights. 0, or -EFAULT, -ENOBUFS. No spin lock held. */
int unix_packet_create(struct unix_socket *sender, struct socket_message *message, size_t size,
		       struct unix_packet **result);
/* Frees PACKET, which is in no queue any more. No lock held. */
void unix_packet_free(struct unix_packet *packet);
/* True if SOCKET has room to send. Any context. */
bool unix_may_send_more(const struct unix_socket *socket);
/* The same for poll: true if the room is large enough to be worth a wake-up. Any context. */
bool unix_is_writable(const struct unix_socket *socket);
/* Lock and unlock the queue of TO, to add or remove a packet with RIGHTS (or NULL). */
void unix_queue_lock(struct unix_socket *to, const struct unix_rights *rights);
void unix_queue_unlock(struct unix_socket *to, const struct unix_rights *rights);
/* True if OTHER's queue, locked, takes no datagram of SOCKET now. */
bool unix_queue_is_full(const struct unix_socket *socket, const struct unix_socket *other);
/* Appends PACKET to the locked queue of TO. */
void unix_queue_append(struct unix_socket *to, struct unix_packet *packet);
/* Takes PACKET, the first, off the queue of SOCKET; true if the queue was full and no longer is.
 * read_mutex held, no other lock. */
bool unix_queue_remove(struct unix_socket *socket, struct unix_packet *packet);
/* Takes the rights of PACKET, which stays in SOCKET's queue. read_mutex held, no other lock. */
struct unix_rights *unix_queue_take_rights(struct unix_socket *socket, struct unix_packet *packet);
/* Takes all packets off the queue of SOCKET and frees them. No lock held. */
void unix_queue_purge(struct unix_socket *socket);
/* Copies the credentials of PACKET, or those of an unknown sender, to MESSAGE. */
void unix_packet_identify(const struct unix_packet *packet, struct socket_message *message);
/* True if a message from SENDER to RECEIVER needs credentials. */
bool unix_needs_credentials(struct unix_socket *sender, struct unix_socket *receiver);

/* Returns a copy with references of its own, or NULL. read_mutex held of the socket with RIGHTS in its
 * queue. */
struct unix_rights *unix_rights_copy(const struct unix_rights *rights);
/* Drops all files, and then the garbage that results; without recursion. NULL is allowed. No lock held. */
void unix_rights_drop(struct unix_rights *rights);
/* The same, but leaves the garbage. True if there may be some now. */
bool unix_rights_put(struct unix_rights *rights);
/* True if the running task is inside unix_rights_put; it then collects garbage when it has finished. */
bool unix_rights_are_dropping(void);

/* unix_flight.c: sockets in queues of sockets */

/* Counts RIGHTS into a queue, or out of it. flight_lock held. */
void unix_flight_begin(const struct unix_rights *rights);
void unix_flight_end(const struct unix_rights *rights);
void unix_flight_lock(void);
void unix_flight_unlock(void);
/* Called after a socket was closed: frees the sockets that no process can reach any more, now or, if very
 * many are in flight, after some more closes. Task context, no lock held. */
void unix_flight_collect(void);

/* unix_stream.c, unix_datagram.c: sending and receiving MESSAGE. Bytes, or a negative error. Task context,
 * no lock held. The rights of a message that was not sent stay in it. */
ssize_t unix_stream_send(struct unix_socket *socket, struct socket_message *message);
ssize_t unix_stream_receive(struct unix_socket *socket, struct socket_message *message);
ssize_t unix_datagram_send(struct unix_socket *socket, struct socket_message *message);
ssize_t unix_datagram_receive(struct unix_socket *socket, struct socket_message *message);

/* unix_family.c */

/* Returns the Unix socket of FILE, or NULL. Any context. */
struct unix_socket *unix_socket_of_file(const struct file *file);

#endif
