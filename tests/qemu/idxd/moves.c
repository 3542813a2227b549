// SPDX-License-Identifier: BSD-2-Clause
/*
 * moves.c: a module of Linux that does memory moves by the first DMA channel, as dmatest does, and checks the bytes.
 *
 * Sizes and offsets come from a generator, so that the counts are known: see the caller, moves.sh.
 */
#include <linux/completion.h>
#include <linux/dmaengine.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int count = 19;
module_param(count, uint, 0444);
static unsigned int max_bytes = 16384;
module_param(max_bytes, uint, 0444);
static unsigned int seed = 1;
module_param(seed, uint, 0444);

/* A number below BELOW. */
static u32 next_number(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void complete_move(void *done)
{
	complete(done);
}

static int move(struct dma_chan *channel, u8 *from, u8 *to, size_t size)
{
	struct device *device = channel->device->dev;
	dma_addr_t source = dma_map_single(device, from, size, DMA_TO_DEVICE);
	dma_addr_t target = dma_map_single(device, to, size, DMA_FROM_DEVICE);
	struct dma_async_tx_descriptor *tx =
		dmaengine_prep_dma_memcpy(channel, target, source, size, DMA_PREP_INTERRUPT);
	DECLARE_COMPLETION_ONSTACK(done);
	int error = -EIO;

	if (tx) {
		tx->callback = complete_move;
		tx->callback_param = &done;
		dmaengine_submit(tx);
		dma_async_issue_pending(channel);
		if (wait_for_completion_timeout(&done, 2 * HZ))
			error = 0;
	}
	dma_unmap_single(device, source, size, DMA_TO_DEVICE);
	dma_unmap_single(device, target, size, DMA_FROM_DEVICE);
	return error ?: memcmp(from, to, size) ? -EILSEQ : 0;
}

static int __init moves_init(void)
{
	u8 *from = kmalloc(2 * max_bytes, GFP_KERNEL), *to = kmalloc(2 * max_bytes, GFP_KERNEL);
	struct dma_chan *channel;
	dma_cap_mask_t mask;
	unsigned int i;
	int error = 0;

	dma_cap_zero(mask);
	dma_cap_set(DMA_MEMCPY, mask);
	channel = dma_request_chan_by_mask(&mask);
	if (IS_ERR(channel) || !from || !to) {
		error = IS_ERR(channel) ? PTR_ERR(channel) : -ENOMEM;
		goto out;
	}
	for (i = 0; i < 2 * max_bytes; i++)
		from[i] = i * 7 + i / 256;
	for (i = 0; i < count && !error; i++) {
		u32 size = 1 + next_number(max_bytes), a = next_number(max_bytes),
		    b = next_number(max_bytes);

		error = move(channel, from + a, to + b, size);
	}
out:
	if (!IS_ERR(channel))
		dma_release_channel(channel);
	kfree(from);
	kfree(to);
	return error;
}

static void __exit moves_exit(void)
{
}

module_init(moves_init);
module_exit(moves_exit);
MODULE_LICENSE("Dual BSD/GPL");
