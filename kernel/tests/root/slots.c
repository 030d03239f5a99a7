/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slots MAP - prints the flowID and the stage of each slot that is in use, one a line. MAP is the pin of ns_sal_slots.
 * Works while sald is frozen or gone.
 */
#include "ns_sal_set_up.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

static const char *const stages[] = {"FREE", "BUSY", "FAILED", "SYN", "ANSWERED", "OPEN", "TAKEN"};

int main(int argc, char **argv) {
    int map = argc == 2 ? bpf_obj_get(argv[1]) : -1;
    struct ns_sal_slot slot;

    for (uint32_t i = 0; i < NS_SAL_SLOTS; i++) {
        if (map < 0 || bpf_map_lookup_elem(map, &i, &slot) != 0) {
            fprintf(stderr, "%s: %s\n", argc == 2 ? argv[1] : "slots MAP", strerror(errno));
            return 1;
        }
        if (slot.stage != NS_SAL_STAGE_FREE && slot.stage <= NS_SAL_STAGE_TAKEN)
            printf("%08x %s\n", ntohl(slot.own), stages[slot.stage]);
    }
    return 0;
}
