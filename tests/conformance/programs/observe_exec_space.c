// SPDX-License-Identifier: BSD-2-Clause
/*
 * execve: how much space arguments and environment may take, and the stack that a program file asks for.
 *
 * Run with the argument "show stack" it is the new program.
 */
#include <elf.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "exec.h"

/* --- how much --- */

struct amount {
	size_t length, count;
	rlim_t stack;
};

static int start_with_much(const void *argument)
{
	const struct amount *amount = argument;
	char *text = malloc(amount->length + 1),
	     **words = calloc(amount->count + 4, sizeof(char *));

	memset(text, 'z', amount->length);
	text[amount->length] = '\0';
	words[0] = "word0";
	words[1] = "fail";
	for (size_t i = 0; i < amount->count; i++)
		words[2 + i] = text;
	if (amount->stack) {
		struct rlimit limit = { amount->stack, RLIM_INFINITY };

		setrlimit(RLIMIT_STACK, &limit);
	}
	return execve(SELF, words, plain_environment);
}

static void try_much(size_t length, size_t count, rlim_t stack, const char *name)
{
	struct amount amount = { length, count, stack };

	show(in_child(start_with_much, &amount), "execve with %s", name);
}

static void see_amounts(void)
{
	try_much(LONGEST - 1, 1, 0, "the longest word");
	try_much(LONGEST, 1, 0, "a word that is longer");
	try_much(LONGEST - 1, 15, 0, "fifteen of the longest");
	try_much(LONGEST - 1, 16, 0, "sixteen of the longest");
	try_much(1, 200000, 0, "two hundred thousand short words");
	try_much(1, 250000, 0, "two hundred fifty thousand short words");
	try_much(1000, 100, 1 << 17, "100 kB and a small stack");
	try_much(1000, 140, 1 << 17, "140 kB and a small stack");
	try_much(1000, 1000, 8 << 20, "1 MB and a stack of 8 MiB");
	try_much(1000, 3000, 8 << 20, "3 MB and a stack of 8 MiB");
	try_much(1000, 3000, 16 << 20, "3 MB and a stack of 16 MiB");
	try_much(1000, 5900, 64 << 20, "5.9 MB and a stack of 64 MiB");
	try_much(1000, 7000, RLIM_INFINITY, "7 MB and any stack");
}

/* --- stacks --- */

/* Whether the new program's stack can be executed. */
static int show_stack(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[256], prot[8] = "none";

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			sscanf(line, "%*s %7s", prot);
	fclose(maps);
	show(prot, "%s", name);
	return 0;
}

struct stack_header {
	Elf64_Word type, flags;
	const char *name;
};

/* Executes a copy of this program in which the header PT_GNU_STACK is as ARGUMENT says. */
static int start_with_stack(const void *argument)
{
	const struct stack_header *stack = argument;
	char *words[] = { "word0", "show stack", (char *)stack->name, NULL };
	static char bytes[4 << 20];
	int from = open(SELF, O_RDONLY),
	    to = open("/tmp/stack", O_CREAT | O_TRUNC | O_WRONLY, 0700);
	ssize_t size = read(from, bytes, sizeof(bytes));
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)bytes;
	Elf64_Phdr *segments = (Elf64_Phdr *)(bytes + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_GNU_STACK) {
			segments[i].p_type = stack->type;
			segments[i].p_flags = stack->flags;
		}
	if (write(to, bytes, (size_t)size) != size)
		return FAILED;
	close(to);
	return execve("/tmp/stack", words, plain_environment);
}

static void see_stacks(void)
{
	static const struct stack_header headers[] = {
		{ PT_GNU_STACK, PF_R | PF_W, "a stack of data" },
		{ PT_GNU_STACK, PF_R | PF_W | PF_X, "a stack with code" },
		{ PT_GNU_STACK, PF_X, "a stack of code alone" },
		{ PT_GNU_STACK, 0, "a stack of nothing" },
		{ PT_NULL, 0, "a stack of which nothing is said" },
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		show(in_child(start_with_stack, &headers[i]), "%s: starting", headers[i].name);
	unlink("/tmp/stack");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && strcmp(argv[1], "show stack") == 0)
		return show_stack(argv[2]);
	if (argc > 1 && strcmp(argv[1], "fail") == 0)
		return NOT_SHOWN;
	/* Started once more without being asked for something. */
	if (argc > 1 || argv[0][0] == '\0')
		return NOT_SHOWN + argc;
	see_amounts();
	see_stacks();
	return 0;
}
