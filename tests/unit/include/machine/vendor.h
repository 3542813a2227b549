/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated CPU's vendor is read as x86-64's, from its CPUID. */
#include "../../../../arch/x86_64/include/machine/vendor.h"
