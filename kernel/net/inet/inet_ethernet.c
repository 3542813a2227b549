/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of a network device, eth0: IPv4 to other machines. Ethernet, ARP and fragments are lwIP's.
 *
 * The kernel word net=ADDRESS/BITS,GATEWAY gives the interface its address; without the word or a device there is none. A
 * packet to this machine's own addresses takes the loopback; any other takes this interface, or nothing.
 *
 * The driver copies a frame before it checks any of it. It passes on IPv4 and ARP only, and no packet with an address of
 * 127.0.0.0/8.
 *
 * inet_mutex is held wherever nothing else is said.
 */
#include <lwip/etharp.h>
#include <lwip/icmp.h>
#include <lwip/inet_chksum.h>
#include <lwip/ip.h>
#include <lwip/ip4_frag.h>
#include <lwip/netif.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/prot/ethernet.h>
#include <lwip/prot/icmp.h>
#include <lwip/udp.h>
#include <netif/ethernet.h>
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/log.h>
#include <kernel/base/start.h>
#include <kernel/drivers/net_device.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/signal.h>

#include "inet.h"

/* Frames that are taken before other tasks may use the sockets. */
#define FRAMES_AT_ONCE 64
#define WORD_SIZE      64
#define BITS_MAX       30
/* Bytes of a packet that an ICMP error quotes: at least its header and both ports. */
#define QUOTED_MIN     (IP_HLEN + 8)

static struct netif interface;	  /* I */
static struct net_device *device; /* NULL: none, or without an address; set at start */
static bool waits_for_room;	  /* I: a frame was lost because the device had no room */

/* --- addresses; any context --- */

bool inet_is_own(const ip4_addr_t *address)
{
	return device && ip4_addr_cmp(address, netif_ip4_addr(&interface));
}

bool inet_is_broadcast(const ip4_addr_t *address)
{
	return device && ip4_addr_isbroadcast(address, &interface);
}

bool inet_has_way(const ip_addr_t *address)
{
	return device && netif_is_link_up(&interface) && IP_IS_V4(address);
}

ip_addr_t inet_own_address(void)
{
	return interface.ip_addr;
}

struct netif *inet_ethernet(void)
{
	return device ? &interface : NULL;
}

/* --- sending --- */

static err_t send_frame(struct netif *netif, struct pbuf *frame)
{
	void *room;

	if (frame->tot_len > NET_FRAME_MAX)
		return ERR_BUF;
	room = device->room(device);
	if (!room) {
		waits_for_room = true;
		return ERR_MEM;
	}
	pbuf_copy_partial(frame, room, frame->tot_len, 0);
	if (device->send(device, frame->tot_len)) {
		netif->flags &= (u8_t)~NETIF_FLAG_LINK_UP;
		return ERR_IF;
	}
	return ERR_OK;
}

/* --- errors that other machines report by ICMP --- */

/* Linux's errno for CODE of "destination unreachable", and whether a datagram's sender hears of it; 0: it is no error. */
static int error_of_code(unsigned int code, bool *hard)
{
	/* RFC 792, RFC 1122 3.2.2.1, RFC 1812 5.2.7.1. A packet that is too long: 0, since routers may part ours. */
	static const struct {
		uint8_t error;
		bool hard;
	} codes[] = {
		{ ENETUNREACH, false },
		{ EHOSTUNREACH, false },
		{ ENOPROTOOPT, true },
		{ ECONNREFUSED, true },
		{ 0, false },
		{ EOPNOTSUPP, false },
		{ ENETUNREACH, true },
		{ EHOSTDOWN, true },
		{ ENONET, true },
		{ ENETUNREACH, true },
		{ EHOSTUNREACH, true },
		{ ENETUNREACH, false },
		{ EHOSTUNREACH, false },
		{ EHOSTUNREACH, true },
		{ EHOSTUNREACH, true },
		{ EHOSTUNREACH, true },
	};

	if (code >= sizeof(codes) / sizeof(codes[0]))
		return 0;
	*hard = codes[code].hard;
	return codes[code].error;
}

/* Finds the socket of TYPE that has sent a packet from port LOCAL to TO and REMOTE. */
static struct inet_socket *find_sender(int type, uint16_t local, const ip4_addr_t *to,
				       uint16_t remote)
{
	struct inet_socket *socket;

	TAILQ_FOREACH(socket, &inet_sockets, all)
		if (socket->base.type == type && socket->local_port == local &&
		    socket->remote_port == remote && IP_IS_V4(&socket->remote) &&
		    ip4_addr_cmp(ip_2_ip4(&socket->remote), to))
			return socket;
	return NULL;
}

/* Tells the sender of the packet that the ICMP message in PACKET quotes. Every byte of it may be wrong. */
static void take_error(const struct pbuf *packet, size_t header_size)
{
	const char *bytes = (const char *)packet->payload + header_size;
	struct icmp_echo_hdr message;
	struct ip_hdr quoted;
	uint16_t ports[2];
	uint32_t number;
	bool hard;

	if (packet->len < header_size + sizeof(message) + QUOTED_MIN)
		return;
	memcpy(&message, bytes, sizeof(message));
	memcpy(&quoted, bytes + sizeof(message), sizeof(quoted));
	if (ICMPH_TYPE(&message) != ICMP_DUR || IPH_HL_BYTES(&quoted) != IP_HLEN)
		return;
	memcpy(ports, bytes + sizeof(message) + IP_HLEN, sizeof(ports));
	memcpy(&number, bytes + sizeof(message) + IP_HLEN + sizeof(ports), sizeof(number));

	int error = error_of_code(ICMPH_CODE(&message), &hard);
	bool tcp = IPH_PROTO(&quoted) == IP_PROTO_TCP;
	ip4_addr_t to;

	if (!error || (!tcp && IPH_PROTO(&quoted) != IP_PROTO_UDP))
		return;
	ip4_addr_copy(to, quoted.src);
	if (!inet_is_own(&to))
		return;
	ip4_addr_copy(to, quoted.dest);
	struct inet_socket *socket = find_sender(tcp ? SOCK_STREAM : SOCK_DGRAM,
						 lwip_ntohs(ports[0]), &to, lwip_ntohs(ports[1]));

	if (!socket)
		return;
	if (tcp) {
		inet_tcp_unreachable(socket, error, lwip_ntohl(number));
	} else if (hard && socket->state == INET_CONNECTED) {
		socket->base.error = error;
		socket_notify(&socket->base, POLL_IN);
	}
}

/* --- receiving --- */

/* Whether PACKET, whose IP header may be wrong, is one whole ICMP message with right checksums. lwIP has not looked at it yet. */
static bool is_icmp(const struct pbuf *packet)
{
	const struct ip_hdr *header = packet->payload;
	uint16_t size = lwip_ntohs(IPH_LEN(header));

	return IPH_PROTO(header) == IP_PROTO_ICMP && IPH_HL_BYTES(header) == IP_HLEN &&
	       size >= IP_HLEN && size <= packet->len &&
	       !(IPH_OFFSET(header) & PP_HTONS(IP_OFFMASK | IP_MF)) &&
	       !inet_chksum(header, IP_HLEN) &&
	       !inet_chksum((const char *)header + IP_HLEN, (u16_t)(size - IP_HLEN));
}

bool inet_ethernet_accepts(const struct pbuf *packet)
{
	const struct ip_hdr *header = packet->payload;
	ip4_addr_t from, to;

	if (packet->len < IP_HLEN)
		return false;
	ip4_addr_copy(from, header->src);
	ip4_addr_copy(to, header->dest);
	/* From this machine itself, or to a group that no socket has joined: this machine is in the group of all stations only. */
	if (ip4_addr_isloopback(&from) || ip4_addr_isloopback(&to) || inet_is_own(&from) ||
	    (ip4_addr_ismulticast(&to) && to.addr != PP_HTONL(0xe0000001u)))
		return false;
	if (inet_is_own(&to) && is_icmp(packet))
		take_error(packet, IP_HLEN);
	return true;
}

static void take_frame(const void *bytes, size_t size)
{
	struct pbuf *frame = pbuf_alloc(PBUF_RAW, (u16_t)size, PBUF_RAM);

	/* The sender repeats what finds no memory, or does without. */
	if (!frame)
		return;
	memcpy(frame->payload, bytes, size);

	const struct eth_hdr *header = frame->payload;
	uint16_t type = header->type;

	/* The device may take frames for all stations. */
	if ((type != PP_HTONS(ETHTYPE_IP) && type != PP_HTONS(ETHTYPE_ARP)) ||
	    (!(header->dest.addr[0] & 1) &&
	     memcmp(header->dest.addr, interface.hwaddr, NET_ADDRESS_SIZE) != 0) ||
	    ethernet_input(frame, &interface) != ERR_OK)
		pbuf_free(frame);
}

bool inet_ethernet_receive(void)
{
	const void *bytes;
	size_t size;

	if (!device)
		return false;
	for (unsigned int i = 0; i < FRAMES_AT_ONCE; i++) {
		bytes = device->next(device, &size);
		if (!bytes)
			break;
		take_frame(bytes, size);
		device->done(device);
		inet_deliver();
	}
	if (waits_for_room && device->room(device)) {
		waits_for_room = false;
		tcp_txnow();
	}
	return bytes;
}

void inet_ethernet_tick(void)
{
	static bool second;

	second = !second;
	if (!device || !second)
		return;
	etharp_tmr();
	ip_reass_tmr();
}

/* --- the start --- */

static err_t init_interface(struct netif *netif)
{
	netif->name[0] = 'e';
	netif->name[1] = 't';
	netif->mtu = NET_MTU;
	netif->hwaddr_len = NET_ADDRESS_SIZE;
	memcpy(netif->hwaddr, net_device_first()->address, NET_ADDRESS_SIZE);
	netif->output = etharp_output;
	netif->linkoutput = send_frame;
	netif->flags = NETIF_FLAG_UP | NETIF_FLAG_LINK_UP | NETIF_FLAG_BROADCAST |
		       NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
	return ERR_OK;
}

/* Reads "ADDRESS/BITS,GATEWAY", and changes WORD. */
static bool read_word(char *word, ip4_addr_t *address, ip4_addr_t *mask, ip4_addr_t *gateway)
{
	char *bits = strchr(word, '/'), *comma = bits ? strchr(bits, ',') : NULL;
	unsigned int number = 0;

	if (!comma || comma - bits < 2 || comma - bits > 3)
		return false;
	*bits = *comma = '\0';
	for (const char *digit = bits + 1; *digit; digit++) {
		if (*digit < '0' || *digit > '9')
			return false;
		number = 10 * number + (unsigned int)(*digit - '0');
	}
	if (!number || number > BITS_MAX || !ip4addr_aton(word, address) ||
	    !ip4addr_aton(comma + 1, gateway))
		return false;
	mask->addr = lwip_htonl(UINT32_MAX << (32 - number));
	return !ip4_addr_isany(address) && !ip4_addr_ismulticast(address) &&
	       !ip4_addr_isloopback(address) && ip4_addr_netcmp(address, gateway, mask) &&
	       !ip4_addr_cmp(address, gateway);
}

/* lwIP is there, and so are the devices. */
static void start(void)
{
	struct net_device *found = net_device_first();
	ip4_addr_t address, mask, gateway;
	char word[WORD_SIZE];

	if (!boot_option("net", word, sizeof(word)))
		return;
	if (!read_word(word, &address, &mask, &gateway)) {
		log_error(
			"net=: no network: give ADDRESS/BITS,GATEWAY of IPv4 (as 10.0.2.15/24,10.0.2.2), BITS from 1 to 30, "
			"GATEWAY another address of that network");
		return;
	}
	if (!found || !inet_task_start()) {
		log_error("net=: no network: %s",
			  found ? "no memory for its task" :
				  "add a virtio network device, or leave the word out");
		return;
	}
	inet_enter();
	netif_add(&interface, &address, &mask, &gateway, NULL, init_interface, ethernet_input);
	NETIF_SET_CHECKSUM_CTRL(&interface, NETIF_CHECKSUM_ENABLE_ALL);
	device = found;
	inet_leave();
	found->notify = inet_task_wake;
	/* Frames may have come before. */
	inet_task_wake();
}

START(START_TREES, start);
