/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces: areas, demand paging, copy-on-write.
 *
 * An area is a range of addresses with one protection and one source of pages; it says what may
 * be mapped. The page tables say what is. Pages come at the first access (vm_fault).
 *
 * A private area whose operations supply pages (a file's) maps those read-only; a write makes the
 * area a copy of its own.
 *
 * Lock order: space->mutex, then whatever an area's operations take, then mapping->lock. Never touch
 * user memory through <kernel/usercopy.h> with a space's mutex held: the fault takes it.
 */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <arch/mmu.h>
#include <kernel/page.h>
#include <kernel/spinlock.h>
#include <kernel/tree.h>
#include <kernel/user_range.h>
#include <kernel/wait.h>

struct file;
struct inode;
struct task;
struct trap_frame;
struct vm_area;

enum vm_prot { VM_READ = 1, VM_WRITE = 2, VM_EXEC = 4 };

/* What a special mapping (an event's ring buffer, shared memory) does. Called with the space's
 * mutex held, task context. A NULL open or close does nothing. */
struct vm_area_ops {
	/* The area was copied by fork, or split in two. */
	void (*open)(struct vm_area *area);
	/* The area (or what is left of it) goes away. */
	void (*close)(struct vm_area *area);
	/* The page at byte OFFSET from the start of the object, with a reference for the
	 * mapping, or NULL (SIGBUS), or VM_NO_MEMORY. WRITE: the access writes; *WRITABLE says on
	 * return whether the mapping may be writable now. A private area always reads, and is
	 * never given write access to the page. */
	void *(*fault)(struct vm_area *area, uint64_t offset, bool write, bool *writable);
	/* mincore: whether the page at OFFSET is in memory, mapped or not. NULL: it is when it is
	 * mapped. */
	bool (*resident)(struct vm_area *area, uint64_t offset);
	/* madvise(MADV_REMOVE): the object reads as zeros there from now on, in every space. AREA is
	 * a copy that is in no space, and no space's mutex is held. 0 or a negative error. NULL:
	 * ENODEV. */
	int (*remove)(struct vm_area *area, uint64_t offset, uint64_t bytes);
	/* Two areas side by side with the same file and private data are as good as one. */
	bool mergeable;
	/* No part is unmapped, moved or protected without the rest: -EINVAL. */
	bool indivisible;
};

/* What a fault operation returns when there is no page to be had. */
#define VM_NO_MEMORY ((void *)-1)

/* Every area that shows an object, so that what the object loses can be unmapped everywhere: part of
 * a file's inode. The file's mmap operation sets area->mapping; the rest is this module's. */
struct vm_mapping {
	struct spinlock lock;
	LIST_HEAD(, vm_area) areas; /* M */
};				    /* M: lock */

struct vm_area {
	RB_ENTRY(vm_area) node; /* S */
	uintptr_t start, end;	/* S: page aligned, [start, end) */
	unsigned int prot;	/* S: enum vm_prot */
	unsigned int max_prot;	/* S: what mprotect may make of it */
	bool shared;		/* MAP_SHARED: not copied on write */
	bool dont_copy;		/* S: fork leaves it out */
	bool wipe_on_fork;	/* S: the child finds zeros */
	bool dont_dump;		/* S */
	bool no_reserve;	/* MAP_NORESERVE was said */
	bool locked;		/* S: mlock: pages are there and stay */
	bool lock_on_fault;	/* S: with locked: only those that were touched */
	bool dont_expand;	/* mremap may not make it larger */
	bool device;		/* Linux's VM_IO and VM_PFNMAP: not memory that could be let go */
	bool grows_down;	/* a stack: start moves down at a fault below it */
	bool touched;		/* S: private, and has had a page of its own */
	uint64_t offset;   /* bytes into the object; of anonymous memory, its address at first */
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

/* What is to be told to perf: see kernel/mm/report.c. */
STAILQ_HEAD(vm_report_list, vm_report);

/* Linux's vm.max_map_count. */
#define VM_AREAS_MAX 65530

struct vm_space {
	struct mutex mutex;
	struct vm_area_tree areas;	   /* S: none overlap */
	unsigned int area_count;	   /* S */
	struct vm_area *freed_areas;	   /* S: no longer there, but for their files' references */
	struct vm_report_list reports;	   /* S: what the holder of the mutex is to tell perf */
	struct arch_space arch;		   /* page tables */
	uintptr_t brk_start, brk;	   /* S */
	uintptr_t stack_top;		   /* where the first stack ends */
	uintptr_t mmap_base;		   /* mmap searches downwards from here */
	bool randomized;		   /* the layout is, see vm_lay_out */
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
	_Atomic unsigned int pins;    /* one for all references, and who may want one later */
	_Atomic size_t perf_pages;    /* in rings of events, beyond the user's share of them */
	_Atomic uint64_t active_cpus; /* processors that have it loaded: for TLB shoot-down */
	_Atomic unsigned int
		perf_rdpmc; /* mapped events that allow user counter reads, see <arch/pmu.h> */
};

/* An empty space with one reference, or NULL. Task context. */
struct vm_space *vm_space_create(void);
/* A copy of SPACE, writable private pages shared until written to; or NULL. Task context. */
struct vm_space *vm_space_fork(struct vm_space *space);
void vm_space_get(struct vm_space *space);
/* The space of TASK with a new reference, or NULL (a kernel task, or one that has given it up). Task
 * context; the caller holds a reference to TASK. */
struct vm_space *vm_space_of(struct task *task);
/* Drops a reference; the last one unmaps everything. Task context; no processor has it loaded
 * then. */
void vm_space_put(struct vm_space *space);
/* SPACE's structure, but nothing of what is in it, stays until vm_space_unpin: pin while there is a reference, get_pinned
 * for one more, unless the last is gone. Any context, unpin: where kfree may be called. */
void vm_space_pin(struct vm_space *space);
bool vm_space_get_pinned(struct vm_space *space);
void vm_space_unpin(struct vm_space *space);
/* The running task goes on with SPACE (NULL: none), whose reference moves in; its old one is
 * dropped. Task context. */
void vm_space_switch(struct vm_space *space);
/* The same in two steps: the old one, or NULL, is for vm_space_leave. exchange: task context, mutexes may be held;
 * leave: task context. */
struct vm_space *vm_space_exchange(struct vm_space *space);
void vm_space_leave(struct vm_space *old);

/* What vm_map is to map. */
struct vm_request {
	uintptr_t address; /* page aligned hint, or the place if FIXED */
	size_t size;	   /* bytes, not 0; rounded up to pages */
	unsigned int prot; /* enum vm_prot */
	bool fixed;	   /* exactly there; what was there is unmapped first */
	bool no_replace;   /* with FIXED: -EEXIST if something is there */
	bool shared;
	bool grows_down;
	bool no_reserve;   /* more than the machine's memory may be asked for */
	bool populate;	   /* get all pages now */
	bool locked;	   /* MAP_LOCKED */
	bool low_2gib;	   /* MAP_32BIT: not FIXED, below 2 GiB */
	bool device;	   /* see struct vm_area */
	struct file *file; /* NULL: anonymous. A reference is taken */
	uint64_t offset;   /* bytes into the file, page aligned */
	const char *name;  /* see struct vm_area; a constant */
};

/* Maps; returns the address or a negative error: -EINVAL, -ENOMEM, -EEXIST, -EACCES, -EPERM
 * (below USER_START), -ENODEV, or what the file's mmap operation says. Task context. */
long vm_map(struct vm_space *space, const struct vm_request *request);

/* The calls on ranges: page aligned. What lies outside of user space is a part that is not mapped. */

/* Unmaps RANGE, where there may be nothing. -EINVAL, -ENOMEM. Task context. */
int vm_unmap(struct vm_space *space, struct user_range range);
/* New protection for all of the range. -ENOMEM: part of it is not mapped; -EACCES, -EINVAL.
 * Task context. */
int vm_protect(struct vm_space *space, struct user_range range, unsigned int prot);
/* Whether madvise takes ADVICE (MADV_*). Any context. */
bool vm_advice_known(int advice);
/* madvise on RANGE, not empty. Errors as madvise(2). Task context. */
int vm_advise(struct vm_space *space, struct user_range range, int advice);
/* Moves or resizes a mapping as mremap(2) asks; FLAGS: MREMAP_*. Takes any numbers: which of them is looked at
 * first depends on what is mapped there. The new address or a negative error. Task context. */
long vm_remap(struct vm_space *space, uintptr_t address, size_t old_size, size_t new_size,
	      unsigned long flags, uintptr_t new_address);
/* mlock, mlock2 (ON_FAULT) and munlock (not LOCK) of RANGE, for which PAGES were asked: more than it has,
 * wherever it ends, wrap (-EINVAL, behind the limit's errors). -ENOMEM: part of it is not mapped or over the
 * limit; -EPERM: nothing may be locked; -EAGAIN: no memory for it. Task context. */
int vm_lock(struct vm_space *space, struct user_range range, size_t pages, bool lock,
	    bool on_fault);
/* mlockall with FLAGS MCL_*, and munlockall with 0. Task context. */
int vm_lock_all(struct vm_space *space, unsigned int flags);
/* mincore: a byte for each page of RANGE up to a hole, 1 if it is there, into PAGES. How many it was,
 * which is more than 0, or -ENOMEM. Task context. */
long vm_resident_vector(struct vm_space *space, struct user_range range, unsigned char *pages);
/* msync of the range with FLAGS MS_*. Task context. */
int vm_sync(struct vm_space *space, struct user_range range, unsigned int flags);
/* The physical address behind ADDRESS if that lies in memory that other spaces may see too and
 * is present; else 0. Task context. */
paddr_t vm_shared_paddr(struct vm_space *space, uintptr_t address);
/* Moves the break to BRK if that is possible; returns where it is then. Task context. */
uintptr_t vm_brk(struct vm_space *space, uintptr_t brk);
/* Chooses where the stack and mappings of SPACE, in which there is nothing yet, begin: as Linux does
 * for a stack limit of so many bytes, moved at random if RANDOMIZED. Task context. */
void vm_lay_out(struct vm_space *space, uint64_t stack_limit_bytes, bool randomized);
/* Whether layouts may be random: not with the command line's word norandom. Any context. */
bool vm_layout_randomized(void);
/* Where a position-independent program goes: its lowest address, page aligned. */
uintptr_t vm_dynamic_base(const struct vm_space *space);
/* The break begins behind the program's END. */
void vm_set_brk_start(struct vm_space *space, uintptr_t end);
/* Bytes, a multiple of 16, that the first stack's contents begin below its top. */
size_t vm_stack_shift(const struct vm_space *space);

/* How far stacks, all mappings together, the heap and what is locked may grow from now on
 * (RLIMIT_STACK, RLIMIT_AS, RLIMIT_DATA, RLIMIT_MEMLOCK). Task context. */
void vm_set_limits(struct vm_space *space, uint64_t stack_bytes, uint64_t all_bytes,
		   uint64_t data_bytes, uint64_t locked_bytes);
/* Writes into memory of a space that is not loaded, pages made as needed: a new program's stack, a
 * child's tid. 0, -EFAULT (not mapped writable), -ENOMEM. Task context. */
int vm_write(struct vm_space *space, uintptr_t address, const void *source, size_t size);

/* What vm_access does: combined with |. */
enum vm_access_flags {
	VM_ACCESS_READ = 0,
	VM_ACCESS_WRITE = 1,
	/* As a debugger: also what the program itself may not read or write; private memory gets
	 * a copy. Not what is shared and may not be written to. Linux: FOLL_FORCE. */
	VM_ACCESS_FORCE = 2,
};

/* Copies between BUFFER (kernel memory) and the bytes of RANGE of any live space, pages made as needed.
 * Returns how many bytes from the start could be copied. Not what is a device's (struct vm_area), whatever
 * the flags: Linux: check_vma_flags. Task context; the caller holds a reference to the space, and no
 * space's mutex. */
size_t vm_access(struct vm_space *space, struct user_range range, void *buffer, unsigned int flags);

/* Calls VISIT(AREA, ARG) for each area that ends above FROM, lowest first, until it returns false.
 * The space's mutex is held meanwhile: VISIT touches no user memory. Task context. */
void vm_for_each_area(struct vm_space *space, uintptr_t from,
		      bool (*visit)(const struct vm_area *area, void *arg), void *arg);
/* Tells perf of the areas of SPACE, which the running task's new program, of the file PROGRAM, has just
 * got. Task context. */
void vm_report_program(struct vm_space *space, const struct inode *program);
/* What /proc/PID/maps calls AREA if that is no file: "[heap]", "[stack]", "[vdso]" …; else NULL. From
 * vm_for_each_area's VISIT. */
const char *vm_area_name(const struct vm_area *area);
/* AREA's pages that are there, by kind. From vm_for_each_area's VISIT. */
void vm_area_resident(const struct vm_area *area, size_t pages[PAGE_KINDS]);

/* What a space takes, in pages: /proc/PID/statm, status, and rusage. */
struct vm_usage {
	size_t mapped, mapped_peak;				    /* VmSize, VmPeak */
	size_t resident[PAGE_KINDS], resident_total, resident_peak; /* Rss*, VmRSS, VmHWM */
	size_t locked;						    /* VmLck */
	size_t data, stack, executable; /* VmData, VmStk, code of all files */
	size_t tables;			/* VmPTE */
};

/* Fills in USAGE. Task context. */
void vm_get_usage(struct vm_space *space, struct vm_usage *usage);
/* Pages of SPACE that are there, and the most there ever were. Any context: a snapshot. */
size_t vm_resident_pages(const struct vm_space *space);

/* The same and its page tables, for the space of TASK; 0 if it has none. Any context but NMI. */
size_t vm_task_pages(struct task *task);

/*
 * Whether some task has let go of its space and not yet freed what was its alone. Who saw a task
 * without pages, then false here, finds those pages free. Any context.
 */
bool vm_any_space_leaving(void);
/* Free pages that programs' memory does not get. Any context. */
size_t oom_reserve_pages(void);

/* Makes MAPPING empty. Before anyone else can see it. */
void vm_mapping_init(struct vm_mapping *mapping);
/* Unmaps, in every space, the pages that show bytes [START, END) of the object, page aligned (END may
 * be UINT64_MAX); with OWN_COPIES also what private areas have made of them (truncation; a hole that
 * is punched leaves them). The caller has seen to it that a fault does not find them any more. Task
 * context, no space's mutex held, nothing that a fault operation takes. */
void vm_unmap_file_range(struct vm_mapping *mapping, uint64_t start, uint64_t end, bool own_copies);
/* Whether some area shows the object, and whether one may write to it. A snapshot. Task context. */
bool vm_mapping_in_use(struct vm_mapping *mapping, bool writable);

/* A page fault of the running task at ADDRESS, which lies in user space, by user code or by a
 * user copy. WRITE, EXEC: the access. True: go on; false: only for a fault in kernel mode
 * (FRAME says so): the copy must fail. A fault of user code that cannot be served becomes
 * SIGSEGV or SIGBUS (true). Interrupts on. */
bool vm_fault(struct trap_frame *frame, uintptr_t address, bool write, bool exec);

/* The number by which AREA's object is told from others, as if it were a file of its own, or 0: it is no
 * anonymous shared memory. */
uint64_t shared_memory_number(const struct vm_area *area);

/* SIZE, or an address, rounded up to pages; 0 when that does not fit. */
size_t pages_round_up(size_t size);

/* kernel/task/oom.c, see hook_memory_short. A fault of the running task has found no memory: somebody is ended for it, and has had some time
 * to give his back. True: try again; false: the running task is to end itself. No lock held. */
bool oom_relieve(void);

#endif
