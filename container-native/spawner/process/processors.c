/* SPDX-License-Identifier: Apache-2.0 */
#include "processors.h"

#include <string.h>

/*
 * Returns true if all wanted processors are here. The kernel silently leaves a processor out of a set if the machine
 * or our cgroup does not have it, so only a try tells.
 */
static bool all_here(const cpu_set_t *wanted, const cpu_set_t *ours) {
    cpu_set_t got;
    bool here = sched_setaffinity(0, sizeof *wanted, wanted) == 0 && sched_getaffinity(0, sizeof got, &got) == 0 &&
                CPU_EQUAL(&got, wanted);

    sched_setaffinity(0, sizeof *ours, ours);
    return here;
}

const char *ns_processors_apart(struct ns_processors *processors, const char *text) {
    cpu_set_t ours, both;

    processors->text[0] = '\0';
    if (*text == '\0')
        return NULL;
    if (!ns_processors_read(&processors->packets, text) || sched_getaffinity(0, sizeof ours, &ours) != 0)
        return "not a list of processors";
    CPU_AND(&both, &ours, &processors->packets);
    CPU_XOR(&processors->others, &ours, &both);
    if (!all_here(&processors->packets, &ours))
        return "not all of them are here";
    if (CPU_COUNT(&processors->others) == 0)
        return "no processor is left for anything else";
    strcpy(processors->text, text);
    return NULL;
}

const cpu_set_t *ns_processors_packets(const struct ns_processors *processors) {
    return processors->text[0] == '\0' ? NULL : &processors->packets;
}

const cpu_set_t *ns_processors_others(const struct ns_processors *processors) {
    return processors->text[0] == '\0' ? NULL : &processors->others;
}
