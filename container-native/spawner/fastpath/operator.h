/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator.h - programs of the operator's own for the kernel: <root>/etc/netserv/programs.d/{xdp,tc}-{2..7}.bpf.o. bpfd gets the open files at
 * its start. A file counts only if nobody but root can write it, or the directory: what is in it sees every packet.
 */
#ifndef NS_OPERATOR_FILES_H
#define NS_OPERATOR_FILES_H

#include "ns_slots.h"
#include "paths.h"

#define NS_OPERATOR_FILES (2 * (NS_SLOTS - NS_SLOT_OWN))
#define NS_OPERATOR_TEXT 24

struct ns_operator_files {
    unsigned count;
    int fd[NS_OPERATOR_FILES];
    char text[NS_OPERATOR_FILES][NS_OPERATOR_TEXT]; /* "xdp-2:7": what bpfd is told of each */
    uint64_t mark;                                  /* others have another one; 0 = none */
    char refused[512];                              /* "<file>: <why>; ...", of those that are not handed over */
};

/* Opens those there are; a directory that is not there has none. */
void ns_operator_open(struct ns_operator_files *files, const struct ns_paths *paths);

void ns_operator_close(struct ns_operator_files *files);

/* Its mark alone. */
uint64_t ns_operator_mark(const struct ns_paths *paths);

#endif
