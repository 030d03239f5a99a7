/* SPDX-License-Identifier: Apache-2.0 */
#include "message.h"

#include <arpa/inet.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#define PACKET_TYPE (NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET)

static uint32_t get_be32(const uint8_t *at) {
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return ntohl(value);
}

static enum ns_message_kind parse_error(struct ns_message *message, const uint8_t *head, size_t available) {
    struct nlmsgerr error;

    if (available < NLMSG_HDRLEN + sizeof error)
        return NS_MESSAGE_OTHER;
    memcpy(&error, head + NLMSG_HDRLEN, sizeof error);
    message->error = error.error < 0 ? -error.error : 0;
    message->request = error.msg.nlmsg_type;
    message->sequence = error.msg.nlmsg_seq;
    return NS_MESSAGE_ERROR;
}

/* Takes one attribute of `length` bytes, all of them in the head. */
static void take_attribute(struct ns_message *message, uint16_t type, const uint8_t *value, size_t length,
                           bool *has_id) {
    if (length < 4)
        return;
    switch (type) {
    case NFQA_PACKET_HDR:
        message->id = get_be32(value);
        *has_id = true;
        break;
    case NFQA_MARK:
        message->mark = get_be32(value);
        break;
    case NFQA_IFINDEX_INDEV:
        message->ifindex = get_be32(value);
        break;
    case NFQA_CAP_LEN:
        message->true_length = get_be32(value);
        break;
    default: /* more may come with newer kernels */
        break;
    }
}

/* Walks the attributes up to the payload; true if the packet begins in the head and ends in the datagram. */
static bool parse_attributes(struct ns_message *message, const uint8_t *head, size_t available, size_t end,
                             bool *has_id) {
    size_t at = NLMSG_HDRLEN + sizeof(struct nfgenmsg);

    while (at + NLA_HDRLEN <= available) {
        struct nlattr attribute;
        uint16_t type;

        memcpy(&attribute, head + at, sizeof attribute);
        type = attribute.nla_type & NLA_TYPE_MASK;
        if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > end - at)
            return false;
        if (type == NFQA_PAYLOAD) {
            message->payload_offset = (uint32_t)(at + NLA_HDRLEN);
            message->length = attribute.nla_len - NLA_HDRLEN;
            return true;
        }
        if (attribute.nla_len > available - at)
            return false;
        take_attribute(message, type, head + at + NLA_HDRLEN, attribute.nla_len - NLA_HDRLEN, has_id);
        at += NLA_ALIGN(attribute.nla_len);
    }
    return false;
}

enum ns_message_kind ns_message_parse(struct ns_message *message, const uint8_t *head, size_t received) {
    size_t available = received < NS_MESSAGE_HEAD ? received : NS_MESSAGE_HEAD, end;
    struct nlmsghdr header;
    bool has_id = false, complete;

    memset(message, 0, sizeof *message);
    if (available < NLMSG_HDRLEN)
        return NS_MESSAGE_OTHER;
    memcpy(&header, head, sizeof header);
    if (header.nlmsg_len < NLMSG_HDRLEN)
        return NS_MESSAGE_OTHER;
    end = header.nlmsg_len < received ? header.nlmsg_len : received; /* even a cut message names its packet */
    if (available > end)
        available = end;
    if (header.nlmsg_type == NLMSG_ERROR)
        return parse_error(message, head, available);
    if (header.nlmsg_type != PACKET_TYPE || available < NLMSG_HDRLEN + sizeof(struct nfgenmsg))
        return NS_MESSAGE_OTHER;
    message->family = head[NLMSG_HDRLEN] == AF_INET ? 4 : head[NLMSG_HDRLEN] == AF_INET6 ? 6 : 0;
    complete = parse_attributes(message, head, available, end, &has_id) && header.nlmsg_len <= received;
    if (!has_id)
        return NS_MESSAGE_OTHER;
    if (!complete)
        return NS_MESSAGE_BAD_BUT;
    if (message->true_length < message->length)
        message->true_length = message->length;
    return NS_MESSAGE_PACKET;
}
