/* SPDX-License-Identifier: Apache-2.0 */
/* ns_seccomp.h - a filter of system calls, made from a table of rules. See seccomp(2). */
#ifndef NS_SECCOMP_H
#define NS_SECCOMP_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

enum ns_seccomp_test { NS_SECCOMP_IN, NS_SECCOMP_NOT }; /* is one of the values, is none of them */

struct ns_seccomp_condition {
    unsigned argument;
    enum ns_seccomp_test test;
    uint32_t mask;
    unsigned count;
    uint32_t value[8];
};

struct ns_seccomp_rule {
    unsigned call;
    uint16_t error;      /* 0 = it is allowed */
    unsigned conditions; /* all must hold; none = always */
    struct ns_seccomp_condition condition[2];
};

struct ns_seccomp_profile {
    const struct ns_seccomp_rule *rules;
    size_t count;
    uint32_t newest;    /* calls above this get ENOSYS, 0 = they are as others */
    uint16_t otherwise; /* the error of calls that no rule names, 0 = they are allowed */
};

extern const struct ns_seccomp_profile ns_seccomp_container; /* policies/seccomp/container.deny */
extern const struct ns_seccomp_profile ns_seccomp_job;     /* the same, but execve: it comes before a program's start */
extern const struct ns_seccomp_profile ns_seccomp_process; /* of a program: the job's, and process.deny */
extern const struct ns_seccomp_profile ns_seccomp_packet;  /* packet.allow: pktio and sigio */
extern const struct ns_seccomp_profile ns_seccomp_bpfd;    /* bpfd.allow */
extern const struct ns_seccomp_profile ns_seccomp_sald;    /* sald.allow */

#define NS_SECCOMP_PROGRAM 2048 /* instructions */

/*
 * Writes the program: EPERM for calls of another architecture (x32 is one), ENOSYS for calls newer than the profile,
 * the error of the first rule that matches the call and its arguments, else the profile's default. Pure. Returns its
 * length, 0 = too long.
 */
size_t ns_seccomp_build(struct sock_filter program[NS_SECCOMP_PROGRAM], const struct ns_seccomp_profile *profile);

/*
 * Puts the filter on the calling thread and all that it starts, for
 * good. With no_new_privs or CAP_SYS_ADMIN only. 0, or -1 with errno.
 */
int ns_seccomp_enter(const struct ns_seccomp_profile *profile);

#endif
