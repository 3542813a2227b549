/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Red-black trees: libbsd's <bsd/sys/tree.h>, which userland/libc/build lays beside newlib's headers; newlib deprecates its own
 * copy. It takes newlib's <sys/cdefs.h> instead of libbsd's, and expects one macro from a BSD's C library.
 */
#ifndef KERNEL_TREE_H
#define KERNEL_TREE_H

#ifndef __unused
#define __unused __attribute__((unused))
#endif

#define LIBBSD_OVERLAY
#include <bsd/sys/tree.h>
#undef LIBBSD_OVERLAY

#endif
