/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.h - runs one of the fixed system tools to its end. A tool has an absolute path, fixed arguments, text on its
 * standard input, no shell, and a fixed environment (PATH and LC_ALL). A tool that takes longer than its time is
 * killed.
 */
#ifndef NS_RUN_H
#define NS_RUN_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define NS_RUN_MS 10000
#define NS_RUN_NFT "/usr/sbin/nft"
#define NS_RUN_RESTORE(v6) ((v6) ? "/usr/sbin/ip6tables-nft-restore" : "/usr/sbin/iptables-nft-restore")

struct ns_run {
    const char *const *argv; /* argv[0] = absolute path */
    const char *input;       /* may be NULL */
    size_t input_length;
    pid_t netns;     /* run in the network namespace of this process; 0 = ours */
    int quiet;       /* a failure is expected: no line in the log */
    unsigned msec;   /* most time for the tool; 0 = NS_RUN_MS */
    FILE *output;    /* gets the tool's output; may be NULL */
    char error[256]; /* the beginning of the tool's output */
};

/* Runs the tool. Returns its exit status, 128 + signal, or -1 with errno if it could not be run. */
int ns_run(struct ns_run *run);

#endif
