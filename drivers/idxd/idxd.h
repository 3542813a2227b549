/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Data Streaming Accelerator (DSA) and the In-Memory Analytics Accelerator (IAX): a device, its work queues,
 * groups and engines. Linux has one driver for both, idxd, whose names and rules these files follow.
 *
 *   device   registers, commands, and the rest of this list; disabled, enabled or halted
 *   queue    holds descriptors: dedicated (one submitter) or shared; belongs to one group, or to none
 *   engine   takes descriptors from the queues of its group, if it has one
 *   group    queues and engines, with the traffic classes of their accesses
 *
 * A user of the device changes the structures while the device is disabled (a queue's: while the queue is), then
 * enables the device, which writes them into its registers, then queues. Disabling clears them, as Linux does.
 *
 *   device.c     finds devices; commands; interrupts and errors
 *   configure.c  changes the structures, with Linux's rules
 *   enable.c     from the structures to enabled devices and queues, and back
 *   submit.c     descriptors of the kernel and their completion
 *   user.c       queues of programs: /dev/dsa/wq0.0
 *   perfmon.c    the PMU of a device
 *   dmatest.c    the self-test: moves memory and compares
 *   boot_queue.c a queue of each device that the command line asks for
 *
 * Locks: device->mutex (sleeps), then queue->lock, then the locks of wait queues. The comment of a field begins with
 * its lock:
 *
 *   K  none: constant once the device is found
 *   D  device->mutex
 *   Q  queue->lock (irqsave); a change of a field with DQ needs both
 *   A  none: atomic
 */
#ifndef IDXD_IDXD_H
#define IDXD_IDXD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <kernel/base/physical.h>
#include <kernel/base/spinlock.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/wait.h>

struct pci_device;
struct idxd_descriptor;
struct idxd_device;
struct idxd_file;
struct idxd_perfmon;
struct idxd_queue;
struct idxd_work;

enum idxd_type { IDXD_DSA, IDXD_IAX };

enum idxd_device_state {
	IDXD_DEVICE_HALTED = -1, /* the hardware has stopped itself: only a reset helps */
	IDXD_DEVICE_DISABLED,
	IDXD_DEVICE_ENABLED
};

/* Linux's types of queues. Descriptors of a kernel queue come from this driver. */
enum idxd_queue_type { IDXD_QUEUE_NONE, IDXD_QUEUE_KERNEL, IDXD_QUEUE_USER };

/* device->command_status: the error of the last command as the hardware gave it (below 0x100), or one of the
 * driver's. Values: Linux, include/uapi/linux/idxd.h. */
#define IDXD_STATUS_DEVICE_ENABLED     0x80000010u
#define IDXD_STATUS_DEVICE_NOT_ENABLED 0x80000020u
#define IDXD_STATUS_QUEUE_ENABLED      0x80000021u
#define IDXD_STATUS_NO_GROUP	       0x80030000u
#define IDXD_STATUS_NO_NAME	       0x80040000u
#define IDXD_STATUS_NO_SVM	       0x80050000u
#define IDXD_STATUS_NO_THRESHOLD       0x80060000u
#define IDXD_STATUS_PORTAL	       0x80070000u
#define IDXD_STATUS_RESOURCES	       0x80080000u
#define IDXD_STATUS_NO_SHARED	       0x800c0000u
#define IDXD_STATUS_NONE_CONFIGURED    0x800d0000u
#define IDXD_STATUS_IRQ		       0x80100000u
#define IDXD_STATUS_USER_NO_IOMMU      0x80110000u
#define IDXD_STATUS_CDEV	       0x800b0000u
#define IDXD_STATUS_NO_DRIVER_NAME     0x80200000u

#define IDXD_QUEUE_NAME_MAX	       1024 /* bytes, without the end */
#define IDXD_DRIVER_NAME_MAX	       128  /* bytes, without the end */
#define IDXD_PRIORITY_MAX	       15
#define IDXD_TC_MAX		       7
#define IDXD_TC_UNSET		       (-1) /* a traffic class that was not set: the hardware's 0 */
#define IDXD_DEFAULT_XFER	       (2u << 20) /* bytes */
#define IDXD_DEFAULT_BATCH	       32	  /* descriptors */
#define IDXD_DEFAULT_ENTRIES	       16	  /* of a queue with a type and without a size */
#define IDXD_RETRIES		       32 /* of a submission to a shared queue that is full */
#define IDXD_RETRIES_MAX	       64

struct idxd_group {
	struct idxd_device *device;		/* K */
	unsigned int id;			/* K */
	int tc_a, tc_b;				/* D: 0 … 7, IDXD_TC_UNSET */
	unsigned int queue_count, engine_count; /* D: its members */
};

struct idxd_engine {
	struct idxd_device *device; /* K */
	unsigned int id;	    /* K */
	struct idxd_group *group;   /* D: NULL: none */
};

struct idxd_queue {
	struct idxd_device *device; /* K */
	unsigned int id;	    /* K */

	/* The configuration. */
	struct idxd_group *group;	      /* D: NULL: none */
	enum idxd_queue_type type;	      /* D */
	bool dedicated;			      /* D */
	bool block_on_fault;		      /* D */
	unsigned int size;		      /* D: entries */
	unsigned int threshold;		      /* D: entries for the limited portal; shared queues */
	unsigned int priority;		      /* D: 1 … 15; 0: not set */
	uint64_t max_transfer_bytes;	      /* D: a power of two */
	unsigned int max_batch_size;	      /* D: a power of two */
	_Atomic unsigned int enqcmds_retries; /* A: 0 … IDXD_RETRIES_MAX */
	char name[IDXD_QUEUE_NAME_MAX + 1];   /* D */
	char driver_name[IDXD_DRIVER_NAME_MAX + 1]; /* D: its driver: "dmaengine" or "user" */

	bool enabled;	      /* DQ */
	unsigned int channel; /* D: of a kernel queue: its number among the device's channels */
	unsigned int clients; /* D: its users: Linux's file "clients" */

	/* A user queue (user.c). Its programs' files stay when it is disabled, and count as clients until they close. */
	uint32_t pasid; /* D: of a dedicated one: its program's, or IOMMU_PASID_NONE */
	LIST_HEAD(, idxd_file) files; /* D */
	struct vm_mapping portals;    /* the areas that show its portal */

	/* The work of the kernel. */
	struct spinlock lock;
	bool refusing;			   /* Q: takes no more work */
	unsigned int taken;		   /* Q: works that are not free */
	struct idxd_work *works;	   /* Q: NULL: disabled */
	LIST_HEAD(, idxd_work) free_works; /* Q */
	LIST_HEAD(, idxd_work) submitted;  /* Q */
	struct wait_queue waiters;	   /* a work completed, or the queue was disabled */
};

struct idxd_device {
	LIST_ENTRY(idxd_device) link; /* K: by the order of discovery */
	struct pci_device *pci;	      /* K */
	enum idxd_type type;	      /* K */
	unsigned int id;	      /* K: unique among all devices of both types: dsa0, iax1 */
	char name[16];		      /* K: "dsa0" */

	/* The hardware's capabilities, as it has them. */
	volatile uint8_t *registers;		/* K: BAR 0, mapped */
	uint64_t registers_size;		/* K: bytes of it */
	volatile uint8_t *portals;		/* K: BAR 2, mapped */
	uint32_t version;			/* K */
	uint64_t gencap, wqcap, grpcap, engcap; /* K */
	uint64_t opcap[4];			/* K */
	uint32_t grpcfg, wqcfg;			/* K: the tables' offsets in BAR 0 */
	uint32_t perfmon_offset;		/* K: 0: none */
	unsigned int wqcfg_size;		/* K: bytes of one queue's */

	unsigned int queue_count, engine_count, group_count; /* K */
	unsigned int total_size;			     /* K: entries of all queues together */
	uint64_t max_transfer_bytes;			     /* K */
	unsigned int max_batch_size;			     /* K: 0: no batches */
	bool configurable;				     /* K */
	/* K: the traffic class of a group without one, see device.c */
	int default_tc;
	bool shared_supported;	     /* K: the CPU has ENQCMDS, and the device shared queues */
	struct idxd_queue *queues;   /* K: queue_count of them */
	struct idxd_engine *engines; /* K */
	struct idxd_group *groups;   /* K */

	struct mutex mutex;
	_Atomic enum idxd_device_state
		state;		 /* A: changes under D, or from the interrupt to HALTED */
	uint32_t command_status; /* D: Linux's file cmd_status */
	/* D and dma_mutex of enable.c, a reader needs one: N of "dmaNchanM" while it is enabled; -1 */
	int dma_number;
	struct wait_queue commands; /* a command is complete */
	/* Errors of the hardware since the start: Linux's file "errors" has the last. */
	struct spinlock error_lock;
	uint32_t error[8];		 /* error_lock: the last SWERROR */
	_Atomic uint64_t errors;	 /* A */
	struct wait_queue error_waiters; /* an error came: poll of user queues */
	unsigned int vector_count;    /* K: vector 0 is the device's, vector 1 + N is queue N's */
	struct idxd_perfmon *perfmon; /* K: NULL: none */
};

/* --- device.c --- */

/* Returns the device with the least id that is not below ID, or NULL: for walks. Any context after START_DEVICES. */
struct idxd_device *idxd_device_next(unsigned int id);

/* Registers of 32 and 64 bits at OFFSET in BAR 0. Any context. */
uint32_t idxd_read32(const struct idxd_device *device, uint32_t offset);
uint64_t idxd_read64(const struct idxd_device *device, uint32_t offset);
void idxd_write32(struct idxd_device *device, uint32_t offset, uint32_t value);
void idxd_write64(struct idxd_device *device, uint32_t offset, uint64_t value);

/* Gives command CODE (registers.h) with OPERAND and waits for its end. Returns the error of the hardware, 0 … 255,
 * which becomes command_status; -ETIMEDOUT: the device does not answer and is now halted; -EIO: it is halted.
 * mutex held, task context. */
int idxd_command(struct idxd_device *device, unsigned int code, uint32_t operand);

/* Declares DEVICE halted, for REASON, and takes its right to reach memory: the kernel may use the memory of its work again.
 * Task context. */
void idxd_device_fence(struct idxd_device *device, const char *reason);

/* Returns the set bit of queue ID in a command's operand. */
uint32_t idxd_queue_operand(unsigned int id);

/* --- configure.c: all: task context, takes device->mutex. 0 or, as Linux's sysfs answers, a negative error:
 * -EPERM (the state forbids it, or the device is not configurable), -EINVAL (the value), -EOPNOTSUPP; -ENXIO where that
 * is Linux's error for an enabled queue. PARSED: the error of the text that has the value, reported after those of the
 * state. --- */

int idxd_queue_set_group(struct idxd_queue *queue, long group);	     /* -1: none */
int idxd_queue_set_mode(struct idxd_queue *queue, const char *mode); /* "dedicated", "shared" */
int idxd_queue_set_size(struct idxd_queue *queue, uint64_t entries); /* all together: total_size */
int idxd_queue_set_priority(struct idxd_queue *queue, uint64_t priority);
int idxd_queue_set_threshold(struct idxd_queue *queue, uint64_t entries);
int idxd_queue_set_type(struct idxd_queue *queue, const char *type); /* "none", "kernel", "user" */
/* NULL: the text was too long. */
int idxd_queue_set_name(struct idxd_queue *queue, const char *name);
int idxd_queue_set_driver_name(struct idxd_queue *queue, const char *name);
int idxd_queue_set_max_transfer(struct idxd_queue *queue,
				uint64_t bytes); /* rounded up to a power of two */
int idxd_queue_set_max_batch(struct idxd_queue *queue, uint64_t descriptors);
int idxd_queue_set_block_on_fault(struct idxd_queue *queue, bool on, int parsed);
/* A shared queue's retries; more than IDXD_RETRIES_MAX are these. */
int idxd_queue_set_retries(struct idxd_queue *queue, uint64_t retries, int parsed);
int idxd_engine_set_group(struct idxd_engine *engine, long group); /* -1: none */
int idxd_group_set_tc_a(struct idxd_group *group, long traffic_class);
int idxd_group_set_tc_b(struct idxd_group *group, long traffic_class);

/* Gives QUEUE the values of a queue that was never configured; with SIZE_TOO its size and group, too (Linux:
 * idxd_wq_disable_cleanup, idxd_wq_device_reset_cleanup). mutex held. */
void idxd_queue_clear(struct idxd_queue *queue, bool size_too);
/* Gives all queues, engines and groups of DEVICE these values. mutex held. */
void idxd_device_clear(struct idxd_device *device);

/* --- enable.c: all: task context, takes device->mutex; leaves the reason in device->command_status. --- */

/* Writes the configuration into DEVICE's registers and enables it. 0; -ENXIO (enabled already, halted, or a bad
 * configuration), -EBUSY (it is bound). Linux: the driver "idxd" binds the device. */
int idxd_device_enable(struct idxd_device *device);
/* Whether DEVICE is enabled, or was when it halted: Linux's driver "idxd" has it. Takes dma_mutex. */
bool idxd_device_is_bound(struct idxd_device *device);
/* Disables DEVICE and its queues, with the work in them done, resets it and clears the configuration. 0, -ENXIO.
 * Linux: the driver "idxd" is unbound. */
int idxd_device_disable(struct idxd_device *device);
/* Writes QUEUE's configuration and enables it for the kernel's work. 0; -EBUSY (it is enabled), -ENODEV (driver_name is
 * not "dmaengine"), -ENXIO (all other reasons). Linux: the driver "dmaengine" binds the queue. */
int idxd_queue_enable(struct idxd_queue *queue);
/* The same for programs, with a file in /dev/dsa; driver_name is "user". Also -EOPNOTSUPP (no IOMMU translates for the
 * device), -ENOMEM. Linux: the driver "user" binds the queue. */
int idxd_queue_enable_user(struct idxd_queue *queue);
/* Writes the name of QUEUE's channel, as "dma0chan0", into BUFFER. Takes dma_mutex and device->mutex. */
void idxd_queue_name_channel(struct idxd_queue *queue, char *buffer, size_t size);
/* Waits for the work of QUEUE, of either kind, disables it and clears its configuration but for size and group. 0,
 * -ENXIO. Linux: the driver is unbound. */
int idxd_queue_disable(struct idxd_queue *queue);
/* Stops the submitted work of QUEUE: the device does none of its descriptors after this call. 0; -EIO: the device is halted
 * and cannot reach memory any more. */
int idxd_queue_abort(struct idxd_queue *queue);
/* Returns the descriptors that wait in QUEUE. Any context. */
unsigned int idxd_queue_occupancy(const struct idxd_queue *queue);

#endif
