/* SPDX-License-Identifier: Apache-2.0 */
#include "queues.h"

#include "ns_fd.h"
#include "ns_log.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request to one queue with one attribute of at most 8 bytes. */
struct request {
    struct nlmsghdr header;
    struct nfgenmsg generic;
    struct nlattr attribute;
    uint8_t value[8];
};

static int open_socket(void) {
    return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
}

int ns_queues_open(struct ns_queues *queues, uint16_t queue, bool copies) {
    *queues = (struct ns_queues){queue, open_socket(), copies ? open_socket() : -1};
    if (queues->packets_fd >= 0 && (!copies || queues->copies_fd >= 0))
        return 0;
    ns_fd_drop(&queues->packets_fd);
    ns_fd_drop(&queues->copies_fd);
    return -1;
}

/*
 * Returns the number of waiting packets of a queue, and its last id. /proc/self/net/netfilter/nfnetlink_queue has a
 * line per bound queue: queue, port id, waiting, mode, range, two drops, last id.
 */
static uint64_t look(uint16_t queue, uint32_t *last_id) {
    FILE *file = fopen("/proc/self/net/netfilter/nfnetlink_queue", "re");
    unsigned long number, waiting, last;
    uint64_t found = 0;
    char line[256];

    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%lu %*u %lu %*u %*u %*u %*u %lu", &number, &waiting, &last) == 3 && number == queue) {
            found = waiting;
            *last_id = (uint32_t)last;
        }
    }
    fclose(file);
    return found;
}

uint64_t ns_queues_waiting(const struct ns_queues *queues) {
    uint32_t last;

    return look(queues->queue, &last) + (queues->copies_fd < 0 ? 0 : look((uint16_t)(queues->queue + 1), &last));
}

static void tell(int fd, uint16_t queue, uint16_t type, uint16_t attribute, const void *value, uint16_t length) {
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    struct request request = {
        .header = {.nlmsg_type = (uint16_t)(NFNL_SUBSYS_QUEUE << 8 | type), .nlmsg_flags = NLM_F_REQUEST},
        .generic = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(queue)},
        .attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + length), .nla_type = attribute},
    };

    memcpy(request.value, value, length);
    request.header.nlmsg_len =
        NLMSG_ALIGN(NLMSG_HDRLEN) + NLMSG_ALIGN(sizeof request.generic) + NLA_ALIGN(request.attribute.nla_len);
    if (sendto(fd, &request, request.header.nlmsg_len, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        ns_warn("queue %u: %s", queue, strerror(errno));
}

static uint64_t release(int *fd, uint16_t queue) {
    uint32_t none = 0, last = 0;
    uint64_t waiting;

    if (*fd < 0)
        return 0;
    tell(*fd, queue, NFQNL_MSG_CONFIG, NFQA_CFG_QUEUE_MAXLEN, &none, sizeof none); /* full, so new ones fail open */
    waiting = look(queue, &last);
    if (waiting != 0) {
        struct nfqnl_msg_verdict_hdr verdict = {.verdict = htonl(NF_ACCEPT), .id = htonl(last)};

        tell(*fd, queue, NFQNL_MSG_VERDICT_BATCH, NFQA_VERDICT_HDR, &verdict, sizeof verdict);
    }
    ns_fd_drop(fd);
    return waiting;
}

uint64_t ns_queues_release(struct ns_queues *queues) {
    uint64_t released = release(&queues->packets_fd, queues->queue);

    return released + release(&queues->copies_fd, (uint16_t)(queues->queue + 1));
}
