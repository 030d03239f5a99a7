/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the connection to gist: one, the newest; bytes in, bytes out, each in a bounded buffer. What the frames mean is told
 * to sigio.c. Never blocks.
 */
#ifndef NS_CLIENT_H
#define NS_CLIENT_H

#include "frame.h"
#include <sys/types.h>

#define NS_CLIENT_IN (2u * (NS_FRAME_MOST + 4))
#define NS_CLIENT_OUT (1u << 20)

struct ns_sig_client {
    int listener;                            /* inherited, bound and listening */
    int fd;                                  /* -1 = nobody */
    uid_t uid;                               /* who may connect, besides 0 */
    bool greeted;                            /* has said hello, with our major */
    size_t in_from, in_to, out_from, out_to; /* what of the buffers is in use */
    uint8_t in[NS_CLIENT_IN], out[NS_CLIENT_OUT];
};

/* Takes a connection that waits, if its uid may: it replaces the one there is. True if it did. */
bool ns_sig_client_accept(struct ns_sig_client *client);
void ns_sig_client_drop(struct ns_sig_client *client, const char *why);

/* Reads what there is. False: it has closed, or failed; then drop it. */
bool ns_sig_client_read(struct ns_sig_client *client);

/* The next frame that has come; it is valid until the next read or drop. */
enum ns_frame_status ns_sig_client_next(struct ns_sig_client *client, struct ns_frame *frame);

/*
 * Room for a frame with a body of `length` bytes, to be written there and then confirmed with its whole length; NULL = there is
 * none, or nobody to read it.
 */
uint8_t *ns_sig_client_room(struct ns_sig_client *client, size_t length);
void ns_sig_client_queue(struct ns_sig_client *client, size_t written);

/* Is there something that has not been written? */
bool ns_sig_client_waits(const struct ns_sig_client *client);

/* Writes what is queued as far as it goes. False as for read. */
bool ns_sig_client_write(struct ns_sig_client *client);

#endif
