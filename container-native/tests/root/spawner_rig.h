/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner_rig.h - a spawner and its only client, which waits for each answer. The test sets rig.program and rig.root
 * first.
 */
#ifndef NS_TEST_SPAWNER_RIG_H
#define NS_TEST_SPAWNER_RIG_H

#include "patience.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *program, *root, *start_ms; /* start_ms: time for a start, NULL = the preset */
    pid_t spawner;
    int client;
    unsigned next_id;
    char in[1 << 16];
    size_t used;
    unsigned hung, reports; /* events seen so far */
} rig;

static inline long long now_msec(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* --- lines --- */

static inline bool take_line(char *line, size_t size) {
    char *end = memchr(rig.in, '\n', rig.used);
    size_t length = end == NULL ? 0 : (size_t)(end - rig.in);

    if (end == NULL)
        return false;
    snprintf(line, size, "%.*s", (int)length, rig.in);
    rig.used -= length + 1;
    memmove(rig.in, end + 1, rig.used);
    rig.hung += strncmp(line, "event pktio-hung", 16) == 0;
    rig.reports += strncmp(line, "event report", 12) == 0;
    return true;
}

/*
 * Reads lines up to the next one with this beginning. Returns false when `msec` are over or the spawner has closed.
 */
static inline bool next_line(const char *beginning, char *line, size_t size, long long msec) {
    long long end = now_msec() + msec;

    for (;;) {
        struct pollfd readable = {.fd = rig.client, .events = POLLIN};
        long long left;
        ssize_t n;

        while (take_line(line, size)) {
            if (strncmp(line, beginning, strlen(beginning)) == 0)
                return true;
        }
        left = end - now_msec();
        if (left <= 0 || poll(&readable, 1, (int)left) != 1)
            return false;
        if (rig.used >= sizeof rig.in)
            return false;
        n = read(rig.client, rig.in + rig.used, sizeof rig.in - rig.used);
        if (n <= 0)
            return false;
        rig.used += (size_t)n;
    }
}

static inline bool has_line(const char *beginning) {
    char line[8192];

    return next_line(beginning, line, sizeof line, WAIT_MSEC);
}

/* Sends "<text> id=N" and the lines that follow it, and waits for its reply. */
static inline bool ask(const char *text, const char *following, char *reply, size_t size) {
    char head[32], line[4096];
    int n = snprintf(line, sizeof line, "%s id=%u\n%s", text, ++rig.next_id, following);

    if (write(rig.client, line, (size_t)n) != n)
        return false;
    snprintf(head, sizeof head, "ok id=%u", rig.next_id);
    return next_line(head, reply, size, WAIT_MSEC);
}

static inline bool told(const char *text) {
    char reply[8192];

    return ask(text, "", reply, sizeof reply);
}

static inline long long value(const char *line, const char *key) {
    char pattern[40];
    const char *at;

    snprintf(pattern, sizeof pattern, " %s=", key);
    at = strstr(line, pattern);
    return at == NULL ? -1 : strtoll(at + strlen(pattern), NULL, 10);
}

static inline long long stat_of(const char *container, const char *key) {
    char text[128], reply[8192];

    snprintf(text, sizeof text, "stats container=%s", container);
    return ask(text, "", reply, sizeof reply) ? value(reply, key) : -1;
}

/* The values in which starts differ; 0 and NULL = the usual value. */
struct order {
    const char *name, *network, *connect, *listen, *without, *take;
    unsigned index; /* of uid, gid and queue */
    unsigned connections, packets, bytes, disk, inodes;
};

static inline unsigned usual(unsigned value, unsigned otherwise) {
    return value != 0 ? value : otherwise;
}

static inline const char *usual_text(const char *value, const char *otherwise) {
    return value != NULL ? value : otherwise;
}

static inline const char *order_line(const struct order *order) {
    static char text[2048];

    snprintf(text, sizeof text,
             "start container=%s uid=%u gid=%u queue=%u memory=64 heap=16 cpu=100 pids=32 files=128 "
             "deadline=10000 steal=1000 steal-max=8 connections=%u packets=%u bytes=%u disk=%u inodes=%u direct=8 "
             "metaspace=24 rewrite= without=%s listen=%s network=%s connect=%s take=%s",
             order->name, 700000 + order->index, 700000 + order->index, 100 + 2 * order->index,
             usual(order->connections, 64), order->packets, order->bytes, usual(order->disk, 16),
             usual(order->inodes, 512), usual_text(order->without, ""), usual_text(order->listen, ""),
             usual_text(order->network, "none"), usual_text(order->connect, ""), usual_text(order->take, ""));
    return text;
}

static inline bool start_order(const struct order *order) {
    return told(order_line(order));
}

static inline bool start(const char *name, const char *network) {
    return start_order(&(struct order){.name = name, .network = network});
}

/* Tells whether an order is refused, with these words in the reason. */
static inline bool refused(const char *text, const char *because) {
    char head[32], line[4096];
    int n = snprintf(line, sizeof line, "%s id=%u\n", text, ++rig.next_id);

    snprintf(head, sizeof head, "error id=%u", rig.next_id);
    return write(rig.client, line, (size_t)n) == n && next_line(head, line, sizeof line, WAIT_MSEC) &&
           strstr(line, because) != NULL;
}

static inline bool wait_for_stat(const char *container, const char *key, long long least) {
    long long end = now_msec() + WAIT_MSEC;

    while (stat_of(container, key) < least) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return true;
}

static inline bool stop(const char *name, unsigned grace) {
    char text[128];

    snprintf(text, sizeof text, "stop container=%s grace=%u dump=0", name, grace);
    return told(text);
}

/* --- the spawner --- */

static inline void launch(void) {
    char dist[256], java[256];

    snprintf(dist, sizeof dist, "%s/dist", rig.root);
    snprintf(java, sizeof java, "%s/java", rig.root);
    rig.spawner = fork();
    if (rig.spawner == 0) {
        if (open("/etc/shadow", O_RDONLY) < 0) /* left open: no container may get the descriptor */
            _exit(126);
        execl(rig.program, rig.program, "--root", rig.root, "--dist", dist, "--java", java, "--spare-wait-ms", "500",
              rig.start_ms == NULL ? (char *)NULL : "--start-ms", rig.start_ms, (char *)NULL);
        _exit(127);
    }
}

static inline bool connect_client(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    long long end = now_msec() + WAIT_MSEC;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/run/netserv/spawner.sock", rig.root);
    rig.client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rig.used = 0;
    while (connect(rig.client, (struct sockaddr *)&address, sizeof address) != 0) {
        if (now_msec() >= end)
            return false;
        pause_msec(10);
    }
    return write(rig.client, "hello protocol=1.0 build=test\n", 30) == 30 && has_line("hello ");
}

static inline int wait_for_spawner(void) {
    long long end = now_msec() + WAIT_MSEC;
    int status;

    while (waitpid(rig.spawner, &status, WNOHANG) == 0) {
        if (now_msec() >= end)
            return -1;
        pause_msec(5);
    }
    rig.spawner = 0;
    close(rig.client);
    return status;
}

/* Starts a spawner. Ends a spawner that a failed test may have left. */
static inline bool run_up(void) {
    if (rig.spawner > 0) {
        kill(rig.spawner, SIGKILL);
        wait_for_spawner();
    }
    launch();
    return connect_client() && told("prepare sysctl=check interfaces=lo");
}

static inline bool shut_down(void) {
    kill(rig.spawner, SIGTERM);
    return wait_for_spawner() == 0;
}

/* Writes a whole file. */
static inline bool put(const char *path, const char *text) {
    FILE *file = fopen(path, "we");

    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

/* Tells whether the file has exactly this text. */
static inline bool file_is(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "re");

    if (file == NULL)
        return false;
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    return strcmp(found, text) == 0;
}

#endif
