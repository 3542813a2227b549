// SPDX-License-Identifier: BSD-2-Clause
/*
 * Permissions of files: when set-user-ID and set-group-ID are lost, and changing the owner.
 */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "permissions.h"

/* Where this program has its files. */
#define HERE "/tmp/permission_bits"

/* --- set-ID bits and changes of owner --- */

static void lose_bits(const char *name, mode_t mode)
{
	static const char path[] = HERE "/bits";

	make_file(path, ANOTHER, GROUP, mode);
	must(chown(path, -1, -1), "owner");
	show(mode_of(path), "%s: chown nothing", name);
	make_file(path, ANOTHER, GROUP, mode);
	must(chown(path, 1, 2), "owner");
	show(mode_of(path), "%s: chown", name);
	make_file(path, ANOTHER, GROUP, mode);
	int fd = open(path, O_WRONLY);

	must((int)write(fd, "x", 1), "contents");
	show(mode_of(path), "%s: write by root", name);
	must(prctl(PR_SET_KEEPCAPS, 1), "keepcaps");
	fflush(stdout);
	if (fork() == 0) {
		become_member(USER, USER);
		must((int)write(fd, "y", 1), "contents");
		show(mode_of(path), "%s: write by a user", name);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	must(close(fd), "file");
	make_file(path, USER, GROUP, mode | 0200);
	fflush(stdout);
	if (fork() == 0) {
		become_member(USER, USER);
		must(truncate(path, 1), "size");
		show(mode_of(path), "%s: truncate by the owner", name);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	unlink(path);
}

/* Leaves the caller CAP_CHOWN and nothing else, if KEEP. */
static void become_owner_of_nothing(bool keep)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct only[2] = { { 1 << CAP_CHOWN, 1 << CAP_CHOWN, 0 } };

	must(prctl(PR_SET_KEEPCAPS, keep), "keepcaps");
	become_member(USER, USER);
	if (keep)
		must((int)syscall(SYS_capset, &header, only), "capabilities");
}

/* A change of owner takes privileges of the file away, which is a change of its mode: the caller must be
 * allowed to do that, too. */
static void change_foreign_owner(const char *name, bool keep)
{
	static const char path[] = HERE "/bits";
	static const mode_t modes[] = { 0755, 04755, 04644, 02755, 02644, 06755 };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		make_file(path, ANOTHER, GROUP, modes[i]);
		fflush(stdout);
		if (fork() == 0) {
			become_owner_of_nothing(keep);
			SEE(chown(path, -1, -1));
			SEE(chown(path, USER, USER));
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
		show(mode_of(path), "%s: a file of mode %o", name, modes[i]);
		unlink(path);
	}
	make_directory(HERE "/owned", ANOTHER, GROUP, 06775);
	fflush(stdout);
	if (fork() == 0) {
		become_owner_of_nothing(keep);
		SEE(chown(HERE "/owned", -1, -1));
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
	show(mode_of(HERE "/owned"), "%s: a directory", name);
	rmdir(HERE "/owned");
}

int main(void)
{
	mkdir("/tmp", 01777);
	umask(022);
	make_directory(HERE, 0, 0, 0755);
	lose_bits("set-user-ID", 04755);
	lose_bits("set-user-ID without x", 04644);
	lose_bits("set-group-ID", 02755);
	lose_bits("set-group-ID without x", 02644);
	change_foreign_owner("user", false);
	change_foreign_owner("with CAP_CHOWN", true);
	return 0;
}
