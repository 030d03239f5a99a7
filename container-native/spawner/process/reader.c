/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include <signal.h>

#define HUNG_MS 2000
#define SETTLED_MS 30000 /* a reader that ran so long begins its back-off anew */

void ns_reader_started(struct ns_reader *reader, pid_t pid, uint64_t now) {
    reader->pid = pid;
    reader->at = 0;
    reader->since = reader->beat_at = now;
}

uint64_t ns_reader_ended(struct ns_reader *reader, uint64_t now) {
    uint64_t released = ns_queues_release(&reader->queues); /* nothing waits for a process that is gone */

    reader->pid = 0;
    if (now - reader->since >= SETTLED_MS)
        reader->wait = NS_READER_WAIT_FIRST_MS;
    reader->at = now + reader->wait;
    reader->wait = reader->wait * 2 > NS_READER_WAIT_MOST_MS ? NS_READER_WAIT_MOST_MS : reader->wait * 2;
    return released;
}

bool ns_reader_watch(struct ns_reader *reader, uint64_t heartbeat, uint64_t held, uint64_t now, uint64_t *waiting) {
    if (heartbeat != reader->beat) {
        reader->beat = heartbeat;
        reader->beat_at = now;
        return false;
    }
    if (now < reader->beat_at + HUNG_MS) /* it may have been started in this very tick, after `now` */
        return false;
    *waiting = ns_queues_waiting(&reader->queues);
    if (*waiting == 0 && held == 0)
        return false;
    reader->beat_at = now;
    kill(reader->pid, SIGKILL);
    return true;
}
