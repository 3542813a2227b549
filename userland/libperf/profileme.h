/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profileme.h - what a sample of Alpha's PMU "profileme" tells, in words.
 *
 * The numbers are those of <asm-alpha/profileme.h>; the decoder knows no machine and runs on any.
 */
#ifndef PROFILEME_H
#define PROFILEME_H

#include <asm-alpha/profileme.h>
#include <stddef.h>

/*
 * Write what @raw tells into @line of @size bytes, as words between single blanks, without a line
 * end. Returns how many characters that is, of which at most @size - 1 were written:
 *
 *     pc=0x120000010 retired window=17 replays=1 trap=replay
 *
 * "pal" after the address: it is PALcode's. "retired" or "killed"; "taken" for a conditional branch that went.
 * Then the two counters by their names, the first one less its overcount. Then the
 * trap's type, and "early", "stalled", "icache-miss" where they are so.
 */
int profileme_describe(const struct profileme_raw *raw, char *line, size_t size);

/* The number of the selection called @name ("retired-cycles" …, as in sysfs), or -1. */
int profileme_select(const char *name);

#endif /* PROFILEME_H */
