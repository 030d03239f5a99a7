/* SPDX-License-Identifier: Apache-2.0 */
#include "programs.h"

#include "native.h"
#include "ns_libbpf.h"
#include "ns_libbpf_log.h"
#include "ns_log.h"
#include "ns_sal_set_up.h"
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TC_PRIORITY 49600
#define TC_HANDLE 1
#define PREFIX "ns_sal_" /* of the names of the maps that are pinned */

/* The programs that set flows up, in the order of enum ns_sal_call. */
static const char *const calls[NS_SAL_CALLS] = {"ns_sal_set_up_out", "ns_sal_set_up_in"};

/* --- loading --- */

/* Gives our maps their pins. A map that is pinned already is taken over when the object is loaded. */
static bool name_pins(struct bpf_object *object, const char *pins) {
    struct bpf_map *each;
    char path[PATH_MAX];

    bpf_object__for_each_map(each, object) {
        if (strncmp(bpf_map__name(each), PREFIX, strlen(PREFIX)) == 0 &&
            (snprintf(path, sizeof path, "%s/%s", pins, bpf_map__name(each)) >= (int)sizeof path ||
             bpf_map__set_pin_path(each, path) != 0))
            return false;
    }
    return true;
}

static int load(struct ns_sal_programs *programs, const char *path, const char *pins, bool set_up) {
    struct bpf_map *saved;

    programs->object = bpf_object__open_file(path, NULL);
    if (programs->object == NULL)
        return -1;
    for (unsigned i = 0; !set_up && i < NS_SAL_CALLS; i++)
        bpf_program__set_autoload(bpf_object__find_program_by_name(programs->object, calls[i]), false);
    saved = bpf_object__find_map_by_name(programs->object, "ns_sal_saved");
    if (saved == NULL || bpf_map__set_value_size(saved, sizeof(struct ns_sal_kept)) != 0 ||
        !name_pins(programs->object, pins) || bpf_object__load(programs->object) != 0) {
        int why = errno;

        bpf_object__close(programs->object);
        programs->object = NULL;
        errno = why;
        return -1;
    }
    programs->set_up = set_up;
    return 0;
}

/* Loads the programs. Those that set flows up need atomics of Linux 5.12, and sald goes without them before. */
static int load_any(struct ns_sal_programs *programs, const char *path, const char *pins, bool set_up) {
    if (set_up && load(programs, path, pins, true) == 0)
        return 0;
    if (load(programs, path, pins, false) != 0)
        return -1;
    if (set_up)
        ns_warn("%s: the kernel does not take the programs that set flows up, so sald does it", path);
    return 0;
}

/* Removes the pins of our maps. Programs that hold a map go on with it. */
static void unpin(const char *pins) {
    struct dirent *entry;
    char path[PATH_MAX];
    DIR *directory = opendir(pins);

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0 &&
            snprintf(path, sizeof path, "%s/%s", pins, entry->d_name) < (int)sizeof path)
            unlink(path);
    }
    if (directory != NULL)
        closedir(directory);
}

int ns_sal_programs_map(const struct ns_sal_programs *programs, const char *name) {
    return bpf_object__find_map_fd_by_name(programs->object, name);
}

int ns_sal_programs_open(struct ns_sal_programs *programs, const char *object, const char *pins, bool set_up,
                         int (*event)(void *context, void *data, size_t size), void *context) {
    memset(programs, 0, sizeof *programs);
    libbpf_set_print(ns_libbpf_log);
    if (mkdir(pins, 0700) != 0 && errno != EEXIST) {
        ns_error("%s: %s", pins, strerror(errno));
        return -1;
    }
    if (load_any(programs, object, pins, set_up) != 0) {
        ns_warn("%s: %s; begin anew without the flows of %s", object, strerror(errno), pins);
        unpin(pins);
        if (load_any(programs, object, pins, set_up) != 0) {
            ns_error("%s: %s", object, strerror(errno));
            return -1;
        }
    }
    programs->tuples = ns_sal_programs_map(programs, "ns_sal_tuples");
    programs->natives = ns_sal_programs_map(programs, "ns_sal_natives");
    programs->flows = ns_sal_programs_map(programs, "ns_sal_flows");
    programs->uses = ns_sal_programs_map(programs, "ns_sal_uses");
    programs->saved = ns_sal_programs_map(programs, "ns_sal_saved");
    programs->settings = ns_sal_programs_map(programs, "ns_sal_settings");
    programs->counts = ns_sal_programs_map(programs, "ns_sal_counts");
    programs->places = ns_sal_programs_map(programs, "ns_sal_places");
    programs->processors = (unsigned)libbpf_num_possible_cpus();
    programs->events = ring_buffer__new(ns_sal_programs_map(programs, "ns_sal_events"), event, context, NULL);
    if (programs->events == NULL) {
        ns_error("ring buffer: %s", strerror(errno));
        return -1;
    }
    programs->events_fd = ring_buffer__epoll_fd(programs->events);
    return 0;
}

int ns_sal_programs_call(const struct ns_sal_programs *programs) {
    int array = ns_sal_programs_map(programs, "ns_set_calls");

    for (uint32_t i = 0; i < NS_SAL_CALLS; i++) {
        int fd = bpf_program__fd(bpf_object__find_program_by_name(programs->object, calls[i]));

        if (bpf_map_update_elem(array, &i, &fd, BPF_ANY) != 0)
            return -1;
    }
    return 0;
}

/* --- attaching --- */

static int attach(int program, unsigned interface, enum bpf_tc_attach_point point) {
    LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)interface, .attach_point = point);
    LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = TC_PRIORITY, .prog_fd = program,
                .flags = BPF_TC_F_REPLACE);
    int made;

    libbpf_set_print(NULL); /* the hook may exist, and libbpf would warn */
    made = bpf_tc_hook_create(&hook);
    libbpf_set_print(ns_libbpf_log);
    return (made != 0 && made != -EEXIST) || bpf_tc_attach(&hook, &options) != 0 ? -1 : 0;
}

static void detach(unsigned interface, enum bpf_tc_attach_point point) {
    LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = (int)interface, .attach_point = point);
    LIBBPF_OPTS(bpf_tc_opts, options, .handle = TC_HANDLE, .priority = TC_PRIORITY);

    libbpf_set_print(NULL); /* the interface may have no program */
    bpf_tc_detach(&hook, &options);
    libbpf_set_print(ns_libbpf_log);
}

static int program(const struct ns_sal_programs *programs, const char *name) {
    return bpf_program__fd(bpf_object__find_program_by_name(programs->object, name));
}

int ns_sal_programs_inside(struct ns_sal_programs *programs, const struct ns_sal_settings *settings, unsigned beside) {
    const uint32_t only = 0;

    if (bpf_map_update_elem(programs->settings, &only, settings, BPF_ANY) != 0)
        return -1;
    return attach(program(programs, "ns_sal_out"), beside, BPF_TC_INGRESS) != 0
               ? -1
               : attach(program(programs, "ns_sal_first_out"), settings->inside, BPF_TC_EGRESS);
}

int ns_sal_programs_attach(struct ns_sal_programs *programs, unsigned interface) {
    return attach(program(programs, "ns_sal_in"), interface, BPF_TC_INGRESS);
}

void ns_sal_programs_remove(const char *pins, const unsigned *interfaces, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        detach(interfaces[i], BPF_TC_INGRESS);
        detach(interfaces[i], BPF_TC_EGRESS);
    }
    unpin(pins);
    rmdir(pins);
}

/* --- flows --- */

/* Names the segments of a peer in the native form. Returns false if another flow has these names. */
static bool name_native(struct ns_sal_programs *programs, const struct ns_sal_way *way) {
    struct ns_sal_tuple names = ns_sal_native_names(way);
    uint32_t holder;

    return bpf_map_update_elem(programs->natives, &names, &way->own, BPF_NOEXIST) == 0 ||
           (bpf_map_lookup_elem(programs->natives, &names, &holder) == 0 && holder == way->own);
}

void ns_sal_programs_publish(struct ns_sal_programs *programs, const struct ns_sal_way *given) {
    const struct ns_sal_use none = {0};
    struct ns_sal_way copy = *given, *way = &copy;

    if (way->native && !name_native(programs, way))
        way->native = 0;
    bpf_map_update_elem(programs->uses, &way->own, &none, BPF_NOEXIST);
    if (bpf_map_update_elem(programs->flows, &way->own, way, BPF_ANY) != 0 ||
        bpf_map_update_elem(programs->tuples, &way->inner, &way->own, BPF_ANY) != 0)
        ns_warn("flow %08x: %s", ntohl(way->own), strerror(errno));
}

void ns_sal_programs_save(struct ns_sal_programs *programs, const struct ns_sal_kept *kept) {
    uint32_t own = htonl(kept->flow.id);

    if (bpf_map_update_elem(programs->saved, &own, kept, BPF_ANY) != 0)
        ns_warn("flow %08x: not saved: %s", kept->flow.id, strerror(errno));
}

/* Takes the names of a flow out of a map, unless a later one has the same already. */
static void unname(int map, const struct ns_sal_tuple *names, uint32_t own) {
    uint32_t holder;

    if (bpf_map_lookup_elem(map, names, &holder) == 0 && holder == own)
        bpf_map_delete_elem(map, names);
}

static void forget(struct ns_sal_programs *programs, uint32_t own, const struct ns_sal_kept *kept) {
    unname(programs->tuples, &kept->inner, own);
    if (kept->native.family != 0)
        unname(programs->natives, &kept->native, own);
    bpf_map_delete_elem(programs->flows, &own);
    bpf_map_delete_elem(programs->uses, &own);
    bpf_map_delete_elem(programs->saved, &own);
}

void ns_sal_programs_forget(struct ns_sal_programs *programs, const struct ns_sal_kept *kept) {
    forget(programs, htonl(kept->flow.id), kept);
}

bool ns_sal_programs_is_native(struct ns_sal_programs *programs, uint32_t id) {
    uint32_t own = htonl(id);
    struct ns_sal_way way;

    return bpf_map_lookup_elem(programs->flows, &own, &way) == 0 && way.native != NS_SAL_NATIVE_NEVER;
}

bool ns_sal_programs_use(struct ns_sal_programs *programs, uint32_t id, struct ns_sal_use *use) {
    uint32_t own = htonl(id);

    return bpf_map_lookup_elem(programs->uses, &own, use) == 0;
}

unsigned ns_sal_programs_restore(struct ns_sal_programs *programs,
                                 bool (*each)(void *context, const struct ns_sal_kept *kept), void *context) {
    uint32_t key, *from = NULL, next;
    struct ns_sal_kept kept;
    unsigned restored = 0;

    for (int more = bpf_map_get_next_key(programs->saved, from, &key); more == 0; key = next) {
        more = bpf_map_get_next_key(programs->saved, &key, &next); /* before the entry may go */
        if (bpf_map_lookup_elem(programs->saved, &key, &kept) != 0)
            continue;
        if (htonl(kept.flow.id) == key && each(context, &kept))
            restored++;
        else
            forget(programs, key, &kept);
    }
    return restored;
}

static bool is_saved(const struct ns_sal_programs *programs, uint32_t own) {
    struct ns_sal_kept kept;

    return bpf_map_lookup_elem(programs->saved, &own, &kept) == 0;
}

/* Removes the entries of flows that are not saved from a map by flowID. Returns their number. */
static unsigned clean_flows(const struct ns_sal_programs *programs, int map) {
    uint32_t key, next;
    unsigned removed = 0;

    for (int more = bpf_map_get_next_key(map, NULL, &key); more == 0; key = next) {
        more = bpf_map_get_next_key(map, &key, &next); /* before the entry may go */
        if (!is_saved(programs, key) && bpf_map_delete_elem(map, &key) == 0)
            removed++;
    }
    return removed;
}

/* The same for a map of flowIDs by names. */
static void clean_names(const struct ns_sal_programs *programs, int map) {
    struct ns_sal_tuple key, next;
    uint32_t own;

    for (int more = bpf_map_get_next_key(map, NULL, &key); more == 0; key = next) {
        more = bpf_map_get_next_key(map, &key, &next);
        if (bpf_map_lookup_elem(map, &key, &own) == 0 && !is_saved(programs, own))
            bpf_map_delete_elem(map, &key);
    }
}

unsigned ns_sal_programs_clean(const struct ns_sal_programs *programs) {
    clean_names(programs, programs->tuples);
    clean_names(programs, programs->natives);
    clean_flows(programs, programs->uses);
    return clean_flows(programs, programs->flows);
}

void ns_sal_programs_read_places(struct ns_sal_programs *programs, struct ns_sal_names *names) {
    for (uint32_t i = 0; i < NS_SAL_SURROGATES; i++)
        bpf_map_lookup_elem(programs->places, &i, &names->places[i]);
}

void ns_sal_programs_write_place(struct ns_sal_programs *programs, const struct ns_sal_names *names, unsigned place) {
    uint32_t key = place;

    bpf_map_update_elem(programs->places, &key, &names->places[place], BPF_ANY);
}

void ns_sal_programs_count(struct ns_sal_programs *programs, uint64_t counts[NS_SAL_COUNT_KINDS]) {
    uint64_t *values = calloc(programs->processors, sizeof *values);

    memset(counts, 0, NS_SAL_COUNT_KINDS * sizeof *counts);
    for (uint32_t kind = 0; values != NULL && kind < NS_SAL_COUNT_KINDS; kind++) {
        if (bpf_map_lookup_elem(programs->counts, &kind, values) != 0)
            continue;
        for (unsigned i = 0; i < programs->processors; i++)
            counts[kind] += values[i];
    }
    free(values);
}
