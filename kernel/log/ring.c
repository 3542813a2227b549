/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log's ring of records; see <kernel/log_ring.h>.
 *
 * Record n stays in place n modulo LOG_RECORDS until LOG_RECORDS more records have arrived. Lock:
 * ring_lock, innermost of all, because any code may log under any lock; an NMI only tries it. Writers
 * do not wake readers themselves: deferred work does, without the lock.
 */
#include <kernel/log_ring.h>

#include <stdatomic.h>
#include <string.h>

#include <arch/cpu.h>
#include <kernel/smp.h>
#include <kernel/spinlock.h>
#include <kernel/time.h>

static struct spinlock ring_lock = SPINLOCK_INITIALIZER;
static struct log_record records[LOG_RECORDS]; /* R */
static uint64_t next_sequence;		       /* R: ring_lock */

static struct wait_queue arrived;
/* 0: the queue does not exist; 1: it is being made; 2: log_ring_store wakes it. */
static atomic_int queue_state;

static void wake_readers(struct deferred_work *work)
{
	wait_queue_wake(&arrived);
}

static struct deferred_work wake_work = { .run = wake_readers };

bool log_ring_store(unsigned int priority, const char *text, size_t length)
{
	unsigned long state = arch_irq_save();
	bool locked = true;

	if (arch_in_nmi())
		locked = spin_try_lock(&ring_lock);
	else
		spin_lock(&ring_lock);
	if (locked) {
		struct log_record *record = &records[next_sequence % LOG_RECORDS];

		record->sequence = next_sequence++;
		record->time_ns = clock_ns();
		record->priority = priority;
		record->length = length < LOG_TEXT_MAX ? length : LOG_TEXT_MAX;
		memcpy(record->text, text, record->length);
		spin_unlock(&ring_lock);
	}
	arch_irq_restore(state);
	if (locked && atomic_load(&queue_state) == 2)
		deferred_work_queue(&wake_work);
	return locked;
}

static uint64_t first_locked(void)
{
	return next_sequence > LOG_RECORDS ? next_sequence - LOG_RECORDS : 0;
}

uint64_t log_ring_first(void)
{
	unsigned long state = spin_lock_irqsave(&ring_lock);
	uint64_t first = first_locked();

	spin_unlock_irqrestore(&ring_lock, state);
	return first;
}

uint64_t log_ring_next(void)
{
	unsigned long state = spin_lock_irqsave(&ring_lock);
	uint64_t next = next_sequence;

	spin_unlock_irqrestore(&ring_lock, state);
	return next;
}

bool log_ring_read(uint64_t sequence, struct log_record *record)
{
	unsigned long state = spin_lock_irqsave(&ring_lock);

	if (sequence < first_locked())
		sequence = first_locked();
	bool found = sequence < next_sequence;

	if (found)
		*record = records[sequence % LOG_RECORDS];
	spin_unlock_irqrestore(&ring_lock, state);
	return found;
}

struct wait_queue *log_ring_queue(void)
{
	int nobody = 0;

	if (atomic_compare_exchange_strong(&queue_state, &nobody, 1)) {
		wait_queue_init(&arrived);
		atomic_store(&queue_state, 2);
	}
	while (atomic_load(&queue_state) != 2)
		arch_cpu_relax();
	return &arrived;
}
