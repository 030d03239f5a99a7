/* SPDX-License-Identifier: Apache-2.0 */
/*
 * supervisor - starts the daemons of a node, starts them again when they end, stops them in reverse order.
 *
 *     supervisor --root R --dist D --java H [--mark 0x400000] [--ids 690000] [--jvm-opt X]...
 *                [--log-bytes 10485760] [--log-files 5] [--rehearse]
 *
 * --jvm-opt is for the JVMs of controller and nsis-gist.
 *
 * With --rehearse each of these JVMs writes its class data when it stops, into the directory of its crash reports.
 *
 * SIGTERM and SIGINT stop the node in order, then the supervisor exits with 0. SIGHUP goes to controller and
 * nsis-gist, which read policy again. It also makes the supervisor open the logs by their names again.
 *
 * With NOTIFY_SOCKET in the environment the supervisor tells a service manager when the node is ready (health.h).
 *
 * It writes one line per event on standard error. The daemons' own lines go to <root>/var/log/netserv/<name>.log, at
 * a bounded rate.
 */
#include "health.h"
#include "logs.h"
#include "node.h"
#include "notify.h"
#include "ns_identity.h"
#include "ns_log.h"
#include "ns_marks.h"
#include "ns_time.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DAEMONS_MAX 8

static struct ns_node node;
static struct ns_daemon daemons[DAEMONS_MAX];
static struct ns_log_stream streams[DAEMONS_MAX];
static bool stopping;

static int number(const char *name, const char *text, uint32_t *value) {
    char *end;
    unsigned long parsed = strtoul(text, &end, 0);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || parsed == 0 || parsed > 0x40000000) {
        ns_error("--%s: %s is not a number in 1..0x40000000", name, text);
        return -1;
    }
    *value = (uint32_t)parsed;
    return 0;
}

static int resolve(const char *name, const char *path, char resolved[PATH_MAX]) {
    if (path != NULL && realpath(path, resolved) != NULL)
        return 0;
    ns_error("--%s: %s", name, path == NULL ? "missing" : strerror(errno));
    return -1;
}

static int read_options(int argc, char **argv) {
    static const struct option table[] = {
        {"root", required_argument, NULL, 'r'},      {"dist", required_argument, NULL, 'd'},
        {"java", required_argument, NULL, 'j'},      {"mark", required_argument, NULL, 'm'},
        {"ids", required_argument, NULL, 'i'},       {"jvm-opt", required_argument, NULL, 'o'},
        {"log-bytes", required_argument, NULL, 'b'}, {"log-files", required_argument, NULL, 'f'},
        {"rehearse", no_argument, NULL, 'R'},        {NULL, 0, NULL, 0},
    };
    const char *root = "/", *dist = NULL, *java = NULL, *why;
    int option;

    node.mark = 0x00400000;
    node.ids = NS_ID_BASE;
    node.log_bytes = NS_LOG_FILE_BYTES;
    node.log_files = NS_LOG_FILES;
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == 'r')
            root = optarg;
        else if (option == 'd')
            dist = optarg;
        else if (option == 'j')
            java = optarg;
        else if (option == 'm' && ns_mark_read("mark", optarg, &node.mark) != 0)
            return -1;
        else if (option == 'i' && number("ids", optarg, &node.ids) != 0)
            return -1;
        else if (option == 'b' && number("log-bytes", optarg, &node.log_bytes) != 0)
            return -1;
        else if (option == 'f' && number("log-files", optarg, &node.log_files) != 0)
            return -1;
        else if (option == 'R')
            node.rehearsal = true;
        else if (option == 'o' && node.jvm_option_count < NS_JVM_OPTIONS)
            node.jvm_options[node.jvm_option_count++] = optarg;
        else if (option == 'o' || option == '?')
            return -1;
    }
    why = ns_marks_wrong(node.mark, node.mark << 1);
    if (why != NULL) {
        ns_error("--mark: 0x%x: %s; samples have the next higher bit", node.mark, why);
        return -1;
    }
    if (optind != argc) {
        ns_error("%s: not an option", argv[optind]);
        return -1;
    }
    return resolve("root", root, node.root) || resolve("dist", dist, node.dist) || resolve("java", java, node.java);
}

/* Locks the pid file, which is ours alone: a second supervisor of the same root finds it locked. */
static int lock_pid_file(char path[PATH_MAX + 32]) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd;

    snprintf(path, PATH_MAX + 32, "%s/run/netserv/supervisor.pid", node.root);
    fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fcntl(fd, F_SETLK, &whole) != 0) {
        ns_error("%s: %s", path, errno == EAGAIN || errno == EACCES ? "another supervisor runs" : strerror(errno));
        return -1;
    }
    if (!ns_tree_plain(fd) || ftruncate(fd, 0) != 0 || dprintf(fd, "%d\n", (int)getpid()) < 0) {
        ns_error("%s: %s", path, strerror(errno));
        return -1;
    }
    return fd;
}

static void reap(void) {
    int status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ns_health_ended(pid, status, ns_now()))
            continue;
        for (unsigned i = 0; i < ns_daemon_kind_count; i++) {
            if (daemons[i].pid == pid)
                ns_daemon_ended(&daemons[i], status, ns_now());
        }
    }
}

static void reload(void) {
    for (unsigned i = 0; i < ns_daemon_kind_count; i++) {
        if (streams[i].in >= 0)
            ns_logfile_reopen(&streams[i].file);
        ns_daemon_reload(&daemons[i]);
    }
}

static void stop(void) {
    if (!stopping)
        ns_health_close();
    stopping = true;
}

static void read_signals(int fd) {
    struct signalfd_siginfo info;

    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP)
            reload();
        else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
            stop();
    }
    reap();
}

/* Stops the daemon that was started last; the next one follows when it is down. Returns true when all are down. */
static bool stop_next(void) {
    for (unsigned i = ns_daemon_kind_count; i-- > 0;) {
        ns_daemon_stop(&daemons[i], ns_now());
        if (daemons[i].state != NS_DOWN)
            return false;
    }
    return true;
}

static int open_signals(void) {
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    return sigprocmask(SIG_BLOCK, &set, NULL) != 0 ? -1 : signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool in_dist(const char *name) {
    char path[PATH_MAX + 32];

    if (name == NULL)
        return true;
    snprintf(path, sizeof path, "%s/%s", node.dist, name);
    return access(path, F_OK) == 0;
}

static int open_logs(void) {
    int directory = ns_logs_directory(node.root);

    for (unsigned i = 0; i < ns_daemon_kind_count && directory >= 0; i++) {
        daemons[i].kind = &ns_daemon_kinds[i];
        streams[i].in = -1;
        if (!in_dist(daemons[i].kind->needs))
            continue;
        if (ns_log_stream_open(&streams[i], directory, daemons[i].kind->name, node.log_bytes, node.log_files,
                               ns_now()) != 0)
            return -1;
        daemons[i].log = streams[i].out;
    }
    return directory;
}

static void read_logs(void) {
    for (unsigned i = 0; i < ns_daemon_kind_count; i++)
        ns_log_stream_read(&streams[i], ns_now());
}

/* Performs the actions that are due. Returns the time of the next call. */
static uint64_t tick(uint64_t now) {
    uint64_t next = ns_health_tick(&node, now);

    for (unsigned i = 0; i < ns_daemon_kind_count; i++) {
        uint64_t daemon = ns_daemon_tick(&daemons[i], &node, now), log = ns_log_stream_tick(&streams[i], now);

        next = daemon < next ? daemon : next;
        next = log < next ? log : next;
    }
    return next;
}

static void wait_for_news(int signals, uint64_t next, uint64_t now) {
    struct pollfd readable[DAEMONS_MAX + 1];
    unsigned count = ns_daemon_kind_count;

    for (unsigned i = 0; i < count; i++)
        readable[i] = (struct pollfd){.fd = streams[i].in, .events = POLLIN};
    readable[count] = (struct pollfd){.fd = signals, .events = POLLIN};
    if (poll(readable, count + 1, next == UINT64_MAX ? -1 : next <= now ? 0 : (int)(next - now)) <= 0)
        return;
    read_logs();
    if (readable[count].revents != 0)
        read_signals(signals);
}

static void run(int signals) {
    for (unsigned i = 0; i < ns_daemon_kind_count; i++) {
        if (in_dist(daemons[i].kind->needs))
            ns_daemon_start(&daemons[i], &node, ns_now());
        else
            ns_info("%s: not in this dist", daemons[i].kind->name);
    }
    ns_health_open(ns_now());
    while (!stopping || !stop_next()) {
        uint64_t now = ns_now();

        wait_for_news(signals, tick(now), now);
    }
    read_logs();
}

int main(int argc, char **argv) {
    char pid_file[PATH_MAX + 32];
    int signals;

    ns_log_open("supervisor");
    umask(022);
    if (read_options(argc, argv) != 0)
        return 2;
    if (geteuid() != 0) {
        ns_error("needs root: it starts the spawner, which makes namespaces and firewall rules");
        return 1;
    }
    if (!ns_notify_open())
        return 1;
    if (ns_tree_make(node.root, node.ids) != 0 || lock_pid_file(pid_file) < 0)
        return 1;
    if (open_logs() < 0) {
        ns_error("%s/var/log/netserv: %s", node.root, strerror(errno));
        return 1;
    }
    signals = open_signals();
    if (signals < 0) {
        ns_error("signals: %s", strerror(errno));
        return 1;
    }
    ns_info("node %s", node.root);
    run(signals);
    unlink(pid_file);
    ns_info("stopped");
    return 0;
}
