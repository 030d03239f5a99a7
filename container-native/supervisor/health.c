/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include "notify.h"
#include "ns_identity.h"
#include "ns_log.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    pid_t pid;    /* of the running question, 0 = none */
    int lifeline; /* write end; when it closes, a question learns that the supervisor has ended */
    uint64_t at;  /* ms, of the next question; UINT64_MAX = never */
    bool ready;   /* all daemons have answered once */
    int last;     /* enum ns_health; -1 = not known yet */
} health = {.at = UINT64_MAX, .last = -1};

uint64_t ns_health_pause(bool ready, uint64_t watchdog) {
    uint64_t pause = watchdog / 4;

    if (!ready)
        return NS_HEALTH_STARTING_MS;
    if (pause == 0 || pause > NS_HEALTH_MOST_MS)
        return NS_HEALTH_MOST_MS;
    return pause < NS_HEALTH_STARTING_MS ? NS_HEALTH_STARTING_MS : pause;
}

void ns_health_open(uint64_t now) {
    if (ns_notify_wanted())
        health.at = now;
}

static bool has_signaling(const struct ns_node *node) {
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/signaling", node->dist);
    return access(path, F_OK) == 0;
}

/* Runs in the child. The alarm ends it during any wait. */
static void ask_as_controller(const struct ns_node *node, int lifeline) {
    uid_t id = NS_ID_CONTROLLER(node->ids);
    const struct ns_identity identity = {id, id, {0}, 0, 0, SIGKILL};
    bool signaling = has_signaling(node);
    char path[PATH_MAX + 32];
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    alarm(NS_HEALTH_ANSWER_MS / 1000);
    snprintf(path, sizeof path, "%s/run/netserv/admin.sock", node->root);
    if (ns_identity_become(&identity, 0, lifeline) != 0)
        _exit(NS_HEALTH_NO_CONTROLLER);
    _exit(ns_health_ask(path, signaling));
}

static void ask(const struct ns_node *node, uint64_t now) {
    int lifeline[2];

    health.at = now + NS_HEALTH_STARTING_MS;
    if (pipe2(lifeline, O_CLOEXEC) != 0)
        return;
    health.pid = fork();
    if (health.pid == 0) {
        close(lifeline[1]);
        ask_as_controller(node, lifeline[0]);
    }
    close(lifeline[0]);
    if (health.pid < 0) {
        close(lifeline[1]);
        health.pid = 0;
    }
    health.lifeline = lifeline[1];
}

uint64_t ns_health_tick(const struct ns_node *node, uint64_t now) {
    if (health.pid != 0)
        return UINT64_MAX;
    if (now >= health.at)
        ask(node, now);
    return health.pid != 0 ? UINT64_MAX : health.at;
}

static void tell(enum ns_health answer) {
    static const char *const status[] = {
        [NS_HEALTH_ALL] = "STATUS=controller, spawner and signaling answer",
        [NS_HEALTH_NO_CONTROLLER] = "STATUS=the controller does not answer",
        [NS_HEALTH_NO_SPAWNER] = "STATUS=the spawner does not answer, or cannot start containers",
        [NS_HEALTH_NO_SIGNALING] = "STATUS=the signaling daemon does not answer",
    };

    if ((int)answer != health.last) {
        ns_notify(status[answer]);
        if (health.ready || answer == NS_HEALTH_ALL)
            ns_info("%s", strchr(status[answer], '=') + 1);
    }
    health.last = answer;
    if (answer != NS_HEALTH_ALL)
        return;
    ns_notify(health.ready ? "WATCHDOG=1" : "READY=1\nWATCHDOG=1");
    health.ready = true;
}

bool ns_health_ended(pid_t pid, int status, uint64_t now) {
    enum ns_health answer = NS_HEALTH_NO_CONTROLLER;

    if (pid != health.pid || pid == 0)
        return false;
    health.pid = 0;
    close(health.lifeline);
    if (health.at == UINT64_MAX)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= NS_HEALTH_NO_SIGNALING)
        answer = (enum ns_health)WEXITSTATUS(status);
    tell(answer);
    health.at = now + ns_health_pause(answer == NS_HEALTH_ALL, ns_notify_watchdog());
    return true;
}

void ns_health_close(void) {
    health.at = UINT64_MAX;
    ns_notify("STOPPING=1\nSTATUS=stopping");
}
