/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /proc/sys: settings and limits of the system, as sysctl(8) and programs read and set them. Meaning and
 * ranges: Linux's admin-guide/sysctl.
 *
 * Every file that can be read shows a value that is in force. A written value takes effect at once. compact_memory is a
 * request: it has no value.
 */
#include <string.h>

#include <kernel/base/boot.h>
#include <kernel/base/hooks.h>
#include <kernel/base/log.h>
#include <kernel/fs/file.h>
#include <kernel/fs/inode.h>
#include <kernel/fs/inotify.h>
#include <kernel/fs/pipe.h>
#include <kernel/fs/sysctl.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/page.h>
#include <kernel/mm/text.h>
#include <kernel/mm/vm.h>
#include <kernel/random/random.h>
#include <kernel/sched/sched.h>
#include <kernel/task/credentials.h>
#include <kernel/task/process.h>
#include <kernel/task/system_names.h>
#include <uapi/linux/capability.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/stat.h>
#include <uapi/linux/utsname.h>

#include "proc.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

bool proc_parse_number(const char *text, long least, long most, long *number)
{
	bool negative;
	long value = 0;
	int base = 10;

	while (*text == ' ' || *text == '\t')
		text++;
	negative = *text == '-';
	text += negative;
	if (text[0] == '0')
		base = (text[1] | 0x20) == 'x' && digit_of(text[2]) < 16 ? 16 : 8;
	text += base == 16 ? 2 : 0;
	if (digit_of(*text) >= base)
		return false;
	for (; digit_of(*text) < base; text++)
		if ((value = value * base + digit_of(*text)) > (long)INT32_MAX + negative)
			return false;
	while (*text == ' ' || *text == '\t' || *text == '\n')
		text++;
	*number = negative ? -value : value;
	return !*text && *number >= least && *number <= most;
}

/* --- constants --- */

#define TEXT(name, ...)                                         \
	static int show_##name(struct text *text, void *unused) \
	{                                                       \
		text_print(text, __VA_ARGS__);                  \
		return 0;                                       \
	}

TEXT(ostype, "%s\n", UTSNAME_SYSTEM)
TEXT(osrelease, "%s\n", UTSNAME_RELEASE)
TEXT(version, "%s\n", UTSNAME_VERSION)
TEXT(pid_max, "%d\n", PID_MAX)
TEXT(ngroups_max, "65536\n")
TEXT(cap_last_cap, "%d\n", CAP_LAST_CAP)
/* Reading the log needs CAP_SYSLOG. */
TEXT(dmesg_restrict, "1\n")
/* The PMU stays free until a program asks for it. */
TEXT(nmi_watchdog, "0\n")
TEXT(randomize_va_space, "%d\n", boot_word("norandom") ? 0 : 2)
TEXT(max_map_count, "%d\n", VM_AREAS_MAX)
TEXT(overcommit_memory, "0\n")
TEXT(mmap_min_addr, "%d\n", USER_START)
TEXT(nr_open, "%d\n", DESCRIPTORS_MAX)
/* Linux's id for an id that does not fit into 16 bits. */
TEXT(overflow_id, "65534\n")
/* The generator never runs out of bits: 256, the size of its key. */
TEXT(entropy, "256\n")

/* --- numbers that can be set --- */

/* Returns the number of spaces at the beginning of BYTES. */
static size_t spaces(const char *bytes)
{
	size_t count = 0;

	while (bytes[count] == ' ' || bytes[count] == '\t' || bytes[count] == '\n')
		count++;
	return count;
}

ssize_t proc_store_number(const char *bytes, size_t size, long least, long most,
			  _Atomic int *number)
{
	char first[24];
	long value;
	size_t end = spaces(bytes);

	/* The rest after the first number is left for another write, as on Linux. */
	while (bytes[end] && !spaces(bytes + end))
		end++;
	strlcpy(first, bytes, end < sizeof(first) ? end + 1 : sizeof(first));
	if (end >= sizeof(first) || !proc_parse_number(first, least, most, &value))
		return -EINVAL;
	*number = (int)value;
	return (ssize_t)(end + spaces(bytes + end));
}

/* Readers of kallsyms' addresses: 0: those that perf_event_paranoid permits; 1: those with CAP_SYSLOG; 2:
 * none. */
static _Atomic int kptr_restrict;

NUMBER(max_user_instances, inotify_instances_max, 0, INT32_MAX)
NUMBER(max_user_watches, inotify_watches_max, 0, INT32_MAX)
NUMBER(max_queued_events, inotify_events_max, 0, INT32_MAX)
SHOW_NUMBER(kptr_restrict, kptr_restrict)
NUMBER(file_max, file_count_max, 0, INT32_MAX)
NUMBER(pipe_user_pages_soft, pipe_user_pages_soft, 0, INT32_MAX)
NUMBER(sched_schedstats, sched_statistics, 0, 1)
/* Linux's least: the tasks that the system itself needs. */
NUMBER(threads_max, task_count_max, 20, PID_MAX)

/* Linux: proc_dointvec_minmax_sysadmin. */
static ssize_t store_kptr_restrict(void *unused, const char *bytes, size_t size)
{
	return capable(CAP_SYS_ADMIN) ? proc_store_number(bytes, size, 0, 2, &kptr_restrict) :
					-EPERM;
}

/* One kmalloc_set_aside() at a time. */
static struct mutex aside_mutex = MUTEX_INITIALIZER(aside_mutex);

/* Linux: sysctl_compaction_handler, where only 1 is no error. A count of a program writes it (docs/counting.md). */
static ssize_t store_compact_memory(void *unused, const char *bytes, size_t size)
{
	_Atomic int number;
	ssize_t result = proc_store_number(bytes, size, 1, 1, &number);

	if (result > 0) {
		mutex_lock(&aside_mutex);
		kmalloc_set_aside();
		page_set_aside();
		mutex_unlock(&aside_mutex);
	}
	return result;
}

bool proc_addresses_visible(void)
{
	if (kptr_restrict == 0 && !hook_addresses_are_hidden())
		return true;
	return kptr_restrict <= 1 && capable(CAP_SYSLOG);
}

/* The levels: of the console, of messages without a level, least and default of the console. */
static int show_printk(struct text *text, void *unused)
{
	text_print(text, "%d\t%d\t%d\t%d\n", log_console_level(), CONSOLE_LEVEL_MESSAGE,
		   CONSOLE_LEVEL_LEAST, CONSOLE_LEVEL_DEFAULT);
	return 0;
}

static ssize_t store_printk(void *unused, const char *bytes, size_t size)
{
	_Atomic int level;
	ssize_t result =
		proc_store_number(bytes, size, CONSOLE_LEVEL_LEAST, CONSOLE_LEVEL_MOST, &level);

	if (result > 0)
		log_set_console_level(level);
	return result;
}

/* --- names --- */

static int show_name(struct text *text, enum system_name which)
{
	char name[UTSNAME_SIZE];

	system_name_get(which, name);
	text_print(text, "%s\n", name);
	return 0;
}

/* Leaves out the bytes after the line's end, and those that exceed the name's size. */
static ssize_t store_name(const char *bytes, size_t size, enum system_name which)
{
	const char *end = memchr(bytes, '\n', size);

	system_name_set(which, bytes, end ? (size_t)(end - bytes) : size);
	return (ssize_t)size;
}

#define NAME(name, which)                                                         \
	static int show_##name(struct text *text, void *unused)                   \
	{                                                                         \
		return show_name(text, which);                                    \
	}                                                                         \
	static ssize_t store_##name(void *unused, const char *bytes, size_t size) \
	{                                                                         \
		return store_name(bytes, size, which);                            \
	}

NAME(hostname, SYSTEM_HOST_NAME)
NAME(domainname, SYSTEM_DOMAIN_NAME)

/* --- random identifiers --- */

/* RFC 9562, version 4. */
static void print_uuid(struct text *text, const unsigned char bytes[16])
{
	for (int i = 0; i < 16; i++)
		text_print(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
			   bytes[i]);
	text_print(text, "\n");
}

static void make_uuid(unsigned char bytes[16])
{
	random_bytes(bytes, 16);
	bytes[6] = (bytes[6] & 0x0f) | 0x40;
	bytes[8] = (bytes[8] & 0x3f) | 0x80;
}

static int show_uuid(struct text *text, void *unused)
{
	unsigned char bytes[16];

	make_uuid(bytes);
	print_uuid(text, bytes);
	return 0;
}

/* Guards the identifier, which is made at its first use and stays. */
static struct spinlock boot_id_lock = SPINLOCK_INITIALIZER;

static int show_boot_id(struct text *text, void *unused)
{
	static unsigned char boot_id[16]; /* L: lock; byte 6 is 0 until it is made */
	unsigned char bytes[16];

	make_uuid(bytes);
	spin_lock(&boot_id_lock);
	if (!boot_id[6])
		memcpy(boot_id, bytes, sizeof(boot_id));
	memcpy(bytes, boot_id, sizeof(bytes));
	spin_unlock(&boot_id_lock);
	print_uuid(text, bytes);
	return 0;
}

/* --- the directories --- */

/* Linux: proc_sys_permission and proc_sys_setattr. The owner is effective root (euid, not fsuid); no
 * capability exceeds the modes, and the modes cannot change. */
int proc_sys_permission(const struct inode *inode, void *unused, unsigned int mask)
{
	const struct credentials *own = credentials_current();
	uint32_t mode = inode->mode;

	if (own->euid == 0)
		mode >>= 6;
	else if (credentials_in_effective_group(own, 0))
		mode >>= 3;
	return mask & ~mode & (R_OK | W_OK | X_OK) ? -EACCES : 0;
}

static const struct pseudo_entry random_entries[] = {
	FILE_ENTRY(uuid),
	FILE_ENTRY(boot_id),
	FIXED("entropy_avail", show_entropy),
	FIXED("poolsize", show_entropy),
	END,
};

static const struct pseudo_entry kernel_entries[] = {
	FILE_ENTRY(ostype),
	FILE_ENTRY(osrelease),
	FILE_ENTRY(version),
	SETTING(hostname),
	SETTING(domainname),
	FILE_ENTRY(pid_max),
	NAMED_NUMBER_SETTING("threads-max", threads_max),
	FILE_ENTRY(ngroups_max),
	FILE_ENTRY(cap_last_cap),
	FIXED("overflowuid", show_overflow_id),
	FIXED("overflowgid", show_overflow_id),
	FILE_ENTRY(randomize_va_space),
	FILE_ENTRY(nmi_watchdog),
	FILE_ENTRY(dmesg_restrict),
	NUMBER_SETTING(printk),
	NUMBER_SETTING(kptr_restrict),
	NUMBER_SETTING(sched_schedstats),
	DIRECTORY("random", random_entries),
	END,
};

static const struct pseudo_entry vm_entries[] = {
	{ .name = "compact_memory",
	  .mode = S_IFREG | 0200,
	  PROC_SYS_RULES,
	  .once = true,
	  .store = store_compact_memory },
	FILE_ENTRY(max_map_count),
	FILE_ENTRY(overcommit_memory),
	FILE_ENTRY(mmap_min_addr),
	END,
};

static const struct pseudo_entry inotify_entries[] = {
	NUMBER_SETTING(max_queued_events),
	NUMBER_SETTING(max_user_instances),
	NUMBER_SETTING(max_user_watches),
	END,
};

static const struct pseudo_entry fs_entries[] = {
	NAMED_NUMBER_SETTING("file-max", file_max),
	FILE_ENTRY(nr_open),
	DIRECTORY("inotify", inotify_entries),
	NAMED_NUMBER_SETTING("pipe-user-pages-soft", pipe_user_pages_soft),
	FIXED("overflowuid", show_overflow_id),
	FIXED("overflowgid", show_overflow_id),
	END,
};

struct pseudo_added proc_sys_kernel_added;

const struct pseudo_entry proc_sys_entries[] = {
	{ .name = "kernel",
	  .mode = S_IFDIR | 0555,
	  PROC_SYS_RULES,
	  .children = kernel_entries,
	  .added = &proc_sys_kernel_added },
	DIRECTORY("vm", vm_entries),
	DIRECTORY("fs", fs_entries),
	END,
};
