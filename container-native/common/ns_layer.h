/* SPDX-License-Identifier: Apache-2.0 */
/* ns_layer.h - the layers of isolation by name (docs/protocols/spawner.md), as sets of bits. */
#ifndef NS_LAYER_H
#define NS_LAYER_H

#include <stdbool.h>
#include <stdint.h>

/* X(constant, name), in the order of docs/protocols/spawner.md; layers.c has the order of entering */
#define NS_LAYERS(X)                                                                                                   \
    X(CGROUP, "cgroup")                                                                                                \
    X(USER, "user")                                                                                                    \
    X(PID, "pid")                                                                                                      \
    X(MOUNT, "mount")                                                                                                  \
    X(NET, "net")                                                                                                      \
    X(IPC, "ipc")                                                                                                      \
    X(UTS, "uts")                                                                                                      \
    X(RULES, "rules")                                                                                                  \
    X(DISK, "disk")                                                                                                    \
    X(RLIMITS, "rlimits")                                                                                              \
    X(UID, "uid")                                                                                                      \
    X(CAPABILITIES, "capabilities")                                                                                    \
    X(NO_NEW_PRIVS, "no-new-privs")                                                                                    \
    X(LANDLOCK, "landlock")                                                                                            \
    X(LANDLOCK_NET, "landlock-net")                                                                                    \
    X(SECCOMP, "seccomp")                                                                                              \
    X(JAVA, "java")

enum ns_layer {
#define NS_X(constant, name) NS_LAYER_##constant,
    NS_LAYERS(NS_X)
#undef NS_X
        NS_LAYER_COUNT
};

typedef uint32_t ns_layer_set;

#define NS_LAYER_BIT(layer) ((ns_layer_set)1 << (layer))
#define NS_LAYER_ALL (NS_LAYER_BIT(NS_LAYER_COUNT) - 1)
/* if the machine lacks one of these, every process that the spawner starts does without it */
#define NS_LAYER_NAMESPACES                                                                                            \
    (NS_LAYER_BIT(NS_LAYER_USER) | NS_LAYER_BIT(NS_LAYER_PID) | NS_LAYER_BIT(NS_LAYER_MOUNT) |                         \
     NS_LAYER_BIT(NS_LAYER_NET) | NS_LAYER_BIT(NS_LAYER_IPC) | NS_LAYER_BIT(NS_LAYER_UTS))
/* A spare may do without these: other layers cover them, and its publisher's container does without them as well. */
#define NS_LAYER_SPARED NS_LAYER_BIT(NS_LAYER_LANDLOCK_NET)
#define NS_LAYER_TEXT 160 /* room for every name, separated by commas */

/* Adds the layer of that name, or every one for "all". False: there is none of that name. */
bool ns_layer_add(ns_layer_set *set, const char *name);

/*
 * Reads names separated by commas, as ns_layer_print writes
 * them. False: one of them names no layer; the set is then undefined.
 */
bool ns_layer_read(ns_layer_set *set, const char *text);

/* Adds to `without` the layers that mean nothing when one of its layers is out. */
ns_layer_set ns_layer_missing(ns_layer_set without);

const char *ns_layer_name(enum ns_layer layer);

static inline bool ns_layer_has(ns_layer_set set, enum ns_layer layer) {
    return (set & NS_LAYER_BIT(layer)) != 0;
}

/* The names, in order, separated by commas; empty for none. */
void ns_layer_print(ns_layer_set set, char text[NS_LAYER_TEXT]);

#endif
