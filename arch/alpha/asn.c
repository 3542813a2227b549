// SPDX-License-Identifier: BSD-2-Clause
/* Allocation of address space numbers; see asn.h. */

#include "asn.h"

#include <stdatomic.h>

#define NUMBER_MASK ((1ull << ASN_BITS) - 1)

uint32_t asn_take(struct asn_cpu *own, asn_tag *tag, uint32_t greatest, bool *forget)
{
	uint64_t mine = atomic_load(tag), last = own->last;

	*forget = false;
	/* The tag is of this generation. A tag of 0 never is. */
	if (mine && mine >> ASN_BITS == last >> ASN_BITS)
		return (uint32_t)(mine & NUMBER_MASK);

	if (last >> ASN_BITS && (last & NUMBER_MASK) < greatest) {
		last++;
	} else {
		last = ((last >> ASN_BITS) + 1) << ASN_BITS | (greatest ? 1 : 0);
		*forget = true;
	}
	own->last = last;
	atomic_store(tag, last);
	return (uint32_t)(last & NUMBER_MASK);
}

void asn_give_back(asn_tag tags[], unsigned int count)
{
	for (unsigned int cpu = 0; cpu < count; cpu++)
		atomic_store(&tags[cpu], 0);
}
