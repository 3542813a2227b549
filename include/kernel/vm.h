/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User address spaces: areas, demand paging, copy-on-write.
 */
#ifndef KERNEL_VM_H
#define KERNEL_VM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/tree.h>

#include <arch/mmu.h>
#include <kernel/page.h>
#include <kernel/wait.h>

struct file;
struct vm_area;

enum vm_prot { VM_READ = 1, VM_WRITE = 2, VM_EXEC = 4 };

/* What a special mapping (an event's ring buffer, a file) does. Called with the space's mutex held, task context. */
struct vm_area_ops {
	/* The area was copied by fork, or split in two. */
	void (*open)(struct vm_area *area);
	/* The area (or what is left of it) goes away. */
	void (*close)(struct vm_area *area);
	/* The page at byte OFFSET from the start of the object, with a reference for the mapping, or NULL (SIGBUS). WRITE: the access writes;
	 * *WRITABLE says on return whether the mapping may be writable now. */
	void *(*fault)(struct vm_area *area, uint64_t offset, bool write, bool *writable);
};

struct vm_area {
	RB_ENTRY(vm_area) node; /* S */
	uintptr_t start, end;	/* S: page aligned, [start, end) */
	unsigned int prot;	/* S: enum vm_prot */
	bool shared;		/* MAP_SHARED: not copied on write */
	bool dont_copy;		/* fork leaves it out */
	uint64_t offset;	/* bytes into the object */
	struct file *file;	/* referenced; NULL: anonymous */
	const struct vm_area_ops *ops; /* NULL: anonymous or private file memory */
	void *private;
	struct vm_space *space;
}; /* S: space->mutex */

RB_HEAD(vm_area_tree, vm_area);

struct vm_space {
	struct mutex mutex;
	struct vm_area_tree areas;	/* S */
	struct arch_space arch;		/* page tables */
	uintptr_t brk_start, brk;	/* S */
	_Atomic unsigned int references;
	_Atomic uint64_t active_cpus;	/* processors that have it loaded: for TLB shoot-down */
	_Atomic unsigned int perf_rdpmc; /* mapped events that allow user counter reads, see <arch/pmu.h> */
};

#endif
