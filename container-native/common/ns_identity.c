/* SPDX-License-Identifier: Apache-2.0 */
#include "ns_identity.h"

#include "ns_caps.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
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

/*
 * Gives up, while it still may, the capabilities that no program it starts can ever get. A process that keeps some
 * needs the rules of execve for them.
 */
static int shed(uint64_t caps) {
    if (ns_caps_bound(caps) != 0)
        return -1;
    return caps == 0 ? ns_caps_lock() : 0;
}

static int change_uid(uid_t uid, uint64_t caps) {
    if (caps != 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
        return -1;
    return setresuid(uid, uid, uid);
}

int ns_identity_become(const struct ns_identity *who, ns_layer_set without, int lifeline) {
    uint64_t caps = who->caps;

    umask(027);
    if (ns_layer_has(without, NS_LAYER_CAPABILITIES) ? ns_caps_permitted(&caps) != 0 : shed(caps) != 0)
        return -1;
    if (setgroups(who->group_count, who->groups) != 0 || setresgid(who->gid, who->gid, who->gid) != 0)
        return -1;
    if (!ns_layer_has(without, NS_LAYER_UID) && change_uid(who->uid, caps) != 0)
        return -1;
    if (ns_caps_set(caps, caps) != 0 || ns_caps_ambient(caps) != 0)
        return -1;
    if (!ns_layer_has(without, NS_LAYER_NO_NEW_PRIVS) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return ns_identity_die_with_parent(lifeline, who->end);
}

/* --- a user namespace --- */

static int write_map(pid_t pid, const char *name, const char *text) {
    char path[48];
    int fd, result;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    result = write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
    close(fd);
    return result;
}

int ns_identity_map(pid_t pid, uid_t uid, const struct ns_identity *who) {
    char text[128];
    int used = snprintf(text, sizeof text, "%u %u 1\n", who->gid, who->gid);

    for (size_t i = 0; i < who->group_count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%u %u 1\n", who->groups[i], who->groups[i]);
    if (write_map(pid, "gid_map", text) != 0)
        return -1;
    snprintf(text, sizeof text, "%u %u 1\n", uid, uid);
    return write_map(pid, "uid_map", text);
}
