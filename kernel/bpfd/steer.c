/* SPDX-License-Identifier: Apache-2.0 */
#include "steer.h"

#include "ns_libbpf.h"
#include "ns_log.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The greatest number of processors that Linux is built for. The kernel copies a value for each possible processor.
 * Only /sys tells their number, and bpfd has no /sys.
 */
#define PROCESSORS 8192u

_Static_assert(NS_STEER_SLOTS == NS_FASTPATH_CONTAINERS, "each container has its counters");

static int map(const struct ns_bpfd *bpfd, const char *name) {
    return ns_programs_map(&bpfd->programs, name);
}

void ns_steer_ask(const struct ns_granted *granted) {
    const struct ns_steer_attach message = {.magic = NS_STEER_ATTACH, .port = NS_STEER_AGAIN};

    send(granted->socket, &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* --- sockets --- */

static bool is_of(const struct ns_bpfd *bpfd, uint32_t index, const struct ns_granted *granted) {
    return bpfd->steered[index].used && bpfd->steered[index].container == granted->slot;
}

static void forget_queue(struct ns_bpfd *bpfd, uint32_t index) {
    bpf_map_delete_elem(map(bpfd, "steer_queues"), &bpfd->steered[index].queue);
}

/* Frees the index. The caller makes sure that no program has read the queue's entry and not yet redirected by it. */
static void forget_socket(struct ns_bpfd *bpfd, uint32_t index) {
    struct ns_steered *steered = &bpfd->steered[index];
    struct ns_steer_exit exit = {steered->container, steered->queue.ifindex};

    bpf_map_delete_elem(map(bpfd, "steer_xsks"), &index);
    steered->used = false;
    for (uint32_t i = 0; i < NS_STEER_SOCKETS; i++) {
        const struct ns_steered *other = &bpfd->steered[i];

        if (other->used && other->container == steered->container && other->queue.ifindex == exit.ifindex)
            return; /* packets can still leave there */
    }
    bpf_map_delete_elem(map(bpfd, "steer_ports"), &exit);
}

/*
 * Forgets a socket. The list of filters is replaced in between: after that, no program runs that has seen the queue.
 */
static void forget(struct ns_bpfd *bpfd, uint32_t index) {
    forget_queue(bpfd, index);
    ns_steer_filter(bpfd);
    forget_socket(bpfd, index);
}

void ns_steer_forget(struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    for (uint32_t i = 0; i < NS_STEER_SOCKETS; i++) {
        if (is_of(bpfd, i, granted))
            forget_queue(bpfd, i);
    }
    ns_steer_filter(bpfd);
    for (uint32_t i = 0; i < NS_STEER_SOCKETS; i++) {
        if (is_of(bpfd, i, granted))
            forget_socket(bpfd, i);
    }
}

/* Returns the index of this queue's socket, or a free one for it, or NS_STEER_SOCKETS if there is no place. */
static uint32_t place(const struct ns_bpfd *bpfd, const struct ns_steer_queue *queue) {
    uint32_t free = NS_STEER_SOCKETS;

    for (uint32_t i = 0; i < NS_STEER_SOCKETS; i++) {
        if (bpfd->steered[i].used && memcmp(&bpfd->steered[i].queue, queue, sizeof *queue) == 0)
            return i;
        if (!bpfd->steered[i].used && free == NS_STEER_SOCKETS)
            free = i;
    }
    return free;
}

/*
 * Takes a socket. The queue is added last, because frames are steered from then on. The kernel allows one bound
 * socket per queue, so an earlier socket of the queue is dead.
 */
static bool attach(struct ns_bpfd *bpfd, const struct ns_granted *granted, const struct ns_steer_attach *message,
                   int socket) {
    const struct ns_steer_queue queue = {message->ifindex, message->queue};
    const struct ns_steer_exit exit = {granted->slot, message->ifindex};
    struct ns_steer_socket to = {.index = place(bpfd, &queue), .container = (uint16_t)granted->slot};

    if (to.index == NS_STEER_SOCKETS || !bpfd->programs.steers) {
        errno = ENOSPC;
        return false;
    }
    if (bpfd->steered[to.index].used)
        forget(bpfd, to.index);
    memcpy(to.address, message->address, sizeof to.address);
    bpfd->steered[to.index] = (struct ns_steered){true, to.container, queue};
    if (bpf_map_update_elem(map(bpfd, "steer_xsks"), &to.index, &socket, BPF_ANY) == 0 &&
        bpf_map_update_elem(map(bpfd, "steer_ports"), &exit, &message->port, BPF_ANY) == 0 &&
        bpf_map_update_elem(map(bpfd, "steer_queues"), &queue, &to, BPF_ANY) == 0)
        return true;
    forget(bpfd, to.index);
    return false;
}

/* Forgets the container's socket of a queue. Answers in any case, because the asker waits for it. */
static bool detach(struct ns_bpfd *bpfd, const struct ns_granted *granted, const struct ns_steer_attach *message) {
    const struct ns_steer_queue queue = {message->ifindex, message->queue};
    uint32_t index = place(bpfd, &queue);
    bool found = index != NS_STEER_SOCKETS && is_of(bpfd, index, granted);

    if (found)
        forget(bpfd, index);
    send(granted->socket, message, sizeof *message, MSG_DONTWAIT | MSG_NOSIGNAL);
    return found;
}

bool ns_steer_heed(struct ns_bpfd *bpfd, struct ns_granted *granted, const struct ns_steer_attach *message,
                   int socket) {
    bool done = false;

    if (message->magic != NS_STEER_ATTACH || message->ifindex == 0 || message->zero != 0 ||
        message->port > NS_STEER_PORTS || (message->port == 0) != (socket < 0))
        errno = EINVAL;
    else
        done = socket < 0 ? detach(bpfd, granted, message) : attach(bpfd, granted, message, socket);
    if (!done && socket >= 0)
        ns_warn("%s: AF_XDP socket of interface %u, queue %u: %s", granted->name, message->ifindex, message->queue,
                strerror(errno));
    if (socket >= 0)
        close(socket);
    return done;
}

/* --- filters --- */

static void put_net(const struct ns_net *net, uint32_t value[4], uint32_t mask[4]) {
    uint8_t bytes[16] = {0};

    for (unsigned bit = 0; bit < net->bits; bit++)
        bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
    memcpy(mask, bytes, sizeof bytes);
    memcpy(value, net->address, sizeof net->address);
    for (int i = 0; i < 4; i++)
        value[i] &= mask[i];
}

static void put(struct ns_steer_filters *out, const struct ns_way_filter *filter, int slot) {
    struct ns_steer_filter *to = &out->filter[out->count++];

    *to = (struct ns_steer_filter){
        .source_ports = {filter->source_ports.first, filter->source_ports.last},
        .destination_ports = {filter->destination_ports.first, filter->destination_ports.last},
        .family = filter->family,
        .protocol = filter->protocol,
        .steer = slot >= 0,
        .container = (uint16_t)slot,
    };
    put_net(&filter->source, to->source, to->source_mask);
    put_net(&filter->destination, to->destination, to->destination_mask);
}

static bool is_watched(enum ns_way way) {
    return way == NS_WAY_SAMPLE || way == NS_WAY_COUNT;
}

/*
 * Compiles the list. Packets that a container samples or counts on their way through the stack must not be led past
 * it. So sampling and counting filters stand first, and steer nothing. All other filters follow in their order.
 * Packets that match only filters beyond the end of the list are not steered.
 */
void ns_steer_compile(struct ns_steer_filters *out, const struct ns_way_filters *filters,
                      int (*slot)(const void *context, const char *container), const void *context) {
    memset(out, 0, sizeof *out);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < filters->count; i++) {
            const struct ns_way_filter *filter = &filters->filter[i];

            if (is_watched(filter->way) != (pass == 0))
                continue;
            if (out->count == NS_STEER_FILTERS) {
                if (pass == 0)
                    out->count = 0; /* a sampling or counting filter is missing, so nothing may be steered */
                return;
            }
            put(out, filter, filter->way == NS_WAY_STEER ? slot(context, filter->container) : -1);
        }
    }
}

static int slot_of(const void *context, const char *container) {
    const struct ns_granted *granted = ns_flows_find(context, container);

    return granted == NULL ? -1 : (int)granted->slot;
}

void ns_steer_filter(const struct ns_bpfd *bpfd) {
    static struct ns_steer_filters filters;
    const uint32_t zero = 0;

    if (!bpfd->programs.steers)
        return;
    ns_steer_compile(&filters, &bpfd->filters, slot_of, bpfd);
    if (ns_programs_swap(&bpfd->programs, "steer_filters", zero, &filters, sizeof filters) == 0)
        return;
    ns_error("steer_filters: %s; nothing is steered", strerror(errno));
    bpf_map_delete_elem(map(bpfd, "steer_filters"), &zero);
}

/* --- counters --- */

static const char *const count_names[] = {
#define NS_X(name, key, text) key,
    NS_STEER_REASONS(NS_X)
#undef NS_X
};

void ns_steer_begin_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted) {
    static const uint64_t none[PROCESSORS];

    for (uint32_t i = 0; bpfd->programs.steers && i < NS_STEER_COUNTS; i++) {
        uint32_t place = ns_steer_counter(granted->slot, i);

        bpf_map_update_elem(map(bpfd, "steer_counts"), &place, none, BPF_ANY);
    }
}

void ns_steer_print_counts(const struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out) {
    static uint64_t values[PROCESSORS];

    for (uint32_t i = 0; bpfd->programs.steers && i < NS_STEER_COUNTS; i++) {
        uint32_t place = ns_steer_counter(granted->slot, i);
        uint64_t sum = 0;

        if (bpf_map_lookup_elem(map(bpfd, "steer_counts"), &place, values) != 0)
            continue;
        for (unsigned processor = 0; processor < PROCESSORS; processor++)
            sum += values[processor];
        ns_line_put_number(out, count_names[i], sum);
    }
}
