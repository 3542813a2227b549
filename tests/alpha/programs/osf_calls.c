/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * osf_calls: what else Linux/alpha has of OSF/1's calls: directories, mounts, names, signal stacks, and what getsysinfo
 * and setsysinfo tell and change. Source of the expected values: Linux's arch/alpha/kernel/osf_sys.c and traps.c. A static
 * program of the GNU C library.
 */
#define _GNU_SOURCE

#include <asm/sysinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "points.h"

/* --- directories and mounts --- */

struct osf_dirent {
	uint32_t number;
	uint16_t size, name_size;
	char name[];
};

struct old_dirent {
	uint64_t number;
	int64_t offset;
	uint16_t size;
	char name[];
};

static void check_directories(void)
{
	char buffer[256];
	const struct osf_dirent *entry = (const struct osf_dirent *)buffer;
	const struct old_dirent *old = (const struct old_dirent *)buffer;
	int64_t position = -1;
	struct stat stat;

	mkdir("/listed", 0755);
	close(open("/listed/abcde", O_CREAT | O_RDWR, 0644));
	int directory = open("/listed", O_RDONLY | O_DIRECTORY);

	lstat("/listed/abcde", &stat);
	memset(buffer, 0xff, sizeof(buffer));
	/* ".", "..": 12 bytes; 8, five and an end: 16. */
	point(syscall(SYS_osf_getdirentries, directory, buffer, 24u, &position) == 24 &&
		      position == 0,
	      "getdirentries fills what there is room for, and tells from where on");
	point(entry->size == 12 && entry->name_size == 1 && strcmp(entry->name, ".") == 0 &&
		      strcmp(buffer + 20, "..") == 0 && buffer[24] == (char)0xff,
	      "... entries of a directory's own");
	point(fails(syscall(SYS_osf_getdirentries, directory, buffer, 15u, &position), EINVAL) &&
		      position == 0,
	      "... none when there is no room for one");
	point(syscall(SYS_osf_getdirentries, directory, buffer, sizeof(buffer), &position) == 16 &&
		      position == 2 && entry->number == stat.st_ino && entry->size == 16 &&
		      entry->name_size == 5 && strcmp(entry->name, "abcde") == 0,
	      "... and of a file");
	position = -1;
	point(syscall(SYS_osf_getdirentries, directory, buffer, sizeof(buffer), &position) == 0 &&
		      position == -1,
	      "... until the end, which begins nowhere");
	lseek(directory, 0, SEEK_SET);
	point(fails(syscall(SYS_osf_getdirentries, directory, BAD, sizeof(buffer), NULL), EFAULT) &&
		      lseek(directory, 0, SEEK_CUR) == 0,
	      "... not to nowhere");
	point(fails(syscall(SYS_osf_getdirentries, directory, buffer, sizeof(buffer), BAD), EFAULT),
	      "... nor from where on");
	point(fails(syscall(SYS_osf_getdirentries, 99, buffer, sizeof(buffer), NULL), EBADF),
	      "... of no descriptor");
	point(fails(syscall(SYS_osf_getdirentries, STDIN_FILENO, buffer, sizeof(buffer), NULL),
		    ENOTDIR),
	      "... of no directory");

	lseek(directory, 0, SEEK_SET);
	memset(buffer, 0xff, sizeof(buffer));
	point(syscall(SYS_getdents, directory, buffer, sizeof(buffer)) == 24 + 24 + 32 &&
		      old->size == 24 && strcmp(old->name, ".") == 0 && buffer[23] == 4,
	      "getdents: a directory, its type in the last byte");
	old = (const struct old_dirent *)(buffer + 48);
	point(old->number == stat.st_ino && old->size == 32 && strcmp(old->name, "abcde") == 0 &&
		      buffer[79] == 8,
	      "... and a file");
	close(directory);
	unlink("/listed/abcde");
	rmdir("/listed");
}

static void check_mounts(void)
{
	struct {
		const char *device;
		int flags;
		unsigned int root;
	} none = { "/dev/none", 0, 0 }, nowhere = { BAD, 0, 0 }, unnamed = { "", 0, 0 };

	mkdir("/here", 0755);
	point(syscall(SYS_osf_mount, 9l, "/here", 0, &none) == 0 &&
		      access("/here/self/stat", F_OK) == 0,
	      "mount: proc");
	point(syscall(SYS_oldumount, "/here") == 0 && fails(access("/here/self", F_OK), ENOENT),
	      "oldumount: gone");
	point(fails(syscall(SYS_oldumount, "/here"), EINVAL), "... once");
	point(fails(syscall(SYS_oldumount, BAD), EFAULT), "... not nowhere");
	/* Neither is there in a Linux without disks. */
	point(fails(syscall(SYS_osf_mount, 1l, "/here", 0, &none), ENODEV), "there is no ext2");
	point(fails(syscall(SYS_osf_mount, 6l, "/here", 0, &none), ENODEV), "... nor iso9660");
	point(fails(syscall(SYS_osf_mount, 1l, "/here", 0, &nowhere), EFAULT),
	      "... on what is nowhere");
	point(fails(syscall(SYS_osf_mount, 6l, "/here", 0, &unnamed), ENOENT),
	      "... on what has no name");
	point(fails(syscall(SYS_osf_mount, 9l, "/here", 0, BAD), EFAULT), "arguments nowhere");
	point(fails(syscall(SYS_osf_mount, 9l, "/none", 0, &none), ENOENT), "nowhere to mount it");
	point(fails(syscall(SYS_osf_mount, 2l, "/here", 0, &none), EINVAL), "no such type");
	rmdir("/here");
}

static void check_properties(void)
{
	int64_t arguments[6] = { 0, 0, 12, 0, 0, 0 };
	int needed = -1;

	point(syscall(SYS_osf_proplist_syscall, 1, arguments) == 12, "proplist: set by path");
	arguments[1] = 13;
	point(syscall(SYS_osf_proplist_syscall, 2, arguments) == 13, "... by descriptor");
	arguments[5] = (intptr_t)&needed;
	point(syscall(SYS_osf_proplist_syscall, 3, arguments) == 0 && needed == 0,
	      "... get by path");
	needed = -1;
	arguments[4] = (intptr_t)&needed;
	point(syscall(SYS_osf_proplist_syscall, 4, arguments) == 0 && needed == 0,
	      "... by descriptor");
	point(syscall(SYS_osf_proplist_syscall, 5, BAD) == 0 &&
		      syscall(SYS_osf_proplist_syscall, 6, BAD) == 0,
	      "... delete");
	point(fails(syscall(SYS_osf_proplist_syscall, 1, BAD), EFAULT), "... arguments nowhere");
	arguments[4] = (intptr_t)BAD;
	point(fails(syscall(SYS_osf_proplist_syscall, 4, arguments), EFAULT),
	      "... nowhere for the answer");
	point(fails(syscall(SYS_osf_proplist_syscall, 0, arguments), EOPNOTSUPP) &&
		      fails(syscall(SYS_osf_proplist_syscall, 7, arguments), EOPNOTSUPP),
	      "... no such operation");
}

/* --- names --- */

static void check_names(void)
{
	struct utsname names;
	char shown[6][32], large[80];

	uname(&names);
	memset(shown, 'x', sizeof(shown));
	point(syscall(SYS_osf_utsname, shown) == 0 && strcmp(shown[0], names.sysname) == 0 &&
		      strcmp(shown[1], names.nodename) == 0 &&
		      strcmp(shown[2], names.release) == 0 &&
		      memcmp(shown[3], names.version, 32) == 0 &&
		      strcmp(shown[4], names.machine) == 0,
	      "utsname: five names of 32 bytes");
	point(shown[5][0] == 'x', "... and no more");
	point(fails(syscall(SYS_osf_utsname, BAD), EFAULT), "... not to nowhere");

	setdomainname("domain", 6);
	memset(large, 'x', sizeof(large));
	point(syscall(SYS_osf_getdomainname, large, 80) == 0 && strcmp(large, "domain") == 0 &&
		      large[7] == 'x',
	      "getdomainname");
	memset(large, 'x', sizeof(large));
	point(syscall(SYS_osf_getdomainname, large, 3) == 0 && memcmp(large, "domx", 4) == 0,
	      "... cut off");
	setdomainname("a domain of forty characters, and no end", 40);
	memset(large, 'x', sizeof(large));
	point(syscall(SYS_osf_getdomainname, large, -1) == 0 &&
		      memcmp(large, "a domain of forty characters, anx", 33) == 0,
	      "... after 32, also for a size that is none");
	point(fails(syscall(SYS_osf_getdomainname, BAD, 8), EFAULT), "... not to nowhere");

	memset(large, 'x', sizeof(large));
	point(syscall(SYS_gethostname, large, sizeof(large)) == 0 &&
		      strcmp(large, names.nodename) == 0,
	      "gethostname");
	memset(large, 'x', sizeof(large));
	point(syscall(SYS_gethostname, large, 2) == 0 && memcmp(large, names.nodename, 2) == 0 &&
		      large[2] == 'x',
	      "... cut off");
	point(fails(syscall(SYS_gethostname, large, -1), EINVAL), "... not of less than no bytes");
	point(fails(syscall(SYS_gethostname, BAD, 8), EFAULT), "... not to nowhere");

	point(syscall(SYS_osf_sysinfo, 4, large, 80l) == 0 && strcmp(large, names.version) == 0,
	      "sysinfo: all of a name");
	point(syscall(SYS_osf_sysinfo, 6, large, 80l) == 0 && strcmp(large, "alpha") == 0,
	      "... the instruction set");
	memset(large, 'x', sizeof(large));
	point(syscall(SYS_osf_sysinfo, 1, large, 3l) == 0 && memcmp(large, names.sysname, 3) == 0 &&
		      large[3] == 'x',
	      "... cut off");
	point(syscall(SYS_osf_sysinfo, 9, large, -1l) == 0 && strcmp(large, "dummy") == 0,
	      "... the last");
	point(fails(syscall(SYS_osf_sysinfo, 0, large, 80l), EINVAL) &&
		      fails(syscall(SYS_osf_sysinfo, 10, large, 80l), EINVAL),
	      "... there are nine");
	point(fails(syscall(SYS_osf_sysinfo, 1, BAD, 80l), EFAULT), "... not to nowhere");
}

/* --- signal stacks --- */

struct osf_sigstack {
	void *end;
	int in_use;
};

static char *stack_end;
static bool on_stack, refused, in_use;

static void on_which(int number __attribute__((unused)))
{
	char here;
	struct osf_sigstack other = { stack_end, 0 }, shown = { 0 };

	on_stack = &here<stack_end && & here> stack_end - 16384;
	refused = fails(syscall(SYS_osf_sigstack, &other, NULL), EPERM);
	in_use = syscall(SYS_osf_sigstack, NULL, &shown) == 0 && shown.in_use == 1 &&
		 shown.end == stack_end;
}

static void check_stack(void)
{
	struct sigaction action = { .sa_handler = on_which, .sa_flags = SA_ONSTACK };
	struct osf_sigstack stack, old = { BAD, -1 };
	stack_t now;

	stack_end = (char *)malloc(65536) + 65536;
	stack.end = stack_end;
	point(syscall(SYS_osf_sigstack, &stack, &old) == 0 && !old.end && !old.in_use,
	      "sigstack tells that there was none");
	point(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack_end - 16384 &&
		      now.ss_size == 16384 && !now.ss_flags,
	      "... makes one of a size that it presumes");
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	point(on_stack, "... on which handlers run");
	point(in_use, "... as it tells");
	point(refused, "... and meanwhile there is no other");
	point(fails(syscall(SYS_osf_sigstack, BAD, NULL), EFAULT), "... not from nowhere");
	stack.end = NULL;
	point(fails(syscall(SYS_osf_sigstack, &stack, BAD), EFAULT) &&
		      sigaltstack(NULL, &now) == 0 && now.ss_sp == (void *)-16384l,
	      "... nowhere to tell it: the new one is set all the same");
	now.ss_flags = SS_DISABLE;
	sigaltstack(&now, NULL);
}

/* --- getsysinfo and setsysinfo --- */

static long get(unsigned long what, void *buffer, unsigned long size)
{
	return syscall(SYS_osf_getsysinfo, what, buffer, size, NULL, NULL);
}

static long set(unsigned long what, const void *buffer, unsigned long size)
{
	return syscall(SYS_osf_setsysinfo, what, buffer, size, NULL, NULL);
}

#define TRAPS	 (0x3ful << 1)
#define HAPPENED (0x3ful << 17)

static volatile sig_atomic_t raised, code;
static void *volatile where;

static void note(int number, siginfo_t *info, void *context __attribute__((unused)))
{
	raised = number;
	code = info->si_code;
	where = info->si_addr;
}

/* The code of the signal for EXCEPTIONS with CONTROL set; 0: no signal. */
static int code_of(uint64_t control, uint64_t exceptions)
{
	raised = code = 0;
	set(SSI_IEEE_FP_CONTROL, &control, 0);
	set(SSI_IEEE_RAISE_EXCEPTION, &exceptions, 0);
	return raised == SIGFPE ? code : 0;
}

static void check_floating(void)
{
	struct sigaction action = { .sa_sigaction = note, .sa_flags = SA_SIGINFO };
	static const int codes[6] = { FPE_FLTINV, FPE_FLTDIV, FPE_FLTOVF,
				      FPE_FLTUND, FPE_FLTRES, FPE_FLTUND };
	uint64_t before, now = 0, none = 0, some = 1ul << 17 | 1ul << 22;
	sigset_t signals;
	bool all = true;

	sigaction(SIGFPE, &action, NULL);
	point(get(GSI_IEEE_FP_CONTROL, &before, 0) == 0, "floating-point control");
	point(set(SSI_IEEE_FP_CONTROL, &some, 0) == 0 && get(GSI_IEEE_FP_CONTROL, &now, 0) == 0 &&
		      now == some,
	      "... all that has happened can be set, denormal operands too");
	point(code_of(0, HAPPENED) == 0 && get(GSI_IEEE_FP_CONTROL, &now, 0) == 0 &&
		      now == HAPPENED,
	      "exceptions that nobody wants happen, and are no signal");
	for (unsigned int i = 0; i < 6; i++)
		all = all && code_of(TRAPS, 1ul << (17 + i)) == codes[i];
	point(all && where == NULL, "others are, each with its code, and nowhere");
	point(code_of(TRAPS, HAPPENED) == FPE_FLTINV, "... of several the gravest");
	point(code_of(1ul << 5, HAPPENED) == FPE_FLTRES, "... that is wanted");
	/* Linux does not force it. */
	sigemptyset(&signals);
	sigaddset(&signals, SIGFPE);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	point(code_of(TRAPS, 1ul << 17) == 0 && sigpending(&signals) == 0 &&
		      sigismember(&signals, SIGFPE),
	      "... a signal that can be blocked");
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	point(raised == SIGFPE, "... until it is not");
	point(fails(get(GSI_IEEE_FP_CONTROL, BAD, 0), EFAULT) &&
		      fails(set(SSI_IEEE_FP_CONTROL, BAD, 0), EFAULT) &&
		      fails(set(SSI_IEEE_RAISE_EXCEPTION, BAD, 0), EFAULT),
	      "... nothing of it nowhere");
	set(SSI_IEEE_FP_CONTROL, &none, 0);
	set(SSI_IEEE_FP_CONTROL, &before, 0);
}

static char bytes[32] __attribute__((aligned(8)));

/* A load from an odd address: what it finds, or 1 where the register is not written. */
static uint64_t load_odd(void)
{
	uint64_t value = 1;

	__asm__ volatile("ldq %0, 1(%1)" : "+r"(value) : "r"(bytes), "m"(bytes));
	return value;
}

static uint32_t unaligned(void)
{
	uint32_t control = 99;

	return get(GSI_UACPROC, &control, sizeof(control)) == 1 ? control : 98;
}

static bool set_unaligned(uint32_t control)
{
	const uint32_t pair[2] = { SSIN_UACPROC, control };

	return set(SSI_NVPAIRS, pair, 1) == 0;
}

static void check_unaligned(void)
{
	const uint32_t pairs[4] = { SSIN_UACPROC, UAC_NOPRINT, 5, UAC_SIGBUS };
	uint32_t word;
	int status;

	memset(bytes, 0x21, sizeof(bytes));
	point(unaligned() == 0 && load_odd() == 0x2121212121212121, "unaligned accesses are done");
	point(set_unaligned(UAC_NOFIX | 0xf0) && unaligned() == UAC_NOFIX && load_odd() == 1,
	      "... or left out");
	pid_t child = fork();

	if (child == 0)
		_exit(unaligned() == UAC_NOFIX && load_odd() == 1);
	point(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 1,
	      "... by a child, too");
	child = fork();
	if (child == 0) {
		set_unaligned(UAC_SIGBUS);
		_exit(load_odd() == 1);
	}
	point(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		      WTERMSIG(status) == SIGBUS,
	      "... or are SIGBUS");
	point(unaligned() == UAC_NOFIX, "... which is that child's matter");
	point(fails(set(SSI_NVPAIRS, pairs, 2), EOPNOTSUPP) && unaligned() == UAC_NOPRINT,
	      "a name that is none: what was before it is done");
	point(set(SSI_NVPAIRS, BAD, 0) == 0 && fails(set(SSI_NVPAIRS, BAD, 1), EFAULT),
	      "pairs nowhere");
	point(fails(get(GSI_UACPROC, &word, 3), EINVAL), "too little room");
	point(fails(get(GSI_UACPROC, BAD, 4), EFAULT), "... or nowhere");
	point(prctl(PR_SET_UNALIGN, 4) == 0 && unaligned() == UAC_NOFIX && load_odd() == 1 &&
		      prctl(PR_SET_UNALIGN, PR_UNALIGN_SIGBUS | PR_UNALIGN_NOPRINT) == 0 &&
		      unaligned() == (UAC_SIGBUS | UAC_NOPRINT),
	      "prctl sets the same, by other numbers");
	point(prctl(PR_GET_UNALIGN, &word) == 0 && word == (PR_UNALIGN_SIGBUS | PR_UNALIGN_NOPRINT),
	      "... and tells it");
	point(fails(prctl(PR_GET_UNALIGN, BAD), EFAULT), "... not nowhere");
	point(prctl(PR_SET_UNALIGN, 0) == 0 && unaligned() == 0 && load_odd() == 0x2121212121212121,
	      "and they are done again");
}

static void check_machine(void)
{
	uint64_t type = 0, block[41];

	/* Alpha Architecture Handbook, D.1: 11 is the EV67, in the lower half. */
	point(get(GSI_PROC_TYPE, &type, 8) == 1 && (uint32_t)type == 11,
	      "the processor is an EV67");
	point(fails(get(GSI_PROC_TYPE, &type, 7), EINVAL), "... in eight bytes");
	point(fails(get(GSI_PROC_TYPE, BAD, 8), EFAULT), "... not nowhere");
	memset(block, 0xff, sizeof(block));
	point(get(GSI_GET_HWRPB, block, 320) == 1 && memcmp(&block[1], "\0\0\0BPRWH", 8) == 0 &&
		      block[5] == 8192 && block[40] == UINT64_MAX,
	      "the console's block has its name, and pages of 8 KiB");
	memset(block, 0xff, sizeof(block));
	point(get(GSI_GET_HWRPB, block, 8) == 1 && block[0] != UINT64_MAX && block[1] == UINT64_MAX,
	      "... as much of it as there is room for");
	point(fails(get(GSI_GET_HWRPB, block, 321), EINVAL), "... no more than there is");
	point(fails(get(GSI_GET_HWRPB, BAD, 8), EFAULT), "... not nowhere");
	point(set(SSI_LMF, NULL, 0) == 0, "a licence");
	point(fails(get(GSI_IEEE_STATE_AT_SIGNAL, &type, 8), EOPNOTSUPP) &&
		      fails(set(SSI_IEEE_STATE_AT_SIGNAL, &type, 8), EOPNOTSUPP) &&
		      fails(set(SSI_IEEE_IGNORE_STATE_AT_SIGNAL, &type, 8), EOPNOTSUPP) &&
		      fails(get(0, &type, 8), EOPNOTSUPP) && fails(set(0, &type, 8), EOPNOTSUPP),
	      "all others are not supported");
}

int main(void)
{
	check_directories();
	check_mounts();
	check_properties();
	check_names();
	check_stack();
	check_floating();
	check_unaligned();
	check_machine();
	return points_done();
}
