/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signalfd: pending signals of the reading task, as records of a file. Only blocked signals stay pending long
 * enough to be read; the others are handled first.
 *
 * The file keeps only a set of signals; the pending signals belong to the reader.
 */
#include <stdatomic.h>
#include <sys/queue.h>

#include <kernel/base/syscall.h>
#include <kernel/fs/file.h>
#include <kernel/mm/kmalloc.h>
#include <kernel/mm/usercopy.h>
#include <kernel/sched/task.h>
#include <kernel/sched/wait.h>
#include <kernel/task/process.h>
#include <kernel/task/signal.h>
#include <uapi/linux/errno.h>
#include <uapi/linux/fcntl.h>
#include <uapi/linux/poll.h>

/* One record: Linux's uapi/linux/signalfd.h. */
struct record {
	uint32_t signo;
	int32_t error, code;
	uint32_t pid, uid;
	int32_t fd;
	uint32_t tid, band, overrun, trap_number;
	int32_t status, value;
	uint64_t pointer, user_time, system_time, address;
	uint16_t address_lsb, padding;
	int32_t call;
	uint64_t call_address;
	uint32_t isa;
	uint8_t reserved[28];
};

_Static_assert(sizeof(struct record) == 128, "as programs read it");

/* A process that must stay, because a task waits on its queue through the file: referenced. */
struct watched {
	LIST_ENTRY(watched) link;
	struct process *process;
};

struct signal_file {
	_Atomic uint64_t set;
	struct mutex mutex;
	LIST_HEAD(, watched) watched; /* mutex */
};

static struct record make_record(const struct kernel_siginfo *info)
{
	struct record record = { .signo = (uint32_t)info->si_signo,
				 .error = info->si_errno,
				 .code = info->si_code };

	if (info->si_code == SI_TIMER) {
		record.tid = (uint32_t)info->si_timerid;
		record.overrun = (uint32_t)info->si_overrun;
		record.pointer = info->si_timer_value;
		record.value = (int32_t)info->si_timer_value;
		return record;
	}
	switch (info->si_signo) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		if (info->si_code > SI_USER && info->si_code < SI_KERNEL) {
			record.address = info->si_addr;
			return record;
		}
		break;
	case SIGIO:
		if (info->si_code > SI_USER && info->si_code < SI_KERNEL) {
			record.band = (uint32_t)info->si_band;
			record.fd = info->si_fd;
			return record;
		}
		break;
	default:
		break;
	}
	record.pid = (uint32_t)info->si_pid;
	record.uid = info->si_uid;
	if (info->si_signo == SIGCHLD && info->si_code > SI_USER && info->si_code < SI_KERNEL) {
		record.status = info->si_status;
		record.user_time = (uint64_t)info->si_utime;
		record.system_time = (uint64_t)info->si_stime;
	} else if (info->si_code < 0) {
		record.pointer = info->si_value;
		record.value = (int32_t)info->si_value;
	}
	return record;
}

static ssize_t read_signals(struct file *file, void *user_buffer, size_t size, uint64_t *position)
{
	const struct signal_file *signals = file->private;
	struct process *process = task_current()->process;
	struct kernel_siginfo info;
	struct wait_entry entry;
	size_t done = 0;
	int error = 0;

	if (size < sizeof(struct record))
		return -EINVAL;
	while (size - done >= sizeof(struct record) && !error) {
		wait_queue_add(&process->signal_event, &entry);
		int signal = signal_take(signals->set, &info);

		if (!signal && !done)
			error = file->flags & O_NONBLOCK ? -EAGAIN : wait_sleep(UINT64_MAX);
		wait_queue_remove(&process->signal_event, &entry);
		if (!signal && done)
			break;
		if (!signal)
			continue;
		struct record record = make_record(&info);

		if (copy_to_user((char *)user_buffer + done, &record, sizeof(record)))
			error = -EFAULT;
		else
			done += sizeof(record);
	}
	return done ? (ssize_t)done : error;
}

/* Keeps the running process until FILE's release. False: no memory. */
static bool keep_process(struct signal_file *signals)
{
	struct process *process = task_current()->process;
	struct watched *watched;

	mutex_lock(&signals->mutex);
	LIST_FOREACH(watched, &signals->watched, link)
		if (watched->process == process)
			break;
	if (!watched) {
		watched = kzalloc(sizeof(*watched));
		if (watched) {
			watched->process = process;
			atomic_fetch_add(&process->references, 1);
			LIST_INSERT_HEAD(&signals->watched, watched, link);
		}
	}
	mutex_unlock(&signals->mutex);
	return watched;
}

static unsigned int poll_signals(struct file *file, struct poll_table *table)
{
	struct signal_file *signals = file->private;

	if (table && table->lasting && !keep_process(signals)) {
		table->failed = true;
		return 0;
	}
	poll_wait(table, &task_current()->process->signal_event);
	return signal_any_of(signals->set) ? POLLIN | POLLRDNORM : 0;
}

static void release_signals(struct file *file)
{
	struct signal_file *signals = file->private;
	struct watched *watched;

	while ((watched = LIST_FIRST(&signals->watched))) {
		LIST_REMOVE(watched, link);
		process_put(watched->process);
		kfree(watched);
	}
	kfree(signals);
}

static const struct file_ops signal_ops = {
	.name = "[signalfd]",
	.seek_ignored = true,
	.read = read_signals,
	.poll = poll_signals,
	.release = release_signals,
};

static long create(uint64_t set, unsigned int flags)
{
	struct signal_file *signals = kzalloc(sizeof(*signals));

	if (!signals)
		return -ENOMEM;
	signals->set = set;
	mutex_init(&signals->mutex);
	LIST_INIT(&signals->watched);
	struct file *file = file_create(&signal_ops, signals, O_RDWR | (flags & O_NONBLOCK));

	if (!file) {
		kfree(signals);
		return file_create_error();
	}
	return fd_install_or_put(file, flags & O_CLOEXEC);
}

static long change(int fd, uint64_t set)
{
	struct file *file = fd_get_opened(fd);
	long result = fd;

	if (!file)
		return -EBADF;
	if (file->ops == &signal_ops) {
		((struct signal_file *)file->private)->set = set;
		/* Readers that wait for the old set look again. */
		wait_queue_wake(&task_current()->process->signal_event);
	} else {
		result = -EINVAL;
	}
	file_put(file);
	return result;
}

static long signal_descriptor(const unsigned long arg[6], unsigned int flags)
{
	uint64_t set;

	if ((flags & ~(unsigned int)(O_CLOEXEC | O_NONBLOCK)) || arg[2] != sizeof(set))
		return -EINVAL;
	if (copy_from_user(&set, (const void *)arg[1], sizeof(set)))
		return -EFAULT;
	set &= ~((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1));
	return (int)arg[0] == -1 ? create(set, flags) : change((int)arg[0], set);
}

long sys_signalfd(const unsigned long arg[6])
{
	return signal_descriptor(arg, 0);
}

long sys_signalfd4(const unsigned long arg[6])
{
	return signal_descriptor(arg, (unsigned int)arg[3]);
}
