/* SPDX-License-Identifier: Apache-2.0 */
#include "iprule.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER (1u << 15)
#define WAIT_MS 1000

struct counting {
    uint32_t mark, table;
    int count;
};

static bool is(const struct nlattr *attribute, uint32_t wanted) {
    return mnl_attr_validate(attribute, MNL_TYPE_U32) >= 0 && mnl_attr_get_u32(attribute) == wanted;
}

static int count(const struct nlmsghdr *message, void *context) {
    struct counting *counting = context;
    const struct fib_rule_hdr *head = mnl_nlmsg_get_payload(message);
    const struct nlattr *attribute;
    unsigned matches = 0;

    if (message->nlmsg_type != RTM_NEWRULE || mnl_nlmsg_get_payload_len(message) < sizeof *head ||
        head->action != FR_ACT_TO_TBL)
        return MNL_CB_OK;
    mnl_attr_for_each(attribute, message, sizeof *head) {
        switch (mnl_attr_get_type(attribute)) {
        case FRA_PRIORITY:
        case FRA_TABLE:
            matches += is(attribute, counting->table);
            break;
        case FRA_FWMARK:
        case FRA_FWMASK:
            matches += is(attribute, counting->mark);
            break;
        default:
            break;
        }
    }
    counting->count += matches == 4;
    return MNL_CB_OK;
}

/* Asks for all rules of a family. Returns the length of the request. */
static uint32_t put_request(char *buffer, uint8_t family) {
    struct nlmsghdr *head = mnl_nlmsg_put_header(buffer);
    struct fib_rule_hdr *rule = mnl_nlmsg_put_extra_header(head, sizeof *rule);

    head->nlmsg_type = RTM_GETRULE;
    head->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    head->nlmsg_seq = 1;
    rule->family = family;
    return head->nlmsg_len;
}

static int receive_all(int fd, struct counting *counting) {
    static char buffer[BUFFER];
    int result = MNL_CB_OK;

    do {
        ssize_t n = recv(fd, buffer, sizeof buffer, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        result = mnl_cb_run(buffer, (size_t)n, 1, 0, count, counting);
    } while (result > MNL_CB_STOP);
    return result;
}

int ns_iprule_count(uint8_t family, uint32_t mark, uint32_t table) {
    const struct timeval wait = {WAIT_MS / 1000, WAIT_MS % 1000 * 1000};
    struct counting counting = {mark, table, 0};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), result = -1, saved;
    char buffer[128];
    uint32_t length = put_request(buffer, family);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    if (send(fd, buffer, length, 0) == (ssize_t)length)
        result = receive_all(fd, &counting);
    saved = errno;
    close(fd);
    errno = saved;
    if (result >= 0)
        return counting.count;
    return errno == EAFNOSUPPORT || errno == EOPNOTSUPP ? 0 : -1;
}

int ns_iprule_watch(void) {
    static const int groups[] = {RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE), saved;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};
    bool good = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;

    for (size_t i = 0; good && i < sizeof groups / sizeof groups[0]; i++)
        good = setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof groups[i]) == 0;
    if (good)
        return fd;
    saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return -1;
}
