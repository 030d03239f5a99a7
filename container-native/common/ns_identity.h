/* SPDX-License-Identifier: Apache-2.0 */
/* ns_identity.h - who a process is: the one-way change from root to a numeric identity, and the numbers of a node. */
#ifndef NS_IDENTITY_H
#define NS_IDENTITY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NS_ID_BASE 690000u                  /* the first id of a node, unless told otherwise */
#define NS_ID_CONTROLLER(base) ((base) + 0) /* uid and gid */
#define NS_ID_JOB(base) ((base) + 1)
#define NS_ID_PKTIO(base) ((base) + 2)
#define NS_ID_CONTAINERS(base) ((base) + 3) /* group that may connect to container.sock */
#define NS_ID_SIGNALING(base) ((base) + 4)  /* nsis-gist; its group may connect to signaling.sock and sigio.sock */
#define NS_ID_SIGIO(base) ((base) + 5)

struct ns_identity {
    uid_t uid;
    gid_t gid;
    gid_t groups[2]; /* supplementary */
    size_t group_count;
    uint64_t caps; /* NS_CAP(...)|...: kept, also across execve; 0 = none */
    int end;       /* signal when the parent dies */
};

/*
 * Becomes `who` for good: groups, uid, capabilities, no_new_privs, umask 027, and a signal when the parent dies (set last, for
 * a change of uid clears it). `lifeline` is the read end of a pipe whose write end only the parent has: if the parent is
 * gone already, fails with ESRCH. Root only. 0, or -1 with errno.
 */
int ns_identity_become(const struct ns_identity *who, int lifeline);

/* `signal` when the parent dies, without a change of identity. As above. */
int ns_identity_die_with_parent(int lifeline, int signal);

#endif
