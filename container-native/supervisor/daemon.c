/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon.h"

#include "node.h"
#include "ns_log.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

uint32_t ns_daemon_backoff(uint32_t wait, uint64_t lived) {
    if (lived >= NS_BACKOFF_RESET_MS || wait == 0)
        return NS_BACKOFF_FIRST_MS;
    return wait * 2 > NS_BACKOFF_MOST_MS ? NS_BACKOFF_MOST_MS : wait * 2;
}

static int attach(int log) {
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int result = null >= 0 && dup2(null, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 ? 0 : -1;

    if (null > 2)
        close(null);
    return result;
}

static void child(const struct ns_daemon *daemon, const struct ns_node *node, int lifeline) {
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGHUP, SIG_DFL); /* nohup ignores SIGHUP, and a JVM that inherits that never reloads */
    setsid();
    if (attach(daemon->log) == 0)
        daemon->kind->become(node, lifeline);
    ns_error("%s: %s", daemon->kind->name, strerror(errno));
    _exit(125);
}

static void wait_for_turn(struct ns_daemon *daemon, uint64_t now, uint64_t lived) {
    daemon->wait = ns_daemon_backoff(daemon->wait, lived);
    daemon->state = NS_WAITING;
    daemon->at = now + daemon->wait;
    ns_info("%s: again in %u ms", daemon->kind->name, daemon->wait);
}

void ns_daemon_start(struct ns_daemon *daemon, const struct ns_node *node, uint64_t now) {
    int lifeline[2];
    pid_t pid = -1;

    if (pipe2(lifeline, O_CLOEXEC) == 0) {
        pid = fork();
        if (pid == 0) {
            close(lifeline[1]);
            child(daemon, node, lifeline[0]);
        }
        close(lifeline[0]);
    }
    if (pid < 0) {
        ns_error("%s: %s", daemon->kind->name, strerror(errno));
        wait_for_turn(daemon, now, 0);
        return;
    }
    daemon->lifeline = lifeline[1];
    daemon->pid = pid;
    daemon->since = now;
    daemon->state = NS_UP;
    ns_info("%s: started, pid %d", daemon->kind->name, (int)pid);
}

void ns_daemon_stop(struct ns_daemon *daemon, uint64_t now) {
    switch (daemon->state) {
    case NS_UP:
        ns_info("%s: stopping", daemon->kind->name);
        daemon->state = NS_STOPPING;
        daemon->at = now + NS_STOP_MS;
        kill(daemon->pid, SIGTERM);
        break;
    case NS_WAITING:
        daemon->state = NS_DOWN;
        break;
    case NS_DOWN:
    case NS_STOPPING:
        break;
    }
}

void ns_daemon_ended(struct ns_daemon *daemon, int status, uint64_t now) {
    bool wanted = daemon->state == NS_STOPPING;

    if (WIFEXITED(status))
        ns_info("%s: ended, exit %d", daemon->kind->name, WEXITSTATUS(status));
    else
        ns_info("%s: ended, signal %d", daemon->kind->name, WTERMSIG(status));
    close(daemon->lifeline);
    daemon->pid = 0;
    if (wanted)
        daemon->state = NS_DOWN;
    else
        wait_for_turn(daemon, now, now - daemon->since);
}

bool ns_daemon_catches_hup(const char *status) {
    static const char key[] = "\nSigCgt:\t";
    const char *line = strstr(status, key);

    return line != NULL && (strtoull(line + sizeof key - 1, NULL, 16) >> (SIGHUP - 1) & 1) != 0;
}

void ns_daemon_reload(const struct ns_daemon *daemon) {
    char path[64], status[4096];
    ssize_t length = -1;
    int fd;

    if (!daemon->kind->reloads || daemon->state != NS_UP)
        return;
    snprintf(path, sizeof path, "/proc/%d/status", (int)daemon->pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, status, sizeof status - 1);
        close(fd);
    }
    status[length < 0 ? 0 : length] = '\0';
    if (ns_daemon_catches_hup(status))
        kill(daemon->pid, SIGHUP);
    else
        ns_info("%s: has not read its policy yet: no reload", daemon->kind->name);
}

uint64_t ns_daemon_tick(struct ns_daemon *daemon, const struct ns_node *node, uint64_t now) {
    switch (daemon->state) {
    case NS_DOWN:
    case NS_UP:
        return UINT64_MAX;
    case NS_WAITING:
        if (now >= daemon->at)
            ns_daemon_start(daemon, node, now);
        return daemon->state == NS_WAITING ? daemon->at : UINT64_MAX;
    case NS_STOPPING:
        if (now >= daemon->at) {
            ns_warn("%s: did not stop in %d ms: killed", daemon->kind->name, NS_STOP_MS);
            kill(daemon->pid, SIGKILL);
            daemon->at = now + NS_STOP_MS;
        }
        return daemon->at;
    }
    return UINT64_MAX;
}
