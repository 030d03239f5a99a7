/* SPDX-License-Identifier: Apache-2.0 */
/* ns_identity.h - who a process is: the one-way change from root to a numeric identity, and the numbers of a node. */
#ifndef NS_IDENTITY_H
#define NS_IDENTITY_H

#include "ns_layer.h"
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
#define NS_ID_BPFD(base) ((base) + 7)
#define NS_ID_SPARES(base) ((base) + 80000) /* of slot 0 of the spare containers; behind those of publishers */
#define NS_ID_ARCHIVE(base) ((base) + 6)    /* hosts and jobs that rehearse for an archive of class data */

struct ns_identity {
    uid_t uid;
    gid_t gid;
    gid_t groups[2]; /* supplementary */
    size_t group_count;
    uint64_t caps; /* NS_CAP(...)|...: kept, also across execve; 0 = none */
    int end;       /* signal when the parent dies */
};

/*
 * Becomes `who` for good: groups, uid, capabilities, no_new_privs, umask 027, and a signal when the
 * parent dies (set last, for a change of uid clears it). `without` may leave out the layers uid (it stays
 * root, of the new groups), capabilities (it keeps all it has, also across execve) and no-new-privs.
 * `lifeline` is the read end of a pipe whose write end only the parent has: if the parent is gone
 * already, fails with ESRCH. Root only, perhaps of a user namespace. 0, or -1 with errno.
 */
int ns_identity_become(const struct ns_identity *who, ns_layer_set without, int lifeline);

/*
 * Writes the maps of a process that has entered a user namespace of its own: `uid`, the group and the groups of `who`
 * exist in it under their own numbers, and nothing else does. By its parent, which must be root. 0, or -1 with errno.
 */
int ns_identity_map(pid_t pid, uid_t uid, const struct ns_identity *who);

/* `signal` when the parent dies, without a change of identity. As above. */
int ns_identity_die_with_parent(int lifeline, int signal);

#endif
