/* SPDX-License-Identifier: Apache-2.0 */
/* requests.h - reads the requests that wait in a container's socket. */
#ifndef NS_BPFD_REQUESTS_H
#define NS_BPFD_REQUESTS_H

#include "flows.h"

/* Reads a turn's worth of requests. Returns true if more may wait, because the others have their turn first. */
bool ns_requests_read(struct ns_bpfd *bpfd, struct ns_granted *granted);

/* Reads the last requests of a container that has died. Its pktio may still send, so the number is bounded. */
void ns_requests_read_last(struct ns_bpfd *bpfd, struct ns_granted *granted);

#endif
