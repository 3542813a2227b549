/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages of 9P2000.L as bytes: a request is written field by field, a reply is read field by field. Numbers are
 * little endian, texts have a length of two bytes. Source: the manual of Plan 9, section 5, and diod's protocol.md.
 *
 * A message that has failed stays so: what is written is lost, what is read is zero or empty. So a caller reads all
 * fields and asks once, at the end.
 */
#ifndef FS_9P_MESSAGE_H
#define FS_9P_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes before the fields: size, type, tag. */
#define P9_HEADER_SIZE 7

struct p9_message {
	uint8_t *bytes;
	size_t size; /* of the buffer; of a reply: of the message */
	size_t at;   /* the next byte */
	bool failed; /* a field did not fit, or was not there */
};

/* The server's name for a file: two files have different ones as long as both exist. */
struct p9_qid {
	uint8_t type; /* P9_QID_* */
	uint32_t version;
	uint64_t path;
};

#define P9_QID_DIRECTORY 0x80

/* Begins a request of TYPE with TAG in the SIZE bytes at BYTES. Any context, as all functions here. */
struct p9_message p9_request(void *bytes, size_t size, uint8_t type, uint16_t tag);
/* Append a field to a request. */
void p9_put_8(struct p9_message *message, uint8_t value);
void p9_put_16(struct p9_message *message, uint16_t value);
void p9_put_32(struct p9_message *message, uint32_t value);
void p9_put_64(struct p9_message *message, uint64_t value);
void p9_put_text(struct p9_message *message, const char *text, size_t size);
/* Returns where SIZE bytes of a request go, for the caller to write, or NULL: no room. */
void *p9_put_bytes(struct p9_message *message, size_t size);
/* Writes the size to the front of a finished request. Returns it, or 0: it did not fit. */
size_t p9_finish(struct p9_message *message);

/* Opens the reply at BYTES, a buffer of SIZE bytes to which the server has written GOT: its own size must be GOT, its
 * tag TAG. *TYPE: the message's type. Failed if any of it is wrong. */
struct p9_message p9_reply(void *bytes, size_t size, size_t got, uint16_t tag, uint8_t *type);
/* Read the next field of a reply. */
uint8_t p9_get_8(struct p9_message *message);
uint16_t p9_get_16(struct p9_message *message);
uint32_t p9_get_32(struct p9_message *message);
uint64_t p9_get_64(struct p9_message *message);
struct p9_qid p9_get_qid(struct p9_message *message);
/* Returns a text in the reply, not terminated, and its *SIZE; an empty one if the message failed. */
const char *p9_get_text(struct p9_message *message, size_t *size);
/* Returns SIZE bytes of the reply; NULL: it has fewer. */
const void *p9_get_bytes(struct p9_message *message, size_t size);
/* True if all fields were there. */
bool p9_is_complete(const struct p9_message *message);

#endif
