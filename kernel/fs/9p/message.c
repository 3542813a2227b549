/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of 9P2000.L as bytes; see message.h. A field is reached only through take(), which checks its bounds. */
#include "message.h"

#include <string.h>

/* Returns the next SIZE bytes, or NULL: the message is at its end. */
static uint8_t *take(struct p9_message *message, size_t size)
{
	if (message->failed || size > message->size - message->at) {
		message->failed = true;
		return NULL;
	}
	uint8_t *bytes = message->bytes + message->at;

	message->at += size;
	return bytes;
}

static void put(struct p9_message *message, uint64_t value, size_t size)
{
	uint8_t *bytes = take(message, size);

	for (size_t i = 0; bytes && i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(struct p9_message *message, size_t size)
{
	const uint8_t *bytes = take(message, size);
	uint64_t value = 0;

	for (size_t i = 0; bytes && i < size; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

void p9_put_8(struct p9_message *message, uint8_t value)
{
	put(message, value, sizeof(value));
}

void p9_put_16(struct p9_message *message, uint16_t value)
{
	put(message, value, sizeof(value));
}

void p9_put_32(struct p9_message *message, uint32_t value)
{
	put(message, value, sizeof(value));
}

void p9_put_64(struct p9_message *message, uint64_t value)
{
	put(message, value, sizeof(value));
}

void p9_put_text(struct p9_message *message, const char *text, size_t size)
{
	if (size > UINT16_MAX)
		message->failed = true;
	p9_put_16(message, (uint16_t)size);
	uint8_t *bytes = take(message, size);

	if (bytes)
		memcpy(bytes, text, size);
}

void *p9_put_bytes(struct p9_message *message, size_t size)
{
	return take(message, size);
}

struct p9_message p9_request(void *bytes, size_t size, uint8_t type, uint16_t tag)
{
	struct p9_message message = { .bytes = bytes, .size = size };

	p9_put_32(&message, 0);
	p9_put_8(&message, type);
	p9_put_16(&message, tag);
	return message;
}

size_t p9_finish(struct p9_message *message)
{
	size_t size = message->at;

	if (message->failed)
		return 0;
	message->at = 0;
	p9_put_32(message, (uint32_t)size);
	message->at = size;
	return size;
}

uint8_t p9_get_8(struct p9_message *message)
{
	return (uint8_t)get(message, sizeof(uint8_t));
}

uint16_t p9_get_16(struct p9_message *message)
{
	return (uint16_t)get(message, sizeof(uint16_t));
}

uint32_t p9_get_32(struct p9_message *message)
{
	return (uint32_t)get(message, sizeof(uint32_t));
}

uint64_t p9_get_64(struct p9_message *message)
{
	return get(message, sizeof(uint64_t));
}

struct p9_qid p9_get_qid(struct p9_message *message)
{
	struct p9_qid qid;

	qid.type = p9_get_8(message);
	qid.version = p9_get_32(message);
	qid.path = p9_get_64(message);
	return qid;
}

const char *p9_get_text(struct p9_message *message, size_t *size)
{
	*size = p9_get_16(message);
	const char *text = (const char *)take(message, *size);

	if (!text)
		*size = 0;
	return text ? text : "";
}

const void *p9_get_bytes(struct p9_message *message, size_t size)
{
	return take(message, size);
}

struct p9_message p9_reply(void *bytes, size_t size, size_t got, uint16_t tag, uint8_t *type)
{
	struct p9_message message = { .bytes = bytes,
				      .size = got <= size ? got : 0,
				      .failed = got > size };
	uint32_t own_size = p9_get_32(&message);

	*type = p9_get_8(&message);
	if (p9_get_16(&message) != tag || own_size != got)
		message.failed = true;
	return message;
}

bool p9_is_complete(const struct p9_message *message)
{
	return !message->failed;
}
