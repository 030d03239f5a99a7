/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int ns_cgroup_hierarchies(const struct ns_cgroups *all) {
    return all->version == 2 ? 1 : all->version == 1 ? NS_CGROUP_HIERARCHIES : 0;
}

void ns_cgroup_path(char path[PATH_MAX], const struct ns_cgroup *cgroup, int hierarchy, const char *file) {
    snprintf(path, PATH_MAX, "%s/%s/%s", cgroup->all->mounts[hierarchy], cgroup->name, file);
}

int ns_cgroup_write(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC), result = -1, saved;

    if (fd < 0)
        return -1;
    if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        result = 0;
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

void ns_cgroup_read(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

    text[n < 0 ? 0 : n] = '\0';
    if (fd >= 0)
        close(fd);
}

int ns_cgroup_set(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *value) {
    char path[PATH_MAX];

    if (cgroup->all->mounts[hierarchy][0] == '\0')
        return 0;
    ns_cgroup_path(path, cgroup, hierarchy, file);
    return ns_cgroup_write(path, value);
}

int ns_cgroup_set_number(const struct ns_cgroup *cgroup, int hierarchy, const char *file, uint64_t value) {
    char text[24];

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return ns_cgroup_set(cgroup, hierarchy, file, text);
}

uint64_t ns_cgroup_number(const struct ns_cgroup *cgroup, int hierarchy, const char *file, const char *key) {
    char path[PATH_MAX], text[1024];
    const char *at = text;

    if (cgroup->all->version == 0 || cgroup->all->mounts[hierarchy][0] == '\0')
        return 0;
    ns_cgroup_path(path, cgroup, hierarchy, file);
    ns_cgroup_read(path, text, sizeof text);
    if (key != NULL) {
        at = strstr(text, key);
        if (at == NULL)
            return 0;
        at += strlen(key);
    }
    return strtoull(at, NULL, 10);
}
