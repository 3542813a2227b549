/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting programs: what exec.c, elf.c and init.c share. Task context throughout. */
#ifndef TASK_EXEC_H
#define TASK_EXEC_H

#include <stddef.h>
#include <stdint.h>

struct inode;
struct vm_space;
struct task;

/* Most bytes of all argument and environment strings together. POSIX's and Linux's least
 * ARG_MAX. */
#define EXEC_STRINGS_MAX 131072

/* What a program is started with: the strings one after another, arguments first, each with its
 * end. */
struct exec_strings {
	char *bytes; /* EXEC_STRINGS_MAX, allocated */
	size_t size;
	size_t argument_count, environment_count;
};

/* A program laid out in memory. */
struct exec_image {
	struct vm_space *space;
	uintptr_t entry, stack;
	uintptr_t program_headers, program_header_count, program_entry,
		interpreter_base; /* for the auxiliary vector */
};

/* Maps the ELF executable INODE, and its interpreter if it names one, into IMAGE->space. 0, or
 * Linux's error with *REASON in words. */
int elf_load(struct inode *inode, struct exec_image *image, const char **reason);

/* Adds a terminated string. 0 or -E2BIG. */
int exec_strings_add(struct exec_strings *strings, const char *text);

/* Makes an image of the program at PATH (from directory START) with STRINGS. 0, or an error
 * with *REASON. The caller owns image->space. */
int exec_prepare(struct inode *start, const char *path, const struct exec_strings *strings,
		 struct exec_image *image, struct inode **executable, const char **reason);

/* TASK's name and what its process runs become those of EXECUTABLE. */
void exec_set_name(struct task *task, struct inode *executable);

#endif
