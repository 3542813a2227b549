// SPDX-License-Identifier: BSD-2-Clause
/*
 * dmatest - moves memory by a DMA channel: gives the kernel's self-test its parameters, in the given order.
 *
 *     dmatest NAME=VALUE...        as in: dmatest channel=dma0chan0 timeout=2000 iterations=19 run=1 wait=1
 *
 * On Linux the same words load the module: modprobe dmatest NAME=VALUE... So `wait`, which cannot be written, is not:
 * reading it waits for the end of the test. Exit status: 0 done; 1 the kernel refuses a parameter, or the test failed;
 * 2 wrong use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PARAMETERS "/sys/module/dmatest/parameters/"

static int complain(const char *word)
{
	fprintf(stderr, "dmatest: %s: %s\n", word, strerror(errno));
	return 1;
}

/* Waits for the end of the test. */
static int wait_for_end(void)
{
	char answer[8];
	int file = open(PARAMETERS "wait", O_RDONLY);
	int failed = file < 0 || read(file, answer, sizeof(answer)) < 0;

	if (file >= 0)
		close(file);
	return failed ? complain("wait") : 0;
}

/* Writes VALUE to the parameter NAME of LENGTH bytes; WORD is both. */
static int set(const char *word, const char *name, size_t length, const char *value)
{
	char path[128];
	int failed;

	snprintf(path, sizeof(path), PARAMETERS "%.*s", (int)length, name);
	int file = open(path, O_WRONLY);
	if (file < 0)
		return complain(word);
	failed = write(file, value, strlen(value)) < 0;
	if (failed)
		complain(word);
	close(file);
	return failed;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *equals = strchr(argv[i], '=');
		size_t length = equals ? (size_t)(equals - argv[i]) : 0;

		if (!length || memchr(argv[i], '/', length)) {
			fprintf(stderr,
				"dmatest: '%s' is not NAME=VALUE; usage: dmatest NAME=VALUE...\n",
				argv[i]);
			return 2;
		}
		int failed = length == 4 && !memcmp(argv[i], "wait", 4) ?
				     wait_for_end() :
				     set(argv[i], argv[i], length, equals + 1);
		if (failed)
			return failed;
	}
	return argc > 1 ? 0 : 2;
}
