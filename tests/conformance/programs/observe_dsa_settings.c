// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writing to the files of a DSA: values that are none, settings in the wrong order and while the device or the queue is
 * enabled, binding and unbinding. Each write shows its outcome and what the file has then; an attempt to enable shows
 * cmd_status, too. The parameters of dmatest, which uses an enabled queue, are in observe_dmatest_parameters.c.
 */
#include "child.h"
#include "dsa.h"
#include "written_values.h"

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), DSA_DEVICES "%s", name);
	return path;
}

static void set(const char *name, const char *value)
{
	const char *text;

	show(outcome_value(write_file(path_of(name), value)), "%s < %s", name, visible(value));
	text = file_text(path_of(name));
	show(strlen(text) > 40 ? visible(text) : text, "%s after %s", name, visible(value));
}

static void set_each(const char *name, const char *const *values)
{
	for (; *values; values++)
		set(name, *values);
}

/* Binds or unbinds, and shows what became of the device's state. */
static void drive(const char *when, const char *driver, const char *action, const char *name)
{
	int result = dsa_drive(driver, action, name);

	show(outcome_value(result), "%s: %s %s < %s", when, driver, action, visible(name));
	show(file_text(path_of("dsa0/cmd_status")), "%s: cmd_status", when);
	write_file(path_of("dsa0/cmd_status"), "1");
}

static void states(const char *when)
{
	static const char *const names[] = { "dsa0/state",
					     "dsa0/clients",
					     "wq0.0/state",
					     "wq0.0/type",
					     "wq0.0/name",
					     "wq0.0/mode",
					     "wq0.0/size",
					     "wq0.0/group_id",
					     "wq0.0/driver_name",
					     "wq0.0/priority",
					     "wq0.0/threshold",
					     "wq0.0/clients",
					     "engine0.0/group_id",
					     "group0.0/work_queues",
					     "group0.0/engines",
					     "group0.0/traffic_class_a",
					     "group0.0/traffic_class_b" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		show(file_text(path_of(names[i])), "%s: %s", when, names[i]);
}

/* A text of SIZE characters. */
static const char *long_text(size_t size)
{
	static char text[2048];

	memset(text, 'x', size);
	text[size] = '\0';
	return text;
}

static void idle_queue(void)
{
	static const char *const modes[] = { "",	   "dedicated", "Dedicated", "dedicated\n",
					     "dedicated ", "both",	"shared\n",  "shared",
					     NULL };
	static const char *const types[] = { "",     "kernel", "kernel\n", "Kernel",
					     "mdev", "user",   "none",	   NULL };
	static const char *const flags[] = { "", "0", "1", "x", NULL };
	static const char *const names[] = { "", "\n", " ", " a b ", "name\n", "one\ntwo", NULL };

	set_each("wq0.0/group_id", numbers);
	set_each("wq0.0/mode", modes);
	set_each("wq0.0/size", numbers);
	set("wq0.0/size", "128");
	set("wq0.1/size", "1");
	set("wq0.1/size", "0");
	set("wq0.0/size", "129");
	set("wq0.0/size", "120");
	set("wq0.1/size", "9");
	set("wq0.1/size", "8");
	set("wq0.2/size", "1");
	set("wq0.1/size", "0");
	set("wq0.0/size", "16");
	set_each("wq0.0/priority", numbers);
	set("wq0.0/priority", "15");
	set("wq0.0/priority", "16");
	set_each("wq0.0/block_on_fault", flags);
	set_each("wq0.0/threshold", numbers);
	set("wq0.0/threshold", "16");
	set("wq0.0/threshold", "17");
	set("wq0.0/mode", "dedicated");
	set("wq0.0/threshold", "8");
	set("wq0.0/mode", "shared");
	set("wq0.0/threshold", "8");
	set_each("wq0.0/type", types);
	set_each("wq0.0/name", names);
	set("wq0.0/name", long_text(1024));
	set("wq0.0/name", long_text(1025));
	set("wq0.0/type", "kernel");
	set("wq0.0/type", "kernel");
	set("wq0.0/name", "name");
	set("wq0.0/type", "none");
	set_each("wq0.0/driver_name", names);
	set("wq0.0/driver_name", long_text(128));
	set("wq0.0/driver_name", long_text(129));
	set_each("wq0.0/max_transfer_size", numbers);
	set("wq0.0/max_transfer_size", "2147483648");
	set("wq0.0/max_transfer_size", "2147483649");
	set("wq0.0/max_transfer_size", "1025");
	set("wq0.0/max_transfer_size", "2097152");
	set_each("wq0.0/max_batch_size", numbers);
	set("wq0.0/max_batch_size", "1024");
	set("wq0.0/max_batch_size", "1025");
	set("wq0.0/max_batch_size", "33");
	set("wq0.0/max_batch_size", "32");
	set_each("wq0.0/enqcmds_retries", numbers);
	set("wq0.0/enqcmds_retries", "64");
	set("wq0.0/enqcmds_retries", "65");
	set("wq0.0/mode", "dedicated");
	set("wq0.0/enqcmds_retries", "32");
	set("wq0.0/mode", "shared");
	set("wq0.0/enqcmds_retries", "32");
	set("wq0.0/state", "enabled");
	set("wq0.0/clients", "1");
	set("wq0.0/occupancy", "1");
	set("wq0.0/cdev_minor", "1");
	set("wq1.1/max_batch_size", "1");
	set("wq1.1/size", "1");
	set("wq1.1/block_on_fault", "1");
}

static void idle_device(void)
{
	set_each("engine0.0/group_id", numbers);
	set_each("group0.0/traffic_class_a", numbers);
	set("group0.0/traffic_class_a", "7");
	set("group0.0/traffic_class_a", "8");
	set_each("group0.0/traffic_class_b", numbers);
	set_each("group0.0/read_buffers_reserved", numbers);
	set_each("group0.0/read_buffers_allowed", numbers);
	set_each("group0.0/use_read_buffer_limit", numbers);
	set("group0.0/tokens_reserved", "0");
	set("group0.0/tokens_allowed", "0");
	set("group0.0/use_token_limit", "0");
	set("group0.0/engines", "engine0.0");
	set("group0.0/work_queues", "wq0.0");
	set_each("dsa0/read_buffer_limit", numbers);
	set("dsa0/token_limit", "0");
	set_each("dsa0/cmd_status", numbers);
	set("dsa0/state", "enabled");
	set("dsa0/clients", "1");
	set("dsa0/errors", "0");
	set("dsa0/version", "0");
	set("group1.1/traffic_class_a", "1");
	set("group1.0/traffic_class_a", "1");
}

static void wrong_order(void)
{
	drive("no such device", "idxd", "bind", "dsa9");
	drive("no name", "idxd", "bind", "");
	drive("the end of a line", "idxd", "unbind", "dsa0\n");
	drive("a device that is not bound", "idxd", "unbind", "dsa0");
	drive("an engine", "idxd", "bind", "engine0.0");
	drive("a group", "dmaengine", "bind", "group0.0");
	drive("a queue to the device's driver", "idxd", "bind", "wq0.0");
	drive("a device to the queue's driver", "dmaengine", "bind", "dsa0");
	drive("a queue before the device", "dmaengine", "bind", "wq0.0");
	set("wq0.0/type", "none");
	set("wq0.0/group_id", "-1");
	set("engine0.0/group_id", "-1");
	drive("nothing is configured", "idxd", "bind", "dsa0");
	set("engine0.0/group_id", "0");
	drive("an engine without a queue", "idxd", "bind", "dsa0");
	set("engine0.0/group_id", "-1");
	set("wq0.0/group_id", "0");
	set("wq0.0/mode", "dedicated");
	drive("a queue without an engine", "idxd", "bind", "dsa0");
	set("engine0.0/group_id", "0");
	drive("a queue and an engine", "idxd", "bind", "dsa0");
	states("an enabled device");
	drive("a device that is enabled", "idxd", "bind", "dsa0");
	drive("a queue without a driver's name", "dmaengine", "bind", "wq0.0");
	set("wq0.0/driver_name", "user");
	drive("a queue for another driver", "dmaengine", "bind", "wq0.0");
	set("wq0.0/driver_name", "dmaengine");
	set("wq0.0/type", "kernel");
	drive("a queue without a name", "dmaengine", "bind", "wq0.0");
	set("wq0.3/driver_name", "dmaengine");
	set("wq0.3/type", "kernel");
	set("wq0.3/name", "none");
	set("wq0.3/mode", "dedicated");
	set("wq0.3/group_id", "0");
	drive("a queue without entries", "dmaengine", "bind", "wq0.3");
	show(file_text(path_of("wq0.3/size")), "a queue without entries: wq0.3/size");
	set("wq0.3/group_id", "-1");
	drive("a queue without a group", "dmaengine", "bind", "wq0.1");
	set("wq0.1/driver_name", "dmaengine");
	set("wq0.1/name", "other");
	drive("a queue without a group, with a name", "dmaengine", "bind", "wq0.1");
	set("wq0.2/driver_name", "user");
	set("wq0.2/type", "user");
	set("wq0.2/name", "user");
	set("wq0.2/mode", "dedicated");
	set("wq0.2/group_id", "0");
	drive("a queue for user space", "user", "bind", "wq0.2");
	drive("a queue that is not enabled", "dmaengine", "unbind", "wq0.0");
}

static void enabled(void)
{
	static const struct {
		const char *name, *value;
	} settings[] = {
		{ "wq0.0/group_id", "1" },
		{ "wq0.0/mode", "shared" },
		{ "wq0.0/size", "8" },
		{ "wq0.0/size", "x" },
		{ "wq0.0/priority", "1" },
		{ "wq0.0/type", "none" },
		{ "wq0.0/type", "x" },
		{ "wq0.0/name", "name" },
		{ "wq0.0/driver_name", "user" },
		{ "wq0.0/threshold", "1" },
		{ "wq0.0/block_on_fault", "1" },
		{ "wq0.0/max_transfer_size", "1" },
		{ "wq0.0/max_batch_size", "1" },
		{ "wq0.0/enqcmds_retries", "1" },
		{ "engine0.0/group_id", "1" },
		{ "engine0.0/group_id", "0" },
		{ "engine0.1/group_id", "3" },
		{ "group0.0/traffic_class_a", "1" },
		{ "group0.0/traffic_class_b", "x" },
		{ "group0.0/read_buffers_reserved", "0" },
		{ "dsa0/read_buffer_limit", "0" },
		{ "wq0.4/size", "1" },
		{ "wq0.4/group_id", "1" },
		{ "wq0.4/priority", "1" },
		{ "wq0.4/name", "fourth" },
	};

	set("wq0.0/driver_name", "dmaengine");
	set("wq0.0/type", "kernel");
	set("wq0.0/name", "moves");
	set("wq0.0/group_id", "0");
	drive("a queue", "dmaengine", "bind", "wq0.0");
	states("an enabled queue");
	drive("a queue that is enabled", "dmaengine", "bind", "wq0.0");
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		set(settings[i].name, settings[i].value);
	states("after settings");
}

static void by_others(void)
{
	become_user_and_group(1000);
	set("wq0.3/group_id", "1");
	set("dsa0/cmd_status", "1");
	drive("another user", "dmaengine", "unbind", "wq0.0");
}

static void disable(void)
{
	drive("by another driver", "user", "unbind", "wq0.0");
	drive("a queue disabled", "dmaengine", "unbind", "wq0.0");
	states("a disabled queue");
	show(file_text("/sys/class/dma/dma1chan0/in_use"), "in_use of a channel that is gone");
	drive("a disabled queue", "dmaengine", "unbind", "wq0.0");
	drive("a disabled queue without settings", "dmaengine", "bind", "wq0.0");
	set("wq0.0/type", "kernel");
	set("wq0.0/name", "again");
	set("wq0.0/mode", "dedicated");
	set("wq0.4/mode", "dedicated");
	drive("a queue again", "dmaengine", "bind", "wq0.0");
	set("wq0.3/size", "16");
	drive("the queue disabled again", "dmaengine", "unbind", "wq0.0");
	set("wq0.5/group_id", "0");
	set("wq0.5/driver_name", "dmaengine");
	set("wq0.5/type", "kernel");
	set("wq0.5/name", "shared");
	drive("a shared queue", "dmaengine", "bind", "wq0.5");
}

/* The last: Linux 6.12 kills the one who disables a device without an event log, and keeps its lock. */
static void disable_device(void)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(dsa_drive("idxd", "unbind", "dsa0") < 0 ? errno : 0);
	waitpid(pid, &status, 0);
	show(WIFSIGNALED(status) ? "killed" :
	     WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) :
				   "ok",
	     "the device with an enabled queue is disabled");
	states("a disabled device");
	show(file_text(path_of("dsa0/cmd_status")), "a disabled device: cmd_status");
}

int main(void)
{
	idle_queue();
	idle_device();
	wrong_order();
	enabled();
	in_child(by_others);
	disable();
	disable_device();
	return 0;
}
