/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding the build id of an ELF file: the note of type 3 and name "GNU" in one of its note segments.
 * Nothing in the file is trusted. Limits as in Linux's lib/buildid.c.
 */
#include <kernel/task/build_id.h>

#include <string.h>

#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <uapi/linux/elf.h>

#define SEGMENTS_MAX  256
#define NOTE_BUILD_ID 3

/* System V ABI, "Note section": name and description follow, each padded to 4 bytes. */
struct note {
	uint32_t name_size, description_size, type;
};

static const char note_name[] = "GNU";

static bool read_part(struct file *file, void *buffer, size_t size, uint64_t offset)
{
	return file_read_for_kernel(file, buffer, size, offset) == (ssize_t)size;
}

static uint64_t padded(uint32_t size)
{
	return ((uint64_t)size + 3) & ~(uint64_t)3;
}

static bool is_build_id(struct file *file, const struct note *note, uint64_t name_at)
{
	char name[sizeof(note_name)];

	return note->type == NOTE_BUILD_ID && note->name_size == sizeof(note_name) &&
	       note->description_size > 0 && note->description_size <= BUILD_ID_SIZE_MAX &&
	       read_part(file, name, sizeof(name), name_at) &&
	       memcmp(name, note_name, sizeof(name)) == 0;
}

/* Finds the build id among the notes of SEGMENT; returns its size or 0. */
static unsigned int search(struct file *file, const Elf64_Phdr *segment, uint8_t *id)
{
	uint64_t at = segment->p_offset, left = segment->p_filesz;
	struct note note;

	while (left >= sizeof(note) && read_part(file, &note, sizeof(note), at)) {
		uint64_t description_at = at + sizeof(note) + padded(note.name_size);
		uint64_t size =
			sizeof(note) + padded(note.name_size) + padded(note.description_size);

		if (size > left)
			return 0;
		if (is_build_id(file, &note, at + sizeof(note)))
			return read_part(file, id, note.description_size, description_at) ?
				       note.description_size :
				       0;
		at += size;
		left -= size;
	}
	return 0;
}

unsigned int build_id_read(struct file *file, uint8_t id[BUILD_ID_SIZE_MAX])
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	unsigned int size = 0;

	if (!read_part(file, &header, sizeof(header), 0) ||
	    memcmp(header.e_ident, "\177ELF", 4) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) || header.e_phoff > FILE_SIZE_MAX)
		return 0;
	for (unsigned int i = 0; !size && i < header.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!read_part(file, &segment, sizeof(segment),
			       header.e_phoff + i * sizeof(segment)))
			break;
		if (segment.p_type == PT_NOTE && segment.p_offset <= FILE_SIZE_MAX)
			size = search(file, &segment, id);
	}
	return size;
}
