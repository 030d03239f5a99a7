/* SPDX-License-Identifier: Apache-2.0 */
#include "sald.h"

#include "ns_log.h"
#include "ns_time.h"
#include "wake.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

static bool on_route(void *context, const struct ns_sal_address *to, struct ns_sal_address *own, uint32_t *interface) {
    struct ns_sald *sald = context;

    return ns_sal_net_route(&sald->net, to, own, interface, ns_now_ns());
}

static bool on_datagram(void *context, const struct ns_sal_address *from, const struct ns_sal_address *to,
                        const uint8_t *bytes, size_t length) {
    struct ns_sald *sald = context;

    return ns_sal_net_send(&sald->net, from, to, bytes, length);
}

static void on_inject(void *context, const uint8_t *packet, size_t length) {
    ns_sal_net_inject(&((struct ns_sald *)context)->net, packet, length, false);
}

static void on_again(void *context, const uint8_t *packet, size_t length) {
    ns_sal_net_inject(&((struct ns_sald *)context)->net, packet, length, true);
}

static void on_publish(void *context, const struct ns_sal_way *way) {
    ns_sal_programs_publish(&((struct ns_sald *)context)->programs, way);
}

static void on_save(void *context, const struct ns_sal_kept *kept) {
    ns_sal_programs_save(&((struct ns_sald *)context)->programs, kept);
}

static void on_forget(void *context, const struct ns_sal_kept *kept) {
    struct ns_sald *sald = context;

    ns_sal_programs_forget(&sald->programs, kept);
    ns_sal_pool_forget(&sald->pool, kept);
}

static bool on_use(void *context, uint32_t id, struct ns_sal_use *use) {
    return ns_sal_programs_use(&((struct ns_sald *)context)->programs, id, use);
}

static void on_unblock(void *context, const struct ns_sal_address *peer, uint32_t interface) {
    ns_sal_net_unblock(&((struct ns_sald *)context)->net, peer, interface, ns_now_ns());
}

static void on_wake(void *context, const struct ns_sal_kept *kept) {
    struct ns_sald *sald = context;
    uint8_t packet[NS_SAL_WAKE_MAX];
    struct ns_sal_use use;
    size_t length;

    sald->moves++;
    if (!ns_sal_programs_use(&sald->programs, kept->flow.id, &use))
        return;
    if ((use.acks_seen & 2) != 0)
        ns_sal_net_inject(&sald->net, packet, ns_sal_wake_ask(packet, &kept->inner, use.taken), false);
    if (!ns_sal_wake_has_lost(&use))
        return;
    if (kept->silent) {
        length = ns_sal_wake_lost(packet, &kept->inner, use.acked, sald->net.mtu, kept->mtu_step);
        ns_sal_net_inject(&sald->net, packet, length, false);
    }
    length = ns_sal_wake_make(packet, &kept->inner, use.acked);
    for (unsigned i = 0; i < NS_SAL_WAKE_TIMES; i++)
        ns_sal_net_inject(&sald->net, packet, length, false);
}

/*
 * Takes random bytes of a store, because a flow needs five numbers, and each call of the kernel delays its connection.
 * A number that can be guessed would open flows to strangers, so there is no going on without any.
 */
static void on_random(void *context, void *bytes, size_t length) {
    static uint8_t store[256]; /* the kernel gives so many at once, never fewer */
    static size_t left;

    (void)context;
    if (left < length) {
        if (length > sizeof store || getrandom(store, sizeof store, 0) != sizeof store) {
            ns_error("random numbers: %s", strerror(errno));
            abort();
        }
        left = sizeof store;
    }
    left -= length;
    memcpy(bytes, store + left, length);
    explicit_bzero(store + left, length);
}

static bool on_connected(void *context, const struct ns_sal_tuple *tuple, bool datagrams) {
    return ns_sal_listening_is_connected(&((struct ns_sald *)context)->listening, tuple, datagrams);
}

static bool on_seek(void *context, const struct ns_sal_sought *sought) {
    return ns_sal_pool_seek(&((struct ns_sald *)context)->pool, sought);
}

static void on_enter(void *context, const struct ns_sal_kept *kept) {
    ns_sal_pool_enter(&((struct ns_sald *)context)->pool, kept);
}

static void on_prepare(void *context, const struct ns_sal_kept *kept, const struct ns_sal_rule *rule) {
    ns_sal_pool_prepare(&((struct ns_sald *)context)->pool, kept, rule);
}

static bool on_heard(void *context, const struct ns_sal_address *from, const struct ns_sal_packet *packet,
                     const uint8_t *bytes, size_t length) {
    struct ns_sald *sald = context;

    if (!ns_sal_controller_is_answer(&sald->host, from, packet->second, bytes, length))
        return false;
    ns_sal_controller_heard(&sald->controller, from, packet->service, bytes, length, sald->host.now);
    return true;
}

void ns_sald_note_place(struct ns_sald *sald) {
    if (sald->names.assigned) {
        ns_sal_programs_write_place(&sald->programs, &sald->names, sald->names.fresh);
        ns_sal_pool_renew(&sald->pool); /* the address may have stood for another service */
    }
    sald->names.assigned = false;
}

void ns_sald_wire(struct ns_sald *sald) {
    sald->wire = (struct ns_sal_wire){.route = on_route,
                                      .datagram = on_datagram,
                                      .inject = on_inject,
                                      .again = on_again,
                                      .publish = on_publish,
                                      .save = on_save,
                                      .forget = on_forget,
                                      .use = on_use,
                                      .unblock = on_unblock,
                                      .wake = on_wake,
                                      .random = on_random,
                                      .connected = on_connected,
                                      .seek = on_seek,
                                      .enter = on_enter,
                                      .prepare = on_prepare,
                                      .heard = on_heard,
                                      .context = sald};
}
