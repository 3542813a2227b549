/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lwIP's surroundings: its lock, its memory, the loopback, its timers. inet_ethernet.c has the other interface.
 *
 * Memory: every object of lwIP and every received byte counts against one bound for the machine, so that sockets cannot
 * use up the kernel's memory; beyond it a call waits or fails.
 */
#include <lwip/icmp6.h>
#include <lwip/ip.h>
#include <lwip/nd6.h>
#include <lwip/netif.h>
#include <lwip/pbuf.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/udp.h>

#include <kernel/base/start.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/random/random.h>
#include <kernel/sched/sched.h>
#include <kernel/sched/task.h>
#include <kernel/time/time.h>

#include "inet.h"

/* The part of memory that sockets may use, and its greatest value. */
#define HEAP_PART     16
#define HEAP_MAX      ((size_t)64 << 20)
/* lwIP's slow timer, ns. */
#define TICK_NS	      ((uint64_t)TCP_SLOW_INTERVAL * 1000000)
/* The interface's largest packet: lengths have 16 bits. */
#define INTERFACE_MTU 65535

struct mutex inet_mutex;

static _Atomic size_t heap_used; /* bytes */
static size_t heap_max;		 /* set at start */

static struct netif interface;	/* I */
static struct pbuf *first_sent; /* I: packets on their way, linked by next */
static struct pbuf **last_sent = &first_sent;

static struct wait_queue task_requested;
static bool task_runs; /* I: there is a task for it */
static _Atomic bool timer_needed;
static uint64_t next_tick_ns; /* I: when the timers run next, if they are needed */

/* --- memory --- */

bool inet_charge(size_t size)
{
	if (atomic_fetch_add(&heap_used, size) + size <= heap_max)
		return true;
	atomic_fetch_sub(&heap_used, size);
	return false;
}

void inet_uncharge(size_t size)
{
	atomic_fetch_sub(&heap_used, size);
}

/* An object has its size before it, and keeps the alignment of kzalloc. */
#define HEAD_BYTES 16

void *inet_lwip_allocate(size_t size)
{
	size += HEAD_BYTES;
	if (size > KMALLOC_MAX || !inet_charge(size))
		return NULL;
	char *object = kzalloc(size);

	if (!object) {
		inet_uncharge(size);
		return NULL;
	}
	*(size_t *)object = size;
	return object + HEAD_BYTES;
}

void *inet_lwip_allocate_array(size_t count, size_t size)
{
	return inet_lwip_allocate(count * size);
}

void inet_lwip_free(void *object)
{
	char *start = (char *)object - HEAD_BYTES;

	inet_uncharge(*(size_t *)start);
	kfree(start);
}

uint32_t inet_lwip_random(void)
{
	uint32_t number;

	random_bytes(&number, sizeof(number));
	return number;
}

uint32_t sys_now(void)
{
	return (uint32_t)(clock_ns() / 1000000);
}

/* --- the interface --- */

/* lwIP keeps PACKET for a retransmission and may change its headers: the receiver gets a copy. */
static err_t send_packet(struct netif *netif, struct pbuf *packet)
{
	struct pbuf *copy = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);

	if (!copy)
		return ERR_MEM;
	*last_sent = copy;
	last_sent = &copy->next;
	return ERR_OK;
}

static err_t send_ip4(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to)
{
	return send_packet(netif, packet);
}

static err_t send_ip6(struct netif *netif, struct pbuf *packet, const ip6_addr_t *to)
{
	return send_packet(netif, packet);
}

/* The loopback has every address of 127.0.0.0/8, and those of the other interface: here, the one that PACKET is sent to.
 * 1: PACKET is not for this machine, and was freed. */
int inet_lwip_accept(struct pbuf *packet, struct netif *netif)
{
	const struct ip_hdr *header = packet->payload;

	if (netif != &interface) {
		if (inet_ethernet_accepts(packet))
			return 0;
		pbuf_free(packet);
		return 1;
	}
	if (packet->len >= IP_HLEN)
		ip4_addr_copy(*ip_2_ip4(&netif->ip_addr), header->dest);
	return 0;
}

struct netif *inet_loopback(void)
{
	return &interface;
}

struct netif *inet_lwip_route(const ip4_addr_t *to)
{
	return ip4_addr_isloopback(to) || inet_is_own(to) ? &interface : inet_ethernet();
}

static err_t init_interface(struct netif *netif)
{
	netif->name[0] = 'l';
	netif->name[1] = 'o';
	netif->mtu = INTERFACE_MTU;
	netif->output = send_ip4;
	netif->output_ip6 = send_ip6;
	return ERR_OK;
}

void inet_deliver(void)
{
	struct pbuf *packet;

	while ((packet = first_sent)) {
		first_sent = packet->next;
		if (!first_sent)
			last_sent = &first_sent;
		packet->next = NULL;
		if (ip_input(packet, &interface) != ERR_OK)
			pbuf_free(packet);
	}
}

void inet_enter(void)
{
	mutex_lock(&inet_mutex);
}

void inet_leave(void)
{
	inet_deliver();
	mutex_unlock(&inet_mutex);
}

/* Neighbours: there are none. lwIP's file of them is not linked. */

struct netif *nd6_find_route(const ip6_addr_t *address)
{
	return NULL;
}

u16_t nd6_get_destination_mtu(const ip6_addr_t *address, struct netif *netif)
{
	return INTERFACE_MTU;
}

void nd6_restart_netif(struct netif *netif)
{
}

void nd6_cleanup_netif(struct netif *netif)
{
}

/* A wrong packet, which nothing in this machine sends, is not answered. */
void icmp6_param_problem(struct pbuf *packet, enum icmp6_pp_code code, const void *pointer)
{
}

/* --- the task: received frames and timers --- */

static void run(void *unused)
{
	struct wait_entry entry;

	wait_queue_add(&task_requested, &entry);
	for (;;) {
		wait_sleep_uninterrupted(timer_needed ? next_tick_ns : UINT64_MAX);
		inet_enter();
		bool more = inet_ethernet_receive();

		if (timer_needed && clock_ns() >= next_tick_ns) {
			tcp_fasttmr();
			tcp_slowtmr();
			inet_ethernet_tick();
			next_tick_ns = clock_deadline(TICK_NS);
		}
		inet_deliver();
		timer_needed = tcp_active_pcbs || tcp_tw_pcbs || inet_ethernet();
		inet_leave();
		if (more) {
			/* A host that sends without an end is not alone in the machine. */
			wait_queue_wake(&task_requested);
			sched_relax();
		}
	}
}

/* Starts the task, unless it runs. False: no memory. inet_mutex held. */
static bool start_task(void)
{
	mutex_assert_held(&inet_mutex);
	if (!task_runs) {
		struct task *task = task_create_kernel("inet", run, NULL);

		task_runs = task;
		if (task)
			sched_start(task);
	}
	return task_runs;
}

bool inet_task_start(void)
{
	inet_enter();
	bool runs = start_task();

	inet_leave();
	return runs;
}

void inet_task_wake(void)
{
	wait_queue_wake(&task_requested);
}

/* lwIP calls it when a connection begins. inet_mutex held. */
void tcp_timer_needed(void)
{
	mutex_assert_held(&inet_mutex);
	if (timer_needed)
		return;
	next_tick_ns = clock_deadline(TICK_NS);
	timer_needed = true;
	/* Without it, connections that were closed stay for long, and the next one tries again. */
	if (!start_task())
		timer_needed = false;
	inet_task_wake();
}

static void start(void)
{
	const ip4_addr_t address = { PP_HTONL(IPADDR_LOOPBACK) }, mask = { PP_HTONL(0xff000000u) },
			 none = { 0 };

	mutex_init(&inet_mutex);
	wait_queue_init(&task_requested);
	heap_max = (page_total_count() << PAGE_SHIFT) / HEAP_PART;
	if (heap_max > HEAP_MAX)
		heap_max = HEAP_MAX;
	tcp_init();
	udp_init();
	netif_add(&interface, &address, &mask, &none, NULL, init_interface, ip_input);
	IP_ADDR6_HOST(&interface.ip6_addr[0], 0, 0, 0, 1);
	interface.ip6_addr_state[0] = IP6_ADDR_VALID | IP6_ADDR_PREFERRED;
	interface.flags |= NETIF_FLAG_UP | NETIF_FLAG_LINK_UP;
	NETIF_SET_CHECKSUM_CTRL(&interface, NETIF_CHECKSUM_DISABLE_ALL);
}

START(START_FILES, start);
