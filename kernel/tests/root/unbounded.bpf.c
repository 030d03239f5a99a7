/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* unbounded - reads where a packet may have no bytes, so that no kernel takes the program. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

SEC("tc") int unbounded(struct __sk_buff *packet) {
    return ((const char *)(long)packet->data)[packet->len & 0xff] == 0 ? -1 : 2;
}

char own_license[] SEC("license") = "GPL";
