/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host - the process of one container: sandbox, Java virtual machine, packets. The spawner (spawner/container/host.c)
 * starts it with its descriptors, its identity and its namespaces. The host drops the rights that remain. See host.h.
 */
#include "host.h"

#include "ns_log.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define STACK (2u << 20) /* bytes; HotSpot must know the bounds of a stack that it runs on */

struct ns_host ns_host;

int ns_thread_start(void *(*run)(void *), void *argument) {
    pthread_attr_t attributes;
    pthread_t thread;
    int result;

    if (pthread_attr_init(&attributes) != 0)
        return -1;
    result = pthread_attr_setstacksize(&attributes, STACK) != 0 ||
                     pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) != 0 ||
                     pthread_create(&thread, &attributes, run, argument) != 0
                 ? -1
                 : 0;
    pthread_attr_destroy(&attributes);
    return result;
}

/*
 * Ends the process at abort(), with an exit status. The first process of a pid namespace ignores SIGABRT's default
 * action.
 */
static void on_abort(int signal) {
    (void)signal;
    _exit(NS_EXIT_CRASH);
}

static int block_signals(void) {
    struct sigaction action = {.sa_handler = on_abort};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGQUIT);
    return sigprocmask(SIG_SETMASK, &set, NULL) != 0 || sigaction(SIGABRT, &action, NULL) != 0 ? -1 : 0;
}

static void die(const char *what) {
    ns_error("%s: %s", what, strerror(errno));
    _exit(NS_EXIT_START);
}

/* Does the work that needs a process with a single thread. */
static void prepare(void) {
    const struct ns_options *o = &ns_host.options;
    struct ns_last *old = calloc(1, sizeof *old);
    const char *failed;

    if (block_signals() != 0)
        die("signals");
    if (!ns_layer_has(o->missing, NS_LAYER_NO_NEW_PRIVS) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        die("no-new-privs");
    if (fcntl(o->report_fd, F_SETFD, FD_CLOEXEC) != 0)
        die("--report-fd");
    if (o->ask_fd != 0 && (fcntl(o->ask_fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(o->answer_fd, F_SETFD, FD_CLOEXEC) != 0))
        die("--ask-fd, --answer-fd");
    if (ns_ring_map(&ns_host.ring, o->desc_fd, o->slots_fd, o->slots, 0) != 0)
        die("ring");
    close(o->desc_fd);
    close(o->slots_fd);
    if (old == NULL || ns_last_open(old) != 0)
        die("last");
    ns_crash_report(old);
    free(old);
    if (ns_sandbox_enter(o, &failed) != 0)
        die(failed);
}

static void *main_thread(void *argument) {
    JNIEnv *env;

    (void)argument;
    if (ns_jvm_create() != 0 || (*ns_host.vm)->GetEnv(ns_host.vm, (void **)&env, JNI_VERSION_10) != JNI_OK)
        _exit(NS_EXIT_START);
    if (ns_helper_start() != 0 || ns_packets_start(env) != 0)
        _exit(NS_EXIT_START);
    if ((ns_host.options.make_archive != NULL ? ns_jvm_rehearse(env) : ns_jvm_boot(env)) != 0)
        _exit(NS_EXIT_START);
    ns_info("booted");
    malloc_trim(0); /* gives back the memory that only the start needed */
    ns_report("booted", NULL);
    if (ns_host.options.make_archive != NULL)
        ns_jvm_end(env);
    for (;;)
        pause();
    return NULL;
}

int main(int argc, char **argv) {
    ns_log_open("host");
    if (!ns_options_parse(&ns_host.options, argc, argv))
        return 2;
    prepare();
    if (ns_thread_start(main_thread, NULL) != 0)
        die("thread");
    ns_signals_run();
    return 0;
}
