/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ns_libbpf.h - libbpf, with the calls of version 1 also where it is older: Ubuntu 22.04 has 0.5. Before 0.6 libbpf has
 * no header that tells its version, and before 0.4 no tc; then nothing is made (libbpf.mk).
 */
#ifndef NS_LIBBPF_H
#define NS_LIBBPF_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#if !__has_include(<bpf/libbpf_version.h>)

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIBBPF_OPTS DECLARE_LIBBPF_OPTS

/* Has libbpf return errors as version 1 does: NULL or a negative number, with errno. */
__attribute__((constructor)) static void ns_libbpf_strict(void) {
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
}

/* Gives the programs of section "tc" their type: libbpf 0.5 knows that section as "classifier" alone. */
static inline struct bpf_object *ns_libbpf_typed(struct bpf_object *object) {
    struct bpf_program *program = NULL;

    while (object != NULL && (program = bpf_program__next(program, object)) != NULL) {
        if (strcmp(bpf_program__section_name(program), "tc") == 0)
            bpf_program__set_sched_cls(program);
    }
    return object;
}

struct bpf_map_create_opts {
    size_t sz;
    __u32 map_flags;
};

static inline int ns_libbpf_map_create(enum bpf_map_type type, const char *name, __u32 key, __u32 value, __u32 entries,
                                       const struct bpf_map_create_opts *options) {
    const struct bpf_create_map_attr attributes = {.name = name,
                                                   .map_type = type,
                                                   .map_flags = options == NULL ? 0 : options->map_flags,
                                                   .key_size = key,
                                                   .value_size = value,
                                                   .max_entries = entries};

    return bpf_create_map_xattr(&attributes);
}

/* Loads a program without a log. */
static inline int ns_libbpf_prog_load(enum bpf_prog_type type, const char *name, const char *license,
                                      const struct bpf_insn *instructions, size_t count, const void *options) {
    (void)name;
    (void)options;
    return bpf_load_program(type, instructions, count, license, 0, NULL, 0);
}

#define bpf_object__open_file(path, options) ns_libbpf_typed(bpf_object__open_file(path, options))
#define bpf_object__open_mem(bytes, size, options) ns_libbpf_typed(bpf_object__open_mem(bytes, size, options))
#define bpf_map_create ns_libbpf_map_create
#define bpf_prog_load ns_libbpf_prog_load
#define bpf_object__next_program(object, program) bpf_program__next(program, object)
#define bpf_program__type(program) bpf_program__get_type(program)
#define bpf_map__pin_path(map) bpf_map__get_pin_path(map)
#define bpf_map_delete_batch(map, keys, count, options) bpf_map_delete_batch(map, (void *)(keys), count, options)
#define bpf_xdp_attach(interface, program, flags, options) bpf_set_link_xdp_fd(interface, program, flags)
#define bpf_xdp_detach(interface, flags, options) bpf_set_link_xdp_fd(interface, -1, flags)
#define bpf_xdp_query_id(interface, flags, id) bpf_get_link_xdp_id(interface, id, flags)

#endif
#endif
