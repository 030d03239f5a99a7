/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - programs of the operator, in the slots that are kept for them. The spawner opens their files and hands the
 * descriptors over at the start. bpfd opens no path, and loads the programs before it gives up the right to load any.
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
    char why[96];      /* reason why the program is not in its slot */
};

struct ns_owns {
    unsigned count;
    struct ns_own own[NS_OWN_MAX];
};

/*
 * Adds a program: "xdp-2:7" or "tc-3:8" name hook, slot and descriptor of its file. Returns false if the text is bad,
 * or if the slot already has a program.
 */
bool ns_own_add(struct ns_owns *owns, const char *text);

struct ns_programs;

/*
 * Puts each program into its slot. A program that cannot be loaded leaves its slot empty, with the reason in `why`.
 * Closes the files.
 */
void ns_own_load(struct ns_owns *owns, const struct ns_programs *programs);

/* Tells whether one of the programs is in a slot of XDP. */
bool ns_own_xdp(const struct ns_owns *owns);

#endif
