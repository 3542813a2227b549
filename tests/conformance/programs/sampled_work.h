/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work with known samples.
 *
 * Include it in one file of a program.
 */
#ifndef TESTS_SAMPLED_WORK_H
#define TESTS_SAMPLED_WORK_H

#include "buffer.h"
#include "sampling.h"

enum { LOOPS = 10000, PERIOD = 1000, RECORD_TYPES = 32, BUFFER_PAGES = 16 };

/*
 * long sampled_work(int fd, uint64_t loops): enables the event, works, disables it. At user level it retires,
 * after the enabling syscall: mov, then dec and jnz for each loop, then mov, mov, mov and the disabling
 * syscall, as in work.h. Alpha's instructions are as many.
 */
long sampled_work(int fd, uint64_t loops);

extern const char sampled_work_loop[];

#ifdef __alpha__
__asm__("	.text\n"
	"	.globl sampled_work, sampled_work_loop\n"
	"	.type sampled_work, @function\n"
	"sampled_work:\n"
	"	lda $30, -32($30)\n"
	"	stq $9, 0($30)\n"
	"	stq $10, 8($30)\n"
	"	stq $11, 16($30)\n"
	"	bis $16, $16, $9\n"
	"	bis $17, $17, $10\n"
	"	ldah $11, 0x2000($31)\n"
	"	lda $11, 0x2400($11)\n"
	"	lda $0, 54($31)\n"
	"	bis $11, $11, $17\n"
	"	bis $31, $31, $18\n"
	"	call_pal 0x83\n"
	"	bis $10, $10, $1\n"
	"sampled_work_loop:\n"
	"	subq $1, 1, $1\n"
	"	bne $1, sampled_work_loop\n"
	"	lda $0, 54($31)\n"
	"	lda $17, 1($11)\n"
	"	bis $9, $9, $16\n"
	"	call_pal 0x83\n"
	"	ldq $9, 0($30)\n"
	"	ldq $10, 8($30)\n"
	"	ldq $11, 16($30)\n"
	"	lda $30, 32($30)\n"
	"	ret $31, ($26), 1\n"
	"	.size sampled_work, . - sampled_work\n");

_Static_assert(SYS_ioctl == 54 && PERF_EVENT_IOC_ENABLE == 0x20002400 &&
		       PERF_EVENT_IOC_DISABLE == 0x20002401,
	       "the numbers in sampled_work");
#else
__asm__(".text\n"
	".globl sampled_work, sampled_work_loop\n"
	"sampled_work:\n"
	"	mov %rsi, %r8\n"
	"	mov %edi, %r9d\n"
	"	mov $16, %eax\n"
	"	mov $0x2400, %esi\n"
	"	xor %edx, %edx\n"
	"	syscall\n"
	"	mov %r8, %rcx\n"
	"sampled_work_loop:\n"
	"	dec %rcx\n"
	"	jnz sampled_work_loop\n"
	"	mov $16, %eax\n"
	"	mov $0x2401, %esi\n"
	"	mov %r9d, %edi\n"
	"	syscall\n"
	"	ret\n");

_Static_assert(SYS_ioctl == 16 && PERF_EVENT_IOC_ENABLE == 0x2400 &&
		       PERF_EVENT_IOC_DISABLE == 0x2401,
	       "the numbers in sampled_work");
#endif

/* Counts the records by type and shows how many there are, and the size and misc of the first of each type. */
static void show_records(struct buffer *buffer, const char *when)
{
	static unsigned char record[65536];
	struct perf_event_header *header = (void *)record;
	unsigned int count[RECORD_TYPES] = { 0 }, size[RECORD_TYPES] = { 0 },
		     misc[RECORD_TYPES] = { 0 };
	char name[64];

	while (next_record(buffer, record)) {
		if (header->type >= RECORD_TYPES)
			continue;
		if (!count[header->type]++) {
			size[header->type] = header->size;
			misc[header->type] = header->misc;
		}
	}
	for (unsigned int type = 0; type < RECORD_TYPES; type++) {
		if (!count[type])
			continue;
		snprintf(name, sizeof(name), "records of type %u", type);
		show_number(count[type], when, name);
		snprintf(name, sizeof(name), "size of type %u", type);
		show_number(size[type], when, name);
		snprintf(name, sizeof(name), "misc of type %u", type);
		show_number(misc[type], when, name);
	}
	show_number((long long)buffer->page->data_head, when, "data_head");
}

#endif
