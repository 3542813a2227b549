/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Initialises tracing: the table of calls, the buffers' locks, and the mounts of tracefs below /sys.
 */
#ifndef KERNEL_TRACE_TRACEFS_H
#define KERNEL_TRACE_TRACEFS_H

/* Numbers the table, makes the locks, and mounts /sys/kernel/tracing, /sys/kernel/debug, and tracefs once
 * more in the latter. After /sys. At start. */
void trace_init(void);

#endif
