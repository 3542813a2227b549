// SPDX-License-Identifier: BSD-2-Clause
/*
 * Filters of tracepoints: their language, and the records that they pass to an event.
 */
#include "tracepoint.h"

/* Call 110, that the filters are about: getppid on x86_64, one that is not there any more on Alpha. */
static void call_110(unsigned int times)
{
	while (times--)
		syscall(110);
}

static void filter_syntax(void)
{
	static const char *const filters[] = {
		"id == 110",
		"id==110",
		"  id  ==  110  ",
		"id == 0x6e",
		"id == 0156",
		"id != 110",
		"id < 110",
		"id <= 110",
		"id > 109",
		"id >= 111",
		"id & 2",
		"id & 1",
		"id & 0",
		"id == -1",
		"id > -1",
		"id == 110 && id != 110",
		"id == 110 || id != 110",
		"id == 1 || id == 110 && id != 110",
		"(id == 110 || id == 1) && id == 110",
		"((id == 110))",
		"!(id == 110)",
		"!id == 110",
		"!!(id == 110)",
		"!!id == 110",
		"id == 110 && !(id == 1 || id == 2)",
		"id == 110 && comm == \"observe\"",
		"COMM == 'observe'",
		"comm != \"observe\"",
		"comm ~ \"obs*\"",
		"comm ~ \"*serve\"",
		"comm ~ \"*ser*\"",
		"comm ~ \"o?s*\"",
		"comm ~ \"o[a-c]serve\"",
		"comm ~ \"o[!a-c]serve\"",
		"comm ~ \"obs\"",
		"comm == \"obs\"",
		"comm == \"observe_longer\"",
		"cpu >= 0",
		"CPU < 64",
		"cpu == 1000",
		"common_pid != 0",
		"common_type != 0",
		"common_flags == 0 || common_flags != 0",
		"common_preempt_count >= 0",
		"",
		" ",
		"0",
		"1",
		"id",
		"id ==",
		"== 110",
		"id = 110",
		"id === 110",
		"id == 110 &&",
		"id == 1 &&",
		"id == 110 ||",
		"id == 1 ||",
		"id == 110 && !",
		"args != 1",
		"args & 1",
		"&& id == 110",
		"id == 110 & id == 110",
		"id == 110 | id == 110",
		"id == 110 ||| id == 1",
		"id == 110 id == 110",
		"(id == 110",
		"id == 110)",
		"()",
		"!",
		"id == abc",
		"id == 110abc",
		"id == 0x",
		"id == 9223372036854775807",
		"id == 9223372036854775808",
		"id == -9223372036854775808",
		"id == 18446744073709551616",
		"id == 000000000000000000000000000110",
		"id == \"110\"",
		"id ~ 110",
		"id ~ \"1*\"",
		"comm == observe",
		"comm == 1",
		"comm > \"a\"",
		"comm & 1",
		"comm ~ \"unclosed",
		"args == 1",
		"args[0] == 1",
		"nothing == 1",
		"ID == 110",
		"id.function == 1",
		"id.ustring == 1",
		"id == 110;",
		"id == 110\n",
		"\tid == 110",
		"common_pid == -1",
		"common_type == -1",
		"common_type == 70000",
		"id == +110",
		"id == - 110",
		"id == 1 || id == 2 || id == 3 || id == 4 || id == 5 || id == 6 || id == 7 || id == 110",
		"((((((((id == 110))))))))",
		/* Numbers have the size of the field. */
		"cpu <= 0xffffffff",
		"cpu == 0x100000000",
		"common_pid > 4294967295",
		"common_flags >= 65536",
		"common_flags < 256",
		/* Sets of CPUs. */
		"cpu & CPUS{0}",
		"CPU == CPUS{0}",
		"cpu != CPUS{0}",
		"cpu & CPUS{all}",
		"cpu & CPUS{ 0-N }",
		"cpu & CPUS{,}",
		"cpu == CPUS{,}",
		"cpu != CPUS{,}",
		"cpu & CPUS{0:1/1}",
		"cpu & CPUS{0-0:1/1}",
		"cpu & CPUS{all:0/5}",
		"cpu & CPUS{all:2/1}",
		"cpu & CPUS{0-0:1/0}",
		"cpu & CPUS{0-4095}",
		"id == CPUS{0}",
		"id != CPUS{0}",
		"id & CPUS{0}",
		"id & CPUS{,}",
		"id != CPUS{,}",
		"args != CPUS{0}",
		"comm == CPUS{0}",
		/* Functions. */
		"id.function == panic",
		"id.function != panic",
		"id.function != panic && id == 110",
		"id.function == 110",
		"id.ustring.function != panic",
		"comm.function != panic",
		"args.function != panic",
		/* Texts that are no filters. */
		"&&",
		"&& &&",
		"() ||",
		"!!",
	};
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		int fd = open_tracepoint("raw_syscalls/sys_enter");
		const char *set;
		char text[64];

		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		set = outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filters[i]));
		snprintf(text, sizeof(text), "%s", set);
		if (!strcmp(set, "ok")) {
			ioctl(fd, PERF_EVENT_IOC_RESET, 0);
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
			call_110(4);
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			long long count = count_of(fd);

			/* The call that switches it off is seen too. */
			snprintf(text, sizeof(text), "%s",
				 count >= 4 ? "lets through" : "keeps out");
		}
		show(text, "filter \"%s\"", filters[i]);
		close(fd);
	}
}

static void filter_calls(void)
{
	static char longest[2 * PAGE_BYTES];
	unsigned char *edge = page_before_a_hole() + PAGE_BYTES;
	union attr attr;
	int fd = open_tracepoint("raw_syscalls/sys_enter");

	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, NULL));
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, edge));
	memcpy(edge - 6, "id == 1", 6);
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, edge - 6));
	memset(longest, ' ', sizeof(longest) - 1);
	memcpy(longest, "id == 1", 7);
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, longest));
	longest[PAGE_BYTES] = '\0';
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, &longest[0]));
	longest[PAGE_BYTES - 1] = '\0';
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, (char *)longest));
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 2"));
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "0"));
	SEE(ioctl(fd, PERF_EVENT_IOC_SET_BPF, -1));
	SEE(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, NULL));
	close(fd);
	attr_dummy(&attr);
	fd = must_open(&attr, -1);
	show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, "id == 1")), "a filter of no tracepoint");
	close(fd);
}

/* One character alone, as often as a filter may be long, and between terms. Linux's characters are Latin 1's. */
static void filters_of_a_character(void)
{
	static const unsigned char characters[] = { 1,	  '#',	'x',  '!',  '(',  ')',
						    '"',  0x80, 0xa0, 0xbf, 0xc0, 0xd6,
						    0xd7, 0xd8, 0xf6, 0xf7, 0xff };
	static char text[PAGE_BYTES];
	int fd = open_tracepoint("raw_syscalls/sys_enter");

	for (size_t i = 0; i < sizeof(characters); i++) {
		memset(text, characters[i], sizeof(text) - 1);
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)), "a page of character %d",
		     characters[i]);
		for (size_t at = 1; at < sizeof(text) - 1; at += 2)
			text[at] = ' ';
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)),
		     "a page of character %d and spaces", characters[i]);
		snprintf(text, sizeof(text), "%c", characters[i]);
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)), "character %d alone",
		     characters[i]);
		snprintf(text, sizeof(text), "id%c==1 && id%c", characters[i], characters[i]);
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)),
		     "character %d after names", characters[i]);
	}
	close(fd);
}

static void deep_filters(void)
{
	static const int depths[] = { 32, 33, 1000 };

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		char text[2048], *end;
		int fd = open_tracepoint("raw_syscalls/sys_enter"), depth = depths[i];

		memset(text, '(', depth);
		end = text + depth + sprintf(text + depth, "id == 1");
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)),
		     "%d parentheses that stay open", depth);
		memset(end, ')', depth);
		end[depth] = '\0';
		show(outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, text)), "parentheses %d deep",
		     depth);
		close(fd);
	}
}

static void string_filters(void)
{
	static const struct {
		const char *filter;
	} filters[] = { { "filename == \"/nothing/here\"" },
			{ "filename.ustring == \"/nothing/here\"" },
			{ "filename.ustring ~ \"/nothing/*\"" },
			{ "filename.ustring ~ \"/other/*\"" },
			{ "filename.ustring != \"/nothing/here\"" },
			{ "filename == 1" },
			{ "filename.ustring == 1" } };

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		int fd = open_tracepoint("syscalls/sys_enter_openat");
		const char *set = outcome(ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filters[i].filter));

		show(set, "set \"%s\"", filters[i].filter);
		syscall(SYS_openat, AT_FDCWD, "/nothing/here", O_RDONLY);
		if (!strcmp(set, "ok"))
			see_count(fd, filters[i].filter);
		else
			close(fd);
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	settle_task();
	need_tracefs();
	filter_syntax();
	filter_calls();
	filters_of_a_character();
	deep_filters();
	string_filters();
	return 0;
}
