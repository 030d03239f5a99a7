/* SPDX-License-Identifier: Apache-2.0 */
#include "programs.h"

#include "ns_libbpf.h"
#include "ns_libbpf_log.h"
#include "ns_log.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define TCX_INGRESS 46 /* enum bpf_attach_type, Linux 6.6; newer than the headers of the build */
#define TCX_EGRESS 47
#define TC_PRIORITY 49500
#define TC_HANDLE 1

int ns_programs_map(const struct ns_programs *programs, const char *name) {
    for (unsigned i = 0; i < programs->map_count; i++) {
        if (strcmp(programs->maps[i].name, name) == 0)
            return programs->maps[i].fd;
    }
    return -1;
}

int ns_programs_program(const struct ns_programs *programs, const char *name) {
    for (unsigned i = 0; i < programs->object_count; i++) {
        struct bpf_program *found = bpf_object__find_program_by_name(programs->objects[i], name);

        if (found != NULL)
            return bpf_program__fd(found);
    }
    return -1;
}

/*
 * Replaces a map in an array of maps. The kernel returns from the update when no program uses the old map any more.
 */
int ns_programs_swap(const struct ns_programs *programs, const char *map, uint32_t place, const void *value,
                     size_t size) {
    const uint32_t only = 0;
    int result, why, fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, map, sizeof only, (uint32_t)size, 1, NULL);

    if (fd < 0)
        return -1;
    result = bpf_map_update_elem(fd, &only, value, BPF_ANY);
    if (result == 0)
        result = bpf_map_update_elem(ns_programs_map(programs, map), &place, &fd, BPF_ANY);
    why = errno;
    close(fd);
    errno = why;
    return result == 0 ? 0 : -1;
}

/* --- loading --- */

static int share_maps(struct ns_programs *programs, struct bpf_object *object) {
    struct bpf_map *map;

    bpf_object__for_each_map(map, object) {
        int fd = ns_programs_map(programs, bpf_map__name(map));

        if (fd >= 0 && bpf_map__reuse_fd(map, fd) != 0)
            return -1;
    }
    return 0;
}

static void remember_maps(struct ns_programs *programs, struct bpf_object *object) {
    struct bpf_map *map;

    bpf_object__for_each_map(map, object) {
        if (programs->map_count < NS_SHARED_MAPS && ns_programs_map(programs, bpf_map__name(map)) < 0)
            programs->maps[programs->map_count++] = (struct ns_shared_map){bpf_map__name(map), bpf_map__fd(map)};
    }
}

static int load(struct ns_programs *programs, const char *directory, const char *name) {
    struct bpf_object *object;
    char path[512];

    snprintf(path, sizeof path, "%s/%s.bpf.o", directory, name);
    object = bpf_object__open_file(path, NULL);
    if (object == NULL || share_maps(programs, object) != 0 || bpf_object__load(object) != 0) {
        ns_error("%s: %s", path, strerror(errno));
        bpf_object__close(object);
        return -1;
    }
    programs->objects[programs->object_count++] = object;
    remember_maps(programs, object);
    return 0;
}

/* --- features: each feature is tried --- */

static bool try_xdp(int fd, unsigned flags) {
    LIBBPF_OPTS(bpf_link_create_opts, options, .flags = flags);
    int link = bpf_link_create(fd, (int)if_nametoindex("lo"), BPF_XDP, &options);
    int why = errno;

    if (link >= 0)
        close(link);
    /*
     * Loopback has no native XDP, and may have a program already. Either error shows that the kernel understood the
     * request.
     */
    return link >= 0 || why == EOPNOTSUPP || why == EBUSY;
}

static bool try_map(enum bpf_map_type type, unsigned key, unsigned value, unsigned entries, unsigned flags) {
    LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = flags);
    int fd = bpf_map_create(type, "ns_try", key, value, entries, &options);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Tells whether the kernel has AF_XDP. Without CAP_NET_RAW the kernel returns EPERM if it has such sockets at all. */
static bool try_afxdp(void) {
    int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
    bool has = fd >= 0 || errno == EPERM;

    if (fd >= 0)
        close(fd);
    return has && try_map(BPF_MAP_TYPE_XSKMAP, 4, 4, 1, 0);
}

static void try_features(struct ns_programs *programs) {
    int xdp = ns_programs_program(programs, "ns_xdp_entry");

    programs->features[NS_FEATURE_xdp_native] = try_xdp(xdp, XDP_FLAGS_DRV_MODE);
    programs->features[NS_FEATURE_xdp_generic] = try_xdp(xdp, XDP_FLAGS_SKB_MODE);
    programs->features[NS_FEATURE_tc] = ns_programs_program(programs, "ns_tc_mark") >= 0;
    programs->features[NS_FEATURE_count] = ns_programs_program(programs, "ns_tc_count") >= 0;
    programs->features[NS_FEATURE_ringbuf] = ns_programs_program(programs, "ns_tc_sample") >= 0;
    programs->features[NS_FEATURE_fib] = ns_programs_program(programs, "ns_xdp_offload") >= 0;
    programs->features[NS_FEATURE_afxdp] = programs->steers && try_afxdp();
    programs->features[NS_FEATURE_relay] =
        ns_programs_program(programs, "ns_tc_relay") >= 0 && ns_programs_program(programs, "ns_xdp_relay") >= 0;
    programs->features[NS_FEATURE_serval] = ns_programs_program(programs, "ns_xdp_serval") >= 0;
    programs->features[NS_FEATURE_answer] =
        ns_programs_program(programs, "ns_tc_answer") >= 0 && ns_programs_program(programs, "ns_xdp_answer") >= 0;
    programs->features[NS_FEATURE_mmap] = try_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_MMAPABLE);
}

void ns_programs_slot(const struct ns_programs *programs, const char *map, uint32_t slot, const char *name) {
    int slots = ns_programs_map(programs, map), fd = name == NULL ? -1 : ns_programs_program(programs, name);

    if (fd < 0)
        bpf_map_delete_elem(slots, &slot);
    else if (bpf_map_update_elem(slots, &slot, &fd, BPF_ANY) != 0)
        ns_error("%s: slot %u: %s", map, slot, strerror(errno));
}

int ns_programs_open(struct ns_programs *programs, const char *directory) {
    char path[512];

    libbpf_set_print(ns_libbpf_log);
    if (load(programs, directory, "entry") != 0)
        return -1;
    /*
     * Each of these objects may be missing, and its function with it. The entry has all maps that two objects share.
     */
    load(programs, directory, "count");
    load(programs, directory, "mark");
    load(programs, directory, "offload");
    load(programs, directory, "relay");
    load(programs, directory, "relay_tc");
    load(programs, directory, "serval");
    load(programs, directory, "answer");
    load(programs, directory, "answer_tc");
    load(programs, directory, "leave_tc");
    if (try_map(BPF_MAP_TYPE_RINGBUF, 0, 0, NS_SAMPLE_RING_BYTES, 0))
        load(programs, directory, "sample");
    snprintf(path, sizeof path, "%s/steer.bpf.o", directory);
    programs->steers = access(path, R_OK) == 0 && load(programs, directory, "steer") == 0;
    try_features(programs);
    ns_own_load(&programs->owns, programs);
    return 0;
}

/* --- attaching --- */

bool ns_programs_hook(const struct ns_programs *programs, const char *name, unsigned index, bool out,
                      struct ns_hooked *hooked) {
    LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)index, .attach_point = out ? BPF_TC_EGRESS : BPF_TC_INGRESS);
    LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = TC_PRIORITY,
                .prog_fd = ns_programs_program(programs, name), .flags = BPF_TC_F_REPLACE);
    int made;

    *hooked = (struct ns_hooked){.index = index, .out = out};
    hooked->link =
        bpf_link_create(options.prog_fd, (int)index, (enum bpf_attach_type)(out ? TCX_EGRESS : TCX_INGRESS), NULL);
    if (hooked->link > 0)
        return true;
    hooked->link = 0;
    libbpf_set_print(NULL); /* the hook may exist, and libbpf would warn */
    made = bpf_tc_hook_create(&hook);
    libbpf_set_print(ns_libbpf_log);
    hooked->filter = (made == 0 || made == -EEXIST) && bpf_tc_attach(&hook, &options) == 0;
    return hooked->filter;
}

void ns_programs_unhook(struct ns_hooked *hooked) {
    if (hooked->link > 0)
        close(hooked->link);
    if (hooked->filter) {
        LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)hooked->index,
                    .attach_point = hooked->out ? BPF_TC_EGRESS : BPF_TC_INGRESS);
        LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = TC_PRIORITY);

        bpf_tc_detach(&hook, &options);
    }
    *hooked = (struct ns_hooked){0};
}

static void detach(struct ns_programs *programs, struct ns_attached *at) {
    uint32_t key = at->index;

    bpf_map_delete_elem(ns_programs_map(programs, "ns_interfaces"), &key);
    bpf_map_delete_elem(ns_programs_map(programs, "ns_locals"), &key);
    if (at->xdp_link >= 0)
        close(at->xdp_link);
    ns_programs_unhook(&at->entry);
    ns_programs_unhook(&at->left);
}

void ns_programs_detach(struct ns_programs *programs) {
    for (unsigned i = 0; i < programs->interfaces; i++)
        detach(programs, &programs->attached[i]);
    programs->interfaces = 0;
}

static int try_mode(struct ns_programs *programs, struct ns_attached *at, enum ns_xdp_mode mode) {
    LIBBPF_OPTS(bpf_link_create_opts, options,
                .flags = mode == NS_XDP_NATIVE ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);

    at->xdp_link = bpf_link_create(ns_programs_program(programs, "ns_xdp_entry"), (int)at->index, BPF_XDP, &options);
    if (at->xdp_link < 0)
        return -1;
    at->mode = mode;
    return 0;
}

static void attach_xdp(struct ns_programs *programs, struct ns_attached *at, enum ns_xdp_mode mode) {
    if (mode != NS_XDP_GENERIC && try_mode(programs, at, NS_XDP_NATIVE) == 0)
        return;
    if (mode != NS_XDP_NATIVE && try_mode(programs, at, NS_XDP_GENERIC) == 0)
        return;
    ns_warn("%s: XDP: %s", at->name, strerror(errno));
}

static int link_address(const char *name, uint8_t address[6]) {
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result;

    memcpy(request.ifr_name, name, strlen(name));
    result = fd < 0 ? -1 : ioctl(fd, SIOCGIFHWADDR, &request);
    if (fd >= 0)
        close(fd);
    memcpy(address, request.ifr_hwaddr.sa_data, 6);
    return result;
}

/* Tells whether an interface is one end of a veth pair. */
static bool is_pair(const char *name) {
    struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
    struct ifreq request = {.ifr_data = (char *)&driver};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool pair;

    memcpy(request.ifr_name, name, strlen(name));
    pair = fd >= 0 && ioctl(fd, SIOCETHTOOL, &request) == 0 && strcmp(driver.driver, "veth") == 0;
    if (fd >= 0)
        close(fd);
    return pair;
}

/*
 * Attaches the entries to an interface. A packet is redirected only to an interface with entries, because another
 * interface's driver need not accept redirected packets.
 */
static void attach(struct ns_programs *programs, struct ns_attached *at, enum ns_xdp_mode mode, bool direct) {
    struct ns_interface interface = {0};
    uint32_t key;

    at->xdp_link = -1;
    at->index = key = if_nametoindex(at->name);
    if (at->index == 0 || link_address(at->name, interface.address) != 0) {
        ns_warn("%s: %s", at->name, strerror(errno));
        return;
    }
    if (direct || programs->steers || ns_own_xdp(&programs->owns))
        attach_xdp(programs, at, mode);
    if (!ns_programs_hook(programs, "ns_tc_entry", at->index, false, &at->entry))
        ns_warn("%s: tc: %s", at->name, strerror(errno));
    if (programs->leaves && !ns_programs_hook(programs, "ns_tc_left_entry", at->index, true, &at->left))
        ns_warn("%s: the way out of containers: %s", at->name, strerror(errno));
    interface.native = at->mode == NS_XDP_NATIVE;
    interface.pair = is_pair(at->name);
    if (at->mode != NS_XDP_NONE &&
        bpf_map_update_elem(ns_programs_map(programs, "ns_interfaces"), &key, &interface, BPF_ANY) != 0)
        ns_warn("%s: %s", at->name, strerror(errno));
}

/*
 * Fills the slots of flows and of the programs that come before them. All share a slot that entries look into: relays
 * come first, and then go on to the flows in a slot behind it. Flows are never without a slot meanwhile.
 */
static void fill_pair(const struct ns_programs *programs, const char *slots, uint32_t first, uint32_t behind,
                      const char *relay, const char *flow) {
    if (relay != NULL)
        ns_programs_slot(programs, slots, behind, flow);
    ns_programs_slot(programs, slots, first, relay != NULL ? relay : flow);
    if (relay == NULL)
        ns_programs_slot(programs, slots, behind, NULL);
}

/*
 * Fills the slot behind answers with flows, if there are both. Returns the program that has the place of flows: answers
 * while there are any.
 */
static const char *fill_answers(const struct ns_programs *programs, bool here, const char *slots, uint32_t behind,
                                const char *answer, const char *flow) {
    bool both = here && programs->answers && programs->flows;

    if (both)
        ns_programs_slot(programs, slots, behind, flow);
    return !here ? NULL : programs->answers ? answer : programs->flows ? flow : NULL;
}

/* Empties the slot behind answers, if it is not needed, when no program calls it any more. */
static void empty_behind(const struct ns_programs *programs, bool here, const char *slots, uint32_t behind) {
    if (!here || !programs->answers || !programs->flows)
        ns_programs_slot(programs, slots, behind, NULL);
}

static void fill_flows(const struct ns_programs *programs) {
    bool direct = programs->direct, relays = programs->relays;
    const char *relay = direct && relays ? "ns_xdp_relay" : NULL,
               *flow = fill_answers(programs, direct, "ns_xdp_slots", NS_XDP_BEHIND, "ns_xdp_answer", "ns_xdp_offload"),
               *tc_flow = fill_answers(programs, !direct, "ns_tc_slots", NS_TC_BEHIND, "ns_tc_answer", "ns_tc_mark");

    if (direct && programs->serval) {
        fill_pair(programs, "ns_xdp_slots", NS_XDP_RELAYS, NS_XDP_FLOWS, relay, flow);
        ns_programs_slot(programs, "ns_xdp_slots", NS_XDP_OFFLOAD, "ns_xdp_serval");
    } else {
        fill_pair(programs, "ns_xdp_slots", NS_XDP_OFFLOAD, NS_XDP_FLOWS, relay, flow);
        ns_programs_slot(programs, "ns_xdp_slots", NS_XDP_RELAYS, NULL);
    }
    fill_pair(programs, "ns_tc_slots", NS_TC_OFFLOAD, NS_TC_FLOWS, !direct && relays ? "ns_tc_relay" : NULL, tc_flow);
    empty_behind(programs, direct, "ns_xdp_slots", NS_XDP_BEHIND);
    empty_behind(programs, !direct, "ns_tc_slots", NS_TC_BEHIND);
}

void ns_programs_need(struct ns_programs *programs, bool flows, bool counts) {
    if (programs->flows != flows) {
        programs->flows = flows;
        fill_flows(programs);
    }
    if (programs->counts != counts) {
        programs->counts = counts;
        ns_programs_slot(programs, "ns_tc_slots", NS_TC_COUNT, counts ? "ns_tc_count" : NULL);
    }
}

void ns_programs_relays(struct ns_programs *programs, bool relays) {
    if (programs->relays == relays)
        return;
    programs->relays = relays;
    fill_flows(programs);
}

void ns_programs_serval(struct ns_programs *programs, bool rules) {
    if (programs->serval == rules)
        return;
    programs->serval = rules;
    fill_flows(programs);
}

void ns_programs_answers(struct ns_programs *programs, bool answers) {
    if (programs->answers == answers)
        return;
    programs->answers = answers;
    fill_flows(programs);
}

void ns_programs_attach(struct ns_programs *programs, unsigned count, const char (*names)[NS_INTERFACE_MAX + 1],
                        enum ns_xdp_mode mode, bool direct) {
    ns_programs_detach(programs);
    programs->direct = direct;
    programs->leaves = direct && ns_programs_program(programs, "ns_tc_leave") >= 0;
    ns_programs_slot(programs, "ns_leave_slots", NS_LEAVE_SLOT, programs->leaves ? "ns_tc_leave" : NULL);
    ns_programs_slot(programs, "ns_leave_slots", NS_LEFT_SLOT, programs->leaves ? "ns_tc_left" : NULL);
    ns_programs_slot(programs, "ns_xdp_slots", NS_XDP_STEER, programs->steers ? "ns_steer" : NULL);
    fill_flows(programs);
    for (unsigned i = 0; i < count && i < NS_FASTPATH_INTERFACES; i++) {
        struct ns_attached *at = &programs->attached[programs->interfaces++];

        *at = (struct ns_attached){.mode = NS_XDP_NONE};
        memcpy(at->name, names[i], sizeof at->name);
        attach(programs, at, mode, direct);
    }
}

void ns_programs_local(struct ns_programs *programs, const char *name) {
    const uint8_t yes = 1;

    for (unsigned i = 0; i < programs->interfaces; i++) {
        const struct ns_attached *at = &programs->attached[i];

        if (strcmp(at->name, name) == 0 && at->index != 0 &&
            bpf_map_update_elem(ns_programs_map(programs, "ns_locals"), &at->index, &yes, BPF_ANY) != 0)
            ns_warn("%s: %s", name, strerror(errno));
    }
}
