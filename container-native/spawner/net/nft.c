/* SPDX-License-Identifier: Apache-2.0 */
#include "nft.h"

#include "cell.h"
#include "ns_log.h"
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER (1u << 16)
#define TRIES 5 /* readings of a list that changes meanwhile */
#define WAIT_MS 1000

/* --- the socket, in the given namespace --- */

/*
 * Returns to the spawner's own namespace. If that fails, aborts: the spawner must not go on in a container's
 * namespace.
 */
static void leave(int own) {
    if (setns(own, CLONE_NEWNET) != 0) {
        ns_error("network namespace: %s", strerror(errno));
        abort();
    }
    close(own);
}

static int open_in(pid_t netns) {
    char path[40];
    int own, other, fd = -1, saved;

    if (netns == 0)
        return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)netns);
    own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    other = own < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (other >= 0 && setns(other, CLONE_NEWNET) == 0) {
        fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
        saved = errno;
        leave(own);
        own = -1;
    } else {
        saved = errno;
    }
    if (own >= 0)
        close(own);
    if (other >= 0)
        close(other);
    errno = saved;
    return fd;
}

static int open_bounded(pid_t netns) {
    const struct timeval wait = {WAIT_MS / 1000, WAIT_MS % 1000 * 1000};
    int fd = open_in(netns);

    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    return fd;
}

/* --- lists --- */

struct listing {
    const char *table, *chain;
    ns_nft_each each;
    void *context;
    bool interrupted;
};

static const char *text_of(const struct nlattr *attribute) {
    return mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) < 0 ? "" : mnl_attr_get_str(attribute);
}

/* Returns the packets of the first counter among the expressions. */
static uint64_t packets_of(const struct nlattr *expressions) {
    const struct nlattr *expression, *part, *value;

    mnl_attr_for_each_nested(expression, expressions) {
        bool counter = false;

        mnl_attr_for_each_nested(part, expression) {
            if (mnl_attr_get_type(part) == NFTA_EXPR_NAME)
                counter = strcmp(text_of(part), "counter") == 0;
            if (mnl_attr_get_type(part) != NFTA_EXPR_DATA || !counter)
                continue;
            mnl_attr_for_each_nested(value, part) {
                if (mnl_attr_get_type(value) == NFTA_COUNTER_PACKETS)
                    return be64toh(mnl_attr_get_u64(value));
            }
        }
    }
    return 0;
}

static void read_rule(const struct nlmsghdr *message, struct ns_nft_rule *rule) {
    const struct nlattr *attribute;

    *rule = (struct ns_nft_rule){
        .table = "", .chain = "", .bytes = message + 1, .length = message->nlmsg_len - sizeof *message};
    mnl_attr_for_each(attribute, message, sizeof(struct nfgenmsg)) {
        switch (mnl_attr_get_type(attribute)) {
        case NFTA_RULE_TABLE:
            rule->table = text_of(attribute);
            break;
        case NFTA_RULE_CHAIN:
            rule->chain = text_of(attribute);
            break;
        case NFTA_RULE_HANDLE:
            rule->handle = be64toh(mnl_attr_get_u64(attribute));
            break;
        case NFTA_RULE_EXPRESSIONS:
            rule->packets = packets_of(attribute);
            break;
        default:
            break;
        }
    }
}

static void read_chain(const struct nlmsghdr *message, struct ns_nft_rule *rule) {
    const struct nlattr *attribute;

    *rule = (struct ns_nft_rule){.table = "", .chain = ""};
    mnl_attr_for_each(attribute, message, sizeof(struct nfgenmsg)) {
        if (mnl_attr_get_type(attribute) == NFTA_CHAIN_TABLE)
            rule->table = text_of(attribute);
        if (mnl_attr_get_type(attribute) == NFTA_CHAIN_NAME)
            rule->chain = text_of(attribute);
    }
}

static int listed(const struct nlmsghdr *message, void *context) {
    struct listing *listing = context;
    struct ns_nft_rule rule;

    listing->interrupted |= (message->nlmsg_flags & NLM_F_DUMP_INTR) != 0;
    switch (message->nlmsg_type & 0xff) {
    case NFT_MSG_NEWRULE:
        read_rule(message, &rule);
        break;
    case NFT_MSG_NEWCHAIN:
        read_chain(message, &rule);
        break;
    default:
        return MNL_CB_OK;
    }
    if (strcmp(rule.table, listing->table) == 0 && (listing->chain == NULL || strcmp(rule.chain, listing->chain) == 0))
        listing->each(listing->context, &rule);
    return MNL_CB_OK;
}

static struct nlmsghdr *put_head(char *buffer, uint16_t type, uint16_t flags, uint8_t family, uint32_t sequence) {
    struct nlmsghdr *head = mnl_nlmsg_put_header(buffer);
    struct nfgenmsg *generic = mnl_nlmsg_put_extra_header(head, sizeof *generic);

    head->nlmsg_type = type;
    head->nlmsg_flags = NLM_F_REQUEST | flags;
    head->nlmsg_seq = sequence;
    generic->nfgen_family = family;
    generic->version = NFNETLINK_V0;
    return head;
}

static int receive_all(int fd, uint32_t sequence, int (*each)(const struct nlmsghdr *, void *), void *context) {
    static char buffer[BUFFER];
    ssize_t n;
    int result = MNL_CB_OK;

    do {
        n = recv(fd, buffer, sizeof buffer, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        result = mnl_cb_run(buffer, (size_t)n, sequence, 0, each, context);
    } while (result > MNL_CB_STOP);
    return result;
}

/* Reads a list once. If it changed during the reading, fails with EAGAIN. */
static int list_once(pid_t netns, uint16_t type, uint8_t family, struct listing *listing) {
    char buffer[512];
    struct nlmsghdr *head =
        put_head(buffer, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type), NLM_F_DUMP, family, (uint32_t)type + 1);
    int fd = open_bounded(netns), result = -1, saved;

    if (fd < 0)
        return -1;
    if (type == NFT_MSG_GETRULE) {
        mnl_attr_put_strz(head, NFTA_RULE_TABLE, listing->table);
        if (listing->chain != NULL)
            mnl_attr_put_strz(head, NFTA_RULE_CHAIN, listing->chain);
    }
    if (send(fd, head, head->nlmsg_len, 0) == (ssize_t)head->nlmsg_len)
        result = receive_all(fd, head->nlmsg_seq, listed, listing);
    saved = errno;
    close(fd);
    errno = saved;
    if (result < 0 && errno != EINTR)
        return errno == ENOENT ? 0 : -1;
    if (result >= 0 && !listing->interrupted)
        return 0;
    errno = EAGAIN;
    return -1;
}

int ns_nft_rules(pid_t netns, uint8_t family, const char *table, const char *chain, ns_nft_each each, void *context) {
    struct listing listing = {.table = table, .chain = chain, .each = each, .context = context};

    return list_once(netns, NFT_MSG_GETRULE, family, &listing);
}

int ns_nft_chains(uint8_t family, const char *table, ns_nft_each each, void *context) {
    struct listing listing = {.table = table, .each = each, .context = context};

    return list_once(0, NFT_MSG_GETCHAIN, family, &listing);
}

/*
 * Searches the rule for the chain's name behind the head of an attribute. The head keeps longer names with the same
 * end from being found.
 */
bool ns_nft_jumps(const struct ns_nft_rule *rule, const char *chain) {
    char wanted[sizeof(struct nlattr) + NFT_CHAIN_MAXNAMELEN];
    size_t length = strlen(chain) + 1;
    const struct nlattr head = {.nla_len = (uint16_t)(sizeof head + length), .nla_type = NFTA_VERDICT_CHAIN};

    memcpy(wanted, &head, sizeof head);
    memcpy(wanted + sizeof head, chain, length);
    return memmem(rule->bytes, rule->length, wanted, sizeof head + length) != NULL;
}

struct counting {
    const char *comment;
    uint64_t sum;
};

static void count(void *context, const struct ns_nft_rule *rule) {
    struct counting *counting = context;

    if (memmem(rule->bytes, rule->length, counting->comment, strlen(counting->comment) + 1) != NULL)
        counting->sum += rule->packets;
}

uint64_t ns_nft_counted(pid_t netns, uint8_t family, const char *table, const char *chain, const char *comment) {
    struct counting counting = {.comment = comment};

    for (int i = 0; i < TRIES; i++) {
        counting.sum = 0;
        if (ns_nft_rules(netns, family, table, chain, count, &counting) == 0 || errno != EAGAIN)
            break;
    }
    return counting.sum;
}

/* --- counter objects --- */

struct counter {
    uint64_t packets, bytes;
};

static int read_counter(const struct nlmsghdr *message, void *context) {
    struct counter *counter = context;
    const struct nlattr *attribute, *value;

    mnl_attr_for_each(attribute, message, sizeof(struct nfgenmsg)) {
        if (mnl_attr_get_type(attribute) != NFTA_OBJ_DATA)
            continue;
        mnl_attr_for_each_nested(value, attribute) {
            if (mnl_attr_get_type(value) == NFTA_COUNTER_PACKETS)
                counter->packets = be64toh(mnl_attr_get_u64(value));
            if (mnl_attr_get_type(value) == NFTA_COUNTER_BYTES)
                counter->bytes = be64toh(mnl_attr_get_u64(value));
        }
    }
    return MNL_CB_STOP;
}

int ns_nft_counter(uint8_t family, const char *table, const char *name, uint64_t *packets, uint64_t *bytes) {
    char buffer[512];
    struct nlmsghdr *head = put_head(buffer, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETOBJ, 0, family, 1);
    int fd = open_bounded(0), result = -1, saved;
    struct counter counter = {0, 0};

    if (fd < 0)
        return -1;
    mnl_attr_put_strz(head, NFTA_OBJ_TABLE, table);
    mnl_attr_put_strz(head, NFTA_OBJ_NAME, name);
    mnl_attr_put_u32(head, NFTA_OBJ_TYPE, htonl(NFT_OBJECT_COUNTER));
    if (send(fd, head, head->nlmsg_len, 0) == (ssize_t)head->nlmsg_len)
        result = receive_all(fd, head->nlmsg_seq, read_counter, &counter);
    saved = errno;
    close(fd);
    errno = saved;
    if (result < 0)
        return -1;
    *packets = counter.packets;
    *bytes = counter.bytes;
    return 0;
}

/* --- holding a container back: the chain `hold` of its own table is empty, or drops --- */

/* Puts expressions { element { "immediate", { verdict register, { verdict { drop } } } } }. */
static void put_drop(struct nlmsghdr *head) {
    struct nlattr *all = mnl_attr_nest_start(head, NFTA_RULE_EXPRESSIONS);
    struct nlattr *element = mnl_attr_nest_start(head, NFTA_LIST_ELEM);
    struct nlattr *data, *immediate, *verdict;

    mnl_attr_put_strz(head, NFTA_EXPR_NAME, "immediate");
    data = mnl_attr_nest_start(head, NFTA_EXPR_DATA);
    mnl_attr_put_u32(head, NFTA_IMMEDIATE_DREG, htonl(NFT_REG_VERDICT));
    immediate = mnl_attr_nest_start(head, NFTA_IMMEDIATE_DATA);
    verdict = mnl_attr_nest_start(head, NFTA_DATA_VERDICT);
    mnl_attr_put_u32(head, NFTA_VERDICT_CODE, htonl(NF_DROP));
    mnl_attr_nest_end(head, verdict);
    mnl_attr_nest_end(head, immediate);
    mnl_attr_nest_end(head, data);
    mnl_attr_nest_end(head, element);
    mnl_attr_nest_end(head, all);
}

static struct nlmsghdr *put_batch(char *buffer, uint16_t type, uint32_t sequence) {
    struct nlmsghdr *head = put_head(buffer, type, 0, AF_UNSPEC, sequence);
    struct nfgenmsg *generic = mnl_nlmsg_get_payload(head);

    generic->res_id = htons(NFNL_SUBSYS_NFTABLES);
    return head;
}

/* Puts one transaction: the chain becomes empty, and gets a rule that drops if `on`. */
static size_t put_hold(char *buffer, bool on) {
    struct nlmsghdr *head = put_batch(buffer, NFNL_MSG_BATCH_BEGIN, 1);
    char *at = buffer + head->nlmsg_len;

    head = put_head(at, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELRULE, on ? 0 : NLM_F_ACK, NFPROTO_INET, 2);
    mnl_attr_put_strz(head, NFTA_RULE_TABLE, NS_CELL_TABLE);
    mnl_attr_put_strz(head, NFTA_RULE_CHAIN, NS_CELL_HOLD);
    at += head->nlmsg_len;
    if (on) {
        head = put_head(at, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | NLM_F_ACK,
                        NFPROTO_INET, 3);
        mnl_attr_put_strz(head, NFTA_RULE_TABLE, NS_CELL_TABLE);
        mnl_attr_put_strz(head, NFTA_RULE_CHAIN, NS_CELL_HOLD);
        put_drop(head);
        at += head->nlmsg_len;
    }
    at += put_batch(at, NFNL_MSG_BATCH_END, 4)->nlmsg_len;
    return (size_t)(at - buffer);
}

int ns_nft_hold(pid_t netns, bool on) {
    char buffer[1024];
    size_t length = put_hold(buffer, on);
    int fd = open_bounded(netns), result = -1, saved;

    if (fd < 0)
        return -1;
    if (send(fd, buffer, length, 0) == (ssize_t)length)
        result = receive_all(fd, 0, NULL, NULL) < 0 ? -1 : 0;
    saved = errno;
    close(fd);
    errno = saved;
    return result;
}

/* --- changes --- */

int ns_nft_watch(void) {
    const int group = NFNLGRP_NFTABLES;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_NETFILTER);
    struct sockaddr_nl address = {.nl_family = AF_NETLINK};

    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) != 0) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

bool ns_nft_heard(int fd) {
    static char message[BUFFER];
    bool heard = false;

    while (fd >= 0) {
        ssize_t n = recv(fd, message, sizeof message, 0);

        if (n <= 0 && errno != ENOBUFS && errno != EINTR)
            break;
        heard |= n > 0 || errno == ENOBUFS;
    }
    return heard;
}
