// SPDX-License-Identifier: BSD-2-Clause
/*
 * The privileged programs of the tree: this program, once setuid root, once setgid, and once not readable. No
 * worker may change them, look into them or give them an environment that they do not expect. They check
 * that about themselves for a while, while workers attack, and write what is wrong to TREE_FINDINGS.
 *
 * The program does not know by its arguments which one it is: these are the attacker's. It is privileged if
 * its effective ids say so, and unreadable if the kernel says that its file's name is (AT_EXECFN).
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* All of the code below that runs for long. */
#define PRIVILEGED __attribute__((section("privileged_code"), noinline))

extern const char __start_privileged_code[], __stop_privileged_code[];

/* Two halves, each the complement of the other: nothing that attackers write keeps that. */
uint64_t privileged_pattern[PAGE / 8] __attribute__((aligned(PAGE))) = { [0] = 1 };

#define LOOKS	   12
#define STACK_SOFT (8UL << 20)

bool privileged_is_code(uint64_t address)
{
	return address % 16 &&
	       address - (uintptr_t)__start_privileged_code <
		       (uintptr_t)(__stop_privileged_code - __start_privileged_code);
}

/* Attackers have these in registers and on their stacks: multiples of 16. */
uint64_t privileged_any_code(uint64_t number)
{
	uint64_t size = (uint64_t)(__stop_privileged_code - __start_privileged_code);

	return ((uintptr_t)__start_privileged_code + number % size) & ~15UL;
}

/* The setuid program and the setgid one may write there, and no worker. */
__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char text[300];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	setrlimit(RLIMIT_FSIZE, &all);
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 1000, 1000 });
	int fd = open(TREE_FINDINGS, O_WRONLY | O_APPEND);

	if (fd >= 0 && write(fd, text, (size_t)length) == length)
		close(fd);
}

static uint64_t sum_code(void)
{
	uint64_t sum = 0;

	for (const char *at = __start_privileged_code; at < __stop_privileged_code; at++)
		sum = sum * 31 + (unsigned char)*at;
	return sum;
}

/* Where the section lies in the file that is running, and the sum over what it has there. */
static uint64_t sum_file(void)
{
	char code[16384];
	uint64_t sum = 0;
	size_t size = (size_t)(__stop_privileged_code - __start_privileged_code);
	const Elf64_Phdr *segments = (const Elf64_Phdr *)getauxval(AT_PHDR);
	int fd = open("/proc/self/exe", O_RDONLY);

	for (unsigned long i = 0; segments && i < getauxval(AT_PHNUM); i++) {
		uint64_t from = (uintptr_t)__start_privileged_code - segments[i].p_vaddr;

		if (segments[i].p_type != PT_LOAD || from >= segments[i].p_filesz ||
		    size > sizeof(code))
			continue;
		if (pread(fd, code, size, (off_t)(segments[i].p_offset + from)) != (ssize_t)size)
			return 0;
	}
	close(fd);
	for (size_t i = 0; i < size && i < sizeof(code); i++)
		sum = sum * 31 + (unsigned char)code[i];
	return sum;
}

static bool is_traced(void)
{
	char text[2048];
	char *line;

	tree_read_text("/proc/self/status", text, sizeof(text));
	line = strstr(text, "\nTracerPid:");
	return line && atol(line + strlen("\nTracerPid:")) != 0;
}

/* Rules at its start. */
static void check_start(bool unsafe)
{
	struct rlimit stack;
	int death = 0;

	if (unsafe)
		tell("an execution that must not give privileges did");
	if (!getauxval(AT_SECURE))
		tell("setuid, but AT_SECURE is 0");
	if (getauxval(AT_EUID) != geteuid() || getauxval(AT_UID) != getuid())
		tell("the ids on the stack are not the process's");
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		tell("setuid, and dumpable");
	if (prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0) == 0 && death)
		tell("setuid, and gets signal %d when its parent ends", death);
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		tell("privileges in spite of no_new_privs");
	if (personality(0xffffffff) & (ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | MMAP_PAGE_ZERO))
		tell("setuid, with personality %x", (unsigned int)personality(0xffffffff));
	if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > STACK_SOFT)
		tell("setuid, with a stack of %llu bytes", (unsigned long long)stack.rlim_cur);
	if (prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0) == 1)
		tell("setuid, and keeps capabilities");
}

/* Runs while workers attack; says how often something had changed. */
PRIVILEGED static unsigned int watch_self(volatile uint64_t *pattern, uint64_t code, bool alone)
{
	unsigned int wrong = 0;

	for (unsigned int look = 0; look < LOOKS; look++) {
		for (unsigned int i = 0; i < PAGE / 16; i++)
			wrong += pattern[i] != ~pattern[i + PAGE / 16];
		wrong += sum_code() != code;
		wrong += alone && is_traced();
		sched_yield();
	}
	return wrong;
}

_Noreturn static void be_privileged(bool unsafe)
{
	uint64_t in_file;

	/* Nothing changed it before the program began. */
	if (privileged_pattern[0] != 1 || privileged_pattern[1] || privileged_pattern[511])
		tell("the data were changed before the program began");
	check_start(unsafe);
	for (unsigned int i = 0; i < PAGE / 16; i++) {
		privileged_pattern[i] = i * 0x9e3779b97f4a7c15;
		privileged_pattern[i + PAGE / 16] = ~privileged_pattern[i];
	}
	in_file = sum_file();
	if (is_traced())
		tell("a tracer is attached to a setuid program");
	if (watch_self(privileged_pattern, in_file ? in_file : sum_code(), true))
		tell("the data or the code of a setuid program changed, or a tracer came");
	_exit(0);
}

/* The same without a way to tell: the mark in shared memory is not a privileged program's to trust. */
_Noreturn static void be_unreadable(void)
{
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1)
		fuzz_finding("a program whose file is not readable is dumpable");
	for (unsigned int i = 0; i < PAGE / 16; i++) {
		privileged_pattern[i] = i * 0x9e3779b97f4a7c15;
		privileged_pattern[i + PAGE / 16] = ~privileged_pattern[i];
	}
	/* A tracer may be there, if it came before, and sees nothing. */
	if (watch_self(privileged_pattern, sum_code(), false))
		fuzz_finding("the data or the code of an unreadable program changed");
	_exit(0);
}

void privileged_run(char **argv)
{
	const char *name = (const char *)getauxval(AT_EXECFN);

	if (geteuid() != getuid() || getegid() != getgid())
		be_privileged(argv[0] && argv[1] && strcmp(argv[1], PRIVILEGED_UNSAFE) == 0);
	if (name && strcmp(name, TREE_UNREADABLE) == 0) {
		tree_map_shared();
		be_unreadable();
	}
	/* Executed without privileges, which is right then. */
	if (name && (strcmp(name, TREE_SETUID) == 0 || strcmp(name, TREE_SETGID) == 0))
		_exit(0);
}
