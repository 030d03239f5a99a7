/* SPDX-License-Identifier: Apache-2.0 */
/* programs.h - the programs and maps in the kernel. All of it is held by descriptors of this process, and ends with it. */
#ifndef NS_BPFD_PROGRAMS_H
#define NS_BPFD_PROGRAMS_H

#include "ns_programs.h"
#include "ns_value.h"
#include "own.h"
#include <stdbool.h>

struct bpf_object;

#define NS_FEATURES(X) X(xdp_native) X(xdp_generic) X(tc) X(count) X(ringbuf) X(fib) X(afxdp) X(mmap)

enum ns_feature {
#define NS_X(name) NS_FEATURE_##name,
    NS_FEATURES(NS_X)
#undef NS_X
        NS_FEATURE_KINDS
};

enum ns_xdp_mode { NS_XDP_NONE, NS_XDP_NATIVE, NS_XDP_GENERIC, NS_XDP_AUTO };

struct ns_attached {
    char name[NS_INTERFACE_MAX + 1];
    unsigned index;
    enum ns_xdp_mode mode;
    int xdp_link,
        tc_link; /* -1 = none; tc without a link is attached by netlink, and its slots are empty when we are gone */
    bool tc_filter;
};

#define NS_OBJECTS 6
#define NS_SHARED_MAPS 32

struct ns_programs {
    struct bpf_object *objects[NS_OBJECTS];
    unsigned object_count, map_count;
    struct ns_shared_map {
        const char *name;
        int fd;
    } maps[NS_SHARED_MAPS];
    bool features[NS_FEATURE_KINDS];
    bool steers;                /* steer.bpf.o is there and loaded */
    bool direct, flows, counts; /* what decides which slots are filled */
    struct ns_owns owns;
    unsigned interfaces;
    struct ns_attached attached[NS_FASTPATH_INTERFACES];
};

/* Loads what lies in `directory` and tries the features. 0, or -1: nothing can be done here, as the log says. */
int ns_programs_open(struct ns_programs *programs, const char *directory);

/* Descriptor of a map; -1 = there is no such map. */
int ns_programs_map(const struct ns_programs *programs, const char *name);

/* Descriptor of a program; -1 = there is none of this name. */
int ns_programs_program(const struct ns_programs *programs, const char *name);

/*
 * Puts a new map of one element, with this value, into a place of an array of maps. Programs that run meanwhile see the map before or this
 * one, and none uses the one before when this returns. 0, or -1 with errno: the map before stands.
 */
int ns_programs_swap(const struct ns_programs *programs, const char *map, uint32_t place, const void *value,
                     size_t size);

/* Another program for a slot of that map, NULL = none. */
void ns_programs_slot(const struct ns_programs *programs, const char *map, uint32_t slot, const char *name);

/*
 * Fills the slots of programs that have something to do and empties the others': one that only finds that there is nothing costs each packet a
 * look into a table. True before the first flow, or filter that counts; false some time after the last. Changes nothing if it is as before.
 */
void ns_programs_need(struct ns_programs *programs, bool flows, bool counts);

/* Attaches the entries; what was attached before goes. The mode of each is left in `attached`, with the reason for none in the log. */
void ns_programs_attach(struct ns_programs *programs, unsigned count, const char (*names)[NS_INTERFACE_MAX + 1],
                        enum ns_xdp_mode mode, bool direct);

void ns_programs_detach(struct ns_programs *programs);

#endif
