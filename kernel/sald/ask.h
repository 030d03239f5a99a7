/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h - the other end of the control socket: one order and one reply, or a conversation. */
#ifndef NS_SALD_ASK_H
#define NS_SALD_ASK_H

/* Sends the words as one order and prints the reply. Returns 0, 1 if it was refused, 2 if nobody answers. */
int ns_sald_ask(const char *path, char **words, int count);

/*
 * Sends each line of standard input as an order, and prints each message of sald as a line: replies in their order, and
 * events between them. Returns 0 at the end of the input, 2 if nobody answers or sald has ended.
 */
int ns_sald_talk(const char *path);

/* Listens at a path, in place of a socket that is there. Root alone may connect. Returns -1 with errno. */
int ns_sald_listen(const char *path);

#endif
