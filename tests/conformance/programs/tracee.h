/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Children to be traced, and their stops as text: shared by the programs that observe ptrace.
 */
#ifndef TESTS_TRACEE_H
#define TESTS_TRACEE_H

#include "observe.h"

#include <elf.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stddef.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

/* Missing in Debian 12's headers. */
#define CALL_MARK 0x80

/* The system call itself: the C library's function changes results. */
static inline long trace(long request, pid_t pid, unsigned long address, unsigned long data)
{
	return syscall(SYS_ptrace, request, pid, address, data);
}

/* A wait's status in words. */
static inline const char *state(int status)
{
	static char text[48];
	static const char *const events[] = { "",      " fork",	      " vfork", " clone",
					      " exec", " vfork done", " exit" };
	int event = status >> 16;

	if (WIFSTOPPED(status) && event == PTRACE_EVENT_STOP)
		snprintf(text, sizeof(text), "stopped by %d stop", WSTOPSIG(status));
	else if (WIFSTOPPED(status) && event < 7)
		snprintf(text, sizeof(text), "stopped by %d%s", WSTOPSIG(status), events[event]);
	else if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by %d", WTERMSIG(status));
	else if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	else
		snprintf(text, sizeof(text), "status %x", (unsigned int)status);
	return text;
}

/* Waits for the next stop or end of `pid`. */
static inline const char *next(pid_t pid)
{
	int status;

	return waitpid(pid, &status, __WALL) == pid ? state(status) : error_name(errno);
}

/* Lets it go on by `request` with `signal`, and waits. */
static inline const char *after(long request, pid_t pid, unsigned long signal)
{
	return trace(request, pid, 0, signal) < 0 ? error_name(errno) : next(pid);
}

/* A child that is traced, stopped by SIGSTOP, and then runs `body`; its exit status is what that
 * returns. */
static inline pid_t traced(int (*body)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		trace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(body());
	}
	waitpid(pid, NULL, __WALL);
	return pid;
}

/* The same, seized instead and stopped by an interrupt. */
static inline pid_t seized(int (*body)(void), unsigned long options)
{
	int go[2];
	char byte = 0;

	if (pipe(go) < 0)
		return -1;
	pid_t pid = fork();

	if (pid == 0) {
		close(go[1]);
		while (read(go[0], &byte, 1) < 0)
			;
		close(go[0]);
		_exit(body());
	}
	close(go[0]);
	trace(PTRACE_SEIZE, pid, 0, options);
	trace(PTRACE_INTERRUPT, pid, 0, 0);
	waitpid(pid, NULL, __WALL);
	write(go[1], &byte, 1);
	close(go[1]);
	return pid;
}

/* Ends a tracee, whatever it does. */
static inline void finish(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
		trace(PTRACE_CONT, pid, 0, 0);
}

static inline unsigned long user_word(pid_t pid, unsigned long offset)
{
#ifdef __alpha__
	/* Its result is the word. */
	return (unsigned long)trace(PTRACE_PEEKUSR, pid, offset, 0);
#else
	unsigned long word = 0;

	trace(PTRACE_PEEKUSR, pid, offset, (unsigned long)&word);
	return word;
#endif
}

/*
 * Registers and memory of a stopped tracee. Alpha's registers are words by their number; v0 is a call's
 * number, then its result; and a peek request returns the word as its result. peek() stores the word, as on
 * other ISAs.
 */
#ifdef __alpha__
#define TRACEE_CALL(pid)		   user_word(pid, 0)
#define TRACEE_RESULT(pid)		   user_word(pid, 0)
#define TRACEE_IP(pid)			   user_word(pid, 64)
#define TRACEE_SET_CALL(pid, number)	   trace(PTRACE_POKEUSR, pid, 0, number)
#define TRACEE_SET_RESULT(pid, result)	   ((void)0)
#define TRACEE_SET_ARGUMENT(pid, argument) trace(PTRACE_POKEUSR, pid, 16, argument)

static inline long peek(long request, pid_t pid, unsigned long address, unsigned long *word)
{
	errno = 0;
	unsigned long found = (unsigned long)trace(request, pid, address, 0);

	if (errno)
		return -1;
	*word = found;
	return 0;
}
#else
#define USER_WORD(pid, name)		   user_word(pid, offsetof(struct user_regs_struct, name))
#define TRACEE_CALL(pid)		   USER_WORD(pid, orig_rax)
#define TRACEE_RESULT(pid)		   USER_WORD(pid, rax)
#define TRACEE_IP(pid)			   USER_WORD(pid, rip)
#define TRACEE_SET_CALL(pid, number)	   POKE_WORD(pid, orig_rax, number)
#define TRACEE_SET_RESULT(pid, result)	   POKE_WORD(pid, rax, result)
#define TRACEE_SET_ARGUMENT(pid, argument) POKE_WORD(pid, rdi, argument)
#define POKE_WORD(pid, name, word) \
	trace(PTRACE_POKEUSR, pid, offsetof(struct user_regs_struct, name), word)
#define peek(request, pid, address, word) trace(request, pid, address, (unsigned long)(word))
#endif

/* A number as the text that show() takes. */
static inline const char *number(long value)
{
	static char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	return text;
}

#endif
