/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - the answers to the kernel for its packets, behind function pointers so that tests can replace the
 * kernel.
 */
#ifndef NS_KERNEL_H
#define NS_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct ns_answer {
    bool copy;        /* the packet came by the queue of copies */
    bool xdp;         /* came by an AF_XDP socket: `id` is its frame, and the verdict's mark has no meaning */
    bool has_mark;    /* `mark` replaces the packet's */
    uint32_t id;      /* the kernel's packet id, or the frame */
    uint32_t verdict; /* NF_ACCEPT, NF_DROP, NF_REPEAT */
    uint32_t mark;
    const uint8_t *payload; /* replaces the packet if not NULL; read before answer() returns */
    uint32_t length;        /* of the payload, bytes */
};

struct ns_kernel {
    void *context;
    /* Answers take effect in the order of the calls, at the latest with flush(). */
    void (*answer)(void *context, const struct ns_answer *answer);
    /* Accepts every unanswered packet of the packet queue up to and including `id`, in the order of the ids. */
    void (*accept_up_to)(void *context, uint32_t id);
    void (*flush)(void *context);
};

#endif
