/* SPDX-License-Identifier: Apache-2.0 */
#include "xdp.h"

#include "ns_log.h"
#include "ns_rights.h"
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define WAITS 100u /* milliseconds to wait for bpfd's answer at the end */
/*
 * Milliseconds to wait for a busy queue. A predecessor that had sockets and was killed may still be bound: the kernel
 * closes its sockets by a deferred work, which takes longer on a machine with much to do.
 */
#define AFTER_MS 1000u
#define BUSY_MS 200u
#define LOOK_EVERY 1000000000ull

/*
 * Returns the number of frames: enough for all slots of the ring, and as many again to receive into and to send from.
 * Two frames take one locked page.
 */
static uint32_t frames_for(uint32_t slots) {
    uint32_t frames = 2 * slots;

    return frames < 1024 ? 1024 : frames;
}

static bool link_address(uint32_t ifindex, uint8_t address[6]) {
    struct ifreq request = {.ifr_ifindex = (int)ifindex};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool known = fd >= 0 && ioctl(fd, SIOCGIFNAME, &request) == 0 && ioctl(fd, SIOCGIFHWADDR, &request) == 0;

    if (fd >= 0)
        close(fd);
    if (known)
        memcpy(address, request.ifr_hwaddr.sa_data, 6);
    return known;
}

/*
 * Offers a port's socket to bpfd. Only a bound socket may stand in bpfd's map, because the kernel drops packets to
 * any other socket.
 */
static bool attach(const struct ns_xdp *xdp, unsigned at) {
    const struct ns_port *port = &xdp->port[at];
    struct ns_steer_attach message = {
        .magic = NS_STEER_ATTACH,
        .ifindex = port->ifindex,
        .queue = port->queue,
        .port = port->index,
    };

    memcpy(message.address, xdp->address[at], sizeof message.address);
    return ns_rights_send(xdp->bpfd, &message, sizeof message, &port->fd, 1) == (ssize_t)sizeof message;
}

static void open_port(struct ns_xdp *xdp, const struct ns_xdp_source *source, uint32_t patience) {
    struct ns_port *port = &xdp->port[xdp->ports];
    const struct ns_port_place place = {source->ifindex, source->queue, (uint8_t)(xdp->ports + 1), patience};

    if (ns_port_open(port, &xdp->umem, source->fd, &place) != 0) {
        ns_warn("AF_XDP on interface %u, queue %u: %s%s; its packets come by the netfilter queue", source->ifindex,
                source->queue, strerror(errno), errno == EBUSY ? " (another container has it)" : "");
        return;
    }
    if (!link_address(port->ifindex, xdp->address[xdp->ports]) || !attach(xdp, xdp->ports)) {
        ns_warn("AF_XDP on interface %u, queue %u: bpfd: %s; its packets come by the netfilter queue", source->ifindex,
                source->queue, strerror(errno));
        ns_port_close(port, &xdp->umem);
        return;
    }
    ns_info("AF_XDP on interface %u, queue %u, %s", source->ifindex, source->queue,
            port->zero_copy ? "zero-copy" : "copying");
    xdp->ports++;
}

/*
 * Counts the packets that a predecessor lost. The packets it held when it died went with its sockets; a predecessor
 * that ended in order held none.
 */
static void count_lost(struct ns_counters *counters) {
    __atomic_store_n(&counters->xdp_unsent, counters->xdp_unsent + counters->xdp_held, __ATOMIC_RELAXED);
    __atomic_store_n(&counters->xdp_held, 0, __ATOMIC_RELAXED);
}

static void count_ports(const struct ns_xdp *xdp) {
    uint64_t open = 0, zero_copy = 0;

    for (unsigned i = 0; i < xdp->ports; i++) {
        open += xdp->port[i].fd >= 0;
        zero_copy += xdp->port[i].fd >= 0 && xdp->port[i].zero_copy;
    }
    __atomic_store_n(&xdp->pktio->counters->xdp_sockets, open, __ATOMIC_RELAXED);
    __atomic_store_n(&xdp->pktio->counters->xdp_zero_copy, zero_copy, __ATOMIC_RELAXED);
}

void ns_xdp_open(struct ns_xdp *xdp, struct ns_pktio *pktio, const struct ns_xdp_sources *sources, int bpfd) {
    uint32_t patience = pktio->counters->xdp_sockets != 0 ? AFTER_MS : BUSY_MS;

    *xdp = (struct ns_xdp){.pktio = pktio, .raw4 = sources->raw4, .raw6 = sources->raw6, .bpfd = bpfd};
    xdp->umem.fd = -1;
    count_lost(pktio->counters);
    count_ports(xdp);
    if (sources->count == 0)
        return;
    if (bpfd < 0) {
        ns_warn("AF_XDP: no bpfd; packets come by the netfilter queue");
        return;
    }
    if (ns_umem_open(&xdp->umem, frames_for(pktio->ring.slots)) != 0)
        return;
    xdp->packet = calloc(xdp->umem.frames.count, sizeof *xdp->packet);
    for (unsigned i = 0; i < sources->count && xdp->packet != NULL; i++)
        open_port(xdp, &sources->source[i], patience);
    count_ports(xdp);
    if (xdp->ports == 0)
        ns_xdp_close(xdp);
}

void ns_xdp_close(struct ns_xdp *xdp) {
    for (unsigned i = 0; i < xdp->ports; i++) {
        if (xdp->port[i].fd >= 0)
            ns_port_close(&xdp->port[i], &xdp->umem);
    }
    xdp->ports = 0;
    free(xdp->packet);
    xdp->packet = NULL;
    ns_umem_close(&xdp->umem);
}

/* Closes a socket that is of no use any more, because its interface is gone. */
static void close_port(struct ns_xdp *xdp, struct ns_port *port, int error) {
    struct ns_counters *counters = xdp->pktio->counters;
    uint32_t unsent = ns_port_close(port, &xdp->umem);

    ns_error("AF_XDP on interface %u, queue %u: %s; %u packets not sent", port->ifindex, port->queue, strerror(error),
             unsent);
    __atomic_store_n(&counters->xdp_unsent, counters->xdp_unsent + unsent, __ATOMIC_RELAXED);
    count_ports(xdp);
}

static bool for_later(int error) {
    return error == EAGAIN || error == EBUSY || error == ENOBUFS || error == ENETDOWN || error == EINTR;
}

void ns_xdp_look(struct ns_xdp *xdp, uint64_t now) {
    uint64_t *lost = &xdp->pktio->counters->xdp_lost;

    if (now < xdp->next_look)
        return;
    xdp->next_look = now + LOOK_EVERY;
    for (unsigned i = 0; i < xdp->ports; i++) {
        if (xdp->port[i].fd >= 0)
            __atomic_store_n(lost, *lost + ns_port_lost(&xdp->port[i]), __ATOMIC_RELAXED);
    }
}

void ns_xdp_flush(struct ns_xdp *xdp) {
    uint64_t *refused = xdp->ports == 0 ? NULL : &xdp->pktio->counters->xdp_bad_frame;

    xdp->backlog = false;
    for (unsigned i = 0; i < xdp->ports; i++) {
        struct ns_port *port = &xdp->port[i];
        int error;

        if (port->fd < 0)
            continue;
        error = ns_port_kick(port, &xdp->umem, refused);
        if (error != 0 && !for_later(error)) {
            close_port(xdp, port, error);
            continue;
        }
        xdp->backlog = xdp->backlog || (error != 0 && error != ENETDOWN);
        ns_port_complete(port, &xdp->umem, refused);
        ns_port_fill(port, &xdp->umem);
    }
}

bool ns_xdp_heed(struct ns_xdp *xdp) {
    struct ns_steer_attach message;
    ssize_t n = recv(xdp->bpfd, &message, sizeof message, MSG_DONTWAIT);

    if (n == (ssize_t)sizeof message && message.magic == NS_STEER_ATTACH && message.port == NS_STEER_AGAIN) {
        for (unsigned i = 0; i < xdp->ports; i++) {
            if (xdp->port[i].fd >= 0 && !attach(xdp, i))
                ns_warn("AF_XDP on interface %u: bpfd: %s", xdp->port[i].ifindex, strerror(errno));
        }
    }
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Waits a little for a message of bpfd: an answer, or an earlier message. */
static bool hear(const struct ns_xdp *xdp, struct ns_steer_attach *message, unsigned *waits) {
    static const struct timespec millisecond = {.tv_nsec = 1000000};

    for (; *waits != 0; --*waits) {
        ssize_t n = recv(xdp->bpfd, message, sizeof *message, MSG_DONTWAIT);

        if (n >= 0 || errno != EAGAIN)
            return n == (ssize_t)sizeof *message;
        clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, NULL);
    }
    return false;
}

/*
 * Asks bpfd to stop steering to each port. bpfd answers each message. If bpfd is silent or gone, the waiting ends,
 * and packets steered after that are lost with the socket.
 */
void ns_xdp_refuse_new(struct ns_xdp *xdp) {
    struct ns_steer_attach message;
    unsigned asked = 0, waits = WAITS;

    for (unsigned i = 0; i < xdp->ports; i++) {
        message = (struct ns_steer_attach){
            .magic = NS_STEER_ATTACH, .ifindex = xdp->port[i].ifindex, .queue = xdp->port[i].queue};
        asked += send(xdp->bpfd, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof message;
    }
    while (asked != 0 && hear(xdp, &message, &waits))
        asked -= message.port == 0;
}
