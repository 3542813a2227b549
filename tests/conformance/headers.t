#!/usr/bin/python3 -S
# SPDX-License-Identifier: BSD-2-Clause
"""The ABI's headers (include/uapi) have Linux's numbers and layouts, on x86_64 and on Alpha.

The ISA's compiler computes each constant and each member's place twice: from our header, and from Debian's
copy of Linux's (or from the GNU C library's, if Linux gives the name to no user program). The table lists the
names that both lack, so that a misspelt name is not taken for one of them.
"""

import os
import re
import subprocess
import sys

from tallytest import tap

HERE = os.path.dirname(os.path.abspath(__file__))
UAPI = os.path.join(HERE, "..", "..", "include", "uapi")

COMPILERS = {"x86_64": "gcc", "alpha": "alpha-linux-gnu-gcc"}

# Our header: Linux's, and the constants that these do not have: the kernel's own, and later ones than Debian's.
HEADERS = {
    "asm/unistd.h": ("asm/unistd.h",
                     "cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount "
                     "lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal uretprobe"),
    "linux/auxvec.h": ("elf.h linux/auxvec.h", "AT_RSEQ_FEATURE_SIZE AT_RSEQ_ALIGN"),
    "linux/capability.h": ("linux/capability.h linux/securebits.h", ""),
    "linux/elf.h": ("elf.h", ""),
    "linux/errno.h": ("asm/errno.h", ""),
    "linux/eventpoll.h": ("sys/epoll.h", "EPOLL_PACKED"),
    "linux/fcntl.h": ("linux/fcntl.h linux/falloc.h linux/fs.h unistd.h", "F_SEAL_EXEC F_SEAL_ALL"),
    "linux/flock.h": ("linux/fcntl.h", ""),
    "linux/futex.h": ("linux/futex.h", "FUTEX2_SIZE_U32 FUTEX2_PRIVATE"),
    "linux/ioctl.h": ("linux/ioctl.h", "_IOC_DIRSHIFT"),
    "linux/mman.h": ("linux/mman.h", "MADV_HWPOISON MADV_SOFT_OFFLINE"),
    "linux/poll.h": ("poll.h", ""),
    "linux/prctl.h": ("linux/prctl.h", ""),
    "linux/ptrace.h": ("linux/ptrace.h linux/elf.h linux/audit.h",
                       "PTRACE_GETREGS PTRACE_SETREGS PTRACE_GETFPREGS PTRACE_SETFPREGS PTRACE_SYSEMU "
                       "PTRACE_SYSEMU_SINGLESTEP"),
    "linux/random.h": ("linux/random.h", ""),
    "linux/resource.h": ("linux/resource.h", "RLIM64_INFINITY"),
    "linux/sched.h": ("linux/sched.h linux/sched/types.h", "SCHED_OTHER"),
    "linux/signal.h": ("linux/signal.h", "SIGNALS_MAX SIG_DFL_ADDRESS SIG_IGN_ADDRESS SA_KNOWN SA_KNOWN_ISA "
                       "SIGACTION_SIZE"),
    "linux/socket.h": ("sys/socket.h sys/ioctl.h linux/sockios.h",
                       "SOCK_MAX SOCK_TYPE_MASK SOCKADDR_SIZE_MAX SCM_MAX_FD MSG_CMSG_COMPAT UNIX_PATH_MAX "
                       "SOCKADDR_UN_HEAD"),
    "asm/stat.h": ("asm/stat.h asm/statfs.h", ""),
    "asm/param.h": ("asm/param.h", ""),
    "linux/stat.h": ("linux/stat.h", "S_IALLUGO ST_VALID ST_RELATIME STATX__RESERVED"),
    "linux/sysinfo.h": ("linux/sysinfo.h", ""),
    "linux/termios.h": ("asm/termbits.h asm/ioctls.h asm/termios.h", "KERNEL_NCCS KERNEL_NCC"),
    "linux/time.h": ("linux/time.h linux/time_types.h", ""),
    "linux/timex.h": ("linux/timex.h", "ADJ_ADJTIME ADJ_OFFSET_ONCE ADJ_OFFSET_READ"),
    "linux/utsname.h": ("linux/utsname.h", "UTSNAME_SIZE UTSNAME_SYSTEM UTSNAME_NODE UTSNAME_RELEASE UTSNAME_VERSION"),
    "linux/wait.h": ("linux/wait.h", ""),
}

STAT_TIMES = " ".join(f"st_{time}_s=st_{time} st_{time}_ns=st_{time}_nsec" for time in ("atime", "mtime", "ctime"))

# Our header, our structure, Linux's ("on x86_64 | on Alpha" where that differs), members (ours=Linux's).
STRUCTURES = [
    ("asm/stat.h", "struct kernel_stat", "struct stat | struct stat64",
     "st_dev st_ino st_nlink st_mode st_uid st_gid st_rdev st_size st_blksize st_blocks " + STAT_TIMES),
    ("asm/stat.h", "struct kernel_statfs", "struct statfs | struct statfs64",
     "f_type f_bsize f_blocks f_bfree f_bavail f_files f_ffree f_fsid f_namelen f_frsize f_flags f_spare"),
    ("linux/eventpoll.h", "struct kernel_epoll_event", "struct epoll_event", "events data"),
    ("linux/flock.h", "struct kernel_flock", "struct flock", "l_type l_whence l_start l_len l_pid"),
    ("linux/poll.h", "struct kernel_pollfd", "struct pollfd", "fd events revents"),
    ("linux/resource.h", "struct kernel_rusage", "struct rusage",
     "ru_utime ru_stime ru_maxrss ru_minflt ru_majflt ru_inblock ru_oublock ru_nvcsw ru_nivcsw"),
    ("linux/signal.h", "struct kernel_sigevent", "struct sigevent",
     "sigev_value sigev_signo sigev_notify sigev_notify_thread_id=_sigev_un._tid"),
    ("linux/signal.h", "struct kernel_sigaltstack", "stack_t", "ss_sp ss_flags ss_size"),
    ("linux/signal.h", "struct kernel_siginfo", "siginfo_t",
     "si_signo si_errno si_code si_pid si_uid si_status si_value si_utime si_stime si_overrun si_addr si_perf_data "
     "si_perf_type si_perf_flags si_band si_fd"),
    ("linux/socket.h", "struct kernel_msghdr", "struct msghdr",
     "msg_name msg_namelen msg_iov msg_iovlen msg_control msg_controllen msg_flags"),
    ("linux/socket.h", "struct kernel_cmsghdr", "struct cmsghdr", "cmsg_len cmsg_level cmsg_type"),
    ("linux/stat.h", "struct kernel_statx", "struct statx",
     "stx_mask stx_attributes stx_mode stx_ino stx_size stx_blocks stx_atime stx_mtime stx_rdev_major stx_dev_minor"),
    ("linux/sysinfo.h", "struct kernel_sysinfo", "struct sysinfo", "uptime loads totalram procs totalhigh mem_unit"),
    ("linux/termios.h", "struct kernel_termios", "struct termios", "c_iflag c_lflag c_line c_cc"),
    ("linux/termios.h", "struct kernel_termios2", "struct termios2", "c_iflag c_lflag c_line c_cc c_ispeed c_ospeed"),
    ("linux/termios.h", "struct kernel_termio", "struct termio", "c_iflag c_lflag c_line c_cc"),
    ("linux/termios.h", "struct kernel_winsize", "struct winsize", "ws_row ws_col ws_xpixel ws_ypixel"),
    ("linux/utsname.h", "struct kernel_utsname", "struct new_utsname", "sysname machine domainname"),
]

# Linux's is 0x3000ff: Tally has no seccomp, whose filters PTRACE_O_SUSPEND_SECCOMP suspends.
OTHERS = {"PTRACE_O_MASK"}


def includes(names):
    return "#define __SANE_USERSPACE_TYPES__\n#include <stddef.h>\n" + "".join(f"#include {name}\n" for name in names)


def ours(header):
    return includes([f'"{os.path.join(UAPI, header)}"'])


def linux(header):
    return includes([f"<{name}>" for name in HEADERS[header][0].split()])


def compile_text(isa, text, *options):
    done = subprocess.run([COMPILERS[isa], "-D_GNU_SOURCE", f"-I{os.path.join(UAPI, '..')}", "-w", "-xc", "-", "-o", "-",
                           *options], input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[:2000])
    return done.stdout


def defined(isa, head, names):
    """Those of NAMES that are macros with a value, or enumerators, after HEAD."""
    asked = "".join(f'#ifdef {name}\n"is" "{name}"\n#endif\n' for name in names)
    text = compile_text(isa, head + asked, "-E", "-P")
    found = set(re.findall(r'^"is" "(\w+)"$', text, re.M))
    return [name for name in names if name in found or re.search(rf"\b{name}(?: = \S+)?,", text)]


def values(isa, head, expressions):
    """The values of integer constant expressions after HEAD, as 32 bits."""
    text = head + "".join(f"unsigned int value_{i} = (unsigned int)({expression});\n"
                          for i, expression in enumerate(expressions))
    found = {int(name): 0 if kind == "zero" else int(number) & 0xffffffff for name, kind, number in
             re.findall(r"^value_(\d+):\s+\.(long|zero)\s+(-?\d+)", compile_text(isa, text, "-S", "-O1"), re.M)}
    return [found[i] for i in range(len(expressions))]


def constants(isa, header):
    """The names that our header, and the ISA's part of it, give a value."""
    texts = []
    for path in (header, os.path.join(f"asm-{isa}", os.path.basename(header))):
        if os.path.exists(os.path.join(UAPI, path)):
            with open(os.path.join(UAPI, path), encoding="utf-8") as file:
                texts.append(file.read())
    names = re.findall(r"^#define[ \t]+(\w+)[ \t]+\S", "\n".join(texts), re.M)
    return [name for name in dict.fromkeys(names) if not name.startswith("_UAPI")]


def check_constants(report, isa, header):
    lacking = set(HEADERS[header][1].split())
    names = constants(isa, header)
    common = [name for name in defined(isa, linux(header), names) if name not in OTHERS]
    wrong = [f"{name} is {mine:#x}; Linux has {theirs:#x}"
             for name, mine, theirs in zip(common, values(isa, ours(header), common),
                                           values(isa, linux(header), common)) if mine != theirs]
    missing = [f"{name} is not in Linux's headers" for name in names
               if name not in common and name not in OTHERS and name.removeprefix("__NR_") not in lacking]
    if common or missing:
        report.ok(not wrong and not missing, f"{isa}: {len(common)} constants of {header}", *wrong, *missing)


def places(isa, head, structure, members):
    return values(isa, head, [f"sizeof({structure})", *(f"offsetof({structure}, {name})" for name in members)])


def check_structure(report, isa, header, mine, theirs, members):
    theirs = theirs.split(" | ")[-1 if isa == "alpha" else 0]
    pairs = [(name.split("=")[0], name.split("=")[-1]) for name in members.split()]
    report.equal(places(isa, ours(header), mine, [pair[0] for pair in pairs]),
                 places(isa, linux(header), theirs, [pair[1] for pair in pairs]),
                 f"{isa}: {mine}: its size, and the places of {len(pairs)} members", members)


def main():
    report = tap.Report()
    for isa in COMPILERS:
        for header in HEADERS:
            check_constants(report, isa, header)
        for row in STRUCTURES:
            check_structure(report, isa, *row)
    return report.done()


if __name__ == "__main__":
    sys.exit(main())
