/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed; /* on CLOCK_MONOTONIC */
static struct {
    enum { FREE, ASKED, DONE, LEFT } state; /* LEFT: asked, but the asker no longer waits */
    enum ns_help what;
    char kind[32], path[64];
} order;

static void do_it(JNIEnv *env) {
    char path[64] = "-";

    if (order.what == NS_HELP_DUMP)
        ns_dump_write(env, order.kind, path);
    else
        ns_jvm_stop(env);
    pthread_mutex_lock(&lock);
    strcpy(order.path, path);
    order.state = order.state == LEFT ? FREE : DONE;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *run(void *argument) {
    JNIEnv *env = ns_jvm_attach("netserv-helper");

    (void)argument;
    while (env != NULL) {
        pthread_mutex_lock(&lock);
        while (order.state != ASKED && order.state != LEFT)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        do_it(env);
    }
    return NULL;
}

int ns_helper_start(void) {
    pthread_condattr_t attributes;

    if (pthread_condattr_init(&attributes) != 0 || pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) != 0 ||
        pthread_cond_init(&changed, &attributes) != 0)
        return -1;
    return ns_thread_start(run, NULL);
}

/*
 * Asks the helper; only the signals thread calls it. While the helper works on a question that was not answered in
 * time, the next question waits, too.
 */
bool ns_helper_ask(enum ns_help what, const char *kind, char *path, unsigned ms) {
    struct timespec end;
    bool done;

    if (path != NULL)
        strcpy(path, "-");
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000;
    end.tv_nsec += (long)(ms % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&lock);
    while (order.state != FREE && pthread_cond_timedwait(&changed, &lock, &end) != ETIMEDOUT)
        ;
    if (order.state != FREE) {
        pthread_mutex_unlock(&lock);
        return false;
    }
    order.what = what;
    strncpy(order.kind, kind, sizeof order.kind - 1);
    order.state = ASKED;
    pthread_cond_broadcast(&changed);
    while (order.state != DONE && pthread_cond_timedwait(&changed, &lock, &end) != ETIMEDOUT)
        ;
    done = order.state == DONE;
    if (done && path != NULL)
        strcpy(path, order.path);
    order.state = done ? FREE : LEFT;
    pthread_mutex_unlock(&lock);
    return done;
}
