/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers_inside.h - the program that layers.c starts in a container. It tries one action after the other and writes
 * each result on a line, "name=number": 0 or an errno, or a number that it sees.
 */
#ifndef NS_TEST_LAYERS_INSIDE_H
#define NS_TEST_LAYERS_INSIDE_H

#include "host.h"
#include "ns_caps.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <mntent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define UID 700001
#define GROUP 690003
#define FILES 77
#define TASKS 8
#define PORT 8080           /* the only port to bind or to connect to, but for the loopback's */
#define LOOPBACK_PORT 65534 /* allowed to every container */
#define ABSTRACT "netserv-layers-test"

static const char *root;

static void path_of(const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", root, name);
}

static long result(long value) {
    return value < 0 ? errno : 0;
}

static long see_uid(void) {
    return getuid();
}

static long see_pid(void) {
    return getpid();
}

/* Returns the number of ids that exist. */
static long see_map(void) {
    FILE *map = fopen("/proc/self/uid_map", "re");
    long count = -1;

    if (map == NULL || fscanf(map, "%*d %*d %ld", &count) != 1)
        return -1;
    fclose(map);
    return count;
}

static long see_owner_of_usr(void) {
    struct stat status;

    return stat("/usr", &status) != 0 ? -1 : (long)status.st_uid;
}

static long see_passwd(void) {
    return result(access("/etc/passwd", F_OK));
}

/* Runs code from a file of its own, as the loading of a library does. */
static long run_own_file(void) {
    char path[PATH_MAX];
    void *at;
    int fd;

    path_of("data/code", path);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return -1;
    at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    close(fd);
    return at == MAP_FAILED ? errno : 0;
}

/* Returns 1 if some mount lets set-uid programs work, or can be written and lets devices or programs work. */
static long has_unsafe_mount(void) {
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    struct mntent *mount;
    long unsafe = 0;

    while (mounts != NULL && (mount = getmntent(mounts)) != NULL) {
        bool device = strncmp(mount->mnt_dir, "/dev/", 5) == 0, written = hasmntopt(mount, "ro") == NULL;

        unsafe |= hasmntopt(mount, "nosuid") == NULL;
        unsafe |= written && hasmntopt(mount, "noexec") == NULL;
        unsafe |= written && !device && hasmntopt(mount, "nodev") == NULL;
    }
    return mounts == NULL ? -1 : unsafe;
}

static long write_proc(void) {
    int fd = open("/proc/sys/kernel/hostname", O_WRONLY | O_CLOEXEC);

    return result(fd);
}

static long see_files(void) {
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) != 0 ? -1 : (long)limit.rlim_max;
}

static long has_capabilities(void) {
    uint64_t permitted;

    return ns_caps_permitted(&permitted) != 0 ? -1 : permitted != 0;
}

static long has_bounding_set(void) {
    return prctl(PR_CAPBSET_READ, CAP_NET_ADMIN, 0, 0, 0);
}

static long has_securebits(void) {
    return prctl(PR_GET_SECUREBITS, 0, 0, 0, 0) != 0;
}

static long no_new_privs(void) {
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

/* Opens a file that its root directory has, but Landlock does not allow. */
static long read_services(void) {
    return result(open("/etc/services", O_RDONLY | O_CLOEXEC));
}

/* Lists the groups of others, in the present version of cgroups. */
static long list_groups(void) {
    int fd = open("/sys/fs/cgroup/memory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    return fd < 0 && errno == ENOENT ? result(open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) : result(fd);
}

/* Returns 1 if it can read the limits of its own group, wherever the group is; a JVM reads them, too. */
static long read_own_group(void) {
    char line[256], own[256] = "", path[600];
    FILE *groups = fopen("/proc/self/cgroup", "re");
    long count = 0;

    while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        if (sscanf(line, "%*[^/]/%255s", own) == 1 && strncmp(own, "netserv", 7) == 0)
            break;
    }
    snprintf(path, sizeof path, "/sys/fs/cgroup/memory/%s/memory.limit_in_bytes", own);
    count += open(path, O_RDONLY | O_CLOEXEC) >= 0;
    snprintf(path, sizeof path, "/sys/fs/cgroup/%s/memory.max", own);
    count += open(path, O_RDONLY | O_CLOEXEC) >= 0;
    return count > 0;
}

static long tcp(unsigned port, int (*act)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return fd < 0 ? -1 : result(act(fd, (struct sockaddr *)&address, sizeof address));
}

static int bind_to(int fd, const struct sockaddr *address, socklen_t length) {
    return bind(fd, address, length);
}

static int connect_to(int fd, const struct sockaddr *address, socklen_t length) {
    return connect(fd, address, length);
}

static long bind_listed(void) {
    return tcp(PORT, bind_to);
}

static long bind_other(void) {
    return tcp(PORT + 1, bind_to);
}

static long connect_other(void) {
    return tcp(PORT + 1, connect_to) == EACCES;
}

static long connect_listed(void) {
    return tcp(PORT, connect_to) == EACCES;
}

static long bind_loopback(void) {
    return tcp(LOOPBACK_PORT, bind_to);
}

static long connect_loopback(void) {
    return tcp(LOOPBACK_PORT, connect_to) == EACCES;
}

static long connect_abstract(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    memcpy(address.sun_path + 1, ABSTRACT, strlen(ABSTRACT));
    return result(connect(fd, (struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(ABSTRACT))));
}

/* Connects to the controller's socket, which stays open until the end. */
static long connect_control(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/control", root);
    return result(connect(fd, (struct sockaddr *)&address, sizeof address));
}

static long socket_of(int family, int type, int protocol) {
    return result(socket(family, type | SOCK_CLOEXEC, protocol));
}

static long netlink_route(void) {
    return socket_of(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
}

static long netlink_netfilter(void) {
    return socket_of(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER);
}

static long udp_and_tcp(void) {
    return socket_of(AF_INET6, SOCK_DGRAM, 0) + socket_of(AF_INET, SOCK_STREAM, IPPROTO_TCP);
}

static long is_denied_mptcp(void) {
    return socket_of(AF_INET, SOCK_STREAM, 262) == EPERM;
}

static long is_denied_alg(void) {
    return socket_of(AF_ALG, SOCK_SEQPACKET, 0) == EPERM;
}

static long make_memory(void) {
    return result(memfd_create("test", MFD_CLOEXEC));
}

static long clone3_nothing(void) {
    return result(syscall(SYS_clone3, NULL, 0));
}

static long push_input(void) {
    return result(ioctl(0, TIOCSTI, "x"));
}

static long be_traced(void) {
    return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static long make_child(void) {
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return result(pid);
}

static void *nothing(void *argument) {
    pause();
    return argument;
}

/* Makes twice as many threads as its cgroup allows. Returns the number that it gets. */
static long make_threads(void) {
    pthread_t thread;
    long count = 0;

    while (count < 2 * TASKS && pthread_create(&thread, NULL, nothing, NULL) == 0)
        count++;
    return count;
}

static const struct {
    const char *name;
    long (*try)(void);
} experiments[] = {
    {"uid", see_uid},
    {"pid", see_pid},
    {"map", see_map},
    {"owner", see_owner_of_usr},
    {"passwd", see_passwd},
    {"code", run_own_file},
    {"unsafe-mount", has_unsafe_mount},
    {"proc", write_proc},
    {"files", see_files},
    {"caps", has_capabilities},
    {"bounding", has_bounding_set},
    {"securebits", has_securebits},
    {"nnp", no_new_privs},
    {"services", read_services},
    {"groups", list_groups},
    {"own-group", read_own_group},
    {"bind-listed", bind_listed},
    {"bind-other", bind_other},
    {"connect-denied", connect_other},
    {"connect-listed-denied", connect_listed},
    {"bind-loopback", bind_loopback},
    {"connect-loopback-denied", connect_loopback},
    {"abstract", connect_abstract},
    {"control", connect_control},
    {"route", netlink_route},
    {"netfilter", netlink_netfilter},
    {"inet", udp_and_tcp},
    {"mptcp-denied", is_denied_mptcp},
    {"alg-denied", is_denied_alg},
    {"memfd", make_memory},
    {"clone3", clone3_nothing},
    {"tiocsti", push_input},
    {"fork", make_child},
    {"threads", make_threads},
    {"ptrace", be_traced}, /* from here on a signal stops it */
};

static const char *const namespaces[] = {"user", "pid", "mnt", "net", "ipc", "uts"};

static int inside(char **argv) {
    static char storage[PATH_MAX];
    struct ns_options options = {
        .java_home = "/usr/lib/jvm", .class_path = "", .blocks = "/nonexistent", .storage = storage};
    int report = atoi(argv[3]);
    char path[64], target[64];
    const char *failed;

    root = argv[1];
    path_of("data/framework", storage);
    options.bind = options.connect = "8080-8080";
    if (!ns_layer_read(&options.missing, argv[2]) || ns_sandbox_enter(&options, &failed) != 0)
        return 1;
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++) {
        ssize_t n;

        snprintf(path, sizeof path, "/proc/self/ns/%s", namespaces[i]);
        n = readlink(path, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = '\0';
        dprintf(report, "%s\n", target);
    }
    for (size_t i = 0; strcmp(argv[4], "try") == 0 && i < sizeof experiments / sizeof experiments[0]; i++) {
        long value = experiments[i].try();

        dprintf(report, "%s=%ld\n", experiments[i].name, value);
    }
    dprintf(report, "end\n");
    for (;;)
        pause();
}

#endif
