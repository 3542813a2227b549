/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internet addresses and the options of their sockets. Source: Linux's linux/in.h, linux/in6.h, linux/tcp.h,
 * linux/sockios.h, linux/if.h.
 */
#ifndef _UAPI_LINUX_INET_H
#define _UAPI_LINUX_INET_H

#include <stdint.h>

#define AF_INET	     2
#define AF_INET6     10

#define IPPROTO_IP   0
#define IPPROTO_TCP  6
#define IPPROTO_UDP  17
#define IPPROTO_IPV6 41

struct kernel_sockaddr_in {
	uint16_t sin_family;
	uint16_t sin_port; /* in network order, as all that follow */
	uint32_t sin_addr;
	uint8_t sin_zero[8];
};

struct kernel_sockaddr_in6 {
	uint16_t sin6_family;
	uint16_t sin6_port;
	uint32_t sin6_flowinfo;
	uint32_t sin6_addr[4];
	uint32_t sin6_scope_id;
};

/* The smallest sockaddr_in6 that is taken: without the scope. */
#define SOCKADDR_IN6_LEAST	24

/* Level IPPROTO_IP. */
#define IP_TOS			1
#define IP_TTL			2
#define IP_RECVERR		11
#define IP_MTU_DISCOVER		10
#define IP_BIND_ADDRESS_NO_PORT 24

/* Level IPPROTO_IPV6. */
#define IPV6_UNICAST_HOPS	16
#define IPV6_RECVERR		25
#define IPV6_V6ONLY		26
#define IPV6_TCLASS		67

/* Level IPPROTO_TCP. */
#define TCP_NODELAY		1
#define TCP_MAXSEG		2
#define TCP_CORK		3
#define TCP_KEEPIDLE		4
#define TCP_KEEPINTVL		5
#define TCP_KEEPCNT		6
#define TCP_DEFER_ACCEPT	9
#define TCP_INFO		11
#define TCP_QUICKACK		12
#define TCP_USER_TIMEOUT	18

/* States of a connection, as TCP_INFO and /proc/net/tcp report them. */
#define TCP_ESTABLISHED		1
#define TCP_SYN_SENT		2
#define TCP_SYN_RECV		3
#define TCP_FIN_WAIT1		4
#define TCP_FIN_WAIT2		5
#define TCP_TIME_WAIT		6
#define TCP_CLOSE		7
#define TCP_CLOSE_WAIT		8
#define TCP_LAST_ACK		9
#define TCP_LISTEN		10
#define TCP_CLOSING		11

/* Requests about interfaces, by ioctl on any socket. */
#define SIOCGIFNAME		0x8910
#define SIOCGIFCONF		0x8912
#define SIOCGIFFLAGS		0x8913
#define SIOCGIFADDR		0x8915
#define SIOCGIFDSTADDR		0x8917
#define SIOCGIFBRDADDR		0x8919
#define SIOCGIFNETMASK		0x891b
#define SIOCGIFMETRIC		0x891d
#define SIOCGIFMTU		0x8921
#define SIOCGIFHWADDR		0x8927
#define SIOCGIFINDEX		0x8933
#define SIOCGIFTXQLEN		0x8942

#define IFF_UP			0x1
#define IFF_BROADCAST		0x2
#define IFF_LOOPBACK		0x8
#define IFF_RUNNING		0x40
#define IFF_MULTICAST		0x1000

/* Kinds of hardware addresses. */
#define ARPHRD_ETHER		1
#define ARPHRD_LOOPBACK		772

struct kernel_ifreq {
	char ifr_name[16];
	union {
		struct kernel_sockaddr_in address;
		struct {
			uint16_t family; /* ARPHRD_* */
			uint8_t bytes[14];
		} hardware;
		int16_t flags;
		int32_t number;
		uint8_t room[24];
	};
};

struct kernel_ifconf {
	int32_t ifc_len; /* bytes of room; then of the interfaces */
	uint32_t unused;
	uint64_t ifc_buf; /* 0: only the bytes that all interfaces take */
};

/* The beginning of Linux's struct tcp_info: a program that asks for more gets this much. */
struct kernel_tcp_info {
	uint8_t tcpi_state, tcpi_ca_state, tcpi_retransmits, tcpi_probes, tcpi_backoff,
		tcpi_options;
	uint8_t tcpi_scales, tcpi_flags;
	uint32_t tcpi_rto, tcpi_ato, tcpi_snd_mss, tcpi_rcv_mss;
	uint32_t tcpi_unacked, tcpi_sacked, tcpi_lost, tcpi_retrans, tcpi_fackets;
};

#endif
