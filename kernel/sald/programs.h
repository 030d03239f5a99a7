/* SPDX-License-Identifier: Apache-2.0 */
/*
 * programs.h - the kernel's programs of a host, and their maps. Maps are pinned and programs are filters of tc, so both
 * outlive sald: established flows go on without it, and the next sald finds them.
 */
#ifndef NS_SALD_PROGRAMS_H
#define NS_SALD_PROGRAMS_H

#include "held.h"
#include "names.h"

struct bpf_object;
struct ring_buffer;

struct ns_sal_programs {
    struct bpf_object *object;
    int tuples, natives, flows, uses, saved, settings, counts, places; /* descriptors of maps */
    struct ring_buffer *events;
    int events_fd;
    unsigned processors;
    bool set_up; /* the programs that set flows up are loaded */
};

/*
 * Loads the object and takes over the maps that are pinned in the directory. Maps of another form are begun anew, with
 * a warning. `set_up`: with the programs that set flows up, if the kernel takes them. Returns 0, or -1; the log has the
 * reason.
 */
int ns_sal_programs_open(struct ns_sal_programs *programs, const char *object, const char *pins, bool set_up,
                         int (*event)(void *context, void *data, size_t size), void *context);

/* Returns the descriptor of a map. */
int ns_sal_programs_map(const struct ns_sal_programs *programs, const char *name);

/* Has the other programs call those that set flows up, until sald ends. Returns 0, or -1 with errno. */
int ns_sal_programs_call(const struct ns_sal_programs *programs);

/* Puts the settings into their map, and programs on sal0 and sal1. Returns 0, or -1 with errno. */
int ns_sal_programs_inside(struct ns_sal_programs *programs, const struct ns_sal_settings *settings, unsigned beside);

/* Puts the program on an interface of the host, in place of that of an earlier sald. Returns 0, or -1 with errno. */
int ns_sal_programs_attach(struct ns_sal_programs *programs, unsigned interface);

/* Takes the programs off these interfaces, and the pins out of the directory. */
void ns_sal_programs_remove(const char *pins, const unsigned *interfaces, unsigned count);

void ns_sal_programs_publish(struct ns_sal_programs *programs, const struct ns_sal_way *way);
void ns_sal_programs_save(struct ns_sal_programs *programs, const struct ns_sal_kept *kept);
void ns_sal_programs_forget(struct ns_sal_programs *programs, const struct ns_sal_kept *kept);

/* Tells whether the programs may use the native form for a flow. They may not where another has its names. */
bool ns_sal_programs_is_native(struct ns_sal_programs *programs, uint32_t id);

bool ns_sal_programs_use(struct ns_sal_programs *programs, uint32_t id, struct ns_sal_use *use);

/* Calls `each` for every flow of the sald before, and drops the flows that it does not want. Returns their number. */
unsigned ns_sal_programs_restore(struct ns_sal_programs *programs,
                                 bool (*each)(void *context, const struct ns_sal_kept *kept), void *context);

/*
 * Removes flows from the maps that have no saved state, because a sald was killed while it made or ended them. Returns
 * their number.
 */
unsigned ns_sal_programs_clean(const struct ns_sal_programs *programs);

void ns_sal_programs_read_places(struct ns_sal_programs *programs, struct ns_sal_names *names);
void ns_sal_programs_write_place(struct ns_sal_programs *programs, const struct ns_sal_names *names, unsigned place);

/* Reads the counters of the programs. */
void ns_sal_programs_count(struct ns_sal_programs *programs, uint64_t counts[NS_SAL_COUNT_KINDS]);

#endif
