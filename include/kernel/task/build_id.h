/* SPDX-License-Identifier: BSD-2-Clause */
/* Build ids: a linker writes them into a program so that debuggers find its symbols. */
#ifndef KERNEL_BUILD_ID_H
#define KERNEL_BUILD_ID_H

#include <stdint.h>

#define BUILD_ID_SIZE_MAX 20 /* bytes: a SHA-1 sum */

struct file;

/* Reads the build id of the program in FILE, a regular file, into ID. Returns its size in bytes, 0: there
 * is none. Task context, no space->mutex held. */
unsigned int build_id_read(struct file *file, uint8_t id[BUILD_ID_SIZE_MAX]);

#endif
