/* SPDX-License-Identifier: Apache-2.0 */
#include "requests.h"
#include "answers.h"
#include "relays.h"
#include "serval.h"
#include "steer.h"

#include "ns_rights.h"
#include <sys/socket.h>
#include <unistd.h>

#define REQUESTS 256   /* of one container before the others have their turn */
#define LAST_TURNS 32u /* more than a socket holds */

/* A datagram longer than a request is cut one byte behind the request's length, and so has the wrong length. */
bool ns_requests_read(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    union {
        struct ns_steer_attach attach;
        struct ns_ring_ask ask;
        struct ns_serval_ask serval;
        struct ns_answer_ask answer;
        uint8_t bytes[sizeof(struct ns_ring_ask) + 1];
    } request;
    ssize_t n = 1;
    int fd;

    for (unsigned i = 0; i < REQUESTS; i++) {
        n = ns_rights_receive(granted->socket, &request, sizeof request.bytes, MSG_DONTWAIT, &fd, 1);
        if (n <= 0)
            break;
        if (n == (ssize_t)sizeof request.attach) {
            ns_steer_heed(bpfd, granted, &request.attach, fd);
            continue;
        }
        if (fd >= 0)
            close(fd);
        if (n == (ssize_t)sizeof request.serval && request.serval.magic == NS_SERVAL_MAGIC)
            ns_serval_ask(bpfd, granted, &request.serval);
        else if (n == (ssize_t)sizeof request.answer && request.answer.magic == NS_ANSWER_MAGIC)
            ns_answers_ask(bpfd, granted, &request.answer);
        else if (n == (ssize_t)sizeof request.ask)
            ns_relays_ask(bpfd, granted, &request.ask);
        else
            ns_flows_ask(bpfd, granted, &request, (size_t)n);
    }
    granted->closed = n == 0;
    return n > 0;
}

void ns_requests_read_last(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    for (unsigned i = 0; i < LAST_TURNS && ns_requests_read(bpfd, granted); i++)
        continue;
}
