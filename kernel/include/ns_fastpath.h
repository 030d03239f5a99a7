/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_fastpath.h - what pktio, bpfd and the programs in the kernel say to each other.
 *
 * A request of pktio, one datagram on the container's SEQPACKET socket, never answered: what became of it is in the records
 * (ns_ring.h) and, if it was refused, in bpfd's counters. All of one machine: host byte order, but addresses, which are in
 * network order with IPv4 in the first 4 bytes. Usable in a program: no header of the C library.
 */
#ifndef NS_FASTPATH_H
#define NS_FASTPATH_H

#include <linux/types.h>

enum ns_offload_action {
    NS_OFFLOAD_PASS = 0,
    NS_OFFLOAD_DROP = 1,
    NS_OFFLOAD_REWRITE = 2,
};

/* Bits of ns_offload.set: what a rewrite sets. */
#define NS_SET_ADDRESSES 1u
#define NS_SET_PORTS 2u
#define NS_SET_DSCP 4u
#define NS_SET_TTL 8u

struct ns_offload {
    __u8 family, protocol; /* 4 or 6; the upper layer's */
    __u8 action;           /* NS_OFFLOAD_* */
    __u8 zero;
    __u16 seconds; /* 1..65535 */
    __u16 zero2;
    __u32 seq; /* of the packet whose verdict asks */
    __u8 source[16], destination[16];
    __u16 source_port, destination_port; /* the flow as it arrives; 0 if the protocol has none */
    __u8 new_source[16], new_destination[16];
    __u16 new_source_port, new_destination_port; /* rewrite: whole, also what stays as it is */
    __u8 dscp;                                   /* 0..63 */
    __u8 ttl;                                    /* with dscp: 0xff = leave */
    __u8 set;
    __u8 zero3;
}; /* 88 bytes */

#endif
