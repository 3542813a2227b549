/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Panics on demand: the command line's panic=NAME makes one of the kernel's own mistakes on purpose, so
 * that tests can verify its detection and its report. tests/boot/panic.t has the expected report of
 * each.
 */
#include <kernel/base/panic.h>

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <kernel/base/assert.h>
#include <kernel/base/boot.h>
#include <kernel/base/smp.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/usercopy.h>
#include <kernel/mm/vm.h>
#include <kernel/sched/wait.h>
#include <kernel/time/time.h>

/* Data to execute, and read-only data to write. */
static uint32_t executable[16];
static const char read_only[] = "read-only";

static void call_panic(void *unused)
{
	panic("requested on CPU %u", cpu_id());
}

static void fail_here(void)
{
	call_panic(NULL);
}

static void fail_elsewhere(void)
{
	smp_call(cpu_count() - 1, call_panic, NULL);
}

static void fail_assertion(void)
{
	ASSERT(executable[0] != 0);
}

/* Each level needs its own stack frame: the compiler must not make a loop of the recursion. */
static unsigned int overflow_stack(volatile unsigned int depth)
{
	return depth == UINT32_MAX ? 0 : overflow_stack(depth + 1) + depth;
}

static void fail_stack(void)
{
	overflow_stack(0);
}

static void write_to(void *address)
{
	*(volatile uint8_t *)address = 0;
}

static void fail_text(void)
{
	write_to((void *)(uintptr_t)fail_text);
}

/* The same byte by its address in the direct map. */
static void fail_text_alias(void)
{
	write_to(page_address(page_paddr((const void *)(uintptr_t)fail_text)));
}

static void fail_read_only_data(void)
{
	write_to((void *)(uintptr_t)read_only);
}

static void fail_execute_data(void)
{
	((void (*)(void))(uintptr_t)executable)();
}

static void fail_execute_page(void)
{
	((void (*)(void))(uintptr_t)page_alloc(0))();
}

/* Address of a page that a program of the running task could use. */
#define USER_PAGE 0x400000

static void map_user_page(void)
{
	const struct vm_request request = {
		.address = USER_PAGE,
		.size = PAGE_SIZE,
		.prot = VM_READ | VM_WRITE | VM_EXEC,
		.fixed = true,
		.populate = true,
	};
	struct vm_space *space = vm_space_create();
	uint8_t byte = 1;

	ASSERT(space);
	ASSERT(vm_map(space, &request) == USER_PAGE);
	vm_space_switch(space);
	/* The permitted access works; the other one must fail. */
	ASSERT(copy_to_user((void *)USER_PAGE, &byte, sizeof(byte)) == 0);
}

static void fail_user_write(void)
{
	map_user_page();
	write_to((void *)USER_PAGE);
}

static void fail_user_execute(void)
{
	map_user_page();
	((void (*)(void))USER_PAGE)();
}

#ifdef TALLY_DEBUG

/* Mistakes that only the debug build detects. */

static void fail_use_after_free(void)
{
	char *object = kzalloc(100);

	kfree(object);
	((volatile char *)object)[50] = 1;
	/* The next allocation returns the object that was freed last. */
	kfree(kzalloc(100));
}

static void fail_page_use_after_free(void)
{
	char *page = page_alloc(0);

	page_put(page);
	((volatile char *)page)[50] = 1;
	page_put(page_alloc(0));
}

static void fail_end_of_object(void)
{
	volatile char *object = kzalloc(100);

	object[100] = 1;
	kfree((void *)object);
}

static void fail_free_twice(void)
{
	char *object = kzalloc(100);

	kfree(object);
	kfree(object);
}

static void fail_undefined(void)
{
	volatile int most = INT_MAX;

	most++;
}

static struct spinlock inner = SPINLOCK_INITIALIZER;
static struct spinlock outer = SPINLOCK_INITIALIZER;

static void fail_lock_order(void)
{
	spin_lock(&outer);
	spin_lock(&inner);
	spin_unlock(&inner);
	spin_unlock(&outer);
	spin_lock(&inner);
	spin_lock(&outer);
}

static void fail_sleep_locked(void)
{
	static struct mutex mutex;

	mutex_init(&mutex);
	spin_lock(&outer);
	mutex_lock(&mutex);
}

/* Not inlined: the array must be this function's own. */
static __attribute__((noinline)) void write_past(volatile size_t size)
{
	char array[16];
	volatile char *at = array;

	/* Hide the array's length from the compiler's other checks. */
	__asm__("" : "+r"(at));
	for (size_t i = 0; i < size; i++)
		at[i] = 1;
}

static void fail_canary(void)
{
	write_past(32);
}

/* Needs the word irqs-off-watchdog. */
static void fail_irqs_off(void)
{
	unsigned long state = arch_irq_save();
	uint64_t end_ns = clock_ns() + 3 * NSEC_PER_MSEC;

	while (clock_ns() < end_ns)
		continue;
	arch_irq_restore(state);
}

#endif

static const struct {
	const char *name;
	void (*fail)(void);
} demands[] = {
	{ "here", fail_here },
	{ "elsewhere", fail_elsewhere },
	{ "assertion", fail_assertion },
	{ "stack", fail_stack },
	{ "text", fail_text },
	{ "text-alias", fail_text_alias },
	{ "rodata", fail_read_only_data },
	{ "execute-data", fail_execute_data },
	{ "execute-page", fail_execute_page },
	{ "user-write", fail_user_write },
	{ "user-execute", fail_user_execute },
#ifdef TALLY_DEBUG
	{ "use-after-free", fail_use_after_free },
	{ "page-after-free", fail_page_use_after_free },
	{ "end-of-object", fail_end_of_object },
	{ "free-twice", fail_free_twice },
	{ "undefined", fail_undefined },
	{ "lock-order", fail_lock_order },
	{ "sleep-locked", fail_sleep_locked },
	{ "canary", fail_canary },
	{ "irqs-off", fail_irqs_off },
#endif
};

void panic_on_demand(void)
{
	char name[16];

	if (!boot_option("panic", name, sizeof(name)))
		return;
	for (size_t i = 0; i < sizeof(demands) / sizeof(*demands); i++) {
		if (strcmp(name, demands[i].name) != 0)
			continue;
		demands[i].fail();
		panic("panic=%s was not caught", name);
	}
	boot_failure("panic=%s: no mistake of that name is known; see kernel/panic_demand.c", name);
}
