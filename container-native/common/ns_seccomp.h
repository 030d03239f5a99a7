/* SPDX-License-Identifier: Apache-2.0 */
/* ns_seccomp.h - a filter of system calls: what a table of rules denies gets an error, everything else passes. See seccomp(2). */
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
    uint16_t error;
    unsigned conditions; /* all must hold; none = always */
    struct ns_seccomp_condition condition[2];
};

/* policies/seccomp/container.deny */
extern const struct ns_seccomp_rule ns_seccomp_container[];
extern const size_t ns_seccomp_container_count;

#define NS_SECCOMP_PROGRAM 2048 /* instructions */

/*
 * Writes the program: EPERM for calls of another architecture (x32 is one), ENOSYS for those newer than the profile knows, the
 * first rule's error whose call and conditions hold, else allowed. Pure. Returns its length, 0 = too long.
 */
size_t ns_seccomp_build(struct sock_filter program[NS_SECCOMP_PROGRAM], const struct ns_seccomp_rule *rules,
                        size_t count);

/*
 * Puts the filter on the calling thread and all that it starts, for good. With no_new_privs or CAP_SYS_ADMIN only. 0, or -1
 * with errno.
 */
int ns_seccomp_enter(const struct ns_seccomp_rule *rules, size_t count);

#endif
