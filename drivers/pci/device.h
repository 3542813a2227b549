/* SPDX-License-Identifier: BSD-2-Clause */
/* The lock that the files about one function share. */
#ifndef DEVICE_H
#define DEVICE_H

#include <kernel/sched/wait.h>

/* Protects the command registers and MSI-X's state of all functions. Innermost mutex. */
extern struct mutex pci_mutex;

#endif
