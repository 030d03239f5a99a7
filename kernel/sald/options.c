/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "ns_value.h"
#include <getopt.h>
#include <stdlib.h>

#define LOOK_MOST_MS 3600000u

static bool add_interface(struct ns_sald_options *options, const char *name) {
    if (!ns_value_interface(name) || options->interface_count == NS_SAL_INTERFACES)
        return false;
    strcpy(options->interfaces[options->interface_count++], name);
    return true;
}

static bool take_option(struct ns_sald_options *options, int option) {
    uint64_t number;

    switch (option) {
    case 'o':
        options->object = optarg;
        return true;
    case 'p':
        options->pins = optarg;
        return true;
    case 'c':
        options->control = optarg;
        return true;
    case 'i':
        options->inside = optarg;
        return ns_value_interface(optarg);
    case 'b':
        options->beside = optarg;
        return ns_value_interface(optarg);
    case 'v':
        options->native = true;
        return true;
    case 'w':
        options->brief = true;
        return true;
    case 'f':
        options->orders = optarg;
        return true;
    case 'a':
        options->ask = optarg;
        return true;
    case 'h':
        options->hooks = optarg;
        return true;
    case 'l':
        if (!ns_value_number(optarg, 1, LOOK_MOST_MS, &number))
            return false;
        options->look_ms = (uint32_t)number;
        return true;
    case 'k':
        options->talk = optarg;
        return true;
    case 'd':
        options->down = true;
        return true;
    case 's':
        options->seccomp = strcmp(optarg, "0") != 0;
        return true;
    case 't':
        options->set_up = strcmp(optarg, "0") != 0;
        return true;
    case 'e':
        return add_interface(options, optarg);
    case 'n':
        return ns_sal_address_read(&options->dns, optarg, 53);
    case 'u':
        if (!ns_value_number(optarg, 1, 65535, &number))
            return false;
        options->port = (uint16_t)number;
        return true;
    case 'r':
        if (!ns_value_number(optarg, 1, 255, &number) || number == IPPROTO_TCP || number == IPPROTO_UDP)
            return false;
        options->raw = (uint8_t)number;
        return true;
    default:
        return false;
    }
}

bool ns_sald_options_read(struct ns_sald_options *options, int argc, char **argv) {
    static const struct option table[] = {
        {"object", required_argument, NULL, 'o'},    {"pins", required_argument, NULL, 'p'},
        {"control", required_argument, NULL, 'c'},   {"inside", required_argument, NULL, 'i'},
        {"beside", required_argument, NULL, 'b'},    {"orders", required_argument, NULL, 'f'},
        {"ask", required_argument, NULL, 'a'},       {"down", no_argument, NULL, 'd'},
        {"interface", required_argument, NULL, 'e'}, {"dns", required_argument, NULL, 'n'},
        {"port", required_argument, NULL, 'u'},      {"raw", required_argument, NULL, 'r'},
        {"seccomp", required_argument, NULL, 's'},   {"native", no_argument, NULL, 'v'},
        {"set-up", required_argument, NULL, 't'},    {"hooks", required_argument, NULL, 'h'},
        {"look", required_argument, NULL, 'l'},      {"short", no_argument, NULL, 'w'},
        {"talk", required_argument, NULL, 'k'},      {NULL, 0, NULL, 0}};
    int option;

    *options = (struct ns_sald_options){.inside = "sal0",
                                        .beside = "sal1",
                                        .port = NS_SAL_PORT,
                                        .seccomp = true,
                                        .set_up = true,
                                        .look_ms = NS_SAL_HOOKED_LOOK_MS};
    while ((option = getopt_long(argc, argv, "+", table, NULL)) != -1) {
        if (!take_option(options, option))
            return false;
    }
    if (options->ask != NULL)
        return optind < argc;
    if (options->talk != NULL)
        return optind == argc;
    if (options->down)
        return optind == argc && options->pins != NULL;
    return optind == argc && options->object != NULL && options->pins != NULL && options->control != NULL &&
           options->interface_count > 0;
}
