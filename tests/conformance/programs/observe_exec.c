// SPDX-License-Identifier: BSD-2-Clause
/*
 * Starting programs: the errors of execve and execveat, how scripts find their interpreters, and the state of
 * a new program.
 *
 * Run with the argument "show" it is the new program and shows what it was given; with "fail" a name is ready
 * to say that it should not have been started.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "exec.h"

extern char **environ;

/* --- what the new program shows --- */

static const char *yes(bool is)
{
	return is ? "yes" : "no";
}

static void show_state(const char *name)
{
	struct sigaction action;
	sigset_t pending, blocked;
	stack_t stack;
	char comm[16] = "";
	int value = -1;

	prctl(PR_GET_NAME, comm);
	show(comm, "%s: name of the task", name);
	sigaction(SIGUSR1, NULL, &action);
	show(yes(action.sa_handler == SIG_DFL), "%s: a handled signal is default", name);
	sigaction(SIGUSR2, NULL, &action);
	show(yes(action.sa_handler == SIG_IGN), "%s: an ignored signal is ignored", name);
	show(outcome_value(action.sa_flags & ~0x04000000), "%s: its flags", name);
	sigpending(&pending);
	show(yes(sigismember(&pending, SIGTERM)), "%s: a pending signal is pending", name);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	show(yes(sigismember(&blocked, SIGTERM)), "%s: a blocked signal is blocked", name);
	sigaltstack(NULL, &stack);
	show(yes(stack.ss_flags == SS_DISABLE), "%s: no stack for signals", name);
	prctl(PR_GET_PDEATHSIG, &value);
	show(outcome_value(value), "%s: signal at the parent's end", name);
	show(outcome_value(prctl(PR_GET_DUMPABLE)), "%s: dumpable", name);
	show(outcome_value(prctl(PR_GET_TIMERSLACK)), "%s: timer slack", name);
	show(outcome(fcntl(50, F_GETFD)), "%s: a descriptor", name);
	show(outcome(fcntl(51, F_GETFD)), "%s: a descriptor closed on exec", name);
	show(outcome_value(umask(0)), "%s: umask", name);
}

static void show_auxiliary(const char *name)
{
	static const struct {
		unsigned long type;
		const char *name;
	} all[] = {
		{ AT_PAGESZ, "AT_PAGESZ" }, { AT_CLKTCK, "AT_CLKTCK" }, { AT_PHENT, "AT_PHENT" },
		{ AT_BASE, "AT_BASE" },	    { AT_FLAGS, "AT_FLAGS" },	{ AT_UID, "AT_UID" },
		{ AT_EUID, "AT_EUID" },	    { AT_GID, "AT_GID" },	{ AT_EGID, "AT_EGID" },
		{ AT_SECURE, "AT_SECURE" },
	};
	static const struct {
		unsigned long type;
		const char *name;
	} present[] = {
		{ AT_PHDR, "AT_PHDR" },
		{ AT_PHNUM, "AT_PHNUM" },
		{ AT_ENTRY, "AT_ENTRY" },
		{ AT_RANDOM, "AT_RANDOM" },
		{ AT_EXECFN, "AT_EXECFN" },
		{ AT_PLATFORM, "AT_PLATFORM" },
		{ AT_HWCAP, "AT_HWCAP" },
		{ AT_MINSIGSTKSZ, "AT_MINSIGSTKSZ" },
		{ AT_SYSINFO_EHDR, "AT_SYSINFO_EHDR" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		show(outcome_value((long)getauxval(all[i].type)), "%s: %s", name, all[i].name);
	for (size_t i = 0; i < sizeof(present) / sizeof(present[0]); i++)
		show(yes(getauxval(present[i].type) != 0), "%s: %s is there", name,
		     present[i].name);
	show((const char *)getauxval(AT_PLATFORM), "%s: the platform", name);
}

static int show_what_was_given(int argc, char **argv)
{
	const char *name = argv[argc - 1];
	char words[512] = "";

	for (int i = 0; i < argc; i++) {
		strncat(words, argv[i], sizeof(words) - strlen(words) - 2);
		strcat(words, "|");
	}
	show(words, "%s: arguments", name);
	show((const char *)getauxval(AT_EXECFN), "%s: AT_EXECFN", name);
	words[0] = '\0';
	for (char **at = environ; *at; at++) {
		strncat(words, *at, sizeof(words) - strlen(words) - 2);
		strcat(words, "|");
	}
	show(words, "%s: environment", name);
	if (strcmp(name, "state") == 0)
		show_state(name);
	if (strcmp(name, "auxiliary") == 0)
		show_auxiliary(name);
	return 0;
}

/* --- starting it --- */

static int start_path(const void *path)
{
	bool is_bad = (uintptr_t)path < PAGE_BYTES;
	char *words[] = { "word0", "show", is_bad ? "" : (char *)path, NULL };

	return (int)syscall(SYS_execve, path, words, plain_environment);
}

static void try_path(const char *path, const char *name)
{
	show(in_child(start_path, path), "execve of %s", name);
}

static void make_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	(void)!write(fd, text, strlen(text));
	fchmod(fd, mode);
	close(fd);
}

static void see_refusals(void)
{
	char long_path[5000];
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
			      .e_type = ET_EXEC,
			      .e_machine = EM_AARCH64,
			      .e_version = 1,
			      .e_phentsize = sizeof(Elf64_Phdr) };

	memset(long_path, 'x', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	try_path("", "no path");
	try_path("/none", "what is not there");
	try_path("/none/none", "what is in a directory that is not there");
	try_path("/", "a directory");
	try_path("/dev/null", "a device");
	try_path(long_path, "a path that is too long");
	try_path((const char *)8, "a bad address");
	make_file("/empty", "", 0755);
	try_path("/empty", "an empty file");
	make_file("/text", "hello\n", 0755);
	try_path("/text", "a text");
	try_path("/text/x", "below a file");
	try_path("/text/", "a file with a slash");
	make_file("/unmarked", "#!/proc/self/exe\n", 0644);
	try_path("/unmarked", "a file without permission");
	make_file("/short", "\177ELF\2\1\1", 0755);
	try_path("/short", "the beginning of a header");
	int fd = open("/other", O_CREAT | O_WRONLY, 0755);

	(void)!write(fd, &header, sizeof(header));
	try_path("/other", "a file that is open for writing");
	close(fd);
	try_path("/other", "another machine's program");
	show(outcome(open(SELF, O_WRONLY)), "writing what runs");
	show(outcome(open(SELF, O_RDWR | O_TRUNC)), "cutting what runs");
	show(outcome(truncate(SELF, 1 << 20)), "truncating what runs");
	fd = memfd_create("program", 0);
	(void)!ftruncate(fd, 100);
	show(outcome(syscall(SYS_execveat, fd, "", (char *[]){ "a", NULL }, environ,
			     AT_EMPTY_PATH)),
	     "execveat of nothing in memory");
	close(fd);
	if (symlink("/loop", "/loop") == 0)
		try_path("/loop", "a link to itself");
}

static int start_with_bad_arguments(const void *argument)
{
	char *words[] = { "a", (char *)8, NULL };

	return (int)syscall(SYS_execve, SELF, argument ? words : (char **)8, plain_environment);
}

static int start_with_bad_environment(const void *argument)
{
	char *words[] = { "a", "show", "x", NULL };
	char *bad[] = { (char *)8, NULL };

	return (int)syscall(SYS_execve, SELF, words, argument ? bad : (char **)8);
}

static int start_without_words(const void *argument)
{
	return (int)syscall(SYS_execve, argument, NULL, NULL);
}

/* --- scripts --- */

static void see_scripts(void)
{
	char line[400] = "#!";

	make_file("/script", "#!/proc/self/exe show\nwhatever\n", 0755);
	make_file("/script-words", "#! \t/proc/self/exe  show  more words \t\n", 0755);
	make_file("/script-no-end", "#!/proc/self/exe show", 0755);
	make_file("/script-nothing", "#! \t \n", 0755);
	make_file("/script-none", "#!/none\n", 0755);
	make_file("/script-directory", "#!/\n", 0755);
	make_file("/script-unmarked", "#!/unmarked\n", 0755);
	make_file("/script-text", "#!/text\n", 0755);
	try_path("/script", "a script");
	try_path("/script-words", "a script with words");
	try_path("/script-no-end", "a script without an end of line");
	try_path("/script-nothing", "a script that names nothing");
	try_path("/script-none", "a script without an interpreter's name");
	try_path("/script-directory", "a script for a directory");
	try_path("/script-unmarked", "a script for what may not be run");
	try_path("/script-text", "a script for a text");
	for (int i = 1; i <= 6; i++) {
		char path[16], text[32];

		snprintf(path, sizeof(path), "/nest%d", i);
		if (i == 1)
			snprintf(text, sizeof(text), "#!%s show\n", SELF);
		else
			snprintf(text, sizeof(text), "#!/nest%d\n", i - 1);
		make_file(path, text, 0755);
	}
	try_path("/nest4", "four scripts in a row");
	try_path("/nest5", "five scripts in a row");
	try_path("/nest6", "six scripts in a row");
	make_file("/self", "#!/self\n", 0755);
	try_path("/self", "a script for itself");
	/* The kernel looks at 255 bytes. */
	memset(line + 2, 'x', 300);
	make_file("/script-long", line, 0755);
	try_path("/script-long", "a script with a path that is too long");
	snprintf(line, sizeof(line), "#!%s show ", SELF);
	memset(line + strlen(line), 'y', 300);
	line[330] = '\0';
	make_file("/script-cut", line, 0755);
	pid_t pid = fork();

	if (pid == 0) {
		(void)!freopen("/dev/null", "w", stdout);
		start_path("/script-cut");
		_exit(FAILED + errno);
	}
	int status;

	waitpid(pid, &status, 0);
	show(outcome_value(WEXITSTATUS(status)), "execve of a script with a word that is too long");
}

/* --- execveat --- */

struct place {
	int fd;
	const char *path;
	int flags;
};

static int start_at(const void *argument)
{
	const struct place *place = argument;
	char *words[] = { "word0", "show", "at", NULL };

	return (int)syscall(SYS_execveat, place->fd, place->path, words, plain_environment,
			    place->flags);
}

static void try_at(int fd, const char *path, int flags, const char *name)
{
	struct place place = { fd, path, flags };
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		/* The program's own output does not belong to the answer. */
		(void)!freopen("/dev/null", "w", stdout);
		start_at(&place);
		_exit(FAILED + errno);
	}
	waitpid(pid, &status, 0);
	show(WEXITSTATUS(status) >= FAILED ? error_name(WEXITSTATUS(status) - FAILED) : "runs",
	     "execveat: %s", name);
}

static void see_execveat(void)
{
	int root = open("/", O_RDONLY | O_DIRECTORY), self = open(SELF, O_RDONLY);
	int path_only = open(SELF, O_PATH), script = open("/script", O_RDONLY);
	int closing = open("/script", O_RDONLY | O_CLOEXEC), text = open("/text", O_RDONLY);

	(void)!symlink("/script", "/link");
	try_at(AT_FDCWD, SELF, 0, "a whole path");
	try_at(root, "script", 0, "a script by a directory");
	try_at(root, "link", 0, "a link");
	try_at(root, "link", AT_SYMLINK_NOFOLLOW, "a link that is not followed");
	try_at(root, "script", AT_SYMLINK_NOFOLLOW, "a script, links not followed");
	try_at(-1, SELF, 0, "a whole path and a bad descriptor");
	try_at(-1, "script", 0, "a bad descriptor");
	try_at(text, "script", 0, "a descriptor that is no directory");
	try_at(self, "", 0, "no path");
	try_at(self, "", AT_EMPTY_PATH, "the program at a descriptor");
	try_at(path_only, "", AT_EMPTY_PATH, "the program at a descriptor with O_PATH");
	try_at(script, "", AT_EMPTY_PATH, "the script at a descriptor");
	try_at(closing, "", AT_EMPTY_PATH, "the script at a descriptor that closes");
	try_at(root, "", AT_EMPTY_PATH, "the directory at a descriptor");
	try_at(text, "", AT_EMPTY_PATH, "the text at a descriptor");
	try_at(AT_FDCWD, "", AT_EMPTY_PATH, "the current directory");
	try_at(-1, "", AT_EMPTY_PATH, "nothing at a bad descriptor");
	try_at(root, "script", 1, "flag 1");
	try_at(root, (const char *)8, 0, "a bad address");
	/* Shown whole: the names that it is given. */
	dup2(self, 60);
	show(in_child(start_at, &(struct place){ 60, "", AT_EMPTY_PATH }), "the program at 60");
}

/* --- stacks --- */

static void handle(int signal)
{
	(void)signal;
}

static int start_state(const void *argument)
{
	char *words[] = { "word0", "show", (char *)argument, NULL };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	sigset_t set;
	struct sigaction action = { .sa_handler = SIG_IGN, .sa_flags = SA_RESTART };

	signal(SIGUSR1, handle);
	sigaction(SIGUSR2, &action, NULL);
	sigaltstack(&stack, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTERM);
	prctl(PR_SET_PDEATHSIG, SIGWINCH);
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_TIMERSLACK, 12345);
	dup2(1, 50);
	dup3(1, 51, O_CLOEXEC);
	umask(031);
	return execve(SELF, words, plain_environment);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strncmp(argv[1], "show", 4) == 0)
		return show_what_was_given(argc, argv);
	if (argc > 1 && strcmp(argv[1], "fail") == 0)
		return NOT_SHOWN;
	/* Started once more without being asked for something. */
	if (argc > 1 || argv[0][0] == '\0')
		return NOT_SHOWN + argc;
	see_refusals();
	show(in_child(start_with_bad_arguments, NULL), "arguments at a bad address");
	show(in_child(start_with_bad_arguments, "x"), "an argument at a bad address");
	show(in_child(start_with_bad_environment, NULL), "environment at a bad address");
	show(in_child(start_with_bad_environment, "x"), "a variable at a bad address");
	show(in_child(start_without_words, SELF), "no arguments and no environment");
	see_scripts();
	see_execveat();
	show(in_child(start_state, "state"), "starting with state");
	show(in_child(start_state, "auxiliary"), "starting with an auxiliary vector");
	return 0;
}
