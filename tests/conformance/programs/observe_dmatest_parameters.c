// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writing to dmatest's parameters beside an enabled queue of a DSA: values that are none, and writing by another user. Each
 * write shows its outcome and what the file has then. No test is run: docs/dsa.md has how Tally's differs.
 */
#include "child.h"
#include "dsa.h"
#include "written_values.h"

static void test(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), DMATEST "%s", name);
	show(outcome_value(write_file(path, value)), "dmatest %s < %s", name, visible(value));
	show(file_text(path), "dmatest %s after %s", name, visible(value));
}

static void by_root(void)
{
	static const char *const flags[] = { "", "x", "1", "yes", "n", "On", "oFf", "o", "0", NULL };

	for (size_t i = 0; numbers[i]; i++)
		test("iterations", numbers[i]);
	for (size_t i = 0; numbers[i]; i++)
		test("timeout", numbers[i]);
	for (size_t i = 0; flags[i]; i++)
		test("norandom", flags[i]);
	test("wait", "1");
	test("run", "0");
	show(file_text("/sys/class/dma/dma1chan0/in_use"), "in_use");
}

static void by_others(void)
{
	become_user_and_group(1000);
	test("run", "1");
	test("wait", "1");
}

/* Enables a queue: whether it is. */
static bool enable_queue(void)
{
	static const struct {
		const char *file, *text;
	} settings[] = {
		{ "engine0.0/group_id", "0" }, { "wq0.0/group_id", "0" },
		{ "wq0.0/mode", "dedicated" }, { "wq0.0/size", "16" },
		{ "wq0.0/type", "kernel" },    { "wq0.0/name", "moves" },
		{ "wq0.0/priority", "10" },    { "wq0.0/driver_name", "dmaengine" },
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), DSA_DEVICES "%s", settings[i].file);
		if (write_file(path, settings[i].text) < 0)
			return false;
	}
	return dsa_drive("idxd", "bind", "dsa0") >= 0 &&
	       dsa_drive("dmaengine", "bind", "wq0.0") >= 0;
}

int main(void)
{
	if (!enable_queue()) {
		show(error_name(errno), "a queue that dmatest can use");
		return 1;
	}
	by_root();
	in_child(by_others);
	return 0;
}
