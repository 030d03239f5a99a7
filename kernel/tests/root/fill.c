/* SPDX-License-Identifier: Apache-2.0 */
/* fill MAP [undo] - fills ns_sal_natives, by its pin, with names of nobody, or takes them out. */
#include "ns_sal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

int main(int argc, char **argv) {
    int map = argc >= 2 ? bpf_obj_get(argv[1]) : -1, result = 0;
    struct ns_sal_tuple names = {.family = 255};

    for (uint32_t i = 0; map >= 0 && i <= NS_SAL_FLOWS; i++) {
        names.ports = i;
        result = argc == 2 ? bpf_map_update_elem(map, &names, &i, BPF_NOEXIST) : bpf_map_delete_elem(map, &names);
        if (result != 0)
            break;
    }
    if (map >= 0 && result != 0 && errno == (argc == 2 ? E2BIG : ENOENT))
        return 0;
    fprintf(stderr, "fill: %s\n", strerror(errno));
    return 1;
}
