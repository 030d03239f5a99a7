/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the files that cgroup*.c read and write, against a directory that looks like a hierarchy. */
#include "cgroup.h"
#include "ns_test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NODE "netserv/0123456789abcdef"

static char top[] = "/tmp/ns-cgroup-XXXXXX";

static void put(const char *file, const char *text) {
    char path[256];
    int fd;

    snprintf(path, sizeof path, "%s/%s", top, file);
    for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    NS_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static bool has(const char *file, const char *text) {
    char path[256], found[256];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "%s/%s", top, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, found, sizeof found - 1);
    if (fd >= 0)
        close(fd);
    found[n < 0 ? 0 : n] = '\0';
    return n >= 0 && strcmp(found, text) == 0;
}

static struct ns_cgroups version_2(void) {
    struct ns_cgroups all = {.version = 2, .node = "0123456789abcdef"};

    snprintf(all.mounts[0], sizeof all.mounts[0], "%s", top);
    return all;
}

NS_TEST(version_2_hands_controllers_down_and_limits_the_last) {
    struct ns_cgroups all = version_2();
    struct ns_cgroup_limits limits = {64 << 20, 250, 40};
    struct ns_cgroup cgroup, whole;

    put("cgroup.subtree_control", "");
    put("netserv/cgroup.subtree_control", "");
    put(NODE "/cgroup.subtree_control", "");
    put(NODE "/c/cgroup.subtree_control", "");
    put(NODE "/c/host/cgroup.subtree_control", "");
    put(NODE "/c/host/cgroup.procs", "");
    put(NODE "/c/host/memory.max", "");
    put(NODE "/c/host/memory.swap.max", "");
    put(NODE "/c/host/pids.max", "");
    put(NODE "/c/host/cpu.max", "");
    NS_EQUAL(0, ns_cgroup_make(&cgroup, &all, "c/host", &limits));
    NS_CHECK(has("cgroup.subtree_control", "+memory +cpu +pids"));
    NS_CHECK(has("netserv/cgroup.subtree_control", "+memory +cpu +pids"));
    NS_CHECK(has(NODE "/c/cgroup.subtree_control", "+memory +cpu +pids"));
    NS_CHECK(has(NODE "/c/host/cgroup.subtree_control", "")); /* it has processes, so no controllers below it */
    NS_CHECK(has(NODE "/c/host/memory.max", "67108864"));
    NS_CHECK(has(NODE "/c/host/memory.swap.max", "0"));
    NS_CHECK(has(NODE "/c/host/pids.max", "40"));
    NS_CHECK(has(NODE "/c/host/cpu.max", "50000 20000"));
    put(NODE "/c/host/cpu.max", "");
    NS_EQUAL(0, ns_cgroup_set_cpu(&cgroup, 5));
    NS_CHECK(has(NODE "/c/host/cpu.max", "1000 20000"));
    put(NODE "/c/host/cpu.max", "");
    NS_EQUAL(0, ns_cgroup_set_cpu(&cgroup, 3)); /* the kernel takes no quota below 1 ms */
    NS_CHECK(has(NODE "/c/host/cpu.max", "1000 33334"));
    NS_EQUAL(0, ns_cgroup_enter(&cgroup));
    NS_CHECK(has(NODE "/c/host/cgroup.procs", "0"));
    put(NODE "/c/cpu.weight", "");
    whole = ns_cgroup_parent(&cgroup);
    NS_EQUAL(0, ns_cgroup_share(&whole, 250));
    NS_CHECK(has(NODE "/c/cpu.weight", "250"));
    put(NODE "/c/cpu.weight", "");
    NS_EQUAL(0, ns_cgroup_share(&whole, 12800));
    NS_CHECK(has(NODE "/c/cpu.weight", "10000"));
}

/*
 * A limit below the memory in use would have the kernel kill a process. So the kernel must first reclaim as much as
 * it can.
 */
NS_TEST(version_2_refuses_less_memory_than_is_used) {
    struct ns_cgroups all = version_2();
    struct ns_cgroup cgroup = {&all, NODE "/s/host"};
    struct ns_cgroup_limits limits = {1 << 20, 0, 0};

    put(NODE "/s/host/memory.current", "1048577\n");
    put(NODE "/s/host/memory.high", "");
    put(NODE "/s/host/memory.max", "");
    NS_EQUAL(-1, ns_cgroup_limit(&cgroup, &limits));
    NS_EQUAL(EBUSY, errno);
    NS_CHECK(has(NODE "/s/host/memory.max", ""));
    NS_CHECK(has(NODE "/s/host/memory.high", "max8576")); /* the file is not cut: both writes are in it */
    put(NODE "/s/host/memory.current", "1048576\n");
    NS_EQUAL(0, ns_cgroup_limit(&cgroup, &limits));
    NS_CHECK(has(NODE "/s/host/memory.max", "1048576"));
}

NS_TEST(the_last_node_takes_the_directory_of_all_away) {
    struct ns_cgroups all = version_2();
    char path[256];

    snprintf(all.node, sizeof all.node, "fedcba9876543210");
    snprintf(all.mounts[0], sizeof all.mounts[0], "%s/other", top);
    put("other/netserv/another-node/x", "");
    ns_cgroups_close(&all);
    snprintf(path, sizeof path, "%s/other/netserv", top);
    NS_EQUAL(0, access(path, F_OK));
    snprintf(path, sizeof path, "%s/other/netserv/another-node/x", top);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    ns_cgroups_close(&all);
    *strrchr(path, '/') = '\0';
    NS_EQUAL(-1, access(path, F_OK));
}

NS_TEST(version_2_tells_what_was_used) {
    struct ns_cgroups all = version_2();
    struct ns_cgroup cgroup = {&all, NODE "/c/host"};

    put(NODE "/c/host/memory.current", "12345678\n");
    put(NODE "/c/host/cpu.stat", "usage_usec 4242\nuser_usec 4000\nsystem_usec 242\n");
    put(NODE "/c/host/memory.events", "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 9\n");
    NS_EQUAL(12345678, ns_cgroup_memory(&cgroup));
    NS_EQUAL(4242, ns_cgroup_cpu(&cgroup));
    NS_EQUAL(2, ns_cgroup_oom(&cgroup));
}

NS_TEST(what_is_not_there_is_an_error_or_nothing_used) {
    struct ns_cgroups all = version_2();
    struct ns_cgroup_limits limits = {1 << 20, 0, 0};
    struct ns_cgroup cgroup;

    NS_EQUAL(-1, ns_cgroup_make(&cgroup, &all, "d/host", &limits)); /* a hierarchy that delegates nothing */
    NS_EQUAL(0, ns_cgroup_memory(&cgroup));
    NS_EQUAL(0, ns_cgroup_oom(&cgroup));
    NS_EQUAL(0, ns_cgroup_kill(&cgroup));
}

NS_TEST(none_at_all_limits_nothing_and_does_not_fail) {
    struct ns_cgroups all = {.version = 0, .node = "0123456789abcdef"};
    struct ns_cgroup_limits limits = {1 << 20, 100, 10};
    struct ns_cgroup cgroup;
    char text[64];

    NS_EQUAL(0, ns_cgroup_make(&cgroup, &all, "c/host", &limits));
    NS_EQUAL(0, ns_cgroup_enter(&cgroup));
    NS_EQUAL(0, ns_cgroup_set_cpu(&cgroup, 50));
    NS_EQUAL(0, ns_cgroup_cpu(&cgroup));
    ns_cgroups_describe(&all, text);
    NS_CHECK(strcmp(text, "none") == 0);
}

NS_TEST(version_1_names_what_it_has) {
    struct ns_cgroups all = {.version = 1, .mounts = {"/a", "", "", "/d"}};
    char text[64];

    ns_cgroups_describe(&all, text);
    NS_CHECK(strcmp(text, "v1:memory+pids") == 0);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

int main(void) {
    if (mkdtemp(top) == NULL)
        return 2;
    NS_RUN(version_2_hands_controllers_down_and_limits_the_last);
    NS_RUN(version_2_refuses_less_memory_than_is_used);
    NS_RUN(the_last_node_takes_the_directory_of_all_away);
    NS_RUN(version_2_tells_what_was_used);
    NS_RUN(what_is_not_there_is_an_error_or_nothing_used);
    NS_RUN(none_at_all_limits_nothing_and_does_not_fail);
    NS_RUN(version_1_names_what_it_has);
    nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return ns_test_end();
}
