/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_log.h"
#include "ns_time.h"
#include "options.h"

#include <arpa/inet.h>
#include <errno.h>

int ns_sald_fail(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    return -1;
}

static int take_event(void *context, void *data, size_t size) {
    const struct ns_sal_event *event = data;
    struct ns_sald *sald = context;

    if (size >= sizeof *event && event->kind != NS_SAL_SET_UP) /* that one has woken sald, which looks at all slots */
        ns_sal_host_event(&sald->host, data, ns_now());
    return 0;
}

static bool adopt(void *context, const struct ns_sal_kept *kept) {
    struct ns_sald *sald = context;

    if (!ns_sal_host_adopt(&sald->host, kept, ns_now()))
        return false;
    if (kept->flow.client)
        ns_sal_surrogate_find(&sald->names, kept->inner.destination, kept->inner.family, ns_now());
    return true;
}

static int open_host(struct ns_sald *sald, const struct ns_sald_options *options) {
    ns_sald_wire(sald);
    if (!ns_sal_host_open(&sald->host, &sald->wire, &sald->services, &sald->names, NS_SAL_FLOWS))
        return ns_sald_fail("memory");
    sald->host.port = options->port;
    sald->native = options->native;
    if (options->native)
        sald->host.abilities |= NS_SAL_ABILITY_NATIVE;
    sald->host.mtu = sald->net.mtu;
    /* The first names may be those of connections of the sald before, behind which the local stack still waits. */
    sald->wire.random(sald->wire.context, &sald->host.clients, sizeof sald->host.clients);
    ns_sald_find_inside(sald);
    return 0;
}

/* Takes over the flows and surrogates that the sald before has left in the maps. */
static int take_over(struct ns_sald *sald) {
    unsigned removed;

    ns_sal_programs_read_places(&sald->programs, &sald->names);
    sald->restored = ns_sal_programs_restore(&sald->programs, adopt, sald);
    sald->host.now = ns_now();
    if (ns_sal_pool_open(&sald->pool, &sald->host, &sald->programs) != 0)
        return ns_sald_fail("set-up");
    sald->restored += sald->pool.restored;
    removed = ns_sal_programs_clean(&sald->programs);
    if (removed > 0)
        ns_info("%u flows without a state removed", removed);
    return 0;
}

/* Lets packets come to the programs. */
static int attach(struct ns_sald *sald, const struct ns_sald_options *options) {
    struct ns_sal_settings settings = {
        .port = htons(options->port), .raw = options->raw, .inside = sald->net.inside, .native = options->native};

    memcpy(settings.link, sald->net.link, sizeof settings.link);
    if (ns_sal_programs_inside(&sald->programs, &settings, sald->net.beside) != 0)
        return ns_sald_fail(options->beside);
    ns_sald_attach(sald);
    if (ns_sal_links_open(&sald->links, ns_sal_programs_map(&sald->programs, "ns_set_links"), options->brief) != 0)
        return ns_sald_fail("links");
    ns_sald_look_at_links(sald);
    return 0;
}

int ns_sald_open(struct ns_sald *sald, const struct ns_sald_options *options) {
    memcpy(sald->interfaces, options->interfaces, sizeof sald->interfaces);
    sald->interface_count = options->interface_count;
    if (ns_sal_net_open(&sald->net, options->inside, options->beside, options->port, options->raw) != 0 ||
        ns_sal_programs_open(&sald->programs, options->object, options->pins, options->set_up, take_event, sald) != 0)
        return -1;
    if (ns_sal_listening_open(&sald->listening) != 0)
        return ns_sald_fail("sock_diag");
    sald->listening.hooked_ms = options->look_ms;
    ns_sal_hooks_open(&sald->hooks, options->hooks, &sald->listening);
    if (open_host(sald, options) != 0 || take_over(sald) != 0)
        return -1;
    return attach(sald, options);
}
