/* SPDX-License-Identifier: Apache-2.0 */
#include "own.h"

#include "ns_libbpf.h"
#include "ns_log.h"
#include "programs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MOST (1 << 20)

bool ns_own_add(struct ns_owns *owns, const char *text) {
    struct ns_own own = {.tc = text[0] == 't', .program = -1};
    char hook[4], rest;

    if (owns->count == NS_OWN_MAX || sscanf(text, "%3[a-z]-%1u:%d%c", hook, &own.slot, &own.file, &rest) != 3 ||
        strcmp(hook, own.tc ? "tc" : "xdp") != 0 || own.slot < NS_SLOT_OWN || own.slot >= NS_SLOTS || own.file < 3)
        return false;
    for (unsigned i = 0; i < owns->count; i++) {
        if (owns->own[i].tc == own.tc && owns->own[i].slot == own.slot)
            return false;
    }
    owns->own[owns->count++] = own;
    return true;
}

static const char *map_of(bool tc) {
    return tc ? "ns_tc_slots" : "ns_xdp_slots";
}

static bool refuse(struct ns_own *own, const char *why) {
    snprintf(own->why, sizeof own->why, "%s", why);
    return false;
}

static struct bpf_object *open_file(struct ns_own *own) {
    struct bpf_object *object = NULL;
    struct stat status;
    void *bytes;

    if (fstat(own->file, &status) != 0 || status.st_size <= 0 || status.st_size > FILE_MOST) {
        refuse(own, "not a file of 1 byte to 1 MiB");
        return NULL;
    }
    bytes = malloc((size_t)status.st_size);
    if (bytes != NULL && pread(own->file, bytes, (size_t)status.st_size, 0) == status.st_size)
        object = bpf_object__open_mem(bytes, (size_t)status.st_size, NULL);
    free(bytes);
    if (object == NULL)
        refuse(own, "not an object with BPF programs");
    return object;
}

/*
 * Shares the slots with the operator's object, so that its program can go on to the next one. It gets no other map of
 * ours. A pinned map is refused, because it would be found by a path.
 */
static bool share_slots(struct ns_own *own, const struct ns_programs *programs, struct bpf_object *object) {
    struct bpf_map *map;

    bpf_object__for_each_map(map, object) {
        const char *name = bpf_map__name(map);

        if (bpf_map__pin_path(map) != NULL)
            return refuse(own, "it pins a map");
        if ((strcmp(name, map_of(true)) == 0 || strcmp(name, map_of(false)) == 0) &&
            bpf_map__reuse_fd(map, ns_programs_map(programs, name)) != 0)
            return refuse(own, "other slots than ours");
    }
    return true;
}

static struct bpf_program *only_one(struct ns_own *own, struct bpf_object *object) {
    struct bpf_program *only = bpf_object__next_program(object, NULL);

    if (only == NULL || bpf_object__next_program(object, only) != NULL ||
        bpf_program__type(only) != (own->tc ? BPF_PROG_TYPE_SCHED_CLS : BPF_PROG_TYPE_XDP)) {
        refuse(own, own->tc ? "not one program, for tc" : "not one program, for xdp");
        return NULL;
    }
    return only;
}

static bool put(struct ns_own *own, const struct ns_programs *programs, struct bpf_object *object) {
    struct bpf_program *program = only_one(own, object);
    int fd;

    if (program == NULL || !share_slots(own, programs, object))
        return false;
    if (bpf_object__load(object) != 0) {
        snprintf(own->why, sizeof own->why, "the kernel refuses it: %s; the log says where", strerror(errno));
        return false;
    }
    fd = bpf_program__fd(program);
    if (bpf_map_update_elem(ns_programs_map(programs, map_of(own->tc)), &own->slot, &fd, BPF_ANY) != 0) {
        snprintf(own->why, sizeof own->why, "not fit for the slot: %s", strerror(errno));
        return false;
    }
    own->program = fd;
    return true;
}

/* Puts the operator's first program, in the lowest slot, into the place where entries look for it. */
static void put_first(const struct ns_owns *owns, const struct ns_programs *programs, bool tc) {
    const struct ns_own *first = NULL;
    uint32_t place = NS_SLOT_FIRST;

    for (unsigned i = 0; i < owns->count; i++) {
        const struct ns_own *own = &owns->own[i];

        if (own->tc == tc && own->program >= 0 && (first == NULL || own->slot < first->slot))
            first = own;
    }
    if (first != NULL && bpf_map_update_elem(ns_programs_map(programs, map_of(tc)), &place, &first->program, BPF_ANY))
        ns_error("%s: first: %s", map_of(tc), strerror(errno));
}

/* Loads the operator's programs. An object in use stays open, because it holds its maps and programs. */
void ns_own_load(struct ns_owns *owns, const struct ns_programs *programs) {
    for (unsigned i = 0; i < owns->count; i++) {
        struct ns_own *own = &owns->own[i];
        struct bpf_object *object = open_file(own);

        if (object != NULL && !put(own, programs, object))
            bpf_object__close(object);
        close(own->file);
        if (own->program >= 0)
            ns_info("%s-%u: the operator's program is there", own->tc ? "tc" : "xdp", own->slot);
        else
            ns_warn("%s-%u: the operator's program is not taken: %s", own->tc ? "tc" : "xdp", own->slot, own->why);
    }
    put_first(owns, programs, false);
    put_first(owns, programs, true);
}

bool ns_own_xdp(const struct ns_owns *owns) {
    for (unsigned i = 0; i < owns->count; i++) {
        if (!owns->own[i].tc && owns->own[i].program >= 0)
            return true;
    }
    return false;
}
