/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c - the last layers, which only the process itself can enter: Landlock and seccomp. They come after exec,
 * because they forbid it. They come before the first thread, because they hold for a thread and for the threads that
 * it starts. One part comes later: a spare learns the TCP ports of its publisher when it has a publisher, and then
 * each of its threads enters the layer.
 */
#include "host.h"

#include "ns_caps.h"
#include "ns_landlock.h"
#include "ns_log.h"
#include "ns_seccomp.h"
#include <errno.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MS 1000 /* for all threads to enter a layer, which takes about 1 ms; the adoption has 2 s */

/*
 * Ports by which modules of every container reach themselves, over the loopback of its network. The container's rules
 * let them neither out nor in: Landlock knows no addresses.
 */
#define LOOPBACK_PORTS "65534-65535"

/* Allows the jars of the class path, one by one. */
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

/* Allows the ports of a list such as "443-443,5000-5010". */
static int allow_ports(struct ns_landlock *landlock, enum ns_landlock_kind what, const char *list) {
    while (*list != '\0') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

        if (end == list || (*end != '\0' && *end != ',') || first > last || last > UINT16_MAX) {
            errno = EINVAL;
            return -1;
        }
        if (ns_landlock_tcp(landlock, what, (unsigned)first, (unsigned)last) != 0)
            return -1;
        list = end + (*end == ',');
    }
    return 0;
}

/*
 * Allows the container's own group below one mount of cgroups, and the file by which a JVM recognises version 2. All
 * other groups stay hidden, because their names are other publishers'.
 */
static int allow_group(struct ns_landlock *landlock, const char *mount) {
    char path[2 * PATH_MAX], line[PATH_MAX];
    FILE *groups = fopen("/proc/self/cgroup", "re");
    int result = 0;

    while (result == 0 && groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        const char *own = strstr(line, ":/"); /* "4:memory:/netserv/..." */

        line[strcspn(line, "\n")] = '\0';
        if (own == NULL || own[2] == '\0')
            continue;
        snprintf(path, sizeof path, "%s%s", mount, own + 1);
        result = ns_landlock_path(landlock, path, NS_LANDLOCK_READ);
    }
    if (groups != NULL)
        fclose(groups);
    snprintf(path, sizeof path, "%s/cgroup.controllers", mount);
    return result == 0 ? ns_landlock_path(landlock, path, NS_LANDLOCK_READ) : result;
}

static int allow_groups(struct ns_landlock *landlock) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent *mount;
    int result = 0;

    while (result == 0 && mounts != NULL && (mount = getmntent(mounts)) != NULL) {
        if (strcmp(mount->mnt_type, "cgroup") == 0 || strcmp(mount->mnt_type, "cgroup2") == 0)
            result = allow_group(landlock, mount->mnt_dir);
    }
    if (mounts != NULL)
        endmntent(mounts);
    return result;
}

/*
 * Allows writes below the directory that holds the framework's storage. For an ordinary container that is its data
 * directory. For a spare it is the directory above its data directory, because a rule on the data directory itself
 * would not hold for the data mounted there later.
 */
static int allow_own(struct ns_landlock *landlock, const char *storage) {
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof path, "%s", storage) >= sizeof path || strrchr(path, '/') == NULL) {
        errno = EINVAL;
        return -1;
    }
    *strrchr(path, '/') = '\0';
    return ns_landlock_path(landlock, path, NS_LANDLOCK_READ | NS_LANDLOCK_WRITE);
}

static int restrict_files(struct ns_landlock *landlock, const struct ns_options *options) {
    const struct {
        const char *path;
        unsigned access;
    } paths[] = {
        {options->java_home, NS_LANDLOCK_READ},
        {options->blocks, NS_LANDLOCK_READ},
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
        {"/sys/devices/system/cpu", NS_LANDLOCK_READ},
        {"/dev/random", NS_LANDLOCK_READ},
        {"/dev/urandom", NS_LANDLOCK_READ},
        {"/dev/null", NS_LANDLOCK_READ | NS_LANDLOCK_WRITE},
    };

    if (allow_class_path(landlock, options->class_path) != 0 || allow_groups(landlock) != 0 ||
        allow_own(landlock, options->storage) != 0)
        return -1;
    if (options->archive != NULL && ns_landlock_path(landlock, options->archive, NS_LANDLOCK_READ) != 0)
        return -1;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        if (ns_landlock_path(landlock, paths[i].path, paths[i].access) != 0)
            return -1;
    }
    return 0;
}

/* Opens Landlock. The spawner has seen that this kernel can deny these kinds, so a kernel that cannot is an error. */
static int open_landlock(struct ns_landlock *landlock, unsigned kinds) {
    if (ns_landlock_open(landlock, kinds) != 0)
        return -1;
    if (landlock->fd >= 0)
        return 0;
    errno = EOPNOTSUPP;
    return -1;
}

static int enter_landlock(const struct ns_options *options) {
    struct ns_landlock landlock;

    if (open_landlock(&landlock, NS_LANDLOCK_FILES) != 0 || restrict_files(&landlock, options) != 0)
        return -1;
    return ns_landlock_enter(&landlock);
}

/* Tells whether one element of a list of ports has all ports. */
static bool has_all_ports(const char *list) {
    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, "1-65535", 7) == 0 && (list[7] == ',' || list[7] == '\0'))
            return true;
    }
    return false;
}

/*
 * Opens Landlock for TCP ports. It knows no UDP and no addresses. The node's rules for the container's network bound
 * UDP and addresses. A container that may connect to all ports gets no rule for each: a thread of a spare that enters
 * would copy 65,535 rules. Ports to bind keep their rules, because port 0 is not in any list.
 */
static int open_landlock_net(struct ns_landlock *landlock, const char *bind, const char *connect) {
    if (open_landlock(landlock, has_all_ports(connect) ? NS_LANDLOCK_BIND : NS_LANDLOCK_TCP) != 0 ||
        allow_ports(landlock, NS_LANDLOCK_TCP, LOOPBACK_PORTS) != 0 ||
        allow_ports(landlock, NS_LANDLOCK_BIND, bind) != 0)
        return -1;
    return allow_ports(landlock, NS_LANDLOCK_CONNECT, connect);
}

static int enter_landlock_net(const struct ns_options *options) {
    struct ns_landlock landlock;

    if (options->spare)
        return 0; /* ns_sandbox_enter_ports() */
    if (open_landlock_net(&landlock, options->bind, options->connect) != 0)
        return -1;
    return ns_landlock_enter(&landlock);
}

int ns_sandbox_enter_ports(const struct ns_options *options, const char *bind, const char *connect) {
    struct ns_landlock landlock;

    if (ns_layer_has(options->missing, NS_LAYER_LANDLOCK_NET))
        return 0;
    if (open_landlock_net(&landlock, bind, connect) != 0)
        return -1;
    return ns_landlock_enter_all(&landlock, THREADS_MS);
}

static int enter_seccomp(const struct ns_options *options) {
    (void)options;
    return ns_seccomp_enter(&ns_seccomp_container);
}

/* Drops the capability that the host needs to enter the other layers when no_new_privs is left out. */
static int drop_capabilities(const struct ns_options *options) {
    (void)options;
    if (ns_caps_ambient(0) != 0)
        return -1;
    return ns_caps_set(0, 0);
}

int ns_sandbox_enter(const struct ns_options *options, const char **failed) {
    static const struct {
        enum ns_layer layer;
        int (*enter)(const struct ns_options *options);
    } order[] = {
        {NS_LAYER_LANDLOCK, enter_landlock},
        {NS_LAYER_LANDLOCK_NET, enter_landlock_net},
        {NS_LAYER_SECCOMP, enter_seccomp},
        {NS_LAYER_CAPABILITIES, drop_capabilities},
    };

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        *failed = ns_layer_name(order[i].layer);
        if (!ns_layer_has(options->missing, order[i].layer) && order[i].enter(options) != 0)
            return -1;
    }
    return 0;
}
