/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.h - one AF_XDP socket on one receive queue of one interface, and the UMEM that all ports of a process share.
 *
 * The socket comes from outside, unbound (making one needs CAP_NET_RAW); binding it needs no right. The kernel allows one UMEM
 * per interface and queue: a second process that binds there gets EBUSY.
 */
#ifndef NS_PORT_H
#define NS_PORT_H

#include "frames.h"
#include "xring.h"
#include <linux/if_xdp.h>

#define NS_PORT_MOST 15u
#define NS_PORT_RING 512u /* entries of each ring */
#define NS_PORT_FILL 256u /* frames that a port has to receive into; the rest is for what is held and sent */

struct ns_umem {
    uint8_t *area;
    struct ns_frames frames;
    int fd; /* of the port that registered it: the others share; -1 = none yet */
};

struct ns_port {
    int fd;
    uint8_t index; /* among the ports; names the owner of frames */
    uint32_t ifindex, queue;
    bool zero_copy;
    struct ns_xring fill, completion, rx, transmit;
    uint32_t filled;        /* frames in FILL of this port */
    uint64_t lost_received; /* as the kernel counts: no room in rx, no frame to receive into */
};

/* 0, or -1 with errno. */
int ns_umem_open(struct ns_umem *umem, uint32_t frames);
void ns_umem_close(struct ns_umem *umem);

/* Makes the rings and binds, zero-copy where the driver can, else copying. 0, or -1 with errno; `fd` is closed then. */
int ns_port_open(struct ns_port *port, struct ns_umem *umem, int fd, uint32_t ifindex, uint32_t queue, uint8_t index);

/* The kernel lets go of all frames. Returns how many of them were still to be sent. */
uint32_t ns_port_close(struct ns_port *port, struct ns_umem *umem);

/* Gives the kernel frames to receive into. */
void ns_port_fill(struct ns_port *port, struct ns_umem *umem);

/* Takes one received packet: its frame, and where it is. NS_FRAME_NONE: nothing there, or (counted in `refused`) not ours. */
uint32_t ns_port_receive(struct ns_port *port, struct ns_umem *umem, struct xdp_desc *desc, uint64_t *refused);

/* HELD -> TX; false if the ring has no room. Goes out with the next kick. */
bool ns_port_transmit(struct ns_port *port, struct ns_umem *umem, uint32_t frame, uint64_t address, uint32_t length);

/* Takes frames back that have been sent; addresses that are not ours to take are counted in `refused`. */
void ns_port_complete(struct ns_port *port, struct ns_umem *umem, uint64_t *refused);

/* Makes the kernel send. 0, or errno: EAGAIN, EBUSY, ENOBUFS and ENETDOWN are for later, all others the end of the port. */
int ns_port_kick(struct ns_port *port, struct ns_umem *umem, uint64_t *refused);

/* Packets that the kernel could not give us since the last call. */
uint64_t ns_port_lost(struct ns_port *port);

#endif
