/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoints: one declaration for each event, the source of everything else.
 *
 *      TRACE_EVENT(system, event, TRACE_FIELDS(fields in order), format, arguments …)
 *
 * The fields make the record's C structure, and the lines of the event's `format` file. The format and its
 * arguments, expressions over REC, are both the `print fmt` that programs interpret and the code that prints
 * a record for the file `trace`. The kinds of fields:
 *
 *      FIELD(type, name)                a number; the format shows its type as written
 *      FIELD_AS(type, "text", name)     a number whose type has another name in Linux
 *      POINTER(name)                    void *
 *      CONST_POINTER(name)              const void *
 *      CHARS(name, size)                a string in an array
 *      WORDS(name, count)               unsigned longs
 *      STRING_AT(name)                  a string after the record: length << 16 | offset
 *
 * Systems, names, fields and formats are those of Linux 6.12, whose `format` files tests/conformance compares
 * with ours, so that perf's and other programs' knowledge of an event is right here. Events of calls
 * (syscalls:*) are in kernel/trace/calls.c.
 *
 * This file is included several times, each time with other definitions of these macros, and so has no guard;
 * see <kernel/trace/event.h> and kernel/trace/event.c.
 */
/* clang-format off */

/* --- sched: kernel/trace/sched.c --- */

TRACE_EVENT(sched, sched_switch,
	TRACE_FIELDS(
		CHARS(prev_comm, 16)
		FIELD(pid_t, prev_pid)
		FIELD(int, prev_prio)
		FIELD(long, prev_state)
		CHARS(next_comm, 16)
		FIELD(pid_t, next_pid)
		FIELD(int, next_prio)),
	"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d",
	REC->prev_comm, REC->prev_pid, REC->prev_prio,
	(REC->prev_state & (TRACE_STATE_PREEMPTED - 1)) ? __print_flags(REC->prev_state & (TRACE_STATE_PREEMPTED - 1), "|", { 0x00000001, "S" }, { 0x00000002, "D" }, { 0x00000004, "T" }, { 0x00000008, "t" }, { 0x00000010, "X" }, { 0x00000020, "Z" }, { 0x00000040, "P" }, { 0x00000080, "I" }) : "R",
	REC->prev_state & TRACE_STATE_PREEMPTED ? "+" : "",
	REC->next_comm, REC->next_pid, REC->next_prio)

TRACE_EVENT(sched, sched_waking,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)
		FIELD(int, target_cpu)),
	"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu)

TRACE_EVENT(sched, sched_wakeup,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)
		FIELD(int, target_cpu)),
	"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu)

TRACE_EVENT(sched, sched_wakeup_new,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)
		FIELD(int, target_cpu)),
	"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu)

TRACE_EVENT(sched, sched_migrate_task,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)
		FIELD(int, orig_cpu)
		FIELD(int, dest_cpu)),
	"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", REC->comm, REC->pid, REC->prio, REC->orig_cpu, REC->dest_cpu)

TRACE_EVENT(sched, sched_process_fork,
	TRACE_FIELDS(
		CHARS(parent_comm, 16)
		FIELD(pid_t, parent_pid)
		CHARS(child_comm, 16)
		FIELD(pid_t, child_pid)),
	"comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, REC->child_comm, REC->child_pid)

TRACE_EVENT(sched, sched_process_exec,
	TRACE_FIELDS(
		STRING_AT(filename)
		FIELD(pid_t, pid)
		FIELD(pid_t, old_pid)),
	"filename=%s pid=%d old_pid=%d", __get_str(filename), REC->pid, REC->old_pid)

TRACE_EVENT(sched, sched_process_exit,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)),
	"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio)

TRACE_EVENT(sched, sched_process_free,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)),
	"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio)

TRACE_EVENT(sched, sched_process_wait,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, prio)),
	"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio)

TRACE_EVENT(sched, sched_stat_runtime,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD_AS(uint64_t, "u64", runtime)),
	"comm=%s pid=%d runtime=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->runtime)

TRACE_EVENT(sched, sched_stat_wait,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD_AS(uint64_t, "u64", delay)),
	"comm=%s pid=%d delay=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->delay)

TRACE_EVENT(sched, sched_stat_sleep,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD_AS(uint64_t, "u64", delay)),
	"comm=%s pid=%d delay=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->delay)

TRACE_EVENT(sched, sched_stat_blocked,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD_AS(uint64_t, "u64", delay)),
	"comm=%s pid=%d delay=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->delay)

TRACE_EVENT(sched, sched_stat_iowait,
	TRACE_FIELDS(
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD_AS(uint64_t, "u64", delay)),
	"comm=%s pid=%d delay=%Lu [ns]", REC->comm, REC->pid, (unsigned long long)REC->delay)

/* --- raw_syscalls: kernel/trace/calls.c --- */

TRACE_EVENT(raw_syscalls, sys_enter,
	TRACE_FIELDS(
		FIELD(long, id)
		WORDS(args, 6)),
	"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5])

TRACE_EVENT(raw_syscalls, sys_exit,
	TRACE_FIELDS(
		FIELD(long, id)
		FIELD(long, ret)),
	"NR %ld = %ld", REC->id, REC->ret)

/* --- task: kernel/trace/sched.c; signal: kernel/trace/signal.c --- */

TRACE_EVENT(task, task_newtask,
	TRACE_FIELDS(
		FIELD(pid_t, pid)
		CHARS(comm, 16)
		FIELD(unsigned long, clone_flags)
		FIELD(short, oom_score_adj)),
	"pid=%d comm=%s clone_flags=%lx oom_score_adj=%hd", REC->pid, REC->comm, REC->clone_flags, REC->oom_score_adj)

TRACE_EVENT(task, task_rename,
	TRACE_FIELDS(
		FIELD(pid_t, pid)
		CHARS(oldcomm, 16)
		CHARS(newcomm, 16)
		FIELD(short, oom_score_adj)),
	"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd", REC->pid, REC->oldcomm, REC->newcomm, REC->oom_score_adj)

TRACE_EVENT(signal, signal_generate,
	TRACE_FIELDS(
		FIELD(int, sig)
		FIELD(int, errno)
		FIELD(int, code)
		CHARS(comm, 16)
		FIELD(pid_t, pid)
		FIELD(int, group)
		FIELD(int, result)),
	"sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d", REC->sig, REC->errno, REC->code, REC->comm, REC->pid, REC->group, REC->result)

TRACE_EVENT(signal, signal_deliver,
	TRACE_FIELDS(
		FIELD(int, sig)
		FIELD(int, errno)
		FIELD(int, code)
		FIELD(unsigned long, sa_handler)
		FIELD(unsigned long, sa_flags)),
	"sig=%d errno=%d code=%d sa_handler=%lx sa_flags=%lx", REC->sig, REC->errno, REC->code, REC->sa_handler, REC->sa_flags)

/* --- exceptions, irq, irq_vectors: kernel/trace/interrupt.c --- */

TRACE_EVENT(exceptions, page_fault_user,
	TRACE_FIELDS(
		FIELD(unsigned long, address)
		FIELD(unsigned long, ip)
		FIELD(unsigned long, error_code)),
	"address=%ps ip=%ps error_code=0x%lx", (void *)REC->address, (void *)REC->ip, REC->error_code)

TRACE_EVENT(exceptions, page_fault_kernel,
	TRACE_FIELDS(
		FIELD(unsigned long, address)
		FIELD(unsigned long, ip)
		FIELD(unsigned long, error_code)),
	"address=%ps ip=%ps error_code=0x%lx", (void *)REC->address, (void *)REC->ip, REC->error_code)

TRACE_EVENT(irq, irq_handler_entry,
	TRACE_FIELDS(
		FIELD(int, irq)
		STRING_AT(name)),
	"irq=%d name=%s", REC->irq, __get_str(name))

TRACE_EVENT(irq, irq_handler_exit,
	TRACE_FIELDS(
		FIELD(int, irq)
		FIELD(int, ret)),
	"irq=%d ret=%s", REC->irq, REC->ret ? "handled" : "unhandled")

#define VECTOR_EVENTS(name)                                                    \
	TRACE_EVENT(irq_vectors, name##_entry, TRACE_FIELDS(FIELD(int, vector)), \
		    "vector=%d", REC->vector)                                      \
	TRACE_EVENT(irq_vectors, name##_exit, TRACE_FIELDS(FIELD(int, vector)),  \
		    "vector=%d", REC->vector)

VECTOR_EVENTS(local_timer)
VECTOR_EVENTS(reschedule)
VECTOR_EVENTS(call_function)
VECTOR_EVENTS(irq_work)
VECTOR_EVENTS(spurious_apic)
#undef VECTOR_EVENTS

/* --- lock: kernel/trace/lock.c --- */

TRACE_EVENT(lock, contention_begin,
	TRACE_FIELDS(
		POINTER(lock_addr)
		FIELD(unsigned int, flags)),
	"%p (flags=%s)", REC->lock_addr, __print_flags(REC->flags, "|", { (1U << 0), "SPIN" }, { (1U << 1), "READ" }, { (1U << 2), "WRITE" }, { (1U << 3), "RT" }, { (1U << 4), "PERCPU" }, { (1U << 5), "MUTEX" } ))

TRACE_EVENT(lock, contention_end,
	TRACE_FIELDS(
		POINTER(lock_addr)
		FIELD(int, ret)),
	"%p (ret=%d)", REC->lock_addr, REC->ret)

/* --- kmem: kernel/trace/kmem.c --- */

TRACE_EVENT(kmem, kmalloc,
	TRACE_FIELDS(
		FIELD(unsigned long, call_site)
		CONST_POINTER(ptr)
		FIELD(size_t, bytes_req)
		FIELD(size_t, bytes_alloc)
		FIELD(unsigned long, gfp_flags)
		FIELD(int, node)),
	"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d accounted=%s", (void *)REC->call_site, REC->ptr, REC->bytes_req, REC->bytes_alloc, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", {( unsigned long)(((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))) | (( gfp_t)((((1UL))) << (10)))), "GFP_TRANSHUGE"}, {( unsigned long)((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_TRANSHUGE_LIGHT"}, {( unsigned long)((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)), "GFP_HIGHUSER_MOVABLE"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))), "GFP_HIGHUSER"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))), "GFP_USER"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))) | (( gfp_t)((((1UL))) << (22)))), "GFP_KERNEL_ACCOUNT"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))), "GFP_KERNEL"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6)))), "GFP_NOFS"}, {( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL))) << (11)))), "GFP_ATOMIC"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_NOIO"}, {( unsigned long)((( gfp_t)((((1UL))) << (11))) | (( gfp_t)((((1UL))) << (13)))), "GFP_NOWAIT"}, {( unsigned long)(( gfp_t)((((1UL))) << (0))), "GFP_DMA"}, {( unsigned long)(( gfp_t)((((1UL))) << (1))), "__GFP_HIGHMEM"}, {( unsigned long)(( gfp_t)((((1UL))) << (2))), "GFP_DMA32"}, {( unsigned long)(( gfp_t)((((1UL))) << (5))), "__GFP_HIGH"}, {( unsigned long)(( gfp_t)((((1UL))) << (6))), "__GFP_IO"}, {( unsigned long)(( gfp_t)((((1UL))) << (7))), "__GFP_FS"}, {( unsigned long)(( gfp_t)((((1UL))) << (13))), "__GFP_NOWARN"}, {( unsigned long)(( gfp_t)((((1UL))) << (14))), "__GFP_RETRY_MAYFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (15))), "__GFP_NOFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (16))), "__GFP_NORETRY"}, {( unsigned long)(( gfp_t)((((1UL))) << (18))), "__GFP_COMP"}, {( unsigned long)(( gfp_t)((((1UL))) << (8))), "__GFP_ZERO"}, {( unsigned long)(( gfp_t)((((1UL))) << (19))), "__GFP_NOMEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (17))), "__GFP_MEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (20))), "__GFP_HARDWALL"}, {( unsigned long)(( gfp_t)((((1UL))) << (21))), "__GFP_THISNODE"}, {( unsigned long)(( gfp_t)((((1UL))) << (4))), "__GFP_RECLAIMABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (3))), "__GFP_MOVABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (22))), "__GFP_ACCOUNT"}, {( unsigned long)(( gfp_t)((((1UL))) << (12))), "__GFP_WRITE"}, {( unsigned long)(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))), "__GFP_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (10))), "__GFP_DIRECT_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (11))), "__GFP_KSWAPD_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (23))), "__GFP_ZEROTAGS"} ) : "none", REC->node, (1 && (REC->gfp_flags & ( unsigned long)(( gfp_t)((((1UL))) << (22))))) ? "true" : "false")

TRACE_EVENT(kmem, kfree,
	TRACE_FIELDS(
		FIELD(unsigned long, call_site)
		CONST_POINTER(ptr)),
	"call_site=%pS ptr=%p", (void *)REC->call_site, REC->ptr)

TRACE_EVENT(kmem, kmem_cache_alloc,
	TRACE_FIELDS(
		FIELD(unsigned long, call_site)
		CONST_POINTER(ptr)
		FIELD(size_t, bytes_req)
		FIELD(size_t, bytes_alloc)
		FIELD(unsigned long, gfp_flags)
		FIELD(int, node)
		FIELD(bool, accounted)),
	"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu gfp_flags=%s node=%d accounted=%s", (void *)REC->call_site, REC->ptr, REC->bytes_req, REC->bytes_alloc, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", {( unsigned long)(((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))) | (( gfp_t)((((1UL))) << (10)))), "GFP_TRANSHUGE"}, {( unsigned long)((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_TRANSHUGE_LIGHT"}, {( unsigned long)((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)), "GFP_HIGHUSER_MOVABLE"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))), "GFP_HIGHUSER"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))), "GFP_USER"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))) | (( gfp_t)((((1UL))) << (22)))), "GFP_KERNEL_ACCOUNT"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))), "GFP_KERNEL"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6)))), "GFP_NOFS"}, {( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL))) << (11)))), "GFP_ATOMIC"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_NOIO"}, {( unsigned long)((( gfp_t)((((1UL))) << (11))) | (( gfp_t)((((1UL))) << (13)))), "GFP_NOWAIT"}, {( unsigned long)(( gfp_t)((((1UL))) << (0))), "GFP_DMA"}, {( unsigned long)(( gfp_t)((((1UL))) << (1))), "__GFP_HIGHMEM"}, {( unsigned long)(( gfp_t)((((1UL))) << (2))), "GFP_DMA32"}, {( unsigned long)(( gfp_t)((((1UL))) << (5))), "__GFP_HIGH"}, {( unsigned long)(( gfp_t)((((1UL))) << (6))), "__GFP_IO"}, {( unsigned long)(( gfp_t)((((1UL))) << (7))), "__GFP_FS"}, {( unsigned long)(( gfp_t)((((1UL))) << (13))), "__GFP_NOWARN"}, {( unsigned long)(( gfp_t)((((1UL))) << (14))), "__GFP_RETRY_MAYFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (15))), "__GFP_NOFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (16))), "__GFP_NORETRY"}, {( unsigned long)(( gfp_t)((((1UL))) << (18))), "__GFP_COMP"}, {( unsigned long)(( gfp_t)((((1UL))) << (8))), "__GFP_ZERO"}, {( unsigned long)(( gfp_t)((((1UL))) << (19))), "__GFP_NOMEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (17))), "__GFP_MEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (20))), "__GFP_HARDWALL"}, {( unsigned long)(( gfp_t)((((1UL))) << (21))), "__GFP_THISNODE"}, {( unsigned long)(( gfp_t)((((1UL))) << (4))), "__GFP_RECLAIMABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (3))), "__GFP_MOVABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (22))), "__GFP_ACCOUNT"}, {( unsigned long)(( gfp_t)((((1UL))) << (12))), "__GFP_WRITE"}, {( unsigned long)(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))), "__GFP_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (10))), "__GFP_DIRECT_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (11))), "__GFP_KSWAPD_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (23))), "__GFP_ZEROTAGS"} ) : "none", REC->node, REC->accounted ? "true" : "false")

TRACE_EVENT(kmem, kmem_cache_free,
	TRACE_FIELDS(
		FIELD(unsigned long, call_site)
		CONST_POINTER(ptr)
		STRING_AT(name)),
	"call_site=%pS ptr=%p name=%s", (void *)REC->call_site, REC->ptr, __get_str(name))

TRACE_EVENT(kmem, mm_page_alloc,
	TRACE_FIELDS(
		FIELD(unsigned long, pfn)
		FIELD(unsigned int, order)
		FIELD(unsigned long, gfp_flags)
		FIELD(int, migratetype)),
	"page=%p pfn=0x%lx order=%d migratetype=%d gfp_flags=%s", REC->pfn != -1UL ? (((struct page *)vmemmap_base) + (REC->pfn)) : ((void *)0), REC->pfn != -1UL ? REC->pfn : 0, REC->order, REC->migratetype, (REC->gfp_flags) ? __print_flags(REC->gfp_flags, "|", {( unsigned long)(((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))) | (( gfp_t)((((1UL))) << (10)))), "GFP_TRANSHUGE"}, {( unsigned long)((((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)) | (( gfp_t)((((1UL))) << (18))) | (( gfp_t)((((1UL))) << (19))) | (( gfp_t)((((1UL))) << (13)))) & ~(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_TRANSHUGE_LIGHT"}, {( unsigned long)((((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))) | (( gfp_t)((((1UL))) << (3))) | (( gfp_t)0)), "GFP_HIGHUSER_MOVABLE"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))) | (( gfp_t)((((1UL))) << (1)))), "GFP_HIGHUSER"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7))) | (( gfp_t)((((1UL))) << (20)))), "GFP_USER"}, {( unsigned long)(((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))) | (( gfp_t)((((1UL))) << (22)))), "GFP_KERNEL_ACCOUNT"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6))) | (( gfp_t)((((1UL))) << (7)))), "GFP_KERNEL"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))) | (( gfp_t)((((1UL))) << (6)))), "GFP_NOFS"}, {( unsigned long)((( gfp_t)((((1UL))) << (5)))|(( gfp_t)((((1UL))) << (11)))), "GFP_ATOMIC"}, {( unsigned long)((( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11))))), "GFP_NOIO"}, {( unsigned long)((( gfp_t)((((1UL))) << (11))) | (( gfp_t)((((1UL))) << (13)))), "GFP_NOWAIT"}, {( unsigned long)(( gfp_t)((((1UL))) << (0))), "GFP_DMA"}, {( unsigned long)(( gfp_t)((((1UL))) << (1))), "__GFP_HIGHMEM"}, {( unsigned long)(( gfp_t)((((1UL))) << (2))), "GFP_DMA32"}, {( unsigned long)(( gfp_t)((((1UL))) << (5))), "__GFP_HIGH"}, {( unsigned long)(( gfp_t)((((1UL))) << (6))), "__GFP_IO"}, {( unsigned long)(( gfp_t)((((1UL))) << (7))), "__GFP_FS"}, {( unsigned long)(( gfp_t)((((1UL))) << (13))), "__GFP_NOWARN"}, {( unsigned long)(( gfp_t)((((1UL))) << (14))), "__GFP_RETRY_MAYFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (15))), "__GFP_NOFAIL"}, {( unsigned long)(( gfp_t)((((1UL))) << (16))), "__GFP_NORETRY"}, {( unsigned long)(( gfp_t)((((1UL))) << (18))), "__GFP_COMP"}, {( unsigned long)(( gfp_t)((((1UL))) << (8))), "__GFP_ZERO"}, {( unsigned long)(( gfp_t)((((1UL))) << (19))), "__GFP_NOMEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (17))), "__GFP_MEMALLOC"}, {( unsigned long)(( gfp_t)((((1UL))) << (20))), "__GFP_HARDWALL"}, {( unsigned long)(( gfp_t)((((1UL))) << (21))), "__GFP_THISNODE"}, {( unsigned long)(( gfp_t)((((1UL))) << (4))), "__GFP_RECLAIMABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (3))), "__GFP_MOVABLE"}, {( unsigned long)(( gfp_t)((((1UL))) << (22))), "__GFP_ACCOUNT"}, {( unsigned long)(( gfp_t)((((1UL))) << (12))), "__GFP_WRITE"}, {( unsigned long)(( gfp_t)(((((1UL))) << (10))|((((1UL))) << (11)))), "__GFP_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (10))), "__GFP_DIRECT_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (11))), "__GFP_KSWAPD_RECLAIM"}, {( unsigned long)(( gfp_t)((((1UL))) << (23))), "__GFP_ZEROTAGS"} ) : "none")

TRACE_EVENT(kmem, mm_page_free,
	TRACE_FIELDS(
		FIELD(unsigned long, pfn)
		FIELD(unsigned int, order)),
	"page=%p pfn=0x%lx order=%d", (((struct page *)vmemmap_base) + (REC->pfn)), REC->pfn, REC->order)

TRACE_EVENT(kmem, rss_stat,
	TRACE_FIELDS(
		FIELD(unsigned int, mm_id)
		FIELD(unsigned int, curr)
		FIELD(int, member)
		FIELD(long, size)),
	"mm_id=%u curr=%d type=%s size=%ldB", REC->mm_id, REC->curr, __print_symbolic(REC->member, { 0, "MM_FILEPAGES" }, { 1, "MM_ANONPAGES" }, { 2, "MM_SWAPENTS" }, { 3, "MM_SHMEMPAGES" }), REC->size)

/* --- timer: kernel/trace/timer.c --- */

TRACE_EVENT(timer, hrtimer_init,
	TRACE_FIELDS(
		POINTER(hrtimer)
		FIELD_AS(int, "clockid_t", clockid)
		FIELD_AS(unsigned int, "enum hrtimer_mode", mode)),
	"hrtimer=%p clockid=%s mode=%s", REC->hrtimer, __print_symbolic(REC->clockid, { 0, "CLOCK_REALTIME" }, { 1, "CLOCK_MONOTONIC" }, { 7, "CLOCK_BOOTTIME" }, { 11, "CLOCK_TAI" }), __print_symbolic(REC->mode, { HRTIMER_MODE_ABS, "ABS" }, { HRTIMER_MODE_REL, "REL" }, { HRTIMER_MODE_ABS_PINNED, "ABS|PINNED" }, { HRTIMER_MODE_REL_PINNED, "REL|PINNED" }, { HRTIMER_MODE_ABS_SOFT, "ABS|SOFT" }, { HRTIMER_MODE_REL_SOFT, "REL|SOFT" }, { HRTIMER_MODE_ABS_PINNED_SOFT, "ABS|PINNED|SOFT" }, { HRTIMER_MODE_REL_PINNED_SOFT, "REL|PINNED|SOFT" }, { HRTIMER_MODE_ABS_HARD, "ABS|HARD" }, { HRTIMER_MODE_REL_HARD, "REL|HARD" }, { HRTIMER_MODE_ABS_PINNED_HARD, "ABS|PINNED|HARD" }, { HRTIMER_MODE_REL_PINNED_HARD, "REL|PINNED|HARD" }))

TRACE_EVENT(timer, hrtimer_start,
	TRACE_FIELDS(
		POINTER(hrtimer)
		POINTER(function)
		FIELD_AS(int64_t, "s64", expires)
		FIELD_AS(int64_t, "s64", softexpires)
		FIELD_AS(unsigned int, "enum hrtimer_mode", mode)
		FIELD(bool, was_armed)),
	"hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d", REC->hrtimer, REC->function, (unsigned long long) REC->expires, (unsigned long long) REC->softexpires, __print_symbolic(REC->mode, { HRTIMER_MODE_ABS, "ABS" }, { HRTIMER_MODE_REL, "REL" }, { HRTIMER_MODE_ABS_PINNED, "ABS|PINNED" }, { HRTIMER_MODE_REL_PINNED, "REL|PINNED" }, { HRTIMER_MODE_ABS_SOFT, "ABS|SOFT" }, { HRTIMER_MODE_REL_SOFT, "REL|SOFT" }, { HRTIMER_MODE_ABS_PINNED_SOFT, "ABS|PINNED|SOFT" }, { HRTIMER_MODE_REL_PINNED_SOFT, "REL|PINNED|SOFT" }, { HRTIMER_MODE_ABS_HARD, "ABS|HARD" }, { HRTIMER_MODE_REL_HARD, "REL|HARD" }, { HRTIMER_MODE_ABS_PINNED_HARD, "ABS|PINNED|HARD" }, { HRTIMER_MODE_REL_PINNED_HARD, "REL|PINNED|HARD" }), REC->was_armed)

TRACE_EVENT(timer, hrtimer_cancel,
	TRACE_FIELDS(POINTER(hrtimer)),
	"hrtimer=%p", REC->hrtimer)

TRACE_EVENT(timer, hrtimer_expire_entry,
	TRACE_FIELDS(
		POINTER(hrtimer)
		FIELD_AS(int64_t, "s64", now)
		POINTER(function)),
	"hrtimer=%p function=%ps now=%llu", REC->hrtimer, REC->function, (unsigned long long) REC->now)

TRACE_EVENT(timer, hrtimer_expire_exit,
	TRACE_FIELDS(POINTER(hrtimer)),
	"hrtimer=%p", REC->hrtimer)

TRACE_EVENT(timer, itimer_state,
	TRACE_FIELDS(
		FIELD(int, which)
		FIELD(unsigned long long, expires)
		FIELD(long, value_sec)
		FIELD(long, value_nsec)
		FIELD(long, interval_sec)
		FIELD(long, interval_nsec)),
	"which=%d expires=%llu it_value=%ld.%06ld it_interval=%ld.%06ld", REC->which, REC->expires, REC->value_sec, REC->value_nsec / 1000L, REC->interval_sec, REC->interval_nsec / 1000L)

TRACE_EVENT(timer, itimer_expire,
	TRACE_FIELDS(
		FIELD(int, which)
		FIELD(pid_t, pid)
		FIELD(unsigned long long, now)),
	"which=%d pid=%d now=%llu", REC->which, (int) REC->pid, REC->now)

/* --- records of programs, from trace_marker: kernel/trace/reading.c --- */

TRACE_EVENT(ftrace, print,
	TRACE_FIELDS(
		FIELD(unsigned long, ip)
		TEXT_AT_END(buf)),
	"%ps: %s", (void *)REC->ip, REC->buf)

/* clang-format on */
