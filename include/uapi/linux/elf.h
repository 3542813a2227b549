/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of ELF64 files that the kernel's loader reads. Source: System V ABI, chapters 4 and 5;
 * x86-64 psABI; Linux's uapi/linux/elf-em.h for the number that Alpha uses.
 */
#ifndef _UAPI_LINUX_ELF_H
#define _UAPI_LINUX_ELF_H

#include <stdint.h>

#define EI_NIDENT    16
#define EI_CLASS     4
#define EI_DATA	     5
#define EI_VERSION   6

#define ELFCLASS64   2
#define ELFDATA2LSB  1
#define EV_CURRENT   1

#define ET_EXEC	     2
#define ET_DYN	     3

#define EM_X86_64    62
#define EM_ALPHA     0x9026

#define PT_LOAD	     1
#define PT_INTERP    3
#define PT_NOTE	     4
#define PT_PHDR	     6
#define PT_GNU_STACK 0x6474e551

#define PF_X	     1
#define PF_W	     2
#define PF_R	     4

typedef struct {
	unsigned char e_ident[EI_NIDENT];
	uint16_t e_type;
	uint16_t e_machine;
	uint32_t e_version;
	uint64_t e_entry;
	uint64_t e_phoff; /* bytes from the start of the file */
	uint64_t e_shoff;
	uint32_t e_flags;
	uint16_t e_ehsize;
	uint16_t e_phentsize;
	uint16_t e_phnum;
	uint16_t e_shentsize;
	uint16_t e_shnum;
	uint16_t e_shstrndx;
} Elf64_Ehdr;

typedef struct {
	uint32_t p_type;
	uint32_t p_flags;
	uint64_t p_offset;
	uint64_t p_vaddr;
	uint64_t p_paddr;
	uint64_t p_filesz;
	uint64_t p_memsz;
	uint64_t p_align;
} Elf64_Phdr;

#endif
