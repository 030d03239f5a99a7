/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sal.bpf.c - sends datagrams to serviceIDs that it draws among the live ones. BPF_PROG_TEST_RUN runs it on live
 * frames. A frame comes again as the router left it, so the program writes all headers each time.
 */
#include "serval.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct serval_send);
} state SEC(".maps");

static __always_inline __u32 draw(struct serval_send *s) {
    __u32 x = s->random;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    s->random = x;
    return (__u32)((__u64)x * s->live >> 32);
}

SEC("xdp")
int sal(struct xdp_md *ctx) {
    __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
    __u32 key = 0, index, sum;
    struct serval_send *s = bpf_map_lookup_elem(&state, &key);

    if (s == 0 || data + SERVAL_FRAME > end)
        return XDP_ABORTED;
    s->last = bpf_ktime_get_ns();
    if (s->sent++ == 0)
        s->begun = s->last;
    for (int i = 0; i < (int)SERVAL_WRITTEN; i += 8)
        *(__u64 *)(data + i) = *(__u64 *)(s->header + i);
    index = draw(s);
    sum = s->sum;
    for (__u32 i = 0; i < 8; i++) {
        __u32 word = serval_word(index, i);

        *(__u32 *)(data + SERVAL_ID + 4 * i) = word;
        sum += (word & 0xffff) + (word >> 16);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    *(__u16 *)(data + SERVAL_SAL + 10) = (__u16)~sum;
    return bpf_redirect(s->ifindex, 0);
}

char _license[] SEC("license") = "GPL";
