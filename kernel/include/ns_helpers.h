/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * ns_helpers.h - helpers of the kernel that libbpf's headers before 0.6 do not name. A program that calls one is made
 * everywhere. An older kernel refuses it, and the node goes on without it.
 */
#ifndef NS_HELPERS_H
#define NS_HELPERS_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#if !__has_include(<bpf/libbpf_version.h>)
static long (*bpf_loop)(__u32 count, void *step, void *context, __u64 flags) = (void *)181; /* Linux 5.17 */
static long (*bpf_xdp_load_bytes)(struct xdp_md *context, __u32 at, void *to, __u32 bytes) = (void *)189; /* 5.18 */
static long (*bpf_xdp_store_bytes)(struct xdp_md *context, __u32 at, void *from, __u32 bytes) = (void *)190;
#endif

#endif
