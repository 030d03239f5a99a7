/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - tests the features of this kernel that a node uses. It prints one "key=value" line per feature, and
 * `netserv doctor` turns the lines into advice.
 *
 *     landlock-abi=7             0 = none.
 *     netlink-netfilter=yes      each of these is yes or no:<why>
 *     sealed-memfd=yes
 *     bpf=yes
 *     ipv6=yes
 *     cgroups=v2                 or v1:<controllers>, or none.
 *     layer-<name>=yes           every layer of docs/protocols/spawner.md but rules and java,
 *                                which are no kernel's feature
 *
 * Each feature but the Landlock ABI is tried, not read from a version: a test makes the thing and lets it go again.
 * Cgroups and layers are tried in a child process. Exit status 0 unless the program itself could not run. Only root
 * sees the features that containers can have.
 */
#include "cgroup.h"
#include "ns_landlock.h"
#include "ns_log.h"
#include "ns_memfd.h"
#include "ns_probe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void say(const char *prefix, const char *key, int error) {
    if (error == 0)
        printf("%s%s=yes\n", prefix, key);
    else
        printf("%s%s=no:%s\n", prefix, key, strerror(error));
}

static int try_netlink_netfilter(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

static int try_sealed_memfd(void) {
    int fd;

    if (ns_memfd_create("probe", 4096, &fd, NULL) != 0)
        return errno;
    close(fd);
    return 0;
}

/* Makes a map, the simplest thing that bpf(2) makes. */
static int try_bpf(void) {
    union bpf_attr array;
    long fd;

    memset(&array, 0, sizeof array);
    array.map_type = BPF_MAP_TYPE_ARRAY;
    array.key_size = array.value_size = 4;
    array.max_entries = 1;
    fd = syscall(SYS_bpf, BPF_MAP_CREATE, &array, sizeof array);
    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

static int try_ipv6(void) {
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Finds the cgroups as the spawner does: in a mount namespace of its own, if it can have one. */
static void find_cgroups(void) {
    struct ns_cgroups cgroups;
    char text[64];

    if (unshare(CLONE_NEWNS) == 0)
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    ns_cgroups_open(&cgroups, "probe");
    ns_cgroups_describe(&cgroups, text);
    printf("cgroups=%s\n", text);
    say("layer-", ns_layer_name(NS_LAYER_CGROUP), ns_cgroups_try(&cgroups));
    ns_cgroups_close(&cgroups);
}

static int in_child(void (*run)(void)) {
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        run();
        fflush(stdout);
        _exit(0);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

int main(void) {
    ns_log_open("probe");
    setvbuf(stdout, NULL, _IOLBF, 0); /* a child must not write the parent's lines again */
    printf("landlock-abi=%d\n", ns_landlock_abi());
    say("", "netlink-netfilter", try_netlink_netfilter());
    say("", "sealed-memfd", try_sealed_memfd());
    say("", "bpf", try_bpf());
    say("", "ipv6", try_ipv6());
    if (in_child(find_cgroups) != 0)
        say("layer-", ns_layer_name(NS_LAYER_CGROUP), ECANCELED);
    for (int i = 0; i < NS_LAYER_COUNT; i++) {
        if (i != NS_LAYER_CGROUP && i != NS_LAYER_RULES && i != NS_LAYER_JAVA)
            say("layer-", ns_layer_name((enum ns_layer)i), ns_probe_layer((enum ns_layer)i));
    }
    return 0;
}
