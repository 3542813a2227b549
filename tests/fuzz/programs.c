// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operations with executables: ELF files with spoilt headers, scripts in all shapes, argument vectors at edges.
 *
 * A file begins as the smallest program that does something: it exits with status 0. One to six fields
 * of its headers are then replaced.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEGMENTS 5

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS];
	char interpreter[32];
	unsigned char code[64];
	unsigned char rest[2 * PAGE];
};

static const unsigned char exit_0[] = { 0x31, 0xff, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05 };

#define BASE 0x400000UL

static void make_image(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = BASE + offsetof(struct image, code),
		.e_phoff = offsetof(struct image, segments),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 3,
	};
	image->segments[0] = (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, BASE, BASE, PAGE, PAGE, PAGE };
	image->segments[1] = (Elf64_Phdr){ PT_LOAD,	PF_R | PF_W, PAGE,	BASE + PAGE,
					   BASE + PAGE, PAGE,	     4L * PAGE, PAGE };
	image->segments[2] = (Elf64_Phdr){ PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16 };
	image->segments[3] = (Elf64_Phdr){ PT_INTERP, PF_R, offsetof(struct image, interpreter),
					   0,	      0,    sizeof(image->interpreter),
					   0,	      1 };
	image->segments[4] = (Elf64_Phdr){ PT_TLS, PF_R, 0, BASE, BASE, 16, 64, 8 };
	memcpy(image->code, exit_0, sizeof(exit_0));
}

static void spoil_image(struct fuzzer *fuzzer, struct image *image)
{
	static const char *const interpreters[] = { "/fuzz/work/x", "/proc/self/exe", "/", "",
						    "/fuzz/setuid" };

	if (pick(fuzzer, 4) == 0) {
		image->header.e_phnum = SEGMENTS;
		strcpy(image->interpreter, PICK(fuzzer, interpreters));
	}
	if (pick(fuzzer, 4) == 0)
		image->header.e_type = ET_DYN;
	for (unsigned int i = pick(fuzzer, 6); i > 0; i--) {
		uint64_t value = pick(fuzzer, 2) ? random_number(&fuzzer->random) :
						   fuzz_edge(fuzzer);
		Elf64_Phdr *segment = &image->segments[pick(fuzzer, SEGMENTS)];
		unsigned char *byte =
			(unsigned char *)&image->header + pick(fuzzer, sizeof(image->header));

		switch (pick(fuzzer, 14)) {
		case 0:
			image->header.e_phoff = value;
			break;
		case 1:
			image->header.e_phnum = (uint16_t)value;
			break;
		case 2:
			image->header.e_entry = value;
			break;
		case 3:
			segment->p_type = (uint32_t)pick(fuzzer, 9);
			break;
		case 4:
			segment->p_flags = pick(fuzzer, 8);
			break;
		case 5:
			segment->p_offset = value;
			break;
		case 6:
			segment->p_vaddr = value;
			break;
		case 7:
			segment->p_filesz = value;
			break;
		case 8:
			segment->p_memsz = value;
			break;
		case 9:
			segment->p_align = value;
			break;
		case 10:
			*byte = (unsigned char)value;
			break;
		case 11:
			segment->p_vaddr += PAGE * (value % 16);
			break;
		default:
			((unsigned char *)segment)[pick(fuzzer, sizeof(*segment))] =
				(unsigned char)value;
		}
	}
}

/* A name that is this process's own. */
static void name_file(char *path, size_t size)
{
	snprintf(path, size, TREE_WORK "/x%d", (int)syscall(SYS_gettid));
}

static bool write_file(const char *path, const void *content, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (fd < 0)
		return false;
	bool good = write(fd, content, size) == (ssize_t)size;

	return close(fd) == 0 && good;
}

/* Executes PATH in a child with arguments of which some are bad. */
static long execute(struct fuzzer *fuzzer, const char *path)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0) {
		char *arguments[8] = { "x", "y", NULL };
		char *environment[4] = { "A=B", NULL };

		for (unsigned int i = 0; i < 7 && pick(fuzzer, 6) == 0; i++)
			arguments[i] = fuzz_any_pointer(fuzzer);
		if (pick(fuzzer, 10) == 0)
			environment[0] = fuzz_any_pointer(fuzzer);
		if (pick(fuzzer, 8) == 0)
			fork(); /* shares nothing, and goes on with the same */
		if (pick(fuzzer, 16) == 0)
			syscall(SYS_execveat, fuzz_any_fd(fuzzer), "", arguments, environment,
				0x1000);
		syscall(SYS_execve, path, pick(fuzzer, 12) ? arguments : fuzz_any_pointer(fuzzer),
			environment);
		_exit(0);
	}
	return child < 0 ? -1 : fuzz_reap(child, 40);
}

static long run_image(struct fuzzer *fuzzer)
{
	static _Thread_local struct image image;
	char path[64];

	name_file(path, sizeof(path));
	make_image(&image);
	spoil_image(fuzzer, &image);
	if (!write_file(path, &image, pick(fuzzer, 8) ? sizeof(image) : pick(fuzzer, 600)))
		return -1;
	long result = execute(fuzzer, path);

	unlink(path);
	return result;
}

static long run_script(struct fuzzer *fuzzer)
{
	static const char *const lines[] = {
		"#!",
		"#!\n",
		"#! /fuzz/setuid\n",
		"#!/fuzz/setuid a b c\n",
		"#!/fuzz/unreadable",
		"#!\t \t/proc/self/exe\t--continue\n",
		"#!.\n",
		"#!/fuzz/work\n",
		"#!/fuzz/work/none",
	};
	char path[64], text[600];
	int length;

	name_file(path, sizeof(path));
	if (pick(fuzzer, 4) == 0) {
		/* Itself: scripts nest only so deep. */
		length = snprintf(text, sizeof(text), "#!%s\n", path);
	} else if (pick(fuzzer, 3) == 0) {
		length = 2 + (int)pick(fuzzer, 500);
		memset(text, '/', sizeof(text));
		memcpy(text, "#!", 2);
	} else {
		length = snprintf(text, sizeof(text), "%s", PICK(fuzzer, lines));
	}
	if (!write_file(path, text, (size_t)length))
		return -1;
	long result = execute(fuzzer, path);

	unlink(path);
	return result;
}

static long run_privileged(struct fuzzer *fuzzer)
{
	static const char *const paths[] = { TREE_SETUID, TREE_SETGID, TREE_UNREADABLE };

	return execute(fuzzer, PICK(fuzzer, paths));
}

const struct operation fuzz_program_operations[] = {
	{ "run_image", run_image, 3 },
	{ "run_script", run_script, 1 },
	{ "run_privileged", run_privileged, 1 },
	{ 0 },
};
