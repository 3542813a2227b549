/* SPDX-License-Identifier: BSD-2-Clause */
/* poll.h - the name POSIX gives to <sys/poll.h>. */
#include <sys/poll.h>
