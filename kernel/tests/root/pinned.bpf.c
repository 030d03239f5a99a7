/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* pinned - wants a map by its name in a file system, where bpfd does not look. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __uint(pinning, LIBBPF_PIN_BY_NAME);
    __type(key, __u32);
    __type(value, __u64);
} pinned SEC(".maps");

SEC("tc") int look(struct __sk_buff *packet) {
    __u32 zero = 0;

    return bpf_map_lookup_elem(&pinned, &zero) ? -1 : 2;
}

char own_license[] SEC("license") = "GPL";
