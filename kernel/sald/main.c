/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sald - Serval for the programs of a host as they are. docs/protocols/sald.md.
 *
 *     sald --object FILE --pins DIRECTORY --control SOCKET --interface NAME... [--inside sal0] [--beside sal1]
 *          [--port 54325] [--raw 144] [--native] [--short] [--dns ADDRESS:PORT] [--orders FILE] [--set-up 0]
 *          [--seccomp 0] [--hooks FILE [--look MILLISECONDS]]
 *     sald --ask SOCKET VERB [KEY=VALUE]...
 *     sald --talk SOCKET
 *     sald --down --pins DIRECTORY --interface NAME... [--inside sal0] [--beside sal1]
 *
 * Starts with CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON and CAP_NET_RAW, and keeps the first two. Its end ends no flow: the
 * programs go on with those that are open, and the next sald takes them over. Exit status: 0 stopped; 1 the kernel or
 * the interfaces do not allow it; 2 usage.
 */
#include "ask.h"
#include "loop.h"
#include "ns_caps.h"
#include "ns_log.h"
#include "ns_seccomp.h"

#include <unistd.h>

static int down(const struct ns_sald_options *options) {
    unsigned interfaces[NS_SAL_INTERFACES + 2] = {if_nametoindex(options->inside), if_nametoindex(options->beside)};

    for (unsigned i = 0; i < options->interface_count; i++)
        interfaces[i + 2] = if_nametoindex(options->interfaces[i]);
    ns_sal_programs_remove(options->pins, interfaces, options->interface_count + 2);
    return 0;
}

static int run(const struct ns_sald_options *options) {
    static struct ns_sald sald;
    struct ns_sald_loop loop;

    if (ns_sald_open(&sald, options) != 0 ||
        (options->orders != NULL && ns_sald_orders_file(&sald, options->orders) != 0) ||
        ns_sald_loop_open(&loop, &sald, options) != 0)
        return 1;
    if (ns_caps_keep_only(NS_CAP(CAP_BPF) | NS_CAP(CAP_NET_ADMIN)) != 0)
        return -ns_sald_fail("capabilities");
    if (options->seccomp && ns_seccomp_enter(&ns_seccomp_sald) != 0)
        return -ns_sald_fail("seccomp");
    ns_info("ready, %llu flows taken over", (unsigned long long)sald.restored);
    return ns_sald_loop_run(&loop) == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    struct ns_sald_options options;

    ns_log_open("sald");
    if (!ns_sald_options_read(&options, argc, argv)) {
        ns_error("usage: sald --object FILE --pins DIRECTORY --control SOCKET --interface NAME... [--inside sal0] "
                 "[--beside sal1] [--port 54325] [--raw 144] [--native] [--short] [--dns ADDRESS:PORT] "
                 "[--orders FILE] [--set-up 0] [--hooks FILE [--look 5000]] | --ask SOCKET VERB... | --talk SOCKET | "
                 "--down --pins DIRECTORY --interface NAME...");
        return 2;
    }
    if (options.ask != NULL)
        return ns_sald_ask(options.ask, argv + optind, argc - optind);
    if (options.talk != NULL)
        return ns_sald_talk(options.talk);
    return options.down ? down(&options) : run(&options);
}
