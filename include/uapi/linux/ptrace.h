/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ptrace: requests, options, events, structures. Sources: Linux's uapi/linux/ptrace.h, x86's
 * uapi/asm/ptrace-abi.h, uapi/linux/elf.h.
 */
#ifndef _UAPI_LINUX_PTRACE_H
#define _UAPI_LINUX_PTRACE_H

#include <stdint.h>

#define PTRACE_TRACEME		      0
#define PTRACE_PEEKTEXT		      1
#define PTRACE_PEEKDATA		      2
#define PTRACE_PEEKUSR		      3
#define PTRACE_POKETEXT		      4
#define PTRACE_POKEDATA		      5
#define PTRACE_POKEUSR		      6
#define PTRACE_CONT		      7
#define PTRACE_KILL		      8
#define PTRACE_SINGLESTEP	      9
#define PTRACE_GETREGS		      12
#define PTRACE_SETREGS		      13
#define PTRACE_GETFPREGS	      14
#define PTRACE_SETFPREGS	      15
#define PTRACE_ATTACH		      16
#define PTRACE_DETACH		      17
#define PTRACE_SYSCALL		      24
#define PTRACE_SYSEMU		      31
#define PTRACE_SYSEMU_SINGLESTEP      32
#define PTRACE_SETOPTIONS	      0x4200
#define PTRACE_GETEVENTMSG	      0x4201
#define PTRACE_GETSIGINFO	      0x4202
#define PTRACE_SETSIGINFO	      0x4203
#define PTRACE_GETREGSET	      0x4204
#define PTRACE_SETREGSET	      0x4205
#define PTRACE_SEIZE		      0x4206
#define PTRACE_INTERRUPT	      0x4207
#define PTRACE_LISTEN		      0x4208
#define PTRACE_PEEKSIGINFO	      0x4209
#define PTRACE_GETSIGMASK	      0x420a
#define PTRACE_SETSIGMASK	      0x420b
#define PTRACE_GET_SYSCALL_INFO	      0x420e
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f

/* The bits of SETOPTIONS and SEIZE: 1 << n enables the stop for event n. */
#define PTRACE_O_TRACESYSGOOD	      0x00000001
#define PTRACE_O_TRACEFORK	      0x00000002
#define PTRACE_O_TRACEVFORK	      0x00000004
#define PTRACE_O_TRACECLONE	      0x00000008
#define PTRACE_O_TRACEEXEC	      0x00000010
#define PTRACE_O_TRACEVFORKDONE	      0x00000020
#define PTRACE_O_TRACEEXIT	      0x00000040
#define PTRACE_O_TRACESECCOMP	      0x00000080
#define PTRACE_O_EXITKILL	      0x00100000
#define PTRACE_O_MASK		      0x001000ff

#define PTRACE_EVENT_FORK	      1
#define PTRACE_EVENT_VFORK	      2
#define PTRACE_EVENT_CLONE	      3
#define PTRACE_EVENT_EXEC	      4
#define PTRACE_EVENT_VFORK_DONE	      5
#define PTRACE_EVENT_EXIT	      6
#define PTRACE_EVENT_STOP	      128

/* GETEVENTMSG's values at a system call's stops. */
#define PTRACE_EVENTMSG_SYSCALL_ENTRY 1
#define PTRACE_EVENTMSG_SYSCALL_EXIT  2

struct ptrace_peeksiginfo_args {
	uint64_t off;	/* index of the first signal */
	uint32_t flags; /* PTRACE_PEEKSIGINFO_* */
	int32_t nr;	/* greatest number of signals */
};

#define PTRACE_PEEKSIGINFO_SHARED 1 /* the process's signals, not the task's */

/* enum of ptrace_syscall_info.op */
#define PTRACE_SYSCALL_INFO_NONE  0
#define PTRACE_SYSCALL_INFO_ENTRY 1
#define PTRACE_SYSCALL_INFO_EXIT  2

struct ptrace_syscall_info {
	uint8_t op;
	uint8_t pad[3];
	uint32_t arch; /* AUDIT_ARCH_* */
	uint64_t instruction_pointer;
	uint64_t stack_pointer;
	union {
		struct {
			uint64_t nr;
			uint64_t args[6];
		} entry;
		struct {
			int64_t rval;
			uint8_t is_error;
		} exit;
	};
};

struct ptrace_rseq_configuration {
	uint64_t rseq_abi_pointer;
	uint32_t rseq_abi_size;
	uint32_t signature;
	uint32_t flags;
	uint32_t pad;
};

/* Register sets of GETREGSET and SETREGSET, with the names of core files. */
#define NT_PRSTATUS	  1
#define NT_PRFPREG	  2
#define NT_X86_XSTATE	  0x202

#define AUDIT_ARCH_X86_64 0xc000003e
#define AUDIT_ARCH_ALPHA  0xc0009026

#endif
