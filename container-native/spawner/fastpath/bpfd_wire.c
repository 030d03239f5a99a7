/* SPDX-License-Identifier: Apache-2.0 */
#include "bpfd_wire.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "ns_rights.h"
#include "spawner.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_MS 1000

static void drop(int *fds, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        ns_fd_drop(&fds[i]);
}

static void forget(struct ns_bpfd_order *order) {
    drop(order->fds, order->count);
    free(order->text);
    free(order);
}

static void answer(struct ns_spawner *spawner, const struct ns_bpfd_order *order, const struct ns_line *line,
                   int gives[NS_BPFD_GIVES]) {
    if (order->done != NULL)
        order->done(spawner, order->token, line, gives);
}

static void answer_none(struct ns_spawner *spawner, const struct ns_bpfd_order *order) {
    int gives[NS_BPFD_GIVES] = {-1, -1};

    answer(spawner, order, NULL, gives);
}

void ns_bpfd_fail_all(struct ns_spawner *spawner) {
    struct ns_bpfd_order *order = spawner->bpfd.orders, *next;

    spawner->bpfd.orders = NULL;
    spawner->bpfd.answer_by = 0;
    for (; order != NULL; order = next) {
        next = order->next;
        answer_none(spawner, order);
        forget(order);
    }
}

void ns_bpfd_give_up(struct ns_spawner *spawner, const char *what) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    ns_warn("bpfd: %s: killed", what);
    ns_fd_drop(&child->socket);
    if (child->pid != 0)
        kill(child->pid, SIGKILL);
    ns_bpfd_fail_all(spawner);
}

/* --- giving --- */

/* Copies the descriptors into the order, because the sender may close its own at any time. */
static bool copy_descriptors(struct ns_bpfd_order *order, const int *fds, unsigned count) {
    for (; order->count < count; order->count++) {
        order->fds[order->count] = fcntl(fds[order->count], F_DUPFD_CLOEXEC, 0);
        if (order->fds[order->count] < 0)
            return false;
    }
    return true;
}

void ns_bpfd_give(struct ns_spawner *spawner, uint64_t id, char *text, const int *fds, unsigned count, uint64_t msec,
                  ns_bpfd_done done, uint64_t token) {
    struct ns_bpfd_order made = {.id = id,
                                 .text = text,
                                 .length = text == NULL ? 0 : strlen(text),
                                 .msec = ANSWER_MS + msec,
                                 .done = done,
                                 .token = token};
    struct ns_bpfd_order *order = malloc(sizeof *order), **last = &spawner->bpfd.orders;

    if (text == NULL || order == NULL || spawner->bpfd.socket < 0 || !copy_descriptors(&made, fds, count)) {
        answer_none(spawner, &made);
        drop(made.fds, made.count);
        free(text);
        free(order);
        return;
    }
    *order = made;
    while (*last != NULL)
        last = &(*last)->next;
    *last = order;
    ns_bpfd_pump(spawner);
}

struct ns_bpfd_waiting *ns_bpfd_wait_for(struct ns_bpfd_waiting what) {
    struct ns_bpfd_waiting *waiting = malloc(sizeof *waiting);

    if (waiting != NULL)
        *waiting = what;
    return waiting;
}

void ns_bpfd_withdraw(struct ns_bpfd_child *child, ns_bpfd_done done) {
    struct ns_bpfd_order **at = &child->orders, *order;

    while ((order = *at) != NULL) {
        if (order->done == done && order->sent == 0) {
            *at = order->next;
            forget(order);
        } else {
            at = &order->next;
        }
    }
}

/* Sends the next line of the order. 0 = sent, else errno. */
static int send_line(struct ns_bpfd_child *child, struct ns_bpfd_order *order) {
    const char *from = order->text + order->sent;
    size_t length = strcspn(from, "\n");
    bool first = order->sent == 0;

    if (ns_rights_send(child->socket, from, length, order->fds, first ? order->count : 0) < 0)
        return errno;
    if (first) {
        drop(order->fds, order->count);
        order->count = 0;
    }
    order->sent += length + (from[length] == '\n');
    return 0;
}

void ns_bpfd_pump(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_order *order = child->orders;

    if (order == NULL || child->socket < 0)
        return;
    if (child->answer_by == 0)
        child->answer_by = ns_now() + order->msec;
    while (order->sent < order->length) {
        int error = send_line(child, order);

        if (error == EAGAIN || error == EINTR)
            return;
        if (error != 0)
            return ns_bpfd_give_up(spawner, strerror(error));
    }
}

/* --- hearing --- */

/* Returns true if the text answers the order. `*good`: the answer is "ok". */
static bool understand(const struct ns_bpfd_order *order, struct ns_line *line, char *text, size_t length, bool *good) {
    const char *value;
    uint64_t number;

    if (!ns_line_parse(line, text, length, true) || (value = ns_line_get(line, "id")) == NULL ||
        !ns_value_number(value, 0, INT64_MAX, &number) || number != order->id)
        return false;
    *good = strcmp(line->verb, "ok") == 0;
    if (*good)
        return true;
    value = ns_line_get(line, "reason");
    ns_warn("bpfd: refused: %.120s", value == NULL ? "" : value);
    return true;
}

static void hear(struct ns_spawner *spawner, char *text, size_t length, int gives[NS_BPFD_GIVES]) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_order *order = child->orders;
    struct ns_line line;
    bool good;

    if (order == NULL || order->sent < order->length || !understand(order, &line, text, length, &good))
        return ns_bpfd_give_up(spawner, "an answer to nothing");
    child->orders = order->next;
    child->answer_by = 0;
    answer(spawner, order, good ? &line : NULL, gives);
    forget(order);
    ns_bpfd_pump(spawner);
}

void ns_bpfd_child_read(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[NS_BPFD_ANSWER + 1];
    int gives[NS_BPFD_GIVES] = {-1, -1};
    ssize_t n;

    ns_bpfd_pump(spawner);
    if (child->socket < 0)
        return;
    n = ns_rights_receive(child->socket, text, NS_BPFD_ANSWER, MSG_DONTWAIT, gives, NS_BPFD_GIVES);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0)
        return ns_bpfd_give_up(spawner, "it has closed its socket");
    text[n] = '\0';
    hear(spawner, text, (size_t)n, gives);
    drop(gives, NS_BPFD_GIVES);
}
