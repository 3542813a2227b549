// SPDX-License-Identifier: BSD-2-Clause
/* profileme.c - see profileme.h. Sections are those of the Alpha 21264/EV67 Hardware Reference Manual. */
#include "profileme.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The meaning of the counters (table 6-14), by selection. */
static const struct {
	const char *name, *counter[2];
} selections[] = {
	[PROFILEME_RETIRED_CYCLES] = { "retired-cycles", { "retires", "window" } },
	[PROFILEME_CYCLES_DELAY] = { "cycles-delay", { "window", "delay" } },
	[PROFILEME_RETIRED_MISSES] = { "retired-misses", { "retires", "misses" } },
	[PROFILEME_CYCLES_REPLAYS] = { "cycles-replays", { "window", "replays" } },
};
#define SELECTIONS (sizeof(selections) / sizeof(selections[0]))

/* I_STAT's trap types (table 5-12). */
static const char *const traps[16] = {
	[0] = "replay",		[2] = "dtb-double-3", [3] = "dtb-double-4", [4] = "fp-disabled",
	[5] = "unaligned",	[6] = "dtb-single",   [7] = "data-fault",   [8] = "opcdec",
	[10] = "machine-check", [12] = "arithmetic",  [14] = "mt-fpcr",	    [15] = "reset",
};

struct text {
	char *line;
	size_t size;
	int length;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	size_t used = (size_t)text->length < text->size ? (size_t)text->length : text->size;
	va_list arguments;

	va_start(arguments, format);
	text->length += vsnprintf(text->line + used, text->size - used, format, arguments);
	va_end(arguments);
}

static void put_counters(struct text *text, const struct profileme_raw *raw)
{
	uint32_t counters[2] = { (uint32_t)PROFILEME_CTL_COUNTER0(raw->pctr_ctl),
				 (uint32_t)PROFILEME_CTL_COUNTER1(raw->pctr_ctl) };

	if (raw->select >= SELECTIONS) {
		put(text, " select=%u", (unsigned int)raw->select);
		return;
	}
	/* The overcount is one of retired instructions. */
	if (raw->select == PROFILEME_RETIRED_CYCLES || raw->select == PROFILEME_RETIRED_MISSES)
		counters[0] -= (uint32_t)PROFILEME_STAT_OVERCOUNT(raw->i_stat);
	for (int i = 0; i < 2; i++)
		put(text, " %s=%u", selections[raw->select].counter[i], (unsigned int)counters[i]);
}

static void put_trap(struct text *text, uint64_t i_stat)
{
	const char *name = traps[PROFILEME_STAT_TRAP_TYPE(i_stat)];

	if (!(i_stat & PROFILEME_STAT_TRAP))
		return;
	if (i_stat & PROFILEME_STAT_MISPREDICT)
		name = "mispredict";
	else if (PROFILEME_STAT_TRAP_TYPE(i_stat) == 0 && (i_stat & PROFILEME_STAT_LOAD_STORE))
		name = "load-store-order";
	put(text, " trap=%s", name ? name : "invalid");
}

int profileme_describe(const struct profileme_raw *raw, char *line, size_t size)
{
	struct text text = { line, size, 0 };

	put(&text, "pc=0x%llx%s %s%s", (unsigned long long)PROFILEME_PC(raw->pmpc),
	    raw->pmpc & PROFILEME_PC_PAL ? " pal" : "",
	    raw->pctr_ctl & PROFILEME_CTL_VALID ? "retired" : "killed",
	    raw->pctr_ctl & PROFILEME_CTL_TAKEN ? " taken" : "");
	put_counters(&text, raw);
	put_trap(&text, raw->i_stat);
	if (raw->pctr_ctl & PROFILEME_CTL_KILLED_EARLY)
		put(&text, " early");
	if (raw->pctr_ctl & PROFILEME_CTL_STALLED)
		put(&text, " stalled");
	if (raw->i_stat & PROFILEME_STAT_ICACHE_MISS)
		put(&text, " icache-miss");
	return text.length;
}

int profileme_select(const char *name)
{
	for (unsigned int i = 0; i < SELECTIONS; i++)
		if (!strcmp(selections[i].name, name))
			return (int)i;
	return -1;
}
