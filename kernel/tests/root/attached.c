/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached DIRECTORY - prints the numbers of the programs that are attached to a cgroup by the kinds of hooks of sald,
 * one a line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>

#define MOST 64u /* of the kernel, in a cgroup */

int main(int argc, char **argv) {
    static const enum bpf_attach_type kinds[] = {BPF_CGROUP_SOCK_OPS, BPF_CGROUP_INET4_POST_BIND,
                                                 BPF_CGROUP_INET6_POST_BIND, BPF_CGROUP_INET_SOCK_RELEASE};
    int cgroup = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint32_t numbers[MOST], flags = 0, count = MOST;

        if (cgroup < 0 || bpf_prog_query(cgroup, kinds[i], 0, &flags, numbers, &count) != 0) {
            fprintf(stderr, "%s: %s\n", argc == 2 ? argv[1] : "attached DIRECTORY", strerror(errno));
            return 1;
        }
        for (unsigned n = 0; n < count; n++)
            printf("%u\n", numbers[n]);
    }
    return 0;
}
