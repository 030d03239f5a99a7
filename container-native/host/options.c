/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "ns_log.h"
#include "ns_processors.h"
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 13, MANDATORY = 9, NUMBERS = 15, JVM_OPTION = TEXTS + NUMBERS };

/*
 * The place of each option in ns_options. The first texts are mandatory. Numbers have a range and a preset (-1 =
 * mandatory).
 */
struct place {
    const char *name;
    size_t offset;
    long least, most, preset;
};
#define AT(member) offsetof(struct ns_options, member)

static const struct place texts[TEXTS] = {
    {"java-home", AT(java_home), 0, 0, 0},
    {"class-path", AT(class_path), 0, 0, 0},
    {"blocks", AT(blocks), 0, 0, 0},
    {"data", AT(data), 0, 0, 0},
    {"storage", AT(storage), 0, 0, 0},
    {"control", AT(control), 0, 0, 0},
    {"without", AT(without), 0, 0, 0},
    {"bind", AT(bind), 0, 0, 0},
    {"connect", AT(connect), 0, 0, 0},
    {"archive", AT(archive), 0, 0, 0},
    {"make-archive", AT(make_archive), 0, 0, 0},
    {"fast-path", AT(fast_path), 0, 0, 0},
    {"packet-processors", AT(packet_processors), 0, 0, 0},
};
static const struct place numbers[NUMBERS] = {
    {"heap", AT(heap), 8, 65536, -1},
    {"direct", AT(direct), 4, 65536, -1},
    {"metaspace", AT(metaspace), 24, 4096, -1},
    {"processors", AT(processors), 1, 1024, -1},
    {"slots", AT(slots), 64, 16384, NS_RING_SLOTS_DEFAULT},
    {"desc-fd", AT(desc_fd), 3, INT_MAX, -1},
    {"slots-fd", AT(slots_fd), 3, INT_MAX, -1},
    {"rx-efd", AT(receive_fd), 3, INT_MAX, -1},
    {"tx-efd", AT(send_fd), 3, INT_MAX, -1},
    {"report-fd", AT(report_fd), 3, INT_MAX, -1},
    {"stuck-ms", AT(stuck_ms), 100, 60000, 2000},
    {"spare", AT(spare), 0, 1, 0},
    {"order-fd", AT(order_fd), 3, INT_MAX, 0},
    {"ask-fd", AT(ask_fd), 3, INT_MAX, 0},
    {"answer-fd", AT(answer_fd), 3, INT_MAX, 0},
};

static bool parse_number(struct ns_options *options, const struct place *place, const char *text) {
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < place->least || value > place->most) {
        ns_error("--%s: %s is not a number in %ld..%ld", place->name, text, place->least, place->most);
        return false;
    }
    *(int *)((char *)options + place->offset) = (int)value;
    return true;
}

static bool accept(struct ns_options *options, int option, const char *value, bool *given) {
    if (option < TEXTS) {
        *(const char **)((char *)options + texts[option].offset) = value;
        return true;
    }
    if (option < JVM_OPTION) {
        given[option - TEXTS] = true;
        return parse_number(options, &numbers[option - TEXTS], value);
    }
    if (options->jvm_option_count == NS_JVM_OPTIONS) {
        ns_error("--jvm-opt: more than %d", NS_JVM_OPTIONS);
        return false;
    }
    options->jvm_options[options->jvm_option_count++] = value;
    return true;
}

static bool complete(const struct ns_options *options, const bool *given) {
    for (int i = 0; i < MANDATORY; i++) {
        if (*(const char *const *)((const char *)options + texts[i].offset) == NULL) {
            ns_error("--%s is missing", texts[i].name);
            return false;
        }
    }
    for (int i = 0; i < NUMBERS; i++) {
        if (!given[i] && numbers[i].preset < 0) {
            ns_error("--%s is missing", numbers[i].name);
            return false;
        }
    }
    return true;
}

bool ns_options_parse(struct ns_options *options, int argc, char **argv) {
    struct option table[JVM_OPTION + 2] = {[JVM_OPTION] = {"jvm-opt", required_argument, NULL, JVM_OPTION}};
    bool given[NUMBERS] = {false};
    int option;

    memset(options, 0, sizeof *options);
    for (int i = 0; i < JVM_OPTION; i++) {
        const struct place *place = i < TEXTS ? &texts[i] : &numbers[i - TEXTS];

        table[i] = (struct option){place->name, required_argument, NULL, i};
        if (i >= TEXTS)
            *(int *)((char *)options + place->offset) = (int)place->preset;
    }
    while ((option = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (option == '?' || !accept(options, option, optarg, given))
            return false;
    }
    if (optind != argc) {
        ns_error("%s: not an option", argv[optind]);
        return false;
    }
    if (!complete(options, given))
        return false;
    if (options->packet_processors != NULL && !ns_processors_read(&options->packets, options->packet_processors)) {
        ns_error("--packet-processors: %s: not a list of processors", options->packet_processors);
        return false;
    }
    if (ns_layer_read(&options->missing, options->without))
        return true;
    ns_error("--without: %s: not a list of layers", options->without);
    return false;
}
