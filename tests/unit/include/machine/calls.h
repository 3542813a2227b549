/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine's system calls are x86-64's, as the programs of its host make them. */
#include "../../../../arch/x86_64/include/machine/calls.h"
