/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "ns_landlock.h"
#include <stdio.h>
#include <string.h>

/* The jars of the class path, one by one. */
static int allow_class_path(struct ns_landlock *landlock, const char *class_path) {
    char jar[PATH_MAX];

    while (*class_path != '\0') {
        size_t length = strcspn(class_path, ":");

        if (length < sizeof jar) {
            memcpy(jar, class_path, length);
            jar[length] = '\0';
            if (ns_landlock_path(landlock, jar, NS_LANDLOCK_READ) != 0)
                return -1;
        }
        class_path += length + (class_path[length] == ':');
    }
    return 0;
}

int ns_sandbox_enter(const struct ns_options *options) {
    const struct {
        const char *path;
        unsigned access;
    } paths[] = {
        {options->java_home, NS_LANDLOCK_READ},
        {options->blocks, NS_LANDLOCK_READ},
        {options->data, NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
        {"/usr/lib", NS_LANDLOCK_READ},
        {"/usr/lib64", NS_LANDLOCK_READ},
        {"/usr/share/zoneinfo", NS_LANDLOCK_READ},
        {"/etc/resolv.conf", NS_LANDLOCK_READ},
        {"/etc/hosts", NS_LANDLOCK_READ},
        {"/etc/nsswitch.conf", NS_LANDLOCK_READ},
        {"/etc/host.conf", NS_LANDLOCK_READ},
        {"/etc/gai.conf", NS_LANDLOCK_READ},
        {"/etc/ld.so.cache", NS_LANDLOCK_READ},
        {"/etc/localtime", NS_LANDLOCK_READ},
        {"/etc/timezone", NS_LANDLOCK_READ},
        {"/etc/ssl", NS_LANDLOCK_READ},
        {"/etc/java-17-openjdk", NS_LANDLOCK_READ},
        {"/etc/java-21-openjdk", NS_LANDLOCK_READ},
        {"/etc/java-25-openjdk", NS_LANDLOCK_READ},
        {"/proc/self", NS_LANDLOCK_READ},
        {"/proc/meminfo", NS_LANDLOCK_READ},
        {"/proc/cpuinfo", NS_LANDLOCK_READ},
        {"/proc/cgroups", NS_LANDLOCK_READ},
        {"/sys/fs/cgroup", NS_LANDLOCK_READ},
        {"/sys/devices/system/cpu", NS_LANDLOCK_READ},
        {"/dev/random", NS_LANDLOCK_READ},
        {"/dev/urandom", NS_LANDLOCK_READ},
        {"/dev/null", NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
    };
    struct ns_landlock landlock;

    if (ns_landlock_open(&landlock, 0) != 0 || allow_class_path(&landlock, options->class_path) != 0)
        return -1;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (ns_landlock_path(&landlock, paths[i].path, paths[i].access) != 0)
            return -1;
    }
    return ns_landlock_enter(&landlock);
}
