/* SPDX-License-Identifier: BSD-2-Clause */
/* The listener to what is typed: see <kernel/drivers/input.h>. */
#include <kernel/drivers/input.h>

#include <stddef.h>

static const struct input_listener *attached; /* constant after input_attach */

void input_attach(const struct input_listener *listener)
{
	attached = listener;
}

bool input_has_room(void)
{
	return attached && attached->has_room();
}

void input_receive(uint8_t byte)
{
	attached->receive(byte);
}
