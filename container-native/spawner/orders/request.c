/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include "network.h"
#include "prefixes.h"
#include "sigio.h"
#include "subnet.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind {
    NUMBER,
    PLANE,
    PROGRAMS,
    MODE,
    FORWARD,
    NAME,
    WORD,
    INDEX,
    REWRITES,
    CONNECTS,
    LISTENS,
    TAKES,
    SERVICES,
    LAYERS,
    INTERFACES,
    PORTS,
    ALLOWED,
    DENIED,
    PROCESSORS,
    PREFIX4,
    PREFIX6,
    PROTOCOL
};

#define VERB(name) (1u << NS_VERB_##name)

/* A key: its verbs, its place in the request, and its permitted values. */
struct key {
    unsigned verbs;
    enum kind kind;
    const char *name;
    size_t offset; /* of a uint64_t in the request, numbers only */
    uint64_t least, most;
    bool optional;
};

#define FIELD(member) offsetof(struct ns_request, member)

static const struct key keys[] = {
#include "orders_keys.inc" /* made of orders.keys */
};
#define KEYS (sizeof keys / sizeof keys[0])

static const char *const verbs[] = {"hello",  "prepare", "start",      "stop",     "filters", "stats", "list",
                                    "worker", "spares",  "spare-jobs", "fastpath", "talkers", "forget"};

const char *ns_request_verb(enum ns_verb verb) {
    return verbs[verb];
}

static bool refuse(struct ns_refusal *why, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct ns_refusal *why, const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return false;
}

/* Adds a rewrite "<src-prefix>-><dst-prefix>", both of one family. */
static bool add_rewrite(void *context, const char *element) {
    struct ns_request *request = context;
    struct ns_rewrite_pair *pair = &request->rewrite[request->rewrites];
    const char *arrow = strstr(element, "->");
    char source[NS_PREFIX_TEXT];

    if (request->rewrites == NS_REWRITES_MAX || arrow == NULL || (size_t)(arrow - element) >= sizeof source)
        return false;
    memcpy(source, element, (size_t)(arrow - element));
    source[arrow - element] = '\0';
    if (!ns_value_net(source, &pair->source) || !ns_value_net(arrow + 2, &pair->destination))
        return false;
    if (pair->source.family != pair->destination.family)
        return false;
    request->rewrites++;
    return true;
}

static bool read_protocol(const char *text, uint8_t *protocol) {
    bool tcp = strcmp(text, "tcp") == 0 || strcmp(text, "6") == 0;

    if (!tcp && strcmp(text, "udp") != 0 && strcmp(text, "17") != 0)
        return false;
    *protocol = tcp ? 6 : 17;
    return true;
}

/* Reads "<proto>/<prefix>/<ports>", cut at its first and last slash, because the prefix has a slash of its own. */
static bool read_endpoint(struct ns_connect *connect, const char *element) {
    char text[128];
    char *first, *last;

    if (strlen(element) >= sizeof text)
        return false;
    strcpy(text, element);
    first = strchr(text, '/');
    last = strrchr(text, '/');
    if (first == NULL || first == last)
        return false;
    *first = *last = '\0';
    return read_protocol(text, &connect->protocol) && ns_value_net(first + 1, &connect->to) &&
           ns_value_ports(last + 1, &connect->ports);
}

static bool add_connect(void *context, const char *element) {
    struct ns_request *request = context;

    return request->connects < NS_CONNECTS_MAX && read_endpoint(&request->connect[request->connects++], element);
}

/* Cuts ":<port>" off the end of an element of one port, the container's port for that one; without it, 0. */
static bool cut_inside(char *text, uint16_t *inside) {
    char *ports = strrchr(text, '/');
    char *colon = ports == NULL ? NULL : strchr(ports, ':');
    uint64_t number = 0;

    if (colon != NULL) {
        if (strchr(ports, '-') != NULL || !ns_value_number(colon + 1, 1, 65535, &number))
            return false;
        *colon = '\0';
    }
    *inside = (uint16_t)number;
    return true;
}

/* Reads an element that may end in ":<port inside>". */
static bool read_inward(struct ns_connect *connect, const char *element) {
    char text[128];
    uint16_t inside;

    if (strlen(element) >= sizeof text)
        return false;
    strcpy(text, element);
    if (!cut_inside(text, &inside) || !read_endpoint(connect, text))
        return false;
    connect->inside = inside;
    return true;
}

/* Adds one address of the node, or all of them. */
static bool add_listen(void *context, const char *element) {
    struct ns_request *request = context;
    struct ns_connect *listen = &request->listen[request->listens];

    if (request->listens == NS_CONNECTS_MAX || !read_inward(listen, element))
        return false;
    request->listens++;
    return listen->to.bits == 0 || listen->to.bits == (listen->to.family == 4 ? 32 : 128);
}

/* Adds one TCP port of a prefix, never of all addresses. */
static bool add_take(void *context, const char *element) {
    struct ns_request *request = context;
    struct ns_connect *take = &request->take[request->takes];

    if (request->takes == NS_CONNECTS_MAX || !read_inward(take, element))
        return false;
    request->takes++;
    return take->protocol == 6 && take->to.bits != 0 && take->ports.first != 0 && take->ports.first == take->ports.last;
}

static bool add_service(void *context, const char *element) {
    struct ns_request *request = context;

    return request->services < NS_SERVICES_MAX && ns_value_service(element, &request->service[request->services++]);
}

static bool add_layer(void *context, const char *element) {
    struct ns_request *request = context;

    return ns_layer_add(&request->without, element);
}

static bool add_program(void *context, const char *element) {
    struct ns_request *request = context;

    return request->ffmpeg = strcmp(element, "ffmpeg") == 0;
}

static bool add_interface(void *context, const char *element) {
    struct ns_request *request = context;

    if (request->interfaces == NS_INTERFACES_MAX || !ns_value_interface(element))
        return false;
    strcpy(request->interface[request->interfaces++], element);
    return true;
}

static bool add_prefix(struct ns_guard_prefixes *guard, const char *element, bool allow) {
    struct ns_guard_prefix *prefix = &guard->at[guard->count];

    if (guard->count == NS_GUARD_PREFIXES_MAX || !ns_value_net(element, &prefix->net))
        return false;
    prefix->allow = allow;
    guard->count++;
    return true;
}

static bool add_allowed(void *context, const char *element) {
    return add_prefix(&((struct ns_request *)context)->guard, element, true);
}

static bool add_denied(void *context, const char *element) {
    return add_prefix(&((struct ns_request *)context)->guard, element, false);
}

static bool add_port(void *context, const char *element) {
    struct ns_request *request = context;
    uint64_t port;

    if (request->ports == NS_PORTS_MAX || !ns_value_number(element, 1, 65535, &port))
        return false;
    request->port[request->ports++] = (uint16_t)port;
    return true;
}

static bool read_index(struct ns_request *request, const char *value) {
    uint64_t index;

    request->network = -1;
    if (strcmp(value, "none") == 0)
        return true;
    if (!ns_value_number(value, 0, NS_NETWORKS_MAX - 1, &index))
        return false;
    request->network = (int)index;
    return true;
}

static bool read_major(struct ns_request *request, const char *value) {
    char major[8];
    size_t length = strcspn(value, ".");
    uint64_t minor;

    if (length >= sizeof major || value[length] != '.' || !ns_value_number(value + length + 1, 0, 65535, &minor))
        return false;
    memcpy(major, value, length);
    major[length] = '\0';
    return ns_value_number(major, 0, 65535, &request->major);
}

static bool read_word(struct ns_request *request, const struct key *key, const char *value) {
    if (key->verbs != VERB(PREPARE))
        return true; /* the client's build, for people only */
    request->set = strcmp(value, "set") == 0;
    return request->set || strcmp(value, "check") == 0;
}

static bool read_plane(const char *value, bool *afxdp) {
    *afxdp = strcmp(value, "afxdp") == 0;
    return *afxdp || strcmp(value, "queue") == 0;
}

static bool read_processors(const char *value, char processors[NS_PROCESSORS_TEXT]) {
    cpu_set_t set;

    if (!ns_processors_read(&set, value))
        return false;
    strcpy(processors, value);
    return true;
}

/* Reads a prefix with its size. A bit set behind the size is an error, so that a typing error is not cut off. */
static bool read_prefix(const char *value, uint8_t family, struct ns_net *net) {
    char address[NS_PREFIX_TEXT];
    struct ns_net whole;

    if (!ns_value_net(value, net) || net->family != family || !ns_prefixes_fit(net))
        return false;
    snprintf(address, sizeof address, "%.*s", (int)strcspn(value, "/"), value);
    return ns_value_net(address, &whole) && memcmp(whole.address, net->address, sizeof net->address) == 0;
}

static bool read_mode(const char *value, enum ns_fastpath_mode *mode) {
    static const char *const modes[] = {"auto", "native", "generic"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        *mode = (enum ns_fastpath_mode)i;
        if (strcmp(value, modes[i]) == 0)
            return true;
    }
    return false;
}

static bool read_forward(const char *value, bool *past_stack) {
    *past_stack = strcmp(value, "direct") == 0;
    return *past_stack || strcmp(value, "kernel") == 0;
}

static bool read_key(struct ns_request *request, const struct key *key, const char *value) {
    switch (key->kind) {
    case NUMBER: {
        uint64_t number;

        if (!ns_value_number(value, key->least, key->most, &number))
            return false;
        memcpy((char *)request + key->offset, &number, sizeof number);
        return true;
    }
    case PLANE:
        return read_plane(value, &request->afxdp);
    case PROGRAMS:
        return ns_value_list(value, add_program, request);
    case MODE:
        return read_mode(value, &request->mode);
    case FORWARD:
        return read_forward(value, &request->past_stack);
    case NAME:
        if (!ns_value_name(value))
            return false;
        strcpy(request->name, value);
        return true;
    case WORD:
        return read_word(request, key, value);
    case INDEX:
        return read_index(request, value);
    case REWRITES:
        return ns_value_list(value, add_rewrite, request);
    case CONNECTS:
        return ns_value_list(value, add_connect, request);
    case LISTENS:
        return ns_value_list(value, add_listen, request);
    case TAKES:
        return ns_value_list(value, add_take, request);
    case SERVICES:
        return ns_value_list(value, add_service, request);
    case LAYERS:
        return ns_value_list(value, add_layer, request);
    case INTERFACES:
        return ns_value_list(value, add_interface, request);
    case PORTS:
        return ns_value_list(value, add_port, request);
    case ALLOWED:
        return ns_value_list(value, add_allowed, request);
    case DENIED:
        return ns_value_list(value, add_denied, request);
    case PROCESSORS:
        return read_processors(value, request->processors);
    case PREFIX4:
        return read_prefix(value, 4, &request->prefix[0]);
    case PREFIX6:
        return read_prefix(value, 6, &request->prefix[1]);
    case PROTOCOL:
        return read_major(request, value);
    }
    return false;
}

static const struct key *find_key(enum ns_verb verb, const char *name) {
    for (size_t i = 0; i < KEYS; i++) {
        if ((keys[i].verbs & 1u << verb) != 0 && strcmp(keys[i].name, name) == 0)
            return &keys[i];
    }
    return NULL;
}

static bool read_keys(struct ns_request *request, const struct ns_line *line, struct ns_refusal *why) {
    for (unsigned i = 0; i < line->count; i++) {
        const struct ns_pair *pair = &line->pairs[i];
        const struct key *key = find_key(request->verb, pair->key);

        if (strcmp(pair->key, "id") == 0)
            continue;
        if (key == NULL)
            return refuse(why, "%.40s: unknown key", pair->key);
        if (!read_key(request, key, pair->value))
            return refuse(why, key->most != 0 ? "%s: not a number in %llu-%llu" : "%s: bad value", key->name,
                          (unsigned long long)key->least, (unsigned long long)key->most);
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (!keys[i].optional && (keys[i].verbs & 1u << request->verb) != 0 && ns_line_get(line, keys[i].name) == NULL)
            return refuse(why, "%s: missing", keys[i].name);
    }
    return true;
}

static bool check_id(const char *key, uint64_t id, uint32_t first_id, struct ns_refusal *why) {
    uint64_t least = (uint64_t)first_id + NS_UID_FIRST;

    if (id < least || id >= least + NS_UID_COUNT)
        return refuse(why, "%s: not a container's id", key);
    return true;
}

static bool check_heap(const struct ns_request *request, struct ns_refusal *why) {
    return request->heap <= request->memory || refuse(why, "heap: more than memory");
}

static bool check_start(const struct ns_request *request, uint32_t first_id, struct ns_refusal *why) {
    if (!check_id("uid", request->uid, first_id, why) || !check_id("gid", request->gid, first_id, why))
        return false;
    if (request->queue % 2 != 0)
        return refuse(why, "queue: not even");
    if (request->queue == NS_SIGIO_QUEUE)
        return refuse(why, "queue: that of sigio");
    if (!check_heap(request, why))
        return false;
    if (request->listens > 0 && request->network < 0)
        return refuse(why, "listen: without a network");
    if (request->takes > 0 && request->network < 0)
        return refuse(why, "take: without a network");
    if (request->inodes > NS_INODES_MOST(request->disk))
        return refuse(why, "inodes: more than %llu do not fit on disk",
                      (unsigned long long)NS_INODES_MOST(request->disk));
    return true;
}

static bool find_verb(struct ns_request *request, const char *verb) {
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (strcmp(verb, verbs[i]) == 0) {
            request->verb = (enum ns_verb)i;
            return true;
        }
    }
    return false;
}

bool ns_request_parse(struct ns_request *request, const struct ns_line *line, uint32_t first_id,
                      struct ns_refusal *why) {
    const char *id = ns_line_get(line, "id");

    memset(request, 0, sizeof *request);
    memcpy(request->prefix, ns_subnet_presets, sizeof request->prefix);
    if (id != NULL && !ns_value_number(id, 1, INT64_MAX / 16, &request->id))
        return refuse(why, "id: bad value");
    if (!find_verb(request, line->verb))
        return refuse(why, "%.40s: unknown verb", line->verb);
    if (id == NULL && request->verb != NS_VERB_HELLO)
        return refuse(why, "id: missing");
    if (!read_keys(request, line, why))
        return false;
    if (request->verb == NS_VERB_SPARES)
        return check_heap(request, why);
    return request->verb != NS_VERB_START || check_start(request, first_id, why);
}

static bool known_field(void *context, const char *element) {
    static const char *const names[] = {"src", "dst", "sport", "dport", "proto", "ttl"};
    size_t i = 0;

    (void)context;
    while (i < sizeof names / sizeof names[0] && strcmp(element, names[i]) != 0)
        i++;
    return i < sizeof names / sizeof names[0];
}

static bool read_count(struct ns_filter *filter, const char *value) {
    if (value[0] == '\0' || strlen(value) >= sizeof filter->count || !ns_value_list(value, known_field, NULL))
        return false;
    strcpy(filter->count, value);
    return true;
}

static bool filter_key(struct ns_filter *filter, const char *key, const char *value) {
    uint64_t number;

    if (strcmp(key, "family") == 0) {
        filter->family = (uint8_t)(value[0] - '0');
        return strcmp(value, "4") == 0 || strcmp(value, "6") == 0;
    }
    if (strcmp(key, "proto") == 0 && ns_value_number(value, 0, 255, &number)) {
        filter->protocol = (uint8_t)number;
        return true;
    }
    if (strcmp(key, "queue") == 0 && ns_value_number(value, 0, 65534, &number)) {
        filter->queue = (uint16_t)number;
        return number % 2 == 0 && number != NS_SIGIO_QUEUE;
    }
    if (strcmp(key, "sample") == 0 && ns_value_number(value, 1, 1000000000, &number)) {
        filter->sample = (uint32_t)number;
        return true;
    }
    if (strcmp(key, "count") == 0)
        return read_count(filter, value);
    if (strcmp(key, "plane") == 0)
        return read_plane(value, &filter->afxdp);
    if (strcmp(key, "match") == 0)
        return ns_match_read(value, &filter->match);
    if (strcmp(key, "claim") == 0)
        return ns_value_number(value, 0, INT64_MAX, &filter->claim);
    if (strcmp(key, "take") == 0 && ns_value_number(value, 1, 65535, &number)) {
        filter->take = (uint16_t)number;
        return true;
    }
    if (strcmp(key, "src") == 0)
        return filter->has_source = ns_value_net(value, &filter->source);
    if (strcmp(key, "dst") == 0)
        return filter->has_destination = ns_value_net(value, &filter->destination);
    if (strcmp(key, "sport") == 0)
        return filter->has_source_ports = ns_value_ports(value, &filter->source_ports);
    if (strcmp(key, "dport") == 0)
        return filter->has_destination_ports = ns_value_ports(value, &filter->destination_ports);
    return false;
}

/* Returns true if the filter names connections that can be taken: those to one TCP port of a prefix. */
static bool names_connections(const struct ns_filter *filter) {
    return filter->protocol == 6 && filter->has_destination && filter->has_destination_ports &&
           filter->destination_ports.first == filter->destination_ports.last && !filter->has_source &&
           !filter->has_source_ports && filter->sample == 0 && filter->count[0] == '\0' && !filter->afxdp &&
           filter->match.count == 0;
}

bool ns_request_filter(struct ns_filter *filter, const struct ns_line *line, struct ns_refusal *why) {
    static const char *const mandatory[] = {"family", "proto", "queue"};

    memset(filter, 0, sizeof *filter);
    for (unsigned i = 0; i < line->count; i++) {
        if (!filter_key(filter, line->pairs[i].key, line->pairs[i].value))
            return refuse(why, "%.40s: unknown key or bad value", line->pairs[i].key);
    }
    for (size_t i = 0; i < sizeof mandatory / sizeof mandatory[0]; i++) {
        if (ns_line_get(line, mandatory[i]) == NULL)
            return refuse(why, "%s: missing", mandatory[i]);
    }
    if ((filter->has_source && filter->source.family != filter->family) ||
        (filter->has_destination && filter->destination.family != filter->family))
        return refuse(why, "family: not that of the prefix");
    if ((filter->has_source_ports || filter->has_destination_ports) && !ns_rules_has_ports(filter->protocol))
        return refuse(why, "proto: has no ports");
    if (filter->take != 0 && !names_connections(filter))
        return refuse(why, "take: not connections to one TCP port of a prefix");
    return true;
}
