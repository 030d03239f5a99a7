/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pktio - takes the packets of one container's netfilter queues, passes them through the ring, checks the packets
 * that leave.
 *
 * The spawner starts it with inherited descriptors; it keeps CAP_NET_ADMIN and no other capability. Exit status: 0
 * stopped by SIGTERM with everything accepted; 1 a queue or the ring cannot be used; 2 usage.
 *
 *     SIGTERM  accepts everything held; `held` in the counters is the number of packets.
 *     SIGHUP   trusts an abandoned ring again.
 */
#include "loop.h"
#include "mtu.h"
#include "ns_caps.h"
#include "ns_log.h"
#include "ns_seccomp.h"
#include "ns_time.h"
#include "options.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static struct ns_counters *map_counters(int fd) {
    void *at;

    if (ns_memfd_check(fd, sizeof(struct ns_counters)) != 0)
        return NULL;
    at = mmap(NULL, sizeof(struct ns_counters), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? NULL : at;
}

static int fail(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    return 1;
}

static int run(const struct ns_options *options, struct ns_pktio *pktio) {
    struct ns_mtu_cache mtu;
    struct ns_loop loop;
    int status;

    if (ns_mtu_open(&mtu) != 0)
        return fail("socket");
    pktio->mtu = (struct ns_mtu_source){&mtu, ns_mtu_get};
    if (ns_pktio_init(pktio) != 0)
        return fail("table of packets");
    if (ns_loop_open(&loop, pktio, options) != 0)
        return fail("queues");
    if (options->seccomp && ns_seccomp_enter(&ns_seccomp_packet) != 0)
        return fail("seccomp");
    ns_info("%s: queues %u and %u, %u slots, at packet %llu", options->name, options->queue, options->queue + 1,
            options->slots, (unsigned long long)pktio->produced);
    status = ns_loop_run(&loop) == 0 ? 0 : 1;
    ns_loop_close(&loop);
    ns_pktio_destroy(pktio);
    ns_mtu_close(&mtu);
    return status;
}

/* Maps bpfd's records. A fast path works without records too, but then its work cannot be seen. */
static void map_records(struct ns_pktio *pktio, int fd) {
    const struct ns_ring_record *from = fd < 0 ? NULL : ns_records_map(fd);

    if (fd >= 0 && from == NULL)
        ns_warn("--records-fd: %s", strerror(errno));
    ns_records_begin(&pktio->records, from, pktio->ring.records, pktio->ring.relays, ns_now_ns());
}

int main(int argc, char **argv) {
    struct ns_options options;
    struct ns_pktio pktio;

    ns_log_open("pktio");
    if (!ns_options_parse(&options, argc, argv))
        return 2;
    if (ns_caps_keep_only(NS_CAP(CAP_NET_ADMIN)) != 0)
        return fail("CAP_NET_ADMIN");
    memset(&pktio, 0, sizeof pktio);
    pktio.limits = options.limits;
    pktio.rewrite = options.rewrite;
    if (ns_ring_map(&pktio.ring, options.desc_fd, options.slots_fd, options.slots, 1) != 0)
        return fail("ring");
    pktio.fastpath_fd = options.fastpath_fd;
    map_records(&pktio, options.records_fd);
    pktio.counters = map_counters(options.stats_fd);
    if (pktio.counters == NULL)
        return fail("counters");
    return run(&options, &pktio);
}
