/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own.h - programs of the operator's own for the kernel: <root>/etc/netserv/programs.d/{xdp,tc}-{2..7}.bpf.o. bpfd gets the open files at
 * its start. A file counts only if nobody but root can write it, or the directory: what is in it sees every packet.
 */
#ifndef NS_OWN_FILES_H
#define NS_OWN_FILES_H

#include "ns_slots.h"
#include "paths.h"

#define NS_OWN_FILES (2 * (NS_SLOTS - NS_SLOT_OWN))
#define NS_OWN_TEXT 24

struct ns_own_files {
    unsigned count;
    int fd[NS_OWN_FILES];
    char text[NS_OWN_FILES][NS_OWN_TEXT]; /* "xdp-2:7": what bpfd is told of each */
    uint64_t mark;                        /* others have another one; 0 = none */
    char refused[512];                    /* "<file>: <why>; ...", of those that are not handed over */
};

/* Opens those there are; a directory that is not there has none. */
void ns_own_open(struct ns_own_files *files, const struct ns_paths *paths);

void ns_own_close(struct ns_own_files *files);

/* Its mark alone. */
uint64_t ns_own_mark(const struct ns_paths *paths);

#endif
