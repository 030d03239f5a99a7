/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send.bpf.c - writes the parts that differ from frame to frame and sends the frame out. BPF_PROG_TEST_RUN runs it
 * on live frames, and one batch is one burst. The kernel makes the frames, so that sending costs a fraction of
 * forwarding. A frame comes again as the router left it, so the program writes the headers each time.
 */
#include "wire.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

#define POLLS (1u << 22) /* some tenths of a second; the burst is late then */

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct wire_send);
} state SEC(".maps");

static long due(__u32 i, void *context) {
    const __u64 *next = context;

    return bpf_ktime_get_ns() >= *next;
}

static __always_inline void wait(struct wire_send *s) {
    __u64 now = bpf_ktime_get_ns(), next;

    if (s->sent == 0)
        s->begun = now;
    s->last = now;
    if (s->interval == 0)
        return;
    /* Do not make up for missed bursts, because that would be a burst as long as the pause. */
    if (s->next == 0 || now > s->next + s->interval)
        s->next = now;
    next = s->next;
    bpf_loop(POLLS, due, &next, 0);
    s->next = next + s->interval;
    s->last = bpf_ktime_get_ns();
}

static __always_inline __u16 fold(__u32 sum) {
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (__u16)~sum;
}

SEC("xdp")
int send(struct xdp_md *ctx) {
    __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    __u32 key = 0, flow, sum;
    struct wire_send *s = bpf_map_lookup_elem(&state, &key);
    __u8 *stamp;
    __u64 now;

    if (s == 0 || data + WIRE_WRITTEN > end || s->stamp > 1024)
        return XDP_ABORTED;
    stamp = data + s->stamp;
    if (stamp + WIRE_STAMP > end || s->burst == 0)
        return XDP_ABORTED;
    if (s->sent % s->burst == 0)
        wait(s);
    flow = (__u32)s->sent++ & (WIRE_FLOWS - 1);
    now = bpf_ktime_get_ns();
    __builtin_memcpy(data, s->header, WIRE_WRITTEN);
    sum = s->udp_sum + (flow << 8);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        __u16 pair = (__u16)('a' + ((now >> (60 - 8 * i)) & 15)) | (__u16)(('a' + ((now >> (56 - 8 * i)) & 15)) << 8);

        *(__u16 *)(stamp + 2 * i) = pair;
        sum += pair;
    }
    data[29] += (__u8)flow;
    *(__u16 *)(data + 24) = fold(s->ip_sum + (flow << 8));
    *(__u16 *)(data + WIRE_UDP + 6) = fold(sum);
    return bpf_redirect(s->ifindex, 0);
}

char _license[] SEC("license") = "GPL";
