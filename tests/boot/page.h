/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of a page, which the ISA says: x86-64 has 4 KiB, Alpha 8. */
#ifndef TESTS_PAGE_H
#define TESTS_PAGE_H

#ifdef __alpha__
#define PAGE 8192
#else
#define PAGE 4096
#endif

#endif
