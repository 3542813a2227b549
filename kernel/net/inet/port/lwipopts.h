/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP's options: TCP and UDP over IPv4 and IPv6 inside one machine, and over IPv4 to others, called under one lock.
 *
 * Packets of the loopback have no checksums (lwip_port.c), and IPv6 has no neighbours: it stays in the machine. The heap and
 * its bound are in lwip_port.c.
 */
#ifndef LWIPOPTS_H
#define LWIPOPTS_H

#define NO_SYS							  1
#define SYS_LIGHTWEIGHT_PROT					  0
#define LWIP_TIMERS						  0
#define LWIP_SOCKET						  0
#define LWIP_NETCONN						  0
#define LWIP_STATS						  0
#define LWIP_ERRNO_STDINCLUDE					  0
#define LWIP_NOASSERT						  1

/* Objects of every kind come from one bounded heap. */
#define MEM_LIBC_MALLOC						  1
#define MEMP_MEM_MALLOC						  1
#define mem_clib_malloc						  inet_lwip_allocate
#define mem_clib_calloc						  inet_lwip_allocate_array
#define mem_clib_free						  inet_lwip_free
#define MEM_ALIGNMENT						  8
/* Bytes of a packet may be 65535, and one object may hold them all. */
#define MEM_SIZE						  (1 << 20)

#define LWIP_IPV4						  1
#define LWIP_IPV6						  1
#define LWIP_ARP						  1
#define LWIP_ICMP						  1
#define LWIP_RAW						  0
#define LWIP_DHCP						  0
#define LWIP_AUTOIP						  0
#define LWIP_IGMP						  0
#define LWIP_DNS						  0
#define IP_FORWARD						  0
#define IP_REASSEMBLY						  1
#define IP_FRAG							  1
#define IP_OPTIONS_ALLOWED					  0
#define IP_SOF_BROADCAST					  0
#define LWIP_IPV6_MLD						  0
#define LWIP_IPV6_FRAG						  0
#define LWIP_IPV6_REASS						  0
#define LWIP_IPV6_AUTOCONFIG					  0
#define LWIP_IPV6_DUP_DETECT_ATTEMPTS				  0
#define LWIP_IPV6_SEND_ROUTER_SOLICIT				  0
#define LWIP_IPV6_SCOPES					  0
#define LWIP_IPV6_NUM_ADDRESSES					  1
#define LWIP_ICMP6						  0
#define LWIP_ND6_TCP_REACHABILITY_HINTS				  0
/* Every address of 127.0.0.0/8 is this machine's: see lwip_port.c. */
#define LWIP_HOOK_IP4_INPUT(packet, interface)			  inet_lwip_accept(packet, interface)
/* First sequence numbers that other machines cannot guess (RFC 6528, without its clock). */
#define LWIP_HOOK_TCP_ISN(local, local_port, remote, remote_port) inet_lwip_random()
/* Where packets go: lwip_port.c. */
#define LWIP_HOOK_IP4_ROUTE_SRC(from, to)			  inet_lwip_route(to)
/* A datagram of 65507 bytes has 45 fragments. */
#define IP_REASS_MAX_PBUFS					  64
#define ARP_QUEUEING						  1
#define ARP_QUEUE_LEN						  64
#define LWIP_HAVE_LOOPIF					  0
#define LWIP_NETIF_LOOPBACK					  0
#define LWIP_SINGLE_NETIF					  0
#define LWIP_NETIF_TX_SINGLE_PBUF				  0

#define LWIP_CHECKSUM_CTRL_PER_NETIF				  1
#define CHECKSUM_GEN_IP						  1
#define CHECKSUM_GEN_UDP					  1
#define CHECKSUM_GEN_TCP					  1
#define CHECKSUM_GEN_ICMP					  1
#define CHECKSUM_GEN_ICMP6					  0
#define CHECKSUM_CHECK_IP					  1
#define CHECKSUM_CHECK_UDP					  1
#define CHECKSUM_CHECK_TCP					  1
#define CHECKSUM_CHECK_ICMP					  1
#define CHECKSUM_CHECK_ICMP6					  0

#define LWIP_UDP						  1
#define LWIP_TCP						  1
#define SO_REUSE						  1
#define SO_REUSE_RXTOALL					  0
#define LWIP_TCP_KEEPALIVE					  1
#define TCP_LISTEN_BACKLOG					  1
#define LWIP_WND_SCALE						  1
#define TCP_RCV_SCALE						  3
#define TCP_MSS							  32768
#define TCP_WND							  (8 * TCP_MSS)
/* A quarter of the largest window of this connection, which is smaller if its peer does not scale it. */
#define TCP_WND_UPDATE_THRESHOLD				  (TCP_WND_MAX(pcb) / 4)
#define TCP_SND_BUF						  (4 * TCP_MSS)
/* Enough for the buffer in segments of Ethernet. */
#define TCP_SND_QUEUELEN					  128
#define TCP_SNDLOWAT						  16384
#define TCP_SNDQUEUELOWAT					  64
#define TCP_QUEUE_OOSEQ						  0
#define TCP_OVERSIZE						  TCP_MSS
#define TCP_MSL							  30000UL
#define LWIP_TCP_RTO_TIME					  1000
#define LWIP_TCP_MAX_SACK_NUM					  0

#endif
