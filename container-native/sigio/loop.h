/* SPDX-License-Identifier: Apache-2.0 */
/* loop.h - drives sigio: epoll, signals, the clock. */
#ifndef NS_SIGIO_LOOP_H
#define NS_SIGIO_LOOP_H

#include "sigio.h"

/* Runs until SIGTERM or SIGINT, then lets all held packets go. Returns 0, or -1 if the queue cannot be used. */
int ns_sigio_loop(struct ns_sigio *sigio);

#endif
