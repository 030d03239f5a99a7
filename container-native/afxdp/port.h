/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port.h - one AF_XDP socket on one receive queue of one interface, and the UMEM that all ports of a process share.
 *
 * The caller passes an unbound socket, because making one needs CAP_NET_RAW. Binding needs no right. The kernel
 * allows one UMEM per interface and queue, so a second process that binds there gets EBUSY.
 */
#ifndef NS_PORT_H
#define NS_PORT_H

#include "frames.h"
#include "xring.h"
#include <linux/if_xdp.h>

#define NS_PORT_MOST 15u
#define NS_PORT_RING 512u /* entries of each ring */
#define NS_PORT_FILL 256u /* frames that a port has to receive into; the others are for held and sent packets */

struct ns_umem {
    uint8_t *area;
    struct ns_frames frames;
    int fd; /* socket of the port that registered the UMEM, for the other ports to share; -1 = none yet */
};

/* The place of a port. */
struct ns_port_place {
    uint32_t ifindex, queue;
    uint8_t index; /* index among the ports */
    uint32_t patience;
};

struct ns_port {
    int fd;
    uint8_t index; /* index among the ports; frames name their owner by it */
    uint32_t ifindex, queue;
    bool zero_copy;
    struct ns_xring fill, completion, rx, transmit;
    uint32_t filled;        /* frames in FILL of this port */
    uint64_t lost_received; /* the kernel's count of packets lost because rx had no room or no frame was in FILL */
};

/* Returns 0, or -1 with errno. */
int ns_umem_open(struct ns_umem *umem, uint32_t frames);
void ns_umem_close(struct ns_umem *umem);

/*
 * Makes the rings and binds, zero-copy if the driver can, else copying. While the queue is busy it tries again for
 * `patience` milliseconds. Returns 0, or -1 with errno and `fd` closed; EBUSY: another process is bound there.
 */
int ns_port_open(struct ns_port *port, struct ns_umem *umem, int fd, const struct ns_port_place *place);

/*
 * Closes the socket, so that the kernel lets go of all frames. Returns the number of frames that were still to be
 * sent.
 */
uint32_t ns_port_close(struct ns_port *port, struct ns_umem *umem);

/* Gives the kernel frames to receive into. */
void ns_port_fill(struct ns_port *port, struct ns_umem *umem);

/*
 * Takes one received packet: returns its frame and fills in `desc`. Returns NS_FRAME_NONE if the ring is empty.
 * Descriptors that do not name a frame in FILL of this port are skipped and counted in `refused`.
 */
uint32_t ns_port_receive(struct ns_port *port, struct ns_umem *umem, struct xdp_desc *desc, uint64_t *refused);

/* Moves a frame from HELD to TX; the next kick sends it. Returns false if the ring has no room. */
bool ns_port_transmit(struct ns_port *port, struct ns_umem *umem, uint32_t frame, uint64_t address, uint32_t length);

/* Takes sent frames back. Addresses of other frames are counted in `refused`. */
void ns_port_complete(struct ns_port *port, struct ns_umem *umem, uint64_t *refused);

/*
 * Makes the kernel send. Returns 0 or an errno. After EAGAIN, EBUSY, ENOBUFS and ENETDOWN the caller tries again
 * later; any other errno ends the port.
 */
int ns_port_kick(struct ns_port *port, struct ns_umem *umem, uint64_t *refused);

/* Returns the number of packets that the kernel lost on the way to us since the last call. */
uint64_t ns_port_lost(struct ns_port *port);

#endif
