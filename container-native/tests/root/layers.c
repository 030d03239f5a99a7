/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests each layer of isolation: the actions that it denies, and that they succeed without it, with all other layers
 * in place. layers.sh runs `layers <root>`. <root>/bin/layers is the same program, and <root>/data a directory.
 * ns_layers_start starts `layers inside <root> <without> <report descriptor> <how>`, which enters the remaining
 * layers as the host does.
 */
#include "layers.h"
#include "layers_inside.h"
#include "ns_landlock.h"
#include "patience.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>

static struct ns_cgroups cgroups;
static struct ns_cgroup cgroup;
static int control, abstract;
static ns_layer_set lacking; /* layers that this kernel cannot give */

static int listen_to(struct sockaddr_un *address, socklen_t length) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return fd >= 0 && bind(fd, (struct sockaddr *)address, length) == 0 && listen(fd, 16) == 0 ? fd : -1;
}

static bool prepare(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    ns_cgroups_open(&cgroups, root);
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/control", root);
    control = listen_to(&address, sizeof address);
    if (control < 0 || chown(address.sun_path, 690000, GROUP) != 0 || chmod(address.sun_path, 0660) != 0)
        return false;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    memcpy(address.sun_path + 1, ABSTRACT, strlen(ABSTRACT));
    abstract = listen_to(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(ABSTRACT)));
    return abstract >= 0;
}

/* Starts a process as spawner/container/host.c starts a host. `how` is "try" or "wait". */
static pid_t start(ns_layer_set without, int report, const char *how, char why[160]) {
    static char data[PATH_MAX], bin[PATH_MAX], socket_path[PATH_MAX], program[PATH_MAX], names[NS_LAYER_TEXT], fd[16];
    static const char *const environment[] = {"LC_ALL=C", NULL};
    static const struct ns_limit limits[] = {{RLIMIT_NOFILE, FILES}};
    const char *const argv[] = {program, "inside", root, names, fd, how, NULL};
    const struct ns_root_entry mounts[] = {{bin, NS_ROOT_EXECUTE}, {socket_path, 0}, {data, NS_ROOT_WRITE}};
    struct ns_cgroup_limits all = {0, 0, ns_layer_has(without, NS_LAYER_CGROUP) ? 0 : TASKS};
    uint64_t caps = ns_layer_has(without, NS_LAYER_NO_NEW_PRIVS) ? NS_CAP(CAP_SYS_ADMIN) : 0;
    struct ns_layers layers = {
        .without = without,
        .namespaces = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS,
        .cgroup = &cgroup,
        .mounts = mounts,
        .mount_count = 3,
        .limits = limits,
        .limit_count = 1,
        .identity = {UID, UID, {GROUP}, 1, caps, SIGKILL},
        .keep = &report,
        .keep_count = 1,
        .argv = argv,
        .environment = environment,
    };
    uid_t owner = ns_layer_has(without, NS_LAYER_UID) ? 0 : UID;

    path_of("data", data);
    path_of("bin", bin);
    path_of("control", socket_path);
    path_of("bin/layers", program);
    unlinkat(AT_FDCWD, data, 0);
    ns_layer_print(without, names);
    snprintf(fd, sizeof fd, "%d", report);
    if (ns_cgroup_make(&cgroup, &cgroups, "layers/host", &all) != 0 || chown(data, owner, UID) != 0)
        return -1;
    return ns_layers_start(&layers, NULL, NULL, why);
}

/* The text of one process, until its "end". The process is gone afterwards. */
static struct said {
    char text[4096];
    struct ucred peer;
} said;

static bool read_until_end(int fd) {
    size_t used = 0;

    for (;;) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        ssize_t n = poll(&readable, 1, WAIT_MSEC) == 1 ? read(fd, said.text + used, sizeof said.text - 1 - used) : -1;

        if (n <= 0)
            return false;
        used += (size_t)n;
        said.text[used] = '\0';
        if (strstr(said.text, "end\n") != NULL)
            return true;
    }
}

static void see_peer(void) {
    socklen_t size = sizeof said.peer;
    int fd = accept(control, NULL, NULL);

    said.peer = (struct ucred){0, (uid_t)-1, (gid_t)-1};
    if (fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &said.peer, &size) == 0)
        close(fd);
}

static bool run(ns_layer_set left_out) {
    char path[PATH_MAX], why[160] = "";
    ns_layer_set without = left_out | lacking;
    int report[2];
    bool good;
    pid_t pid;

    memset(&said, 0, sizeof said);
    path_of("data/code", path);
    unlink(path);
    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    pid = start(without, report[1], "try", why);
    close(report[1]);
    if (pid < 0) {
        snprintf(said.text, sizeof said.text, "%s", why);
        return false;
    }
    good = read_until_end(report[0]);
    close(report[0]);
    see_peer();
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, __WALL) != pid)
        continue;
    ns_cgroup_remove(&cgroup);
    return good;
}

static long value_of(const char *name) {
    char pattern[40];
    const char *at;

    snprintf(pattern, sizeof pattern, "\n%s=", name);
    at = strstr(said.text, pattern);
    return at == NULL ? -1 : strtol(at + strlen(pattern), NULL, 10);
}

/* Tells whether the process is in that namespace of ours. */
static bool shares(const char *namespace) {
    char path[64], target[66];
    ssize_t n;

    snprintf(path, sizeof path, "/proc/self/ns/%s", namespace);
    n = readlink(path, target, 64);
    target[n < 0 ? 0 : n] = '\n';
    target[n < 0 ? 1 : n + 1] = '\0';
    return n > 0 && strstr(said.text, target) != NULL;
}

/* The results with every layer, and without the one. */
static const struct {
    enum ns_layer layer;
    const char *experiment;
    long with, without;
} rows[] = {
    {NS_LAYER_CGROUP, "threads", TASKS - 1, 2 * TASKS},
    {NS_LAYER_USER, "map", 1, 4294967295},
    {NS_LAYER_USER, "owner", 65534, 0},
    {NS_LAYER_MOUNT, "passwd", ENOENT, 0},
    {NS_LAYER_MOUNT, "code", EPERM, 0},
    {NS_LAYER_MOUNT, "unsafe-mount", 0, 1},
    {NS_LAYER_RLIMITS, "files", FILES, 1000},
    {NS_LAYER_UID, "uid", UID, 0},
    {NS_LAYER_CAPABILITIES, "caps", 0, 1},
    {NS_LAYER_CAPABILITIES, "bounding", 0, 1},
    {NS_LAYER_CAPABILITIES, "securebits", 1, 0},
    {NS_LAYER_NO_NEW_PRIVS, "nnp", 1, 0},
    {NS_LAYER_LANDLOCK, "services", EACCES, 0},
    {NS_LAYER_LANDLOCK, "groups", EACCES, 0},
    {NS_LAYER_LANDLOCK_NET, "bind-other", EACCES, 0},
    {NS_LAYER_LANDLOCK_NET, "connect-denied", 1, 0},
    {NS_LAYER_SECCOMP, "netfilter", EPERM, 0},
    {NS_LAYER_SECCOMP, "mptcp-denied", 1, 0},
    {NS_LAYER_SECCOMP, "alg-denied", 1, 0},
    {NS_LAYER_SECCOMP, "memfd", EPERM, 0},
    {NS_LAYER_SECCOMP, "clone3", ENOSYS, EINVAL},
    {NS_LAYER_SECCOMP, "tiocsti", EPERM, ENOTTY},
    {NS_LAYER_SECCOMP, "ptrace", EPERM, 0},
    {NS_LAYER_SECCOMP, "fork", EPERM, 0},
};
#define ROWS (sizeof rows / sizeof rows[0])

/* Returns the expected result of a row when `left_out` is left out. */
static long expected_of(size_t row, ns_layer_set left_out) {
    return ns_layer_has(left_out | lacking, rows[row].layer) ? rows[row].without : rows[row].with;
}

NS_TEST(with_every_layer_it_can_do_little_and_what_it_must) {
    NS_CHECK(run(0));
    for (size_t i = 0; i < ROWS; i++)
        NS_EQUAL(expected_of(i, 0), value_of(rows[i].experiment));
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++)
        NS_CHECK(!shares(namespaces[i]));
    NS_EQUAL(1, value_of("pid"));
    NS_EQUAL(1, value_of("own-group"));
    NS_EQUAL(0, value_of("bind-listed"));
    NS_EQUAL(0, value_of("connect-listed-denied"));
    NS_EQUAL(0, value_of("bind-loopback"));
    NS_EQUAL(0, value_of("connect-loopback-denied"));
    NS_EQUAL(0, value_of("route"));
    NS_EQUAL(0, value_of("inet"));
    NS_CHECK(value_of("proc") == EROFS || value_of("proc") == EACCES);
}

NS_TEST(the_controller_knows_it_by_its_uid) {
    NS_CHECK(run(0));
    NS_EQUAL(0, value_of("control"));
    NS_EQUAL(UID, said.peer.uid);
    NS_EQUAL(UID, said.peer.gid);
}

NS_TEST(without_a_uid_the_controller_knows_it_by_its_group) {
    NS_CHECK(run(NS_LAYER_BIT(NS_LAYER_UID)));
    NS_EQUAL(0, value_of("control"));
    NS_EQUAL(0, said.peer.uid);
    NS_EQUAL(UID, said.peer.gid);
}

/* Removes each layer in turn: its own rows change, and the rows of every other layer do not. */
NS_TEST(each_layer_alone_does_what_is_said_of_it) {
    for (int layer = 0; layer < NS_LAYER_COUNT; layer++) {
        NS_CHECK(run(NS_LAYER_BIT(layer)));
        for (size_t i = 0; i < ROWS; i++) {
            long expected = expected_of(i, NS_LAYER_BIT(layer));
            long value = value_of(rows[i].experiment);

            if (strcmp(rows[i].experiment, "files") == 0 && (int)rows[i].layer == layer) {
                NS_CHECK(value != FILES);
                continue;
            }
            if (layer == NS_LAYER_NO_NEW_PRIVS && strcmp(rows[i].experiment, "securebits") == 0)
                continue; /* it needed a capability to enter the others, and may keep one once they are locked */
            if (layer == NS_LAYER_UID && strcmp(rows[i].experiment, "owner") == 0)
                expected = 0; /* its own id is then the owner of /usr */
            if (value != expected) {
                snprintf(ns_test_why, sizeof ns_test_why, "without %s: %s is %ld, not %ld",
                         ns_layer_name((enum ns_layer)layer), rows[i].experiment, value, expected);
                longjmp(ns_test_out, 1);
            }
        }
    }
}

NS_TEST(each_namespace_alone_is_shared) {
    static const enum ns_layer layers[] = {NS_LAYER_USER, NS_LAYER_PID, NS_LAYER_MOUNT,
                                           NS_LAYER_NET,  NS_LAYER_IPC, NS_LAYER_UTS};

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        NS_CHECK(run(NS_LAYER_BIT(layers[i])));
        for (size_t j = 0; j < sizeof layers / sizeof layers[0]; j++)
            NS_EQUAL(i == j, shares(namespaces[j]));
    }
}

/*
 * In the node's network the abstract sockets of the node are visible. Landlock keeps the process away from them, from
 * ABI 6.
 */
NS_TEST(abstract_sockets_of_the_node_are_landlocks) {
    ns_layer_set net = NS_LAYER_BIT(NS_LAYER_NET);

    NS_CHECK(run(net));
    NS_EQUAL(ns_landlock_plan(ns_landlock_abi()).scoped == 0 ? 0 : EPERM, value_of("abstract"));
    NS_CHECK(run(net | NS_LAYER_BIT(NS_LAYER_LANDLOCK)));
    NS_EQUAL(0, value_of("abstract"));
}

/* The limit counts the container's own descriptors only, however many the test has. */
NS_TEST(a_limit_below_our_own_descriptors_is_enough) {
    int ours[2 * FILES];
    bool good;

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        ours[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        NS_CHECK(ours[i] >= 0);
    }
    good = run(0);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        close(ours[i]);
    NS_CHECK(good);
    NS_EQUAL(FILES, value_of("files"));
}

/*
 * Root in its own user namespace has every capability there. It has none over objects that were made before the
 * namespace.
 */
NS_TEST(root_in_its_own_namespace_is_nobody_outside) {
    ns_layer_set root_inside = NS_LAYER_BIT(NS_LAYER_UID) | NS_LAYER_BIT(NS_LAYER_CAPABILITIES) |
                               NS_LAYER_BIT(NS_LAYER_LANDLOCK) | NS_LAYER_BIT(NS_LAYER_SECCOMP);

    NS_CHECK(run(root_inside));
    NS_EQUAL(1, value_of("caps"));
    NS_EQUAL(EROFS, value_of("proc"));
    NS_EQUAL(FILES, value_of("files"));
}

NS_TEST(without_all_it_is_a_process_of_root) {
    uint64_t permitted;

    NS_CHECK(run(NS_LAYER_ALL));
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].experiment, "files") != 0)
            NS_EQUAL(rows[i].without, value_of(rows[i].experiment));
    }
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++)
        NS_CHECK(shares(namespaces[i]));
    NS_EQUAL(0, value_of("abstract"));
    NS_EQUAL(0, value_of("proc"));
    NS_EQUAL(0, ns_caps_permitted(&permitted));
    NS_CHECK(permitted != 0);
}

static bool gone(pid_t pid) {
    for (int i = 0; i < WAIT_MSEC / 10; i++) {
        if (kill(pid, 0) != 0)
            return true;
        pause_msec(10);
    }
    return false;
}

/* The signal is set after the change of uid, which clears it. The parent is a process of its own here. */
NS_TEST(it_dies_with_its_parent) {
    int report[2], tell[2];
    pid_t parent, child = -1;
    char why[160];

    NS_EQUAL(0, prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0));
    NS_CHECK(pipe2(report, O_CLOEXEC) == 0 && pipe2(tell, O_CLOEXEC) == 0);
    parent = fork();
    if (parent == 0) {
        child = start(lacking, report[1], "wait", why);
        if (write(tell[1], &child, sizeof child) != sizeof child)
            _exit(1);
        pause();
    }
    close(report[1]);
    NS_EQUAL(sizeof child, read(tell[0], &child, sizeof child));
    NS_CHECK(child > 0 && read_until_end(report[0]));
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    NS_CHECK(gone(child));
    close(report[0]);
    close(tell[0]);
    close(tell[1]);
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "inside") == 0)
        return inside(argv + 1);
    if (argc != 2)
        return 2;
    root = argv[1];
    if (!prepare()) {
        perror("prepare");
        return 2;
    }
    if (ns_landlock_abi() < NS_LANDLOCK_TCP_ABI)
        lacking = NS_LAYER_BIT(NS_LAYER_LANDLOCK_NET);
    NS_RUN(with_every_layer_it_can_do_little_and_what_it_must);
    NS_RUN(the_controller_knows_it_by_its_uid);
    NS_RUN(without_a_uid_the_controller_knows_it_by_its_group);
    NS_RUN(each_layer_alone_does_what_is_said_of_it);
    NS_RUN(each_namespace_alone_is_shared);
    NS_RUN(abstract_sockets_of_the_node_are_landlocks);
    NS_RUN(a_limit_below_our_own_descriptors_is_enough);
    NS_RUN(root_in_its_own_namespace_is_nobody_outside);
    NS_RUN(without_all_it_is_a_process_of_root);
    NS_RUN(it_dies_with_its_parent);
    ns_cgroups_close(&cgroups);
    return ns_test_end();
}
