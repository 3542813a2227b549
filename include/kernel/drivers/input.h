/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input from the machine's own devices: from the drivers of the serial line and the keyboard to the one
 * listener, the console. drivers/input.c.
 */
#ifndef KERNEL_INPUT_H
#define KERNEL_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct input_listener {
	/* False while a byte would be lost: it has to stay in the device. Any context but NMI. */
	bool (*has_room)(void);
	/* Takes a byte, if there is room. Interrupts off. */
	void (*receive)(uint8_t byte);
};

/* Sends all input to LISTENER from now on. Once, before the devices' interrupts are on. */
void input_attach(const struct input_listener *listener);

/* For drivers: the listener's functions. Contexts as above. */
bool input_has_room(void);
void input_receive(uint8_t byte);

#endif
