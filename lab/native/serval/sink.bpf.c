/* SPDX-License-Identifier: Apache-2.0 */
/* sink.bpf.c - counts the packets of `netserv bench serval` where they arrive, and drops them. */
#include "serval.h"

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct serval_sink);
} state SEC(".maps");

SEC("xdp")
int sink(struct xdp_md *ctx) {
    __u32 key = 0;
    struct serval_sink *s = bpf_map_lookup_elem(&state, &key);

    if (s == 0 || ctx->data_end - ctx->data < SERVAL_FRAME)
        return XDP_PASS;
    __sync_fetch_and_add(&s->packets, 1);
    return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
