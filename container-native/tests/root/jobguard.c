/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the addresses that a process in a job's cgroup reaches against the kernel's guard; the process has no guard
 * of its own. Each attempt is also made without the guard, because a connection that fails anyway proves nothing.
 * Runs in a network namespace of its own.
 */
#include "jobguard.h"
#include "ns_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT 4711
#define SILENT EINPROGRESS /* of TCP: packets are dropped, so the patience ends */

static struct ns_cgroups groups; /* the test names the hierarchy, which has no controllers */

static void enter(const struct ns_cgroup *cgroup) {
    char path[512];
    int fd;

    snprintf(path, sizeof path, "%s/%s/cgroup.procs", groups.mounts[0], cgroup->name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1)
        _exit(255);
    close(fd);
}

/* Runs in a child in `cgroup`. Returns the errno of a connection over TCP, or of a datagram. */
static int attempt(const struct ns_cgroup *cgroup, int type, const char *address, unsigned port) {
    struct sockaddr_in to4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 to6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool v6 = inet_pton(AF_INET, address, &to4.sin_addr) != 1 && inet_pton(AF_INET6, address, &to6.sin6_addr) == 1;
    struct timeval patience = {.tv_sec = 1};
    int status, fd, result;
    pid_t pid = fork();

    if (pid == 0) {
        enter(cgroup);
        fd = socket(v6 ? AF_INET6 : AF_INET, type, 0);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        result =
            v6 ? connect(fd, (struct sockaddr *)&to6, sizeof to6) : connect(fd, (struct sockaddr *)&to4, sizeof to4);
        if (result == 0 && type == SOCK_DGRAM)
            result = send(fd, "x", 1, 0) == 1 ? 0 : -1;
        _exit(result == 0 ? 0 : errno);
    }
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void listen_everywhere(void) {
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
    int fd = socket(AF_INET6, SOCK_STREAM, 0), off = 0;

    if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
        bind(fd, (struct sockaddr *)&any, sizeof any) != 0 || listen(fd, 64) != 0)
        abort();
}

static struct ns_guard_prefixes prefixes(const char *allow, const char *deny) {
    struct ns_guard_prefixes all = {0};

    for (int i = 0; i < 2; i++) {
        const char *text = i == 0 ? allow : deny;

        if (text != NULL && ns_value_net(text, &all.at[all.count].net))
            all.at[all.count++].allow = i == 0;
    }
    return all;
}

/* A group that these rules guard, and a group without a guard. */
static struct ns_cgroup guarded, free_one;

static bool make(struct ns_cgroup *cgroup, const char *name) {
    char path[512];

    cgroup->all = &groups;
    snprintf(cgroup->name, sizeof cgroup->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s", groups.mounts[0], name);
    return mkdir(path, 0755) == 0;
}

static bool begin(const char *allow, const char *deny) {
    const struct ns_guard_prefixes all = prefixes(allow, deny);

    return make(&guarded, "jobguard-guarded") && make(&free_one, "jobguard-free") && ns_job_guard(&guarded, &all) == 0;
}

static void end(void) {
    const struct ns_cgroup *const both[] = {&guarded, &free_one};

    for (int i = 0; i < 2; i++) {
        char path[512];

        snprintf(path, sizeof path, "%s/%s", groups.mounts[0], both[i]->name);
        rmdir(path);
    }
}

NS_TEST(special_and_own_addresses_are_out_of_reach) {
    static const char *const denied[] = {"127.0.0.1", "127.3.2.1", "10.9.0.1",        "8.8.4.4",
                                         "::1",       "2a00:1::1", "::ffff:127.0.0.1"};

    NS_CHECK(begin(NULL, NULL));
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++) {
        NS_EQUAL(0, attempt(&free_one, SOCK_STREAM, denied[i], PORT)); /* the control */
        NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, denied[i], PORT));
    }
    end();
}

NS_TEST(policy_decides_before_the_registries_and_the_longest_prefix_wins) {
    NS_CHECK(begin("127.0.0.0/8", "127.3.0.0/16"));
    NS_EQUAL(0, attempt(&guarded, SOCK_STREAM, "127.0.0.1", PORT));
    NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, "127.3.2.1", PORT));
    NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, "10.9.0.1", PORT));
    end();
    NS_CHECK(begin("127.3.0.0/16", "127.3.0.0/16"));
    NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, "127.3.2.1", PORT));
    end();
    NS_CHECK(begin("2a00:1::1/128", NULL));
    NS_EQUAL(0, attempt(&guarded, SOCK_STREAM, "2a00:1::1", PORT));
    NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, "::1", PORT));
    end();
}

/* This host answers for all these addresses, without having them. */
NS_TEST(public_addresses_are_reached_and_private_ones_inside_of_them_are_not) {
    static const char *const carried[] = {"64:ff9b::10.0.0.1", "2002:a00:1::1"};
    static const char *const public[] = {"198.51.100.7", "64:ff9b::198.51.100.7", "2002:c633:6407::1"};

    NS_CHECK(begin(NULL, NULL));
    for (size_t i = 0; i < sizeof public / sizeof public[0]; i++)
        NS_EQUAL(0, attempt(&guarded, SOCK_STREAM, public[i], PORT));
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; i++) {
        NS_EQUAL(0, attempt(&free_one, SOCK_STREAM, carried[i], PORT));
        NS_EQUAL(SILENT, attempt(&guarded, SOCK_STREAM, carried[i], PORT));
    }
    end();
}

/* resolv.conf names 127.0.0.53 here, where systemd-resolved would answer. */
NS_TEST(datagrams_go_to_resolvers_only) {
    NS_CHECK(begin("127.0.0.0/8", NULL));
    NS_EQUAL(0, attempt(&guarded, SOCK_DGRAM, "127.0.0.53", 53));
    NS_EQUAL(EPERM, attempt(&guarded, SOCK_DGRAM, "127.0.0.53", 54));
    NS_EQUAL(EPERM, attempt(&guarded, SOCK_DGRAM, "127.0.0.1", 53));
    NS_EQUAL(0, attempt(&free_one, SOCK_DGRAM, "127.0.0.1", 53));
    end();
}

int main(int argc, char **argv) {
    /* A machine with controllers of version 1 has this hierarchy, too. */
    groups.version = 2;
    snprintf(groups.mounts[0], sizeof groups.mounts[0], "%s", argc == 2 ? argv[1] : "");
    end(); /* ends the group of a test that was killed */
    listen_everywhere();
    NS_RUN(special_and_own_addresses_are_out_of_reach);
    NS_RUN(policy_decides_before_the_registries_and_the_longest_prefix_wins);
    NS_RUN(public_addresses_are_reached_and_private_ones_inside_of_them_are_not);
    NS_RUN(datagrams_go_to_resolvers_only);
    end();
    return ns_test_end();
}
