/*
 * The table of functions, and the mappings of address spaces.
 *
 * Numbers ascend in the order of the table's lines: a file, its functions, the
 * next file.  A file that is mapped and not in the table takes a number beyond
 * the table's when it is first mapped.  A space is a list of mappings, the
 * latest first; the latest that has an address decides.  A mapping that others
 * cover is removed, so that the list stays as long as the space has areas.
 *
 * Copyright (c) 2026 The Tally authors
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"

/* A guest may map files without end; the rest is FUNCTIONS_UNKNOWN. */
#define NAMES_MAX       4096
#define MAPPINGS_MAX    8192
#define FIRST_NUMBER    (FUNCTIONS_UNKNOWN + 1)

typedef struct File {
    char *path;
    uint32_t number;            /* of the code before the first function */
    uint32_t nr_functions;
    bool instructions;          /* are counted one by one */
    uint64_t *offsets;          /* ascending */
} File;

typedef struct Mapping {
    uint64_t start, end;        /* addresses */
    uint64_t offset;            /* of start, in the file */
    uint32_t file;              /* index */
} Mapping;

typedef struct Space {
    uint64_t name;
    uint32_t nr, room;
    Mapping *mappings;          /* the latest is the last */
    struct Space *next;
} Space;

#define SPACES_HASH     1024

struct Functions {
    File *files;
    uint32_t nr_files, room_files;
    uint32_t nr_listed;         /* of these, in the table */
    uint32_t next_number;
    Space *spaces[SPACES_HASH];
    struct FunctionsTasks *tasks;
    struct FunctionsBlocks *blocks;
};

struct FunctionsTasks **functions_tasks(Functions *f)
{
    return &f->tasks;
}

struct FunctionsBlocks **functions_blocks(Functions *f)
{
    return &f->blocks;
}

/* Makes room for one more element; exits if there is no memory, as all of QEMU does. */
static void *grow(void *array, uint32_t nr, uint32_t *room, size_t size)
{
    if (nr == *room) {
        *room = nr ? 2 * nr : 16;
        array = realloc(array, *room * size);
        if (!array) {
            abort();
        }
    }
    return array;
}

static File *add_file(Functions *f, const char *path)
{
    File *file;

    f->files = grow(f->files, f->nr_files, &f->room_files, sizeof(File));
    file = &f->files[f->nr_files++];
    *file = (File) { .path = strdup(path), .number = f->next_number++ };
    if (!file->path) {
        abort();
    }
    return file;
}

/* One line of the table, without its end.  False: it is wrong. */
static bool read_line(Functions *f, char *line, uint32_t *room)
{
    File *file = f->nr_files ? &f->files[f->nr_files - 1] : NULL;
    uint64_t offset;
    char *end;

    if (strncmp(line, "file ", 5) == 0) {
        add_file(f, line + 5);
        *room = 0;
        return true;
    }
    if (file && !file->nr_functions && strcmp(line, "instructions") == 0) {
        file->instructions = true;
        return true;
    }
    errno = 0;
    offset = strtoull(line, &end, 16);
    if (!file || errno || end == line || *end || f->next_number == UINT32_MAX ||
        (file->nr_functions && offset <= file->offsets[file->nr_functions - 1])) {
        return false;
    }
    file->offsets = grow(file->offsets, file->nr_functions, room, sizeof(uint64_t));
    file->offsets[file->nr_functions++] = offset;
    f->next_number++;
    return true;
}

void functions_free(Functions *f)
{
    functions_free_tasks(f);
    functions_free_blocks(f);
    for (uint32_t i = 0; i < f->nr_files; i++) {
        free(f->files[i].path);
        free(f->files[i].offsets);
    }
    free(f->files);
    for (uint32_t i = 0; i < SPACES_HASH; i++) {
        while (f->spaces[i]) {
            Space *space = f->spaces[i];

            f->spaces[i] = space->next;
            free(space->mappings);
            free(space);
        }
    }
    free(f);
}

Functions *functions_load(const char *path, char *error, size_t error_size)
{
    FILE *from = fopen(path, "r");
    Functions *f;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    uint32_t room = 0, number = 0;
    bool right = true;

    if (!from) {
        snprintf(error, error_size, "%s", strerror(errno));
        return NULL;
    }
    f = calloc(1, sizeof(*f));
    if (!f) {
        abort();
    }
    f->next_number = FIRST_NUMBER;
    while (right && (length = getline(&line, &size, from)) > 0) {
        number++;
        if (line[length - 1] == '\n') {
            line[length - 1] = '\0';
        }
        right = read_line(f, line, &room);
    }
    f->nr_listed = f->nr_files;
    if (!right) {
        snprintf(error, error_size, "line %u is wrong", number);
    } else if (ferror(from)) {
        snprintf(error, error_size, "%s", strerror(errno));
        right = false;
    }
    free(line);
    fclose(from);
    if (!right) {
        functions_free(f);
        return NULL;
    }
    return f;
}

static Space *find_space(Functions *f, uint64_t name, bool make)
{
    Space **at = &f->spaces[name % SPACES_HASH];

    for (Space *space = *at; space; space = space->next) {
        if (space->name == name) {
            return space;
        }
    }
    if (!make) {
        return NULL;
    }
    Space *made = calloc(1, sizeof(*made));

    if (!made) {
        abort();
    }
    made->name = name;
    made->next = *at;
    *at = made;
    return made;
}

/* The index of the file, which is added if it is new; nr_files: there is no room for it. */
static uint32_t find_file(Functions *f, const char *path)
{
    for (uint32_t i = 0; i < f->nr_files; i++) {
        if (strcmp(f->files[i].path, path) == 0) {
            return i;
        }
    }
    if (f->nr_files - f->nr_listed < NAMES_MAX) {
        add_file(f, path);
        return f->nr_files - 1;
    }
    return f->nr_files;
}

void functions_map(Functions *f, uint64_t space_name, uint64_t start,
                   uint64_t length, uint64_t offset, const char *path)
{
    Space *space = find_space(f, space_name, true);
    uint64_t end = start + length;
    uint32_t kept = 0;

    if (end < start) {
        return;
    }
    for (uint32_t i = 0; i < space->nr; i++) {
        Mapping *m = &space->mappings[i];

        if (m->start < start || m->end > end) {
            space->mappings[kept++] = *m;
        }
    }
    space->nr = kept;
    if (kept == MAPPINGS_MAX) {
        return;
    }
    space->mappings = grow(space->mappings, space->nr, &space->room, sizeof(Mapping));
    space->mappings[space->nr++] = (Mapping) {
        .start = start, .end = end, .offset = offset, .file = find_file(f, path),
    };
}

void functions_clear_space(Functions *f, uint64_t name)
{
    Space *space = find_space(f, name, false);

    if (space) {
        space->nr = 0;
    }
}

void functions_copy_space(Functions *f, uint64_t to_name, uint64_t from_name)
{
    Space *to = find_space(f, to_name, true);
    const Space *from = find_space(f, from_name, false);

    if (to == from) {
        return;
    }
    to->nr = from ? from->nr : 0;
    if (to->nr > to->room) {
        to->room = to->nr;
        free(to->mappings);
        to->mappings = malloc(to->room * sizeof(Mapping));
        if (!to->mappings) {
            abort();
        }
    }
    if (to->nr) {
        memcpy(to->mappings, from->mappings, to->nr * sizeof(Mapping));
    }
}

/* The function of the file at @offset; *@length: the bytes from there to the next. */
static uint32_t function_of(const File *file, uint64_t offset, uint64_t *length)
{
    uint32_t low = 0, high = file->nr_functions;

    /* The functions before low begin at or before offset, those from high on after it. */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (file->offsets[middle] <= offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *length = low < file->nr_functions ? file->offsets[low] - offset : UINT64_MAX;
    return file->number + low;
}

/* The mapping that has @pc, or NULL; *@later: where a later one than that begins beyond @pc, or UINT64_MAX. */
static const Mapping *find_mapping(Functions *f, uint64_t space_name, uint64_t pc,
                                   uint64_t *later)
{
    const Space *space = find_space(f, space_name, false);

    *later = UINT64_MAX;
    for (uint32_t i = space ? space->nr : 0; i-- > 0; ) {
        const Mapping *m = &space->mappings[i];

        if (pc < m->start && m->start < *later) {
            *later = m->start;
        }
        if (pc >= m->start && pc < m->end) {
            return m;
        }
    }
    return NULL;
}

uint32_t functions_at(Functions *f, uint64_t space_name, uint64_t pc, uint64_t *end)
{
    uint64_t later, length;
    const Mapping *m = find_mapping(f, space_name, pc, &later);
    uint32_t number = FUNCTIONS_UNKNOWN;

    if (!m) {
        *end = later;
        return number;
    }
    *end = m->end < later ? m->end : later;
    if (m->file < f->nr_files) {
        number = function_of(&f->files[m->file], m->offset + (pc - m->start), &length);
        if (length < *end - pc) {
            *end = pc + length;
        }
    }
    return number;
}

bool functions_count_instructions(const Functions *f)
{
    for (uint32_t i = 0; i < f->nr_files; i++) {
        if (f->files[i].instructions) {
            return true;
        }
    }
    return false;
}

bool functions_place(Functions *f, uint64_t space_name, uint64_t pc, uint32_t *file, uint64_t *offset)
{
    uint64_t later;
    const Mapping *m = find_mapping(f, space_name, pc, &later);

    if (!m || m->file >= f->nr_files || !f->files[m->file].instructions) {
        return false;
    }
    *file = f->files[m->file].number;
    *offset = m->offset + (pc - m->start);
    return true;
}

void functions_write_names(Functions *f, FILE *to)
{
    for (uint32_t i = f->nr_listed; i < f->nr_files; i++) {
        fprintf(to, "name %u ", f->files[i].number);
        for (const char *c = f->files[i].path; *c; c++) {
            fputc(*c == '\n' ? '?' : *c, to);
        }
        fputc('\n', to);
    }
}
