/* SPDX-License-Identifier: Apache-2.0 */
#include "leave.h"

#include "ns_libbpf.h"
#include "ns_line.h"
#include "ns_log.h"
#include <errno.h>
#include <net/if.h>
#include <string.h>

static int leavers(const struct ns_bpfd *bpfd) {
    return ns_programs_map(&bpfd->programs, "ns_leavers");
}

/* Takes the elements that name one address of the node. For others the firewall chooses an address. */
static void read_listens(struct ns_leaver *leaver, const struct ns_bpfd *bpfd, const struct ns_reach *reach) {
    for (unsigned i = 0; i < reach->count && leaver->count < NS_LEAVER_LISTENS; i++) {
        const struct ns_endpoint *from = &reach->endpoint[i];
        struct ns_leaver_listen *listen = &leaver->listen[leaver->count];

        if (from->to.bits != (from->to.family == 4 ? 32 : 128) ||
            !ns_node_owns(&bpfd->node, from->to.family, from->to.address))
            continue;
        memcpy(listen->address, from->to.address, sizeof listen->address);
        listen->family = from->to.family;
        listen->first = from->ports.first;
        listen->last = from->ports.last;
        leaver->count++;
    }
}

void ns_leave_begin(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    struct ns_granted_leave *leave = &granted->leave;
    struct ns_leaver leaver = {0};
    char name[NS_INTERFACE_MAX + 1];
    uint32_t index;

    read_listens(&leaver, bpfd, &granted->relays.listen);
    if (!bpfd->programs.leaves || leave->network < 0 || leaver.count == 0)
        return;
    snprintf(name, sizeof name, "nsv%d", leave->network);
    index = if_nametoindex(name);
    if (index == 0 || bpf_map_update_elem(leavers(bpfd), &index, &leaver, BPF_ANY) != 0 ||
        !ns_programs_hook(&bpfd->programs, "ns_tc_leave_entry", index, false, &leave->hooked)) {
        ns_warn("%s: %s: its packets do not leave past the stack: %s", granted->name, name, strerror(errno));
        bpf_map_delete_elem(leavers(bpfd), &index);
    }
}

/* Sums what has left by all attachments of the container and by this one, which `index` names; 0 = there is none. */
static void sum(const struct ns_bpfd *bpfd, const struct ns_granted_leave *leave, uint32_t index, uint64_t *packets,
                uint64_t *bytes) {
    struct ns_leaver leaver = {0};

    if (index != 0)
        bpf_map_lookup_elem(leavers(bpfd), &index, &leaver);
    *packets = leave->packets + leaver.packets;
    *bytes = leave->bytes + leaver.bytes;
}

void ns_leave_end(struct ns_bpfd *bpfd, struct ns_granted *granted) {
    struct ns_granted_leave *leave = &granted->leave;
    const uint32_t index = leave->hooked.index;

    if (index == 0)
        return;
    ns_programs_unhook(&leave->hooked);
    sum(bpfd, leave, index, &leave->packets, &leave->bytes);
    bpf_map_delete_elem(leavers(bpfd), &index);
}

void ns_leave_again(struct ns_bpfd *bpfd) {
    for (unsigned i = 0; i < NS_FASTPATH_CONTAINERS; i++) {
        struct ns_granted *granted = bpfd->granted[i];

        if (granted == NULL || granted->kept.until != 0)
            continue;
        ns_leave_end(bpfd, granted);
        ns_leave_begin(bpfd, granted);
    }
}

void ns_leave_print(struct ns_bpfd *bpfd, const struct ns_granted *granted, FILE *out) {
    uint64_t packets, bytes;

    sum(bpfd, &granted->leave, granted->leave.hooked.index, &packets, &bytes);
    ns_line_put_number(out, "left-packets", packets);
    ns_line_put_number(out, "left-bytes", bytes);
}
