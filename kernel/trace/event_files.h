/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory `events` of tracefs. */
#ifndef KERNEL_TRACE_EVENT_FILES_H
#define KERNEL_TRACE_EVENT_FILES_H

#include <kernel/fs/pseudo.h>

/* Its files, and its directories, of the systems. Their targets are those of target.h. */
extern const struct pseudo_entry trace_events_files[];
extern const struct pseudo_dynamic trace_systems;

#endif
