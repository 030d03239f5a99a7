/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BIND_MSEC 10u
#define KICKS 32u /* sends in a row: the kernel takes 32 packets each time */

int ns_umem_open(struct ns_umem *umem, uint32_t frames) {
    *umem = (struct ns_umem){.fd = -1};
    umem->area = mmap(NULL, (size_t)frames * NS_FRAME_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (umem->area == MAP_FAILED) {
        umem->area = NULL;
        return -1;
    }
    if (ns_frames_init(&umem->frames, frames) == 0)
        return 0;
    ns_umem_close(umem);
    errno = ENOMEM;
    return -1;
}

void ns_umem_close(struct ns_umem *umem) {
    if (umem->area != NULL)
        munmap(umem->area, (size_t)umem->frames.count * NS_FRAME_SIZE);
    ns_frames_destroy(&umem->frames);
    *umem = (struct ns_umem){.fd = -1};
}

static int map_ring(struct ns_xring *ring, int fd, const struct xdp_ring_offset *offset, off_t page, size_t entry) {
    uint8_t *map;

    *ring = (struct ns_xring){.size = NS_PORT_RING, .mapped = offset->desc + NS_PORT_RING * entry};
    map = mmap(NULL, ring->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, page);
    if (map == MAP_FAILED)
        return -1;
    ring->map = map;
    ring->producer = (uint32_t *)(void *)(map + offset->producer);
    ring->consumer = (uint32_t *)(void *)(map + offset->consumer);
    ring->flags = (uint32_t *)(void *)(map + offset->flags);
    ring->entries = map + offset->desc;
    return 0;
}

static void unmap_ring(struct ns_xring *ring) {
    if (ring->map != NULL)
        munmap(ring->map, ring->mapped);
    *ring = (struct ns_xring){.size = 0};
}

static int make_rings(struct ns_port *port) {
    static const int options[] = {XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING, XDP_TX_RING};
    struct xdp_mmap_offsets offsets;
    socklen_t length = sizeof offsets;
    int size = NS_PORT_RING;

    for (int i = 0; i < 4; i++) {
        if (setsockopt(port->fd, SOL_XDP, options[i], &size, sizeof size) != 0)
            return -1;
    }
    if (getsockopt(port->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &length) != 0)
        return -1;
    if (length != sizeof offsets) { /* a kernel without the rings' flags, before 5.4 */
        errno = EOPNOTSUPP;
        return -1;
    }
    return map_ring(&port->fill, port->fd, &offsets.fr, (off_t)XDP_UMEM_PGOFF_FILL_RING, sizeof(uint64_t)) != 0 ||
                   map_ring(&port->completion, port->fd, &offsets.cr, (off_t)XDP_UMEM_PGOFF_COMPLETION_RING,
                            sizeof(uint64_t)) != 0 ||
                   map_ring(&port->rx, port->fd, &offsets.rx, XDP_PGOFF_RX_RING, sizeof(struct xdp_desc)) != 0 ||
                   map_ring(&port->transmit, port->fd, &offsets.tx, XDP_PGOFF_TX_RING, sizeof(struct xdp_desc)) != 0
               ? -1
               : 0;
}

/*
 * Binds, and tries again while the queue is busy. The kernel closes a socket after its owner has ended, so the socket
 * of a predecessor that has just died may still be bound.
 */
static int bind_patiently(int fd, const struct sockaddr_xdp *address, uint32_t patience) {
    static const struct timespec while_it_goes = {.tv_nsec = BIND_MSEC * 1000000l};
    int result;

    for (unsigned tries = 0;; tries++) {
        result = bind(fd, (const struct sockaddr *)address, sizeof *address);
        if (result == 0 || errno != EBUSY || tries * BIND_MSEC >= patience)
            return result;
        nanosleep(&while_it_goes, NULL);
    }
}

/*
 * Binds without asking for a mode: the kernel takes zero-copy if the driver has it. Ports that share a UMEM have the
 * mode of the first port.
 */
static int bind_port(struct ns_port *port, const struct ns_umem *umem, uint32_t patience) {
    struct sockaddr_xdp address = {
        .sxdp_family = AF_XDP,
        .sxdp_flags = umem->fd < 0 ? XDP_USE_NEED_WAKEUP : XDP_SHARED_UMEM,
        .sxdp_ifindex = port->ifindex,
        .sxdp_queue_id = port->queue,
        .sxdp_shared_umem_fd = umem->fd < 0 ? 0 : (uint32_t)umem->fd,
    };
    struct xdp_options options;
    socklen_t length = sizeof options;

    if (bind_patiently(port->fd, &address, patience) != 0)
        return -1;
    port->zero_copy = getsockopt(port->fd, SOL_XDP, XDP_OPTIONS, &options, &length) == 0 &&
                      (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
    return 0;
}

int ns_port_open(struct ns_port *port, struct ns_umem *umem, int fd, const struct ns_port_place *place) {
    struct xdp_umem_reg area = {
        .addr = (uint64_t)(uintptr_t)umem->area,
        .len = (uint64_t)umem->frames.count * NS_FRAME_SIZE,
        .chunk_size = NS_FRAME_SIZE,
    };
    int saved;

    *port = (struct ns_port){.fd = fd, .index = place->index, .ifindex = place->ifindex, .queue = place->queue};
    if ((umem->fd >= 0 || setsockopt(fd, SOL_XDP, XDP_UMEM_REG, &area, sizeof area) == 0) && make_rings(port) == 0) {
        ns_port_fill(port, umem); /* a zero-copy driver looks for frames while it binds */
        if (bind_port(port, umem, place->patience) == 0) {
            if (umem->fd < 0)
                umem->fd = fd;
            return 0;
        }
    }
    saved = errno;
    ns_port_close(port, umem);
    errno = saved;
    return -1;
}

uint32_t ns_port_close(struct ns_port *port, struct ns_umem *umem) {
    unmap_ring(&port->fill);
    unmap_ring(&port->completion);
    unmap_ring(&port->rx);
    unmap_ring(&port->transmit);
    if (port->fd >= 0)
        close(port->fd);
    if (umem->fd == port->fd)
        umem->fd = -1; /* the other ports keep the area; no port can join it any more */
    port->fd = -1;
    port->filled = 0;
    return ns_frames_reclaim(&umem->frames, port->index);
}

void ns_port_fill(struct ns_port *port, struct ns_umem *umem) {
    uint32_t room = ns_xring_room(&port->fill), before = port->filled;

    for (; room != 0 && port->filled < NS_PORT_FILL; room--, port->filled++) {
        uint32_t frame = ns_frames_fill(&umem->frames, port->index);

        if (frame == NS_FRAME_NONE)
            break;
        ((uint64_t *)port->fill.entries)[ns_xring_next(&port->fill)] = (uint64_t)frame * NS_FRAME_SIZE;
    }
    if (port->filled != before)
        ns_xring_publish(&port->fill);
    if (port->zero_copy && (__atomic_load_n(port->fill.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP) != 0)
        recv(port->fd, NULL, 0, MSG_DONTWAIT); /* the driver has run out of frames; it looks again when woken */
}

uint32_t ns_port_receive(struct ns_port *port, struct ns_umem *umem, struct xdp_desc *desc, uint64_t *refused) {
    while (ns_xring_ready(&port->rx) != 0) {
        uint32_t frame;

        *desc = ((const struct xdp_desc *)port->rx.entries)[ns_xring_next(&port->rx)];
        ns_xring_give_back(&port->rx);
        frame = ns_frames_received(&umem->frames, port->index, desc->addr, desc->len);
        if (frame != NS_FRAME_NONE) {
            port->filled--;
            return frame;
        }
        __atomic_store_n(refused, *refused + 1, __ATOMIC_RELAXED);
    }
    return NS_FRAME_NONE;
}

bool ns_port_transmit(struct ns_port *port, struct ns_umem *umem, uint32_t frame, uint64_t address, uint32_t length) {
    if (ns_xring_room(&port->transmit) == 0 || !ns_frames_transmit(&umem->frames, frame, port->index))
        return false;
    ((struct xdp_desc *)port->transmit.entries)[ns_xring_next(&port->transmit)] =
        (struct xdp_desc){.addr = address, .len = length};
    return true;
}

void ns_port_complete(struct ns_port *port, struct ns_umem *umem, uint64_t *refused) {
    uint32_t ready = ns_xring_ready(&port->completion);

    if (ready == 0)
        return;
    for (; ready != 0; ready--) {
        uint64_t address = ((const uint64_t *)port->completion.entries)[ns_xring_next(&port->completion)];

        if (!ns_frames_completed(&umem->frames, port->index, address))
            __atomic_store_n(refused, *refused + 1, __ATOMIC_RELAXED);
    }
    ns_xring_give_back(&port->completion);
}

static bool wants_kick(const struct ns_port *port) {
    return ns_xring_pending(&port->transmit) != 0 &&
           (!port->zero_copy || (__atomic_load_n(port->transmit.flags, __ATOMIC_RELAXED) & XDP_RING_NEED_WAKEUP) != 0);
}

/*
 * Sends until the ring is empty or the kernel refuses. A copying send takes 32 packets. It returns EAGAIN if there
 * are more packets, or if the driver is busy. Such a send also needs room in the completion ring, so the completion
 * ring is emptied between two sends. A frame that the kernel has not taken stays in the transmit ring and belongs to
 * the kernel. A later send transmits and completes it.
 *
 * A frame must not be sent again, or taken back, after EAGAIN: it would stand in the ring twice, and its address
 * would come back twice. That is the likely cause of double completions seen earlier, but it was not proved for the
 * code that had them. With the present code no address came back twice in some million sends in copy mode (Linux
 * 6.18, veth, with and without a qdisc, NAPI in a thread or not, a full ring, EAGAIN). Kernels from 6.17.0 to 6.17.10
 * have CVE-2025-40290, which is said to corrupt the number of completions. ns_frames_completed guards against both
 * faults.
 */
int ns_port_kick(struct ns_port *port, struct ns_umem *umem, uint64_t *refused) {
    int error = 0;

    ns_xring_publish(&port->transmit);
    for (unsigned kicks = 0; kicks < KICKS && wants_kick(port); kicks++) {
        uint32_t before = ns_xring_pending(&port->transmit);

        error = sendto(port->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? errno : 0;
        ns_port_complete(port, umem, refused);
        if (error != 0 && error != EINTR && ns_xring_pending(&port->transmit) == before)
            return error;
    }
    return 0;
}

uint64_t ns_port_lost(struct ns_port *port) {
    struct xdp_statistics statistics;
    socklen_t length = sizeof statistics;
    uint64_t total, lost;

    memset(&statistics, 0, sizeof statistics);
    if (getsockopt(port->fd, SOL_XDP, XDP_STATISTICS, &statistics, &length) != 0)
        return 0;
    total = statistics.rx_dropped + statistics.rx_ring_full;
    lost = total - port->lost_received;
    port->lost_received = total;
    return lost;
}
