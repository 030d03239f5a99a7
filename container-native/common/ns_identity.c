/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_identity.h"

#include "ns_caps.h"
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

int ns_identity_die_with_parent(int lifeline, int signal) {
    struct pollfd parent = {.fd = lifeline, .events = 0};

    if (prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0) != 0)
        return -1;
    if (poll(&parent, 1, 0) < 0)
        return -1;
    if (parent.revents & (POLLHUP | POLLERR)) {
        errno = ESRCH;
        return -1;
    }
    return 0;
}

int ns_identity_become(const struct ns_identity *who, int lifeline) {
    umask(027);
    if (ns_caps_bound(who->caps) != 0)
        return -1;
    if (setgroups(who->group_count, who->groups) != 0 || setresgid(who->gid, who->gid, who->gid) != 0)
        return -1;
    if (who->caps != 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
        return -1;
    if (setresuid(who->uid, who->uid, who->uid) != 0)
        return -1;
    if (ns_caps_set(who->caps, who->caps) != 0 || ns_caps_ambient(who->caps) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return ns_identity_die_with_parent(lifeline, who->end);
}
