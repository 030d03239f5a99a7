/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - a library to preload into turnutils_uclient 4.6.1, whose mobility by TLS and DTLS ends a session that it
 * has freed. Where the next session has got that memory, it ends the next one, and gives up with `send: Success`.
 * Sessions that are never freed keep it from that.
 */
void SSL_free(void *session);

void SSL_free(void *session) {
    (void)session;
}
