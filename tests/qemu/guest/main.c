// SPDX-License-Identifier: BSD-2-Clause
/* main.c: reads the name of a suite from the command line, and runs the suite. */

#include "guest.h"
#include "pmu.h"

struct config config;

static const struct {
	const char *name;
	void (*run)(void);
} suites[] = {
	{ "cpuid", test_cpuid },
	{ "registers", test_registers },
	{ "counts", test_counts },
	{ "rings", test_rings },
	{ "pmi", test_pmi },
	{ "smp", test_smp },
	{ "absent", test_absent },
	{ "bench", bench },
	{ "unmodelled", test_unmodelled },
	{ "kinds", test_kinds },
	{ "model", test_model },
	{ "svm", test_svm },
	{ "dsa", test_dsa },
	{ "faults", test_faults },
	{ "strings", test_strings },
	{ "lbr", test_lbr },
	{ "pebs", test_pebs },
	{ "ibs", test_ibs },
	{ "sse", test_sse },
};

static const struct {
	const char *name;
	uint64_t *value;
} words[] = {
	{ "version=", &config.version },
	{ "counters=", &config.counters },
	{ "width=", &config.width },
	{ "skid=", &config.skid },
	{ "cpus=", &config.cpus },
	{ "icount=", &config.icount },
	{ "one_thread=", &config.one_thread },
	{ "amd=", &config.amd },
	{ "kind=", &config.kind },
	{ "mode=", &config.mode },
	{ "rounds=", &config.rounds },
	{ "lbr=", &config.lbr },
	{ "pebs=", &config.pebs },
	{ "ibs=", &config.ibs },
};

/* Where `word` begins in `line`, after its prefix `name`; NULL if it does not. */
static const char *after(const char *line, const char *name)
{
	for (; *line; line++) {
		const char *a = line, *b = name;

		while (*b && *a == *b) {
			a++;
			b++;
		}
		if (!*b)
			return a;
	}
	return NULL;
}

static bool begins(const char *word, const char *name)
{
	while (*name && *word == *name) {
		word++;
		name++;
	}
	return !*name && (!*word || *word == ' ');
}

static void read_config(const char *line)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		const char *digit = after(line, words[i].name);

		for (; digit && *digit >= '0' && *digit <= '9'; digit++)
			*words[i].value = *words[i].value * 10 + (uint64_t)(*digit - '0');
	}
	config.suite = after(line, "suite=");
	config.fault = after(line, "fault=");
}

/* Multiboot information, the part that is used. */
struct multiboot_info {
	uint32_t flags, memory[2], boot_device, command_line;
};
extern uint32_t multiboot_info;

void guest_main(void);
void guest_main(void)
{
	const struct multiboot_info *info = (void *)(uintptr_t)multiboot_info;

	read_config((const char *)(uintptr_t)info->command_line);
	machine_init();
	for (unsigned int i = 0; i < ARRAY_SIZE(suites); i++) {
		if (config.suite && begins(config.suite, suites[i].name)) {
			suites[i].run();
			tap_done();
		}
	}
	fatal("no such suite: %s", config.suite ? config.suite : "(none)");
}
