/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting programs: what exec.c, elf.c and init.c share. Task context throughout. */
#ifndef TASK_EXEC_H
#define TASK_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct credentials;
struct dentry;
struct file;
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
	/* What the program will run as, not committed; NULL once it is given away. */
	struct credentials *credentials;
	bool secure;   /* more privileges than whoever started it has: AT_SECURE */
	bool dumpable; /* whoever is like the program may look into its memory */
	struct vm_space *space;
	uintptr_t entry, stack;
	uintptr_t program_headers, program_header_count, program_entry,
		interpreter_base; /* for the auxiliary vector */
	uintptr_t vdso; /* AT_SYSINFO_EHDR */
	uintptr_t arguments_start, environment_start, environment_end;
	uintptr_t auxiliary_start, auxiliary_end;
	char name[16]; /* the task's from now on: the last part of what was asked for */
};

/* Maps the ELF executable FILE, open for reading, and its interpreter if it names one, into IMAGE->space. 0, or
 * Linux's error with *REASON in words. */
int elf_load(struct file *file, struct exec_image *image, const char **reason);

/* Adds a terminated string. 0 or -E2BIG. */
int exec_strings_add(struct exec_strings *strings, const char *text);

/* Opens the program at PATH (from directory START). 0 and *EXECUTABLE, a dentry with a reference, and
 * *FILE, or an error with *REASON. */
int exec_open(struct dentry *start, const char *path, struct dentry **executable,
	      struct file **file, const char **reason);

/* Makes an image of the program at PATH (from directory START) with STRINGS, which become those of its
 * interpreter if it is a script. PATH must not be in STRINGS. 0, or an error
 * with *REASON. The caller owns image->space, image->credentials and the reference to *EXECUTABLE. */
int exec_prepare(struct dentry *start, const char *path, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason);

/* TASK's name and what its process runs become those of IMAGE, made from EXECUTABLE, whose reference
 * moves in. */
void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable);

#endif
