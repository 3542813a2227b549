// SPDX-License-Identifier: BSD-2-Clause
/*
 * start.c - from the initial stack to main(), and out again.
 *
 * Runs once, on the first thread, before anything else of the C library. It finds the environment
 * and the auxiliary vector, gives the thread its thread-local storage (only if the executable has
 * any: a program without it makes no system call before main), runs the constructors and main().
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "internal.h"

struct auxv_entry {
	unsigned long type;
	unsigned long value;
};

extern void __libc_init_array(void);
extern void __libc_fini_array(void);
extern int main(int argc, char **argv, char **envp);

char **environ;
static const struct auxv_entry *auxv;

unsigned long getauxval(unsigned long type)
{
	for (const struct auxv_entry *entry = auxv; entry->type != AT_NULL; entry++)
		if (entry->type == type)
			return entry->value;
	errno = ENOENT;
	return 0;
}

static const Elf64_Phdr *find_tls_segment(void)
{
	const char *header = (const char *)getauxval(AT_PHDR);
	unsigned long size = getauxval(AT_PHENT);

	for (unsigned long n = getauxval(AT_PHNUM); n > 0; n--, header += size)
		if (((const Elf64_Phdr *)header)->p_type == PT_TLS)
			return (const Elf64_Phdr *)header;
	return NULL;
}

void __start_program(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);
	char **end;

	environ = argv + argc + 1;
	for (end = environ; *end != NULL; end++)
		;
	auxv = (const struct auxv_entry *)(end + 1);

	const Elf64_Phdr *tls = find_tls_segment();
	if (tls != NULL)
		__setup_tls(tls);
	__libc_init_array();
	atexit(__libc_fini_array);
	exit(main(argc, argv, environ));
}
