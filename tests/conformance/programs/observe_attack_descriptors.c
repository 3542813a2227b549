/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rights that come with a descriptor and those that do not: every attacker of attackers.h has root's perf event,
 * terminal, sockets, pidfd and inotify instance, as if root had sent them. observe_attack_open_files.c has files.
 */
#include "attackers.h"
#include "reopen.h"

#include <pty.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>

#define SECRET "/tmp/secret"

/* Root's descriptors, and a process of root's that sleeps. */
static int file, event, master, terminal, pair[2], victim_fd, watches;
static pid_t victim;

/* --- a counting event of root's, about root's process, kernel included --- */

static long read_event(void)
{
	uint64_t count;

	return done(read(event, &count, sizeof(count)));
}

static long enable_event(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_ENABLE, 0));
}

static long disable_event(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_DISABLE, 0));
}

static long reset_event(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_RESET, 0));
}

static long refresh_event(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_REFRESH, 1));
}

static long set_period(void)
{
	uint64_t period = 1000000;

	return done(ioctl(event, PERF_EVENT_IOC_PERIOD, &period));
}

static long get_id(void)
{
	uint64_t id;

	return done(ioctl(event, PERF_EVENT_IOC_ID, &id));
}

static long set_filter(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_SET_FILTER, "1"));
}

static long pause_output(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_PAUSE_OUTPUT, 1));
}

static long redirect_to_nothing(void)
{
	return done(ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, -1L));
}

static long map_event(void)
{
	void *address = mmap(NULL, 3 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);

	return address == MAP_FAILED ? -errno : 0;
}

/* A group has one context, so the new event would count root's process too. */
static long join_group(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1 };
	long fd = syscall(SYS_perf_event_open, &attr, victim, -1, event, 0);

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

/* --- a terminal of root's --- */

static long type_into(void)
{
	return done(ioctl(terminal, TIOCSTI, "q"));
}

static long read_settings(void)
{
	struct termios settings;

	return done(tcgetattr(terminal, &settings));
}

static long change_settings(void)
{
	struct termios settings;

	tcgetattr(terminal, &settings);
	return done(tcsetattr(terminal, TCSANOW, &settings));
}

static long set_discipline(void)
{
	int discipline = 0;

	return done(ioctl(terminal, TIOCSETD, &discipline));
}

static long hang_up(void)
{
	return done(ioctl(terminal, TIOCVHANGUP));
}

static long get_session(void)
{
	pid_t session;

	return done(ioctl(terminal, TIOCGSID, &session));
}

static long get_foreground(void)
{
	pid_t group;

	return done(ioctl(terminal, TIOCGPGRP, &group));
}

static long set_foreground(void)
{
	pid_t group = getpgrp();

	return done(ioctl(terminal, TIOCSPGRP, &group));
}

/* The terminal is that of no session: a leader without one may have it. */
static long take_terminal(void)
{
	setsid();
	return done(ioctl(terminal, TIOCSCTTY, 0));
}

static long open_terminal(void)
{
	return reopen(terminal, O_RDWR | O_NOCTTY);
}

static long open_peer(void)
{
	int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static long exclude_others(void)
{
	if (ioctl(terminal, TIOCEXCL) < 0)
		return -errno;
	return done(ioctl(terminal, TIOCNXCL));
}

/* --- sockets, processes, watches --- */

static long peer_is_root(void)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(pair[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	return peer.uid == 0 ? 0 : (long)peer.uid;
}

/* Sends one byte with the credentials PID and UID. */
static long claim(pid_t pid, uid_t uid)
{
	struct ucred claimed = { pid, uid, getgid() };
	char byte = 0, control[CMSG_SPACE(sizeof(claimed))] = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_CREDENTIALS;
	header->cmsg_len = CMSG_LEN(sizeof(claimed));
	memcpy(CMSG_DATA(header), &claimed, sizeof(claimed));
	return done(sendmsg(pair[0], &message, MSG_DONTWAIT));
}

static long claim_own(void)
{
	return claim(getpid(), getuid());
}

static long claim_root(void)
{
	return claim(getpid(), 0);
}

static long claim_other_process(void)
{
	return claim(victim, getuid());
}

static long set_mark(void)
{
	int mark = 1;

	return done(setsockopt(pair[0], SOL_SOCKET, SO_MARK, &mark, sizeof(mark)));
}

static long set_priority(void)
{
	int priority = 7;

	return done(setsockopt(pair[0], SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority)));
}

static long signal_by_descriptor(void)
{
	return done(syscall(SYS_pidfd_send_signal, victim_fd, 0, NULL, 0));
}

static long take_descriptor(void)
{
	long fd = syscall(SYS_pidfd_getfd, victim_fd, 0, 0);

	return fd < 0 ? -errno : 0;
}

static long wait_by_descriptor(void)
{
	siginfo_t info;

	return done(waitid((idtype_t)3, (id_t)victim_fd, &info, WEXITED | WNOHANG));
}

static long watch_secret(void)
{
	return done(inotify_add_watch(watches, SECRET, IN_MODIFY));
}

static long watch_open_file(void)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return done(inotify_add_watch(watches, path, IN_MODIFY));
}

/* The signal goes with the rights of the one who set the owner. */
static long own_by_other(void)
{
	if (fcntl(pair[0], F_SETOWN, victim) < 0)
		return -errno;
	return fcntl(pair[0], F_GETOWN) == victim ? 0 : -ESRCH;
}

/* --- */

static void prepare(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.sample_period = 1000000000,
					.disabled = 1 };

	file = open(SECRET, O_RDWR | O_CREAT, 0600);
	if (openpty(&master, &terminal, NULL, NULL, NULL) < 0)
		show(error_name(errno), "opening a terminal");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	watches = inotify_init1(IN_NONBLOCK);
	victim = fork();
	if (victim == 0)
		for (;;)
			pause();
	victim_fd = (int)syscall(SYS_pidfd_open, victim, 0);
	event = (int)syscall(SYS_perf_event_open, &attr, victim, -1, -1, 0);
	if (event < 0)
		show(error_name(errno), "opening an event");
}

static void clean(void)
{
	int fds[] = { file, event, master, terminal, pair[0], pair[1], victim_fd, watches };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		close(fds[i]);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
	unlink(SECRET);
}

static const struct attack attacks[] = {
	{ "reading root's event", .alone = read_event },
	{ "enabling it", .alone = enable_event },
	{ "disabling it", .alone = disable_event },
	{ "resetting it", .alone = reset_event },
	{ "refreshing it", .alone = refresh_event },
	{ "setting its period", .alone = set_period },
	{ "its id", .alone = get_id },
	{ "a filter of an event without fields", .alone = set_filter },
	{ "pausing output that it does not have", .alone = pause_output },
	{ "its output to nothing", .alone = redirect_to_nothing },
	{ "mapping it", .alone = map_event },
	{ "joining its group, on root's process", .alone = join_group },
	{ "TIOCSTI", .alone = type_into },
	{ "tcgetattr", .alone = read_settings },
	{ "tcsetattr", .alone = change_settings },
	{ "TIOCSETD", .alone = set_discipline },
	{ "TIOCGSID", .alone = get_session },
	{ "TIOCGPGRP", .alone = get_foreground },
	{ "TIOCSPGRP", .alone = set_foreground },
	{ "TIOCEXCL", .alone = exclude_others },
	{ "opening the terminal again", .alone = open_terminal },
	{ "TIOCGPTPEER", .alone = open_peer },
	{ "TIOCSCTTY of a terminal without a session", .alone = take_terminal },
	{ "SO_PEERCRED of root's socket", .alone = peer_is_root },
	{ "SCM_CREDENTIALS: its own", .alone = claim_own },
	{ "SCM_CREDENTIALS: root's uid", .alone = claim_root },
	{ "SCM_CREDENTIALS: another's pid", .alone = claim_other_process },
	{ "SO_MARK", .alone = set_mark },
	{ "SO_PRIORITY of 7", .alone = set_priority },
	{ "F_SETOWN to root's process", .alone = own_by_other },
	{ "pidfd_send_signal to root's process", .alone = signal_by_descriptor },
	{ "pidfd_getfd from it", .alone = take_descriptor },
	{ "waiting for it", .alone = wait_by_descriptor },
	{ "watching root's file", .alone = watch_secret },
	{ "watching it by its descriptor", .alone = watch_open_file },
	{ "TIOCVHANGUP", .alone = hang_up }, /* the terminal is gone then: last */
};

int main(int argc, char **argv)
{
	static const char *const only[] = { "" };

	choose_attackers(argc, argv);
	try_attacks(attacks, sizeof(attacks) / sizeof(*attacks), only, 1, prepare, clean);
	return 0;
}
