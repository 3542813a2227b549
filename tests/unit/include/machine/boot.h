/* SPDX-License-Identifier: BSD-2-Clause */
/* As arch/x86_64 has it, for the test of boot/x86_64/. */
#include "../../../../arch/x86_64/include/machine/boot.h"
