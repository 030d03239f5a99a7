/* SPDX-License-Identifier: Apache-2.0 */
/* request.h - turns a line into one of the fixed verbs, with every key present, known and within its range. Pure. */
#ifndef NS_REQUEST_H
#define NS_REQUEST_H

#include "jobguard.h"
#include "ns_layer.h"
#include "ns_line.h"
#include "ns_processors.h"
#include "ns_value.h"
#include "rules.h"

#define NS_REWRITES_MAX 64
#define NS_FILTERS_MAX 1024
#define NS_SERVICES_MAX 16
#define NS_INTERFACES_MAX 64
#define NS_PORTS_MAX 32
#define NS_SPARES_MAX 8
#define NS_FILES_MOST 65536 /* that a policy can give */
#define NS_SPARE_JOBS_MAX 4
#define NS_FLOWS_MOST 1024                            /* records of a ring */
#define NS_INODES_MOST(disk) ((uint64_t)(disk) << 11) /* files on so many MiB: half of it is for their contents */
#define NS_UID_FIRST 10000u                           /* containers' ids begin so far above the node's first id ... */
#define NS_UID_COUNT 65536u                           /* ... and are this many */

enum ns_verb {
    NS_VERB_HELLO,
    NS_VERB_PREPARE,
    NS_VERB_START,
    NS_VERB_STOP,
    NS_VERB_FILTERS,
    NS_VERB_STATS,
    NS_VERB_LIST,
    NS_VERB_WORKER,
    NS_VERB_SPARES,
    NS_VERB_SPARE_JOBS,
    NS_VERB_FASTPATH,
    NS_VERB_TALKERS,
    NS_VERB_FORGET,
};

/* The ways in which the fast path takes packets from an interface; AUTO = native if the interface can. */
enum ns_fastpath_mode { NS_FASTPATH_AUTO, NS_FASTPATH_NATIVE, NS_FASTPATH_GENERIC };

struct ns_rewrite_pair {
    struct ns_net source, destination;
};

struct ns_request {
    enum ns_verb verb;
    uint64_t id;
    char name[NS_NAME_MAX + 1]; /* container or job */
    uint64_t major;             /* hello */
    uint64_t uid, gid, queue, memory, heap, cpu, pids, files, deadline, steal,
        steal_max; /* start; memory also worker and spare-jobs */
    uint64_t connections, packets, bytes, disk, inodes, direct,
        metaspace;  /* start; packets and bytes per second, 0 = any */
    uint64_t flows; /* start: offloaded at once, 0 = none */
    bool afxdp;     /* start: its packets may come by AF_XDP */
    bool ffmpeg;    /* start: its host may have the spawner start ffmpeg */
    enum ns_fastpath_mode mode;
    bool past_stack;      /* fastpath: forward=direct */
    ns_layer_set without; /* layers to leave out */
    int network;          /* index, -1 = none */
    unsigned rewrites, connects, listens, takes, services;
    struct ns_rewrite_pair rewrite[NS_REWRITES_MAX];
    struct ns_connect connect[NS_CONNECTS_MAX];
    struct ns_connect listen[NS_CONNECTS_MAX]; /* `to` is an address of the node */
    struct ns_connect take[NS_CONNECTS_MAX];   /* `to` is a prefix of the publisher's, `ports` is one TCP port */
    struct ns_service_prefix service[NS_SERVICES_MAX]; /* start: its routers may have rules for these serviceIDs */
    uint64_t grace, dump;                              /* stop */
    uint64_t count;                                    /* filters, spares, spare-jobs */
    uint64_t most;                                     /* talkers */
    bool set;                                          /* prepare */
    char processors[NS_PROCESSORS_TEXT];               /* prepare: set apart for packets, "" = none */
    struct ns_net prefix[2];                           /* prepare: of containers' networks, IPv4 and IPv6 */
    unsigned interfaces;
    char interface[NS_INTERFACES_MAX][NS_INTERFACE_MAX + 1];
    uint64_t timeout; /* worker */
    uint64_t spare;   /* worker: a spare job may do it */
    unsigned ports;
    uint16_t port[NS_PORTS_MAX];
    struct ns_guard_prefixes guard; /* worker */
};

struct ns_refusal {
    char text[192]; /* names the key at fault */
};

/*
 * Reads a request from a line. `first_id` is the first id of the node, for the range of container ids. request->id is
 * set as soon as it can be read, else 0.
 */
bool ns_request_parse(struct ns_request *request, const struct ns_line *line, uint32_t first_id,
                      struct ns_refusal *why);

/* Returns the verb's name in the protocol. */
const char *ns_request_verb(enum ns_verb verb);

/* Returns the container's share of processor time in whole cores, rounded up. */
static inline uint64_t ns_request_processors(const struct ns_request *request) {
    return (request->cpu + 99) / 100;
}

/* Reads one of the lines that follow `filters`. */
bool ns_request_filter(struct ns_filter *filter, const struct ns_line *line, struct ns_refusal *why);

#endif
