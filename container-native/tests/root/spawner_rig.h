/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawner_rig.h - a spawner and its only client, who waits for each answer. rig.program and rig.root come first.
 */
#ifndef NS_TEST_SPAWNER_RIG_H
#define NS_TEST_SPAWNER_RIG_H

#include "ns_test.h"

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

#define WAIT_MSEC 20000 /* bound of every wait */

static struct {
    const char *program, *root;
    pid_t spawner;
    int client;
    unsigned next_id;
    char in[1 << 16];
    size_t used;
    unsigned hung, reports; /* events seen so far */
} rig;

static inline void pause_msec(long msec) {
    struct timespec time = {msec / 1000, msec % 1000 * 1000000};

    nanosleep(&time, NULL);
}

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

/* The next line that begins so; others are passed over. False when `msec` are over or the spawner has closed. */
static inline bool next_line(const char *beginning, char *line, size_t size, long long msec) {
    long long end = now_msec() + msec;

    for (;;) {
        struct pollfd readable = {.fd = rig.client, .events = POLLIN};
        ssize_t n;

        while (take_line(line, size)) {
            if (strncmp(line, beginning, strlen(beginning)) == 0)
                return true;
        }
        if (now_msec() >= end || rig.used == sizeof rig.in)
            return false;
        if (poll(&readable, 1, (int)(end - now_msec())) != 1)
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

/* Sends "<text> id=N" and whatever follows it, and waits for its reply. */
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

static inline bool start(const char *name, const char *network) {
    char text[1024];

    snprintf(text, sizeof text,
             "start container=%s uid=700000 gid=700000 queue=100 memory=64 heap=16 cpu=100 pids=32 files=128 "
             "deadline=10000 steal=1000 steal-max=8 connections=64 packets=0 bytes=0 disk=16 inodes=512 direct=8 "
             "metaspace=24 "
             "without= rewrite= listen= network=%s connect=",
             name, network);
    return told(text);
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
        if (open("/etc/shadow", O_RDONLY) < 0) /* left open: no container may get it */
            _exit(126);
        execl(rig.program, rig.program, "--root", rig.root, "--dist", dist, "--java", java, (char *)NULL);
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

/* A test that failed may have left one. */
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

#endif
