/* SPDX-License-Identifier: BSD-2-Clause */
/* Which hook of <kernel/base/hooks.h> each event is made of. */
#ifndef KERNEL_TRACE_HOOKS_H
#define KERNEL_TRACE_HOOKS_H

#include <kernel/base/hooks.h>

/* The hook that event NUMBER is made of; HOOK_none: another place. Any context. */
enum hook trace_hook_of(unsigned int number);

#endif
