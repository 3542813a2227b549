/* SPDX-License-Identifier: BSD-2-Clause */
/* lwIP's view of the compiler and of this kernel. */
#ifndef LWIP_ARCH_CC_H
#define LWIP_ARCH_CC_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/* ssize_t is there. */
#ifndef SSIZE_MAX
#define SSIZE_MAX INTPTR_MAX
#endif

#define LWIP_NO_STDINT_H   0
#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_LIMITS_H   0
#define LWIP_NO_CTYPE_H	   1
#define LWIP_NO_UNISTD_H   1

#ifndef BYTE_ORDER
#define LITTLE_ENDIAN 1234
#define BYTE_ORDER    LITTLE_ENDIAN
#endif

#define U8_F  "u"
#define S8_F  "d"
#define U16_F "u"
#define S16_F "d"
#define X16_F "x"
#define U32_F "u"
#define S32_F "d"
#define X32_F "x"
#define SZT_F "zu"

#define LWIP_PLATFORM_DIAG(words) \
	do {                      \
	} while (0)
#define LWIP_PLATFORM_ASSERT(words) \
	do {                        \
	} while (0)

/* lwip_port.c; under inet_lock. */
void *inet_lwip_allocate(size_t size);
void *inet_lwip_allocate_array(size_t count, size_t size);
void inet_lwip_free(void *object);
uint32_t inet_lwip_random(void);
struct pbuf;
struct netif;
struct ip4_addr;
int inet_lwip_accept(struct pbuf *packet, struct netif *interface);
struct netif *inet_lwip_route(const struct ip4_addr *to);
#define LWIP_RAND() inet_lwip_random()

#endif
