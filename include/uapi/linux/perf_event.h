/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linux/perf_event.h - the perf_event ABI: Linux 6.12's numbers and layouts.
 *
 * perf_event_open(2) explains the meanings. Every name of Linux 6.12 is here, even of features that
 * Tally refuses, so that programs compile.
 */
#ifndef _LINUX_PERF_EVENT_H
#define _LINUX_PERF_EVENT_H

#include "ioctl.h"
#include "types.h"

/* attr.type: the PMU. PMUs get numbers from PERF_TYPE_MAX on at boot. */
enum perf_type_id {
	PERF_TYPE_HARDWARE = 0,	  /* generic events of the CPU's PMU: perf_hw_id */
	PERF_TYPE_SOFTWARE = 1,	  /* counted by the kernel: perf_sw_ids */
	PERF_TYPE_TRACEPOINT = 2, /* config: id of the tracepoint */
	PERF_TYPE_HW_CACHE = 3,	  /* config: id | op << 8 | result << 16 */
	PERF_TYPE_RAW = 4,	  /* config: as in the CPU's manual */
	PERF_TYPE_BREAKPOINT = 5, /* bp_type, bp_addr, bp_len */
	PERF_TYPE_MAX
};

/* HARDWARE and HW_CACHE: the upper half of config may name one of several CPU PMUs. */
#define PERF_PMU_TYPE_SHIFT 32
#define PERF_HW_EVENT_MASK  0xffffffff

/* config of PERF_TYPE_HARDWARE. */
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
	PERF_COUNT_HW_REF_CPU_CYCLES = 9,
	PERF_COUNT_HW_MAX
};

/* The three fields of config of PERF_TYPE_HW_CACHE. */
enum perf_hw_cache_id {
	PERF_COUNT_HW_CACHE_L1D = 0,
	PERF_COUNT_HW_CACHE_L1I = 1,
	PERF_COUNT_HW_CACHE_LL = 2,
	PERF_COUNT_HW_CACHE_DTLB = 3,
	PERF_COUNT_HW_CACHE_ITLB = 4,
	PERF_COUNT_HW_CACHE_BPU = 5,
	PERF_COUNT_HW_CACHE_NODE = 6,
	PERF_COUNT_HW_CACHE_MAX
};

enum perf_hw_cache_op_id {
	PERF_COUNT_HW_CACHE_OP_READ = 0,
	PERF_COUNT_HW_CACHE_OP_WRITE = 1,
	PERF_COUNT_HW_CACHE_OP_PREFETCH = 2,
	PERF_COUNT_HW_CACHE_OP_MAX
};

enum perf_hw_cache_op_result_id {
	PERF_COUNT_HW_CACHE_RESULT_ACCESS = 0,
	PERF_COUNT_HW_CACHE_RESULT_MISS = 1,
	PERF_COUNT_HW_CACHE_RESULT_MAX
};

/* config of PERF_TYPE_SOFTWARE. */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = 0,  /* ns */
	PERF_COUNT_SW_TASK_CLOCK = 1, /* ns */
	PERF_COUNT_SW_PAGE_FAULTS = 2,
	PERF_COUNT_SW_CONTEXT_SWITCHES = 3,
	PERF_COUNT_SW_CPU_MIGRATIONS = 4,
	PERF_COUNT_SW_PAGE_FAULTS_MIN = 5,
	PERF_COUNT_SW_PAGE_FAULTS_MAJ = 6,
	PERF_COUNT_SW_ALIGNMENT_FAULTS = 7,
	PERF_COUNT_SW_EMULATION_FAULTS = 8,
	PERF_COUNT_SW_DUMMY = 9, /* never counts: carries side-band records */
	PERF_COUNT_SW_BPF_OUTPUT = 10,
	PERF_COUNT_SW_CGROUP_SWITCHES = 11,
	PERF_COUNT_SW_MAX
};

/* attr.sample_type: the fields of a sample, in the order in which PERF_RECORD_SAMPLE lists them. */
enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_AUX = 1U << 20,
	PERF_SAMPLE_CGROUP = 1U << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1U << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1U << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
	PERF_SAMPLE_MAX = 1U << 25
};

#define PERF_SAMPLE_WEIGHT_TYPE (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

/* attr.branch_sample_type, bit numbers. The first three choose privilege levels. */
enum perf_branch_sample_type_shift {
	PERF_SAMPLE_BRANCH_USER_SHIFT = 0,
	PERF_SAMPLE_BRANCH_KERNEL_SHIFT = 1,
	PERF_SAMPLE_BRANCH_HV_SHIFT = 2,
	PERF_SAMPLE_BRANCH_ANY_SHIFT = 3,
	PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT = 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT = 5,
	PERF_SAMPLE_BRANCH_IND_CALL_SHIFT = 6,
	PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT = 7,
	PERF_SAMPLE_BRANCH_IN_TX_SHIFT = 8,
	PERF_SAMPLE_BRANCH_NO_TX_SHIFT = 9,
	PERF_SAMPLE_BRANCH_COND_SHIFT = 10,
	PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT = 11,
	PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT = 12,
	PERF_SAMPLE_BRANCH_CALL_SHIFT = 13,
	PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT = 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT = 15,
	PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT = 16,
	PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT = 17,
	PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT = 18,
	PERF_SAMPLE_BRANCH_COUNTERS_SHIFT = 19,
	PERF_SAMPLE_BRANCH_MAX_SHIFT
};

enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1U << PERF_SAMPLE_BRANCH_USER_SHIFT,
	PERF_SAMPLE_BRANCH_KERNEL = 1U << PERF_SAMPLE_BRANCH_KERNEL_SHIFT,
	PERF_SAMPLE_BRANCH_HV = 1U << PERF_SAMPLE_BRANCH_HV_SHIFT,
	PERF_SAMPLE_BRANCH_ANY = 1U << PERF_SAMPLE_BRANCH_ANY_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1U << PERF_SAMPLE_BRANCH_ANY_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1U << PERF_SAMPLE_BRANCH_ANY_RETURN_SHIFT,
	PERF_SAMPLE_BRANCH_IND_CALL = 1U << PERF_SAMPLE_BRANCH_IND_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_ABORT_TX = 1U << PERF_SAMPLE_BRANCH_ABORT_TX_SHIFT,
	PERF_SAMPLE_BRANCH_IN_TX = 1U << PERF_SAMPLE_BRANCH_IN_TX_SHIFT,
	PERF_SAMPLE_BRANCH_NO_TX = 1U << PERF_SAMPLE_BRANCH_NO_TX_SHIFT,
	PERF_SAMPLE_BRANCH_COND = 1U << PERF_SAMPLE_BRANCH_COND_SHIFT,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1U << PERF_SAMPLE_BRANCH_CALL_STACK_SHIFT,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1U << PERF_SAMPLE_BRANCH_IND_JUMP_SHIFT,
	PERF_SAMPLE_BRANCH_CALL = 1U << PERF_SAMPLE_BRANCH_CALL_SHIFT,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1U << PERF_SAMPLE_BRANCH_NO_FLAGS_SHIFT,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1U << PERF_SAMPLE_BRANCH_NO_CYCLES_SHIFT,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1U << PERF_SAMPLE_BRANCH_TYPE_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1U << PERF_SAMPLE_BRANCH_HW_INDEX_SHIFT,
	PERF_SAMPLE_BRANCH_PRIV_SAVE = 1U << PERF_SAMPLE_BRANCH_PRIV_SAVE_SHIFT,
	PERF_SAMPLE_BRANCH_COUNTERS = 1U << PERF_SAMPLE_BRANCH_COUNTERS_SHIFT,
	PERF_SAMPLE_BRANCH_MAX = 1U << PERF_SAMPLE_BRANCH_MAX_SHIFT
};

#define PERF_SAMPLE_BRANCH_PLM_ALL \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

/* perf_branch_entry.type */
enum {
	PERF_BR_UNKNOWN = 0,
	PERF_BR_COND = 1,
	PERF_BR_UNCOND = 2,
	PERF_BR_IND = 3,
	PERF_BR_CALL = 4,
	PERF_BR_IND_CALL = 5,
	PERF_BR_RET = 6,
	PERF_BR_SYSCALL = 7,
	PERF_BR_SYSRET = 8,
	PERF_BR_COND_CALL = 9,
	PERF_BR_COND_RET = 10,
	PERF_BR_ERET = 11,
	PERF_BR_IRQ = 12,
	PERF_BR_SERROR = 13,
	PERF_BR_NO_TX = 14,
	PERF_BR_EXTEND_ABI = 15, /* see new_type */
	PERF_BR_MAX
};

/* perf_branch_entry.spec */
enum {
	PERF_BR_SPEC_NA = 0,
	PERF_BR_SPEC_WRONG_PATH = 1,
	PERF_BR_NON_SPEC_CORRECT_PATH = 2,
	PERF_BR_SPEC_CORRECT_PATH = 3,
	PERF_BR_SPEC_MAX
};

/* perf_branch_entry.new_type */
enum {
	PERF_BR_NEW_FAULT_ALGN = 0,
	PERF_BR_NEW_FAULT_DATA = 1,
	PERF_BR_NEW_FAULT_INST = 2,
	PERF_BR_NEW_ARCH_1 = 3,
	PERF_BR_NEW_ARCH_2 = 4,
	PERF_BR_NEW_ARCH_3 = 5,
	PERF_BR_NEW_ARCH_4 = 6,
	PERF_BR_NEW_ARCH_5 = 7,
	PERF_BR_NEW_MAX
};

/* perf_branch_entry.priv */
enum {
	PERF_BR_PRIV_UNKNOWN = 0,
	PERF_BR_PRIV_USER = 1,
	PERF_BR_PRIV_KERNEL = 2,
	PERF_BR_PRIV_HV = 3
};

/* The layout of a sample's register values. */
enum perf_sample_regs_abi {
	PERF_SAMPLE_REGS_ABI_NONE = 0,
	PERF_SAMPLE_REGS_ABI_32 = 1,
	PERF_SAMPLE_REGS_ABI_64 = 2
};

/* PERF_SAMPLE_TRANSACTION; the abort code is in the upper half. */
enum {
	PERF_TXN_ELISION = 1 << 0,
	PERF_TXN_TRANSACTION = 1 << 1,
	PERF_TXN_SYNC = 1 << 2,
	PERF_TXN_ASYNC = 1 << 3,
	PERF_TXN_RETRY = 1 << 4,
	PERF_TXN_CONFLICT = 1 << 5,
	PERF_TXN_CAPACITY_WRITE = 1 << 6,
	PERF_TXN_CAPACITY_READ = 1 << 7,
	PERF_TXN_MAX = 1 << 8
};

#define PERF_TXN_ABORT_SHIFT 32
#define PERF_TXN_ABORT_MASK  (0xffffffffULL << PERF_TXN_ABORT_SHIFT)

/*
 * attr.read_format: what read() returns, all 64-bit.
 *
 *   without GROUP: value, [time_enabled], [time_running], [id], [lost]
 *   with GROUP:    nr, [time_enabled], [time_running], then nr times: value, [id], [lost]
 */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
	PERF_FORMAT_MAX = 1U << 5
};

/* Versions of the attribute; attr.size is one of these, or larger with zeros beyond the known part. */
#define PERF_ATTR_SIZE_VER0 64	/* to config1, the first published form */
#define PERF_ATTR_SIZE_VER1 72	/* config2 */
#define PERF_ATTR_SIZE_VER2 80	/* branch_sample_type */
#define PERF_ATTR_SIZE_VER3 96	/* sample_regs_user, sample_stack_user */
#define PERF_ATTR_SIZE_VER4 104 /* sample_regs_intr */
#define PERF_ATTR_SIZE_VER5 112 /* aux_watermark */
#define PERF_ATTR_SIZE_VER6 120 /* aux_sample_size */
#define PERF_ATTR_SIZE_VER7 128 /* sig_data */
#define PERF_ATTR_SIZE_VER8 136 /* config3 */

struct perf_event_attr {
	__u32 type; /* perf_type_id, or the number of a PMU */
	__u32 size; /* size of the caller's version of this structure; 0: VER0 */
	__u64 config;
	union {
		__u64 sample_period; /* events */
		__u64 sample_freq;   /* samples/s, with freq */
	};
	__u64 sample_type; /* perf_event_sample_format */
	__u64 read_format; /* perf_event_read_format */

	__u64 disabled : 1,    /* start disabled */
		inherit : 1,   /* children inherit it */
		pinned : 1,    /* always scheduled in, or in error */
		exclusive : 1, /* its group alone on the PMU */
		exclude_user : 1, exclude_kernel : 1, exclude_hv : 1, exclude_idle : 1,
		mmap : 1,	    /* records of executable mappings */
		comm : 1,	    /* records of changed names */
		freq : 1,	    /* sample_freq instead of sample_period */
		inherit_stat : 1,   /* counts of each task apart */
		enable_on_exec : 1, /* enabled at the next execve */
		task : 1,	    /* records of fork and exit */
		watermark : 1,	    /* wakeup_watermark instead of wakeup_events */
		precise_ip : 2,	    /* 0: any skid … 3: none */
		mmap_data : 1,	    /* records of other mappings */
		sample_id_all : 1,  /* identify every record, not only samples */
		exclude_host : 1, exclude_guest : 1, exclude_callchain_kernel : 1,
		exclude_callchain_user : 1, mmap2 : 1, /* mappings with inode data */
		comm_exec : 1,	    /* mark the comm records that execve causes */
		use_clockid : 1,    /* clockid is the clock of TIME */
		context_switch : 1, /* records of context switches */
		write_backward : 1, /* fill the ring from its end */
		namespaces : 1, ksymbol : 1, bpf_event : 1,
		aux_output : 1,				 /* samples go to the AUX area */
		cgroup : 1, text_poke : 1, build_id : 1, /* build id in mmap2 records */
		inherit_thread : 1,			 /* only threads inherit it */
		remove_on_exec : 1,			 /* removed at the next execve */
		sigtrap : 1,				 /* SIGTRAP on each sample */
		__reserved_1 : 26;

	union {
		__u32 wakeup_events;	/* samples until a wake-up */
		__u32 wakeup_watermark; /* bytes until a wake-up */
	};
	__u32 bp_type;
	union {
		__u64 bp_addr;
		__u64 kprobe_func;
		__u64 uprobe_path;
		__u64 config1;
	};
	union {
		__u64 bp_len;
		__u64 kprobe_addr;
		__u64 probe_offset;
		__u64 config2;
	};
	__u64 branch_sample_type; /* perf_branch_sample_type */
	__u64 sample_regs_user;	  /* a bit for each register, see asm/perf_regs.h */
	__u32 sample_stack_user;  /* bytes */
	__s32 clockid;
	__u64 sample_regs_intr;
	__u32 aux_watermark;	/* bytes */
	__u16 sample_max_stack; /* frames of a call chain; 0: the system's limit */
	__u16 __reserved_2;
	__u32 aux_sample_size; /* bytes */
	__u32 __reserved_3;
	__u64 sig_data; /* goes to si_perf_data of the SIGTRAP */
	__u64 config3;
};

/* Argument of PERF_EVENT_IOC_QUERY_BPF. */
struct perf_event_query_bpf {
	__u32 ids_len;
	__u32 prog_cnt;
	__u32 ids[];
};

#define PERF_EVENT_IOC_ENABLE		 _IO('$', 0)
#define PERF_EVENT_IOC_DISABLE		 _IO('$', 1)
#define PERF_EVENT_IOC_REFRESH		 _IO('$', 2)
#define PERF_EVENT_IOC_RESET		 _IO('$', 3)
#define PERF_EVENT_IOC_PERIOD		 _IOW('$', 4, __u64)
#define PERF_EVENT_IOC_SET_OUTPUT	 _IO('$', 5)
#define PERF_EVENT_IOC_SET_FILTER	 _IOW('$', 6, char *)
#define PERF_EVENT_IOC_ID		 _IOR('$', 7, __u64 *)
#define PERF_EVENT_IOC_SET_BPF		 _IOW('$', 8, __u32)
#define PERF_EVENT_IOC_PAUSE_OUTPUT	 _IOW('$', 9, __u32)
#define PERF_EVENT_IOC_QUERY_BPF	 _IOWR('$', 10, struct perf_event_query_bpf *)
#define PERF_EVENT_IOC_MODIFY_ATTRIBUTES _IOW('$', 11, struct perf_event_attr *)

/* Argument of ENABLE, DISABLE, REFRESH and RESET: the whole group. */
enum perf_event_ioc_flags { PERF_IOC_FLAG_GROUP = 1U << 0 };

/*
 * First page of an event's mapping. The kernel writes it, but for data_tail and aux_tail; a reader
 * repeats what it read while lock is odd or has changed.
 */
struct perf_event_mmap_page {
	__u32 version;
	__u32 compat_version;
	__u32 lock;	    /* sequence count */
	__u32 index;	    /* counter for the user's read instruction, plus one; 0: none */
	__s64 offset;	    /* add this to the counter's value */
	__u64 time_enabled; /* ns */
	__u64 time_running; /* ns */
	union {
		__u64 capabilities;
		struct {
			__u64 cap_bit0 : 1,		    /* always 0 */
				cap_bit0_is_deprecated : 1, /* always 1 */
				cap_user_rdpmc : 1, /* the counter can be read if index is not 0 */
				cap_user_time : 1,  /* time_shift, time_mult, time_offset hold */
				cap_user_time_zero : 1,	 /* time_zero holds */
				cap_user_time_short : 1, /* time_cycles, time_mask hold */
				cap_____res : 58;
		};
	};
	__u16 pmc_width;  /* bits of the counter that count; sign-extend from there */
	__u16 time_shift; /* ns = time_offset + ((cycles * time_mult) >> time_shift) */
	__u32 time_mult;
	__u64 time_offset; /* relative to the two times above */
	__u64 time_zero;   /* relative to the clock of the records */
	__u32 size;	   /* bytes before __reserved */
	__u32 __reserved_1;
	__u64 time_cycles;
	__u64 time_mask;
	__u8 __reserved[116 * 8]; /* to byte 1024 */

	__u64 data_head;   /* bytes written since the start, never wraps */
	__u64 data_tail;   /* bytes consumed, written by the user */
	__u64 data_offset; /* offset of the data from this page, bytes */
	__u64 data_size;   /* bytes */

	__u64 aux_head;
	__u64 aux_tail;
	__u64 aux_offset;
	__u64 aux_size;
};

/* perf_event_header.misc */
#define PERF_RECORD_MISC_CPUMODE_MASK		(7 << 0)
#define PERF_RECORD_MISC_CPUMODE_UNKNOWN	(0 << 0)
#define PERF_RECORD_MISC_KERNEL			(1 << 0)
#define PERF_RECORD_MISC_USER			(2 << 0)
#define PERF_RECORD_MISC_HYPERVISOR		(3 << 0)
#define PERF_RECORD_MISC_GUEST_KERNEL		(4 << 0)
#define PERF_RECORD_MISC_GUEST_USER		(5 << 0)
#define PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT (1 << 12) /* set by user tools only */
#define PERF_RECORD_MISC_MMAP_DATA		(1 << 13) /* MMAP, MMAP2 */
#define PERF_RECORD_MISC_COMM_EXEC		(1 << 13) /* COMM */
#define PERF_RECORD_MISC_FORK_EXEC		(1 << 13) /* FORK, set by user tools only */
#define PERF_RECORD_MISC_SWITCH_OUT		(1 << 13) /* SWITCH, SWITCH_CPU_WIDE */
#define PERF_RECORD_MISC_EXACT_IP		(1 << 14) /* SAMPLE */
#define PERF_RECORD_MISC_SWITCH_OUT_PREEMPT	(1 << 14) /* SWITCH, SWITCH_CPU_WIDE */
#define PERF_RECORD_MISC_MMAP_BUILD_ID		(1 << 14) /* MMAP2 */
#define PERF_RECORD_MISC_EXT_RESERVED		(1 << 15)

/* Every record starts with this; size is in bytes, header included, and a multiple of 8. */
struct perf_event_header {
	__u32 type;
	__u16 misc;
	__u16 size;
};

struct perf_ns_link_info {
	__u64 dev;
	__u64 ino;
};

enum {
	NET_NS_INDEX = 0,
	UTS_NS_INDEX = 1,
	IPC_NS_INDEX = 2,
	PID_NS_INDEX = 3,
	USER_NS_INDEX = 4,
	MNT_NS_INDEX = 5,
	CGROUP_NS_INDEX = 6,
	NR_NAMESPACES
};

/*
 * perf_event_header.type, and what follows the header. With sample_id_all every record but SAMPLE
 * ends with the trailer (sample_id): [pid, tid] [time] [id] [stream_id] [cpu, res] [identifier],
 * each if its bit of sample_type is set.
 */
enum perf_event_type {
	PERF_RECORD_MMAP = 1,	    /* u32 pid, tid; u64 addr, len, pgoff; char filename[] */
	PERF_RECORD_LOST = 2,	    /* u64 id, lost */
	PERF_RECORD_COMM = 3,	    /* u32 pid, tid; char comm[] */
	PERF_RECORD_EXIT = 4,	    /* u32 pid, ppid, tid, ptid; u64 time */
	PERF_RECORD_THROTTLE = 5,   /* u64 time, id, stream_id */
	PERF_RECORD_UNTHROTTLE = 6, /* u64 time, id, stream_id */
	PERF_RECORD_FORK = 7,	    /* u32 pid, ppid, tid, ptid; u64 time */
	PERF_RECORD_READ = 8,	    /* u32 pid, tid; values as read() */
	PERF_RECORD_SAMPLE = 9,
	/*
	 * SAMPLE: [u64 identifier] [u64 ip] [u32 pid, tid] [u64 time] [u64 addr] [u64 id]
	 * [u64 stream_id] [u32 cpu, res] [u64 period] [READ: as read()] [u64 nr, ips[nr]]
	 * [RAW: u32 size, data] [branch stack] [user registers] [user stack] [u64 weight]
	 * [u64 data_src] [u64 transaction] [registers] [u64 phys_addr] [u64 cgroup]
	 * [u64 data_page_size] [u64 code_page_size] [AUX: u64 size, data]
	 */
	PERF_RECORD_MMAP2 =
		10, /* as MMAP, with maj, min, ino, ino_generation (or build id), prot, flags */
	PERF_RECORD_AUX = 11,	       /* u64 aux_offset, aux_size, flags */
	PERF_RECORD_ITRACE_START = 12, /* u32 pid, tid */
	PERF_RECORD_LOST_SAMPLES = 13, /* u64 lost */
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,  /* u32 next_prev_pid, next_prev_tid */
	PERF_RECORD_NAMESPACES = 16,	   /* u32 pid, tid; u64 nr; perf_ns_link_info[nr] */
	PERF_RECORD_KSYMBOL = 17,	   /* u64 addr; u32 len; u16 type, flags; name */
	PERF_RECORD_BPF_EVENT = 18,	   /* u16 type, flags; u32 id; u8 tag[8] */
	PERF_RECORD_CGROUP = 19,	   /* u64 id; char path[] */
	PERF_RECORD_TEXT_POKE = 20,	   /* u64 addr; u16 old_len, new_len; u8 bytes[] */
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21, /* u64 hw_id */
	PERF_RECORD_MAX
};

enum perf_record_ksymbol_type {
	PERF_RECORD_KSYMBOL_TYPE_UNKNOWN = 0,
	PERF_RECORD_KSYMBOL_TYPE_BPF = 1,
	PERF_RECORD_KSYMBOL_TYPE_OOL = 2,
	PERF_RECORD_KSYMBOL_TYPE_MAX
};

#define PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER (1 << 0)

enum perf_bpf_event_type {
	PERF_BPF_EVENT_UNKNOWN = 0,
	PERF_BPF_EVENT_PROG_LOAD = 1,
	PERF_BPF_EVENT_PROG_UNLOAD = 2,
	PERF_BPF_EVENT_MAX
};

#define PERF_MAX_STACK_DEPTH	    127
#define PERF_MAX_CONTEXTS_PER_STACK 8

/* Marks in a call chain: the entries after a mark were executed in its context. */
enum perf_callchain_context {
	PERF_CONTEXT_HV = -32,
	PERF_CONTEXT_KERNEL = -128,
	PERF_CONTEXT_USER = -512,
	PERF_CONTEXT_GUEST = -2048,
	PERF_CONTEXT_GUEST_KERNEL = -2176,
	PERF_CONTEXT_GUEST_USER = -2560,
	PERF_CONTEXT_MAX = -4095
};

/* PERF_RECORD_AUX flags */
#define PERF_AUX_FLAG_TRUNCATED			 0x01
#define PERF_AUX_FLAG_OVERWRITE			 0x02
#define PERF_AUX_FLAG_PARTIAL			 0x04
#define PERF_AUX_FLAG_COLLISION			 0x08
#define PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK	 0xff00
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_CORESIGHT 0x0000
#define PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW	 0x0100

/* flags of perf_event_open */
#define PERF_FLAG_FD_NO_GROUP			 (1UL << 0)
#define PERF_FLAG_FD_OUTPUT			 (1UL << 1)
#define PERF_FLAG_PID_CGROUP			 (1UL << 2)
#define PERF_FLAG_FD_CLOEXEC			 (1UL << 3)

/* PERF_SAMPLE_DATA_SRC, for a little-endian CPU. */
union perf_mem_data_src {
	__u64 val;
	struct {
		__u64 mem_op : 5, mem_lvl : 14, mem_snoop : 5, mem_lock : 2, mem_dtlb : 7,
			mem_lvl_num : 4, mem_remote : 1, mem_snoopx : 2, mem_blk : 3, mem_hops : 3,
			mem_rsvd : 18;
	};
};

#define PERF_MEM_OP_NA		  0x01
#define PERF_MEM_OP_LOAD	  0x02
#define PERF_MEM_OP_STORE	  0x04
#define PERF_MEM_OP_PFETCH	  0x08
#define PERF_MEM_OP_EXEC	  0x10
#define PERF_MEM_OP_SHIFT	  0

#define PERF_MEM_LVL_NA		  0x01
#define PERF_MEM_LVL_HIT	  0x02
#define PERF_MEM_LVL_MISS	  0x04
#define PERF_MEM_LVL_L1		  0x08
#define PERF_MEM_LVL_LFB	  0x10
#define PERF_MEM_LVL_L2		  0x20
#define PERF_MEM_LVL_L3		  0x40
#define PERF_MEM_LVL_LOC_RAM	  0x80
#define PERF_MEM_LVL_REM_RAM1	  0x100
#define PERF_MEM_LVL_REM_RAM2	  0x200
#define PERF_MEM_LVL_REM_CCE1	  0x400
#define PERF_MEM_LVL_REM_CCE2	  0x800
#define PERF_MEM_LVL_IO		  0x1000
#define PERF_MEM_LVL_UNC	  0x2000
#define PERF_MEM_LVL_SHIFT	  5

#define PERF_MEM_REMOTE_REMOTE	  0x01
#define PERF_MEM_REMOTE_SHIFT	  37

#define PERF_MEM_LVLNUM_L1	  0x01
#define PERF_MEM_LVLNUM_L2	  0x02
#define PERF_MEM_LVLNUM_L3	  0x03
#define PERF_MEM_LVLNUM_L4	  0x04
#define PERF_MEM_LVLNUM_L2_MHB	  0x05
#define PERF_MEM_LVLNUM_MSC	  0x06
#define PERF_MEM_LVLNUM_UNC	  0x08
#define PERF_MEM_LVLNUM_CXL	  0x09
#define PERF_MEM_LVLNUM_IO	  0x0a
#define PERF_MEM_LVLNUM_ANY_CACHE 0x0b
#define PERF_MEM_LVLNUM_LFB	  0x0c
#define PERF_MEM_LVLNUM_RAM	  0x0d
#define PERF_MEM_LVLNUM_PMEM	  0x0e
#define PERF_MEM_LVLNUM_NA	  0x0f
#define PERF_MEM_LVLNUM_SHIFT	  33

#define PERF_MEM_SNOOP_NA	  0x01
#define PERF_MEM_SNOOP_NONE	  0x02
#define PERF_MEM_SNOOP_HIT	  0x04
#define PERF_MEM_SNOOP_MISS	  0x08
#define PERF_MEM_SNOOP_HITM	  0x10
#define PERF_MEM_SNOOP_SHIFT	  19

#define PERF_MEM_SNOOPX_FWD	  0x01
#define PERF_MEM_SNOOPX_PEER	  0x02
#define PERF_MEM_SNOOPX_SHIFT	  38

#define PERF_MEM_LOCK_NA	  0x01
#define PERF_MEM_LOCK_LOCKED	  0x02
#define PERF_MEM_LOCK_SHIFT	  24

#define PERF_MEM_TLB_NA		  0x01
#define PERF_MEM_TLB_HIT	  0x02
#define PERF_MEM_TLB_MISS	  0x04
#define PERF_MEM_TLB_L1		  0x08
#define PERF_MEM_TLB_L2		  0x10
#define PERF_MEM_TLB_WK		  0x20
#define PERF_MEM_TLB_OS		  0x40
#define PERF_MEM_TLB_SHIFT	  26

#define PERF_MEM_BLK_NA		  0x01
#define PERF_MEM_BLK_DATA	  0x02
#define PERF_MEM_BLK_ADDR	  0x04
#define PERF_MEM_BLK_SHIFT	  40

#define PERF_MEM_HOPS_0		  0x01
#define PERF_MEM_HOPS_1		  0x02
#define PERF_MEM_HOPS_2		  0x03
#define PERF_MEM_HOPS_3		  0x04
#define PERF_MEM_HOPS_SHIFT	  43

/* One field of perf_mem_data_src: PERF_MEM_S(LVL, HIT). */
#define PERF_MEM_S(field, value)  (((__u64)PERF_MEM_##field##_##value) << PERF_MEM_##field##_SHIFT)

/* One taken branch of PERF_SAMPLE_BRANCH_STACK. */
struct perf_branch_entry {
	__u64 from;
	__u64 to;
	__u64 mispred : 1, predicted : 1, in_tx : 1, abort : 1, cycles : 16, type : 4, spec : 2,
		new_type : 4, priv : 3, reserved : 31;
};

#define PERF_BRANCH_ENTRY_INFO_BITS_MAX 33

/* PERF_SAMPLE_WEIGHT_STRUCT, for a little-endian CPU. */
union perf_sample_weight {
	__u64 full;
	struct {
		__u32 var1_dw;
		__u16 var2_w;
		__u16 var3_w;
	};
};

#endif
