// SPDX-License-Identifier: BSD-2-Clause
/* A function that the program writes again and again, and calls: prints how many of the 300 calls ran another one than the last. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { VERSIONS = 100, CALLS = 3, PAGE = 4096 };

int main(void)
{
	/* mov $VERSION, %eax; ret */
	unsigned char code[] = { 0xb8, 0, 0, 0, 0, 0xc3 };
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*function)(void), wrong = 0;

	if (page == MAP_FAILED)
		return 1;
	memcpy(&function, &page, sizeof(function));
	for (int version = 0; version < VERSIONS; version++) {
		memcpy(code + 1, &version, sizeof(version));
		memcpy(page, code, sizeof(code));
		for (int call = 0; call < CALLS; call++)
			wrong += function() != version;
	}
	printf("%d\n", wrong);
	return 0;
}
