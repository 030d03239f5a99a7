/* SPDX-License-Identifier: Apache-2.0 */
/*
 * probe - what this kernel can do for a node, one "key=value" line per feature; `netserv doctor` turns it into advice.
 *
 * Everything is tried, not read from a version: each test makes the thing in a child process and lets it go again. Values
 * are yes, no:<errno text>, or a number. Exit status 0 unless the program itself could not run. Root sees most.
 */
#include "ns_log.h"
#include "ns_memfd.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#define LANDLOCK_VERSION_QUERY 1u

typedef int (*probe_fn)(void); /* 0, or an errno */

static int try_netlink_netfilter(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

static int try_namespaces(void) {
    return unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID) ? errno : 0;
}

static int try_user_namespace(void) {
    return unshare(CLONE_NEWUSER) ? errno : 0;
}

static int try_sealed_memfd(void) {
    int fd; /* closed by the child's end */
    return ns_memfd_create("probe", 4096, &fd, NULL) ? errno : 0;
}

static int try_seccomp(void) {
    return prctl(PR_GET_SECCOMP) < 0 ? errno : 0;
}

static int try_no_new_privs(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? errno : 0;
}

static const struct {
    const char *key;
    probe_fn run;
} probes[] = {
    {"netlink-netfilter", try_netlink_netfilter},
    {"namespaces", try_namespaces},
    {"user-namespace", try_user_namespace},
    {"sealed-memfd", try_sealed_memfd},
    {"seccomp", try_seccomp},
    {"no-new-privs", try_no_new_privs},
};

/* Runs one probe in a child, so that what it changes ends with it. */
static void report(const char *key, probe_fn run) {
    pid_t pid = fork();
    if (pid == 0) {
        _exit(run() & 0xff);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
        printf("%s=no:the probe itself failed\n", key);
    } else if (WEXITSTATUS(status) == 0) {
        printf("%s=yes\n", key);
    } else {
        printf("%s=no:%s\n", key, strerror(WEXITSTATUS(status)));
    }
}

int main(void) {
    ns_log_open("probe");
    setvbuf(stdout, NULL, _IOLBF, 0); /* a child must not write the parent's lines again */
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_VERSION_QUERY);
    printf("landlock-abi=%ld\n", abi < 0 ? 0 : abi);
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        report(probes[i].key, probes[i].run);
    }
    return 0;
}
