/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals: numbers, actions, the information for a handler; asm/signal.h has the parts that differ
 * between ISAs. Source: Linux's asm-generic/signal.h, siginfo.h.
 */
#ifndef _UAPI_LINUX_SIGNAL_H
#define _UAPI_LINUX_SIGNAL_H

#include <stdint.h>

#include "../asm/signal.h"

#define SIGHUP		  1
#define SIGINT		  2
#define SIGQUIT		  3
#define SIGILL		  4
#define SIGTRAP		  5
#define SIGABRT		  6
#define SIGFPE		  8
#define SIGKILL		  9
#define SIGSEGV		  11
#define SIGPIPE		  13
#define SIGALRM		  14
#define SIGTERM		  15
#define SIGTTIN		  21
#define SIGTTOU		  22
#define SIGXCPU		  24
#define SIGXFSZ		  25
#define SIGVTALRM	  26
#define SIGPROF		  27
#define SIGWINCH	  28
#define SIGNALS_MAX	  64 /* the last real-time signal */

/* sigev_notify */
#define SIGEV_SIGNAL	  0
#define SIGEV_NONE	  1
#define SIGEV_THREAD	  2
#define SIGEV_THREAD_ID	  4

#define SIG_DFL_ADDRESS	  0ul
#define SIG_IGN_ADDRESS	  1ul

#define SA_EXPOSE_TAGBITS 0x00000800ul
#define SA_KNOWN                                                                                  \
	(SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_EXPOSE_TAGBITS | SA_ONSTACK | SA_RESTART | \
	 SA_NODEFER | SA_RESETHAND | SA_KNOWN_ISA)

#define SS_ONSTACK	     1
#define SS_DISABLE	     2
#define SS_AUTODISARM	     (1u << 31)

/* si_code */
#define SI_USER		     0
#define SI_KERNEL	     0x80
#define SI_QUEUE	     (-1)
#define SI_TIMER	     (-2)
#define SI_SIGIO	     (-5)
#define SI_TKILL	     (-6)
#define ILL_ILLOPN	     2
#define FPE_INTDIV	     1
#define FPE_FLTDIV	     3
#define FPE_FLTOVF	     4
#define FPE_FLTUND	     5
#define FPE_FLTRES	     6
#define FPE_FLTINV	     7
#define SEGV_MAPERR	     1
#define SEGV_ACCERR	     2
#define BUS_ADRALN	     1
#define BUS_ADRERR	     2
#define TRAP_BRKPT	     1
#define TRAP_TRACE	     2
#define TRAP_HWBKPT	     4
#define TRAP_PERF	     6
#define CLD_EXITED	     1
#define CLD_KILLED	     2
#define CLD_DUMPED	     3
#define CLD_TRAPPED	     4
#define CLD_STOPPED	     5
#define CLD_CONTINUED	     6
#define POLL_IN		     1
#define POLL_OUT	     2
#define POLL_HUP	     6

/* si_perf_flags: SIGTRAP was blocked, so it comes later than its event. */
#define TRAP_PERF_FLAG_ASYNC 1u

/* 64 bytes, of which the kernel reads these. */
struct kernel_sigevent {
	uint64_t sigev_value;
	int32_t sigev_signo;
	int32_t sigev_notify;
	int32_t sigev_notify_thread_id;
	int32_t padding[11];
};

struct kernel_sigaltstack {
	uint64_t ss_sp;
	int32_t ss_flags;
	uint32_t padding;
	uint64_t ss_size;
};

struct kernel_siginfo {
	int32_t si_signo;
	int32_t si_errno;
	int32_t si_code;
	int32_t padding;
	union {
		struct {
			int32_t si_pid;
			uint32_t si_uid;
			union {
				int32_t si_status; /* SIGCHLD */
				uint64_t si_value; /* SI_QUEUE */
			};
			int64_t si_utime, si_stime; /* SIGCHLD, ticks of 10 ms */
		};
		struct {
			int32_t si_timerid; /* SI_TIMER */
			int32_t si_overrun;
			uint64_t si_timer_value;
		};
		struct {
			uint64_t si_addr;      /* SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP */
			uint64_t si_perf_data; /* TRAP_PERF: attr.sig_data */
			uint32_t si_perf_type; /* attr.type */
			uint32_t si_perf_flags;
		};
		struct {
			int64_t si_band; /* SIGIO */
			int32_t si_fd;
		};
		uint8_t si_whole[112];
	};
};

#endif
