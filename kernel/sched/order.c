/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of order.h for queues with real-time tasks, and for tasks that change their policy. */
#include "order.h"

#include "balance.h"

struct sched_entity *order_choose_realtime(struct run_queue *queue, struct sched_entity *current,
					   bool give_way, uint64_t now_ns)
{
	struct sched_entity *first = realtime_first(queue);
	bool fair = run_queue_has_waiting(queue) || (current && !current->priority);

	if (fair && realtime_is_throttled(queue, now_ns))
		return NULL;
	if (!current || !current->priority)
		return first;
	if (!first || first->priority < current->priority)
		return current;
	if (first->priority > current->priority || give_way || realtime_slice_is_over(current))
		return first;
	return current;
}

uint64_t order_realtime_slice_left_ns(struct run_queue *queue, const struct sched_entity *entity,
				      uint64_t now_ns)
{
	const struct sched_entity *first = realtime_first(queue);
	bool fair = run_queue_has_waiting(queue);
	uint64_t left_ns = UINT64_MAX;

	if (order_is_realtime(entity)) {
		if (first && first->priority == entity->priority && entity->policy == SCHED_RR)
			left_ns = entity->slice_left_ns > 0 ? (uint64_t)entity->slice_left_ns : 0;
	} else if (fair) {
		left_ns = run_queue_slice_left_ns(entity);
	}
	/* The limit on real-time tasks ends this choice while fair tasks wait or run. */
	if (order_is_realtime(entity) ? fair : first != NULL) {
		uint64_t change_ns = realtime_change_ns(
			queue, order_is_realtime(entity) ? entity : NULL, now_ns);

		left_ns = change_ns < left_ns ? change_ns : left_ns;
	}
	/* By then another CPU may be better for fair tasks that wait for a real-time one. */
	if (order_is_realtime(entity) && fair && left_ns > BALANCE_NS)
		left_ns = BALANCE_NS;
	return left_ns;
}

/* Removes ENTITY from QUEUE, as far as it is there, so that its priority and derived state may change. */
static void take_out(struct run_queue *queue, struct sched_entity *entity, bool queued,
		     bool running)
{
	if (queued)
		order_take(queue, entity);
	if (queued || running)
		order_leave(queue, entity);
}

/* Puts ENTITY, whose priority was BEFORE, back with the better of its own and its inherited priority. */
static void put_in(struct run_queue *queue, struct sched_entity *entity, bool queued, bool running,
		   unsigned int before)
{
	int priority = sched_priority(entity);

	entity->priority = priority < PRIORITY_REALTIME ? (uint8_t)(PRIORITY_REALTIME - priority) :
							  0;
	/* The lag among fair tasks does not survive a change of class. */
	if (!before != !entity->priority)
		entity->lag_ns = 0;
	entity->remainder = 0;
	if ((queued || running) && before > entity->priority && order_is_realtime(entity)) {
		/* sched(7): a task with a lowered priority goes before its new equals. */
		realtime_enter(queue, entity);
		realtime_wait(queue, entity, true);
	} else if (queued || running) {
		order_insert(queue, entity);
	}
	if (running)
		order_take(queue, entity);
}

void order_set_parameters(struct run_queue *queue, struct sched_entity *entity,
			  const struct sched_parameters *parameters, bool running)
{
	bool queued = entity->queued;
	unsigned int before = entity->priority;

	take_out(queue, entity, queued, running);
	entity->policy = (uint8_t)parameters->policy;
	entity->own_priority = (uint8_t)parameters->priority;
	entity->nice = parameters->nice;
	entity->slice_ns = parameters->slice_ns;
	entity->reset_on_fork = parameters->reset_on_fork;
	put_in(queue, entity, queued, running, before);
}

bool order_set_inherited(struct run_queue *queue, struct sched_entity *entity, int inherited,
			 bool running)
{
	bool queued = entity->queued;
	unsigned int before = entity->priority;
	int old = sched_priority(entity);

	entity->inherited = (uint8_t)(PRIORITY_NONE - inherited);
	int new = sched_priority(entity);

	/* Among fair tasks an inherited priority is only displayed. */
	if (new == old || (new >= PRIORITY_REALTIME &&old >= PRIORITY_REALTIME))
		return false;
	take_out(queue, entity, queued, running);
	put_in(queue, entity, queued, running, before);
	return true;
}
