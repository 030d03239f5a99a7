/* SPDX-License-Identifier: Apache-2.0 */
#include "link.h"
#include "mlffr.h"
#include "ns_libbpf.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static int failed(const char *what) {
    fprintf(stderr, "lab-mlffr: %s: %s\n", what, strerror(errno));
    return -1;
}

/* Loads one of the two objects and maps the state that it shares with this process. */
static struct bpf_program *load(const char *objects, const char *name, size_t bytes, void **state) {
    char path[512];
    struct bpf_object *object;
    struct bpf_map *map;

    snprintf(path, sizeof path, "%s/lab-%s.bpf.o", objects, name);
    object = bpf_object__open_file(path, NULL);
    if (object == NULL || bpf_object__load(object) != 0)
        return NULL;
    map = bpf_object__find_map_by_name(object, "state");
    *state = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    return *state == MAP_FAILED ? NULL : bpf_object__find_program_by_name(object, name);
}

int wires_address(const struct place *place, uint8_t address[6]) {
    if (netns_enter(place->name) != 0)
        return -1;
    return link_address(place->interface, address) == 0 ? 0 : failed(place->interface);
}

int wires_open_receiver(struct wires *wires, const char *objects, const struct place *receiver, uint16_t port) {
    struct bpf_program *program;
    unsigned index;

    if (netns_enter(receiver->name) != 0)
        return -1;
    index = if_nametoindex(receiver->interface);
    program = load(objects, "count", sizeof *wires->count, (void **)&wires->count);
    if (index == 0 || program == NULL || bpf_program__attach_xdp(program, (int)index) == NULL)
        return failed("the receiver");
    wires->count->port = htons(port);
    return 0;
}

int wires_open_sender(struct wires *wires, const char *objects, const struct place *sender) {
    struct bpf_program *program;

    if (netns_enter(sender->name) != 0)
        return -1;
    program = load(objects, "send", sizeof *wires->send, (void **)&wires->send);
    if (program == NULL)
        return failed("the sender");
    wires->program = bpf_program__fd(program);
    *wires->send = (struct wire_send){
        .ifindex = if_nametoindex(sender->interface),
        .stamp = wires->frame.stamp,
        .ip_sum = wires->frame.ip_sum,
        .udp_sum = wires->frame.udp_sum,
    };
    memcpy(wires->send->header, wires->frame.bytes, WIRE_WRITTEN);
    return wires->send->ifindex == 0 ? failed(sender->interface) : 0;
}

int64_t wires_send(struct wires *wires, uint64_t packets, uint32_t burst, uint64_t interval) {
    DECLARE_LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = wires->frame.bytes,
                        .data_size_in = (uint32_t)wires->frame.length, .repeat = (int)packets,
                        .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = burst);
    uint64_t took;

    wires->send->burst = burst;
    wires->send->interval = interval;
    wires->send->next = 0;
    wires->send->sent = 0;
    if (bpf_prog_test_run_opts(wires->program, &options) != 0) {
        failed("sending");
        return -1;
    }
    took = wires->send->last - wires->send->begun; /* without the last burst */
    return (int64_t)(packets > burst ? took * packets / (packets - burst) : took + 1);
}
