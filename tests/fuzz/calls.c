// SPDX-License-Identifier: BSD-2-Clause
/*
 * System calls as such, many at once: a table has the meaning of each argument, and each argument is a
 * good one, one at an edge, or none.
 *
 * The table leaves out calls that only end the worker, that others have a file for, or that wait. A
 * range of memory is either small, or so large that it ends outside of user space: otherwise the first
 * munmap would be the last call of a worker. A child does that, too, now and then.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define CALLS_AT_ONCE	1024
/* After so many calls, the worker looks at the memory that they filled. */
#define CALLS_OF_A_LOOK 16
#define SCRATCH_WORDS	1024

/*
 * b  memory to fill or to read		a  an address, often at an edge		l  a length
 * d  a descriptor			n  a small number			x  any number
 * f  flags				p  a task				u  a user
 * t  a path				v  a vector of ranges
 * z  zero				s  the size of b			c  a child
 */
static const struct call {
	int number;
	const char *name, *arguments;
} memory_calls[] = {
	{ SYS_mmap, "mmap", "alffdl" },
	{ SYS_munmap, "munmap", "al" },
	{ SYS_mprotect, "mprotect", "alf" },
	{ SYS_mremap, "mremap", "allfa" },
	{ SYS_madvise, "madvise", "alf" },
	{ SYS_mincore, "mincore", "alb" },
	{ SYS_msync, "msync", "alf" },
	{ SYS_mlock, "mlock", "al" },
	{ SYS_mlock2, "mlock2", "alf" },
	{ SYS_munlock, "munlock", "al" },
	{ SYS_pkey_mprotect, "pkey_mprotect", "alfn" },
	{ SYS_remap_file_pages, "remap_file_pages", "alfnf" },
	{ SYS_mbind, "mbind", "alfbnf" },
	{ SYS_brk, "brk", "a" },
	{ SYS_process_madvise, "process_madvise", "dvnfz" },
	{ SYS_process_vm_readv, "process_vm_readv", "pvnvnz" },
	{ SYS_process_vm_writev, "process_vm_writev", "pvnvnz" },
	{ SYS_vmsplice, "vmsplice", "dvnf" },
	{ SYS_read, "read", "dal" },
	{ SYS_write, "write", "dal" },
	{ SYS_readv, "readv", "dvn" },
	{ SYS_writev, "writev", "dvn" },
	{ SYS_preadv2, "preadv2", "dvnxzf" },
	{ SYS_pwritev2, "pwritev2", "dvnxzf" },
	{ SYS_get_robust_list, "get_robust_list", "paa" },
	{ SYS_rt_sigprocmask, "rt_sigprocmask", "nzas" },
	{ SYS_getcwd, "getcwd", "al" },
	{ SYS_mincore, "mincore", "ala" },
	{ SYS_arch_prctl, "arch_prctl", "xa" },
	{ SYS_modify_ldt, "modify_ldt", "nal" },
	{ SYS_rseq, "rseq", "alfx" },
	{ SYS_readlink, "readlink", "tal" },
	{ SYS_sysinfo, "sysinfo", "a" },
	{ SYS_uname, "uname", "a" },
	{ SYS_times, "times", "a" },
	{ SYS_move_pages, "move_pages", "pnbbbf" },
};

static const struct call other_calls[] = {
	{ SYS_fstat, "fstat", "db" },
	{ SYS_newfstatat, "newfstatat", "dtbf" },
	{ SYS_statx, "statx", "dtffb" },
	{ SYS_statfs, "statfs", "tb" },
	{ SYS_fstatfs, "fstatfs", "db" },
	{ SYS_lseek, "lseek", "dxn" },
	{ SYS_pread64, "pread64", "dbsx" },
	{ SYS_pwrite64, "pwrite64", "dbsx" },
	{ SYS_read, "read", "dbs" },
	{ SYS_write, "write", "dbs" },
	{ SYS_ftruncate, "ftruncate", "dx" },
	{ SYS_truncate, "truncate", "tx" },
	{ SYS_fallocate, "fallocate", "dfxx" },
	{ SYS_getdents64, "getdents64", "dbs" },
	{ SYS_getdents, "getdents", "dbs" },
	{ SYS_fcntl, "fcntl", "dxb" },
	{ SYS_fcntl, "fcntl", "dnn" },
	{ SYS_ioctl, "ioctl", "dxb" },
	{ SYS_dup, "dup", "d" },
	{ SYS_access, "access", "tn" },
	{ SYS_chmod, "chmod", "tx" },
	{ SYS_chown, "chown", "tuu" },
	{ SYS_fchmod, "fchmod", "dx" },
	{ SYS_fchown, "fchown", "duu" },
	{ SYS_mkdir, "mkdir", "tx" },
	{ SYS_rmdir, "rmdir", "t" },
	{ SYS_unlink, "unlink", "t" },
	{ SYS_link, "link", "tt" },
	{ SYS_symlink, "symlink", "tt" },
	{ SYS_rename, "rename", "tt" },
	{ SYS_renameat2, "renameat2", "dtdtf" },
	{ SYS_mknod, "mknod", "txx" },
	{ SYS_chdir, "chdir", "t" },
	{ SYS_chroot, "chroot", "t" },
	{ SYS_mount, "mount", "tttxb" },
	{ SYS_umount2, "umount2", "tf" },
	{ SYS_pivot_root, "pivot_root", "tt" },
	{ SYS_setxattr, "setxattr", "ttbsf" },
	{ SYS_getxattr, "getxattr", "ttbs" },
	{ SYS_listxattr, "listxattr", "tbs" },
	{ SYS_fsetxattr, "fsetxattr", "dtbsf" },
	{ SYS_flistxattr, "flistxattr", "dbs" },
	{ SYS_utimensat, "utimensat", "dtbf" },
	{ SYS_memfd_create, "memfd_create", "tf" },
	{ SYS_eventfd2, "eventfd2", "xf" },
	{ SYS_copy_file_range, "copy_file_range", "dbdbsf" },
	{ SYS_sendfile, "sendfile", "ddbs" },
	{ SYS_flock, "flock", "dn" },
	{ SYS_fadvise64, "fadvise64", "dxxn" },
	{ SYS_sync_file_range, "sync_file_range", "dxxf" },
	{ SYS_getrusage, "getrusage", "nb" },
	{ SYS_getrlimit, "getrlimit", "nb" },
	{ SYS_sysinfo, "sysinfo", "b" },
	{ SYS_times, "times", "b" },
	{ SYS_uname, "uname", "b" },
	{ SYS_capget, "capget", "bb" },
	{ SYS_capset, "capset", "bb" },
	{ SYS_setuid, "setuid", "u" },
	{ SYS_setgid, "setgid", "u" },
	{ SYS_setresuid, "setresuid", "uuu" },
	{ SYS_setresgid, "setresgid", "uuu" },
	{ SYS_setreuid, "setreuid", "uu" },
	{ SYS_setfsuid, "setfsuid", "u" },
	{ SYS_setgroups, "setgroups", "nb" },
	{ SYS_getgroups, "getgroups", "nb" },
	{ SYS_getresuid, "getresuid", "bbb" },
	{ SYS_sched_getaffinity, "sched_getaffinity", "psb" },
	{ SYS_sched_getattr, "sched_getattr", "pbsz" },
	{ SYS_sched_setattr, "sched_setattr", "cbf" },
	{ SYS_sched_getparam, "sched_getparam", "pb" },
	{ SYS_sched_rr_get_interval, "sched_rr_get_interval", "pb" },
	{ SYS_getpriority, "getpriority", "np" },
	{ SYS_prlimit64, "prlimit64", "pnzb" },
	{ SYS_getcpu, "getcpu", "bbb" },
	{ SYS_clock_gettime, "clock_gettime", "xb" },
	{ SYS_clock_getres, "clock_getres", "nb" },
	{ SYS_clock_settime, "clock_settime", "nb" },
	{ SYS_settimeofday, "settimeofday", "bb" },
	{ SYS_adjtimex, "adjtimex", "b" },
	{ SYS_sethostname, "sethostname", "bs" },
	{ SYS_syslog, "syslog", "nbs" },
	{ SYS_iopl, "iopl", "n" },
	{ SYS_ioperm, "ioperm", "xxn" },
	{ SYS_reboot, "reboot", "xxxb" },
	{ SYS_swapon, "swapon", "tf" },
	{ SYS_init_module, "init_module", "bst" },
	{ SYS_bpf, "bpf", "nbs" },
	{ SYS_unshare, "unshare", "x" },
	{ SYS_personality, "personality", "x" },
	{ SYS_sigaltstack, "sigaltstack", "zb" },
	{ SYS_rt_sigpending, "rt_sigpending", "bs" },
	{ SYS_rt_sigaction, "rt_sigaction", "nzbn" },
	{ SYS_kcmp, "kcmp", "ppnxx" },
	{ SYS_pidfd_open, "pidfd_open", "pf" },
	{ SYS_prctl, "prctl", "nbnnn" },
	{ SYS_inotify_add_watch, "inotify_add_watch", "dtx" },
	{ SYS_inotify_init1, "inotify_init1", "f" },
	{ SYS_perf_event_open, "perf_event_open", "bpndf" },
	{ SYS_quotactl, "quotactl", "ntub" },
	{ SYS_keyctl, "keyctl", "nxxxx" },
	{ SYS_io_uring_setup, "io_uring_setup", "nb" },
	{ SYS_userfaultfd, "userfaultfd", "f" },
	{ SYS_membarrier, "membarrier", "fnn" },
	{ SYS_ptrace, "ptrace", "npab" },
};

static uint64_t length(struct fuzzer *fuzzer, uint64_t address)
{
	static const uint64_t lengths[] = { 0,
					    1,
					    PAGE - 1,
					    PAGE,
					    PAGE + 1,
					    8,
					    3 * PAGE,
					    1ULL << 47,
					    1ULL << 63,
					    -1ULL,
					    -4096ULL,
					    1ULL << 20,
					    (1ULL << 63) - 1,
					    0xffff800000000000 };
	uint64_t value = PICK(fuzzer, lengths);

	if (value > 1ULL << 20 && address + value > address && address + value < 1ULL << 47)
		return PAGE;
	return value;
}

static const char *any_path(struct fuzzer *fuzzer)
{
	static const char *const paths[] = {
		"a",
		"b",
		"a/b",
		"d",
		"d/e",
		".",
		"..",
		"",
		"/",
		"/fuzz/canary",
		"/fuzz/setuid",
		"/fuzz/work/c",
		"/proc/self/mem",
		"/proc/self/fd/5",
		"/proc/self/exe",
		"/dev/null",
		"/dev/ptmx",
		"user.a",
		"trusted.b",
		"security.capability",
		"tmpfs",
		"proc",
		"/proc/self/cwd/l",
		"l",
		"a/b/c/d/e",
	};

	/* In memory that can be written, as other arguments are. */
	if (pick(fuzzer, 30) == 0)
		return fuzz_any_pointer(fuzzer);
	return PICK(fuzzer, paths);
}

static uint64_t scratch[SCRATCH_WORDS] __attribute__((aligned(PAGE)));
static struct iovec ranges[8];

static uint64_t argument(struct fuzzer *fuzzer, char kind, uint64_t first)
{
	static const uid_t users[] = { 0, WORKER_UID, CANARY_UID, OTHER_UID, (uid_t)-1 };
	uint64_t address;

	switch (kind) {
	case 'a':
		return pick(fuzzer, 3) ? fuzz_edge(fuzzer) :
					 (uintptr_t)fuzz_slot_address(pick(fuzzer, SLOTS));
	case 'b':
		return pick(fuzzer, 12) ? (uintptr_t)&scratch[pick(fuzzer, 2) * pick(fuzzer, 64)] :
					  (uintptr_t)fuzz_any_pointer(fuzzer);
	case 'l':
		return length(fuzzer, first);
	case 's':
		return pick(fuzzer, 3) ? pick(fuzzer, 2048) : length(fuzzer, 0);
	case 'd':
		return pick(fuzzer, 6) ? (uint64_t)fuzz_any_fd(fuzzer) : (uint64_t)-100;
	case 'n':
		return pick(fuzzer, 10);
	case 'f':
		return pick(fuzzer, 3) ? (uint64_t)1 << pick(fuzzer, 20) : pick(fuzzer, 32);
	case 'p':
		return pick(fuzzer, 3) ? (uint64_t)fuzzer->children[pick(fuzzer, CHILDREN)] :
					 (uint64_t)fuzz_shared->canaries[pick(fuzzer, CANARIES)];
	case 'c':
		return (uint64_t)fuzzer->children[pick(fuzzer, CHILDREN)];
	case 'u':
		return PICK(fuzzer, users);
	case 't':
		return (uintptr_t)any_path(fuzzer);
	case 'v':
		for (size_t i = 0; i < COUNT(ranges); i++) {
			address = argument(fuzzer, 'a', 0);
			ranges[i] =
				pick(fuzzer, 3) ?
					(struct iovec){ scratch, pick(fuzzer, 4096) } :
					(struct iovec){ (void *)address, length(fuzzer, address) };
		}
		return (uintptr_t)ranges;
	case 'z':
		return 0;
	default:
		return random_number(&fuzzer->random);
	}
}

/* Calls that would end the worker, or what its seed is about. */
static bool is_harmful(int number, const uint64_t values[6])
{
	switch (number) {
	case SYS_prctl:
		return values[0] == PR_SET_PDEATHSIG;
	case SYS_fcntl:
		/* Signals to anybody. */
		return values[1] == F_SETOWN || values[1] == F_SETOWN_EX;
	case SYS_ptrace:
		return values[0] == PTRACE_TRACEME;
	case SYS_flock:
		return (values[1] & LOCK_NB) == 0;
	default:
		return false;
	}
}

static long call_once(struct fuzzer *fuzzer, const struct call *call)
{
	uint64_t values[6] = { 0 };

	for (int i = 0; call->arguments[i]; i++)
		values[i] = argument(fuzzer, call->arguments[i], values[0]);
	/* Pages that hold the worker itself stay: it is linked to below 16 MiB. */
	if ((call->arguments[0] == 'a') && values[0] < 1 << 24 && values[1] < 1ULL << 47 &&
	    values[0] + values[1] > 0x400000 - PAGE)
		values[1] = PAGE;
	if (is_harmful(call->number, values))
		return 0;
	long result = syscall(call->number, values[0], values[1], values[2], values[3], values[4],
			      values[5]);

	return result < 0 ? -errno : result;
}

static long call_many(struct fuzzer *fuzzer, const struct call *calls, size_t count)
{
	uint64_t sum = 0;

	if (fuzzer->is_thread || fuzzer->has_thread)
		return 0;
	for (int i = 0; i < CALLS_AT_ONCE; i++) {
		const struct call *call = &calls[pick(fuzzer, (unsigned int)count)];

		sum = sum * 31 + (uint64_t)call_once(fuzzer, call);
		if (i % CALLS_OF_A_LOOK)
			continue;
		leak_check(scratch, sizeof(scratch), call->name);
		memset(scratch, 0, sizeof(scratch));
		count_calls(CALLS_OF_A_LOOK);
	}
	return (long)(sum & 0xffff);
}

static long call_memory(struct fuzzer *fuzzer)
{
	return call_many(fuzzer, memory_calls, COUNT(memory_calls));
}

static long call_others(struct fuzzer *fuzzer)
{
	return call_many(fuzzer, other_calls, COUNT(other_calls));
}

/* Ranges of any size, as long as the child lives. */
static long call_wildly(struct fuzzer *fuzzer)
{
	pid_t child = fuzz_fork(fuzzer);

	if (child == 0) {
		for (int i = 0; i < 100; i++) {
			const struct call *call = &PICK(fuzzer, memory_calls);
			uint64_t values[6];

			for (int j = 0; j < 6; j++)
				values[j] = pick(fuzzer, 2) ? fuzz_edge(fuzzer) :
							      random_number(&fuzzer->random);
			if (call->arguments[0] == 'a' || call->arguments[0] == 'd')
				syscall(call->number, values[0], values[1], values[2], values[3],
					values[4], values[5]);
		}
		_exit(0);
	}
	count_calls(50);
	return child < 0 ? -1 : fuzz_reap(child, 50);
}

const struct operation fuzz_call_operations[] = {
	{ "call_memory", call_memory, 6 },
	{ "call_others", call_others, 6 },
	{ "call_wildly", call_wildly, 1 },
	{ 0 },
};
