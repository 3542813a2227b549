/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of all hooks, and their calls of the listeners: the functions that the HOOK macros of
 * <kernel/base/hooks.h> declare elsewhere.
 */
#define HOOK_DEFINITIONS
#include <kernel/base/hooks.h>

_Atomic unsigned int hook_listeners[HOOK_COUNT];
_Atomic bool hook_switch_on_cpu[CPUS_MAX];
