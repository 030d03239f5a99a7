/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "ns_log.h"
#include "ns_output.h"
#include "ns_time.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define STOP_MS 6000 /* HostMain.stop gives the framework 5 s */
#define DUMP_MS 2000
#define WATCH_MS 100
#define OUTPUT_MOST (4 << 20) /* bytes of host.log; one older file is kept */

static void stop(void) {
    ns_info("stops");
    if (!ns_helper_ask(NS_HELP_STOP, "", NULL, STOP_MS))
        ns_warn("the framework did not stop in %d ms", STOP_MS);
    _exit(0);
}

static void dump(void) {
    char path[64];

    ns_helper_ask(NS_HELP_DUMP, "dump", path, DUMP_MS);
    ns_report("dump", "dump", path, NULL);
}

/* Ends the process when an upcall does not return, because a module loops or waits. Java cannot end a thread. */
static void watch(void) {
    uint64_t since = __atomic_load_n(&ns_host.upcall_since, __ATOMIC_RELAXED), now = ns_now();
    char module[NS_MODULE_NAME], path[64], millis[24];

    if (since == 0 || now < since || now - since < ns_host.options.stuck_ms)
        return;
    ns_modules_running(module);
    snprintf(millis, sizeof millis, "%llu", (unsigned long long)(now - since));
    ns_helper_ask(NS_HELP_DUMP, "stuck", path, DUMP_MS);
    if (__atomic_load_n(&ns_host.upcall_since, __ATOMIC_RELAXED) != since)
        ns_warn("the upcall has returned meanwhile; too late");
    ns_report("stuck", "module", module, "millis", millis, "dump", path, NULL);
    _exit(NS_EXIT_STUCK);
}

static void read_signal(int fd) {
    struct signalfd_siginfo info;

    if (read(fd, &info, sizeof info) != (ssize_t)sizeof info)
        return;
    if (info.ssi_signo == SIGQUIT)
        dump();
    else if (info.ssi_signo == SIGHUP)
        ns_adopt();
    else if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
        stop();
}

void ns_signals_run(void) {
    char output[PATH_MAX];
    sigset_t set;
    int fd;

    snprintf(output, sizeof output, "%s/host.log", ns_host.options.data);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    fd = signalfd(-1, &set, SFD_CLOEXEC);
    for (;;) {
        struct pollfd readable = {.fd = fd, .events = POLLIN};

        if (poll(&readable, 1, WATCH_MS) > 0)
            read_signal(fd);
        watch();
        ns_output_bound(output, OUTPUT_MOST);
    }
}
