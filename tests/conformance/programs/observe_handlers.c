// SPDX-License-Identifier: BSD-2-Clause
/*
 * Handlers of signals: when they run, on which stack, what they are told, what a frame holds and which
 * frames rt_sigreturn takes back, and which calls they interrupt.
 */
#include "observe.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

enum {
	ALARM_US = 20000,
	STACK_BYTES = 65536,
	MAGIC1_AT = 464,
	SIZE_AT = 468,
	FEATURES_AT = 472,
	STATE_SIZE_AT = 480,
	HEADER_AT = 512,
	MXCSR_AT = 24,
};

static volatile sig_atomic_t count, last, depth, deepest, on_stack, told_flags;
static siginfo_t info;
static char *stack_memory;

static void note(int signal)
{
	char here;

	count++;
	last = signal;
	on_stack = &here >= stack_memory && &here < stack_memory + STACK_BYTES;
}

static void keep(int signal, siginfo_t *told, void *context)
{
	ucontext_t *user = context;

	info = *told;
	told_flags = user->uc_stack.ss_flags;
	note(signal);
}

static void nest(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (++count < 4)
		raise(signal);
	depth--;
}

static void set(int signal, void *handler, int flags)
{
	struct sigaction action = { .sa_flags = flags };

	if (flags & SA_SIGINFO)
		action.sa_sigaction = handler;
	else
		action.sa_handler = handler;
	sigaction(signal, &action, NULL);
}

static void see_flags(void)
{
	struct sigaction action;

	set(SIGUSR1, note, SA_RESETHAND);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_handler == SIG_DFL ? "default" : "kept", "after SA_RESETHAND");
	show(action.sa_flags & SA_RESETHAND ? "kept" : "gone", "its flag");
	deepest = count = 0;
	set(SIGUSR1, nest, 0);
	raise(SIGUSR1);
	show(outcome_value(deepest), "depth of a handler that raises its signal");
	deepest = count = 0;
	set(SIGUSR1, nest, SA_NODEFER);
	raise(SIGUSR1);
	show(outcome_value(deepest), "depth with SA_NODEFER");
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	count = 0;
	set(SIGUSR1, note, 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	show(outcome_value(count), "one that came twice while blocked");
	sigaddset(&blocked, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	count = 0;
	set(SIGRTMIN, note, 0);
	for (int i = 0; i < 5; i++)
		raise(SIGRTMIN);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	show(outcome_value(count), "a real-time one that came five times while blocked");
	action = (struct sigaction){ .sa_handler = note };
	action.sa_flags = 0x00000400;
	show(outcome(sigaction(SIGUSR1, &action, NULL)), "sigaction with an unknown flag");
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_flags & 0x400 ? "kept" : "gone", "the unknown flag");
	action.sa_flags = SA_SIGINFO | 0x800;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &action);
	show(action.sa_flags & 0x800 ? "kept" : "gone", "SA_EXPOSE_TAGBITS");
	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &action);
	show(sigismember(&action.sa_mask, SIGKILL) ? "kept" : "gone", "SIGKILL in a mask");
}

static int order[8], ordered;

static void put(int signal)
{
	if (ordered < 8)
		order[ordered++] = signal;
}

/* In which order blocked signals are acted on: as the handlers begin, the last is on top. */
static void see_order(void)
{
	const int numbers[] = { SIGUSR2, SIGTERM, SIGRTMIN + 2, SIGRTMIN, SIGUSR1, SIGSEGV };
	char text[64] = "";
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction action = { .sa_handler = put };

		sigfillset(&action.sa_mask);
		sigaction(numbers[i], &action, NULL);
		sigaddset(&blocked, numbers[i]);
	}
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		raise(numbers[i]);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	for (int i = 0; i < ordered; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%d ", order[i]);
	show(text, "order of blocked signals");
	signal(SIGSEGV, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

static void see_info(void)
{
	char text[96];
	union sigval value = { .sival_int = 77 };

	set(SIGUSR1, keep, SA_SIGINFO);
	kill(getpid(), SIGUSR1);
	snprintf(text, sizeof(text), "code %d, %s", info.si_code,
		 info.si_pid == getpid() && info.si_uid == getuid() ? "mine" : "another's");
	show(text, "siginfo of kill");
	raise(SIGUSR1);
	snprintf(text, sizeof(text), "code %d, %s", info.si_code,
		 info.si_pid == getpid() ? "mine" : "another's");
	show(text, "siginfo of tgkill");
	sigqueue(getpid(), SIGUSR1, value);
	snprintf(text, sizeof(text), "code %d, value %d", info.si_code, info.si_value.sival_int);
	show(text, "siginfo of sigqueue");
	set(SIGPIPE, keep, SA_SIGINFO);
	int ends[2];

	if (pipe(ends) == 0) {
		close(ends[0]);
		show(outcome(write(ends[1], "x", 1)), "writing to nobody");
		snprintf(text, sizeof(text), "code %d, %s", info.si_code,
			 info.si_pid == getpid() ? "mine" : "another's");
		show(text, "siginfo of SIGPIPE");
		close(ends[1]);
	}
	signal(SIGPIPE, SIG_DFL);
}

static void see_alternate_stack(void)
{
	stack_t stack = { .ss_size = STACK_BYTES }, old;

	stack_memory =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack.ss_sp = stack_memory;
	set(SIGUSR1, keep, SA_SIGINFO | SA_ONSTACK);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler before there is another stack");
	show(outcome_value(told_flags), "the stack's flags in its frame");
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack");
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler with another stack");
	show(outcome_value(told_flags), "the other stack's flags in its frame");
	set(SIGUSR1, keep, SA_SIGINFO);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler without SA_ONSTACK");
	stack.ss_flags = (int)SS_AUTODISARM;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with SS_AUTODISARM");
	set(SIGUSR1, keep, SA_SIGINFO | SA_ONSTACK);
	raise(SIGUSR1);
	show(on_stack ? "there" : "on the usual one", "handler with SS_AUTODISARM");
	sigaltstack(NULL, &old);
	show(old.ss_flags == (int)SS_AUTODISARM ? "as before" : "another", "the stack afterwards");
	stack.ss_flags = 0;
	stack.ss_size = 100;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack that is too small");
	stack.ss_size = STACK_BYTES;
	stack.ss_flags = 4;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with an unknown flag");
	stack.ss_flags = SS_DISABLE | SS_ONSTACK;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with two modes");
	stack.ss_flags = SS_ONSTACK;
	show(outcome(sigaltstack(&stack, NULL)), "sigaltstack with SS_ONSTACK");
	sigaltstack(NULL, &old);
	show(outcome_value(old.ss_flags), "its flags then");
	show(outcome(sigaltstack((stack_t *)8, NULL)), "sigaltstack at a bad address");
	show(outcome(sigaltstack(NULL, (stack_t *)8)), "sigaltstack to a bad address");
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

/* --- frames --- */

static void (*spoil)(ucontext_t *context);

static void spoiler(int signal, siginfo_t *told, void *context)
{
	(void)signal;
	(void)told;
	spoil(context);
}

/* What becomes of a child whose handler does BODY to its frame. */
static void try_frame(void (*body)(ucontext_t *context), const char *name)
{
	static char text[32];
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		spoil = body;
		set(SIGUSR1, spoiler, SA_SIGINFO);
		raise(SIGUSR1);
#ifdef __alpha__
		_exit(0);
#else
		unsigned int mxcsr;

		__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
		_exit(mxcsr == 0x1f80 ? 0 : 1);
#endif
	}
	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by %d", WTERMSIG(status));
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	show(text, "a frame with %s", name);
}

/* Words of a frame, and an address of the kernel. */
#ifdef __alpha__
#define FRAME_IP(context) ((context)->uc_mcontext.sc_pc)
#define FRAME_SP(context) ((context)->uc_mcontext.sc_regs[30])
#define KERNEL_IP	  0xfffffc0000310000
#else
#define FRAME_IP(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define FRAME_SP(context) ((context)->uc_mcontext.gregs[REG_RSP])
#define KERNEL_IP	  0xffffffff81000000
#endif

static void leave(ucontext_t *context)
{
	(void)context;
}

#ifndef __alpha__
static char *state_of(ucontext_t *context)
{
	return (char *)context->uc_mcontext.fpregs;
}

static void drop_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = NULL;
}

static void misplace_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)8;
}

static void kernel_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)0xffff800000001000;
}

static void unalign_state(ucontext_t *context)
{
	context->uc_mcontext.fpregs = (void *)(state_of(context) + 8);
}

static void spoil_magic1(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + MAGIC1_AT) = 1;
}

static void spoil_magic2(ucontext_t *context)
{
	uint32_t size = *(uint32_t *)(state_of(context) + STATE_SIZE_AT);

	*(uint32_t *)(state_of(context) + size) = 1;
}

static void spoil_size(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + STATE_SIZE_AT) = 1 << 20;
}

static void spoil_features(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + FEATURES_AT) = ~0ull;
}

static void no_features(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + FEATURES_AT) = 0;
}

static void spoil_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT) = ~0ull;
}

static void empty_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT) = 0;
}

static void compact_header(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT + 8) = 1ull << 63;
}

static void spoil_reserved(ucontext_t *context)
{
	*(uint64_t *)(state_of(context) + HEADER_AT + 24) = 1;
}

static void other_mxcsr(ucontext_t *context)
{
	*(uint32_t *)(state_of(context) + MXCSR_AT) = 0x1fa0;
}
#endif

static void spoil_ip(ucontext_t *context)
{
	FRAME_IP(context) = (greg_t)0x8000000000000000;
}

static void kernel_ip(ucontext_t *context)
{
	FRAME_IP(context) = (greg_t)KERNEL_IP;
}

static void spoil_sp(ucontext_t *context)
{
	FRAME_SP(context) = (greg_t)0x8000000000000000;
}

#ifndef __alpha__
static void spoil_flags(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] |= 0x3000 | 0x20000 | 0x4000;
}

static void clear_interrupts(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~0x200;
}
#endif

static void block_all(ucontext_t *context)
{
	memset(&context->uc_sigmask, 0xff, 8);
}

static void spoil_stack(ucontext_t *context)
{
	context->uc_stack.ss_flags = 77;
}

static void see_frames(void)
{
	static const struct {
		void (*body)(ucontext_t *context);
		const char *name;
	} all[] = {
		{ leave, "nothing changed" },
#ifndef __alpha__
		{ drop_state, "no floating-point state" },
		{ misplace_state, "its state at 8" },
		{ kernel_state, "its state in the kernel" },
		{ unalign_state, "its state unaligned" },
		{ spoil_magic1, "another first magic word" },
		{ spoil_magic2, "another last magic word" },
		{ spoil_size, "another size of its state" },
		{ spoil_features, "features that are not there" },
		{ no_features, "no features" },
		{ spoil_header, "a header of features that are not there" },
		{ empty_header, "a header of nothing" },
		{ compact_header, "a header of a compact form" },
		{ spoil_reserved, "reserved bits in its header" },
		{ other_mxcsr, "another MXCSR" },
#endif
		{ spoil_ip, "an instruction pointer that is no address" },
		{ kernel_ip, "an instruction pointer into the kernel" },
		{ spoil_sp, "a stack pointer that is no address" },
#ifndef __alpha__
		{ spoil_flags, "privileged flags" },
		{ clear_interrupts, "interrupts off" },
#endif
		{ block_all, "all signals blocked" },
		{ spoil_stack, "another kind of stack" },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		try_frame(all[i].body, all[i].name);
}

#ifdef __alpha__
static void look(ucontext_t *context)
{
	show(outcome_value((long)context->uc_flags), "uc_flags");
	show(outcome_value((long)context->uc_mcontext.sc_mask), "old mask");
}
#else
static void look(ucontext_t *context)
{
	char *state = state_of(context);
	uint32_t size = *(uint32_t *)(state + STATE_SIZE_AT);

	show(*(uint32_t *)(state + MAGIC1_AT) == 0x46505853 ? "there" : "not there",
	     "the first magic word");
	show(*(uint32_t *)(state + size) == 0x46505845 ? "there" : "not there",
	     "the last magic word");
	show(*(uint32_t *)(state + SIZE_AT) == size + 4 ? "4 more" : "another", "the whole size");
	show((uintptr_t)state % 64 ? "no" : "yes", "the state is aligned");
	show(outcome_value((long)context->uc_flags), "uc_flags");
	show(outcome_value(context->uc_mcontext.gregs[REG_CSGSFS] & 0xffff), "code segment");
	show(outcome_value((long)(context->uc_mcontext.gregs[REG_CSGSFS] >> 48 & 0xffff)),
	     "stack segment");
	show(outcome_value(context->uc_mcontext.gregs[REG_TRAPNO]), "trap");
	show(outcome_value(context->uc_mcontext.gregs[REG_ERR]), "error code");
	show(outcome_value(context->uc_mcontext.gregs[REG_CR2]), "fault's address");
	show(outcome_value((long)context->uc_mcontext.gregs[REG_OLDMASK]), "old mask");
}
#endif

/* What a frame says of a fault, as far as all processors' frames do; and instructions that are one: none, a breakpoint, a
 * privileged one, a division by 0, a call of the kernel by its other way, where there is one. */
#ifdef __alpha__
#define FAULT_TRAP(context, told)    0
#define FAULT_ERROR(context, told)   0
#define FAULT_ADDRESS(context, told) ((greg_t)(told)->si_addr)
#define ILLEGAL()		     __asm__ volatile(".long 0x04000000")
#define BREAKPOINT()		     __asm__ volatile("call_pal 0x80")
#define PRIVILEGED()		     __asm__ volatile("call_pal 0")
#define DIVIDE()		     __asm__ volatile("lda $16, -2($31)\n\tcall_pal 0xaa" ::: "$16")
#define CALL_OTHERWISE()	     ((void)0)
#else
#define FAULT_TRAP(context, told)    ((context)->uc_mcontext.gregs[REG_TRAPNO])
#define FAULT_ERROR(context, told)   ((context)->uc_mcontext.gregs[REG_ERR])
#define FAULT_ADDRESS(context, told) ((context)->uc_mcontext.gregs[REG_CR2])
#define ILLEGAL()		     __asm__ volatile("ud2")
#define BREAKPOINT()		     __asm__ volatile("int3")
#define PRIVILEGED()		     __asm__ volatile("hlt")
#define DIVIDE()		     __asm__ volatile("xorl %%ecx, %%ecx; divl %%ecx" ::: "eax", "ecx", "edx")
#define CALL_OTHERWISE()	     __asm__ volatile("int $0x80" ::"a"(-1))
#endif

static sigjmp_buf back;
static greg_t fault[3];
static int fault_code;

static void catch (int signal, siginfo_t *told, void *context)
{
	ucontext_t *user = context;

	(void)signal;
	(void)user;
	fault[0] = FAULT_TRAP(user, told);
	fault[1] = FAULT_ERROR(user, told);
	fault[2] = FAULT_ADDRESS(user, told);
	fault_code = told->si_code;
	siglongjmp(back, 1);
}

static void show_fault(int address_counts, const char *name)
{
	char text[96];

	snprintf(text, sizeof(text), "code %d trap %d error %d address %llx", fault_code,
		 (int)fault[0], (int)fault[1], address_counts ? (unsigned long long)fault[2] : 0);
	show(text, "%s", name);
}

static void see_faults(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	volatile int zero = 0;

	for (int i = 0; i < 5; i++)
		set(signals[i], catch, SA_SIGINFO);
	if (!sigsetjmp(back, 1))
		*(volatile int *)(uintptr_t)(16 + zero) = 1;
	show_fault(1, "writing at 16");
	if (!sigsetjmp(back, 1))
		zero = *(volatile int *)(uintptr_t)(24 + zero);
	show_fault(1, "reading at 24");
	if (!sigsetjmp(back, 1))
		*(volatile int *)(uintptr_t)(0x8000000000000000 + (unsigned int)zero) = 1;
	show_fault(0, "writing at no address");
	if (!sigsetjmp(back, 1))
		ILLEGAL();
	show_fault(0, "an instruction that is none");
	if (!sigsetjmp(back, 1))
		BREAKPOINT();
	show_fault(0, "int3");
	if (!sigsetjmp(back, 1))
		PRIVILEGED();
	show_fault(0, "hlt");
	if (!sigsetjmp(back, 1))
		DIVIDE();
	show_fault(0, "dividing by 0");
	if (!sigsetjmp(back, 1))
		CALL_OTHERWISE();
	for (int i = 0; i < 5; i++)
		signal(signals[i], SIG_DFL);
}

/* --- calls that are interrupted --- */

static int ends[2], event, epoll;

static long read_pipe(void)
{
	char byte;

	return read(ends[0], &byte, 1);
}

static long poll_pipe(void)
{
	return poll(&(struct pollfd){ ends[0], POLLIN, 0 }, 1, 200);
}

static long select_pipe(void)
{
	fd_set set;
	struct timeval time = { 0, 200000 };

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	return select(ends[0] + 1, &set, NULL, NULL, &time);
}

static long wait_epoll(void)
{
	struct epoll_event one;

	return epoll_wait(epoll, &one, 1, 200);
}

static long sleep_long(void)
{
	return nanosleep(&(struct timespec){ 0, 200000000 }, NULL);
}

static long wait_futex(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static long wait_futex_some_time(void)
{
	static int word;

	return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &(struct timespec){ 0, 200000000 }, NULL,
		       0);
}

static long pause_here(void)
{
	return pause();
}

static long suspend(void)
{
	sigset_t none;

	sigemptyset(&none);
	return sigsuspend(&none);
}

static long wait_signal(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	return sigtimedwait(&one, NULL, &(struct timespec){ 0, 200000000 });
}

static long read_event(void)
{
	uint64_t number;

	return read(event, &number, sizeof(number));
}

#define FIFO "/tmp/fifo"

/* Nobody has its other end. */
static long open_to_read(void)
{
	return open(FIFO, O_RDONLY);
}

static long open_to_write(void)
{
	return open(FIFO, O_WRONLY);
}

/* With SA_RESTART nothing may end a call but its own end: the second signal's handler leaves. */
static void leave_call(int signal)
{
	(void)signal;
	if (++count == 2)
		siglongjmp(back, 1);
}

static void interrupt(long (*call)(void), const char *name, int flags)
{
	struct itimerval timer = { { 0, ALARM_US }, { 0, ALARM_US } },
			 none = { { 0, 0 }, { 0, 0 } };

	count = 0;
	set(SIGALRM, leave_call, flags);
	if (!sigsetjmp(back, 1)) {
		setitimer(ITIMER_REAL, &timer, NULL);
		long result = call();
		int saved = errno;

		setitimer(ITIMER_REAL, &none, NULL);
		errno = saved;
		show(outcome_value(result), "%s, interrupted%s", name, flags ? ", SA_RESTART" : "");
		return;
	}
	setitimer(ITIMER_REAL, &none, NULL);
	show("goes on", "%s, interrupted%s", name, flags ? ", SA_RESTART" : "");
}

static void see_interruptions(void)
{
	static const struct {
		long (*call)(void);
		const char *name;
	} calls[] = {
		{ read_pipe, "read" },
		{ poll_pipe, "poll" },
		{ select_pipe, "select" },
		{ wait_epoll, "epoll_wait" },
		{ sleep_long, "nanosleep" },
		{ wait_futex, "futex" },
		{ pause_here, "pause" },
		{ wait_futex_some_time, "futex for some time" },
		{ suspend, "sigsuspend" },
		{ wait_signal, "sigtimedwait" },
		{ read_event, "eventfd" },
		{ open_to_read, "open of a FIFO to read" },
		{ open_to_write, "open of a FIFO to write" },
	};

	if (pipe(ends) < 0)
		return;
	mkdir("/tmp", 0777);
	mkfifo(FIFO, 0600);
	event = eventfd(0, 0);
	epoll = epoll_create1(0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		interrupt(calls[i].call, calls[i].name, 0);
		interrupt(calls[i].call, calls[i].name, SA_RESTART);
	}
}

/* --- several threads --- */

static pthread_barrier_t barrier;
static volatile int spinning = 1, spun;

static void *spin(void *argument)
{
	(void)argument;
	pthread_barrier_wait(&barrier);
	while (spinning)
		spun++;
	return NULL;
}

/* Whether a stop stops every thread, and a continuation continues them. */
static void see_stopped_threads(void)
{
	volatile int *shared =
		mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		pthread_t thread;

		pthread_barrier_init(&barrier, NULL, 2);
		pthread_create(&thread, NULL, spin, NULL);
		pthread_barrier_wait(&barrier);
		for (;;)
			*shared = spun;
	}
	while (*shared == 0)
		usleep(1000);
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show(WIFSTOPPED(status) ? "stopped" : "?", "a process of two threads");
	int then = *shared;

	usleep(20000);
	show(*shared == then ? "stands" : "goes on", "what its threads count");
	kill(pid, SIGCONT);
	while (*shared == then)
		usleep(1000);
	show("goes on", "what they count when continued");
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGTERM);
	show(outcome_value(waitpid(pid, &status, WNOHANG)), "SIGTERM to it while it is stopped");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	show(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? "killed" : "?",
	     "SIGKILL to it while it is stopped");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	see_flags();
	see_order();
	see_info();
	see_alternate_stack();
	see_frames();
	spoil = look;
	set(SIGUSR1, spoiler, SA_SIGINFO);
	raise(SIGUSR1);
	see_faults();
	see_interruptions();
	see_stopped_threads();
	return 0;
}
