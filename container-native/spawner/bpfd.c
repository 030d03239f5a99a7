/* SPDX-License-Identifier: Apache-2.0 */
#include "bpfd.h"

#include "container.h"
#include "layers.h"
#include "ns_caps.h"
#include "ns_fastpath.h"
#include "ns_log.h"
#include "spawner.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MS 10000 /* the kernel verifies all programs before the first one: slow work on a busy machine */
#define STOP_MS 1000
#define WAIT_FIRST_MS 100u
#define WAIT_MOST_MS 5000u
#define SETTLED_MS 30000u
#define ANSWER_MAX 4096
#define CGROUP "@bpfd/bpfd"
#define MEMORY (512ull << 20) /* maps are charged to who makes them */

static void drop_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* --- its life --- */

static pid_t run(struct ns_spawner *spawner, int socket, char why[160]) {
    static char program[PATH_MAX + 16], programs[PATH_MAX + 16], text[2][16];
    static const char *const environment[] = {"LC_ALL=C", "PATH=/nonexistent", NULL};
    static const struct ns_limit limits[] = {{RLIMIT_NOFILE, 4096}, {RLIMIT_CORE, 0}, {RLIMIT_FSIZE, RLIM_INFINITY}};
    const struct ns_root_entry mounts[] = {{spawner->paths.dist, NS_ROOT_EXECUTE}};
    const char *const argv[] = {program, "--programs",    programs, "--orders-fd",
                                text[0], "--turned-mark", text[1],  NULL};
    uid_t id = NS_ID_BPFD(spawner->ids);
    struct ns_layers layers = {
        .without = spawner->lacking & NS_LAYER_NAMESPACES,
        .cgroup = &spawner->bpfd.cgroup,
        .mounts = mounts,
        .mount_count = 1,
        .limits = limits,
        .limit_count = sizeof limits / sizeof limits[0],
        .identity = {id, id, {0}, 0, NS_CAP(CAP_BPF) | NS_CAP(CAP_NET_ADMIN) | NS_CAP(CAP_PERFMON), SIGKILL},
        .keep = &socket,
        .keep_count = 1,
        .argv = argv,
        .environment = environment,
    };

    snprintf(program, sizeof program, "%s/bin/bpfd", spawner->paths.dist);
    snprintf(programs, sizeof programs, "%s/kernel", spawner->paths.dist);
    snprintf(text[0], sizeof text[0], "%d", socket);
    snprintf(text[1], sizeof text[1], "%u", spawner->turned_mark);
    return ns_layers_start(&layers, NULL, NULL, why);
}

static int say(struct ns_bpfd_child *child, const char *line, const int *fds, unsigned count) {
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

static void start(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    const struct timeval patience = {ANSWER_MS / 1000, 0};
    char why[160] = "socket pair";
    int pair[2];
    pid_t pid = -1;

    child->at = 0;
    child->greeted = false;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0) {
        pid = run(spawner, pair[1], why);
        close(pair[1]);
        if (pid < 0)
            close(pair[0]);
    }
    if (pid < 0) {
        ns_error("bpfd: %s", why);
        child->at = ns_now() + WAIT_MOST_MS;
        return;
    }
    child->pid = pid;
    child->socket = pair[0];
    child->since = ns_now();
    child->id = 1;
    setsockopt(child->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    say(child, "hello id=1", NULL, 0);
    ns_info("bpfd: started, pid %d", (int)pid);
}

/* One that does not answer cannot be asked again: its answers would come for other orders. */
static int give_up(struct ns_bpfd_child *child, const char *what) {
    ns_warn("bpfd: %s: killed", what);
    drop_fd(&child->socket);
    if (child->pid != 0)
        kill(child->pid, SIGKILL);
    return -1;
}

/* The next answer into `text`; its descriptor, if it has one, into *fd. */
static int hear(struct ns_bpfd_child *child, char text[ANSWER_MAX + 1], int *fd) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {text, ANSWER_MAX};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct pollfd readable = {child->socket, POLLIN, 0};
    const struct cmsghdr *rights;
    ssize_t n = -1;

    *fd = -1;
    if (poll(&readable, 1, ANSWER_MS) > 0)
        n = recvmsg(child->socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (n <= 0)
        return give_up(child, "no answer");
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
        return give_up(child, "an answer to nothing");
    if (strcmp(line->verb, "ok") == 0)
        return 0;
    value = ns_line_get(line, "reason");
    ns_warn("bpfd: refused: %.120s", value == NULL ? "" : value);
    return -1;
}

/* Every order but the first waits for the answer to that. */
static bool there(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[ANSWER_MAX + 1];
    struct ns_line line;
    const char *features;
    int fd;

    if (child->greeted || child->socket < 0)
        return child->socket >= 0;
    if (hear(child, text, &fd) != 0 || understand(child, &line, text, 1) != 0)
        return false;
    drop_fd(&fd);
    child->greeted = true;
    features = ns_line_get(&line, "features");
    snprintf(spawner->features, sizeof spawner->features, "%s", features == NULL ? "" : features);
    ns_info("bpfd: can %s", spawner->features);
    return true;
}

/* Says a line that wants an answer, and gets it. */
static int ask(struct ns_bpfd_child *child, const char *text, const int *fds, unsigned count, struct ns_line *line,
               char answer[ANSWER_MAX + 1], int *fd) {
    if (child->socket < 0 || say(child, text, fds, count) != 0)
        return child->socket < 0 ? -1 : give_up(child, strerror(errno));
    return hear(child, answer, fd) != 0 ? -1 : understand(child, line, answer, child->id);
}

/* As ask, for what is answered by "ok" alone. */
static int order(struct ns_bpfd_child *child, const char *text) {
    char answer[ANSWER_MAX + 1];
    struct ns_line line;
    int fd = -1, result = ask(child, text, NULL, 0, &line, answer, &fd);

    drop_fd(&fd);
    return result;
}

void ns_bpfd_child_open(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    const struct ns_cgroup_limits limits = {MEMORY, 0, 8};
    char program[PATH_MAX + 16];

    *child = (struct ns_bpfd_child){.socket = -1, .wait = WAIT_FIRST_MS};
    snprintf(program, sizeof program, "%s/bin/bpfd", spawner->paths.dist);
    if (access(program, X_OK) != 0) {
        ns_info("bpfd: not in this dist: no fast path");
        return;
    }
    if (ns_cgroup_make(&child->cgroup, &spawner->cgroups, CGROUP, &limits) != 0) {
        ns_error("bpfd: %s", strerror(errno));
        return;
    }
    child->wanted = true;
    start(spawner);
}

/* Its end of the pair is all that it waits for. */
void ns_bpfd_child_stop(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    child->at = 0;
    drop_fd(&child->socket);
    if (child->pid != 0)
        child->kill_at = ns_now() + STOP_MS;
}

void ns_bpfd_child_close(struct ns_spawner *spawner) {
    if (spawner->bpfd.wanted)
        ns_cgroup_remove(&spawner->bpfd.cgroup);
    spawner->bpfd.wanted = false;
}

bool ns_bpfd_child_ended(struct ns_spawner *spawner, pid_t pid, int status) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    uint64_t now = ns_now();

    if (!child->wanted || pid != child->pid)
        return false;
    ns_info("bpfd: ended, %s %d", WIFEXITED(status) ? "exit" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    child->pid = 0;
    child->kill_at = 0;
    drop_fd(&child->socket);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && !child->greeted) {
        ns_warn("bpfd: this kernel takes no programs: no fast path");
        spawner->features[0] = '\0';
        return true;
    }
    if (now - child->since >= SETTLED_MS)
        child->wait = WAIT_FIRST_MS;
    child->at = spawner->stopping ? 0 : now + child->wait;
    child->wait = child->wait * 2 > WAIT_MOST_MS ? WAIT_MOST_MS : child->wait * 2;
    return true;
}

/* --- what it is told --- */

static char *print_interfaces(struct ns_bpfd_child *child) {
    static const char *const modes[] = {"auto", "native", "generic"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return NULL;
    fprintf(out, "interfaces id=%llu interfaces=", (unsigned long long)++child->id);
    for (unsigned i = 0; i < child->interfaces; i++)
        fprintf(out, "%s%s", i == 0 ? "" : ",", child->interface[i]);
    fprintf(out, " mode=%s forward=%s", modes[child->mode], child->direct ? "direct" : "kernel");
    return fclose(out) == 0 ? text : NULL;
}

static int send_interfaces(struct ns_bpfd_child *child, char **pairs) {
    char *text = print_interfaces(child), answer[ANSWER_MAX + 1];
    struct ns_line line;
    int fd = -1, result = text == NULL ? -1 : ask(child, text, NULL, 0, &line, answer, &fd);
    const char *xdp = result == 0 ? ns_line_get(&line, "xdp") : NULL;
    const char *tc = result == 0 ? ns_line_get(&line, "tc") : NULL;

    drop_fd(&fd);
    free(text);
    if (xdp == NULL || tc == NULL)
        return -1;
    ns_info("bpfd: %u interfaces, xdp %s, tc %s", child->interfaces, xdp, tc);
    return pairs != NULL && asprintf(pairs, " xdp=%s tc=%s", xdp, tc) < 0 ? -1 : 0;
}

int ns_bpfd_fastpath(struct ns_spawner *spawner, const struct ns_request *request, char **pairs, char why[160]) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    child->interfaces = request->interfaces;
    memcpy(child->interface, request->interface, sizeof child->interface);
    child->mode = request->mode;
    child->direct = request->past_stack;
    if (!there(spawner) || send_interfaces(child, pairs) != 0) {
        snprintf(why, 160, "fast path: bpfd is not there, see the spawner's log");
        return -1;
    }
    ns_bpfd_filters(spawner);
    if (ns_spawner_rules(spawner) != 0)
        ns_error("fast path: the rule for its mark could not be written");
    return 0;
}

uint32_t ns_bpfd_mark(const struct ns_spawner *spawner) {
    const struct ns_bpfd_child *child = &spawner->bpfd;

    return child->wanted && child->interfaces != 0 && !child->direct ? NS_OFFLOAD_MARK : 0;
}

void ns_bpfd_features(struct ns_spawner *spawner) {
    there(spawner);
}

/* --- containers --- */

static void print_grant(FILE *out, struct ns_bpfd_child *child, const struct ns_container *container) {
    const struct ns_request *order = &container->order;

    fprintf(out, "grant id=%llu container=%s serial=%llu flows=%llu rewrite=", (unsigned long long)++child->id,
            order->name, (unsigned long long)container->serial, (unsigned long long)order->flows);
    for (unsigned i = 0; i < order->rewrites; i++) {
        char source[NS_PREFIX_TEXT], destination[NS_PREFIX_TEXT];

        ns_value_print_net(&order->rewrite[i].source, source);
        ns_value_print_net(&order->rewrite[i].destination, destination);
        fprintf(out, "%s%s->%s", i == 0 ? "" : ",", source, destination);
    }
}

static int send_grant(struct ns_bpfd_child *child, struct ns_container *container) {
    struct ns_bpfd_grant *grant = &container->grant;
    const int fds[] = {grant->bpfd_fd, grant->records_fd};
    char *text = NULL, answer[ANSWER_MAX + 1];
    struct ns_line line;
    size_t size;
    int fd = -1, result = -1;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        return -1;
    print_grant(out, child, container);
    if (fclose(out) == 0)
        result = ask(child, text, fds, grant->records_fd < 0 ? 1 : 2, &line, answer, &fd);
    free(text);
    if (result == 0 && grant->records_fd < 0) {
        grant->records_fd = fd;
        fd = -1;
    }
    drop_fd(&fd);
    return result;
}

static void close_grant(struct ns_bpfd_grant *grant) {
    drop_fd(&grant->pktio_fd);
    drop_fd(&grant->bpfd_fd);
    drop_fd(&grant->records_fd);
}

void ns_bpfd_grant(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    struct ns_bpfd_grant *grant = &container->grant;
    int pair[2];

    if (child->interfaces == 0 || grant->pktio_fd >= 0 || !there(spawner))
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0) {
        grant->pktio_fd = pair[0];
        grant->bpfd_fd = pair[1];
        if (send_grant(child, container) == 0 && grant->records_fd >= 0) {
            ns_bpfd_filters(spawner);
            return;
        }
    }
    ns_warn("%s: no fast path", container->order.name);
    close_grant(grant);
}

void ns_bpfd_revoke(struct ns_spawner *spawner, struct ns_container *container) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[NS_NAME_MAX + 64];

    if (container->grant.pktio_fd < 0)
        return;
    if (there(spawner)) {
        snprintf(text, sizeof text, "revoke id=%llu container=%s", (unsigned long long)++child->id,
                 container->order.name);
        order(child, text);
    }
    close_grant(&container->grant);
}

/* --- filters --- */

static void put_range(FILE *out, const char *key, const struct ns_ports *ports) {
    fprintf(out, " %s=%u-%u", key, ports->first, ports->last);
}

static void put_net(FILE *out, const char *key, const struct ns_net *net) {
    char text[NS_PREFIX_TEXT];

    ns_value_print_net(net, text);
    fprintf(out, " %s=%s", key, text);
}

/*
 * What is limited by packets or bytes a second is so by the rules of its queue, and goes that way. A program decides by bytes that
 * a flow does not have: as of a sampled one, nothing of it is decided in the kernel.
 */
static const char *way_of(const struct ns_filter *filter, const struct ns_request *order) {
    if (filter->count[0] != '\0')
        return "count";
    if (filter->sample != 0 || filter->match.count != 0)
        return "sample";
    return filter->afxdp && order->packets == 0 && order->bytes == 0 ? "steer" : "queue";
}

static void print_filter(FILE *out, const struct ns_filter *filter, const struct ns_request *order) {
    fprintf(out, "container=%s family=%u proto=%u do=%s", order->name, filter->family, filter->protocol,
            way_of(filter, order));
    if (filter->count[0] != '\0')
        fprintf(out, " count=%s", filter->count);
    if (filter->has_source)
        put_net(out, "src", &filter->source);
    if (filter->has_destination)
        put_net(out, "dst", &filter->destination);
    if (filter->has_source_ports)
        put_range(out, "sport", &filter->source_ports);
    if (filter->has_destination_ports)
        put_range(out, "dport", &filter->destination_ports);
}

static const struct ns_container *reader_of(const struct ns_spawner *spawner, const struct ns_filter *filter) {
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        const struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->order.queue == filter->queue)
            return container;
    }
    return NULL;
}

/* The firewall meets samples first, whatever their prefixes; a filter that nobody reads is passed by. */
static unsigned each_filter(struct ns_spawner *spawner, bool tell) {
    unsigned count = 0;

    for (int samples = 1; samples >= 0; samples--) {
        for (unsigned i = 0; i < spawner->filters; i++) {
            const struct ns_filter *filter = &spawner->filter[i];
            const struct ns_container *container = reader_of(spawner, filter);
            char text[512];
            FILE *out;

            if (container == NULL || (filter->sample != 0) != samples)
                continue;
            count++;
            if (!tell)
                continue;
            out = fmemopen(text, sizeof text, "w");
            if (out == NULL)
                return 0;
            print_filter(out, filter, &container->order);
            fclose(out);
            say(&spawner->bpfd, text, NULL, 0);
        }
    }
    return count;
}

void ns_bpfd_filters(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[64], answer[ANSWER_MAX + 1];
    struct ns_line line;
    int fd = -1;

    if (child->interfaces == 0 || !there(spawner))
        return;
    snprintf(text, sizeof text, "filters id=%llu count=%u", (unsigned long long)++child->id,
             each_filter(spawner, false));
    if (say(child, text, NULL, 0) != 0) {
        give_up(child, strerror(errno));
        return;
    }
    each_filter(spawner, true);
    if (hear(child, answer, &fd) == 0)
        understand(child, &line, answer, child->id);
    drop_fd(&fd);
}

/* --- counters --- */

void ns_bpfd_stats(struct ns_spawner *spawner, const struct ns_container *container, FILE *out) {
    struct ns_bpfd_child *child = &spawner->bpfd;
    char text[NS_NAME_MAX + 64], answer[ANSWER_MAX + 1];
    struct ns_line line;
    int fd = -1;

    if (container->grant.pktio_fd < 0 || !there(spawner))
        return;
    snprintf(text, sizeof text, "stats id=%llu container=%s", (unsigned long long)++child->id, container->order.name);
    if (ask(child, text, NULL, 0, &line, answer, &fd) != 0)
        return;
    drop_fd(&fd);
    for (unsigned i = 0; i < line.count; i++) {
        if (strcmp(line.pairs[i].key, "id") != 0)
            fprintf(out, " %s%s=%s", strcmp(line.pairs[i].key, "flows") == 0 ? "" : "flows-", line.pairs[i].key,
                    line.pairs[i].value);
    }
}

/* --- time --- */

/* A new one knows nothing: what the old one knew, it is told. */
static void tell_all(struct ns_spawner *spawner) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    if (child->interfaces == 0 || !there(spawner) || send_interfaces(child, NULL) != 0)
        return;
    for (unsigned i = 0; i < NS_CONTAINERS_MAX; i++) {
        struct ns_container *container = spawner->containers[i];

        if (container != NULL && container->grant.pktio_fd >= 0 && send_grant(child, container) != 0)
            ns_warn("%s: no fast path until it starts again", container->order.name);
    }
    ns_bpfd_filters(spawner);
}

static uint64_t sooner(uint64_t next, uint64_t at) {
    return at != 0 && at < next ? at : next;
}

uint64_t ns_bpfd_child_tick(struct ns_spawner *spawner, uint64_t now) {
    struct ns_bpfd_child *child = &spawner->bpfd;

    if (!child->wanted)
        return UINT64_MAX;
    if (child->kill_at != 0 && now >= child->kill_at) {
        child->kill_at = now + STOP_MS;
        kill(child->pid, SIGKILL);
    }
    if (child->at != 0 && now >= child->at) {
        start(spawner);
        tell_all(spawner);
    }
    return sooner(sooner(UINT64_MAX, child->kill_at), child->at);
}
