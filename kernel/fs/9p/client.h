/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The client's half of 9P2000.L: each function is one request to the server and its checked reply.
 *
 * A fid is the client's number for a file of the server; it names the file until p9_clunk. All functions: task context;
 * they wait for the server. They return 0 or their result, or a negative error: the server's own; -EIO where its
 * reply breaks the protocol; -EINTR where the server is late and a fatal signal is pending. A text from the server is
 * checked to be a name, or a link's target, before it is used.
 *
 * Lock: client->mutex, the last mutex that is taken.
 */
#ifndef FS_9P_CLIENT_H
#define FS_9P_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kernel/sched/wait.h>
#include <uapi/linux/time.h>

#include "message.h"

struct kernel_statfs;
struct p9_transport;

#define P9_FIDS_KEPT 256

struct p9_client {
	struct p9_transport *transport;
	struct mutex mutex;
	void *request, *reply; /* C: blocks of pages */
	bool broken;	       /* C: the transport has failed */
	bool lost;	       /* C: the device still has the buffers: see p9_transport */
	uint32_t size_max;     /* C: of a message, as the server agreed to */
	uint32_t last_fid;     /* C */
	uint32_t free_fids[P9_FIDS_KEPT]; /* C: numbers to use again */
	unsigned int free_fid_count;	  /* C */
};					  /* C: mutex */

/* The attributes of a file. */
struct p9_attributes {
	struct p9_qid qid;
	uint32_t mode, uid, gid;
	uint64_t links, device, size, blocks; /* blocks of 512 bytes; device as the server has it */
	struct kernel_timespec accessed, modified, changed;
};

/* Receives an entry of a directory, other than "." and "..": a checked name, not terminated. TYPE: DT_*. False: stop. */
struct p9_entry_reader {
	bool (*entry)(struct p9_entry_reader *reader, const char *name, size_t name_size,
		      const struct p9_qid *qid, uint8_t type, uint64_t next_offset);
};

/* Agrees with the server on the protocol and the size of messages, at most client->size_max (0: the greatest), and sets *ROOT
 * to the fid of its root, *QID to that root's. -ENOMEM too; then nothing is kept. */
int p9_client_start(struct p9_client *client, struct p9_transport *transport, uint32_t *root,
		    struct p9_qid *qid);
/* Frees the buffers. The server forgets all fids at the next start. */
void p9_client_end(struct p9_client *client);

/* A request is these three, in order: begin takes client->mutex and makes a request of TYPE for its fields, call sends
 * REQUEST, which becomes the reply after its header, and returns 0 or the error, the server's or -EIO; end drops the mutex and
 * returns ERROR, or -EIO if a field of REPLY was missing. */
struct p9_message p9_begin(struct p9_client *client, uint8_t type);
int p9_call(struct p9_client *client, struct p9_message *request);
int p9_end(struct p9_client *client, const struct p9_message *reply, int error);

/* Makes *RESULT a fid of the entry of that name in DIRECTORY, or with a NAME_SIZE of 0 one more fid of the same file. */
int p9_walk(struct p9_client *client, uint32_t directory, const char *name, size_t name_size,
	    uint32_t *result, struct p9_qid *qid);
void p9_clunk(struct p9_client *client, uint32_t fid);
int p9_get_attributes(struct p9_client *client, uint32_t fid, struct p9_attributes *attributes);
/* Sets what the server knows in STATFS of the file system that has FID's file: after an error, nothing. */
int p9_get_space(struct p9_client *client, uint32_t fid, struct kernel_statfs *statfs);
/* Copies a link's target into BUFFER of SIZE bytes: its length, without a terminator. */
ssize_t p9_read_link(struct p9_client *client, uint32_t fid, char *buffer, size_t size);
/* Opens FID, after which p9_walk from it fails. FLAGS: Linux's O_*. */
int p9_open(struct p9_client *client, uint32_t fid, uint32_t flags);
/* Opens the file of FID by another fid, *OPENED, which the caller clunks; FID stays as it is. On errors there is none. */
int p9_open_again(struct p9_client *client, uint32_t fid, uint32_t flags, uint32_t *opened);
/* Returns how many bytes it read from OFFSET, at most SIZE; 0: at the end. */
ssize_t p9_read(struct p9_client *client, uint32_t fid, uint64_t offset, void *buffer, size_t size);
/* Passes the entries after *OFFSET, 0 or one that the server gave, to READER; *OFFSET: after the last of them. Returns
 * how many entries the server sent, "." and ".." among them; 0: at the end. READER must not call the client. */
ssize_t p9_read_directory(struct p9_client *client, uint32_t fid, uint64_t *offset,
			  struct p9_entry_reader *reader);

#endif
