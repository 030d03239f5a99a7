/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of sald. */
#ifndef NS_SALD_OPTIONS_H
#define NS_SALD_OPTIONS_H

#include "sald.h"
#include <net/if.h>

struct ns_sald_options {
    const char *object, *pins, *control, *inside, *beside, *orders, *ask, *talk, *hooks;
    struct ns_sal_address dns;
    uint32_t look_ms; /* between two looks with hooks */
    uint16_t port;
    uint8_t raw;
    bool down, native, brief, seccomp, set_up;
    char interfaces[NS_SAL_INTERFACES][IF_NAMESIZE];
    unsigned interface_count;
};

/* Reads the options. What follows them begins at optind. Returns false if they are none of sald. */
bool ns_sald_options_read(struct ns_sald_options *options, int argc, char **argv);

#endif
