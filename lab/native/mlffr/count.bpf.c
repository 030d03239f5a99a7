/* SPDX-License-Identifier: Apache-2.0 */
/* count.bpf.c - counts the packets of a trial where they arrive, before the kernel handles them, and drops them. */
#include "wire.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct wire_count);
} state SEC(".maps");

static __always_inline void latency(struct wire_count *c, const __u8 *stamp, __u64 now) {
    __u64 sent = 0, micros;
    __u32 bucket;

#pragma unroll
    for (int i = 0; i < (int)WIRE_STAMP; i++)
        sent = sent << 4 | ((stamp[i] - 'a') & 15);
    micros = now > sent ? (now - sent) / 1000 : 0;
    bucket = micros < WIRE_BUCKETS ? (__u32)micros : WIRE_BUCKETS - 1;
    __sync_fetch_and_add(&c->micros[bucket & (WIRE_BUCKETS - 1)], 1);
}

/*
 * Returns the place of the stamp, 0 = none. The barrier keeps the sum in one register, because the verifier knows
 * a packet's length only behind the very pointer that was compared with its end.
 */
static __always_inline __u8 *find_stamp(__u8 *data, __u32 at) {
    if (at == 0 || at > 1024)
        return 0;
    data += at;
    asm volatile("" : "+r"(data));
    return data;
}

SEC("xdp")
int count(struct xdp_md *ctx) {
    __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    __u32 key = 0;
    __u8 *stamp;
    struct wire_count *c = bpf_map_lookup_elem(&state, &key);

    if (c == 0 || data + WIRE_PAYLOAD > end)
        return XDP_PASS;
    if (data[12] != 8 || data[13] != 0 || data[14] != 0x45 || data[23] != 17 ||
        *(__u16 *)(data + WIRE_UDP + 2) != c->port)
        return XDP_PASS;
    __sync_fetch_and_add(&c->packets, 1);
    __sync_fetch_and_add(&c->bytes, (__u64)(end - data));
    stamp = find_stamp(data, c->stamp);
    if (stamp != 0 && stamp + WIRE_STAMP <= end)
        latency(c, stamp, bpf_ktime_get_ns());
    return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
