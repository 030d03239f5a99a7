/* SPDX-License-Identifier: Apache-2.0 */
#include "bpfd_wire.h"

#include "ns_fd.h"
#include "ns_log.h"
#include "ns_rights.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_MS 1000

int ns_bpfd_say(struct ns_bpfd_child *child, const char *line, const int *fds, unsigned count) {
    return ns_rights_send(child->socket, line, strlen(line), fds, count) < 0 ? -1 : 0;
}

int ns_bpfd_give_up(struct ns_bpfd_child *child, const char *what) {
    ns_warn("bpfd: %s: killed", what);
    ns_fd_drop(&child->socket);
    if (child->pid != 0)
        kill(child->pid, SIGKILL);
    return -1;
}

void ns_bpfd_drop(int fds[NS_BPFD_GIVES]) {
    for (unsigned i = 0; i < NS_BPFD_GIVES; i++)
        ns_fd_drop(&fds[i]);
}

/* The next answer into `text`, and what came with it. */
static int receive(struct ns_bpfd_child *child, char text[NS_BPFD_ANSWER + 1], int fds[NS_BPFD_GIVES]) {
    struct pollfd readable = {child->socket, POLLIN, 0};
    ssize_t n = -1;

    for (unsigned i = 0; i < NS_BPFD_GIVES; i++)
        fds[i] = -1;
    if (poll(&readable, 1, ANSWER_MS + child->patience) > 0)
        n = ns_rights_receive(child->socket, text, NS_BPFD_ANSWER, MSG_DONTWAIT, fds, NS_BPFD_GIVES);
    if (n <= 0)
        return ns_bpfd_give_up(child, "no answer");
    text[n] = '\0';
    return 0;
}

/* Parses an answer in place. 0 if it is "ok" to that order. */
static int understand(struct ns_bpfd_child *child, struct ns_line *line, char *text, uint64_t id) {
    const char *value;
    uint64_t number;

    if (!ns_line_parse(line, text, strlen(text), true) || (value = ns_line_get(line, "id")) == NULL ||
        !ns_value_number(value, 0, INT64_MAX, &number) || number != id)
        return ns_bpfd_give_up(child, "an answer to nothing");
    if (strcmp(line->verb, "ok") == 0)
        return 0;
    value = ns_line_get(line, "reason");
    ns_warn("bpfd: refused: %.120s", value == NULL ? "" : value);
    return -1;
}

int ns_bpfd_hear(struct ns_bpfd_child *child, uint64_t id, struct ns_line *line, char text[NS_BPFD_ANSWER + 1],
                 int fds[NS_BPFD_GIVES]) {
    return receive(child, text, fds) != 0 ? -1 : understand(child, line, text, id);
}

int ns_bpfd_ask(struct ns_bpfd_child *child, const char *text, const int *fds, unsigned count, struct ns_line *line,
                char answer[NS_BPFD_ANSWER + 1], int gives[NS_BPFD_GIVES]) {
    if (child->socket < 0 || ns_bpfd_say(child, text, fds, count) != 0)
        return child->socket < 0 ? -1 : ns_bpfd_give_up(child, strerror(errno));
    return ns_bpfd_hear(child, child->id, line, answer, gives);
}

int ns_bpfd_order(struct ns_bpfd_child *child, const char *text) {
    char answer[NS_BPFD_ANSWER + 1];
    struct ns_line line;
    int gives[NS_BPFD_GIVES] = {-1, -1}, result = ns_bpfd_ask(child, text, NULL, 0, &line, answer, gives);

    ns_bpfd_drop(gives);
    return result;
}
