// SPDX-License-Identifier: BSD-2-Clause
/*
 * A file system in memory that is full: the errors of writing, allocating, mapping and copying when there
 * is no page left, the state after them, and the calls that free pages.
 *
 * Each situation begins with a fresh tmpfs of 16 pages.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "observe.h"

enum { PAGES = 16, BLOCKS_OF_PAGE = PAGE_BYTES / 512 };

#define PLACE "/tmp/room"

static const char *situation;
static char page[PAGE_BYTES];

/* Prints what the present situation says of WHAT. */
static void tell(const char *what, const char *text)
{
	show(text, "%s: %s", situation, what);
}

static void report_number(const char *what, long long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	tell(what, text);
}

/* The same of a number of bytes, in pages and what is left, or of a call's error. */
static void report_bytes(const char *what, long long bytes)
{
	char text[48];

	snprintf(text, sizeof(text), "%lld pages and %lld bytes", bytes / PAGE_BYTES,
		 bytes % PAGE_BYTES);
	tell(what, bytes < 0 ? error_name(errno) : text);
}

static long long free_pages(void)
{
	struct statfs room = { 0 };

	statfs(PLACE, &room);
	return (long long)room.f_bfree;
}

static long long pages_of(int fd)
{
	struct stat status = { 0 };

	fstat(fd, &status);
	return status.st_blocks / BLOCKS_OF_PAGE;
}

static long long size_of(int fd)
{
	struct stat status = { 0 };

	fstat(fd, &status);
	return status.st_size;
}

static int create(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), PLACE "/%s", name);
	return open(path, O_RDWR | O_CREAT, 0600);
}

static bool begin(const char *name)
{
	char options[32];

	situation = name;
	snprintf(options, sizeof(options), "size=%d", PAGES * PAGE_BYTES);
	mkdir(PLACE, 0700);
	if (mount("tmpfs", PLACE, "tmpfs", 0, options) < 0) {
		tell("cannot be mounted", error_name(errno));
		return false;
	}
	return true;
}

static void end(void)
{
	tell("unmounted", outcome(umount(PLACE)));
}

/* A file that takes COUNT pages. */
static int fill(const char *name, int count)
{
	int fd = create(name);

	for (int number = 0; number < count; number++)
		if (write(fd, page, PAGE_BYTES) != PAGE_BYTES)
			tell("cannot be filled", error_name(errno));
	return fd;
}

/* ---- accesses that may end in a signal ---- */

static sigjmp_buf after;
static volatile int got_signal, got_code;
static volatile bool got_address;
static volatile char *accessed;

static void catch (int signal, siginfo_t *info, void *context)
{
	(void)context;
	got_signal = signal;
	got_code = info->si_code;
	got_address = info->si_addr == (void *)accessed;
	siglongjmp(after, 1);
}

static void access_page(const char *what, volatile char *address, bool write)
{
	struct sigaction action = { .sa_sigaction = catch, .sa_flags = SA_SIGINFO };
	char text[64];

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	accessed = address;
	if (sigsetjmp(after, 1)) {
		snprintf(text, sizeof(text), "%s, code %d, %s", strsignal(got_signal), got_code,
			 got_address ? "at the address" : "elsewhere");
		tell(what, text);
	} else if (write) {
		*address = 1;
		tell(what, "written");
	} else {
		report_number(what, *address);
	}
}

static char *map(int fd, int protection, int flags, int pages)
{
	return mmap(NULL, (size_t)pages * PAGE_BYTES, protection, flags, fd, 0);
}

/* ---- the situations ---- */

static void observe_writing(void)
{
	static char many[(PAGES + 1) * PAGE_BYTES];
	int fd;

	if (!begin("writing"))
		return;
	report_number("free at first", free_pages());
	fd = create("a");
	report_number("free with an empty file", free_pages());
	report_bytes("one page too many", write(fd, many, sizeof(many)));
	report_bytes("size after it", size_of(fd));
	report_number("free after it", free_pages());
	report_bytes("another byte", write(fd, many, 1));
	report_bytes("over what is there", pwrite(fd, many, PAGE_BYTES, PAGE_BYTES));
	report_bytes("a page, of which the end leaves 2048 bytes",
		     pwrite(fd, many, PAGE_BYTES, PAGES * PAGE_BYTES - 2048));
	tell("an empty file", outcome(close(create("b"))));
	tell("a directory", outcome(mkdir(PLACE "/c", 0700)));
	tell("a link", outcome(symlink("short", PLACE "/d")));
	tell("made longer", outcome(ftruncate(fd, 64 * PAGE_BYTES)));
	tell("a hole is read", outcome_value(pread(fd, many, 100, 40 * PAGE_BYTES)));
	report_bytes("a hole is written", pwrite(fd, many, 100, 40 * PAGE_BYTES));
	tell("made shorter", outcome(ftruncate(fd, 3 * PAGE_BYTES + 1)));
	report_number("free when shorter", free_pages());
	tell("removed", outcome(unlink(PLACE "/a")));
	report_number("free while open", free_pages());
	close(fd);
	report_number("free when closed", free_pages());
	end();
}

static void observe_allocating(void)
{
	int fd, other;

	if (!begin("allocating"))
		return;
	fd = fill("a", 4);
	other = fill("b", 4);
	tell("more than the whole", outcome(fallocate(fd, 0, 0, (PAGES + 1) * PAGE_BYTES)));
	report_number("pages after more than the whole", pages_of(fd));
	tell("more than is free", outcome(fallocate(fd, 0, 0, 13 * PAGE_BYTES)));
	report_number("pages after more than is free", pages_of(fd));
	report_bytes("size after more than is free", size_of(fd));
	report_number("free after more than is free", free_pages());
	tell("all that is free, over what is there", outcome(fallocate(fd, 0, 0, 12 * PAGE_BYTES)));
	report_number("pages after all that is free", pages_of(fd));
	report_bytes("size after all that is free", size_of(fd));
	report_number("free after all that is free", free_pages());
	tell("the same again", outcome(fallocate(fd, 0, 0, 12 * PAGE_BYTES)));
	tell("one byte more", outcome(fallocate(fd, 0, 12 * PAGE_BYTES, 1)));
	tell("one byte more, size kept",
	     outcome(fallocate(fd, FALLOC_FL_KEEP_SIZE, 12 * PAGE_BYTES, 1)));
	tell("a hole", outcome(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE_BYTES,
					 2 * PAGE_BYTES)));
	report_number("pages after the hole", pages_of(fd));
	tell("the hole's room for another file, size kept",
	     outcome(fallocate(other, FALLOC_FL_KEEP_SIZE, 10 * PAGE_BYTES, 2 * PAGE_BYTES)));
	report_number("pages of the other file", pages_of(other));
	report_bytes("size of the other file", size_of(other));
	report_bytes("a part of a page in the hole", pwrite(fd, page, 1, PAGE_BYTES));
	tell("cut to its size", outcome(ftruncate(other, size_of(other))));
	report_number("pages of the other file when cut", pages_of(other));
	close(fd);
	close(other);
	end();
}

static void observe_mapping(void)
{
	static const char word[] = "here";
	int fd, other;
	char *shared, *private, *twin;

	if (!begin("mapping"))
		return;
	other = fill("a", PAGES - 1);
	fd = create("b");
	tell("made longer", outcome(ftruncate(fd, 4 * PAGE_BYTES)));
	shared = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED, 5);
	private = map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE, 5);
	access_page("the last free page", shared, true);
	report_number("free then", free_pages());
	access_page("a write to a hole", shared + PAGE_BYTES + 5, true);
	access_page("a read of a hole", shared + 2 * PAGE_BYTES, false);
	access_page("a private write to a hole", private + PAGE_BYTES, true);
	access_page("a private read of a hole", private + PAGE_BYTES, false);
	access_page("a private read of a page that is there", private, false);
	access_page("a private write to it", private, true);
	access_page("beyond the end", shared + 4 * PAGE_BYTES, false);
	tell("read into a hole", outcome_value(pread(other, shared + PAGE_BYTES, sizeof(word), 0)));
	report_bytes("written from a hole", pwrite(other, shared + PAGE_BYTES, sizeof(word), 0));
	tell("a hole locked", outcome(mlock(shared + PAGE_BYTES, PAGE_BYTES)));
	munlock(shared + PAGE_BYTES, PAGE_BYTES);
	tell("populated", outcome(madvise(shared, 4 * PAGE_BYTES, MADV_POPULATE_WRITE)));
	twin = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, 4);
	tell("mapped and populated", twin == MAP_FAILED ? error_name(errno) : "ok");
	report_number("pages of the file", pages_of(fd));
	tell("the other file is cut", outcome(ftruncate(other, PAGE_BYTES)));
	access_page("the same write", shared + PAGE_BYTES + 5, true);
	access_page("the same private read", private + PAGE_BYTES + 5, false);
	tell("read into it", outcome_value(pread(other, shared + 2 * PAGE_BYTES, sizeof(word), 0)));
	report_number("pages of the file at the end", pages_of(fd));
	munmap(shared, 5 * PAGE_BYTES);
	munmap(private, 5 * PAGE_BYTES);
	munmap(twin, 4 * PAGE_BYTES);
	close(fd);
	close(other);
	end();
}

static void observe_copying(void)
{
	int from = open("/proc/self/exe", O_RDONLY), into, pipes[2];
	off_t start = 0;

	if (from < 0 || pipe(pipes) < 0 || !begin("copying"))
		return;
	into = fill("a", PAGES - 1);
	report_bytes("sendfile of two pages", sendfile(into, from, &start, 2 * PAGE_BYTES));
	report_bytes("position in the source", start);
	report_bytes("sendfile again", sendfile(into, from, &start, 1));
	report_bytes("into the pipe", write(pipes[1], page, 100));
	tell("splice from the pipe", outcome_value(splice(pipes[0], NULL, into, NULL, 100, 0)));
	report_bytes("a byte at the end", write(into, page, 1));
	close(into);
	close(from);
	close(pipes[0]);
	close(pipes[1]);
	end();
}

int main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	observe_writing();
	observe_allocating();
	observe_mapping();
	observe_copying();
	return 0;
}
