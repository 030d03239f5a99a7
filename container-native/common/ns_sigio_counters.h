/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_sigio_counters.h - the counters of sigio, in the order of the frame COUNTERS (docs/protocols/sigio.md); new ones
 * at the end.
 *
 * The block is a shared page (memfd) written by sigio alone with relaxed atomic stores and read
 * by the spawner, so that the counts outlive a killed sigio. Every packet of the queue is
 * counted as intercepted and then, once it has gone, under one more name.
 */
#ifndef NS_SIGIO_COUNTERS_H
#define NS_SIGIO_COUNTERS_H

#include <stdint.h>

#define NS_SIGIO_COUNTERS(X)                                                                                           \
    X(intercepted, "packets taken from the queue")                                                                     \
    X(not_gist, "not a Q-mode message, nor an error about one: let go; at the socket: dropped")                        \
    X(taken, "gist took it out of the network")                                                                        \
    X(forwarded, "gist let it go on unchanged")                                                                        \
    X(rewritten, "gist let it go on with another payload")                                                             \
    X(timed_out, "let go: no verdict in time, or gist left before it")                                                 \
    X(no_client, "let go: gist is not connected")                                                                      \
    X(overflow, "let go: too many held, or gist does not read")                                                        \
    X(rate_limited, "let go: more in a second than gist is to see")                                                    \
    X(bad_checksum, "let go: UDP or ICMP checksum wrong or, with IPv4, missing")                                       \
    X(fragment, "let go: a fragment")                                                                                  \
    X(unknown_token, "verdict for a packet that is not held")                                                          \
    X(received, "datagrams that came to our socket and went to gist")                                                  \
    X(sent, "datagrams sent for gist")                                                                                 \
    X(send_failed, "datagrams of gist that could not be sent")                                                         \
    X(icmp, "ICMP errors reported to gist")                                                                            \
    X(icmp_limited, "ICMP errors not reported: too many, or gist does not read")                                       \
    X(bad_frame, "frames of gist that make no sense")                                                                  \
    X(too_long, "original let go: with gist's payload it would not fit the MTU")                                       \
    X(second_look, "Q-mode messages at our socket, which the queue had let go on: dropped")                            \
    X(lost, "datagrams and reports that gist did not get: not connected, or it does not read")                         \
    X(overrun, "times that the queue's socket overran and the kernel let packets bypass")                              \
    X(refused, "datagrams of gist that are not GIST's, or to a broadcast address: not sent")                           \
    X(over_share, "let go: its source has as many held as places are free")

struct ns_sigio_counters {
#define NS_X(name, text) uint64_t name;
    NS_SIGIO_COUNTERS(NS_X)
#undef NS_X
    uint64_t heartbeat; /* turns of the loop; stands still when sigio hangs. Not in the frame, like the next one */
    uint64_t held;      /* packets without a verdict, now */
};

#define NS_SIGIO_COUNTER_COUNT (sizeof(struct ns_sigio_counters) / sizeof(uint64_t) - 2)

#endif
