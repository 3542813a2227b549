/* SPDX-License-Identifier: BSD-2-Clause */
/* Red-black trees: newlib's <sys/tree.h>, with the one word that it expects from the C library
 * of a BSD. */
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#ifndef __unused
#define __unused __attribute__((unused))
#endif

#include <sys/tree.h>

#endif
