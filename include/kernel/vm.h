/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces: areas, demand paging, copy-on-write.
 *
 * An area is a range of addresses with one protection and one source of pages; it says what may
 * be mapped. The page tables say what is. Pages come at the first access (vm_fault).
 *
 * Lock order: space->mutex, then whatever an area's operations take. Never touch user memory
 * through <kernel/usercopy.h> with a space's mutex held: the fault takes it.
 */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/mmu.h>
#include <kernel/page.h>
#include <kernel/tree.h>
#include <kernel/wait.h>

struct file;
struct inode;
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
	 * mapping, or NULL (SIGBUS). WRITE: the access writes; *WRITABLE says on return whether
	 * the mapping may be writable now. */
	void *(*fault)(struct vm_area *area, uint64_t offset, bool write, bool *writable);
};

struct vm_area {
	RB_ENTRY(vm_area) node;	       /* S */
	uintptr_t start, end;	       /* S: page aligned, [start, end) */
	unsigned int prot;	       /* S: enum vm_prot */
	unsigned int max_prot;	       /* S: what mprotect may make of it */
	bool shared;		       /* MAP_SHARED: not copied on write */
	bool dont_copy;		       /* fork leaves it out */
	bool grows_down;	       /* a stack: start moves down at a fault below it */
	uint64_t offset;	       /* bytes into the object */
	struct file *file;	       /* referenced; NULL: none */
	struct inode *inode;	       /* what private memory starts as; NULL: zeros */
	uint64_t file_bytes;	       /* of the inode that may be seen; zeros after them */
	const struct vm_area_ops *ops; /* NULL: anonymous or private file memory */
	void *private;
	struct vm_space *space;
}; /* S: space->mutex */

RB_HEAD(vm_area_tree, vm_area);

struct vm_space {
	struct mutex mutex;
	struct vm_area_tree areas;  /* S: none overlap */
	struct arch_space arch;	    /* page tables */
	uintptr_t brk_start, brk;   /* S */
	uintptr_t stack_top;	    /* S: where the first stack ends; mmap searches below it */
	uint64_t stack_limit_bytes; /* S: how far a grows_down area may grow */
	size_t mapped_pages;	    /* S: sum of the areas' sizes */
	size_t mapped_pages_max;    /* S */
	_Atomic unsigned int references;
	_Atomic uint64_t active_cpus; /* processors that have it loaded: for TLB shoot-down */
	_Atomic unsigned int
		perf_rdpmc; /* mapped events that allow user counter reads, see <arch/pmu.h> */
};

/* An empty space with one reference, or NULL. Task context. */
struct vm_space *vm_space_create(void);
/* A copy of SPACE, writable private pages shared until written to; or NULL. Task context. */
struct vm_space *vm_space_fork(struct vm_space *space);
void vm_space_get(struct vm_space *space);
/* Drops a reference; the last one unmaps everything. Task context; no processor has it loaded
 * then. */
void vm_space_put(struct vm_space *space);
/* The running task goes on with SPACE (NULL: none), whose reference moves in; its old one is
 * dropped. Task context. */
void vm_space_switch(struct vm_space *space);

/* What vm_map is to map. */
struct vm_request {
	uintptr_t address; /* page aligned hint, or the place if FIXED */
	size_t size;	   /* bytes, not 0; rounded up to pages */
	unsigned int prot; /* enum vm_prot */
	bool fixed;	   /* exactly there; what was there is unmapped first */
	bool no_replace;   /* with FIXED: -EEXIST if something is there */
	bool shared;
	bool grows_down;
	bool no_reserve;     /* more than the machine's memory may be asked for */
	bool populate;	     /* get all pages now */
	struct file *file;   /* NULL: anonymous. A reference is taken */
	uint64_t offset;     /* bytes into the file, page aligned */
	struct inode *inode; /* see struct vm_area; instead of FILE, by the program loader */
	uint64_t file_bytes;
};

/* Maps; returns the address or a negative error: -EINVAL, -ENOMEM, -EEXIST, -EACCES, -EPERM
 * (below USER_START), -ENODEV, or what the file's mmap operation says. Task context. */
long vm_map(struct vm_space *space, const struct vm_request *request);
/* Unmaps the whole pages of [ADDRESS, ADDRESS + SIZE), which may cover nothing. -EINVAL,
 * -ENOMEM. Task context. */
int vm_unmap(struct vm_space *space, uintptr_t address, size_t size);
/* New protection for all of the range. -ENOMEM: part of it is not mapped; -EACCES, -EINVAL.
 * Task context. */
int vm_protect(struct vm_space *space, uintptr_t address, size_t size, unsigned int prot);
/* Drops the pages of private memory in the range; the next access finds them as at first.
 * -ENOMEM. Task context. */
int vm_discard(struct vm_space *space, uintptr_t address, size_t size);
/* Sets whether fork leaves out the range. -ENOMEM. Task context. */
int vm_set_dont_copy(struct vm_space *space, uintptr_t address, size_t size, bool dont_copy);
/* Whether all of the range is mapped. Task context. */
bool vm_is_mapped(struct vm_space *space, uintptr_t address, size_t size);
/* The physical address behind ADDRESS if that lies in memory that other spaces may see too and
 * is present; else 0. Task context. */
paddr_t vm_shared_paddr(struct vm_space *space, uintptr_t address);
/* Moves the break to BRK if that is possible; returns where it is then. Task context. */
uintptr_t vm_brk(struct vm_space *space, uintptr_t brk);
/* How far stacks, and how large all mappings together, may grow from now on (RLIMIT_STACK, RLIMIT_AS).
 * Task context. */
void vm_set_limits(struct vm_space *space, uint64_t stack_bytes, uint64_t all_bytes);
/* Writes into private memory of a space that is not loaded, pages made as needed: a new
 * program's stack, a child's tid. 0, -EFAULT (not mapped writable), -ENOMEM. Task context. */
int vm_write(struct vm_space *space, uintptr_t address, const void *source, size_t size);

/* A page fault of the running task at ADDRESS, which lies in user space, by user code or by a
 * user copy. WRITE, EXEC: the access. True: go on; false: only for a fault in kernel mode
 * (FRAME says so): the copy must fail. A fault of user code that cannot be served becomes
 * SIGSEGV or SIGBUS (true). Interrupts on. */
bool vm_fault(struct trap_frame *frame, uintptr_t address, bool write, bool exec);

#endif
