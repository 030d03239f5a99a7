/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - a child that reads netfilter queues (pktio, sigio). When it ends, the packets that waited for it go on.
 * It is started again after 0.1 s, and this time doubles up to 5 s. When it hangs, it is killed. Times are
 * milliseconds of ns_now.
 *
 *     started ---- ended ----> away until `at` ---- started by its owner ----> ...
 */
#ifndef NS_READER_H
#define NS_READER_H

#include "queues.h"
#include <sys/types.h>

#define NS_READER_WAIT_FIRST_MS 100u
#define NS_READER_WAIT_MOST_MS 5000u
#define NS_READER_WATCH_MS 500u /* between two looks at it */

struct ns_reader {
    pid_t pid;               /* 0 = not there */
    struct ns_queues queues; /* NS_QUEUES_NONE while it is not there */
    uint64_t at;             /* when it is started again, 0 = not */
    uint64_t since;          /* when it was started */
    uint32_t wait;           /* milliseconds of the next back-off */
    uint64_t beat, beat_at;  /* its heartbeat, and when that last moved */
};

#define NS_READER_NONE ((struct ns_reader){.queues = NS_QUEUES_NONE, .wait = NS_READER_WAIT_FIRST_MS})

void ns_reader_started(struct ns_reader *reader, pid_t pid, uint64_t now);

/* Notes the end of the reader's process: releases its queues, sets `at`. Returns how many packets waited for it. */
uint64_t ns_reader_ended(struct ns_reader *reader, uint64_t now);

/*
 * Kills a reader that does not turn while packets wait for it, because only its death lets us release these packets.
 * True if it was killed. *waiting is then the number of packets in its queues.
 */
bool ns_reader_watch(struct ns_reader *reader, uint64_t heartbeat, uint64_t held, uint64_t now, uint64_t *waiting);

#endif
