/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - programs of the operator's own, in the slots that are kept for them. The spawner opens their files and hands the descriptors
 * over at the start: bpfd opens no path, and loads them before it gives up the right to load any.
 */
#ifndef NS_BPFD_OWN_H
#define NS_BPFD_OWN_H

#include "ns_slots.h"
#include <stdbool.h>
#include <stddef.h>

#define NS_OWN_MAX (2u * (NS_SLOTS - NS_SLOT_OWN))

struct ns_own {
    bool tc;
    unsigned slot;
    int file, program; /* descriptors; program -1 = not in its slot */
    char why[96];      /* it is not */
};

struct ns_owns {
    unsigned count;
    struct ns_own own[NS_OWN_MAX];
};

/* "xdp-2:7", "tc-3:8": hook, slot, descriptor of its file. False if it is none, or its slot has one. */
bool ns_own_add(struct ns_owns *owns, const char *text);

struct ns_programs;

/* Puts each into its slot; one that cannot be there leaves it empty and says why. Closes the files. */
void ns_own_load(struct ns_owns *owns, const struct ns_programs *programs);

/* Has one of them XDP's slots? */
bool ns_own_xdp(const struct ns_owns *owns);

#endif
