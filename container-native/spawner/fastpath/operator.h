/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operator.h - the operator's own programs for the kernel: <root>/etc/netserv/programs.d/{xdp,tc}-{2..7}.bpf.o. bpfd
 * gets the open files at its start. A file counts only if root alone can write the file and the directory, because a
 * program sees every packet.
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
    char text[NS_OPERATOR_FILES][NS_OPERATOR_TEXT]; /* "xdp-2:7": slot and descriptor, for bpfd */
    uint64_t mark;                                  /* differs for other files; 0 = no files */
    char refused[512];                              /* "<file>: <why>; ...", of the refused files */
};

/* Opens the files of the directory. A directory that does not exist has none. */
void ns_operator_open(struct ns_operator_files *files, const struct ns_paths *paths);

void ns_operator_close(struct ns_operator_files *files);

/* Returns the mark of the present files, without keeping them open. */
uint64_t ns_operator_mark(const struct ns_paths *paths);

#endif
