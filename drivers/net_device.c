/* SPDX-License-Identifier: BSD-2-Clause */
/* The network devices: between their drivers and the network. The list grows at start only, so it needs no lock. */
#include <kernel/drivers/net_device.h>

static struct net_device *devices;

void net_device_add(struct net_device *device)
{
	struct net_device **end = &devices;

	while (*end)
		end = &(*end)->following;
	*end = device;
}

struct net_device *net_device_first(void)
{
	return devices;
}
