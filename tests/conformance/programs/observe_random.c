// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random bytes: getrandom, /dev/random, /dev/urandom, and the identifiers of /proc/sys/kernel/random.
 * The program checks only that bytes come and that they differ each time.
 */
#include "observe.h"

#include <fcntl.h>
#include <linux/random.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

/* The compiler is not to know that these are wrong. */
static void *volatile nowhere = (void *)8;

static unsigned char buffer[1 << 16];

static int must(int fd, const char *what)
{
	if (fd < 0) {
		show(error_name(errno), "%s", what);
		exit(1);
	}
	return fd;
}

/* Whether SIZE random bytes look like it: about half of the bits are set (6 sigma). */
static const char *balance(size_t size)
{
	long ones = 0, bits = (long)size * 8;

	for (size_t i = 0; i < size; i++)
		ones += __builtin_popcount(buffer[i]);
	long distance = 2 * ones - bits;

	return distance * distance <= 36 * bits ? "balanced" : "not balanced";
}

static long raw_getrandom(void *to, size_t size, unsigned int flags)
{
	return syscall(SYS_getrandom, to, size, flags);
}

static void calls(void)
{
	unsigned char *edge = page_before_a_hole();
	unsigned char a[32], b[32];

	SEE(raw_getrandom(buffer, 16, 0));
	SEE(raw_getrandom(buffer, 0, 0));
	SEE(raw_getrandom(NULL, 0, 0));
	SEE(raw_getrandom(buffer, 1, GRND_NONBLOCK));
	SEE(raw_getrandom(buffer, 1, GRND_RANDOM));
	SEE(raw_getrandom(buffer, 1, GRND_RANDOM | GRND_NONBLOCK));
	SEE(raw_getrandom(buffer, 1, GRND_INSECURE));
	SEE(raw_getrandom(buffer, 1, GRND_INSECURE | GRND_NONBLOCK));
	SEE(raw_getrandom(buffer, 1, GRND_INSECURE | GRND_RANDOM));
	SEE(raw_getrandom(buffer, 1, 8));
	SEE(raw_getrandom(buffer, 0, 0x80000000));
	SEE(raw_getrandom(nowhere, 16, 0));
	SEE(raw_getrandom(nowhere, 16, 8));
	SEE(raw_getrandom(NULL, 16, 0));
	SEE(raw_getrandom(edge + PAGE_BYTES, 16, 0));
	SEE(raw_getrandom(buffer, sizeof(buffer), 0));
	show(balance(sizeof(buffer)), "64 KiB at once");
	raw_getrandom(a, sizeof(a), 0);
	raw_getrandom(b, sizeof(b), 0);
	show(memcmp(a, b, sizeof(a)) ? "different" : "the same", "two calls");
	memset(buffer, 0, 64);
	raw_getrandom(buffer, 5, 0);
	show(buffer[5] ? "written" : "untouched", "the byte after");

	/* A child does not get what its parent gets. */
	int p[2];

	if (pipe(p) < 0)
		exit(1);
	fflush(stdout);
	if (fork() == 0) {
		raw_getrandom(a, sizeof(a), 0);
		_exit(write(p[1], a, sizeof(a)) != sizeof(a));
	}
	raw_getrandom(b, sizeof(b), 0);
	if (read(p[0], a, sizeof(a)) == sizeof(a))
		show(memcmp(a, b, sizeof(a)) ? "different" : "the same", "parent and child");
	wait(NULL);
}

static void device(const char *path)
{
	int fd = must(open(path, O_RDWR), path), number = 0;
	struct pollfd entry = { fd, POLLIN | POLLOUT, 0 };
	struct {
		int bits, size;
		unsigned char bytes[8];
	} info = { 8, 8, "abcdefg" };
	struct stat stat;
	char name[64];

	fstat(fd, &stat);
	snprintf(name, sizeof(name), "%o %u:%u", stat.st_mode, major(stat.st_rdev),
		 minor(stat.st_rdev));
	show(name, "%s: mode and number", path);
	show(outcome_value(read(fd, buffer, 4096)), "%s: read", path);
	show(balance(4096), "%s: what was read", path);
	show(outcome_value(read(fd, buffer, 0)), "%s: read nothing", path);
	show(outcome_value(read(fd, nowhere, 16)), "%s: read to nowhere", path);
	show(outcome_value(write(fd, "some more", 9)), "%s: write", path);
	show(outcome_value(write(fd, nowhere, 16)), "%s: write from nowhere", path);
	show(outcome_value(write(fd, nowhere, 0)), "%s: write nothing", path);
	show(outcome_value(lseek(fd, 0, SEEK_SET)), "%s: lseek", path);
	show(outcome_value(lseek(fd, 100, SEEK_SET)), "%s: lseek away", path);
	show(outcome_value(poll(&entry, 1, 0)), "%s: poll", path);
	snprintf(name, sizeof(name), "%d", entry.revents);
	show(name, "%s: what poll says", path);
	show(outcome_value(ioctl(fd, RNDGETENTCNT, &number)), "%s: RNDGETENTCNT", path);
	show(number == 256 ? "256" : "not 256", "%s: entropy", path);
	show(outcome_value(ioctl(fd, RNDGETENTCNT, nowhere)), "%s: RNDGETENTCNT nowhere", path);
	number = 5;
	show(outcome_value(ioctl(fd, RNDADDTOENTCNT, &number)), "%s: RNDADDTOENTCNT", path);
	number = -5;
	show(outcome_value(ioctl(fd, RNDADDTOENTCNT, &number)), "%s: RNDADDTOENTCNT less", path);
	show(outcome_value(ioctl(fd, RNDADDENTROPY, &info)), "%s: RNDADDENTROPY", path);
	info.size = -1;
	show(outcome_value(ioctl(fd, RNDADDENTROPY, &info)), "%s: RNDADDENTROPY too little", path);
	info.bits = -1;
	show(outcome_value(ioctl(fd, RNDADDENTROPY, &info)), "%s: RNDADDENTROPY less", path);
	show(outcome_value(ioctl(fd, RNDZAPENTCNT, 0)), "%s: RNDZAPENTCNT", path);
	show(outcome_value(ioctl(fd, RNDCLEARPOOL, 0)), "%s: RNDCLEARPOOL", path);
	show(outcome_value(ioctl(fd, RNDRESEEDCRNG, 0)), "%s: RNDRESEEDCRNG", path);
	show(outcome_value(ioctl(fd, TCGETS, buffer)), "%s: TCGETS", path);
	show(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED ? error_name(errno) :
									     "ok",
	     "%s: mmap", path);
	fflush(stdout);
	if (fork() == 0) {
		if (setuid(1000) < 0)
			_exit(1);
		show(outcome_value(ioctl(fd, RNDZAPENTCNT, 0)), "%s: RNDZAPENTCNT by others", path);
		show(outcome_value(ioctl(fd, RNDRESEEDCRNG, 0)), "%s: RNDRESEEDCRNG by others",
		     path);
		show(outcome_value(ioctl(fd, RNDGETENTCNT, &number)), "%s: RNDGETENTCNT by others",
		     path);
		show(outcome_value(write(fd, "more", 4)), "%s: write by others", path);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	close(fd);
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = must(open(path, O_RDONLY), path);
	ssize_t length = read(fd, text, size - 1);

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length;
}

/* "x" for each digit, so that the shape shows. */
static const char *shape(char *text)
{
	for (char *c = text; *c; c++)
		*c = strchr("0123456789abcdef", *c) ? 'x' : *c == '\n' ? '$' : *c;
	return text;
}

static void identifiers(void)
{
	char a[64], b[64];

	read_file("/proc/sys/kernel/random/boot_id", a, sizeof(a));
	read_file("/proc/sys/kernel/random/boot_id", b, sizeof(b));
	show(strcmp(a, b) ? "different" : "the same", "boot_id twice");
	show(a[14] == '4' && strchr("89ab", a[19]) ? "4" : "another", "boot_id's version");
	show(shape(a), "boot_id");
	read_file("/proc/sys/kernel/random/uuid", a, sizeof(a));
	read_file("/proc/sys/kernel/random/uuid", b, sizeof(b));
	show(strcmp(a, b) ? "different" : "the same", "uuid twice");
	show(a[14] == '4' && strchr("89ab", a[19]) ? "4" : "another", "uuid's version");
	show(shape(a), "uuid");
	read_file("/proc/sys/kernel/random/entropy_avail", a, sizeof(a));
	show(strtok(a, "\n"), "entropy_avail");
	read_file("/proc/sys/kernel/random/poolsize", a, sizeof(a));
	show(strtok(a, "\n"), "poolsize");
}

int main(void)
{
	calls();
	device("/dev/random");
	device("/dev/urandom");
	identifiers();
	return 0;
}
