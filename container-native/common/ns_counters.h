/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_counters.h - the counters of pktio: one name per fact, each drop and refusal with its reason.
 *
 * The block is a shared page (memfd) written by pktio alone with relaxed atomic stores and read by the spawner, so that
 * the counts outlive a killed pktio. Counters only grow, except `held`, `xdp_held`, `xdp_sockets` and `xdp_zero_copy`,
 * which are numbers of now. docs/reference/counters.md explains each.
 */
#ifndef NS_COUNTERS_H
#define NS_COUNTERS_H

#include <stdint.h>

#define NS_COUNTERS(X)                                                                                                 \
    X(received, "packets taken from the queue")                                                                        \
    X(copies, "of those, samples: copies of packets that have gone on")                                                \
    X(sampled, "of the samples, those that the fast path took; the firewall took the others")                          \
    X(samples_lost, "samples of the fast path for which there was no room, or beyond the limits of a second")          \
    X(delivered, "packets put into the ring")                                                                          \
    X(passed, "module said pass")                                                                                      \
    X(dropped, "module said drop")                                                                                     \
    X(changed, "module changed it, addresses as they were")                                                            \
    X(turned, "module answered it: sent back to its source")                                                           \
    X(rewritten, "module changed addresses under a rewrite rule")                                                      \
    X(stolen, "module took it to answer later")                                                                        \
    X(held, "in the ring now, or stolen, without a verdict sent to the kernel")                                        \
    X(deadline, "passed unchanged: no answer in time")                                                                 \
    X(steal_deadline, "passed unchanged: stolen and not answered in time")                                             \
    X(steal_full, "passed unchanged: too many stolen")                                                                 \
    X(ring_full, "passed unchanged: no free slot, for longer than the deadline")                                       \
    X(too_long, "passed unchanged: longer than a slot takes")                                                          \
    X(malformed_in, "passed unchanged: truncated or inconsistent IP header")                                           \
    X(stale_verdict, "verdict for a packet that is not outstanding")                                                   \
    X(bad_code, "verdict code unknown: packet passed unchanged")                                                       \
    X(bad_bounds, "verdict points outside its slot: packet passed unchanged")                                          \
    X(bad_packet, "changed packet is not a valid IP packet: original passed")                                          \
    X(egress_denied, "changed address pair not allowed: original passed")                                              \
    X(egress_port, "ports do not follow the address pair: original passed")                                            \
    X(egress_proto, "protocol or IP version changed: original passed")                                                 \
    X(egress_option, "IP options, extension headers or fragment fields added: original passed")                        \
    X(egress_too_long, "longer than the MTU of the way back: original passed")                                         \
    X(egress_way, "turned, but the interface that leads back is not known: original passed")                           \
    X(offload_requested, "module decided the rest of a flow: asked of bpfd")                                           \
    X(offload_unfit, "offload refused: a fragment, or the packet was changed beyond addresses, ports, DSCP and TTL")   \
    X(offload_unavailable, "offload refused: no fast path here, or bpfd is gone")                                      \
    X(offload_overflow, "offload refused: too many requests at once")                                                  \
    X(relay_asked, "questions about relays sent on to bpfd")                                                           \
    X(relay_unavailable, "questions about relays dropped: no fast path here, or bpfd is gone")                         \
    X(xdp_sockets, "AF_XDP sockets in use now; 0 = packets come by the queue alone")                                   \
    X(xdp_zero_copy, "of these, those whose driver receives into their frames itself; the others copy")                \
    X(xdp_received, "packets taken from AF_XDP sockets; of these and the queue's is `received`")                       \
    X(xdp_held, "of `held`, those in frames: lost if pktio dies now")                                                  \
    X(xdp_sent, "packets put into a transmit ring")                                                                    \
    X(xdp_slow, "packets sent by the kernel's own routing: rewritten, no neighbour, or no room to transmit")           \
    X(xdp_ttl, "dropped as a router does: the module left no hop")                                                     \
    X(xdp_lost, "dropped by the kernel before we saw them: no room to receive")                                        \
    X(xdp_unsent, "lost: neither a transmit ring nor the kernel took them, or pktio died with them")                   \
    X(xdp_bad_frame, "frame address refused: twice, foreign, or in another place")                                     \
    X(xdp_bad_meta, "frame without the routes that belong to it: sent by the kernel's own routing")                    \
    X(ring_corrupt, "packets passed since a cursor was out of range, and each such event")                             \
    X(enobufs, "socket buffer overran: kernel let packets bypass")                                                     \
    X(send_errors, "verdict refused by the kernel")                                                                    \
    X(wakeups, "eventfd writes to the container")                                                                      \
    X(heartbeat, "turns of the loop; stands still when pktio hangs")

struct ns_counters {
#define NS_X(name, text) uint64_t name;
    NS_COUNTERS(NS_X)
#undef NS_X
};

#endif
