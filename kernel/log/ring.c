/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log's ring of records; see <kernel/base/log_ring.h>.
 *
 * Record n stays in place n modulo LOG_RECORDS until LOG_RECORDS more records have arrived. Lock:
 * ring_lock, innermost of all, because any code may log under any lock; an NMI only tries it. Writers
 * call the listener without it.
 */
#include <kernel/base/log_ring.h>

#include <stdatomic.h>
#include <string.h>

#include <arch/cpu.h>
#include <kernel/base/clock.h>
#include <kernel/base/spinlock.h>

static struct spinlock ring_lock = SPINLOCK_INITIALIZER;
static struct log_record records[LOG_RECORDS]; /* R */
static uint64_t next_sequence;		       /* R: ring_lock */

static void (*_Atomic listener)(void);

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
	void (*notify)(void) = atomic_load(&listener);

	if (locked && notify)
		notify();
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

void log_ring_listen(void (*function)(void))
{
	atomic_store(&listener, function);
}
