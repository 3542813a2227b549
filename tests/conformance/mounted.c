// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs a program in a folder of the host: mounts the 9P device with the tag TAG at PLACE with OPTIONS, makes that the working
 * folder, and becomes PROGRAM. So the same program and the same server meet Linux's 9P client and Tally's; see shared.t.
 *
 *     mounted TAG PLACE OPTIONS PROGRAM
 *
 * Exit status: PROGRAM's; 2: there is nothing to run it in, and one line says why.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "mounted: %s: %s\n", what, strerror(errno));
	return 2;
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	mkdir(argv[2], 0755);
	if (mount(argv[1], argv[2], "9p", 0, argv[3]))
		return fail(argv[1]);
	if (chdir(argv[2]))
		return fail(argv[2]);
	execv(argv[4], argv + 4);
	return fail(argv[4]);
}
