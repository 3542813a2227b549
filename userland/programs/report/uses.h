/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uses.h - the verdict: what the counts can be used for.
 */
#ifndef REPORT_USES_H
#define REPORT_USES_H

/* Prints the lines of the verdict, after all rules have been judged. */
void uses_print(void);

#endif /* REPORT_USES_H */
