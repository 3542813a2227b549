/* SPDX-License-Identifier: BSD-2-Clause */
/* Red-black trees: newlib's <sys/tree.h>, with the one macro that it expects from a BSD's C library. */
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#ifndef __unused
#define __unused __attribute__((unused))
#endif

#include <sys/tree.h>

#endif
