/* SPDX-License-Identifier: BSD-2-Clause */
/* Executing programs: the interface between exec.c, elf.c and init.c. Task context throughout. */
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
/* The part of a script's first line that is read: Linux's BINPRM_BUF_SIZE. */
#define EXEC_LINE_SIZE	256

/* The strings of a new program, arguments first; see exec_strings.c. */
struct exec_strings {
	size_t argument_count, environment_count;
	size_t room;		       /* bytes that may still be added */
	char *head;		       /* words of scripts, before the chunks; or NULL */
	size_t head_size;	       /* of its bytes in use */
	size_t skipped;		       /* bytes at the beginning of the chunks that were replaced */
	size_t size;		       /* bytes in the chunks */
	char *chunks[EXEC_CHUNKS_MAX]; /* all full but the last */
};

/* A program laid out in memory. */
struct exec_image {
	/* The program's credentials, not committed; NULL once they are given away. */
	struct credentials *credentials;
	bool secure;		 /* more privileges than the caller of execve: AT_SECURE */
	bool dumpable;		 /* the user may read its memory */
	bool clears_personality; /* clears PER_CLEAR_ON_SETID in the personality */
	struct vm_space *space;
	uintptr_t entry, stack;
	unsigned int stack_prot; /* VM_* of its stack */
	uintptr_t program_headers, program_header_count, program_entry,
		interpreter_base; /* for the auxiliary vector */
	uintptr_t vdso;		  /* AT_SYSINFO_EHDR */
	uintptr_t arguments_start, environment_start, environment_end;
	uintptr_t auxiliary_start, auxiliary_end;
	char name[16]; /* the task's new name: the last part of the path */
};

/* Maps the ELF executable FILE, open for reading, and its interpreter if it names one, into
 * IMAGE->space. 0, or Linux's error with *REASON in words. */
int elf_load(struct file *file, struct exec_image *image, const char **reason);

/* Creates an empty list with room by the current task's limit; NULL: no memory. And frees it; may be
 * NULL. */
struct exec_strings *exec_strings_create(void);
void exec_strings_free(struct exec_strings *strings);
/* Reserves SIZE bytes of the room for other uses. 0 or -E2BIG. */
int exec_strings_reserve(struct exec_strings *strings, size_t size);
/* Adds a terminated string. 0, -E2BIG or -ENOMEM. */
int exec_strings_add(struct exec_strings *strings, const char *text);
/* Counts the pointers of the array at USER_ARRAY (0: none); and adds the strings of COUNT of them. 0,
 * -EFAULT, -E2BIG, -ENOMEM, or -EINTR: a fatal signal is pending. */
int exec_strings_count(uintptr_t user_array, size_t *count);
int exec_strings_add_array(struct exec_strings *strings, uintptr_t user_array, size_t count);
/* Replaces the first argument, if there is one, with COUNT words. 0, -E2BIG or -ENOMEM. */
int exec_strings_replace_first(struct exec_strings *strings, const char *const words[],
			       size_t count);
/* Returns the bytes of all strings; and writes them to ADDRESS of SPACE. */
size_t exec_strings_size(const struct exec_strings *strings);
int exec_strings_write(const struct exec_strings *strings, struct vm_space *space,
		       uintptr_t address);
/* Returns the bytes of the table for the program: the count, the pointers, each list with a NULL at its end;
 * and writes it. STRINGS_AT: the address of the strings; *ENVIRONMENT_AT: that of the environment's. */
size_t exec_strings_table_size(const struct exec_strings *strings);
int exec_strings_write_table(const struct exec_strings *strings, struct vm_space *space,
			     uintptr_t address, uintptr_t strings_at, uintptr_t *environment_at);

/* If FILE, at PATH, is a script, replaces the arguments with those of its interpreter, whose path goes
 * into LINE, EXEC_LINE_SIZE bytes, which must not contain PATH. 1: it is one, 0: it is none, or -ENOEXEC,
 * -E2BIG. */
int exec_read_script(struct file *file, const char *path, struct exec_strings *strings, char *line);

/* Maps the vDSO and the stack of IMAGE, whose program was named PATH, and fills the stack. */
int exec_make_stack(struct exec_image *image, const char *path, const struct exec_strings *strings);

/* The program to execute. */
struct exec_request {
	struct dentry *start; /* PATH is relative to it; the program itself if PATH is empty */
	const char *path;
	const char *name; /* the path for the program, or for its interpreter */
	bool follow;	  /* follow a link at the end of PATH */
	bool name_closes; /* execve closes NAME's descriptor: an interpreter could not open it */
};

/* Opens the program of REQUEST. 0 and *EXECUTABLE, a dentry with a reference that keeps writers out, for
 * executable_put, and *FILE, or an error with *REASON. */
int exec_open(const struct exec_request *request, struct dentry **executable, struct file **file,
	      const char **reason);

void executable_put(struct dentry *executable);

/* Makes an image of the program of REQUEST with STRINGS, which become those of its interpreter if it is a
 * script. 0, or an error with *REASON. The caller owns image->space, image->credentials and the reference to
 * *EXECUTABLE. */
int exec_prepare(const struct exec_request *request, struct exec_strings *strings,
		 struct exec_image *image, struct dentry **executable, const char **reason);

/* Sets TASK's name and its process's program to those of IMAGE, made from EXECUTABLE, whose reference
 * moves in. */
void exec_set_name(struct task *task, const struct exec_image *image, struct dentry *executable);

#endif
