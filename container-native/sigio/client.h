/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - the connection to gist: bytes in, bytes out, each in a bounded buffer. There is one connection; a new
 * one replaces the old. orders.c interprets the frames. Never blocks.
 */
#ifndef NS_CLIENT_H
#define NS_CLIENT_H

#include "frame.h"
#include <sys/types.h>

#define NS_CLIENT_IN (2u * (NS_FRAME_MOST + 4))
#define NS_CLIENT_OUT (1u << 20)

struct ns_sig_client {
    int listener;                            /* inherited, bound and listening */
    int fd;                                  /* -1 = not connected */
    uid_t uid;                               /* may connect, and so may uid 0 */
    bool greeted;                            /* the client has said hello, with our major version */
    size_t in_from, in_to, out_from, out_to; /* the used parts of the buffers */
    uint8_t in[NS_CLIENT_IN], out[NS_CLIENT_OUT];
};

/*
 * Takes a waiting connection if its uid may connect. The new connection replaces the present one. Returns true if it
 * was taken.
 */
bool ns_sig_client_accept(struct ns_sig_client *client);
void ns_sig_client_drop(struct ns_sig_client *client, const char *why);

/*
 * Reads the bytes that have come. Returns false if the connection was closed or has failed; the caller then drops it.
 */
bool ns_sig_client_read(struct ns_sig_client *client);

/* Returns the next frame that has come. It is valid until the next read or drop. */
enum ns_frame_status ns_sig_client_next(struct ns_sig_client *client, struct ns_frame *frame);

/*
 * Returns room for a frame with a body of `length` bytes. The caller writes the frame there, then confirms its whole
 * length with ns_sig_client_queue. Returns NULL if there is no room, or no client.
 */
uint8_t *ns_sig_client_room(struct ns_sig_client *client, size_t length);
void ns_sig_client_queue(struct ns_sig_client *client, size_t written);

/* Tells whether queued bytes wait to be written. */
bool ns_sig_client_waits(const struct ns_sig_client *client);

/* Writes as many queued bytes as the socket takes. Returns false as ns_sig_client_read does. */
bool ns_sig_client_write(struct ns_sig_client *client);

#endif
