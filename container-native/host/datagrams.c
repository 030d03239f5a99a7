/* SPDX-License-Identifier: Apache-2.0 */
/* datagrams.c - recvmmsg, sendmmsg and UDP segmentation offload on a batch that Java shares. See datagrams.h. */
#include "datagrams.h"

#include "rows.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h> /* behind time.h, which it needs and does not include */

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103 /* Linux 4.18 */
#endif
#ifndef UDP_GRO
#define UDP_GRO 104 /* Linux 5.0 */
#endif

#define MESSAGES_MOST 64u    /* of one system call */
#define SEGMENTS_MOST 64u    /* that every kernel cuts from one message */
#define MESSAGE_LENGTH 65000 /* bytes of a message that the kernel cuts; its limit with headers is 65535 */
#define TRIES 8              /* errors of other datagrams that a call to receive passes over */
#define SEND_TRIES 3         /* and a call to send */

_Static_assert(sizeof(struct ns_datagram) == 80, "org.netserv.io.DatagramBatch counts on it");

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Room for every control message that a socket can have asked for, twice where IPv4 and IPv6 have one each. */
union received {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + 5 * CMSG_SPACE(sizeof(int))];
};

union control {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + 3 * CMSG_SPACE(sizeof(int))];
};

static struct ns_datagram *entry(const struct ns_datagrams *batch, uint32_t i) {
    return (struct ns_datagram *)(void *)batch->memory + i;
}

static uint32_t room(const struct ns_datagrams *batch, uint32_t i) {
    return batch->capacity * (uint32_t)sizeof(struct ns_datagram) + i * batch->size;
}

bool ns_datagrams_fit(const struct ns_datagrams *batch) {
    return batch->memory != NULL && batch->capacity >= 1 && batch->capacity <= NS_DATAGRAMS_MOST && batch->rooms >= 1 &&
           batch->rooms <= batch->capacity && batch->size >= 1 && batch->size <= NS_DATAGRAM_SIZE_MOST &&
           room(batch, batch->rooms) <= batch->bytes;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static void map_v4(uint8_t *to, const void *address) {
    memcpy(to, mapped, sizeof mapped);
    memcpy(to + sizeof mapped, address, 4);
}

/* --- receiving --- */

static void set_other(struct ns_datagram *to, const union address *from) {
    if (from->any.sa_family == AF_INET) {
        map_v4(to->address, &from->v4.sin_addr);
        to->port = ntohs(from->v4.sin_port);
    } else {
        memcpy(to->address, &from->v6.sin6_addr, 16);
        to->port = ntohs(from->v6.sin6_port);
        to->scope = from->v6.sin6_scope_id;
    }
}

static int number(const struct cmsghdr *c) {
    int value = 0;

    memcpy(&value, CMSG_DATA(c), least((uint32_t)(c->cmsg_len - CMSG_LEN(0)), sizeof value));
    return value;
}

/* Reads a control message of IP. IP_TOS has one byte, the others have an int. */
static void read_v4(struct ns_datagram *to, const struct cmsghdr *c) {
    struct in_pktinfo info;

    if (c->cmsg_type == IP_PKTINFO) {
        memcpy(&info, CMSG_DATA(c), sizeof info);
        map_v4(to->local, &info.ipi_addr);
    } else if (c->cmsg_type == IP_TOS) {
        to->tos = (uint8_t)number(c);
        to->flags |= NS_DATAGRAM_TRAFFIC;
    } else if (c->cmsg_type == IP_TTL) {
        to->ttl = (uint8_t)number(c);
    }
}

static void read_v6(struct ns_datagram *to, const struct cmsghdr *c) {
    struct in6_pktinfo info;

    if (c->cmsg_type == IPV6_PKTINFO) {
        memcpy(&info, CMSG_DATA(c), sizeof info);
        memcpy(to->local, &info.ipi6_addr, 16);
    } else if (c->cmsg_type == IPV6_TCLASS) {
        to->tos = (uint8_t)number(c);
        to->flags |= NS_DATAGRAM_TRAFFIC;
    } else if (c->cmsg_type == IPV6_HOPLIMIT) {
        to->ttl = (uint8_t)number(c);
    }
}

/* Returns the length of the datagrams that the kernel has gathered into one message, 0 = it gathered none. */
static uint32_t read_control(struct ns_datagram *to, struct msghdr *message) {
    uint32_t segment = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level == SOL_IP)
            read_v4(to, c);
        else if (c->cmsg_level == SOL_IPV6)
            read_v6(to, c);
        else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO)
            segment = (uint32_t)number(c);
    }
    return segment;
}

/* The next free room and all that the kernel writes beside the bytes. */
struct incoming {
    struct mmsghdr messages[MESSAGES_MOST];
    struct iovec parts[MESSAGES_MOST];
    union address others[MESSAGES_MOST];
    union received controls[MESSAGES_MOST];
};

static void prepare(struct incoming *in, const struct ns_datagrams *batch, uint32_t first_room, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        in->parts[i] = (struct iovec){.iov_base = batch->memory + room(batch, first_room + i), .iov_len = batch->size};
        in->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &in->others[i],
            .msg_namelen = sizeof in->others[i],
            .msg_iov = &in->parts[i],
            .msg_iovlen = 1,
            .msg_control = &in->controls[i],
            .msg_controllen = sizeof in->controls[i],
        };
    }
}

/* Writes the entries of one message. The last of them may be shorter than the others. */
static void add_entries(const struct ns_socket *socket, const struct ns_datagrams *batch, struct ns_filled *filled,
                        struct mmsghdr *message) {
    struct ns_datagram one = {.key = socket->key, .offset = room(batch, filled->rooms++)};
    uint32_t left = message->msg_len, segment;

    one.socket = (int64_t)socket->generation << 32 | socket->fd;
    set_other(&one, message->msg_hdr.msg_name);
    segment = read_control(&one, &message->msg_hdr);
    if (segment == 0 || segment > left)
        segment = left;
    do {
        bool last = left <= segment || filled->entries + 1 == batch->capacity;

        one.length = left < segment ? left : segment;
        if (last && (left > segment || (message->msg_hdr.msg_flags & MSG_TRUNC) != 0))
            one.flags |= NS_DATAGRAM_TRUNCATED;
        *entry(batch, filled->entries++) = one;
        one.offset += one.length;
        left = last ? 0 : left - one.length;
    } while (left > 0);
}

/* Tells whether the socket itself is of no use. Other errors are reports of ICMP about datagrams sent earlier. */
static bool is_final(int error) {
    return error == EBADF || error == ENOTSOCK || error == EFAULT || error == EINVAL || error == ENOMEM;
}

int ns_datagrams_receive(const struct ns_socket *socket, const struct ns_datagrams *batch, uint32_t limit,
                         struct ns_filled *filled) {
    struct incoming in;
    uint32_t entries = batch->capacity - filled->entries;
    int count, tries = 0;

    filled->more = true;
    if ((socket->flags & NS_SOCKET_GATHERS) != 0)
        entries /= NS_DATAGRAMS_GATHERED;
    limit = least(least(limit, MESSAGES_MOST), least(entries, batch->rooms - filled->rooms));
    if (limit == 0)
        return 0;
    prepare(&in, batch, filled->rooms, limit);
    do {
        count = recvmmsg(socket->fd, in.messages, limit, MSG_DONTWAIT, NULL);
    } while (count < 0 && errno != EAGAIN && !is_final(errno) && ++tries < TRIES);
    if (count < 0) {
        filled->more = errno != EAGAIN;
        return is_final(errno) ? -errno : 0;
    }
    filled->more = (uint32_t)count == limit;
    for (int i = 0; i < count; i++)
        add_entries(socket, batch, filled, &in.messages[i]);
    return 0;
}

/* --- errors --- */

static bool read_error(struct ns_datagram *to, struct msghdr *message) {
    struct sock_extended_err error;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c != NULL; c = CMSG_NXTHDR(message, c)) {
        if ((c->cmsg_level != SOL_IP || c->cmsg_type != IP_RECVERR) &&
            (c->cmsg_level != SOL_IPV6 || c->cmsg_type != IPV6_RECVERR))
            continue;
        memcpy(&error, CMSG_DATA(c), sizeof error);
        to->error = (int32_t)error.ee_errno;
        to->type = error.ee_type;
        to->code = error.ee_code;
        to->info = error.ee_info;
        if (error.ee_origin == SO_EE_ORIGIN_ICMP || error.ee_origin == SO_EE_ORIGIN_ICMP6)
            to->flags |= NS_DATAGRAM_ICMP;
        return true;
    }
    return false;
}

int ns_datagrams_errors(const struct ns_socket *socket, const struct ns_datagrams *batch) {
    uint8_t space[512];
    uint32_t count = 0;

    while (count < batch->rooms) {
        struct ns_datagram one = {.offset = room(batch, count), .key = socket->key};
        union address to = {.any.sa_family = AF_UNSPEC};
        struct iovec part = {.iov_base = batch->memory + one.offset, .iov_len = batch->size};
        struct msghdr message = {.msg_name = &to,
                                 .msg_namelen = sizeof to,
                                 .msg_iov = &part,
                                 .msg_iovlen = 1,
                                 .msg_control = space,
                                 .msg_controllen = sizeof space};
        ssize_t length = recvmsg(socket->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT);

        if (length < 0)
            return is_final(errno) && count == 0 ? -errno : (int)count;
        one.length = (uint32_t)length;
        one.socket = (int64_t)socket->generation << 32 | socket->fd;
        if ((message.msg_flags & MSG_TRUNC) != 0)
            one.flags |= NS_DATAGRAM_TRUNCATED;
        if (to.any.sa_family != AF_UNSPEC)
            set_other(&one, &to);
        if (read_error(&one, &message))
            *entry(batch, count++) = one;
    }
    return (int)count;
}

/* --- sending --- */

/* The datagrams to send, read once from the batch, and the messages made of them. */
struct outgoing {
    struct iovec parts[MESSAGES_MOST]; /* of each datagram */
    union address to[MESSAGES_MOST];
    struct extras {
        uint8_t local[16];
        uint16_t flags; /* NS_DATAGRAM_SET_TOS, _SET_TTL, _WHOLE, and HAS_LOCAL */
        uint8_t tos, ttl;
    } extras[MESSAGES_MOST];
    struct mmsghdr messages[MESSAGES_MOST];
    union control controls[MESSAGES_MOST]; /* of each message */
    uint32_t datagrams[MESSAGES_MOST];     /* number of them in each message */
    unsigned count;                        /* messages */
};

enum { HAS_LOCAL = 1 << 15 };

/* Returns false if a socket of this family cannot reach the address. */
static bool set_destination(union address *to, bool v6, const struct ns_datagram *from) {
    memset(to, 0, sizeof *to);
    if (v6) {
        to->v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(from->port)};
        memcpy(&to->v6.sin6_addr, from->address, 16);
        if (IN6_IS_ADDR_LINKLOCAL(&to->v6.sin6_addr))
            to->v6.sin6_scope_id = from->scope;
        return true;
    }
    if (memcmp(from->address, mapped, sizeof mapped) != 0)
        return false;
    to->v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(from->port)};
    memcpy(&to->v4.sin_addr, from->address + sizeof mapped, 4);
    return true;
}

static bool is_mapped(const uint8_t *address) {
    return memcmp(address, mapped, sizeof mapped) == 0;
}

/* Returns false if the source is of another family than the destination. */
static bool set_extras(struct extras *extras, const struct ns_datagram *from) {
    static const uint8_t none[16];

    memset(extras, 0, sizeof *extras);
    extras->flags = from->flags & (NS_DATAGRAM_SET_TOS | NS_DATAGRAM_SET_TTL | NS_DATAGRAM_WHOLE);
    extras->tos = (extras->flags & NS_DATAGRAM_SET_TOS) != 0 ? from->tos : 0;
    extras->ttl = (extras->flags & NS_DATAGRAM_SET_TTL) != 0 ? from->ttl : 0;
    if (memcmp(from->local, none, sizeof none) == 0)
        return true;
    memcpy(extras->local, from->local, sizeof extras->local);
    extras->flags |= HAS_LOCAL;
    return is_mapped(from->local) == is_mapped(from->address);
}

/* Copies an entry that Java shares. The compiler must not read a field of it twice. */
static void copy_entry(struct ns_datagram *to, const struct ns_datagrams *batch, uint32_t i) {
    memcpy(to, entry(batch, i), sizeof *to);
    __asm__ volatile("" : : "r"(to) : "memory");
}

/* Reads one entry. Returns 0, or the errno with which it is refused. */
static int read_entry(struct outgoing *out, uint32_t at, bool v6, const struct ns_datagrams *batch, uint32_t i) {
    struct ns_datagram from;

    copy_entry(&from, batch, i);
    if (from.offset > batch->bytes || from.length > batch->bytes - from.offset ||
        from.offset < room(batch, 0)) /* the entries themselves are nobody's datagram */
        return EINVAL;
    out->parts[at] = (struct iovec){.iov_base = batch->memory + from.offset, .iov_len = from.length};
    if (!set_destination(&out->to[at], v6, &from))
        return EAFNOSUPPORT;
    return set_extras(&out->extras[at], &from) ? 0 : EINVAL;
}

static bool is_alike(const struct outgoing *out, uint32_t a, uint32_t b) {
    return memcmp(&out->to[a], &out->to[b], sizeof out->to[a]) == 0 &&
           memcmp(&out->extras[a], &out->extras[b], sizeof out->extras[a]) == 0;
}

/* Returns the number of datagrams from `first` that one message can carry. */
static uint32_t run(const struct outgoing *out, uint32_t first, uint32_t end) {
    size_t each = out->parts[first].iov_len, sum = each;
    uint32_t i = first + 1;

    end = least(end, first + SEGMENTS_MOST);
    for (; each > 0 && i < end && out->parts[i - 1].iov_len == each; i++) {
        size_t length = out->parts[i].iov_len;

        if (length == 0 || length > each || sum + length > MESSAGE_LENGTH || !is_alike(out, i, first))
            break;
        sum += length;
    }
    return i - first;
}

/* Tells whether the message from `first` to `end` has room for another datagram of its length. */
static bool is_open(const struct outgoing *out, uint32_t first, uint32_t end) {
    size_t each = out->parts[first].iov_len;

    return each > 0 && end - first < SEGMENTS_MOST && out->parts[end - 1].iov_len == each &&
           (end - first + 1) * each <= MESSAGE_LENGTH;
}

/* Appends a control message to those of a message. The memory is there for all that one message can have. */
static void add_control(struct msghdr *header, union control *control, int level, int type, const void *data,
                        size_t length) {
    struct cmsghdr *c = (struct cmsghdr *)(void *)(control->bytes + header->msg_controllen);

    memset(c, 0, CMSG_SPACE(length));
    *c = (struct cmsghdr){.cmsg_len = CMSG_LEN(length), .cmsg_level = level, .cmsg_type = type};
    memcpy(CMSG_DATA(c), data, length);
    header->msg_control = control;
    header->msg_controllen += CMSG_SPACE(length);
}

static void add_local(struct msghdr *header, union control *control, const uint8_t *local, bool v6) {
    struct in6_pktinfo info6 = {.ipi6_ifindex = 0};
    struct in_pktinfo info4 = {.ipi_ifindex = 0};

    if (v6) {
        memcpy(&info6.ipi6_addr, local, 16);
        add_control(header, control, SOL_IPV6, IPV6_PKTINFO, &info6, sizeof info6);
    } else {
        memcpy(&info4.ipi_spec_dst, local + sizeof mapped, 4);
        add_control(header, control, SOL_IP, IP_PKTINFO, &info4, sizeof info4);
    }
}

static void add_extras(struct msghdr *header, union control *control, const struct extras *extras, bool v6,
                       bool v6_packet) {
    int tos = extras->tos, ttl = extras->ttl;

    if ((extras->flags & HAS_LOCAL) != 0)
        add_local(header, control, extras->local, v6);
    if ((extras->flags & NS_DATAGRAM_SET_TOS) != 0)
        add_control(header, control, v6_packet ? SOL_IPV6 : SOL_IP, v6_packet ? IPV6_TCLASS : IP_TOS, &tos, sizeof tos);
    if ((extras->flags & NS_DATAGRAM_SET_TTL) != 0)
        add_control(header, control, v6_packet ? SOL_IPV6 : SOL_IP, v6_packet ? IPV6_HOPLIMIT : IP_TTL, &ttl,
                    sizeof ttl);
}

static void add_message(struct outgoing *out, uint32_t first, uint32_t datagrams) {
    struct msghdr *header = &out->messages[out->count].msg_hdr;
    union control *control = &out->controls[out->count];
    bool v6 = out->to[first].any.sa_family == AF_INET6;
    uint16_t segment = (uint16_t)out->parts[first].iov_len;

    *header = (struct msghdr){
        .msg_name = &out->to[first],
        .msg_namelen = v6 ? sizeof out->to[first].v6 : sizeof out->to[first].v4,
        .msg_iov = &out->parts[first],
        .msg_iovlen = datagrams,
    };
    if (out->extras[first].flags != 0)
        add_extras(header, control, &out->extras[first], v6, v6 && !is_mapped(out->to[first].v6.sin6_addr.s6_addr));
    if (datagrams > 1)
        add_control(header, control, SOL_UDP, UDP_SEGMENT, &segment, sizeof segment);
    out->datagrams[out->count++] = datagrams;
}

/* Tells whether the kernel may refuse to cut a message whose datagrams it would send one by one. */
static bool cannot_cut(int error) {
    return error == EINVAL || error == EIO || error == EMSGSIZE || error == EOPNOTSUPP;
}

/* Tells whether an error may be that of an earlier datagram, which the kernel reports once and to any call. */
static bool may_be_old(const struct ns_socket *socket, int error) {
    return (socket->flags & NS_SOCKET_ERRORS) != 0 && error != EAGAIN && error != ENOBUFS && !is_final(error);
}

/*
 * Makes messages of what was read. If more datagrams follow in the queue, the last message may be only the beginning
 * of a longer one, so it waits for them, unless it is the only message or can carry no more.
 */
static void add_messages(struct outgoing *out, uint32_t count, bool cut, bool more) {
    uint32_t last = 0;

    out->count = 0;
    for (uint32_t i = 0; i < count; i += out->datagrams[out->count - 1]) {
        last = i;
        add_message(out, i, cut ? run(out, i, count) : 1);
    }
    if (more && cut && out->count > 1 && is_open(out, last, count))
        out->count--;
}

/*
 * Sends what was read, which are `count` datagrams; `more` follow in the queue. Returns the number of datagrams that
 * left; 0 = see `error`.
 */
static uint32_t send_messages(const struct ns_socket *socket, struct outgoing *out, uint32_t count, bool cut, bool more,
                              int *error) {
    uint32_t done = 0;
    int messages, tries = 0;

    add_messages(out, count, cut, more);
    do {
        messages = sendmmsg(socket->fd, out->messages, out->count, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (messages < 0 && (errno == EINTR || (may_be_old(socket, errno) && ++tries < SEND_TRIES)));
    *error = messages < 0 ? errno : 0;
    for (int i = 0; i < messages; i++)
        done += out->datagrams[i];
    return done;
}

/* Sends by messages that the kernel cuts, or one by one where it does not. */
static uint32_t send_read(struct ns_socket *socket, struct outgoing *out, uint32_t count, bool more, int *error) {
    bool cut = (__atomic_load_n(&socket->flags, __ATOMIC_RELAXED) & NS_SOCKET_UNCUT) == 0;
    uint32_t done = send_messages(socket, out, count, cut, more, error);
    int refusal = *error;

    if (done > 0 || !cut || out->datagrams[0] == 1 || !cannot_cut(refusal))
        return done;
    done = send_messages(socket, out, out->datagrams[0], false, false, error);
    if (done > 0 && refusal != EMSGSIZE && refusal != EINVAL) /* these two concern the length of this message alone */
        __atomic_fetch_or(&socket->flags, NS_SOCKET_UNCUT, __ATOMIC_RELAXED);
    return done;
}

/* Switches the packets of a socket to be never cut, or back to what its options say. */
static void set_whole(const struct ns_socket *socket, bool on) {
    int otherwise = (socket->flags & NS_SOCKET_FRAGMENTS) != 0 ? IP_PMTUDISC_DONT : IP_PMTUDISC_WANT;
    int v4 = on ? IP_PMTUDISC_DO : otherwise, v6 = on ? IPV6_PMTUDISC_DO : IPV6_PMTUDISC_WANT;

    setsockopt(socket->fd, SOL_IP, IP_MTU_DISCOVER, &v4, sizeof v4);
    if ((socket->flags & NS_SOCKET_V6) != 0)
        setsockopt(socket->fd, SOL_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6);
}

static uint32_t send_whole(struct ns_socket *socket, struct outgoing *out, uint32_t count, bool more, int *error) {
    uint32_t done;

    set_whole(socket, true);
    done = send_read(socket, out, count, more, error);
    set_whole(socket, false);
    return done;
}

/* Entries to be sent by one socket, in this order. */
struct queue {
    const struct ns_datagrams *batch;
    const uint16_t *entries; /* NULL = as many from `first` */
    uint32_t first, count;
};

static uint32_t place(const struct queue *queue, uint32_t i) {
    return queue->entries != NULL ? queue->entries[i] : queue->first + i;
}

static void advance(struct queue *queue, uint32_t done) {
    if (queue->entries != NULL)
        queue->entries += done;
    queue->first += done;
    queue->count -= done;
}

/* Reads entries as long as they can be sent and are all for whole packets, or none is. Returns their number. */
static uint32_t read_entries(struct outgoing *out, bool v6, const struct queue *queue, int *error) {
    uint32_t ready = 0, count = least(queue->count, MESSAGES_MOST);

    *error = 0;
    while (ready < count && (*error = read_entry(out, ready, v6, queue->batch, place(queue, ready))) == 0) {
        if (((out->extras[ready].flags ^ out->extras[0].flags) & NS_DATAGRAM_WHOLE) != 0)
            break;
        ready++;
    }
    return ready;
}

/* Sends some of the first entries. Returns the number of those that are done; 0 = the socket takes no more now. */
static uint32_t send_some(struct ns_socket *socket, const struct queue *queue) {
    struct outgoing out;
    bool more;
    int error;
    uint32_t done, ready = read_entries(&out, (socket->flags & NS_SOCKET_V6) != 0, queue, &error);

    if (ready > 0) {
        more = ready < queue->count;
        done = (out.extras[0].flags & NS_DATAGRAM_WHOLE) != 0 ? send_whole(socket, &out, ready, more, &error)
                                                              : send_read(socket, &out, ready, more, &error);
        for (uint32_t i = 0; i < done; i++)
            entry(queue->batch, place(queue, i))->error = 0;
        if (done > 0)
            return done;
    }
    if (error == EAGAIN || error == ENOBUFS)
        return 0;
    entry(queue->batch, place(queue, 0))->error = error;
    return 1;
}

/* Sends until all is done, or the socket takes no more now. The queue keeps the entries that are not done. */
static void send_queue(struct ns_socket *socket, struct queue *queue) {
    uint32_t some;

    do {
        some = queue->count == 0 ? 0 : send_some(socket, queue);
        advance(queue, some);
    } while (some > 0);
}

static bool are_entries(const struct ns_datagrams *batch, uint32_t first, uint32_t count) {
    return first < batch->capacity && count <= batch->capacity - first;
}

uint32_t ns_datagrams_send(struct ns_socket *socket, const struct ns_datagrams *batch, uint32_t first, uint32_t count) {
    struct queue queue = {.batch = batch, .first = first, .count = count};

    if (!are_entries(batch, first, count))
        return 0;
    send_queue(socket, &queue);
    return count - queue.count;
}

/* Sends a row. Returns the number of entries that have left. Another thread's writes only spoil this number. */
static uint32_t send_row(const struct ns_datagrams *batch, const struct ns_row *row) {
    struct ns_socket *socket = ns_sockets_find(row->socket, NS_SOCKET_UDP);
    struct queue queue = {.batch = batch, .entries = row->entries, .count = row->count};
    uint32_t left = 0;

    if (socket != NULL)
        send_queue(socket, &queue);
    for (uint32_t i = 0; i < queue.count; i++)
        entry(batch, place(&queue, i))->error = socket == NULL ? EBADF : EAGAIN;
    for (uint32_t i = 0; i < row->count - queue.count; i++)
        left += entry(batch, row->entries[i])->error == 0;
    return left;
}

uint32_t ns_datagrams_send_each(const struct ns_datagrams *batch, uint32_t first, uint32_t count) {
    struct ns_rows rows;
    uint32_t left = 0;

    if (!are_entries(batch, first, count))
        return 0;
    ns_rows_sort(&rows, batch, first, count);
    ns_sockets_hold();
    for (uint32_t i = 0; i < rows.count; i++)
        left += send_row(batch, &rows.row[i]);
    ns_sockets_drop();
    return left;
}
