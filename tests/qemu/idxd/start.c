// SPDX-License-Identifier: BSD-2-Clause
/* start.c: the first program of Linux for user.c: mounts what it needs, loads the driver, runs it, and switches off. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void load(const char *path, const char *parameters)
{
	int file = open(path, O_RDONLY);

	if (syscall(SYS_finit_module, file, parameters, 0) != 0)
		printf("not ok 0 - %s loads\n", path);
	close(file);
}

int main(void)
{
	int console;

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	console = open("/dev/ttyS0", O_RDWR);
	dup2(console, STDOUT_FILENO);
	setvbuf(stdout, NULL, _IOLBF, 0);
	load("/idxd_bus.ko", "");
	load("/idxd.ko", "tc_override=1");
	if (fork() == 0) {
		execl("/user", "user", NULL);
		_exit(1);
	}
	wait(NULL);
	fsync(STDOUT_FILENO);
	reboot(RB_POWER_OFF);
	return 1;
}
