/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs every system call as a line like strace's: "PID name(arguments) = result".
 *
 * A table of shapes has a letter for each argument, in order. A call without a row shows its registers
 * in hexadecimal. The line is written when the call returns, so a call that sleeps comes after the
 * calls that others made meanwhile; a call that does not return is written at once, with "= ?". No
 * state survives a call, so there is nothing to lock.
 */
#include <string.h>

#include <arch/task.h>
#include <kernel/base/boot.h>
#include <kernel/base/entry.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/base/syscall.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/syscall/syscall_trace.h>
#include <machine/calls.h>
#include <uapi/asm/unistd.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>

#include "names.h"

/* Longest part of a string that is shown. */
#define STRING_SHOWN  48
/* Room for one argument as text: a string, quotes, dots, a comma. */
#define ARGUMENT_SIZE (STRING_SHOWN + 16)

/* d: a signed int; l: a signed long; u: a size; x: an address or flags; o: a mode, in octal; s: a
 * string; f: a directory's descriptor, which may be AT_FDCWD; b: bytes, whose number is the next
 * argument. */
static const char *const shapes[] = {
#define SHAPE(call, letters) [__NR_##call] = letters
	SHAPE(read, "dxu"),
	SHAPE(write, "dbu"),
	SHAPE(pread64, "dxul"),
	SHAPE(pwrite64, "dbul"),
	SHAPE(readv, "dxu"),
	SHAPE(writev, "dxu"),
	SHAPE(close, "d"),
	SHAPE(lseek, "dld"),
	SHAPE(ioctl, "dxx"),
	SHAPE(fcntl, "ddx"),
	SHAPE(dup, "d"),
	SHAPE(dup2, "dd"),
	SHAPE(dup3, "ddx"),
	SHAPE(getdents64, "dxu"),
	SHAPE(getdents, "dxu"),
	SHAPE(poll, "xud"),
	SHAPE(close_range, "uux"),
	SHAPE(open, "sxo"),
	SHAPE(openat, "fsxo"),
	SHAPE(stat, "sx"),
	SHAPE(lstat, "sx"),
	SHAPE(fstat, "dx"),
	SHAPE(statx, "fsxxx"),
	SHAPE(statfs, "sx"),
	SHAPE(fstatfs, "dx"),
	SHAPE(readlink, "sxu"),
	SHAPE(readlinkat, "fsxu"),
	SHAPE(access, "so"),
	SHAPE(faccessat, "fso"),
	SHAPE(faccessat2, "fsox"),
	SHAPE(getcwd, "xu"),
	SHAPE(chdir, "s"),
	SHAPE(fchdir, "d"),
	SHAPE(chroot, "s"),
	SHAPE(umask, "o"),
	SHAPE(mkdir, "so"),
	SHAPE(mkdirat, "fso"),
	SHAPE(mknod, "sox"),
	SHAPE(mknodat, "fsox"),
	SHAPE(inotify_add_watch, "dsx"),
	SHAPE(inotify_rm_watch, "dd"),
	SHAPE(unlink, "s"),
	SHAPE(unlinkat, "fsx"),
	SHAPE(rmdir, "s"),
	SHAPE(link, "ss"),
	SHAPE(linkat, "fsfsx"),
	SHAPE(symlink, "ss"),
	SHAPE(symlinkat, "sfs"),
	SHAPE(rename, "ss"),
	SHAPE(renameat, "fsfs"),
	SHAPE(renameat2, "fsfsx"),
	SHAPE(chmod, "so"),
	SHAPE(fchmod, "do"),
	SHAPE(fchmodat, "fso"),
	SHAPE(chown, "sdd"),
	SHAPE(lchown, "sdd"),
	SHAPE(fchown, "ddd"),
	SHAPE(fchownat, "fsddx"),
	SHAPE(utimensat, "fsxx"),
	SHAPE(truncate, "sl"),
	SHAPE(ftruncate, "dl"),
	SHAPE(fallocate, "dxll"),
	SHAPE(memfd_create, "sx"),
	SHAPE(mount, "sssxx"),
	SHAPE(umount2, "sx"),
	SHAPE(flock, "dd"),
	SHAPE(pipe2, "xx"),
	SHAPE(eventfd2, "ux"),
	SHAPE(epoll_create1, "x"),
	SHAPE(epoll_ctl, "dddx"),
	SHAPE(epoll_wait, "dxdd"),
	SHAPE(epoll_pwait, "dxddxu"),
	SHAPE(select, "dxxxx"),
	SHAPE(socket, "dxd"),
	SHAPE(socketpair, "dxdx"),
	SHAPE(bind, "dxu"),
	SHAPE(listen, "dd"),
	SHAPE(accept, "dxx"),
	SHAPE(accept4, "dxxx"),
	SHAPE(connect, "dxu"),
	SHAPE(sendto, "dbuxxu"),
	SHAPE(recvfrom, "dxuxxx"),
	SHAPE(sendmsg, "dxx"),
	SHAPE(recvmsg, "dxx"),
	SHAPE(shutdown, "dd"),
	SHAPE(setsockopt, "dddxu"),
	SHAPE(getsockopt, "dddxx"),
	SHAPE(mmap, "xuxxdx"),
	SHAPE(munmap, "xu"),
	SHAPE(mprotect, "xux"),
	SHAPE(madvise, "xud"),
	SHAPE(mremap, "xuuxx"),
	SHAPE(brk, "x"),
	SHAPE(execve, "sxx"),
	SHAPE(exit, "d"),
	SHAPE(exit_group, "d"),
	SHAPE(wait4, "dxxx"),
	SHAPE(waitid, "ddxxx"),
	SHAPE(kill, "dd"),
	SHAPE(tkill, "dd"),
	SHAPE(tgkill, "ddd"),
	SHAPE(rt_sigaction, "dxxu"),
	SHAPE(rt_sigprocmask, "dxxu"),
	SHAPE(rt_sigsuspend, "xu"),
	SHAPE(prctl, "dxxxx"),
	SHAPE(setpgid, "dd"),
	SHAPE(getpgid, "d"),
	SHAPE(getsid, "d"),
	SHAPE(setuid, "d"),
	SHAPE(setgid, "d"),
	SHAPE(getpriority, "dd"),
	SHAPE(setpriority, "ddd"),
	SHAPE(prlimit64, "ddxx"),
	SHAPE(getrlimit, "dx"),
	SHAPE(setrlimit, "dx"),
	SHAPE(getrusage, "dx"),
	SHAPE(futex, "xxuxxu"),
	SHAPE(sched_setaffinity, "dux"),
	SHAPE(sched_getaffinity, "dux"),
	SHAPE(clock_gettime, "dx"),
	SHAPE(clock_nanosleep, "dxxx"),
	SHAPE(setitimer, "dxx"),
	SHAPE(getrandom, "xux"),
	SHAPE(ptrace, "ddxx"),
	SHAPE(perf_event_open, "xdddx"),
	MACHINE_SHAPES,
#undef SHAPE
};

static const char *const errors[] = {
#define NAME(error) [error] = #error
	NAME(EPERM),
	NAME(ENOENT),
	NAME(ESRCH),
	NAME(EINTR),
	NAME(EIO),
	NAME(ENXIO),
	NAME(E2BIG),
	NAME(ENOEXEC),
	NAME(EBADF),
	NAME(ECHILD),
	NAME(EAGAIN),
	NAME(ENOMEM),
	NAME(EACCES),
	NAME(EFAULT),
	NAME(ENOTBLK),
	NAME(EBUSY),
	NAME(EEXIST),
	NAME(EXDEV),
	NAME(ENODEV),
	NAME(ENOTDIR),
	NAME(EISDIR),
	NAME(EINVAL),
	NAME(ENFILE),
	NAME(EMFILE),
	NAME(ENOTTY),
	NAME(ETXTBSY),
	NAME(EFBIG),
	NAME(ENOSPC),
	NAME(ESPIPE),
	NAME(EROFS),
	NAME(EMLINK),
	NAME(EPIPE),
	NAME(EDOM),
	NAME(ERANGE),
	NAME(EDEADLK),
	NAME(ENAMETOOLONG),
	NAME(ENOLCK),
	NAME(ENOSYS),
	NAME(ENOTEMPTY),
	NAME(ELOOP),
	NAME(ENOMSG),
	NAME(EIDRM),
	NAME(ECHRNG),
	NAME(EL2NSYNC),
	NAME(EL3HLT),
	NAME(EL3RST),
	NAME(ELNRNG),
	NAME(EUNATCH),
	NAME(ENOCSI),
	NAME(EL2HLT),
	NAME(EBADE),
	NAME(EBADR),
	NAME(EXFULL),
	NAME(ENOANO),
	NAME(EBADRQC),
	NAME(EBADSLT),
	NAME(EBFONT),
	NAME(ENOSTR),
	NAME(ENODATA),
	NAME(ETIME),
	NAME(ENOSR),
	NAME(ENONET),
	NAME(ENOPKG),
	NAME(EREMOTE),
	NAME(ENOLINK),
	NAME(EADV),
	NAME(ESRMNT),
	NAME(ECOMM),
	NAME(EPROTO),
	NAME(EMULTIHOP),
	NAME(EDOTDOT),
	NAME(EBADMSG),
	NAME(EOVERFLOW),
	NAME(ENOTUNIQ),
	NAME(EBADFD),
	NAME(EREMCHG),
	NAME(ELIBACC),
	NAME(ELIBBAD),
	NAME(ELIBSCN),
	NAME(ELIBMAX),
	NAME(ELIBEXEC),
	NAME(EILSEQ),
	NAME(ERESTART),
	NAME(ESTRPIPE),
	NAME(EUSERS),
	NAME(ENOTSOCK),
	NAME(EDESTADDRREQ),
	NAME(EMSGSIZE),
	NAME(EPROTOTYPE),
	NAME(ENOPROTOOPT),
	NAME(EPROTONOSUPPORT),
	NAME(ESOCKTNOSUPPORT),
	NAME(EOPNOTSUPP),
	NAME(EPFNOSUPPORT),
	NAME(EAFNOSUPPORT),
	NAME(EADDRINUSE),
	NAME(EADDRNOTAVAIL),
	NAME(ENETDOWN),
	NAME(ENETUNREACH),
	NAME(ENETRESET),
	NAME(ECONNABORTED),
	NAME(ECONNRESET),
	NAME(ENOBUFS),
	NAME(EISCONN),
	NAME(ENOTCONN),
	NAME(ESHUTDOWN),
	NAME(ETOOMANYREFS),
	NAME(ETIMEDOUT),
	NAME(ECONNREFUSED),
	NAME(EHOSTDOWN),
	NAME(EHOSTUNREACH),
	NAME(EALREADY),
	NAME(EINPROGRESS),
	NAME(ESTALE),
	NAME(EUCLEAN),
	NAME(ENOTNAM),
	NAME(ENAVAIL),
	NAME(EISNAM),
	NAME(EREMOTEIO),
	NAME(EDQUOT),
	NAME(ENOMEDIUM),
	NAME(EMEDIUMTYPE),
	NAME(ECANCELED),
	NAME(ENOKEY),
	NAME(EKEYEXPIRED),
	NAME(EKEYREVOKED),
	NAME(EKEYREJECTED),
	NAME(EOWNERDEAD),
	NAME(ENOTRECOVERABLE),
	NAME(ERFKILL),
	NAME(EHWPOISON),
#undef NAME
};

bool syscall_is_logged;

void syscall_trace_init(void)
{
	char value[16];

	if (!boot_option("trace", value, sizeof(value)))
		return;
	if (strcmp(value, "syscalls") != 0)
		boot_failure("trace=%s: only trace=syscalls is known", value);
	syscall_is_logged = true;
	hook_listen(HOOK_call, true);
}

/* Prints ADDRESS's bytes between quotes: SIZE of them, or (SIZE_MAX) a string. A dot stands for a byte
 * that cannot be shown, three dots for omitted bytes. */
static void put_bytes(char *text, unsigned long address, size_t size)
{
	char bytes[STRING_SHOWN + 1];
	size_t length = size < STRING_SHOWN ? size : STRING_SHOWN;
	bool more = size != SIZE_MAX && size > STRING_SHOWN;

	if (size == SIZE_MAX) {
		long found = copy_string_from_user(bytes, (const char *)address, sizeof(bytes));

		more = found == -ENAMETOOLONG;
		length = more ? STRING_SHOWN : (size_t)found;
		if (found == -EFAULT)
			length = SIZE_MAX;
	} else if (copy_from_user(bytes, (const void *)address, length)) {
		length = SIZE_MAX;
	}
	if (length == SIZE_MAX) {
		format_string(text, ARGUMENT_SIZE, "0x%lx", address);
		return;
	}
	for (size_t i = 0; i < length; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			bytes[i] = '.';
	format_string(text, ARGUMENT_SIZE, "\"%.*s\"%s", (int)length, bytes, more ? "..." : "");
}

static void put_octal(char *text, unsigned long value)
{
	char digits[ARGUMENT_SIZE];
	size_t at = sizeof(digits);

	digits[--at] = '\0';
	for (; value; value /= 8)
		digits[--at] = (char)('0' + value % 8);
	digits[--at] = '0';
	strlcpy(text, digits + at, ARGUMENT_SIZE);
}

/* Prints argument I of COUNT in ARG. */
static void put_argument(char *text, char letter, const unsigned long *arg, unsigned int i,
			 unsigned int count)
{
	switch (letter) {
	case 's':
		put_bytes(text, arg[i], SIZE_MAX);
		break;
	case 'b':
		put_bytes(text, arg[i], i + 1 < count && arg[i + 1] < SIZE_MAX ? arg[i + 1] : 0);
		break;
	case 'o':
		put_octal(text, (unsigned int)arg[i]);
		break;
	case 'f':
		if ((int)arg[i] == AT_FDCWD) {
			strlcpy(text, "AT_FDCWD", ARGUMENT_SIZE);
			break;
		}
		/* fall through */
	case 'd':
		format_string(text, ARGUMENT_SIZE, "%d", (int)arg[i]);
		break;
	case 'l':
		format_string(text, ARGUMENT_SIZE, "%ld", (long)arg[i]);
		break;
	case 'u':
		format_string(text, ARGUMENT_SIZE, "%lu", arg[i]);
		break;
	default:
		format_string(text, ARGUMENT_SIZE, arg[i] ? "0x%lx" : "%ld", arg[i]);
	}
}

void syscall_trace_begin(char *text, unsigned long number, const unsigned long *arg,
			 unsigned int count)
{
	const char *name = syscall_name(number);
	const char *letters = "";

	if (number < sizeof(shapes) / sizeof(shapes[0]) && shapes[number])
		letters = shapes[number];
	/* The ISA's own calls have no row in the table. */
	if (!count)
		count = (unsigned int)strlen(letters);
	if (name)
		format_string(text, SYSCALL_TRACE_TEXT, "%s(", name);
	else
		format_string(text, SYSCALL_TRACE_TEXT, "call_%lu(", number);
	for (unsigned int i = 0; i < count; i++) {
		char argument[ARGUMENT_SIZE];
		size_t used = strlen(text);

		put_argument(argument, *letters, arg, i, count);
		if (*letters)
			letters++;
		format_string(text + used, SYSCALL_TRACE_TEXT - used, "%s%s", i ? ", " : "",
			      argument);
	}
	if (number == __NR_exit || number == __NR_exit_group)
		log_info("%d %s) = ?", task_current()->tid, text);
}

void syscall_trace_end(const char *text, long result)
{
	int tid = task_current()->tid;
	size_t error = (size_t)-result;

	if (result < 0 && error < sizeof(errors) / sizeof(errors[0]) && errors[error])
		log_info("%d %s) = -1 %s", tid, text, errors[error]);
	else if (result > -4096 && result < 1 << 20)
		log_info("%d %s) = %ld", tid, text, result);
	else
		log_info("%d %s) = 0x%lx", tid, text, (unsigned long)result);
}
