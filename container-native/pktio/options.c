/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "ns_log.h"
#include "ns_marks.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Values of the numeric options, in the order of `numbers`. */
enum {
    QUEUE,
    QUEUE_LEN,
    SLOTS,
    DESC_FD,
    SLOTS_FD,
    RX_EFD,
    TX_EFD,
    STATS_FD,
    PACKETS_FD,
    COPIES_FD,
    FASTPATH_FD,
    RECORDS_FD,
    SAMPLES_FD,
    RAW4_FD,
    RAW6_FD,
    DEADLINE,
    STEAL,
    STEAL_MAX,
    TURNED_MARK,
    COPY_MARK,
    SECCOMP,
    NUMBERS,
    NAME = NUMBERS,
    REWRITE,
    XSK,
    OPTIONS
};

#define REQUIRED UINT64_MAX   /* in place of a default: the option is mandatory */
#define NONE (UINT64_MAX - 1) /* the default is no value */

static const struct number {
    const char *name;
    uint64_t least, most, preset;
} numbers[NUMBERS] = {
    [QUEUE] = {"queue", 0, 65534, REQUIRED},
    [QUEUE_LEN] = {"queue-len", 1, 65535, 4096},
    [SLOTS] = {"slots", 64, 16384, NS_RING_SLOTS_DEFAULT},
    [DESC_FD] = {"desc-fd", 3, INT_MAX, REQUIRED},
    [SLOTS_FD] = {"slots-fd", 3, INT_MAX, REQUIRED},
    [RX_EFD] = {"rx-efd", 3, INT_MAX, REQUIRED},
    [TX_EFD] = {"tx-efd", 3, INT_MAX, REQUIRED},
    [STATS_FD] = {"stats-fd", 3, INT_MAX, REQUIRED},
    [PACKETS_FD] = {"packets-fd", 3, INT_MAX, NONE},
    [COPIES_FD] = {"copies-fd", 3, INT_MAX, NONE},
    [FASTPATH_FD] = {"fastpath-fd", 3, INT_MAX, NONE},
    [RECORDS_FD] = {"records-fd", 3, INT_MAX, NONE},
    [SAMPLES_FD] = {"samples-fd", 3, INT_MAX, NONE},
    [RAW4_FD] = {"raw4-fd", 3, INT_MAX, NONE},
    [RAW6_FD] = {"raw6-fd", 3, INT_MAX, NONE},
    [DEADLINE] = {"deadline-ms", 1, 10000, 200},
    [STEAL] = {"steal-ms", 1, 30000, 5000},
    [STEAL_MAX] = {"steal-max", 0, 16384, 64},
    [TURNED_MARK] = {"turned-mark", 1, UINT32_MAX, 0x00400000},
    [COPY_MARK] = {"copy-mark", 1, UINT32_MAX, 0x00800000},
    [SECCOMP] = {"seccomp", 0, 1, 1},
};

static bool parse_number(const struct number *number, const char *text, uint64_t *value) {
    char *end;
    unsigned long long parsed;

    errno = 0;
    parsed = strtoull(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || parsed < number->least || parsed > number->most) {
        ns_error("--%s: %s is not a number in %llu..%llu", number->name, text, (unsigned long long)number->least,
                 (unsigned long long)number->most);
        return false;
    }
    *value = parsed;
    return true;
}

static int descriptor(uint64_t value) {
    return value == NONE ? -1 : (int)value;
}

static void apply(struct ns_options *options, const uint64_t *values) {
    options->queue = (uint32_t)values[QUEUE];
    options->queue_length = (uint32_t)values[QUEUE_LEN];
    options->slots = (uint32_t)values[SLOTS];
    options->desc_fd = (int)values[DESC_FD];
    options->slots_fd = (int)values[SLOTS_FD];
    options->receive_fd = (int)values[RX_EFD];
    options->send_fd = (int)values[TX_EFD];
    options->stats_fd = (int)values[STATS_FD];
    options->packets_fd = descriptor(values[PACKETS_FD]);
    options->copies_fd = descriptor(values[COPIES_FD]);
    options->fastpath_fd = descriptor(values[FASTPATH_FD]);
    options->records_fd = descriptor(values[RECORDS_FD]);
    options->samples_fd = descriptor(values[SAMPLES_FD]);
    options->xdp.raw4 = descriptor(values[RAW4_FD]);
    options->xdp.raw6 = descriptor(values[RAW6_FD]);
    options->limits.deadline = values[DEADLINE] * 1000000;
    options->limits.steal = values[STEAL] * 1000000;
    options->limits.steal_max = (uint32_t)values[STEAL_MAX];
    options->limits.turned_mark = (uint32_t)values[TURNED_MARK];
    options->limits.copy_mark = (uint32_t)values[COPY_MARK];
    options->seccomp = values[SECCOMP] != 0;
}

static bool complete(const struct ns_options *options, const uint64_t *values) {
    const char *why;

    for (int i = 0; i < NUMBERS; i++) {
        if (values[i] == REQUIRED) {
            ns_error("--%s is missing", numbers[i].name);
            return false;
        }
    }
    if (options->name == NULL) {
        ns_error("--name is missing");
        return false;
    }
    if ((values[SLOTS] & (values[SLOTS] - 1)) != 0 || values[QUEUE] % 2 != 0) {
        ns_error("--slots must be a power of two and --queue even");
        return false;
    }
    why = ns_marks_wrong((uint32_t)values[TURNED_MARK], (uint32_t)values[COPY_MARK]);
    if (why != NULL)
        ns_error("--turned-mark, --copy-mark: %s", why);
    return why == NULL;
}

/* Adds a source of the form "<ifindex>:<queue>:<fd>". */
static bool add_source(struct ns_xdp_sources *sources, const char *text) {
    static const uint64_t least[3] = {1, 0, 3}, most[3] = {INT_MAX, 65535, INT_MAX};
    unsigned long long value[3];
    const char *at = text;
    char *end;

    for (int i = 0; i < 3; i++, at = end + 1) {
        if (*at < '0' || *at > '9')
            return false;
        errno = 0;
        value[i] = strtoull(at, &end, 10);
        if (errno != 0 || *end != (i < 2 ? ':' : '\0') || value[i] < least[i] || value[i] > most[i])
            return false;
    }
    if (sources->count == NS_PORT_MOST)
        return false;
    sources->source[sources->count++] = (struct ns_xdp_source){(uint32_t)value[0], (uint32_t)value[1], (int)value[2]};
    return true;
}

bool ns_options_parse(struct ns_options *options, int argc, char **argv) {
    struct option table[OPTIONS + 1] = {
        [NAME] = {"name", required_argument, NULL, NAME},
        [REWRITE] = {"rewrite", required_argument, NULL, REWRITE},
        [XSK] = {"xsk", required_argument, NULL, XSK},
    };
    uint64_t values[NUMBERS];
    int option;

    memset(options, 0, sizeof *options);
    for (int i = 0; i < NUMBERS; i++) {
        table[i] = (struct option){numbers[i].name, required_argument, NULL, i};
        values[i] = numbers[i].preset;
    }
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == '?') {
            ns_error("%s: unknown option, or its value is missing", argv[optind - 1]);
            return false;
        }
        if (option == NAME) {
            options->name = optarg;
        } else if (option == REWRITE) {
            if (!ns_rewrite_add(&options->rewrite, optarg)) {
                ns_error("--rewrite: %s is not <src-prefix>-><dst-prefix>, or there are too many", optarg);
                return false;
            }
        } else if (option == XSK) {
            if (!add_source(&options->xdp, optarg)) {
                ns_error("--xsk: %s is not <ifindex>:<queue>:<fd>, or there are too many", optarg);
                return false;
            }
        } else if (!parse_number(&numbers[option], optarg, &values[option])) {
            return false;
        }
    }
    if (optind != argc) {
        ns_error("%s: not an option", argv[optind]);
        return false;
    }
    if (!complete(options, values))
        return false;
    apply(options, values);
    return true;
}
