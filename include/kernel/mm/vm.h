/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces: areas, demand paging, copy-on-write.
 *
 * An area is a range of addresses with one protection and one source of pages; it says what may
 * be mapped. The page tables hold the pages that are mapped. Pages come at the first access (vm_fault).
 *
 * A private area whose operations supply pages (a file's) maps those read-only; a write makes a private
 * copy of the page.
 *
 * Lock order: space->mutex, then the locks of an area's operations, then mapping->lock. Never touch user
 * memory through <kernel/mm/usercopy.h> with space->mutex held: the fault takes it.
 */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <arch/mmu.h>
#include <kernel/base/spinlock.h>
#include <kernel/base/tree.h>
#include <kernel/mm/page.h>
#include <kernel/mm/user_range.h>
#include <kernel/sched/wait.h>

struct file;
struct inode;
struct task;
struct trap_frame;
struct vm_area;

enum vm_prot { VM_READ = 1, VM_WRITE = 2, VM_EXEC = 4 };
/* With these in an entry of the page tables: a device's registers, which CPUs do not cache. */
#define VM_UNCACHED 8

/* Operations of a special mapping (an event's ring buffer, shared memory). Called with space->mutex held,
 * task context. A NULL open or close does nothing. */
struct vm_area_ops {
	/* The area was copied by fork, or split in two. */
	void (*open)(struct vm_area *area);
	/* The area (or what is left of it) is unmapped. */
	void (*close)(struct vm_area *area);
	/* Returns the page at byte OFFSET from the start of the object, with a reference for the mapping
	 * (struct vm_area's `registers`: without one), or NULL (SIGBUS), or VM_NO_MEMORY. WRITE: the access writes; sets *WRITABLE: whether the mapping
	 * may be writable now. For a private area the access is always a read, and the page is never
	 * mapped writable. */
	void *(*fault)(struct vm_area *area, uint64_t offset, bool write, bool *writable);
	/* msync: what mappings have written to bytes [START, END) of the object is secured: 0 or a negative error. NULL:
	 * it is. */
	int (*sync)(struct vm_area *area, uint64_t start, uint64_t end);
	/* mincore: returns whether the page at OFFSET is in memory, mapped or not. NULL: only mapped
	 * pages are. */
	bool (*resident)(struct vm_area *area, uint64_t offset);
	/* madvise(MADV_REMOVE): the object reads as zeros there from now on, in every space. AREA is
	 * a copy that is in no space, and no space->mutex is held. 0 or a negative error. NULL:
	 * ENODEV. */
	int (*remove)(struct vm_area *area, uint64_t offset, uint64_t bytes);
	/* Two adjacent areas with the same file and private data may merge. */
	bool mergeable;
	/* No part is unmapped, moved or protected without the rest: -EINVAL. */
	bool indivisible;
};

/* The result of a fault operation when memory is short. */
#define VM_NO_MEMORY ((void *)-1)

/* Every area that shows an object, part of a file's inode: so that pages which the object loses can be
 * unmapped everywhere. The file's mmap operation sets area->mapping; this module does the rest. */
struct vm_mapping {
	struct spinlock lock;
	LIST_HEAD(, vm_area) areas; /* M */
};				    /* M: lock */

struct vm_area {
	RB_ENTRY(vm_area) node; /* S */
	uintptr_t start, end;	/* S: page aligned, [start, end) */
	unsigned int prot;	/* S: enum vm_prot */
	unsigned int max_prot;	/* S: the most that mprotect may set */
	bool shared;		/* MAP_SHARED: not copied on write */
	bool dont_copy;		/* S: fork leaves it out */
	bool wipe_on_fork;	/* S: the child finds zeros */
	bool dont_dump;		/* S */
	bool no_reserve;	/* MAP_NORESERVE */
	bool locked;		/* S: mlock: pages are present and stay */
	bool lock_on_fault;	/* S: with locked: only pages that were touched */
	bool dont_expand;	/* mremap may not make it larger */
	bool device;	   /* Linux's VM_IO and VM_PFNMAP: not memory that could be reclaimed */
	bool registers;	   /* with device, and shared: its pages are no memory */
	bool grows_down;   /* a stack: start moves down at a fault below it */
	bool touched;	   /* S: private, and has had a page of its own */
	uint64_t offset;   /* bytes into the object; anonymous memory: the original address */
	struct file *file; /* referenced; NULL: none */
	const struct vm_area_ops *ops; /* NULL: anonymous private memory */
	void *private;
	const char *name; /* what /proc/PID/maps calls it, "[vdso]"; NULL: see vm_area_name */
	struct vm_mapping *mapping; /* NULL: none */
	LIST_ENTRY(vm_area) mapped; /* M: in mapping->areas */
	uint64_t unmap_round;	    /* M: see kernel/mm/mapping.c */
	struct vm_space *space;
	struct vm_area *next_freed; /* S */
};				    /* S: space->mutex; M: mapping->lock */

RB_HEAD(vm_area_tree, vm_area);

/* Reports to perf: see kernel/mm/report.c. */
STAILQ_HEAD(vm_report_list, vm_report);

/*
 * The devices that share a space's page tables: an IOMMU translates their addresses by these. The operations: task
 * context, space->mutex held.
 */
struct vm_sharer {
	/* The tables have lost entries for [START, END), or rights: returns when no device uses what was there. */
	void (*flush)(struct vm_sharer *sharer, uintptr_t start, uintptr_t end);
	/* The space ends: returns when no device uses its tables. */
	void (*release)(struct vm_sharer *sharer);
};

/* Linux's vm.max_map_count. */
#define VM_AREAS_MAX 65530

struct vm_space {
	struct mutex mutex;
	struct vm_area_tree areas;	   /* S: none overlap */
	unsigned int area_count;	   /* S */
	struct vm_area *freed_areas;	   /* S: out of the tree; their files' references remain */
	struct vm_report_list reports;	   /* S: vm_space_unlock delivers them to perf */
	struct arch_space arch;		   /* page tables */
	struct vm_sharer *sharer;	   /* S: NULL: no device shares the tables */
	uintptr_t brk_start, brk;	   /* S */
	uintptr_t stack_top;		   /* where the first stack ends */
	uintptr_t mmap_base;		   /* mmap searches downwards from here */
	bool randomized;		   /* of the layout, see vm_lay_out */
	uint64_t stack_limit_bytes;	   /* S: how far a grows_down area may grow */
	uint64_t data_limit_bytes;	   /* S: how far the break may move: RLIMIT_DATA */
	size_t locked_pages_max;	   /* S: RLIMIT_MEMLOCK, without CAP_IPC_LOCK */
	size_t mapped_pages;		   /* S: sum of the areas' sizes */
	size_t mapped_pages_max;	   /* S: RLIMIT_AS */
	size_t mapped_pages_peak;	   /* S */
	size_t locked_pages;		   /* S: sum of the locked areas' sizes */
	bool lock_future;		   /* S: mlockall(MCL_FUTURE): new areas are locked */
	bool lock_future_on_fault;	   /* S: with MCL_ONFAULT */
	size_t resident_pages[PAGE_KINDS]; /* S */
	size_t resident_pages_peak;	   /* S */
	_Atomic unsigned int membarrier_registered; /* commands, see kernel/task/membarrier.c */
	_Atomic unsigned int references;
	_Atomic unsigned int pins;    /* one for all references, and one per vm_space_pin */
	_Atomic size_t perf_pages;    /* in rings of events, beyond the user's share of them */
	shared_cpumask_t active_cpus; /* CPUs that have it loaded: for TLB shoot-down */
	_Atomic unsigned int
		perf_rdpmc; /* mapped events that allow user counter reads, see <arch/pmu.h> */
};

/* Creates an empty space with one reference; NULL: no memory. Task context. */
struct vm_space *vm_space_create(void);
/* Copies SPACE; private pages are shared until written to. NULL: no memory. Task context. */
struct vm_space *vm_space_fork(struct vm_space *space);
void vm_space_get(struct vm_space *space);
/* Returns the space of TASK with a new reference, or NULL (a kernel task, or one that has given it up).
 * Task context; the caller holds a reference to TASK. */
struct vm_space *vm_space_of(struct task *task);
/* Drops a reference; the last one unmaps everything. Task context; no CPU has the space loaded
 * then. */
void vm_space_put(struct vm_space *space);
/* A pin keeps the structure, but not the contents, until vm_space_unpin. vm_space_pin needs a reference;
 * vm_space_get_pinned takes a new reference unless the last is gone. Any context; unpin: any context that
 * allows kfree. */
void vm_space_pin(struct vm_space *space);
bool vm_space_get_pinned(struct vm_space *space);
void vm_space_unpin(struct vm_space *space);
/* Gives the current task SPACE (NULL: none), whose reference moves in, and drops its old one. Task
 * context. */
void vm_space_switch(struct vm_space *space);
/* The same in two steps: vm_space_exchange returns the old space, or NULL, for vm_space_leave. exchange: task
 * context, mutexes may be held; leave: task context. */
struct vm_space *vm_space_exchange(struct vm_space *space);
void vm_space_leave(struct vm_space *old);

/* A mapping requested from vm_map. */
struct vm_request {
	uintptr_t address; /* page aligned hint, or the place if FIXED */
	size_t size;	   /* bytes, not 0; rounded up to pages */
	unsigned int prot; /* enum vm_prot */
	bool fixed;	   /* exactly at ADDRESS; what is mapped there is unmapped first */
	bool no_replace;   /* with FIXED: -EEXIST if something is mapped there */
	bool shared;
	bool grows_down;
	bool no_reserve;   /* the size may exceed the machine's memory */
	bool populate;	   /* get all pages now */
	bool locked;	   /* MAP_LOCKED */
	bool low_2gib;	   /* MAP_32BIT: not FIXED, below 2 GiB */
	bool device;	   /* see struct vm_area */
	struct file *file; /* NULL: anonymous. A reference is taken */
	uint64_t offset;   /* bytes into the file, page aligned */
	const char *name;  /* see struct vm_area; a constant */
};

/* Maps REQUEST; returns the address or a negative error: -EINVAL, -ENOMEM, -EEXIST, -EACCES, -EPERM
 * (below USER_START), -ENODEV, or an error of the file's mmap operation. Task context. */
long vm_map(struct vm_space *space, const struct vm_request *request);

/* The calls on ranges: page aligned. The part outside of user space counts as not mapped. */

/* Unmaps RANGE, which may have holes. -EINVAL, -ENOMEM. Task context. */
int vm_unmap(struct vm_space *space, struct user_range range);
/* Sets the protection of all of RANGE. -ENOMEM: part of it is not mapped; -EACCES, -EINVAL. Task
 * context. */
int vm_protect(struct vm_space *space, struct user_range range, unsigned int prot);
/* Returns whether madvise takes ADVICE (MADV_*). Any context. */
bool vm_advice_known(int advice);
/* madvise on RANGE, not empty. Errors as madvise(2). Task context. */
int vm_advise(struct vm_space *space, struct user_range range, int advice);
/* Moves or resizes a mapping as mremap(2) asks; FLAGS: MREMAP_*. Takes unchecked numbers: the order of the
 * checks depends on what is mapped there. Returns the new address or a negative error. Task context. */
long vm_remap(struct vm_space *space, uintptr_t address, size_t old_size, size_t new_size,
	      unsigned long flags, uintptr_t new_address);
/* mlock, mlock2 (ON_FAULT) and munlock (not LOCK) of RANGE. PAGES: the number requested; more than RANGE has,
 * inside and outside, means a wrap (-EINVAL, after the limit's errors). -ENOMEM: part of it is not mapped or
 * over the limit; -EPERM: nothing may be locked; -EAGAIN: no memory for it. Task context. */
int vm_lock(struct vm_space *space, struct user_range range, size_t pages, bool lock,
	    bool on_fault);
/* mlockall with FLAGS MCL_*, and munlockall with 0. Task context. */
int vm_lock_all(struct vm_space *space, unsigned int flags);
/* mincore: writes a byte for each page of RANGE up to a hole, 1 if the page is in memory, into PAGES. Returns
 * their number, more than 0, or -ENOMEM. Task context. */
long vm_resident_vector(struct vm_space *space, struct user_range range, unsigned char *pages);
/* msync of the range with FLAGS MS_*. Task context. */
int vm_sync(struct vm_space *space, struct user_range range, unsigned int flags);
/* Returns the physical address of ADDRESS if it lies in memory that other spaces may see too and is
 * present; else 0. Task context. */
paddr_t vm_shared_paddr(struct vm_space *space, uintptr_t address);
/* Moves the break to BRK if that is possible; returns the break. Task context. */
uintptr_t vm_brk(struct vm_space *space, uintptr_t brk);
/* Chooses the start of the stack and of mappings in SPACE, which is empty: as Linux does for a stack limit
 * of STACK_LIMIT_BYTES, moved at random if RANDOMIZED. Task context. */
void vm_lay_out(struct vm_space *space, uint64_t stack_limit_bytes, bool randomized);
/* Returns whether layouts may be random: not with the command line's word norandom. Any context. */
bool vm_layout_randomized(void);
/* Returns the lowest address, page aligned, for a position-independent program. */
uintptr_t vm_dynamic_base(const struct vm_space *space);
/* Starts the break after the program's END. */
void vm_set_brk_start(struct vm_space *space, uintptr_t end);
/* Returns how many bytes, a multiple of 16, the first stack's contents begin below its top. */
size_t vm_stack_shift(const struct vm_space *space);

/* Sets the limits for stacks, all mappings together, the heap and locked memory (RLIMIT_STACK, RLIMIT_AS,
 * RLIMIT_DATA, RLIMIT_MEMLOCK). Task context. */
void vm_set_limits(struct vm_space *space, uint64_t stack_bytes, uint64_t all_bytes,
		   uint64_t data_bytes, uint64_t locked_bytes);
/* Writes into memory of a space that is not loaded (a new program's stack, a child's tid); pages are made
 * as needed. 0, -EFAULT (not mapped writable), -ENOMEM. Task context. */
int vm_write(struct vm_space *space, uintptr_t address, const void *source, size_t size);

/* The access that vm_access makes: combined with |. */
enum vm_access_flags {
	VM_ACCESS_READ = 0,
	VM_ACCESS_WRITE = 1,
	/* As a debugger: also memory that the program itself may not read or write; private memory gets
	 * a copy. Not shared memory that must not be written to. Linux: FOLL_FORCE. */
	VM_ACCESS_FORCE = 2,
};

/* Copies between BUFFER (kernel memory) and the bytes of RANGE of any live space, pages made as needed.
 * Returns how many bytes from the start it copied. A device area (struct vm_area) is refused whatever the
 * flags: Linux: check_vma_flags. Task context; the caller holds a reference to the space, and no
 * space->mutex. */
size_t vm_access(struct vm_space *space, struct user_range range, void *buffer, unsigned int flags);

/* Calls VISIT(AREA, ARG) for each area that ends above FROM, lowest first, until it returns false.
 * space->mutex is held meanwhile: VISIT touches no user memory. Task context. */
void vm_for_each_area(struct vm_space *space, uintptr_t from,
		      bool (*visit)(const struct vm_area *area, void *arg), void *arg);
/* Reports the areas of SPACE, which execve of the current task has just mapped for the file PROGRAM, to perf.
 * Task context. */
void vm_report_program(struct vm_space *space, const struct inode *program);
/* Returns the name of AREA in /proc/PID/maps if it shows no file: "[heap]", "[stack]", "[vdso]" …; else NULL.
 * From vm_for_each_area's VISIT. */
const char *vm_area_name(const struct vm_area *area);
/* Counts AREA's present pages by kind. From vm_for_each_area's VISIT. */
void vm_area_resident(const struct vm_area *area, size_t pages[PAGE_KINDS]);

/* The memory that a space takes, in pages: /proc/PID/statm, status, and rusage. */
struct vm_usage {
	size_t mapped, mapped_peak;				    /* VmSize, VmPeak */
	size_t resident[PAGE_KINDS], resident_total, resident_peak; /* Rss*, VmRSS, VmHWM */
	size_t locked;						    /* VmLck */
	size_t data, stack, executable; /* VmData, VmStk, code of all files */
	size_t tables;			/* VmPTE */
};

/* Fills in USAGE. Task context. */
void vm_get_usage(struct vm_space *space, struct vm_usage *usage);
/* Returns the present pages of SPACE. Any context: a snapshot. */
size_t vm_resident_pages(const struct vm_space *space);

/* Returns the same plus its page tables, for the space of TASK; 0 if it has none. Any context but NMI. */
size_t vm_task_pages(struct task *task);

/*
 * Returns whether some task has left its space and not yet freed the pages that only it used. A caller
 * that saw a task without pages and then false here finds those pages free. Any context.
 */
bool vm_any_space_leaving(void);
/* Returns the number of free pages that programs do not get. Any context. */
size_t oom_reserve_pages(void);

/* Returns whether COUNT pages are free. If fewer are, first lets kmalloc give pages back. Task and interrupt context. */
bool oom_has_pages(size_t count);

/* Makes MAPPING empty, before it is shared. */
void vm_mapping_init(struct vm_mapping *mapping);
/* Unmaps, in every space, the pages that show bytes [START, END) of the object, page aligned (END may
 * be UINT64_MAX); with OWN_COPIES also the private copies of them (truncation; a punched hole leaves
 * those). The caller has made sure that faults do not find the pages any more. Task context, without
 * space->mutex and the locks of the fault operation. */
void vm_unmap_file_range(struct vm_mapping *mapping, uint64_t start, uint64_t end, bool own_copies);
/* Returns whether some area shows the object; WRITABLE: whether one may write to it. A snapshot. Task
 * context. */
bool vm_mapping_in_use(struct vm_mapping *mapping, bool writable);

/* Serves a page fault of the current task at ADDRESS, which lies in user space, by user code or by a
 * user copy. WRITE, EXEC: the access. True: continue; false, only for a fault in kernel mode (FRAME
 * says so): the copy must fail. A fault of user code that cannot be served becomes SIGSEGV or SIGBUS
 * (true). Interrupts on. */
bool vm_fault(struct trap_frame *frame, uintptr_t address, bool write, bool exec);

/* Returns the number of AREA's anonymous shared memory, which serves as its inode number, or 0: AREA shows
 * none. */
uint64_t shared_memory_number(const struct vm_area *area);

/* Returns SIZE, or an address, rounded up to pages; 0 on overflow. */
size_t pages_round_up(size_t size);

#endif
