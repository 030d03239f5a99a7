/* SPDX-License-Identifier: Apache-2.0 */
#include "bpfd_wire.h"

#include "ns_fd.h"
#include "ns_log.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_MS 1000

int ns_bpfd_say(struct ns_bpfd_child *child, const char *line, const int *fds, unsigned count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {0};
    struct iovec part = {(void *)line, strlen(line)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        *CMSG_FIRSTHDR(&message) = (struct cmsghdr){CMSG_LEN(count * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), fds, count * sizeof(int));
    }
    return sendmsg(child->socket, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int ns_bpfd_give_up(struct ns_bpfd_child *child, const char *what) {
    ns_warn("bpfd: %s: killed", what);
    ns_fd_drop(&child->socket);
    if (child->pid != 0)
        kill(child->pid, SIGKILL);
    return -1;
}

/* The next answer into `text`; its descriptor, if it has one, into *fd. */
static int receive(struct ns_bpfd_child *child, char text[NS_BPFD_ANSWER + 1], int *fd) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {text, NS_BPFD_ANSWER};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct pollfd readable = {child->socket, POLLIN, 0};
    const struct cmsghdr *rights;
    ssize_t n = -1;

    *fd = -1;
    if (poll(&readable, 1, ANSWER_MS + child->patience) > 0)
        n = recvmsg(child->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n <= 0)
        return ns_bpfd_give_up(child, "no answer");
    rights = CMSG_FIRSTHDR(&message);
    if (rights != NULL && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(rights), sizeof *fd);
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
                 int *fd) {
    return receive(child, text, fd) != 0 ? -1 : understand(child, line, text, id);
}

int ns_bpfd_ask(struct ns_bpfd_child *child, const char *text, const int *fds, unsigned count, struct ns_line *line,
                char answer[NS_BPFD_ANSWER + 1], int *fd) {
    if (child->socket < 0 || ns_bpfd_say(child, text, fds, count) != 0)
        return child->socket < 0 ? -1 : ns_bpfd_give_up(child, strerror(errno));
    return ns_bpfd_hear(child, child->id, line, answer, fd);
}

int ns_bpfd_order(struct ns_bpfd_child *child, const char *text) {
    char answer[NS_BPFD_ANSWER + 1];
    struct ns_line line;
    int fd = -1, result = ns_bpfd_ask(child, text, NULL, 0, &line, answer, &fd);

    ns_fd_drop(&fd);
    return result;
}
