/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interfaces as programs see them: requests by ioctl, netdevice(7), and /proc/net, which exists only with a network device.
 *
 * The loopback is always there; eth0 is there with a device and the kernel word net=. Addresses do not change after the start, and
 * the flag of the link is one word, so this file takes no lock. A request that would change an interface is ENOTTY.
 */
#include <lwip/netif.h>
#include <string.h>

#include <kernel/base/start.h>
#include <kernel/drivers/net_device.h>
#include <kernel/fs/pseudo.h>
#include <kernel/mm/text.h>
#include <kernel/mm/usercopy.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/stat.h>

#include "inet.h"

/* As Linux shows the loopback, whose packets are as long as a packet can be. */
#define LOOPBACK_MTU	65536
#define LOOPBACK_MASK	PP_HTONL(0xff000000u)
#define QUEUE_LENGTH	1000
#define LAST_INDEX	2
#define ROUTE_FLAGS_WAY 3 /* RTF_UP, RTF_GATEWAY */
#define ROUTE_FLAG_UP	1

struct interface {
	const char *name;
	struct netif *netif;	   /* NULL: the loopback */
	struct net_device *device; /* NULL: there are no frames to count */
};

/* Sets *INTERFACE to that of INDEX, 1 …. False: there is none. */
static bool find_index(int index, struct interface *interface)
{
	struct netif *ethernet = inet_ethernet();

	if (index == 1)
		*interface = (struct interface){ .name = "lo" };
	else if (index == LAST_INDEX && ethernet)
		*interface = (struct interface){ "eth0", ethernet, net_device_first() };
	else
		return false;
	return true;
}

/* Returns the index of the interface NAME, or 0. */
static int find_name(const char *name, struct interface *interface)
{
	for (int index = 1; find_index(index, interface); index++)
		if (strcmp(interface->name, name) == 0)
			return index;
	return 0;
}

static struct kernel_sockaddr_in name_of(uint32_t address)
{
	return (struct kernel_sockaddr_in){ .sin_family = AF_INET, .sin_addr = address };
}

static uint32_t address_of(const struct interface *interface)
{
	return interface->netif ? netif_ip4_addr(interface->netif)->addr :
				  PP_HTONL(IPADDR_LOOPBACK);
}

static uint32_t mask_of(const struct interface *interface)
{
	return interface->netif ? netif_ip4_netmask(interface->netif)->addr : LOOPBACK_MASK;
}

/* --- requests --- */

static void get_hardware(const struct interface *interface, struct kernel_ifreq *request)
{
	memset(&request->hardware, 0, sizeof(request->hardware));
	request->hardware.family = interface->netif ? ARPHRD_ETHER : ARPHRD_LOOPBACK;
	if (interface->device)
		memcpy(request->hardware.bytes, interface->device->address, NET_ADDRESS_SIZE);
}

/* Answers COMMAND about INTERFACE of INDEX in REQUEST. INET: asked on a socket of IPv4. */
static int answer(unsigned int command, const struct interface *interface, int index, bool inet,
		  struct kernel_ifreq *request)
{
	uint32_t address = address_of(interface), mask = mask_of(interface);

	switch (command) {
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
	case SIOCGIFBRDADDR:
	case SIOCGIFNETMASK:
		if (!inet)
			return -ENOTTY;
		if (command == SIOCGIFNETMASK)
			address = mask;
		else if (command == SIOCGIFBRDADDR)
			address = interface->netif ? address | ~mask : 0;
		request->address = name_of(address);
		break;
	case SIOCGIFFLAGS:
		request->flags = interface->netif ? IFF_UP | IFF_BROADCAST | IFF_MULTICAST :
						    IFF_UP | IFF_LOOPBACK;
		if (!interface->netif || netif_is_link_up(interface->netif))
			request->flags |= IFF_RUNNING;
		break;
	case SIOCGIFHWADDR:
		get_hardware(interface, request);
		break;
	case SIOCGIFMTU:
		request->number = interface->netif ? interface->netif->mtu : LOOPBACK_MTU;
		break;
	case SIOCGIFINDEX:
		request->number = index;
		break;
	case SIOCGIFTXQLEN:
		request->number = QUEUE_LENGTH;
		break;
	case SIOCGIFMETRIC:
		request->number = 0;
		break;
	default:
		return -ENOTTY;
	}
	return 0;
}

/* SIOCGIFCONF: the interfaces and their addresses, as many as there is room for. */
static int list(struct kernel_ifconf *user)
{
	struct kernel_ifconf list;
	struct interface interface;
	int32_t size = 0;
	int error = copy_from_user(&list, user, sizeof(list));

	if (error)
		return error;
	for (int index = 1; find_index(index, &interface); index++) {
		struct kernel_ifreq request = { .address = name_of(address_of(&interface)) };

		strlcpy(request.ifr_name, interface.name, sizeof(request.ifr_name));
		if (list.ifc_buf && list.ifc_len - size < (int32_t)sizeof(request))
			break;
		if (list.ifc_buf && copy_to_user((void *)(uintptr_t)(list.ifc_buf + (size_t)size),
						 &request, sizeof(request)))
			return -EFAULT;
		size += (int32_t)sizeof(request);
	}
	list.ifc_len = size;
	return copy_to_user(user, &list, sizeof(list));
}

static long request_interface(unsigned int command, unsigned long argument, bool inet)
{
	struct kernel_ifreq *user = (struct kernel_ifreq *)argument, request;
	struct interface interface;
	int index, error;

	if (command == SIOCGIFCONF)
		return list((struct kernel_ifconf *)argument);
	if (command < SIOCGIFNAME || command > SIOCGIFTXQLEN)
		return -ENOTTY;
	error = copy_from_user(&request, user, sizeof(request));
	if (error)
		return error;
	if (command == SIOCGIFNAME) {
		if (!find_index(request.number, &interface))
			return -ENODEV;
		memset(request.ifr_name, 0, sizeof(request.ifr_name));
		strlcpy(request.ifr_name, interface.name, sizeof(request.ifr_name));
		return copy_to_user(user, &request, sizeof(request));
	}
	request.ifr_name[sizeof(request.ifr_name) - 1] = '\0';
	index = find_name(request.ifr_name, &interface);
	error = answer(command, &interface, index, inet, &request);
	if (!index && error != -ENOTTY)
		error = -ENODEV;
	return error ? error : copy_to_user(user, &request, sizeof(request));
}

/* --- /proc/net --- */

static int show_devices(struct text *text, void *unused)
{
	struct interface interface;

	text_print(text,
		   "Inter-|   Receive                                                |  Transmit\n"
		   " face |bytes    packets errs drop fifo frame compressed multicast|"
		   "bytes    packets errs drop fifo colls carrier compressed\n");
	for (int index = 1; find_index(index, &interface); index++) {
		struct net_device *device = interface.device;

		text_print(text,
			   "%6s: %7lu %7lu    0 %4lu    0     0          0         0 "
			   "%8lu %7lu    0    0    0     0       0          0\n",
			   interface.name, device ? (unsigned long)device->received_bytes : 0,
			   device ? (unsigned long)device->received : 0,
			   device ? (unsigned long)device->refused : 0,
			   device ? (unsigned long)device->sent_bytes : 0,
			   device ? (unsigned long)device->sent : 0);
	}
	return 0;
}

static void show_route(struct text *text, uint32_t to, uint32_t gateway, unsigned int flags,
		       uint32_t mask)
{
	text_print(text, "eth0\t%08X\t%08X\t%04X\t0\t0\t0\t%08X\t0\t0\t0\n", to, gateway, flags,
		   mask);
}

static int show_routes(struct text *text, void *unused)
{
	const struct netif *ethernet = inet_ethernet();

	text_print(
		text,
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n");
	if (ethernet) {
		uint32_t mask = netif_ip4_netmask(ethernet)->addr;

		show_route(text, 0, netif_ip4_gw(ethernet)->addr, ROUTE_FLAGS_WAY, 0);
		show_route(text, netif_ip4_addr(ethernet)->addr & mask, 0, ROUTE_FLAG_UP, mask);
	}
	return 0;
}

static const struct pseudo_entry entries[] = {
	{ .name = "dev", .mode = S_IFREG | 0444, .show = show_devices },
	{ .name = "route", .mode = S_IFREG | 0444, .show = show_routes },
	{ .name = NULL },
};

static void start(void)
{
	static struct pseudo_added added = { .children = entries };

	if (net_device_first())
		pseudo_add(&proc_net_added, &added);
	socket_interface_request = request_interface;
}

START(START_DEV, start);
