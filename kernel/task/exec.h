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

/* Most bytes of strings: Linux's _STK_LIM / 4 * 3. */
#define EXEC_SIZE_MAX	((size_t)6 << 20)
#define EXEC_CHUNK_SIZE ((size_t)16 << 10)
#define EXEC_CHUNKS_MAX (EXEC_SIZE_MAX / EXEC_CHUNK_SIZE)
/* Most of a script's first line that is looked at: Linux's BINPRM_BUF_SIZE. */
#define EXEC_LINE_SIZE	256

/* What a program is started with, arguments first; see exec_strings.c. */
struct exec_strings {
	size_t argument_count, environment_count;
	size_t room;		       /* bytes that may still be added */
	char *head;		       /* words of scripts, before what is in the chunks; or NULL */
	size_t head_size;	       /* of its bytes in use */
	size_t skipped;		       /* bytes at the beginning of the chunks that are not meant */
	size_t size;		       /* bytes in the chunks */
	char *chunks[EXEC_CHUNKS_MAX]; /* all full but the last */
};

/* A program laid out in memory. */
struct exec_image {
	/* What the program will run as, not committed; NULL once it is given away. */
	struct credentials *credentials;
	bool secure;   /* more privileges than whoever started it has: AT_SECURE */
	bool dumpable; /* whoever is like the one that started it may look into its memory */
	bool clears_personality; /* nothing of PER_CLEAR_ON_SETID is left of the personality */
	struct vm_space *space;
	uintptr_t entry, stack;
	unsigned int stack_prot; /* VM_* that its stack has */
	uintptr_t program_headers, program_header_count, program_entry,
		interpreter_base; /* for the auxiliary vector */
	uintptr_t vdso;		  /* AT_SYSINFO_EHDR */
	uintptr_t arguments_start, environment_start, environment_end;
	uintptr_t auxiliary_start, auxiliary_end;
	char name[16]; /* the task's from now on: the last part of what was asked for */
};

/* Maps the ELF executable FILE, open for reading, and its interpreter if it names one, into
 * IMAGE->space. 0, or Linux's error with *REASON in words. */
int elf_load(struct file *file, struct exec_image *image, const char **reason);

/* Nothing, with room for as much as the running task's limit allows; or NULL. And its end; may
 * be NULL. */
struct exec_strings *exec_strings_create(void);
void exec_strings_free(struct exec_strings *strings);
/* SIZE bytes of the room are for something else. 0 or -E2BIG. */
int exec_strings_reserve(struct exec_strings *strings, size_t size);
/* Adds a terminated string. 0, -E2BIG or -ENOMEM. */
int exec_strings_add(struct exec_strings *strings, const char *text);
/* How many pointers the array at USER_ARRAY (0: none) has, and adding the strings of COUNT of
 * them. 0, -EFAULT, -E2BIG, -ENOMEM, or -EINTR: the task is to end. */
int exec_strings_count(uintptr_t user_array, size_t *count);
int exec_strings_add_array(struct exec_strings *strings, uintptr_t user_array, size_t count);
/* COUNT words take the place of the first argument, if there is one. 0, -E2BIG or -ENOMEM. */
int exec_strings_replace_first(struct exec_strings *strings, const char *const words[],
			       size_t count);
/* Bytes of all strings; writing them to ADDRESS of SPACE. */
size_t exec_strings_size(const struct exec_strings *strings);
int exec_strings_write(const struct exec_strings *strings, struct vm_space *space,
		       uintptr_t address);
/* Bytes of the table that a program finds: the count, the pointers, each list with a NULL at its
 * end; and writing it. STRINGS_AT: where they were written; *ENVIRONMENT_AT: where those of the
 * environment are. */
size_t exec_strings_table_size(const struct exec_strings *strings);
int exec_strings_write_table(const struct exec_strings *strings, struct vm_space *space,
			     uintptr_t address, uintptr_t strings_at, uintptr_t *environment_at);

/* If FILE, at PATH, is a script: the arguments become those of its interpreter, whose path goes
 * into LINE, EXEC_LINE_SIZE bytes, where PATH may not be. 1: it is one, 0: it is none, or
 * -ENOEXEC, -E2BIG. */
int exec_read_script(struct file *file, const char *path, struct exec_strings *strings, char *line);

/* Maps the vDSO and the stack of IMAGE, whose program was asked for as PATH, and fills that. */
int exec_make_stack(struct exec_image *image, const char *path, const struct exec_strings *strings);

/* Which program is to be started. */
struct exec_request {
	struct dentry *start; /* where PATH begins; the program itself if that is empty */
	const char *path;
	const char *name; /* what the program, or its interpreter, is told */
	bool follow;	  /* links at the end of PATH */
	bool name_closes; /* NAME is of a descriptor that execve closes: no use to an interpreter */
};

/* Opens the program that REQUEST means. 0 and *EXECUTABLE, a dentry with a reference that keeps
 * writers out, for executable_put, and *FILE, or an error with *REASON. */
int exec_open(const struct exec_request *request, struct dentry **executable, struct file **file,
	      const char **reason);

void executable_put(struct dentry *executable);

/* Makes an image of the program that REQUEST means with STRINGS, which become those of its
 * interpreter if it is a script. 0, or an error with *REASON. The caller owns image->space,
 * image->credentials and the reference to *EXECUTABLE. */
int exec_prepare(const struct exec_request *request, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason);

/* TASK's name and what its process runs become those of IMAGE, made from EXECUTABLE, whose
 * reference moves in. */
void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable);

#endif
