// SPDX-License-Identifier: BSD-2-Clause
/*
 * The only program of Linux as a KVM host in the emulator (tools/tally --under kvm): it loads KVM's modules, starts the
 * emulator with the guest, and reports the guest's end to the host command.
 *
 * L0 is the emulator that the host command starts, L1 the Linux of this program, L2 the guest. COM1 (ttyS0) is L2's
 * console, COM2 (ttyS1) L2's log, COM3 (ttyS2) L1's own log and the line for questions; COM4 (ttyS3), if L0 has one, is
 * for the files that leave L2. The emulator of L2 writes to the serial ports itself, by the words that
 * tools/tallylib/under.py gave it. Every end is in the words of Tally's log and with the values of its exit device, so
 * that the host command understands both kernels.
 *
 * A line on COM3 is the question for the state of L2. The answer is the output of the emulator's monitor, twice, between
 * the lines BEGIN and END. Without this program's answer, L1 hangs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* The exit device, and the kernel's values for it: tools/tallylib/machine.py. QEMU exits with value * 2 + 1. */
enum { EXIT_PORT = 0xf4, ENDED = 0x20, NOT_BOOTED = 0x22 };
enum { STRINGS_MAX = 256, LINE_MAX_BYTES = 512 };
/* The descriptor that the emulator's words name as its monitor. */
enum { MONITOR_FD = 3 };
/* The monitor answers at once, or not at all. */
enum { ANSWER_WAIT_MS = 1500, ROUNDS = 2 };

#define BEGIN "tally: the guest's state:"
#define END   "tally: end of the guest's state"

static int log_fd = -1;	  /* COM2 */
static int own_fd = -1;	  /* COM3 */
static int files_fd = -1; /* COM4 */
static int complaints_fd; /* the emulator's standard error */
static int monitor_fd;
static char last_complaint[LINE_MAX_BYTES] = "it said nothing";

static void end_machine(unsigned int value)
{
	/* The machine ends at the write to the port: the lines must be empty before. */
	tcdrain(log_fd);
	tcdrain(own_fd);
	tcdrain(files_fd);
	if (ioperm(EXIT_PORT, 4, 1) == 0)
		outl(value, EXIT_PORT);
	for (;;)
		pause();
}

static __attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	dprintf(log_fd, "tally: boot: under KVM: ");
	vdprintf(log_fd, format, arguments);
	dprintf(log_fd, "\n");
	va_end(arguments);
	end_machine(NOT_BOOTED);
	abort();
}

/* Opens a serial port that passes bytes as they are; -1 if the machine has none. */
static int try_open_raw(const char *path)
{
	struct termios modes;
	int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || tcgetattr(fd, &modes) < 0)
		return -1;
	cfmakeraw(&modes);
	/* The emulator sets OPOST on its console, and a CR would come before each LF. */
	modes.c_oflag = 0;
	cfsetspeed(&modes, B115200);
	return tcsetattr(fd, TCSANOW, &modes) < 0 ? -1 : fd;
}

static int open_raw(const char *path)
{
	int fd = try_open_raw(path);

	if (fd < 0)
		fail("%s: %s", path, strerror(errno));
	return fd;
}

/* Reads a file of zero-terminated strings, at least one, into a null-terminated array. */
static char **read_strings(const char *path)
{
	struct stat about;
	char **strings, *text;
	size_t at = 0, count = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &about) < 0)
		fail("%s: %s", path, strerror(errno));
	text = calloc(1, about.st_size + 1);
	strings = calloc(STRINGS_MAX + 1, sizeof(*strings));
	if (!text || !strings || read(fd, text, about.st_size) != about.st_size)
		fail("%s: cannot be read", path);
	if (about.st_size == 0)
		fail("%s is empty", path);
	for (; at < (size_t)about.st_size && count < STRINGS_MAX; at += strlen(&text[at]) + 1)
		strings[count++] = &text[at];
	close(fd);
	return strings;
}

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0) < 0)
		fail("Linux does not load %s: %s", path, strerror(errno));
	close(fd);
}

/* Starts the emulator of L2; returns a descriptor that is readable when it has exited, and sets PID. */
static int start(char **words, pid_t *pid)
{
	int errors[2], monitor[2], fd;
	int console = open_raw("/dev/ttyS0");

	if (pipe2(errors, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, monitor) < 0)
		fail("no pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid < 0)
		fail("no process: %s", strerror(errno));
	if (*pid == 0) {
		dup2(console, STDIN_FILENO);
		dup2(console, STDOUT_FILENO);
		dup2(errors[1], STDERR_FILENO);
		/* Moved away first: dup2 of a descriptor to itself would keep its close-on-exec flag. */
		fd = fcntl(monitor[1], F_DUPFD, MONITOR_FD + 1);
		dup2(fd, MONITOR_FD);
		close(fd);
		execv(words[0], words);
		dprintf(STDERR_FILENO, "%s: %s\n", words[0], strerror(errno));
		_exit(127);
	}
	close(errors[1]);
	close(monitor[1]);
	close(console);
	complaints_fd = errors[0];
	monitor_fd = monitor[0];
	fd = syscall(SYS_pidfd_open, *pid, 0);
	if (fd < 0)
		fail("pidfd_open: %s", strerror(errno));
	return fd;
}

/* Passes the emulator's standard error on to L1's log, and keeps its last line. Returns false at its end. */
static bool take_complaints(void)
{
	static char line[LINE_MAX_BYTES];
	static size_t size;
	char bytes[256];
	ssize_t got = read(complaints_fd, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < got; i++) {
		if (bytes[i] != '\n') {
			if (size < sizeof(line) - 1)
				line[size++] = bytes[i];
			continue;
		}
		line[size] = '\0';
		size = 0;
		dprintf(own_fd, "%s\r\n", line);
		if (line[0])
			memcpy(last_complaint, line, sizeof(line));
	}
	return got > 0;
}

/* Copies the monitor's output to COM3 until it is silent for WAIT_MS. Returns the number of bytes. */
static size_t copy_answer(int wait_ms)
{
	struct pollfd ready = { .fd = monitor_fd, .events = POLLIN };
	char bytes[1024];
	size_t total = 0;

	while (poll(&ready, 1, wait_ms) > 0) {
		ssize_t got = read(monitor_fd, bytes, sizeof(bytes));

		if (got <= 0)
			break;
		if (write(own_fd, bytes, got) != got)
			break;
		total += got;
	}
	return total;
}

static void answer_question(void)
{
	static const char command[] = "info registers -a\n";
	char bytes[64];

	if (read(own_fd, bytes, sizeof(bytes)) <= 0)
		return;
	dprintf(own_fd, "\r\n" BEGIN "\r\n");
	for (int round = 0; round < ROUNDS; round++) {
		if (write(monitor_fd, command, strlen(command)) < 0 ||
		    copy_answer(ANSWER_WAIT_MS) == 0)
			dprintf(own_fd, "the guest's emulator does not answer\r\n");
	}
	dprintf(own_fd, "\r\n" END "\r\n");
}

static void report_end(int status)
{
	if (WIFSIGNALED(status))
		fail("the guest's emulator was ended by signal %d (%s)", WTERMSIG(status),
		     strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) == 0) {
		/* L2 has reset itself: L1 does likewise, since the host command sees only L1's end. */
		dprintf(own_fd, "tally: the guest has reset itself\r\n");
		tcdrain(log_fd);
		tcdrain(own_fd);
		reboot(RB_AUTOBOOT);
	}
	if (WEXITSTATUS(status) < (ENDED << 1 | 1))
		fail("the guest's emulator ended with status %d: %s", WEXITSTATUS(status),
		     last_complaint);
	end_machine(WEXITSTATUS(status) >> 1);
}

static void mount_at(const char *type, const char *path)
{
	mkdir(path, 0755);
	if (mount(type, path, type, 0, NULL) < 0 && errno != EBUSY)
		fail("%s: %s", path, strerror(errno));
}

int main(void)
{
	enum { EMULATOR, COMPLAINTS, QUESTION, SOURCES };
	struct pollfd sources[SOURCES] = { 0 };
	int status;
	pid_t pid;

	mkdir("/dev", 0755);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	log_fd = open_raw("/dev/ttyS1");
	own_fd = open_raw("/dev/ttyS2");
	files_fd = try_open_raw("/dev/ttyS3");
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("tmpfs", "/tmp");
	for (char **module = read_strings("/.tally/modules"); *module; module++)
		load_module(*module);
	if (access("/dev/kvm", R_OK | W_OK) < 0)
		fail("%s", "the processor has no SVM that KVM can use");

	sources[EMULATOR] = (struct pollfd){ .fd = start(read_strings("/.tally/argv"), &pid),
					     .events = POLLIN };
	sources[COMPLAINTS] = (struct pollfd){ .fd = complaints_fd, .events = POLLIN };
	sources[QUESTION] = (struct pollfd){ .fd = own_fd, .events = POLLIN };
	while (!sources[EMULATOR].revents) {
		poll(sources, SOURCES, -1);
		if (sources[COMPLAINTS].revents && !take_complaints())
			sources[COMPLAINTS].fd = -1;
		if (sources[QUESTION].revents)
			answer_question();
	}
	while (sources[COMPLAINTS].fd >= 0 && take_complaints())
		continue;
	waitpid(pid, &status, 0);
	report_end(status);
}
