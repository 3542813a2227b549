/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mount -t 9p: a server's folder where a program asks for it, with changes that go through, as on Linux. Options are
 * checked as Linux checks them. msize is the greatest size of messages. Others have no effect: one client serves all users and
 * checks modes itself, as access=client says; its cache is the same for each cache=.
 */
#include <string.h>

#include <kernel/base/log.h>
#include <kernel/drivers/p9_transport.h>
#include <kernel/fs/share.h>
#include <uapi/linux/errno.h>

#include "share.h"

/* Values of an option: one of the words, or a number from `least` on in `base`. */
struct option {
	const char *name;
	const char *words[7];
	unsigned int base; /* 0: no number */
	uint64_t least;
};

/* Linux: fs/9p/v9fs.c, net/9p/client.c. Options that it does not know, it ignores. */
static const struct option known[] = {
	{ .name = "trans", .words = { "virtio" } },
	{ .name = "version", .words = { "9p2000.L" } },
	{ .name = "access", .words = { "user", "any", "client" }, .base = 10 },
	{ .name = "cache",
	  .words = { "none", "readahead", "mmap", "loose", "fscache" },
	  .base = 16 },
	{ .name = "msize", .base = 10, .least = 4096 },
	{ .name = "debug", .base = 16 },
	{ .name = "dfltuid", .base = 10 },
	{ .name = "dfltgid", .base = 10 },
	{ .name = "afid", .base = 10 },
	{ .name = "locktimeout", .base = 10, .least = 1 },
};

/* *RESULT: the number, at most INT32_MAX. */
static bool is_number(const char *text, unsigned int base, uint64_t least, uint32_t *result)
{
	uint64_t number = 0;

	if (base == 16 && text[0] == '0' && text[1] == 'x')
		text += 2;
	if (!base || !*text)
		return false;
	for (; *text; text++) {
		unsigned int digit = *text >= '0' && *text <= '9' ?
					     (unsigned int)(*text - '0') :
				     (*text | 0x20) >= 'a' && (*text | 0x20) <= 'f' ?
					     (unsigned int)((*text | 0x20) - 'a') + 10 :
					     base;

		number = number * base + digit;
		if (digit >= base || number > INT32_MAX)
			return false;
	}
	*result = (uint32_t)number;
	return number >= least;
}

/* *NUMBER: the value, if it is one. */
static bool is_valid(const char *name, const char *value, uint32_t *number)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const struct option *option = &known[i];

		if (strcmp(name, option->name) != 0)
			continue;
		for (const char *const *word = option->words; *word; word++)
			if (strcmp(value, *word) == 0)
				return true;
		return is_number(value, option->base, option->least, number);
	}
	return true;
}

/* *MSIZE: the last one that is named, or 0. */
static int check_options(char *options, uint32_t *msize)
{
	uint32_t number = 0;

	*msize = 0;
	while (options && *options) {
		char *end = strchr(options, ',');

		if (end)
			*end++ = '\0';
		char *value = strchr(options, '=');

		if (value)
			*value++ = '\0';
		/* A known name without a value is another, unknown, option. */
		if (value && !is_valid(options, value, &number))
			return -EINVAL;
		if (value && strcmp(options, "msize") == 0)
			*msize = number;
		options = end;
	}
	return 0;
}

int share_create_9p(const char *source, char *options, struct superblock **result)
{
	uint32_t msize;
	int error = check_options(options, &msize);

	if (error || !source)
		return error ? error : -EINVAL;
	struct p9_transport *transport = p9_transport_find(source);

	if (!transport)
		return -ENOENT;
	error = share_create(transport, true, false, result);
	if (error)
		return error;
	(*result)->source = transport->tag;
	struct share *share = (*result)->private;

	share->client.size_max = msize;
	(*result)->options = share->options;
	/* The caller learns now what the server says. */
	error = share_start(share);
	/* As on Linux, the size is shown unless it is the default. */
	format_string(share->options, sizeof(share->options),
		      msize ? ",access=client,msize=%u,trans=virtio" :
			      ",access=client,trans=virtio",
		      share->client.size_max);
	if (error)
		superblock_discard(*result);
	return error;
}
