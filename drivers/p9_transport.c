/* SPDX-License-Identifier: BSD-2-Clause */
/* The transports of the 9P protocol, by tag: between the drivers of devices and the file system. The list grows at
 * start only, so it needs no lock. */
#include <kernel/drivers/p9_transport.h>

#include <string.h>

static struct p9_transport *transports;

void p9_transport_add(struct p9_transport *transport)
{
	struct p9_transport **end = &transports;

	while (*end)
		end = &(*end)->next;
	*end = transport;
}

struct p9_transport *p9_transport_find(const char *tag)
{
	struct p9_transport *transport = transports;

	while (transport && strcmp(transport->tag, tag) != 0)
		transport = transport->next;
	return transport;
}
