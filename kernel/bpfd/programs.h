/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - the programs and maps in the kernel. Descriptors of this process hold all of them, so they end with
 * it.
 */
#ifndef NS_BPFD_PROGRAMS_H
#define NS_BPFD_PROGRAMS_H

#include "ns_programs.h"
#include "ns_value.h"
#include "own.h"
#include <stdbool.h>

struct bpf_object;

#define NS_FEATURES(X)                                                                                                 \
    X(xdp_native) X(xdp_generic) X(tc) X(count) X(ringbuf) X(fib) X(afxdp) X(mmap) X(relay) X(serval) X(answer)

enum ns_feature {
#define NS_X(name) NS_FEATURE_##name,
    NS_FEATURES(NS_X)
#undef NS_X
        NS_FEATURE_KINDS
};

enum ns_xdp_mode { NS_XDP_NONE, NS_XDP_NATIVE, NS_XDP_GENERIC, NS_XDP_AUTO };

/* A program at a hook of tc. */
struct ns_hooked {
    int link; /* 0 = none; without a link it is attached by netlink, and stays when bpfd is gone, with empty slots */
    unsigned index;
    bool filter, out; /* by netlink; at the egress */
};

struct ns_attached {
    char name[NS_INTERFACE_MAX + 1];
    unsigned index;
    enum ns_xdp_mode mode;
    int xdp_link; /* -1 = none */
    struct ns_hooked entry, left;
};

#define NS_OBJECTS 12
#define NS_SHARED_MAPS 40

struct ns_programs {
    struct bpf_object *objects[NS_OBJECTS];
    unsigned object_count, map_count;
    struct ns_shared_map {
        const char *name;
        int fd;
    } maps[NS_SHARED_MAPS];
    bool features[NS_FEATURE_KINDS];
    bool steers;                                         /* steer.bpf.o is there and loaded */
    bool direct, flows, relays, serval, answers, counts; /* these decide about the filling of slots */
    bool leaves;                                         /* packets of containers may leave past the stack */
    struct ns_owns owns;
    unsigned interfaces;
    struct ns_attached attached[NS_FASTPATH_INTERFACES];
};

/*
 * Loads the objects in `directory` and tries the features. Returns 0, or -1 if this kernel takes no programs; the log
 * has the reason.
 */
int ns_programs_open(struct ns_programs *programs, const char *directory);

/* Returns the descriptor of a map, or -1 if there is no such map. */
int ns_programs_map(const struct ns_programs *programs, const char *name);

/* Returns the descriptor of a program, or -1 if there is none of this name. */
int ns_programs_program(const struct ns_programs *programs, const char *name);

/*
 * Puts a new map of one element, with this value, into a place of an array of maps. Programs that run meanwhile see
 * the old map or the new one. When the function returns, no program uses the old map. Returns 0, or -1 with errno if
 * the old map remains.
 */
int ns_programs_swap(const struct ns_programs *programs, const char *map, uint32_t place, const void *value,
                     size_t size);

/* Puts another program into a slot of that map, NULL = none. */
void ns_programs_slot(const struct ns_programs *programs, const char *map, uint32_t slot, const char *name);

/*
 * Fills the slots of the programs that are needed and empties the others, because a program without work costs each
 * packet a look into a table. Call it with true before the first flow or counting filter, and with false some time
 * after the last one. Changes nothing if the needs are as before.
 */
void ns_programs_need(struct ns_programs *programs, bool flows, bool counts);

/* Do the same for relays, for rules of service routers, and for answers by template. */
void ns_programs_relays(struct ns_programs *programs, bool relays);
void ns_programs_serval(struct ns_programs *programs, bool rules);
void ns_programs_answers(struct ns_programs *programs, bool answers);

/* Tells whether anything is in the kernel that ends by itself. */
static inline bool ns_programs_work(const struct ns_programs *programs) {
    return programs->flows || programs->relays || programs->serval || programs->answers;
}

/*
 * Attaches the entries, and detaches the former ones. Leaves the mode of each interface in `attached`. If an
 * interface has none, the log has the reason.
 */
void ns_programs_attach(struct ns_programs *programs, unsigned count, const char (*names)[NS_INTERFACE_MAX + 1],
                        enum ns_xdp_mode mode, bool direct);

/*
 * Notes that the stack takes IPv4 packets with an address of the node as their source on an attached interface. Until
 * then tc relays none there. Ends with the interface's attachment.
 */
void ns_programs_local(struct ns_programs *programs, const char *name);

void ns_programs_detach(struct ns_programs *programs);

/*
 * Attaches a program at the ingress or the egress of an interface, in place of one that an earlier bpfd has left
 * behind. Returns false with errno if it cannot.
 */
bool ns_programs_hook(const struct ns_programs *programs, const char *name, unsigned index, bool out,
                      struct ns_hooked *hooked);

void ns_programs_unhook(struct ns_hooked *hooked);

#endif
