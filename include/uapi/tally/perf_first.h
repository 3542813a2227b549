/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first ABI of events: names, numbers and layouts as the earliest text about performance counters has them,
 * for programs that are written to that text. A program includes this header in place of <linux/perf_event.h>:
 * the same names mean other layouts there. docs/first-abi.md has the choices where the text is silent.
 */
#ifndef TALLY_PERF_FIRST_H
#define TALLY_PERF_FIRST_H

#if defined(_UAPI_LINUX_PERF_EVENT_H) || defined(_LINUX_PERF_EVENT_H)
#error "<tally/perf_first.h> and <linux/perf_event.h> exclude each other"
#endif
#define _UAPI_LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* --- what is counted --- */

struct perf_event_attr {
	union {
		__u64 config;
		struct {
			__u64 event_id : 56; /* or, with raw_type, the lower bits of the machine's */
			__u64 type : 7;	     /* enum perf_type_id */
			__u64 raw_type : 1;
		};
	};
	__u64 irq_period;  /* events between records; 0: counts only */
	__u32 record_type; /* enum perf_event_record_format */
	__u32 read_format; /* enum perf_event_read_format */
	__u64 disabled : 1, inherit : 1, pinned : 1, exclusive : 1, exclude_user : 1,
		exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1, mmap : 1, munmap : 1,
		comm : 1, __reserved_1 : 52;
	__u32 extra_config_len; /* 0 */
	__u32 wakeup_events;	/* records until a wake-up; 0: only one for each page filled */
	__u64 __reserved_2;
	__u64 __reserved_3;
};

enum perf_type_id { PERF_TYPE_HARDWARE = 0, PERF_TYPE_SOFTWARE = 1, PERF_TYPE_TRACEPOINT = 2 };

enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES = 0,
	PERF_COUNT_HW_INSTRUCTIONS = 1,
	PERF_COUNT_HW_CACHE_REFERENCES = 2,
	PERF_COUNT_HW_CACHE_MISSES = 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
	PERF_COUNT_HW_BRANCH_MISSES = 5,
	PERF_COUNT_HW_BUS_CYCLES = 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
	PERF_COUNT_HW_REF_CPU_CYCLES = 9
};

enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = 0,
	PERF_COUNT_SW_TASK_CLOCK = 1,
	PERF_COUNT_SW_PAGE_FAULTS = 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
	PERF_COUNT_SW_CPU_MIGRATIONS = 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
	PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
	PERF_COUNT_SW_EMULATION_FAULTS = 8
};

enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 2
};

enum perf_event_record_format {
	PERF_RECORD_IP = 1U << 0,
	PERF_RECORD_TID = 1U << 1,
	PERF_RECORD_TIME = 1U << 2,
	PERF_RECORD_ADDR = 1U << 3,
	PERF_RECORD_GROUP = 1U << 4,
	PERF_RECORD_CALLCHAIN = 1U << 5
};

/* --- the call --- */

/* Says to the kernel that the arguments are of this ABI. */
#define PERF_FLAG_FIRST_ABI (1UL << 63)

/* Returns the descriptor, or -1 with errno. FLAGS must be 0. */
static inline int sys_perf_event_open(struct perf_event_attr *hw_event_uptr, pid_t pid, int cpu,
				      int group_fd, unsigned long flags)
{
	/* All flags at once are EINVAL, with either ABI. */
	return (int)syscall(__NR_perf_event_open, hw_event_uptr, pid, cpu, group_fd,
			    flags ? ~0UL : PERF_FLAG_FIRST_ABI);
}

#define PERF_EVENT_IOC_ENABLE  _IO('$', 0)
#define PERF_EVENT_IOC_DISABLE _IO('$', 1)
#define PERF_EVENT_IOC_REFRESH _IO('$', 2)

enum perf_event_ioc_flags { PERF_IOC_FLAG_GROUP = 1U << 0 };

/* prctl: the same numbers in <sys/prctl.h>. */
#ifndef PR_TASK_PERF_EVENTS_DISABLE
#define PR_TASK_PERF_EVENTS_DISABLE 31
#define PR_TASK_PERF_EVENTS_ENABLE  32
#endif

/* --- the mapped pages --- */

struct perf_event_mmap_page {
	__u32 version;
	__u32 compat_version;
	__u32 lock;	 /* changes with index and offset */
	__u32 index;	 /* counter for pmc_read, plus one; 0: none */
	__s64 offset;	 /* add this to pmc_read */
	__u32 data_head; /* bytes written since the start, modulo 2^32 */
};

#define PERF_RECORD_MISC_KERNEL	  (1 << 0)
#define PERF_RECORD_MISC_USER	  (1 << 1)
#define PERF_RECORD_MISC_OVERFLOW (1 << 2)

/* With PERF_RECORD_MISC_OVERFLOW in misc, type is of enum perf_event_record_format; else of perf_event_type. */
struct perf_event_header {
	__u32 type;
	__u16 misc;
	__u16 size;
};

/*
 * Overflow: [u64 ip] [u32 pid, tid] [u64 time] [u64 addr] [u64 nr; nr times: u64 event, val]
 *           [u16 nr, hv, kernel, user; u64 ips[nr]]
 */
enum perf_event_type {
	PERF_RECORD_MMAP = 1,	/* u32 pid, tid; u64 addr, len, pgoff; char filename[] */
	PERF_RECORD_MUNMAP = 2, /* the same */
	PERF_RECORD_COMM = 3	/* u32 pid, tid; char comm[] */
};

/* The functions that the text's loops call. */
#ifndef barrier
#define barrier() __asm__ volatile("" ::: "memory")
#endif
#ifndef rmb
#define rmb() __sync_synchronize()
#endif

#ifdef __x86_64__
static inline void tally_first_cpuid(__u32 leaf, __u32 *a, __u32 *d)
{
	__u32 b, c = 0;

	__asm__ volatile("cpuid" : "=a"(*a), "=b"(b), "+c"(c), "=d"(*d) : "0"(leaf));
}

/* Returns the bits of counter INDEX of this CPU: Intel's, general or fixed (leaf 0AH, EAX 23:16 and EDX 12:5); 48
 * of a CPU without that leaf, as AMD's. */
static inline unsigned int tally_first_width(__u32 index)
{
	static unsigned int general, fixed;
	__u32 a, d, last;

	if (!general) {
		tally_first_cpuid(0, &last, &d);
		a = d = 0;
		if (last >= 0xa)
			tally_first_cpuid(0xa, &a, &d);
		fixed = d >> 5 & 0xff ? d >> 5 & 0xff : 48;
		general = a >> 16 & 0xff ? a >> 16 & 0xff : 48;
	}
	return index >> 30 & 1 ? fixed : general;
}

/* Returns the value of counter INDEX, sign-extended from its width, to which a page's offset is added. */
static inline __s64 pmc_read(__u32 index)
{
	unsigned int unused = 64 - tally_first_width(index);
	__u32 low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (__s64)(((__u64)high << 32 | low) << unused) >> unused;
}
#else
/* No instruction of user mode reads a counter here, and index is always 0. */
static inline __s64 pmc_read(__u32 index)
{
	(void)index;
	return 0;
}
#endif

#endif
