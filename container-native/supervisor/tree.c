/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include "ns_identity.h"
#include "ns_log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum owner { ROOT, CONTROLLER, SIGNALING };

/*
 * Parents come before their children. A container sees only run/netserv/container, a job only its own directory. Mode
 * 0711 lets both pass through the directories above.
 */
static const struct {
    const char *path;
    enum owner owner;
    mode_t mode;
} directories[] = {
    {"etc", ROOT, 0755},
    {"etc/netserv", ROOT, 0755},
    {"etc/netserv/publishers.d", CONTROLLER, 0750},
    {"etc/netserv/anchors.d", CONTROLLER, 0750},
    {"var", ROOT, 0755},
    {"var/lib", ROOT, 0755},
    {"var/lib/netserv", CONTROLLER, 0711},
    {"var/lib/netserv/bundles", CONTROLLER, 0750},
    {"var/lib/netserv/containers", ROOT, 0711},
    {"var/lib/netserv/cds", ROOT, 0700},
    {"var/lib/netserv/signaling", SIGNALING, 0700},
    {"var/log", ROOT, 0755},
    {"var/log/netserv", CONTROLLER, 0750},
    {"run", ROOT, 0755},
    {"run/netserv", CONTROLLER, 0711},
    {"run/netserv/container", CONTROLLER, 0711},
    {"run/netserv/jobs", CONTROLLER, 0711},
};
#define DIRECTORIES (sizeof directories / sizeof directories[0])

/* Tells whether the directory is ours. The system's own directories are left as they are. */
static int is_ours(const char *path) {
    return strstr(path, "netserv") != NULL;
}

static uid_t id_of(enum owner owner, uint32_t ids) {
    return owner == ROOT ? 0 : owner == CONTROLLER ? NS_ID_CONTROLLER(ids) : NS_ID_SIGNALING(ids);
}

static int make(const char *root, size_t i, uint32_t ids) {
    uid_t owner = id_of(directories[i].owner, ids);
    char path[PATH_MAX];
    int fd, result = 0;

    if (snprintf(path, sizeof path, "%s/%s", root, directories[i].path) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (mkdir(path, directories[i].mode) != 0 && errno != EEXIST)
        return -1;
    if (!is_ours(directories[i].path))
        return 0;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fchown(fd, owner, owner) != 0 || fchmod(fd, directories[i].mode) != 0)
        result = -1;
    close(fd);
    return result;
}

int ns_tree_make(const char *root, uint32_t ids) {
    for (size_t i = 0; i < DIRECTORIES; i++) {
        if (make(root, i, ids) != 0) {
            ns_error("%s/%s: %s", root, directories[i].path, strerror(errno));
            return -1;
        }
    }
    return 0;
}

bool ns_tree_plain(int fd) {
    struct stat status;

    if (fstat(fd, &status) != 0)
        return false;
    if (S_ISREG(status.st_mode) && status.st_nlink == 1)
        return true;
    errno = EMLINK;
    return false;
}
