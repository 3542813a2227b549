// SPDX-License-Identifier: BSD-2-Clause
/*
 * The first program on the Linux side of a comparison: makes Linux look like Tally to one program.
 *
 * It reads the same /.tally/argv, /.tally/env and /.tally/cwd as Tally's kernel does, runs the program
 * with COM1 as its output, and reports its end in the same words on COM2, where Linux's own log goes
 * too, and with the same value to the exit device. Before, it loads the modules that /.tally/modules names. So tests/conformance/linux-run drives both kernels by the same
 * code. The program's standard input is empty.
 *
 * It permits the program everything (perf_event_paranoid -1), as Tally's first task may do all.
 * It is no shell and no general init: one program, then the machine ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { EXIT_PORT = 0xf4, ENDED = 0x20, NOT_BOOTED = 0x22 };
enum { STRINGS_MAX = 256 };
/* SYSLOG_ACTION_CONSOLE_OFF of syslog(2). */
enum { CONSOLE_OFF = 6 };

static FILE *log_file;

static void end_machine(unsigned int value)
{
	/* COM2 is drained first: the machine ends at the write. */
	fflush(log_file);
	tcdrain(fileno(log_file));
	if (ioperm(EXIT_PORT, 4, 1) == 0)
		outl(value, EXIT_PORT);
	for (;;)
		pause();
}

static void fail(const char *what)
{
	fprintf(log_file, "tally: boot: linux init: %s: %s\n", what, strerror(errno));
	end_machine(NOT_BOOTED);
}

static void write_setting(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		fail(path);
	close(fd);
}

/* A serial port that passes bytes as they are. */
static int open_raw(const char *path)
{
	struct termios modes;
	int fd = open(path, O_RDWR | O_NOCTTY);

	if (fd < 0 || tcgetattr(fd, &modes) < 0)
		fail(path);
	cfmakeraw(&modes);
	cfsetspeed(&modes, B115200);
	if (tcsetattr(fd, TCSANOW, &modes) < 0)
		fail(path);
	return fd;
}

/* Reads a file of zero-terminated strings into a null-terminated array. */
static char **read_strings(const char *path)
{
	static char *none[] = { NULL };
	struct stat about;
	char **strings, *text;
	size_t at = 0, count = 0;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return none;
	if (fstat(fd, &about) < 0)
		fail(path);
	text = calloc(1, about.st_size + 1);
	strings = calloc(STRINGS_MAX + 1, sizeof(*strings));
	if (!text || !strings || read(fd, text, about.st_size) != about.st_size)
		fail(path);
	for (; at < (size_t)about.st_size && count < STRINGS_MAX; at += strlen(&text[at]) + 1)
		strings[count++] = &text[at];
	close(fd);
	return strings;
}

/* The file names each module and its parameters. */
static void load_modules(char **strings)
{
	for (; strings[0]; strings += 2) {
		int fd = open(strings[0], O_RDONLY);

		if (fd < 0 || syscall(SYS_finit_module, fd, strings[1], 0) < 0)
			fail(strings[0]);
		close(fd);
	}
}

static void run(char **argv, char **env)
{
	int output = open_raw("/dev/ttyS0");
	int input = open("/dev/null", O_RDONLY);
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		dup2(input, STDIN_FILENO);
		dup2(output, STDOUT_FILENO);
		dup2(output, STDERR_FILENO);
		close(output);
		close(input);
		fclose(log_file);
		execve(argv[0], argv, env);
		dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	while (waitpid(pid, &status, 0) != pid)
		continue;
	tcdrain(output);
	/* Linux's log shares the line with ours, and a message of it may come in between. */
	klogctl(CONSOLE_OFF, NULL, 0);
	if (WIFSIGNALED(status))
		fprintf(log_file, "\ntally: killed by signal %d\n", WTERMSIG(status));
	else
		fprintf(log_file, "\ntally: exit status %d\n", WEXITSTATUS(status));
	end_machine(ENDED);
}

int main(void)
{
	char **argv, **folder;

	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	log_file = fopen("/dev/ttyS1", "w");
	if (!log_file)
		return 1;
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		fail("/proc");
	if (mount("sysfs", "/sys", "sysfs", 0, NULL) < 0)
		fail("/sys");
	mkdir("/dev/pts", 0755);
	if (mount("devpts", "/dev/pts", "devpts", 0, NULL) < 0)
		fail("/dev/pts");
	/*
	 * Linux refuses events of the kernel and of other CPUs to the unprivileged, which this is not,
	 * and gives up a quarter of the samples' time: the limits are for shared machines.
	 */
	write_setting("/proc/sys/kernel/perf_event_paranoid", "-1");
	write_setting("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	load_modules(read_strings("/.tally/modules"));
	argv = read_strings("/.tally/argv");
	if (!argv[0]) {
		errno = ENOENT;
		fail("/.tally/argv");
	}
	folder = read_strings("/.tally/cwd");
	if (folder[0] && chdir(folder[0]) < 0)
		fail(folder[0]);
	run(argv, read_strings("/.tally/env"));
}
