/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internet sockets: TCP and UDP inside the machine, over 127.0.0.0/8 and ::1, and with a network device by IPv4 to others
 * (inet_ethernet.c). The protocols are lwIP's, of Debian's source (build); these files connect its callbacks with Linux's
 * sockets.
 *
 * lwIP is called by tasks only, one at a time. A packet that it sends goes into a queue, and the caller of lwIP
 * delivers the queue before it lets the lock go: so a send has reached the receiver's queue when it returns. Every
 * segment is acknowledged at once, and no data wait for a timer, unless the receiver's window is full. A kernel task,
 * which the first connection or the network device starts, runs the timers of connections while there are any, and takes
 * what the device receives.
 *
 * An internet socket belongs to its file or, not accepted yet, to its listener's queue, and dies with it. The connection
 * (lwIP's pcb) may live on: it then has no socket.
 *
 * Locks, outermost first:
 *   R  socket->read_mutex: one reader at a time; held across copies to user memory.
 *   I  inet_mutex: lwIP, and all sockets. Never held across an access to user memory.
 *   B  socket->base.lock, see socket.h.
 * poll takes none: the members that it reads are atomic, written under I.
 */
#ifndef NET_INET_H
#define NET_INET_H

#include <lwip/ip_addr.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/sched/wait.h>

#include "../socket.h"

struct netif;
struct pbuf;
struct tcp_pcb;
struct udp_pcb;

/* Received bytes: a packet of lwIP's, or many small ones copied into one buffer. */
struct inet_chunk {
	STAILQ_ENTRY(inet_chunk) link; /* I */
	struct pbuf *packet;	       /* or NULL: the bytes follow */
	size_t size;		       /* I */
	size_t taken;		       /* I: bytes of a stream that were read */
	ip_addr_t from;		       /* of a datagram */
	uint16_t from_port;
	char bytes[];
};

STAILQ_HEAD(inet_chunks, inet_chunk);

enum inet_state { INET_CLOSED, INET_LISTENING, INET_CONNECTING, INET_CONNECTED };

struct inet_socket {
	struct socket base;
	struct mutex read_mutex;
	union {
		struct tcp_pcb *tcp; /* I: NULL: no connection (any more) */
		struct udp_pcb *udp; /* I */
	};
	_Atomic int state;	       /* enum inet_state */
	_Atomic unsigned int shutdown; /* SOCKET_NO_* */
	bool connect_pending;	       /* I: connect has not reported success yet */
	bool finished;		       /* I: the peer has sent its last byte */
	bool bound;		       /* I: the program has chosen the address or the port */
	bool address_bound;	       /* I: the address */

	/* I: addresses, of any type while there are none; ports, 0: none. */
	ip_addr_t local, remote;
	uint16_t local_port, remote_port;
	TAILQ_ENTRY(inet_socket) all; /* I: inet_sockets */

	struct inet_chunks chunks;   /* I; the first one is the reader's while it holds R */
	_Atomic size_t unread_bytes; /* of a datagram socket: charged, with overhead */
	_Atomic unsigned int unread_count;
	_Atomic bool has_room; /* a send would take bytes */
	bool starved;	       /* I: a send found no memory: the timer wakes it */

	TAILQ_HEAD(, inet_socket)
	waiting;			 /* I: of a listener: connections that were not accepted */
	TAILQ_ENTRY(inet_socket) waiter; /* I */
	struct inet_socket *listener;	 /* I: in whose queue it is, or NULL */
	_Atomic unsigned int waiting_count;
	unsigned int backlog; /* I: most connections that wait */

	/* Options: words that change one at a time. */
	_Atomic bool v6_only, no_delay, cork, buffer_chosen;
	_Atomic int32_t keep_idle_s, keep_interval_s, keep_count, tos, ttl, most_segment;
};

TAILQ_HEAD(inet_sockets, inet_socket);

/* lwip_port.c; inet_mutex held unless said otherwise */

extern struct mutex inet_mutex;
/* Delivers all packets that are on their way. */
void inet_deliver(void);
/* Takes inet_mutex, and gives it back after delivering. Not held. */
void inet_enter(void);
void inet_leave(void);
/* Counts SIZE bytes into the bound of the heap, or out of it: for memory that lwIP's data keep. False: the bound is
 * reached. Any context. */
bool inet_charge(size_t size);
void inet_uncharge(size_t size);

/* Starts lwIP's task, unless it runs: it takes received frames and runs the timers. False: no memory. Task context, inet_mutex
 * not held. */
bool inet_task_start(void);
/* Wakes that task: a frame has come, the device has room again, or it is broken. Any context but NMI. */
void inet_task_wake(void);
/* Returns the interface that packets to TO take: the loopback to this machine's own addresses; NULL: there is none. */
struct netif *inet_lwip_route(const ip4_addr_t *to);
/* Returns the loopback. Any context. */
struct netif *inet_loopback(void);

/* inet_ethernet.c; inet_mutex held unless said otherwise */

/* Returns the interface of the network device, or NULL. Any context. */
struct netif *inet_ethernet(void);
/* The same interface: whether ADDRESS is its own; a broadcast's; whether packets to ADDRESS, not of this machine, can be sent.
 * Its address. Any context. */
bool inet_is_own(const ip4_addr_t *address);
bool inet_is_broadcast(const ip4_addr_t *address);
bool inet_has_way(const ip_addr_t *address);
ip_addr_t inet_own_address(void);
/* Returns whether PACKET, which came from the network device, may be for this machine; an ICMP error in it is passed on. */
bool inet_ethernet_accepts(const struct pbuf *packet);
/* Takes frames that the network device has received, and retries what it had no room for. True: there may be more. */
bool inet_ethernet_receive(void);
/* The interface's own timers, each TCP_SLOW_INTERVAL. */
void inet_ethernet_tick(void);

/* inet_address.c; inet_mutex held unless said otherwise */

extern struct inet_sockets inet_sockets;
/* Reads NAME of SIZE bytes as an address of SOCKET's domain. 0, -EINVAL, -EAFNOSUPPORT. Any context. */
int inet_name_read(const struct inet_socket *socket, const union socket_name *name, size_t size,
		   ip_addr_t *address, uint16_t *port);
/* Writes ADDRESS and PORT as a name of SOCKET's domain; returns its bytes. Any context. */
size_t inet_name_write(const struct inet_socket *socket, const ip_addr_t *address, uint16_t port,
		       void *name);
/* Makes ADDRESS, a destination, one that packets of SOCKET can be sent to. 0, -ENETUNREACH, -EACCES: a broadcast, without
 * SO_BROADCAST. Any context. */
int inet_destination(struct inet_socket *socket, ip_addr_t *address);
/* Returns whether packets to ADDRESS stay in this machine. Any context. */
bool inet_is_here(const ip_addr_t *address);
/* Sets *FROM to the address that SOCKET's packets to TO come from. 0; -EINVAL: SOCKET has one that cannot be it. */
int inet_source(const struct inet_socket *socket, const ip_addr_t *to, ip_addr_t *from);
/* Gives SOCKET the local ADDRESS and PORT (0: any free one). 0, -EADDRINUSE. */
int inet_port_take(struct inet_socket *socket, const ip_addr_t *address, uint16_t port);
/* bind(2). inet_mutex not held. */
int inet_bind(struct inet_socket *socket, const union socket_name *name, size_t size);

/* inet_socket.c */

/* Creates a socket, charged and listed in inet_sockets, or returns NULL. inet_mutex held. */
struct inet_socket *inet_create(int domain, int type);
/* Frees SOCKET, which has no pcb. inet_mutex held. */
void inet_destroy(struct inet_socket *socket);
/* Appends PACKET, whose reference moves in, to SOCKET's queue. False: no memory, PACKET stays. inet_mutex held. */
bool inet_queue_append(struct inet_socket *socket, struct pbuf *packet, const ip_addr_t *from,
		       uint16_t from_port);
/* Takes CHUNK, the first, off the queue and frees it. inet_mutex held. */
void inet_queue_remove(struct inet_socket *socket, struct inet_chunk *chunk);
/* Frees all chunks. read_mutex, unless SOCKET has no reader, and inet_mutex held. */
void inet_queue_purge(struct inet_socket *socket);
/* Returns the chunk after LAST (NULL: the first), and the SIZE of what is unread of it; or NULL. read_mutex held;
 * takes inet_mutex. */
struct inet_chunk *inet_queue_next(struct inet_socket *socket, struct inet_chunk *last,
				   size_t *size);
/* Returns the bytes of CHUNK. */
const char *inet_chunk_bytes(const struct inet_chunk *chunk);
/* Sends SIGPIPE to the running task unless FLAGS forbid it; returns -EPIPE. */
int inet_broken_pipe(unsigned int flags);

/* inet_tcp.c, inet_connect.c, inet_udp.c: the operations of a socket of that type. Task context, no lock held. */

int inet_tcp_connect(struct inet_socket *socket, const union socket_name *name, size_t size,
		     bool nonblock);
int inet_tcp_listen(struct inet_socket *socket, unsigned int backlog);
int inet_tcp_accept(struct inet_socket *listener, bool nonblock, struct socket **result);
void inet_tcp_accept_back_out(struct inet_socket *listener, struct inet_socket *accepted);
int inet_tcp_shut_down(struct inet_socket *socket, unsigned int how);
void inet_tcp_close(struct inet_socket *socket);
ssize_t inet_tcp_send(struct inet_socket *socket, struct socket_message *message);
ssize_t inet_tcp_receive(struct inet_socket *socket, struct socket_message *message);
/* Registers SOCKET with its connection. inet_mutex held. */
void inet_tcp_attach(struct inet_socket *socket);
/* Separates SOCKET from its connection, which goes on alone. inet_mutex held. */
void inet_tcp_detach(struct inet_socket *socket);
/* Updates whether SOCKET has room. inet_mutex held. */
void inet_tcp_update_room(struct inet_socket *socket);
/* The destination of SOCKET's segment with the sequence number NUMBER was reported to be unreachable: ends the attempt to connect
 * that sent it with ERROR. Other numbers change nothing. inet_mutex held. */
void inet_tcp_unreachable(struct inet_socket *socket, int error, uint32_t number);
/* Passes the options on to the connection. inet_mutex held. */
void inet_tcp_apply_options(struct inet_socket *socket);

/* Gives SOCKET a new pcb, without a port; the one before, if any, is removed. 0, -ENOBUFS: nothing has changed.
 * inet_mutex held. */
int inet_udp_open(struct inet_socket *socket);
int inet_udp_connect(struct inet_socket *socket, const union socket_name *name, size_t size);
int inet_udp_shut_down(struct inet_socket *socket, unsigned int how);
void inet_udp_close(struct inet_socket *socket);
ssize_t inet_udp_send(struct inet_socket *socket, struct socket_message *message);
ssize_t inet_udp_receive(struct inet_socket *socket, struct socket_message *message);

/* inet_options.c: levels IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6, and what SOL_SOCKET's mean here. */
int inet_get_option(struct socket *socket, int level, int name, union option_value *value,
		    size_t *size);
int inet_set_option(struct socket *socket, int level, int name, const union option_value *value,
		    size_t size);
void inet_option_changed(struct socket *socket, int name);
/* Returns Linux's number of the state of SOCKET: TCP_*. inet_mutex held. */
unsigned int inet_tcp_state(const struct inet_socket *socket);

#endif
