/* SPDX-License-Identifier: BSD-2-Clause */
/* svm.h: the guests of SVM that the tests of test-svm.c and test-svm-sides.c run. */

#ifndef SVM_H
#define SVM_H

#include <stdbool.h>
#include <stdint.h>

/* The control block (APM vol. 2, appendix B): offsets. */
#define ASID	     0x058
#define TLB_CONTROL  0x05c
#define EXIT_CODE    0x070
#define NESTED_CTL   0x090
#define NESTED_CR3   0x0b0
#define SAVE_CR3     0x550
#define SAVE_RIP     0x578

#define EXIT_VMMCALL 0x81

/* The argument of svm_round. */
struct svm {
	uint8_t *vmcb;
	void (*fn)(void *);
	void *arg;
};

static inline uint16_t *at16(uint8_t *vmcb, unsigned int offset)
{
	return (uint16_t *)(vmcb + offset);
}

static inline uint32_t *at32(uint8_t *vmcb, unsigned int offset)
{
	return (uint32_t *)(vmcb + offset);
}

static inline uint64_t *at64(uint8_t *vmcb, unsigned int offset)
{
	return (uint64_t *)(vmcb + offset);
}

/* Runs the guest until it exits (svm.S); called by measure, which turns SVM on. */
void svm_round(void *guest);

/* A guest that begins at `rip`, in the kernel or in user mode, and exits by VMMCALL. */
struct svm new_guest(unsigned int cpu, const void *rip, bool user);

void test_svm_sides(void);

#endif
